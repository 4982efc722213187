#include "sandbox/container/container_plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "policy/env.h"
#include "sandbox/container/container_rules.h"
#include "sandbox/container/image.h"
#include "sandbox/mounts.h"

enum { ARGUMENTS_MAX = 16384, TEXT_MAX = 8192 };

/* gVisor's own kernel runs within the limits, too, and dies of smaller ones. */
enum { GVISOR_MEMORY_MIN = 256 << 20, GVISOR_PIDS_MIN = 256 };

/* A shell that every image is expected to have starts what was asked for: bash, where there is one. */
#define RUN_TEXT "command -v bash >/dev/null 2>&1 && exec bash -c \"$1\"; exec sh -c \"$1\""
#define RUN_PROGRAM "exec \"$@\""

/* pid 1 of a session: reaps what others leave behind, and cannot be killed from inside. */
#define IDLE "trap '' TERM INT HUP; while :; do sleep 3600; done"
#define KILL_ALL "kill -9 -1"

#define STATE_FORMAT "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}} {{.State.Error}}"

/* Docker's client adds these from its own config; named without a value they stay unset. */
static const char *const proxies[] = {
        "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY",
        "http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy",
};

/* ---- arguments ---- */

struct plan {
        const struct container_question *q;
        const struct container_facts *facts;
        struct arena *arena;
        struct mount_list mounts;
        struct container_rulings rulings;
        const char *image;
        struct launch_container *out;
        const char **items;
        size_t count;
        bool failed;
        struct err *err;
};

static void add(struct plan *p, const char *text) {
        if (p->count + 1 < ARGUMENTS_MAX && text)
                p->items[p->count++] = text;
        else
                p->failed = true;
}

__attribute__((format(printf, 2, 3))) static const char *text(struct plan *p, const char *format, ...) {
        char buffer[TEXT_MAX];
        va_list arguments;
        int len;

        va_start(arguments, format);
        len = vsnprintf(buffer, sizeof(buffer), format, arguments);
        va_end(arguments);
        return len < 0 || len >= TEXT_MAX ? NULL : arena_dup(p->arena, str_from(buffer, (size_t)len));
}

static void add_two(struct plan *p, const char *name, const char *value) {
        add(p, name);
        add(p, value);
}

static void add_all(struct plan *p, const char *const *words) {
        for (; *words; words++)
                add(p, *words);
}

/* Begins a call of the engine's client. */
static int begin(struct plan *p) {
        const struct engine *engine = p->q->engine;
        bool gvisor = p->q->backend->own_kernel;

        p->items = arena_alloc(p->arena, ARGUMENTS_MAX * sizeof(*p->items));
        p->count = 0;
        p->failed = !p->items;
        if (p->failed)
                return err_memory(p->err);
        add(p, engine->path);
        if (engine->kind == ENGINE_DOCKER)
                return 0;
        /* A client whose settings make it ask a service, which may be on another machine, knows neither, and does nothing. */
        if (p->facts->systemd)
                add(p, "--syslog=false");
        else
                add_two(p, "--cgroup-manager", "cgroupfs");
        if (gvisor)
                add_two(p, "--runtime", engine->gvisor);
        if (gvisor && p->q->policy->container.network_mode == CONTAINER_NETWORK_NONE)
                add_two(p, "--runtime-flag", "network=none");
        return 0;
}

static int end(struct plan *p, const char *const **ret) {
        const char **copy;

        if (p->failed)
                return err_set(p->err, ERR_TOO_COMPLEX, "%s: too many or too long arguments", p->q->backend->name);
        copy = arena_alloc(p->arena, (p->count + 1) * sizeof(*copy));
        if (!copy)
                return err_memory(p->err);
        memcpy(copy, p->items, p->count * sizeof(*copy));
        *ret = copy;
        return 0;
}

/* A call that is all words. */
static int call(struct plan *p, const char *const **ret, const char *const *words) {
        if (begin(p) < 0)
                return -1;
        add_all(p, words);
        return end(p, ret);
}

/* ---- what it is made of ---- */

static void add_identity(struct plan *p) {
        const struct engine *engine = p->q->engine;

        /* A rootless docker has only its own user, and calls it root. */
        if (engine->rootless && engine->kind == ENGINE_DOCKER)
                add_two(p, "--user", "0:0");
        else
                add_two(p, "--user", text(p, "%u:%u", p->q->host->uid, p->facts->gid));
        if (engine->rootless && engine->kind == ENGINE_PODMAN)
                add_two(p, "--userns", "keep-id");
}

