/*
 * Homes that are kept: how large they are, whose they are, and their removal. Commands may have made anything in them.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "home/home.h"
#include "home/kept.h"
#include "home/usage.h"

#define FOR_EVER (INT64_MAX / 4)

static char base[64];

static int begin(void **state) {
        (void)state;
        snprintf(base, sizeof(base), "/tmp/bailey-homes.XXXXXX");
        return mkdtemp(base) ? 0 : -1;
}

/* In $H is the home, if there is one. */
static void shell(const char *script) {
        char text[4096];

        snprintf(text, sizeof(text), "cd '%s' || exit 1; set -e; H=$(echo [0-9a-f]*[0-9a-f]); %s", base, script);
        if (system(text) != 0) /* NOLINT(cert-env33-c): a test */
                fail_msg("%s", script);
}

static int end(void **state) {
        (void)state;
        shell("chmod -R u+rwx . && rm -rf \"$PWD\"");
        return 0;
}

/* A home as home_open() makes it, and its name. */
static const char *make_home(const char *workspace, const char *home) {
        static char name[HOME_NAME_LENGTH + 1];
        char script[PATH_MAX];

        assert_true(home_name(workspace, home, name));
        snprintf(script, sizeof(script), "mkdir -p %s/home %s/runs && printf '%%s\\n%%s\\n' '%s' '%s' >%s/about", name, name,
                 workspace, home, name);
        shell(script);
        return name;
}

static int open_home(const char *name) {
        int fd = home_open_kept(base, name);

        assert_true(fd >= 0);
        return fd;
}

/* ---- sizes ---- */

static void reads_what_was_measured(void **state) {
        static const char *const wrong[] = { "",          "1 2 1 3",        "1 2 1 3 4",    "1 2 1 0 4\n", "1 2 1 3 -4\n",
                                             "a b c d e", "1 2 1 3 4\n5\n", "1 2 1 3 4 5\n" };
        struct home_usage usage = { .bytes = 7 };

        (void)state;
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
                if (home_usage_read(wrong[i], &usage))
                        fail_msg("'%s'", wrong[i]);
        assert_int_equal(usage.bytes, 7);
        assert_true(home_usage_read("18446744073709551615 2 1 3 4\n", &usage));
        assert_true(usage.bytes == UINT64_MAX);
        assert_int_equal(usage.entries, 2);
        assert_true(usage.complete);
        assert_int_equal(usage.when, 3);
        assert_int_equal(usage.took, 4);
}

static struct home_usage measure(int layer) {
        struct home_usage usage;

        home_usage_measure(layer, FOR_EVER, &usage);
        return usage;
}

/* Blocks, so that a sparse file is as large as it is; each file once, whatever it is called; nothing through a link. */
static void measures(void **state) {
        const char *name = make_home("/ws", "/home/u");
        FD_AUTO layer = open_home(name);
        struct home_usage empty = measure(layer), full;

        (void)state;
        assert_true(empty.complete);
        assert_int_equal(empty.entries, 0);
        shell("cd $H/home && dd if=/dev/zero of=a bs=1024 count=1024 2>/dev/null && for i in 1 2 3 4 5 6 7; do ln a b$i; done "
              "&& "
              "truncate -s 1T sparse && ln -s /usr usr && mkfifo p");
        full = measure(layer);
        assert_true(full.complete);
        assert_int_equal(full.entries, 11);
        assert_in_range(full.bytes, 1 << 20, (1 << 20) + 65536);
        shell("mkdir -p $H/runs/run-1/work/work $H/runs/run-1/upper && cp --sparse=never $H/home/a $H/runs/run-1/upper/f && "
              "chmod "
              "0 "
              "$H/runs/run-1/work/work");
        full = measure(layer);
        assert_true(full.complete);
        assert_in_range(full.bytes, 2 << 20, (2 << 20) + 2 * 65536);
}

