/*
 * A launch as text: what would be done, in the order in which it would be.
 */
#include <string.h>
#include <sys/resource.h>

#include "sandbox/backend.h"
#include "sandbox/container/container.h"

static const char *const mount_names[] = {
        [MOUNT_ROOT_HOST] = "root-host",
        [MOUNT_ROOT_EMPTY] = "root-empty",
        [MOUNT_READ] = "read",
        [MOUNT_WRITE] = "write",
        [MOUNT_STAGE] = "stage",
        [MOUNT_LAYERS] = "layers",
        [MOUNT_SHOWN] = "shown",
        [MOUNT_SOCKET] = "socket",
        [MOUNT_SESSION_TMP] = "session-tmp",
        [MOUNT_TMPFS] = "tmpfs",
        [MOUNT_SYMLINK] = "symlink",
        [MOUNT_TEXT] = "text",
        [MOUNT_PROC] = "proc",
        [MOUNT_DEV] = "dev",
        [MOUNT_MASK_DIR] = "mask-dir",
        [MOUNT_MASK_FILE] = "mask-file",
        [MOUNT_SEAL] = "seal",
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
        if (step->mapped)
                buf_append(out, STR(" mapped"));
        buf_char(out, '\n');
}

static void print_guarantees(const struct launch *launch, struct buf *out) {
        buf_append(out, STR("enforces"));
        for (uint32_t i = 0; i < GUARANTEE_COUNT; i++)
                if (launch->guarantees & 1U << i)
                        buf_format(out, " %s", guarantee_name((enum guarantee)(1U << i)));
        buf_char(out, '\n');
}

static void print_call(const char *name, const char *const *argv, struct buf *out) {
        if (!argv)
                return;
        buf_append(out, str_z(name));
        for (; *argv; argv++)
                print_text(out, *argv);
        buf_char(out, '\n');
}

/* An option and its value stand on a line of their own: the call that makes the container is long. */
static void print_create(const char *const *argv, struct buf *out) {
        if (!argv)
                return;
        buf_append(out, STR("create"));
        for (; *argv; argv++) {
                if (strncmp(*argv, "--", 2) == 0)
                        buf_append(out, STR("\n   "));
                print_text(out, *argv);
        }
        buf_char(out, '\n');
}

static void print_container(const struct launch_container *c, struct buf *out) {
        if (!c)
                return;
        print_create(c->create, out);
        print_call("start", c->start, out);
        print_call("signal", c->signal, out);
        print_call("inspect", c->inspect, out);
        print_call("end", c->end, out);
        print_call("list", c->list, out);
        print_call("remove", c->remove, out);
        for (const char *const *w = c->warnings; w && *w; w++)
                buf_format(out, "warning %s\n", *w);
        for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                if (c->limits_wanted & ~c->limits & 1U << i)
                        buf_format(out, "not limited: %s\n", engine_limit_names[i]);
}

static void print_outside(const struct launch *launch, struct buf *out) {
        static const char *const namespaces[] = { NULL, "user mount pid ipc uts cgroup", "user mount pid ipc uts cgroup net" };

        if (launch->namespaces)
                buf_format(out, "namespaces %s\n", namespaces[launch->namespaces]);
        if (launch->id_base)
                buf_format(out, "ids %u %d\n", launch->id_base, LAUNCH_ID_COUNT);
        for (size_t i = 0; i < launch->mount_count; i++)
                print_mount(&launch->mounts[i], out);
        if (launch->group.memory_bytes)
                buf_format(out, "cgroup memory %lld\n", (long long)launch->group.memory_bytes);
        if (launch->group.pids)
                buf_format(out, "cgroup pids %lld\n", (long long)launch->group.pids);
        if (launch->share.memory_percent)
                buf_format(out, "user memory %lld percent\n", (long long)launch->share.memory_percent);
        if (launch->share.pids)
                buf_format(out, "user pids %lld\n", (long long)launch->share.pids);
        if (!launch->wrapper)
                return;
        buf_append(out, STR("wrapper"));
        for (size_t i = 0; launch->wrapper[i]; i++)
                print_text(out, launch->wrapper[i]);
        buf_char(out, '\n');
        for (struct str left = str_z(launch->profile ? launch->profile : ""); left.len;) {
                size_t end = str_find(left, '\n');

                buf_format(out, "profile %.*s\n", (int)end, left.ptr);
                left = str_skip(left, end + 1);
        }
}

/* In the order of the bits. */
static const char *const screen_names[] = {
        "handles",          "read-clipboard", "write-clipboard", "system-parameters",
        "display-settings", "global-atoms",   "desktop",         "exit-windows",
};

