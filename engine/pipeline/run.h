/*
 * The run of one command: verdict, facts about the host, launch, run, check of protected paths, explanation. bailey_run() runs
 * one to its end; a session (session.c) has several.
 */
#ifndef BAILEY_ENGINE_RUN_H
#define BAILEY_ENGINE_RUN_H

#include "base/id.h"
#include "engine/pipeline/choose.h"
#include "engine/pipeline/gateway_link.h"
#include "engine/pipeline/host_cache.h"
#include "engine/policy.h"
#include "engine/pipeline/pool.h"
#include "engine/pipeline/secrets.h"
#include "engine/pipeline/session_state.h"
#include "engine/pipeline/session_tmp.h"
#include "engine/pipeline/shell_ports.h"
#include "guard/guard.h"
#include "home/usage.h"
#include "include/bailey.h"
#include "protect/protect.h"
#include "run/explain.h"
#include "run/job.h"
#include "run/tmpdir.h"
#include "stage/store.h"

enum { COMMAND_MAX = 1 << 20, NOTICES_MAX = 64 };

/* Exit statuses, as in timeout(1) and the shell. */
enum { RUN_EXIT_TIMEOUT = 124, RUN_EXIT_FAILED = 125, RUN_EXIT_REFUSED = 126, RUN_EXIT_NOT_FOUND = 127 };

/* A warning that the user has agreed to, for all commands of a session. */
struct accepted {
        const struct accepted *next;
        struct str rule, what; /* of struct reason */
};

/* A path of fs_write_allow, and what commands write in its place. */
struct run_copy {
        const char *path, *copy;
};

/* What is asked for, and by which policy. Written by run_new() only. */
struct run_order {
        const struct policy *policy;
        bool bypassed;
        const char *program; /* bailey itself */
        struct bailey_run_options options;
        struct audit *audit;
        struct containers *containers;
        struct cgroup_shared *shared;
        const struct run_copy *copies; /* the last one has no path; NULL: none */
        struct bailey_policy *own;     /* a policy for this run alone, which is freed with it; NULL: none */
};

/* What is said again and again, but not of each command. */
enum run_warning { WARNING_NO_SANDBOX, WARNING_HOME, WARNING_COUNT };

/* What the caller that drives the run lends to it. All but the secrets may be missing. */
struct run_lent {
        struct secrets *secrets;
        struct stream *out_stream, *err_stream; /* become ready when the command is about to start */
        struct stream *seen;                    /* what is known of output that is passed on; ready as these */
        struct screen *screen;                  /* of its terminal; NULL: it has none, or somebody's */
        struct input_queue *typed;              /* what it reads; NULL: as its options say */
        struct pool *pool;                      /* sandboxes that are ready */
        struct session_tmp *tmp;                /* that all commands share */
        struct session_state *state;            /* what they leave for the next one */
        struct gateway_link *gateway;           /* for commands that may reach some hosts */
        struct host_cache **kept;               /* what is known of the host */
        struct baseline **baselines;            /* of workspaces */
        struct buf *later;                      /* lines for the next answer, as those of background commands have none */
        int64_t *recovered;                     /* when killed commands were last looked for; monotonic */
        int64_t *warned;                        /* when each of enum run_warning was last said; monotonic, 0: never */
        const struct accepted *accepted;        /* what its user has agreed to */
        int epoll_fd;                           /* run/job.h */
        void *epoll_data;
};

/* session_state.c: what the command gets of its session, and leaves. */
struct run_begun {
        const char *cwd;      /* as asked for, or where the session is; NULL: the workspace */
        struct str variables; /* as in struct session_state */
        const struct walk_binding *bindings;
        size_t binding_count;
        struct buf left; /* launch/warm/state_page.h */
};

/* begin.c: the text and the verdict. */
struct run_judged {
        struct str command;
        struct verdict verdict;
        bool to_ask; /* nothing is done before the user has been asked */
};

/* begin.c: what is known before there is a plan. */
struct run_facts {
        const char *state; /* bailey's own directory */
        struct host_cache *host_cache;
        struct host host;
        struct sandbox_request request;
        const char *shell_argv[4];
        int64_t timeout;
        int home;                     /* the directory of the home of the workspace, locked; -1: there is none */
        struct home_usage home_usage; /* as far as it is known */
};

/* staging.c: what it writes in the workspace goes to a stage. */
struct run_staged {
        struct stage stage;
        struct named_tmp keeper;
        struct tmp_holder holder; /* only its socket, of the process that has the overlay mounted */
};

/* protection.c: the protected places of the workspace, while the command runs. */
struct run_guarded {
        struct baseline *baseline; /* NULL: the workspace is not protected */
        int64_t held_until;        /* the command is stopped, while something is put back; 0: it is not; monotonic */
        int64_t counted;           /* since then: */
        unsigned replaced;         /* sentences of what was set aside while it ran */
};

/* launch.c: the backend that is tried, and its plan. */
struct run_attempt {
        struct backend_choice choice;
        size_t tried; /* of these */
        struct launch launch;
        const struct backend *refused;  /* the one that was named and does not work */
        char failures[1024];            /* of those that were tried: "native: namespaces: ...; bwrap: ..." */
        struct host host;               /* with what this backend needs besides */
        struct sandbox_request request; /* and its environment */
        bool without_sockets;           /* one of unix_sockets has gone meanwhile */
        const char *without_overlay;    /* why the home directory cannot be overlaid; NULL: it can, or was not tried */
        const char *without_identity;   /* why commands of root have to be root outside; NULL: not known */
        struct tmpdir tmpdir;
        const char *tmpdir_path;
        struct network_log *network; /* of its connections; NULL: it has none, or the host's network */
        struct shell_ports shell_ports;
        uint64_t kills_before; /* how often the OOM killer had acted among all commands of the user when this one started */
};

