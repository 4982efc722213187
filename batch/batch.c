#include "batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/time.h"
#include "batch/place.h"
#include "batch/results.h"
#include "format/format.h"
#include "format/json.h"

enum {
        WAITING_MAX = 1024,       /* jobs that are read, and wait for their turn */
        WAITING_BYTES = 16 << 20, /* that they may take, unless it is one */
        RESULT_BYTES = 256 << 20, /* of one result */
        LINE_MEMORY = JOB_LINE_MAX + 1,
};

#define PROGRESS_EVERY (TIME_SECOND / 5)

struct batch {
        const struct batch_options *options;
        struct batch_sums sums;
        struct lines lines;
        bool regular, readable, ended; /* the file of jobs: of known size; there may be more to read now; there is no more */
        struct job *first, *last;      /* that wait, in the order of their lines */
        size_t waiting, waiting_bytes;
        bool grouped; /* a job has named a group */
        struct job *running;
        struct places places;
        struct results results;
        struct buf result; /* of one job, while it is made */
        char node[65];
        char workspace[PATH_MAX]; /* of jobs that name none */
        bool draining, killing;
        int64_t begun, shown;
};

/* ---- results ---- */

static void put_job(struct buf *out, const struct batch *batch, const struct job *job, bool fault) {
        put_text(out, "id", job->id);
        if (job->group)
                put_text(out, "group", job->group);
        put_number(out, "attempt", job->attempt);
        put_text(out, "node", batch->node);
        put_switch(out, "infra", fault);
}

static int finish(struct batch *batch, struct job *job, struct err *err) {
        put_end(&batch->result);
        batch->sums.done++;
        if (results_add(&batch->results, job->line, job->mark, &batch->result, err) < 0)
                return -1;
        job_free(job);
        return 0;
}

/* A job that never ran: its line is wrong, or, if it is a fault of the machine, there is no way to run it. */
static int finish_unrun(struct batch *batch, struct job *job, const char *message, bool fault, struct err *err) {
        struct buf *out = &batch->result;

        batch->sums.failed++;
        batch->sums.faults += fault;
        batch->sums.invalid += !fault;
        result_begin(out, job->line, job->mark);
        put_job(out, batch, job, fault);
        put_text(out, "end", fault ? "failed" : "invalid");
        put_null(out, "exit_code");
        put_text(out, "message", message);
        return finish(batch, job, err);
}

/* Of the machine, and not of the job. */
static bool is_fault(const struct bailey_outcome *outcome) {
        return outcome->end == BAILEY_FAILED && !outcome->wrong;
}

static int finish_run(struct batch *batch, struct job *job, const struct bailey_outcome *outcome, struct err *err) {
        bool fault = is_fault(outcome);

        batch->sums.failed += outcome->exit_code != 0;
        batch->sums.faults += fault;
        batch->sums.invalid += outcome->wrong;
        result_begin(&batch->result, job->line, job->mark);
        put_job(&batch->result, batch, job, fault);
        put_outcome(&batch->result, outcome);
        return finish(batch, job, err);
}

/* ---- reading jobs ---- */

/* Whoever reads the results may be slow. Results that are held wait for another job, which is the next if nothing runs. */
static bool results_have_room(const struct batch *batch) {
        return results_waiting(&batch->results) < RESULTS_FULL && (batch->results.held_bytes < RESULTS_FULL || !batch->running);
}

static bool jobs_have_room(const struct batch *batch) {
        return batch->waiting < WAITING_MAX && batch->waiting_bytes < WAITING_BYTES && results_have_room(batch);
}

static void append(struct batch *batch, struct job *job) {
        *(batch->last ? &batch->last->next : &batch->first) = job;
        batch->last = job;
        batch->grouped |= job->group != NULL;
        batch->waiting++;
        batch->waiting_bytes += job->bytes;
}

