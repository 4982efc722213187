/*
 * Runs a test command in every backend, and reports the results.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/choose.h"
#include "engine/pipeline/containers.h"
#include "engine/pipeline/credentials.h"
#include "engine/policy.h"
#include "include/bailey.h"
#include "launch/cgroup.h"
#include "run/job.h"
#include "run/tmpdir.h"
#include "sandbox/backend.h"
#include "sandbox/host_parts.h"

/* A busy engine takes its time to make a container. */
enum { TRY_SECONDS = 10, TRY_CONTAINER_SECONDS = 30 };

struct finding {
        const struct backend *backend;
        bool works;    /* a command ran in it */
        bool enforces; /* and it has all that the policy needs */
        uint32_t guarantees;
        uint32_t wanted, held; /* enum engine_limit: of a container, as in struct launch_container */
        const char *notice;
        struct err err;
};

struct doctor {
        struct arena arena;
        const struct policy *policy;
        const char *program;
        struct host host;
        struct tmpdir tmpdir;
        struct containers *containers;
        const char *const *environment;
        struct backend_choice choice;
        uint32_t needs, groups;
        struct finding findings[16];
        const struct finding *chosen;
        struct err err;
};

/* How connections are caught. */
static void note_sockets(void *context, struct egress_sockets *sockets) {
        bool *unseen = context;

        *unseen = !sockets->transparent;
        for (size_t i = 0; i < sockets->count; i++)
                fd_close(sockets->items[i].fd);
}

static const char *unseen_text(struct doctor *d, const struct launch_egress *egress) {
        BUF_AUTO text;

        buf_init(&text, 4096);
        launch_print_unseen(egress, &text);
        return text.failed ? NULL : arena_dup(&d->arena, buf_str(&text));
}

static int try_once(struct doctor *d, const struct backend *backend, struct finding *f) {
        static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };
        struct sandbox_request request = { .program = host_places.idle[0], .argv = host_places.idle, .envp = envp };
        struct container_facts facts;
        struct launch launch;
        struct outcome outcome;
        struct err missing = {};
        bool unseen = false;
        struct job_setup setup = { .launch = &launch,
                                   .timeout = TRY_SECONDS * TIME_SECOND,
                                   .cancel_fd = -1,
                                   .epoll_fd = -1,
                                   .egress = note_sockets,
                                   .egress_context = &unseen };

        if (backend->id == BACKEND_LANDLOCK && host_open_up(&d->host, &d->arena, &f->err) < 0)
                return -1;
        if (backend->own_tmp && !d->host.tmpdir && tmpdir_make(&d->tmpdir, &d->arena, &d->host.tmpdir, &f->err) < 0)
                return -1;
        if (backend->engines) {
                if (containers_facts(d->containers, backend, d->environment, &d->arena, &facts, &f->err) < 0)
                        return -1;
                setup.timeout = TRY_CONTAINER_SECONDS * TIME_SECOND;
                d->host.containers = &facts;
        }
        if (backend_compile(backend, d->policy, &d->host, &request, &d->arena, &launch, &f->err) < 0)
                return -1;
        f->guarantees = launch.guarantees;
        f->wanted = launch.container ? launch.container->limits_wanted : 0;
        f->held = launch.container ? launch.container->limits : 0;
        if (job_run(&setup, &outcome, &f->err) < 0)
                return -1;
        if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0)
                return err_set(&f->err, ERR_SYSTEM, "a test command ended with status %d", outcome.status);
        f->works = true;
        f->notice = unseen && launch.egress.wanted ? unseen_text(d, &launch.egress) : NULL;
        if (!f->notice && launch.egress.host_port_count && d->policy->sandbox.network_credential_count &&
            credentials_check(d->host.self, &missing) < 0)
                f->notice = arena_dup(&d->arena, str_z(missing.msg));
        f->enforces = backend->id != BACKEND_NONE && (d->needs & ~launch.guarantees & ~launch.waived) == 0;
        return 0;
}

/* As commands do: where owners cannot be mapped, root's are root. */
static void try_backend(struct doctor *d, const struct backend *backend, struct finding *f) {
        if (try_once(d, backend, f) == 0 || f->err.code != ERR_NO_IDENTITY)
                return;
        d->host.no_identity = arena_dup(&d->arena, str_z(f->err.msg));
        f->err = (struct err){};
        try_once(d, backend, f);
}

/* What a command would run in: the first of those that may be tried. */
static void choose(struct doctor *d) {
        if (backend_choose(d->policy, d->environment, &d->choice, &d->err) < 0)
                return;
        for (size_t i = 0; i < d->choice.count && !d->chosen; i++)
                for (size_t j = 0; j < backend_count; j++)
                        if (d->findings[j].backend == d->choice.items[i] && d->findings[j].enforces)
                                d->chosen = &d->findings[j];
}

static int examine(struct doctor *d, const char *const *environment) {
        struct host_question question = { .environment = environment, .program = d->program, .force = true };

        question.workspace = d->policy->workspace.len ? arena_dup(&d->arena, d->policy->workspace) : NULL;
        if (host_gather(d->policy, &question, &d->arena, &d->host, &d->err) < 0)
                return -1;
        d->groups = cgroup_probe();
        d->needs = sandbox_needs(d->policy, &d->host);
        for (size_t i = 0; i < backend_count; i++) {
                d->findings[i].backend = backends[i];
                try_backend(d, backends[i], &d->findings[i]);
        }
        choose(d);
        return 0;
}

/* ---- limits ---- */

enum { LIMITS = 3 };

