/*
 * A survey, a command, and the sweep after it, for tests.
 */
#ifndef BAILEY_TESTS_SWEEP_TEST_H
#define BAILEY_TESTS_SWEEP_TEST_H

#include "tests/protect/workspace_test.h"

#include "run/sweep.h"

static inline const char *lines(struct scene *scene, const struct str_list *list) {
        char *sorted[256];
        const char *text;
        BUF_AUTO buf;

        buf_init(&buf, 1 << 20);
        assert_true(list->count <= 256);
        for (size_t i = 0; i < list->count; i++) {
                BUF_AUTO line;
                const char *item = arena_dup(&scene->arena, list->items[i]), *path = strchrnul(item, '/');
                const char *aside = strstr(path, ".bailey-aside-");

                buf_init(&line, PATH_MAX * 2);
                buf_append(&line, str_from(item, (size_t)(path - item)));
                put_path(&line, scene, path);
                if (aside)
                        line.len -= strlen(aside) - strlen(".bailey-aside-");
                sorted[i] = arena_dup(&scene->arena, buf_str(&line));
        }
        if (list->count)
                qsort(sorted, list->count, sizeof(*sorted), compare_lines);
        for (size_t i = 0; i < list->count; i++)
                buf_format(&buf, "%s\n", sorted[i]);
        text = arena_dup(&scene->arena, buf_str(&buf));
        assert_non_null(text);
        return text;
}

/* A layout, a survey, what a command did (with `keep`: beside others), the sweep, what it says, and what must be true
 * afterwards. */
static inline void sweeps_keeping(bool keep, const char *layout, const char *command, const char *expected, const char *check) {
        struct protection before;
        struct str_list removed;
        struct err err = { 0 };
        struct scene scene;
        const char *got;

        scene_begin(&scene, layout);
        if (protect_survey(scene.workspace, getenv("HOME"), &scene.arena, &before, &err) < 0)
                fail_msg("%s", err.msg);
        script(&scene, command);
        if (sweep_workspace(scene.workspace, &before, keep, &scene.arena, &removed, &err) < 0)
                fail_msg("%s", err.msg);
        got = lines(&scene, &removed);
        if (strcmp(got, expected) != 0)
                fail_msg("after: %s\ngot:\n%sexpected:\n%s", command, got, expected);
        script(&scene, check);
        scene_end(&scene);
}

static inline void sweeps(const char *layout, const char *command, const char *expected, const char *check) {
        sweeps_keeping(false, layout, command, expected, check);
}

#endif
