#include "tests/runner/sweep_test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

/* Two commands of one user, whose times overlap. */
struct command {
        struct protection before;
        struct sweep_journal journal;
        const char *workspace;
};

struct pair {
        struct scene scene;
        char state_dir[PATH_MAX + 16];
};

static void pair_begin(struct pair *p, const char *layout) {
        scene_begin(&p->scene, layout);
        snprintf(p->state_dir, sizeof(p->state_dir), "%s/state", p->scene.top);
        assert_int_equal(mkdir(p->state_dir, 0700), 0);
}

static void begin_in(struct pair *p, struct command *c, const char *workspace) {
        struct err err = {};
        FD_AUTO gate = -1;

        c->workspace = workspace;
        if (sweep_gate_open(p->state_dir, &gate, &err) < 0 ||
            protect_survey(workspace, getenv("HOME"), &p->scene.arena, &c->before, &err) < 0 ||
            sweep_gate_mark(p->state_dir, NULL, &c->before, &p->scene.arena, &err) < 0 ||
            sweep_shelf_begin(NULL, p->state_dir, workspace, &c->before, SWEEP_UNTIL_ANY, &c->journal, &err) < 0)
                fail_msg("%s", err.msg);
}

static void begin(struct pair *p, struct command *c) {
        begin_in(p, c, p->scene.workspace);
}

/* The sweep after it, and what it says. */
static const char *end(struct pair *p, struct command *c) {
        struct str_list removed;
        struct err err = {};

        if (sweep_workspace(c->workspace, &c->before, false, &p->scene.arena, &removed, &err) < 0)
                fail_msg("%s", err.msg);
        sweep_journal_end(&c->journal);
        return lines(&p->scene, &removed);
}

static bool is_pending(const struct pair *p, const struct command *c, const char *name) {
        char path[PATH_MAX + 64];
        const struct protected_path *item;

        snprintf(path, sizeof(path), "%s/%s", p->scene.workspace, name);
        item = protect_find(&c->before.read_only, path);
        assert_non_null(item);
        return item->pending;
}

/* What one has made is not brought back by another that has only seen it. */
static void links(void **state) {
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, ":");
        begin(&p, &a);
        script(&p.scene, "ln -s data/p .envrc; ln -s data/v .vscode");
        begin(&p, &b);
        assert_true(is_pending(&p, &b, ".envrc"));
        assert_string_equal(end(&p, &a), "removed W/.envrc\nremoved W/.vscode\n");
        assert_string_equal(end(&p, &b), "");
        script(&p.scene, "test ! -L .envrc; test ! -L .vscode; test -z \"$(ls -A \"$T/state/runs\")\"");
        scene_end(&p.scene);
}

static void git_configs(void **state) {
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, ":");
        begin(&p, &a);
        script(&p.scene, "git init -q; git config core.fsmonitor evil");
        begin(&p, &b);
        assert_true(is_pending(&p, &b, ".git/config"));
        end(&p, &a);
        script(&p.scene, "test ! -e .git/config; echo other >.git/config");
        assert_string_equal(end(&p, &b), "removed W/.git/config\n");
        scene_end(&p.scene);
}

/* While whoever made it is under way, it is left to him: it may be the user's, and then it is only moved aside. */
static void who_ends_first_leaves_it(void **state) {
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, ":");
        begin(&p, &a);
        script(&p.scene, "echo mine >.envrc");
        begin(&p, &b);
        assert_string_equal(end(&p, &b), "");
        script(&p.scene, "grep -qx mine .envrc");
        assert_string_equal(end(&p, &a), "removed W/.envrc\n");
        scene_end(&p.scene);
}

/* What was there before all of them is as safe as ever. */
static void what_was_there(void **state) {
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, "repo .; git config a.b c; ln -s mine .envrc");
        begin(&p, &a);
        begin(&p, &b);
        assert_false(is_pending(&p, &b, ".envrc"));
        assert_false(is_pending(&p, &b, ".git/config"));
        script(&p.scene, "ln -sfn evil .envrc; rm .git/config; echo evil >.git/config");
        end(&p, &b);
        script(&p.scene, "test \"$(readlink .envrc)\" = mine; git config a.b | grep -qx c");
        assert_string_equal(end(&p, &a), "");
        begin(&p, &a); /* and so is what is there when nobody is under way */
        assert_false(is_pending(&p, &a, ".envrc"));
        end(&p, &a);
        scene_end(&p.scene);
}

