#include "sandbox/backend.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "sandbox/seccomp.h"

const struct backend *const backends[] = { &backend_native, &backend_bwrap, &backend_landlock, &backend_none };
const size_t backend_count = sizeof(backends) / sizeof(*backends);

const struct backend *backend_find(enum sandbox_backend id) {
        for (size_t i = 0; i < backend_count; i++)
                if (backends[i]->id == id)
                        return backends[i];
        return NULL;
}

/* ---- walls ---- */

/* In the order of the bits. */
static const struct {
        const char *name, *text;
} walls[WALL_COUNT] = {
        { "writes", "nothing is written outside the workspace" },
        { "reads", "credential stores and other homes cannot be read" },
        { "protect", "files in the workspace that run later on the host, and what is denied there, stay as they are" },
        { "tmp", "/tmp, /var/tmp and /dev/shm are private and limited" },
        { "network", "no network" },
        { "localhost", "a localhost of its own" },
        { "sockets", "unix sockets of the host are out of reach" },
        { "syscalls", "a system call filter" },
        { "processes", "processes outside can be neither signalled nor traced" },
        { "process-list", "processes outside cannot be seen" },
        { "kill", "nothing outlives the command" },
        { "root", "a minimal root" },
        { "privileges", "no capabilities, no set-user-id programs, no kernel settings" },
        { "metadata", "modes, owners and times of files outside stay as they are" },
};

static size_t wall_index(enum wall wall) {
        size_t i = 0;

        while (i + 1 < WALL_COUNT && wall != 1U << i)
                i++;
        return i;
}

const char *wall_name(enum wall wall) {
        return walls[wall_index(wall)].name;
}

const char *wall_text(enum wall wall) {
        return walls[wall_index(wall)].text;
}

static bool within_writable(const struct policy *policy, const struct host *host, const char *path) {
        const struct protected_paths *git = &host->protection.git_write;

        for (size_t i = 0; i < host->write.count; i++)
                if (path_within(path, host->write.items[i].path))
                        return true;
        if (!policy->sandbox.workspace_write)
                return false;
        for (size_t i = 0; i < git->count; i++)
                if (path_within(path, git->items[i].path))
                        return true;
        return path_within(path, host->workspace);
}

/* A path to deny inside something that can be written. Below what can only be read, all else is granted instead; a socket is
 * out of reach otherwise where it cannot be hidden. */
static bool denies_inside(const struct policy *policy, const struct host *host) {
        if (policy->sandbox.workspace_write && policy->sandbox.protect_workspace && host->protection.read_only.count)
                return true;
        for (size_t i = 0; i < host->write_deny.count; i++)
                if (within_writable(policy, host, host->write_deny.items[i].path))
                        return true;
        for (size_t i = 0; i < host->masks.count; i++)
                if (!host->masks.items[i].socket && within_writable(policy, host, host->masks.items[i].path))
                        return true;
        return false;
}

uint32_t sandbox_needs(const struct policy *policy, const struct host *host) {
        uint32_t needs = WALL_WRITES | WALL_READS | WALL_SOCKETS | WALL_SYSCALLS | WALL_PROCESSES | WALL_KILL | WALL_PRIVILEGES;

        if (policy->sandbox.network != NETWORK_INHERIT)
                needs |= WALL_NETWORK;
        if (policy->sandbox.root == ROOT_MINIMAL)
                needs |= WALL_ROOT;
        if (denies_inside(policy, host))
                needs |= WALL_PROTECT;
        return needs;
}

static int refuse(const struct backend *backend, uint32_t missing, struct err *err) {
        char text[400];
        size_t used = 0;

        for (uint32_t i = 0; i < WALL_COUNT; i++)
                if (missing & 1U << i && used < sizeof(text))
                        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "; " : "", walls[i].text);
        return err_set(err, ERR_UNSUPPORTED, "policy not supported: %s cannot enforce: %s", backend->name, text);
}

int backend_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                 const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch;
        uint32_t missing;

        if (policy->sandbox.network == NETWORK_ALLOW_HOSTS)
                return err_set(err, ERR_INVALID,
                               "policy not supported: no backend can allow single hosts yet: set "
                               "sandbox.network to deny or inherit");
        if (backend->plan(policy, host, request, arena, &launch, err) < 0)
                return -1;
        /* Without any wall only when that was asked for twice. */
        missing = backend->id == BACKEND_NONE ? 0 : sandbox_needs(policy, host) & ~launch.walls;
        if (missing)
                return refuse(backend, missing, err);
        *ret = launch;
        return 0;
}

/* ---- what all have ---- */

/* Where nobody set a limit: enough for any build, and an end for a fork bomb of an ordinary user. */
enum { PIDS_UNLESS_SET = 4096 };

static void limit(struct launch *launch, int resource, int64_t value) {
        launch->limits[launch->limit_count++] = (struct launch_limit){ .resource = resource, .value = (uint64_t)value };
}

static int plan_limits(const struct sandbox_policy *sandbox, const struct host *host, struct launch *launch, struct err *err) {
        limit(launch, RLIMIT_CORE, 0);
        if (sandbox->max_cpu_secs)
                limit(launch, RLIMIT_CPU, sandbox->max_cpu_secs);
        if (sandbox->max_file_bytes)
                limit(launch, RLIMIT_FSIZE, sandbox->max_file_bytes);
        if (sandbox->max_open_files)
                limit(launch, RLIMIT_NOFILE, sandbox->max_open_files);
        if (sandbox->max_memory_bytes && host->groups & GROUP_MEMORY)
                launch->group.memory_bytes = sandbox->max_memory_bytes;
        else if (sandbox->max_memory_bytes && sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "max_memory_bytes cannot be enforced: no cgroup can be had here");
        else if (sandbox->max_memory_bytes)
                limit(launch, RLIMIT_AS, sandbox->max_memory_bytes);
        if (sandbox->max_pids && host->groups & GROUP_PIDS)
                launch->group.pids = sandbox->max_pids;
        else if (sandbox->max_pids && sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "max_pids cannot be enforced: no cgroup can be had here");
        else
                limit(launch, RLIMIT_NPROC, sandbox->max_pids ? sandbox->max_pids : PIDS_UNLESS_SET);
        return 0;
}

/* In the order of the bits of enum seccomp_flags. */
static const char *const seccomp_flag_names[] = { ", no unix sockets", ", no internet", ", own limits", ", no ipc" };

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
        };

        if (policy->sandbox.unix_sockets == UNIX_SOCKETS_DENY)
                seccomp_flags |= SECCOMP_NO_UNIX;
        launch.seccomp_name = seccomp_name(policy->sandbox.syscalls, seccomp_flags, arena);
        if (!launch.seccomp_name)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (plan_limits(&policy->sandbox, host, &launch, err) < 0 ||
            seccomp_compile(policy->sandbox.syscalls, seccomp_flags, SECCOMP_ARCH_HERE, arena, &launch.seccomp,
                            &launch.seccomp_count, err) < 0)
                return -1;
        *ret = launch;
        return 0;
}
