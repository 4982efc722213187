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
        KIND_INPUT, /* a text that may be empty */
        KIND_TEXTS,
        KIND_OBJECTS, /* this and the rest only in answers */
        KIND_OBJECT,
};

struct field {
        const char *name; /* NULL ends the rows */
        enum kind kind;
        bool required;
        bool nullable; /* only in answers */
        const char *help;
        describe *describe;         /* in place of `help`, where it follows from the policy */
        const struct field *fields; /* of an object in arguments */
};

struct tool {
        const char *name, *title, *description;
        describe *describe; /* in place of `description`, where it follows from the policy */
        bool read_only, destructive, idempotent, open_world;
        const struct field *input, *output;
        tool_call *call;
};

/* ---- rows ---- */

static const struct field needs_fields[] = {
        { "hosts", KIND_TEXTS, false, false, "Hosts that the command connects to: \"example.org\", \"example.org:8443\"." },
        { "write", KIND_TEXTS, false, false, "Directories or files outside the workspace that it writes: absolute, or ~/..." },
        { "reason", KIND_TEXT, false, false, "Reason, as a sentence for the user." },
        {},
};

static const struct field bash_input[] = {
        { "command", KIND_TEXT, true, false, "Bash code to run, as for bash -c." },
        { "description", KIND_TEXT, false, false, "Purpose of the command, in five to ten words, for the audit log." },
        { "timeout", KIND_NUMBER, false, false, .describe = describe_timeout },
        { "timeout_ms", KIND_INTEGER, false, false, "Timeout in milliseconds; give only one of the two." },
        { "run_in_background", KIND_SWITCH, false, false, .describe = describe_background },
        { "stdin", KIND_SWITCH, false, false,
          "With run_in_background: keep stdin open for BashInput. By default, stdin is empty." },
        { "pty", KIND_SWITCH, false, false,
          "With run_in_background: give the command a terminal, for REPLs, editors, debuggers and programs that prompt at a "
          "terminal. BashInput types at it; BashOutput returns its output, or its screen." },
        { "rows", KIND_INTEGER, false, false, "With pty: rows of the terminal; default: 24, maximum: 200." },
        { "columns", KIND_INTEGER, false, false, "With pty: columns of the terminal; default: 80, maximum: 500." },
        { "cwd", KIND_TEXT, false, false, .describe = describe_cwd },
        { "fresh", KIND_SWITCH, false, false, .describe = describe_fresh },
        { "needs", KIND_OBJECT, false, false,
          "Hosts and paths that the command needs and the policy does not allow. The user is asked to allow them.",
          .fields = needs_fields },
        {},
};

static const struct field bash_output[] = {
        { "status", KIND_TEXT, true, false, "completed, running (in the background), timed_out, cancelled, refused or failed" },
        { "exit_code", KIND_INTEGER, false, true, "Exit status; 124: timed out, 125: could not be run, 126: blocked" },
        { "signal", KIND_INTEGER, false, true, "Signal that killed the command" },
        { "timed_out", KIND_SWITCH, false, false, "The command exceeded its timeout and was killed" },
        { "cancelled", KIND_SWITCH, false, false, "The command was cancelled" },
        { "output", KIND_TEXT, false, false, "stdout and stderr in order; the middle of long output is omitted" },
        { "truncated_bytes", KIND_INTEGER, false, false, "Number of omitted bytes" },
        { "duration_ms", KIND_INTEGER, false, false, "Duration in milliseconds" },
        { "cwd", KIND_TEXT, false, true, "Directory in which the next command starts" },
        { "backend", KIND_TEXT, false, true, "Sandbox that was used" },
        { "enforced", KIND_TEXTS, false, false, "Restrictions that the sandbox enforced" },
        { "warnings", KIND_TEXTS, false, false, "Warnings and notices" },
        { "explanation", KIND_TEXT, false, true, "Probable reason of a failure, and a remedy" },
        { "rules", KIND_TEXTS, false, false, "Guard rules that blocked the command or warned" },
        { "network", KIND_OBJECT, false, false, "Hosts that were used or refused, if only some hosts are allowed" },
        { "staged", KIND_OBJECT, false, false,
          "If changes of the workspace are staged: the number of files changed, new and deleted" },
        { "message", KIND_TEXT, false, true, "Error message" },
        { "shell_id", KIND_TEXT, false, false, "Only in the background: ID for BashOutput and KillShell" },
        { "command", KIND_TEXT, false, false, "Only in the background: the command" },
        {},
};

