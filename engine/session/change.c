#include "engine/session/change.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "engine/config.h"
#include "engine/session/session.h"

enum { CHANGES_MAX = 256 /* of a session */, ESCAPED_MAX = 8 * CHANGE_MAX };

static int record_change(struct bailey_session *session, const char *text, struct err *err) {
        const struct policy *policy = session->policy->policy;
        char id[ID_SIZE];
        struct audit_record record = {
                .kind = AUDIT_CHANGED,
                .id = id,
                .command = str_z(text),
                .policy = policy->name,
                .action = "none",
        };

        if (id_new(id, err) == 0 && audit_write(session->policy->audit, &record, err) == 0)
                return 0;
        return policy->audit.required ? err_context(err, "not changed: cannot write to the audit log") : 0;
}

/* The last word on a subject, "allow" or "deny"; empty: none was said. */
static struct str last_word(const struct bailey_session *session, const char *subject) {
        for (const struct change *change = session->changes; change; change = change->next) {
                struct str word = str_take(str_z(change->text), str_find(str_z(change->text), ' '));

                if (strcmp(change->text + word.len + 1, subject) == 0)
                        return word;
        }
        return STR("");
}

/* Is it made already? -1 when there is no room for more. */
static int find_change(const struct bailey_session *session, enum bailey_change kind, const char *subject, struct err *err) {
        size_t count = 0;

        if (str_is(last_word(session, subject), change_word(kind)))
                return 1;
        for (const struct change *change = session->changes; change; change = change->next)
                count++;
        return count < CHANGES_MAX ? 0
                                   : err_set(err, ERR_REFUSED, "the session has reached the limit of %d changes", CHANGES_MAX);
}

/* For the commands that run, too. What the gateway cannot be told is not allowed to go on. */
static void take_policy(struct bailey_session *session, const struct bailey_policy *policy) {
        if (gateway_link_change(&session->gateway, policy->policy, &(struct err){}) < 0)
                gateway_link_close(&session->gateway);
        session->policy = policy;
}

/* With more overrides (NULL-terminated) in front of those of a change; NULL without memory. */
static const char *const *join(const char *const *first, const char *const *second, struct arena *arena) {
        const char **list;
        size_t count = 0;

        for (size_t i = 0; first[i]; i++)
                count++;
        for (size_t i = 0; second && second[i]; i++)
                count++;
        list = second ? arena_alloc(arena, (count + 1) * sizeof(*list)) : NULL;
        for (count = 0; list && *first; first++)
                list[count++] = *first;
        for (; list && *second; second++)
                list[count++] = *second;
        return list;
}

/* All of it, or nothing. */
static int apply(struct bailey_session *session, const char *text, const struct change_items *items, const char *const *more,
                 struct arena *arena, struct err *err) {
        const char *const *overrides = join(more, change_overrides(items, session->policy->policy, arena), arena);
        struct bailey_policy *policy;
        struct change *made;

        if (!overrides)
                return err_memory(err);
        if (policy_derive(session->policy, overrides, &policy, err) < 0)
                return -1;
        made = ARENA_NEW(&policy->arena, struct change); /* lives as long as the session, but only if it comes to that */
        if (!made || !(made->text = arena_dup(&policy->arena, str_z(text)))) {
                bailey_policy_free(policy);
                return err_memory(err);
        }
        if (change_check(policy->policy, items, err) < 0 || record_change(session, text, err) < 0) {
                bailey_policy_free(policy);
                return -1;
        }
        take_policy(session, policy);
        made->next = session->changes;
        session->changes = made;
        return 0;
}

/* What the session has denied before, it can allow again; what the config denies, it cannot. */
static void take_back(const struct bailey_session *session, enum bailey_change change, const char *subject,
                      struct change_items *items) {
        if (change != BAILEY_ALLOW_DOMAIN || !str_is(last_word(session, subject), change_word(BAILEY_DENY_COMMAND)))
                return;
        items->items[items->count++] = (struct config_item){ "guard.domain_denylist", subject, .remove = true };
        items->items[items->count++] = (struct config_item){ "guard.command_blocklist", subject, .remove = true };
}

