/*
 * For toml_oracle.py: reads documents from stdin, each as "FORMAT LENGTH\n" and LENGTH bytes (FORMAT: toml, json5 or
 * json), and answers each with one line: "ok TAGGED-JSON", or "error LINE:COLUMN: MESSAGE".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json5.h"
#include "policy/toml.h"

enum { FRAME_MAX = 2 * TREE_TEXT_MAX, ANSWER_MAX = 64 << 20 };

static int document_read(struct str format, struct str text, struct arena *arena, struct tree_node **ret,
                         struct tree_error *error) {
        if (str_is(format, "toml"))
                return toml_read(text, arena, ret, error);
        return json5_read(text, str_is(format, "json") ? &json5_plain : &json5_all, arena, ret, error);
}

static int document_answer(struct str format, struct str text) {
        ARENA_AUTO arena;
        BUF_AUTO out;
        struct tree_node *root;
        struct tree_error error = { 0 };

        arena_init(&arena, 0);
        buf_init(&out, ANSWER_MAX);
        if (document_read(format, text, &arena, &root, &error) < 0) {
                printf("error %u:%u: %s\n", error.at.line, error.at.column, error.message);
                return 0;
        }
        tree_to_json_tagged(root, &out);
        printf("ok %.*s\n", (int)out.len, out.ptr);
        return out.failed ? -1 : 0;
}

static int frame_answer(const char *header) {
        struct str line = str_z(header), format = str_take(line, str_find(line, ' '));
        size_t length = strtoul(header + format.len, NULL, 10);
        /* exactly as long, so that ASan sees a read past the end */
        char *text = length <= FRAME_MAX ? malloc(length ? length : 1) : NULL;
        int status = -1;

        if (text && fread(text, 1, length, stdin) == length)
                status = document_answer(format, str_from(text, length));
        free(text);
        return status;
}

int main(void) {
        char header[32];

        while (fgets(header, sizeof(header), stdin))
                if (frame_answer(header) < 0)
                        return 1;
        return 0;
}
