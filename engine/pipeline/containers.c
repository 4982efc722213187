#include "engine/pipeline/containers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/id.h"
#include "base/sha256.h"
#include "base/time.h"
#include "engine/policy.h"
#include "launch/container/container.h"
#include "launch/mount.h"
#include "run/engines.h"
#include "sandbox/container/container_name.h"
#include "sandbox/container/container_plan.h"

/* What others have left is looked for by the first run, and then now and then. */
#define SWEEP_EVERY (600 * TIME_SECOND)

/* An engine that did not respond is not queried again for this many times as long as that took: the caller has others to serve.
 */
enum { ASK_REST = 10 };

/* One that is shared is not kept longer, in seconds: container_abandoned() takes older ones for lost. */
enum { SHARE_SECONDS = CONTAINER_RUN_SECONDS / 2 };

/* The container that runs share, one at a time. */
struct shared {
        char name[CONTAINER_NAME_SIZE]; /* "": there is none */
        char made[SHA256_HEX_SIZE];     /* of what; one for other mounts or limits has to be made anew */
        int64_t since;                  /* seconds since 1970 */
        struct arena arena;             /* of what follows */
        const char *const *remove;
        bool busy;
};

struct containers {
        pthread_mutex_t lock; /* sessions of several threads may share a policy */
        struct arena arena;
        bool looked;
        int64_t swept;               /* monotonic; 0: never */
        int64_t again[ENGINE_COUNT]; /* monotonic: not to be asked before */
        struct container_owner owner;
        struct container_facts facts; /* of all runs */
        struct shared shared;
};

/* Nobody waits for the engine. */
static void shared_remove(struct containers *c) {
        if (c->shared.name[0])
                container_remove_later(c->shared.remove, c->facts.envp, false);
        c->shared.name[0] = 0;
}

static int shared_set(struct containers *c, const char *name, const char *made, const struct container_session *session,
                      struct err *err) {
        struct shared *s = &c->shared;

        arena_reset(&s->arena);
        s->remove = strings_copy(session->remove, &s->arena);
        if (!s->remove)
                return err_memory(err);
        snprintf(s->name, sizeof(s->name), "%s", name);
        snprintf(s->made, sizeof(s->made), "%s", made);
        s->since = time_realtime() / TIME_SECOND;
        return 0;
}

int containers_new(struct containers **ret, struct err *err) {
        struct containers *containers = calloc(1, sizeof(*containers));

        if (!containers)
                return err_memory(err);
        pthread_mutex_init(&containers->lock, NULL);
        arena_init(&containers->arena, 0);
        arena_init(&containers->shared.arena, 0);
        *ret = containers;
        return 0;
}

void containers_free(struct containers *containers) {
        if (!containers)
                return;
        shared_remove(containers);
        arena_free(&containers->shared.arena);
        arena_free(&containers->arena);
        pthread_mutex_destroy(&containers->lock);
        free(containers);
}

static int look_around(struct containers *c, const char *const *environment, struct err *err) {
        if (c->looked)
                return 0;
        if (engine_environment(environment, &c->arena, &c->facts.envp, err) < 0 || container_owner_here(&c->owner, err) < 0)
                return -1;
        engines_look_around(&c->facts);
        c->looked = true;
        return 0;
}

/* One that answers goes on answering, or says why not when it is used. */
static void ask(struct containers *c, uint32_t kinds) {
        int64_t begun = time_monotonic(), now;
        struct engines asked;

        for (uint32_t i = 0; i < ENGINE_COUNT; i++)
                if (c->facts.engines.at[i].answers || begun < c->again[i])
                        kinds &= ~(1U << i);
        if (!kinds)
                return;
        engines_ask(c->facts.envp, kinds, ENGINE_BRIEFLY, &c->arena, &asked);
        now = time_monotonic();
        for (uint32_t i = 0; i < ENGINE_COUNT; i++) {
                if (!(kinds & 1U << i))
                        continue;
                c->facts.engines.at[i] = asked.at[i];
                c->again[i] = now + (now - begun) * ASK_REST;
        }
}

