#include "launch/clone.h"

#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "launch/kernel.h"

void clone_reset_signals(void) {
        /* By the system call: the C library's function skips the two signals that it uses itself, and a process started by
         * posix_spawn() ignores them. */
        const struct {
                void (*handler)(int);
                unsigned long flags;
                void (*restorer)(void);
                uint64_t mask;
        } by_default = { .handler = SIG_DFL };

        for (int number = 1; number < NSIG; number++)
                syscall(SYS_rt_sigaction, number, &by_default, NULL, sizeof(by_default.mask)); /* not for two of them */
}

/* Where containers forbid clone3, as its arguments cannot be filtered, the older call does; it knows no cgroups. */
static pid_t clone_with(uint64_t flags, int cgroup, int *ret_pidfd) {
        struct clone3_args args = {
                .flags = flags | (cgroup >= 0 ? CLONE_INTO_CGROUP : 0),
                .pidfd = (uint64_t)(uintptr_t)ret_pidfd,
                .cgroup = cgroup >= 0 ? (uint64_t)cgroup : 0,
        };
        pid_t pid = kernel_clone3(&args);

        if (pid >= 0 || errno != ENOSYS || cgroup >= 0)
                return pid;
        return (pid_t)syscall(SYS_clone, flags, NULL, ret_pidfd, 0, 0);
}

pid_t clone_process(uint64_t namespaces, int cgroup, int *ret_pidfd) {
        sigset_t all, before;
        int saved, state;
        pid_t pid;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state); /* or the new one would clean up after the thread, too */
        pid = clone_with(namespaces | CLONE_PIDFD, cgroup, ret_pidfd);
        if (pid == 0) {
                clone_reset_signals();
                return 0;
        }
        saved = errno;
        if (pid < 0)
                *ret_pidfd = -1; /* the kernel has written a number of a file that there is not, if it failed late */
        pthread_setcancelstate(state, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = saved;
        return pid;
}

/* The kernel has the status in pieces here. */
static int status_of(const siginfo_t *info) {
        return info->si_code == CLD_EXITED ? (info->si_status & 0xff) << 8 : info->si_status & 0x7f;
}

int clone_reap(int pidfd, int *ret_status) {
        siginfo_t info = {};

        /* By its pidfd: were the program to wait for it first, the number could be that of another of its children. */
        while (waitid((idtype_t)KERNEL_P_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) < 0)
                if (errno != EINTR)
                        return -1;
        *ret_status = status_of(&info);
        return 0;
}
