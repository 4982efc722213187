/*
 * One command, one program: what it costs to start `bailey`, and to run a command with it, as root and as a user; beside the
 * same command without a sandbox, and in bubblewrap with the same one, in turns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "bench/bench.h"
#include "sandbox/seccomp.h"

static const char version_of_bwrap[] = "bwrap with a comparable sandbox";

void measure_start(struct bench *bench) {
        char path[PATH_MAX];
        const char *const version[] = { bench->bailey, "--version", NULL }, *const nothing[] = { path, NULL };
        const struct child programs[] = { { .argv = version }, { .argv = nothing } };
        struct taken taken[2] = { 0 };
        struct row *row = row_add(bench, "start-version", "bailey --version", "true");

        if (!child_find(bench, "true", path)) {
                row_skip(row, "there is no program true");
                return;
        }
        turns_take(bench, programs, 2, bench->n, taken);
        turns_compare(row, &taken[0], &taken[1], 1.5);
        turns_free(taken, 2);
}

/* ---- bubblewrap ---- */

static void add(struct wrapped *wrapped, const char *word) {
        if (wrapped->count + 1 >= sizeof(wrapped->argv) / sizeof(*wrapped->argv))
                bench_die("the arguments of bwrap are too many");
        wrapped->argv[wrapped->count++] = word;
        wrapped->argv[wrapped->count] = NULL;
}

static void add_all(struct wrapped *wrapped, const char *const *words) {
        while (*words)
                add(wrapped, *words++);
}

/* A line of the plan: mount KIND "PATH" SIZE. What it becomes is as cheap as bubblewrap has it. */
static void add_mount(struct wrapped *wrapped, const char *kind, const char *path, const char *size) {
        const struct {
                const char *kind, *words[8];
        } mounts[] = {
                { "root-host", { "--ro-bind", "/", "/" } },
                { "tmpfs", { "--perms", "1777", "--size", size, "--tmpfs", path } },
                { "proc", { "--proc", path } },
                { "dev", { "--dev", path } },
                { "write", { "--bind", path, path } },
                { "read", { "--ro-bind", path, path } },
                { "mask-dir", { "--perms", "0000", "--tmpfs", path, "--remount-ro", path } },
                { "mask-file", { "--ro-bind", "/dev/null", path } },
                { "seal", { "--remount-ro", path } },
        };

        for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++)
                if (strcmp(kind, mounts[i].kind) == 0) {
                        add_all(wrapped, mounts[i].words);
                        return;
                }
        bench_die("the plan has a mount %s, which this program has no words of bwrap for", kind);
}

/* Takes a line apart, in place. */
static void read_mount(struct wrapped *wrapped, char *line) {
        char *kind = line + strlen("mount "), *path = strchr(kind, '"'), *end = path ? strchr(path + 1, '"') : NULL;

        kind[strcspn(kind, " ")] = '\0';
        if (path && end) {
                *end = '\0';
                add_mount(wrapped, kind, path + 1, end[1] ? end + 2 : "65536");
        } else {
                add_mount(wrapped, kind, "/", "65536");
        }
}

static void read_plan(const struct bench *bench, struct wrapped *wrapped) {
        const char *const show[] = { bench->bailey, "run", "--backend", "native", "--show-plan", "echo hi", NULL };
        const struct child program = { .argv = show };
        char *line, *rest;

        if (!child_output(bench, &program, &wrapped->plan) || wrapped->plan.len == 0)
                bench_die("%s run --show-plan: %.*s", bench->bailey, (int)wrapped->plan.len, wrapped->plan.ptr);
        buf_char(&wrapped->plan, '\0');
        for (rest = wrapped->plan.ptr; (line = strsep(&rest, "\n"));)
                if (strncmp(line, "mount ", strlen("mount ")) == 0)
                        read_mount(wrapped, line);
}

/* The very filter that bailey loads. */
static void write_filter(const struct bench *bench, struct wrapped *wrapped) {
        const struct sock_filter *code;
        size_t count;
        struct err err;
        ARENA_AUTO arena;
        FD_AUTO fd = -1;

        arena_init(&arena, 0);
        snprintf(wrapped->filter, sizeof(wrapped->filter), "%s/filter", bench->place);
        fd = open(wrapped->filter, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd < 0)
                bench_die("%s: %s", wrapped->filter, strerror(errno));
        if (seccomp_compile(SYSCALLS_INHERIT, 0, SECCOMP_ARCH_HERE, &arena, &code, &count, &err) < 0 ||
            fd_write_all(fd, str_from((const char *)code, count * sizeof(*code)), &err) < 0)
                bench_die("%s", err.msg);
}

bool bwrap_like_bailey(struct bench *bench, struct wrapped *ret) {
        const char *const before[] = { ret->bwrap,
                                       "--unshare-user",
                                       "--unshare-pid",
                                       "--unshare-ipc",
                                       "--unshare-uts",
                                       "--unshare-cgroup-try",
                                       "--unshare-net",
                                       "--hostname",
                                       "bailey",
                                       "--die-with-parent",
                                       "--new-session",
                                       "--cap-drop",
                                       "ALL",
                                       "--seccomp",
                                       "9",
                                       NULL };
        const char *const behind[] = { "--chdir", bench->work, bench->bash, "-c", "echo hi", NULL };

        if (!child_find(bench, "bwrap", ret->bwrap))
                return false;
        ret->count = 0;
        buf_init(&ret->plan, OUTPUT_MAX);
        write_filter(bench, ret);
        add_all(ret, before);
        read_plan(bench, ret);
        add_all(ret, behind);
        ret->program = (struct child){ .argv = ret->argv, .file = ret->filter };
        return true;
}

