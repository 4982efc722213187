#include "policy/config.h"

#include <stdio.h>

#include "base/json5_edit.h"
#include "policy/keys.h"
#include "policy/toml.h"

struct edit {
        struct str text;
        const struct list_value *value;
        struct arena *arena;
        struct buf *out;
};

static const struct json5_rules *rules_of(const char *path) {
        return str_ends(str_z(path), STR(".json")) ? &json5_plain : &json5_all;
}

static const struct tree_node *child_of(const struct tree_node *table, const char *name) {
        if (!table || table->kind != TREE_TABLE)
                return NULL;
        TREE_EACH(child, table)
        if (key_name_is(name, child->key))
                return child;
        return NULL;
}

/* The table, or how much of its path there is: `ret_rest` is what is missing of it. */
static const struct tree_node *table_near(const struct tree_node *root, struct str path, struct str *ret_rest) {
        const struct tree_node *table = root;

        for (*ret_rest = path; ret_rest->len;) {
                char name[KEY_NAME_MAX] = "";
                struct str first = str_take(*ret_rest, str_find(*ret_rest, '.'));
                const struct tree_node *child;

                memcpy(name, first.ptr, first.len < sizeof(name) ? first.len : 0);
                child = child_of(table, name);
                if (!child)
                        return table;
                table = child;
                *ret_rest = str_skip(*ret_rest, first.len + 1);
        }
        return table;
}

static const struct tree_node *table_of(const struct tree_node *root, const char *path) {
        struct str rest;
        const struct tree_node *table = table_near(root, str_z(path), &rest);

        return rest.len ? NULL : table;
}

/* The array itself, also where it is { replace = true, items = [...] }. */
static const struct tree_node *list_of(const struct tree_node *root, const struct list_value *value) {
        const struct tree_node *list = child_of(table_of(root, value->table), value->key);
        const struct tree_node *items = child_of(list, "items");

        return items ? items : list;
}

static bool is_value(const struct tree_node *item, const struct list_value *value) {
        const struct tree_node *member = value->member ? child_of(item, value->member) : NULL,
                               *severity = member ? child_of(item, "severity") : NULL;

        if (severity && !value->warns && severity->kind == TREE_STRING && str_is(severity->text, "warn"))
                return false;
        if (member)
                item = member;
        return item->kind == TREE_STRING && str_eq(item->text, value->value);
}

/* Is it this value, as JSON writes it? */
static bool is_alone(const struct tree_node *node, const struct list_value *value) {
        bool equal = false;
        BUF_AUTO text;

        buf_init(&text, (size_t)TREE_TEXT_MAX * 8);
        tree_to_json(node, &text);
        equal = !text.failed && str_eq(buf_str(&text), value->value);
        return equal;
}

static bool holds(const struct tree_node *list, const struct list_value *value) {
        if (list && value->alone)
                return is_alone(list, value);
        if (!list || list->kind != TREE_ARRAY)
                return false;
        TREE_EACH(item, list)
        if (is_value(item, value))
                return true;
        return false;
}

/* ---- TOML: nothing else may change ---- */

/* The first table of the path that is new, if it holds nothing but the next one, and so on up to the list. */
static const struct tree_node *table_added(const struct tree_node *root, const struct tree_node *again, const char *path) {
        const struct tree_node *table, *added = NULL;
        struct str rest, name;

        table_near(root, str_z(path), &rest);
        table = table_near(again, str_take(str_z(path), strlen(path) - rest.len), &name);
        while (rest.len && table) {
                name = str_take(rest, str_find(rest, '.'));
                table = tree_get(table, name);
                if (!table || table->kind != TREE_TABLE || table->count != 1)
                        return NULL;
                added = added ? added : table;
                rest = str_skip(rest, name.len + 1);
        }
        return added;
}

/* Is `again` the old tree with this one value more, in a list that may be new, in a table that may be? */
static bool only_adds(const struct tree_node *root, const struct tree_node *again, const struct list_value *value) {
        const struct tree_node *list = list_of(again, value), *added;

        if (list && value->alone) {
                added = table_of(root, value->table) ? list : table_added(root, again, value->table);
                return added && is_alone(list, value) && tree_equal(root, again, added);
        }
        if (!list || list->kind != TREE_ARRAY || !list->count)
                return false;
        if (list_of(root, value)) {
                added = is_value(list->first, value) ? list->first : list->last;
                return is_value(added, value) && tree_equal(root, again, added);
        }
        if (list->count != 1 || !is_value(list->first, value))
                return false;
        added = table_of(root, value->table) ? list : table_added(root, again, value->table);
        return added && tree_equal(root, again, added);
}