static const struct {
        const char *name, *text;
        uint32_t engine, group; /* enum engine_limit, CGROUP_*; 0: only containers have it */
} limits[LIMITS] = {
        { "memory", "memory", ENGINE_MEMORY, CGROUP_MEMORY },
        { "pids", "processes", ENGINE_PIDS, CGROUP_PIDS },
        { "cpus", "processors", ENGINE_CPUS, 0 },
};

struct held {
        enum bailey_limit_state state;
        const char *how;
};

static struct held held_by_engine(const struct finding *f, uint32_t limit) {
        if (!(f->wanted & limit))
                return (struct held){ BAILEY_LIMIT_NONE, "as set in the policy" };
        return f->held & limit ? (struct held){ BAILEY_LIMIT_ENFORCED, "by the engine" }
                               : (struct held){ BAILEY_LIMIT_NOT_ENFORCED, "the engine does not support it" };
}

/* Returns how a backend that works here enforces a limit. */
static struct held how_held(const struct doctor *d, const struct finding *f, size_t limit) {
        if (f->backend->engines)
                return held_by_engine(f, limits[limit].engine);
        if (f->backend->id == BACKEND_SANDBOX_EXEC)
                return (struct held){ BAILEY_LIMIT_NOT_ENFORCED, "macOS has no such limit" };
        if (f->backend->id == BACKEND_APPCONTAINER)
                return (struct held){ BAILEY_LIMIT_ENFORCED, "by a job" };
        if (d->groups & limits[limit].group)
                return (struct held){ BAILEY_LIMIT_ENFORCED, "by a cgroup" };
        if (limits[limit].group == CGROUP_MEMORY)
                return (struct held){ BAILEY_LIMIT_BEST_EFFORT, "per process" };
        return d->host.uid ? (struct held){ BAILEY_LIMIT_BEST_EFFORT, "per user" }
                           : (struct held){ BAILEY_LIMIT_NONE, "root without a cgroup" };
}

static int put_limits(struct doctor *d, const struct finding *f, struct bailey_backend *ret) {
        struct bailey_backend_limit *list = arena_alloc(&d->arena, LIMITS * sizeof(*list));
        size_t count = 0;

        for (size_t i = 0; list && i < LIMITS; i++) {
                struct held held = how_held(d, f, i);

                if (limits[i].group || f->backend->engines)
                        list[count++] = (struct bailey_backend_limit){ limits[i].name, limits[i].text, held.state, held.how };
        }
        ret->limits = list;
        ret->limit_count = count;
        return list ? 0 : -1;
}

/* ---- the answer ---- */

static int put_capabilities(struct doctor *d, const struct finding *f, struct bailey_backend *ret) {
        struct bailey_capability *list = arena_alloc(&d->arena, GUARANTEE_COUNT * sizeof(*list));
        uint32_t enforced = f->works ? f->guarantees : 0;

        if (enforced & GUARANTEE_NETWORK) /* none is even less than listed hosts */
                enforced |= GUARANTEE_HOSTS;
        for (uint32_t i = 0; list && i < GUARANTEE_COUNT; i++) {
                enum guarantee guarantee = (enum guarantee)(1U << i);

                list[i] = (struct bailey_capability){
                        .name = guarantee_name(guarantee),
                        .text = guarantee_text(guarantee),
                        .enforced = (enforced & guarantee) != 0,
                        .needed = (d->needs & guarantee) != 0,
                };
        }
        ret->capabilities = list;
        ret->capability_count = GUARANTEE_COUNT;
        return list ? 0 : -1;
}

static int put_backend(struct doctor *d, const struct finding *f, struct bailey_backend *ret) {
        *ret = (struct bailey_backend){
                .name = f->backend->name,
                .summary = f->backend->summary,
                .works = f->works,
                .enforces_policy = f->enforces,
                .sandboxes = f->backend->id != BACKEND_NONE,
                .keeps_tmp = backend_keeps_tmp(f->backend, d->policy),
                .why = f->err.msg,
                .notice = f->notice,
                .remedy = f->backend->remedy,
                .verified = backend_verified(f->backend),
                .promise = f->backend->limits,
        };
        return put_limits(d, f, ret) < 0 ? -1 : put_capabilities(d, f, ret);
}

static int put_backends(struct doctor *d, struct bailey_backends *ret) {
        struct bailey_backend *items = arena_alloc(&d->arena, backend_count * sizeof(*items));

        for (size_t i = 0; items && i < backend_count; i++) {
                if (put_backend(d, &d->findings[i], &items[i]) < 0)
                        return -1;
                if (d->chosen == &d->findings[i])
                        ret->chosen = &items[i];
        }
        ret->items = items;
        ret->count = backend_count;
        ret->landlock = d->host.landlock;
        return items ? 0 : -1;
}

static void doctor_free(struct doctor *d) {
        arena_free(&d->arena);
        free(d);
}

int bailey_doctor(const struct bailey_policy *policy, const char *const *environment, struct bailey_backends *ret) {
        struct doctor *d = calloc(1, sizeof(*d));
        struct bailey_backends found = { .memory = d };
        int result = 0;

        if (!d)
                return -1;
        arena_init(&d->arena, 0);
        d->policy = policy->policy;
        d->containers = policy->containers;
        d->program = policy->program;
        d->environment = environment;
        d->tmpdir.fd = -1;
        if (examine(d, environment) < 0)
                found.problem = d->err.msg;
        else
                result = put_backends(d, &found);
        tmpdir_remove(&d->tmpdir);
        if (result < 0) {
                doctor_free(d);
                return -1;
        }
        *ret = found;
        return found.chosen != NULL;
}

void bailey_backends_free(struct bailey_backends *found) {
        if (found->memory)
                doctor_free(found->memory);
        *found = (struct bailey_backends){};
}
