#include "policy/config.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json5.h"
#include "base/text_reader.h"
#include "policy/value_types.h"
#include "policy/toml.h"

struct config_reader {
        struct arena *arena;
        struct tree_error error;
        struct setting **tail;
        struct config_policy **policy_tail;
        size_t policy_count;
        struct str policy;           /* the [policy.NAME] that is being read */
        const struct setting **seen; /* by key: what this file, or this policy of it, has said already */
};

static int table_read(struct config_reader *r, enum key_section section, const struct tree_node *table, const char *path);

static int config_fail(struct config_reader *r, struct tree_pos at, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static int config_fail(struct config_reader *r, struct tree_pos at, const char *format, ...) {
        va_list args;

        va_start(args, format);
        r->error.code = ERR_INVALID;
        r->error.at = at;
        vsnprintf(r->error.message, sizeof(r->error.message), format, args);
        va_end(args);
        return -1;
}

static int config_no_memory(struct config_reader *r) {
        r->error = (struct tree_error){ .code = ERR_MEMORY, .message = "out of memory" };
        return -1;
}

/* ---- keys ---- */

/* A key of that name that stands somewhere else. */
static const struct key_row *key_elsewhere(struct str name) {
        for (size_t i = 0; i < key_count; i++)
                if (!section_is_of_items(keys[i].section) && keys[i].section != SECTION_POLICY &&
                    key_name_is(keys[i].name, name))
                        return &keys[i];
        return NULL;
}

static int key_unknown(struct config_reader *r, enum key_section section, const struct tree_node *node, const char *path) {
        const struct key_row *elsewhere = key_elsewhere(node->key);
        struct key_path near = key_nearest(section, node->key);
        struct reader_quoted given = reader_quote(node->key);
        char place[96] = "";

        if (path[0])
                snprintf(place, sizeof(place), " in [%.80s]", path);
        if (elsewhere)
                return config_fail(r, node->key_at, "unknown key %s%s; it belongs to [%.40s]", given.text, place,
                                   section_path(elsewhere->section).text);
        if (near.text[0])
                return config_fail(r, node->key_at, "unknown key %s%s; did you mean \"%.40s\"?", given.text, place, near.text);
        return config_fail(r, node->key_at, "unknown key %s%s", given.text, place);
}

static int key_read(struct config_reader *r, const struct key_row *key, const struct tree_node *node, const char *path) {
        struct setting_reader reader = { r->arena, &r->error, path };
        const struct setting *before = r->seen[key_index(key)];
        struct setting *setting;

        if (before)
                return setting_fail(&reader, node->key_at, "already set on line %u", before->at.line);
        setting = ARENA_NEW(r->arena, struct setting);
        if (!setting)
                return config_no_memory(r);
        if (setting_read(&reader, key, node, setting) < 0)
                return -1;
        setting->policy = r->policy;
        *r->tail = setting;
        r->tail = &setting->next;
        r->seen[key_index(key)] = setting;
        return 0;
}

/* ---- sections ---- */

static int section_read(struct config_reader *r, const struct section_row *row, const struct tree_node *node,
                        const char *path) {
        struct setting_reader reader = { r->arena, &r->error, path };

        if (node->kind == TREE_TABLE)
                return table_read(r, row->section, node, path);
        if (row->shorthand && node->kind == TREE_STRING)
                return key_read(r, key_find(row->section, str_z(row->shorthand)), node, path);
        if (row->listed && node->kind == TREE_ARRAY)
                return key_read(r, key_find(row->section, str_z(row->listed)), node, path);
        return setting_expected(&reader, node,
                                row->listed      ? "a table, a string or an array"
                                : row->shorthand ? "a table or a string"
                                                 : "a table");
}

static int policy_read(struct config_reader *r, const struct tree_node *node) {
        struct config_policy *policy = ARENA_NEW(r->arena, struct config_policy);
        const struct setting **outer = r->seen;
        char path[80];
        int status;

        if (!text_policy.valid(node->key))
                return config_fail(r, node->key_at, "invalid policy name %s: expected letters, digits, - and _",
                                   reader_quote(node->key).text);
        if (++r->policy_count > CONFIG_POLICIES_MAX)
                return config_fail(r, node->key_at, "more than %d policies in one file", (int)CONFIG_POLICIES_MAX);
        snprintf(path, sizeof(path), "policy.%.*s", (int)node->key.len, node->key.ptr);
        r->seen = arena_alloc(r->arena, key_count * sizeof(*r->seen));
        if (!policy || !r->seen)
                return config_no_memory(r);
        *policy = (struct config_policy){ .name = node->key, .at = node->key_at };
        *r->policy_tail = policy;
        r->policy_tail = &policy->next;
        r->policy = node->key;
        if (node->kind == TREE_TABLE)
                status = table_read(r, SECTION_POLICY, node, path);
        else
                status = setting_expected(&(struct setting_reader){ r->arena, &r->error, path }, node, "a table");
        r->policy = (struct str){ 0 };
        r->seen = outer;
        return status;
}

static int policies_read(struct config_reader *r, const struct tree_node *node) {
        struct setting_reader reader = { r->arena, &r->error, "policy" };

        if (node->kind != TREE_TABLE)
                return setting_expected(&reader, node, "the name of a policy, or a table of policies");
        TREE_EACH(child, node)
        if (policy_read(r, child) < 0)
                return -1;
        return 0;
}

static int entry_read(struct config_reader *r, enum key_section section, const struct tree_node *node, const char *outer) {
        const struct key_row *key = key_find(section, node->key);
        const struct section_row *row = key ? NULL : section_find(section, node->key);
        char path[KEY_PATH_MAX];

        if (key || row)
                snprintf(path, sizeof(path), "%.80s%s%s", outer, outer[0] ? "." : "", node->key.ptr);
        if (key)
                return key_read(r, key, node, path);
        if (row)
                return section_read(r, row, node, path);
        if (section == SECTION_TOP && str_is(node->key, "policy"))
                return node->kind == TREE_STRING ? key_read(r, key_run_policy(), node, "policy") : policies_read(r, node);
        if (section == SECTION_TOP && str_is(node->key, "$schema")) /* for editors */
                return 0;
        return key_unknown(r, section, node, outer);
}

/* Sections stand inside each other at most three deep. */
static int table_read(struct config_reader *r, enum key_section section, const struct tree_node *table, const char *path) {
        TREE_EACH(child, table)
        if (entry_read(r, section, child, path) < 0)
                return -1;
        return 0;
}

/* ---- files ---- */

int config_language(const char *file, enum config_language *ret) {
        static const char *const ends[] = { [CONFIG_TOML] = ".toml", [CONFIG_JSON5] = ".json5", [CONFIG_JSON] = ".json" };

        for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
                if (str_ends(str_z(file), str_z(ends[i]))) {
                        *ret = (enum config_language)i;
                        return 0;
                }
        }
        return -1;
}

