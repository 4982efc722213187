/*
 * From the table to a program. All numbers are laid out as ranges with the same action; neighbouring ranges are gathered into
 * leaves (one action, and a few numbers that differ); a balanced tree of comparisons leads to the leaf. The kernel runs a new
 * program once for every number to learn which are always allowed (Linux 5.11; those never pass through it again), so a short
 * way through matters for loading, too.
 *
 * Instructions are written from the last to the first: a jump goes forward only, so its targets are always there already.
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "sandbox/syscalls.h"

enum {
        RANGES_MAX = SYSCALL_NUMBER_LIMIT + 3, /* each number one of its own, and what lies above */
        LEAF_MAX = 3,                          /* numbers that differ, compared one after the other */
};

#define X32_FIRST 0x40000000u
#define NOT_A_NUMBER UINT32_MAX /* a tracer writes -1 to skip a call, and the filter sees that */

#define NEW_NAMESPACES                                                                                                \
        (CLONE_NEWTIME | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
         CLONE_NEWNET)

#define SOCKET_TYPE_MASK 0xf /* above it are SOCK_CLOEXEC and SOCK_NONBLOCK */

/* In struct seccomp_data. Of an argument the low half, in little endian: the kernel takes ints from it, and truncates an
 * ioctl's request and clone's flags; who compared all 64 bits would be fooled by a high one. */
#define DATA_NUMBER offsetof(struct seccomp_data, nr)
#define DATA_ARCH offsetof(struct seccomp_data, arch)
#define DATA_ARGUMENT(i) (offsetof(struct seccomp_data, args) + (i) * sizeof(uint64_t))
#define DATA_HIGH(i) (DATA_ARGUMENT(i) + sizeof(uint32_t)) /* for pointers */

#define FCNTL_PIPE_SIZE 1031u /* F_SETPIPE_SZ */
#define PIPE_SIZE_MAX 65536u  /* what a new pipe has */

#define MODE_SETUID 04000u

#define LIMIT_CORE 4 /* RLIMIT_CORE, the same on both architectures */

static const uint32_t audit_arch[] = {
        [SECCOMP_X86_64] = AUDIT_ARCH_X86_64,
        [SECCOMP_AARCH64] = AUDIT_ARCH_AARCH64,
};
enum { ARCHES = sizeof(audit_arch) / sizeof(*audit_arch) };

static const uint32_t answers[SYSCALL_ANSWERS] = {
        [SYSCALL_ALLOW] = SECCOMP_RET_ALLOW,
        [SYSCALL_REFUSE] = SECCOMP_RET_ERRNO | EPERM,
        [SYSCALL_ABSENT] = SECCOMP_RET_ERRNO | ENOSYS,
        [SYSCALL_KILL] = SECCOMP_RET_KILL_PROCESS,
        [SYSCALL_NO_FAMILY] = SECCOMP_RET_ERRNO | EAFNOSUPPORT,
        [SYSCALL_NO_ACCESS] = SECCOMP_RET_ERRNO | EACCES,
        [SYSCALL_NOTHING] = SECCOMP_RET_ERRNO | 0,
        [SYSCALL_NO_TYPE] = SECCOMP_RET_ERRNO | EPROTONOSUPPORT,
};

/* The same on both architectures; not from a header, which speaks of the host's. */
static const uint32_t refused_ioctls[] = {
        0x5412, /* TIOCSTI: types into the terminal, which a shell outside then reads */
        0x541c, /* TIOCLINUX: the same by pasting, on a virtual console */
        0x541d, /* TIOCCONS: takes the console's output */
        0x5423, /* TIOCSETD: line disciplines, loaded as modules on demand */
};

/* What reaches others by a file that can only be read: who opens it waits for up to 45 s, or fails. */
static const uint32_t refused_fcntls[] = {
        1024, /* F_SETLEASE */
        1026, /* F_NOTIFY: signals for changes of a directory; nothing uses it since inotify */
        1040, /* F_SETDELEG: leases on directories, Linux 6.19 */
};

/* Numbers from `start` up to the next range's. */
struct range {
        uint32_t start;
        enum syscall_action action;
};

/* Ranges first to last; all numbers in them do `base`, but at most LEAF_MAX. */
struct leaf {
        size_t first, last;
        size_t cost; /* instructions for it and all that follow */
        enum syscall_action base;
};

struct compiler {
        struct range range[RANGES_MAX];
        struct leaf leaf[RANGES_MAX];
        size_t range_count, leaf_count;

