/*
 * The tool that types: what a command in the background is given to read, and signals for it.
 */
#include <string.h>

#include "format/json.h"
#include "mcp/call.h"
#include "mcp/signals.h"

enum { ANSWER_MAX = 64 << 10 };

static int read_signal(struct mcp_server *server, struct call *call, json_t *arguments, int *ret) {
        const char *name = json_string_value(json_object_get(arguments, "signal"));
        BUF_AUTO names;

        *ret = name ? signal_number(name, SIGNAL_TELLS) : 0;
        if (!name || *ret)
                return 0;
        buf_init(&names, 512);
        signal_names(SIGNAL_TELLS, &names);
        call_refuse(server, call, "BashInput: unknown signal '%.32s': expected %.*s; KillShell ends a command", name,
                    (int)names.len, names.ptr);
        return -1;
}

static int give(struct mcp_server *server, struct call *call, const struct bailey_input *input,
                struct bailey_input_taken *ret) {
        char error[512];

        if (bailey_input(server->session, call->shell, input, ret, error, sizeof(error)) == 0)
                return 0;
        call_refuse(server, call, "BashInput: %s", error);
        return -1;
}

static int send_signal(struct mcp_server *server, struct call *call, int number) {
        char error[512];

        if (bailey_signal(server->session, call->shell, number, error, sizeof(error)) == 0)
                return 0;
        call_refuse(server, call, "BashInput: %s", error);
        return -1;
}

static void answer(struct mcp_server *server, struct call *call, const struct bailey_input_taken *taken, bool ended,
                   int signal) {
        BUF_AUTO text, json;

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        if (!signal || taken->taken || ended)
                buf_format(&text, "%zu bytes written%s%s", taken->taken, ended ? ", then the end" : "", signal ? "; " : "");
        if (signal)
                buf_append(&text, STR("signal sent"));
        if (taken->waiting)
                buf_format(&text, "\n%zu bytes wait for the command to read", taken->waiting);
        buf_append(&text, STR("\nUse BashOutput with `since` and wait_ms to read what the command answers."));
        put_begin(&json);
        put_text(&json, "shell_id", call->shell);
        put_number(&json, "taken_bytes", (long long)taken->taken);
        put_number(&json, "waiting_bytes", (long long)taken->waiting);
        put_end(&json);
        call_answer(server, call, false, buf_str(&text), buf_str(&json));
}

void bash_input_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        json_t *text = json_object_get(arguments, "input");
        const struct bailey_input input = { .text = json_string_value(text),
                                            .length = json_string_length(text),
                                            .end = json_is_true(json_object_get(arguments, "eof")) };
        struct bailey_input_taken taken = {};
        bool writes = input.length || input.end;
        int signal;

        if (!call_shell(server, call, arguments) || read_signal(server, call, arguments, &signal) < 0)
                return;
        if (!writes && !signal) {
                call_refuse(server, call, "BashInput: nothing to do: give input, eof or signal");
                return;
        }
        if ((writes && give(server, call, &input, &taken) < 0) || (signal && send_signal(server, call, signal) < 0))
                return;
        answer(server, call, &taken, input.end, signal);
}
