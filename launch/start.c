#include "launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "launch/cgroup_shared.h"
#include "launch/clone.h"
#include "launch/container/container.h"
#include "launch/control.h"
#include "launch/files.h"
#include "launch/identity.h"
#include "launch/inside.h"
#include "launch/kernel.h"
#include "launch/mapped.h"
#include "launch/mount.h"
#include "launch/network.h"
#include "launch/report.h"
#include "launch/tmp_holder.h"
#include "launch/warm/preload.h"

static const uint64_t namespace_flags[] = {
        [LAUNCH_NO_NAMESPACES] = 0,
        [LAUNCH_NAMESPACES] = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
        [LAUNCH_NAMESPACES_AND_NET] =
                CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNET,
};

/* What the parent has made ready for the child. */
struct start {
        const struct launch *launch;
        const struct launch_files *files;
        int report[2];
        int go[2];   /* a byte says that the identity is set; then it is for launch/control.h */
        int work[2]; /* where the command comes in; -1: it is there already */
        int preload; /* launch/warm/preload.h; -1: there is none */
        const struct mount_places *places;
        int outside;                 /* a pidfd of the process that wants this; -1: a container forbids that */
        int plan;                    /* -1: there is no wrapper */
        int complaints[2];           /* its stderr */
        int roots[BROKER_ROOTS_MAX]; /* of the broker's plan */
        size_t root_count;
        bool join_group;    /* or it is born there */
        bool view_group;    /* it is still to see that as the root of all cgroups */
        bool made_group;    /* that is kept */
        int64_t pid_max;    /* in its pid namespace; 0: as it is */
        bool makes_network; /* or it is born there, too, or stays in that of the host */
};

/* Whether another process makes the network, see launch/network.h. It takes more processor time than being created in one, so
 * it is used only if a command waits for the sandbox and there are two processors. */
static bool wants_maker(const struct start *start) {
        cpu_set_t usable;

        return start->launch->namespaces == LAUNCH_NAMESPACES_AND_NET && start->work[1] < 0 &&
               sched_getaffinity(0, sizeof(usable), &usable) == 0 && CPU_COUNT(&usable) > 1;
}

/* ---- in the child ---- */

/* What sandboxes share, as each of them gets it. -1: none. */
struct shared_mounts {
        int tmp, stage;
        int stage_lock; /* held as long as the sandbox may write into the stage */
};

static int get_shared(const struct launch *launch, struct shared_mounts *ret, struct err *err) {
        *ret = (struct shared_mounts){ -1, -1, -1 };
        if (launch->tmp && (ret->tmp = tmp_holder_mount(launch->tmp, NULL, err)) < 0)
                return -1;
        return launch->stage && (ret->stage = tmp_holder_mount(launch->stage, &ret->stage_lock, err)) < 0 ? -1 : 0;
}

/* NULL: it is there already, or the host's. */
static int make_guarantees(const struct start *start, struct network *network, const struct shared_mounts *shared,
                           struct home_run *ret_run, struct err *err) {
        const struct launch *launch = start->launch;
        const struct mapped_channel passed = { .socket = LAUNCH_REPORT_FD + 1, .outside = LAUNCH_REPORT_FD + 2 };
        const struct mount_given given = { .tmp = shared->tmp,
                                           .stage = shared->stage,
                                           .passed = launch->id_base ? &passed : NULL };

        if (launch->namespaces == LAUNCH_NAMESPACES_AND_NET && !network && network_raise(err) < 0)
                return -1;
        if (launch->mount_count && mount_all(launch->mounts, start->places, launch->mount_count, &given, ret_run, err) < 0)
                return -1;
        if (launch->hostname && launch->namespaces && sethostname(launch->hostname, strlen(launch->hostname)) < 0)
                return err_sys(err, "hostname");
        fd_close(shared->tmp);
        fd_close(shared->stage);
        return network ? network_enter(network, err) : 0;
}

static _Noreturn void become_wrapper(const struct launch *launch) {
        static char *const no_environment[] = { NULL };
        struct err err = {};

        execve(launch->wrapper[0], (char *const *)launch->wrapper, no_environment);
        err_sys(&err, "%s", launch->wrapper[0]);
        report_failure(LAUNCH_REPORT_FD, &err);
}

