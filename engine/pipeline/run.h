/*
 * The run of one command: verdict, facts about the host, launch, run, check of protected paths, explanation. bailey_run() runs
 * one to its end; a session (session.c) has several.
 */
#ifndef BAILEY_ENGINE_RUN_H
#define BAILEY_ENGINE_RUN_H

#include "base/id.h"
#include "engine/pipeline/choose.h"
#include "engine/pipeline/host_cache.h"
#include "engine/policy.h"
#include "engine/pipeline/pool.h"
#include "engine/pipeline/secrets.h"
#include "guard/guard.h"
#include "include/bailey.h"
#include "protect/protect.h"
#include "run/job.h"
#include "run/tmpdir.h"

enum { COMMAND_MAX = 1 << 20, NOTICES_MAX = 64 };

/* Exit statuses, as in timeout(1) and the shell. */
enum { RUN_EXIT_TIMEOUT = 124, RUN_EXIT_FAILED = 125, RUN_EXIT_REFUSED = 126, RUN_EXIT_NOT_FOUND = 127 };

struct run {
        struct arena arena;
        const struct policy *policy;
        bool bypassed;
        const char *program; /* path of the bailey program */
        struct bailey_run_options options;
        struct audit *audit;
        struct containers *containers;
        struct cgroup_shared *shared;
        uint64_t kills_before;   /* how often the OOM killer had acted in that when the command started */
        bool user_memory_killed; /* and it did so while this one ran */
        char id[ID_SIZE];        /* in the audit log */
        bool unrecorded;         /* writing the audit record failed */

        /* given by the caller; all but the secrets may be NULL */
        struct secrets *secrets;
        struct stream *out_stream, *err_stream; /* become ready when the command is about to start */
        struct pool *pool;                      /* warm sandboxes */
        struct host_cache **kept;               /* cached facts about the host */
        struct baseline **baselines;            /* of workspaces */
        struct buf *later;                      /* lines for the next result, because background commands have none */
        int64_t *recovered;                     /* time of the last clean-up after killed commands; monotonic */
        int epoll_fd;                           /* run/job.h */
        void *epoll_data;

        struct str command;
        struct verdict verdict;
        const char *state; /* bailey's own directory */
        struct host_cache *host_cache;
        struct host host;
        struct sandbox_request request;
        const char *shell_argv[4];
        int64_t timeout;
        struct tmpdir tmpdir;
        struct baseline *baseline; /* while its workspace is protected; NULL: it is not */

        struct backend_choice choice;
        size_t tried; /* of these */
        struct launch launch;
        const struct backend *refused; /* the named backend that cannot be used */
        char failures[1024];           /* of those that were tried: "native: namespaces: ...; bwrap: ..." */
        struct job job;
        bool told_started, over;
        int64_t held_until; /* it is stopped while something is restored; 0: it is not; monotonic, as the next one */
        int64_t counted;    /* since then: */
        unsigned replaced;  /* sentences of what was set aside while it ran */

        struct captured captured;
        uint64_t redactions;
        const char *notices[NOTICES_MAX];
        size_t notice_count;
        struct err err;
        struct bailey_outcome out;
};

/* What `options` points to must live until the run is over. */
struct run *run_new(const struct bailey_policy *policy, const struct bailey_run_options *options);

/* Does everything up to the launch; then `job` runs, unless the run is `over` already. */
void run_begin(struct run *run);

/* Does what is due, and waits for it if allowed. Returns true if the run is over. */
bool run_turn(struct run *run, bool may_wait);

/* ---- the stages ---- */

int run_prepare(struct run *run);
int run_launch(struct run *run);
int run_launch_again(struct run *run, const struct err *why); /* the last launch has failed */
void run_tell_started(struct run *run);
void run_end(struct run *run, int result);

/* ---- what is protected ---- */

int run_protect_recover(struct run *run, struct err *err); /* after commands that were killed */
int run_protect_begin(struct run *run);
void run_protect_check(struct run *run); /* after covers were restored */
void run_protect_end(struct run *run);   /* sets aside what it created at protected paths, now or at the next start */

/* ---- the outcome ---- */

/* Adds a notice for the user. More than NOTICES_MAX are not kept. It is one line, as a message is: control
 * characters of what it quotes are escaped. */
void run_notice(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_message(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

void run_show_plan(struct run *run);
void run_explain(struct run *run);

/* At most once a minute, counted in a file, as each run may be a process of its own. */
bool run_may_warn(const struct run *run);

/* The names of the enforced guarantees, NULL-terminated; NULL: none yet. */
const char *const *run_wall_names(struct run *run);

void run_free(struct run *run);

/* Frees `run`; the texts of the outcome live on. */
int run_hand_out(struct run *run, struct bailey_outcome *ret);

#endif
