#include "mcp/call.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/time.h"

#define PROGRESS_SOONEST TIME_SECOND
#define PROGRESS_LATEST (9 * TIME_SECOND) /* promised are 10, and a turn takes its time, too */

enum { TEXT_MAX = 4096 };

void call_free(struct call *call) {
        if (call->child_fd >= 0) {
                kill(call->child_pid, SIGTERM); /* it has processes of its own to end */
                waitpid(call->child_pid, NULL, 0);
                fd_close(call->child_fd);
        }
        ask_free(call);
        json_decref(call->params);
        buf_free(&call->child_answer);
        free(call->id);
        free(call->progress);
        free(call->since);
        free(call->filter);
        free(call);
}

void calls_drop_done(struct mcp_server *server) {
        struct call **link = &server->calls;

        while (*link) {
                struct call *call = *link;

                if (!call->done) {
                        link = &call->next;
                        continue;
                }
                *link = call->next;
                server->call_count--;
                batch_leave(server, call->batch);
                call_free(call);
        }
}

/* ---- answers ---- */

void call_answer(struct mcp_server *server, struct call *call, bool is_error, struct str text, struct str structured) {
        struct batch *outer = server->batch;
        struct buf *out;

        call->done = true;
        if (call->cancelled)
                return;
        server->batch = call->batch;
        out = batch_out(server);
        rpc_result_begin(server, call->id, call->stateless);
        buf_append(out, STR("\"content\":[{\"type\":\"text\",\"text\":"));
        buf_json(out, text);
        buf_append(out, STR("}]"));
        if (structured.len) {
                buf_append(out, STR(",\"structuredContent\":"));
                buf_append(out, structured);
        }
        buf_append(out, is_error ? STR(",\"isError\":true") : STR(",\"isError\":false"));
        rpc_result_end(server);
        server->batch = outer;
}

void call_ask(struct mcp_server *server, struct call *call, struct str form, struct str state) {
        struct batch *outer = server->batch;
        struct buf *out;

        call->done = true;
        server->batch = call->batch;
        out = batch_out(server);
        rpc_input_begin(server, call->id);
        buf_append(out, STR("\"inputRequests\":{\"approve\":{\"method\":\"elicitation/create\",\"params\":"));
        buf_append(out, form);
        buf_append(out, STR("}},\"requestState\":"));
        buf_json(out, state);
        rpc_result_end(server);
        server->batch = outer;
}

void call_refuse(struct mcp_server *server, struct call *call, const char *format, ...) {
        char text[TEXT_MAX];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        call_answer(server, call, true, str_z(text), STR(""));
}

/* ---- what happens meanwhile ---- */

/* When the next progress is to be told; 0: never. A client that is behind can do without news, but not without a sign of life;
 * one that does not read at all has enough of those. */
static int64_t progress_at(const struct mcp_server *server, const struct call *call) {
        bool waits = call->waits == WAITS_END || call->waits == WAITS_OUTPUT || call->waits == WAITS_ANSWER;

        if (!call->progress || !waits || call->cancelled || wire_pending(&server->wire) >= WIRE_FULL)
                return 0;
        return call->told_at + (call->news && !server->wire.behind ? PROGRESS_SOONEST : PROGRESS_LATEST);
}

int64_t call_deadline(const struct mcp_server *server, const struct call *call) {
        int64_t progress = progress_at(server, call);

        return progress && (!call->deadline || progress < call->deadline) ? progress : call->deadline;
}

void call_due(struct mcp_server *server, struct call *call) {
        int64_t progress = progress_at(server, call);

        if (call->done)
                return;
        if (call->deadline && server->now >= call->deadline && call->waits == WAITS_ANSWER)
                ask_withdraw(server, call, true);
        else if (call->deadline && server->now >= call->deadline)
                bash_output_answer(server, call);
        else if (progress && server->now >= progress)
                bash_progress(server, call);
}

void call_hear(struct mcp_server *server, struct call *call, enum bailey_event_kind kind) {
        bool ended = kind == BAILEY_EVENT_ENDED;

        if (call->waits == WAITS_END && ended)
                bash_ended(server, call);
        else if (call->waits == WAITS_END && kind == BAILEY_EVENT_OUTPUT)
                call->news = true;
        else if (call->waits == WAITS_START && ended)
                bash_ended(server, call);
        else if (call->waits == WAITS_START && kind == BAILEY_EVENT_STARTED)
                bash_started(server, call);
        else if (call->waits == WAITS_OUTPUT && kind != BAILEY_EVENT_STARTED)
                bash_output_answer(server, call);
        else if (call->waits == WAITS_KILL && ended)
                kill_shell_answer(server, call);
}

void call_cancel(struct mcp_server *server, struct call *call) {
        call->cancelled = true;
        if (call->waits == WAITS_END || call->waits == WAITS_START)
                bailey_kill(server->session, call->shell, SIGKILL);
        else if (call->waits == WAITS_ANSWER)
                ask_withdraw(server, call, false);
        else
                call->done = true;
}