/* The wrapper has the other end as LAUNCH_NETWORK_FD. */
static int open_network_helper(struct err *err) {
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 || dup2(ends[1], LAUNCH_NETWORK_FD) < 0)
                return err_sys(err, "cannot create a socket");
        fd_close(ends[1]);
        return ends[0];
}

static pid_t start_wrapper(const struct launch *launch) {
        pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as in inside.c */

        if (pid == 0)
                become_wrapper(launch); /* NOLINT(clang-analyzer-unix.Vfork) */
        return pid;
}

/* As a child of this process: what executes something sends a SIGCHLD at its end, and is seen by wait(). That must not come to
 * a program that has not started it. */
static _Noreturn void run_wrapper(const struct launch *launch) {
        struct err err = {};
        int helper = -1;
        pid_t pid;

        if (geteuid() == 0 && mount_keep_devices(&err) < 0)
                report_failure(LAUNCH_REPORT_FD, &err);
        if (launch->wrapper_network && (helper = open_network_helper(&err)) < 0)
                report_failure(LAUNCH_REPORT_FD, &err);
        pid = start_wrapper(launch);
        if (pid < 0) {
                err_sys(&err, "fork");
                report_failure(LAUNCH_REPORT_FD, &err);
        }
        /* They are the wrapper's, and their reader waits for the last copy to be closed. */
        if (launch->wrapper_network && dup2(helper, 0) == 0 && dup2(LAUNCH_CONTROL_FD, 1) == 1) {
                files_close_from(2);
                network_helper_serve(0, 1, &launch->egress);
        }
        files_close_from(0);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
        kill(-getpid(), SIGKILL); /* if the wrapper was killed: its children may wait for it without end */
        _exit(0);
}

enum { FILES_MAX = LAUNCH_EMPTY_FD + 1024 + BROKER_ROOTS_MAX + 4 };

