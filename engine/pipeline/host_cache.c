#include "engine/pipeline/host_cache.h"

#include <stdlib.h>

#include "policy/env.h"

static void sees(void *context, const char *path, bool content) {
        watch_path(context, path, content);
}

/* A list that grows is copied: others have this one, too. */
static void close_lists(struct host *host) {
        struct host_paths *lists[] = { &host->homes, &host->system, &host->scratch,    &host->emptied,
                                       &host->kept,  &host->masks,  &host->engines,    &host->sockets,
                                       &host->read,  &host->write,  &host->write_deny, &host->readable };

        for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
                lists[i]->room = lists[i]->count;
        host->links.room = host->links.count;
}

static int look(struct host_cache *host_cache, const struct host_question *question, struct err *err) {
        if (host_gather_around(host_cache->policy, question, &host_cache->arena, &host_cache->host, err) < 0)
                return -1;
        close_lists(&host_cache->host);
        return env_filter(&host_cache->policy->env, host_cache->policy->sandbox.network == NETWORK_DENY, question->environment,
                          &host_cache->arena, &host_cache->envp, err);
}

static struct host_cache *host_cache_new(const struct policy *policy, const struct host_question *question, bool watched,
                                         struct err *err) {
        struct host_cache *host_cache = calloc(1, sizeof(*host_cache));
        struct host_question told = *question;

        if (!host_cache) {
                err_memory(err);
                return NULL;
        }
        arena_init(&host_cache->arena, 0);
        host_cache->users = 1;
        host_cache->policy = policy;
        host_cache->environment = question->environment;
        host_cache->force = question->force;
        host_cache->watch = (struct watch){ .fd = -1, .mounts = -1, .changed = true };
        if (watched) {
                watch_begin(&host_cache->watch);
                told.sees = sees;
                told.sees_context = &host_cache->watch;
        }
        if (look(host_cache, &told, err) == 0) {
                host_cache->hopeless = host_cache->watch.changed;
                return host_cache;
        }
        host_cache_leave(host_cache);
        return NULL;
}

/* The rest of the question is the same for all commands of a session. */
static bool fits(struct host_cache *host_cache, const struct policy *policy, const struct host_question *question) {
        return host_cache->policy == policy && host_cache->environment == question->environment &&
               host_cache->force == question->force && watch_quiet(&host_cache->watch);
}

struct host_cache *host_cache_get(struct host_cache **kept, const struct policy *policy, const struct host_question *question,
                                  struct err *err) {
        struct host_cache *last = kept ? *kept : NULL, *host_cache = last;

        if (!last || !fits(last, policy, question)) {
                host_cache = host_cache_new(policy, question, kept && !(last && last->hopeless), err);
                if (!kept || !host_cache)
                        return host_cache;
                *kept = host_cache;
                if (last)
                        host_cache_leave(last);
        }
        host_cache->users++;
        return host_cache;
}

void host_cache_leave(struct host_cache *host_cache) {
        if (--host_cache->users)
                return;
        watch_end(&host_cache->watch);
        arena_free(&host_cache->arena);
        free(host_cache);
}

void host_cache_without_identity(struct host_cache *host_cache, const char *why) {
        host_cache->host.no_identity = arena_dup(&host_cache->arena, str_z(why));
}

void host_cache_without_overlay(struct host_cache *host_cache, const char *why) {
        host_cache->host.home.no_overlay = arena_dup(&host_cache->arena, str_z(why));
}