static void add_guarantees(struct plan *p) {
        static const char *const always[] = { "--hostname", "bailey",      "--ipc",  "private", "--cgroupns",
                                              "private",    "--read-only", "--pull", "never",   NULL };
        /* Of which its settings may have another opinion. */
        static const char *const podmans[] = {
                "--pid", "private", "--uts", "private", "--privileged=false", "--env-host=false", "--http-proxy=false", NULL
        };
        static const char *const networks[] = { [CONTAINER_NETWORK_NONE] = "none", [CONTAINER_NETWORK_HOST] = "host" };
        const struct container_policy *c = &p->q->policy->container;
        const struct engine *engine = p->q->engine;

        add_all(p, always);
        if (p->q->backend->own_kernel && engine->kind == ENGINE_DOCKER)
                add_two(p, "--runtime", engine->gvisor);
        if (c->network_mode == CONTAINER_NETWORK_BRIDGE) /* podman has none for users, but one of their own */
                add_two(p, "--network", engine->kind == ENGINE_DOCKER ? "bridge" : "private");
        else
                add_two(p, "--network", networks[c->network_mode]);
        for (size_t i = 0; i < c->drop_capabilities.count; i++)
                add_two(p, "--cap-drop", arena_dup(p->arena, c->drop_capabilities.items[i]));
        if (c->no_new_privileges)
                add_two(p, "--security-opt", "no-new-privileges");
        if (engine->kind == ENGINE_PODMAN)
                add_all(p, podmans);
        add_identity(p);
}

/* ---- limits ---- */

static int64_t smaller(int64_t a, int64_t b) {
        return a == 0 || (b && b < a) ? b : a;
}

static int want_limit(struct plan *p, enum engine_limit limit, const char *name) {
        struct launch_container *out = p->out;

        out->limits_wanted |= limit;
        out->limits |= p->q->engine->limits & limit;
        if (out->limits & limit || !p->q->policy->sandbox.require_limits)
                return 0;
        return err_set(p->err, ERR_UNSUPPORTED, "%s cannot be enforced: %s%s does not support it here", name,
                       p->q->engine->rootless ? "rootless " : "", engine_names[p->q->engine->kind]);
}

static int check_gvisor(struct plan *p, int64_t memory, int64_t pids) {
        if (!p->q->backend->own_kernel)
                return 0;
        if (memory && memory < GVISOR_MEMORY_MIN)
                return err_set(p->err, ERR_UNSUPPORTED,
                               "gvisor: its own kernel needs a memory limit of at least %d MiB: raise "
                               "container.resource_limits.memory_mb and sandbox.max_memory_bytes",
                               GVISOR_MEMORY_MIN >> 20);
        if (pids && pids < GVISOR_PIDS_MIN)
                return err_set(p->err, ERR_UNSUPPORTED,
                               "gvisor: its own kernel needs a limit of at least %d processes: raise "
                               "container.resource_limits.pids_limit and sandbox.max_pids",
                               GVISOR_PIDS_MIN);
        return 0;
}

static int add_group_limits(struct plan *p) {
        const struct container_policy *c = &p->q->policy->container;
        const struct sandbox_policy *sandbox = &p->q->policy->sandbox;
        int64_t memory = smaller(c->memory_mb << 20, sandbox->max_memory_bytes);
        int64_t pids = smaller(c->pids_limit, sandbox->max_pids);
        char cpus[NUMBER_SIZE];

        if (check_gvisor(p, memory, pids) < 0 || (memory && want_limit(p, ENGINE_MEMORY, "a memory limit") < 0) ||
            (pids && want_limit(p, ENGINE_PIDS, "a limit of processes") < 0) ||
            (c->cpus > 0 && want_limit(p, ENGINE_CPUS, "a limit of processors") < 0))
                return -1;
        if (p->out->limits & ENGINE_MEMORY) {
                add_two(p, "--memory", text(p, "%lld", (long long)memory));
                add_two(p, "--memory-swap", text(p, "%lld", (long long)memory));
        }
        if (p->out->limits & ENGINE_PIDS)
                add_two(p, "--pids-limit", text(p, "%lld", (long long)pids));
        if (p->out->limits & ENGINE_CPUS) {
                number_format(c->cpus, 6, cpus);
                add_two(p, "--cpus", text(p, "%s", cpus));
        }
        return 0;
}

/* gVisor takes the limit, and lets a program compute on. */
static bool ignores_cpu(const struct plan *p) {
        return p->q->policy->sandbox.max_cpu_secs && p->q->backend->own_kernel;
}