/* Of many, any one tells of what any other has made. */
static void a_crowd(void **state) {
        struct command others[20], last;
        struct pair p;

        (void)state;
        pair_begin(&p, ":");
        for (int i = 0; i < 20; i++) {
                begin(&p, &others[i]);
                if (i == 10)
                        script(&p.scene, "ln -s evil .envrc");
        }
        for (int i = 0; i < 20; i += 2)
                if (i != 10)
                        end(&p, &others[i]);
        script(&p.scene, "test -L .envrc || ln -s evil .envrc");
        begin(&p, &last);
        assert_true(is_pending(&p, &last, ".envrc"));
        for (int i = 0; i < 20; i++)
                if (i % 2 || i == 10)
                        end(&p, &others[i]);
        assert_string_equal(end(&p, &last), "");
        script(&p.scene, "test ! -L .envrc");
        scene_end(&p.scene);
}

/* A workspace may lie in another; directly in it there are names that the other does not protect. */
static void workspaces_in_workspaces(void **state) {
        char inner[PATH_MAX + 8];
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, "mkdir sub; ln -s mine sub/.envrc");
        snprintf(inner, sizeof(inner), "%s/sub", p.scene.workspace);
        begin(&p, &a);
        script(&p.scene, "git -C sub init -q; git -C sub config core.fsmonitor evil");
        begin_in(&p, &b, inner);
        assert_true(is_pending(&p, &b, "sub/.git/config"));
        assert_false(is_pending(&p, &b, "sub/.envrc"));
        end(&p, &a);
        assert_string_equal(end(&p, &b), "");
        script(&p.scene, "test ! -e sub/.git/config; test -L sub/.envrc");
        scene_end(&p.scene);
}

/* One whose bailey was killed counts until it has been swept for. */
static void the_killed(void **state) {
        struct str_list removed;
        struct command a, b;
        struct pair p;

        (void)state;
        pair_begin(&p, ":");
        begin(&p, &a);
        script(&p.scene, "ln -s evil .envrc");
        sweep_journal_leave(&a.journal);
        begin(&p, &b);
        assert_true(is_pending(&p, &b, ".envrc"));
        assert_int_equal(sweep_recover(p.state_dir, &p.scene.arena, &removed, NULL), 0);
        assert_string_equal(end(&p, &b), "");
        script(&p.scene, "test ! -L .envrc");
        scene_end(&p.scene);
}

/* Nobody ends unseen while another looks around; whoever has waited in vain is swept for once more. */
static void the_gate_is_kept(void **state) {
        struct str_list removed;
        struct command a, b;
        struct pair p;
        FD_AUTO gate = -1;

        (void)state;
        pair_begin(&p, ":");
        begin(&p, &a);
        assert_int_equal(sweep_gate_open(p.state_dir, &gate, NULL), 0);
        script(&p.scene, "ln -s evil .envrc");
        assert_int_equal(protect_survey(p.scene.workspace, getenv("HOME"), &p.scene.arena, &b.before, NULL), 0);
        assert_string_equal(end(&p, &a), "removed W/.envrc\n");
        assert_int_equal(sweep_gate_mark(p.state_dir, NULL, &b.before, &p.scene.arena, NULL), 0);
        assert_true(is_pending(&p, &b, ".envrc"));
        fd_close(TAKE_FD(gate));
        usleep(50000);                          /* file systems have a clock that goes by ticks, and may be behind ours */
        script(&p.scene, "echo later >.envrc"); /* the user's */
        assert_int_equal(sweep_recover(p.state_dir, &p.scene.arena, &removed, NULL), 0);
        script(&p.scene, "grep -qx later .envrc; test -z \"$(ls -A \"$T/state/runs\")\"");
        scene_end(&p.scene);
}

/* Who holds it and does not go on does not hold others for ever, and does not make them run without it. */
static void a_gate_that_stays_shut(void **state) {
        char path[PATH_MAX + 32];
        struct err err = {};
        FD_AUTO mine = -1;
        struct pair p;
        int gate = -1;

        (void)state;
        pair_begin(&p, ":");
        snprintf(path, sizeof(path), "%s/runs.lock", p.state_dir);
        mine = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(flock(mine, LOCK_EX), 0);
        assert_int_equal(sweep_gate_open(p.state_dir, &gate, &err), -1);
        assert_non_null(strstr(err.msg, "runs.lock: another bailey holds its lock"));
        assert_int_equal(gate, -1);
        scene_end(&p.scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(links),
                cmocka_unit_test(git_configs),
                cmocka_unit_test(who_ends_first_leaves_it),
                cmocka_unit_test(what_was_there),
                cmocka_unit_test(a_crowd),
                cmocka_unit_test(workspaces_in_workspaces),
                cmocka_unit_test(the_killed),
                cmocka_unit_test(the_gate_is_kept),
                cmocka_unit_test(a_gate_that_stays_shut),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
