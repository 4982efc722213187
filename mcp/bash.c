/*
 * The tool that runs commands.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "format/format.h"
#include "format/json.h"
#include "mcp/call.h"

enum { ANSWER_MAX = 128 << 20, PROGRESS_BYTES = 1 << 10 };

/* ---- the start ---- */

static bool read_timeout(struct mcp_server *server, struct call *call, json_t *arguments, long long *ret) {
        json_t *seconds = json_object_get(arguments, "timeout"), *milliseconds = json_object_get(arguments, "timeout_ms");
        double wanted = json_is_number(seconds) ? json_number_value(seconds) * 1000 : (double)json_integer_value(milliseconds);

        if (json_is_number(seconds) && json_is_number(milliseconds)) {
                call_refuse(server, call, "Bash: timeout and timeout_ms exclude each other");
                return false;
        }
        *ret = wanted > 1e15 ? (long long)1e15 : (long long)ceil(wanted);
        return true;
}

/* Of a command that is written to while it runs. Returns false if the call was answered. */
static bool read_terminal(struct mcp_server *server, struct call *call, json_t *arguments, struct bailey_run_options *options) {
        json_t *rows = json_object_get(arguments, "rows"), *columns = json_object_get(arguments, "columns");
        bool sized = json_is_integer(rows) || json_is_integer(columns);

        options->rows = call_size(rows);
        options->columns = call_size(columns);
        if ((options->input || options->terminal) && !options->background)
                call_refuse(server, call, "Bash: %s: true needs run_in_background: true, and BashInput to write to it",
                            options->terminal ? "pty" : "stdin");
        else if (sized && !options->terminal)
                call_refuse(server, call, "Bash: rows and columns need pty: true");
        else
                return true;
        return false;
}

/* What was asked for, for as long as the call is there. */
struct order {
        struct bailey_run_options options;
        const char *hosts[NEEDS_MAX + 1], *write[NEEDS_MAX + 1], *reason;
};

/* tools.c has checked what they are. */
static void read_needs(json_t *needs, const char *name, const char **ret) {
        json_t *list = json_object_get(needs, name);

        for (size_t i = 0; i < json_array_size(list) && i < NEEDS_MAX; i++)
                ret[i] = json_string_value(json_array_get(list, i));
}

static bool read_order(struct mcp_server *server, struct call *call, json_t *arguments, struct order *ret) {
        json_t *needs = json_object_get(arguments, "needs");

        *ret = (struct order){
                .options = {
                        .command = json_string_value(json_object_get(arguments, "command")),
                        .cwd = json_string_value(json_object_get(arguments, "cwd")),
                        .description = json_string_value(json_object_get(arguments, "description")),
                        .background = json_is_true(json_object_get(arguments, "run_in_background")),
                        .input = json_is_true(json_object_get(arguments, "stdin")),
                        .terminal = json_is_true(json_object_get(arguments, "pty")) ? BAILEY_TERMINAL_REQUIRED
                                                                                    : BAILEY_TERMINAL_NONE,
                        .fresh = json_is_true(json_object_get(arguments, "fresh")),
                        .stage = server->options->stage,
                        .consent = BAILEY_CONSENT_TO_ASK,
                },
                .reason = json_string_value(json_object_get(needs, "reason")),
        };
        read_needs(needs, "hosts", ret->hosts);
        read_needs(needs, "write", ret->write);
        ret->options.need_hosts = ret->hosts;
        ret->options.need_write = ret->write;
        return read_timeout(server, call, arguments, &ret->options.timeout_ms) &&
               read_terminal(server, call, arguments, &ret->options);
}

/* Returns whether the user has to be asked first. */
static bool start(struct mcp_server *server, struct call *call, const struct bailey_run_options *options) {
        char error[512];
        int started = bailey_start(server->session, options, call->shell, error, sizeof(error));

        if (started < 0)
                call_refuse(server, call, "Bash: %s", error);
        else if (started == 0)
                call->waits = options->background ? WAITS_START : WAITS_END;
        return started > 0;
}