static void add_ulimit(struct plan *p, const char *name, int64_t value) {
        add_two(p, "--ulimit", text(p, "%s=%lld:%lld", name, (long long)value, (long long)value));
}

static int add_limits(struct plan *p) {
        const struct sandbox_policy *sandbox = &p->q->policy->sandbox;
        bool podman = p->q->engine->kind == ENGINE_PODMAN;
        int64_t nofile = smaller(sandbox->max_open_files, podman ? (int64_t)p->facts->nofile : 0);

        if (add_group_limits(p) < 0)
                return -1;
        add_ulimit(p, "core", 0);
        if (sandbox->max_cpu_secs && !ignores_cpu(p))
                add_ulimit(p, "cpu", sandbox->max_cpu_secs);
        if (sandbox->max_file_bytes)
                add_ulimit(p, "fsize", sandbox->max_file_bytes);
        if (nofile)
                add_ulimit(p, "nofile", nofile);
        /* podman would raise both, which not everybody may, not even as root. */
        if (podman && p->facts->nproc)
                add_ulimit(p, "nproc", (int64_t)p->facts->nproc);
        return 0;
}

/* ---- files ---- */

/* podman fills what is empty with what it covers, be it masked or not. */
static const char *no_copy(const struct plan *p) {
        return p->q->engine->kind == ENGINE_PODMAN ? ",notmpcopyup" : "";
}

static void add_scratch(struct plan *p) {
        long long size = (long long)p->q->policy->sandbox.tmp_bytes;

        add_two(p, "--tmpfs", text(p, "/tmp:rw,exec,nosuid,nodev,mode=1777,size=%lld%s", size, no_copy(p)));
        add_two(p, "--tmpfs", text(p, "/var/tmp:rw,exec,nosuid,nodev,mode=1777,size=%lld%s", size, no_copy(p)));
        add_two(p, "--shm-size", text(p, "%lld", size));
}

/* A field of what docker reads as CSV: in quotes, where it has a comma or quotes. */
static const char *field(struct plan *p, const char *name, const char *path) {
        char quoted[TEXT_MAX];
        size_t used = 0;

        if (!strpbrk(path, ",\""))
                return text(p, "%s=%s", name, path);
        for (; *path && used + 2 < sizeof(quoted); path++) {
                if (*path == '"')
                        quoted[used++] = '"';
                quoted[used++] = *path;
        }
        quoted[used] = 0;
        return *path ? NULL : text(p, "\"%s=%s\"", name, quoted);
}

/* Below what is mounted read-only nothing else is: engines would leave that writable. */
static int add_bind(struct plan *p, const char *source, const char *target, bool write) {
        const char *options = write ? "" : ",readonly,bind-nonrecursive=true";
        const char *from, *to;

        if (p->q->engine->kind == ENGINE_DOCKER || !strpbrk(source, ",\"")) {
                from = field(p, "source", source);
                to = field(p, "target", target);
                add_two(p, "--mount", from && to ? text(p, "type=bind,%s,%s%s", from, to, options) : NULL);
                return 0;
        }
        /* podman has two ways of naming paths, and no quotes in either. */
        if (strchr(source, ':') || strchr(source, '"'))
                return err_set(p->err, ERR_UNSUPPORTED,
                               "podman cannot mount %s: its name has characters that podman uses itself", source);
        add_two(p, "--volume", text(p, "%s:%s:%s", source, target, write ? "rw,rbind" : "ro,bind"));
        return 0;
}

static int add_mount(struct plan *p, const struct mount_step *step) {
        switch (step->kind) {
        case MOUNT_READ:
        case MOUNT_WRITE:
                return add_bind(p, step->source, step->target, step->kind == MOUNT_WRITE);
        case MOUNT_MASK_FILE:
                return add_bind(p, "/dev/null", step->target, false);
        case MOUNT_MASK_DIR:
                if (p->q->engine->kind == ENGINE_PODMAN && strpbrk(step->target, ",\""))
                        return err_set(p->err, ERR_UNSUPPORTED, "podman cannot mask %s: its name has a comma or quotes",
                                       step->target);
                add_two(p, "--mount",
                        text(p, "type=tmpfs,%s,tmpfs-mode=0000,tmpfs-size=4096%s", field(p, "target", step->target),
                             no_copy(p)));
                return 0;
        default:
                return err_set(p->err, ERR_UNSUPPORTED, "%s: a mount that containers do not know", p->q->backend->name);
        }
}

