#include "launch/inside.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/descendants.h"
#include "launch/landlock.h"
#include "launch/report.h"

/* ---- privileges ---- */

static int apply_limits(const struct launch *launch, struct err *err) {
        for (size_t i = 0; i < launch->limit_count; i++) {
                const struct launch_limit *limit = &launch->limits[i];
                struct rlimit now, wanted = { limit->value, limit->value };

                if (getrlimit(limit->resource, &now) == 0 && now.rlim_max < limit->value)
                        wanted.rlim_cur = wanted.rlim_max = now.rlim_max; /* it is stricter already */
                if (setrlimit(limit->resource, &wanted) < 0)
                        return err_sys(err, "limit %d to %llu", limit->resource, (unsigned long long)limit->value);
        }
        return 0;
}

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

static int apply_seccomp(const struct launch *launch, struct err *err) {
        struct sock_fprog program = {
                .len = (unsigned short)launch->seccomp_count,
                .filter = (struct sock_filter *)launch->seccomp,
        };

        if (launch->seccomp_count == 0)
                return 0;
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? err_sys(err, "system call filter") : 0;
}

static int confine(const struct launch *launch, struct err *err) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return err_sys(err, "no_new_privs");
        if (apply_limits(launch, err) < 0 || empty_bounding_set(err) < 0 || landlock_apply(&launch->landlock, err) < 0 ||
            drop_capabilities(err) < 0)
                return -1;
        /* The command has the same user: it must not trace this process, nor read its memory or environment. */
        if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
                return err_sys(err, "PR_SET_DUMPABLE");
        return apply_seccomp(launch, err);
}

/* ---- the command ---- */

static const char *path_of(const char *const *envp) {
        for (; *envp; envp++)
                if (strncmp(*envp, "PATH=", 5) == 0)
                        return *envp + 5;
        return "/usr/local/bin:/usr/bin:/bin";
}

/* Returns only when it could not be started; errno says why. */
static void execute(const struct launch *launch) {
        char *const *argv = (char *const *)launch->argv, *const *envp = (char *const *)launch->envp;
        int why = ENOENT;

        if (strchr(launch->program, '/')) {
                execve(launch->program, argv, envp);
                return;
        }
        for (const char *path = path_of(launch->envp); path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
                int len = (int)strcspn(path, ":");
                char full[4096];

                if (len && snprintf(full, sizeof(full), "%.*s/%s", len, path, launch->program) < (int)sizeof(full)) {
                        execve(full, argv, envp);
                        if (errno != ENOENT && errno != ENOTDIR)
                                why = errno;
                }
        }
        errno = why;
}

static void reset_signals(void) {
        sigset_t none;

        for (int signal_number = 1; signal_number < 32; signal_number++)
                if (signal_number != SIGKILL && signal_number != SIGSTOP)
                        signal(signal_number, SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In a child that shares the memory of its parent until it executes. */
static _Noreturn void start_command(const struct launch *launch, int report_fd) {
        struct err err = {};

        /* Without a pid namespace the parent stays outside, or a command could kill what is to kill it. */
        if (!launch->own_pids && confine(launch, &err) < 0)
                report_failure(report_fd, &err);
        reset_signals();
        setsid(); /* descendants.c counts on it, too */
        if (!launch->own_pids)
                prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the parent is killed: the command at least ends with it */
        execute(launch);
        err_sys(&err, "%s", launch->program);
        err.code = err.sys == ENOENT ? ERR_NOT_FOUND : ERR_INVALID; /* not the walls' fault: no others would do better */
        report_failure(report_fd, &err);
}

/* As pid 1. When this process ends, the kernel kills the rest. */
static int wait_as_init(pid_t command) {
        int status;

        for (;;) {
                pid_t pid = waitpid(-1, &status, 0);

                if (pid == command)
                        return status;
                if (pid < 0 && errno != EINTR)
                        _exit(125);
        }
}

_Noreturn void inside_run(const struct launch *launch, int report_fd, int lifeline) {
        struct err err = {};
        pid_t command;
        int status;

        if (chdir(launch->cwd) < 0) {
                err_sys(&err, "cwd %s", launch->cwd);
                report_failure(report_fd, &err);
        }
        if (launch->own_pids ? confine(launch, &err) < 0 : descendants_adopt(&err) < 0)
                report_failure(report_fd, &err);
        /* The child changes nothing that is read here, and does not return. */
        command = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): no other thread could wait for it */
        if (command == 0)
                start_command(launch, report_fd); /* NOLINT(clang-analyzer-unix.Vfork): see above */
        if (command < 0) {
                err_sys(&err, "fork");
                report_failure(report_fd, &err);
        }
        /* vfork() returns once the command runs, or has failed and said so: then no other record is read. */
        if (launch->announce)
                report_send(report_fd, REPORT_STARTED, 0);
        status = launch->own_pids ? wait_as_init(command) : descendants_wait(command, lifeline);
        report_send(report_fd, REPORT_ENDED, status);
        _exit(0);
}
