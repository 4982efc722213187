/*
 * What the tests of the config readers share: rows of a text and what becomes of it.
 */
#ifndef BAILEY_TESTS_BASE_VALUE_TREE_TEST_H
#define BAILEY_TESTS_BASE_VALUE_TREE_TEST_H

#include <stdio.h>

#include "base/value_tree.h"
#include "tests/test.h"

typedef int (*tree_read)(struct str text, struct arena *arena, struct tree_node **ret, struct tree_error *error);

struct tree_row {
        struct str text;
        const char *json; /* as tree_to_json() writes it */
};

struct tree_bad_row {
        struct str text;
        unsigned line, column;
        const char *message; /* a part of it */
};

static inline void tree_check(tree_read read, const struct tree_row *row) {
        ARENA_AUTO arena;
        BUF_AUTO json;
        struct tree_node *root;
        struct tree_error error;

        arena_init(&arena, 0);
        buf_init(&json, 1 << 20);
        if (read(row->text, &arena, &root, &error) < 0)
                fail_msg("%.*s\n%u:%u: %s", (int)row->text.len, row->text.ptr, error.at.line, error.at.column, error.message);
        tree_to_json(root, &json);
        buf_char(&json, '\0');
        assert_false(json.failed);
        if (strcmp(json.ptr, row->json) != 0)
                fail_msg("%.*s\nis read as %s\nnot as     %s", (int)row->text.len, row->text.ptr, json.ptr, row->json);
}

static inline void tree_check_bad(tree_read read, const struct tree_bad_row *row) {
        ARENA_AUTO arena;
        struct tree_node *root = NULL;
        struct tree_error error = { 0 };

        arena_init(&arena, 0);
        if (read(row->text, &arena, &root, &error) == 0)
                fail_msg("%.*s\nis read", (int)row->text.len, row->text.ptr);
        assert_null(root);
        assert_int_equal(arena.used, 0);
        if (error.at.line != row->line || error.at.column != row->column || !strstr(error.message, row->message))
                fail_msg("%.*s\n%u:%u: %s\nnot %u:%u: %s", (int)row->text.len, row->text.ptr, error.at.line, error.at.column,
                         error.message, row->line, row->column, row->message);
}

#define TREE_CHECK_ALL(check, read, rows)                                    \
        for (size_t row_ = 0; row_ < sizeof(rows) / sizeof(*(rows)); row_++) \
        check(read, &(rows)[row_])

/* `count` times "PIECE", or with a `rest`, "PIECE<number>REST". For the caller to free. */
static inline struct buf tree_repeat(size_t count, const char *piece, const char *rest) {
        struct buf buf;

        buf_init(&buf, (size_t)16 << 20);
        for (size_t i = 0; i < count; i++) {
                buf_append(&buf, str_z(piece));
                if (rest)
                        buf_format(&buf, "%zu%s", i, rest);
        }
        assert_false(buf.failed);
        return buf;
}

#endif
