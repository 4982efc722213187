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
                char room[STR_VISIBLE_SIZE];
                size_t taken;

                line_append(&line, str_visible(rest, room, &taken));
                rest = str_skip(rest, taken);
        }
        line_append(&line, wanted > MESSAGE_SIZE ? STR("...\n") : STR("\n"));
        if (write(STDERR_FILENO, line.text, line.len) < 0) {
                /* it cannot be reported anywhere */
        }
        errno = saved;
}
