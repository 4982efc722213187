#include "tests/runner/sweep_test.h"

#include "base/time.h"

struct kept {
        struct scene scene;
        struct protection before;
        struct sweep_shelf shelf;
        char state_dir[PATH_MAX + 16];
};

static void begin(struct kept *k, const char *layout) {
        *k = (struct kept){};
        scene_begin(&k->scene, layout);
        snprintf(k->state_dir, sizeof(k->state_dir), "%s/state/bailey", k->scene.top);
        assert_int_equal(protect_survey(k->scene.workspace, getenv("HOME"), &k->scene.arena, &k->before, NULL), 0);
}

static void take(struct kept *k, struct sweep_journal *ret) {
        struct err err = {};

        if (sweep_shelf_begin(&k->shelf, k->state_dir, k->scene.workspace, &k->before, time_realtime() + 3600 * TIME_SECOND,
                              ret, &err) < 0)
                fail_msg("%s", err.msg);
}

static const char *recover(struct kept *k) {
        struct str_list removed;
        struct err err = {};

        if (sweep_recover(k->state_dir, &k->scene.arena, &removed, &err) < 0)
                fail_msg("%s", err.msg);
        return lines(&k->scene, &removed);
}

static void used_again(void **state) {
        struct sweep_journal first, second;
        struct kept k;

        (void)state;
        begin(&k, ":");
        take(&k, &first);
        sweep_shelf_end(&k.shelf, &first);
        assert_int_equal(k.shelf.count, 1);
        take(&k, &second);
        assert_int_equal(k.shelf.count, 0);
        assert_string_equal(first.path, second.path);
        sweep_shelf_end(&k.shelf, &second);
        sweep_shelf_clear(&k.shelf);
        script(&k.scene, "test -z \"$(ls -A \"$T/state/bailey/runs\")\"");
        scene_end(&k.scene);
}

/* As many files as commands that are under way; and no more are kept than there is room. */
static void several_at_once(void **state) {
        struct sweep_journal journals[SWEEP_SHELF_MAX + 2];
        struct kept k;

        (void)state;
        begin(&k, ":");
        for (size_t i = 0; i < SWEEP_SHELF_MAX + 2; i++)
                take(&k, &journals[i]);
        script(&k.scene, "test $(ls \"$T/state/bailey/runs\" | wc -l) = 18");
        for (size_t i = 0; i < SWEEP_SHELF_MAX + 2; i++)
                sweep_shelf_end(&k.shelf, &journals[i]);
        assert_int_equal(k.shelf.count, SWEEP_SHELF_MAX);
        script(&k.scene, "test $(ls \"$T/state/bailey/runs\" | wc -l) = 16");
        sweep_shelf_clear(&k.shelf);
        script(&k.scene, "test -z \"$(ls -A \"$T/state/bailey/runs\")\"");
        scene_end(&k.scene);
}

/* What is protected is another thing now: those on the shelf and the one that is out are of no use. */
static void of_another_kind(void **state) {
        struct sweep_journal first, second, third;
        struct kept k;

        (void)state;
        begin(&k, ":");
        take(&k, &first);
        take(&k, &second);
        sweep_shelf_end(&k.shelf, &second);
        script(&k.scene, "touch .envrc");
        assert_int_equal(protect_survey(k.scene.workspace, getenv("HOME"), &k.scene.arena, &k.before, NULL), 0);
        take(&k, &third);
        assert_string_not_equal(third.path, second.path);
        sweep_shelf_end(&k.shelf, &first);
        assert_int_equal(k.shelf.count, 0);
        script(&k.scene, "test $(ls \"$T/state/bailey/runs\" | wc -l) = 1; grep -q envrc \"$T\"/state/bailey/runs/*");
        sweep_shelf_end(&k.shelf, &third);
        sweep_shelf_clear(&k.shelf);
        scene_end(&k.scene);
}

/* Killed between two commands: what its user makes then is none of a command's. Killed during one: it is swept. */
static void killed(void **state) {
        (void)state;
        for (int during = 0; during < 2; during++) {
                struct sweep_journal journal;
                struct kept k;

                begin(&k, ":");
                take(&k, &journal);
                sweep_shelf_end(&k.shelf, &journal);
                take(&k, &journal);
                if (!during) {
                        sweep_shelf_end(&k.shelf, &journal);
                        journal = k.shelf.items[--k.shelf.count];
                }
                sweep_journal_leave(&journal); /* as the kernel would */
                script(&k.scene, "touch .envrc");
                assert_string_equal(recover(&k), during ? "removed W/.envrc\n" : "");
                script(&k.scene, during ? "test ! -e .envrc" : "test -e .envrc");
                script(&k.scene, "test -z \"$(ls -A \"$T/state/bailey/runs\")\"");
                sweep_shelf_clear(&k.shelf);
                scene_end(&k.scene);
        }
}

/* Somebody cleans up: a file without a name would be no journal. */
static void removed(void **state) {
        struct sweep_journal journal;
        struct kept k;

        (void)state;
        begin(&k, ":");
        take(&k, &journal);
        sweep_shelf_end(&k.shelf, &journal);
        script(&k.scene, "rm -r \"$T/state\"");
        take(&k, &journal);
        script(&k.scene, "test $(ls \"$T/state/bailey/runs\" | wc -l) = 1");
        sweep_shelf_end(&k.shelf, &journal);
        sweep_shelf_clear(&k.shelf);
        scene_end(&k.scene);
}

static void without(void **state) {
        struct sweep_journal journal;
        struct kept k;

        (void)state;
        begin(&k, ":");
        assert_int_equal(sweep_shelf_begin(NULL, k.state_dir, k.scene.workspace, &k.before, SWEEP_UNTIL_ANY, &journal, NULL),
                         0);
        sweep_shelf_end(NULL, &journal);
        script(&k.scene, "test -z \"$(ls -A \"$T/state/bailey/runs\")\"");
        scene_end(&k.scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(used_again), cmocka_unit_test(several_at_once), cmocka_unit_test(of_another_kind),
                cmocka_unit_test(killed),     cmocka_unit_test(removed),         cmocka_unit_test(without),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