static void print_job(const struct appcontainer_plan *plan, struct buf *out) {
        const struct {
                enum appcontainer_limit limit;
                const char *name;
                uint64_t value;
        } rows[] = {
                { APPCONTAINER_KILL_ON_CLOSE, "kill-on-close", 0 },
                { APPCONTAINER_DIE_ON_EXCEPTION, "die-on-exception", 0 },
                { APPCONTAINER_PRIORITY, "below-normal", 0 },
                { APPCONTAINER_ACTIVE_PROCESSES, "processes", plan->active_processes },
                { APPCONTAINER_PROCESS_MEMORY, "process-memory", plan->memory_bytes },
                { APPCONTAINER_JOB_MEMORY, "memory", plan->memory_bytes },
                { APPCONTAINER_PROCESS_TIME, "process-seconds", plan->process_seconds },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                if (!(plan->limits & (uint32_t)rows[i].limit))
                        continue;
                buf_format(out, "job %s", rows[i].name);
                if (rows[i].value)
                        buf_format(out, " %llu", (unsigned long long)rows[i].value);
                buf_char(out, '\n');
        }
        buf_append(out, STR("job screen-denied"));
        for (size_t i = 0; i < sizeof(screen_names) / sizeof(*screen_names); i++)
                if (plan->screen & 1U << i)
                        buf_format(out, " %s", screen_names[i]);
        buf_char(out, '\n');
}

static void print_appcontainer(const struct appcontainer_plan *plan, struct buf *out) {
        if (!plan)
                return;
        for (const char *const *c = plan->capabilities; *c; c++)
                buf_format(out, "capability %s\n", *c);
        buf_append(out, STR("token no-privileges\n"));
        for (const char *const *g = plan->disabled_groups; *g; g++)
                buf_format(out, "token without %s\n", *g);
        buf_format(out, "token integrity %s\n", plan->integrity);
        for (size_t i = 0; i < plan->grant_count; i++) {
                buf_format(out, "grant %s", plan->grants[i].write ? "write" : "read");
                print_text(out, plan->grants[i].path);
                buf_char(out, '\n');
        }
        print_job(plan, out);
}

static const char *grant_name(uint32_t grant) {
        if (grant & GRANT_WRITE)
                return "write";
        return grant & (GRANT_USE | GRANT_TERMINAL) ? "use" : "read";
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
        if (launch->limits_ignored & IGNORED_MEMORY)
                buf_append(out, STR("limit memory not-enforced\n"));
        if (launch->limits_ignored & IGNORED_CPU)
                buf_append(out, STR("limit cpu not-enforced\n"));
        if (launch->limits_ignored & IGNORED_FILES)
                buf_append(out, STR("limit files not-enforced\n"));
        if (launch->limits_ignored & IGNORED_PIDS)
                buf_append(out, STR("limit pids not-enforced\n"));
        for (size_t i = 0; i < launch->limit_count; i++)
                for (size_t j = 0; j < sizeof(limit_names) / sizeof(*limit_names); j++)
                        if (limit_names[j].resource == launch->limits[i].resource)
                                buf_format(out, "limit %s %llu\n", limit_names[j].name,
                                           (unsigned long long)launch->limits[i].value);
}

static void print_paths(const char *name, const char *const *paths, struct buf *out) {
        if (!*paths)
                return;
        buf_format(out, "broker %s", name);
        for (; *paths; paths++)
                print_text(out, *paths);
        buf_char(out, '\n');
}

static void print_broker(const struct broker_plan *broker, struct buf *out) {
        if (!broker->calls)
                return;
        if (broker->calls & BROKER_CONNECT)
                buf_format(out, "broker connect%s%s\n", broker->own_network ? ", own network" : "",
                           broker->abstract ? "" : ", no abstract sockets");
        if (broker->calls & BROKER_EVIDENCE)
                buf_append(out, STR("broker evidence\n"));
        print_paths("private", broker->private_places, out);
        print_paths("sockets", broker->sockets, out);
        print_paths("configs", broker->configs, out);
}

static void print_ports(const char *name, const uint16_t *ports, size_t count, struct buf *out) {
        if (!count)
                return;
        buf_format(out, "network %s", name);
        for (size_t i = 0; i < count; i++)
                buf_format(out, " %u", ports[i]);
        buf_char(out, '\n');
}

static void print_egress(const struct launch_egress *egress, struct buf *out) {
        if (egress->wanted)
                buf_format(out, "network gateway%s\n", egress->needs_transparent ? ", nf_tables needed" : "");
        print_ports("ports", egress->ports, egress->port_count, out);
        print_ports("host-ports", egress->host_ports, egress->host_port_count, out);
        if (egress->publish_count)
                buf_format(out, "network published %zu\n", egress->publish_count);
}

void launch_print_unseen(const struct launch_egress *egress, struct buf *out) {
        buf_append(out, STR("other ports than "));
        for (size_t i = 0; i < egress->port_count; i++)
                buf_format(out, "%s%u", i ? ", " : "", egress->ports[i]);
        buf_append(out, STR(" cannot be seen: nf_tables is missing"));
}

void launch_print(const struct launch *launch, struct buf *out) {
        buf_format(out, "backend %s\n", launch->backend);
        print_guarantees(launch, out);
        print_outside(launch, out);
        print_container(launch->container, out);
        print_appcontainer(launch->appcontainer, out);
        print_limits(launch, out);
        print_landlock(&launch->landlock, out);
        if (launch->seccomp_count)
                buf_format(out, "seccomp %s\n", launch->seccomp_name);
        print_broker(&launch->broker, out);
        print_egress(&launch->egress, out);
        if (launch->terminal.wanted)
                buf_format(out, "terminal %ux%u%s\n", launch->terminal.columns, launch->terminal.rows,
                           launch->terminal.errors_apart ? ", without stderr" : "");
        for (const char *const *notice = launch->notices; *notice; notice++)
                buf_format(out, "notice %s\n", *notice);
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