/* gVisor can mount nothing over a socket, and connects no program to one unless it was told to. */
static bool is_covered(const struct plan *p, const struct mount_step *step) {
        const struct host_paths *engines = &p->q->host->engines;

        if (p->q->backend->own_kernel && !p->q->engine->gvisor_sockets && step->kind == MOUNT_MASK_FILE)
                for (size_t i = 0; i < engines->count; i++)
                        if (strcmp(engines->items[i].path, step->target) == 0)
                                return true;
        return false;
}

static int add_mounts(struct plan *p) {
        for (size_t i = 0; i < p->mounts.count; i++)
                if (!is_covered(p, &p->mounts.items[i]) && add_mount(p, &p->mounts.items[i]) < 0)
                        return -1;
        return 0;
}

/* ---- environment ---- */

static bool is_set_by_policy(const struct plan *p, struct str name) {
        const struct env_pairs *set = &p->q->policy->env.set;

        for (size_t i = 0; i < set->count; i++)
                if (str_eq(set->items[i].name, name))
                        return true;
        return false;
}

static bool is_mounted(const struct plan *p, const char *path) {
        for (size_t i = 0; i < p->mounts.count; i++)
                if (path_within(path, p->mounts.items[i].target))
                        return true;
        return false;
}

/* The host's paths mean nothing inside, unless they are mounted: PATH, HOME, SHELL, where caches are. */
static bool is_for_container(const struct plan *p, const char *entry, struct str name) {
        const char *value = entry + name.len + 1;

        return value[0] != '/' || is_set_by_policy(p, name) || (!strchr(value, ':') && is_mounted(p, value));
}

static bool is_clients_own(const struct plan *p, struct str name) {
        for (const char *const *e = p->facts->envp; *e; e++)
                if (str_eq(env_name(*e), name))
                        return true;
        return false;
}

/* Command lines can be read by every user of the host, so a secret is passed by name, in the client's environment. */
static void add_environment(struct plan *p) {
        bool home = false;

        for (const char *const *e = p->q->request->envp; *e; e++) {
                struct str name = env_name(*e);

                if (!name.len || !is_for_container(p, *e, name))
                        continue;
                home = home || str_is(name, "HOME");
                add(p, "--env");
                if (env_is_secret(name) && !is_clients_own(p, name))
                        add(p, arena_dup(p->arena, name));
                else
                        add(p, *e);
        }
        if (!home)
                add_two(p, "--env", "HOME=/tmp");
        for (size_t i = 0; p->q->engine->kind == ENGINE_DOCKER && i < sizeof(proxies) / sizeof(*proxies); i++)
                if (!is_set_by_policy(p, str_z(proxies[i])))
                        add_two(p, "--env", proxies[i]);
}

static int make_passing_environment(struct plan *p) {
        size_t own = 0, count = 0;
        const char **envp;

        while (p->facts->envp[own])
                own++;
        while (p->q->request->envp[count])
                count++;
        envp = arena_alloc(p->arena, (own + count + 1) * sizeof(*envp));
        if (!envp)
                return err_memory(p->err);
        memcpy(envp, p->facts->envp, own * sizeof(*envp));
        for (size_t i = 0; i < count; i++) {
                struct str name = env_name(p->q->request->envp[i]);

                if (env_is_secret(name) && !is_clients_own(p, name))
                        envp[own++] = p->q->request->envp[i];
        }
        p->out->envp = p->facts->envp;
        p->out->passing_envp = envp;
        return 0;
}

/* ---- the calls ---- */

static void add_command(struct plan *p) {
        const struct sandbox_request *request = p->q->request;

        if (request->command) {
                add_two(p, "-c", RUN_TEXT);
                add_two(p, "sh", request->command);
        } else {
                add_two(p, "-c", RUN_PROGRAM);
                add(p, "sh");
                add_all(p, request->argv);
        }
}

/* What is the same for one command and for a session. */
static int add_container(struct plan *p, const char *name, bool init, const char *log) {
        add_two(p, "--name", name);
        add_two(p, "--label", "io.bailey.container=1");
        add_two(p, "--log-driver", log);
        if (init)
                add(p, "--init");
        add_guarantees(p);
        if (add_limits(p) < 0)
                return -1;
        add_scratch(p);
        if (add_mounts(p) < 0)
                return -1;
        for (size_t i = 0; i < p->q->policy->container.run_args.count; i++)
                add(p, arena_dup(p->arena, p->q->policy->container.run_args.items[i]));
        return 0;
}