/* 1: there was one, 0: there is none now. */
static int read_job(struct batch *batch, struct err *err) {
        struct err problem = {};
        struct str text;
        struct job *job;
        int kind = lines_next(&batch->lines, &text, err), have;
        uint64_t line = batch->lines.number;
        uint32_t mark;

        if (kind < 0)
                return err_context(err, "%s", batch->options->jobs_name);
        if (kind == LINE_END)
                batch->ended = true;
        if (kind == LINE_END || kind == LINE_LATER)
                return 0;
        if (kind == LINE_WHOLE && !str_trim(text).len)
                return results_skip(&batch->results, line, err) < 0 ? -1 : 1;
        if (!batch->sums.known)
                batch->sums.lines++;
        mark = job_mark(text);
        have = results_have(&batch->results, line, mark, err);
        if (have)
                return have;
        if (!(job = job_new(text, line, mark, batch->workspace, &problem)))
                return err_memory(err);
        if (kind == LINE_TOO_LONG)
                err_set(&problem, ERR_TOO_COMPLEX, "longer than %d MiB", JOB_LINE_MAX >> 20);
        if (problem.code)
                return finish_unrun(batch, job, problem.msg, false, err) < 0 ? -1 : 1;
        append(batch, job);
        return 1;
}

static int read_jobs(struct batch *batch, struct err *err) {
        int more = 1;

        while (more > 0 && !batch->ended && !batch->draining && jobs_have_room(batch))
                more = read_job(batch, err);
        return more;
}

/* Counts the jobs of a file, and compares them with the results that are there, before anything runs. */
static int survey(struct batch *batch, struct err *err) {
        struct lines lines = batch->lines;
        struct str text;
        uint64_t count = 0;
        int kind;

        if (!batch->regular)
                return 0;
        while ((kind = lines_next(&lines, &text, err)) == LINE_WHOLE || kind == LINE_TOO_LONG) {
                if (kind == LINE_WHOLE && !str_trim(text).len)
                        continue;
                count++;
                if (batch->results.before && results_have(&batch->results, lines.number, job_mark(text), err) < 0)
                        return err_context(err, "%s", batch->options->jobs_name);
        }
        if (kind < 0)
                return err_context(err, "%s", batch->options->jobs_name);
        if (batch->results.before > count)
                return err_set(err, ERR_CHANGED, "%s has %" PRIu64 " jobs, but %s has %" PRIu64 " results",
                               batch->options->jobs_name, count, batch->results.name, batch->results.before);
        batch->sums.lines = count;
        batch->sums.known = true;
        return 0;
}

/* ---- starting ---- */

/* A workspace that jobs name is for one of them at a time. */
static bool is_taken(const struct batch *batch, const struct job *job) {
        if (!job->workspace || job->shared)
                return false;
        for (const struct job *other = batch->running; other; other = other->next)
                if (other->workspace && !other->shared && strcmp(other->workspace, job->workspace) == 0)
                        return true;
        return false;
}

static size_t running_in_group(const struct batch *batch, const char *group) {
        size_t count = 0;

        for (const struct job *job = batch->running; job; job = job->next)
                count += strcmp(job->group ? job->group : "", group ? group : "") == 0;
        return count;
}

/* The next one to start: the first whose workspace is free, of the group with the fewest that are running. */
static struct job **choose(struct batch *batch) {
        struct job **best = NULL;
        size_t least = SIZE_MAX;

        for (struct job **at = &batch->first; *at && least; at = &(*at)->next) {
                size_t count = batch->grouped ? running_in_group(batch, (*at)->group) : 0;

                if (count < least && !is_taken(batch, *at)) {
                        best = at;
                        least = count;
                }
        }
        return best;
}

static struct job *take_out(struct batch *batch, struct job **at) {
        struct job *job = *at;

        *at = job->next;
        if (batch->last == job) {
                batch->last = NULL;
                for (struct job *other = batch->first; other; other = other->next)
                        batch->last = other;
        }
        job->next = NULL;
        batch->waiting--;
        batch->waiting_bytes -= job->bytes;
        return job;
}

static int start(struct batch *batch, struct job *job, struct err *err) {
        const struct bailey_run_options run = {
                .command = job->command,
                .argv = job->argv,
                .cwd = job->cwd,
                .timeout_ms = job->timeout_ms ? job->timeout_ms : batch->options->timeout_ms,
                .description = job->description,
                .fresh = 1,
        };
        struct err problem = {};

        job->attempt++;
        job->place = place_enter(&batch->places, job, &problem);
        if (!job->place)
                return finish_unrun(batch, job, problem.msg, problem.code != ERR_INVALID, err);
        if (bailey_start(job->place->session, &run, job->shell, problem.msg, sizeof(problem.msg)) < 0) {
                place_leave(job->place);
                return finish_unrun(batch, job, problem.msg, true, err);
        }
        job->next = batch->running;
        batch->running = job;
        batch->sums.running++;
        return 0;
}

