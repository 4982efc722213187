/*
 * The runs of `bailey learn`. Each has a stage, and copies, of its own, so that none depends on what an earlier one has
 * written.
 */
#include "engine/api/learn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/config.h"

enum { ROUNDS_MAX = 16, OUTPUT_KEPT = 64 << 10 };

struct learned {
        struct arena arena;
        struct learn learn;
        struct bailey_learn_line lines[LEARN_LINES_MAX + 1]; /* and the kind of network */
};

/* How one run ended. Its texts live as long as all of this does. */
struct attempt {
        bool passes, refused;
        int exit_code;
        const char *message;
        struct str output;
};

/* ---- one run ---- */

static int keep_texts(const struct learn *l, const struct bailey_outcome *outcome, struct attempt *ret, struct err *err) {
        size_t len = outcome->output_length < OUTPUT_KEPT ? outcome->output_length : OUTPUT_KEPT;
        const char *output =
                arena_dup(l->arena, str_from(outcome->output ? outcome->output + outcome->output_length - len : "", len));

        *ret = (struct attempt){ .passes = outcome->end == BAILEY_EXITED && outcome->exit_code == 0,
                                 .refused = outcome->end == BAILEY_REFUSED,
                                 .exit_code = outcome->exit_code,
                                 .message = outcome->message ? arena_dup(l->arena, str_z(outcome->message)) : NULL,
                                 .output = str_from(output, output ? len : 0) };
        return output ? 0 : err_memory(err);
}

static struct bailey_run_options options_of(const struct learn *l, const struct place *place, bool evidence,
                                            const char *stage) {
        const struct bailey_run_options *asked = &l->options->run;

        return (struct bailey_run_options){
                .command = asked->command,
                .argv = asked->argv,
                .cwd = asked->cwd,
                .environment = asked->environment,
                .timeout_ms = asked->timeout_ms,
                .cancel_fd = asked->cancel_fd,
                .in_fd = -1,
                .capture = 1,
                .evidence = evidence,
                .stage = stage ? stage : place->stage,
                .description = "bailey learn",
        };
}

/* What did not run has no outcome of its own: why is an error. */
static int check_ran(const struct bailey_outcome *outcome, struct err *err) {
        if (outcome->end == BAILEY_FAILED)
                return err_set(err, ERR_UNSUPPORTED, "%s", outcome->message);
        if (outcome->end == BAILEY_CANCELLED)
                return err_set(err, ERR_REFUSED, "cancelled");
        return 0;
}

static int run_in(struct learn *l, const struct place *place, bool evidence, const char *stage, struct arena *arena,
                  struct attempt *ret, bool *ret_more, struct err *err) {
        const char *const *overrides = lines_overrides(l, place->home, arena);
        const struct bailey_run_options options = options_of(l, place, evidence, stage);
        struct bailey_policy *policy;
        struct bailey_outcome outcome;
        int result;

        if (!overrides)
                return err_memory(err);
        if (policy_derive(l->policy, overrides, &policy, err) < 0)
                return -1;
        if (run_alone(policy, &options, place->copies, &outcome) < 0) {
                bailey_policy_free(policy);
                return err_memory(err);
        }
        result = check_ran(&outcome, err);
        if (result == 0)
                result = keep_texts(l, &outcome, ret, err);
        if (result == 0 && evidence && !ret->passes)
                *ret_more = lines_add(l, &outcome);
        bailey_outcome_free(&outcome);
        bailey_policy_free(policy);
        return result;
}

/* With `evidence`, a run that fails adds lines: *ret_more. */
static int attempt(struct learn *l, bool evidence, const char *stage, struct attempt *ret, bool *ret_more, struct err *err) {
        struct place place = {};
        ARENA_AUTO arena;
        int result;

        arena_init(&arena, 0);
        l->runs++;
        result = place_make(l, &arena, &place, err);
        if (result == 0)
                result = run_in(l, &place, evidence, stage, &arena, ret, ret_more, err);
        if (place.name[0])
                place_remove(l, &place, stage != NULL);
        return result;
}

/* ---- all of them ---- */

static const char *problem_of(const struct learn *l, const struct attempt *last) {
        if (last->refused)
                return "the guard blocks the command";
        if (l->full)
                return "it needs too many lines";
        return l->refused_count ? "the command fails; what it was denied besides is not proposed"
                                : "the command fails, and nothing more was denied";
}

