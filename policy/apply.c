/*
 * One value into a policy: it takes the place of what was there, or adds to it, and it is remembered from where it came.
 */
#include <stdarg.h>
#include <stdio.h>

#include "policy/resolver.h"

static const struct policy_origin builtin = { .layer = LAYER_BUILTIN };

/* ---- origins ---- */

struct policy_origin origin_of(const struct config *config, const struct setting *setting, struct tree_pos at) {
        bool placed = config->layer > LAYER_ENVIRONMENT && config->layer != LAYER_OVERRIDE;

        return (struct policy_origin){
                .layer = config->layer,
                .file = config->file,
                .line = placed ? at.line : 0,
                .column = placed ? at.column : 0,
                .policy = setting->policy,
        };
}

void policy_line_text(struct str text, struct buf *out) {
        for (size_t i = 0; i < text.len; i++)
                buf_char(out, (unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f ? '?' : text.ptr[i]);
}

void policy_origin_text(const struct policy_origin *origin, struct buf *out) {
        if (origin->layer == LAYER_BUILTIN)
                buf_append(out, STR("built-in"));
        else if (origin->layer == LAYER_OVERRIDE)
                buf_append(out, STR("override"));
        else
                policy_line_text(str_z(origin->file), out);
        if (origin->line)
                buf_format(out, ":%u:%u", origin->line, origin->column);
        if (origin->policy.len)
                buf_format(out, " (policy %.*s)", (int)origin->policy.len, origin->policy.ptr);
}

int origin_fail(const struct policy_origin *origin, struct err *err, const char *format, ...) {
        struct tree_error error = { ERR_INVALID, { origin->line, origin->column }, "" };
        va_list args;

        va_start(args, format);
        vsnprintf(error.message, sizeof(error.message), format, args);
        va_end(args);
        if (!origin->file || origin->layer == LAYER_OVERRIDE)
                return err_set(err, error.code, "%s", error.message);
        return tree_error_set(err, origin->file, &error);
}

/* ---- lists ---- */

static bool item_same(enum key_type type, const void *a, const void *b) {
        const struct env_pair *pair_a = a, *pair_b = b;
        const struct user_pattern *pattern_a = a, *pattern_b = b;
        const struct credential *credential_a = a, *credential_b = b;
        const struct str *text_a = a, *text_b = b;

        if (type == KEY_PAIRS)
                return str_eq(pair_a->name, pair_b->name);
        if (type == KEY_CREDENTIALS)
                return str_eq_nocase(credential_a->host, credential_b->host);
        if (type == KEY_PATTERNS)
                return str_eq(pattern_a->name, pattern_b->name) && str_eq(pattern_a->regex, pattern_b->regex);
        return str_eq(*text_a, *text_b);
}

/* A list that grows, with where each item came from. */
struct growing {
        enum key_type type;
        size_t size, count;
        char *items;
        const struct policy_origin **origins;
};

/* What is there already is not added again; a variable gets its new value, a host its new credential. */
static void growing_add(struct growing *list, const void *item, const struct policy_origin *origin) {
        size_t i = 0;

        while (i < list->count && !item_same(list->type, list->items + i * list->size, item))
                i++;
        if (i < list->count && list->type != KEY_PAIRS && list->type != KEY_CREDENTIALS)
                return;
        memcpy(list->items + i * list->size, item, list->size);
        list->origins[i] = origin;
        if (i == list->count)
                list->count++;
}

static int growing_init(struct growing *list, struct resolver *r, const struct setting *setting) {
        const struct value_origin *from = &r->origins[key_index(setting->key)];
        struct key_items now = key_load(setting->key, r->policy).items;
        size_t room = now.count + setting->value.items.count;

        *list = (struct growing){ .type = setting->key->type, .size = key_item_size(setting->key->type) };
        list->items = arena_alloc(r->arena, room * list->size);
        list->origins = arena_alloc(r->arena, room * sizeof(*list->origins));
        if (!list->items || !list->origins)
                return err_memory(r->err);
        if (setting->replace)
                return 0;
        for (size_t i = 0; i < now.count; i++) {
                memcpy(list->items + i * list->size, (const char *)now.items + i * list->size, list->size);
                list->origins[i] = from->items ? from->items[i] : &builtin;
        }
        list->count = now.count;
        return 0;
}

static int list_apply(struct resolver *r, const struct config *config, const struct setting *setting) {
        struct value_origin *origin = &r->origins[key_index(setting->key)];
        const struct key_items *added = &setting->value.items;
        struct policy_origin *origins = arena_alloc(r->arena, added->count * sizeof(*origins));
        struct growing list;

        if (!origins)
                return err_memory(r->err);
        if (growing_init(&list, r, setting) < 0)
                return -1;
        for (size_t i = 0; i < added->count; i++) {
                origins[i] = origin_of(config, setting, setting->items_at ? setting->items_at[i] : setting->at);
                growing_add(&list, (const char *)added->items + i * list.size, &origins[i]);
        }
        *origin = (struct value_origin){
                .origin = origin_of(config, setting, setting->at),
                .items = list.origins,
                .replaced = origin->replaced || setting->replace,
        };
        if (list.count > SETTING_ITEMS_MAX)
                return origin_fail(&origin->origin, r->err,
                                   "%s: the list has more than %d items, including those of other files",
                                   key_path(setting->key).text, (int)SETTING_ITEMS_MAX);
        key_store(setting->key, r->policy, &(union key_value){ .items = { list.items, list.count } });
        return 0;
}

/* ---- values ---- */

int setting_apply(struct resolver *r, const struct config *config, const struct setting *setting) {
        if (setting->key->size == 0) /* not a value of the policy, but about it */
                return 0;
        if (key_is_list(setting->key->type))
                return list_apply(r, config, setting);
        key_store(setting->key, r->policy, &setting->value);
        r->origins[key_index(setting->key)].origin = origin_of(config, setting, setting->at);
        return 0;
}

int settings_apply(struct resolver *r, const struct config *config, struct str policy) {
        for (const struct setting *s = config->settings; s; s = s->next)
                if (str_eq(s->policy, policy) && setting_apply(r, config, s) < 0)
                        return -1;
        return 0;
}
