/*
 * Starts a launch on macOS: always by sandbox-exec, which becomes the command. A process outside waits for it. When the command
 * ends, is to be killed, or bailey is gone, this process kills all processes under the profile, and removes it.
 */
#include "launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/event.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/parts_darwin.h"
#include "launch/report.h"

enum { FIRST_FREE_FD = 10 };

/* What is made ready for the process that waits, which was forked from one that may have threads. */
struct start {
        const struct launch *launch;
        struct members members;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_t actions;
        int files[3];   /* copies of the command's 0, 1 and 2, out of the way */
        int report[2];  /* a pipe */
        int control[2]; /* a pair of sockets: bytes are signals, the end means that bailey is gone */
        pid_t outside;
};

/* ---- the profile ---- */

/* In a private directory, so whatever is there already was not put there by us. */
static int write_profile(const struct start *start, struct err *err) {
        const char *path = start->launch->profile_path;
        FD_AUTO fd = -1;

        if (mkdir(start->members.folder, 0700) < 0)
                return err_sys(err, "%s", start->members.folder);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
                return err_sys(err, "%s", path);
        return fd_write_all(fd, str_z(start->launch->profile), err) < 0 ? err_context(err, "%s", path) : 0;
}

static void remove_profile(const struct start *start) {
        unlink(start->launch->profile_path);
        rmdir(start->members.folder);
}

/* ---- the process that waits ---- */

static _Noreturn void give_up(const struct start *start, const struct err *err) {
        remove_profile(start);
        report_failure(start->report[1], err);
}

