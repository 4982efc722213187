#include "policy/import/take.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json5.h"
#include "policy/config.h"
#include "policy/toml.h"

enum { TEXT_SHOWN = 200 };

/* ---- texts ---- */

const char *import_text(struct importer *im, const char *format, ...) {
        va_list arguments;
        char *text = NULL;
        int length;

        va_start(arguments, format);
        length = vsnprintf(NULL, 0, format, arguments);
        va_end(arguments);
        if (length >= 0)
                text = arena_bytes(im->arena, (size_t)length + 1);
        if (!text) {
                im->failed = true;
                return "";
        }
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
        return text;
}

static bool name_is_plain(struct str name) {
        for (size_t i = 0; i < name.len; i++)
                if (!is_ascii_alnum((unsigned char)name.ptr[i]) && name.ptr[i] != '_' && name.ptr[i] != '-')
                        return false;
        return name.len > 0;
}

/* Names are quoted where a dot or a space in them would be misleading. */
static const char *path_add(struct importer *im, const char *path, struct str name) {
        BUF_AUTO quoted;

        buf_init(&quoted, TREE_TEXT_MAX);
        if (name_is_plain(name))
                buf_append(&quoted, name);
        else
                buf_json(&quoted, name);
        if (quoted.failed)
                im->failed = true;
        return import_text(im, "%s%s%.*s", path, *path ? "." : "", (int)quoted.len, quoted.ptr ? quoted.ptr : "");
}

struct setting_place place_member(struct importer *im, struct setting_place at, const struct tree_node *member) {
        return (struct setting_place){ member, path_add(im, at.path, member->key) };
}

struct setting_place place_item(struct importer *im, struct setting_place at, const struct tree_node *item, size_t index) {
        return (struct setting_place){ item, import_text(im, "%s[%zu]", at.path, index) };
}

bool place_is(struct setting_place at, bool value) {
        return at.node->kind == TREE_BOOLEAN && at.node->boolean == value;
}

bool place_says(struct setting_place at, const char *text) {
        return at.node->kind == TREE_STRING && str_is(at.node->text, text);
}

/* ---- results ---- */

/* What it says, in a line: strings as they are, all else as JSON. */
static struct str shown(struct importer *im, const struct tree_node *node) {
        struct str text;
        char *copy;
        BUF_AUTO json;

        buf_init(&json, (size_t)TREE_TEXT_MAX * 8);
        if (node->kind != TREE_STRING)
                tree_to_json(node, &json);
        text = node->kind == TREE_STRING ? node->text : buf_str(&json);
        copy = arena_dup(im->arena, str_take(text, TEXT_SHOWN));
        if (!copy || json.failed)
                im->failed = true;
        return copy ? str_from(copy, text.len < TEXT_SHOWN ? text.len : TEXT_SHOWN) : STR("");
}

struct import_origin import_origin(struct importer *im, struct setting_place at) {
        return (struct import_origin){ im->source->path, at.path, at.node->at, shown(im, at.node) };
}

void import_leave(struct importer *im, struct setting_place at, enum import_kind kind, const char *reason) {
        struct import *ret = im->ret;

        if (!arena_room(im->arena, &ret->left, ret->left_count, &ret->left_room, sizeof(*ret->left))) {
                im->failed = true;
                return;
        }
        ret->left[ret->left_count++] = (struct import_left){ import_origin(im, at), reason, kind != IMPORT_ALLOWS };
}

static const struct import_value *value_find(const struct import *import, const struct key_row *key, struct str value) {
        for (size_t i = 0; i < import->value_count; i++)
                if (import->values[i].key == key && (!key_is_list(key->type) || str_eq(import->values[i].value, value)))
                        return &import->values[i];
        return NULL;
}

struct import_value *import_add(struct importer *im, struct setting_place at, const char *key, struct str value) {
        struct import *ret = im->ret;
        char *copy = arena_dup(im->arena, value);

