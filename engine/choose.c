/*
 * Which backend: the one that is named, or the strongest that works.
 */
#include <string.h>

#include "engine/run.h"
#include "policy/files.h"

static bool is_true(const char *value) {
        return value && (strcmp(value, "1") == 0 || str_eq_nocase(str_z(value), STR("true")));
}

static const struct backend *named(const char *name) {
        for (size_t i = 0; i < backend_count; i++)
                if (strcmp(backends[i]->name, name) == 0)
                        return backends[i];
        return NULL;
}

static int choose_none(const char *const *environment, struct err *err) {
        const char *asked = environment_get(environment, "BAILEY_SANDBOX");

        if (asked && strcmp(asked, "none") == 0 && is_true(environment_get(environment, "BAILEY_ALLOW_NO_SANDBOX")))
                return 0;
        return err_set(err, ERR_REFUSED,
                       "backend none: commands would run with all that you may do; if that is meant, set BAILEY_SANDBOX=none "
                       "and BAILEY_ALLOW_NO_SANDBOX=1");
}

static int choose_one(const struct backend *backend, const char *const *environment, struct backend_choice *ret,
                      struct err *err) {
        if (backend->id == BACKEND_NONE && choose_none(environment, err) < 0)
                return -1;
        *ret = (struct backend_choice){ .items = { backend }, .count = 1, .forced = true };
        return 0;
}

int backend_choose(const struct policy *policy, const char *const *environment, struct backend_choice *ret, struct err *err) {
        const char *asked = environment_get(environment, "BAILEY_SANDBOX");
        struct backend_choice choice = {};

        /* Flags and config files first: the environment is for where these say nothing. */
        if (policy->sandbox.backend != BACKEND_AUTO) {
                const struct backend *backend = backend_find(policy->sandbox.backend);

                if (!backend)
                        return err_set(err, ERR_UNSUPPORTED,
                                       "sandbox.backend: this version can use native, bwrap, landlock or none");
                return choose_one(backend, environment, ret, err);
        }
        if (asked && *asked && strcmp(asked, "auto") != 0) {
                const struct backend *backend = named(asked);

                if (!backend)
                        return err_set(err, ERR_INVALID, "BAILEY_SANDBOX=%s: there is native, bwrap, landlock and none", asked);
                return choose_one(backend, environment, ret, err);
        }
        for (size_t i = 0; i < backend_count; i++)
                if (backends[i]->automatic)
                        choice.items[choice.count++] = backends[i];
        *ret = choice;
        return 0;
}
