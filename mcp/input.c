/*
 * The tool that types: what a command in the background is given to read, and signals for it.
 */
#include <stdlib.h>

#include "format/json.h"
#include "mcp/call.h"
#include "mcp/signals.h"

enum { ANSWER_MAX = 64 << 10 };

static void refuse_signal(struct mcp_server *server, struct call *call, const char *name) {
        BUF_AUTO names;

        buf_init(&names, 512);
        signal_names(SIGNAL_TELLS, &names);
        call_refuse(server, call, "BashInput: unknown signal '%.32s': expected %.*s; KillShell ends a command", name,
                    (int)names.len, names.ptr);
}

/* 0: none was asked for. */
static int read_signal(struct mcp_server *server, struct call *call, json_t *arguments, int *ret) {
        const char *name = json_string_value(json_object_get(arguments, "signal"));

        *ret = name ? signal_number(name, SIGNAL_TELLS) : 0;
        if (!name || *ret)
                return 0;
        refuse_signal(server, call, name);
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
                buf_format(&text, "\n%zu bytes not yet read by the command", taken->waiting);
        buf_append(&text, STR("\nUse BashOutput with `since` and wait_ms to read the response."));
        put_begin(&json);
        put_text(&json, "shell_id", call->shell);
        put_number(&json, "taken_bytes", (long long)taken->taken);
        put_number(&json, "waiting_bytes", (long long)taken->waiting);
        put_end(&json);
        call_answer(server, call, false, buf_str(&text), buf_str(&json));
}

static int resize(struct mcp_server *server, struct call *call, json_t *arguments) {
        json_t *rows = json_object_get(arguments, "rows"), *columns = json_object_get(arguments, "columns");
        char error[512] = "a new size requires both rows and columns";

        if (json_is_integer(rows) && json_is_integer(columns) &&
            bailey_resize(server->session, call->shell, call_size(rows), call_size(columns), error, sizeof(error)) == 0)
                return 0;
        call_refuse(server, call, "BashInput: %s", error);
        return -1;
}

static const char **read_keys(json_t *arguments) {
        json_t *keys = json_object_get(arguments, "keys");
        const char **list = calloc(json_array_size(keys) + 1, sizeof(*list));

        for (size_t i = 0; list && i < json_array_size(keys); i++)
                list[i] = json_string_value(json_array_get(keys, i));
        return list;
}

/* What is to be done, in this order. */
struct wanted {
        bool resizes, writes;
        struct bailey_input input;
        int signal;
};

static void do_all(struct mcp_server *server, struct call *call, json_t *arguments, const struct wanted *wanted) {
        struct bailey_input_taken taken = {};

        if (!wanted->resizes && !wanted->writes && !wanted->signal) {
                call_refuse(server, call, "BashInput: expected input, keys, eof, signal, or rows and columns");
                return;
        }
        if ((wanted->resizes && resize(server, call, arguments) < 0) ||
            (wanted->writes && give(server, call, &wanted->input, &taken) < 0) ||
            (wanted->signal && send_signal(server, call, wanted->signal) < 0))
                return;
        answer(server, call, &taken, wanted->input.end, wanted->signal);
}

void bash_input_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        json_t *text = json_object_get(arguments, "input");
        const char **keys = read_keys(arguments);
        struct wanted wanted = { .input = { .text = json_string_value(text),
                                            .length = json_string_length(text),
                                            .keys = keys,
                                            .end = json_is_true(json_object_get(arguments, "eof")) } };

        wanted.resizes =
                json_is_integer(json_object_get(arguments, "rows")) || json_is_integer(json_object_get(arguments, "columns"));
        wanted.writes = wanted.input.length || (keys && keys[0]) || wanted.input.end;
        if (!keys)
                call_refuse(server, call, "BashInput: out of memory");
        else if (call_shell(server, call, arguments) && read_signal(server, call, arguments, &wanted.signal) == 0)
                do_all(server, call, arguments, &wanted);
        free(keys);
}
