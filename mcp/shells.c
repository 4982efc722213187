/*
 * The tools that look after commands in the background.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "format/json.h"
#include "mcp/call.h"
#include "mcp/signals.h"

enum { ANSWER_MAX = 128 << 20, WAIT_MAX_MS = 30000 };

/* "completed (exit 3)" */
static const char *status_text(const struct bailey_reading *reading, char text[static 32]) {
        static const char *const names[] = {
                [BAILEY_STATUS_RUNNING] = "running", [BAILEY_STATUS_COMPLETED] = "completed",
                [BAILEY_STATUS_KILLED] = "killed",   [BAILEY_STATUS_TIMED_OUT] = "timed out",
                [BAILEY_STATUS_FAILED] = "failed",
        };

        if (reading->status != BAILEY_STATUS_COMPLETED)
                return names[reading->status];
        snprintf(text, 32, "completed (exit %d)", reading->exit_code);
        return text;
}

static void put_exit(struct buf *out, const struct bailey_reading *reading) {
        if (reading->status == BAILEY_STATUS_RUNNING || reading->status == BAILEY_STATUS_FAILED)
                put_null(out, "exit_code");
        else
                put_number(out, "exit_code", reading->exit_code);
}

static char *keep(json_t *arguments, const char *name) {
        const char *value = json_string_value(json_object_get(arguments, name));

        return value ? strdup(value) : NULL;
}

bool call_shell(struct mcp_server *server, struct call *call, json_t *arguments) {
        const char *id = json_string_value(json_object_get(arguments, "shell_id"));

        if (strlen(id) < sizeof(call->shell)) {
                memcpy(call->shell, id, strlen(id) + 1);
                return true;
        }
        call_refuse(server, call, "unknown shell_id '%.64s'; Bash returns one if run_in_background is true", id);
        return false;
}

int call_size(const json_t *number) {
        json_int_t size = json_integer_value(number);

        return size < INT16_MAX ? (int)size : INT16_MAX;
}

static int read_shell(struct mcp_server *server, struct call *call, struct bailey_reading *ret) {
        struct bailey_read_options options = { .since = call->since, .filter = call->filter };
        char error[512];

        if (bailey_read(server->session, call->shell, &options, ret, error, sizeof(error)) == 0)
                return 0;
        call_refuse(server, call, "%s", error);
        return -1;
}

/* ---- BashOutput ---- */

static void put_stream(struct buf *out, const char *name, const struct bailey_stream *stream) {
        if (!stream->length)
                return;
        buf_format(out, "\n\n%s:\n", name);
        buf_append(out, str_from(stream->text, stream->length));
        if (out->len && out->ptr[out->len - 1] == '\n')
                out->len--;
}

static void screen_text(const struct bailey_screen *s, struct buf *out) {
        buf_format(out, "\nscreen: %d rows, %d columns, cursor at row %d, column %d%s\n\n", s->rows, s->columns, s->row,
                   s->column, s->cursor_shown ? "" : " (hidden)");
        buf_append(out, str_from(s->text, s->length));
        if (out->len && out->ptr[out->len - 1] == '\n')
                out->len--;
}

static void screen_json(const struct bailey_screen *s, struct buf *out) {
        put_object(out, "screen");
        put_bytes(out, "text", str_from(s->text, s->length));
        put_number(out, "rows", s->rows);
        put_number(out, "columns", s->columns);
        put_number(out, "cursor_row", s->row);
        put_number(out, "cursor_column", s->column);
        put_switch(out, "cursor_shown", s->cursor_shown);
        put_switch(out, "alternate", s->alternate);
        put_end(out);
}

/* `screen`: in place of the output; NULL: that. */
static void output_text(const struct bailey_reading *r, const char *status, const struct bailey_screen *screen,
                        struct buf *out) {
        if (r->description)
                buf_format(out, "# %s\n", r->description);
        buf_format(out, "%s\nstatus: %s\nstarted: %s, %.1f s\nstdout: %llu bytes, stderr: %llu bytes\nnext: %s", r->command,
                   status, r->started, (double)r->duration_ms / 1000, r->out.bytes, r->err.bytes, r->next);
        if (r->message)
                buf_format(out, "\n%s", r->message);
        if (r->explanation)
                buf_format(out, "\nbailey: %s", r->explanation);
        if (screen) {
                screen_text(screen, out);
                return;
        }
        put_stream(out, "stdout", &r->out);
        put_stream(out, "stderr", &r->err);
}