static int facts_locked(struct containers *c, const struct backend *backend, const char *const *environment,
                        struct arena *arena, struct container_facts *ret, struct err *err) {
        char name[CONTAINER_NAME_SIZE];

        if (look_around(c, environment, err) < 0)
                return -1;
        ask(c, backend->engines);
        c->owner.time = time_realtime() / TIME_SECOND;
        if (container_name_new(&c->owner, name, err) < 0)
                return -1;
        *ret = c->facts;
        ret->sweep = !c->swept || time_monotonic() - c->swept > SWEEP_EVERY;
        if (ret->sweep)
                c->swept = time_monotonic();
        ret->name = arena_dup(arena, str_z(name));
        return ret->name ? 0 : err_memory(err);
}

/* ---- sharing ---- */

/* A file may be taken away and be put back by another of its names; only this tells of it then. */
static int64_t changed_at(const char *path) {
        struct stat st;

        return lstat(path, &st) < 0 || S_ISDIR(st.st_mode) ? 0 : st.st_ctim.tv_sec * TIME_SECOND + st.st_ctim.tv_nsec;
}

/* If a file is replaced on the host, the kernel removes the mount over it in the container. */
static void hash_mount(struct sha256 *sha, const struct mount_step *step) {
        struct mount_places places = { .source = mount_look(step->source), .target = mount_look(step->target) };
        int64_t changed = step->kind == MOUNT_WRITE ? 0 : changed_at(step->target);

        sha256_add(sha, str_from((const char *)&places, sizeof(places)));
        sha256_add(sha, str_from((const char *)&changed, sizeof(changed)));
}

/* All that it is made of, but for its name. */
static void hash_session(const struct container_session *session, const char *name, char ret[static SHA256_HEX_SIZE]) {
        uint8_t digest[SHA256_SIZE];
        struct sha256 sha;

        sha256_init(&sha);
        for (const char *const *word = session->create; *word; word++)
                if (strcmp(*word, name) != 0)
                        sha256_add(&sha, str_from(*word, strlen(*word) + 1));
        for (size_t i = 0; i < session->mounts.count; i++)
                hash_mount(&sha, &session->mounts.items[i]);
        sha256_end(&sha, digest);
        id_hex(str_from((const char *)digest, sizeof(digest)), ret);
}

static int share_locked(struct containers *c, const struct backend *backend, const struct policy *policy,
                        const struct host *host, struct arena *arena, struct container_facts *facts, struct err *err) {
        static const char *const nothing[] = { NULL };
        struct sandbox_request request = { .envp = nothing };
        struct container_question question = { .backend = backend,
                                               .engine = engine_of_backend(backend, &facts->engines, err),
                                               .policy = policy,
                                               .host = host,
                                               .request = &request };
        char made[SHA256_HEX_SIZE];
        struct container_session session;

        if (!policy->container.session || c->shared.busy)
                return 0;
        if (!question.engine || container_plan_session(&question, facts->name, arena, &session, err) < 0)
                return -1;
        hash_session(&session, facts->name, made);
        if (!c->shared.name[0] || strcmp(made, c->shared.made) != 0 ||
            time_realtime() / TIME_SECOND - c->shared.since > SHARE_SECONDS) {
                shared_remove(c);
                if (shared_set(c, facts->name, made, &session, err) < 0)
                        return -1;
                facts->session_create = session.create;
        }
        c->shared.busy = true;
        facts->session = arena_dup(arena, str_z(c->shared.name));
        return facts->session ? 0 : err_memory(err);
}

/* ---- for several threads ---- */

int containers_facts(struct containers *c, const struct backend *backend, const char *const *environment, struct arena *arena,
                     struct container_facts *ret, struct err *err) {
        int result;

        pthread_mutex_lock(&c->lock);
        result = facts_locked(c, backend, environment, arena, ret, err);
        pthread_mutex_unlock(&c->lock);
        return result;
}

int containers_share(struct containers *c, const struct backend *backend, const struct policy *policy, const struct host *host,
                     struct arena *arena, struct container_facts *facts, struct err *err) {
        int result;

        pthread_mutex_lock(&c->lock);
        result = share_locked(c, backend, policy, host, arena, facts, err);
        pthread_mutex_unlock(&c->lock);
        return result;
}

void containers_done(struct containers *c, const struct container_facts *facts, bool usable) {
        if (!facts || !facts->session)
                return;
        pthread_mutex_lock(&c->lock);
        c->shared.busy = false;
        if (!usable)
                shared_remove(c);
        pthread_mutex_unlock(&c->lock);
}

void containers_lost(struct containers *c, const struct container_facts *facts, const struct launch_container *container) {
        if (!container->entered)
                container_remove_later(container->end, container->envp, true);
        containers_done(c, facts, false);
}