/* A file of a wrapper: empty, or with a text. */
static int open_mask(const char *text, struct err *err) {
        FD_AUTO fd = text ? memfd_create("bailey-text", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return err_sys(err, text ? "memfd" : "/dev/null");
        if (text && (fd_write_all(fd, str_z(text), err) < 0 || lseek(fd, 0, SEEK_SET) < 0))
                return -1;
        return TAKE_FD(fd);
}

/* In the order of enum launch_fd. */
static int arrange(const struct start *start, struct shared_mounts *shared, int *ret_preload, int *ret_roots, struct err *err) {
        int *const kept[] = { &shared->tmp, &shared->stage, &shared->stage_lock };
        int from[FILES_MAX], count = 0;

        from[count++] = start->files->in;
        from[count++] = start->files->out;
        from[count++] = start->launch->wrapper ? start->complaints[1] : start->files->err;
        from[count++] = start->report[1];
        from[count++] = start->launch->wrapper ? start->plan : start->go[0];
        if (start->launch->wrapper) {
                from[count++] = start->files->err;
                from[count++] = start->go[0];
        }
        from[count++] = start->outside >= 0 ? start->outside : start->report[1]; /* tells as much as the socket */
        if (start->launch->wrapper)
                from[count++] = start->report[1]; /* keeps the place of LAUNCH_NETWORK_FD */
        if (start->work[1] >= 0)
                from[count++] = start->work[1];
        *ret_preload = start->preload < 0 ? -1 : count;
        if (start->preload >= 0)
                from[count++] = start->preload;
        for (size_t i = 0; i < start->launch->wrapper_masks; i++) {
                if (count == FILES_MAX - BROKER_ROOTS_MAX - 3)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %d files to mask", FILES_MAX);
                from[count] = open_mask(i == 0 ? start->launch->wrapper_text : NULL, err);
                if (from[count++] < 0)
                        return -1;
        }
        *ret_roots = count;
        for (size_t i = 0; i < start->root_count; i++)
                from[count++] = start->roots[i];
        for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
                if (*kept[i] >= 0) {
                        from[count] = *kept[i];
                        *kept[i] = count++;
                }
        return files_arrange(from, count, !start->launch->wrapper, err);
}

/* False: the process outside has died. Its end of the socket alone would not tell: it may be copied to others just now. */
static bool wait_for_go(const struct start *start) {
        struct pollfd fds[] = { { .fd = start->go[0], .events = POLLIN }, { .fd = start->outside, .events = POLLIN } };
        char byte;

        while (poll(fds, 2, -1) < 0)
                if (errno != EINTR)
                        return false;
        return fds[0].revents && read(start->go[0], &byte, 1) == 1;
}

/* By itself: moving another process may wait 10 ms for all processors. If it were created with the namespace, it would see its
 * cgroup relative to the parent's, unlike a sandbox that is made in advance. */
static int enter_group(const struct start *start, const struct cgroup *group, struct err *err) {
        if (start->join_group && cgroup_add(group, 0, err) < 0)
                return -1;
        return start->view_group && unshare(CLONE_NEWCGROUP) < 0 ? err_sys(err, "cgroup namespace") : 0;
}

/* The directories of the broker's plan come from the parent then: launch/mapped.h. */
static int become_user(struct start *start, struct err *err) {
        if (identity_enter(err) < 0)
                return -1;
        if (start->outside < 0)
                prctl(PR_SET_PDEATHSIG, SIGKILL); /* which the change has taken back */
        return mapped_receive(&(struct mapped_channel){ start->go[0], start->outside }, start->roots, start->root_count, err);
}

static _Noreturn void child(struct start *start, const struct cgroup *group) {
        const struct launch *launch = start->launch;
        bool waits = start->work[1] >= 0, failed;
        struct home_run run = { .fd = -1 };
        int report_fd = start->report[1], preload, roots;
        struct shared_mounts shared;
        struct network network;
        struct err err = {};

        if (start->makes_network)
                network_begin(&network);
        fd_close(start->go[1]); /* or the parent's end would not be seen */
        /* The next best, where there is no pidfd: it may come too soon, when a thread ends, but not too late. */
        if (start->outside < 0 && launch->own_pids && !launch->wrapper)
                prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* While the parent has something to do, too. */
        failed = enter_group(start, group, &err) < 0 || get_shared(launch, &shared, &err) < 0;
        if (launch->namespaces)
                identity_limit(start->pid_max);
        if (!wait_for_go(start))
                _exit(125);
        if (failed || (launch->id_base && become_user(start, &err) < 0))
                report_failure(report_fd, &err);
        if (arrange(start, &shared, &preload, &roots, &err) < 0)
                report_failure(report_fd, &err);
        report_fd = LAUNCH_REPORT_FD;
        /* What a terminal sends to its processes must not end this one; as pid 1 it cannot. A wrapper has a group by which all
         * of it can be killed. */
        if (!launch->own_pids || launch->wrapper)
                setsid();
        if (launch->container)
                container_run(launch->container, launch->announce, report_fd, LAUNCH_REPORT_FD + 1, LAUNCH_REPORT_FD + 2);
        if (make_guarantees(start, start->makes_network ? &network : NULL, &shared, &run, &err) < 0)
                report_failure(report_fd, &err);
        if (launch->wrapper)
                run_wrapper(launch);
        inside_run(launch, &(struct inside_files){ .report = report_fd,
                                                   .asked = LAUNCH_REPORT_FD + 1,
                                                   .outside = LAUNCH_REPORT_FD + 2,
                                                   .work = waits ? PRELOAD_WORK_FD : -1,
                                                   .preload = preload,
                                                   .roots = roots,
                                                   .run = run });
}

/* ---- in the parent ---- */

static int make_group(const struct launch *launch, struct cgroup *ret, struct err *err) {
        struct cgroup_limits limits = { .memory_bytes = launch->group.memory_bytes, .pids = launch->group.pids };

        return limits.memory_bytes == 0 && limits.pids == 0 ? 0 : cgroup_new(&limits, ret, err);
}

/* Its own, or that of the user; who makes sandboxes beforehand is in that itself. NULL: none. */
static const struct cgroup *group_to_join(struct start *start, const struct launched *launched) {
        const struct launch_share *share = &start->launch->share;

        if (launched->group.version != CGROUP_NONE)
                return &launched->group;
        if (!share->group || start->work[1] >= 0 || start->launch->container)
                return NULL;
        return cgroup_shared_get(share->group, share->memory_percent, share->pids, &start->made_group);
}

/* Where no core dumps were allowed anyway: the limit that the command is to have (plan_limits()) is higher, and only root may
 * raise it, from outside. Others go on without. */
static void allow_core_limit(pid_t pid) {
        const struct rlimit wanted = { 1, 1 };
        struct rlimit now;

        if (getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_max < wanted.rlim_max)
                (void)prlimit(pid, RLIMIT_CORE, &wanted, NULL);
}

/* RLIMIT_NPROC does not hold for root of the host, also not in a user namespace. */
static int64_t pid_max_of(const struct launch *launch) {
        for (size_t i = 0; launch->namespaces && geteuid() == 0 && i < launch->limit_count; i++)
                if (launch->limits[i].resource == RLIMIT_NPROC)
                        return identity_limits_pids() ? (int64_t)launch->limits[i].value : 0;
        return 0;
}

enum { GROUP_TRIES = 3 };

/* Somebody may remove the user's group between the look and the clone, or it may be one that no process of ours may enter: then
 * there is none to be had. */
static pid_t clone_into_group(struct start *start, struct launched *launched, uint64_t namespaces,
                              const struct cgroup **ret_group) {
        for (int tries = 1;; tries++) {
                const struct cgroup *group = tries > GROUP_TRIES ? NULL : group_to_join(start, launched);
                uint64_t flags;
                pid_t pid;

                *ret_group = group;
                start->join_group = group && group->version == CGROUP_V1;
                start->view_group = group && namespaces & CLONE_NEWCGROUP;
                flags = start->view_group ? namespaces & ~(uint64_t)CLONE_NEWCGROUP : namespaces;
                pid = clone_process(flags, group ? group->dir_fd : -1, &launched->pidfd);
                if (pid < 0 && errno == ENOSYS && group && group->dir_fd >= 0) {
                        start->join_group = true;
                        pid = clone_process(flags, -1, &launched->pidfd);
                }
                if (pid >= 0 || !group || group == &launched->group || group->dir_fd < 0)
                        return pid;
                if (errno == EACCES || errno == EBUSY || errno == EOPNOTSUPP)
                        tries = GROUP_TRIES;
                else if (errno != ENODEV)
                        return pid;
        }
}

static int pass_roots(const struct start *start, int userns, struct err *err) {
        struct mapped_sender sender = { .socket = start->go[1] };

        for (size_t i = 0; i < start->root_count; i++) {
                int copy = mapped_copy(start->roots[i], start->launch->broker.roots[i],
                                       &(struct mapped_copy){ .userns = userns }, err);

                if (copy < 0 || mapped_send(&sender, (int)i, copy, err) < 0) {
                        mapped_cancel(&sender);
                        return -1;
                }
        }
        return mapped_end(&sender, err);
}

/* Only here, where we are root on the host, can owners be mapped. */
static int pass_mounts(const struct start *start, pid_t pid, struct err *err) {
        const struct launch *launch = start->launch;
        FD_AUTO userns = mapped_userns(pid, err);

        if (userns < 0 || pass_roots(start, userns, err) < 0)
                return -1;
        return mount_send(launch->mounts, start->places, launch->mount_count, userns, start->go[1], err);
}

/* The new process waits for a byte. */
static int spawn(struct start *start, struct launched *launched, struct err *err) {
        const struct launch *launch = start->launch;
        const struct cgroup *group;
        /* One that is made for another process is its child, too. */
        uint64_t namespaces = namespace_flags[launch->namespaces] | (start->work[1] >= 0 ? CLONE_PARENT : 0);

        start->makes_network = wants_maker(start);
        if (start->makes_network)
                namespaces &= ~(uint64_t)CLONE_NEWNET;
        start->pid_max = pid_max_of(launch);
        if (make_group(launch, &launched->group, err) < 0)
                return -1;
        launched->pid = clone_into_group(start, launched, namespaces, &group);
        if (launched->pid == 0)
                child(start, group);
        if (launched->pid < 0)
                return err_sys(err, launch->namespaces ? "namespaces" : "fork");
        allow_core_limit(launched->pid);
        if (launch->namespaces && identity_map(launched->pid, launch->id_base, err) < 0)
                return -1;
        if (send(start->go[1], "", 1, MSG_NOSIGNAL) != 1)
                return err_sys(err, "starting");
        return launch->id_base ? pass_mounts(start, launched->pid, err) : 0;
}

static int open_pipes(struct start *start, struct err *err) {
        if (fd_pipe(start->report, err) < 0)
                return -1;
        /* No pipe: to write to one whose reader is gone would send us a signal, and we may be a library. */
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, start->go) < 0)
                return err_sys(err, "cannot create the control socket");
        if (!start->launch->wrapper)
                return 0;
        start->plan = blob_write(start->launch, err);
        return start->plan < 0 ? -1 : fd_pipe(start->complaints, err);
}

