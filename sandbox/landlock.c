/*
 * landlock: for hosts without user namespaces. No mounts, so what is denied inside something allowed cannot be kept, and
 * /tmp is replaced by a private TMPDIR. The network is closed by the system call filter: no sockets at all but pairs.
 */
#include <string.h>

#include "sandbox/backend.h"
#include "sandbox/seccomp.h"

enum { LANDLOCK_WITH_SCOPES = 6 };

static const char *const writable_devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts" };

static int landlock_rules(const struct policy *policy, const struct host *host, struct arena *arena, struct landlock_plan *ret,
                          struct err *err) {
        size_t devices = sizeof(writable_devices) / sizeof(*writable_devices);
        size_t room = host->readable.count + host->write.count + host->protection.git_write.count + devices + 2, count = 0;
        struct landlock_rule *rules = arena_alloc(arena, room * sizeof(*rules));

        if (!rules)
                return err_set(err, ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < host->readable.count; i++)
                rules[count++] = (struct landlock_rule){ host->readable.items[i].path, GRANT_READ };
        for (size_t i = 0; i < devices; i++)
                rules[count++] = (struct landlock_rule){ writable_devices[i], GRANT_READ | GRANT_WRITE };
        for (size_t i = 0; i < host->write.count; i++)
                rules[count++] = (struct landlock_rule){ host->write.items[i].path, GRANT_READ | GRANT_WRITE };
        if (policy->sandbox.workspace_write) {
                rules[count++] = (struct landlock_rule){ host->workspace, GRANT_READ | GRANT_WRITE };
                for (size_t i = 0; i < host->protection.git_write.count; i++)
                        rules[count++] =
                                (struct landlock_rule){ host->protection.git_write.items[i].path, GRANT_READ | GRANT_WRITE };
        } else {
                rules[count++] = (struct landlock_rule){ host->workspace, GRANT_READ };
        }
        if (host->tmpdir)
                rules[count++] = (struct landlock_rule){ host->tmpdir, GRANT_READ | GRANT_WRITE };
        *ret = (struct landlock_plan){
                .wanted = true,
                .required = true,
                .deny_tcp = policy->sandbox.network != NETWORK_INHERIT,
                .rules = rules,
                .rule_count = count,
        };
        return 0;
}

static int landlock_plan(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                         struct arena *arena, struct launch *ret, struct err *err) {
        bool inherit = policy->sandbox.network == NETWORK_INHERIT;
        uint32_t flags = SECCOMP_NO_UNIX | (inherit ? 0 : SECCOMP_NO_INET);
        struct launch launch;

        if (host->landlock == 0)
                return err_set(err, ERR_UNSUPPORTED, "landlock: this kernel has none");
        if (plan_common(policy, host, request, flags, arena, &launch, err) < 0 ||
            landlock_rules(policy, host, arena, &launch.landlock, err) < 0)
                return -1;
        launch.backend = "landlock";
        launch.walls = backend_landlock.walls;
        if (host->landlock < LANDLOCK_WITH_SCOPES)
                launch.walls &= ~(uint32_t)WALL_PROCESSES; /* nothing keeps signals in */
        if (inherit)
                launch.walls &= ~(uint32_t)WALL_NETWORK;
        *ret = launch;
        return 0;
}

const struct backend backend_landlock = {
        .name = "landlock",
        .id = BACKEND_LANDLOCK,
        .automatic = true,
        .walls = WALL_WRITES | WALL_READS | WALL_NETWORK | WALL_SOCKETS | WALL_SYSCALLS | WALL_PROCESSES | WALL_KILL |
                 WALL_PRIVILEGES,
        .summary = "Landlock and seccomp, without namespaces",
        .remedy = "it needs Linux 6.12 with Landlock among the LSMs (boot with lsm=landlock,...)",
        .plan = landlock_plan,
};