static int reader_start(struct config_reader *r, struct arena *arena, struct config *config, struct err *err) {
        *r = (struct config_reader){ .arena = arena, .tail = &config->settings, .policy_tail = &config->policies };
        r->seen = arena_alloc(arena, key_count * sizeof(*r->seen));
        return r->seen ? 0 : err_memory(err);
}

int config_read(struct str text, enum config_language language, struct arena *arena, struct config *config, struct err *err) {
        struct setting_reader whole = { arena, NULL, "the file" };
        struct config_reader r;
        struct tree_node *root;
        int status;

        if (reader_start(&r, arena, config, err) < 0)
                return -1;
        if (language == CONFIG_TOML)
                status = toml_read(text, arena, &root, &r.error);
        else
                status = json5_read(text, language == CONFIG_JSON ? &json5_plain : &json5_all, arena, &root, &r.error);
        whole.error = &r.error;
        if (status == 0)
                status = root->kind == TREE_TABLE ? table_read(&r, SECTION_TOP, root, "")
                                                  : setting_expected(&whole, root, "a table");
        return status < 0 ? tree_error_set(err, config->file, &r.error) : 0;
}

/* ---- overrides ---- */

static bool takes_plain_text(const struct key_row *key) {
        return key->type == KEY_STRING || key->type == KEY_WORD;
}

/* A node for the text behind the =: as JSON5 if it is a value there, else as a string. */
static struct tree_node *override_node(const struct key_row *key, struct str text, struct arena *arena) {
        struct tree_node *node, *list;

        if (takes_plain_text(key) || json5_read(text, &json5_all, arena, &node, NULL) < 0) {
                node = tree_add(arena, NULL, STR(""));
                if (node) {
                        node->kind = TREE_STRING;
                        node->text = text;
                }
        }
        if (!node || !key_is_list(key->type) || node->kind == TREE_ARRAY || node->kind == TREE_TABLE)
                return node;
        list = tree_add(arena, NULL, STR(""));
        if (!list)
                return NULL;
        list->kind = TREE_ARRAY;
        list->first = list->last = node;
        list->count = 1;
        return list;
}

/* env.set.NAME=VALUE is a table with one entry, whatever the value looks like. */
static struct tree_node *pair_node(struct str name, struct str value, struct arena *arena) {
        struct tree_node *table = tree_add(arena, NULL, STR("")), *entry;

        if (!table)
                return NULL;
        table->kind = TREE_TABLE;
        entry = tree_add(arena, table, name);
        if (!entry)
                return NULL;
        entry->kind = TREE_STRING;
        entry->text = value;
        return table;
}

static bool is_utf8(struct str text) {
        size_t len;

        while ((len = str_utf8(text)) > 0)
                text = str_skip(text, len);
        return text.len == 0;
}

static int override_unknown(struct str path, struct err *err) {
        struct key_path near = key_nearest_path(path);

        if (near.text[0])
                return err_set(err, ERR_INVALID, "%.*s: unknown key; did you mean %s?", (int)path.len, path.ptr, near.text);
        return err_set(err, ERR_INVALID, "%.*s: unknown key; see bailey config show", (int)path.len, path.ptr);
}

int config_read_override(struct arena *arena, struct config *config, struct err *err) {
        struct str text = str_z(config->file), path = str_take(text, str_find(text, '='));
        struct str pair = str_starts(path, STR("env.set.")) ? str_skip(path, sizeof("env.set.") - 1) : STR("");
        const struct key_row *key = key_by_path(pair.len ? STR("env.set") : path);
        struct key_path name = key ? key_path(key) : (struct key_path){ "" };
        struct tree_error error;
        struct setting_reader reader = { arena, &error, name.text };
        struct tree_node *node;
        struct str value;

        if (path.len == text.len || !is_utf8(text))
                return err_set(err, ERR_INVALID, "%s: expected KEY=VALUE, such as guard.mode=warn", config->file);
        if (!key || section_is_of_items(key->section))
                return override_unknown(path, err);
        value = str_skip(text, path.len + 1);
        node = pair.len ? pair_node(pair, value, arena) : override_node(key, value, arena);
        config->settings = ARENA_NEW(arena, struct setting);
        if (!node || !config->settings)
                return err_memory(err);
        if (setting_read(&reader, key, node, config->settings) < 0)
                return err_set(err, error.code, "%s", error.message);
        return 0;
}