static const struct field output_input[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of a background command, as returned by Bash." },
        { "since", KIND_TEXT, false, false,
          "The `next` of an earlier result, to read only newer output. Default: all stored output; the middle of long output "
          "is omitted." },
        { "filter", KIND_TEXT, false, false, "A regular expression (PCRE2); only matching lines are returned." },
        { "wait_ms", KIND_INTEGER, false, false,
          "Wait up to this time for output newer than `since`, or for the end of the command. The maximum is 30000." },
        { "screen", KIND_SWITCH, false, false,
          "If the command has a pty: return its screen as rows of text instead of the output. Use it for full-screen "
          "programs." },
        {},
};

static const struct field output_output[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of the background command" },
        { "command", KIND_TEXT, true, false, "The command" },
        { "description", KIND_TEXT, false, true, "Its description, if Bash was called with one" },
        { "status", KIND_TEXT, true, false, "running, completed (exit N), killed, timed out or failed" },
        { "running", KIND_SWITCH, true, false, "The command has not ended" },
        { "exit_code", KIND_INTEGER, false, true, "Exit status" },
        { "started", KIND_TEXT, true, false, "Start time in UTC" },
        { "duration_ms", KIND_INTEGER, true, false, "Duration so far, in milliseconds" },
        { "stdout", KIND_TEXT, true, false, "" },
        { "stderr", KIND_TEXT, true, false, "" },
        { "screen", KIND_OBJECT, false, false,
          "With screen: text (its rows, without trailing blank rows), rows, columns, cursor_row, cursor_column (from 1), "
          "cursor_shown, alternate (a full-screen program uses the alternate screen)" },
        { "stdout_bytes", KIND_INTEGER, true, false, "Bytes written to stdout in total" },
        { "stderr_bytes", KIND_INTEGER, true, false, "Bytes written to stderr in total" },
        { "stdout_truncated_bytes", KIND_INTEGER, true, false, "Omitted bytes of stdout" },
        { "stderr_truncated_bytes", KIND_INTEGER, true, false, "Omitted bytes of stderr" },
        { "next", KIND_TEXT, true, false, "Value of `since` for the next call" },
        { "message", KIND_TEXT, false, true, "Error message" },
        { "explanation", KIND_TEXT, false, true, "Probable reason of a failure, and a remedy" },
        {},
};

static const struct field typed_input[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of a background command, as returned by Bash." },
        { "input", KIND_INPUT, false, false,
          "Text for its stdin, unchanged: end lines with \\n. Requires Bash with stdin or pty." },
        { "keys", KIND_TEXTS, false, false,
          "Keys to type after the text; requires a pty: [\"C-c\"], [\"Up\", \"Enter\"]. Enter, Tab, Escape, Space, Backspace, "
          "Up, "
          "Down, Left, Right, Home, End, PageUp, PageDown, Insert, Delete, F1 to F12, C-a (Ctrl), M-a (Alt), or a character." },
        { "eof", KIND_SWITCH, false, false, "Close its stdin after the text; at a pty, type Ctrl-D." },
        { "rows", KIND_INTEGER, false, false, "New number of rows of its pty; requires columns." },
        { "columns", KIND_INTEGER, false, false, "New number of columns of its pty; requires rows." },
        { "signal", KIND_TEXT, false, false,
          "Signal for its foreground process group: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1 or SIGUSR2. "
          "Use KillShell to end the command." },
        {},
};

static const struct field typed_output[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of the background command" },
        { "taken_bytes", KIND_INTEGER, true, false, "Bytes of the text that were accepted: always all" },
        { "waiting_bytes", KIND_INTEGER, true, false, "Bytes that the command has not read yet" },
        {},
};

static const struct field kill_input[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of a background command, as returned by Bash." },
        { "signal", KIND_TEXT, false, false, "SIGTERM (default), SIGINT, SIGHUP, SIGQUIT or SIGKILL." },
        {},
};

static const struct field kill_output[] = {
        { "shell_id", KIND_TEXT, true, false, "ID of the background command" },
        { "status", KIND_TEXT, true, false, "killed, or the status it had before" },
        { "exit_code", KIND_INTEGER, false, true, "Exit status" },
        {},
};

static const struct field test_input[] = {
        { "command", KIND_TEXT, true, false, "Bash code to check; it is not run." },
        {},
};

static const struct field test_output[] = {
        { "action", KIND_TEXT, true, false, "allowed, warned or blocked" },
        { "reasons", KIND_OBJECTS, true, false, "Objects with rule, severity, message and range" },
        { "commands", KIND_OBJECTS, false, false, "The words of each command found" },
        { "effects", KIND_OBJECTS, false, false, "Effects of the command" },
        {},
};

