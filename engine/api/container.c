/*
 * Containers for the outside: which runtimes there are, and what is configured.
 */
#include <stdlib.h>

#include "bailey.h"
#include "engine/pipeline/choose.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "policy/show.h"
#include "run/engines.h"
#include "sandbox/container/image.h"

enum { ANSWER_MAX = 1 << 20 };

enum { RUNTIMES_MAX = 8 };

struct runtime {
        const char *name;
        const struct engine *engine; /* that has it; NULL: none has */
        struct err why;
        int image; /* 1: it is there, 0: it is not, -1: not known */
};

struct survey {
        struct arena *arena; /* of the answer */
        const char *const *envp;
        struct engines engines;
        struct runtime runtimes[RUNTIMES_MAX];
        size_t runtime_count;
        struct err err;

        /* with a policy */
        const struct policy *policy;
        const char *wanted; /* a runtime, or "auto"; NULL: commands do not run in containers */
        const struct runtime *used;
        struct image image;
        struct err image_err; /* it cannot be used */
};

/* ---- looking ---- */

static void find_runtime(struct survey *s, const struct backend *backend) {
        struct runtime *runtime = &s->runtimes[s->runtime_count++];

        *runtime = (struct runtime){ .name = backend->name, .image = -1 };
        runtime->engine = engine_of_backend(backend, &s->engines, &runtime->why);
}

static int survey_runtimes(struct survey *s, const char *const *environment) {
        if (engine_environment(environment, s->arena, &s->envp, &s->err) < 0)
                return -1;
        engines_ask(s->envp, ~0U, ENGINE_FULLY, s->arena, &s->engines);
        for (size_t i = 0; i < backend_count && s->runtime_count < RUNTIMES_MAX; i++)
                if (backends[i]->engines)
                        find_runtime(s, backends[i]);
        return 0;
}

/* By name: what commands are to run in; NULL: in no containers. */
static const char *wanted_runtime(const struct policy *policy, const char *const *environment) {
        struct backend_choice choice;

        if (backend_choose(policy, environment, &choice, NULL) < 0 || !choice.containers)
                return NULL;
        return choice.forced ? choice.items[0]->name : "auto";
}

static void survey_image(struct survey *s) {
        const struct container_policy *container = &s->policy->container;
        const char *name;

        if (image_read(container->image, &s->image, &s->image_err) < 0)
                return;
        name = image_full_name(&s->image, s->arena);
        if (!image_trusted(&s->image, &container->trusted_registries))
                err_set(&s->image_err, ERR_REFUSED, "%.*s is not in container.trusted_registries", (int)s->image.registry.len,
                        s->image.registry.ptr);
        for (size_t i = 0; name && i < s->runtime_count; i++)
                if (s->runtimes[i].engine)
                        s->runtimes[i].image = engine_has_image(s->runtimes[i].engine, name, s->envp, NULL);
}

/* One that could be used; NULL: it is not wanted, or not there. */
static const struct runtime *usable(const struct survey *s, const char *name) {
        if (!s->wanted || (strcmp(s->wanted, "auto") != 0 && strcmp(s->wanted, name) != 0))
                return NULL;
        for (size_t i = 0; i < s->runtime_count; i++)
                if (strcmp(s->runtimes[i].name, name) == 0)
                        return s->runtimes[i].engine ? &s->runtimes[i] : NULL;
        return NULL;
}

/* The first that has the image: a run, too, goes on to the next one. */
static void choose(struct survey *s) {
        const struct runtime *without = NULL;
        struct backend_choice choice;

        choose_containers(&choice);
        for (size_t i = 0; i < choice.count && !s->used && !s->image_err.code; i++) {
                const struct runtime *runtime = usable(s, choice.items[i]->name);

                if (runtime && runtime->image != 0)
                        s->used = runtime;
                else if (runtime && !without)
                        without = runtime;
        }
        if (!s->used && without)
                err_set(&s->image_err, ERR_UNSUPPORTED,
                        "%s does not have the image; run bailey container pull or bailey container build", without->name);
}

static int survey_all(struct survey *s, const struct policy *policy, const char *const *environment) {
        if (survey_runtimes(s, environment) < 0)
                return -1;
        s->policy = policy;
        s->wanted = wanted_runtime(policy, environment);
        survey_image(s);
        choose(s);
        return 0;
}

/* ---- the answer ---- */

/* Without its name, which stands before it. */
static struct str why_not(const struct runtime *runtime) {
        struct str why = str_z(runtime->why.msg), name = str_z(runtime->name);

        return str_starts(why, name) && str_starts(str_skip(why, name.len), STR(": ")) ? str_skip(why, name.len + 2) : why;
}

