/*
 * Workspaces for tests: made by scripts with real git in a directory of their own, and what the survey says of them as text.
 */
#ifndef BAILEY_TESTS_WORKSPACE_TEST_H
#define BAILEY_TESTS_WORKSPACE_TEST_H

#include "tests/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "protect/survey.h"

/* $T is the directory of the test, $W its workspace; bytes that are special everywhere are in both names. */
struct scene {
        char top[PATH_MAX], workspace[PATH_MAX];
        struct arena arena;
};

/* The status of a script, which starts in the workspace. */
static inline int script_status(struct scene *scene, const char *script) {
        static const char prelude[] =
                "set -eu; export HOME=\"$T/home\" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b\n"
                "export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b LC_ALL=C\n"
                "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE\n"
                "git() { command git -c protocol.file.allow=always -c init.defaultBranch=main \"$@\"; }\n"
                "repo() { git init -q \"$1\"; git -C \"$1\" commit -q --allow-empty -m one; }\n"
                /* with a setting that only its user can have made */
                "own() { repo \"$1\"; git -C \"$1\" config alias.a b; }\n";
        char *text = NULL;
        int status = 0;
        pid_t child;

        assert_true(asprintf(&text, "%s%s", prelude, script) > 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                setenv("T", scene->top, 1);
                setenv("W", scene->workspace, 1);
                if (chdir(scene->workspace) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
                        execlp("bash", "bash", "-c", text, (char *)NULL);
                _exit(127);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        free(text);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static inline void script(struct scene *scene, const char *text) {
        int status = script_status(scene, text);

        if (status != 0)
                fail_msg("status %d of: %s", status, text);
}

static inline void scene_begin(struct scene *scene, const char *layout) {
        char top[] = "/tmp/bailey sweep 'ü\" XXXXXX";

        assert_non_null(mkdtemp(top));
        /* cppcheck-suppress ctuuninitvar ; it is written here */
        snprintf(scene->top, sizeof(scene->top), "%s", top);
        snprintf(scene->workspace, sizeof(scene->workspace), "%s/w \\$x", top);
        arena_init(&scene->arena, 0);
        assert_int_equal(setenv("HOME", top, 1), 0);
        assert_int_equal(mkdir(scene->workspace, 0755), 0);
        script(scene, "mkdir \"$T/home\"");
        script(scene, layout);
}

static inline void scene_end(struct scene *scene) {
        script(scene, "cd /; chmod -R u+rwx \"$T\"; rm -rf \"$T\"");
        arena_free(&scene->arena);
}

static inline int compare_lines(const void *a, const void *b) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline void put_path(struct buf *buf, const struct scene *scene, const char *path) {
        size_t top = strlen(scene->top), workspace = strlen(scene->workspace);

        if (strncmp(path, scene->workspace, workspace) == 0 && (path[workspace] == '/' || !path[workspace]))
                buf_format(buf, "W%s", path + workspace);
        else if (strncmp(path, scene->top, top) == 0)
                buf_format(buf, "T%s", path + top);
        else
                buf_append(buf, str_z(path));
}

/* "ro W/.git/config" and so on, a line each, sorted. */
static inline const char *describe(struct scene *scene, const struct protection *found) {
        static const char *const names[] = { "ro", "checked", "write", "absent", "anchor" };
        const struct protected_paths *lists[] = { &found->read_only, &found->checked, &found->git_write, &found->absent,
                                                  &found->anchors };
        BUF_AUTO all;
        const char *text;

        buf_init(&all, 1 << 20);
        for (size_t i = 0; i < 5; i++) {
                char *lines[1024];
                size_t count = lists[i]->count;

                assert_true(count <= 1024);
                for (size_t j = 0; j < count; j++) {
                        BUF_AUTO line;

                        buf_init(&line, PATH_MAX * 3);
                        buf_format(&line, "%s ", names[i]);
                        put_path(&line, scene, lists[i]->items[j].path);
                        if (lists[i]->items[j].link) {
                                buf_append(&line, STR(" -> "));
                                put_path(&line, scene, lists[i]->items[j].link);
                        }
                        lines[j] = arena_dup(&scene->arena, buf_str(&line));
                }
                if (count)
                        qsort(lines, count, sizeof(*lines), compare_lines);
                for (size_t j = 0; j < count; j++)
                        buf_format(&all, "%s\n", lines[j]);
        }
        text = arena_dup(&scene->arena, buf_str(&all));
        assert_non_null(text);
        return text;
}

#endif