        struct sock_filter code[SECCOMP_MAX_COUNT];
        size_t start; /* of what is written of `code`; a label is an index into it */
        bool full;
        size_t label[SYSCALL_ACTIONS]; /* where to go for an action */
};

/* ---- ranges and leaves ---- */

static void add_range(struct compiler *c, uint32_t start, enum syscall_action action) {
        if (c->range_count == 0 || c->range[c->range_count - 1].action != action)
                c->range[c->range_count++] = (struct range){ start, action };
}

static enum syscall_action action_of(const struct syscall_row *row, enum syscall_policy policy, uint32_t flags) {
        enum syscall_action action = syscall_action(row, policy);

        if (row->group == GROUP_IPC && flags & SECCOMP_NO_IPC)
                return SYSCALL_REFUSE;
        if ((action == SYSCALL_MODE || action == SYSCALL_MODE_AT) && !(flags & SECCOMP_NO_SETUID))
                return SYSCALL_ALLOW;
        return action;
}

static void find_ranges(struct compiler *c, enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch) {
        enum syscall_action unknown = syscall_unknown(policy);
        uint8_t action[SYSCALL_NUMBER_LIMIT];

        memset(action, (int)unknown, sizeof(action));
        for (size_t i = 0; i < syscall_count; i++)
                if (syscall_table[i].number[arch] >= 0)
                        action[syscall_table[i].number[arch]] = action_of(&syscall_table[i], policy, flags);
        for (uint32_t i = 0; i < SYSCALL_NUMBER_LIMIT; i++)
                add_range(c, i, action[i]);
        add_range(c, SYSCALL_NUMBER_LIMIT, unknown);
        if (arch == SECCOMP_X86_64) {
                add_range(c, X32_FIRST, SYSCALL_KILL);
                add_range(c, NOT_A_NUMBER, unknown);
        }
}

static size_t range_length(const struct compiler *c, size_t i) {
        return (size_t)(i + 1 < c->range_count ? c->range[i + 1].start : (uint64_t)UINT32_MAX + 1) - c->range[i].start;
}

/* Tries leaves of every length from `first` on with this base, and keeps the best in `best`. */
static void try_base(const struct compiler *c, size_t first, enum syscall_action base, struct leaf *best) {
        size_t different = 0;

        for (size_t last = first; last < c->range_count; last++) {
                size_t cost;

                if (c->range[last].action != base)
                        different += range_length(c, last);
                if (different > LEAF_MAX)
                        return;
                cost = different;
                if (last + 1 < c->range_count)
                        cost += 1 + c->leaf[last + 1].cost;
                if (cost < best->cost)
                        *best = (struct leaf){ first, last, cost, base };
        }
}

/* The cheapest way to cut the ranges into leaves: from the last range to the first, each time knowing what the rest costs.
 * Those chosen are then moved to the front. */
static void find_leaves(struct compiler *c) {
        for (size_t i = c->range_count; i-- > 0;) {
                struct leaf best = { .cost = SIZE_MAX };

                try_base(c, i, c->range[i].action, &best);
                if (i + 1 < c->range_count)
                        try_base(c, i, c->range[i + 1].action, &best);
                c->leaf[i] = best;
        }
        for (size_t i = 0; i < c->range_count; i = c->leaf[c->leaf_count++].last + 1)
                c->leaf[c->leaf_count] = c->leaf[i];
}

/* ---- instructions, last to first ---- */

/* Puts an instruction in front of what is there; returns its label. */
static size_t emit(struct compiler *c, unsigned int code, uint32_t k, size_t yes, size_t no) {
        size_t next = c->start;

        if (next == 0) {
                c->full = true;
                return 0;
        }
        c->code[--c->start] = (struct sock_filter){ (uint16_t)code, (uint8_t)(yes - next), (uint8_t)(no - next), k };
        return c->start;
}

static size_t emit_jump(struct compiler *c, unsigned int test, uint32_t k, size_t yes, size_t no) {
        return emit(c, BPF_JMP | test | BPF_K, k, yes, no);
}

/* What follows is the instruction that was written before. */
static size_t emit_load(struct compiler *c, size_t offset) {
        return emit(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, c->start, c->start);
}

/* Those that are not for every program, and with which flags. */
static const uint32_t answer_flags[SYSCALL_ANSWERS] = {
        [SYSCALL_NO_ACCESS] = SECCOMP_NO_UNIX | SECCOMP_NO_INET,
        [SYSCALL_NO_TYPE] = SECCOMP_UNIX_CONNECTED,
};

