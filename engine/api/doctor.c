/*
 * Tries every backend for real, and says what came of it.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/pipeline/choose.h"
#include "engine/config.h"
#include "engine/pipeline/containers.h"
#include "engine/policy.h"
#include "include/bailey.h"
#include "sandbox/backend.h"
#include "launch/cgroup.h"
#include "run/job.h"
#include "run/tmpdir.h"
#include "sandbox/host_system.h"

/* A busy engine takes its time to make a container. */
enum { ANSWER_MAX = 1 << 20, TRY_SECONDS = 10, TRY_CONTAINER_SECONDS = 30 };

struct finding {
        const struct backend *backend;
        bool works;    /* a command ran in it */
        bool enforces; /* and it has all that the policy needs */
        uint32_t walls;
        uint32_t wanted, held; /* enum engine_limit: of a container, as in struct launch_container */
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

static int try_backend(struct doctor *d, const struct backend *backend, struct finding *f) {
        static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };
        struct sandbox_request request = { .program = host_places.idle[0], .argv = host_places.idle, .envp = envp };
        struct container_facts facts;
        struct launch launch;
        struct outcome outcome;
        struct job_setup setup = { .launch = &launch, .timeout = TRY_SECONDS * TIME_SECOND, .cancel_fd = -1, .epoll_fd = -1 };

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
        if (backend->plan(backend, d->policy, &d->host, &request, &d->arena, &launch, &f->err) < 0)
                return -1;
        f->walls = launch.walls;
        f->wanted = launch.container ? launch.container->limits_wanted : 0;
        f->held = launch.container ? launch.container->limits : 0;
        if (job_run(&setup, &outcome, &f->err) < 0)
                return -1;
        if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0)
                return err_set(&f->err, ERR_SYSTEM, "a test command ended with status %d", outcome.status);
        f->works = true;
        f->enforces = backend->id != BACKEND_NONE && (d->needs & ~launch.walls & ~launch.waived) == 0;
        return 0;
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
        const char *state, *how;
};

static bool has_limit(const struct finding *f, size_t limit) {
        return limits[limit].group || f->backend->engines;
}

static struct held held_by_engine(const struct finding *f, uint32_t limit) {
        if (!(f->wanted & limit))
                return (struct held){ "none", "as set in the policy" };
        return f->held & limit ? (struct held){ "enforced", "by the engine" }
                               : (struct held){ "not enforced", "the engine does not keep it" };
}

/* How a backend that works here holds to a limit. */
static struct held how_held(const struct doctor *d, const struct finding *f, size_t limit) {
        if (f->backend->engines)
                return held_by_engine(f, limits[limit].engine);
        if (f->backend->id == BACKEND_SANDBOX_EXEC)
                return (struct held){ "not enforced", "macOS has no such limit" };
        if (f->backend->id == BACKEND_APPCONTAINER)
                return (struct held){ "enforced", "by a job" };
        if (d->groups & limits[limit].group)
                return (struct held){ "enforced", "by a cgroup" };
        if (limits[limit].group == CGROUP_MEMORY)
                return (struct held){ "best effort", "for each process" };
        return d->host.uid ? (struct held){ "best effort", "by user" } : (struct held){ "none", "root without a cgroup" };
}

/* What it promises; where it works, what is held to here. */
static void tell_limits(const struct doctor *d, const struct finding *f, struct buf *out) {
        if (!f->works) {
                buf_append(out, str_z(f->backend->limits));
                return;
        }
        for (size_t i = 0; i < LIMITS; i++)
                if (has_limit(f, i))
                        buf_format(out, "%s%s %s, %s", i ? "; " : "", limits[i].text, how_held(d, f, i).state,
                                   how_held(d, f, i).how);
}

static void json_limits(const struct doctor *d, const struct finding *f, struct buf *out) {
        buf_append(out, STR("\"limits\":{"));
        for (size_t i = 0; i < LIMITS; i++)
                if (has_limit(f, i))
                        buf_format(out, "%s\"%s\":\"%s\"", i ? "," : "", limits[i].name, how_held(d, f, i).state);
        buf_char(out, '}');
}

/* ---- telling ---- */

