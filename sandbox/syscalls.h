/*
 * Facts about each system call. The rows are in syscalls.def, so that a test can compare them with the kernel's header.
 */
#ifndef BAILEY_SANDBOX_SYSCALLS_H
#define BAILEY_SANDBOX_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/seccomp.h"

/* What a call is for. All groups but NONE are open under `strict`. */
enum syscall_group {
        GROUP_NONE,
        GROUP_IO,
        GROUP_FILES,
        GROUP_MEMORY,
        GROUP_PROCESS,
        GROUP_SIGNALS,
        GROUP_SYNC,
        GROUP_TIME,
        GROUP_SOCKETS,
        GROUP_IPC,
        GROUP_IDS,
        GROUP_PROBES, /* tried by runtimes that do without (io_uring), or put into a process from outside (uprobe) */
};

/* What the filter does: decide at once, or check the arguments. */
enum syscall_action {
        SYSCALL_ALLOW,
        SYSCALL_REFUSE, /* EPERM */
        SYSCALL_ABSENT, /* ENOSYS, which callers interpret as "an older kernel" */
        SYSCALL_KILL,
        SYSCALL_NO_FAMILY, /* EAFNOSUPPORT */
        SYSCALL_NO_ACCESS, /* EACCES */
        SYSCALL_NOTHING,   /* success, and nothing is done */
        SYSCALL_NO_TYPE,   /* EPROTONOSUPPORT */
        SYSCALL_ANSWERS,   /* how many of those there are */

        SYSCALL_IOCTL = SYSCALL_ANSWERS,
        SYSCALL_FCNTL,
        SYSCALL_NAMESPACES,
        SYSCALL_SOCKET,
        SYSCALL_LIMITS, /* prlimit64 */
        SYSCALL_SETRLIMIT,
        SYSCALL_MODE,    /* chmod, fchmod: the mode comes second */
        SYSCALL_MODE_AT, /* fchmodat, fchmodat2: third */
        SYSCALL_ACTIONS,
};

enum { SYSCALL_NUMBER_LIMIT = 512 }; /* every number in the table is below */

struct syscall_row {
        const char *name;
        int16_t number[2]; /* by enum seccomp_arch; -1: none */
        uint8_t group;     /* enum syscall_group */
        uint8_t inherit;   /* enum syscall_action */
};

extern const struct syscall_row syscall_table[];
extern const size_t syscall_count;

/* Returns what happens on a call of this row; any policy but `inherit` is strict. */
static inline enum syscall_action syscall_action(const struct syscall_row *row, enum syscall_policy policy) {
        return policy != SYSCALLS_INHERIT && row->group == GROUP_NONE ? SYSCALL_KILL : row->inherit;
}

/* Returns what happens on a number without a row. */
static inline enum syscall_action syscall_unknown(enum syscall_policy policy) {
        return policy == SYSCALLS_INHERIT ? SYSCALL_ABSENT : SYSCALL_KILL;
}

#endif
