/*
 * The table of system calls held against the kernel's header and libseccomp; the programs run by a small interpreter over every
 * number, and loaded into processes that try what is refused.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/seccomp.h"
#include "sandbox/syscalls.h"
#include "tests/test.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define HIGH ((uint64_t)1 << 32) /* what the kernel cuts off, and a filter must not look at */

static const uint32_t arch_audit[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };
static const uint32_t arch_libseccomp[] = { SCMP_ARCH_X86_64, SCMP_ARCH_AARCH64 };
static const enum syscall_policy policies[] = { SYSCALLS_INHERIT, SYSCALLS_STRICT };
#define ARCHES 2 /* numbers of enum seccomp_arch */
#define FLAGS 4  /* combinations of enum seccomp_flags */

struct program {
        struct arena arena;
        const struct sock_filter *code;
        size_t count;
};

static void compile(enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch, struct program *ret) {
        struct err err = { 0 };

        arena_init(&ret->arena, 0);
        if (seccomp_compile(policy, flags, arch, &ret->arena, &ret->code, &ret->count, &err))
                fail_msg("%s", err.msg);
}

/* ---- the table ---- */

static void test_table_is_sorted_and_unique(void **state) {
        bool taken[ARCHES][SYSCALL_NUMBER_LIMIT] = { 0 };

        (void)state;
        for (size_t i = 0; i < syscall_count; i++) {
                const struct syscall_row *row = &syscall_table[i];

                if (i)
                        assert_true(strcmp(syscall_table[i - 1].name, row->name) < 0);
                assert_true(row->number[0] >= 0 || row->number[1] >= 0);
                for (size_t arch = 0; arch < ARCHES; arch++) {
                        if (row->number[arch] < 0)
                                continue;
                        assert_true(row->number[arch] < SYSCALL_NUMBER_LIMIT);
                        assert_false(taken[arch][row->number[arch]]);
                        taken[arch][row->number[arch]] = true;
                }
        }
}

static const struct syscall_row *find_row(enum seccomp_arch arch, uint32_t number) {
        for (size_t i = 0; arch < ARCHES && i < syscall_count; i++)
                if (syscall_table[i].number[arch] >= 0 && (uint32_t)syscall_table[i].number[arch] == number)
                        return &syscall_table[i];
        return NULL;
}

/* A name that the header does not know stays a name. */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
#define SYSCALL(name, x86_64, aarch64, group, action) TEXT_OF(__NR_##name),
static const char *const host_numbers[] = {
#include "sandbox/syscalls.def"
};

static void test_numbers_are_those_of_the_host(void **state) {
        size_t known = 0;

        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        assert_int_equal(COUNT(host_numbers), syscall_count);
        for (size_t i = 0; i < syscall_count; i++) {
                if (!isdigit((unsigned char)*host_numbers[i]))
                        continue;
                known++;
                if (find_row(SECCOMP_ARCH_HERE, (uint32_t)strtoul(host_numbers[i], NULL, 10)) != &syscall_table[i])
                        fail_msg("%s is %s", syscall_table[i].name, host_numbers[i]);
        }
        assert_true(known > 280);
}

static void test_numbers_are_those_of_libseccomp(void **state) {
        (void)state;
        for (size_t i = 0; i < syscall_count; i++)
                for (size_t arch = 0; arch < ARCHES; arch++) {
                        int number = syscall_table[i].number[arch];
                        int theirs = seccomp_syscall_resolve_name_arch(arch_libseccomp[arch], syscall_table[i].name);

                        if (theirs == __NR_SCMP_ERROR) /* younger than that library */
                                continue;
                        if (theirs != number && (theirs >= 0 || number >= 0)) /* theirs is < -1 for "not on this one" */
                                fail_msg("%s on %zu is %d", syscall_table[i].name, arch, theirs);
                }
}

/* Up to what the table was written for; later ones are "unknown" on purpose. */
static void test_table_is_complete(void **state) {
        (void)state;
        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++)
                for (int number = 0; number < 470; number++) {
                        char *name = seccomp_syscall_resolve_num_arch(arch_libseccomp[arch], number);

                        if (name && !find_row(arch, (uint32_t)number))
                                fail_msg("%s is missing", name);
                        free(name);
                }
}

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
        static const size_t longest[COUNT(policies)][ARCHES] = { { 64, 71 }, { 81, 84 } };

        (void)state;
        for (size_t p = 0; p < COUNT(policies); p++)
                for (uint32_t flags = 0; flags < FLAGS; flags++)
                        for (enum seccomp_arch arch = 0; arch < ARCHES; arch++) {
                                struct program program;

                                compile(policies[p], flags, arch, &program);
                                check_shape(&program);
                                assert_in_range(program.count, 1, longest[p][arch]);
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
        assert_int_equal(seccomp_compile(SYSCALLS_INHERIT, 1 << 2, SECCOMP_X86_64, &arena, &code, &count, &err), -1);
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
                return flags & SECCOMP_NO_UNIX ? SECCOMP_RET_ERRNO | EACCES : SECCOMP_RET_ALLOW;
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
        case SYSCALL_NAMESPACES:
                return data->args[0] & 0x7e020080 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
        case SYSCALL_SOCKET:
                return expect_socket(flags, (int)data->args[0], (int)data->args[1], (int)data->args[2]);
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
        return expect_action(row->inherit, flags, data);
}

