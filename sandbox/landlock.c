/*
 * landlock: for hosts without user namespaces. No mounts, so what is denied inside something allowed cannot be kept, and
 * /tmp is replaced by a private TMPDIR. The network is closed by the system call filter: no sockets at all but pairs.
 */
#include <string.h>

#include "sandbox/backend.h"
#include "sandbox/seccomp.h"

/* What does not hold before a version of Landlock. */
static const struct {
        int version;
        uint32_t guarantees;
} younger[] = {
        { 3, GUARANTEE_WRITES }, /* files can be truncated */
        { 6,
          GUARANTEE_PROCESSES | GUARANTEE_KILL }, /* nothing keeps signals in, and what waits for the command could be killed */
};

/* All there is of /dev, with the fewest rights. No terminals: a command could open any that its user has, and read what is
 * typed there; but its own, if it has one, by the name that leads to no other. */
static const struct landlock_rule devices[] = {
        { "/dev/null", GRANT_USE },   { "/dev/zero", GRANT_USE },    { "/dev/full", GRANT_USE },
        { "/dev/random", GRANT_USE }, { "/dev/urandom", GRANT_USE },
};
enum { DEVICE_COUNT = sizeof(devices) / sizeof(*devices) };

#define OWN_TERMINAL "/dev/tty"

struct rules {
        const struct host *host;
        struct landlock_rule *items;
        size_t count;
};

/* Deny wins: what is masked, or in something that is, is not granted. */
static void add_rule(struct rules *rules, const char *path, uint32_t grant) {
        if (!host_masked_by(rules->host, path))
                rules->items[rules->count++] = (struct landlock_rule){ path, grant };
}

static int landlock_rules(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                          struct arena *arena, struct landlock_plan *ret, struct err *err) {
        const struct protected_paths *git = &host->protection.git_write;
        size_t room = host->readable.count + DEVICE_COUNT + host->write.count + git->count + 3;
        struct rules rules = { .host = host, .items = arena_alloc(arena, room * sizeof(*rules.items)) };

        if (!rules.items)
                return err_memory(err);
        for (size_t i = 0; i < host->readable.count; i++)
                add_rule(&rules, host->readable.items[i].path, GRANT_READ);
        for (size_t i = 0; i < DEVICE_COUNT; i++)
                add_rule(&rules, devices[i].path, devices[i].grant);
        if (request->terminal.wanted)
                add_rule(&rules, OWN_TERMINAL, GRANT_TERMINAL);
        for (size_t i = 0; i < host->write.count; i++)
                add_rule(&rules, host->write.items[i].path, GRANT_READ | GRANT_WRITE);
        if (policy->sandbox.workspace_write) {
                add_rule(&rules, host->workspace, GRANT_READ | GRANT_WRITE);
                for (size_t i = 0; i < git->count; i++)
                        add_rule(&rules, git->items[i].path, GRANT_READ | GRANT_WRITE);
        }
        if (host->tmpdir)
                rules.items[rules.count++] = (struct landlock_rule){ host->tmpdir, GRANT_READ | GRANT_WRITE };
        *ret = (struct landlock_plan){
                .wanted = true,
                .required = true,
                .deny_tcp = policy->sandbox.network != NETWORK_INHERIT,
                .rules = rules.items,
                .rule_count = rules.count,
        };
        return 0;
}

static int landlock_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                         const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        bool inherit = policy->sandbox.network == NETWORK_INHERIT;
        uint32_t flags = SECCOMP_NO_UNIX | SECCOMP_OWN_LIMITS | SECCOMP_NO_IPC | (inherit ? 0 : SECCOMP_NO_INET);
        struct launch launch;

        if (host->landlock == 0)
                return err_set(err, ERR_UNSUPPORTED, "landlock: not supported by this kernel");
        if (host_check_workspace(host, err) < 0 || plan_common(policy, host, request, flags, arena, &launch, err) < 0 ||
            landlock_rules(policy, host, request, arena, &launch.landlock, err) < 0)
                return -1;
        launch.backend = backend->name;
        launch.guarantees = backend->guarantees;
        for (size_t i = 0; i < sizeof(younger) / sizeof(*younger); i++)
                if (host->landlock < younger[i].version)
                        launch.guarantees &= ~younger[i].guarantees;
        if (inherit)
                launch.guarantees &= ~(uint32_t)GUARANTEE_NETWORK;
        *ret = launch;
        return 0;
}

const struct backend backend_landlock = {
        .name = "landlock",
        .id = BACKEND_LANDLOCK,
        .automatic = true,
        .own_tmp = true,
        .shares_tmp = true,
        .terminal = true,
        .guarantees = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_NETWORK | GUARANTEE_SOCKETS | GUARANTEE_SYSCALLS |
                      GUARANTEE_PROCESSES | GUARANTEE_KILL | GUARANTEE_PRIVILEGES,
        .summary = "Landlock and seccomp, without namespaces",
        .remedy = "use Linux 6.12 or later with Landlock among the LSMs (boot with lsm=landlock,...)",
        .limits = "enforced by a cgroup if available; otherwise best effort: memory per process, processes per user",
        .plan = landlock_plan,
};
