#include "policy/env.h"
#include "tests/test.h"

/* ---- the table ---- */

static void rows_are_in_order(void **state) {
        static const int rank[] = { [ENV_UNLISTED] = 0, [ENV_SECRET] = 1, [ENV_PASS] = 2, [ENV_RUNS_CODE] = 3 };

        (void)state;
        for (size_t i = 0; i < env_rule_count; i++) {
                const struct env_rule *rule = &env_rules[i];

                assert_true(strlen(rule->pattern) > 1 && strlen(rule->why) > 3);
                if (i > 0)
                        assert_true(rank[env_rules[i - 1].verdict] <= rank[rule->verdict]);
                assert_true((rule->verdict == ENV_RUNS_CODE) <= (rule->code != ENV_CODE_NONE));
                assert_true(!rule->any_program || rule->verdict == ENV_RUNS_CODE);
                for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(env_rules[j].pattern, rule->pattern);
        }
}

/* A name that a row stands for must not be taken by a row before it that decides differently. */
static void no_row_is_hidden(void **state) {
        (void)state;
        for (size_t i = 0; i < env_rule_count; i++) {
                const struct env_rule *rule = &env_rules[i], *found;
                char name[64];
                size_t used = 0;

                for (const char *c = rule->pattern; *c; c++)
                        name[used++] = *c == '*' ? 'Q' : *c;
                found = env_rule_find(str_from(name, used));
                if (!found || found->verdict != rule->verdict)
                        fail_msg("%s is decided by %s", rule->pattern, found ? found->pattern : "nothing");
        }
}

/* ---- names ---- */

