/*
 * What a TLS client says first: a name is printable and not empty, and more bytes never turn an answer into another one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int is_so) {
        if (!is_so)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        char name[HELLO_NAME_MAX + 1], other[HELLO_NAME_MAX + 1];
        enum first_words found = hello_read(data, size, name), before;

        if (found == FIRST_NAME) {
                size_t len = strlen(name);

                must(len > 0 && len <= HELLO_NAME_MAX);
                for (size_t i = 0; i < len; i++)
                        must(name[i] > ' ' && name[i] <= '~');
        }
        if (!size)
                return 0;
        before = hello_read(data, size / 2, other);
        must(before == FIRST_MORE || before == found);
        if (before == FIRST_NAME)
                must(strcmp(name, other) == 0);
        return 0;
}