static void emit_answers(struct compiler *c, uint32_t flags) {
        for (size_t i = 0; i < SYSCALL_ANSWERS; i++)
                if (!answer_flags[i] || flags & answer_flags[i])
                        c->label[i] = emit(c, BPF_RET | BPF_K, answers[i], c->start, c->start);
}

/* For ioctl and fcntl, which take what they are to do second. */
static size_t emit_requests(struct compiler *c, const uint32_t *refused, size_t count, size_t next) {
        while (count-- > 0)
                next = emit_jump(c, BPF_JEQ, refused[count], c->label[SYSCALL_REFUSE], next);
        return emit_load(c, DATA_ARGUMENT(1));
}

/* Pages of pipes are counted for the user: with larger ones than usual, the few that are left would not do for others. */
static size_t emit_fcntl(struct compiler *c) {
        size_t size, rest = c->label[SYSCALL_ALLOW];

        emit_jump(c, BPF_JGT, PIPE_SIZE_MAX, c->label[SYSCALL_REFUSE], c->label[SYSCALL_ALLOW]);
        size = emit_load(c, DATA_ARGUMENT(2));
        rest = emit_jump(c, BPF_JEQ, FCNTL_PIPE_SIZE, size, rest);
        return emit_requests(c, refused_fcntls, sizeof(refused_fcntls) / sizeof(*refused_fcntls), rest);
}

/* For clone and unshare, whose flags come first. CLONE_NEWTIME is for unshare; in clone's flags that bit belongs to the signal
 * to send at the end, and no signal has it. */
static size_t emit_namespaces(struct compiler *c) {
        emit_jump(c, BPF_JSET, NEW_NAMESPACES, c->label[SYSCALL_REFUSE], c->label[SYSCALL_ALLOW]);
        return emit_load(c, DATA_ARGUMENT(0));
}

/* For a pointer. */
static size_t emit_is_null(struct compiler *c, size_t argument, size_t yes, size_t no) {
        size_t high;

        emit_jump(c, BPF_JEQ, 0, yes, no);
        high = emit_load(c, DATA_HIGH(argument));
        emit_jump(c, BPF_JEQ, 0, high, no);
        return emit_load(c, DATA_ARGUMENT(argument));
}

/* The limit of core dumps stays at 1 byte (plan_limits()). A script that wants none at all is told that it has that. */
static size_t emit_setrlimit(struct compiler *c) {
        emit_jump(c, BPF_JEQ, LIMIT_CORE, c->label[SYSCALL_NOTHING], c->label[SYSCALL_ALLOW]);
        return emit_load(c, DATA_ARGUMENT(0));
}

/* prlimit64(process, resource, new, old): the same, for which no old limit could be told. And where all processes of the user
 * can be named: with a limit of no open files, what is to kill a command could not find it. */
static size_t emit_limits(struct compiler *c, uint32_t flags) {
        size_t next = emit_is_null(c, 3, c->label[SYSCALL_NOTHING], c->label[SYSCALL_REFUSE]);

        next = emit_is_null(c, 2, c->label[SYSCALL_ALLOW], next);
        emit_jump(c, BPF_JEQ, LIMIT_CORE, next, c->label[SYSCALL_ALLOW]);
        next = emit_load(c, DATA_ARGUMENT(1));
        if (!(flags & SECCOMP_OWN_LIMITS))
                return next;
        emit_jump(c, BPF_JEQ, 0, next, c->label[SYSCALL_REFUSE]);
        return emit_load(c, DATA_ARGUMENT(0));
}

/* Type 0 passes: the kernel has no such socket. */
static size_t emit_inet(struct compiler *c) {
        emit_jump(c, BPF_JGT, SOCK_DGRAM, c->label[SYSCALL_REFUSE], c->label[SYSCALL_ALLOW]);
        emit(c, BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_MASK, c->start, c->start);
        return emit_load(c, DATA_ARGUMENT(1));
}

static size_t emit_unix(struct compiler *c) {
        size_t next = emit_jump(c, BPF_JEQ, SOCK_SEQPACKET, c->label[SYSCALL_ALLOW], c->label[SYSCALL_NO_TYPE]);

        emit_jump(c, BPF_JEQ, SOCK_STREAM, c->label[SYSCALL_ALLOW], next);
        emit(c, BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_MASK, c->start, c->start);
        return emit_load(c, DATA_ARGUMENT(1));
}