static const struct {
        const char *name;
        enum env_verdict verdict; /* of a policy without lists of its own */
} names[] = {
        { "PATH", ENV_PASS },
        { "HOME", ENV_PASS },
        { "LANG", ENV_PASS },
        { "LC_ALL", ENV_PASS },
        { "LC_CTYPE", ENV_PASS },
        { "TERM", ENV_PASS },
        { "TZ", ENV_PASS },
        { "USER", ENV_PASS },
        { "SHELL", ENV_PASS },
        { "JAVA_HOME", ENV_PASS },
        { "CARGO_HOME", ENV_PASS },
        { "GIT_AUTHOR_NAME", ENV_PASS },
        { "TOKENIZERS_PARALLELISM", ENV_PASS },
        /* secrets */
        { "OPENAI_API_KEY", ENV_SECRET },
        { "openai_api_key", ENV_SECRET },
        { "GITHUB_TOKEN", ENV_SECRET },
        { "TOKEN", ENV_SECRET },
        { "GITHUBTOKEN", ENV_SECRET },
        { "ACTIONS_ID_TOKEN_REQUEST_URL", ENV_SECRET },
        { "AWS_SECRET_ACCESS_KEY", ENV_SECRET },
        { "AWS_ACCESS_KEY_ID", ENV_SECRET },
        { "AWS_SESSION_TOKEN", ENV_SECRET },
        { "CLIENT_SECRET", ENV_SECRET },
        { "SECRET_KEY_BASE", ENV_SECRET },
        { "PGPASSWORD", ENV_SECRET },
        { "Db_Password_File", ENV_SECRET },
        { "MYSQL_PWD", ENV_SECRET },
        { "DB_PASS", ENV_SECRET },
        { "MY_PASSWD", ENV_SECRET },
        { "GOOGLE_APPLICATION_CREDENTIALS", ENV_SECRET },
        { "SSH_PRIVATE_KEY", ENV_SECRET },
        { "STRIPE_KEY", ENV_SECRET },
        { "WAYLAND_VAULT_PASSPHRASE", ENV_SECRET },
        { "WAYLAND_VAULT_PATH", ENV_SECRET },
        { "VAULT_ADDR", ENV_SECRET },
        { "DATABASE_URL", ENV_SECRET },
        { "SENTRY_DSN", ENV_SECRET },
        { "SLACK_WEBHOOK_URL", ENV_SECRET },
        { "CARGO_REGISTRY_TOKEN", ENV_SECRET },
        { "npm_config__authToken", ENV_SECRET },
        { "GIT_CONFIG_TOKEN", ENV_SECRET },
        { "LC_SECRET", ENV_SECRET }, /* before what passes */
        /* look like it, are not */
        { "KEYBOARD", ENV_UNLISTED },
        { "KEY", ENV_UNLISTED },
        { "KEYMAP", ENV_UNLISTED },
        { "MONKEY", ENV_UNLISTED },
        { "PWD", ENV_UNLISTED },
        { "OLDPWD", ENV_UNLISTED },
        { "MAX_TOKENS", ENV_UNLISTED },
        { "MAX_TOKEN", ENV_UNLISTED },
        { "TOKEN_COUNT", ENV_UNLISTED },
        { "SSH_PUBLIC_KEY", ENV_UNLISTED },
        { "CACHE_KEY", ENV_UNLISTED },
        { "PRIMARY_KEY", ENV_UNLISTED },
        { "SSH_AUTH_SOCK", ENV_UNLISTED }, /* a path; and out of reach in the sandbox */
        { "COMPASS", ENV_UNLISTED },
        { "BYPASS", ENV_UNLISTED },
        { "AUTHOR", ENV_UNLISTED },
        { "DEFAULT", ENV_UNLISTED },
        { "XDG_SESSION_ID", ENV_UNLISTED },
        { "FOO", ENV_UNLISTED },
        { "IFS", ENV_UNLISTED },
        /* code */
        { "LD_PRELOAD", ENV_RUNS_CODE },
        { "LD_LIBRARY_PATH", ENV_RUNS_CODE },
        { "DYLD_INSERT_LIBRARIES", ENV_RUNS_CODE },
        { "BASH_ENV", ENV_RUNS_CODE },
        { "ENV", ENV_RUNS_CODE },
        { "BASH_FUNC_ls%%", ENV_RUNS_CODE },
        { "PROMPT_COMMAND", ENV_RUNS_CODE },
        { "PS4", ENV_RUNS_CODE },
        { "SHELLOPTS", ENV_RUNS_CODE },
        { "PYTHONSTARTUP", ENV_RUNS_CODE },
        { "PYTHONPATH", ENV_RUNS_CODE },
        { "NODE_OPTIONS", ENV_RUNS_CODE },
        { "PERL5OPT", ENV_RUNS_CODE },
        { "RUBYOPT", ENV_RUNS_CODE },
        { "_JAVA_OPTIONS", ENV_RUNS_CODE },
        { "JDK_JAVA_OPTIONS", ENV_RUNS_CODE },
        { "JAVA_TOOL_OPTIONS", ENV_RUNS_CODE },
        { "GIT_SSH_COMMAND", ENV_RUNS_CODE },
        { "GIT_PROXY_COMMAND", ENV_RUNS_CODE },
        { "GIT_EXTERNAL_DIFF", ENV_RUNS_CODE },
        { "GIT_CONFIG_COUNT", ENV_RUNS_CODE },
        { "GIT_CONFIG_VALUE_0", ENV_RUNS_CODE },
        { "GIT_DIR", ENV_RUNS_CODE },
        { "PAGER", ENV_RUNS_CODE },
        { "MANPAGER", ENV_RUNS_CODE },
        { "EDITOR", ENV_RUNS_CODE },
        { "KUBE_EDITOR", ENV_RUNS_CODE },
        { "LESSOPEN", ENV_RUNS_CODE },
        { "TAR_OPTIONS", ENV_RUNS_CODE },
        { "GCONV_PATH", ENV_RUNS_CODE },
        { "RUSTC_WRAPPER", ENV_RUNS_CODE },
        { "GOFLAGS", ENV_RUNS_CODE },
        { "npm_config_script_shell", ENV_RUNS_CODE },
        { "PIP_INDEX_URL", ENV_RUNS_CODE },
        { "CARGO_BUILD_RUSTC", ENV_RUNS_CODE },
        { "MAKEFLAGS", ENV_RUNS_CODE },
        { "ld_preload", ENV_UNLISTED }, /* nobody reads it */
        { "", ENV_INVALID },
};

