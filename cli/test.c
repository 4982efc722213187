/*
 * `bailey test`: the verdict on a command, which is not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_BATCH, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_COLOR, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print the verdict as JSON" },
        [OPTION_BATCH] = { "batch", 'b', NULL,
                           "read one {\"command\": ..., \"policy\": ...} per line, print one verdict per line" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "policy to use: default, readonly, build, or one from a config file" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "check for this workspace; default: the current directory" },
        [OPTION_COLOR] = OPTION_ROW_COLOR,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

enum { POLICIES_MAX = 16, POLICY_NAME_MAX = 64 };

/* Policies are loaded when first asked for, and kept. */
struct checker {
        const char *config, *workspace;
        struct {
                char name[POLICY_NAME_MAX];
                struct bailey_policy *policy;
        } kept[POLICIES_MAX];
        size_t count;
        char error[256];
};

static const struct bailey_policy *checker_policy(struct checker *checker, const char *name) {
        struct bailey_policy_options options = {
                .policy = name,
                .workspace = checker->workspace,
                .config = checker->config,
                .environment = (const char *const *)environ,
        };
        struct bailey_policy *policy;

        for (size_t i = 0; i < checker->count; i++)
                if (strcmp(checker->kept[i].name, name) == 0)
                        return checker->kept[i].policy;
        if (strlen(name) >= POLICY_NAME_MAX || checker->count == POLICIES_MAX) {
                snprintf(checker->error, sizeof(checker->error), "too many policies, or the name is too long");
                return NULL;
        }
        if (bailey_policy_load(&options, &policy, checker->error, sizeof(checker->error)) < 0)
                return NULL;
        for (size_t i = 0; !checker->count && bailey_policy_notice(policy, i); i++) /* once is enough */
                log_line("%s", bailey_policy_notice(policy, i));
        strncpy(checker->kept[checker->count].name, name, POLICY_NAME_MAX - 1);
        checker->kept[checker->count++].policy = policy;
        return policy;
}

static void checker_free(struct checker *checker) {
        for (size_t i = 0; i < checker->count; i++)
                bailey_policy_free(checker->kept[i].policy);
}

/* ---- one command ---- */

static const enum exit_status statuses[] = {
        [BAILEY_ALLOWED] = EXIT_DONE,
        [BAILEY_WARNED] = EXIT_PROBLEM,
        [BAILEY_BLOCKED] = EXIT_USAGE,
};

static enum exit_status test_command(struct checker *checker, const char *name, const char *text, const char *color,
                                     bool json) {
        const struct bailey_policy *policy = checker_policy(checker, name);
        struct bailey_verdict verdict;
        enum exit_status status;
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (!policy) {
                log_line("test: %s", checker->error);
                return EXIT_TROUBLE;
        }
        if (bailey_check(policy, text, strlen(text), &verdict) < 0) {
                log_line("test: out of memory");
                return EXIT_TROUBLE;
        }
        if (json)
                format_verdict_json(&verdict, &answer);
        else
                format_verdict_text(&verdict, str_z(text), paint_wanted(color), &answer);
        status = statuses[verdict.action];
        bailey_verdict_free(&verdict);
        if (answer.failed) {
                log_line("test: out of memory");
                return EXIT_TROUBLE;
        }
        output_write(answer.ptr, answer.len);
        return status;
}

/* ---- a stream of commands ---- */

/* A command that cannot be checked is blocked. */
static void answer_error(size_t number, const char *message) {
        BUF_AUTO out, text;

        buf_init(&out, INPUT_MAX);
        buf_init(&text, INPUT_MAX);
        buf_format(&text, "line %zu: %s", number, message);
        buf_append(&out, STR("{\"action\":\"blocked\",\"reasons\":[{\"rule\":\"input\",\"severity\":\"block\",\"message\":"));
        buf_json(&out, buf_str(&text));
        buf_append(&out, STR(",\"range\":[0,0]}],\"commands\":[],\"effects\":[]}"));
        output_write(out.ptr, out.len);
}

static void answer_request(const struct request *request, size_t number, const char *problem, void *context) {
        struct checker *checker = context;
        struct str command = {}, name = STR("default");
        const struct bailey_policy *policy;
        struct bailey_verdict verdict;
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (!problem && request_text(request, "command", &command) != 1)
                problem = "\"command\" is missing or not a string";
        if (!problem && request_text(request, "policy", &name) < 0)
                problem = "\"policy\" is not a string";
        if (problem) {
                answer_error(number, problem);
                return;
        }
        policy = checker_policy(checker, name.ptr);
        if (!policy) {
                answer_error(number, checker->error);
                return;
        }
        if (bailey_check(policy, command.ptr, command.len, &verdict) < 0) {
                answer_error(number, "out of memory");
                return;
        }
        format_verdict_json(&verdict, &answer);
        bailey_verdict_free(&verdict);
        if (answer.failed)
                answer_error(number, "out of memory");
        else
                output_write(answer.ptr, answer.len);
}

/* ---- the command ---- */

static enum exit_status test_run(const struct options *options) {
        const char *const *given = options->values;
        struct checker checker = { .config = given[OPTION_CONFIG], .workspace = given[OPTION_WORKSPACE] };
        char *here = getcwd(NULL, 0);
        enum exit_status status;

        if (!checker.workspace)
                checker.workspace = here;
        if (given[OPTION_BATCH] && options->operand_count == 0) {
                status = requests_answer("test", answer_request, &checker);
        } else if (!given[OPTION_BATCH] && options->operand_count == 1) {
                status = test_command(&checker, given[OPTION_POLICY] ? given[OPTION_POLICY] : "default", options->operands[0],
                                      given[OPTION_COLOR], given[OPTION_JSON]);
        } else {
                log_line("test: %s; see bailey test --help",
                         options->operand_count > 1 ? "more than one operand given: quote the command" : "no command given");
                status = EXIT_TROUBLE;
        }
        checker_free(&checker);
        free(here);
        return status;
}

static const struct help_row exits[] = {
        { "0", "allowed" },
        { "1", "allowed with a warning" },
        { "2", "blocked" },
        { "3", "usage error, or the command could not be checked" },
        {},
};

static const struct help_row examples[] = {
        { "bailey test 'a=rm; $a -rf /'", "check a command" },
        { "bailey test --policy readonly 'git push'", "check it with another policy" },
        {},
};

const struct cli_command cli_test = {
        .name = "test",
        .operands = "COMMAND | --batch",
        .summary = "check whether a command would be allowed, without running it",
        .details = "Prints the verdict, its reasons with their position, the commands found, and their effects.\n"
                   "With --batch, prints a verdict for each line, in order, and exits 0.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .usage = EXIT_TROUBLE,
        .run = test_run,
};
