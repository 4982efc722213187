/*
 * What the plans of Linux have in common.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "sandbox/backend.h"
#include "sandbox/mounts.h"
#include "sandbox/seccomp.h"
#include "sandbox/watched.h"

enum { LANDLOCK_SCOPES = 6 }; /* the version that keeps abstract sockets of others out of reach */

static void limit(struct launch *launch, int resource, int64_t value) {
        launch->limits[launch->limit_count++] = (struct launch_limit){ .resource = resource, .value = (uint64_t)value };
}

static int plan_limits(const struct sandbox_policy *sandbox, const struct host *host, struct launch *launch, struct err *err) {
        /* Of a core dump that a program outside is started for (a piped core_pattern), 0 would say nothing: the kernel takes
         * only 1 for "none at all". No file is so small. */
        limit(launch, RLIMIT_CORE, 1);
        if (sandbox->max_cpu_secs)
                limit(launch, RLIMIT_CPU, sandbox->max_cpu_secs);
        if (sandbox->max_file_bytes)
                limit(launch, RLIMIT_FSIZE, sandbox->max_file_bytes);
        if (sandbox->max_open_files)
                limit(launch, RLIMIT_NOFILE, sandbox->max_open_files);
        if (sandbox->max_memory_bytes && host->groups & GROUP_MEMORY)
                launch->group.memory_bytes = sandbox->max_memory_bytes;
        else if (sandbox->max_memory_bytes && sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "max_memory_bytes cannot be enforced: no cgroup is available");
        else if (sandbox->max_memory_bytes)
                limit(launch, RLIMIT_AS, sandbox->max_memory_bytes);
        if (sandbox->max_pids && host->groups & GROUP_PIDS)
                launch->group.pids = sandbox->max_pids;
        else if (sandbox->max_pids && sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "max_pids cannot be enforced: no cgroup is available");
        else
                limit(launch, RLIMIT_NPROC, sandbox->max_pids ? sandbox->max_pids : PIDS_UNLESS_SET);
        if (!launch->group.memory_bytes && !launch->group.pids)
                launch->share =
                        (struct launch_share){ .memory_percent = sandbox->user_memory_percent, .pids = sandbox->user_max_pids };
        return 0;
}

/* In the order of the bits of enum seccomp_flags. */
static const char *const seccomp_flag_names[] = { ", no unix sockets", ", no internet",       ", own limits",
                                                  ", no ipc",          ", no unix datagrams", ", no set-user-id" };

static const char *seccomp_name(enum syscall_policy policy, uint32_t flags, struct arena *arena) {
        char text[128];
        size_t used = (size_t)snprintf(text, sizeof(text), "%s", policy == SYSCALLS_STRICT ? "strict" : "inherit");

        for (uint32_t i = 0; i < sizeof(seccomp_flag_names) / sizeof(*seccomp_flag_names); i++)
                if (flags & 1U << i && used < sizeof(text))
                        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", seccomp_flag_names[i]);
        return arena_dup(arena, str_z(text));
}

int plan_common(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                uint32_t seccomp_flags, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch = {
                .program = request->program,
                .argv = request->argv,
                .envp = request->envp,
                .cwd = host->cwd,
                .terminal = request->terminal,
        };

        if (policy->sandbox.unix_sockets == UNIX_SOCKETS_DENY)
                seccomp_flags |= SECCOMP_NO_UNIX;
        if (host->uid == 0)
                seccomp_flags |= SECCOMP_NO_SETUID;
        if (seccomp_flags & SECCOMP_NO_UNIX)
                seccomp_flags &= ~(uint32_t)SECCOMP_UNIX_CONNECTED;
        launch.seccomp_name = seccomp_name(policy->sandbox.syscalls, seccomp_flags, arena);
        if (!launch.seccomp_name)
                return err_memory(err);
        if (plan_limits(&policy->sandbox, host, &launch, err) < 0 ||
            seccomp_compile(policy->sandbox.syscalls, seccomp_flags, SECCOMP_ARCH_HERE, arena, &launch.seccomp,
                            &launch.seccomp_count, err) < 0)
                return -1;
        *ret = launch;
        return 0;
}

uint32_t plan_guarantees(const struct backend *backend, const struct policy *policy) {
        uint32_t guarantees = backend->guarantees;

        if (policy->sandbox.network == NETWORK_INHERIT)
                guarantees &= ~(uint32_t)(GUARANTEE_NETWORK | GUARANTEE_LOCALHOST);
        return guarantees & ~(uint32_t)(plan_has_egress(policy) ? GUARANTEE_NETWORK : GUARANTEE_HOSTS);
}

/* ---- unix sockets ---- */

uint32_t plan_socket_flags(const struct host *host) {
        /* pid 1 writes for the command (launch/broker_rename.c), which must not be stopped in the middle of that */
        return (host->no_broker ? SECCOMP_NO_UNIX : SECCOMP_UNIX_CONNECTED) | SECCOMP_OWN_LIMITS;
}

/* Those of the mount list that hold nothing of the host, as they are in the end. */
static const char *const *private_places(const struct mount_list *mounts, struct arena *arena) {
        const char **places = arena_alloc(arena, (mounts->count + 2) * sizeof(*places));
        size_t count = 0;

        for (size_t i = 0; places && i < mounts->count; i++) {
                const struct mount_step *step = &mounts->items[i];

                if ((step->kind == MOUNT_TMPFS || step->kind == MOUNT_SESSION_TMP) && !mounts_cover(mounts, i, step->target))
                        places[count++] = step->target;
                if (step->kind == MOUNT_DEV && !mounts_cover(mounts, i, "/dev/shm"))
                        places[count++] = "/dev/shm";
        }
        if (places)
                places[count] = NULL;
        return places;
}