static const struct field nothing[] = { {} };

static const struct field container_output[] = {
        { "runtimes", KIND_OBJECTS, true, false, "Objects with name, available, reason, path and version" },
        { "wanted", KIND_TEXT, false, true, "Configured runtime" },
        { "used", KIND_TEXT, false, true, "Runtime that commands use" },
        { "config", KIND_OBJECT, true, false, "Container settings" },
        {},
};

static const struct tool tools[] = {
        { .name = "Bash",
          .title = "Run a command",
          .describe = describe_bash,
          .destructive = true,
          .open_world = true,
          .input = bash_input,
          .output = bash_output,
          .call = bash_call },
        { .name = "BashOutput",
          .title = "Read the output of a background command",
          .description = "Reads the output and the status of a background command. Pass the `next` of the last result as "
                         "`since` to get only newer output, and wait_ms to wait for it.",
          .read_only = true,
          .idempotent = true,
          .input = output_input,
          .output = output_output,
          .call = bash_output_call },
        { .name = "BashInput",
          .title = "Write to a background command",
          .description =
                  "Writes text to the stdin of a background command that was started with stdin or pty, types keys at its "
                  "pty, or sends it a signal such as SIGINT. Returns at once; read the response with BashOutput. Input of a "
                  "shell such as bash is checked like commands.",
          .destructive = true,
          .open_world = true,
          .input = typed_input,
          .output = typed_output,
          .call = bash_input_call },
        { .name = "KillShell",
          .title = "Kill a background command",
          .describe = describe_kill,
          .destructive = true,
          .idempotent = true,
          .input = kill_input,
          .output = kill_output,
          .call = kill_shell_call },
        { .name = "bash_sandbox_test",
          .title = "Check a command",
          .describe = describe_test,
          .read_only = true,
          .idempotent = true,
          .input = test_input,
          .output = test_output,
          .call = sandbox_test_call },
        { .name = "bash_container_status",
          .title = "Show container runtimes",
          .description = "Lists the container runtimes (podman, docker, gVisor) with their availability, and whether commands "
                         "run in a container.",
          .read_only = true,
          .idempotent = true,
          .input = nothing,
          .output = container_output,
          .call = container_status_call },
};

/* ---- the list ---- */

static const char *const schemas[] = {
        [KIND_TEXT] = "\"string\"",    [KIND_INTEGER] = "\"integer\"", [KIND_NUMBER] = "\"number\"",
        [KIND_SWITCH] = "\"boolean\"", [KIND_INPUT] = "\"string\"",    [KIND_TEXTS] = "\"array\"",
        [KIND_OBJECTS] = "\"array\"",  [KIND_OBJECT] = "\"object\"",
};

/* A fixed text, or one that is made. Empty: nothing. */
static void put_description(struct buf *out, const char *fixed, describe *make, const struct bailey_abilities *abilities) {
        BUF_AUTO text;

        buf_init(&text, DESCRIPTION_MAX);
        if (make)
                make(abilities, &text);
        else
                buf_append(&text, str_z(fixed));
        if (text.len) {
                buf_append(out, STR(",\"description\":"));
                buf_json(out, buf_str(&text));
        }
        out->failed |= text.failed;
}

static void put_members(struct buf *out, const struct field *fields, const struct bailey_abilities *abilities);

static void put_field(struct buf *out, const struct field *field, bool input, const struct bailey_abilities *abilities) {
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
        if (field->fields)
                put_members(out, field->fields, abilities);
        put_description(out, field->help, field->describe, abilities);
        buf_char(out, '}');
}

/* Of an object in arguments. */
static void put_members(struct buf *out, const struct field *fields, const struct bailey_abilities *abilities) {
        buf_append(out, STR(",\"properties\":{"));
        for (const struct field *field = fields; field->name; field++) {
                if (field != fields)
                        buf_char(out, ',');
                put_field(out, field, true, abilities);
        }
        buf_append(out, STR("},\"additionalProperties\":false"));
}

