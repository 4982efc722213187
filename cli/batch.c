/*
 * `bailey batch`: many commands, from a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "batch/batch.h"
#include "cli/command.h"
#include "cli/overrides.h"
#include "cli/signals.h"

enum {
        OPTION_OUTPUT,
        OPTION_JOBS,
        OPTION_TIMEOUT,
        OPTION_KEEP_ORDER,
        OPTION_STOP_AFTER,
        OPTION_NO_PROGRESS,
        OPTION_POLICY,
        OPTION_BACKEND,
        OPTION_WORKSPACE,
        OPTION_READ,
        OPTION_WRITE,
        OPTION_DENY_READ,
        OPTION_DENY_WRITE,
        OPTION_NETWORK,
        OPTION_ALLOW_HOST,
        OPTION_ROOT,
        OPTION_MEMORY,
        OPTION_CPU_SECS,
        OPTION_PIDS,
        OPTION_ENV,
        OPTION_STRICT,
        OPTION_SET,
        OPTION_CONFIG,
        OPTION_HELP,
};

static const struct option_row option_rows[] = {
        [OPTION_OUTPUT] = { "output", 'o', "FILE",
                            "write results to FILE, and run only the jobs without a result in it; default: standard output" },
        [OPTION_JOBS] = { "jobs", 'j', "N", "run N jobs at a time; default: one per processor" },
        [OPTION_TIMEOUT] = { "timeout", 't', "SECONDS", "default timeout of jobs; 0: none" },
        [OPTION_KEEP_ORDER] = { "keep-order", 'k', NULL, "write results in the order of the jobs" },
        [OPTION_STOP_AFTER] = { "stop-after", 0, "N", "start no more jobs when N have failed, or N% of all jobs in FILE" },
        [OPTION_NO_PROGRESS] = { "no-progress", 0, NULL, "show no progress on the terminal" },
        [OPTION_POLICY] = ROW_POLICY,
        [OPTION_BACKEND] = ROW_BACKEND,
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR",
                               "workspace shared by the jobs that name none; default: the current directory" },
        [OPTION_READ] = ROW_READ,
        [OPTION_WRITE] = ROW_WRITE,
        [OPTION_DENY_READ] = ROW_DENY_READ,
        [OPTION_DENY_WRITE] = ROW_DENY_WRITE,
        [OPTION_NETWORK] = ROW_NETWORK,
        [OPTION_ALLOW_HOST] = ROW_ALLOW_HOST,
        [OPTION_ROOT] = ROW_ROOT,
        [OPTION_MEMORY] = ROW_MEMORY,
        [OPTION_CPU_SECS] = ROW_CPU_SECS,
        [OPTION_PIDS] = ROW_PIDS,
        [OPTION_ENV] = ROW_ENV,
        [OPTION_STRICT] = ROW_STRICT,
        [OPTION_SET] = ROW_SET,
        [OPTION_CONFIG] = ROW_CONFIG,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- options ---- */

static int read_count(const char *option, const char *text, unsigned long long most, char *ret_unit, unsigned long long *ret) {
        unsigned long long count;
        char *end;

        errno = 0;
        count = strtoull(text, &end, 10);
        if (end == text || *text == '-' || errno || count < 1 || count > most ||
            (*end && (*end != '%' || end[1] || !ret_unit))) {
                log_line("batch: --%s: expected %s from 1 to %llu, found '%s'", option,
                         ret_unit ? "a number or a percentage" : "a number", most, text);
                return -1;
        }
        if (ret_unit)
                *ret_unit = *end;
        *ret = count;
        return 0;
}

static unsigned long long processors(void) {
        cpu_set_t set;

        return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned long long)CPU_COUNT(&set) : 1;
}

static int read_options(const char *const *given, struct batch_options *batch) {
        unsigned long long at_a_time = processors(), stop_after = 0;
        char unit = 0;

        if (given[OPTION_JOBS] && read_count("jobs", given[OPTION_JOBS], BATCH_JOBS_MAX, NULL, &at_a_time) < 0)
                return -1;
        if (given[OPTION_STOP_AFTER] && read_count("stop-after", given[OPTION_STOP_AFTER], 1000000000, &unit, &stop_after) < 0)
                return -1;
        if (timeout_read("batch", given[OPTION_TIMEOUT], &batch->timeout_ms) < 0)
                return -1;
        batch->at_a_time = at_a_time < BATCH_JOBS_MAX ? at_a_time : BATCH_JOBS_MAX;
        batch->stop_after = stop_after;
        batch->stop_percent = unit == '%';
        batch->in_order = given[OPTION_KEEP_ORDER] != NULL;
        batch->progress_fd = isatty(STDERR_FILENO) && !given[OPTION_NO_PROGRESS] ? STDERR_FILENO : -1;
        return 0;
}