/* podman would wait for what does not end by itself. `name` NULL: names are put behind it later. */
static int plan_removal(struct plan *p, const char *name, const char *const **ret) {
        return call(p, ret,
                    p->q->engine->kind == ENGINE_PODMAN
                            ? (const char *const[]){ "rm", "--force", "--volumes", "--time", "0", name, NULL }
                            : (const char *const[]){ "rm", "--force", "--volumes", name, NULL });
}

static int plan_own(struct plan *p) {
        struct launch_container *out = p->out;
        const char *name = out->name = p->facts->name;
        bool input = p->q->request->input;
        const char *const start[] = { "start", "--attach", input ? "--interactive" : name, input ? name : NULL, NULL };

        if (begin(p) < 0)
                return -1;
        add(p, "create");
        /* Else podman's client learns what was said from a process that listens to the container, and may come too late for
         * one that does not live long. */
        if (add_container(p, name, p->q->engine->init, p->q->engine->own_files ? "passthrough" : "none") < 0)
                return -1;
        if (input)
                add(p, "--interactive");
        add_environment(p);
        add_two(p, "--workdir", p->q->host->cwd);
        add_two(p, "--entrypoint", "sh");
        add(p, p->image);
        add_command(p);
        if (end(p, &out->create) < 0 || call(p, &out->start, start) < 0 ||
            call(p, &out->signal, (const char *const[]){ "kill", "--signal", NULL }) < 0)
                return -1;
        return plan_removal(p, name, &out->end);
}

static int plan_entering(struct plan *p) {
        struct launch_container *out = p->out;

        out->name = p->facts->session;
        out->create = p->facts->session_create;
        out->entered = true;
        if (begin(p) < 0)
                return -1;
        add(p, "exec");
        if (p->q->request->input)
                add(p, "--interactive");
        add_environment(p);
        add_two(p, "--workdir", p->q->host->cwd);
        add_two(p, out->name, "sh");
        add_command(p);
        if (end(p, &out->start) < 0)
                return -1;
        return call(p, &out->end, (const char *const[]){ "exec", out->name, "sh", "-c", KILL_ALL, NULL });
}

static int list_sources(struct plan *p) {
        const char **sources = arena_alloc(p->arena, (p->mounts.count + 1) * sizeof(*sources));
        size_t count = 0;

        if (!sources)
                return err_memory(p->err);
        for (size_t i = 0; i < p->mounts.count; i++)
                if (p->mounts.items[i].source)
                        sources[count++] = p->mounts.items[i].source;
        p->out->sources = sources;
        return 0;
}

static int plan_calls(struct plan *p) {
        struct launch_container *out = p->out;

        if ((p->facts->session ? plan_entering(p) : plan_own(p)) < 0 || make_passing_environment(p) < 0 || list_sources(p) < 0)
                return -1;
        if (call(p, &out->inspect, (const char *const[]){ "inspect", "--format", STATE_FORMAT, out->name, NULL }) < 0 ||
            (p->facts->sweep &&
             call(p, &out->list,
                  (const char *const[]){ "ps", "--all", "--no-trunc", "--filter", "label=io.bailey.container", "--format",
                                         "{{.Names}} {{.State}}", NULL }) < 0))
                return -1;
        return plan_removal(p, NULL, &out->remove);
}

/* ---- what is promised ---- */

static uint32_t guarantees_of(const struct plan *p, uint32_t *ret_waived) {
        const struct container_question *q = p->q;
        const struct container_policy *c = &q->policy->container;
        uint32_t guarantees = q->backend->guarantees & ~p->rulings.lost;
        bool all = false;

        *ret_waived = p->rulings.lost;
        for (size_t i = 0; i < c->drop_capabilities.count; i++)
                all = all || str_eq_nocase(c->drop_capabilities.items[i], STR("ALL"));
        if (!all || !c->no_new_privileges) {
                guarantees &= ~(uint32_t)GUARANTEE_PRIVILEGES;
                *ret_waived |= GUARANTEE_PRIVILEGES;
        }
        if (c->network_mode != CONTAINER_NETWORK_NONE)
                guarantees &= ~(uint32_t)GUARANTEE_NETWORK;
        if (c->network_mode == CONTAINER_NETWORK_HOST) {
                guarantees &= ~(uint32_t)(GUARANTEE_LOCALHOST | GUARANTEE_SOCKETS);
                *ret_waived |= GUARANTEE_SOCKETS;
        }
        /* What is mounted may hold sockets of the host, now or later, and nothing in an engine tells them apart. */
        if (!q->backend->own_kernel || q->engine->gvisor_sockets) {
                guarantees &= ~(uint32_t)GUARANTEE_SOCKETS;
                *ret_waived |= GUARANTEE_SOCKETS;
        }
        /* What a command leaves in a container that goes on is that of the same user: it cannot be kept from what ends it. */
        if (p->facts->session) {
                guarantees &= ~(uint32_t)(GUARANTEE_KILL | GUARANTEE_TMP);
                *ret_waived |= GUARANTEE_KILL | GUARANTEE_TMP;
        }
        if (!q->engine->seccomp && !q->backend->own_kernel)
                guarantees &= ~(uint32_t)GUARANTEE_SYSCALLS;
        return guarantees;
}

