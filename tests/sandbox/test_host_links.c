/*
 * Links on the way to what walls are made of: one that a command could change must not be followed.
 */
#include "tests/protect/workspace_test.h"

#include "policy/load.h"
#include "sandbox/host.h"

/* `@T` and `@W` in texts stand for the directory of the test and its workspace. */
static const char *expand(struct scene *scene, const char *text) {
        BUF_AUTO out;

        buf_init(&out, 1 << 16);
        for (; *text; text++)
                if (text[0] == '@' && (text[1] == 'T' || text[1] == 'W'))
                        buf_append(&out, str_z(*++text == 'T' ? scene->top : scene->workspace));
                else
                        buf_char(&out, *text);
        buf_char(&out, 0);
        return arena_dup(&scene->arena, str_z(out.ptr));
}

static int gather(struct scene *scene, const char *workspace, const char *const *overrides, struct host *ret, struct err *err) {
        const char *const environment[] = { expand(scene, "HOME=@T/home"), expand(scene, "DOCKER_HOST=unix://@T/docker.sock"),
                                            expand(scene, "BAILEY_HOME_DIR=@T/homes"), NULL };
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        struct host_question question = { .workspace = workspace, .environment = environment };
        const struct policy *policy;

        if (policy_load(&wanted, &scene->arena, &policy, err) < 0)
                fail_msg("%s", err->msg);
        return host_gather(policy, &question, &scene->arena, ret, err);
}

#define READ "sandbox.fs_read_allow="
#define WRITE "sandbox.fs_write_allow="
#define DENY_READ "sandbox.fs_read_deny="
#define DENY_WRITE "sandbox.fs_write_deny="
#define NOT_WRITABLE "sandbox.workspace_write=false"

static const struct link_case {
        const char *layout;
        const char *overrides[3];
        const char *link; /* that it is refused for; NULL: it is not */
} cases[] = {
        /* What lies in the workspace. */
        { "mkdir -p a/d", { WRITE "@W/a/d" }, NULL },
        { "mkdir -p a/d", { WRITE "@W//a/./d/../d/" }, NULL },
        { "mkdir a; ln -s \"$T/home\" a/d", { WRITE "@W/a/d" }, "@W/a/d" },
        { "mkdir a; ln -s \"$T/home\" a/d", { READ "@W/a/d" }, "@W/a/d" },
        { "mkdir a; ln -s a b; mkdir a/d", { WRITE "@W/b/d" }, "@W/b" },
        { "mkdir a; ln -s a b; mkdir a/d", { WRITE "@W/b/../a/d" }, "@W/b" },
        { "mkdir a; ln -s \"$T/home\" a/d", { WRITE "@W/a/d", NOT_WRITABLE }, NULL },
        /* What only leads through it. */
        { "ln -s \"$W/a\" \"$T/l\"; ln -s \"$T/home\" a", { WRITE "@T/l" }, "@W/a" },
        { "ln -s \"$W/a\" \"$T/l\"; mkdir a", { WRITE "@T/l" }, NULL },
        { "ln -s home \"$T/l\"", { WRITE "@T/l" }, NULL },
        { "ln -s \"${W##*/}\" \"$T/l\"; ln -s \"$T/home\" a", { READ "@T/l/a" }, "@W/a" },
        /* What lies in something else that can be written, wherever that stands in the list. */
        { "mkdir \"$T/o\"; ln -s ../home \"$T/o/d\"", { WRITE "@T/o", READ "@T/o/d" }, "@T/o/d" },
        { "mkdir \"$T/o\"; ln -s ../home \"$T/o/d\"", { WRITE "@T/o/d", WRITE "@T/o" }, "@T/o/d" },
        { "mkdir \"$T/o\"; ln -s ../home \"$T/o/d\"", { WRITE "@T/o", WRITE "@T/o/d" }, "@T/o/d" },
        { "mkdir \"$T/o\"; ln -s ../home \"$T/o/d\"", { READ "@T/o", READ "@T/o/d" }, NULL },
        { "repo \"$T/r\"; git -C \"$T/r\" worktree add -qf -b x \"$W\"; ln -s \"$T/home\" \"$T/r/.git/d\"",
          { WRITE "@T/r/.git/d" },
          "@T/r/.git/d" },
        /* What is denied. Where it leads to may be nowhere by now, but not by a link of a command's. */
        { "mkdir r; ln -s r c; touch r/p", { DENY_READ "@W/c/p" }, "@W/c" },
        { "ln -s /nowhere c", { DENY_READ "@W/c/p" }, "@W/c" },
        { "mkdir r; ln -s r c; touch r/p", { DENY_READ "@W/r/p" }, NULL },
        { "mkdir r; ln -s r c; touch r/p", { DENY_READ "@W/c/p", NOT_WRITABLE }, NULL },
        { "true", { DENY_READ "@W/none/p" }, NULL },
        { "ln -s none \"$T/l\"", { DENY_READ "@T/l/p" }, NULL },
        { "mkdir r; ln -s r c; touch r/p", { DENY_WRITE "@W/c/p" }, "@W/c" },
        { "mkdir r; touch r/p; ln -s \"$W/r\" \"$T/l\"", { DENY_WRITE "@T/l/p" }, NULL },
        { "mkdir \"$T/o\"; ln -s ../home \"$T/o/d\"", { WRITE "@T/o", DENY_READ "@T/o/d/p" }, "@T/o/d" },
        { "repo \"$T/r\"; git -C \"$T/r\" worktree add -qf -b x \"$W\"; ln -s \"$T/home\" \"$T/r/.git/d\"",
          { DENY_READ "@T/r/.git/d/p" },
          "@T/r/.git/d" },
        /* So is what nobody has to list. */
        { "mkdir r; ln -s r c; ln -s \"$W/c\" \"$T/home/.aws\"", {}, "@W/c" },
        { "mkdir r; ln -s \"$W/r\" \"$T/home/.aws\"", {}, NULL },
        { "mkdir r; ln -s r c; ln -s \"$W/c\" \"$T/home/.aws\"", { NOT_WRITABLE }, NULL },
        { "ln -s \"$T/home\" c; mv \"$T/home\" \"$T/h\"; ln -s \"$W/c\" \"$T/home\"; rm c; ln -s \"$T/h\" c", {}, "@W/c" },
        { "ln -s /nowhere c; ln -s \"$W/c\" \"$T/docker.sock\"", {}, "@W/c" },
        { "ln -s \"$W/c\" \"$T/docker.sock\"", {}, NULL },
};

