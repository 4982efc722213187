/*
 * Lists: of strings, of variables with their values, of patterns. An array adds to what is there; a table
 * { replace = true, items = [...] } takes its place.
 */
#include <stdio.h>

#include "policy/env.h"
#include "policy/pattern.h"
#include "base/text_reader.h"
#include "policy/setting.h"

/* ---- variables ---- */

static int pair_check(const struct setting_reader *r, struct tree_pos at, const struct env_pair *pair) {
        if (!env_name_valid(pair->name))
                return setting_fail(r, at, "%s is not a valid variable name", reader_quote(pair->name).text);
        if (memchr(pair->value.ptr, '\0', pair->value.len))
                return setting_fail(r, at, "the value of %s contains a NUL character", reader_quote(pair->name).text);
        return 0;
}

/* ["NAME", "VALUE"], or "NAME=VALUE". */
static int pair_item(const struct setting_reader *r, const struct tree_node *node, struct env_pair *ret) {
        if (node->kind == TREE_ARRAY && node->count == 2 && node->first->kind == TREE_STRING &&
            node->last->kind == TREE_STRING) {
                *ret = (struct env_pair){ node->first->text, node->last->text };
        } else if (node->kind == TREE_STRING && str_find(node->text, '=') < node->text.len) {
                size_t equals = str_find(node->text, '=');

                *ret = (struct env_pair){ str_take(node->text, equals), str_skip(node->text, equals + 1) };
        } else {
                return setting_fail(r, node->at, "expected a pair [\"NAME\", \"VALUE\"], found %s",
                                    node->kind == TREE_ARRAY ? "another array" : tree_kind_name(node->kind));
        }
        return pair_check(r, node->at, ret);
}

/* NAME = "VALUE" */
static int pair_entry(const struct setting_reader *r, const struct tree_node *node, struct env_pair *ret) {
        if (node->kind != TREE_STRING)
                return setting_expected(r, node, "a string as the value of a variable");
        *ret = (struct env_pair){ node->key, node->text };
        return pair_check(r, node->key_at, ret);
}

/* ---- tables: patterns, credentials ---- */

static void item_init(enum key_section section, void *item) {
        for (size_t i = 0; i < key_count; i++)
                if (keys[i].section == section)
                        key_store(&keys[i], item, &keys[i].initial);
}

static int item_fields(const struct setting_reader *r, enum key_section section, const struct tree_node *node, void *item) {
        TREE_EACH(child, node) {
                const struct key_row *key = key_find(section, child->key);
                struct setting setting;

                if (!key)
                        return setting_fail(r, child->key_at, "unknown key %s; did you mean \"%s\"?",
                                            reader_quote(child->key).text, key_nearest(section, child->key).text);
                if (setting_read(r, key, child, &setting) < 0)
                        return -1;
                key_store(key, item, &setting.value);
        }
        return 0;
}

static int pattern_item(const struct setting_reader *r, const struct tree_node *node, struct user_pattern *ret) {
        const struct tree_node *regex = node;
        struct err err;

        item_init(SECTION_PATTERN, ret);
        if (node->kind == TREE_TABLE) {
                if (item_fields(r, SECTION_PATTERN, node, ret) < 0)
                        return -1;
                regex = tree_get(node, STR("regex")) ? tree_get(node, STR("regex")) : tree_get(node, STR("pattern"));
                if (!regex)
                        return setting_fail(r, node->at, "regex is missing");
        } else if (node->kind == TREE_STRING) {
                ret->regex = node->text;
        } else {
                return setting_expected(r, node, "a table with a regex, or a string");
        }
        if (user_pattern_compile(ret, r->arena, &err) < 0)
                return setting_fail(r, regex->at, "%s", err.msg);
        return 0;
}

static int credential_item(const struct setting_reader *r, const struct tree_node *node, struct credential *ret) {
        if (node->kind != TREE_TABLE)
                return setting_expected(r, node, "a table with host, header and env");
        item_init(SECTION_CREDENTIAL, ret);
        if (item_fields(r, SECTION_CREDENTIAL, node, ret) < 0)
                return -1;
        if (!ret->host.len)
                return setting_fail(r, node->at, "host is missing");
        if (!ret->env.len == !ret->file.len)
                return setting_fail(r, node->at, "expected one of env and file, which say where the secret is");
        if (ret->user.len && !str_ends(ret->header, STR(": Basic")))
                return setting_fail(r, tree_get(node, STR("user"))->at,
                                    "expected a header with the scheme Basic, as a user is given");
        return 0;
}

/* ---- lists ---- */

static int item_read(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, bool entry,
                     void *ret) {
        switch (key->type) {
        case KEY_PAIRS:
                return entry ? pair_entry(r, node, ret) : pair_item(r, node, ret);
        case KEY_PATTERNS:
                return pattern_item(r, node, ret);
        case KEY_CREDENTIALS:
                return credential_item(r, node, ret);
        default:
                return setting_text(r, key, node, ret);
        }
}

/* All children of an array, or of a table of variables. */
static int items_read(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                      struct setting *ret) {
        size_t size = key_item_size(key->type), i = 0;
        struct tree_pos *at;
        char *items;

        if (node->count > SETTING_ITEMS_MAX)
                return setting_fail(r, node->at, "the list has more than %d items", (int)SETTING_ITEMS_MAX);
        items = arena_alloc(r->arena, node->count * size);
        at = arena_alloc(r->arena, node->count * sizeof(*at));
        if (!items || !at)
                return setting_no_memory(r);
        TREE_EACH(child, node) {
                if (item_read(r, key, child, node->kind == TREE_TABLE, items + i * size) < 0)
                        return -1;
                at[i++] = node->kind == TREE_TABLE ? child->key_at : child->at;
        }
        ret->value.items = (struct key_items){ items, i };
        ret->items_at = at;
        return 0;
}

/* { replace = true, items = [...] } */
static int replacement_read(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                            struct setting *ret) {
        const struct tree_node *items = tree_get(node, STR("items"));

        TREE_EACH(child, node)
        if (!str_is(child->key, "replace") && !str_is(child->key, "items"))
                return setting_fail(r, child->key_at, "unknown key %s; expected replace and items",
                                    reader_quote(child->key).text);
        if (!items || items->kind != TREE_ARRAY)
                return setting_fail(r, items ? items->at : node->at, "items is missing or not an array");
        ret->replace = tree_get(node, STR("replace"))->boolean;
        return items_read(r, key, items, ret);
}

int setting_read_list(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                      struct setting *ret) {
        const struct tree_node *replace = tree_get(node, STR("replace"));
        char what[128] = "an array";

        if (replace && replace->kind == TREE_BOOLEAN)
                return replacement_read(r, key, node, ret);
        if (node->kind == TREE_ARRAY || (node->kind == TREE_TABLE && key->type == KEY_PAIRS))
                return items_read(r, key, node, ret);
        if (key->type == KEY_PAIRS)
                snprintf(what, sizeof(what), "a table of variables, or an array of pairs");
        else if (key_items_section(key->type) != SECTION_TOP)
                snprintf(what, sizeof(what), "an array of tables");
        else if (key->text)
                snprintf(what, sizeof(what), "an array, each item %s", key->text->expected);
        return setting_expected(r, node, what);
}