static const char *const *listed_sockets(const struct host *host, struct arena *arena) {
        const char **paths = arena_alloc(arena, (host->sockets.count + 1) * sizeof(*paths));

        for (size_t i = 0; paths && i < host->sockets.count; i++)
                paths[i] = host->sockets.items[i].path;
        if (paths)
                paths[host->sockets.count] = NULL;
        return paths;
}

static int plan_connect(const struct policy *policy, const struct host *host, const struct mount_list *mounts,
                        struct arena *arena, struct broker_plan *broker, struct err *err) {
        bool inherit = policy->sandbox.network == NETWORK_INHERIT;

        if (policy->sandbox.unix_sockets == UNIX_SOCKETS_DENY)
                return 0;
        broker->calls |= BROKER_CONNECT;
        broker->own_network = !inherit;
        broker->abstract = !inherit || host->landlock >= LANDLOCK_SCOPES;
        broker->private_places = private_places(mounts, arena);
        broker->sockets = listed_sockets(host, arena);
        return broker->private_places && broker->sockets ? 0 : err_memory(err);
}

/* ---- git configs ---- */

/* The workspace, and git directories of it that lie elsewhere. */
static const char *root_of(const struct protection *protection, const char *path) {
        if (path_within(path, protection->workspace))
                return protection->workspace;
        for (size_t i = 0; i < protection->git_write.count; i++)
                if (path_within(path, protection->git_write.items[i].path))
                        return protection->git_write.items[i].path;
        return NULL;
}

/* False: there are too many already. */
static bool add_root(const char **roots, const char *root) {
        size_t count = 0;

        for (; roots[count]; count++)
                if (strcmp(roots[count], root) == 0)
                        return true;
        if (count < BROKER_ROOTS_MAX)
                roots[count] = root;
        return count < BROKER_ROOTS_MAX;
}

static int plan_rename(const struct policy *policy, const struct host *host, struct arena *arena, struct broker_plan *broker,
                       struct err *err) {
        const struct protection *protection = &host->protection;
        const struct protected_paths *covered = &protection->read_only;
        const char **configs, **roots;
        size_t count = 0;

        if (!policy->sandbox.workspace_write || !policy->sandbox.protect_workspace || protection->sealed ||
            host->staged) /* it would write in the workspace itself */
                return 0;
        configs = arena_alloc(arena, (covered->count + 1) * sizeof(*configs));
        roots = arena_alloc(arena, (BROKER_ROOTS_MAX + 1) * sizeof(*roots));
        if (!configs || !roots)
                return err_memory(err);
        for (size_t i = 0; i < covered->count; i++) {
                const struct protected_path *item = &covered->items[i];
                const char *root = item->kind == PROTECTED_CONFIG && !item->link && !item->directory
                                           ? root_of(protection, item->path)
                                           : NULL;

                if (root && add_root(roots, root))
                        configs[count++] = item->path;
        }
        if (!count)
                return 0;
        broker->calls |= BROKER_RENAME;
        broker->workspace = protection->workspace;
        broker->configs = configs;
        broker->roots = roots;
        return 0;
}

/* ---- brokers ---- */

int plan_broker(const struct policy *policy, const struct host *host, const struct mount_list *mounts, struct arena *arena,
                struct launch *launch, struct err *err) {
        static const char *const none[] = { NULL };
        struct broker_plan broker = {
                .private_places = none, .sockets = none, .workspace = "", .configs = none, .roots = none
        };
        const char *names[WATCHED_MAX + 8];
        size_t count = 0;

        if (host->no_broker)
                return 0;
        if (host->evidence)
                broker.calls |= BROKER_EVIDENCE;
        if (plan_connect(policy, host, mounts, arena, &broker, err) < 0 || plan_rename(policy, host, arena, &broker, err) < 0)
                return -1;
        if (!broker.calls)
                return 0;
        if (broker.calls & BROKER_CONNECT)
                names[count++] = "connect";
        if (broker.calls & BROKER_RENAME) {
                names[count++] = "rename"; /* which not every architecture has */
                names[count++] = "renameat";
                names[count++] = "renameat2";
        }
        for (size_t i = 0; host->evidence && i < watched_count; i++)
                names[count++] = watched_calls[i].name;
        names[count] = NULL;
        if (seccomp_compile_reports(names, SECCOMP_ARCH_HERE, arena, &broker.filter, &broker.filter_count, err) < 0)
                return -1;
        launch->broker = broker;
        return 0;
}

/* ---- what a kernel lacks ---- */

void plan_notices(const struct policy *policy, const struct host *host, struct launch *launch) {
        bool allow = policy->sandbox.unix_sockets != UNIX_SOCKETS_DENY;
        size_t count = 0;

        if (host->no_broker && allow)
                launch->notices[count++] = host->no_broker;
        if (host->landlock == 0)
                launch->notices[count++] =
                        "this kernel has no Landlock: commands can write to pipes (FIFOs) outside the workspace "
                        "that their user may write to";
        if (host->landlock < LANDLOCK_SCOPES && !host->no_broker && allow && policy->sandbox.network == NETWORK_INHERIT)
                launch->notices[count++] =
                        "this kernel's Landlock has no scopes (Linux 6.12): with the host's network, commands "
                        "cannot connect to abstract unix sockets, not even their own";
        if (host->uid == 0 && !launch->id_base && host->no_identity)
                launch->notices[count++] = host->no_identity;
}