static int put_runtime(const struct survey *s, const struct runtime *runtime, struct bailey_runtime *ret) {
        const struct engine *engine = runtime->engine;
        struct bailey_limit *limits;

        *ret = (struct bailey_runtime){ .name = runtime->name, .has_image = runtime->image };
        if (!engine) {
                ret->why = arena_dup(s->arena, why_not(runtime));
                return ret->why ? 0 : -1;
        }
        limits = arena_alloc(s->arena, ENGINE_LIMITS * sizeof(*limits));
        if (!limits)
                return -1;
        for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                limits[i] =
                        (struct bailey_limit){ engine_limit_names[i],
                                               engine->limits & 1U << i ? BAILEY_LIMIT_ENFORCED : BAILEY_LIMIT_NOT_ENFORCED };
        ret->path = engine->path;
        ret->version = engine->version;
        ret->rootless = engine->rootless;
        ret->limits = limits;
        ret->limit_count = ENGINE_LIMITS;
        return 0;
}

static const char *value_text(const struct survey *s, const struct key_row *key, enum show_style style) {
        union key_value value = key_load(key, s->policy);
        BUF_AUTO text;

        buf_init(&text, ANSWER_MAX);
        key_value_write(key, &value, style, &text);
        return text.failed ? NULL : arena_dup(s->arena, buf_str(&text));
}

static int put_settings(const struct survey *s, struct bailey_containers *ret) {
        struct bailey_setting *settings = arena_alloc(s->arena, key_count * sizeof(*settings)), *setting = settings;

        for (size_t i = 0; settings && i < key_count; i++) {
                enum key_section in = keys[i].section;

                if (in != SECTION_CONTAINER && in != SECTION_LIMITS && in != SECTION_FLAGS)
                        continue;
                setting->section = arena_dup(s->arena, str_z(section_path(in).text));
                setting->name = keys[i].name;
                setting->toml = value_text(s, &keys[i], SHOW_TOML);
                setting->json = value_text(s, &keys[i], SHOW_JSON);
                if (!setting->section || !setting->toml || !setting->json)
                        return -1;
                setting++;
        }
        ret->settings = settings;
        ret->setting_count = (size_t)(setting - settings);
        return settings ? 0 : -1;
}

static int put_survey(const struct survey *s, struct bailey_containers *ret) {
        struct bailey_runtime *runtimes = arena_alloc(s->arena, s->runtime_count * sizeof(*runtimes));

        *ret = (struct bailey_containers){ .runtimes = runtimes, .runtime_count = s->runtime_count, .memory = s->arena };
        for (size_t i = 0; runtimes && i < s->runtime_count; i++)
                if (put_runtime(s, &s->runtimes[i], &runtimes[i]) < 0)
                        return -1;
        if (!runtimes || !s->policy)
                return runtimes ? 0 : -1;
        ret->of_policy = 1;
        ret->wanted = s->wanted;
        ret->used = s->used ? s->used->name : NULL;
        if (s->image_err.code && !(ret->image_problem = arena_dup(s->arena, str_z(s->image_err.msg))))
                return -1;
        return put_settings(s, ret);
}

/* How many runtimes there are, without a policy; else whether one can be used. */
static int verdict_of(const struct survey *s) {
        bool any = false;

        if (s->policy)
                return (!s->wanted || s->used) && !s->image_err.code;
        for (size_t i = 0; i < s->runtime_count; i++)
                any = any || s->runtimes[i].engine;
        return any;
}

static int answer_survey(const struct bailey_policy *policy, const char *const *environment, struct bailey_containers *ret) {
        struct survey *s = calloc(1, sizeof(*s));
        struct bailey_containers found;
        struct err ignored;
        int result = -1;

        if (!s || !(s->arena = config_memory_new(&ignored))) {
                free(s);
                return -1;
        }
        if ((policy ? survey_all(s, policy->policy, environment) : survey_runtimes(s, environment)) == 0 &&
            put_survey(s, &found) == 0) {
                *ret = found;
                result = verdict_of(s);
        }
        if (result < 0)
                config_memory_free(s->arena);
        free(s);
        return result;
}

int bailey_container_detect(const char *const *environment, struct bailey_containers *ret) {
        return answer_survey(NULL, environment, ret);
}

int bailey_container_status(const struct bailey_policy *policy, const char *const *environment, struct bailey_containers *ret) {
        return answer_survey(policy, environment, ret);
}

void bailey_containers_free(struct bailey_containers *containers) {
        config_memory_free(containers->memory);
        *containers = (struct bailey_containers){};
}
