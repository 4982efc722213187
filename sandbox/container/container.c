/*
 * docker, podman, gvisor: an engine makes the walls. The three differ in which engine is called, and with which runtime.
 */
#include "sandbox/container/container.h"

#include <stddef.h>

#include "sandbox/backend.h"
#include "sandbox/container/container_plan.h"

const char *const engine_names[ENGINE_COUNT] = { [ENGINE_PODMAN] = "podman", [ENGINE_DOCKER] = "docker" };

const struct engine *engine_with_gvisor(const struct engines *engines, struct err *err) {
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

const struct engine *engine_of_backend(enum sandbox_backend id, const struct container_facts *facts, struct err *err) {
        const struct engine *engine;

        if (!facts) {
                err_set(err, ERR_UNSUPPORTED, "no container engine was looked for");
                return NULL;
        }
        if (id == BACKEND_GVISOR)
                return engine_with_gvisor(&facts->engines, err);
        engine = &facts->engines.at[id == BACKEND_DOCKER ? ENGINE_DOCKER : ENGINE_PODMAN];
        if (engine->answers)
                return engine;
        if (err)
                *err = engine->why;
        return NULL;
}

static int plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        struct container_question question = {
                .backend = backend,
                .engine = engine_of_backend(backend->id, host->containers, err),
                .policy = policy,
                .host = host,
                .request = request,
        };

        return question.engine ? container_plan(&question, arena, ret, err) : -1;
}

static int docker_plan(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                       struct arena *arena, struct launch *ret, struct err *err) {
        return plan(&backend_docker, policy, host, request, arena, ret, err);
}

static int podman_plan(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                       struct arena *arena, struct launch *ret, struct err *err) {
        return plan(&backend_podman, policy, host, request, arena, ret, err);
}

static int gvisor_plan(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                       struct arena *arena, struct launch *ret, struct err *err) {
        return plan(&backend_gvisor, policy, host, request, arena, ret, err);
}

enum {
        CONTAINER_WALLS = WALL_WRITES | WALL_READS | WALL_PROTECT | WALL_TMP | WALL_NETWORK | WALL_LOCALHOST | WALL_SYSCALLS |
                          WALL_PROCESSES | WALL_PROCESS_LIST | WALL_KILL | WALL_ROOT | WALL_PRIVILEGES | WALL_METADATA,
};

const struct backend backend_docker = {
        .name = "docker",
        .id = BACKEND_DOCKER,
        .walls = CONTAINER_WALLS,
        .summary = "a container of docker",
        .remedy = "install docker (apt install docker.io), start its daemon, and get an image: bailey container pull, or build",
        .limits = "enforced by the engine, and processors too; what it says that it cannot is reported",
        .plan = docker_plan,
};

const struct backend backend_podman = {
        .name = "podman",
        .id = BACKEND_PODMAN,
        .walls = CONTAINER_WALLS,
        .summary = "a container of podman",
        .remedy = "install podman (apt install podman), and get an image: bailey container pull, or build",
        .limits = "enforced by the engine, and processors too; not by rootless podman on cgroup v1, which is reported",
        .plan = podman_plan,
};

const struct backend backend_gvisor = {
        .name = "gvisor",
        .id = BACKEND_GVISOR,
        .walls = CONTAINER_WALLS | WALL_SOCKETS, /* its kernel connects to no socket of the host */
        .summary = "a container of docker or podman with a kernel of its own",
        .remedy = "install runsc (apt install runsc); for docker, register it as a runtime called runsc in daemon.json",
        .limits = "enforced by the engine, and processors too; max_cpu_secs is not, which is reported",
        .plan = gvisor_plan,
};
