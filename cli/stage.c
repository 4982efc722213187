/*
 * Stages: what commands of `bailey run --stage` have written, until it is applied or discarded.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "format/format.h"

static const char *const *here(void) {
        return (const char *const *)environ;
}

static enum exit_status failed(const char *command, const char *error) {
        log_line("%s: %s", command, error);
        return EXIT_PROBLEM;
}

static enum exit_status write_text(const char *command, const struct buf *out) {
        if (out->failed)
                return failed(command, "out of memory");
        fwrite(out->ptr, 1, out->len, stdout);
        return EXIT_DONE;
}

/* [STAGE] [PATH...] */
static struct bailey_stage_request request_of(const struct options *options, const char *workspace) {
        return (struct bailey_stage_request){
                .environment = here(),
                .workspace = workspace,
                .name = options->operand_count ? options->operands[0] : NULL,
                .paths = options->operand_count > 1 ? (const char *const *)options->operands + 1 : NULL,
        };
}

/* What is done is recorded under the policy of the workspace. Without one, which has been said, it is done all the same. */
static enum exit_status tell_unrecorded(const char *command, bool recorded) {
        if (!recorded)
                log_line("%s: cannot write this to the audit log", command);
        return EXIT_DONE;
}

#define ROW_WORKSPACE_OF \
        { "workspace", 'w', "DIR", "the workspace; default: the current directory" }
#define ROW_JSON \
        { "json", 'j', NULL, "print JSON" }

/* ---- stages ---- */

enum { STAGES_JSON };

static const struct option_row stages_rows[] = { [STAGES_JSON] = ROW_JSON, OPTION_ROW_HELP, {} };

static enum exit_status run_stages(const struct options *options) {
        bool json = options->values[STAGES_JSON] != NULL;
        struct bailey_stages stages;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_stage_list(here(), &stages, error, sizeof(error)) < 0)
                return failed("stages", error);
        (json ? format_stages_json : format_stages_text)(&stages, &out);
        bailey_stages_free(&stages);
        return json ? output_write_buffer("stages", &out) : write_text("stages", &out);
}

static const struct help_row stages_examples[] = {
        { "bailey stages", "list the stages of all workspaces" },
        {},
};

const struct cli_command cli_stages = {
        .name = "stages",
        .operands = "",
        .summary = "list the stages of bailey run --stage",
        .details =
                "A stage holds the changes that commands made, until they are applied to the workspace. Stages discarded in\n"
                "the last 7 days are also listed.\n",
        .options = stages_rows,
        .examples = stages_examples,
        .run = run_stages,
};

/* ---- diff ---- */

enum { DIFF_WORKSPACE, DIFF_STAT, DIFF_JSON, DIFF_COLOR };

static const struct option_row diff_rows[] = {
        [DIFF_WORKSPACE] = ROW_WORKSPACE_OF,
        [DIFF_STAT] = { "stat", 0, NULL, "print one line per file" },
        [DIFF_JSON] = ROW_JSON,
        [DIFF_COLOR] = OPTION_ROW_COLOR,
        OPTION_ROW_HELP,
        {},
};

static enum exit_status run_diff(const struct options *options) {
        const char *const *given = options->values;
        struct bailey_stage_request request = request_of(options, given[DIFF_WORKSPACE]);
        const struct stage_style style = { .stat = given[DIFF_STAT] != NULL,
                                           .colors = paint_wanted(given[DIFF_COLOR]),
                                           .terminal = isatty(STDOUT_FILENO) };
        bool json = given[DIFF_JSON] != NULL;
        struct bailey_stage_changes changes;
        char error[512];
        BUF_AUTO out;

        request.texts = !json || !style.stat;
        buf_init(&out, ANSWER_MAX);
        if (bailey_stage_diff(&request, &changes, error, sizeof(error)) < 0)
                return failed("diff", error);
        if (json)
                format_stage_changes_json(&changes, &out);
        else
                format_stage_changes_text(&changes, &style, &out);
        bailey_stage_changes_free(&changes);
        return json ? output_write_buffer("diff", &out) : write_text("diff", &out);
}

