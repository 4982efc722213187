#include "gateway/hello.h"

#include <stdbool.h>
#include <string.h>

enum {
        RECORD_HEAD = 5,
        RECORD_MAX = 16384,
        RECORD_FIRST = 20, /* a change of ciphers */
        RECORD_HANDSHAKE = 22,
        RECORD_LAST = 24, /* a heartbeat */
        CLIENT_HELLO = 1,
        HANDSHAKE_HEAD = 4,
        EXTENSION_SERVER_NAME = 0,
};

/* A cursor that never leaves what it reads. */
struct reader {
        const uint8_t *at;
        size_t left;
        bool failed;
};

static const uint8_t *take(struct reader *reader, size_t len) {
        const uint8_t *at = reader->at;

        if (reader->failed || len > reader->left) {
                reader->failed = true;
                return NULL;
        }
        reader->at += len;
        reader->left -= len;
        return at;
}

/* A number of `size` bytes. */
static size_t take_number(struct reader *reader, size_t size) {
        const uint8_t *at = take(reader, size);
        size_t value = 0;

        for (size_t i = 0; at && i < size; i++)
                value = value << 8 | at[i];
        return value;
}

/* What a length of `size` bytes stands in front of. */
static struct reader take_part(struct reader *reader, size_t size) {
        size_t len = take_number(reader, size);
        const uint8_t *at = take(reader, len);

        return (struct reader){ .at = at, .left = at ? len : 0, .failed = !at };
}

/* Puts the records together; FIRST_NAME: `ret` has the whole hello. Some servers skip a record of another type in front of it,
 * such as a warning. No client sends one. */
static enum first_words collect(const uint8_t *bytes, size_t len, uint8_t ret[static HELLO_MAX], size_t *ret_len) {
        size_t at = 0, have = 0, need = HANDSHAKE_HEAD;

        while (have < need) {
                size_t record, part;

                if (len - at < RECORD_HEAD) /* an impossible head is seen before it is whole */
                        return len - at && bytes[at] != RECORD_HANDSHAKE && len > 1 ? FIRST_BAD
                               : len - at > 1 && bytes[at + 1] != 3                 ? FIRST_BAD
                                                                                    : FIRST_MORE;
                record = (size_t)bytes[at + 3] << 8 | bytes[at + 4];
                if (bytes[at] != RECORD_HANDSHAKE || bytes[at + 1] != 3 || !record || record > RECORD_MAX)
                        return FIRST_BAD;
                at += RECORD_HEAD;
                part = record < len - at ? record : len - at;
                if (part > HELLO_MAX - have)
                        part = HELLO_MAX - have;
                memcpy(ret + have, bytes + at, part);
                have += part;
                if (have >= 1 && ret[0] != CLIENT_HELLO)
                        return FIRST_BAD;
                if (have >= HANDSHAKE_HEAD)
                        need = HANDSHAKE_HEAD + ((size_t)ret[1] << 16 | (size_t)ret[2] << 8 | ret[3]);
                if (need > HELLO_MAX)
                        return FIRST_BAD;
                if (have < need && part < record)
                        return FIRST_MORE;
                at += part;
        }
        *ret_len = need;
        return FIRST_NAME;
}

/* A list of one name of type 0, and nothing else. */
static enum first_words read_name(struct reader extension, char ret[static HELLO_NAME_MAX + 1]) {
        struct reader list = take_part(&extension, 2), name;
        size_t type = take_number(&list, 1);

        name = take_part(&list, 2);
        if (extension.failed || list.failed || name.failed || extension.left || list.left || type != 0)
                return FIRST_BAD;
        if (!name.left || name.left > HELLO_NAME_MAX)
                return FIRST_BAD;
        for (size_t i = 0; i < name.left; i++)
                if (name.at[i] <= ' ' || name.at[i] >= 0x7f)
                        return FIRST_BAD;
        memcpy(ret, name.at, name.left);
        ret[name.left] = '\0';
        return FIRST_NAME;
}

/* All extensions are gone through, as a second name would be another one to some servers. */
static enum first_words read_extensions(struct reader all, char ret[static HELLO_NAME_MAX + 1]) {
        enum first_words found = FIRST_NO_NAME;

        while (all.left) {
                size_t type = take_number(&all, 2);
                struct reader extension = take_part(&all, 2);

                if (extension.failed || all.failed)
                        return FIRST_BAD;
                if (type != EXTENSION_SERVER_NAME)
                        continue;
                if (found != FIRST_NO_NAME)
                        return FIRST_BAD;
                found = read_name(extension, ret);
                if (found == FIRST_BAD)
                        return FIRST_BAD;
        }
        return found;
}

enum first_words hello_read(const uint8_t *bytes, size_t len, char ret_name[static HELLO_NAME_MAX + 1]) {
        uint8_t hello[HELLO_MAX];
        struct reader reader = { .at = hello };
        enum first_words found;

        if (!len)
                return FIRST_MORE;
        if (bytes[0] < RECORD_FIRST || bytes[0] > RECORD_LAST || (len > 1 && bytes[1] != 3))
                return FIRST_OTHER;
        found = collect(bytes, len, hello, &reader.left);
        if (found != FIRST_NAME)
                return found;
        take(&reader, HANDSHAKE_HEAD);
        take(&reader, 2 + 32); /* version, random */
        take_part(&reader, 1); /* session */
        take_part(&reader, 2); /* ciphers */
        take_part(&reader, 1); /* compression */
        if (!reader.failed && !reader.left)
                return FIRST_NO_NAME; /* as before TLS 1.2 */
        struct reader extensions = take_part(&reader, 2);

        return reader.failed || reader.left ? FIRST_BAD : read_extensions(extensions, ret_name);
}
