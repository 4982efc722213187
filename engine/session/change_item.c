/*
 * What a change adds to which list of the config, and whether that does anything.
 */
#include "engine/session/change.h"

#include <string.h>

#include "base/buf.h"
#include "policy/egress.h"
#include "policy/hosts.h"
#include "policy/keys.h"

enum { OVERRIDE_MAX = 2 << 20 }; /* a list as long as it can be */

static const char *const words[] = { [BAILEY_ALLOW_DOMAIN] = "allow", [BAILEY_DENY_COMMAND] = "deny" };

const char *change_word(enum bailey_change change) {
        return words[change];
}

int change_find(const char *word, enum bailey_change *ret) {
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (strcmp(words[i], word) == 0) {
                        *ret = (enum bailey_change)i;
                        return 0;
                }
        return -1;
}

/* ---- what is to be added where ---- */

static struct str next_word(struct str *rest) {
        struct str word;

        while (rest->len && rest->ptr[0] == ' ')
                *rest = str_skip(*rest, 1);
        word = str_take(*rest, str_find(*rest, ' '));
        *rest = str_skip(*rest, word.len);
        return word;
}

static void add(struct change_items *items, const char *key, const char *value) {
        items->items[items->count++] = (struct config_item){ .key = key, .value = value };
}

/* Has a dot or is an address, so that it is no program that everybody knows. Some programs look so, too: deploy.sh. */
static bool looks_like_host(struct str text) {
        struct egress_rule rule;
        struct host host;

        if (egress_rule_read(text, &rule) < 0 || rule.port || rule.any_port || str_is(rule.pattern, "*"))
                return false;
        return str_find(text, '.') < text.len || (host_from_url(text, &host) == 0 && host.kind != HOST_NAME);
}

static bool names(struct str_list list, struct str name) {
        for (size_t i = 0; i < list.count; i++)
                if (str_eq_nocase(list.items[i], name))
                        return true;
        return false;
}

static bool has_port(struct str text, struct egress_rule *ret) {
        return egress_rule_read(text, ret) == 0 && (ret->port || ret->any_port);
}

/* Hosts are denied with all their ports, so that of a single one only the permission can be taken back. */
static int deny_port(const char *value, const struct egress_rule *rule, const struct policy *policy, struct change_items *ret,
                     struct err *err) {
        if (!names(policy->sandbox.network_hosts, str_z(value)))
                return err_set(err, ERR_REFUSED,
                               "%s is not in sandbox.network.hosts; to deny the host with all its ports: bailey deny '%.*s'",
                               value, (int)rule->pattern.len, rule->pattern.ptr);
        ret->items[ret->count++] = (struct config_item){ "sandbox.network.hosts", value, .remove = true };
        return 0;
}

/* A program, or the words that a command begins with: with one space between them. What can be a host is denied as that, too.
 */
static int deny_items(const char *subject, const struct policy *policy, struct arena *arena, struct change_items *ret,
                      struct err *err) {
        struct egress_rule rule;
        const char *value;

        BUF_AUTO text;

        buf_init(&text, CHANGE_MAX);
        for (struct str rest = str_z(subject), word = next_word(&rest); word.len; word = next_word(&rest)) {
                if (text.len)
                        buf_char(&text, ' ');
                buf_append(&text, word);
        }
        if (!text.len)
                return err_set(err, ERR_INVALID, "the command consists of spaces only");
        value = arena_dup(arena, buf_str(&text));
        if (!value)
                return err_memory(err);
        if (has_port(buf_str(&text), &rule))
                return deny_port(value, &rule, policy, ret, err);
        if (looks_like_host(buf_str(&text)))
                add(ret, "guard.domain_denylist", value);
        if (!ret->count || *value != '*')
                add(ret, "guard.command_blocklist", value);
        return 0;
}

/* The guard's list has hosts without ports. Where a gateway decides, too, it has to know the host. */
static int allow_items(const char *subject, const struct policy *policy, struct arena *arena, struct change_items *ret,
                       struct err *err) {
        struct egress_rule rule = { .pattern = str_z(subject) };
        bool filtered = network_is_filtered(policy->sandbox.network);
        const char *pattern;

        if (filtered)
                egress_rule_read(str_z(subject), &rule);
        pattern = arena_dup(arena, rule.pattern);
        if (!pattern)
                return err_memory(err);
        add(ret, "guard.domain_allowlist", pattern);
        if (filtered)
                add(ret, "sandbox.network.hosts", subject);
        return 0;
}

/* Others would not be what they look like, or not the same in the record. */
static bool is_plain(struct str text) {
        char room[STR_VISIBLE_SIZE];
        size_t taken;

        for (; text.len; text = str_skip(text, taken))
                if (str_visible(text, room, &taken).ptr == room)
                        return false;
        return true;
}

static const char *change_noun(enum bailey_change change) {
        return change == BAILEY_DENY_COMMAND ? "command" : "domain";
}

