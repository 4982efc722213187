/*
 * `bailey tmp`: sessions of `bailey run --session`, whose commands share a /tmp.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "format/json.h"

enum { OPTION_WORKSPACE, OPTION_JSON };

static const struct option_row option_rows[] = {
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "the workspace; default: the current directory", "end" },
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON", "list" },
        OPTION_ROW_HELP,
        {},
};

static const char *const *here(void) {
        return (const char *const *)environ;
}

static enum exit_status failed(const char *error) {
        log_line("tmp: %s", error);
        return EXIT_PROBLEM;
}

static void put_json_list(const struct bailey_tmps *tmps, struct buf *out) {
        put_begin(out);
        put_array(out, "sessions");
        for (size_t i = 0; i < tmps->count; i++) {
                put_item(out);
                put_text(out, "name", tmps->items[i].name);
                put_text(out, "workspace", tmps->items[i].workspace);
                put_number(out, "commands", tmps->items[i].commands);
                put_end(out);
        }
        put_array_end(out);
        put_end(out);
}

static void put_lines(const struct bailey_tmps *tmps, struct buf *out) {
        if (!tmps->count)
                buf_append(out, STR("No sessions.\n"));
        for (size_t i = 0; i < tmps->count; i++) {
                buf_format(out, "%s  ", tmps->items[i].name);
                buf_visible(out, str_z(tmps->items[i].workspace));
                buf_format(out, "  %u command%s running\n", tmps->items[i].commands, tmps->items[i].commands == 1 ? "" : "s");
        }
}

static enum exit_status tmp_list(const struct options *options) {
        bool json = options->values[OPTION_JSON] != NULL;
        struct bailey_tmps tmps;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_tmp_list(here(), &tmps, error, sizeof(error)) < 0)
                return failed(error);
        (json ? put_json_list : put_lines)(&tmps, &out);
        bailey_tmps_free(&tmps);
        if (json)
                return output_write_buffer("tmp", &out);
        if (out.failed)
                return failed("out of memory");
        fwrite(out.ptr, 1, out.len, stdout);
        return EXIT_DONE;
}

static enum exit_status tmp_end(const struct options *options) {
        char error[512];

        if (options->operand_count != 1) {
                log_line("tmp: expected the name of a session; see bailey tmp --help");
                return EXIT_USAGE;
        }
        if (bailey_tmp_end(here(), options->values[OPTION_WORKSPACE], options->operands[0], error, sizeof(error)) < 0)
                return failed(error);
        return EXIT_DONE;
}

static const struct cli_subcommand subcommands[] = {
        { "list", "", "list all sessions", tmp_list },
        { "end", "NAME", "end a session, and remove its files", tmp_end,
          "Commands that are still running keep the files until they end.\n" },
        {},
};

static const struct help_row examples[] = {
        { "bailey run --session build 'make 2>&1 | tee /tmp/log'", "keep files in /tmp for later commands" },
        { "bailey tmp", "list all sessions" },
        { "bailey tmp end build", "remove the files" },
        {},
};

const struct cli_command cli_tmp = {
        .name = "tmp",
        .summary = "list or end sessions of bailey run, which share a /tmp",
        .details = "Commands with the same --session NAME in the same workspace share a private /tmp of\n"
                   "sandbox.tmp_bytes. A background process keeps it. It is removed when no command has used it for\n"
                   "run.session_idle, or by bailey tmp end.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .by_default = "list",
        .examples = examples,
};