static const char *state_of(const struct finding *f) {
        if (f->backend->id == BACKEND_NONE)
                return "no sandbox";
        return f->enforces ? "enforces the policy" : f->works ? "works, but not for this policy" : "does not work";
}

static void tell_walls(struct buf *out, const struct doctor *d, const struct finding *f) {
        for (uint32_t i = 0; i < WALL_COUNT; i++) {
                enum wall wall = (enum wall)(1U << i);

                if (f->works && f->backend->id != BACKEND_NONE && !(f->walls & wall))
                        buf_format(out, "    not %-13s %s%s\n", wall_name(wall), wall_text(wall),
                                   d->needs & wall ? " (needed)" : "");
        }
}

static void tell_text(const struct doctor *d, struct buf *out) {
        for (size_t i = 0; i < backend_count; i++) {
                const struct finding *f = &d->findings[i];

                buf_format(out, "%-12s %s: %s\n", f->backend->name, state_of(f), f->backend->summary);
                if (!f->works)
                        buf_format(out,
                                   "    reason: %s\n"
                                   "    %s\n",
                                   f->err.msg, f->backend->remedy);
                tell_walls(out, d, f);
                buf_append(out, STR("    limits: "));
                tell_limits(d, f, out);
                buf_format(out, "\n    verified: %s\n", backend_verified(f->backend));
        }
        if (d->chosen)
                buf_format(out, "commands run in the %s sandbox\n", d->chosen->backend->name);
        else
                buf_append(out, STR("no sandbox enforces the policy: commands do not run\n"));
}

static void json_backend(const struct doctor *d, const struct finding *f, struct buf *out) {
        const char *comma = "";

        buf_format(out, "{\"name\":\"%s\",\"works\":%s,\"enforces_policy\":%s,\"why\":", f->backend->name,
                   f->works ? "true" : "false", f->enforces ? "true" : "false");
        buf_json(out, str_z(f->err.msg));
        buf_append(out, STR(",\"remedy\":"));
        buf_json(out, str_z(f->backend->remedy));
        buf_append(out, STR(",\"limits_text\":\""));
        tell_limits(d, f, out);
        buf_append(out, STR("\","));
        if (f->works)
                json_limits(d, f, out);
        else
                buf_append(out, STR("\"limits\":null"));
        buf_format(out, ",\"verified\":\"%s\",\"capabilities\":{", backend_verified(f->backend));
        for (uint32_t i = 0; i < WALL_COUNT; i++, comma = ",")
                buf_format(out, "%s\"%s\":%s", comma, wall_name((enum wall)(1U << i)),
                           f->works && f->walls & 1U << i ? "true" : "false");
        buf_append(out, STR("}}"));
}

/* The limits are those of the sandbox that commands run in; where there is none, of the first that is tried. */
static void tell_json(const struct doctor *d, struct buf *out) {
        buf_append(out, STR("{\"schemaVersion\":1,\"chosen\":"));
        if (d->chosen)
                buf_format(out, "\"%s\",", d->chosen->backend->name);
        else
                buf_append(out, STR("null,"));
        json_limits(d, d->chosen ? d->chosen : &d->findings[0], out);
        buf_format(out, ",\"landlock\":%d,\"backends\":[", d->host.landlock);
        for (size_t i = 0; i < backend_count; i++) {
                if (i)
                        buf_char(out, ',');
                json_backend(d, &d->findings[i], out);
        }
        buf_append(out, STR("]}"));
}

int bailey_doctor(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                  char **ret_text, size_t *ret_length) {
        struct doctor *d = calloc(1, sizeof(*d));
        struct buf out;
        int fine;

        if (!d)
                return -1;
        arena_init(&d->arena, 0);
        d->policy = policy->policy;
        d->containers = policy->containers;
        d->program = policy->program;
        d->environment = environment;
        d->tmpdir.fd = -1;
        buf_init(&out, ANSWER_MAX);
        if (examine(d, environment) < 0)
                buf_format(&out, "%s\n", d->err.msg);
        else if (answer == BAILEY_ANSWER_JSON)
                tell_json(d, &out);
        else
                tell_text(d, &out);
        fine = d->chosen != NULL;
        tmpdir_remove(&d->tmpdir);
        arena_free(&d->arena);
        free(d);
        return config_hand_text(&out, ret_text, ret_length) < 0 ? -1 : fine;
}
