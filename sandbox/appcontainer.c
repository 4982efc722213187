/*
 * appcontainer: for Windows. The command runs as an AppContainer, which reaches nothing that does not name it, with a token
 * that has no privileges and Low integrity, in a job that ends with it. launch/start_windows.c carries it out.
 *
 * What it may use of the host's files is granted to this one container, and taken back afterwards. Windows cannot grant a
 * directory but for a part of it in a way that somebody here has seen hold; so what asks for that is refused.
 */
#include <string.h>

#include "sandbox/backend.h"

/* Administrators, Users, Authenticated Users: a parent's groups are no key. */
static const char *const disabled_groups[] = { "S-1-5-32-544", "S-1-5-32-545", "S-1-5-11", NULL };

static const char low_integrity[] = "S-1-16-4096";

/* internetClient, internetClientServer, privateNetworkClientServer */
static const char *const network_capabilities[] = { "S-1-15-3-1", "S-1-15-3-2", "S-1-15-3-3", NULL };
static const char *const no_capabilities[] = { NULL };

static int unsupported(struct err *err, const char *why) {
        return err_set(err, ERR_UNSUPPORTED, "policy not supported: appcontainer %s", why);
}

static int check_policy(const struct sandbox_policy *sandbox, struct err *err) {
        if (sandbox->syscalls == SYSCALLS_STRICT)
                return unsupported(err, "has no system call filter: set sandbox.syscall_policy to inherit");
        if (sandbox->unix_sockets == UNIX_SOCKETS_DENY)
                return unsupported(err, "cannot forbid sockets in the workspace: set sandbox.unix_sockets to allow");
        if (sandbox->root == ROOT_MINIMAL)
                return unsupported(err, "has no root of its own: set sandbox.root to host");
        if (sandbox->workspace_write && sandbox->protect_workspace)
                return unsupported(err, "cannot keep a part of a writable workspace as it is: set sandbox.protect_workspace or "
                                        "sandbox.workspace_write to false, or use the policy readonly");
        return 0;
}

/* ---- what it reaches ---- */

/* On each drive, what ALL APPLICATION PACKAGES may read. */
static const char *const shared_places[] = { "Windows", "Program Files", "Program Files (x86)" };

/* Is it in such a place, or does it contain one? `path` is /DRIVE/... */
static bool is_shared(const char *path) {
        struct str rest = str_z(strchr(path + 1, '/') ? strchr(path + 1, '/') + 1 : "");

        if (!rest.len)
                return true;
        for (size_t i = 0; i < sizeof(shared_places) / sizeof(*shared_places); i++)
                if (str_eq_nocase(str_take(rest, str_find(rest, '/')), str_z(shared_places[i])))
                        return true;
        return false;
}

static int check_masks(const struct host *host, struct err *err) {
        for (size_t i = 0; i < host->masks.count; i++)
                if (is_shared(host->masks.items[i].path))
                        return err_set(err, ERR_UNSUPPORTED,
                                       "policy not supported: appcontainer cannot keep %s from being read: all AppContainers "
                                       "may read it",
                                       host->masks.items[i].path);
        return 0;
}

/* A path to be denied that lies in one that is granted. */
static int check_denied(const struct host_paths *denied, const char *what, const char *granted, struct err *err) {
        for (size_t i = 0; i < denied->count; i++)
                if (path_within(denied->items[i].path, granted))
                        return err_set(err, ERR_UNSUPPORTED,
                                       "policy not supported: appcontainer cannot grant %s and keep %s from being %s: take the "
                                       "one or the other off its list",
                                       granted, denied->items[i].path, what);
        return 0;
}

static int add_grant(struct appcontainer_plan *plan, struct appcontainer_grant *grants, const struct host *host,
                     struct appcontainer_grant grant, struct err *err) {
        if (check_denied(&host->masks, "read", grant.path, err) < 0 ||
            (grant.write && check_denied(&host->write_deny, "written", grant.path, err) < 0))
                return -1;
        grants[plan->grant_count++] = grant;
        return 0;
}

static int plan_grants(const struct policy *policy, const struct host *host, struct arena *arena,
                       struct appcontainer_plan *plan, struct err *err) {
        struct appcontainer_grant *grants = arena_alloc(arena, (1 + host->read.count + host->write.count) * sizeof(*grants));
        struct appcontainer_grant workspace = { host->workspace, true, policy->sandbox.workspace_write };

        if (!grants)
                return err_memory(err);
        plan->grants = grants;
        if (add_grant(plan, grants, host, workspace, err) < 0)
                return -1;
        for (size_t i = 0; i < host->read.count; i++) {
                const struct host_path *p = &host->read.items[i];

                if (add_grant(plan, grants, host, (struct appcontainer_grant){ p->path, p->directory, false }, err) < 0)
                        return -1;
        }
        for (size_t i = 0; i < host->write.count; i++) {
                const struct host_path *p = &host->write.items[i];

                if (add_grant(plan, grants, host, (struct appcontainer_grant){ p->path, p->directory, true }, err) < 0)
                        return -1;
        }
        return 0;
}