static void links_that_commands_can_write_are_refused(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                const struct link_case *c = &cases[i];
                const char *overrides[4] = {};
                struct err err = {};
                struct scene scene;
                struct host host;
                int got;

                scene_begin(&scene, c->layout);
                for (size_t j = 0; j < 3 && c->overrides[j]; j++)
                        overrides[j] = expand(&scene, c->overrides[j]);
                got = gather(&scene, scene.workspace, overrides, &host, &err);
                if ((got < 0) != (c->link != NULL))
                        fail_msg("%zu: %s: %s", i, c->layout, got < 0 ? err.msg : "not refused");
                if (c->link && (err.code != ERR_REFUSED || !strstr(err.msg, expand(&scene, c->link)) ||
                                !strstr(err.msg, "use the path of its target")))
                        fail_msg("%zu: %s: %s", i, c->layout, err.msg);
                scene_end(&scene);
        }
}

/* Whether there is something cannot be told, so it does not count as nothing. */
static void what_cannot_be_looked_at_is_refused(void **state) {
        static const struct {
                const char *layout, *override, *says;
        } rows[] = {
                { "ln -s c c", DENY_READ "@W/c", "fs_read_deny (--deny-read): @W/c: Too many levels" },
                { "ln -s l \"$T/l\"", DENY_READ "@T/l", "fs_read_deny (--deny-read): @T/l: Too many levels" },
                { "ln -s .aws \"$T/home/.aws\"", NULL, "credential store: @T/home/.aws: Too many levels" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const char *overrides[2] = {};
                struct err err = {};
                struct scene scene;
                struct host host;

                scene_begin(&scene, rows[i].layout);
                if (rows[i].override)
                        overrides[0] = expand(&scene, rows[i].override);
                assert_int_equal(gather(&scene, scene.workspace, overrides, &host, &err), -1);
                if (!strstr(err.msg, expand(&scene, rows[i].says)))
                        fail_msg("%zu: %s", i, err.msg);
                scene_end(&scene);
        }
}

static void so_are_those_on_the_way_to_the_workspace(void **state) {
        const char *const none[] = { NULL };
        struct err err = {};
        struct scene scene;
        struct host host;

        (void)state;
        scene_begin(&scene, "mkdir \"$T/o\" \"$T/o/real\"; ln -s real \"$T/o/w\"");
        assert_int_equal(gather(&scene, expand(&scene, "@T/o/w"), none, &host, &err), 0);
        assert_string_equal(host.workspace, expand(&scene, "@T/o/real"));
        assert_int_equal(gather(&scene, expand(&scene, "@T/o/w"), (const char *const[]){ expand(&scene, WRITE "@T/o"), NULL },
                                &host, &err),
                         -1);
        assert_non_null(strstr(err.msg, "workspace"));
        assert_non_null(strstr(err.msg, expand(&scene, "the symbolic link @T/o/w")));
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(links_that_commands_can_write_are_refused),
                cmocka_unit_test(what_cannot_be_looked_at_is_refused),
                cmocka_unit_test(so_are_those_on_the_way_to_the_workspace),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