/* evidence.c: what was denied, for rows of engine/why_table.c. */
struct run_miss {
        const char *kind, *subject;
        const char *program;
};

enum { MISSES_MAX = 64 };

struct run_evidence {
        int notes; /* the file of launch/evidence.h; -1: none */
        struct run_miss misses[MISSES_MAX];
        size_t count;
        bool lost; /* there were more */
};

/* end.c: what came of it. */
struct run_result {
        struct captured captured;
        uint64_t redactions;
        const char *notices[NOTICES_MAX];
        size_t notice_count;
        struct explain_findings findings; /* that the explanation is about */
        bool user_memory_killed;          /* the OOM killer acted among all commands of the user while this one ran */
        bool unrecorded;                  /* it could not be written to the audit log */
        struct err err;
        struct bailey_outcome out;
};

/* Each part is written by one stage, and read by those after it. */
struct run {
        struct arena arena;
        char id[ID_SIZE]; /* in the audit log */
        struct run_order order;
        struct run_lent lent;
        struct run_begun begun;
        struct run_judged judged;
        struct run_facts facts;
        struct run_guarded guarded;
        struct run_staged staged;
        struct run_attempt attempt;
        struct job job;
        struct run_evidence evidence;
        bool told_started, over;
        struct run_result result;
};

/* What `options` points to must live until the run is over. */
struct run *run_new(const struct bailey_policy *policy, const struct bailey_run_options *options);

/* Does everything up to the launch; then `job` runs, unless the run is `over` already. */
void run_begin(struct run *run);

/* Does what is due, and waits for it if allowed. Returns true if the run is over. */
bool run_turn(struct run *run, bool may_wait);

/* As bailey_run(), with copies in the place of what could be written. */
int run_alone(const struct bailey_policy *policy, const struct bailey_run_options *options, const struct run_copy *copies,
              struct bailey_outcome *ret);

/* ---- the stages ---- */

int run_judge(struct run *run);                                           /* only the verdict */
bool run_reason_asks(const struct run *run, const struct reason *reason); /* is it one to ask the user about? */
int run_prepare(struct run *run);
int run_launch(struct run *run);
bool run_keeps_tmp(const struct run *run, const struct backend *backend); /* for the session */
int run_launch_again(struct run *run, const struct err *why);             /* the last launch has failed */
void run_tell_started(struct run *run);
void run_place(struct run *run, struct guard_place *ret); /* where commands begin, and what is known there */
void run_end(struct run *run, int result);

/* ---- the network: network.c ---- */

/* Of the connections of this attempt; created when it is needed first. */
int run_network_log(struct run *run, struct err *err);
int run_network_begin(struct run *run, struct job_setup *setup, struct err *err);
void run_network_started(struct run *run);
void run_network_end(struct run *run);
void run_network_forget(struct run *run);                 /* it did not start, or is freed */
const char *const *run_network_refusals(struct run *run); /* a sentence each, NULL-terminated; NULL: none */

/* ---- the state of the session ---- */

int run_state_begin(struct run *run);
int run_state_environment(struct run *run); /* the command's, from the session's */
void run_state_end(struct run *run);
const char *run_state_cwd(struct run *run); /* where the next command starts; without a session, where this one did */

/* ---- what is protected ---- */

int run_protect_recover(struct run *run, struct err *err); /* after commands that were killed */
int run_protect_begin(struct run *run);
void run_protect_check(struct run *run); /* after covers were restored */
void run_protect_end(struct run *run);   /* sets aside what it created at protected paths, now or at the next start */

/* ---- evidence (evidence.c) ---- */

/* Decides which notes of the sandbox are of something that the sandbox denies, and the host would not. */
void run_evidence(struct run *run);
int run_evidence_findings(struct run *run); /* for the outcome */

/* ---- a stage (staging.c) ---- */

enum { STAGE_MEMORY = 1 << 30 }; /* of the list of its changes */

int run_stage_begin(struct run *run); /* opens it, if one was asked for */
int run_stage_join(struct run *run, const struct backend *backend, struct err *err);
void run_stage_leave(struct run *run); /* it can be applied then */
void run_stage_end(struct run *run);   /* counts what is in it */
void run_stage_close(struct run *run);

/* ---- a home of the workspace (homes.c) ---- */

int run_home_hold(struct run *run);        /* 1: it has been removed, and has to be opened again */
int run_home_check(struct run *run);       /* that it is not too large */
void run_home_tidy(const struct run *run); /* removes what ended sandboxes left */
void run_home_end(struct run *run);

/* ---- the outcome ---- */

/* Adds a notice for the user. More than NOTICES_MAX are not kept. It is one line, as a message is: control
 * characters of what it quotes are escaped. */
void run_notice(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_message(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

void run_show_plan(struct run *run);
void run_explain(struct run *run);

/* At most once a minute in a session; without one, once a minute altogether, which is counted in a file. Of a background
 * command only the records tell, which tell all. */
bool run_may_warn(const struct run *run, enum run_warning warning);

/* The names of the enforced guarantees, NULL-terminated; NULL: none yet. */
const char *const *run_guarantee_names(struct run *run);

void run_free(struct run *run);

/* Frees `run`; the texts of the outcome live on. */
int run_hand_out(struct run *run, struct bailey_outcome *ret);

#endif
