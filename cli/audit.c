/*
 * `bailey audit`: what was asked, what was judged, what came of it.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"

enum {
        OPTION_LINES,
        OPTION_FOLLOW,
        OPTION_ACTION,
        OPTION_RULE,
        OPTION_SINCE,
        OPTION_UNTIL,
        OPTION_SESSION,
        OPTION_JSON,
        OPTION_CSV,
        OPTION_CONFIG,
        OPTION_HELP,
};

static const struct option_row option_rows[] = {
        [OPTION_LINES] = { "lines", 'n', "N", "tail: how many commands; default: 20, 0: all" },
        [OPTION_FOLLOW] = { "follow", 'f', NULL, "tail: wait for more" },
        [OPTION_ACTION] = { "action", 'a', "ACTION", "only those that were allowed, warned or blocked" },
        [OPTION_RULE] = { "rule", 'r', "RULE", "only those with a reason of this rule" },
        [OPTION_SINCE] = { "since", 0, "TIME", "only later ones: 2026-11-16T04:30 (UTC), or how long ago: 15m, 2h, 7d" },
        [OPTION_UNTIL] = { "until", 0, "TIME", "only earlier ones" },
        [OPTION_SESSION] = { "session", 's', "ID", "only those of one process" },
        [OPTION_JSON] = { "json", 'j', NULL, "records as they stand in the file; answers in JSON" },
        [OPTION_CSV] = { "csv", 0, NULL, "export: as a table" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "a config file that counts besides the usual ones" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

enum { LINES_DEFAULT = 20, LINES_MAX = 1000000, FOLLOW_MS = 200, ERROR_SIZE = 320 };

static enum exit_status audit_usage(const char *message) {
        log_line("audit: %s; see bailey audit --help", message);
        return EXIT_USAGE;
}

static enum exit_status audit_failed(const char *error) {
        log_line("audit: %s", error);
        return EXIT_USAGE;
}

static struct bailey_audit_query query_of(const struct options *options, enum bailey_audit_format format) {
        const char *const *given = options->values;

        return (struct bailey_audit_query){
                .action = given[OPTION_ACTION],
                .rule = given[OPTION_RULE],
                .session = given[OPTION_SESSION],
                .since = given[OPTION_SINCE],
                .until = given[OPTION_UNTIL],
                .format = given[OPTION_JSON] ? BAILEY_AUDIT_JSON : format,
        };
}

/* ---- records ---- */

/* Is whoever reads our answer still there? */
static bool is_read(void) {
        struct pollfd out = { .fd = STDOUT_FILENO };

        poll(&out, 1, FOLLOW_MS);
        return !(out.revents & (POLLERR | POLLHUP)) && fflush(stdout) == 0;
}

static enum exit_status print_records(struct bailey_audit_reader *reader, bool follow, size_t *ret_count) {
        char error[ERROR_SIZE];
        const char *text;
        size_t length;
        int got;

        *ret_count = 0;
        do {
                while ((got = bailey_audit_next(reader, &text, &length, error, sizeof(error))) > 0) {
                        fwrite(text, 1, length, stdout);
                        ++*ret_count;
                }
                if (got < 0)
                        return audit_failed(error);
        } while (follow && fflush(stdout) == 0 && is_read());
        return EXIT_DONE;
}

static enum exit_status audit_print(struct bailey_policy *policy, const struct bailey_audit_query *query, bool follow,
                                    size_t *ret_count) {
        struct bailey_audit_reader *reader;
        enum exit_status status;
        char error[ERROR_SIZE];

        if (bailey_audit_open(policy, query, &reader, error, sizeof(error)) < 0)
                return audit_failed(error);
        status = print_records(reader, follow, ret_count);
        bailey_audit_close(reader);
        return status;
}

/* ---- actions ---- */

static enum exit_status audit_tail(struct bailey_policy *policy, const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_LINES);
        const char *lines = options->values[OPTION_LINES];
        char *end = NULL;
        size_t count;
        long newest = lines ? strtol(lines, &end, 10) : LINES_DEFAULT;

        if (lines && (end == lines || *end || newest < 0 || newest > LINES_MAX))
                return audit_usage("--lines: expected a number of at most 1000000");
        query.newest = newest ? (size_t)newest : LINES_MAX;
        return audit_print(policy, &query, options->values[OPTION_FOLLOW], &count);
}

static enum exit_status audit_show(struct bailey_policy *policy, const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_DETAILS);
        enum exit_status status;
        size_t count;

        query.id = options->operands[1];
        status = audit_print(policy, &query, false, &count);
        if (status == EXIT_DONE && count == 0) {
                log_line("audit: no record of %s", query.id);
                return EXIT_PROBLEM;
        }
        return status;
}

static enum exit_status audit_export(struct bailey_policy *policy, const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_CSV);
        size_t count;

        if (!options->values[OPTION_CSV] && !options->values[OPTION_JSON])
                return audit_usage("export as --csv or --json?");
        return audit_print(policy, &query, false, &count);
}

static enum exit_status audit_stats(struct bailey_policy *policy, const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_LINES);
        enum bailey_answer answer = options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT;
        char error[ERROR_SIZE];
        char *text;
        size_t length;

        if (bailey_audit_stats(policy, &query, answer, &text, &length, error, sizeof(error)) < 0)
                return audit_failed(error);
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return EXIT_DONE;
}

static enum exit_status audit_verify(struct bailey_policy *policy, const struct options *options) {
        enum bailey_answer answer = options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT;
        char error[ERROR_SIZE];
        char *text;
        size_t length;
        int whole = bailey_audit_verify(policy, answer, &text, &length, error, sizeof(error));

        if (whole < 0)
                return audit_failed(error);
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return whole ? EXIT_DONE : EXIT_PROBLEM;
}

/* ---- the command ---- */

static const struct action {
        const char *name;
        int operands; /* itself counted */
        enum exit_status (*run)(struct bailey_policy *policy, const struct options *options);
} actions[] = {
        { "tail", 1, audit_tail },     { "show", 2, audit_show },     { "stats", 1, audit_stats },
        { "verify", 1, audit_verify }, { "export", 1, audit_export },
};

static enum exit_status audit_run(const struct options *options) {
        const char *name = options->operand_count ? options->operands[0] : "tail";
        const struct action *action = actions, *end = actions + sizeof(actions) / sizeof(*actions);
        struct bailey_policy *policy;
        enum exit_status status;

        while (action < end && strcmp(action->name, name) != 0)
                action++;
        if (action == end)
                return audit_usage("expected tail, show ID, stats, verify or export");
        if (options->operand_count > 0 && options->operand_count != action->operands)
                return audit_usage(action->operands == 2 ? "show takes one ID" : "too many operands");
        policy = policy_from_options(NULL, NULL, options->values[OPTION_CONFIG], NULL);
        if (!policy)
                return EXIT_USAGE;
        status = action->run(policy, options);
        bailey_policy_free(policy);
        return status;
}

const struct cli_command cli_audit = {
        .name = "audit",
        .operands = "[tail | show ID | stats | verify | export --csv]",
        .summary = "show what commands were asked for, and what came of them",
        .details = "tail    the newest commands: time, id, verdict, sandbox, end, duration, first line\n"
                   "show    all that is on record of one command; the first 8 characters of its ID do\n"
                   "stats   how many commands by verdict, rule, sandbox, end and hour\n"
                   "verify  whether the chain of records is whole; exits 1 and names the first that is not\n"
                   "export  all records as a table\n"
                   "The record is audit.jsonl in bailey's state directory, or what audit.path says.\n",
        .options = option_rows,
        .run = audit_run,
};
