/*
 * Chooses the backend: the one that is named, or the first that works.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/pipeline/choose.h"
#include "engine/pipeline/containers.h"
#include "policy/files.h"

static bool is_true(const char *value) {
        return value && (strcmp(value, "1") == 0 || str_eq_nocase(str_z(value), STR("true")));
}

static int choose_none(const char *const *environment, struct err *err) {
        const char *asked = environment_get(environment, "BAILEY_SANDBOX");

        if (asked && strcmp(asked, "none") == 0 && is_true(environment_get(environment, "BAILEY_ALLOW_NO_SANDBOX")))
                return 0;
        return err_set(err, ERR_REFUSED,
                       "backend none: commands would run with all your permissions; to allow this, set BAILEY_SANDBOX=none and "
                       "BAILEY_ALLOW_NO_SANDBOX=1");
}

static int choose_one(const struct backend *backend, const char *const *environment, struct backend_choice *ret,
                      struct err *err) {
        if (backend->id == BACKEND_NONE && choose_none(environment, err) < 0)
                return -1;
        *ret = (struct backend_choice){ .items = { backend }, .count = 1, .forced = true };
        ret->containers = backend->engines != 0;
        return 0;
}

static void add_automatic(struct backend_choice *choice) {
        for (size_t i = 0; i < backend_count; i++)
                if (backends[i]->automatic || backend_count == 1) /* the only one need not be named */
                        choice->items[choice->count++] = backends[i];
}

/* Without a daemon and without root's rights first: as they stand in the table. Root's podman has these, as docker's daemon
 * has, and is the less usual one. */
void choose_containers(struct backend_choice *ret) {
        *ret = (struct backend_choice){ .containers = true };
        for (size_t i = 0; i < backend_count; i++)
                if (backends[i]->engines)
                        ret->items[ret->count++] = backends[i];
        for (size_t i = 1; geteuid() == 0 && i < ret->count; i++)
                if (ret->items[i]->id == BACKEND_DOCKER) {
                        const struct backend *docker = ret->items[i];

                        memmove(&ret->items[1], &ret->items[0], i * sizeof(ret->items[0]));
                        ret->items[0] = docker;
                }
}

/* [container] enabled. The environment may say which, where the config does not. */
static int choose_container(enum container_runtime runtime, const struct backend *asked, struct backend_choice *ret,
                            struct err *err) {
        const struct backend *named = runtime == RUNTIME_AUTO && asked && asked->engines ? asked : NULL;

        choose_containers(ret);
        for (size_t i = 0; runtime != RUNTIME_AUTO && i < ret->count; i++)
                if (ret->items[i]->runtime == runtime)
                        named = ret->items[i];
        if (named)
                *ret = (struct backend_choice){ .items = { named }, .count = 1, .forced = true, .containers = true };
        if (ret->count == 0)
                return err_set(err, ERR_UNSUPPORTED,
                               "container.enabled: containers are not available on this system; set it to false");
        return 0;
}

static int refuse_name(const char *where, const char *name, struct err *err) {
        char names[128] = "";

        for (size_t i = 0; i < backend_count; i++) {
                size_t used = strlen(names);

                snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", backends[i]->name);
        }
        return err_set(err, ERR_INVALID, "%s%s: unknown backend; available: %s", where, name, names);
}

/* Flags and config files first: the environment is for where these say nothing. */
int backend_choose(const struct policy *policy, const char *const *environment, struct backend_choice *ret, struct err *err) {
        const char *name = environment_get(environment, "BAILEY_SANDBOX");
        const struct backend *asked = name ? backend_named(name) : NULL;
        struct backend_choice choice = {};

        if (policy->sandbox.backend != BACKEND_AUTO) {
                const struct backend *backend = backend_find(policy->sandbox.backend);

                return backend ? choose_one(backend, environment, ret, err) : refuse_name("sandbox.backend", "", err);
        }
        if (name && *name && !asked && strcmp(name, "auto") != 0)
                return refuse_name("BAILEY_SANDBOX=", name, err);
        if (policy->container.enabled)
                return choose_container(policy->container.runtime, asked, ret, err);
        if (asked)
                return choose_one(asked, environment, ret, err);
        add_automatic(&choice);
        *ret = choice;
        return 0;
}
