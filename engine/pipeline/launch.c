/*
 * Tries the backends in order. If one fails before the command has started, that is reported, and the next one is tried, unless
 * the failure would be the same, or worse, with all of them.
 */
#include "engine/pipeline/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/pipeline/containers.h"
#include "engine/pipeline/record.h"
#include "launch/cgroup_shared.h"

enum { KEY_MAX = 4 << 20 }; /* of what a sandbox is made of */

/* The command itself is at fault, not the sandbox; or a process changes paths of the plan, perhaps to get another backend. */
static bool is_final(const struct err *err) {
        return err->code == ERR_NOT_FOUND || err->code == ERR_INVALID || err->code == ERR_CHANGED;
}

/* This process or the machine has run out of something: the backend is not at fault, and a weaker one must not be used. */
static bool is_shortage(const struct err *err) {
        return err->sys == EMFILE || err->sys == ENFILE || err->sys == ENOMEM || err->sys == EAGAIN;
}

/* Where /tmp is the host's, programs are led to a private one. */
static int set_tmpdir(struct run *run, struct err *err) {
        const char *const *envp = run->request.envp;
        const char **longer;
        size_t count = 0, kept = 0;

        if (run->tmpdir.fd < 0 && tmpdir_make(&run->tmpdir, &run->arena, &run->host.tmpdir, err) < 0)
                return -1;
        while (envp[count])
                count++;
        longer = arena_alloc(&run->arena, (count + 2) * sizeof(*longer));
        if (!longer)
                return err_set(err, ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < count; i++)
                if (strncmp(envp[i], "TMPDIR=", 7) != 0)
                        longer[kept++] = envp[i];
        longer[kept] = run_text(run, "TMPDIR=%s", run->host.tmpdir);
        run->request.envp = longer;
        return 0;
}

static int ask_engine(struct run *run, const struct backend *backend, struct err *err) {
        struct container_facts *facts = ARENA_NEW(&run->arena, struct container_facts);

        if (!facts)
                return err_set(err, ERR_MEMORY, "out of memory");
        run->host.containers = facts;
        if (containers_facts(run->containers, backend, run->options.environment, &run->arena, facts, err) < 0)
                return -1;
        return run->options.plan_only
                       ? 0
                       : containers_share(run->containers, backend, run->policy, &run->host, &run->arena, facts, err);
}

static int plan_backend(struct run *run, const struct backend *backend, struct err *err) {
        if (backend->engines && ask_engine(run, backend, err) < 0)
                return -1;
        if (backend->id == BACKEND_LANDLOCK && host_open_up(&run->host, &run->arena, err) < 0)
                return -1;
        if (backend->own_tmp && set_tmpdir(run, err) < 0)
                return -1;
        if (backend_plan(backend, run->policy, &run->host, &run->request, &run->arena, &run->launch, err) < 0)
                return -1;
        run->launch.share.group = run->shared;
        return 0;
}

static void keep_failure(struct run *run, const struct backend *backend, const struct err *err) {
        size_t used = strlen(run->failures), name = strlen(backend->name);
        const char *text = err->msg;

        if (strncmp(text, backend->name, name) == 0 && text[name] == ':')
                text += name + 2;
        snprintf(run->failures + used, sizeof(run->failures) - used, "%s%s: %s", used ? "; " : "", backend->name, text);
}

/* Where sandboxes may be ready for this launch, and the key of those; NULL: nowhere. */
static struct pool *pool_of(const struct run *run, struct buf *ret_key) {
        if (!run->pool || run->launch.announce || !warm_possible(&run->launch) || !warm_fits(&run->launch))
                return NULL;
        warm_key(&run->launch, ret_key);
        return ret_key->failed ? NULL : run->pool;
}

static int try_launch(struct run *run, struct err *err) {
        struct job_setup setup = {
                .launch = &run->launch,
                .covers = &run->launch,
                .out = run->out_stream,
                .err = run->err_stream,
                .out_fd = run->options.out_fd,
                .err_fd = run->options.err_fd,
                .timeout = run->timeout,
                .drain = run->policy->run.drain,
                .cancel_fd = run->options.cancel_fd,
                .epoll_fd = run->epoll_fd,
                .epoll_data = run->epoll_data,
        };
        struct pool *pool;
        struct warm warm;
        BUF_AUTO key;
        int result;

        buf_init(&key, KEY_MAX);
        run->launch.announce = run->options.status_fd >= 0 || run->options.background;
        pool = pool_of(run, &key);
        if (pool && pool_take(pool, buf_str(&key), (size_t)run->policy->run.warm, &warm))
                setup.warm = &warm;
        result = job_start(&run->job, &setup, err);
        if (result == 0 && run->launch.share.memory_percent) /* the command cannot have taken so much yet */
                run->kills_before = cgroup_shared_kills(run->shared);
        if (pool && result == 0)
                pool_refill(pool, &run->launch, buf_str(&key));
        return result;
}

static int try_backend(struct run *run, const struct backend *backend, struct err *err) {
        if (plan_backend(run, backend, err) < 0)
                return -1;
        if (run->options.plan_only)
                return 0;
        return record_intent(run, err) < 0 || try_launch(run, err) < 0 ? -1 : 0;
}

/* Returns whether it is worth trying another one. */
static bool note_failure(struct run *run, const struct err *err) {
        const struct backend *backend = run->choice.items[run->tried - 1];

        containers_done(run->containers, run->host.containers, false);
        run->host.containers = NULL;
        run->launch = (struct launch){};
        keep_failure(run, backend, err);
        run->err = *err;
        if (is_shortage(err))
                err_set(&run->err, err->code, "%.180s: too many commands are running; wait until some have ended", err->msg);
        else if (!is_final(err) && err->code != ERR_MEMORY && !(run->unrecorded && run->policy->audit.required))
                return true;
        run->failures[0] = 0;
        return false;
}

static int launch_next(struct run *run) {
        while (run->tried < run->choice.count) {
                struct err err = {};

                if (try_backend(run, run->choice.items[run->tried++], &err) == 0)
                        return 0;
                if (!note_failure(run, &err))
                        return -1;
        }
        run->refused = run->choice.forced ? run->choice.items[0] : NULL;
        return -1;
}

int run_launch(struct run *run) {
        if (backend_choose(run->policy, run->options.environment, &run->choice, &run->err) < 0)
                return -1;
        return launch_next(run);
}

/* A socket of unix_sockets that went away while a wrapper was mounting it is one that is not there: that is no error. */
static bool is_about_socket(const struct run *run, const struct err *why) {
        for (size_t i = 0; why->code == ERR_CHANGED && i < run->host.sockets.count; i++)
                if (strstr(why->msg, run->host.sockets.items[i].path))
                        return true;
        return false;
}

int run_launch_again(struct run *run, const struct err *why) {
        bool unwanted = run->job.killed || run->job.outcome.cancelled; /* which the next one would know nothing of */

        if (is_about_socket(run, why) && !unwanted) {
                run->host.sockets.count = 0;
                run->tried--; /* the same one */
                run->launch = (struct launch){};
                return launch_next(run);
        }
        return note_failure(run, why) && !unwanted ? launch_next(run) : -1;
}