int change_items(enum bailey_change change, const char *subject, const struct policy *policy, struct arena *arena,
                 struct change_items *ret, struct err *err) {
        *ret = (struct change_items){ 0 };
        if (!*subject || strlen(subject) > CHANGE_MAX)
                return err_set(err, ERR_INVALID, "the %s is empty, or longer than %d bytes", change_noun(change), CHANGE_MAX);
        if (!is_plain(str_z(subject)))
                return err_set(err, ERR_INVALID, "the %s contains invisible characters or invalid UTF-8", change_noun(change));
        if (change == BAILEY_DENY_COMMAND)
                return deny_items(subject, policy, arena, ret, err);
        return allow_items(subject, policy, arena, ret, err);
}

/* In quotes and brackets, so that it is one value whatever it looks like: true, [a, b], { replace: true, items: [] }. */
static void override_add(const struct config_item *item, struct buf *out) {
        buf_format(out, "%s=[", item->key);
        buf_json(out, str_z(item->value));
        buf_char(out, ']');
}

/* The whole list without the value. */
static void override_remove(const struct config_item *item, const struct policy *policy, struct buf *out) {
        struct str_list list = key_load(key_by_path(str_z(item->key)), policy).list;
        bool first = true;

        buf_format(out, "%s={\"replace\":true,\"items\":[", item->key);
        for (size_t i = 0; i < list.count; i++) {
                if (str_is(list.items[i], item->value))
                        continue;
                buf_append(out, first ? STR("") : STR(","));
                buf_json(out, list.items[i]);
                first = false;
        }
        buf_append(out, STR("]}"));
}

const char *const *change_overrides(const struct change_items *items, const struct policy *policy, struct arena *arena) {
        const char **overrides = arena_alloc(arena, (items->count + 1) * sizeof(*overrides));

        for (size_t i = 0; overrides && i < items->count; i++) {
                BUF_AUTO text;

                buf_init(&text, OVERRIDE_MAX);
                if (items->items[i].remove)
                        override_remove(&items->items[i], policy, &text);
                else
                        override_add(&items->items[i], &text);
                overrides[i] = text.failed ? NULL : arena_dup(arena, buf_str(&text));
                if (!overrides[i])
                        return NULL;
        }
        return overrides;
}

bool change_denies(const char *denied, const char *subject) {
        struct str item = str_z(denied);
        struct egress_rule rule;
        struct host host;

        if (egress_rule_read(str_z(subject), &rule) < 0)
                return false;
        return str_eq_nocase(item, rule.pattern) ||
               (host_from_url(rule.pattern, &host) == 0 && host_list_has((struct str_list){ &item, 1 }, &host));
}

void change_leave_new(const struct policy *policy, struct change_items *items) {
        size_t kept = 0;

        for (size_t i = 0; i < items->count; i++) {
                struct config_item *item = &items->items[i];

                if (names(key_load(key_by_path(str_z(item->key)), policy).list, str_z(item->value)) == item->remove)
                        items->items[kept++] = *item;
        }
        items->count = kept;
}

/* Another entry may allow the same. */
static int port_check(const struct policy *policy, const char *value, struct err *err) {
        struct egress_rule rule;
        struct egress egress;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (egress_rule_read(str_z(value), &rule) < 0 || egress_from_policy(policy, &arena, &egress, err) < 0)
                return -1;
        if (!egress_covers(&egress, &rule))
                return 0;
        return err_set(err, ERR_REFUSED,
                       "%s is also allowed by another entry of sandbox.network.hosts; to deny the host with all its ports: "
                       "bailey deny '%.*s'",
                       value, (int)rule.pattern.len, rule.pattern.ptr);
}

static int item_check(const struct policy *policy, const struct config_item *item, struct err *err) {
        const struct guard_policy *guard = &policy->guard;
        struct str value = str_z(item->value);
        struct host host;

        if (strcmp(item->key, "guard.command_blocklist") == 0 && names(guard->command_allow_overrides, value))
                return err_set(err, ERR_REFUSED,
                               "%s is in guard.command_allow_overrides, which takes precedence: remove it there", item->value);
        if (strcmp(item->key, "guard.domain_allowlist") == 0 &&
            (names(guard->domain_denylist, value) ||
             (host_from_url(value, &host) == 0 && host_list_has(guard->domain_denylist, &host))))
                return err_set(err, ERR_REFUSED, "%s is in guard.domain_denylist, which takes precedence: remove it there",
                               item->value);
        return 0;
}

int change_check(const struct policy *policy, const struct change_items *items, struct err *err) {
        for (size_t i = 0; i < items->count; i++) {
                const struct config_item *item = &items->items[i];

                if (!item->remove && item_check(policy, item, err) < 0)
                        return -1;
                if (item->remove && strcmp(item->key, "sandbox.network.hosts") == 0 && port_check(policy, item->value, err) < 0)
                        return -1;
        }
        return 0;
}
