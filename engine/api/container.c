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
        struct arena arena;
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
        if (engine_environment(environment, &s->arena, &s->envp, &s->err) < 0)
                return -1;
        engines_ask(s->envp, ~0U, ENGINE_FULLY, &s->arena, &s->engines);
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
        name = image_full_name(&s->image, &s->arena);
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

/* ---- for people ---- */

static void text_limits(const struct engine *engine, struct buf *out) {
        const char *comma = "";

        for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                if (!(engine->limits & 1U << i)) {
                        buf_format(out, "%s%s", *comma ? comma : "; does not limit ", engine_limit_names[i]);
                        comma = ", ";
                }
}

static void text_runtime(const struct runtime *runtime, struct buf *out) {
        const struct engine *engine = runtime->engine;

        if (!engine) {
                buf_format(out, "%-8s not available: %s\n", runtime->name, runtime->why.msg);
                return;
        }
        buf_format(out, "%-8s %s %s%s", runtime->name, engine->path, engine->version, engine->rootless ? ", rootless" : "");
        text_limits(engine, out);
        if (runtime->image >= 0)
                buf_append(out, runtime->image ? STR("; has the image") : STR("; does not have the image"));
        buf_char(out, '\n');
}

static void text_policy(const struct survey *s, struct buf *out) {
        if (!s->wanted)
                buf_append(out, STR("commands do not run in containers: set [container] enabled = true, or "
                                    "BAILEY_SANDBOX=docker, podman or gvisor\n"));
        else if (s->used)
                buf_format(out, "commands run in containers of %s\n", s->used->name);
        else if (s->image_err.code)
                buf_append(out, STR("commands cannot run: the image cannot be used\n"));
        else
                buf_format(out, "commands cannot run: the container runtime %s is not available\n", s->wanted);
        for (size_t i = 0; i < key_count; i++) {
                enum key_section in = keys[i].section;
                union key_value value;

                if (in != SECTION_CONTAINER && in != SECTION_LIMITS && in != SECTION_FLAGS)
                        continue;
                value = key_load(&keys[i], s->policy);
                buf_format(out, "  %-45s ", key_path(&keys[i]).text);
                key_value_write(&keys[i], &value, SHOW_TOML, out);
                buf_char(out, '\n');
        }
        if (s->image_err.code)
                buf_format(out, "the image cannot be used: %s\n", s->image_err.msg);
}

/* ---- for programs ---- */

static void json_text(struct buf *out, const char *name, const char *text) {
        buf_format(out, ",\"%s\":", name);
        if (text)
                buf_json(out, str_z(text));
        else
                buf_append(out, STR("null"));
}

static void json_runtime(const struct runtime *runtime, struct buf *out) {
        const struct engine *engine = runtime->engine;

        buf_format(out, "{\"name\":\"%s\",\"available\":%s", runtime->name, engine ? "true" : "false");
        json_text(out, "why", engine ? NULL : runtime->why.msg);
        json_text(out, "path", engine ? engine->path : NULL);
        json_text(out, "version", engine ? engine->version : NULL);
        if (engine) {
                buf_format(out, ",\"rootless\":%s,\"limits\":{", engine->rootless ? "true" : "false");
                for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                        buf_format(out, "%s\"%s\":%s", i ? "," : "", engine_limit_names[i],
                                   engine->limits & 1U << i ? "true" : "false");
                buf_char(out, '}');
        }
        if (runtime->image >= 0)
                buf_format(out, ",\"has_image\":%s", runtime->image ? "true" : "false");
        buf_char(out, '}');
}

static void json_runtimes(const struct survey *s, struct buf *out) {
        buf_append(out, STR("\"runtimes\":["));
        for (size_t i = 0; i < s->runtime_count; i++) {
                if (i)
                        buf_char(out, ',');
                json_runtime(&s->runtimes[i], out);
        }
        buf_char(out, ']');
}

static void json_section(const struct survey *s, enum key_section section, struct buf *out) {
        const char *comma = "";

        for (size_t i = 0; i < key_count; i++) {
                union key_value value;

                if (keys[i].section != section)
                        continue;
                value = key_load(&keys[i], s->policy);
                buf_format(out, "%s\"%s\":", comma, keys[i].name);
                key_value_write(&keys[i], &value, SHOW_JSON, out);
                comma = ",";
        }
}

static void json_policy(const struct survey *s, struct buf *out) {
        json_text(out, "wanted", s->wanted);
        json_text(out, "used", s->used ? s->used->name : NULL);
        json_text(out, "image_problem", s->image_err.code ? s->image_err.msg : NULL);
        buf_append(out, STR(",\"config\":{"));
        json_section(s, SECTION_CONTAINER, out);
        buf_append(out, STR(",\"resource_limits\":{"));
        json_section(s, SECTION_LIMITS, out);
        buf_append(out, STR("},\"security_flags\":{"));
        json_section(s, SECTION_FLAGS, out);
        buf_append(out, STR("}}"));
}

/* ---- both ---- */

static void tell(const struct survey *s, enum bailey_answer answer, struct buf *out) {
        if (answer == BAILEY_ANSWER_JSON) {
                buf_append(out, STR("{\"schemaVersion\":1,"));
                json_runtimes(s, out);
                if (s->policy)
                        json_policy(s, out);
                buf_char(out, '}');
                return;
        }
        for (size_t i = 0; i < s->runtime_count; i++)
                text_runtime(&s->runtimes[i], out);
        if (s->policy)
                text_policy(s, out);
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

static int answer_survey(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                         char **ret_text, size_t *ret_length) {
        struct survey *s = calloc(1, sizeof(*s));
        struct buf out;
        int result = -1;

        if (!s)
                return -1;
        arena_init(&s->arena, 0);
        if ((policy ? survey_all(s, policy->policy, environment) : survey_runtimes(s, environment)) == 0) {
                buf_init(&out, ANSWER_MAX);
                tell(s, answer, &out);
                result = config_hand_text(&out, ret_text, ret_length) < 0 ? -1 : verdict_of(s);
        }
        arena_free(&s->arena);
        free(s);
        return result;
}

int bailey_container_detect(const char *const *environment, enum bailey_answer answer, char **ret_text, size_t *ret_length) {
        return answer_survey(NULL, environment, answer, ret_text, ret_length);
}

int bailey_container_status(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                            char **ret_text, size_t *ret_length) {
        return answer_survey(policy, environment, answer, ret_text, ret_length);
}
