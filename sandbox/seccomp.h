/*
 * Compiles a syscall policy to the seccomp program (classic BPF) that enforces it. Pure: any machine compiles for any
 * architecture, nothing is loaded here.
 *
 * What every program does:
 * - kills on a call in another architecture's convention (i386 or arm32 by `int 0x80` and their like, x32);
 * - refuses new namespaces (clone and unshare, EPERM); clone3, whose flags are in memory that a filter cannot read, is
 *   ENOSYS, and every libc then takes clone;
 * - refuses TIOCSTI, TIOCLINUX, TIOCCONS and TIOCSETD, F_SETLEASE, F_NOTIFY and F_SETDELEG (EPERM);
 * - refuses pipes of more than 64 KiB (EPERM, as the kernel returns above the per-user limit);
 * - keeps the limit of core dumps: setrlimit and prlimit64 with a new one succeed without doing anything; with a
 *   pointer for the old one, too, prlimit64 is EPERM;
 * - allows the socket families AF_UNIX, AF_INET, AF_INET6 and of AF_NETLINK only NETLINK_ROUTE (getaddrinfo, getifaddrs, ip);
 *   others are EAFNOSUPPORT. Of inet sockets there are streams and datagrams; raw and other types are EPERM.
 *
 * SYSCALLS_INHERIT refuses calls that no build needs and allows all others in the table; a number that is not in it, because
 * its kernel is younger, is ENOSYS. SYSCALLS_STRICT allows the groups of the table and kills on everything else.
 *
 * What it does not do: look behind pointers (paths, addresses), or tell sockets of a path from abstract ones.
 */
#ifndef BAILEY_SANDBOX_SECCOMP_H
#define BAILEY_SANDBOX_SECCOMP_H

#include <stddef.h>
#include <stdint.h>

#include <linux/filter.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "policy/policy.h"

enum seccomp_flags {
        SECCOMP_NO_UNIX = 1 << 0, /* AF_UNIX is refused altogether, by socket() and socketpair(): EACCES */
        SECCOMP_NO_INET = 1 << 1, /* AF_INET and AF_INET6 of any type are: EACCES; for backends without a network namespace */
        SECCOMP_OWN_LIMITS = 1 << 2, /* prlimit64 on another process is EPERM */
        SECCOMP_NO_IPC =
                1 << 3, /* System V IPC and POSIX message queues are EPERM; for backends without a namespace for them */
        SECCOMP_UNIX_CONNECTED = 1 << 4, /* of AF_UNIX, only types that have to be connected, streams and SOCK_SEQPACKET; others
                                            are EPROTONOSUPPORT, as each of their messages may have an address */
        SECCOMP_NO_SETUID =
                1 << 5, /* modes with the set-user-id bit are EPERM; for root, whose files would be root's for all */
};

enum seccomp_arch {
        SECCOMP_X86_64,
        SECCOMP_AARCH64,
};

#if defined(__x86_64__) && !defined(__ILP32__)
#define SECCOMP_ARCH_HERE SECCOMP_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define SECCOMP_ARCH_HERE SECCOMP_AARCH64
#else
#define SECCOMP_ARCH_HERE ((enum seccomp_arch)2) /* seccomp_compile() says that there is no table for it */
#endif

/* A longer program would cost too much to load, and its jumps (8 bits) might not reach. */
enum { SECCOMP_MAX_COUNT = 256 };

/* The program lives in the arena. */
int seccomp_compile(enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch, struct arena *arena,
                    const struct sock_filter **ret_code, size_t *ret_count, struct err *err);

/* A program that reports these calls (names of the table) to a listener, and allows all others. */
int seccomp_compile_reports(const char *const *names, enum seccomp_arch arch, struct arena *arena,
                            const struct sock_filter **ret_code, size_t *ret_count, struct err *err);

/* The number of a call of the table; -1: the architecture has none. */
int seccomp_number(const char *name, enum seccomp_arch arch);

/* The program as text, an instruction per line. */
void seccomp_print(const struct sock_filter *code, size_t count, struct buf *out);

#endif