        if (!copy || !arena_room(im->arena, &ret->values, ret->value_count, &ret->value_room, sizeof(*ret->values))) {
                im->failed = true;
                return NULL;
        }
        ret->values[ret->value_count] = (struct import_value){
                .key = key_by_path(str_z(key)),
                .value = str_from(copy, value.len),
                .origin = import_origin(im, at),
        };
        return &ret->values[ret->value_count++];
}

bool import_take(struct importer *im, struct setting_place at, enum import_kind kind, const char *key, struct str value) {
        const struct key_row *row = key_by_path(str_z(key));
        struct import_value *added;

        if (row->text && !row->text->valid(value)) {
                import_leave(im, at, kind, import_text(im, "%s takes %s", key, row->text->expected));
                return false;
        }
        if (value_find(im->ret, row, value))
                return true;
        added = import_add(im, at, key, value);
        if (added)
                added->denies = kind != IMPORT_ALLOWS;
        return added != NULL;
}

void import_set(struct importer *im, struct setting_place at, const char *key, const char *value) {
        struct import_value *added;

        if (value_find(im->ret, key_by_path(str_z(key)), STR("")))
                return;
        added = import_add(im, at, key, str_z(value));
        if (added)
                added->denies = true;
}

/* ---- rows ---- */

static bool says_nothing(const struct tree_node *node) {
        switch (node->kind) {
        case TREE_TABLE:
        case TREE_ARRAY:
                return node->count == 0;
        case TREE_BOOLEAN:
                return !node->boolean;
        default:
                return node->kind == TREE_NULL;
        }
}

void take_left(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (!says_nothing(at.node))
                import_leave(im, at, row->kind, row->text);
}

void take_each(struct importer *im, const struct import_row *row, struct setting_place at, import_item *take) {
        size_t index = 0;

        if (at.node->kind != TREE_ARRAY) {
                import_leave(im, at, row->kind,
                             import_text(im, "expected an array of strings, found %s", tree_kind_name(at.node->kind)));
                return;
        }
        TREE_EACH(child, at.node) {
                struct setting_place item = place_item(im, at, child, index++);

                if (child->kind == TREE_STRING)
                        take(im, row, item, child->text);
                else
                        import_leave(im, item, row->kind,
                                     import_text(im, "expected a string, found %s", tree_kind_name(child->kind)));
        }
}

void take_items(struct importer *im, const struct import_row *row, struct setting_place at, const char *expected,
                import_node *take) {
        size_t index = 0;

        if (at.node->kind != TREE_ARRAY) {
                import_leave(im, at, row->kind, expected);
                return;
        }
        TREE_EACH(child, at.node)
        take(im, row, place_item(im, at, child, index++));
}

/* ---- the walk ---- */

static const struct tree_node *node_find(const struct tree_node *root, const char *path) {
        for (struct str rest = str_z(path); root && rest.len;) {
                struct str name = str_take(rest, str_find(rest, '.'));

                root = tree_get(root, name);
                rest = str_skip(rest, name.len + 1);
        }
        return root;
}

bool import_says(const struct importer *im, const char *path, const char *text) {
        for (size_t i = 0; i < im->request->source_count; i++) {
                const struct tree_node *node = node_find(im->roots[i], path); /* NULL: a file that cannot be read */

                if (node && (text ? node->kind == TREE_STRING && str_is(node->text, text)
                                  : node->kind == TREE_BOOLEAN && node->boolean))
                        return true;
        }
        return false;
}

enum match { MATCH_NONE, MATCH_ABOVE, MATCH_REST, MATCH_ROW };

/* How does a row's path go with the names from the outermost table to `node`? */
static enum match path_match(const char *row, const struct tree_node *const *names, size_t count) {
        struct str rest = str_z(row);

