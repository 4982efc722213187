#include "mcp/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mcp/call.h"

enum { FORM_MAX = 32 << 10, PARAMS_MAX = 8 * FORM_MAX, REFUSAL_MAX = 8 << 10, ID_MAX = 40 };

#define MINUTE (60 * TIME_SECOND)

/* A question that a call waits for the answer to. */
struct asked {
        struct bailey_question question;
        char id[ID_MAX]; /* of the request, as JSON */
};

void ask_free(struct call *call) {
        if (call->asked)
                bailey_question_free(&call->asked->question);
        free(call->asked);
        call->asked = NULL;
}

/* ---- the client ---- */

/* {"elicitation":{}} is that of the first revision that had it: forms. */
void client_read(struct client *client, json_t *capabilities, json_t *info) {
        json_t *elicitation = json_object_get(capabilities, "elicitation");
        const char *name = json_string_value(json_object_get(info, "name"));
        const char *version = json_string_value(json_object_get(info, "version"));

        client->asks =
                json_is_object(elicitation) && (json_object_size(elicitation) == 0 || json_object_get(elicitation, "form"));
        snprintf(client->name, sizeof(client->name), "%.60s %.30s", name ? name : "unknown", version ? version : "");
}

/* ---- without a question ---- */

static void refuse(struct mcp_server *server, struct call *call, const struct bailey_question *question, const char *why) {
        BUF_AUTO text;

        buf_init(&text, REFUSAL_MAX);
        buf_append(&text, str_z(why));
        ask_remedy(question, &text);
        buf_char(&text, '\0');
        bash_decide(server, call,
                    &(struct decision){ .consent = BAILEY_CONSENT_NONE, .refusal = text.failed ? why : text.ptr });
}

static bool only_warnings(const struct bailey_question *question) {
        for (size_t i = 0; i < question->count; i++)
                if (question->items[i].kind != BAILEY_ASKED_WARNING)
                        return false;
        return true;
}

static bool read_abilities(const struct mcp_server *server, struct bailey_abilities *ret) {
        if (bailey_abilities(bailey_session_policy(server->session), server->options->environment, ret) < 0)
                return false;
        bailey_free(ret->commands);
        return true;
}

static void do_without(struct mcp_server *server, struct call *call, const struct bailey_question *question) {
        struct bailey_abilities abilities;

        if (only_warnings(question) && read_abilities(server, &abilities) && abilities.warned_runs)
                bash_decide(server, call, &(struct decision){ .consent = BAILEY_CONSENT_ASSUMED });
        else
                refuse(server, call, question, "This needs the user's consent, and the client cannot ask for it.");
}

/* ---- may it be asked? ---- */

static bool is_open(const struct mcp_server *server, const struct bailey_question *question) {
        for (const struct call *call = server->calls; call; call = call->next)
                if (!call->done && call->asked && strcmp(call->asked->question.command, question->command) == 0)
                        return true;
        return false;
}

static bool is_too_often(struct mcp_server *server) {
        struct asks *asks = &server->asks;
        int64_t *time = &asks->times[asks->count % ASKS_PER_MINUTE];

        if (asks->count >= ASKS_PER_MINUTE && server->now - *time < MINUTE)
                return true;
        *time = server->now;
        asks->count++;
        return false;
}

static const char *objection(struct mcp_server *server, const struct bailey_question *question, const char *reason,
                             struct buf *message) {
        char error[512];

        if (!ask_message(question, reason, message))
                return "This needs the user's consent, and the command is too long to be read: split it.";
        if (is_open(server, question))
                return "This needs the user's consent, and the user is being asked about the same command already.";
        if (is_too_often(server))
                return "This needs the user's consent, and the user was asked 6 times in the last minute: wait, and do not ask "
                       "for more than what is needed.";
        if (bailey_question_record(server->session, question, server->asking->name, NULL, error, sizeof(error)) < 0)
                return "This needs the user's consent, and the question cannot be written to the audit log.";
        return NULL;
}

/* ---- asking ---- */

static int64_t answer_until(const struct mcp_server *server) {
        struct bailey_abilities abilities;

        return server->now + (read_abilities(server, &abilities) ? abilities.ask_timeout_ms : 1) * (TIME_SECOND / 1000);
}

static void put_params(struct buf *out, const struct client *client, struct str message,
                       const struct bailey_question *question) {
        buf_append(out, client->knows_titles ? STR("{\"mode\":\"form\",\"message\":") : STR("{\"message\":"));
        buf_json(out, message);
        buf_append(out, STR(",\"requestedSchema\":"));
        ask_schema(question, client->knows_titles, out);
        buf_char(out, '}');
}

/* The client carries what is needed to know the answer again. */
static void ask_by_answer(struct mcp_server *server, struct call *call, const struct bailey_question *question,
                          struct str params) {
        BUF_AUTO state;

        buf_init(&state, FORM_MAX);
        if (!ask_state_make(&server->asks, question, server->now, answer_until(server), &state) || state.failed)
                refuse(server, call, question, "The user cannot be asked: no random numbers, or no memory.");
        else
                call_ask(server, call, params, buf_str(&state));
}

