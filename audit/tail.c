#include "audit/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A record that was cut off, and more than one attempt to close it. */
enum { LOOK_MAX = 4 * CHAIN_LINE_MAX };

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
        size_t len = size < LOOK_MAX ? (size_t)size : LOOK_MAX;
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
                return err_set(err, ERR_INVALID, "there is no record in its last %d bytes; move it away", LOOK_MAX);
        if (result == 0)
                *ret = tail;
        return result;
}