static void output_json(const struct call *call, const struct bailey_reading *r, const char *status,
                        const struct bailey_screen *screen, struct buf *out) {
        put_begin(out);
        put_text(out, "shell_id", call->shell);
        put_text(out, "command", r->command);
        put_text(out, "description", r->description);
        put_text(out, "status", status);
        put_switch(out, "running", r->status == BAILEY_STATUS_RUNNING);
        put_exit(out, r);
        put_text(out, "started", r->started);
        put_number(out, "duration_ms", r->duration_ms);
        put_bytes(out, "stdout", screen ? STR("") : str_from(r->out.text, r->out.length));
        put_bytes(out, "stderr", str_from(r->err.text, r->err.length));
        if (screen)
                screen_json(screen, out);
        put_number(out, "stdout_bytes", (long long)r->out.bytes);
        put_number(out, "stderr_bytes", (long long)r->err.bytes);
        put_number(out, "stdout_truncated_bytes", (long long)r->out.elided);
        put_number(out, "stderr_truncated_bytes", (long long)r->err.elided);
        put_text(out, "next", r->next);
        put_text(out, "message", r->message);
        put_text(out, "explanation", r->explanation);
        put_end(out);
}

static void answer_with(struct mcp_server *server, struct call *call, const struct bailey_reading *reading,
                        const struct bailey_screen *screen) {
        char number[32];
        const char *status = status_text(reading, number);
        BUF_AUTO text, json;

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        output_text(reading, status, screen, &text);
        output_json(call, reading, status, screen, &json);
        if (text.failed || json.failed)
                call_refuse(server, call, "BashOutput: out of memory for the output");
        else
                call_answer(server, call, false, buf_str(&text), buf_str(&json));
}

static void answer_reading(struct mcp_server *server, struct call *call, const struct bailey_reading *reading) {
        struct bailey_screen screen;
        char error[512];

        if (!call->screen) {
                answer_with(server, call, reading, NULL);
                return;
        }
        if (bailey_screen(server->session, call->shell, &screen, error, sizeof(error)) < 0) {
                call_refuse(server, call, "BashOutput: %s", error);
                return;
        }
        answer_with(server, call, reading, &screen);
        bailey_screen_free(&screen);
}

void bash_output_answer(struct mcp_server *server, struct call *call) {
        struct bailey_reading reading;

        if (read_shell(server, call, &reading) < 0)
                return;
        answer_reading(server, call, &reading);
        bailey_reading_free(&reading);
}

void bash_output_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        json_int_t wait = json_integer_value(json_object_get(arguments, "wait_ms"));
        struct bailey_reading reading;
        bool is_news;

        if (!call_shell(server, call, arguments))
                return;
        call->since = keep(arguments, "since");
        call->filter = keep(arguments, "filter");
        call->screen = json_is_true(json_object_get(arguments, "screen"));
        if (read_shell(server, call, &reading) < 0)
                return;
        is_news = reading.out.length || reading.err.length; /* without `since`, all of it */
        if (wait == 0 || is_news || reading.status != BAILEY_STATUS_RUNNING) {
                answer_reading(server, call, &reading);
        } else {
                call->waits = WAITS_OUTPUT;
                call->deadline = server->now + (wait < WAIT_MAX_MS ? wait : WAIT_MAX_MS) * (TIME_SECOND / 1000);
        }
        bailey_reading_free(&reading);
}

/* ---- KillShell ---- */

void kill_shell_answer(struct mcp_server *server, struct call *call) {
        struct bailey_reading reading;
        BUF_AUTO text, json;
        char number[32];

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        if (read_shell(server, call, &reading) < 0)
                return;
        buf_format(&text, "%s\nstatus: %s", reading.command, status_text(&reading, number));
        put_begin(&json);
        put_text(&json, "shell_id", call->shell);
        put_text(&json, "status", status_text(&reading, number));
        put_exit(&json, &reading);
        put_end(&json);
        bailey_reading_free(&reading);
        call_answer(server, call, false, buf_str(&text), buf_str(&json));
}

static void refuse_signal(struct mcp_server *server, struct call *call, const char *name) {
        BUF_AUTO names;

        buf_init(&names, 512);
        signal_names(SIGNAL_ENDS, &names);
        call_refuse(server, call, "KillShell: unknown signal '%.32s': expected %.*s", name, (int)names.len, names.ptr);
}

void kill_shell_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        const char *name = json_string_value(json_object_get(arguments, "signal"));
        struct bailey_reading reading;
        int number = name ? signal_number(name, SIGNAL_ENDS) : SIGTERM;
        bool running;

        if (!call_shell(server, call, arguments))
                return;
        if (!number) {
                refuse_signal(server, call, name);
                return;
        }
        if (read_shell(server, call, &reading) < 0)
                return;
        running = reading.status == BAILEY_STATUS_RUNNING;
        bailey_reading_free(&reading);
        if (!running) {
                kill_shell_answer(server, call);
                return;
        }
        bailey_kill(server->session, call->shell, number);
        call->waits = WAITS_KILL;
}
