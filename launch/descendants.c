#include "launch/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"
#include "launch/kernel.h"

enum {
        LIST_READS = 64,     /* of a list of children that are read in one round; the rest has its turn in the next */
        STUCK_ROUNDS = 5000, /* rounds of a millisecond in which nothing ends: what is left cannot be killed */
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
        if (!proc_is_ours())
                return err_set(err, ERR_UNSUPPORTED, "adopting processes: /proc does not show them");
        return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? err_sys(err, "adopting processes") : 0;
}

/* ---- finding them ---- */

/* A child that was not waited for keeps its number, and the one of its group. The command began in a session of its own, so no
 * group that it or its descendants can be in has others in it; and a group dies at once, however fast it forks. */
static void signal_child(pid_t pid, int number) {
        pid_t group = pid > 1 ? getpgid(pid) : -1;
        bool own_group = group > 1 && group != getpgrp();

        if (pid <= 1)
                return;
        if (own_group)
                kill(-group, number);
        if (!own_group || number == SIGKILL) /* it may have left the group since */
                kill(pid, number);
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static void signal_children_by_search(int number) {
        FD_AUTO proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _Alignas(struct kernel_dirent) char entries[KERNEL_DIRENTS_SIZE];
        long got;

        while (proc >= 0 && (got = kernel_getdents(proc, entries)) > 0)
                for (long at = 0; at < got;) {
                        const struct kernel_dirent *entry = (const void *)(entries + at);
                        pid_t pid = (pid_t)strtol(entry->name, NULL, 10); /* 0: no number */

                        if (pid > 0 && process_parent(pid) == getpid())
                                signal_child(pid, number);
                        at += entry->size;
                }
}

/* Reading the kernel's list is fast, which counts against those that fork and end in turn. Each number has a space behind it,
 * and may go on in the next part. */
static void signal_children(int number) {
        FD_AUTO fd = open(CHILDREN_FILE, O_RDONLY | O_CLOEXEC);
        char text[4096];
        pid_t pid = 0;
        ssize_t len;

        if (fd < 0) {
                signal_children_by_search(number);
                return;
        }
        for (int reads = 0; reads < LIST_READS && (len = read(fd, text, sizeof(text))) > 0; reads++)
                for (ssize_t i = 0; i < len; i++) {
                        if (text[i] != ' ') {
                                pid = pid * 10 + (text[i] - '0');
                                continue;
                        }
                        signal_child(pid, number);
                        pid = 0;
                }
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

                signal_children(SIGKILL);
                reaped = reap(command, status);
                if (reaped.none_left)
                        return;
                if (reaped.any)
                        stuck = 0;
                else
                        sigtimedwait(&child, NULL, &pause);
        }
}

int descendants_wait(pid_t command, struct control *control) {
        int status = SIGKILL, asked;

        while (!reap(command, &status).command && (asked = control_wait(control)) != CONTROL_GONE)
                if (asked > CONTROL_GROUP)
                        control_signal_group(command, asked & ~CONTROL_GROUP);
                else if (asked != CONTROL_CHILD)
                        signal_children(asked);
        kill_all(command, &status);
        return status;
}