/* Here, where nothing is covered or read-only yet. */
static int open_roots(struct start *start, struct err *err) {
        const struct broker_plan *broker = &start->launch->broker;

        for (size_t i = 0; broker->calls && broker->roots[i]; i++) {
                int fd = kernel_openat2(AT_FDCWD, broker->roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);

                if (fd < 0)
                        return err_sys(err, "%s", broker->roots[i]);
                start->roots[start->root_count++] = fd;
        }
        return 0;
}

static void close_child_ends(const struct start *start) {
        fd_close(start->report[1]);
        fd_close(start->go[0]);
        fd_close(start->work[1]);
        fd_close(start->plan);
        fd_close(start->complaints[1]);
        for (size_t i = 0; i < start->root_count; i++)
                fd_close(start->roots[i]);
}

static int begin(struct start *start, struct launched *ret, struct err *err) {
        const struct launch *launch = start->launch;
        struct launched launched = { .own_pids = launch->own_pids, .pid = -1, .pidfd = -1, .group = { .dir_fd = -1 } };
        int result = open_pipes(start, err), status;

        launched.report_fd = start->report[0];
        launched.control = start->go[1];
        launched.complaints = start->complaints[0];
        if (result == 0)
                result = open_roots(start, err);
        if (result == 0)
                result = spawn(start, &launched, err);
        close_child_ends(start);
        if (result < 0) {
                launch_kill(&launched);
                if (start->work[0] >= 0) /* whose child it is has to wait for it */
                        ret->pidfd = TAKE_FD(launched.pidfd);
                launch_end(&launched, &status, NULL);
                return -1;
        }
        launched.tells_end = launch->own_pids && !launch->wrapper && launched.group.version == CGROUP_NONE;
        *ret = launched;
        return 0;
}

