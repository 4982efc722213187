/*
 * sandbox-exec: for macOS. Its own program of that name reads a profile, confines itself by it, and becomes the command. There
 * are no namespaces, so what belongs to a command is found by its profile; launch/start_darwin.c does that.
 */
#include "sandbox/seatbelt.h"

#include <stdio.h>
#include <sys/resource.h>

#include "sandbox/backend.h"

static const char *first_ignored(uint32_t ignored) {
        return ignored & IGNORED_MEMORY ? "max_memory_bytes" : ignored & IGNORED_CPU ? "max_cpu_secs" : "max_pids";
}

/* What macOS cannot limit: there is no RLIMIT_AS worth its name, and no profile speaks of processor time. RLIMIT_NPROC counts
 * all processes of the user, who has more than most limits for a command before it begins. */
static int plan_limits(const struct sandbox_policy *sandbox, struct launch *launch, struct err *err) {
        const struct {
                int resource;
                int64_t value;
        } limits[] = {
                { RLIMIT_FSIZE, sandbox->max_file_bytes },
                { RLIMIT_NOFILE, sandbox->max_open_files },
        };

        launch->limits[launch->limit_count++] = (struct launch_limit){ .resource = RLIMIT_CORE };
        for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
                if (limits[i].value)
                        launch->limits[launch->limit_count++] =
                                (struct launch_limit){ limits[i].resource, (uint64_t)limits[i].value };
        launch->limits_ignored = (sandbox->max_memory_bytes ? (uint32_t)IGNORED_MEMORY : 0) |
                                 (sandbox->max_cpu_secs ? (uint32_t)IGNORED_CPU : 0) |
                                 (sandbox->max_pids ? (uint32_t)IGNORED_PIDS : 0);
        if (launch->limits_ignored && sandbox->require_limits)
                return err_set(err, ERR_UNSUPPORTED, "%s cannot be enforced: sandbox-exec has no such limit",
                               first_ignored(launch->limits_ignored));
        return 0;
}

static int check_policy(const struct sandbox_policy *sandbox, struct err *err) {
        if (network_is_filtered(sandbox->network))
                return err_set(err, ERR_INVALID,
                               "policy not supported: sandbox-exec has no rules for names of hosts: set sandbox.network to "
                               "deny or inherit");
        if (sandbox->syscalls == SYSCALLS_STRICT)
                return err_set(err, ERR_UNSUPPORTED,
                               "policy not supported: sandbox-exec has no system call filter: set sandbox.syscall_policy to "
                               "inherit");
        return 0;
}

/* The program is looked up in PATH by sandbox-exec itself, as execvp() does. */
static const char *const *wrap(const struct host *host, const struct sandbox_request *request, const char *profile,
                               struct arena *arena) {
        const char *const front[] = { host->sandbox_exec, "-f", profile, "--", request->program };
        size_t given = 0, count = 0;
        const char **argv;

        while (request->argv[given])
                given++;
        argv = arena_alloc(arena, (sizeof(front) / sizeof(*front) + given + 1) * sizeof(*argv));
        for (size_t i = 0; argv && i < sizeof(front) / sizeof(*front); i++)
                argv[count++] = front[i];
        for (size_t i = 1; argv && i < given; i++)
                argv[count++] = request->argv[i];
        return argv;
}

static int seatbelt_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                         const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch = {
                .backend = backend->name,
                .guarantees = backend->guarantees,
                .waived = GUARANTEE_SYSCALLS,
                .program = request->program,
                .argv = request->argv,
                .envp = request->envp,
                .cwd = host->cwd,
        };
        char path[4096];

        if (!host->sandbox_exec)
                return err_set(err, ERR_SYSTEM, "sandbox-exec: needs macOS");
        if (!host->tmpdir || snprintf(path, sizeof(path), "%s" SEATBELT_FILE, host->tmpdir) >= (int)sizeof(path))
                return err_set(err, ERR_SYSTEM, "sandbox-exec: there is no private directory for its profile");
        if (check_policy(&policy->sandbox, err) < 0 || host_check_workspace(host, err) < 0 ||
            plan_limits(&policy->sandbox, &launch, err) < 0 || seatbelt_profile(policy, host, arena, &launch.profile, err) < 0)
                return -1;
        if (policy->sandbox.network == NETWORK_INHERIT)
                launch.guarantees &= ~(uint32_t)GUARANTEE_NETWORK;
        launch.profile_path = arena_dup(arena, str_z(path));
        if (!launch.profile_path || !(launch.wrapper = wrap(host, request, launch.profile_path, arena)))
                return err_memory(err);
        *ret = launch;
        return 0;
}

const struct backend backend_sandbox_exec = {
        .name = "sandbox-exec",
        .id = BACKEND_SANDBOX_EXEC,
        .own_tmp = true,
        .guarantees = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_NETWORK | GUARANTEE_SOCKETS |
                      GUARANTEE_PROCESSES | GUARANTEE_KILL | GUARANTEE_ROOT | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA,
        .summary = "Seatbelt profile, for macOS",
        .remedy = "run bailey on macOS; there is no macOS binary yet",
        .verified = "only compared with golden files; never run, in CI or elsewhere",
        .limits = "not enforced",
        .plan = seatbelt_plan,
};