static void says_what_it_could_not_measure(void **state) {
        const char *name = make_home("/ws", "/home/u");
        FD_AUTO layer = open_home(name);
        struct home_usage usage;

        (void)state;
        shell("cd $H/home && python3 -c '\nimport os\nfor i in range(300):\n    os.mkdir(\"d\")\n    os.chdir(\"d\")'");
        usage = measure(layer);
        assert_false(usage.complete);
        assert_in_range(usage.entries, 100, 200);
        shell("rm -rf $H/home/d");
        assert_true(measure(layer).complete);
        shell("mkdir $H/home/closed && chmod 0 $H/home/closed");
        assert_int_equal(measure(layer).complete, geteuid() == 0);
        home_usage_measure(layer, 0, &usage);
        assert_false(usage.complete);
}

static void keeps_what_was_measured(void **state) {
        const char *name = make_home("/ws", "/home/u");
        FD_AUTO layer = open_home(name), lock = -1;
        struct home_usage usage, last;
        char path[PATH_MAX];

        (void)state;
        home_usage_recall(layer, &last);
        assert_int_equal(last.when, 0);
        assert_false(home_usage_is_due(layer, &last)); /* it is new */
        shell("touch -d '1 hour ago' $H/about");
        assert_true(home_usage_is_due(layer, &last));
        shell("echo 12345 >$H/home/f");
        assert_true(home_usage_measure_and_keep(layer, FOR_EVER, &usage));
        home_usage_recall(layer, &last);
        assert_int_equal(last.bytes, usage.bytes);
        assert_int_equal(last.entries, 1);
        assert_false(home_usage_is_due(layer, &last));
        last.when -= 3600;
        assert_true(home_usage_is_due(layer, &last));
        last.took = 60000; /* then it is not worth it */
        assert_false(home_usage_is_due(layer, &last));
        last.when += 7200;
        assert_true(home_usage_is_due(layer, &last)); /* a clock was set back */

        /* another process measures */
        snprintf(path, sizeof(path), "%s/%s/size.lock", base, name);
        lock = open(path, O_RDWR | O_CLOEXEC);
        assert_true(lock >= 0);
        assert_int_equal(flock(lock, LOCK_EX), 0);
        assert_false(home_usage_measure_and_keep(layer, FOR_EVER, &usage));
        assert_int_equal(flock(lock, LOCK_UN), 0);
        shell("rm $H/size && ln -s /etc/passwd $H/size");
        home_usage_recall(layer, &last);
        assert_int_equal(last.when, 0);
}

/* ---- the list ---- */

static struct home_list list(struct arena *arena) {
        struct home_list found;
        struct err err = {};

        if (home_list(base, arena, &found, &err) < 0)
                fail_msg("%s", err.msg);
        return found;
}

/* Only what is certainly not there is gone. */
static void knows_workspaces(void **state) {
        static const struct {
                const char *below;
                enum home_state state;
        } cases[] = {
                { "there", HOME_WORKSPACE_IS_THERE },    { "gone", HOME_WORKSPACE_IS_GONE },
                { "file/ws", HOME_WORKSPACE_IS_GONE },   { "file", HOME_WORKSPACE_UNKNOWN },
                { "loop", HOME_WORKSPACE_UNKNOWN },      { "loop/ws", HOME_WORKSPACE_UNKNOWN },
                { "closed/ws", HOME_WORKSPACE_UNKNOWN },
        };

        (void)state;
        shell("mkdir there closed && touch file && ln -s loop loop && chmod 0 closed");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char workspace[PATH_MAX];
                struct home_list found;
                ARENA_AUTO arena;

                if (geteuid() == 0 && strcmp(cases[i].below, "closed/ws") == 0)
                        continue;
                arena_init(&arena, 0);
                snprintf(workspace, sizeof(workspace), "%s/%s", base, cases[i].below);
                make_home(workspace, "/home/u");
                found = list(&arena);
                assert_int_equal(found.count, 1);
                assert_string_equal(found.items[0].workspace, workspace);
                assert_string_equal(found.items[0].home, "/home/u");
                if (found.items[0].state != cases[i].state)
                        fail_msg("%s: %d", cases[i].below, found.items[0].state);
                shell("rm -rf ????????????????????????????????");
        }
}

