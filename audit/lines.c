#include "audit/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, ROOM = CHAIN_LINE_MAX + CHUNK };

int audit_lines_init(struct audit_lines *lines, struct err *err) {
        char *data = malloc(ROOM);

        if (!data)
                return err_set(err, ERR_MEMORY, "out of memory");
        *lines = (struct audit_lines){ .fd = -1, .data = data };
        return 0;
}

void audit_lines_free(struct audit_lines *lines) {
        free(lines->data);
        *lines = (struct audit_lines){ .fd = -1 };
}

void audit_lines_begin(struct audit_lines *lines, int fd, uint64_t limit) {
        *lines = (struct audit_lines){ .fd = fd, .limit = limit, .data = lines->data };
}

struct str audit_lines_rest(const struct audit_lines *lines) {
        return str_from(lines->data + lines->start, lines->len);
}

/* 1: there is more to look at. */
static int fill(struct audit_lines *lines, struct err *err) {
        uint64_t left = lines->limit - lines->at;
        ssize_t got;

        if (left == 0)
                return 0;
        if (lines->start) {
                memmove(lines->data, lines->data + lines->start, lines->len);
                lines->start = 0;
        }
        do
                got = pread(lines->fd, lines->data + lines->len, left < CHUNK ? (size_t)left : CHUNK, (off_t)lines->at);
        while (got < 0 && errno == EINTR);
        if (got < 0)
                return err_sys(err, "read");
        if (got == 0) /* it became shorter */
                lines->limit = lines->at;
        lines->at += (uint64_t)got;
        lines->len += (size_t)got;
        return got > 0;
}

static void consume(struct audit_lines *lines, size_t count) {
        lines->start += count;
        lines->len -= count;
        lines->seen = 0;
}

int audit_lines_next(struct audit_lines *lines, struct str *ret_line, struct err *err) {
        for (;;) {
                struct str rest = audit_lines_rest(lines);
                size_t end = lines->seen + str_find(str_skip(rest, lines->seen), '\n');
                int more;

                if (end < rest.len) {
                        enum audit_line kind = lines->skipping ? AUDIT_LINE_TOO_LONG : AUDIT_LINE_WHOLE;

                        consume(lines, end + 1);
                        lines->skipping = false;
                        lines->number++;
                        *ret_line = kind == AUDIT_LINE_WHOLE ? str_take(rest, end) : (struct str){};
                        return kind;
                }
                lines->seen = rest.len;
                if (rest.len >= CHAIN_LINE_MAX) {
                        lines->skipping = true;
                        consume(lines, rest.len);
                }
                more = fill(lines, err);
                if (more <= 0)
                        return more < 0 ? -1 : AUDIT_LINE_END;
        }
}
