#include "policy/edit.h"

#include <math.h>
#include <stdio.h>

#include "base/json5.h"
#include "policy/keys.h"
#include "policy/toml.h"

/* Something is put in at one place. */
struct edit {
        struct str text;
        bool toml;
        const struct list_value *value;
        struct arena *arena;
        struct buf *out;
};

static int read_tree(const struct edit *e, struct str text, const char *path, struct tree_node **ret, struct err *err) {
        struct tree_error error = {};
        const struct json5_rules *rules = str_ends(str_z(path), STR(".json")) ? &json5_plain : &json5_all;

        if (e->toml ? toml_read(text, e->arena, ret, &error) == 0 : json5_read(text, rules, e->arena, ret, &error) == 0)
                return 0;
        return tree_error_set(err, path, &error);
}

static const struct tree_node *child_of(const struct tree_node *table, const char *name) {
        if (!table || table->kind != TREE_TABLE)
                return NULL;
        TREE_EACH(child, table)
        if (key_name_is(name, child->key))
                return child;
        return NULL;
}

/* The array itself, also where it is { replace = true, items = [...] }. */
static const struct tree_node *list_of(const struct tree_node *root, const struct list_value *value) {
        const struct tree_node *list = child_of(child_of(root, value->table), value->key);
        const struct tree_node *items = child_of(list, "items");

        return items ? items : list;
}

static bool is_value(const struct tree_node *item, const struct list_value *value) {
        const struct tree_node *member = value->member ? child_of(item, value->member) : NULL;

        if (member)
                item = member;
        return item->kind == TREE_STRING && str_eq(item->text, value->value);
}

static bool holds(const struct tree_node *list, const struct list_value *value) {
        if (!list || list->kind != TREE_ARRAY)
                return false;
        TREE_EACH(item, list)
        if (is_value(item, value))
                return true;
        return false;
}

/* ---- nothing else may change ---- */

static const struct tree_node *after(const struct tree_node *node, const struct tree_node *added) {
        return node && node == added ? node->next : node;
}

/* Trees are at most TREE_DEPTH_MAX deep. */
static bool same(const struct tree_node *old, const struct tree_node *new, const struct tree_node *added) {
        const struct tree_node *a, *b;

        if (old->kind != new->kind || !str_eq(old->key, new->key))
                return false;
        switch (old->kind) {
        case TREE_TABLE:
        case TREE_ARRAY:
                a = old->first;
                b = after(new->first, added);
                for (; a && b && same(a, b, added); a = a->next)
                        b = after(b->next, added);
                return !a && !b;
        case TREE_INTEGER:
                return old->integer == new->integer;
        case TREE_FLOAT:
                return old->real == new->real || (isnan(old->real) && isnan(new->real));
        case TREE_BOOLEAN:
                return old->boolean == new->boolean;
        case TREE_NULL:
                return true;
        default:
                return str_eq(old->text, new->text);
        }
}

/* Is `again` the old tree with this one value more, in a list that may be new, in a table that may be? */
static bool only_adds(const struct tree_node *root, const struct tree_node *again, const struct list_value *value) {
        const struct tree_node *list = list_of(again, value), *added;

        if (!list || list->kind != TREE_ARRAY || !list->count)
                return false;
        if (list_of(root, value)) {
                added = is_value(list->first, value) ? list->first : list->last;
                return is_value(added, value) && same(root, again, added);
        }
        if (list->count != 1 || !is_value(list->first, value))
                return false;
        added = child_of(root, value->table) ? list : child_of(again, value->table);
        return (added == list || added->count == 1) && same(root, again, added);
}

/* ---- places ---- */

static size_t offset_of(struct str text, struct tree_pos at) {
        size_t offset = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

        for (uint32_t line = 1; line < at.line; line++)
                offset += str_find(str_skip(text, offset), '\n') + 1;
        for (uint32_t column = 1; column < at.column && offset < text.len; column++) {
                size_t len = str_utf8(str_skip(text, offset));

                offset += len ? len : 1;
        }
        return offset < text.len ? offset : text.len;
}

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

/* ---- what is put in ---- */

static void put_list(struct buf *out, const struct list_value *value) {
        buf_char(out, '[');
        buf_json(out, value->value);
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
        size_t offset = offset_of(e->text, list->at) + 1;

        put_before(e, offset);
        buf_json(e->out, e->value->value);
        if (list->count)
                buf_append(e->out, STR(", "));
        put_after(e, offset);
}

/* At the front of a table in braces; `outer` if the table itself has to be made. */
static void into_braces(struct edit *e, const struct tree_node *table, bool outer) {
        size_t offset = offset_of(e->text, table->at) + 1;

        put_before(e, offset);
        if (outer) {
                buf_json(e->out, str_z(e->value->table));
                buf_append(e->out, STR(": {"));
        }
        if (e->toml)
                buf_append(e->out, str_z(e->value->key));
        else
                buf_json(e->out, str_z(e->value->key));
        buf_append(e->out, e->toml ? STR(" = ") : STR(": "));
        put_list(e->out, e->value);
        if (outer)
                buf_char(e->out, '}');
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
        put_list(e->out, e->value);
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
}

/* Each way to put it in; what is right depends on how the file is written. Returns whether there was one more. */
static bool put_in(struct edit *e, const struct tree_node *root, int way) {
        const struct tree_node *table = child_of(root, e->value->table), *list = list_of(root, e->value);
        size_t at = table ? offset_of(e->text, table->at) : 0;
        bool braces = at < e->text.len && e->text.ptr[at] == '{';

        if (list && way == 1 && e->toml && e->value->member) {
                item_at_the_end(e);
                return true;
        }
        if (list) {
                into_list(e, list);
                return way == 0;
        }
        if (!e->toml) {
                into_braces(e, table ? table : root, !table);
                return way == 0;
        }
        if (way == 0 && table && braces)
                into_braces(e, table, false);
        else if (way <= 1 && table)
                into_lines(e, line_end(e->text, at), false);
        else if (way == 2 && table)
                into_lines(e, line_start(e->text, at), true);
        else
                table_at_the_end(e);
        return way <= 3;
}

int config_list_add(struct str text, const char *path, const struct list_value *value, struct arena *arena, struct buf *out,
                    struct err *err) {
        struct edit e = { text, str_ends(str_z(path), STR(".toml")), value, arena, out };
        struct tree_node *root, *again;
        struct err ignored;

        if (read_tree(&e, text, path, &root, err) < 0)
                return -1;
        if (holds(list_of(root, value), value))
                return 0;
        for (int way = 0; put_in(&e, root, way); way++)
                if (!out->failed && read_tree(&e, buf_str(out), path, &again, &ignored) == 0 && only_adds(root, again, value))
                        return 1;
        return err_set(err, ERR_INVALID, "%s: cannot edit this file; add %.*s to %s.%s by hand", path, (int)value->value.len,
                       value->value.ptr, value->table, value->key);
}
