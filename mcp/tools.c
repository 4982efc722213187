/*
 * The tools: what agents are told of each, what it takes and gives, and who does it. Schemas are made from the rows, and what
 * comes in is checked against the same rows.
 */
#include <math.h>
#include <stdio.h>

#include "mcp/call.h"

enum kind {
        KIND_TEXT,
        KIND_INTEGER,
        KIND_NUMBER,
        KIND_SWITCH,
        KIND_TEXTS, /* the rest only in answers */
        KIND_OBJECTS,
        KIND_OBJECT,
};

struct field {
        const char *name; /* NULL ends the rows */
        enum kind kind;
        bool required;
        bool nullable; /* only in answers */
        const char *help;
};

struct tool {
        const char *name, *title, *description;
        bool read_only, destructive, idempotent, open_world;
        const struct field *input, *output;
        tool_call *call;
};

/* ---- rows ---- */

static const struct field bash_input[] = {
        { "command", KIND_TEXT, true, false, "Bash text to run, as for bash -c." },
        { "description", KIND_TEXT, true, false, "What it is for, in five to ten words." },
        { "timeout", KIND_NUMBER, false, false, "Seconds until it is killed; the user's policy has a default and a maximum." },
        { "timeout_ms", KIND_INTEGER, false, false, "The same in milliseconds; give one of the two." },
        { "run_in_background", KIND_SWITCH, false, false,
          "Answer at once with a shell_id and let it run: for servers, watchers and long builds. No timeout unless asked "
          "for, and then no more than the maximum." },
        { "cwd", KIND_TEXT, false, false, "The directory to run in, inside the workspace; the workspace itself if not given." },
        {},
};

static const struct field bash_output[] = {
        { "status", KIND_TEXT, true, false, "completed, running (in the background), timed_out, cancelled, refused or failed" },
        { "exit_code", KIND_INTEGER, false, true,
          "What the command ended with; 124 timed out, 126 refused, 125 could not be run" },
        { "signal", KIND_INTEGER, false, true, "The signal that ended it" },
        { "timed_out", KIND_SWITCH, false, false, "It took longer than its timeout and was killed" },
        { "cancelled", KIND_SWITCH, false, false, "Somebody wanted its end" },
        { "output", KIND_TEXT, false, false, "stdout and stderr as they came; if there was much, its middle is left out" },
        { "truncated_bytes", KIND_INTEGER, false, false, "How much is left out" },
        { "duration_ms", KIND_INTEGER, false, false, "How long it ran" },
        { "backend", KIND_TEXT, false, true, "The sandbox it ran in" },
        { "enforced", KIND_TEXTS, false, false, "What that sandbox kept up" },
        { "warnings", KIND_TEXTS, false, false, "What else should be known" },
        { "explanation", KIND_TEXT, false, true, "Why it probably failed, and what to do" },
        { "rules", KIND_TEXTS, false, false, "The rules that refused it, or warned" },
        { "message", KIND_TEXT, false, true, "What went wrong" },
        { "shell_id", KIND_TEXT, false, false, "In the background: for BashOutput and KillShell" },
        { "command", KIND_TEXT, false, false, "In the background: what runs" },
        {},
};

static const struct field output_input[] = {
        { "shell_id", KIND_TEXT, true, false, "Of a command that Bash started in the background." },
        { "since", KIND_TEXT, false, false,
          "The `next` of an earlier answer: only what came after it. Without it, all that is kept, its middle left out." },
        { "filter", KIND_TEXT, false, false, "A regular expression (PCRE): only lines that match it." },
        { "wait_ms", KIND_INTEGER, false, false,
          "Wait that long for output that is new since `since`, or for the end, instead of asking again and again. More than "
          "30000 is taken as 30000." },
        {},
};

static const struct field output_output[] = {
        { "shell_id", KIND_TEXT, true, false, "As asked for" },
        { "command", KIND_TEXT, true, false, "What runs" },
        { "status", KIND_TEXT, true, false, "running, completed (exit N), killed, timed out or failed" },
        { "running", KIND_SWITCH, true, false, "It has not ended" },
        { "exit_code", KIND_INTEGER, false, true, "What it ended with" },
        { "started", KIND_TEXT, true, false, "When, in UTC" },
        { "duration_ms", KIND_INTEGER, true, false, "How long it has been running, or ran" },
        { "stdout", KIND_TEXT, true, false, "" },
        { "stderr", KIND_TEXT, true, false, "" },
        { "stdout_bytes", KIND_INTEGER, true, false, "That came in all" },
        { "stderr_bytes", KIND_INTEGER, true, false, "That came in all" },
        { "stdout_truncated_bytes", KIND_INTEGER, true, false, "That are left out in stdout" },
        { "stderr_truncated_bytes", KIND_INTEGER, true, false, "That are left out in stderr" },
        { "next", KIND_TEXT, true, false, "For `since`, next time" },
        { "message", KIND_TEXT, false, true, "What went wrong" },
        { "explanation", KIND_TEXT, false, true, "Why it probably failed, and what to do" },
        {},
};

