/*
 * What an edit of a config must be, found out without the code that makes it: something was put in at one place, and the values
 * are the old ones and one more.
 */
#ifndef BAILEY_TESTS_POLICY_EDIT_TEST_H
#define BAILEY_TESTS_POLICY_EDIT_TEST_H

#include <jansson.h>

#include "base/json5.h"
#include "policy/config.h"
#include "policy/toml.h"

/* Is `now` the text `old` with bytes put in at one place? In front of it there may be a comma more, as the one that ends the
 * last item stands before the comment about it. */
static inline bool edit_only_inserts(struct str old, struct str now) {
        size_t front = 0, back = 0;

        if (now.len <= old.len)
                return false;
        while (front < old.len && old.ptr[front] == now.ptr[front])
                front++;
        if (now.ptr[front] == ',') {
                old = str_skip(old, front);
                now = str_skip(now, front + 1);
                for (front = 0; front < old.len && front < now.len && old.ptr[front] == now.ptr[front];)
                        front++;
        }
        while (back < old.len && old.ptr[old.len - 1 - back] == now.ptr[now.len - 1 - back])
                back++;
        return front + back >= old.len;
}

static inline int edit_read(struct str text, const char *path, struct arena *arena, struct tree_node **ret) {
        if (str_ends(str_z(path), STR(".toml")))
                return toml_read(text, arena, ret, NULL);
        return json5_read(text, str_ends(str_z(path), STR(".json")) ? &json5_plain : &json5_all, arena, ret, NULL);
}

/* The values as JSON; NULL where JSON has no word for one of them, or the text is no config. */
static inline json_t *edit_values(struct str text, const char *path, struct arena *arena) {
        struct tree_node *root;
        json_t *values = NULL;
        BUF_AUTO json;

        buf_init(&json, (size_t)64 << 20);
        if (edit_read(text, path, arena, &root) < 0)
                return NULL;
        tree_to_json(root, &json);
        if (!json.failed)
                values = json_loadb(json.ptr, json.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        return values;
}

/* Takes the value out of a list: one of its items, as it is or as a table of one member. Returns whether it was there. */
static inline bool edit_take(json_t *list, const struct list_value *value) {
        json_t *item;
        size_t i;

        json_array_foreach(list, i, item) {
                json_t *text = value->member && json_is_object(item) ? json_object_get(item, value->member) : item;

                if (json_is_string(text) && str_eq(str_from(json_string_value(text), json_string_length(text)), value->value)) {
                        json_array_remove(list, i);
                        return true;
                }
        }
        return false;
}

/* Are the values of `now` those of `old` and this one, under either of its names? `now` is changed. */
static inline bool edit_only_adds(json_t *old, json_t *now, const struct list_value *value, const char *camel) {
        const char *const names[] = { value->key, camel };
        json_t *table = json_object_get(now, value->table), *old_table = json_object_get(old, value->table);

        for (size_t i = 0; i < 2; i++) {
                json_t *list = json_object_get(table, names[i]);

                if (!edit_take(json_is_object(list) ? json_object_get(list, "items") : list, value))
                        continue;
                if (!json_object_get(old_table, names[i]) && json_array_size(list) == 0)
                        json_object_del(table, names[i]);
                if (!old_table && json_object_size(table) == 0)
                        json_object_del(now, value->table);
                return json_equal(old, now);
        }
        return false;
}

#endif