/* Families and clone flags; socket types and ioctl requests; protocols. */
/* clang-format off */
static const uint64_t first_arguments[] = {
        AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_CAN, AF_TIPC, AF_XDP,
        CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* NEWTIME */,
        SIGCHLD, CLONE_VM, CLONE_FILES | CLONE_FS, 0x3d0f00 /* a thread */, UINT32_MAX, 0x80000001,
};
static const uint64_t second_arguments[] = {
        0, SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_PACKET, SOCK_RAW | SOCK_CLOEXEC, SOCK_STREAM | SOCK_NONBLOCK,
        0x5401, 0x5411, 0x5412, 0x5413, 0x541b, 0x541c, 0x541d, 0x541e, 0x5422, 0x5423, 0x5424,
};
/* clang-format on */
static const uint64_t third_arguments[] = { 0, 4, 16, 0x80000000 };

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
                                for (uint64_t high = 0; high <= HIGH; high += HIGH) {
                                        data->args[0] = first_arguments[i] | high;
                                        data->args[1] = second_arguments[j] | high;
                                        data->args[2] = third_arguments[k] | high;
                                        check_answer(program, row, policy, flags, data);
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

static void check_golden(enum syscall_policy policy, enum seccomp_arch arch, const char *path) {
        static char wanted[16384];
        struct program program;
        BUF_AUTO text;
        FILE *file = fopen(path, "r");
        size_t len;

        assert_non_null(file);
        len = fread(wanted, 1, sizeof(wanted), file);
        fclose(file);
        compile(policy, 0, arch, &program);
        buf_init(&text, sizeof(wanted));
        seccomp_print(program.code, program.count, &text);
        assert_false(text.failed);
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

/* ---- loaded ---- */

enum { NOT_LOADED = 200 };

/* In a child; no core is left of those that die. Allocates nothing. */
static void load(const struct program *program) {
        struct sock_fprog loaded = { (unsigned short)program->count, (struct sock_filter *)program->code };
        struct rlimit no_core = { 0, 0 };

        if (setrlimit(RLIMIT_CORE, &no_core) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
            syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &loaded))
                _exit(NOT_LOADED);
}

/* Its errno, 0, or minus the signal that killed it. */
static int wait_for(pid_t pid) {
        int status;

        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

struct attempt {
        const char *name;
        enum syscall_policy policy;
        uint32_t flags;
        long number;
        uint64_t argument[3];
        int result; /* errno, 0, or minus a signal */
};

#define INHERIT SYSCALLS_INHERIT, 0
#define STRICT SYSCALLS_STRICT, 0
#define NO_UNIX SYSCALLS_INHERIT, SECCOMP_NO_UNIX
#define NO_INET SYSCALLS_INHERIT, SECCOMP_NO_INET
#define TIOCSTI_REQUEST 0x5412

/* clang-format off */
static const struct attempt attempts[] = {
        { "getppid",                INHERIT, SYS_getppid,          { 0 },                                   0 },
        { "mount",                  INHERIT, SYS_mount,            { 0 },                                   EPERM },
        { "open_tree",              INHERIT, SYS_open_tree,        { 0 },                                   ENOSYS },
        { "chroot",                 INHERIT, SYS_chroot,           { 0 },                                   EPERM },
        { "bpf",                    INHERIT, SYS_bpf,              { 0 },                                   EPERM },
        { "keyctl",                 INHERIT, SYS_keyctl,           { 0 },                                   EPERM },
        { "userfaultfd",            INHERIT, SYS_userfaultfd,      { 0 },                                   EPERM },
        { "setns",                  INHERIT, SYS_setns,            { UINT64_MAX },                          EPERM },
        { "unshare user",           INHERIT, SYS_unshare,          { CLONE_NEWUSER },                       EPERM },
        { "unshare user, high",     INHERIT, SYS_unshare,          { HIGH | CLONE_NEWUSER },                EPERM },
        { "unshare files",          INHERIT, SYS_unshare,          { CLONE_FILES },                         0 },
        { "clone user",             INHERIT, SYS_clone,            { CLONE_NEWUSER | SIGCHLD },             EPERM },
        { "clone user, high",       INHERIT, SYS_clone,            { HIGH | CLONE_NEWUSER | SIGCHLD },      EPERM },
        { "clone3",                 INHERIT, SYS_clone3,           { 0 },                                   ENOSYS },
        { "io_uring_setup",         INHERIT, SYS_io_uring_setup,   { 1 },                                   ENOSYS },
        { "a new call",             INHERIT, 480,                  { 0 },                                   ENOSYS },
        { "no call",                INHERIT, -1,                   { 0 },                                   ENOSYS },
        { "TIOCSTI",                INHERIT, SYS_ioctl,            { 0, TIOCSTI_REQUEST },                  EPERM },
        { "TIOCSTI, high",          INHERIT, SYS_ioctl,            { 0, HIGH | TIOCSTI_REQUEST },           EPERM },
        { "packets",                INHERIT, SYS_socket,           { AF_PACKET, SOCK_DGRAM },               EAFNOSUPPORT },
        { "packets, high",          INHERIT, SYS_socket,           { HIGH | AF_PACKET, SOCK_DGRAM },        EAFNOSUPPORT },
        { "vsock",                  INHERIT, SYS_socket,           { AF_VSOCK, SOCK_STREAM },               EAFNOSUPPORT },
        { "raw",                    INHERIT, SYS_socket,           { AF_INET, SOCK_RAW, 1 },                EPERM },
        { "raw, high",              INHERIT, SYS_socket,           { AF_INET, HIGH | SOCK_RAW, 1 },         EPERM },
        { "stream",                 INHERIT, SYS_socket,           { AF_INET, SOCK_STREAM | SOCK_CLOEXEC }, 0 },
        { "unix",                   INHERIT, SYS_socket,           { AF_UNIX, SOCK_STREAM },                0 },
        { "unix, high",             INHERIT, SYS_socket,           { HIGH | AF_UNIX, SOCK_STREAM },         0 },
        { "routes",                 INHERIT, SYS_socket,           { AF_NETLINK, SOCK_RAW, 0 },             0 },
        { "generic netlink",        INHERIT, SYS_socket,           { AF_NETLINK, SOCK_RAW, 16 },            EAFNOSUPPORT },
        { "no unix",                NO_UNIX, SYS_socket,           { AF_UNIX, SOCK_STREAM },                EACCES },
        { "no unix, high",          NO_UNIX, SYS_socket,           { HIGH | AF_UNIX, SOCK_STREAM },         EACCES },
        { "no unix pair",           NO_UNIX, SYS_socketpair,       { AF_UNIX, SOCK_STREAM },                EACCES },
        { "no unix, inet",          NO_UNIX, SYS_socket,           { AF_INET, SOCK_STREAM },                0 },
        { "no inet",                NO_INET, SYS_socket,           { AF_INET, SOCK_DGRAM },                 EACCES },
        { "no inet, high",          NO_INET, SYS_socket,           { HIGH | AF_INET, SOCK_STREAM },         EACCES },
        { "no inet6",               NO_INET, SYS_socket,           { AF_INET6, SOCK_RAW },                  EACCES },
        { "no inet, unix",          NO_INET, SYS_socket,           { AF_UNIX, SOCK_STREAM },                0 },
        { "strict getppid",         STRICT,  SYS_getppid,          { 0 },                                   0 },
        { "strict clone3",          STRICT,  SYS_clone3,           { 0 },                                   ENOSYS },
        { "strict io_uring_setup",  STRICT,  SYS_io_uring_setup,   { 1 },                                   ENOSYS },
        { "strict unshare",         STRICT,  SYS_unshare,          { CLONE_NEWUSER },                       EPERM },
        { "strict TIOCSTI",         STRICT,  SYS_ioctl,            { 0, HIGH | TIOCSTI_REQUEST },           EPERM },
        { "strict packets",         STRICT,  SYS_socket,           { AF_PACKET, SOCK_DGRAM },               EAFNOSUPPORT },
        { "strict mount",           STRICT,  SYS_mount,            { 0 },                                   -SIGSYS },
        { "strict ptrace",          STRICT,  SYS_ptrace,           { 0 },                                   -SIGSYS },
        { "strict new call",        STRICT,  480,                  { 0 },                                   -SIGSYS },
#ifdef __x86_64__
        { "x32",                    INHERIT, 0x40000000 | SYS_getppid, { 0 },                               -SIGSYS },
        { "strict x32",             STRICT,  0x40000000 | SYS_getppid, { 0 },                               -SIGSYS },
#endif
};
/* clang-format on */

static int attempt(const struct attempt *attempt) {
        const uint64_t *argument = attempt->argument;
        struct program program;
        pid_t pid;
        int result;

        compile(attempt->policy, attempt->flags, SECCOMP_ARCH_HERE, &program);
        pid = fork();
        if (pid == 0) {
                load(&program);
                _exit(syscall(attempt->number, argument[0], argument[1], argument[2], 0, 0, 0) == -1 ? errno : 0);
        }
        result = wait_for(pid);
        arena_free(&program.arena);
        return result;
}

static void test_attempts(void **state) {
        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        for (size_t i = 0; i < COUNT(attempts); i++) {
                int result = attempt(&attempts[i]);

                if (result != attempts[i].result)
                        fail_msg("%s: %d, not %d", attempts[i].name, result, attempts[i].result);
        }
}

#ifdef __x86_64__
static int call_as_i386(const struct program *program) {
        pid_t pid = fork();

        if (pid == 0) {
                long result = 64; /* getppid */

                if (program)
                        load(program);
                __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
                _exit(0);
        }
        return wait_for(pid);
}

static void test_i386_entry(void **state) {
        (void)state;
        if (call_as_i386(NULL) != 0) /* then there is nothing to close */
                return;
        for (size_t p = 0; p < COUNT(policies); p++) {
                struct program program;

                compile(policies[p], 0, SECCOMP_X86_64, &program);
                assert_int_equal(call_as_i386(&program), -SIGSYS);
                arena_free(&program.arena);
        }
}
#endif

/* Everyday tools, those that are installed; a tool killed by the filter ends the script. $0 is the policy. A call that strace
 * skips has the number -1. */
static const char script[] =
        "set -e -o pipefail; dir=$(mktemp -d); trap 'rm -rf \"$dir\"' EXIT; cd \"$dir\"\n"
        "have() { command -v \"$1\" >/dev/null; }\n"
        "printf 'int main(void) { return 0; }\\n' >a.c; printf 'a: a.c\\n\\tgcc -pipe -o a a.c\\n' >Makefile\n"
        "ls -laR . | sort >list; cp -a list copy; mkfifo fifo; tar cf a.tar list; find . -type f | xargs wc >count\n"
        "sleep 0 & wait; (echo a | tee b; df .; stat b; id; date; timeout 5 true; nice true) >out\n"
        "if have gcc && have make; then make -s -j2; ./a; fi\n"
        "if have git; then git init -q .; git add a.c\n"
        "  git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm a; git status >out; git gc -q; fi\n"
        "if have python3; then python3 -c 'import subprocess, threading, socket, multiprocessing as m, asyncio\n"
        "t = threading.Thread(target=print); t.start(); t.join(); subprocess.run([\"true\"], check=True)\n"
        "s = socket.create_server((\"127.0.0.1\", 0)); q = m.Queue(); asyncio.run(asyncio.sleep(0))' >out; fi\n"
        "if have node; then node -e '\n"
        "  require(\"fs\").writeFileSync(\"n\", \"1\"); require(\"child_process\").execSync(\"true\");\n"
        "  fetch(\"http://127.0.0.1:1/\").catch(() => {})'; fi\n"
        "if [ $0 = inherit ] && have strace && strace -o out true; then strace -o out -e inject=sync:retval=0 sync; fi\n";

static void test_everyday_tools(void **state) {
        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        for (size_t p = 0; p < COUNT(policies); p++) {
                struct program program;
                pid_t pid;

                compile(policies[p], 0, SECCOMP_ARCH_HERE, &program);
                pid = fork();
                if (pid == 0) {
                        load(&program);
                        execlp("bash", "bash", "-c", script, policies[p] == SYSCALLS_STRICT ? "strict" : "inherit", NULL);
                        _exit(NOT_LOADED);
                }
                assert_int_equal(wait_for(pid), 0);
                arena_free(&program.arena);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_table_is_sorted_and_unique),
                cmocka_unit_test(test_numbers_are_those_of_the_host),
                cmocka_unit_test(test_numbers_are_those_of_libseccomp),
                cmocka_unit_test(test_table_is_complete),
                cmocka_unit_test(test_shape),
                cmocka_unit_test(test_bad_requests),
                cmocka_unit_test(test_every_number),
                cmocka_unit_test(test_other_architectures),
                cmocka_unit_test(test_text),
                cmocka_unit_test(test_attempts),
#ifdef __x86_64__
                cmocka_unit_test(test_i386_entry),
#endif
                cmocka_unit_test(test_everyday_tools),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