static void verdicts(void **state) {
        const struct env_policy policy = { 0 };

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                const struct env_rule *rule;
                enum env_verdict verdict = env_judge(&policy, str_z(names[i].name), &rule);

                if (verdict != names[i].verdict)
                        fail_msg("%s: %s%s%s", names[i].name, env_verdict_text(verdict), rule ? ", by " : "",
                                 rule ? rule->pattern : "");
                assert_int_equal(env_is_secret(str_z(names[i].name)), verdict == ENV_SECRET);
                assert_int_equal(env_runs_code(str_z(names[i].name)), verdict == ENV_RUNS_CODE);
        }
        assert_int_equal(env_rule_find(STR("GIT_SSH_COMMAND"))->code, ENV_CODE_COMMAND);
        assert_true(env_rule_find(STR("LD_AUDIT"))->any_program);
}

/* ---- what a policy says ---- */

static const struct str passed[] = { STR("FOO"), STR("MY_*"), STR("LD_PRELOAD"), STR("GITHUB_*"), STR("SSH_PUBLIC_KEY") };
static const struct str secrets[] = { STR("NPM_TOKEN"), STR("PYTHONPATH") };
static const struct env_pair set[] = { { STR("LANG"), STR("C.UTF-8") }, { STR("X_TOKEN"), STR("given") } };
static const struct env_policy listed = { .pass = { passed, 5 }, .pass_secret = { secrets, 2 }, .set = { set, 2 } };

