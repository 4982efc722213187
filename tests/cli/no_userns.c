/*
 * no_userns PROGRAM...: runs it where namespaces cannot be made nor mounts changed, as in a container of Docker's default
 * profile: unshare, setns, clone with such flags and the mount family fail with EPERM, clone3 with ENOSYS.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAMESPACES 0x7e020000
#define FIELD(name) ((unsigned)offsetof(struct seccomp_data, name))
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(field))
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define DENY(number, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), FAIL(error)

int main(int argc, char **argv) {
        struct sock_filter code[] = {
                LOAD(nr),
                DENY(SYS_unshare, EPERM),
                DENY(SYS_setns, EPERM),
                DENY(SYS_clone3, ENOSYS),
                DENY(SYS_mount, EPERM),
                DENY(SYS_umount2, EPERM),
                DENY(SYS_pivot_root, EPERM),
                DENY(SYS_open_tree, EPERM),
                DENY(SYS_fsopen, EPERM),
                DENY(SYS_move_mount, EPERM),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
                LOAD(args[0]),
                BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
                FAIL(EPERM),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

        if (argc < 2)
                return 2;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
                perror("no_userns");
                return 125;
        }
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        return 127;
}