#define NO_FDS .report = { -1, -1 }, .go = { -1, -1 }, .work = { -1, -1 }, .preload = -1, .plan = -1, .complaints = { -1, -1 }

int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err) {
        struct start start = { .launch = launch, .files = files, NO_FDS };
        FD_AUTO outside = kernel_pidfd_open(getpid());
        FD_AUTO preload = -1;

        if (outside < 0 && errno != ENOSYS && errno != EPERM)
                return err_sys(err, "pidfd_open");
        start.outside = outside;
        identity_give_pipe(files->in, launch->id_base);
        identity_give_pipe(files->out, launch->id_base);
        identity_give_pipe(files->err, launch->id_base);
        if (launch->leaves_state && launch->namespaces && launch->own_pids && !launch->wrapper && preload_suits(launch))
                start.preload = preload = preload_open();
        if (begin(&start, ret, err) < 0)
                return -1;
        if (ret->group.version != CGROUP_NONE || start.made_group)
                cgroup_sweep();
        return 0;
}

int launch_prepare(const struct launch *launch, const struct mount_places *places, int outside, int preload,
                   struct launched *ret, int *ret_work, struct err *err) {
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        const struct launch_files files = { null, null, null };
        struct start start = { .launch = launch, .files = &files, .places = places, .outside = outside, NO_FDS };

        start.preload = preload;
        if (null < 0)
                return err_sys(err, "/dev/null");
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, start.work) < 0)
                return err_sys(err, "cannot create the socket of a warm sandbox");
        if (begin(&start, ret, err) < 0) {
                fd_close(start.work[0]);
                return -1;
        }
        *ret_work = start.work[0];
        return 0;
}

bool launch_announces(const struct launch *launch) {
        return launch->announce || launch->wrapper;
}

void launch_signal(struct launched *launched, int number) {
        unsigned char byte = (unsigned char)number;

        if (launched->control >= 0)
                send(launched->control, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT); /* when it is full, it was asked often enough */
}