static const struct field kill_input[] = {
        { "shell_id", KIND_TEXT, true, false, "Of a command that Bash started in the background." },
        { "signal", KIND_TEXT, false, false, "SIGTERM (if not given), SIGINT, SIGHUP, SIGQUIT or SIGKILL." },
        {},
};

static const struct field kill_output[] = {
        { "shell_id", KIND_TEXT, true, false, "As asked for" },
        { "status", KIND_TEXT, true, false, "killed, or how it had ended before" },
        { "exit_code", KIND_INTEGER, false, true, "What it ended with" },
        {},
};

static const struct field test_input[] = {
        { "command", KIND_TEXT, true, false, "Bash text; nothing of it runs." },
        {},
};

static const struct field test_output[] = {
        { "action", KIND_TEXT, true, false, "allowed, warned or blocked" },
        { "reasons", KIND_OBJECTS, true, false, "rule, severity, message, range in the command" },
        { "commands", KIND_OBJECTS, false, false, "The words of each command in it" },
        { "effects", KIND_OBJECTS, false, false, "What it would do" },
        {},
};

static const struct field nothing[] = { {} };

static const struct field container_output[] = {
        { "runtimes", KIND_OBJECTS, true, false, "name, available, why not, path, version" },
        { "wanted", KIND_TEXT, false, true, "The runtime that is configured" },
        { "used", KIND_TEXT, false, true, "The one that commands run in" },
        { "config", KIND_OBJECT, true, false, "The container settings" },
        {},
};

static const struct tool tools[] = {
        { .name = "Bash",
          .title = "Run a command",
          .description =
                  "Runs a bash command inside a sandbox and answers with its output, stdout and stderr merged in the order "
                  "they came, and `exit: N` when N is not 0. It starts in the workspace, with no stdin and a shell of its "
                  "own: no variables or directories are left from the command before. It may write the workspace and "
                  "/tmp; /tmp is empty each time. A command that is refused did not run: the answer says which rule, why, "
                  "and what to do instead. For what takes longer than a minute or never ends use run_in_background.",
          .destructive = true,
          .open_world = true,
          .input = bash_input,
          .output = bash_output,
          .call = bash_call },
        { .name = "BashOutput",
          .title = "Read a background command",
          .description =
                  "Reads what a command in the background has written, and whether it still runs. Pass the `next` of the "
                  "last answer as `since` to get only what is new, and wait_ms to wait for it.",
          .read_only = true,
          .idempotent = true,
          .input = output_input,
          .output = output_output,
          .call = bash_output_call },
        { .name = "KillShell",
          .title = "End a background command",
          .description =
                  "Ends a command in the background and all that it started: by a signal, and two seconds later by force. "
                  "One that has ended stays as it is. Its output can still be read by BashOutput.",
          .destructive = true,
          .idempotent = true,
          .input = kill_input,
          .output = kill_output,
          .call = kill_shell_call },
        { .name = "bash_sandbox_test",
          .title = "Ask about a command",
          .description = "Says whether a command would be allowed, and why, without running it.",
          .read_only = true,
          .idempotent = true,
          .input = test_input,
          .output = test_output,
          .call = sandbox_test_call },
        { .name = "bash_container_status",
          .title = "Container settings",
          .description = "Says which container runtimes there are (podman, docker, gVisor), and whether commands run in one.",
          .read_only = true,
          .idempotent = true,
          .input = nothing,
          .output = container_output,
          .call = container_status_call },
};

/* ---- the list ---- */

static const char *const schemas[] = {
        [KIND_TEXT] = "\"string\"", [KIND_INTEGER] = "\"integer\"", [KIND_NUMBER] = "\"number\"", [KIND_SWITCH] = "\"boolean\"",
        [KIND_TEXTS] = "\"array\"", [KIND_OBJECTS] = "\"array\"",   [KIND_OBJECT] = "\"object\"",
};

static void put_field(struct buf *out, const struct field *field, bool input) {
        buf_json(out, str_z(field->name));
        buf_format(out, field->nullable ? ":{\"type\":[%s,\"null\"]" : ":{\"type\":%s", schemas[field->kind]);
        if (field->kind == KIND_TEXTS)
                buf_append(out, STR(",\"items\":{\"type\":\"string\"}"));
        if (input && field->kind == KIND_TEXT)
                buf_append(out, STR(",\"minLength\":1"));
        if (input && field->kind == KIND_NUMBER)
                buf_append(out, STR(",\"exclusiveMinimum\":0"));
        if (input && field->kind == KIND_INTEGER)
                buf_append(out, STR(",\"minimum\":1"));
        if (field->help[0]) {
                buf_append(out, STR(",\"description\":"));
                buf_json(out, str_z(field->help));
        }
        buf_char(out, '}');
}

