#include "launch/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/broker.h"
#include "launch/control.h"
#include "launch/egress.h"
#include "launch/evidence.h"
#include "launch/report.h"
#include "launch/start.h"
#include "launch/terminal.h"
#include "launch/warm/preload.h"
#include "launch/warm/state_page.h"
#include "launch/warm/warm.h"

/* ---- privileges ---- */

static bool has_capability(int capability) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[2];

        return syscall(SYS_capget, &header, data) == 0 && data[capability / 32].effective >> (capability % 32) & 1;
}

/* The bounding set is what a later exec could give back. Who may not change it has nothing that no_new_privs leaves. */
static int empty_bounding_set(struct err *err) {
        if (!has_capability(CAP_SETPCAP))
                return 0;
        for (int capability = 0;; capability++)
                if (prctl(PR_CAPBSET_DROP, capability) < 0)
                        return errno == EINVAL && capability > CAP_AUDIT_READ
                                       ? 0
                                       : err_sys(err, "dropping capability %d", capability);
}

static int drop_capabilities(struct err *err) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[2] = {};

        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
                return err_sys(err, "clearing ambient capabilities");
        return syscall(SYS_capset, &header, none) < 0 ? err_sys(err, "dropping capabilities") : 0;
}

/* A kernel that was built without them knows no such operation. */
static int no_seccomp(struct err *err) {
        bool unknown = errno == EINVAL || errno == ENOSYS;

        return err_sys(err, unknown ? "the kernel has no system call filters (CONFIG_SECCOMP_FILTER)" : "system call filter");
}

static int apply_seccomp(const struct launch *launch, struct err *err) {
        struct sock_fprog program = {
                .len = (unsigned short)launch->seccomp_count,
                .filter = (struct sock_filter *)launch->seccomp,
        };

        if (launch->seccomp_count == 0)
                return 0;
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? no_seccomp(err) : 0;
}

/* `terminal`: the command's own; -1: it has none. */
static int confine(const struct launch *launch, int terminal, struct err *err) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return err_sys(err, "no_new_privs");
        if (limits_apply(launch, err) < 0 || empty_bounding_set(err) < 0 ||
            landlock_apply(&launch->landlock, terminal, err) < 0 || drop_capabilities(err) < 0)
                return -1;
        /* The command has the same user: it must not trace this process, nor read its memory or environment. */
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
                return err_sys(err, "PR_SET_DUMPABLE");
        /* Who brokers system calls needs some that `strict` does not have. */
        return launch->broker.calls ? 0 : apply_seccomp(launch, err);
}

/* What is left to do in the process that the command is to be. */
static int confine_command(const struct launch *launch, const struct broker *broker, struct err *err) {
        if (!launch->broker.calls)
                return 0;
        return apply_seccomp(launch, err) < 0 ? -1 : broker_enter(broker, err);
}

/* ---- the command ---- */

/* What is its own, in the process that the command is to be. */
static void stand_alone(const struct launch *launch) {
        sigset_t none;

        sigemptyset(&none);
        setsid(); /* descendants.c counts on it, too; first, as signals for the caller's group are none for it */
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (!launch->own_pids)
                prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the parent is killed: the command at least ends with it */
}

static int enter(const char *directory, struct err *err) {
        return chdir(directory) < 0 ? err_sys(err, "cwd %s", directory) : 0;
}

/* In a child that shares the memory of its parent until it executes. */
static _Noreturn void start_command(const struct launch *launch, const struct broker *broker, int terminal, int report_fd) {
        struct err err = {};

        /* Without a pid namespace the parent stays outside; otherwise a command could kill its supervisor. */
        if (!launch->own_pids && confine(launch, terminal, &err) < 0)
                report_failure(report_fd, &err);
        stand_alone(launch);
        if (terminal >= 0 && terminal_enter(&launch->terminal, terminal, &err) < 0)
                report_failure(report_fd, &err);
        if (confine_command(launch, broker, &err) < 0)
                report_failure(report_fd, &err);
        execute_or_report(launch->program, launch->argv, launch->envp, report_fd);
}

/* The same, for a command that comes later. Until then the parent does not run: who wants the command is watched here. */
static _Noreturn void await_command(const struct launch *prepared, const struct broker *broker,
                                    const struct inside_files *files) {
        struct launch launch = *prepared;
        struct err err = {};

        stand_alone(&launch);
        if (confine_command(&launch, broker, &err) < 0 || warm_await(files->work, files->outside, &launch, &err) < 0 ||
            enter(launch.cwd, &err) < 0)
                report_failure(files->report, &err);
        execute_or_report(launch.program, launch.argv, launch.envp, files->report);
}