/* ---- TOML: places ---- */

static size_t line_start(struct str text, size_t offset) {
        while (offset && text.ptr[offset - 1] != '\n')
                offset--;
        return offset;
}

/* Behind the end of its line. */
static size_t line_end(struct str text, size_t offset) {
        size_t len = str_find(str_skip(text, offset), '\n');

        return offset + len < text.len ? offset + len + 1 : text.len;
}

/* ---- TOML: what is put in ---- */

/* An item of the list: alone, or a table that has more than that. */
static void put_item(struct buf *out, const struct list_value *value, bool toml) {
        if (value->warns)
                buf_format(out, toml ? "{ %s = " : "{\"%s\": ", value->member);
        buf_json(out, value->value);
        if (value->warns)
                buf_append(out, toml ? STR(", severity = \"warn\" }") : STR(", \"severity\": \"warn\"}"));
}

static void put_list(struct buf *out, const struct list_value *value, bool toml) {
        if (value->alone) {
                buf_append(out, value->value);
                return;
        }
        buf_char(out, '[');
        put_item(out, value, toml);
        buf_char(out, ']');
}

static void put_before(struct edit *e, size_t offset) {
        buf_clear(e->out);
        buf_append(e->out, str_take(e->text, offset));
}

static void put_after(struct edit *e, size_t offset) {
        buf_append(e->out, str_skip(e->text, offset));
}

/* At the front of the list itself: its first byte is the bracket. */
static void into_list(struct edit *e, const struct tree_node *list) {
        size_t offset = list->start + 1;

        put_before(e, offset);
        put_item(e->out, e->value, true);
        if (list->count)
                buf_append(e->out, STR(", "));
        put_after(e, offset);
}

/* At the front of a table in braces. */
static void into_braces(struct edit *e, const struct tree_node *table) {
        size_t offset = table->start + 1;

        put_before(e, offset);
        buf_format(e->out, "%s = ", e->value->key);
        put_list(e->out, e->value, true);
        if (table->count)
                buf_append(e->out, STR(", "));
        put_after(e, offset);
}

/* As the first line has it. */
static void put_line_end(struct edit *e) {
        size_t first = str_find(e->text, '\n');

        buf_append(e->out, first && first < e->text.len && e->text.ptr[first - 1] == '\r' ? STR("\r\n") : STR("\n"));
}

static void end_last_line(struct edit *e, size_t offset) {
        if (offset && e->text.ptr[offset - 1] != '\n')
                put_line_end(e);
}

static void put_pair(struct edit *e) {
        buf_format(e->out, "%s = ", e->value->key);
        put_list(e->out, e->value, true);
        put_line_end(e);
}

/* A line of its own: behind [table], or with the whole name of the key. */
static void into_lines(struct edit *e, size_t offset, bool whole_name) {
        put_before(e, offset);
        end_last_line(e, offset);
        if (whole_name)
                buf_format(e->out, "%s.", e->value->table);
        put_pair(e);
        put_after(e, offset);
}

static void at_the_end(struct edit *e, const char *header) {
        put_before(e, e->text.len);
        end_last_line(e, e->text.len);
        if (e->text.len)
                put_line_end(e);
        buf_append(e->out, str_z(header));
        put_line_end(e);
}

static void table_at_the_end(struct edit *e) {
        char header[KEY_PATH_MAX];

        snprintf(header, sizeof(header), "[%s]", e->value->table);
        at_the_end(e, header);
        put_pair(e);
}

/* One more [[table.key]]. */
static void item_at_the_end(struct edit *e) {
        char header[KEY_PATH_MAX];

        snprintf(header, sizeof(header), "[[%s.%s]]", e->value->table, e->value->key);
        at_the_end(e, header);
        buf_format(e->out, "%s = ", e->value->member);
        buf_json(e->out, e->value->value);
        put_line_end(e);
        if (!e->value->warns)
                return;
        buf_append(e->out, STR("severity = \"warn\""));
        put_line_end(e);
}

