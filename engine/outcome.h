/*
 * A run on its way through the stages of run.c, and how its outcome is told.
 */
#ifndef BAILEY_ENGINE_OUTCOME_H
#define BAILEY_ENGINE_OUTCOME_H

#include "base/id.h"
#include "engine/run.h"
#include "guard/guard.h"
#include "run/capture.h"
#include "run/foreground.h"
#include "run/tmpdir.h"

enum { COMMAND_MAX = 1 << 20, NOTICES_MAX = 64 };

struct run {
        struct arena arena;
        const struct policy *policy;
        bool bypassed;
        const struct bailey_run_options *options;
        struct audit *audit;
        char id[ID_SIZE]; /* on record */
        bool unrecorded;  /* writing failed */

        struct str command;
        struct verdict verdict;
        const char *state; /* bailey's own directory */
        struct host host;
        struct sandbox_request request;
        const char *shell_argv[4];
        int64_t timeout;
        struct tmpdir tmpdir;
        struct launch launch;
        const struct backend *refused; /* the one that was named and does not work */
        char failures[1024];           /* of those that were tried: "native: namespaces: ...; bwrap: ..." */

        struct capture capture;
        struct outcome outcome;
        struct captured captured;
        const char *notices[NOTICES_MAX];
        size_t notice_count;
        struct err err;
        struct bailey_outcome out;
};

/* What the user should know besides. More than NOTICES_MAX are not kept. */
void run_notice(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

void run_show_plan(struct run *run);
void run_explain(struct run *run);

/* At most once a minute, counted in a file, as each run may be a process of its own. */
bool run_may_warn(const struct run *run);

/* Frees `run`; the texts of the outcome live on. */
int run_hand_out(struct run *run, struct bailey_outcome *ret);

#endif
