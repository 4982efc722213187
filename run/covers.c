#include "run/covers.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/cover.h"

/* It only mounts: longer than this, something hangs, and the command is not protected meanwhile. */
#define HELPER_PATIENCE (5 * TIME_SECOND)

/* A few at once, and then ten a second: a command that keeps removing covered files must not keep this process busy. */
#define HELPER_EVERY (TIME_SECOND / 10)
#define HELPER_BURST (8 * HELPER_EVERY)

/* At ten a second; a program that replaces a file on the host has closed it by then. */
enum { WRITTEN_ROUNDS_MAX = 30 };

void covers_init(struct covers *covers, const struct launch *launch) {
        *covers = (struct covers){
                .launch = launch && cover_needed(launch) ? launch : NULL, .namespace = -1, .helper = -1, .written = -1
        };
}

void covers_changed(struct covers *covers, int namespace) {
        covers->lost = covers->launch;
        if (!covers->launch)
                fd_close(TAKE_FD(namespace));
        if (namespace < 0)
                return;
        fd_close(covers->namespace);
        covers->namespace = namespace;
}

void covers_lose(struct covers *covers) {
        covers->lost = covers->launch;
}

int64_t covers_deadline(const struct covers *covers) {
        int64_t helper = covers->helper >= 0 ? covers->patience : covers->lost ? covers->even - HELPER_BURST : 0;

        if (covers->lost && covers->helper < 0 && helper < 1)
                helper = 1; /* now */
        return covers->check_at && (!helper || covers->check_at < helper) ? covers->check_at : helper;
}

static int start(struct covers *covers, int64_t now, struct err *err) {
        if (covers->namespace < 0)
                return err_set(err, ERR_SYSTEM, "its mount namespace is not known");
        covers->lost = false;
        covers->patience = now + HELPER_PATIENCE;
        covers->even = (covers->even > now ? covers->even : now) + HELPER_EVERY;
        return cover_start(covers->launch, covers->namespace, &covers->helper, err);
}

int covers_step(struct covers *covers, bool helper_ended, int64_t now, struct err *err) {
        if (covers->helper >= 0 && helper_ended) {
                FD_AUTO helper = TAKE_FD(covers->helper);

                if (cover_end(helper, err) < 0)
                        return -1;
                fd_close(covers->written); /* before the check: what is written later is told */
                covers->written = cover_watch(covers->launch);
                if (covers->written < 0)
                        return err_sys(err, "inotify");
                covers->check_at = now;
                if (!cover_is_written(covers->launch))
                        covers->written_rounds = 0;
                else if (++covers->written_rounds > WRITTEN_ROUNDS_MAX)
                        return err_set(err, ERR_CHANGED, "one of them is still open for writing");
                else
                        covers->lost = true; /* look again */
        }
        if (covers->helper >= 0)
                return now < covers->patience ? 0 : err_set(err, ERR_SYSTEM, "mounting takes too long");
        return covers->lost && now >= covers->even - HELPER_BURST ? start(covers, now, err) : 0;
}

void covers_end(struct covers *covers) {
        if (covers->helper >= 0) {
                syscall(SYS_pidfd_send_signal, covers->helper, SIGKILL, NULL, 0);
                cover_end(covers->helper, NULL);
        }
        fd_close(TAKE_FD(covers->helper));
        fd_close(TAKE_FD(covers->written));
        fd_close(TAKE_FD(covers->namespace));
        covers->lost = false;
        covers->check_at = 0;
}