static int start_jobs(struct batch *batch, struct err *err) {
        struct job **at;

        while (!batch->draining && batch->sums.running < batch->options->at_a_time && results_have_room(batch) &&
               (at = choose(batch)))
                if (start(batch, take_out(batch, at), err) < 0)
                        return -1;
        return 0;
}

/* ---- what has ended ---- */

static struct job *take_running(struct batch *batch, const struct place *place, const char *shell) {
        for (struct job **at = &batch->running; *at; at = &(*at)->next)
                if ((*at)->place == place && strcmp((*at)->shell, shell) == 0) {
                        struct job *job = *at;

                        *at = job->next;
                        job->next = NULL;
                        batch->sums.running--;
                        place_leave(job->place);
                        return job;
                }
        return NULL;
}

/* A fault of the machine is worth another attempt; it comes before jobs that have not run. */
static void start_again(struct batch *batch, struct job *job) {
        job->next = batch->first;
        batch->first = job;
        if (!batch->last)
                batch->last = job;
        batch->waiting++;
        batch->waiting_bytes += job->bytes;
}

/* What is killed at the user's wish has no result: it runs when the batch goes on. */
static int take_outcome(struct batch *batch, struct job *job, const struct bailey_outcome *outcome, struct err *err) {
        if (batch->killing && outcome->end == BAILEY_CANCELLED)
                job_free(job);
        else if (is_fault(outcome) && job->attempt <= job->retries && !batch->draining)
                start_again(batch, job);
        else
                return finish_run(batch, job, outcome, err);
        return 0;
}

static int hear(struct batch *batch, struct place *place, struct err *err) {
        struct bailey_outcome outcome;
        struct bailey_event event;
        int result = 0;

        bailey_session_step(place->session);
        while (result == 0 && bailey_session_event(place->session, &event) == 1) {
                struct job *job = event.kind == BAILEY_EVENT_ENDED ? take_running(batch, place, event.id) : NULL;

                if (!job)
                        continue;
                if (bailey_take(place->session, event.id, &outcome) != 1)
                        return finish_unrun(batch, job, "out of memory", true, err);
                result = take_outcome(batch, job, &outcome, err);
                bailey_outcome_free(&outcome);
        }
        return result;
}

/* ---- the end before the end ---- */

static void stop(struct batch *batch) {
        struct signalfd_siginfo info;

        if (read(batch->options->stop_fd, &info, sizeof(info)) != sizeof(info))
                return;
        batch->sums.stopped = true;
        if (batch->draining) {
                batch->killing = true;
                for (struct job *job = batch->running; job; job = job->next)
                        bailey_kill(job->place->session, job->shell, SIGKILL);
        }
        batch->draining = true;
}

static void stop_when_enough(struct batch *batch) {
        const struct batch_options *options = batch->options;
        uint64_t most = options->stop_percent ? batch->sums.lines * options->stop_after / 100 : options->stop_after;

        if (options->stop_after && batch->sums.failed && batch->sums.failed >= most && !batch->draining)
                batch->draining = batch->sums.stopped = true;
}

/* ---- the loop ---- */

enum { FD_JOBS, FD_RESULTS, FD_STOP, FD_PLACES };

static bool over(const struct batch *batch) {
        bool none = batch->draining || (batch->ended && !batch->first);

        return none && !batch->running && !results_waiting(&batch->results);
}

static size_t poll_fds(struct batch *batch, struct pollfd *fds) {
        bool reads = !batch->regular && !batch->ended && !batch->draining && jobs_have_room(batch);
        size_t count = FD_PLACES;

        fds[FD_JOBS] = (struct pollfd){ .fd = reads ? batch->lines.fd : -1, .events = POLLIN };
        fds[FD_RESULTS] = (struct pollfd){ .fd = results_waiting(&batch->results) ? batch->results.fd : -1, .events = POLLOUT };
        fds[FD_STOP] = (struct pollfd){ .fd = batch->options->stop_fd, .events = POLLIN };
        for (size_t i = 0; i < batch->places.count; i++)
                fds[count++] = (struct pollfd){ .fd = bailey_session_fd(batch->places.items[i]->session), .events = POLLIN };
        return count;
}

