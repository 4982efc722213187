#include "audit/chain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "audit/read.h"

#define ZEROS "0000000000000000"

const struct chain_hash chain_genesis = { ZEROS ZEROS ZEROS ZEROS };

enum { HEX = 2 * SHA256_SIZE };

static bool take_hash(struct str s, struct chain_hash *ret) {
        if (s.len < HEX)
                return false;
        for (size_t i = 0; i < HEX; i++)
                if (!is_ascii_digit((unsigned char)s.ptr[i]) && (s.ptr[i] < 'a' || s.ptr[i] > 'f'))
                        return false;
        memcpy(ret->hex, s.ptr, HEX);
        ret->hex[HEX] = 0;
        return true;
}

void chain_seal(const struct chain_hash *prev, struct str body, struct str more, struct buf *ret_line,
                struct chain_hash *ret_hash) {
        size_t start = ret_line->len;

        buf_append(ret_line, STR(CHAIN_HEAD));
        buf_append(ret_line, str_z(prev->hex));
        buf_append(ret_line, STR("\","));
        buf_append(ret_line, body);
        buf_append(ret_line, more);
        sha256_hex(str_skip(buf_str(ret_line), start), ret_hash->hex);
        buf_append(ret_line, STR(CHAIN_TAIL));
        buf_append(ret_line, str_z(ret_hash->hex));
        buf_append(ret_line, STR("\"}\n"));
}

/* Returns true if `line`, without its newline, ends as a record does; then it is not a part of one. */
static bool chain_ends(struct str line, struct chain_hash *ret_hash) {
        struct str tail;

        if (line.len < CHAIN_TAIL_SIZE)
                return false;
        tail = str_skip(line, line.len - CHAIN_TAIL_SIZE);
        return str_starts(tail, STR(CHAIN_TAIL)) && str_ends(tail, STR("\"}")) &&
               take_hash(str_skip(tail, sizeof(CHAIN_TAIL) - 1), ret_hash);
}

enum chain_state chain_look(struct str line, struct chain_hash *ret_prev, struct chain_hash *ret_hash) {
        struct chain_hash said, is, prev;

        if (!chain_ends(line, &said))
                return CHAIN_TORN;
        sha256_hex(str_take(line, line.len - CHAIN_TAIL_SIZE), is.hex);
        if (strcmp(said.hex, is.hex) != 0 || !str_starts(line, STR(CHAIN_HEAD)) ||
            !take_hash(str_skip(line, sizeof(CHAIN_HEAD) - 1), &prev))
                return CHAIN_CHANGED;
        *ret_prev = prev;
        *ret_hash = said;
        return CHAIN_RIGHT;
}

/* A record that was cut off, and more than one attempt to close it. */
enum { TAIL_MAX = 4 * CHAIN_LINE_MAX };

static int read_at(int fd, char *bytes, size_t len, uint64_t offset, struct err *err) {
        for (size_t done = 0; done < len;) {
                ssize_t got = pread(fd, bytes + done, len - done, (off_t)(offset + done));

                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0) {
                        errno = got ? errno : EIO; /* nobody makes it shorter under the lock */
                        return err_sys(err, "read");
                }
                done += (size_t)got;
        }
        return 0;
}

/* How many bytes of `text` the last whole record ends after; 0: there is none. */
static size_t whole_end(struct str text, struct chain_hash *ret_hash) {
        if (chain_ends(text, ret_hash))
                return text.len;
        for (size_t i = text.len; i-- > 0;)
                if (text.ptr[i] == '\n' && chain_ends(str_take(text, i), ret_hash))
                        return i + 1;
        return 0;
}

static void set_torn(struct str text, struct audit_tail *ret) {
        size_t end = whole_end(text, &ret->last);
        struct str rest = str_skip(text, end);

        ret->found = end > 0;
        ret->torn = true;
        ret->newline = !str_ends(text, STR("\n"));
        if (str_ends(rest, STR("\n")))
                rest.len--;
        ret->torn_bytes = rest.len;
        sha256_hex(rest, ret->torn_sha256);
}

int audit_tail_read(int fd, uint64_t size, struct audit_tail *ret, struct err *err) {
        struct audit_tail tail = {};
        char end[CHAIN_TAIL_SIZE + 1];
        size_t len = size < TAIL_MAX ? (size_t)size : TAIL_MAX;
        char *bytes;
        int result;

        if (size >= sizeof(end)) {
                if (read_at(fd, end, sizeof(end), size - sizeof(end), err) < 0)
                        return -1;
                tail.found = end[CHAIN_TAIL_SIZE] == '\n' && chain_ends(str_from(end, CHAIN_TAIL_SIZE), &tail.last);
        }
        if (size == 0 || tail.found) {
                *ret = tail;
                return 0;
        }
        bytes = malloc(len);
        if (!bytes)
                return err_memory(err);
        result = read_at(fd, bytes, len, size - len, err);
        if (result == 0)
                set_torn(str_from(bytes, len), &tail);
        free(bytes);
        if (result == 0 && !tail.found && len < size)
                return err_set(err, ERR_INVALID, "there is no record in its last %d bytes; move it away", TAIL_MAX);
        if (result == 0)
                *ret = tail;
        return result;
}

#define OLDER "older"
#define AFTER_UNSAID "older_unsaid"

enum { BEGINNING_MAX = 2 * CHAIN_LINE_MAX };

void audit_beginning_mark(struct buf *body, size_t older, bool after_unsaid) {
        buf_format(body, ",\"" OLDER "\":%zu", older);
        if (after_unsaid)
                buf_append(body, STR(",\"" AFTER_UNSAID "\":true"));
}

static void look_at(struct str line, const struct chain_hash *prev, struct audit_beginning *ret) {
        const struct tree_node *record;
        struct str id;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        record = audit_parse(line, &arena);
        if (!record || (ret->line > 1 && !str_is(audit_field(record, "kind"), "repair")))
                return;
        id = audit_field(record, "id");
        if (id.len < sizeof(ret->id))
                snprintf(ret->id, sizeof(ret->id), "%.*s", (int)id.len, id.len ? id.ptr : "");
        ret->found = true;
        ret->genesis = strcmp(prev->hex, chain_genesis.hex) == 0;
        ret->older = audit_integer(record, OLDER, -1);
        ret->marked = ret->older >= 0;
        ret->after_unsaid = audit_is_true(record, AFTER_UNSAID);
}

int audit_beginning_read(int fd, uint64_t size, struct audit_beginning *ret, struct err *err) {
        struct audit_beginning beginning = {};
        enum chain_state state = CHAIN_TORN;
        struct chain_hash prev, hash;
        struct lines lines = { .fd = fd, .size = CHAIN_LINE_MAX, .limit = size < BEGINNING_MAX ? size : BEGINNING_MAX };
        struct str line;
        int result;

        lines.memory = malloc(CHAIN_LINE_MAX);
        if (!lines.memory)
                return err_memory(err);
        do /* what was torn there is not it; but then a repair is */
                result = lines_next(&lines, &line, err);
        while (result == LINE_WHOLE && (state = chain_look(line, &prev, &hash)) == CHAIN_TORN);
        beginning.line = lines.number;
        if (result == LINE_WHOLE && state == CHAIN_RIGHT)
                look_at(line, &prev, &beginning);
        free(lines.memory);
        if (result < 0)
                return -1;
        *ret = beginning;
        return 0;
}
