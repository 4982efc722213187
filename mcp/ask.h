/*
 * Questions to the user (elicitation): a command that the guard warns of, or that needs more than its policy allows, waits for
 * an answer. Until 2025-11-25 that is a request of the server's own; since 2026-07-28 it is an answer to the call, which the
 * client repeats with what its user said.
 */
#ifndef BAILEY_MCP_ASK_H
#define BAILEY_MCP_ASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "bailey.h"
#include "base/buf.h"
#include "base/sha256.h"

struct call;
struct mcp_server;

enum {
        ASKS_PER_MINUTE = 6,  /* of a session: more of them, and nobody reads them any more */
        ASK_STATES_MAX = 32,  /* open questions whose state a client carries */
        ASK_NONCE_SIZE = 16,  /* bytes */
        ASK_SHOWN_MAX = 3000, /* bytes of a command as it is shown: a longer one is not read */
        ASK_REASON_MAX = 200, /* bytes of what the agent says of it */
        CLIENT_NAME_MAX = 100,
        NEEDS_MAX = 8, /* of each list in `needs` */
};

/* The program at the other end. */
struct client {
        bool asks;         /* its user can be asked, by a form */
        bool knows_titles; /* of choices, as JSON Schema has them (oneOf), and not only as lists of names */
        char name[CLIENT_NAME_MAX];
};

/* What is known of the questions of a session. */
struct asks {
        bool has_key;
        uint8_t key[SHA256_SIZE];       /* of this process: nobody else makes states */
        int64_t times[ASKS_PER_MINUTE]; /* of the last ones, a ring; monotonic */
        size_t count;
        unsigned long long last_id; /* of a request */
        struct ask_state {
                uint8_t nonce[ASK_NONCE_SIZE];
                uint8_t command[SHA256_SIZE]; /* its digest: a command has one open question */
                int64_t until;                /* monotonic; 0: a free place */
        } states[ASK_STATES_MAX];
};

/* From the capabilities and the name that a client declares. */
void client_read(struct client *client, json_t *capabilities, json_t *info);

/* The command of this call may not start without an answer: asks, or refuses. */
void ask_begin(struct mcp_server *server, struct call *call, const struct bailey_run_options *options, const char *reason);

/* A call that is repeated, with an answer. */
bool ask_is_answered(const struct call *call);
void ask_take(struct mcp_server *server, struct call *call, const struct bailey_run_options *options);

/* An answer to a request of the server's. False: to none that is open. */
bool ask_hear(struct mcp_server *server, json_t *response);

/* Nobody waits for the answer any more; or its time has passed. */
void ask_withdraw(struct mcp_server *server, struct call *call, bool late);

void ask_free(struct call *call);

/* ---- ask_text.c ---- */

/* What the user reads; false: nobody would, because it is too long. */
bool ask_message(const struct bailey_question *question, const char *reason, struct buf *out);

/* The form: a choice, of which none is made beforehand. */
void ask_schema(const struct bailey_question *question, bool titles, struct buf *out);

/* What the user can do instead. */
void ask_remedy(const struct bailey_question *question, struct buf *out);

/* An answer that counts as yes, and was offered; BAILEY_CONSENT_NONE: it is none. `ret_word`: for the record. */
enum bailey_consent ask_read(const struct bailey_question *question, json_t *result, const char **ret_word);

/* ---- ask_state.c ---- */

/* A text that only this server can have made for this question, and that it takes once. Returns false without random numbers.
 */
bool ask_state_make(struct asks *asks, const struct bailey_question *question, int64_t now, int64_t until, struct buf *out);

/* Is it that? It is not, from now on. */
bool ask_state_take(struct asks *asks, const struct bailey_question *question, const char *state, int64_t now);

#endif