void bash_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        struct order order;

        if (!read_order(server, call, arguments, &order))
                return;
        if (ask_is_answered(call))
                ask_take(server, call, &order.options);
        else if (start(server, call, &order.options))
                ask_begin(server, call, &order.options, order.reason);
}

void bash_decide(struct mcp_server *server, struct call *call, const struct decision *decision) {
        struct order order;

        if (!read_order(server, call, json_object_get(call->params, "arguments"), &order))
                return;
        order.options.consent = decision->consent;
        order.options.refusal = decision->refusal;
        order.options.agreed = decision->agreed;
        if (decision->without_needs)
                order.options.need_hosts = order.options.need_write = NULL;
        start(server, call, &order.options);
}

/* ---- meanwhile ---- */

/* Of the last lines as many as fit. */
static struct str last_lines(struct str text) {
        struct str tail = text.len > PROGRESS_BYTES ? str_skip(text, text.len - PROGRESS_BYTES) : text;

        if (tail.len < text.len && str_find(tail, '\n') < tail.len - 1)
                tail = str_skip(tail, str_find(tail, '\n') + 1);
        while (tail.len && tail.ptr[tail.len - 1] == '\n')
                tail.len--;
        return tail;
}

void bash_progress(struct mcp_server *server, struct call *call) {
        struct bailey_read_options options = { .tail = 1, .limit = PROGRESS_BYTES };
        double seconds = (double)(server->now - call->begun) / (double)TIME_SECOND;
        struct bailey_reading reading;
        char idle[64];

        snprintf(idle, sizeof(idle), "%s for %.0f s", call->waits == WAITS_END ? "running" : "waiting", seconds);
        if (call->news && bailey_read(server->session, call->shell, &options, &reading, NULL, 0) == 0) {
                rpc_progress(server, call, seconds, last_lines(str_from(reading.out.text, reading.out.length)));
                bailey_reading_free(&reading);
        } else {
                rpc_progress(server, call, seconds, str_z(idle));
        }
        call->told_at = server->now;
        call->news = false;
}

/* ---- the end ---- */

static const char *status_of(const struct bailey_outcome *o) {
        static const char *const names[] = {
                [BAILEY_EXITED] = "completed",  [BAILEY_TIMED_OUT] = "timed_out", [BAILEY_CANCELLED] = "cancelled",
                [BAILEY_REFUSED] = "refused",   [BAILEY_NOT_FOUND] = "failed",    [BAILEY_FAILED] = "failed",
                [BAILEY_PLANNED] = "completed",
        };

        return names[o->end];
}

static bool has_run(const struct bailey_outcome *o) {
        return o->end == BAILEY_EXITED || o->end == BAILEY_TIMED_OUT || o->end == BAILEY_CANCELLED;
}

/* A newline where the text before has none. */
static void new_line(struct buf *out) {
        if (out->len && out->ptr[out->len - 1] != '\n')
                buf_char(out, '\n');
}

static void put_note(struct buf *out, struct str line) {
        new_line(out);
        buf_append(out, STR("bailey: "));
        buf_append(out, line);
}

static void put_notices(struct buf *out, const struct bailey_outcome *o) {
        for (const char *const *notice = o->notices; notice && *notice; notice++)
                put_note(out, str_z(*notice));
}

static void put_explanation(struct buf *out, const struct bailey_outcome *o) {
        struct str rest = str_z(o->explanation ? o->explanation : o->end == BAILEY_TIMED_OUT ? o->message : "");

        for (; rest.len; rest = str_skip(rest, str_find(rest, '\n') + 1))
                put_note(out, str_take(rest, str_find(rest, '\n')));
}

static void ran_text(const struct bailey_outcome *o, struct buf *out) {
        buf_append(out, str_from(o->output, o->output_length));
        put_notices(out, o);
        put_explanation(out, o);
        if (o->exit_code) {
                new_line(out);
                buf_format(out, "exit: %d", o->exit_code);
        }
        if (!out->len)
                buf_append(out, STR("(no output)"));
}