static void put_schema(struct buf *out, const char *name, const struct field *fields, bool input,
                       const struct bailey_abilities *abilities) {
        const char *comma = "";

        buf_format(out, ",\"%s\":{\"type\":\"object\",\"properties\":{", name);
        for (const struct field *field = fields; field->name; field++) {
                if (field != fields)
                        buf_char(out, ',');
                put_field(out, field, input, abilities);
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

static void put_tool(struct buf *out, const struct tool *tool, const struct bailey_abilities *abilities) {
        buf_format(out, "{\"name\":\"%s\",\"title\":\"%s\"", tool->name, tool->title);
        put_description(out, tool->description, tool->describe, abilities);
        put_schema(out, "inputSchema", tool->input, true, abilities);
        put_schema(out, "outputSchema", tool->output, false, abilities);
        buf_format(out, ",\"annotations\":{\"title\":\"%s\",\"readOnlyHint\":%s,\"destructiveHint\":%s", tool->title,
                   yes_or_no(tool->read_only), yes_or_no(tool->destructive));
        buf_format(out, ",\"idempotentHint\":%s,\"openWorldHint\":%s}}", yes_or_no(tool->idempotent),
                   yes_or_no(tool->open_world));
}

void tools_list(struct mcp_server *server, struct buf *out) {
        struct bailey_abilities abilities;

        if (bailey_abilities(bailey_session_policy(server->session), server->options->environment, &abilities) < 0) {
                out->failed = true;
                return;
        }
        buf_append(out, STR("\"tools\":["));
        for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
                if (i)
                        buf_char(out, ',');
                put_tool(out, &tools[i], &abilities);
        }
        buf_char(out, ']');
        bailey_free(abilities.commands);
}

/* ---- a call ---- */

static const struct field *field_find(const struct field *fields, const char *name) {
        while (fields->name && strcmp(fields->name, name) != 0)
                fields++;
        return fields->name ? fields : NULL;
}

static const char *objection_to_list(const json_t *value) {
        const json_t *item;
        size_t i;

        if (!json_is_array(value))
                return "must be an array of strings";
        json_array_foreach(value, i, item) {
                if (!json_string_length(item) || strlen(json_string_value(item)) != json_string_length(item))
                        return "must be an array of strings without NUL bytes, none of them empty";
        }
        return NULL;
}

/* What is wrong with a value, or NULL. */
static const char *objection(const struct field *field, const json_t *value);

static const char *object_objection(const struct field *fields, json_t *object) {
        const char *name;
        json_t *value;

        if (!json_is_object(object))
                return "must be an object";
        json_object_foreach(object, name, value) {
                const struct field *field = field_find(fields, name);

                if (!field)
                        return "has a member that is not known: only hosts, write and reason are";
                if (json_array_size(value) > NEEDS_MAX || (!json_is_null(value) && objection(field, value)))
                        return field->kind == KIND_TEXTS ? "needs lists of at most 8 strings, which are not empty"
                                                         : "needs a reason that is a string, and not empty";
        }
        return json_string_length(json_object_get(object, "reason")) > ASK_REASON_MAX ? "has a reason of more than 200 bytes"
                                                                                      : NULL;
}

static const char *objection(const struct field *field, const json_t *value) {
        switch (field->kind) {
        case KIND_TEXT:
                if (!json_is_string(value))
                        return "must be a string";
                if (json_string_length(value) == 0)
                        return "is empty";
                return strlen(json_string_value(value)) == json_string_length(value) ? NULL : "contains a NUL byte";
        case KIND_INPUT:
                if (!json_is_string(value))
                        return "must be a string";
                return strlen(json_string_value(value)) == json_string_length(value) ? NULL : "contains a NUL byte";
        case KIND_TEXTS:
                return objection_to_list(value);
        case KIND_INTEGER:
                return json_is_integer(value) && json_integer_value(value) > 0 ? NULL : "must be an integer greater than 0";
        case KIND_NUMBER:
                return json_is_number(value) && json_number_value(value) > 0 && isfinite(json_number_value(value))
                               ? NULL
                               : "must be a number greater than 0";
        case KIND_SWITCH:
                return json_is_boolean(value) ? NULL : "must be true or false";
        case KIND_OBJECT:
                return object_objection(field->fields, (json_t *)value);
        default:
                return "is not an argument";
        }
}

static void refuse_unknown(struct mcp_server *server, struct call *call, const struct tool *tool, const char *name) {
        BUF_AUTO names;

        buf_init(&names, 1024);
        for (const struct field *field = tool->input; field->name; field++)
                buf_format(&names, "%s%s", field == tool->input ? "" : ", ", field->name);
        call_refuse(server, call, "%s: unknown argument '%.64s'; expected: %.*s", tool->name, name,
                    names.len ? (int)names.len : 4, names.len ? names.ptr : "none");
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
                        call_refuse(server, call, "%s: missing argument %s: %s", tool->name, field->name, field->help);
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
