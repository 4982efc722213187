#include "engine/session/change.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "engine/config.h"
#include "engine/session/session.h"

enum { CHANGES_MAX = 256 }; /* of a session */

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

/* Is it made already? -1 when there is no room for more. */
static int find_change(const struct bailey_session *session, const char *text, struct err *err) {
        size_t count = 0;

        for (const struct change *change = session->changes; change; change = change->next, count++)
                if (strcmp(change->text, text) == 0)
                        return 1;
        return count < CHANGES_MAX ? 0
                                   : err_set(err, ERR_REFUSED, "the session has reached the limit of %d changes", CHANGES_MAX);
}

/* All of it, or nothing. */
static int apply(struct bailey_session *session, const char *text, const struct config_item *item, struct arena *arena,
                 struct err *err) {
        const char *override = change_override(item, arena);
        struct bailey_policy *policy;
        struct change *made;

        if (!override)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (policy_derive(session->policy, override, &policy, err) < 0)
                return -1;
        made = ARENA_NEW(&policy->arena, struct change); /* lives as long as the session, but only if it comes to that */
        if (!made || !(made->text = arena_dup(&policy->arena, str_z(text)))) {
                bailey_policy_free(policy);
                return err_set(err, ERR_MEMORY, "out of memory");
        }
        if (change_check(policy->policy, item, err) < 0 || record_change(session, text, err) < 0) {
                bailey_policy_free(policy);
                return -1;
        }
        session->policy = policy;
        made->next = session->changes;
        session->changes = made;
        return 0;
}

static int change_session(struct bailey_session *session, enum bailey_change change, const char *subject, struct err *err) {
        char text[CHANGE_MAX + 16];
        struct config_item item;
        ARENA_AUTO arena;
        int found;

        arena_init(&arena, 0);
        if (change_item(change, subject, &arena, &item, err) < 0)
                return -1;
        snprintf(text, sizeof(text), "%s %s", change_word(change), subject);
        found = find_change(session, text, err);
        return found ? (found < 0 ? -1 : 0) : apply(session, text, &item, &arena, err);
}

int bailey_session_change(struct bailey_session *session, enum bailey_change change, const char *subject, char *ret_error,
                          size_t error_size) {
        struct err err = {};

        return change_session(session, change, subject, &err) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}
