/*
 * The programs, run by a small interpreter over every number and compared with what the table says.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/sandbox/seccomp_test.h"

static const uint32_t arch_audit[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };
#define FLAGS 64 /* combinations of enum seccomp_flags */

/* ---- the shape of programs ---- */

static bool is_jump(const struct sock_filter *code) {
        return BPF_CLASS(code->code) == BPF_JMP;
}

/* Jumps have no sign, so they go forward; all stay inside, everything is reached, and no path runs off the end. */
static void check_shape(const struct program *program) {
        bool reached[SECCOMP_MAX_COUNT] = { true };

        assert_in_range(program->count, 1, SECCOMP_MAX_COUNT);
        for (size_t i = 0; i < program->count; i++) {
                const struct sock_filter *code = &program->code[i];

                assert_true(reached[i]);
                if (BPF_CLASS(code->code) == BPF_RET)
                        continue;
                assert_true(i + 1 + code->jt < program->count && i + 1 + code->jf < program->count);
                assert_true(is_jump(code) || (code->jt == 0 && code->jf == 0));
                reached[i + 1 + code->jt] = reached[i + 1 + code->jf] = true;
        }
}

static void test_shape(void **state) {
        static const size_t longest[COUNT(policies)][ARCHES] = { { 91, 98 }, { 107, 111 } };

        (void)state;
        for (size_t p = 0; p < COUNT(policies); p++)
                for (uint32_t flags = 0; flags < FLAGS; flags++)
                        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++) {
                                struct program program;

                                compile(policies[p], flags, arch, &program);
                                check_shape(&program);
                                assert_in_range(program.count, 1,
                                                longest[p][arch] + (flags & SECCOMP_OWN_LIMITS ? 4 : 0) +
                                                        (flags & SECCOMP_NO_IPC ? 12 : 0) +
                                                        (flags & SECCOMP_UNIX_CONNECTED ? 5 : 0) +
                                                        (flags & SECCOMP_NO_SETUID ? 16 : 0));
                                arena_free(&program.arena);
                        }
}

