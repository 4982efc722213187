/*
 * Any bytes are an index or not: in bounds, the same each time, and what is shown is a path that stays below.
 */
#include <stdint.h>
#include <stdlib.h>

#include "protect/git.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int show(void *context, struct str path, struct err *err) {
        size_t *count = context;

        (void)err;
        ++*count;
        if (path.len == 0 || path.ptr[0] == '/' || path.ptr[path.len - 1] == '/' || str_find(path, '\0') < path.len ||
            str_is(path, "..") || str_starts(path, STR("../")))
                abort();
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes = str_from((const char *)data, size);

        for (unsigned id = GIT_INDEX_SHA1; id <= GIT_INDEX_SHA256; id += GIT_INDEX_SHA256 - GIT_INDEX_SHA1) {
                size_t count = 0, again = 0;
                bool known, same;

                if (git_index_read(bytes, id, show, &count, &known, NULL) < 0 ||
                    git_index_read(bytes, id, show, &again, &same, NULL) < 0 || count != again || known != same)
                        abort();
                if (count > size / 62)
                        abort();
        }
        return 0;
}
