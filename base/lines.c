#include "base/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct str lines_rest(const struct lines *lines) {
        return str_from(lines->memory + lines->start, lines->len);
}

static ssize_t read_some(const struct lines *lines, size_t size) {
        char *to = lines->memory + lines->len;
        ssize_t got;

        do
                got = lines->stream ? read(lines->fd, to, size) : pread(lines->fd, to, size, (off_t)lines->at);
        while (got < 0 && errno == EINTR);
        return got;
}

/* 1: there is more to look at. */
static int fill(struct lines *lines, struct err *err) {
        uint64_t left = lines->limit - lines->at;
        size_t size = lines->chunk ? lines->chunk : LINES_CHUNK;
        ssize_t got;

        if (left == 0)
                return 0;
        if (lines->start) {
                memmove(lines->memory, lines->memory + lines->start, lines->len);
                lines->start = 0;
        }
        if (lines->answers)
                fflush(lines->answers); /* a failure stays with the stream; it is checked when that is closed */
        size = left < size ? (size_t)left : size;
        got = read_some(lines, size < lines->size - lines->len ? size : lines->size - lines->len);
        if (got < 0)
                return err_sys(err, "cannot read");
        if (got == 0) /* its end, or it became shorter */
                lines->limit = lines->at;
        lines->at += (uint64_t)got;
        lines->len += (size_t)got;
        return got > 0;
}

/* Hands out `line`, which takes `count` bytes of what was read. */
static enum line_kind hand_out(struct lines *lines, struct str line, size_t count, struct str *ret) {
        enum line_kind kind = lines->skipping ? LINE_TOO_LONG : LINE_WHOLE;

        lines->start += count;
        lines->len -= count;
        lines->seen = 0;
        lines->skipping = false;
        lines->number++;
        *ret = kind == LINE_WHOLE ? line : (struct str){};
        return kind;
}

int lines_next(struct lines *lines, struct str *ret_line, struct err *err) {
        for (;;) {
                struct str rest = lines_rest(lines);
                size_t end = lines->seen + str_find(str_skip(rest, lines->seen), '\n');
                int more;

                if (end < rest.len)
                        return hand_out(lines, str_take(rest, end), end + 1, ret_line);
                lines->seen = rest.len;
                if (rest.len == lines->size) {
                        lines->skipping = true;
                        lines->start = lines->len = lines->seen = 0;
                }
                if (lines->readable && !*lines->readable)
                        return LINE_LATER;
                if (lines->readable)
                        *lines->readable = false;
                more = fill(lines, err);
                if (more < 0)
                        return -1;
                if (!more && lines->open_end && (lines->len || lines->skipping))
                        return hand_out(lines, lines_rest(lines), lines->len, ret_line);
                if (!more)
                        return LINE_END;
        }
}