/*
 * As pid 1: whatever is left, or was left behind. Nothing that was killed can fork, so what has ended is reaped before the rest
 * is killed again: a signal to all takes as long as there are processes, and zombies count.
 */
static void end_rest(void) {
        while (waitpid(-1, NULL, WNOHANG | __WALL) >= 0) {
                kill(-1, SIGKILL);
                waitpid(-1, NULL, __WALL);
                while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
                        ;
        }
}

/* What the loader has to say of the library is for nobody: the command's own files come with it. */
static void take_nothing(void) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        for (int i = 0; null >= 0 && i < 3; i++)
                dup2(null, i);
}

static _Noreturn void become_preload(const struct launch *launch, const struct broker *broker,
                                     const struct preload_files *files) {
        struct err err = {};

        stand_alone(launch);
        if (confine_command(launch, broker, &err) < 0)
                _exit(127); /* the next one says why */
        take_nothing();
        preload_become(launch, files);
}

/* A shell that waits for its command itself, which comes by `work`. -1: this one does not. */
static pid_t start_preload(const struct launch *launch, const struct broker *broker, const struct inside_files *files, int work,
                           int page) {
        int up[2];
        pid_t pid;

        if (files->preload < 0 || pipe2(up, O_CLOEXEC) < 0)
                return -1;
        pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as below */
        if (pid == 0)  /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): see below */
                become_preload(launch, broker, &(struct preload_files){ work, files->preload, up[1], page });
        fd_close(up[1]);
        if (pid > 0 && !warm_comes_up(up[0], pid, files->outside)) {
                end_rest();
                pid = -1;
        }
        fd_close(up[0]);
        return pid;
}

/* From the first moment on the command may come: it waits, too. */
static pid_t start_waiting(const struct launch *launch, const struct broker *broker, const struct inside_files *files,
                           int page) {
        struct err err = {};
        pid_t command;

        if (warm_tell_ready(files->work, &err) < 0)
                report_failure(files->report, &err);
        command = start_preload(launch, broker, files, files->work, page);
        if (command < 0)
                command = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as below */
        if (command == 0)
                await_command(launch, broker, files); /* NOLINT(clang-analyzer-unix.Vfork): see below */
        return command;
}

static pid_t start_now(const struct launch *launch, const struct broker *broker, int terminal, int report_fd) {
        pid_t command = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): no other thread could wait for it */

        /* The child changes nothing that is read here, and does not return. */
        if (command == 0)
                start_command(launch, broker, terminal, report_fd); /* NOLINT(clang-analyzer-unix.Vfork): see above */
        return command;
}

/* By a shell that is handed its command at once: only such a one leaves its state behind. -1: this one does not. */
static pid_t start_reporting(const struct launch *launch, const struct broker *broker, const struct inside_files *files,
                             int page) {
        const struct launch_files own = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
        int work[2];
        pid_t command = -1;

        if (page >= 0 && warm_fits(launch) && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, work) == 0) {
                command = start_preload(launch, broker, files, work[1], page);
                fd_close(work[1]);
                if (command > 0 && warm_send(work[0], launch, &own) < 0) {
                        end_rest();
                        command = -1;
                }
                fd_close(work[0]);
        }
        return command;
}

/* Not vfork(): the command executes when pid 1 has answered that call. */
static pid_t start_watched(const struct launch *launch, const struct broker *broker, int terminal, int report_fd) {
        pid_t command = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

        if (command == 0)
                start_command(launch, broker, terminal, report_fd);
        return command;
}

/* One with a terminal leaves no state: a shell that waits does not take a terminal. */
static pid_t start_here(const struct launch *launch, const struct broker *broker, const struct inside_files *files,
                        int terminal, int page) {
        pid_t command;

        if (broker->evidence)
                return start_watched(launch, broker, terminal, files->report);
        command = terminal < 0 ? start_reporting(launch, broker, files, page) : -1;
        return command > 0 ? command : start_now(launch, broker, terminal, files->report);
}

/* ---- waiting for it ---- */