/* What a container has no way to keep. */
static int check_policy(const struct container_question *q, struct err *err) {
        const struct sandbox_policy *sandbox = &q->policy->sandbox;

        if (sandbox->syscalls == SYSCALLS_STRICT)
                return err_set(err, ERR_UNSUPPORTED, "policy not supported: %s does not support syscall_policy = \"strict\"",
                               q->backend->name);
        if (sandbox->unix_sockets == UNIX_SOCKETS_DENY)
                return err_set(err, ERR_UNSUPPORTED, "policy not supported: %s does not support unix_sockets = \"deny\"",
                               q->backend->name);
        if (sandbox->max_cpu_secs && sandbox->require_limits && q->backend->own_kernel)
                return err_set(err, ERR_UNSUPPORTED, "max_cpu_secs cannot be enforced: gvisor does not support it");
        return 0;
}

static int check_image(struct plan *p) {
        const struct container_policy *c = &p->q->policy->container;
        struct image image;

        if (image_read(c->image, &image, p->err) < 0)
                return err_context(p->err, "container.image");
        if (!image_trusted(&image, &c->trusted_registries))
                return err_set(p->err, ERR_INVALID,
                               "container.image %.*s: refused because %.*s is not in container.trusted_registries",
                               (int)c->image.len, c->image.ptr, (int)image.registry.len, image.registry.ptr);
        p->image = image_full_name(&image, p->arena);
        return p->image ? 0 : err_memory(p->err);
}

/* Everything that can be wrong before anything is said to the engine. */
static int check(struct plan *p) {
        const struct policy *policy = p->q->policy;

        if (check_image(p) < 0 || check_policy(p->q, p->err) < 0 ||
            mounts_container(policy, p->q->host, p->arena, &p->mounts, p->err) < 0)
                return -1;
        return container_rules_check(policy, p->q->host, &p->mounts, p->arena, &p->rulings, p->err);
}

int container_plan(const struct container_question *q, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch_container *out = ARENA_NEW(arena, struct launch_container);
        struct plan p = { .q = q, .facts = q->host->containers, .arena = arena, .out = out, .err = err };
        struct launch launch = {
                .backend = q->backend->name,
                .container = out,
                .program = q->request->program,
                .argv = q->request->argv,
                .envp = q->request->envp,
                .cwd = q->host->cwd,
        };

        if (!out)
                return err_memory(err);
        if (check(&p) < 0 || plan_calls(&p) < 0)
                return -1;
        out->warnings = (const char *const *)arena_alloc(arena, sizeof(p.rulings.warnings) + sizeof(char *));
        if (!out->warnings)
                return err_memory(err);
        memcpy((void *)out->warnings, p.rulings.warnings, sizeof(p.rulings.warnings));
        launch.guarantees = guarantees_of(&p, &launch.waived);
        launch.limits_ignored = ignores_cpu(&p) ? (uint32_t)IGNORED_CPU : 0;
        *ret = launch;
        return 0;
}

int container_plan_session(const struct container_question *q, const char *name, struct arena *arena,
                           struct container_session *ret, struct err *err) {
        struct launch_container out = {};
        struct container_session session;
        struct plan p = { .q = q, .facts = q->host->containers, .arena = arena, .out = &out, .err = err };

        if (check(&p) < 0 || begin(&p) < 0)
                return -1;
        add_two(&p, "run", "--detach");
        if (add_container(&p, name, false, "none") < 0)
                return -1;
        add_two(&p, "--entrypoint", "sh");
        add(&p, p.image);
        add_two(&p, "-c", IDLE);
        if (end(&p, &session.create) < 0 || plan_removal(&p, name, &session.remove) < 0)
                return -1;
        session.mounts = p.mounts;
        *ret = session;
        return 0;
}