/* Does something that the session has denied keep that host from being allowed? */
static int check_denied(const struct bailey_session *session, const char *subject, struct err *err) {
        static const size_t prefix = sizeof("deny ") - 1;

        for (const struct change *change = session->changes; change; change = change->next) {
                const char *denied = change->text + prefix;

                if (strncmp(change->text, "deny ", prefix) == 0 && strcmp(denied, subject) != 0 &&
                    str_is(last_word(session, denied), change_word(BAILEY_DENY_COMMAND)) && change_denies(denied, subject))
                        return err_set(err, ERR_REFUSED,
                                       "%.200s is denied in this session by: bailey deny '%.100s'. To take that back: bailey "
                                       "allow '%.100s'",
                                       subject, denied, denied);
        }
        return 0;
}

int change_session(struct bailey_session *session, enum bailey_change change, const char *subject, struct arena *arena,
                   struct change_items *ret, struct err *err) {
        char text[CHANGE_MAX + 16];
        struct change_items items, made;
        int found;

        ret->count = 0;
        found = find_change(session, change, subject, err);
        if (found)
                return found < 0 ? -1 : 0;
        if (change_items(change, subject, session->policy->policy, arena, &items, err) < 0)
                return -1;
        if (change == BAILEY_ALLOW_DOMAIN && check_denied(session, subject, err) < 0)
                return -1;
        take_back(session, change, subject, &items);
        made = items;
        change_leave_new(session->policy->policy, &made);
        snprintf(text, sizeof(text), "%s %s", change_word(change), subject);
        if (apply(session, text, &items, (const char *const[]){ NULL }, arena, err) < 0)
                return -1;
        *ret = made;
        return 0;
}

/* Where there was no network, there is this host from now on, and no other. */
static int open_network(struct bailey_session *session, const char *host, const char *name, struct arena *arena,
                        struct err *err) {
        const char *overrides[] = { "sandbox.network.kind=allow_hosts", NULL, NULL };
        char text[CHANGE_MAX + 16];
        struct change_items items;
        BUF_AUTO list;

        buf_init(&list, ESCAPED_MAX);
        buf_append(&list, STR("sandbox.network.hosts={\"replace\":true,\"items\":["));
        buf_json(&list, str_z(host));
        buf_append(&list, STR("]}"));
        overrides[1] = list.failed ? NULL : arena_dup(arena, buf_str(&list));
        if (!overrides[1])
                return err_memory(err);
        if (find_change(session, BAILEY_ALLOW_DOMAIN, "", err) < 0 ||
            change_items(BAILEY_ALLOW_DOMAIN, name, session->policy->policy, arena, &items, err) < 0)
                return -1;
        snprintf(text, sizeof(text), "%s %s", change_word(BAILEY_ALLOW_DOMAIN), host);
        return apply(session, text, &items, overrides, arena, err);
}

int change_allow(struct bailey_session *session, const char *host, const char *name, struct err *err) {
        enum network_kind kind = session->policy->policy->sandbox.network;
        struct change_items ignored;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (kind == NETWORK_DENY)
                return open_network(session, host, name, &arena, err);
        return change_session(session, BAILEY_ALLOW_DOMAIN, kind == NETWORK_INHERIT ? name : host, &arena, &ignored, err);
}

int change_accept(struct bailey_session *session, struct str rule, struct str what, struct err *err) {
        struct accepted *accepted = ARENA_NEW(&session->arena, struct accepted);
        struct change *made = ARENA_NEW(&session->arena, struct change);
        const char *rule_copy = arena_dup(&session->arena, rule), *what_copy = arena_dup(&session->arena, what);
        BUF_AUTO text;

        buf_init(&text, ESCAPED_MAX);
        buf_append(&text, STR("accept "));
        buf_visible(&text, rule);
        buf_append(&text, STR(": "));
        buf_visible(&text, what);
        if (!accepted || !made || !rule_copy || !what_copy || text.failed ||
            !(made->text = arena_dup(&session->arena, buf_str(&text))))
                return err_memory(err);
        if (find_change(session, BAILEY_ALLOW_DOMAIN, "", err) < 0 || record_change(session, made->text, err) < 0)
                return -1;
        *accepted = (struct accepted){ session->accepted, str_from(rule_copy, rule.len), str_from(what_copy, what.len) };
        session->accepted = accepted;
        made->next = session->changes;
        session->changes = made;
        return 0;
}

int bailey_session_change(struct bailey_session *session, enum bailey_change change, const char *subject, char *ret_error,
                          size_t error_size) {
        struct change_items ignored;
        struct err err = {};
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        return change_session(session, change, subject, &arena, &ignored, &err) < 0
                       ? config_hand_error(&err, ret_error, error_size)
                       : 0;
}