void launch_signal_foreground(struct launched *launched, int number) {
        const unsigned char bytes[] = { CONTROL_FOREGROUND, (unsigned char)number };

        if (launched->control >= 0)
                send(launched->control, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int launch_request_socket(struct launched *launched) {
        const unsigned char byte = CONTROL_WANTS_SOCKET;

        return launched->control < 0 || send(launched->control, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1 ? -1 : 0;
}

int launch_request_port(struct launched *launched, uint16_t port) {
        const unsigned char bytes[] = { CONTROL_WANTS_PORT, (unsigned char)(port >> 8), (unsigned char)port };

        return launched->control < 0 || send(launched->control, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

void launch_kill(struct launched *launched) {
        launched->killed = true;
        if (launched->pidfd >= 0 && launched->own_pids)
                syscall(SYS_pidfd_send_signal, launched->pidfd, SIGKILL, NULL, 0);
        /* bwrap has a child that waits for it, and for ever when it is killed before it has told that to end with it. */
        if (launched->complaints >= 0 && launched->pid > 0)
                kill(-launched->pid, SIGKILL);
        fd_close(TAKE_FD(launched->control));
}

/* ---- what comes back ---- */

/* Does a wrapper say, in bubblewrap's words, that it has not found a path of the plan? */
static bool is_about_path(const char *text) {
        static const char *const before[] = { "Can't find source path ", "Can't get type of source ", "Can't bind mount ",
                                              "Can't create file at ", "Can't mkdir " };
        static const int why[] = { ENOENT, ENOTDIR, ELOOP, ESTALE, EROFS };
        bool path = false, gone = false;

        for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
                path = path || strstr(text, before[i]);
        for (size_t i = 0; i < sizeof(why) / sizeof(*why); i++)
                gone = gone || strstr(text, err_text(why[i]));
        return path && (gone || strstr(text, "in mount table")); /* it was moved away from what was just mounted there */
}

/* What a wrapper said before it gave up: better than that it did. */
static void read_complaints(int fd, struct err *err) {
        char text[sizeof(err->msg)];
        ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

        if (len <= 0)
                return;
        text[len] = 0;
        text[strcspn(text, "\n")] = 0;
        if (is_about_path(text))
                err_set(err, ERR_CHANGED,
                        "%.140s: the path changed while the sandbox was being set up; the command was not run. Try again",
                        text);
        else
                err_set(err, ERR_SYSTEM, "%s", text);
}

bool launch_over(struct launched *launched) {
        if (launched->said == 0 || launched->said == REPORT_STARTED)
                launch_hear(launched);
        return launched->said == REPORT_ENDED;
}

static int say_end(const struct launched *launched, int *ret_status, struct err *err) {
        *ret_status = launched->said == REPORT_ENDED ? launched->status : SIGKILL;
        if (launched->said == REPORT_FAILED)
                *err = launched->failure;
        else if (launched->said == 0 && launched->complaints >= 0 && !launched->killed) {
                err_set(err, ERR_SYSTEM, "the sandbox ended before the command was started");
                read_complaints(launched->complaints, err);
        } else {
                return 0;
        }
        return -1;
}

int launch_end(struct launched *launched, int *ret_status, struct err *err) {
        bool leaving = launched->tells_end && launched->said == REPORT_ENDED;
        struct err why = {};
        int result;

        if (!leaving)
                launch_reap(launched);
        fd_close(TAKE_FD(launched->control));
        /* Below a wrapper the last word may come a little later than the wrapper's own end. */
        while ((launched->said == 0 || launched->said == REPORT_STARTED) && launch_hear(launched))
                ;
        result = say_end(launched, ret_status, &why);
        if (err && result < 0)
                *err = why;
        fd_close(TAKE_FD(launched->report_fd));
        fd_close(TAKE_FD(launched->complaints));
        if (launched->group.version != CGROUP_NONE)
                cgroup_remove(&launched->group);
        return result;
}

void launch_reap(struct launched *launched) {
        int of_init; /* tells nothing of the command */

        if (launched->pidfd >= 0)
                clone_reap(launched->pidfd, &of_init);
        fd_close(TAKE_FD(launched->pidfd));
}
