#include "policy/env_left.h"
#include "tests/test.h"

static const struct str passed[] = { STR("MY_*") };
static const struct str secrets[] = { STR("GIVEN_TOKEN") };
static const struct env_pair pairs[] = { { STR("FIXED"), STR("x") } };
static const struct env_policy policy = {
        .pass = { passed, 1 },
        .pass_secret = { secrets, 1 },
        .set = { pairs, 1 },
        .no_proxies = true,
};

static void what_is_kept(void **state) {
        static const char *const names[] = { "A",           "FOO_BAR",   "MY_NAME",     "PATH",
                                             "VIRTUAL_ENV", "JAVA_HOME", "GIVEN_TOKEN", "lower" };

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (env_left_refusal(&policy, str_z(names[i])) || env_left_is_own(str_z(names[i])))
                        fail_msg("%s is not kept", names[i]);
}

static void what_is_not(void **state) {
        static const struct {
                const char *name, *why;
        } cases[] = {
                { "LD_PRELOAD", "makes programs run code" },
                { "BASH_ENV", "a setting of the shell" },
                { "BASH_FUNC_f%%", "its name is not valid" },
                { "PYTHONPATH", "makes programs run code" },
                { "IFS", "a setting of the shell" },
                { "PS4", "a setting of the shell" },
                { "SHELLOPTS", "a setting of the shell" },
                { "PROMPT_COMMAND", "makes programs run code" },
                { "OPTIND", "a setting of the shell" },
                { "HOME", "the sandbox chooses it" },
                { "SOME_TOKEN", "looks like a secret" },
                { "FIXED", "set by the config" },
                { "", "its name is not valid" },
                { "1A", "its name is not valid" },
                { "A B", "its name is not valid" },
                { "A\n", "its name is not valid" },
                { "\xff", "its name is not valid" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                const char *why = env_left_refusal(&policy, str_z(cases[i].name));

                assert_non_null(why);
                assert_string_equal(why, cases[i].why);
        }
}

static void what_every_shell_sets(void **state) {
        static const char *const names[] = { "_", "PWD", "OLDPWD", "SHLVL" };

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                assert_true(env_left_is_own(str_z(names[i])));
                assert_non_null(env_left_refusal(&policy, str_z(names[i])));
        }
        assert_false(env_left_is_own(STR("IFS")));
        assert_false(env_left_is_own(STR("PWDX")));
}

static void directories_of_path(void **state) {
        static const char *const good[] = { "/ws/venv/bin", "/usr/bin", "/opt/x", "/tmpx", "/home/u/.local/bin", "/a b" };
        static const char *const bad[] = { "",       ".",        "bin",        "./bin",    "../x",           "/tmp",
                                           "/tmp/",  "/tmp/x",   "/var/tmp/x", "/dev/shm", "/proc/self/cwd", "/ws/../tmp",
                                           "/ws/..", "/./tmp/x", "//tmp/x",    "/ws/.",    "/run/x" };

        (void)state;
        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
                if (!env_left_path_ok(str_z(good[i]), STR("/ws")))
                        fail_msg("%s is refused", good[i]);
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                if (env_left_path_ok(str_z(bad[i]), STR("/ws")))
                        fail_msg("'%s' is accepted", bad[i]);
}

static void directories_of_path_in_a_workspace(void **state) {
        static const char *const bad[] = { "/tmp/w", "/tmp/ws2", "/tmp/ws/..", "/tmp/ws/../x", "/tmp/ws/./x", "/tmp//ws/x" };

        (void)state;
        assert_true(env_left_path_ok(STR("/tmp/ws"), STR("/tmp/ws")));
        assert_true(env_left_path_ok(STR("/tmp/ws/venv/bin"), STR("/tmp/ws")));
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                if (env_left_path_ok(str_z(bad[i]), STR("/tmp/ws")))
                        fail_msg("'%s' is accepted", bad[i]);
        assert_false(env_left_path_ok(STR("/tmp/x"), STR("/")));
        assert_false(env_left_path_ok(STR("/tmp/x"), STR("")));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_kept),
                cmocka_unit_test(what_is_not),
                cmocka_unit_test(what_every_shell_sets),
                cmocka_unit_test(directories_of_path),
                cmocka_unit_test(directories_of_path_in_a_workspace),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