static void test_bad_requests(void **state) {
        const struct sock_filter *code = NULL;
        size_t count = 0;
        ARENA_AUTO arena;
        struct err err = { 0 };

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(seccomp_compile(SYSCALLS_INHERIT, 0, (enum seccomp_arch)2, &arena, &code, &count, &err), -1);
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_int_equal(seccomp_compile(SYSCALLS_INHERIT, 1 << 6, SECCOMP_X86_64, &arena, &code, &count, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        arena_free(&arena);
        arena_init(&arena, 64);
        assert_int_equal(seccomp_compile(SYSCALLS_INHERIT, 0, SECCOMP_X86_64, &arena, &code, &count, &err), -1);
        assert_int_equal(err.code, ERR_MEMORY);
        assert_null(code);
}

/* ---- what programs answer ---- */

static bool jumps(const struct sock_filter *code, uint32_t a) {
        switch (BPF_OP(code->code)) {
        case BPF_JEQ:
                return a == code->k;
        case BPF_JGE:
                return a >= code->k;
        case BPF_JGT:
                return a > code->k;
        case BPF_JSET:
                return a & code->k;
        default:
                fail_msg("a jump unheard of: 0x%x", code->code);
                return false;
        }
}

/* Nothing but loads of words, AND, jumps and returns: with others the kernel could not know which calls are always allowed, and
 * would run the program on every read() (seccomp_is_const_allow() of Linux 5.11). */
static uint32_t interpret(const struct program *program, const struct seccomp_data *data) {
        uint32_t a = 0;

        for (const struct sock_filter *code = program->code;; code++) {
                assert_true(code < program->code + program->count);
                if (code->code == (BPF_RET | BPF_K)) {
                        return code->k;
                } else if (code->code == (BPF_LD | BPF_W | BPF_ABS)) {
                        assert_true(code->k % 4 == 0 && code->k < sizeof(*data));
                        memcpy(&a, (const char *)data + code->k, sizeof(a));
                } else if (code->code == (BPF_ALU | BPF_AND | BPF_K)) {
                        a &= code->k;
                } else {
                        assert_true(is_jump(code) && BPF_SRC(code->code) == BPF_K);
                        code += jumps(code, a) ? code->jt : code->jf;
                }
        }
}

static uint32_t expect_socket(uint32_t flags, int family, int type, int protocol) {
        switch (family) {
        case AF_UNIX:
                if (flags & SECCOMP_NO_UNIX)
                        return SECCOMP_RET_ERRNO | EACCES;
                type &= 0xf;
                if (flags & SECCOMP_UNIX_CONNECTED && type != SOCK_STREAM && type != SOCK_SEQPACKET)
                        return SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
                return SECCOMP_RET_ALLOW;
        case AF_INET:
        case AF_INET6:
                if (flags & SECCOMP_NO_INET)
                        return SECCOMP_RET_ERRNO | EACCES;
                type &= 0xf; /* the rest are flags; there is no type 0, so whether it passes is all the same */
                return type <= SOCK_DGRAM ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
        case AF_NETLINK:
                return protocol == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EAFNOSUPPORT;
        default:
                return SECCOMP_RET_ERRNO | EAFNOSUPPORT;
        }
}

static uint32_t expect_action(enum syscall_action action, uint32_t flags, const struct seccomp_data *data) {
        static const uint32_t requests[] = { 0x5412, 0x541c, 0x541d, 0x5423 };
        static const uint32_t leases[] = { 1024, 1026, 1040 };

        switch (action) {
        case SYSCALL_ALLOW:
                return SECCOMP_RET_ALLOW;
        case SYSCALL_REFUSE:
                return SECCOMP_RET_ERRNO | EPERM;
        case SYSCALL_ABSENT:
                return SECCOMP_RET_ERRNO | ENOSYS;
        case SYSCALL_IOCTL:
                for (size_t i = 0; i < COUNT(requests); i++)
                        if ((uint32_t)data->args[1] == requests[i])
                                return SECCOMP_RET_ERRNO | EPERM;
                return SECCOMP_RET_ALLOW;
        case SYSCALL_FCNTL:
                for (size_t i = 0; i < COUNT(leases); i++)
                        if ((uint32_t)data->args[1] == leases[i])
                                return SECCOMP_RET_ERRNO | EPERM;
                return (uint32_t)data->args[1] == 1031 && (uint32_t)data->args[2] > 65536 ? SECCOMP_RET_ERRNO | EPERM
                                                                                          : SECCOMP_RET_ALLOW;
        case SYSCALL_NAMESPACES:
                return data->args[0] & 0x7e020080 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
        case SYSCALL_SOCKET:
                return expect_socket(flags, (int)data->args[0], (int)data->args[1], (int)data->args[2]);
        case SYSCALL_LIMITS:
                if (flags & SECCOMP_OWN_LIMITS && (uint32_t)data->args[0])
                        return SECCOMP_RET_ERRNO | EPERM;
                if ((uint32_t)data->args[1] != 4 || !data->args[2])
                        return SECCOMP_RET_ALLOW;
                return data->args[3] ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ERRNO | 0;
        case SYSCALL_SETRLIMIT:
                return (uint32_t)data->args[0] == 4 ? SECCOMP_RET_ERRNO | 0 : SECCOMP_RET_ALLOW;
        case SYSCALL_MODE:
        case SYSCALL_MODE_AT:
                return flags & SECCOMP_NO_SETUID && data->args[action == SYSCALL_MODE ? 1 : 2] & 04000
                               ? SECCOMP_RET_ERRNO | EPERM
                               : SECCOMP_RET_ALLOW;
        default:
                return SECCOMP_RET_KILL_PROCESS;
        }
}

static uint32_t expect(const struct syscall_row *row, enum syscall_policy policy, uint32_t flags,
                       const struct seccomp_data *data) {
        uint32_t number = (uint32_t)data->nr;
        uint32_t unknown = policy == SYSCALLS_STRICT ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | ENOSYS;

        if (data->arch == AUDIT_ARCH_X86_64 && number >= 0x40000000 && number != UINT32_MAX)
                return SECCOMP_RET_KILL_PROCESS;
        if (!row)
                return unknown;
        if (policy == SYSCALLS_STRICT && row->group == GROUP_NONE)
                return SECCOMP_RET_KILL_PROCESS;
        if (row->group == GROUP_IPC && flags & SECCOMP_NO_IPC)
                return SECCOMP_RET_ERRNO | EPERM;
        return expect_action(row->inherit, flags, data);
}

/* Families, clone flags and process numbers; socket types and ioctl requests; protocols. */
/* clang-format off */
static const uint64_t first_arguments[] = {
        AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_CAN, AF_TIPC, AF_XDP,
        CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* NEWTIME */,
        3, 4 /* RLIMIT_CORE */, 5, SIGCHLD, CLONE_VM, CLONE_FILES | CLONE_FS, 0x3d0f00 /* a thread */, UINT32_MAX, 0x80000001,
};
static const uint64_t second_arguments[] = {
        0, SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_PACKET, SOCK_RAW | SOCK_CLOEXEC, SOCK_STREAM | SOCK_NONBLOCK,
        0x5401, 0x5411, 0x5412, 0x5413, 0x541b, 0x541c, 0x541d, 0x541e, 0x5422, 0x5423, 0x5424,
        1, 3, 4, 5, 1023, 1024, 1025, 1026, 1027, 1030, 1031, 1039, 1040, 1041, 0755, 04755, 02755, 06711,
};
/* clang-format on */
static const uint64_t third_arguments[] = { 0, 4, 16, 04700, 02755, 65536, 65537, 0x80000000 };
static const uint64_t fourth_arguments[] = { 0, 1, HIGH };

static void check_answer(const struct program *program, const struct syscall_row *row, enum syscall_policy policy,
                         uint32_t flags, const struct seccomp_data *data) {
        uint32_t wanted = expect(row, policy, flags, data), got = interpret(program, data);

        if (got != wanted)
                fail_msg("number 0x%x (0x%llx, 0x%llx, 0x%llx), policy %d, flags %u, arch 0x%x: 0x%x, not 0x%x",
                         (unsigned)data->nr, (unsigned long long)data->args[0], (unsigned long long)data->args[1],
                         (unsigned long long)data->args[2], policy, flags, data->arch, got, wanted);
}

static void check_arguments(const struct program *program, const struct syscall_row *row, enum syscall_policy policy,
                            uint32_t flags, struct seccomp_data *data) {
        for (size_t i = 0; i < COUNT(first_arguments); i++)
                for (size_t j = 0; j < COUNT(second_arguments); j++)
                        for (size_t k = 0; k < COUNT(third_arguments); k++)
                                for (size_t l = 0; l < 2 * COUNT(fourth_arguments); l++) {
                                        uint64_t high = l % 2 ? HIGH : 0;

                                        data->args[0] = first_arguments[i] | high;
                                        data->args[1] = second_arguments[j] | high;
                                        data->args[2] = third_arguments[k] | high;
                                        data->args[3] = fourth_arguments[l / 2];
                                        check_answer(program, row, policy, flags, data);
                                }
}

/* Reports what it is told to, and nothing else. */
static void test_reports(void **state) {
        static const char *const names[] = { "connect", "rename", NULL }, *const unknown[] = { "conect", NULL };
        static const int reported[ARCHES][2] = { { 42, 82 }, { 203, -1 } };

        (void)state;
        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++) {
                struct program program;
                struct err err = {};

                arena_init(&program.arena, 0);
                assert_int_equal(seccomp_compile_reports(names, arch, &program.arena, &program.code, &program.count, &err), 0);
                check_shape(&program);
                for (int number = 0; number < SYSCALL_NUMBER_LIMIT; number++) {
                        struct seccomp_data data = { .nr = number, .arch = arch_audit[arch] };
                        bool wanted = number == reported[arch][0] || number == reported[arch][1];

                        assert_int_equal(interpret(&program, &data), wanted ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
                }
                assert_int_equal(seccomp_compile_reports(unknown, arch, &program.arena, &program.code, &program.count, &err),
                                 -1);
                arena_free(&program.arena);
        }
}

static void check_numbers(enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch) {
        static const uint32_t far[] = { 0x3fffffff, 0x40000000, 0x40000001, 0x400001ff,
                                        0x7fffffff, 0x80000000, 0xfffffffe, UINT32_MAX };
        struct program program;

        compile(policy, flags, arch, &program);
        for (uint32_t i = 0; i < 600 + COUNT(far); i++) {
                uint32_t number = i < 600 ? i : far[i - 600];
                struct seccomp_data data = { .nr = (int)number, .arch = arch_audit[arch] };
                const struct syscall_row *row = find_row(arch, number);

                check_answer(&program, row, policy, flags, &data);
                memset(data.args, 0xff, sizeof(data.args));
                check_answer(&program, row, policy, flags, &data);
                if (row && row->inherit >= SYSCALL_ANSWERS)
                        check_arguments(&program, row, policy, flags, &data);
        }
        arena_free(&program.arena);
}

static void test_every_number(void **state) {
        (void)state;
        for (size_t p = 0; p < COUNT(policies); p++)
                for (uint32_t flags = 0; flags < FLAGS; flags++)
                        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++)
                                check_numbers(policies[p], flags, arch);
}

static void test_other_architectures(void **state) {
        static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0 };

        (void)state;
        for (size_t p = 0; p < COUNT(policies); p++)
                for (enum seccomp_arch arch = 0; arch < ARCHES; arch++) {
                        struct program program;

                        compile(policies[p], 0, arch, &program);
                        for (int number = 0; number < 600; number++)
                                for (size_t i = 0; i <= COUNT(others); i++) {
                                        struct seccomp_data data = { .nr = number };

                                        data.arch = i < COUNT(others) ? others[i] : arch_audit[!arch];
                                        assert_int_equal(interpret(&program, &data), SECCOMP_RET_KILL_PROCESS);
                                }
                        arena_free(&program.arena);
                }
}

