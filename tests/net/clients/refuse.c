/*
 * refuse netfilter|ipv6|both PROGRAM [ARGUMENT...]: runs it as on a kernel without nf_tables, or without IPv6, or neither.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static int load(struct sock_filter *code, size_t count) {
        struct sock_fprog program = { .len = (unsigned short)count, .filter = code };

        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv) {
        struct sock_filter netfilter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                UNLESS(SYS_socket, 5),
                ARGUMENT(0),
                UNLESS(AF_NETLINK, 3),
                ARGUMENT(2),
                UNLESS(NETLINK_NETFILTER, 1),
                REFUSE(EPROTONOSUPPORT),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_filter ipv6[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                UNLESS(SYS_socket, 3),
                ARGUMENT(0),
                UNLESS(AF_INET6, 1),
                REFUSE(EAFNOSUPPORT),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };

        if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return 125;
        if (strcmp(argv[1], "ipv6") != 0 && load(netfilter, sizeof(netfilter) / sizeof(*netfilter)) < 0)
                return 125;
        if (strcmp(argv[1], "netfilter") != 0 && load(ipv6, sizeof(ipv6) / sizeof(*ipv6)) < 0)
                return 125;
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        return 125;
}