static const struct help_row diff_examples[] = {
        { "bailey diff", "show the changes in the stage default" },
        { "bailey diff --stat default src", "list the changed files in src" },
        {},
};

const struct cli_command cli_diff = {
        .name = "diff",
        .operands = "[STAGE] [PATH...]",
        .summary = "show the changes in a stage",
        .details = "Lists deleted files first, then prints the changes in the format of diff -u; for binary files and files "
                   "above\n8 MiB, only their sizes. Files that bailey apply skips are marked: those that have changed in the "
                   "workspace since they\nwere staged (conflict), and those that programs on the host run (protected). Default "
                   "STAGE: default.\n",
        .options = diff_rows,
        .examples = diff_examples,
        .run = run_diff,
};

/* ---- discard ---- */

enum { DISCARD_WORKSPACE, DISCARD_TAKE_BACK };

static const struct option_row discard_rows[] = {
        [DISCARD_WORKSPACE] = ROW_WORKSPACE_OF,
        [DISCARD_TAKE_BACK] = { "take-back", 0, NULL, "restore the most recently discarded stage of this name" },
        OPTION_ROW_HELP,
        {},
};

static enum exit_status run_discard(const struct options *options) {
        POLICY_AUTO policy = policy_from_options(NULL, options->values[DISCARD_WORKSPACE], NULL, NULL);
        struct bailey_stage_request request = request_of(options, options->values[DISCARD_WORKSPACE]);
        char error[512];
        int result;

        request.policy = policy;
        result = (options->values[DISCARD_TAKE_BACK] ? bailey_stage_take_back : bailey_stage_discard)(&request, error,
                                                                                                      sizeof(error));
        return result < 0 ? failed("discard", error) : tell_unrecorded("discard", policy && result == 0);
}

static const struct help_row discard_examples[] = {
        { "bailey discard refactor", "discard the stage refactor of this workspace" },
        { "bailey discard --take-back refactor", "take it back" },
        {},
};

const struct cli_command cli_discard = {
        .name = "discard",
        .operands = "[STAGE]",
        .summary = "discard a stage",
        .details = "Refuses while commands run in the stage. A discarded stage is kept for 7 days; --take-back restores it.\n",
        .options = discard_rows,
        .examples = discard_examples,
        .run = run_discard,
};

/* ---- apply ---- */

enum { APPLY_WORKSPACE, APPLY_FORCE, APPLY_PROTECTED, APPLY_DIGEST, APPLY_JSON };

static const struct option_row apply_rows[] = {
        [APPLY_WORKSPACE] = ROW_WORKSPACE_OF,
        [APPLY_FORCE] = { "force", 'f', NULL, "also replace files that have changed in the workspace since they were staged" },
        [APPLY_PROTECTED] = { "protected", 0, NULL, "also apply files that programs on the host run" },
        [APPLY_DIGEST] = { "digest", 0, "TEXT", "refuse unless the stage has this digest, as printed by bailey diff --json" },
        [APPLY_JSON] = ROW_JSON,
        OPTION_ROW_HELP,
        {},
};

static void tell_applied(const struct bailey_stage_applied *applied) {
        struct stage_style style = { .stat = true };
        const struct bailey_stage_changes left = { .items = applied->left, .count = applied->left_count };
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        format_stage_rows(&left, &style, &out);
        if (!out.failed && out.len)
                fwrite(out.ptr, 1, out.len, stderr);
        for (const char *const *notice = applied->notices; notice && *notice; notice++)
                log_line("%s", *notice);
        if (applied->refused)
                log_line("apply: nothing was applied because of conflicts; --force replaces these files, and bailey undo "
                         "restores them");
        else if (applied->left_count)
                log_line("apply: protected files were skipped; --protected applies them");
}