/* For socket and socketpair, which take the same arguments. AF_UNSPEC is not here: the kernel, too, says EAFNOSUPPORT. */
static size_t emit_socket(struct compiler *c, uint32_t flags) {
        size_t unix_label = flags & SECCOMP_NO_UNIX          ? c->label[SYSCALL_NO_ACCESS]
                            : flags & SECCOMP_UNIX_CONNECTED ? emit_unix(c)
                                                             : c->label[SYSCALL_ALLOW];
        size_t inet_label = flags & SECCOMP_NO_INET ? c->label[SYSCALL_NO_ACCESS] : emit_inet(c);
        size_t netlink_label, next;

        emit_jump(c, BPF_JEQ, NETLINK_ROUTE, c->label[SYSCALL_ALLOW], c->label[SYSCALL_NO_FAMILY]);
        netlink_label = emit_load(c, DATA_ARGUMENT(2));

        next = emit_jump(c, BPF_JEQ, AF_NETLINK, netlink_label, c->label[SYSCALL_NO_FAMILY]);
        next = emit_jump(c, BPF_JEQ, AF_INET6, inet_label, next);
        next = emit_jump(c, BPF_JEQ, AF_INET, inet_label, next);
        emit_jump(c, BPF_JEQ, AF_UNIX, unix_label, next);
        return emit_load(c, DATA_ARGUMENT(0));
}

/* A file with this bit runs as its owner, for everybody on the host. */
static size_t emit_mode(struct compiler *c, size_t argument) {
        emit_jump(c, BPF_JSET, MODE_SETUID, c->label[SYSCALL_REFUSE], c->label[SYSCALL_ALLOW]);
        return emit_load(c, DATA_ARGUMENT(argument));
}

static size_t emit_leaf(struct compiler *c, const struct leaf *leaf) {
        size_t next = c->label[leaf->base];

        for (size_t i = leaf->last + 1; i-- > leaf->first;)
                for (size_t n = c->range[i].action != leaf->base ? range_length(c, i) : 0; n-- > 0;)
                        next = emit_jump(c, BPF_JEQ, c->range[i].start + (uint32_t)n, c->label[c->range[i].action], next);
        return next;
}

/* As deep as the logarithm of the number of leaves. */
static size_t emit_tree(struct compiler *c, size_t first, size_t last) {
        size_t middle = (first + last + 1) / 2, above, below;

        if (first == last)
                return emit_leaf(c, &c->leaf[first]);
        above = emit_tree(c, middle, last);
        below = emit_tree(c, first, middle - 1);
        return emit_jump(c, BPF_JGE, c->range[c->leaf[middle].first].start, above, below);
}

static void emit_program(struct compiler *c, uint32_t flags, enum seccomp_arch arch) {
        emit_answers(c, flags);
        c->label[SYSCALL_IOCTL] =
                emit_requests(c, refused_ioctls, sizeof(refused_ioctls) / sizeof(*refused_ioctls), c->label[SYSCALL_ALLOW]);
        c->label[SYSCALL_FCNTL] = emit_fcntl(c);
        c->label[SYSCALL_NAMESPACES] = emit_namespaces(c);
        c->label[SYSCALL_SOCKET] = emit_socket(c, flags);
        c->label[SYSCALL_SETRLIMIT] = emit_setrlimit(c);
        c->label[SYSCALL_LIMITS] = emit_limits(c, flags);
        if (flags & SECCOMP_NO_SETUID) {
                c->label[SYSCALL_MODE] = emit_mode(c, 1);
                c->label[SYSCALL_MODE_AT] = emit_mode(c, 2);
        }
        emit_tree(c, 0, c->leaf_count - 1);
        emit_load(c, DATA_NUMBER);
        emit_jump(c, BPF_JEQ, audit_arch[arch], c->start, c->label[SYSCALL_KILL]);
        emit_load(c, DATA_ARCH);
}

static int hand_out(const struct compiler *c, struct arena *arena, const struct sock_filter **ret_code, size_t *ret_count,
                    struct err *err) {
        size_t count = SECCOMP_MAX_COUNT - c->start;
        struct sock_filter *copy = arena_alloc(arena, count * sizeof(*copy));

        if (c->full)
                return err_set(err, ERR_TOO_COMPLEX, "the syscall filter has more than %d instructions", SECCOMP_MAX_COUNT);
        if (!copy)
                return err_memory(err);
        memcpy(copy, c->code + c->start, count * sizeof(*copy));
        *ret_code = copy;
        *ret_count = count;
        return 0;
}

