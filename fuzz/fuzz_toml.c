/*
 * Any bytes are a TOML document or are refused, with a place in the text and a message; what is read can be written.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json5.h"
#include "policy/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct tree_error *error) {
        if (error->code == ERR_NONE || !error->at.line || !error->at.column || !error->message[0])
                abort();
        for (const char *p = error->message; *p; p++)
                if (*p < ' ' || *p > '~')
                        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        ARENA_AUTO arena;
        BUF_AUTO json;
        struct tree_node *root = NULL, *again = NULL;
        struct tree_error error = { 0 };

        arena_init(&arena, 0);
        buf_init(&json, (size_t)256 << 20);
        if (size > TREE_TEXT_MAX)
                return 0;
        if (toml_read(str_from((const char *)data, size), &arena, &root, &error) < 0) {
                check_error(&error);
                return 0;
        }
        tree_to_json(root, &json);
        if (json.failed)
                abort();
        if (json.len <= TREE_TEXT_MAX && json5_read(buf_str(&json), &json5_all, &arena, &again, &error) < 0)
                abort(); /* no key twice, nothing too deep */
        return 0;
}