static enum exit_status run_apply(const struct options *options) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(NULL, given[APPLY_WORKSPACE], NULL, NULL);
        struct bailey_stage_request request = request_of(options, given[APPLY_WORKSPACE]);
        const struct bailey_stage_choice choice = { .force = given[APPLY_FORCE] != NULL,
                                                    .with_protected = given[APPLY_PROTECTED] != NULL,
                                                    .digest = given[APPLY_DIGEST] };
        struct bailey_stage_applied applied;
        enum exit_status status;
        char error[512];
        BUF_AUTO out;

        request.policy = policy;
        buf_init(&out, ANSWER_MAX);
        if (bailey_stage_apply(&request, &choice, &applied, error, sizeof(error)) < 0)
                return failed("apply", error);
        if (given[APPLY_JSON]) {
                format_applied_json(&applied, &out);
                status = output_write_buffer("apply", &out);
        } else {
                tell_applied(&applied);
                if (!applied.refused)
                        format_applied_text(&applied, &out);
                status = write_text("apply", &out);
        }
        tell_unrecorded("apply", applied.refused || applied.recorded);
        if (applied.left_count)
                status = EXIT_PROBLEM;
        bailey_stage_applied_free(&applied);
        return status;
}

static const struct help_row apply_exits[] = {
        { "0", "all chosen changes were applied" },
        { "1", "failed, or some changes were skipped" },
        { "2", "usage error, or invalid input" },
        {},
};

static const struct help_row apply_examples[] = {
        { "bailey apply", "apply the stage default" },
        { "bailey apply refactor src docs/a.md", "apply only these paths of the stage refactor" },
        {},
};

const struct cli_command cli_apply = {
        .name = "apply",
        .operands = "[STAGE] [PATH...]",
        .summary = "write the changes in a stage to the workspace",
        .details = "Refuses while commands run in the stage, or if a file has changed in the workspace since it was staged, "
                   "and lists\nsuch files. Skips and lists files that programs on the host run. Applies all chosen changes or "
                   "none: the next\nbailey apply, undo or run --stage completes an interrupted one. Replaced files are kept "
                   "for bailey undo.\n",
        .options = apply_rows,
        .exits = apply_exits,
        .examples = apply_examples,
        .run = run_apply,
};

/* ---- undo ---- */

enum { UNDO_WORKSPACE, UNDO_LIST, UNDO_FORCE, UNDO_JSON };

static const struct option_row undo_rows[] = {
        [UNDO_WORKSPACE] = ROW_WORKSPACE_OF,
        [UNDO_LIST] = { "list", 'l', NULL, "list the applied changes of all workspaces that can be reverted, newest first" },
        [UNDO_FORCE] = { "force", 'f', NULL, "also replace files that have changed since they were applied" },
        [UNDO_JSON] = { "json", 'j', NULL, "print the list as JSON" },
        OPTION_ROW_HELP,
        {},
};

static enum exit_status list_undo(bool json) {
        struct bailey_stage_undoables found;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_stage_undoables(here(), &found, error, sizeof(error)) < 0)
                return failed("undo", error);
        (json ? format_undoables_json : format_undoables_text)(&found, &out);
        bailey_stage_undoables_free(&found);
        return json ? output_write_buffer("undo", &out) : write_text("undo", &out);
}

static enum exit_status run_undo(const struct options *options) {
        const char *const *given = options->values;
        struct bailey_stage_request request = { .environment = here(), .workspace = given[UNDO_WORKSPACE] };
        POLICY_AUTO policy = NULL;
        char error[512];
        int result;

        if (given[UNDO_LIST])
                return list_undo(given[UNDO_JSON] != NULL);
        request.policy = policy = policy_from_options(NULL, given[UNDO_WORKSPACE], NULL, NULL);
        result = bailey_stage_undo(&request, options->operand_count ? options->operands[0] : NULL, given[UNDO_FORCE] != NULL,
                                   error, sizeof(error));
        return result < 0 ? failed("undo", error) : tell_unrecorded("undo", policy && result == 0);
}

static const struct help_row undo_examples[] = {
        { "bailey undo", "revert the last bailey apply in this workspace" },
        { "bailey undo --list", "list the changes that can be reverted" },
        {},
};

const struct cli_command cli_undo = {
        .name = "undo",
        .operands = "[ID]",
        .summary = "revert changes written by bailey apply",
        .details = "Without an ID, reverts the last bailey apply in the workspace. Refuses if a file has changed since. "
                   "Replaced files are\nkept for 7 days, up to 4 GiB; those of the last bailey apply are always kept.\n",
        .options = undo_rows,
        .examples = undo_examples,
        .run = run_undo,
};