/* What others say of a home does not count, and neither does what is none. */
static void doubts(void **state) {
        ARENA_AUTO arena;
        struct home_list found;
        struct err err = {};

        (void)state;
        arena_init(&arena, 0);
        make_home("/ws", "/home/u");
        shell("echo /other >$H/about; echo /home/u >>$H/about; mkdir not-one .removed-x; touch "
              "0123456789abcdef0123456789abcdef; "
              "ln -s / 1123456789abcdef0123456789abcdef");
        found = list(&arena);
        assert_int_equal(found.count, 1);
        assert_null(found.items[0].workspace);
        assert_int_equal(found.items[0].state, HOME_WORKSPACE_UNKNOWN);
        assert_int_equal(home_list("/no/such/directory", &arena, &found, &err), 0);
        assert_int_equal(found.count, 0);
}

/* ---- removing ---- */

static void removes_anything(void **state) {
        const char *name = make_home("/ws", "/home/u");
        struct home_usage usage;
        struct err err = {};

        (void)state;
        shell("mkdir outside && echo 1 >outside/f && cd $H/home && ln -s ../../outside link && mkdir -p closed/in/it && "
              "touch closed/in/it/f && chmod 0 closed/in/it closed/in closed && mkfifo p && "
              "python3 -c '\nimport os\nfor i in range(3000):\n    os.mkdir(\"d\" * 200)\n    os.chdir(\"d\" * 200)'");
        if (geteuid() == 0)
                shell("mknod $H/home/whiteout c 0 0");
        shell("cd $H/home && mkdir many && python3 -c '\nfor i in range(20000):\n    open(\"many/%d\" % i, \"w\")'");
        if (home_clear(base, name, &usage, &err) < 0)
                fail_msg("%s", err.msg);
        assert_in_range(usage.entries, 20000, 30000);
        shell("grep -q 1 outside/f && test \"$(ls -A)\" = outside");
        assert_int_equal(home_clear(base, name, &usage, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void refuses_while_in_use(void **state) {
        const char *name = make_home("/ws", "/home/u");
        char path[PATH_MAX];
        struct home_usage usage;
        struct err err = {};
        ARENA_AUTO arena;
        int held = -1;

        (void)state;
        arena_init(&arena, 0);
        snprintf(path, sizeof(path), "%s/%s", base, name);
        assert_false(list(&arena).items[0].in_use);
        assert_int_equal(home_hold(path, &held, &err), 0);
        assert_true(list(&arena).items[0].in_use);
        assert_int_equal(home_clear(base, name, &usage, &err), -1);
        assert_int_equal(err.code, ERR_REFUSED);
        assert_non_null(strstr(err.msg, "running"));
        shell("test -d $H/home");
        fd_close(held);
        assert_int_equal(home_clear(base, name, &usage, &err), 0);
        assert_int_equal(home_hold(path, &held, &err), 1); /* for the caller to make again */
}

static void finishes_interrupted_removals(void **state) {
        struct err err = {};
        FD_AUTO held = -1;
        char path[PATH_MAX];

        (void)state;
        make_home("/ws", "/home/u");
        shell("mkdir -p .removed-1/home/x .removed-2/home/x && chmod 0 .removed-1/home/x");
        snprintf(path, sizeof(path), "%s/.removed-2", base);
        held = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(held >= 0);
        assert_int_equal(flock(held, LOCK_EX), 0); /* somebody is at it */
        assert_int_equal(home_clear_rest(base, &err), 0);
        shell("test ! -e .removed-1 && test -d .removed-2 && test -d $H/home");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(reads_what_was_measured, begin, end),
                cmocka_unit_test_setup_teardown(measures, begin, end),
                cmocka_unit_test_setup_teardown(says_what_it_could_not_measure, begin, end),
                cmocka_unit_test_setup_teardown(keeps_what_was_measured, begin, end),
                cmocka_unit_test_setup_teardown(knows_workspaces, begin, end),
                cmocka_unit_test_setup_teardown(doubts, begin, end),
                cmocka_unit_test_setup_teardown(removes_anything, begin, end),
                cmocka_unit_test_setup_teardown(refuses_while_in_use, begin, end),
                cmocka_unit_test_setup_teardown(finishes_interrupted_removals, begin, end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