static void lists_of_a_policy(void **state) {
        (void)state;
        assert_int_equal(env_judge(&listed, STR("FOO"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&listed, STR("FOOD"), NULL), ENV_UNLISTED);
        assert_int_equal(env_judge(&listed, STR("MY_X"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&listed, STR("MY_SECRET"), NULL), ENV_SECRET); /* also when it is listed */
        assert_int_equal(env_judge(&listed, STR("GITHUB_TOKEN"), NULL), ENV_SECRET);
        assert_int_equal(env_judge(&listed, STR("GITHUB_ACTIONS"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&listed, STR("LD_PRELOAD"), NULL), ENV_RUNS_CODE);
        assert_int_equal(env_judge(&listed, STR("SSH_PUBLIC_KEY"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&listed, STR("NPM_TOKEN"), NULL), ENV_PASS); /* unless it is named for that */
        assert_int_equal(env_judge(&listed, STR("npm_token"), NULL), ENV_SECRET);
        assert_int_equal(env_judge(&listed, STR("PYTHONPATH"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&listed, STR("X_TOKEN"), NULL), ENV_SET);
        assert_int_equal(env_judge(&listed, STR("LANG"), NULL), ENV_SET);
}

static void the_environment_of_a_command(void **state) {
        static const char *const environment[] = { "PATH=/bin",      "LANG=de_DE", "FOO=a=b",
                                                   "GITHUB_TOKEN=x", "BAR=1",      "NPM_TOKEN=tok",
                                                   "LD_PRELOAD=x",   "broken",     "=odd",
                                                   "MY_EMPTY=",      NULL };
        static const char *const expected[] = { "PATH=/bin", "FOO=a=b",      "NPM_TOKEN=tok",
                                                "MY_EMPTY=", "LANG=C.UTF-8", "X_TOKEN=given" };
        const char *const *result;
        ARENA_AUTO arena;
        size_t i;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(env_filter(&listed, false, environment, &arena, &result, NULL), 0);
        for (i = 0; i < sizeof(expected) / sizeof(*expected); i++)
                assert_string_equal(result[i], expected[i]);
        assert_null(result[i]);
        assert_int_equal(env_filter(&(struct env_policy){ 0 }, false, NULL, &arena, &result, NULL), 0);
        assert_null(result[0]);
        arena_free(&arena);
        arena_init(&arena, 1);
        assert_int_equal(env_filter(&listed, false, environment, &arena, &result, NULL), -1);
}

static const char *value_of(const char *const *list, const char *name) {
        size_t len = strlen(name);

        for (; *list; list++)
                if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
                        return *list + len + 1;
        return NULL;
}

/* What the user or the policy sets is kept, in any spelling; what is dropped from the user's environment does not count. */
static void without_a_network(void **state) {
        static const char *const environment[] = { "PATH=/bin", "PIP_RETRIES=7", "PIP_DISABLE_PIP_VERSION_CHECK=0", NULL };
        static const struct env_pair pairs[] = { { STR("NPM_CONFIG_FETCH_RETRIES"), STR("3") } };
        static const struct env_policy policy = { .set = { pairs, 1 } };
        const char *const *result;
        ARENA_AUTO arena;
        size_t count = 0;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(env_filter(&policy, true, environment, &arena, &result, NULL), 0);
        assert_string_equal(value_of(result, "PIP_RETRIES"), "1");
        assert_string_equal(value_of(result, "CARGO_NET_RETRY"), "0");
        assert_string_equal(value_of(result, "PIP_DISABLE_PIP_VERSION_CHECK"), "0");
        assert_string_equal(value_of(result, "NPM_CONFIG_FETCH_RETRIES"), "3");
        assert_null(value_of(result, "npm_config_fetch_retries"));
        while (result[count])
                count++;
        assert_int_equal(count, 1 + offline_count);
        assert_int_equal(env_filter(&policy, false, environment, &arena, &result, NULL), 0);
        assert_null(value_of(result, "CARGO_NET_RETRY"));
}

/* With a gateway there is no proxy, however a policy came to pass it. What the config sets is meant. */
static void without_proxies(void **state) {
        const struct str names_passed[] = { STR("HTTPS_PROXY"), STR("GOPROXY"), STR("x") };
        const struct str named[] = { STR("all_proxy"), STR("npm_config_proxy"), STR("npm_config_noproxy") };
        const struct env_pair own[] = { { STR("ftp_proxy"), STR("http://own/") } };
        struct env_policy policy = { .pass = { names_passed, 3 }, .pass_secret = { named, 3 }, .set = { own, 1 } };
        static const char *const proxies[] = { "HTTPS_PROXY", "npm_config_proxy", "npm_config_noproxy", "all_proxy" };

        (void)state;
        for (size_t i = 0; i < sizeof(proxies) / sizeof(*proxies); i++) {
                policy.no_proxies = false;
                assert_int_equal(env_judge(&policy, str_z(proxies[i]), NULL), ENV_PASS);
                policy.no_proxies = true;
                assert_int_equal(env_judge(&policy, str_z(proxies[i]), NULL), ENV_PROXY);
        }
        assert_int_equal(env_judge(&policy, STR("NO_PROXY"), NULL), ENV_UNLISTED);
        assert_int_equal(env_judge(&policy, STR("MY_TOKEN_PROXY"), NULL), ENV_SECRET);
        assert_int_equal(env_judge(&policy, STR("GOPROXY"), NULL), ENV_RUNS_CODE);
        assert_int_equal(env_judge(&policy, STR("x"), NULL), ENV_PASS);
        assert_int_equal(env_judge(&policy, STR("ftp_proxy"), NULL), ENV_SET);
}

static void offline_rows_are_sorted(void **state) {
        (void)state;
        for (size_t i = 1; i < offline_count; i++)
                assert_true(strcmp(offline_rows[i - 1].name, offline_rows[i].name) < 0);
}

static void valid_names(void **state) {
        (void)state;
        assert_true(env_name_valid(STR("A_1")));
        assert_true(env_name_valid(STR("_")));
        assert_false(env_name_valid(STR("")));
        assert_false(env_name_valid(STR("1A")));
        assert_false(env_name_valid(STR("A=B")));
        assert_false(env_name_valid(STR("A\0")));
        assert_true(env_pattern_valid(STR("LC_*")));
        assert_false(env_pattern_valid(STR("*")));
        assert_false(env_pattern_valid(STR("A*B")));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(rows_are_in_order),
                cmocka_unit_test(no_row_is_hidden),
                cmocka_unit_test(verdicts),
                cmocka_unit_test(lists_of_a_policy),
                cmocka_unit_test(valid_names),
                cmocka_unit_test(the_environment_of_a_command),
                cmocka_unit_test(without_a_network),
                cmocka_unit_test(without_proxies),
                cmocka_unit_test(offline_rows_are_sorted),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
