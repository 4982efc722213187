#include "launch/start.h"

#include <errno.h>
#include <linux/sched.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "launch/blob.h"
#include "launch/files.h"
#include "launch/identity.h"
#include "launch/inside.h"
#include "launch/kernel.h"
#include "launch/mount.h"
#include "launch/report.h"

static const uint64_t namespace_flags[] = {
        [LAUNCH_NO_NAMESPACES] = 0,
        [LAUNCH_NAMESPACES] = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
        [LAUNCH_NAMESPACES_AND_NET] =
                CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNET,
};

/* ---- in the child ---- */

static int raise_loopback(struct err *err) {
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = { .ifr_flags = IFF_UP | IFF_RUNNING };

        memcpy(request.ifr_name, "lo", sizeof("lo"));
        return fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? err_sys(err, "localhost") : 0;
}

static int make_walls(const struct launch *launch, struct err *err) {
        if (launch->namespaces == LAUNCH_NAMESPACES_AND_NET && raise_loopback(err) < 0)
                return -1;
        if (launch->mount_count && mount_all(launch->mounts, launch->mount_count, err) < 0)
                return -1;
        if (launch->hostname && launch->namespaces && sethostname(launch->hostname, strlen(launch->hostname)) < 0)
                return err_sys(err, "hostname");
        return 0;
}

static int run_wrapper(const struct launch *launch, struct err *err) {
        static char *const no_environment[] = { NULL };

        execve(launch->wrapper[0], (char *const *)launch->wrapper, no_environment);
        return err_sys(err, "%s", launch->wrapper[0]);
}

/* What the parent has made ready for the child. */
struct start {
        const struct launch *launch;
        const struct launch_files *files;
        int report[2];
        int go[2];         /* a byte says that the identity is set; its end, that the parent is gone */
        int plan;          /* -1: there is no wrapper */
        int complaints[2]; /* its stderr */
        const struct cgroup *group;
        bool join_group; /* or it is born there */
};

enum { FILES_MAX = LAUNCH_EMPTY_FD + 1024 };

/* In the order of enum launch_fd. */
static int arrange(const struct start *start, struct err *err) {
        static int from[FILES_MAX];
        int count = 0;

        from[count++] = start->files->in;
        from[count++] = start->files->out;
        from[count++] = start->launch->wrapper ? start->complaints[1] : start->files->err;
        from[count++] = start->report[1];
        from[count++] = start->launch->wrapper ? start->plan : start->go[0];
        if (start->launch->wrapper)
                from[count++] = start->files->err;
        for (size_t i = 0; i < start->launch->wrapper_masks; i++) {
                if (count == FILES_MAX)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %d files to mask", FILES_MAX);
                from[count] = open("/dev/null", O_RDONLY | O_CLOEXEC);
                if (from[count++] < 0)
                        return err_sys(err, "/dev/null");
        }
        return files_arrange(from, count, !start->launch->wrapper, err);
}

static _Noreturn void child(const struct start *start) {
        const struct launch *launch = start->launch;
        int report_fd = start->report[1];
        struct err err = {};
        char byte;

        fd_close(start->go[1]); /* or the parent's death would not be seen */
        /* A pid namespace dies with its pid 1. Without one, this process stays, to kill what the command has started. */
        if ((launch->own_pids && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) || read(start->go[0], &byte, 1) != 1)
                _exit(125);
        /* By itself: moving another process may wait 10 ms for all processors. */
        if (start->join_group && cgroup_add(start->group, 0, &err) < 0)
                report_failure(report_fd, &err);
        if (arrange(start, &err) < 0)
                report_failure(report_fd, &err);
        report_fd = LAUNCH_REPORT_FD;
        if (!launch->own_pids) /* what a terminal sends to its processes must not end this one; as pid 1 it cannot */
                setsid();
        if (make_walls(launch, &err) < 0 || (launch->wrapper && run_wrapper(launch, &err) < 0))
                report_failure(report_fd, &err);
        inside_run(launch, report_fd, LAUNCH_REPORT_FD + 1);
}

/* ---- in the parent ---- */

static int make_group(const struct launch *launch, struct cgroup *ret, struct clone3_args *args, struct err *err) {
        struct cgroup_limits limits = { .memory_bytes = launch->group.memory_bytes, .pids = launch->group.pids };

        if (limits.memory_bytes == 0 && limits.pids == 0)
                return 0;
        if (cgroup_new(&limits, ret, err) < 0)
                return -1;
        if (ret->version == CGROUP_V2) {
                args->flags |= CLONE_INTO_CGROUP;
                args->cgroup = (uint64_t)ret->dir_fd;
        }
        return 0;
}

