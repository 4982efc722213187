#include "policy/keys.h"

#include <stdio.h>

/* ---- names ---- */

bool key_name_is(const char *name, struct str given) {
        size_t i = 0;

        if (str_is(given, name))
                return true;
        for (; *name; name++, i++) {
                bool upper = name[0] == '_' && name[1];

                if (upper)
                        name++;
                if (i >= given.len || given.ptr[i] != (upper ? (char)ascii_upper((unsigned char)*name) : *name))
                        return false;
        }
        return i == given.len;
}

void key_name_camel(const char *name, char ret_camel[static KEY_NAME_MAX]) {
        size_t used = 0;

        for (; *name && used < KEY_NAME_MAX - 1; name++) {
                bool upper = name[0] == '_' && name[1];

                if (upper)
                        name++;
                ret_camel[used++] = upper ? (char)ascii_upper((unsigned char)*name) : *name;
        }
        ret_camel[used] = '\0';
}

/* ---- finding ---- */

const struct section_row *section_find(enum key_section parent, struct str name) {
        if (parent == SECTION_POLICY)
                parent = SECTION_TOP;
        for (size_t i = 0; i < section_row_count; i++)
                if (sections[i].parent == parent && key_name_is(sections[i].name, name))
                        return &sections[i];
        return NULL;
}

const struct key_row *key_find(enum key_section section, struct str name) {
        for (size_t i = 0; i < key_count; i++)
                if (keys[i].section == section && key_name_is(keys[i].name, name))
                        return &keys[i];
        for (size_t i = 0; i < key_alias_count; i++)
                if (key_aliases[i].section == section && key_name_is(key_aliases[i].name, name))
                        return key_by_path(str_z(key_aliases[i].key));
        return NULL;
}

const struct key_row *key_by_path(struct str path) {
        enum key_section section = SECTION_TOP;
        const struct section_row *row;
        const struct key_row *key;
        size_t dot;

        while ((dot = str_find(path, '.')) < path.len) {
                row = section_find(section, str_take(path, dot));
                if (!row)
                        return NULL;
                section = row->section;
                path = str_skip(path, dot + 1);
        }
        key = key_find(section, path);
        row = key ? NULL : section_find(section, path);
        return row && row->shorthand ? key_find(row->section, str_z(row->shorthand)) : key;
}

const struct key_row *key_run_policy(void) {
        return key_by_path(STR("run.policy"));
}

struct key_path section_path(enum key_section section) {
        struct key_path path = { "" }, parent;

        if (section == SECTION_POLICY) /* has no row, as it can have any name */
                return (struct key_path){ "policy" };
        for (size_t i = 0; i < section_row_count; i++) {
                if (sections[i].section != section)
                        continue;
                parent = section_path(sections[i].parent); /* no section is its own ancestor */
                snprintf(path.text, sizeof(path.text), "%.60s%s%s", parent.text, parent.text[0] ? "." : "", sections[i].name);
                break;
        }
        return path;
}

struct key_path key_path(const struct key_row *row) {
        struct key_path path, section = section_path(row->section);

        snprintf(path.text, sizeof(path.text), "%.60s%s%s", section.text, section.text[0] ? "." : "", row->name);
        return path;
}

bool key_is_single(const struct key_row *row) {
        return !section_is_of_items(row->section) && row->section != SECTION_POLICY;
}

void key_heading(const struct key_row *row, enum key_section *section, struct buf *out) {
        if (row->section != *section)
                buf_format(out, "\n[%s]\n", section_path(row->section).text);
        *section = row->section;
}

/* ---- near misses ---- */

/* How many bytes have to be put in, left out or changed. */
static size_t name_distance(struct str a, struct str b) {
        size_t row[KEY_NAME_MAX + 1];

        if (a.len > KEY_NAME_MAX || b.len > KEY_NAME_MAX)
                return SIZE_MAX;
        for (size_t j = 0; j <= b.len; j++)
                row[j] = j;
        for (size_t i = 1; i <= a.len; i++) {
                size_t diagonal = row[0];

                row[0] = i;
                for (size_t j = 1; j <= b.len; j++) {
                        size_t above = row[j], change = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);

                        row[j] = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
                        if (change < row[j])
                                row[j] = change;
                        diagonal = above;
                }
        }
        return row[b.len];
}