        for (size_t i = 0; i < count; i++) {
                struct str part = str_take(rest, str_find(rest, '.'));

                if (str_is(part, "?"))
                        return i + 1 == count ? MATCH_REST : MATCH_NONE;
                if (part.len == 0 || (!str_is(part, "*") && !str_eq(part, names[i]->key)))
                        return MATCH_NONE;
                rest = str_skip(rest, part.len + 1);
        }
        return rest.len ? MATCH_ABOVE : MATCH_ROW;
}

static const struct import_row *row_find(const struct import_format *format, const struct tree_node *const *names, size_t count,
                                         enum match wanted) {
        for (const struct import_row *row = format->rows; row->path; row++)
                if (path_match(row->path, names, count) == wanted)
                        return row;
        return NULL;
}

static void walk(struct importer *im, struct setting_place at, const struct tree_node **names, size_t depth) {
        const struct import_format *format = im->request->format;

        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);
                const struct import_row *row;

                names[depth] = child;
                row = row_find(format, names, depth + 1, MATCH_ROW);
                if (!row && child->kind == TREE_TABLE && row_find(format, names, depth + 1, MATCH_ABOVE)) {
                        walk(im, place, names, depth + 1);
                        continue;
                }
                if (!row)
                        row = row_find(format, names, depth + 1, MATCH_REST);
                if (!row)
                        import_leave(im, place, IMPORT_DENIES, "unknown setting, which may deny something");
                else if (row->take)
                        row->take(im, row, place);
        }
}

/* ---- reading ---- */

static int source_read(const struct import_source *source, struct arena *arena, const struct tree_node **ret, struct err *err) {
        static const struct json5_rules rules = { JSON5_ALL, .byte_order_mark = true, .text_max = TREE_TEXT_MAX,
                                                  .depth_max = TREE_DEPTH_MAX };
        struct tree_error error = {};
        struct tree_node *root;
        int status = str_ends(str_z(source->path), STR(".toml")) ? toml_read(source->text, arena, &root, &error)
                                                                 : json5_read(source->text, &rules, arena, &root, &error);

        if (status < 0)
                return tree_error_set(err, source->path, &error);
        if (root->kind != TREE_TABLE)
                return err_set(err, ERR_INVALID, "%s:1:1: expected an object, found %s", source->path,
                               tree_kind_name(root->kind));
        *ret = root;
        return 0;
}

/* Whatever the settings were, this has to be a config. */
static int result_check(struct import *ret, struct arena *arena, struct err *err) {
        struct config config = { .layer = LAYER_FILE, .file = "what was imported", .trusted = true };
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        import_write(ret, &text);
        if (text.failed)
                return err_set(err, ERR_TOO_COMPLEX, "the settings are too large for a config file");
        return config_read(buf_str(&text), CONFIG_TOML, arena, &config, err);
}

/* Programs: what they do is not known. */
static bool is_unreadable(const struct import_source *source) {
        return str_ends(str_z(source->path), STR(".rules"));
}

int import_read(const struct import_request *request, struct arena *arena, struct import *ret, struct err *err) {
        const struct tree_node **roots = arena_alloc(arena, (request->source_count + 1) * sizeof(*roots));
        const struct tree_node *names[TREE_DEPTH_MAX + 1];
        const struct setting_place unread = { &(struct tree_node){ .kind = TREE_STRING }, "" };
        struct importer im = { .arena = arena, .request = request, .roots = roots, .ret = ret };

        if (!roots)
                return err_memory(err);
        *ret = (struct import){};
        for (size_t i = 0; i < request->source_count; i++)
                if (!is_unreadable(&request->sources[i]) && source_read(&request->sources[i], arena, &roots[i], err) < 0)
                        return -1;
        for (size_t i = 0; i < request->source_count; i++) {
                im.source = &request->sources[i];
                if (is_unreadable(im.source))
                        import_leave(&im, unread, IMPORT_DENIES, "rules in Starlark cannot be read");
                else
                        walk(&im, (struct setting_place){ roots[i], "" }, names, 0);
        }
        import_hosts_end(&im);
        if (im.failed)
                return err_memory(err);
        return result_check(ret, arena, err);
}
