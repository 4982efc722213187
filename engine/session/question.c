/*
 * Questions to the user, as data: whoever has a way to the user asks them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/id.h"
#include "engine/config.h"
#include "engine/session/consent.h"
#include "engine/session/session.h"

enum { TEXT_MAX = 4096 };

int bailey_question(struct bailey_session *session, const struct bailey_run_options *options, struct bailey_question *ret,
                    char *ret_error, size_t error_size) {
        struct consent *consent = calloc(1, sizeof(*consent));
        struct err err = {};
        int result = consent ? consent_find(session, options, consent, &err) : err_memory(&err);

        if (result == 1) {
                *ret = (struct bailey_question){
                        .items = consent->items,
                        .count = consent->count,
                        .session = consent->session,
                        .always = consent->always,
                        .command = consent->command,
                        .cwd = consent->cwd,
                        .digest = consent->digest,
                        .memory = consent,
                };
                return 1;
        }
        if (consent)
                consent_free(consent);
        free(consent);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

void bailey_question_free(struct bailey_question *question) {
        if (question->memory)
                consent_free(question->memory);
        free(question->memory);
        *question = (struct bailey_question){};
}

/* ---- on record ---- */

/* "host example.org", "write /srv/x", "ask-first: git push is only run ..." */
static const char *item_text(const struct bailey_asked *item, struct arena *arena) {
        static const char *const words[] = {
                [BAILEY_ASKED_WARNING] = "", [BAILEY_ASKED_HOST] = "host ", [BAILEY_ASKED_WRITE] = "write "
        };
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        buf_append(&text, str_z(words[item->kind]));
        buf_append(&text, str_from(item->subject.text, item->subject.length));
        if (item->why.length) {
                buf_append(&text, STR(": "));
                buf_append(&text, str_from(item->why.text, item->why.length));
        }
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

static int record(const struct bailey_session *session, const struct bailey_question *question, const char *client,
                  const char *answer, struct err *err) {
        const char *texts[ASKED_MAX];
        char id[ID_SIZE];
        ARENA_AUTO arena;
        struct audit_record record = {
                .kind = answer ? AUDIT_ANSWERED : AUDIT_ASKED,
                .id = id,
                .command = str_z(question->command),
                .cwd = question->cwd,
                .policy = session->policy->policy->name,
                .action = "none",
                .asked = texts,
                .asked_count = question->count,
                .answer = answer,
                .client = client,
        };

        arena_init(&arena, 0);
        record.workspace =
                session->policy->policy->workspace.len ? arena_dup(&arena, session->policy->policy->workspace) : NULL;
        for (size_t i = 0; i < question->count; i++)
                if (!(texts[i] = item_text(&question->items[i], &arena)))
                        return err_memory(err);
        if (id_new(id, err) == 0 && audit_write(session->policy->audit, &record, err) == 0)
                return 0;
        return session->policy->policy->audit.required ? err_context(err, "cannot write to the audit log") : 0;
}

int bailey_question_record(struct bailey_session *session, const struct bailey_question *question, const char *client,
                           const char *answer, char *ret_error, size_t error_size) {
        struct err err = {};

        return record(session, question, client, answer, &err) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}
