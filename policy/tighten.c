/*
 * A workspace's config that its user has not trusted. It comes from a repository nobody has looked at yet, so it may make
 * the policy tighter and do nothing else; what it wanted to do is said.
 */
#include "policy/resolver.h"

enum { NOTICE_MAX = 1024, NAMED_MAX = 5 };

static bool value_same(const struct key_row *key, const union key_value *a, const union key_value *b) {
        switch (key->type) {
        case KEY_BOOLEAN:
                return a->boolean == b->boolean;
        case KEY_NUMBER:
                return a->number == b->number;
        case KEY_WORD:
                return a->word == b->word;
        case KEY_STRING:
                return str_eq(a->text, b->text);
        default:
                return a->integer == b->integer;
        }
}

static bool value_less(const struct key_row *key, const union key_value *wanted, const union key_value *now) {
        double a = key->type == KEY_NUMBER ? wanted->number : (double)wanted->integer;
        double b = key->type == KEY_NUMBER ? now->number : (double)now->integer;

        if (key->zero_is_none && a == 0)
                return false;
        return a < b || (key->zero_is_none && b == 0);
}

static bool is_tighter(const struct setting *setting, const union key_value *now) {
        const struct key_row *key = setting->key;

        switch (key->tighten) {
        case TIGHTEN_ADD:
                return !setting->replace;
        case TIGHTEN_TRUE:
                return setting->value.boolean;
        case TIGHTEN_FALSE:
                return !setting->value.boolean;
        case TIGHTEN_LESS:
                return value_less(key, &setting->value, now);
        case TIGHTEN_WORD:
                return setting->value.word == key->tightest;
        default:
                return false;
        }
}

static bool in_chain(const struct resolver *r, struct str policy) {
        for (size_t i = 0; i < r->chain_count; i++)
                if (str_eq(r->chain[i], policy))
                        return true;
        return policy.len == 0;
}

/* 1: applied, or nothing to do; 0: ignored. */
static int setting_tighten(struct resolver *r, const struct config *config, const struct setting *setting) {
        const struct key_row *key = setting->key;
        union key_value now;

        if (key->size == 0)
                return 0;
        now = key_load(key, r->policy);
        if (!key_is_list(key->type) && value_same(key, &setting->value, &now))
                return 1;
        if (!is_tighter(setting, &now))
                return 0;
        if (!in_chain(r, setting->policy))
                return 1;
        if (!key_is_list(key->type) && r->origins[key_index(key)].origin.layer > config->layer)
                return 1; /* a later layer has decided */
        return setting_apply(r, config, setting) < 0 ? -1 : 1;
}

static void notice_name(struct buf *out, const struct setting *setting, size_t number) {
        if (number > NAMED_MAX)
                return;
        buf_append(out, number == 1 ? STR("") : STR(", "));
        if (number == NAMED_MAX)
                buf_append(out, STR("..."));
        else
                buf_format(out, "%s on line %u", key_path(setting->key).text, setting->at.line);
}

static int notice_add(struct resolver *r, const struct config *config, size_t ignored, struct str names) {
        struct str *notice = ARENA_NEW(r->arena, struct str);
        BUF_AUTO text;

        buf_init(&text, (size_t)2 * NOTICE_MAX + strlen(config->file));
        buf_format(&text, "%s is not trusted: ", config->file);
        if (ignored)
                buf_format(&text, "%zu of its settings %s ignored (%.*s)", ignored, ignored == 1 ? "is" : "are", (int)names.len,
                           names.ptr);
        else
                buf_append(&text, STR("its settings apply because they only make the policy stricter"));
        if (ignored)
                buf_append(&text, STR("; run `bailey trust` to apply them"));
        if (!notice || text.failed)
                return err_set(r->err, ERR_MEMORY, "out of memory");
        *notice = str_from(arena_dup(r->arena, buf_str(&text)), text.len);
        if (!notice->ptr)
                return err_set(r->err, ERR_MEMORY, "out of memory");
        r->policy->notices = (struct str_list){ notice, 1 }; /* there is one workspace */
        return 0;
}

int config_tighten(struct resolver *r, const struct config *config) {
        size_t ignored = 0;
        BUF_AUTO names;

        buf_init(&names, NOTICE_MAX);
        for (const struct setting *s = config->settings; s; s = s->next) {
                int status = setting_tighten(r, config, s);

                if (status < 0)
                        return -1;
                if (status == 0)
                        notice_name(&names, s, ++ignored);
        }
        return notice_add(r, config, ignored, buf_str(&names));
}
