#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"

#define PREFIX "bailey: "

/* A pipe takes 4096 bytes at once on Linux; escaped, each byte of a message may need four. */
enum { LINE_SIZE = 4096, MESSAGE_SIZE = (LINE_SIZE - sizeof(PREFIX "...\n")) / 4 };

struct line {
        char text[LINE_SIZE];
        size_t len;
};

static void line_append(struct line *line, struct str s) {
        if (s.len == 0 || s.len > sizeof(line->text) - line->len)
                return;
        memcpy(line->text + line->len, s.ptr, s.len);
        line->len += s.len;
}

static void line_escape(struct line *line, unsigned char c) {
        static const char hex[] = "0123456789abcdef";

        if (c == '\n')
                line_append(line, STR("\\n"));
        else if (c == '\t')
                line_append(line, STR("\\t"));
        else
                line_append(line, str_from((char[]){ '\\', 'x', hex[c >> 4], hex[c & 15] }, 4));
}

/* Bytes of the character at the start of `s` if it may stand on a terminal as it is, else 0. */
static size_t printable(struct str s) {
        unsigned char c = (unsigned char)s.ptr[0];
        bool c1 = c == 0xc2 && s.len > 1 && (unsigned char)s.ptr[1] < 0xa0; /* U+0080 to U+009F */

        return c < 0x20 || c == 0x7f || c1 ? 0 : str_utf8(s);
}

void log_line(const char *format, ...) {
        int saved = errno;
        char message[MESSAGE_SIZE + 1];
        struct line line = { .len = 0 };
        struct str rest;
        va_list args;
        int wanted;

        va_start(args, format);
        wanted = vsnprintf(message, sizeof(message), format, args);
        va_end(args);
        rest = str_z(wanted < 0 ? format : message);
        rest = str_take(rest, MESSAGE_SIZE);
        line_append(&line, STR(PREFIX));
        while (rest.len > 0) {
                size_t size = printable(rest);

                if (size)
                        line_append(&line, str_take(rest, size));
                else
                        line_escape(&line, (unsigned char)rest.ptr[0]);
                rest = str_skip(rest, size ? size : 1);
        }
        line_append(&line, wanted > MESSAGE_SIZE ? STR("...\n") : STR("\n"));
        if (write(STDERR_FILENO, line.text, line.len) < 0) {
                /* nobody is left to be told */
        }
        errno = saved;
}