/* Both are regular files, or the like, that stay open until the end. */
static int open_files(const char *jobs, const char *results, struct batch_options *batch) {
        bool input = strcmp(jobs, "-") == 0;

        batch->jobs_name = input ? "standard input" : jobs;
        batch->journal = results != NULL;
        batch->results_name = results ? results : "standard output";
        batch->jobs_fd = input ? STDIN_FILENO : open(jobs, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (batch->jobs_fd < 0) {
                log_line("batch: %s: %s", jobs, strerror(errno));
                return -1;
        }
        batch->results_fd = results ? open(results, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666) : STDOUT_FILENO;
        if (batch->results_fd < 0) {
                log_line("batch: %s: %s", results, strerror(errno));
                return -1;
        }
        return 0;
}

/* ---- running ---- */

static enum exit_status tell(const struct batch_sums *sums, const struct batch_options *batch) {
        uint64_t done = sums->before + sums->done;

        if (sums->invalid)
                log_line("batch: %llu lines of %s are wrong, and did not run; their results say why",
                         (unsigned long long)sums->invalid, batch->jobs_name);
        if (sums->faults)
                log_line("batch: %llu jobs did not run through a fault of this machine; their results have \"infra\":true",
                         (unsigned long long)sums->faults);
        if (sums->stopped && sums->known)
                log_line("batch: stopped with %llu of %llu jobs done%s", (unsigned long long)done,
                         (unsigned long long)sums->lines, batch->journal ? "; the same command goes on" : "");
        else if (sums->stopped)
                log_line("batch: stopped with %llu jobs done", (unsigned long long)done);
        return sums->invalid ? EXIT_USAGE : sums->faults || sums->stopped ? EXIT_PROBLEM : EXIT_DONE;
}

static enum exit_status batch_command(const struct options *options) {
        const char *const *given = options->values;
        struct overrides overrides = {};
        struct batch_options batch = { .environment = (const char *const *)environ };
        struct bailey_policy_options policy = {
                .policy = given[OPTION_POLICY],
                .workspace = given[OPTION_WORKSPACE] ? given[OPTION_WORKSPACE] : ".",
                .config = given[OPTION_CONFIG],
                .overrides = (const char *const *)overrides.items,
                .environment = (const char *const *)environ,
                .program = "",
        };
        struct batch_sums sums = {};
        struct bailey_policy *checked;
        enum exit_status status = EXIT_USAGE;
        struct err err = {};

        if (read_options(given, &batch) < 0 || open_files(options->operands[0], given[OPTION_OUTPUT], &batch) < 0)
                return EXIT_USAGE;
        overrides_read(option_rows, options, &overrides);
        checked = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], &overrides);
        if (checked) {
                bailey_policy_free(checked);
                batch.policy = &policy;
                batch.stop_fd = signals_watch();
                if (batch_run(&batch, &sums, &err) < 0) {
                        log_line("batch: %s", err.msg);
                        status = EXIT_PROBLEM;
                } else {
                        status = tell(&sums, &batch);
                }
        }
        overrides_free(&overrides);
        return status;
}

static const struct help_row exits[] = {
        { "0", "all jobs ran, successfully or not" },
        { "1", "some jobs did not run, because of a signal, --stop-after or a fault of this machine" },
        { "2", "usage error, or invalid lines in FILE" },
        {},
};

static const struct help_row examples[] = {
        { "bailey batch jobs.jsonl -o results.jsonl", "run all jobs, or after an interruption the remaining ones" },
        { "producer | bailey batch - | consumer", "run jobs as they arrive" },
        { "bailey batch --jobs 8 --stop-after 10% jobs.jsonl -o results.jsonl", "give up when too many jobs fail" },
        {},
};

const struct cli_command cli_batch = {
        .name = "batch",
        .operands = "FILE",
        .summary = "run many commands from a file, each in a sandbox",
        .details =
                "Each line of FILE (-: standard input) is a job, as a JSON object with either command (bash code) or argv (a\n"
                "program and its arguments), and optionally id, workspace, cwd, env, policy, timeout, retry, group, shared\n"
                "and description. Each job gets exactly one line as its result: the output of bailey run --json, with line,\n"
                "id, attempt, node and infra, which is true if the machine was at fault, not the command.\n"
                "\n"
                "Jobs do not share /tmp. Jobs that name a workspace run in it one at a time, unless they have "
                "\"shared\":true.\n"
                "On Ctrl-C, running jobs finish; a second Ctrl-C kills them. With --output, running the same command again,\n"
                "also after a crash, runs only the jobs without a result.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .run = batch_command,
};
