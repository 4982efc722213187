/*
 * The home of the workspace while a command runs: it is locked, checked, and measured now and then, by a process in the
 * background.
 */
#include "engine/pipeline/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/number.h"
#include "base/time.h"
#include "home/home.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/report.h"

enum { TELL_PERCENT = 90, NICE = 19, IDLE_CLASS = 3 << 13 /* of ioprio_set() */ };

#define MEASURE_FOR (60 * TIME_SECOND)
#define CHECK_FOR (TIME_SECOND / 2)

int run_home_hold(struct run *run) {
        const char *layer = run->facts.host.home.layer;

        if (!layer || run->order.options.plan_only)
                return 0;
        return home_hold(layer, &run->facts.home, &run->result.err);
}

/* ---- the size ---- */

static uint64_t most_of(const struct run *run) {
        return (uint64_t)run->order.policy->sandbox.home_max_bytes;
}

struct sizes {
        char used[SIZE_TEXT_SIZE], most[SIZE_TEXT_SIZE];
};

static struct sizes sizes_of(const struct run *run) {
        struct sizes sizes = {};

        size_format(run->facts.home_usage.bytes, sizes.used);
        size_format(most_of(run), sizes.most);
        return sizes;
}

static bool is_full(const struct run *run) {
        return most_of(run) && run->facts.home_usage.bytes > most_of(run);
}

/* What was there when it was measured may be gone: before a command is refused, it is measured again, if that is quick. */
int run_home_check(struct run *run) {
        struct home_usage now;
        struct sizes sizes;

        if (run->facts.home < 0)
                return 0;
        home_usage_recall(run->facts.home, &run->facts.home_usage);
        if (!is_full(run))
                return 0;
        if (home_usage_measure_and_keep(run->facts.home, time_monotonic() + CHECK_FOR, &now) && now.complete)
                run->facts.home_usage = now;
        if (!is_full(run))
                return 0;
        sizes = sizes_of(run);
        return err_set(
                &run->result.err, ERR_INVALID,
                "the home of this workspace uses %s of %s (sandbox.home_max_bytes); see `bailey home diff`, remove it with "
                "`bailey home clear`, or raise the limit",
                sizes.used, sizes.most);
}

static void tell_size(struct run *run) {
        struct sizes sizes = sizes_of(run);

        if (most_of(run) && run->facts.home_usage.bytes > most_of(run) / 100 * TELL_PERCENT)
                run_notice(run, "the home of this workspace uses %s of %s (sandbox.home_max_bytes): bailey home clear",
                           sizes.used, sizes.most);
}

/* ---- measuring ---- */

static _Noreturn void measure(int layer) {
        struct home_usage ignored;
        struct err err;
        int kept[] = { layer };

        setsid();
        setpriority(PRIO_PROCESS, 0, NICE);
        syscall(SYS_ioprio_set, 1 /* of a process */, 0, IDLE_CLASS);
        if (files_arrange(kept, 1, true, &err) < 0 || chdir("/") < 0)
                _exit(1);
        home_usage_measure_and_keep(0, time_monotonic() + MEASURE_FOR, &ignored);
        _exit(0);
}

/* By a process in between: its own parent is then one that waits for everybody. */
static void measure_later(int layer) {
        int pidfd = -1, ignored;
        pid_t pid = clone_process(0, -1, &pidfd);

        if (pid == 0) {
                if ((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) == 0)
                        measure(layer);
                _exit(0);
        }
        if (pid > 0)
                clone_reap(pidfd, &ignored);
        fd_close(pidfd);
}

/* ---- the end ---- */

/* As far as its sandbox could tell: it was not killed. */
static bool has_written(const struct run *run) {
        return run->job.launched.said != REPORT_ENDED || run->job.launched.facts & REPORT_HOME;
}

/* What it wrote through overlays. If that fails, the next command tries again. */
static void settle(struct run *run) {
        const struct home *home = &run->attempt.host.home;
        struct err err = {};

        if (home->count && !home->no_overlay && has_written(run) && home_settle(home->layer, &err) < 0)
                run_notice(run, "what the command wrote in its home directory is incomplete: %s", err.msg);
}

/* While the sandbox is made. With a pool, its maker does it. What fails is tried again by the next one. */
void run_home_tidy(const struct run *run) {
        const struct home *home = &run->attempt.host.home;

        if (home->count && !home->no_overlay)
                (void)home_tidy(home->layer, &(struct err){});
}

void run_home_end(struct run *run) {
        if (run->facts.home < 0)
                return;
        settle(run);
        tell_size(run);
        if (most_of(run) && home_usage_is_due(run->facts.home, &run->facts.home_usage))
                measure_later(run->facts.home);
}