/* Whoever can write a directory can connect to the unix sockets in it. */
static void give_up_sockets(const struct appcontainer_plan *plan, struct launch *launch) {
        for (size_t i = 0; i < plan->grant_count; i++)
                if (plan->grants[i].write) {
                        launch->guarantees &= ~(uint32_t)GUARANTEE_SOCKETS;
                        launch->waived |= GUARANTEE_SOCKETS;
                }
}

/* ---- its job ---- */

static int plan_job(const struct sandbox_policy *sandbox, struct appcontainer_plan *plan, struct launch *launch,
                    struct err *err) {
        plan->limits = APPCONTAINER_KILL_ON_CLOSE | APPCONTAINER_DIE_ON_EXCEPTION | APPCONTAINER_PRIORITY |
                       APPCONTAINER_ACTIVE_PROCESSES;
        plan->screen = APPCONTAINER_HANDLES | APPCONTAINER_READ_CLIPBOARD | APPCONTAINER_WRITE_CLIPBOARD |
                       APPCONTAINER_SYSTEM_PARAMETERS | APPCONTAINER_DISPLAY_SETTINGS | APPCONTAINER_GLOBAL_ATOMS |
                       APPCONTAINER_DESKTOP | APPCONTAINER_EXIT_WINDOWS;
        plan->active_processes = sandbox->max_pids ? (uint32_t)sandbox->max_pids : PIDS_UNLESS_SET;
        if (sandbox->max_memory_bytes) {
                plan->limits |= APPCONTAINER_PROCESS_MEMORY | APPCONTAINER_JOB_MEMORY;
                plan->memory_bytes = (uint64_t)sandbox->max_memory_bytes;
        }
        if (sandbox->max_cpu_secs) {
                plan->limits |= APPCONTAINER_PROCESS_TIME;
                plan->process_seconds = (uint64_t)sandbox->max_cpu_secs;
        }
        if (!sandbox->max_file_bytes && !sandbox->max_open_files)
                return 0;
        if (sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "%s cannot be enforced: Windows job objects have no such limit",
                               sandbox->max_file_bytes ? "max_file_bytes" : "max_open_files");
        launch->limits_ignored = IGNORED_FILES;
        return 0;
}

static int appcontainer_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                             const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct appcontainer_plan *plan = ARENA_NEW(arena, struct appcontainer_plan);
        bool network = policy->sandbox.network == NETWORK_INHERIT;
        struct launch launch = {
                .backend = backend->name,
                .guarantees = backend->guarantees & ~(network ? (uint32_t)GUARANTEE_NETWORK : 0),
                .waived = GUARANTEE_SYSCALLS,
                .appcontainer = plan,
                .program = request->program,
                .argv = request->argv,
                .envp = request->envp,
                .cwd = host->cwd,
        };

        if (!host->windows)
                return err_set(err, ERR_SYSTEM, "appcontainer: needs Windows");
        if (!plan)
                return err_memory(err);
        plan->capabilities = network ? network_capabilities : no_capabilities;
        plan->disabled_groups = disabled_groups;
        plan->integrity = low_integrity;
        if (check_policy(&policy->sandbox, err) < 0 || host_check_workspace(host, err) < 0 || check_masks(host, err) < 0 ||
            plan_grants(policy, host, arena, plan, err) < 0 || plan_job(&policy->sandbox, plan, &launch, err) < 0)
                return -1;
        give_up_sockets(plan, &launch);
        *ret = launch;
        return 0;
}

const struct backend backend_appcontainer = {
        .name = "appcontainer",
        .id = BACKEND_APPCONTAINER,
        .guarantees = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_NETWORK | GUARANTEE_SOCKETS | GUARANTEE_PROCESSES |
                      GUARANTEE_KILL | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA,
        .summary = "AppContainer in a job object, for Windows",
        .remedy = "run bailey.exe on Windows 10 or later; wine has no AppContainers",
        .verified = "its parts under wine, which has no AppContainers; never on Windows",
        .limits = "enforced by the job",
        .plan = appcontainer_plan,
};