void wrapped_free(struct wrapped *wrapped) {
        buf_free(&wrapped->plan);
}

/* ---- the sandbox alone ---- */

/* bench_sandbox.c, if it was built: with the plan of the same command, and nothing else to do. */
struct alone {
        char plan[PATH_MAX + 16];
        const char *argv[3];
};

static bool sandbox_alone(const struct bench *bench, struct alone *ret) {
        const char *const show[] = { bench->bailey, "run", "--backend", "native", "--show-plan", "echo hi", NULL };
        const struct child program = { .argv = show };
        struct err err;
        FD_AUTO fd = -1;
        BUF_AUTO plan;

        buf_init(&plan, OUTPUT_MAX);
        snprintf(ret->plan, sizeof(ret->plan), "%s/plan", bench->place);
        if (access(bench->sandbox, X_OK) < 0 || !child_output(bench, &program, &plan))
                return false;
        fd = open(ret->plan, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd < 0 || fd_write_all(fd, buf_str(&plan), &err) < 0)
                bench_die("%s cannot be written", ret->plan);
        ret->argv[0] = bench->sandbox;
        ret->argv[1] = ret->plan;
        ret->argv[2] = NULL;
        return true;
}

/* ---- a command, cold ---- */

static bool answers(const struct bench *bench, const struct child *program, struct buf *out) {
        buf_clear(out);
        return child_output(bench, program, out) && str_is(buf_str(out), "hi\n");
}

enum { PLAIN, WALLED, WRAPPED, ALONE, PROGRAMS };

struct cold {
        struct child programs[PROGRAMS];
        size_t at[PROGRAMS]; /* where their times are; 0 beside PLAIN: it was not measured */
        struct taken taken[PROGRAMS];
};

static void measure_there(const struct bench *bench, struct cold *cold) {
        struct child there[PROGRAMS];
        size_t count = 0;

        for (size_t i = 0; i < PROGRAMS; i++)
                if (cold->programs[i].argv) {
                        cold->at[i] = count;
                        there[count++] = cold->programs[i];
                }
        turns_take(bench, there, count, bench->n, cold->taken);
}

static struct taken *taken_by(struct cold *cold, size_t program) {
        return &cold->taken[cold->at[program]];
}

/* What nothing can be faster than, as long as the sandbox is this. */
static void add_floor(struct bench *bench, struct cold *cold, const char *who, const char *name) {
        char full[48], what[128];
        struct row *row;

        if (!cold->at[ALONE])
                return;
        snprintf(what, sizeof(what), "its sandbox alone, by a plan that is ready, as %s", who);
        snprintf(full, sizeof(full), "%s-sandbox", name);
        row = row_add(bench, full, what, "bash -c 'echo hi'");
        row_ratio(row, &taken_by(cold, ALONE)->time, &taken_by(cold, PLAIN)->time, NO_GOAL, 0);
        row_cpu(row, &taken_by(cold, ALONE)->cpu, &taken_by(cold, PLAIN)->cpu);
        if (!cold->at[WRAPPED])
                return;
        snprintf(full, sizeof(full), "%s-sandbox-bwrap", name);
        row = row_add(bench, full, what, version_of_bwrap);
        row_ratio(row, &taken_by(cold, ALONE)->time, &taken_by(cold, WRAPPED)->time, NO_GOAL, 0);
}

static void measure_cold_as(struct bench *bench) {
        const char *who = geteuid() == 0 ? "root" : "a user", *name = geteuid() == 0 ? "cold-root" : "cold-user";
        const char *const plain[] = { bench->bash, "-c", "echo hi", NULL };
        const char *const walled[] = { bench->bailey, "run", "echo hi", NULL };
        struct cold cold = { .programs = { [PLAIN] = { .argv = plain }, [WALLED] = { .argv = walled } } };
        struct wrapped wrapped = { 0 };
        struct alone alone = { 0 };
        char full[48], what[128];
        struct row *row;
        BUF_AUTO said;

        buf_init(&said, OUTPUT_MAX);
        snprintf(what, sizeof(what), "bailey run 'echo hi', cold, as %s", who);
        if (!answers(bench, &cold.programs[WALLED], &said))
                bench_die("%s run 'echo hi' does not work here: %.*s", bench->bailey, (int)said.len, said.ptr);
        if (!bwrap_like_bailey(bench, &wrapped))
                buf_append(&said, STR("bwrap is not installed"));
        else if (answers(bench, &wrapped.program, &said))
                cold.programs[WRAPPED] = wrapped.program;
        if (sandbox_alone(bench, &alone))
                cold.programs[ALONE].argv = alone.argv;
        measure_there(bench, &cold);
        row = row_add(bench, name, what, "bash -c 'echo hi'");
        turns_compare(row, taken_by(&cold, WALLED), taken_by(&cold, PLAIN), 2.6);
        snprintf(full, sizeof(full), "%s-bwrap", name);
        row = row_add(bench, full, what, version_of_bwrap);
        if (cold.at[WRAPPED])
                row_ratio(row, &taken_by(&cold, WALLED)->time, &taken_by(&cold, WRAPPED)->time, AT_MOST,
                          0.5); /* it leaves before its child, whose time is lost */
        else
                row_skip(row, "%.*s", (int)str_find(buf_str(&said), '\n'), said.ptr);
        add_floor(bench, &cold, who, name);
        turns_free(cold.taken, PROGRAMS);
        wrapped_free(&wrapped);
}

void measure_cold(struct bench *bench) {
        measure_cold_as(bench);
        if (geteuid() == 0)
                place_as_user(bench, measure_cold_as);
        else
                row_skip(row_add(bench, "cold-root", "bailey run 'echo hi', cold, as root", ""), "not root here");
}