static _Noreturn void say_not_started(const struct start *start, int status) {
        struct err err;

        if (!probe_sandbox_exec(start->launch->wrapper[0], &start->actions, &start->attributes))
                err_set(&err, ERR_SYSTEM, "sandbox-exec failed; it cannot run inside another sandbox");
        else
                err_set(&err, ERR_SYSTEM, "sandbox-exec ended with status %d before the command was started",
                        WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
        give_up(start, &err);
}

/* Born suspended: it does nothing before it is known what becomes of it. */
static pid_t spawn_suspended(const struct start *start, int queue, struct err *err) {
        const struct launch *launch = start->launch;
        struct kevent changes[3];
        pid_t pid = -1;
        int failed = posix_spawn(&pid, launch->wrapper[0], &start->actions, &start->attributes, (char *const *)launch->wrapper,
                                 (char *const *)launch->envp);

        if (failed) {
                errno = failed;
                return err_sys(err, "%s", launch->wrapper[0]);
        }
        EV_SET(&changes[0], pid, EVFILT_PROC, EV_ADD, NOTE_EXEC | NOTE_EXIT, 0, NULL);
        EV_SET(&changes[1], start->control[0], EVFILT_READ, EV_ADD, 0, 0, NULL);
        EV_SET(&changes[2], start->outside, EVFILT_PROC, EV_ADD | EV_RECEIPT, NOTE_EXIT, 0, NULL);
        if (kevent(queue, changes, 2, NULL, 0, NULL) < 0) {
                err_sys(err, "kevent");
                kill(pid, SIGKILL);
                waitpid(pid, NULL, 0);
                return -1;
        }
        /* If it has died since, the end of its socket tells, unless that was copied; the receipt is looked at for nothing else.
         */
        kevent(queue, &changes[2], 1, &changes[2], 1, NULL);
        kill(pid, SIGCONT);
        return pid;
}

struct watched {
        bool started, ended, alone;
};

/* What was asked for reaches those who left the group, too. */
static void pass_on(const struct start *start, pid_t pid, struct watched *w) {
        unsigned char byte;
        ssize_t got = read(start->control[0], &byte, 1);

        if (got == 1) {
                if (members_signal(&start->members, byte) == 0)
                        kill(-pid, byte);
        } else if (got == 0 || errno != EINTR) {
                w->alone = true;
        }
}

/* sandbox-exec is there already, so the one exec that is seen is that of the command. */
static struct watched watch(const struct start *start, pid_t pid, int queue) {
        struct watched w = {};

        while (!w.ended && !w.alone) {
                struct kevent event;

                if (kevent(queue, NULL, 0, &event, 1, NULL) != 1)
                        continue;
                if (event.filter == EVFILT_READ) {
                        pass_on(start, pid, &w);
                } else if ((pid_t)event.ident == pid) {
                        if (event.fflags & NOTE_EXEC && !w.started) {
                                w.started = true;
                                report_send(start->report[1], REPORT_STARTED, 0);
                        }
                        w.ended = event.fflags & NOTE_EXIT;
                } else {
                        w.alone = true;
                }
        }
        return w;
}

static _Noreturn void wait_for_command(const struct start *start) {
        struct watched w;
        struct err err = {};
        int queue, status = SIGKILL;
        char go;
        pid_t pid;

        close(start->control[1]); /* or the end of the process outside would not be seen */
        close(start->report[0]);
        setsid();
        signal(SIGCHLD, SIG_DFL); /* who ignores it is never told how a child ended */
        if (read(start->control[0], &go, 1) != 1) {
                remove_profile(start);
                _exit(125);
        }
        if (chdir(start->launch->cwd) < 0) {
                err_sys(&err, "cwd %s", start->launch->cwd);
                give_up(start, &err);
        }
        queue = kqueue();
        if (queue < 0)
                err_sys(&err, "kqueue");
        if (queue < 0 || limits_apply(start->launch, &err) < 0 || (pid = spawn_suspended(start, queue, &err)) < 0)
                give_up(start, &err);
        w = watch(start, pid, queue);
        kill(-pid, SIGKILL); /* itself too, where it never came to be under the profile; until it is waited for, its number is
                                its own */
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        members_kill(&start->members);
        if (!w.started && !w.alone)
                say_not_started(start, status);
        remove_profile(start);
        report_send(start->report[1], REPORT_ENDED, status);
        _exit(0);
}

/* ---- in the parent ---- */

/* sandbox-exec would say no more than that it failed. */
static int find_program(const struct launch *launch, struct err *err) {
        const char *path = "/usr/local/bin:/usr/bin:/bin";
        char full[PATH_MAX];

        if (strchr(launch->program, '/'))
                return access(launch->program, F_OK) == 0
                               ? 0
                               : err_set(err, ERR_NOT_FOUND, "%s: %s", launch->program, strerror(errno));
        for (const char *const *e = launch->envp; *e; e++)
                if (strncmp(*e, "PATH=", 5) == 0)
                        path = *e + 5;
        for (; path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL)
                if (snprintf(full, sizeof(full), "%.*s/%s", (int)strcspn(path, ":"), path, launch->program) <
                            (int)sizeof(full) &&
                    access(full, X_OK) == 0)
                        return 0;
        return err_set(err, ERR_NOT_FOUND, "%s: %s", launch->program, strerror(ENOENT));
}

static int close_on_exec(const int fds[2]) {
        return fcntl(fds[0], F_SETFD, FD_CLOEXEC) < 0 || fcntl(fds[1], F_SETFD, FD_CLOEXEC) < 0 ? -1 : 0;
}

static int open_channels(struct start *start, const struct launch_files *files, struct err *err) {
        const int given[3] = { files->in, files->out, files->err };
        int one = 1;

        if (pipe(start->report) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, start->control) < 0 ||
            close_on_exec(start->report) < 0 || close_on_exec(start->control) < 0 ||
            setsockopt(start->control[1], SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof(one)) < 0)
                return err_sys(err, "cannot create the control socket");
        for (int i = 0; i < 3; i++) {
                start->files[i] = fcntl(given[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
                if (start->files[i] < 0)
                        return err_sys(err, "files of the command");
        }
        return 0;
}

/* Exactly three files, no signal blocked or ignored, a session of its own. */
static int prepare_spawn(struct start *start, struct err *err) {
        sigset_t all, none;
        short flags = POSIX_SPAWN_START_SUSPENDED | POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                      POSIX_SPAWN_CLOEXEC_DEFAULT;
        bool fine;

        sigfillset(&all);
        sigemptyset(&none);
        fine = posix_spawnattr_setflags(&start->attributes, flags) == 0 &&
               posix_spawnattr_setsigdefault(&start->attributes, &all) == 0 &&
               posix_spawnattr_setsigmask(&start->attributes, &none) == 0;
        for (int i = 0; i < 3 && fine; i++)
                fine = posix_spawn_file_actions_adddup2(&start->actions, start->files[i], i) == 0;
        return fine ? 0 : err_memory(err);
}

/* The new process waits for a byte, so that its end cannot be missed. */
static int spawn(struct start *start, struct launched *launched, struct err *err) {
        struct kevent event;

        launched->pidfd = kqueue();
        if (launched->pidfd < 0)
                return err_sys(err, "kqueue");
        launched->pid = fork();
        if (launched->pid == 0)
                wait_for_command(start);
        if (launched->pid < 0)
                return err_sys(err, "fork");
        EV_SET(&event, launched->pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
        if (kevent(launched->pidfd, &event, 1, NULL, 0, NULL) < 0)
                return err_sys(err, "kevent");
        return write(launched->control, "", 1) == 1 ? 0 : err_sys(err, "starting");
}

static int start_all(struct start *start, const struct launch_files *files, struct launched *launched, struct err *err) {
        int result;

        if (find_program(start->launch, err) < 0 || members_open(start->launch->profile_path, &start->members, err) < 0 ||
            open_channels(start, files, err) < 0 || prepare_spawn(start, err) < 0)
                return -1;
        launched->report_fd = start->report[0];
        launched->control = start->control[1];
        result = write_profile(start, err);
        if (result == 0)
                result = spawn(start, launched, err);
        if (result < 0 && launched->pid <= 0)
                remove_profile(start);
        return result;
}

int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err) {
        struct start start = {
                .launch = launch,
                .files = { -1, -1, -1 },
                .report = { -1, -1 },
                .control = { -1, -1 },
                .outside = getpid(),
        };
        struct launched launched = { .pid = -1, .pidfd = -1, .control = -1, .report_fd = -1, .complaints = -1 };
        int result, status;

        if (!launch->profile || !launch->wrapper)
                return err_set(err, ERR_UNSUPPORTED, "%s: not for macOS", launch->backend);
        launched.group.dir_fd = -1;
        posix_spawnattr_init(&start.attributes);
        posix_spawn_file_actions_init(&start.actions);
        result = start_all(&start, files, &launched, err);
        posix_spawn_file_actions_destroy(&start.actions);
        posix_spawnattr_destroy(&start.attributes);
        for (int i = 0; i < 3; i++)
                fd_close(start.files[i]);
        fd_close(start.report[1]);
        fd_close(start.control[0]);
        if (result < 0) {
                fd_close(launched.report_fd < 0 ? start.report[0] : -1);
                fd_close(launched.control < 0 ? start.control[1] : -1);
                launch_kill(&launched);
                launch_end(&launched, &status, NULL);
                return -1;
        }
        *ret = launched;
        return 0;
}

bool launch_announces(const struct launch *launch) {
        (void)launch;
        return true;
}

void launch_signal(struct launched *launched, int number) {
        unsigned char byte = (unsigned char)number;

        if (launched->control >= 0)
                send(launched->control, &byte, 1, MSG_DONTWAIT); /* when it is full, it was asked often enough */
}

void launch_signal_foreground(struct launched *launched, int number) {
        launch_signal(launched, number);
}

/* The process that waits sees the end of its socket, and kills all. */
void launch_kill(struct launched *launched) {
        launched->killed = true;
        fd_close(TAKE_FD(launched->control));
}

/* ---- what comes back ---- */

int launch_end(struct launched *launched, int *ret_status, struct err *err) {
        bool failed;

        /* Somebody else may have waited for it: a program that uses this as a library. */
        while (launched->pid > 0 && waitpid(launched->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        fd_close(TAKE_FD(launched->control));
        while ((launched->said == 0 || launched->said == REPORT_STARTED) && launch_hear(launched))
                ;
        *ret_status = launched->said == REPORT_ENDED ? launched->status : SIGKILL;
        failed = launched->said == REPORT_FAILED;
        if (failed && err)
                *err = launched->failure;
        fd_close(TAKE_FD(launched->pidfd));
        fd_close(TAKE_FD(launched->report_fd));
        return failed ? -1 : 0;
}
