/*
 * A launch as text: what would be done, in the order in which it would be.
 */
#include <string.h>
#include <sys/resource.h>

#include "sandbox/backend.h"
#include "sandbox/seccomp.h"

static const char *const mount_names[] = {
        [MOUNT_ROOT_HOST] = "root-host", [MOUNT_ROOT_EMPTY] = "root-empty", [MOUNT_READ] = "read", [MOUNT_WRITE] = "write",
        [MOUNT_TMPFS] = "tmpfs",         [MOUNT_SYMLINK] = "symlink",       [MOUNT_PROC] = "proc", [MOUNT_DEV] = "dev",
        [MOUNT_MASK_DIR] = "mask-dir",   [MOUNT_MASK_FILE] = "mask-file",   [MOUNT_SEAL] = "seal",
};

static const struct {
        int resource;
        const char *name;
} limit_names[] = {
        { RLIMIT_CORE, "core" },         { RLIMIT_CPU, "cpu" },   { RLIMIT_FSIZE, "file" },
        { RLIMIT_NOFILE, "open-files" }, { RLIMIT_AS, "memory" }, { RLIMIT_NPROC, "pids" },
};

static void print_text(struct buf *out, const char *text) {
        buf_char(out, ' ');
        buf_json(out, str_z(text));
}

static void print_mount(const struct mount_step *step, struct buf *out) {
        buf_format(out, "mount %s", mount_names[step->kind]);
        if (step->target)
                print_text(out, step->target);
        if (step->source && (!step->target || strcmp(step->source, step->target) != 0))
                print_text(out, step->source);
        if (step->size)
                buf_format(out, " %llu", (unsigned long long)step->size);
        buf_char(out, '\n');
}

static void print_walls(const struct launch *launch, struct buf *out) {
        buf_append(out, STR("walls"));
        for (uint32_t i = 0; i < WALL_COUNT; i++)
                if (launch->walls & 1U << i)
                        buf_format(out, " %s", wall_name((enum wall)(1U << i)));
        buf_char(out, '\n');
}

static void print_outside(const struct launch *launch, struct buf *out) {
        static const char *const namespaces[] = { NULL, "user mount pid ipc uts cgroup", "user mount pid ipc uts cgroup net" };

        if (launch->namespaces)
                buf_format(out, "namespaces %s\n", namespaces[launch->namespaces]);
        for (size_t i = 0; i < launch->mount_count; i++)
                print_mount(&launch->mounts[i], out);
        if (launch->group.memory_bytes)
                buf_format(out, "cgroup memory %lld\n", (long long)launch->group.memory_bytes);
        if (launch->group.pids)
                buf_format(out, "cgroup pids %lld\n", (long long)launch->group.pids);
        if (!launch->wrapper)
                return;
        buf_append(out, STR("wrapper"));
        for (size_t i = 0; launch->wrapper[i]; i++)
                print_text(out, launch->wrapper[i]);
        buf_char(out, '\n');
}

static const char *grant_name(uint32_t grant) {
        if (grant & GRANT_WRITE)
                return "write";
        return grant & GRANT_USE ? "use" : "read";
}

static void print_landlock(const struct landlock_plan *landlock, struct buf *out) {
        for (size_t i = 0; landlock->wanted && i < landlock->rule_count; i++) {
                buf_format(out, "landlock %s", grant_name(landlock->rules[i].grant));
                print_text(out, landlock->rules[i].path);
                buf_char(out, '\n');
        }
        if (landlock->deny_tcp)
                buf_append(out, STR("landlock no-tcp\n"));
}

static void print_limits(const struct launch *launch, struct buf *out) {
        for (size_t i = 0; i < launch->limit_count; i++)
                for (size_t j = 0; j < sizeof(limit_names) / sizeof(*limit_names); j++)
                        if (limit_names[j].resource == launch->limits[i].resource)
                                buf_format(out, "limit %s %llu\n", limit_names[j].name,
                                           (unsigned long long)launch->limits[i].value);
}

void launch_print(const struct launch *launch, struct buf *out) {
        buf_format(out, "backend %s\n", launch->backend);
        print_walls(launch, out);
        print_outside(launch, out);
        print_limits(launch, out);
        print_landlock(&launch->landlock, out);
        if (launch->seccomp_count)
                buf_format(out, "seccomp %s\n", launch->seccomp_name);
        buf_append(out, STR("cwd"));
        print_text(out, launch->cwd);
        buf_append(out, STR("\nexec"));
        print_text(out, launch->program);
        for (size_t i = 0; launch->argv[i]; i++)
                print_text(out, launch->argv[i]);
        buf_char(out, '\n');
        for (size_t i = 0; launch->envp[i]; i++)
                buf_format(out, "env %.*s\n", (int)strcspn(launch->envp[i], "="), launch->envp[i]);
}
