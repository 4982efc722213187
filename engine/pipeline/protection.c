/*
 * A run and the protected places of its workspace: what is there when it begins, what the host replaces while it runs, and what
 * it has left there at its end (protect/protect.h).
 */
#include "engine/pipeline/run.h"

#include "base/time.h"
#include "policy/files.h"

enum { REPLACED_MAX = 32 }; /* sentences of what was set aside and put back in so short a time: then the command is at fault */

#define REPLACED_FOR (60 * TIME_SECOND)
#define HOLD (TIME_SECOND / 10)
#define CHECK_AGAIN (TIME_SECOND / 50) /* when another process is surveying */

static void say(void *context, const char *sentence) {
        run_notice(context, "%s", sentence);
}

static struct protect_request protect_request(struct run *run) {
        return (struct protect_request){
                .state_dir = run->facts.state,
                .home = environment_get(run->order.options.environment, "HOME"),
                .arena = &run->arena,
                .say = say,
                .context = run,
        };
}

int run_protect_recover(struct run *run, struct err *err) {
        struct protect_request request = protect_request(run);

        return protect_recover(&request, err);
}

int run_protect_begin(struct run *run) {
        struct baseline *baseline = baseline_get(run->lent.baselines, run->facts.host.workspace);
        struct protect_request request = protect_request(run);

        if (!baseline)
                return err_memory(&run->result.err);
        if (protect_begin(baseline, &request, &run->facts.host.protection, &run->result.err) < 0)
                return -1;
        run->guarded.baseline = baseline;
        return 0;
}

/* Of a background command notices are on record only, and this is for a person: the next answer has it, too. */
static void say_meanwhile(void *context, const char *sentence) {
        struct run *run = context;
        size_t count = run->result.notice_count;

        run->guarded.replaced++;
        run_notice(run, "%s", sentence);
        if (run->lent.later && run->order.options.background)
                buf_format(run->lent.later, "%s\n",
                           run->result.notice_count > count ? run->result.notices[count]
                                                            : "a file was set aside: bailey aside list");
}

static int check_now(struct run *run, struct err *err) {
        struct protect_request request = protect_request(run);
        struct arena arena;
        int got;

        arena_init(&arena, 0); /* not that of the run, which may take long, and of which there may be many */
        request.arena = &arena;
        request.known_only = true;
        request.say = say_meanwhile;
        got = protect_check(run->guarded.baseline, &request, err);
        arena_free(&arena);
        if (got >= 0 && run->guarded.replaced > REPLACED_MAX)
                return err_set(err, ERR_REFUSED, "they were replaced too many times");
        return got;
}

/* What is put back has no cover, and a command that tries to write it all the time would be faster. So it is stopped until
 * there is nothing more to put back, for a moment in which others that run here are stopped, too. What counts is the check,
 * when covers are there. */
static void hold_still(struct run *run, int64_t now) {
        job_hold(&run->job, true);
        run->guarded.held_until = now + HOLD;
}

static void let_go(struct run *run, int64_t now) {
        if (run->guarded.held_until > now) {
                run->job.covers.check_at = run->guarded.held_until;
        } else if (run->guarded.held_until) {
                run->guarded.held_until = 0;
                job_hold(&run->job, false);
        }
}

/* Fails closed: what cannot be judged may be what the command has written, and it would go on. */
void run_protect_check(struct run *run) {
        unsigned before = run->guarded.replaced;
        int64_t now = time_monotonic();
        struct err err = {};
        int got;

        if (!run->job.covers.check_at || now < run->job.covers.check_at)
                return;
        run->job.covers.check_at = 0;
        if (!run->guarded.baseline)
                return;
        if (now - run->guarded.counted > REPLACED_FOR) {
                run->guarded.counted = now;
                run->guarded.replaced = before = 0;
        }
        got = check_now(run, &err);
        if (got == 1)
                run->job.covers.check_at = now + CHECK_AGAIN;
        else if (got == 0)
                (run->guarded.replaced != before ? hold_still : let_go)(run, now);
        else
                job_uncovered(&run->job, &err);
}

void run_protect_end(struct run *run) {
        struct protect_request request = protect_request(run);
        struct err err = {};

        if (run->guarded.baseline && protect_end(run->guarded.baseline, &request, &err) < 0)
                run_notice(run, "cannot check protected paths: %s; the next command checks them again", err.msg);
        run->guarded.baseline = NULL;
}
