/*
 * A workspace's config that its user has not trusted. Its repository may not have been reviewed, so it may make
 * the policy tighter and do nothing else; what it wanted to do is said.
 */
#include "policy/egress.h"
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

static bool is_fewer(struct str_list wanted, struct str_list now) {
        for (size_t i = 0; i < wanted.count; i++) {
                size_t k = 0;

                while (k < now.count && !str_eq(wanted.items[i], now.items[k]))
                        k++;
                if (k == now.count)
                        return false;
        }
        return true;
}

/* ---- networks ---- */

/* How much can be reached. Two kinds with hosts compare by these: 1 for both would make packages of a single host. */
static int network_rank(unsigned kind) {
        static const int ranks[] = {
                [NETWORK_DENY] = 0, [NETWORK_ALLOW_HOSTS] = 1, [NETWORK_PACKAGES] = 2, [NETWORK_INHERIT] = 3
        };

        return ranks[kind];
}

/* With --network allow_hosts, the user says which hosts there are. */
static bool kind_is_overridden(const struct resolver *r) {
        for (size_t i = 0; i < r->count; i++)
                for (const struct setting *s = r->configs[i].settings; r->configs[i].layer == LAYER_OVERRIDE && s; s = s->next)
                        if (s->key->tighten == TIGHTEN_KIND)
                                return true;
        return false;
}

/* All of them can be reached already. */
static bool hosts_are_fewer(const struct resolver *r, struct str_list wanted) {
        struct policy asked = { .sandbox = { .network = NETWORK_ALLOW_HOSTS, .network_hosts = wanted } };
        struct policy before = *r->policy;
        struct egress now, then;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (r->network_before == NETWORK_INHERIT && !kind_is_overridden(r))
                return true;
        before.sandbox.network = r->network_before;
        if (egress_from_policy(&before, &arena, &now, NULL) < 0 || egress_from_policy(&asked, &arena, &then, NULL) < 0)
                return false;
        for (size_t i = 0; i < then.rule_count; i++)
                if (!egress_covers(&now, &then.rules[i]))
                        return false;
        return true;
}

static bool is_tighter(const struct resolver *r, const struct setting *setting, const union key_value *now) {
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
        case TIGHTEN_FEWER:
                return is_fewer(setting->value.list, now->list);
        case TIGHTEN_KIND:
                return network_rank(setting->value.word) < network_rank(now->word);
        case TIGHTEN_HOSTS:
                return hosts_are_fewer(r, setting->value.list);
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
        if (!is_tighter(r, setting, &now))
                return 0;
        if (!in_chain(r, setting->policy))
                return 1;
        if (!key_is_list(key->type) && r->origins[key_index(key)].origin.layer > config->layer)
                return 1; /* a later layer has decided */
        r->network_tightened |= key->tighten == TIGHTEN_KIND;
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
                return err_memory(r->err);
        *notice = str_from(arena_dup(r->arena, buf_str(&text)), text.len);
        if (!notice->ptr)
                return err_memory(r->err);
        r->policy->notices = (struct str_list){ notice, 1 }; /* there is one workspace */
        return 0;
}

int config_tighten(struct resolver *r, const struct config *config) {
        size_t ignored = 0;
        BUF_AUTO names;

        buf_init(&names, NOTICE_MAX);
        r->network_before = r->policy->sandbox.network;
        for (const struct setting *s = config->settings; s; s = s->next) {
                int status = setting_tighten(r, config, s);

                if (status < 0)
                        return -1;
                if (status == 0)
                        notice_name(&names, s, ++ignored);
        }
        return notice_add(r, config, ignored, buf_str(&names));
}
