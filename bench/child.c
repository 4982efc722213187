/*
 * Programs that are measured: started with posix_spawn(), waited for, and nothing else in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/bench.h"

enum { FILE_FD = 9, PATIENCE_S = 30 };

static bool found_in(const char *directory, int length, const char *name, char ret_path[static PATH_MAX]) {
        int used = snprintf(ret_path, PATH_MAX, "%.*s/%s", length, directory, name);

        return used < PATH_MAX && access(ret_path, X_OK) == 0;
}

bool child_find(const struct bench *bench, const char *name, char ret_path[static PATH_MAX]) {
        const char *slash = strrchr(bench->bailey, '/'), *at = getenv("PATH");
        char beside[PATH_MAX];

        snprintf(beside, sizeof(beside), "%.*s/npm/node_modules/.bin", slash ? (int)(slash - bench->bailey) : 0, bench->bailey);
        if (found_in(beside, (int)strlen(beside), name, ret_path))
                return true;
        for (; at && *at; at += strspn(at, ":")) {
                size_t length = strcspn(at, ":");

                if (found_in(at, (int)length, name, ret_path))
                        return true;
                at += length;
        }
        return false;
}

static pid_t start(const struct bench *bench, const struct child *program, int in, int out, int err) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t defaults;
        int failed;
        pid_t pid;

        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE); /* which main() ignores */
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        posix_spawn_file_actions_init(&actions);
        for (int fd = 0; fd < 3; fd++) {
                int from = fd == 0 ? in : fd == 1 ? out : err;

                if (from < 0)
                        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
                else
                        posix_spawn_file_actions_adddup2(&actions, from, fd);
        }
        if (program->file)
                posix_spawn_file_actions_addopen(&actions, FILE_FD, program->file, O_RDONLY, 0);
        failed = posix_spawn(&pid, program->argv[0], &actions, &attributes, (char *const *)program->argv, bench->environment);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        if (failed)
                bench_die("cannot start %s: %s", program->argv[0], strerror(failed));
        return pid;
}

pid_t child_start(const struct bench *bench, const struct child *program, int in, int out) {
        return start(bench, program, in, out, -1);
}

static void must_succeed(const struct child *program, int status) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                bench_die("%s failed while it was measured: %s %d", program->argv[0], WIFEXITED(status) ? "status" : "signal",
                          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int64_t nanoseconds(struct timeval time) {
        return time.tv_sec * TIME_SECOND + time.tv_usec * INT64_C(1000);
}

int64_t child_time(const struct bench *bench, const struct child *program, int64_t *ret_cpu) {
        int64_t begun = time_monotonic(), taken;
        struct rusage usage;
        int status = -1;
        pid_t pid = child_start(bench, program, -1, -1);

        if (wait4(pid, &status, 0, &usage) != pid)
                bench_die("cannot wait for %s: %s", program->argv[0], strerror(errno));
        taken = time_monotonic() - begun;
        must_succeed(program, status);
        if (ret_cpu)
                *ret_cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
        return taken;
}

static void read_until(int fd, int64_t deadline, struct buf *out) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        char chunk[4096];
        ssize_t got;

        while (poll(&wait, 1, time_left_ms(deadline)) > 0) {
                got = read(fd, chunk, sizeof(chunk));
                if (got <= 0)
                        return;
                buf_append(out, str_from(chunk, (size_t)got));
        }
}

/* Whether it ended well in time; it has ended in any case. */
static bool end_by(pid_t pid, int64_t deadline) {
        int status = -1;

        while (waitpid(pid, &status, WNOHANG) == 0) {
                if (time_monotonic() > deadline) {
                        kill(pid, SIGKILL);
                        waitpid(pid, &status, 0);
                        return false;
                }
                usleep(1000);
        }
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool child_output(const struct bench *bench, const struct child *program, struct buf *out) {
        int64_t deadline = time_monotonic() + PATIENCE_S * TIME_SECOND;
        int fds[2], said[2];
        struct err err;
        bool fine;
        pid_t pid;

        if (fd_pipe(fds, &err) < 0 || fd_pipe(said, &err) < 0)
                bench_die("%s", err.msg);
        pid = start(bench, program, -1, fds[1], said[1]);
        close(fds[1]);
        close(said[1]);
        read_until(fds[0], deadline, out);
        fine = end_by(pid, deadline);
        if (!fine) {
                buf_clear(out);
                read_until(said[0], time_monotonic() + TIME_SECOND, out);
        }
        close(fds[0]);
        close(said[0]);
        return fine;
}

int64_t child_pump(const struct bench *bench, const struct child *program, size_t count, size_t at_once) {
        size_t started = 0, ended = 0;
        int64_t begun = time_monotonic();
        int status;

        while (ended < count) {
                for (; started < count && started - ended < at_once; started++)
                        child_start(bench, program, -1, -1);
                if (waitpid(-1, &status, 0) < 0)
                        bench_die("cannot wait: %s", strerror(errno));
                must_succeed(program, status);
                ended++;
        }
        return time_monotonic() - begun;
}
