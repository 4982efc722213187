/*
 * What the tests of the config share: files that are texts, and the policy that comes of them.
 */
#ifndef BAILEY_TESTS_POLICY_CONFIG_TEST_H
#define BAILEY_TESTS_POLICY_CONFIG_TEST_H

#include <stdio.h>

#include "policy/resolve.h"
#include "tests/test.h"

enum { FILES_MAX = 6 };

struct config_file {
        const char *text; /* of an override: KEY=VALUE; NULL ends the list */
        const char *name; /* NULL: FILE.toml */
        enum policy_layer layer;
        bool untrusted;
};

/* 0, or -1 and the message. The policy lives in the arena. */
static inline int config_resolve(const struct config_file *files, const char *policy, struct arena *arena,
                                 const struct policy **ret, struct err *err) {
        struct config *configs = arena_alloc(arena, FILES_MAX * sizeof(*configs));
        size_t count = 0;

        *err = (struct err){ 0 };
        for (; files[count].text; count++) {
                const struct config_file *file = &files[count];
                enum config_language language = CONFIG_TOML;

                assert_true(count < FILES_MAX);
                configs[count] = (struct config){ .layer = file->layer,
                                                  .file = file->name ? file->name : "FILE.toml",
                                                  .trusted = !file->untrusted };
                if (file->layer == LAYER_OVERRIDE) {
                        configs[count].file = file->text;
                        if (config_read_override(arena, &configs[count], err) < 0)
                                return -1;
                        continue;
                }
                assert_int_equal(config_language(configs[count].file, &language), 0);
                if (config_read(str_z(file->text), language, arena, &configs[count], err) < 0)
                        return -1;
        }
        return policy_resolve(configs, count, policy ? str_z(policy) : (struct str){ 0 }, STR("/work"), arena, ret, err);
}

static inline const struct policy *config_policy(const struct config_file *files, const char *policy, struct arena *arena) {
        const struct policy *loaded = NULL;
        struct err err;

        if (config_resolve(files, policy, arena, &loaded, &err) < 0)
                fail_msg("%s\n%s", files[0].text ? files[0].text : "", err.msg);
        return loaded;
}

/* One file, the default policy. */
static inline const struct policy *config_one(const char *text, struct arena *arena) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = text }, { 0 } };

        return config_policy(files, "default", arena);
}

/* The message of one file that is wrong. */
static inline void config_wrong(const char *name, const char *text, const char *message) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = text, .name = name }, { 0 } };
        const struct policy *policy = NULL;
        ARENA_AUTO arena;
        struct err err;

        arena_init(&arena, 0);
        if (config_resolve(files, "default", &arena, &policy, &err) == 0)
                fail_msg("%s\nis accepted", text);
        assert_null(policy);
        if (strcmp(err.msg, message) != 0)
                fail_msg("%s\nsays  %s\nnot   %s", text, err.msg, message);
}

static inline bool list_holds(struct str_list list, const char *item) {
        for (size_t i = 0; i < list.count; i++)
                if (str_is(list.items[i], item))
                        return true;
        return false;
}

/* Where a value came from, as it is shown. */
static inline struct buf origin_text(const struct policy *policy, const char *key) {
        struct buf text;

        buf_init(&text, 4096);
        policy_origin_text(&policy->origins[key_index(key_by_path(str_z(key)))].origin, &text);
        buf_char(&text, '\0');
        return text;
}

#define assert_origin(policy, key, expected)                     \
        do {                                                     \
                struct buf text_ = origin_text((policy), (key)); \
                assert_string_equal(text_.ptr, (expected));      \
                buf_free(&text_);                                \
        } while (0)

#endif
