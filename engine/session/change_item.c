/*
 * What a change adds to which list of the config, and whether that does anything.
 */
#include "engine/session/change.h"

#include <string.h>

#include "base/buf.h"
#include "policy/hosts.h"

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

/* A program, or the words that a command begins with: with one space between them. */
static int deny_item(const char *subject, struct arena *arena, struct config_item *ret, struct err *err) {
        BUF_AUTO text;

        buf_init(&text, CHANGE_MAX);
        for (struct str rest = str_z(subject), word = next_word(&rest); word.len; word = next_word(&rest)) {
                if (text.len)
                        buf_char(&text, ' ');
                buf_append(&text, word);
        }
        if (!text.len)
                return err_set(err, ERR_INVALID, "the command consists of spaces only");
        *ret = (struct config_item){ "guard.command_blocklist", arena_dup(arena, buf_str(&text)) };
        return ret->value ? 0 : err_set(err, ERR_MEMORY, "out of memory");
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

int change_item(enum bailey_change change, const char *subject, struct arena *arena, struct config_item *ret, struct err *err) {
        if (!*subject || strlen(subject) > CHANGE_MAX)
                return err_set(err, ERR_INVALID, "the %s is empty, or longer than %d bytes", change_noun(change), CHANGE_MAX);
        if (!is_plain(str_z(subject)))
                return err_set(err, ERR_INVALID, "the %s contains invisible characters or invalid UTF-8", change_noun(change));
        if (change == BAILEY_DENY_COMMAND)
                return deny_item(subject, arena, ret, err);
        *ret = (struct config_item){ "guard.domain_allowlist", subject };
        return 0;
}

/* In quotes and brackets, so that it is one value whatever it looks like: true, [a, b], { replace: true, items: [] }. */
const char *change_override(const struct config_item *item, struct arena *arena) {
        BUF_AUTO text;

        buf_init(&text, 8 * (size_t)CHANGE_MAX);
        buf_format(&text, "%s=[", item->key);
        buf_json(&text, str_z(item->value));
        buf_char(&text, ']');
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

static bool names(struct str_list list, struct str name) {
        for (size_t i = 0; i < list.count; i++)
                if (str_eq_nocase(list.items[i], name))
                        return true;
        return false;
}

int change_check(const struct policy *policy, const struct config_item *item, struct err *err) {
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
