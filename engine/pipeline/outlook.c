#include "engine/pipeline/outlook.h"

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

static int look(struct outlook *outlook, const struct host_question *question, struct err *err) {
        if (host_gather_around(outlook->policy, question, &outlook->arena, &outlook->host, err) < 0)
                return -1;
        close_lists(&outlook->host);
        return env_filter(&outlook->policy->env, question->environment, &outlook->arena, &outlook->envp, err);
}

static struct outlook *outlook_new(const struct policy *policy, const struct host_question *question, bool watched,
                                   struct err *err) {
        struct outlook *outlook = calloc(1, sizeof(*outlook));
        struct host_question told = *question;

        if (!outlook) {
                err_set(err, ERR_MEMORY, "out of memory");
                return NULL;
        }
        arena_init(&outlook->arena, 0);
        outlook->users = 1;
        outlook->policy = policy;
        outlook->environment = question->environment;
        outlook->force = question->force;
        outlook->watch = (struct watch){ .fd = -1, .mounts = -1, .changed = true };
        if (watched) {
                watch_begin(&outlook->watch);
                told.sees = sees;
                told.sees_context = &outlook->watch;
        }
        if (look(outlook, &told, err) == 0) {
                outlook->hopeless = outlook->watch.changed;
                return outlook;
        }
        outlook_leave(outlook);
        return NULL;
}

/* The rest of the question is the same for all commands of a session. */
static bool fits(struct outlook *outlook, const struct policy *policy, const struct host_question *question) {
        return outlook->policy == policy && outlook->environment == question->environment &&
               outlook->force == question->force && watch_quiet(&outlook->watch);
}

struct outlook *outlook_get(struct outlook **kept, const struct policy *policy, const struct host_question *question,
                            struct err *err) {
        struct outlook *last = kept ? *kept : NULL, *outlook = last;

        if (!last || !fits(last, policy, question)) {
                outlook = outlook_new(policy, question, kept && !(last && last->hopeless), err);
                if (!kept || !outlook)
                        return outlook;
                *kept = outlook;
                if (last)
                        outlook_leave(last);
        }
        outlook->users++;
        return outlook;
}

void outlook_leave(struct outlook *outlook) {
        if (--outlook->users)
                return;
        watch_end(&outlook->watch);
        arena_free(&outlook->arena);
        free(outlook);
}
