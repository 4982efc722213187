/*
 * Inside the server: a request that is being served, and how it is answered.
 */
#ifndef BAILEY_MCP_CALL_H
#define BAILEY_MCP_CALL_H

#include <jansson.h>
#include <stdint.h>

#include "bailey.h"
#include "base/buf.h"
#include "mcp/ask.h"
#include "mcp/server.h"
#include "mcp/wire.h"

enum {
        CALLS_MAX = 256,             /* at once */
        BATCH_MAX = CALLS_MAX,       /* messages: each may be answered by more than it takes itself */
        DESCRIPTION_MAX = 128 << 10, /* bytes of a text that is made from the policy */
};

/* What a call waits for. */
enum waits {
        WAITS_NOT,
        WAITS_END,    /* of its own command */
        WAITS_START,  /* of its own command, in the background */
        WAITS_OUTPUT, /* or the end, of a shell; at most until `deadline` */
        WAITS_KILL,   /* the end of a shell */
        WAITS_ANSWER, /* of the user, to a question; at most until `deadline` */
        WAITS_CHILD,  /* a process that makes the answer */
};

struct call {
        struct call *next;
        char *id;             /* JSON */
        char *progress;       /* the token, JSON; NULL: not requested */
        bool stateless;       /* asked by the protocol without sessions */
        bool cancelled;       /* it is not answered any more */
        bool done;            /* answered, or never will be */
        struct batch *batch;  /* that it came in, and is answered in; NULL: it came alone */
        json_t *params;       /* of the request */
        struct client client; /* without a session, each call says who asks */
        struct asked *asked;  /* WAITS_ANSWER */

        enum waits waits;
        char shell[BAILEY_ID_SIZE];
        int64_t deadline;       /* monotonic; 0: none */
        int64_t begun, told_at; /* the last progress */
        bool news;              /* there is output since then */
        char *since, *filter;   /* of BashOutput */
        bool screen;            /* the same */
        int child_fd;           /* where its answer comes from; -1: none */
        int child_pid;
        struct buf child_answer;
};

struct mcp_server {
        const struct mcp_options *options;
        struct bailey_session *session;
        struct wire wire;
        struct call *calls;
        size_t call_count;
        bool has_batches;            /* the revision that was agreed upon */
        struct client client;        /* of the session */
        const struct client *asking; /* for whom a question is made */
        struct asks asks;
        struct batch *batch; /* that is being taken in, or answered to */
        int64_t now;         /* monotonic: when this turn began, and for all that is done in it */
        bool done;
};

/* Answers what can be answered now. */
void server_work(struct mcp_server *server);

/* ---- calls ---- */

void call_free(struct call *call);
void calls_drop_done(struct mcp_server *server);

/* When something is to be done for it in any case; 0: never. */
int64_t call_deadline(const struct mcp_server *server, const struct call *call);

/* Something is new about its shell; or its time has come. */
void call_hear(struct mcp_server *server, struct call *call, enum bailey_event_kind kind);
void call_due(struct mcp_server *server, struct call *call);
void call_cancel(struct mcp_server *server, struct call *call);

/* Answers. The text may hold anything; `structured` is a JSON object, or empty. */
void call_answer(struct mcp_server *server, struct call *call, bool is_error, struct str text, struct str structured);
void call_refuse(struct mcp_server *server, struct call *call, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* That it is to come again with an answer: the parameters of a form, and what comes with the answer. */
void call_ask(struct mcp_server *server, struct call *call, struct str form, struct str state);

/* ---- tools ---- */

/* {"tools": [...]}, all but the braces. */
void tools_list(struct mcp_server *server, struct buf *out);

/* Starts what was asked for, or answers. Returns false when there is no such tool. */
bool tools_call(struct mcp_server *server, struct call *call, const char *name, json_t *arguments);

/* Sets the shell that the call is about. Returns false if it was answered, as that is no id. */
bool call_shell(struct mcp_server *server, struct call *call, json_t *arguments);

/* A number of rows or columns; 0: none was given. Larger ones than there can be stay too large. */
int call_size(const json_t *number);

typedef void tool_call(struct mcp_server *server, struct call *call, json_t *arguments);
tool_call bash_call, bash_output_call, bash_input_call, kill_shell_call, sandbox_test_call, container_status_call;

/* What has come of a question: the command is started, or refused. */
struct decision {
        enum bailey_consent consent;
        const char *refusal, *agreed; /* as in struct bailey_run_options */
        bool without_needs;           /* they make no difference */
};
void bash_decide(struct mcp_server *server, struct call *call, const struct decision *decision);

/* The other halves of these. */
void bash_ended(struct mcp_server *server, struct call *call);
void bash_started(struct mcp_server *server, struct call *call);
void bash_progress(struct mcp_server *server, struct call *call);
void bash_output_answer(struct mcp_server *server, struct call *call);
void kill_shell_answer(struct mcp_server *server, struct call *call);
void container_status_read(struct mcp_server *server, struct call *call);

/* ---- messages ---- */

/* A line from the client. */
void rpc_take(void *context, struct str line, bool too_long);

/* A notification to it: {"method": ..., "params": {...}}. */
void rpc_progress(struct mcp_server *server, const struct call *call, double progress, struct str message);

/* A request to the client, its id as JSON; and that it need not be answered any more. */
void rpc_request(struct mcp_server *server, const char *id, const char *method, struct str params);
void rpc_cancel(struct mcp_server *server, const char *id);

/* The beginning and the end of a result. */
void rpc_input_begin(struct mcp_server *server, const char *id); /* of one that asks for more */
void rpc_result_begin(struct mcp_server *server, const char *id, bool stateless);
void rpc_result_end(struct mcp_server *server);

/* ---- several in one line ---- */

/* Where an answer is written to. */
struct buf *batch_out(struct mcp_server *server);

/* A request that is served from now on belongs to the batch that is being taken in, if there is one; and leaves it, answered or
 * not. */
struct batch *batch_join(struct mcp_server *server);
void batch_leave(struct mcp_server *server, struct batch *batch);

/* Has each of an array taken in. Returns false without memory. */
typedef void batch_each(struct mcp_server *server, json_t *message);
bool batch_take(struct mcp_server *server, json_t *messages, batch_each *take);

/*
 * What agents are told of the server and its tools: it follows from the policy in force.
 */

typedef void describe(const struct bailey_abilities *abilities, struct buf *out);

describe describe_server;
describe describe_bash, describe_kill, describe_test;                         /* tools */
describe describe_timeout, describe_background, describe_cwd, describe_fresh; /* arguments */

#endif
