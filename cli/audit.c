/*
 * `bailey audit`: prints and verifies the audit log.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/serve.h"
#include "format/format.h"

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
        OPTION_HTML,
        OPTION_PORT,
        OPTION_CONFIG,
        OPTION_HELP,
};

#define QUERIES "tail stats export report serve"

static const struct option_row option_rows[] = {
        [OPTION_LINES] = { "lines", 'n', "N", "number of commands (0: all); default: 20, for pages 10000",
                           "tail report serve" },
        [OPTION_FOLLOW] = { "follow", 'f', NULL, "wait for new records and print them", "tail" },
        [OPTION_ACTION] = { "action", 'a', "allowed|warned|blocked", "select commands with this verdict", QUERIES },
        [OPTION_RULE] = { "rule", 'r', "RULE", "select commands that this rule matched", QUERIES },
        [OPTION_SINCE] = { "since", 0, "TIME",
                           "select records after this time: 2026-11-16T04:30 (UTC), or an age such as 15m, 2h, 7d", QUERIES },
        [OPTION_UNTIL] = { "until", 0, "TIME", "select records before this time", QUERIES },
        [OPTION_SESSION] = { "session", 's', "SESSION", "select records of this session", QUERIES },
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON: records as stored in the audit log",
                          "tail show stats verify export" },
        [OPTION_CSV] = { "csv", 0, NULL, "print CSV", "export" },
        [OPTION_HTML] = { "html", 0, "FILE", "write the page to FILE; -: standard output", "report" },
        [OPTION_PORT] = { "port", 'p', "PORT", "listen on this port; default: a free one", "serve" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

enum { LINES_DEFAULT = 20, LINES_MAX = 1000000, ROWS_MAX = 100000, PORT_MAX = 65535, FOLLOW_MS = 200, ERROR_SIZE = 320 };

static enum exit_status audit_usage(const char *message) {
        log_line("audit: %s; see bailey audit --help", message);
        return EXIT_USAGE;
}

/* The one that says where the record is. */
static struct bailey_policy *audit_policy(const struct options *options) {
        return policy_from_options(NULL, NULL, options->values[OPTION_CONFIG], NULL);
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

/* The number that an option has, if it is given. */
static bool read_number(const struct options *options, int option, long max, long *number) {
        const char *text = options->values[option];
        char *end = NULL;
        long given = text ? strtol(text, &end, 10) : 0;

        if (!text)
                return true;
        if (end == text || *end || given < 0 || given > max) {
                log_line("audit: --%s: expected a number from 0 to %ld, found '%s'", option_rows[option].name, max, text);
                return false;
        }
        *number = given;
        return true;
}

/* ---- records ---- */

/* Is the reader of our output still there? */
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

static enum exit_status audit_print(const struct options *options, const struct bailey_audit_query *query, bool follow,
                                    size_t *ret_count) {
        POLICY_AUTO policy = audit_policy(options);
        struct bailey_audit_reader *reader;
        enum exit_status status;
        char error[ERROR_SIZE];

        if (!policy)
                return EXIT_USAGE;
        if (bailey_audit_open(policy, query, &reader, error, sizeof(error)) < 0)
                return audit_failed(error);
        status = print_records(reader, follow, ret_count);
        bailey_audit_close(reader);
        return status;
}

/* ---- actions ---- */

static enum exit_status audit_tail(const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_LINES);
        long newest = LINES_DEFAULT;
        size_t count;

        if (!read_number(options, OPTION_LINES, LINES_MAX, &newest))
                return EXIT_USAGE;
        query.newest = newest ? (size_t)newest : LINES_MAX;
        return audit_print(options, &query, options->values[OPTION_FOLLOW], &count);
}

static enum exit_status audit_show(const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_DETAILS);
        enum exit_status status;
        size_t count;

        query.id = options->operands[0];
        status = audit_print(options, &query, false, &count);
        if (status == EXIT_DONE && count == 0) {
                log_line("audit: no record with the ID '%s'", query.id);
                return EXIT_PROBLEM;
        }
        return status;
}

static enum exit_status audit_export(const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_CSV);
        size_t count;

        if (!options->values[OPTION_CSV] && !options->values[OPTION_JSON])
                return audit_usage("no format given: use --csv or --json");
        return audit_print(options, &query, false, &count);
}

static enum exit_status audit_stats(const struct options *options) {
        struct bailey_audit_query query = query_of(options, BAILEY_AUDIT_LINES);
        char error[ERROR_SIZE];
        POLICY_AUTO policy = audit_policy(options);
        struct bailey_audit_stats stats;
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (!policy)
                return EXIT_USAGE;
        if (bailey_audit_stats(policy, &query, &stats, error, sizeof(error)) < 0)
                return audit_failed(error);
        (options->values[OPTION_JSON] ? format_audit_stats_json : format_audit_stats_text)(&stats, &answer);
        bailey_audit_stats_free(&stats);
        if (answer.failed)
                return audit_failed("out of memory");
        output_write(answer.ptr, answer.len);
        return EXIT_DONE;
}

static enum exit_status audit_verify(const struct options *options) {
        char error[ERROR_SIZE];
        POLICY_AUTO policy = audit_policy(options);
        struct bailey_audit_check check;
        BUF_AUTO answer;
        int whole;

