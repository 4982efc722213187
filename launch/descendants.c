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
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

enum { KILL_ROUNDS = 5000 }; /* a millisecond each */

int descendants_adopt(struct err *err) {
        sigset_t child;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || sigprocmask(SIG_BLOCK, &child, NULL) < 0)
                return err_sys(err, "adopting processes");
        return 0;
}

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

static void kill_children(void) {
        DIR *proc = opendir("/proc");
        struct dirent *entry;

        while (proc && (entry = readdir(proc)))
                if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(dirfd(proc), entry->d_name) == getpid())
                        kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
        if (proc)
                closedir(proc);
}

/* Reaps all that have ended. True when `command` was one of them. */
static bool reap(pid_t command, int *status) {
        bool found = false;
        int one;

        for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
                if (pid == command) {
                        *status = one;
                        found = true;
                }
        return found;
}

/* Each round kills the children; theirs become ours in the next. */
static void kill_all(pid_t command, int *status) {
        const struct timespec pause = { .tv_nsec = 1000000 };

        for (int round = 0; round < KILL_ROUNDS; round++) {
                kill_children();
                reap(command, status);
                if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
                        return;
                nanosleep(&pause, NULL);
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

                if (reap(command, &status))
                        break;
                if (poll(fds, 2, -1) < 0 && errno != EINTR)
                        break;
                if (fds[0].revents)
                        break;
                while (read(signals, &info, sizeof(info)) > 0)
                        ;
        }
        kill_all(command, &status);
        return status;
}
