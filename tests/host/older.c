/*
 * older WHAT PROGRAM...: runs it as an older or a more crowded kernel would have it.
 *
 *   landlock   there is no Landlock
 *   listener   somebody else has a listener for system calls already
 *   threads    pidfd_open() knows no threads (before Linux 6.9)
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

static struct sock_filter landlock[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444 /* landlock_create_ruleset */, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        RETURN(SECCOMP_RET_ALLOW),
};

static struct sock_filter listener[] = { RETURN(SECCOMP_RET_ALLOW) };

static struct sock_filter threads[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 3),
        LOAD(args[1]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_EXCL, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | EINVAL),
        RETURN(SECCOMP_RET_ALLOW),
};

static const struct {
        const char *name;
        struct sock_filter *code;
        unsigned short count;
        unsigned int flags;
} kernels[] = {
        { "landlock", landlock, sizeof(landlock) / sizeof(*landlock), 0 },
        { "listener", listener, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER },
        { "threads", threads, sizeof(threads) / sizeof(*threads), 0 },
};

int main(int argc, char **argv) {
        for (size_t i = 0; argc > 2 && i < sizeof(kernels) / sizeof(*kernels); i++) {
                struct sock_fprog program = { kernels[i].count, kernels[i].code };
                int fd;

                if (strcmp(argv[1], kernels[i].name) != 0)
                        continue;
                fd = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
                             ? -1
                             : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kernels[i].flags, &program);
                if (fd < 0) {
                        perror("older");
                        return 125;
                }
                if (kernels[i].flags)
                        fcntl(fd, F_SETFD, 0); /* there is one as long as it is open */
                execvp(argv[2], argv + 2);
                perror(argv[2]);
                return 127;
        }
        return 2;
}
