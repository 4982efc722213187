/*
 * What the suites of seccomp programs share.
 */
#ifndef BAILEY_TESTS_SANDBOX_SECCOMP_TEST_H
#define BAILEY_TESTS_SANDBOX_SECCOMP_TEST_H

#include "sandbox/seccomp.h"
#include "sandbox/syscalls.h"
#include "tests/test.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ARCHES 2                 /* numbers of enum seccomp_arch */
#define HIGH ((uint64_t)1 << 32) /* what the kernel cuts off, and a filter must not look at */

static const enum syscall_policy policies[] = { SYSCALLS_INHERIT, SYSCALLS_STRICT };

struct program {
        struct arena arena;
        const struct sock_filter *code;
        size_t count;
};

static inline void compile(enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch, struct program *ret) {
        struct err err = { 0 };

        arena_init(&ret->arena, 0);
        if (seccomp_compile(policy, flags, arch, &ret->arena, &ret->code, &ret->count, &err))
                fail_msg("%s", err.msg);
}

static inline const struct syscall_row *find_row(enum seccomp_arch arch, uint32_t number) {
        for (size_t i = 0; arch < ARCHES && i < syscall_count; i++)
                if (syscall_table[i].number[arch] >= 0 && (uint32_t)syscall_table[i].number[arch] == number)
                        return &syscall_table[i];
        return NULL;
}

#endif