static void refused_text(const struct bailey_outcome *o, struct buf *out) {
        if (o->end == BAILEY_REFUSED)
                buf_append(out, STR("Blocked: the command did not run.\n"));
        else
                buf_append(out, STR("The command could not be run.\n"));
        buf_append(out, str_z(o->message ? o->message : "out of memory"));
        put_notices(out, o);
        if (o->end == BAILEY_REFUSED)
                buf_append(out, STR("\n"
                                    "Rewrite the command so that it does not do this. bash_sandbox_test checks a command "
                                    "without running it. Only the user can change the policy."));
}

static void put_rules(struct buf *out, const struct bailey_outcome *o) {
        put_array(out, "rules");
        for (size_t i = 0; i < o->reason_count; i++)
                put_string(out, text_str(o->reasons[i].rule));
        put_array_end(out);
}

static void structured(const struct bailey_outcome *o, struct buf *out) {
        put_begin(out);
        put_text(out, "status", status_of(o));
        put_ending(out, o);
        put_bytes(out, "output", str_from(o->output, o->output_length));
        put_number(out, "truncated_bytes", (long long)o->elided_bytes);
        put_number(out, "duration_ms", o->duration_ms);
        put_text(out, "cwd", o->cwd);
        put_text(out, "backend", o->backend);
        put_texts(out, "enforced", o->enforced);
        put_texts(out, "warnings", o->notices);
        put_text(out, "explanation", o->explanation);
        put_rules(out, o);
        put_network(out, o->network);
        put_staged(out, o->staged);
        put_text(out, "message", o->message);
        put_end(out);
}

void bash_ended(struct mcp_server *server, struct call *call) {
        struct bailey_outcome outcome;
        BUF_AUTO text, json;
        bool ran;

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        if (bailey_take(server->session, call->shell, &outcome) != 1) {
                if (call->waits == WAITS_START) {
                        bash_started(server, call); /* and killed, or out of time, before it was known to run */
                        return;
                }
                call_refuse(server, call, "Bash: out of memory; the result of the command is lost");
                return;
        }
        ran = has_run(&outcome);
        (ran ? ran_text : refused_text)(&outcome, &text);
        structured(&outcome, &json);
        bailey_outcome_free(&outcome);
        if (text.failed || json.failed)
                call_refuse(server, call, "Bash: the command ran, but there is not enough memory for its output");
        else
                call_answer(server, call, !ran, buf_str(&text), buf_str(&json));
}

void bash_started(struct mcp_server *server, struct call *call) {
        static const char *const statuses[] = {
                [BAILEY_STATUS_RUNNING] = "running",
                [BAILEY_STATUS_COMPLETED] = "running", /* it was started: that is all */
                [BAILEY_STATUS_TIMED_OUT] = "timed_out",
                [BAILEY_STATUS_KILLED] = "cancelled",
                [BAILEY_STATUS_FAILED] = "failed",
        };
        struct bailey_read_options options = { .limit = PROGRESS_BYTES };
        struct bailey_reading reading;
        BUF_AUTO text, json;
        char error[512];

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        if (bailey_read(server->session, call->shell, &options, &reading, error, sizeof(error)) < 0) {
                call_refuse(server, call, "Bash: %s", error);
                return;
        }
        buf_format(&text,
                   "shell_id: %s\n"
                   "started in background: %s\n"
                   "Use BashOutput to read its output, BashInput to signal it or, with stdin or pty, to write to it, and "
                   "KillShell to end it.",
                   call->shell, reading.command);
        if (reading.status == BAILEY_STATUS_TIMED_OUT)
                buf_append(&text, STR("\n"
                                      "It has already timed out."));
        put_begin(&json);
        put_text(&json, "status", statuses[reading.status]);
        put_text(&json, "shell_id", call->shell);
        put_text(&json, "command", reading.command);
        put_end(&json);
        bailey_reading_free(&reading);
        call_answer(server, call, false, buf_str(&text), buf_str(&json));
}