static void put_schema(struct buf *out, const char *name, const struct field *fields, bool input) {
        const char *comma = "";

        buf_format(out, ",\"%s\":{\"type\":\"object\",\"properties\":{", name);
        for (const struct field *field = fields; field->name; field++) {
                if (field != fields)
                        buf_char(out, ',');
                put_field(out, field, input);
        }
        buf_append(out, STR("},\"required\":["));
        for (const struct field *field = fields; field->name; field++)
                if (field->required) {
                        buf_format(out, "%s\"%s\"", comma, field->name);
                        comma = ",";
                }
        buf_append(out, input ? STR("],\"additionalProperties\":false}") : STR("]}"));
}

static const char *yes_or_no(bool value) {
        return value ? "true" : "false";
}

static void put_tool(struct buf *out, const struct tool *tool) {
        buf_format(out, "{\"name\":\"%s\",\"title\":\"%s\",\"description\":", tool->name, tool->title);
        buf_json(out, str_z(tool->description));
        put_schema(out, "inputSchema", tool->input, true);
        put_schema(out, "outputSchema", tool->output, false);
        buf_format(out, ",\"annotations\":{\"title\":\"%s\",\"readOnlyHint\":%s,\"destructiveHint\":%s", tool->title,
                   yes_or_no(tool->read_only), yes_or_no(tool->destructive));
        buf_format(out, ",\"idempotentHint\":%s,\"openWorldHint\":%s}}", yes_or_no(tool->idempotent),
                   yes_or_no(tool->open_world));
}

void tools_list(struct buf *out) {
        buf_append(out, STR("\"tools\":["));
        for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
                if (i)
                        buf_char(out, ',');
                put_tool(out, &tools[i]);
        }
        buf_char(out, ']');
}

/* ---- a call ---- */

/* What is wrong with a value, or NULL. */
static const char *objection(const struct field *field, const json_t *value) {
        switch (field->kind) {
        case KIND_TEXT:
                if (!json_is_string(value))
                        return "has to be a string";
                if (json_string_length(value) == 0)
                        return "is empty";
                return strlen(json_string_value(value)) == json_string_length(value) ? NULL : "holds a NUL byte";
        case KIND_INTEGER:
                return json_is_integer(value) && json_integer_value(value) > 0 ? NULL : "has to be a whole number above 0";
        case KIND_NUMBER:
                return json_is_number(value) && json_number_value(value) > 0 && isfinite(json_number_value(value))
                               ? NULL
                               : "has to be a number above 0";
        case KIND_SWITCH:
                return json_is_boolean(value) ? NULL : "has to be true or false";
        default:
                return "is not an argument";
        }
}

static const struct field *field_find(const struct field *fields, const char *name) {
        while (fields->name && strcmp(fields->name, name) != 0)
                fields++;
        return fields->name ? fields : NULL;
}

static void refuse_unknown(struct mcp_server *server, struct call *call, const struct tool *tool, const char *name) {
        BUF_AUTO names;

        buf_init(&names, 1024);
        for (const struct field *field = tool->input; field->name; field++)
                buf_format(&names, "%s%s", field == tool->input ? "" : ", ", field->name);
        call_refuse(server, call, "%s: no argument is called %.64s; it takes %.*s", tool->name, name,
                    names.len ? (int)names.len : 2, names.len ? names.ptr : "no");
}

/* Returns whether the arguments are right; else the call was answered. */
static bool check_arguments(struct mcp_server *server, struct call *call, const struct tool *tool, json_t *arguments) {
        const char *name;
        json_t *value;

        json_object_foreach(arguments, name, value) {
                const struct field *field = field_find(tool->input, name);
                const char *wrong = field ? objection(field, value) : NULL;

                /* Null is what some clients send for an argument that is not given. */
                if (field && json_is_null(value) && !field->required)
                        continue;
                if (!field)
                        refuse_unknown(server, call, tool, name);
                else if (wrong)
                        call_refuse(server, call, "%s: %s %s", tool->name, name, wrong);
                if (!field || wrong)
                        return false;
        }
        for (const struct field *field = tool->input; field->name; field++)
                if (field->required && !json_object_get(arguments, field->name)) {
                        call_refuse(server, call, "%s: %s is missing: %s", tool->name, field->name, field->help);
                        return false;
                }
        return true;
}

bool tools_call(struct mcp_server *server, struct call *call, const char *name, json_t *arguments) {
        for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
                if (strcmp(tools[i].name, name) == 0) {
                        if (check_arguments(server, call, &tools[i], arguments))
                                tools[i].call(server, call, arguments);
                        return true;
                }
        return false;
}
