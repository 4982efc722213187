/*
 * The result as a config file.
 */
#include <stdlib.h>

#include "policy/import/import.h"

/* Sections in their order, keys in that of their table, values in that of their sources. */
static int compare(const void *left, const void *right) {
        const struct import_value *a = left, *b = right;

        if (a->key->section != b->key->section)
                return a->key->section < b->key->section ? -1 : 1;
        if (a->key != b->key)
                return a->key < b->key ? -1 : 1;
        return 0;
}

/* In place: qsort() may change the order of equals. */
static void sort(struct import *import) {
        for (size_t i = 1; i < import->value_count; i++) {
                struct import_value value = import->values[i];
                size_t at = i;

                for (; at && compare(&import->values[at - 1], &value) > 0; at--)
                        import->values[at] = import->values[at - 1];
                import->values[at] = value;
        }
}

static void put_origin(const struct import_value *value, struct buf *out) {
        buf_append(out, STR(" # "));
        buf_visible(out, str_z(value->origin.file));
        buf_append(out, STR(": "));
        buf_visible(out, str_z(value->origin.path));
        if (value->origin.text.len && value->key->type != KEY_PAIRS) {
                buf_append(out, STR(" = "));
                buf_visible(out, value->origin.text);
        }
        if (value->note)
                buf_format(out, "; %s", value->note);
        buf_char(out, '\n');
}

void import_value_write(const struct import_value *value, struct buf *out) {
        if (key_is_list(value->key->type))
                buf_json(out, value->value);
        else
                buf_append(out, value->value);
}

/* [env.set], a variable on each line. */
static void put_pairs(const struct import_value *values, size_t count, struct buf *out) {
        buf_append(out, STR("\n[env.set]\n"));
        for (size_t i = 0; i < count; i++) {
                buf_format(out, "%.*s = ", (int)values[i].name.len, values[i].name.ptr);
                import_value_write(&values[i], out);
                put_origin(&values[i], out);
        }
}

static void put_patterns(const struct import_value *values, size_t count, struct buf *out) {
        for (size_t i = 0; i < count; i++) {
                buf_append(out, STR("\n[[guard.dangerous_patterns]]"));
                put_origin(&values[i], out);
                buf_append(out, STR("regex = "));
                import_value_write(&values[i], out);
                buf_format(out, "\nseverity = \"%s\"\n", values[i].asks ? "warn" : "block");
        }
}

static void put_list(const struct import_value *values, size_t count, struct buf *out) {
        buf_format(out, "%s = [\n", values->key->name);
        for (size_t i = 0; i < count; i++) {
                buf_append(out, STR("        "));
                import_value_write(&values[i], out);
                buf_char(out, ',');
                put_origin(&values[i], out);
        }
        buf_append(out, STR("]\n"));
}

static void put_only(const struct import_value *value, struct buf *out) {
        buf_format(out, "%s = ", value->key->name);
        import_value_write(value, out);
        put_origin(value, out);
}

/* How many of the values, from the first one on, are of its key. */
static size_t run_of(const struct import_value *values, size_t count) {
        size_t i = 1;

        while (i < count && values[i].key == values->key)
                i++;
        return i;
}

typedef void put_values(const struct import_value *values, size_t count, struct buf *out);

/* All keys of a type that needs a table of its own, or those that need none. */
static void each_key(const struct import *import, enum key_type type, put_values *put, struct buf *out) {
        for (size_t i = 0, count; i < import->value_count; i += count) {
                const struct import_value *values = &import->values[i];

                count = run_of(values, import->value_count - i);
                if (values->key->type == type)
                        put(values, count, out);
        }
}

void import_write(struct import *import, struct buf *out) {
        enum key_section section = SECTION_COUNT;

        sort(import);
        for (size_t i = 0, count; i < import->value_count; i += count) {
                const struct import_value *values = &import->values[i];

                count = run_of(values, import->value_count - i);
                if (values->key->type == KEY_PAIRS || key_items_section(values->key->type) != SECTION_TOP)
                        continue;
                if (values->key->section != section)
                        buf_format(out, "%s[%s]\n", out->len ? "\n" : "", section_path(values->key->section).text);
                section = values->key->section;
                if (key_is_list(values->key->type))
                        put_list(values, count, out);
                else
                        put_only(values, out);
        }
        each_key(import, KEY_PAIRS, put_pairs, out);
        each_key(import, KEY_PATTERNS, put_patterns, out);
}
