#include "cli/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

void lines_init(struct lines *lines, int fd, size_t max, FILE *answers) {
        *lines = (struct lines){ .fd = fd, .max = max, .answers = answers };
        buf_init(&lines->data, max + CHUNK + 1);
}

void lines_free(struct lines *lines) {
        buf_free(&lines->data);
}

/* Room for the next chunk: what was handed out goes, and so does what cannot be part of a line any more. */
static void lines_compact(struct lines *lines) {
        if (lines->data.len - lines->start > lines->max) {
                lines->start = lines->data.len;
                lines->skipping = true;
        }
        if (lines->start > 0) {
                lines->data.len -= lines->start;
                memmove(lines->data.ptr, lines->data.ptr + lines->start, lines->data.len);
                lines->start = 0;
        }
        lines->seen = lines->data.len;
}

static int lines_fill(struct lines *lines, struct err *err) {
        char chunk[CHUNK];
        ssize_t count;

        lines_compact(lines);
        fflush(lines->answers); /* a failure stays with the stream; whoever closes it looks */
        do
                count = read(lines->fd, chunk, sizeof(chunk));
        while (count < 0 && errno == EINTR);
        if (count < 0)
                return err_sys(err, "cannot read");
        lines->end = count == 0;
        buf_append(&lines->data, str_from(chunk, (size_t)count));
        return lines->data.failed ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

int lines_next(struct lines *lines, enum line_kind *ret_kind, struct str *ret_line, struct err *err) {
        const char *newline = NULL;
        size_t stop;

        for (;;) {
                if (lines->data.len > lines->seen)
                        newline = memchr(lines->data.ptr + lines->seen, '\n', lines->data.len - lines->seen);
                if (newline || lines->end)
                        break;
                if (lines_fill(lines, err) < 0)
                        return -1;
        }
        stop = newline ? (size_t)(newline - lines->data.ptr) : lines->data.len;
        *ret_line = str_take(str_skip(buf_str(&lines->data), lines->start), stop - lines->start);
        if (lines->skipping || ret_line->len > lines->max)
                *ret_kind = LINE_TOO_LONG;
        else
                *ret_kind = newline || ret_line->len ? LINE_WHOLE : LINE_END;
        lines->start = lines->seen = newline ? stop + 1 : stop;
        lines->skipping = false;
        return 0;
}