static int wait_as_init(pid_t command, struct control *control, struct broker *broker) {
        for (;;) {
                int asked = control_wait(control), status;
                pid_t pid;

                if (asked == CONTROL_GONE)
                        _exit(125); /* the kernel kills the rest */
                if (asked == CONTROL_CALL)
                        broker_serve(broker);
                else if (asked > CONTROL_GROUP)
                        control_signal_group(command, asked & ~CONTROL_GROUP);
                else if (asked != CONTROL_CHILD)
                        kill(-1, asked);
                while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
                        if (pid == command) {
                                end_rest();
                                return status;
                        }
                        broker_reaped(broker, pid, status);
                }
        }
}

/* While it can be opened. -1: that is to be dealt with as one that was written into. */
static int open_upper(const struct home_run *run) {
        return run->fd < 0 ? -1 : openat(run->fd, HOME_UPPER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* So that the supervisor has to look only if there is something to settle. */
static uint32_t facts_of_home(const struct home_run *run, int upper) {
        return run->fd >= 0 && (run->has_other || upper < 0 || !home_is_empty(upper)) ? REPORT_HOME : 0;
}

/* The supervisor gets the file before there is anything in it. */
static int keep_evidence(const struct launch *launch, const struct inside_files *files, struct broker *broker,
                         struct err *err) {
        FD_AUTO notes = -1;

        if (!(launch->broker.calls & BROKER_EVIDENCE))
                return 0;
        notes = evidence_open(&broker->evidence);
        if (notes < 0)
                return err_sys(err, "no memory for the evidence");
        control_pass_evidence(files->asked, notes);
        return 0;
}

_Noreturn void inside_run(const struct launch *launch, const struct inside_files *files) {
        struct control control;
        struct broker broker;
        struct err err = {};
        int status, terminal = -1, page = -1, upper = open_upper(&files->run);
        uint32_t facts;
        pid_t command;

        /* Who waits must not do so where the program outside was, which is below all mounts. */
        if (enter(files->work < 0 ? launch->cwd : "/", &err) < 0)
                report_failure(files->report, &err);
        if (launch->own_pids && egress_set_up(&launch->egress, files->asked, &err) < 0) /* while it has the capabilities */
                report_failure(files->report, &err);
        if (launch->terminal.wanted && terminal_make(&launch->terminal, files->asked, &terminal, &err) < 0)
                report_failure(files->report, &err);
        if (control_open(files->asked, files->outside, &control, &err) < 0)
                report_failure(files->report, &err);
        if (broker_open(&launch->broker, files->roots, &broker, &err) < 0)
                report_failure(files->report, &err);
        if (keep_evidence(launch, files, &broker, &err) < 0)
                report_failure(files->report, &err);
        if (files->preload >= 0 && (page = state_page_make()) >= 0)
                control_pass_page(files->asked, page);
        if (launch->own_pids ? confine(launch, terminal, &err) < 0 : descendants_adopt(&err) < 0)
                report_failure(files->report, &err);
        if (launch->own_pids && control_watch_mounts(&control, &err) < 0)
                report_failure(files->report, &err);
        if (control_alone(&control)) /* while the sandbox was set up */
                _exit(125);
        while (launch->own_pids && waitpid(-1, NULL, __WALL) > 0) /* who has helped to make them is killed already */
                ;
        command = files->work >= 0 ? start_waiting(launch, &broker, files, page)
                                   : start_here(launch, &broker, files, terminal, page);
        broker_take(&broker);
        control.calls = broker.listener;
        fd_close(files->work);
        fd_close(files->preload);
        fd_close(page);
        if (command < 0) {
                err_sys(&err, "fork");
                report_failure(files->report, &err);
        }
        /* One that starts now runs, or has failed and said so: then no other record is read. */
        if (launch->announce)
                report_send(files->report, REPORT_STARTED, 0);
        /* They are the command's: a reader of its output waits until the last writer has closed them. This process goes on, and
         * even its end takes a while, as the kernel closes files only after it has taken all mounts apart. */
        close_range(STDIN_FILENO, STDERR_FILENO, 0);
        status = launch->own_pids ? wait_as_init(command, &control, &broker) : descendants_wait(command, &control);
        facts = facts_of_home(&files->run, upper);
        fd_close(files->run.fd); /* nothing writes into the layer any more; it is settled when the end is reported */
        report_end(files->report, status, facts, broker.refused);
        _exit(0);
}