static void ask_by_request(struct mcp_server *server, struct call *call, struct bailey_question *question, struct str params) {
        struct asked *asked = calloc(1, sizeof(*asked));

        if (!asked) {
                refuse(server, call, question, "The user cannot be asked: out of memory.");
                return;
        }
        snprintf(asked->id, sizeof(asked->id), "\"bailey-%llu\"", ++server->asks.last_id);
        asked->question = *question;
        *question = (struct bailey_question){};
        call->asked = asked;
        call->waits = WAITS_ANSWER;
        call->deadline = answer_until(server);
        rpc_request(server, asked->id, "elicitation/create", params);
}

static void ask(struct mcp_server *server, struct call *call, struct bailey_question *question, const char *reason) {
        const struct client *client = call->stateless ? &call->client : &server->client;
        const char *why;
        BUF_AUTO message, params;

        buf_init(&message, FORM_MAX);
        buf_init(&params, PARAMS_MAX);
        if (!client->asks) {
                do_without(server, call, question);
                return;
        }
        server->asking = client;
        why = objection(server, question, reason, &message);
        if (!why)
                put_params(&params, client, buf_str(&message), question);
        if (why || params.failed)
                refuse(server, call, question, why ? why : "The user cannot be asked: out of memory.");
        else if (call->stateless)
                ask_by_answer(server, call, question, buf_str(&params));
        else
                ask_by_request(server, call, question, buf_str(&params));
}

/* Returns false, and the call is answered, where there is nothing to be asked. */
static bool find(struct mcp_server *server, struct call *call, const struct bailey_run_options *options,
                 struct bailey_question *ret) {
        char error[512];
        int found = bailey_question(server->session, options, ret, error, sizeof(error));

        if (found < 0)
                call_refuse(server, call, "Blocked: the command did not run.\nBash: %s", error);
        else if (found == 0)
                bash_decide(server, call, &(struct decision){ .consent = BAILEY_CONSENT_NONE, .without_needs = true });
        return found == 1;
}

void ask_begin(struct mcp_server *server, struct call *call, const struct bailey_run_options *options, const char *reason) {
        struct bailey_question question;

        if (!find(server, call, options, &question))
                return;
        ask(server, call, &question, reason);
        bailey_question_free(&question);
}

/* ---- answers ---- */

/* What is not on record has not been said. */
static void decide(struct mcp_server *server, struct call *call, const struct bailey_question *question,
                   enum bailey_consent consent, const char *word) {
        const struct client *client = call->stateless ? &call->client : &server->client;
        char error[512];

        if (bailey_question_record(server->session, question, client->name, word, error, sizeof(error)) < 0)
                consent = BAILEY_CONSENT_NONE;
        bash_decide(server, call,
                    &(struct decision){ .consent = consent,
                                        .refusal =
                                                "The user was asked, and has not agreed. Do not try to get the same result in "
                                                "another way.",
                                        .agreed = question->digest });
}

bool ask_is_answered(const struct call *call) {
        return call->stateless &&
               (json_object_get(call->params, "requestState") || json_object_get(call->params, "inputResponses"));
}

void ask_take(struct mcp_server *server, struct call *call, const struct bailey_run_options *options) {
        const char *state = json_string_value(json_object_get(call->params, "requestState")), *word;
        json_t *answer = json_object_get(json_object_get(call->params, "inputResponses"), "approve");
        struct bailey_question question;
        enum bailey_consent consent;

        if (!find(server, call, options, &question))
                return;
        if (!state || !ask_state_take(&server->asks, &question, state, server->now)) {
                call_refuse(server, call,
                            "Blocked: the command did not run.\n"
                            "The requestState is not that of an open question about this command: it was used, it is too old, "
                            "something has changed since then, or it is not this server's. Call again without it, and the user "
                            "is asked again.");
        } else {
                consent = ask_read(&question, answer, &word);
                decide(server, call, &question, consent, word);
        }
        bailey_question_free(&question);
}

/* The question leaves the call, which may run its command now. */
static void close_with(struct mcp_server *server, struct call *call, json_t *result, const char *word) {
        struct asked *asked = call->asked;
        enum bailey_consent consent = BAILEY_CONSENT_NONE;

        call->asked = NULL;
        call->waits = WAITS_NOT;
        call->deadline = 0;
        call->told_at = server->now;
        if (!word)
                consent = ask_read(&asked->question, result, &word);
        decide(server, call, &asked->question, consent, word);
        bailey_question_free(&asked->question);
        free(asked);
}

static bool is_id(json_t *id, const char *text) {
        const char *value = json_string_value(id);
        size_t len = value ? strlen(value) : 0;

        return value && strlen(text) == len + 2 && memcmp(text + 1, value, len) == 0;
}

bool ask_hear(struct mcp_server *server, json_t *response) {
        json_t *id = json_object_get(response, "id"), *result = json_object_get(response, "result");

        for (struct call *call = server->calls; call; call = call->next)
                if (!call->done && call->asked && is_id(id, call->asked->id)) {
                        close_with(server, call, result, json_is_object(result) ? NULL : "the client could not ask");
                        return true;
                }
        return false;
}

void ask_withdraw(struct mcp_server *server, struct call *call, bool late) {
        char error[512];

        rpc_cancel(server, call->asked->id);
        if (late) {
                close_with(server, call, NULL, "no answer in time");
                return;
        }
        bailey_question_record(server->session, &call->asked->question, server->client.name, "withdrawn", error, sizeof(error));
        ask_free(call);
        call->done = true;
}