/* Until it passes, or nothing new is denied. */
static int grow(struct learn *l, struct bailey_learned *ret, struct err *err) {
        struct attempt last = {};
        bool more = false;

        for (int round = 0; round < ROUNDS_MAX; round++) {
                if (attempt(l, true, NULL, &last, &more, err) < 0)
                        return -1;
                if (last.passes)
                        return 0;
                ret->exit_code = last.exit_code;
                ret->output = last.output.ptr;
                ret->output_length = last.output.len;
                if (last.refused && last.message)
                        learn_notice(l, "%s", last.message);
                ret->problem = !more ? problem_of(l, &last) : l->options->trusted ? NULL : lines_need_trust(l);
                if (ret->problem)
                        return 0;
                more = false;
        }
        ret->problem = "the command still fails after 16 runs";
        return 0;
}

/* Without evidence, as it will be run: with all lines, then without each of them. */
static int shrink(struct learn *l, struct bailey_learned *ret, struct err *err) {
        struct attempt last = {};
        bool ignored;

        if (attempt(l, false, NULL, &last, &ignored, err) < 0)
                return -1;
        if (!last.passes) {
                ret->problem = "the command passes only sometimes under the proposal";
                ret->exit_code = last.exit_code;
                return 0;
        }
        for (size_t i = l->count; i-- > 0;) {
                l->lines[i].off = true;
                if (attempt(l, false, NULL, &last, &ignored, err) < 0)
                        return -1;
                l->lines[i].off = last.passes;
        }
        ret->passes = true;
        return 0;
}

static int keep_stage(struct learn *l, struct err *err) {
        struct attempt last = {};
        bool ignored;

        return l->options->keep_stage ? attempt(l, false, l->options->keep_stage, &last, &ignored, err) : 0;
}

/* The kind of network is a line of its own where there was none. */
static void put_lines(struct learned *all, struct bailey_learned *ret) {
        const struct learn *l = &all->learn;
        bool denies = l->policy->policy->sandbox.network == NETWORK_DENY, kind = false;

        for (size_t i = 0; i < l->count; i++) {
                if (l->lines[i].off)
                        continue;
                if (denies && !kind && strcmp(l->lines[i].is.key, "sandbox.network.hosts") == 0) {
                        kind = true;
                        all->lines[ret->line_count++] =
                                (struct bailey_learn_line){ .key = "sandbox.network.kind",
                                                            .value = "\"allow_hosts\"",
                                                            .text = "sandbox.network.kind is \"deny\": hosts have no effect" };
                }
                all->lines[ret->line_count++] = l->lines[i].is;
        }
        ret->lines = all->lines;
        ret->refused = l->refused;
        ret->refused_count = l->refused_count;
        ret->notices = l->notices;
        ret->runs = l->runs;
}

/* ---- before ---- */

static int look_around(struct learn *l, struct err *err) {
        const struct policy *policy = l->policy->policy;
        const struct host_question question = {
                .workspace = policy->workspace.len ? arena_dup(l->arena, policy->workspace) : NULL,
                .cwd = l->options->run.cwd,
                .environment = l->options->run.environment,
                .program = l->policy->program,
                .audit = policy->audit.enabled ? audit_path(l->policy->audit) : NULL,
        };

        audit_settle(l->policy->audit, l->options->run.environment);
        if (host_gather(policy, &question, l->arena, &l->host, err) < 0)
                return -1;
        l->workspace = l->host.workspace;
        l->home = l->host.homes.count ? l->host.homes.items[0].path : NULL;
        return 0;
}

/* Only one backend has overlays of workspaces; where it does not work, the first run says so. */
static int run_all(struct learn *l, struct bailey_learned *ret, struct err *err) {
        if (look_around(l, err) < 0 || place_begin(l, err) < 0)
                return -1;
        if (grow(l, ret, err) < 0)
                return -1;
        if (ret->problem)
                return 0;
        if (l->count == 0)
                ret->passes = true;
        else if (shrink(l, ret, err) < 0)
                return -1;
        return ret->passes ? keep_stage(l, err) : 0;
}

int bailey_learn(const struct bailey_policy *policy, const struct bailey_learn_options *options, struct bailey_learned *ret,
                 char *ret_error, size_t error_size) {
        struct learned *all = calloc(1, sizeof(*all));
        struct bailey_learned learned = {};
        struct err err = {};
        int result;

        if (!all) {
                err_memory(&err);
                return config_hand_error(&err, ret_error, error_size);
        }
        arena_init(&all->arena, 0);
        all->learn = (struct learn){ .policy = policy, .options = options, .arena = &all->arena };
        result = run_all(&all->learn, &learned, &err);
        place_end(&all->learn);
        learned.memory = all;
        put_lines(all, &learned);
        if (result < 0) {
                bailey_learned_free(&learned);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = learned;
        return 0;
}

void bailey_learned_free(struct bailey_learned *learned) {
        struct learned *all = learned->memory;

        if (!all)
                return;
        arena_free(&all->arena);
        free(all);
        *learned = (struct bailey_learned){};
}