/* ---- as text ---- */

/* BAILEY_UPDATE=1 writes them. */
static void check_golden(enum syscall_policy policy, enum seccomp_arch arch, const char *path) {
        static char wanted[16384];
        bool update = getenv("BAILEY_UPDATE");
        struct program program;
        BUF_AUTO text;
        FILE *file = fopen(path, update ? "w+" : "r");
        size_t len;

        assert_non_null(file);
        compile(policy, 0, arch, &program);
        buf_init(&text, sizeof(wanted));
        seccomp_print(program.code, program.count, &text);
        assert_false(text.failed);
        if (update) {
                fwrite(text.ptr, 1, text.len, file);
                rewind(file);
        }
        len = fread(wanted, 1, sizeof(wanted), file);
        fclose(file);
        if (text.len != len || memcmp(text.ptr, wanted, len) != 0)
                fail_msg("%s should be:\n%.*s", path, (int)text.len, text.ptr);
        arena_free(&program.arena);
}

static void test_text(void **state) {
        static const struct sock_filter odd[] = { { BPF_LD | BPF_IMM, 1, 2, 3 }, { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_LOG } };
        BUF_AUTO text;

        (void)state;
        check_golden(SYSCALLS_INHERIT, SECCOMP_X86_64, "tests/sandbox/inherit-x86_64.txt");
        check_golden(SYSCALLS_INHERIT, SECCOMP_AARCH64, "tests/sandbox/inherit-aarch64.txt");
        buf_init(&text, 1024);
        seccomp_print(odd, COUNT(odd), &text);
        assert_str_equal(buf_str(&text), STR("0: code 0x0 1 2 0x3\n1: return 0x7ffc0000\n"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_shape),
                cmocka_unit_test(test_reports),
                cmocka_unit_test(test_bad_requests),
                cmocka_unit_test(test_every_number),
                cmocka_unit_test(test_other_architectures),
                cmocka_unit_test(test_text),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
