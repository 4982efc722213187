/*
 * Any bytes are a JSON5 document or are refused, with a place in the text and a message; what is read, is read once
 * more from what is written, and is the same. What plain JSON allows, JSON5 reads as the same.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JSON_MAX = 256 << 20 };

static void check_error(const struct tree_error *error) {
        if (error->code == ERR_NONE || !error->at.line || !error->at.column || !error->message[0])
                abort();
        for (const char *p = error->message; *p; p++)
                if (*p < ' ' || *p > '~')
                        abort();
}

static void check_same(const struct tree_node *a, const struct tree_node *b) {
        BUF_AUTO left;
        BUF_AUTO right;

        buf_init(&left, JSON_MAX);
        buf_init(&right, JSON_MAX);
        tree_to_json_tagged(a, &left);
        tree_to_json_tagged(b, &right);
        if (left.failed || right.failed || !str_eq(buf_str(&left), buf_str(&right)))
                abort();
}

static void check_again(const struct tree_node *root, struct arena *arena) {
        BUF_AUTO json;
        struct tree_node *again;

        buf_init(&json, JSON_MAX);
        tree_to_json(root, &json);
        if (json.failed)
                abort();
        if (json.len > TREE_TEXT_MAX)
                return;
        if (json5_read(buf_str(&json), &json5_all, arena, &again, NULL) < 0)
                abort();
        check_same(root, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        const struct str text = { (const char *)data, size };
        ARENA_AUTO arena;
        struct tree_node *loose = NULL, *strict = NULL;
        struct tree_error error = { 0 };
        int read;

        arena_init(&arena, 0);
        if (size > TREE_TEXT_MAX)
                return 0;
        read = json5_read(text, &json5_all, &arena, &loose, &error);
        if (read < 0)
                check_error(&error);
        else
                check_again(loose, &arena);
        if (json5_read(text, &json5_plain, &arena, &strict, &error) < 0)
                check_error(&error);
        else if (read < 0)
                abort();
        else
                check_same(loose, strict);
        return 0;
}
