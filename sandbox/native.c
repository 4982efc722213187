/*
 * native: namespaces, mounts, Landlock and the system call filter, all made by our own launcher.
 */
#include "sandbox/backend.h"
#include "sandbox/mounts.h"

static int native_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                       const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct launch launch;
        struct mount_list mounts;
        bool inherit = policy->sandbox.network == NETWORK_INHERIT;
        const struct mount_means means = { .overlays = !host->home.no_overlay, .maps = host->id_base && !host->no_identity };

        if (plan_common(policy, host, request, plan_socket_flags(host), arena, &launch, err) < 0 ||
            mounts_compile(policy, host, &means, arena, &mounts, err) < 0 ||
            mounts_landlock(&mounts, arena, &launch.landlock, err) < 0 ||
            plan_broker(policy, host, &mounts, arena, &launch, err) < 0 || plan_egress(policy, arena, &launch, err) < 0)
                return -1;
        launch.id_base = means.maps ? host->id_base : 0;
        plan_notices(policy, host, &launch);
        launch.backend = backend->name;
        launch.guarantees = plan_guarantees(backend, policy);
        launch.namespaces = inherit ? LAUNCH_NAMESPACES : LAUNCH_NAMESPACES_AND_NET;
        launch.own_pids = true;
        launch.hostname = LAUNCH_HOSTNAME;
        launch.mounts = mounts.items;
        launch.mount_count = mounts.count;
        *ret = launch;
        return 0;
}

const struct backend backend_native = {
        .name = "native",
        .id = BACKEND_NATIVE,
        .shares_tmp = true,
        .stages = true,
        .own_home = true,
        .terminal = true,
        .brokers = true,
        .automatic = true,
        .guarantees = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_TMP | GUARANTEE_NETWORK |
                      GUARANTEE_LOCALHOST | GUARANTEE_SOCKETS | GUARANTEE_SYSCALLS | GUARANTEE_PROCESSES |
                      GUARANTEE_PROCESS_LIST | GUARANTEE_KILL | GUARANTEE_ROOT | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA |
                      GUARANTEE_HOSTS | GUARANTEE_IDENTITY,
        .summary = "namespaces, Landlock and seccomp, set up by bailey",
        .remedy = "use Linux 5.12 or later and allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, "
                  "user.max_user_namespaces above 0, and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a "
                  "container, use a seccomp profile that allows them",
        .limits = "enforced by a cgroup if available; otherwise best effort: memory per process, processes per user",
        .plan = native_plan,
};
