/*
 * One command, from its text to its outcome. No stage calls upward.
 */
#include "engine/pipeline/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "launch/warm/state_page.h"

struct run *run_new(const struct bailey_policy *policy, const struct bailey_run_options *options) {
        struct run *run = calloc(1, sizeof(*run));

        if (!run)
                return NULL;
        arena_init(&run->arena, 0);
        run->order.policy = policy->policy;
        run->order.bypassed = policy->bypassed;
        run->order.program = policy->program;
        run->order.options = *options;
        /* Who leaves them out says 0. */
        if (run->order.options.cancel_fd == 0)
                run->order.options.cancel_fd = -1;
        if (run->order.options.status_fd == 0)
                run->order.options.status_fd = -1;
        run->order.audit = policy->audit;
        run->order.containers = policy->containers;
        run->order.shared = policy->shared;
        audit_settle(run->order.audit, options->environment);
        run->staged.stage.fd = run->staged.keeper.connection = run->staged.holder.socket = -1;
        run->facts.home = run->attempt.tmpdir.fd = run->attempt.shell_ports.diag = -1;
        buf_init(&run->begun.left, STATE_TEXT_MAX);
        run->evidence.notes = -1;
        run->lent.epoll_fd = run->job.launched.pidfd = -1;
        return run;
}

void run_begin(struct run *run) {
        int result = run_prepare(run);

        if (run->judged.to_ask) {
                run->over = true;
                return;
        }
        if (result == 0)
                result = run_launch(run);
        if (result < 0 || run->order.options.plan_only)
                run_end(run, result);
}

bool run_turn(struct run *run, bool may_wait) {
        struct err err = {};
        enum job_state state = job_turn(&run->job, may_wait, &err);

        if (run->job.running && !run->told_started) {
                run->told_started = true;
                run_tell_started(run);
        }
        if (state == JOB_RUNS)
                run_protect_check(run);
        else if (state == JOB_ENDED)
                run_end(run, 0);
        else if (state == JOB_FAILED && run_launch_again(run, &err) < 0)
                run_end(run, -1);
        return run->over;
}

/* `own`: the policy is this run's, and freed with it. */
static int run_whole(const struct bailey_policy *policy, struct bailey_policy *own, const struct bailey_run_options *options,
                     const struct run_copy *copies, struct bailey_outcome *ret) {
        struct run *run = run_new(policy, options);
        struct secrets secrets;
        struct stream output = {}, seen = {};
        struct baseline *baselines = NULL;
        struct gateway_link gateway = GATEWAY_LINK_NONE;
        struct session_tmp tmp;
        char state[PATH_MAX] = "";
        int result;

        if (!run) {
                bailey_policy_free(own);
                return -1;
        }
        run->order.own = own;
        run->order.copies = copies;
        secrets_init(&secrets);
        session_tmp_init(&tmp);
        tmp.named.name = options->session;
        tmp.named.environment = options->environment;
        tmp.named.idle = policy->policy->run.session_idle;
        run->lent.tmp = options->session ? &tmp : NULL;
        run->lent.secrets = &secrets;
        run->lent.baselines = &baselines;
        run->lent.gateway = &gateway;
        run->lent.out_stream = options->capture ? &output : NULL;
        run->lent.seen = options->capture ? NULL : &seen;
        run_begin(run);
        while (!run->over)
                run_turn(run, true);
        if (run->facts.state)
                snprintf(state, sizeof(state), "%s", run->facts.state);
        result = run_hand_out(run, ret);
        gateway_link_close(&gateway);
        session_tmp_free(&tmp);
        stream_free(&output);
        stream_free(&seen);
        baseline_free(&baselines, state);
        secrets_free(&secrets);
        return result;
}

/* Where no sandbox can let names be seen, they are not. */
int run_alone(const struct bailey_policy *policy, const struct bailey_run_options *options, const struct run_copy *copies,
              struct bailey_outcome *ret) {
        struct bailey_policy *seen;

        if (!options->evidence || policy->policy->sandbox.network != NETWORK_DENY)
                return run_whole(policy, NULL, options, copies, ret);
        if (policy_derive_seen(policy, &seen, &(struct err){}) < 0 || run_whole(seen, seen, options, copies, ret) < 0)
                return -1;
        if (ret->end != BAILEY_FAILED)
                return 0;
        bailey_outcome_free(ret);
        return run_whole(policy, NULL, options, copies, ret);
}

int bailey_run(const struct bailey_policy *policy, const struct bailey_run_options *options, struct bailey_outcome *ret) {
        return run_alone(policy, options, NULL, ret);
}
