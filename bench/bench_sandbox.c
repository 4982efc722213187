/*
 * The sandbox alone: bench_sandbox PLAN starts `bash -c 'echo hi'` as a plan says that is ready (bailey run --show-plan), and
 * waits for its end. No config, no verdict, no look at the host, no sweep and no record: what is left is the kernel's part of a
 * cold run, and the start of two programs. Linked like bailey; bench/turns or anything else that starts programs in turns
 * compares them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "launch/start.h"
#include "sandbox/seccomp.h"

enum { LINES_MAX = 256, PLAN_MAX = 64 << 10 };

struct plan {
        char text[PLAN_MAX];
        struct mount_step mounts[LINES_MAX];
        struct landlock_rule rules[LINES_MAX];
        struct launch launch;
};

static const char *const mount_words[] = {
        [MOUNT_ROOT_HOST] = "root-host", [MOUNT_READ] = "read",           [MOUNT_WRITE] = "write",
        [MOUNT_TMPFS] = "tmpfs",         [MOUNT_PROC] = "proc",           [MOUNT_DEV] = "dev",
        [MOUNT_MASK_DIR] = "mask-dir",   [MOUNT_MASK_FILE] = "mask-file", [MOUNT_SEAL] = "seal",
};

static _Noreturn void die(const char *why) {
        fprintf(stderr, "bench_sandbox: %s\n", why);
        exit(1);
}

/* KIND "PATH" SIZE, in place; KIND stays, the others are returned. */
static const char *take_apart(char *rest, uint64_t *ret_size) {
        char *path = strchr(rest, '"'), *end = path ? strchr(path + 1, '"') : NULL;

        rest[strcspn(rest, " ")] = '\0';
        *ret_size = end && end[1] ? strtoull(end + 2, NULL, 10) : 0;
        if (end)
                *end = '\0';
        return end ? path + 1 : NULL;
}

static void add_mount(struct plan *plan, char *rest) {
        struct mount_step *step = &plan->mounts[plan->launch.mount_count++];

        step->source = step->target = take_apart(rest, &step->size);
        for (size_t i = 0; i < sizeof(mount_words) / sizeof(*mount_words); i++)
                if (mount_words[i] && strcmp(rest, mount_words[i]) == 0) {
                        step->kind = (enum mount_kind)i;
                        return;
                }
        die("the plan has a mount that is not known here");
}

static void add_rule(struct plan *plan, char *rest) {
        struct landlock_rule *rule = &plan->rules[plan->launch.landlock.rule_count++];
        uint64_t none;

        rule->path = take_apart(rest, &none);
        rule->grant = strcmp(rest, "read") == 0 ? GRANT_READ : GRANT_READ | GRANT_WRITE;
}

static void read_plan(const char *path, struct plan *plan) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = read(fd, plan->text, sizeof(plan->text) - 1);
        char *line, *rest = plan->text;
        uint64_t none;

        if (len <= 0)
                die("no plan");
        for (size_t count = 0; (line = strsep(&rest, "\n")) && count < LINES_MAX; count++)
                if (strncmp(line, "mount ", 6) == 0)
                        add_mount(plan, line + 6);
                else if (strncmp(line, "landlock ", 9) == 0)
                        add_rule(plan, line + 9);
                else if (strncmp(line, "cwd ", 4) == 0)
                        plan->launch.cwd = take_apart(line + 3, &none);
}

int main(int argc, char **argv) {
        static const char *const command[] = { "bash", "-c", "echo hi", NULL };
        static struct plan plan;
        struct launched launched;
        struct err err = {};
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        ARENA_AUTO arena;
        int status = 0;

        arena_init(&arena, 0);
        if (argc != 2)
                die("usage: bench_sandbox PLAN");
        read_plan(argv[1], &plan);
        plan.launch.namespaces = LAUNCH_NAMESPACES_AND_NET;
        plan.launch.mounts = plan.mounts;
        plan.launch.own_pids = true;
        plan.launch.hostname = "bailey";
        plan.launch.landlock.wanted = true;
        plan.launch.landlock.rules = plan.rules;
        plan.launch.limits[0] = (struct launch_limit){ RLIMIT_CORE, 0 };
        plan.launch.limits[1] = (struct launch_limit){ RLIMIT_NPROC, 4096 };
        plan.launch.limit_count = 2;
        plan.launch.program = "/bin/bash";
        plan.launch.argv = command;
        plan.launch.envp = (const char *const *)environ;
        if (seccomp_compile(SYSCALLS_INHERIT, 0, SECCOMP_ARCH_HERE, &arena, &plan.launch.seccomp, &plan.launch.seccomp_count,
                            &err) < 0 ||
            launch_start(&plan.launch, &(struct launch_files){ null, 1, 2 }, &launched, &err) < 0 ||
            launch_end(&launched, &status, &err) < 0)
                die(err.msg);
        return status ? 1 : 0;
}
