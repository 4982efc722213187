/*
 * What programs take for the URL of a service. Only hosts with a credential have rows that count; git takes the endpoint of
 * any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pipeline/credentials.h"
#include "policy/egress.h"
#include "policy/files.h"

struct endpoint_row {
        const char *host, *variable, *path;
};

/* clang-format off */
static const struct endpoint_row endpoint_rows[] = {
        { "api.anthropic.com", "ANTHROPIC_BASE_URL", "" },
        { "api.cohere.com", "CO_API_URL", "" },
        { "api.github.com", "GITHUB_API_URL", "" },
        { "api.groq.com", "GROQ_BASE_URL", "" },
        { "api.mistral.ai", "MISTRAL_BASE_URL", "" },
        { "api.openai.com", "OPENAI_BASE_URL", "/v1" },
        { "openrouter.ai", "OPENROUTER_BASE_URL", "/api/v1" },
        { "pypi.org", "PIP_INDEX_URL", "/simple/" },
        { "pypi.org", "UV_DEFAULT_INDEX", "/simple/" },
        { "registry.npmjs.org", "npm_config_registry", "/" },
};
/* clang-format on */

enum { ROWS = sizeof(endpoint_rows) / sizeof(*endpoint_rows), NAME_MAX_LEN = 300 };

struct variables {
        struct arena *arena;
        const char **items;
        size_t count;
        bool failed;
};

static bool has_name(const char *pair, struct str name) {
        return strncmp(pair, name.ptr, name.len) == 0 && pair[name.len] == '=';
}

static void drop(struct variables *list, struct str name) {
        size_t kept = 0;

        for (size_t i = 0; i < list->count; i++)
                if (!has_name(list->items[i], name))
                        list->items[kept++] = list->items[i];
        list->count = kept;
}

static void set(struct variables *list, const char *name, const char *value) {
        size_t size = strlen(name) + strlen(value) + 2;
        char *pair = arena_alloc(list->arena, size);

        drop(list, str_z(name));
        list->failed |= !pair;
        if (pair) {
                snprintf(pair, size, "%s=%s", name, value);
                list->items[list->count++] = pair;
        }
}

/* BAILEY_ENDPOINT_API_GITHUB_COM */
static void set_name(struct variables *list, struct str host, const char *url) {
        char name[NAME_MAX_LEN + 32] = "BAILEY_ENDPOINT_";
        size_t len = strlen(name);

        for (size_t i = 0; i < host.len && i < NAME_MAX_LEN; i++) {
                unsigned char c = (unsigned char)host.ptr[i];

                name[len++] = is_ascii_alnum(c) ? (char)ascii_upper(c) : '_';
        }
        name[len] = '\0';
        set(list, name, url);
}

/* git reads these as settings of the command line; those that the command has already stay. */
static void set_git(struct variables *list, struct str host, const char *url) {
        const char *before = NULL;
        char name[64], value[NAME_MAX_LEN + 64];
        unsigned long count;

        for (size_t i = 0; i < list->count; i++)
                if (has_name(list->items[i], STR("GIT_CONFIG_COUNT")))
                        before = strchr(list->items[i], '=') + 1;
        count = before ? strtoul(before, NULL, 10) : 0;
        if (count > 1000)
                return;
        snprintf(name, sizeof(name), "GIT_CONFIG_KEY_%lu", count);
        snprintf(value, sizeof(value), "url.%s/.insteadOf", url);
        set(list, name, value);
        snprintf(name, sizeof(name), "GIT_CONFIG_VALUE_%lu", count);
        snprintf(value, sizeof(value), "https://%.*s/", (int)host.len, host.ptr);
        set(list, name, value);
        snprintf(value, sizeof(value), "%lu", count + 1);
        set(list, "GIT_CONFIG_COUNT", value);
}

static void set_endpoint(struct variables *list, struct str host, size_t place) {
        char url[64], value[128];

        snprintf(url, sizeof(url), "http://127.0.0.1:%zu", EGRESS_CREDENTIAL_PORT + place);
        set_name(list, host, url);
        set_git(list, host, url);
        for (size_t i = 0; i < ROWS; i++)
                if (str_eq_nocase(host, str_z(endpoint_rows[i].host))) {
                        snprintf(value, sizeof(value), "%s%s", url, endpoint_rows[i].path);
                        set(list, endpoint_rows[i].variable, value);
                }
}

static bool has_secret(const struct credential *credential, const char *const *own) {
        char name[NAME_MAX_LEN];
        const char *value;

        if (credential->file.len)
                return true;
        snprintf(name, sizeof(name), "%.*s", (int)credential->env.len, credential->env.ptr);
        value = environment_get(own, name);
        return value && *value;
}

int credentials_environment(const struct policy *policy, const char *const *own, const char *const *envp, struct arena *arena,
                            const char *const **ret, struct err *err) {
        const struct sandbox_policy *sandbox = &policy->sandbox;
        size_t given = 0, more = sandbox->network_credential_count * (ROWS + 4);
        struct variables list = { .arena = arena };

        while (envp && envp[given])
                given++;
        list.items = arena_alloc(arena, (given + more + 1) * sizeof(*list.items));
        if (!list.items)
                return err_memory(err);
        for (; list.count < given; list.count++)
                list.items[list.count] = envp[list.count];
        for (size_t i = 0; i < sandbox->network_credential_count; i++) {
                const struct credential *credential = &sandbox->network_credentials[i];

                if (credential->env.len) /* the secret itself is not for the command, whatever [env] says */
                        drop(&list, credential->env);
                if (sandbox->network != NETWORK_INHERIT && has_secret(credential, own))
                        set_endpoint(&list, credential->host, i);
        }
        list.items[list.count] = NULL;
        *ret = list.items;
        return list.failed ? err_memory(err) : 0;
}