/* Each way to put it in; what is right depends on how the file is written. Returns whether there was one more. */
static bool put_in(struct edit *e, const struct tree_node *root, int way) {
        const struct tree_node *table = table_of(root, e->value->table), *list = list_of(root, e->value);
        size_t at = table ? table->start : 0;
        bool braces = at < e->text.len && e->text.ptr[at] == '{';

        if (list && way == 1 && e->value->member) {
                item_at_the_end(e);
                return true;
        }
        if (list) {
                into_list(e, list);
                return way == 0;
        }
        if (way == 0 && table && braces)
                into_braces(e, table);
        else if (way <= 1 && table)
                into_lines(e, line_end(e->text, at), false);
        else if (way == 2 && table)
                into_lines(e, line_start(e->text, at), true);
        else
                table_at_the_end(e);
        return way <= 3;
}

static int toml_add(struct edit *e, const struct tree_node *root) {
        struct tree_node *again;

        for (int way = 0; put_in(e, root, way); way++)
                if (!e->out->failed && toml_read(buf_str(e->out), e->arena, &again, NULL) == 0 &&
                    only_adds(root, again, e->value))
                        return 0;
        return -1;
}

/* ---- JSON ---- */

/* The value, in what is missing around it: the list, and tables of this path but the first. */
static int json_value(const struct list_value *value, bool in_list, struct str tables, struct arena *arena,
                      struct tree_node **ret) {
        struct tree_node *node, *inner;
        size_t depth = 0;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        for (struct str rest = str_skip(tables, str_find(tables, '.') + 1); tables.len && depth < KEY_NAME_MAX; depth++) {
                struct str name = rest.len ? str_take(rest, str_find(rest, '.')) : str_z(value->key);

                buf_format(&text, "{\"%.*s\": ", (int)name.len, name.ptr);
                if (!rest.len) {
                        depth++;
                        break;
                }
                rest = str_skip(rest, name.len + 1);
        }
        if (in_list)
                put_list(&text, value, false);
        else
                put_item(&text, value, false);
        for (size_t i = 0; i < depth; i++)
                buf_char(&text, '}');
        if (text.failed || json5_read(buf_str(&text), &json5_plain, arena, &node, NULL) < 0)
                return -1;
        *ret = inner = node;
        for (size_t i = 0; i < depth; i++)
                inner = inner->first;
        inner = in_list && !value->alone ? inner->first : inner;
        return (value->alone ? is_alone(inner, value) : is_value(inner, value)) ? 0 : -1; /* or it is no UTF-8 */
}

static int json_add(const struct edit *e, const struct json5_rules *rules, const struct tree_node *root) {
        const struct json5_file file = { e->text, rules, root };
        const struct tree_node *list = list_of(root, e->value), *table;
        struct tree_node *value;
        struct str missing;
        char *name;

        table = table_near(root, str_z(e->value->table), &missing);
        name = arena_dup(e->arena, missing.len ? str_take(missing, str_find(missing, '.')) : str_z(e->value->key));
        if (!name || table->kind != TREE_TABLE || json_value(e->value, !list, missing, e->arena, &value) < 0)
                return -1;
        return json5_insert(&file, list ? list : table, list ? NULL : name, value, e->arena, e->out);
}

int config_list_add(struct str text, const char *path, const struct list_value *value, struct arena *arena, struct buf *out,
                    struct err *err) {
        struct edit e = { text, value, arena, out };
        bool toml = str_ends(str_z(path), STR(".toml"));
        struct tree_error error = {};
        struct tree_node *root;

        if ((toml ? toml_read(text, arena, &root, &error) : json5_read(text, rules_of(path), arena, &root, &error)) < 0)
                return tree_error_set(err, path, &error);
        if (holds(list_of(root, value), value))
                return 0;
        if (value->alone && list_of(root, value))
                return err_set(err, ERR_REFUSED, "%s has another value of %s.%s", path, value->table, value->key);
        if ((toml ? toml_add(&e, root) : json_add(&e, rules_of(path), root)) == 0)
                return 1;
        return err_set(err, ERR_INVALID, "%s: cannot edit this file; add %.*s to %s.%s by hand", path, (int)value->value.len,
                       value->value.ptr, value->table, value->key);
}