        buf_init(&answer, ANSWER_MAX);
        if (!policy)
                return EXIT_USAGE;
        whole = bailey_audit_verify(policy, &check, error, sizeof(error));
        if (whole < 0)
                return audit_failed(error);
        (options->values[OPTION_JSON] ? format_audit_check_json : format_audit_check_text)(&check, &answer);
        bailey_audit_check_free(&check);
        if (answer.failed)
                return audit_failed("out of memory");
        output_write(answer.ptr, answer.len);
        return whole ? EXIT_DONE : EXIT_PROBLEM;
}

/* ---- the page ---- */

/* Which records the page is about. */
static bool page_query(const struct options *options, struct bailey_audit_query *ret) {
        long rows = 0;

        *ret = query_of(options, BAILEY_AUDIT_JSON);
        if (!read_number(options, OPTION_LINES, ROWS_MAX, &rows))
                return false;
        ret->newest = options->values[OPTION_LINES] && !rows ? ROWS_MAX : (size_t)rows;
        return true;
}

static enum exit_status write_page(const char *path, struct str text) {
        struct err err;

        if (strcmp(path, "-") == 0) {
                fwrite(text.ptr, 1, text.len, stdout);
                return EXIT_DONE;
        }
        if (whole_file_write(path, text, &err) == 0)
                return EXIT_DONE;
        log_line("audit: %s", err.msg);
        return EXIT_PROBLEM;
}

static enum exit_status audit_report(const struct options *options) {
        const char *path = options->values[OPTION_HTML];
        struct bailey_audit_query query;
        char error[ERROR_SIZE];
        enum exit_status status;
        char *text;
        size_t length;

        if (!path)
                return audit_usage("no output file given: use --html FILE");
        if (!page_query(options, &query))
                return EXIT_USAGE;
        POLICY_AUTO policy = audit_policy(options);
        if (!policy)
                return EXIT_USAGE;
        if (bailey_audit_report(policy, &query, &text, &length, error, sizeof(error)) < 0)
                return audit_failed(error);
        status = write_page(path, str_from(text, length));
        bailey_free(text);
        return status;
}

static void print_address(const char *text) {
        printf("%s\n", text);
        fflush(stdout); /* a failure stays with the stream, and main looks */
        log_line("open this address in a browser on this host; it is valid once. Press Ctrl-C to stop");
}

static enum exit_status audit_serve(const struct options *options) {
        struct bailey_audit_page *page;
        struct bailey_audit_query query;
        char error[ERROR_SIZE];
        struct err err;
        long port = 0;
        int got;

        if (!page_query(options, &query) || !read_number(options, OPTION_PORT, PORT_MAX, &port))
                return EXIT_USAGE;
        POLICY_AUTO policy = audit_policy(options);
        if (!policy)
                return EXIT_USAGE;
        if (bailey_audit_page_open(policy, &query, &page, error, sizeof(error)) < 0)
                return audit_failed(error);
        while ((got = bailey_audit_page_read(page, error, sizeof(error))) > 0)
                continue;
        if (got == 0 && serve_page(page, (uint16_t)port, print_address, &err) < 0) {
                snprintf(error, sizeof(error), "%s", err.msg);
                got = -1;
        }
        bailey_audit_page_close(page);
        return got < 0 ? audit_failed(error) : EXIT_DONE;
}

/* ---- the command ---- */

static const struct help_row verify_exits[] = {
        { "0", "the audit log is intact" },
        { "1", "the audit log is broken; the first broken record is printed" },
        { "2", "usage error, or the audit log cannot be read" },
        {},
};

static const struct help_row serve_exits[] = {
        { "0", "ended by SIGINT or SIGTERM" },
        { "2", "usage error, the audit log cannot be read, or the port is not available" },
        {},
};

static const struct cli_subcommand subcommands[] = {
        { "tail", "", "list the newest commands: time, ID, verdict, sandbox, exit status, duration, first line", audit_tail },
        { "show", "ID", "show all records of one command; the first 8 characters of its ID are enough", audit_show },
        { "stats", "", "count commands by verdict, rule, sandbox, outcome and hour", audit_stats },
        { "verify", "", "verify the hash chain of the audit log", audit_verify, .exits = verify_exits },
        { "export", "", "print all records as CSV or JSON", audit_export },
        { "report", "", "write a self-contained HTML page", audit_report },
        { "serve", "", "serve the same page, updated live, to a browser on this host; print its one-time address", audit_serve,
          .exits = serve_exits },
        {},
};

static const struct help_row examples[] = {
        { "bailey audit", "list the newest commands" },
        { "bailey audit tail -f --action blocked", "follow blocked commands" },
        { "bailey audit stats --since 7d", "count the commands of the last week" },
        { "bailey audit export --csv >commands.csv", "export all records for a spreadsheet" },
        { "bailey audit report --html week.html --since 7d", "write a page about the last week" },
        {},
};

const struct cli_command cli_audit = {
        .name = "audit",
        .summary = "query the audit log: commands, verdicts and outcomes",
        .details = "The audit log is audit.jsonl in bailey's state directory, or the file that audit.path names.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .by_default = "tail",
        .examples = examples,
};