struct near {
        struct str given;
        size_t distance; /* of `best` */
        char best[KEY_NAME_MAX];
};

static void near_try(struct near *near, const char *name) {
        char styles[2][KEY_NAME_MAX];

        snprintf(styles[0], sizeof(styles[0]), "%s", name);
        key_name_camel(name, styles[1]);
        for (int i = 0; i < 2; i++) {
                size_t distance = name_distance(near->given, str_z(styles[i]));

                if (distance < near->distance) {
                        near->distance = distance;
                        memcpy(near->best, styles[i], sizeof(near->best));
                }
        }
}

struct key_path key_nearest(enum key_section section, struct str given) {
        struct near near = { .given = given, .distance = given.len / 2 + 1 }; /* half of the letters may differ */
        enum key_section parent = section == SECTION_POLICY ? SECTION_TOP : section;
        struct key_path path;

        for (size_t i = 0; i < key_count; i++)
                if (keys[i].section == section)
                        near_try(&near, keys[i].name);
        for (size_t i = 0; i < section_row_count; i++)
                if (sections[i].parent == parent)
                        near_try(&near, sections[i].name);
        for (size_t i = 0; i < key_alias_count; i++)
                if (key_aliases[i].section == section)
                        near_try(&near, key_aliases[i].name);
        if (section == SECTION_TOP)
                near_try(&near, "policy");
        snprintf(path.text, sizeof(path.text), "%s", near.best);
        return path;
}

/* Compares whole paths, or, if `given` has no section, names only. */
static void near_try_path(struct str given, const struct key_path *path, const char *name, size_t *best, struct key_path *ret) {
        bool has_section = str_find(given, '.') < given.len;
        size_t distance = name_distance(given, str_z(has_section ? path->text : name));

        if (distance < *best) {
                *best = distance;
                *ret = *path;
        }
}

struct key_path key_nearest_path(struct str given) {
        struct key_path path, near = { "" };
        size_t name = given.len, best;

        while (name && given.ptr[name - 1] != '.')
                name--;
        best = (given.len - name) / 2 + 1; /* as in key_nearest() */
        for (size_t i = 0; i < key_count; i++) {
                if (!key_is_single(&keys[i]))
                        continue;
                path = key_path(&keys[i]);
                near_try_path(given, &path, keys[i].name, &best, &near);
        }
        for (size_t i = 0; i < section_row_count; i++) {
                if (!sections[i].shorthand)
                        continue;
                path = section_path(sections[i].section);
                near_try_path(given, &path, sections[i].name, &best, &near);
        }
        return near;
}

/* ---- fields ---- */

enum key_section key_items_section(enum key_type type) {
        return type == KEY_PATTERNS ? SECTION_PATTERN : type == KEY_CREDENTIALS ? SECTION_CREDENTIAL : SECTION_TOP;
}

bool key_is_list(enum key_type type) {
        return type == KEY_LIST || type == KEY_PAIRS || key_items_section(type) != SECTION_TOP;
}

size_t key_item_size(enum key_type type) {
        switch (type) {
        case KEY_LIST:
                return sizeof(struct str);
        case KEY_PAIRS:
                return sizeof(struct env_pair);
        case KEY_PATTERNS:
                return sizeof(struct user_pattern);
        case KEY_CREDENTIALS:
                return sizeof(struct credential);
        default:
                return 0;
        }
}

static bool is_short_integer(const struct key_row *row) {
        return row->type == KEY_INTEGER && row->size == sizeof(uint32_t);
}

void key_store(const struct key_row *row, void *record, const union key_value *value) {
        char *field = (char *)record + row->offset;

        if (is_short_integer(row)) {
                uint32_t number = (uint32_t)value->integer;

                memcpy(field, &number, sizeof(number));
        } else {
                memcpy(field, value, row->size);
        }
}

union key_value key_load(const struct key_row *row, const void *record) {
        const char *field = (const char *)record + row->offset;
        union key_value value = { 0 };
        uint32_t number;

        if (is_short_integer(row)) {
                memcpy(&number, field, sizeof(number));
                value.integer = number;
        } else {
                memcpy(&value, field, row->size);
        }
        return value;
}
