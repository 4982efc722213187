/*
 * One command on its way: verdict, what is known of the host, launch, run, sweep, explanation. bailey_run() takes one to its
 * end; a session (session.c) has several under way.
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

/* What a shell would say. */
enum { RUN_EXIT_TIMEOUT = 124, RUN_EXIT_FAILED = 125, RUN_EXIT_REFUSED = 126, RUN_EXIT_NOT_FOUND = 127 };

struct run {
        struct arena arena;
        const struct policy *policy;
        bool bypassed;
        const char *program; /* bailey itself */
        struct bailey_run_options options;
        struct audit *audit;
        struct containers *containers;
        struct cgroup_shared *shared;
        uint64_t kills_before;   /* how often the OOM killer had acted in that when the command started */
        bool user_memory_killed; /* and it did so while this one ran */
        char id[ID_SIZE];        /* on record */
        bool unrecorded;         /* writing failed */

        /* given by whoever drives it; all but the secrets may be missing */
        struct secrets *secrets;
        struct stream *out_stream, *err_stream; /* become ready when the command is about to start */
        struct pool *pool;                      /* sandboxes that are ready */
        struct host_cache **kept;               /* what is known of the host */
        struct baseline **baselines;            /* of workspaces */
        struct buf *later;                      /* lines for the next answer, as those of background commands have none */
        int64_t *recovered;                     /* when it was last looked for commands that were killed; monotonic */
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
        const struct backend *refused; /* the one that was named and does not work */
        char failures[1024];           /* of those that were tried: "native: namespaces: ...; bwrap: ..." */
        struct job job;
        bool told_started, over;
        int64_t held_until; /* it is stopped, while something is put back; 0: it is not; monotonic, as the next one */
        int64_t counted;    /* since then: */
        unsigned replaced;  /* sentences of what was set aside while it ran */

        struct captured captured;
        uint64_t redactions;
        const char *notices[NOTICES_MAX];
        size_t notice_count;
        struct err err;
        struct bailey_outcome out;
};

/* What `options` points to has to stay until the run is over. */
struct run *run_new(const struct bailey_policy *policy, const struct bailey_run_options *options);

/* Up to the launch; then `job` is under way, unless the run is `over` already. */
void run_begin(struct run *run);

/* Does what is due, waits for it if it may. Returns whether the run is over. */
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
void run_protect_check(struct run *run); /* when covers that the host took away were put back */
void run_protect_end(struct run *run);   /* what it made at protected places is set aside, now or at the next start */

/* ---- the outcome ---- */

/* What the user should know besides. More than NOTICES_MAX are not kept. It is one line, as a message is: control
 * characters of what it quotes are escaped. */
void run_notice(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_message(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

void run_show_plan(struct run *run);
void run_explain(struct run *run);

/* At most once a minute, counted in a file, as each run may be a process of its own. */
bool run_may_warn(const struct run *run);

/* What its walls are called, NULL-terminated; NULL: there are none yet. */
const char *const *run_wall_names(struct run *run);

void run_free(struct run *run);

/* Frees `run`; the texts of the outcome live on. */
int run_hand_out(struct run *run, struct bailey_outcome *ret);

#endif