static void show(struct batch *batch) {
        int64_t now = time_monotonic();

        if (batch->options->progress_fd < 0 || now - batch->shown < PROGRESS_EVERY)
                return;
        batch->shown = now;
        progress_show(batch->options->progress_fd, &batch->sums, batch->begun, now);
}

/* Places stay where they are in the meantime: only start_jobs() makes and removes them. */
static int turn(struct batch *batch, struct err *err) {
        struct pollfd fds[FD_PLACES + PLACES_MAX];
        size_t count = poll_fds(batch, fds);

        if (poll(fds, count, batch->options->progress_fd < 0 ? -1 : (int)(PROGRESS_EVERY / (TIME_SECOND / 1000))) < 0)
                return errno == EINTR ? 0 : err_sys(err, "poll");
        if (fds[FD_STOP].revents)
                stop(batch);
        batch->readable = batch->regular || fds[FD_JOBS].revents;
        for (size_t i = FD_PLACES; i < count; i++)
                if (fds[i].revents && hear(batch, batch->places.items[i - FD_PLACES], err) < 0)
                        return -1;
        if (fds[FD_RESULTS].revents && results_write(&batch->results, err) < 0)
                return -1;
        stop_when_enough(batch);
        show(batch);
        return 0;
}

static int go(struct batch *batch, struct err *err) {
        if (survey(batch, err) < 0)
                return -1;
        for (;;) {
                if (read_jobs(batch, err) < 0 || start_jobs(batch, err) < 0)
                        return -1;
                if (over(batch))
                        return 0;
                if (turn(batch, err) < 0)
                        return -1;
        }
}

/* ---- beginning and end ---- */

static int begin(struct batch *batch, struct err *err) {
        const struct batch_options *options = batch->options;
        struct stat st;

        if (!realpath(options->policy->workspace, batch->workspace))
                return err_sys(err, "workspace %s", options->policy->workspace);
        if (results_open(&batch->results, options->results_fd, options->results_name, options->journal, options->in_order,
                         err) < 0)
                return -1;
        batch->sums.before = batch->results.before;
        if (fstat(options->jobs_fd, &st) < 0)
                return err_sys(err, "%s", options->jobs_name);
        batch->regular = S_ISREG(st.st_mode);
        batch->readable = batch->regular;
        if (options->stop_percent && !batch->regular)
                return err_set(err, ERR_INVALID, "--stop-after: a percentage requires a regular file of jobs");
        batch->lines = (struct lines){
                .fd = options->jobs_fd,
                .memory = malloc(LINE_MEMORY),
                .size = LINE_MEMORY,
                .limit = batch->regular ? (uint64_t)st.st_size : UINT64_MAX,
                .stream = !batch->regular,
                .open_end = true,
                .readable = batch->regular ? NULL : &batch->readable,
        };
        return batch->lines.memory ? 0 : err_memory(err);
}

static void free_jobs(struct job *job) {
        for (struct job *next; job; job = next) {
                next = job->next;
                job_free(job);
        }
}

int batch_run(const struct batch_options *options, struct batch_sums *ret, struct err *err) {
        struct batch batch = {
                .options = options,
                .places = { .options = options->policy, .environment = options->environment, .idle_max = 16 },
                .begun = time_monotonic(),
        };
        int result;

        buf_init(&batch.result, RESULT_BYTES);
        gethostname(batch.node, sizeof(batch.node) - 1);
        result = begin(&batch, err);
        if (result == 0)
                result = go(&batch, err);
        places_free(&batch.places);
        free_jobs(batch.first);
        free_jobs(batch.running);
        results_free(&batch.results);
        buf_free(&batch.result);
        free(batch.lines.memory);
        if (options->progress_fd >= 0)
                progress_hide(options->progress_fd);
        *ret = batch.sums;
        return result;
}
