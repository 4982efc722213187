#include "launch/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

enum {
        CHILDREN_BYTES = 64 << 10, /* of a list of children that is read in one round; the rest has its turn in the next */
        STUCK_ROUNDS = 5000,       /* rounds of a millisecond in which nothing ends: what is left cannot be killed */
};

#define CHILDREN_FILE "/proc/thread-self/children"

/* Numbers in a /proc of another pid namespace would be those of other processes. */
static bool proc_is_ours(void) {
        char text[32];
        ssize_t len = readlink("/proc/self", text, sizeof(text) - 1);

        if (len <= 0)
                return false;
        text[len] = 0;
        return strtol(text, NULL, 10) == getpid();
}

int descendants_adopt(struct err *err) {
        sigset_t child;

        if (!proc_is_ours())
                return err_set(err, ERR_UNSUPPORTED, "adopting processes: /proc does not show them");
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        /* Who ignores the signal, which is inherited, is never told how a child ended. */
        if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
            sigprocmask(SIG_BLOCK, &child, NULL) < 0)
                return err_sys(err, "adopting processes");
        return 0;
}

/* ---- finding them ---- */

static pid_t parent_of(int proc, const char *pid) {
        char path[300], text[512], *end;
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "%s/stat", pid);
        fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (len <= 0)
                return -1;
        text[len] = 0;
        end = strrchr(text, ')'); /* a name may hold anything */
        return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : -1;
}

/* A child that was not waited for keeps its number, and the one of its group. The command began in a session of its own, so no
 * group that it or its descendants can be in has others in it; and a group dies at once, however fast it forks. */
static void kill_child(pid_t pid) {
        pid_t group = getpgid(pid);

        if (group > 1 && group != getpgrp())
                kill(-group, SIGKILL);
        kill(pid, SIGKILL);
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static void kill_children_by_search(void) {
        DIR *proc = opendir("/proc");
        struct dirent *entry;

        while (proc && (entry = readdir(proc)))
                if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(dirfd(proc), entry->d_name) == getpid())
                        kill_child((pid_t)strtol(entry->d_name, NULL, 10));
        if (proc)
                closedir(proc);
}

/* Reading the kernel's list is fast, which counts against those that fork and end in turn. */
static void kill_children(void) {
        static char text[CHILDREN_BYTES];
        FD_AUTO fd = open(CHILDREN_FILE, O_RDONLY | O_CLOEXEC);
        size_t used = 0;
        ssize_t len;

        if (fd < 0) {
                kill_children_by_search();
                return;
        }
        while (used < sizeof(text) - 1 && (len = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
                used += (size_t)len;
        text[used] = 0;
        for (char *at = text, *end; (end = strchr(at, ' ')); at = end + 1) /* a number without a space behind it was cut off */
                kill_child((pid_t)strtol(at, NULL, 10));
}

/* ---- waiting ---- */

struct reaped {
        bool any, command;
        bool none_left;
};

/* Reaps all that have ended, whatever signal they were to send. */
static struct reaped reap(pid_t command, int *status) {
        struct reaped reaped = {};
        pid_t pid;
        int one;

        while ((pid = waitpid(-1, &one, WNOHANG | __WALL)) > 0) {
                reaped.any = true;
                if (pid == command) {
                        *status = one;
                        reaped.command = true;
                }
        }
        reaped.none_left = pid < 0 && errno == ECHILD;
        return reaped;
}

/*
 * Each round kills the children; theirs become ours in the next, also those that an adopter among them held. Ends when there
 * are none, or when for a long time none has ended: one that waits for a dead disk cannot be killed. As long as some end, it
 * goes on: to give up on those that fork faster would let them go.
 */
static void kill_all(pid_t command, int *status) {
        const struct timespec pause = { .tv_nsec = 1000000 };
        sigset_t child;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        setpriority(PRIO_PROCESS, 0, -20); /* where it is allowed: a storm of processes must not slow this down */
        for (int stuck = 0; stuck < STUCK_ROUNDS; stuck++) {
                struct reaped reaped;

                kill_children();
                reaped = reap(command, status);
                if (reaped.none_left)
                        return;
                if (reaped.any)
                        stuck = 0;
                else
                        sigtimedwait(&child, NULL, &pause);
        }
}

int descendants_wait(pid_t command, int lifeline) {
        struct signalfd_siginfo info;
        sigset_t child;
        int status = SIGKILL;
        FD_AUTO signals = -1;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        for (;;) {
                struct pollfd fds[] = { { .fd = lifeline, .events = POLLIN }, { .fd = signals, .events = POLLIN } };

                if (reap(command, &status).command)
                        break;
                if (poll(fds, 2, signals < 0 ? 10 : -1) < 0 && errno != EINTR)
                        break;
                if (fds[0].revents)
                        break;
                while (read(signals, &info, sizeof(info)) > 0)
                        ;
        }
        kill_all(command, &status);
        return status;
}