int seccomp_compile(enum syscall_policy policy, uint32_t flags, enum seccomp_arch arch, struct arena *arena,
                    const struct sock_filter **ret_code, size_t *ret_count, struct err *err) {
        struct compiler c = { .start = SECCOMP_MAX_COUNT };

        if ((unsigned int)arch >= ARCHES)
                return err_set(err, ERR_UNSUPPORTED, "no table of system calls for this architecture");
        if (flags >= SECCOMP_NO_SETUID << 1)
                return err_set(err, ERR_INVALID, "unknown flags for the syscall filter: 0x%x", flags);
        if (flags & SECCOMP_NO_UNIX)
                flags &= ~(uint32_t)SECCOMP_UNIX_CONNECTED;
        find_ranges(&c, policy, flags, arch);
        find_leaves(&c);
        emit_program(&c, flags, arch);
        return hand_out(&c, arena, ret_code, ret_count, err);
}

int seccomp_number(const char *name, enum seccomp_arch arch) {
        for (size_t i = 0; i < syscall_count && arch <= SECCOMP_AARCH64; i++)
                if (strcmp(syscall_table[i].name, name) == 0)
                        return syscall_table[i].number[arch];
        return -1;
}

/* Other calling conventions need no look: they are killed by the program above. */
int seccomp_compile_reports(const char *const *names, enum seccomp_arch arch, struct arena *arena,
                            const struct sock_filter **ret_code, size_t *ret_count, struct err *err) {
        struct compiler c = { .start = SECCOMP_MAX_COUNT };
        size_t allow, report, next;

        if ((unsigned int)arch >= ARCHES)
                return err_set(err, ERR_UNSUPPORTED, "no table of system calls for this architecture");
        report = emit(&c, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, c.start, c.start);
        allow = next = emit(&c, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, c.start, c.start);
        for (; *names; names++)
                for (size_t i = 0; i < syscall_count; i++)
                        if (strcmp(syscall_table[i].name, *names) == 0 && syscall_table[i].number[arch] >= 0)
                                next = emit_jump(&c, BPF_JEQ, (uint32_t)syscall_table[i].number[arch], report, next);
        if (next == allow)
                return err_set(err, ERR_INVALID, "no system call to report");
        emit_load(&c, DATA_NUMBER);
        return hand_out(&c, arena, ret_code, ret_count, err);
}

/* ---- as text ---- */

static void print_load(uint32_t offset, struct buf *out) {
        if (offset == DATA_NUMBER)
                buf_format(out, "load number");
        else if (offset == DATA_ARCH)
                buf_format(out, "load architecture");
        else
                buf_format(out, "load argument %zu%s", (offset - DATA_ARGUMENT(0)) / sizeof(uint64_t),
                           (offset - DATA_ARGUMENT(0)) % sizeof(uint64_t) ? ", high" : "");
}

static void print_return(uint32_t value, struct buf *out) {
        if (value == SECCOMP_RET_ALLOW)
                buf_format(out, "allow");
        else if (value == SECCOMP_RET_KILL_PROCESS)
                buf_format(out, "kill");
        else if (value == SECCOMP_RET_USER_NOTIF)
                buf_format(out, "report");
        else if ((value & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
                buf_format(out, "error %u", value & SECCOMP_RET_DATA);
        else
                buf_format(out, "return 0x%x", value);
}

static const struct {
        unsigned int test;
        const char *sign;
} jumps[] = { { BPF_JEQ, "==" }, { BPF_JGE, ">=" }, { BPF_JGT, ">" }, { BPF_JSET, "&" } };

static bool print_jump(const struct sock_filter *code, size_t at, struct buf *out) {
        for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++)
                if (code->code == (BPF_JMP | jumps[i].test | BPF_K)) {
                        buf_format(out, code->k < SYSCALL_NUMBER_LIMIT ? "if %s %u" : "if %s 0x%x", jumps[i].sign, code->k);
                        buf_format(out, " goto %zu else %zu", at + 1 + code->jt, at + 1 + code->jf);
                        return true;
                }
        return false;
}

void seccomp_print(const struct sock_filter *code, size_t count, struct buf *out) {
        for (size_t i = 0; i < count; i++) {
                buf_format(out, "%zu: ", i);
                if (code[i].code == (BPF_LD | BPF_W | BPF_ABS))
                        print_load(code[i].k, out);
                else if (code[i].code == (BPF_RET | BPF_K))
                        print_return(code[i].k, out);
                else if (code[i].code == (BPF_ALU | BPF_AND | BPF_K))
                        buf_format(out, "and 0x%x", code[i].k);
                else if (!print_jump(&code[i], i, out))
                        buf_format(out, "code 0x%x %u %u 0x%x", code[i].code, code[i].jt, code[i].jf, code[i].k);
                buf_char(out, '\n');
        }
}