/* Where containers forbid clone3, as its arguments cannot be filtered, the older call does; it knows no cgroups. */
static pid_t clone_process(struct start *start, struct clone3_args *args, int *ret_pidfd) {
        pid_t pid = kernel_clone3(args);

        if (pid >= 0 || errno != ENOSYS)
                return pid;
        start->join_group = start->group->version != CGROUP_NONE;
        return (pid_t)syscall(SYS_clone, (args->flags & ~(uint64_t)CLONE_INTO_CGROUP) | args->exit_signal, NULL, ret_pidfd, 0,
                              0);
}

/* The new process waits for a byte. */
static int spawn(struct start *start, struct launched *launched, struct err *err) {
        const struct launch *launch = start->launch;
        struct clone3_args args = {
                .flags = namespace_flags[launch->namespaces] | CLONE_PIDFD,
                .pidfd = (uint64_t)(uintptr_t)&launched->pidfd,
                .exit_signal = SIGCHLD,
        };

        if (make_group(launch, &launched->group, &args, err) < 0)
                return -1;
        start->join_group = launched->group.version == CGROUP_V1;
        launched->pid = clone_process(start, &args, &launched->pidfd);
        if (launched->pid == 0)
                child(start);
        if (launched->pid < 0)
                return err_sys(err, launch->namespaces ? "namespaces" : "fork");
        if (launch->namespaces && identity_map(launched->pid, err) < 0)
                return -1;
        return write(start->go[1], "", 1) == 1 ? 0 : err_sys(err, "starting");
}

static int hand_failure(const struct report *report, struct err *err) {
        if (err)
                *err = report->err;
        return -1;
}

static int wait_started(const struct launched *launched, struct err *err) {
        struct report report;
        int got = report_receive(launched->report_fd, &report);

        if (got == 1 && report.kind == REPORT_STARTED)
                return 0;
        if (got == 1 && report.kind == REPORT_FAILED)
                return hand_failure(&report, err);
        return err_set(err, ERR_SYSTEM, "the sandbox ended before the command was started");
}

static int open_pipes(struct start *start, struct err *err) {
        if (fd_pipe(start->report, err) < 0 || fd_pipe(start->go, err) < 0)
                return -1;
        if (!start->launch->wrapper)
                return 0;
        start->plan = blob_write(start->launch, err);
        return start->plan < 0 ? -1 : fd_pipe(start->complaints, err);
}

/* What a wrapper said before it gave up: better than that it did. */
static void read_complaints(int fd, struct err *err) {
        char text[sizeof(err->msg)];
        ssize_t len = fd < 0 || !err ? -1 : read(fd, text, sizeof(text) - 1);

        if (len <= 0)
                return;
        text[len] = 0;
        text[strcspn(text, "\n")] = 0;
        err_set(err, ERR_SYSTEM, "%s", text);
}

int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err) {
        struct start start = {
                .launch = launch, .files = files, .report = { -1, -1 }, .go = { -1, -1 }, .plan = -1, .complaints = { -1, -1 }
        };
        struct launched launched = { .own_pids = launch->own_pids, .pid = -1, .pidfd = -1, .group = { .dir_fd = -1 } };
        int result = open_pipes(&start, err), status;

        launched.report_fd = start.report[0];
        launched.lifeline = start.go[1];
        start.group = &launched.group;
        if (result == 0)
                result = spawn(&start, &launched, err);
        fd_close(start.report[1]);
        fd_close(start.go[0]);
        fd_close(start.plan);
        fd_close(start.complaints[1]);
        if (result == 0 && (launch->announce || launch->wrapper))
                result = wait_started(&launched, err);
        if (result < 0) {
                launch_kill(&launched);
                launch_end(&launched, &status, NULL);
                read_complaints(start.complaints[0], err);
        }
        fd_close(start.complaints[0]);
        if (result < 0)
                return -1;
        *ret = launched;
        return 0;
}

void launch_kill(struct launched *launched) {
        if (launched->pidfd >= 0 && launched->own_pids)
                syscall(SYS_pidfd_send_signal, launched->pidfd, SIGKILL, NULL, 0);
        fd_close(TAKE_FD(launched->lifeline));
}

int launch_end(struct launched *launched, int *ret_status, struct err *err) {
        struct report report;
        int result = 0;

        *ret_status = SIGKILL;
        while (launched->pid > 0 && waitpid(launched->pid, NULL, 0) < 0 && errno == EINTR)
                ;
        fd_close(TAKE_FD(launched->lifeline));
        /* Below a wrapper the last word may come a little later than the wrapper's own end. */
        if (launched->report_fd >= 0 && report_receive(launched->report_fd, &report) == 1) {
                if (report.kind == REPORT_ENDED)
                        *ret_status = report.status;
                if (report.kind == REPORT_FAILED)
                        result = hand_failure(&report, err);
        }
        fd_close(TAKE_FD(launched->pidfd));
        fd_close(TAKE_FD(launched->report_fd));
        if (launched->group.version != CGROUP_NONE)
                cgroup_remove(&launched->group);
        return result;
}
