/*
 * Tries every backend for real, and says what came of it.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/config.h"
#include "engine/run.h"
#include "launch/cgroup.h"
#include "run/foreground.h"
#include "run/tmpdir.h"

enum { ANSWER_MAX = 1 << 20, TRY_SECONDS = 10 };

struct finding {
        const struct backend *backend;
        bool works;    /* a command ran in it */
        bool enforces; /* and it has all that the policy needs */
        uint32_t walls;
        struct err err;
};

struct doctor {
        struct arena arena;
        const struct policy *policy;
        struct host host;
        struct tmpdir tmpdir;
        uint32_t needs, groups;
        struct finding findings[8];
        const char *chosen;
        struct err err;
};

static int try_backend(struct doctor *d, const struct backend *backend, struct finding *f) {
        static const char *const argv[] = { "true", NULL }, *const envp[] = { "PATH=/usr/bin:/bin", NULL };
        struct sandbox_request request = { .program = "true", .argv = argv, .envp = envp };
        struct launch launch;
        struct outcome outcome;
        struct foreground foreground = {
                .launch = &launch, .out = 1, .err = 2, .timeout = TRY_SECONDS * TIME_SECOND, .cancel_fd = -1
        };

        if (backend->id == BACKEND_LANDLOCK && host_open_up(&d->host, &d->arena, &f->err) < 0)
                return -1;
        if (backend->plan(d->policy, &d->host, &request, &d->arena, &launch, &f->err) < 0)
                return -1;
        f->walls = launch.walls;
        if (foreground_run(&foreground, &outcome, &f->err) < 0)
                return -1;
        if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0)
                return err_set(&f->err, ERR_SYSTEM, "a command that does nothing ended with status %d", outcome.status);
        f->works = true;
        f->enforces = backend->automatic && (d->needs & ~launch.walls) == 0;
        return 0;
}

static int examine(struct doctor *d, const char *const *environment) {
        struct host_question question = { .environment = environment, .force = true };

        question.workspace = d->policy->workspace.len ? arena_dup(&d->arena, d->policy->workspace) : NULL;
        if (host_gather(d->policy, &question, &d->arena, &d->host, &d->err) < 0)
                return -1;
        d->groups = cgroup_probe();
        d->needs = sandbox_needs(d->policy, &d->host);
        for (size_t i = 0; i < backend_count; i++) {
                d->findings[i].backend = backends[i];
                try_backend(d, backends[i], &d->findings[i]);
                if (!d->chosen && d->findings[i].enforces)
                        d->chosen = backends[i]->name;
        }
        return 0;
}

/* ---- telling ---- */

static const char *state_of(const struct finding *f) {
        if (f->backend->id == BACKEND_NONE)
                return "no walls";
        return f->enforces ? "enforces the policy" : f->works ? "works, but not for this policy" : "does not work";
}

static void tell_walls(struct buf *out, const struct doctor *d, const struct finding *f) {
        for (uint32_t i = 0; i < WALL_COUNT; i++) {
                enum wall wall = (enum wall)(1U << i);

                if (f->works && f->backend->automatic && !(f->walls & wall))
                        buf_format(out, "    not %-13s %s%s\n", wall_name(wall), wall_text(wall),
                                   d->needs & wall ? " (needed)" : "");
        }
}

static void tell_text(const struct doctor *d, struct buf *out) {
        for (size_t i = 0; i < backend_count; i++) {
                const struct finding *f = &d->findings[i];

                buf_format(out, "%-9s %s: %s\n", f->backend->name, state_of(f), f->backend->summary);
                if (!f->works) {
                        buf_format(out, "    because %s\n    %s\n", f->err.msg, f->backend->remedy);
                        continue;
                }
                tell_walls(out, d, f);
        }
        buf_format(out, "memory limits: %s\n",
                   d->groups & CGROUP_MEMORY ? "enforced, by a cgroup" : "best effort, for each process");
        buf_format(out, "process limits: %s\n",
                   d->groups & CGROUP_PIDS ? "enforced, by a cgroup"
                   : d->host.uid           ? "enforced, by user"
                                           : "none: root without a cgroup");
        if (d->chosen)
                buf_format(out, "commands run in the %s sandbox\n", d->chosen);
        else
                buf_append(out, STR("no sandbox enforces the policy: commands do not run\n"));
}

static void tell_json(const struct doctor *d, struct buf *out) {
        buf_append(out, STR("{\"schemaVersion\":1,\"chosen\":"));
        if (d->chosen)
                buf_format(out, "\"%s\"", d->chosen);
        else
                buf_append(out, STR("null"));
        buf_format(out, ",\"limits\":{\"memory\":\"%s\",\"pids\":\"%s\"},\"landlock\":%d,\"backends\":[",
                   d->groups & CGROUP_MEMORY ? "enforced" : "best effort",
                   d->groups & CGROUP_PIDS || d->host.uid ? "enforced" : "none", d->host.landlock);
        for (size_t i = 0; i < backend_count; i++) {
                const struct finding *f = &d->findings[i];
                const char *comma = "";

                buf_format(out, "%s{\"name\":\"%s\",\"works\":%s,\"enforces_policy\":%s,\"why\":", i ? "," : "",
                           f->backend->name, f->works ? "true" : "false", f->enforces ? "true" : "false");
                buf_json(out, str_z(f->err.msg));
                buf_append(out, STR(",\"remedy\":"));
                buf_json(out, str_z(f->backend->remedy));
                buf_append(out, STR(",\"capabilities\":{"));
                for (uint32_t j = 0; j < WALL_COUNT; j++, comma = ",")
                        buf_format(out, "%s\"%s\":%s", comma, wall_name((enum wall)(1U << j)),
                                   f->works && f->walls & 1U << j ? "true" : "false");
                buf_append(out, STR("}}"));
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
        buf_init(&out, ANSWER_MAX);
        if (examine(d, environment) < 0)
                buf_format(&out, "%s\n", d->err.msg);
        else if (answer == BAILEY_ANSWER_JSON)
                tell_json(d, &out);
        else
                tell_text(d, &out);
        fine = d->chosen != NULL;
        arena_free(&d->arena);
        free(d);
        return config_hand_text(&out, ret_text, ret_length) < 0 ? -1 : fine;
}
