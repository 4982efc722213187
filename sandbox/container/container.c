/*
 * docker, podman, gvisor: an engine sets up the sandbox. The three differ in which engine is called, and with which runtime.
 */
#include "sandbox/container/container.h"

#include <stddef.h>

#include "sandbox/backend.h"
#include "sandbox/container/container_plan.h"

const char *const engine_names[ENGINE_COUNT] = { [ENGINE_PODMAN] = "podman", [ENGINE_DOCKER] = "docker" };

static const struct engine *engine_with_gvisor(const struct engines *engines, struct err *err) {
        const struct engine *docker = &engines->at[ENGINE_DOCKER], *podman = &engines->at[ENGINE_PODMAN];

        if (docker->answers && docker->gvisor)
                return docker;
        if (podman->answers && podman->gvisor)
                return podman;
        if (!docker->answers && !podman->answers)
                err_set(err, ERR_UNSUPPORTED, "gvisor: neither docker nor podman answers: %s", docker->why.msg);
        else if (docker->answers)
                err_set(err, ERR_UNSUPPORTED, "gvisor: docker has no runtime called runsc");
        else
                err_set(err, ERR_UNSUPPORTED,
                        podman->rootless ? "gvisor: runsc does not work under rootless podman"
                                         : "gvisor: runsc is not installed");
        return NULL;
}

const struct engine *engine_of_backend(const struct backend *backend, const struct engines *engines, struct err *err) {
        if (backend->own_kernel)
                return engine_with_gvisor(engines, err);
        for (uint32_t i = 0; i < ENGINE_COUNT; i++) {
                if (!(backend->engines & 1U << i))
                        continue;
                if (engines->at[i].answers)
                        return &engines->at[i];
                if (err)
                        *err = engines->at[i].why;
        }
        return NULL;
}

static int plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct container_question question = {
                .backend = backend,
                .policy = policy,
                .host = host,
                .request = request,
        };

        if (!host->containers)
                return err_set(err, ERR_UNSUPPORTED, "container engines were not probed");
        question.engine = engine_of_backend(backend, &host->containers->engines, err);
        return question.engine ? container_plan(&question, arena, ret, err) : -1;
}

enum {
        CONTAINER_GUARANTEES = GUARANTEE_WRITES | GUARANTEE_READS | GUARANTEE_PROTECT | GUARANTEE_TMP | GUARANTEE_NETWORK |
                               GUARANTEE_LOCALHOST | GUARANTEE_SYSCALLS | GUARANTEE_PROCESSES | GUARANTEE_PROCESS_LIST |
                               GUARANTEE_KILL | GUARANTEE_ROOT | GUARANTEE_PRIVILEGES | GUARANTEE_METADATA,
};

const struct backend backend_docker = {
        .name = "docker",
        .id = BACKEND_DOCKER,
        .engines = 1U << ENGINE_DOCKER,
        .runtime = RUNTIME_DOCKER,
        .guarantees = CONTAINER_GUARANTEES,
        .summary = "docker container",
        .remedy = "install docker (apt install docker.io), start its daemon, and run `bailey container pull` or `bailey "
                  "container build`",
        .limits = "memory, processes and processors: enforced by the engine; limits that it does not support are reported",
        .plan = plan,
};

const struct backend backend_podman = {
        .name = "podman",
        .id = BACKEND_PODMAN,
        .engines = 1U << ENGINE_PODMAN,
        .runtime = RUNTIME_PODMAN,
        .guarantees = CONTAINER_GUARANTEES,
        .summary = "podman container",
        .remedy = "install podman (apt install podman), and run `bailey container pull` or `bailey container build`",
        .limits = "memory, processes and processors: enforced by the engine, except by rootless podman on cgroup v1 (reported)",
        .plan = plan,
};

const struct backend backend_gvisor = {
        .name = "gvisor",
        .id = BACKEND_GVISOR,
        .engines = 1U << ENGINE_DOCKER | 1U << ENGINE_PODMAN,
        .runtime = RUNTIME_GVISOR,
        .own_kernel = true,
        .guarantees = CONTAINER_GUARANTEES | GUARANTEE_SOCKETS, /* its kernel connects to no socket of the host */
        .summary = "docker or podman container with the gVisor kernel",
        .remedy = "install runsc (apt install runsc); for docker, register it as a runtime called runsc in daemon.json",
        .limits = "memory, processes and processors: enforced by the engine; max_cpu_secs is not (reported)",
        .plan = plan,
};
