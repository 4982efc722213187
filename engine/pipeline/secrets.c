#include "engine/pipeline/secrets.h"

#include <stdio.h>

#include "base/time.h"
#include "policy/files.h"

enum { PATH_SHOWN = 256 };

/* Files of credentials change seldom, and reading them for each command would cost more than the rest of it. */
#define COLLECT_EVERY (5 * TIME_SECOND)

void secrets_init(struct secrets *secrets) {
        *secrets = (struct secrets){};
}

void secrets_free(struct secrets *secrets) {
        redactor_leave(secrets->redactor);
}

static uint64_t mix(uint64_t print, struct str s) {
        for (size_t i = 0; i < s.len; i++)
                print = (print ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
        return (print ^ 0x100) * UINT64_C(0x100000001b3); /* where one ends */
}

/* FNV-1a: only detects changes; it is no protection against an attacker. */
static uint64_t print_of(const struct redact_secret_list *list) {
        uint64_t print = UINT64_C(0xcbf29ce484222325);

        for (size_t i = 0; i < list->count; i++)
                print = mix(mix(print, list->items[i].name), list->items[i].value);
        print = mix(print, list->cut_at);
        return (print ^ list->cut) * UINT64_C(0x100000001b3);
}

/* A host may repeat what it was sent. */
static int collect_credentials(const struct policy *policy, const char *const *environment, struct arena *arena,
                               struct redact_secret_list *list, struct err *err) {
        for (size_t i = 0; i < policy->sandbox.network_credential_count; i++) {
                struct str name = policy->sandbox.network_credentials[i].env;
                const char *text = name.len ? arena_dup(arena, name) : "", *value;

                if (!text)
                        return err_memory(err);
                value = environment_get(environment, text);
                if (value && redact_collect_variable(&policy->env, name, str_z(value), arena, list, err) < 0)
                        return -1;
        }
        return 0;
}

static int collect(const struct policy *policy, const struct host *host, const char *const *environment, struct arena *arena,
                   struct redact_secret_list *list, struct err *err) {
        const char **paths = arena_alloc(arena, (host->masks.count + 1) * sizeof(*paths));
        size_t count = 0;

        if (!paths)
                return err_memory(err);
        for (size_t i = 0; i < host->masks.count; i++)
                if (host->masks.items[i].secret)
                        paths[count++] = host->masks.items[i].path;
        if (redact_collect_env(&policy->env, environment, arena, list, err) < 0)
                return -1;
        if (collect_credentials(policy, environment, arena, list, err) < 0)
                return -1;
        return redact_collect_files(paths, host->homes.count ? host->homes.items[0].path : NULL, arena, list, err);
}

/* Limits keep a command from waiting until all of the user's files are read. If one is reached, that is reported. */
static const char *missing_text(const struct redact_secret_list *list, char *room, size_t size) {
        int len = (int)str_take(list->cut_at, PATH_SHOWN).len;

        if (!list->cut)
                return NULL;
        if (list->cut == 1)
                snprintf(room, size, "%.*s contains more secrets than can be removed from output; some may be shown", len,
                         list->cut_at.ptr);
        else
                snprintf(room, size,
                         "%.*s and %zu other places contain more secrets than can be removed from output; some may be shown",
                         len, list->cut_at.ptr, list->cut - 1);
        return room;
}

static int look_again(struct secrets *secrets, const struct redact_secret_list *list, struct err *err) {
        const struct redactor *redactor = NULL;
        char missing[PATH_SHOWN + 160];
        uint64_t print = print_of(list);

        if (secrets->collected && print == secrets->print)
                return 0;
        if ((list->count || list->cut) &&
            redactor_new(list->items, list->count, missing_text(list, missing, sizeof(missing)), &redactor, err) < 0)
                return -1;
        redactor_leave(secrets->redactor);
        secrets->redactor = redactor;
        secrets->told = false;
        secrets->print = print;
        return 0;
}

int secrets_redactor(struct secrets *secrets, const struct policy *policy, const struct host *host,
                     const char *const *environment, const struct redactor **ret, struct err *err) {
        struct redact_secret_list list = {};
        int64_t now = time_monotonic();
        struct arena arena;
        int result = 0;

        if (!secrets->collected || now - secrets->collected >= COLLECT_EVERY) {
                arena_init(&arena, 0);
                result = collect(policy, host, environment, &arena, &list, err);
                if (result == 0)
                        result = look_again(secrets, &list, err);
                arena_free(&arena);
                if (result == 0)
                        secrets->collected = now;
        }
        if (result == 0)
                *ret = secrets->redactor;
        return result;
}

/* Once for each list of secrets: every answer would say it again. */
const char *secrets_warning(struct secrets *secrets, const struct redactor *redactor) {
        const char *missing = redactor_missing(redactor);

        if (!missing || (secrets->told && redactor == secrets->redactor))
                return NULL;
        secrets->told |= redactor == secrets->redactor;
        return missing;
}
