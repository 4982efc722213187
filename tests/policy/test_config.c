/*
 * Config files: what they may say and how, and what is said about those that are wrong.
 */
#include "base/time.h"
#include "tests/policy/config_test.h"

static struct arena arena;

static int arena_setup(void **state) {
        (void)state;
        arena_init(&arena, 0);
        return 0;
}

static int arena_teardown(void **state) {
        (void)state;
        arena_free(&arena);
        return 0;
}

static const struct policy *one_named(const char *name, const char *text) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = text, .name = name }, { 0 } };

        return config_policy(files, "default", &arena);
}

/* ---- built-in ---- */

static void the_default_policy(void **state) {
        const struct policy *p = config_policy((struct config_file[]){ { 0 } }, "default", &arena);

        (void)state;
        assert_int_equal(p->guard.mode, GUARD_ENFORCE);
        assert_int_equal(p->guard.max_command_length, 8192);
        assert_false(p->guard.allow_sudo);
        assert_false(p->guard.allow_any_domain);
        assert_false(p->guard.allow_only_listed);
        assert_int_equal(p->guard.domain_allowlist.count, 13);
        assert_true(list_holds(p->guard.domain_allowlist, "*.githubusercontent.com"));
        assert_int_equal(p->guard.command_blocklist.count, 17);
        assert_true(list_holds(p->guard.command_blocklist, "umount"));
        assert_int_equal(p->guard.pattern_count, 0);
        assert_int_equal(p->sandbox.network, NETWORK_DENY);
        assert_int_equal(p->sandbox.root, ROOT_HOST);
        assert_true(p->sandbox.workspace_write);
        assert_true(p->run.timeout == 120 * TIME_SECOND);
        assert_true(p->run.timeout_max == 600 * TIME_SECOND);
        assert_int_equal(p->run.output_bytes, 100 << 10);
        assert_int_equal(p->run.output_limit, OUTPUT_LIMIT_CAPTURED);
        assert_int_equal(p->run.background_output_bytes, 1 << 20);
        assert_int_equal(p->audit.ring_size, 1000);
        assert_true(p->audit.required);
        assert_str_equal(p->container.image, STR("ubuntu:22.04"));
        assert_int_equal(p->container.memory_mb, 512);
        assert_true(p->container.cpus == 2);
        assert_int_equal(p->notices.count, 0);
        assert_str_equal(p->workspace, STR("/work"));
        assert_origin(p, "guard.mode", "built-in");
}

static void readonly_and_build(void **state) {
        const struct policy *readonly = config_policy((struct config_file[]){ { 0 } }, "readonly", &arena);
        const struct policy *build = config_policy((struct config_file[]){ { 0 } }, "build", &arena);

        (void)state;
        for (int i = 0; i < 2; i++) {
                const struct policy *p = i ? build : readonly;

                assert_true(p->guard.allow_only_listed);
                assert_true(p->run.timeout == 10 * TIME_SECOND);
                assert_true(p->run.timeout_max == 60 * TIME_SECOND);
                assert_int_equal(p->run.output_bytes, 10 << 10);
                assert_int_equal(p->run.output_limit, OUTPUT_LIMIT_ALWAYS);
                assert_int_equal(p->sandbox.network, NETWORK_DENY);
                assert_true(list_holds(p->guard.allowed_commands, "grep"));
                assert_true(list_holds(p->guard.allowed_commands, "type"));
                assert_true(list_holds(p->guard.command_blocklist, "mkfs"));
                assert_true(list_holds(p->guard.command_blocklist, "curl"));
        }
        assert_int_equal(readonly->guard.allowed_commands.count, 14);
        assert_int_equal(build->guard.allowed_commands.count, 27);
        assert_true(list_holds(build->guard.allowed_commands, "python -m pytest"));
        assert_false(readonly->sandbox.workspace_write);
        assert_true(build->sandbox.workspace_write);
        assert_origin(build, "run.timeout", "built-in (policy readonly)");
}

/* ---- ways to say it ---- */

/* The example of a manifest that is to load as it is. */
static void a_manifest(void **state) {
        const struct policy *p = config_one("[sandbox]\n"
                                            "fs_read_allow = [\"/home/user/project/src\"]\n"
                                            "fs_write_allow = [\"/tmp/tool-output\"]\n"
                                            "network = { kind = \"deny\" }\n"
                                            "syscall_policy = \"inherit\" # or \"strict\"\n"
                                            "timeout = { secs = 30, nanos = 0 }\n"
                                            "max_memory_bytes = 268435456 # 256 MiB\n"
                                            "max_cpu_secs = 10\n"
                                            "env = [[\"LANG\", \"en_US.UTF-8\"]]\n"
                                            "# image = \"ghcr.io/tradecanyon/wcore-sandbox:base\" # Docker only\n",
                                            &arena);

        (void)state;
        assert_str_equal(p->sandbox.fs_read_allow.items[0], STR("/home/user/project/src"));
        assert_str_equal(p->sandbox.fs_write_allow.items[0], STR("/tmp/tool-output"));
        assert_int_equal(p->sandbox.network, NETWORK_DENY);
        assert_int_equal(p->sandbox.syscalls, SYSCALLS_INHERIT);
        assert_true(p->run.timeout == 30 * TIME_SECOND);
        assert_int_equal(p->sandbox.max_memory_bytes, 256 << 20);
        assert_int_equal(p->sandbox.max_cpu_secs, 10);
        assert_int_equal(p->env.set.count, 1);
        assert_str_equal(p->env.set.items[0].name, STR("LANG"));
        assert_str_equal(p->env.set.items[0].value, STR("en_US.UTF-8"));
}

/* The two examples of a bashSandbox, in one. */
static void a_bash_sandbox(void **state) {
        const struct policy *p = one_named("FILE.json5", "{\n  bashSandbox: {\n"
                                                         "    mode: \"enforce\",                       // \"warn\" | \"off\"\n"
                                                         "    maxCommandLengthBytes: 8192,           // 64\xe2\x80\x93"
                                                         "65536\n"
                                                         "    allowSudo: false,\n"
                                                         "    allowCurlToArbitraryDomains: false,\n"
                                                         "    bypassEnvVar: \"MAYROS_BASH_SANDBOX_BYPASS\",\n"
                                                         "    domainAllowlist: [\"github.com\"],\n"
                                                         "    domainDenylist: [],\n"
                                                         "    commandBlocklist: [],\n"
                                                         "    commandAllowOverrides: [],\n"
                                                         "    dangerousPatterns: [],\n"
                                                         "    container: {\n"
                                                         "      enabled: true, runtime: \"auto\", image: \"ubuntu:22.04\",\n"
                                                         "      mountPolicy: \"workdir-only\", networkMode: \"none\",\n"
                                                         "      resourceLimits: { cpus: 2, memoryMb: 512, pidsLimit: 256 },\n"
                                                         "      securityFlags: {\n"
                                                         "        blockPrivileged: true, blockHostNetwork: true,\n"
                                                         "        blockRootVolume: true, noNewPrivileges: true,\n"
                                                         "        dropCapabilities: [\"ALL\"]\n      }\n    },\n  }\n}");

        (void)state;
        assert_str_equal(p->guard.bypass_env_var, STR("MAYROS_BASH_SANDBOX_BYPASS"));
        assert_int_equal(p->guard.domain_allowlist.count, 13); /* one that is there is not added */
        assert_true(p->container.enabled);
        assert_int_equal(p->container.pids_limit, 256);
        assert_int_equal(p->container.drop_capabilities.count, 1);
        assert_origin(p, "container.resource_limits.memory_mb", "FILE.json5:16:44");
}

static void amounts(void **state) {
        static const struct {
                const char *text;
                int64_t timeout, output;
        } rows[] = {
                { "timeout = 5\noutput_bytes = 2048", 5 * TIME_SECOND, 2048 },
                { "timeout = 0.25\noutput_bytes = \"2 KiB\"", TIME_SECOND / 4, 2048 },
                { "timeout = \"1500ms\"\noutput_bytes = \"2K\"", TIME_SECOND * 3 / 2, 2048 },
                { "timeout = \"1.5 m\"\noutput_bytes = \"2kb\"", 90 * TIME_SECOND, 2000 },
                { "timeout = \"2min\"\noutput_bytes = \"1.5 MiB\"", 120 * TIME_SECOND, 3 << 19 },
                { "timeout = { secs = 1, nanos = 500000000 }", TIME_SECOND * 3 / 2, 100 << 10 },
                { "timeout = { secs = 7 }", 7 * TIME_SECOND, 100 << 10 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char text[128];
                const struct policy *p;

                snprintf(text, sizeof(text), "[run]\n%s\n", rows[i].text);
                p = config_one(text, &arena);
                assert_true(p->run.timeout == rows[i].timeout);
                assert_true(p->run.output_bytes == rows[i].output);
        }
}

static void variables(void **state) {
        const struct policy *p = config_one("[env]\nset = { A = \"1\", B = \"\" }\n"
                                            "[policy.default.env]\nset = [\"B=x=y\", [\"C\", \"3\"]]\n",
                                            &arena);

        (void)state;
        assert_int_equal(p->env.set.count, 3);
        assert_str_equal(p->env.set.items[1].name, STR("B"));
        assert_str_equal(p->env.set.items[1].value, STR("x=y")); /* the later value, in the same place */
        assert_str_equal(p->env.set.items[2].value, STR("3"));
}

static void patterns(void **state) {
        const struct policy *p = config_one("[[guard.dangerous_patterns]]\nname = \"no-push\"\nregex = 'push +-f'\n"
                                            "severity = \"warn\"\nmessage = \"ask first\"\n"
                                            "[policy.default.guard]\ndangerous_patterns = ['^x', { pattern = \"y\" }]\n",
                                            &arena);

        (void)state;
        assert_int_equal(p->guard.pattern_count, 3);
        assert_str_equal(p->guard.patterns[0].name, STR("no-push"));
        assert_int_equal(p->guard.patterns[0].severity, SEVERITY_WARN);
        assert_str_equal(p->guard.patterns[0].message, STR("ask first"));
        assert_str_equal(p->guard.patterns[1].name, STR("user-pattern"));
        assert_int_equal(p->guard.patterns[1].severity, SEVERITY_BLOCK);
        assert_str_equal(p->guard.patterns[2].regex, STR("y"));
        for (size_t i = 0; i < 3; i++)
                assert_non_null(p->guard.patterns[i].code);
}

static void network(void **state) {
        const struct policy *p = config_one("sandbox.network = \"inherit\"\n", &arena);

        (void)state;
        assert_int_equal(p->sandbox.network, NETWORK_INHERIT);
        p = config_one("[sandbox]\nnetwork = { kind = \"allow_hosts\", hosts = [\"api.example.com\"] }\n", &arena);
        assert_int_equal(p->sandbox.network, NETWORK_ALLOW_HOSTS);
        assert_str_equal(p->sandbox.network_hosts.items[0], STR("api.example.com"));
}

/* ---- lists ---- */

static void lists_add_or_replace(void **state) {
        const struct config_file files[] = {
                { .layer = LAYER_SYSTEM, .text = "[guard]\ncommand_blocklist = [\"nc\"]\n", .name = "a.toml" },
                { .layer = LAYER_USER, .text = "[guard]\ncommand_blocklist = [\"nc\", \"at\"]\n", .name = "b.toml" },
                { 0 },
                { 0 },
        };
        struct config_file with[4];
        const struct policy *p = config_policy(files, "default", &arena);
        const struct value_origin *from = &p->origins[key_index(key_by_path(STR("guard.command_blocklist")))];

        (void)state;
        assert_int_equal(p->guard.command_blocklist.count, 19);
        assert_false(from->replaced);
        assert_int_equal(from->items[0]->layer, LAYER_BUILTIN);
        assert_string_equal(from->items[17]->file, "a.toml");
        assert_string_equal(from->items[18]->file, "b.toml");
        assert_int_equal(from->items[18]->column, 28);
        memcpy(with, files, sizeof(with));
        with[2] = (struct config_file){ .layer = LAYER_FILE,
                                        .text = "[guard]\ncommand_blocklist = { replace = true, items = [\"at\"] }\n" };
        p = config_policy(with, "default", &arena);
        from = &p->origins[key_index(key_by_path(STR("guard.command_blocklist")))];
        assert_int_equal(p->guard.command_blocklist.count, 1);
        assert_true(from->replaced);
        with[2].text = "[guard]\ncommand_blocklist = { replace = false, items = [\"zz\"] }\n";
        assert_int_equal(config_policy(with, "default", &arena)->guard.command_blocklist.count, 20);
        with[2].text = "[env]\nset = { replace = true, items = [] }\n";
        assert_int_equal(config_policy(with, "default", &arena)->env.set.count, 0);
}

/* ---- order ---- */

static void later_files_win(void **state) {
        const struct config_file files[] = {
                { .layer = LAYER_SYSTEM, .text = "run.warm = 1\nrun.max_shells = 1\nguard.mode = \"off\"\n", .name = "1.toml" },
                { .layer = LAYER_USER, .text = "{\"run\": {\"warm\": 2, \"maxShells\": 2}}", .name = "2.json" },
                { .layer = LAYER_WORKSPACE, .text = "{run: {warm: 3}}", .name = "3.json5" },
                { .layer = LAYER_FILE, .text = "run.warm = 4\n", .name = "4.toml" },
                { .layer = LAYER_OVERRIDE, .text = "run.warm=5" },
                { 0 },
        };
        const struct policy *p = config_policy(files, "default", &arena);

        (void)state;
        assert_int_equal(p->run.warm, 5);
        assert_int_equal(p->run.max_shells, 2);
        assert_int_equal(p->guard.mode, GUARD_OFF);
        assert_origin(p, "run.warm", "override");
        assert_origin(p, "run.max_shells", "2.json:1:34");
        assert_origin(p, "guard.mode", "1.toml:3:14");
        assert_int_equal(p->file_count, 4);
}

static void a_policy_of_its_own(void **state) {
        const struct config_file files[] = {
                { .layer = LAYER_USER,
                  .text = "[run]\ntimeout = 300\n"
                          "[policy.ci]\nextends = \"build\"\nallowed_commands = [\"cargo fmt\"]\n"
                          "[policy.ci.run]\ntimeout = \"30s\"\n"
                          "[policy.ci.guard]\ncommandBlocklist = [\"nc\"]\n"
                          "[policy.list]\nallowedCommands = [\"ls\"]\n"
                          "[policy.loose]\nallowed_commands = [\"ls\"]\nguard.allow_only_listed = false\n" },
                { .layer = LAYER_FILE, .text = "policy.ci.bashSandbox.container.enabled = true\n", .name = "F.toml" },
                { 0 },
        };
        const struct policy *p = config_policy(files, "ci", &arena);

        (void)state;
        assert_true(p->run.timeout == 30 * TIME_SECOND);
        assert_true(p->run.timeout_max == 60 * TIME_SECOND);
        assert_int_equal(p->guard.allowed_commands.count, 28);
        assert_true(list_holds(p->guard.command_blocklist, "nc"));
        assert_true(p->guard.allow_only_listed);
        assert_true(p->container.enabled);
        assert_origin(p, "run.timeout", "FILE.toml:7:11 (policy ci)");
        assert_origin(p, "container.enabled", "F.toml:1:43 (policy ci)");
        /* what is said for all does not change what is said for one */
        assert_true(config_policy(files, "readonly", &arena)->run.timeout == 10 * TIME_SECOND);
        assert_true(config_policy(files, "default", &arena)->run.timeout == 300 * TIME_SECOND);
        p = config_policy(files, "list", &arena);
        assert_true(p->guard.allow_only_listed); /* or the list would mean nothing */
        assert_int_equal(p->guard.allowed_commands.count, 1);
        assert_false(config_policy(files, "loose", &arena)->guard.allow_only_listed);
}

static void a_default_policy(void **state) {
        const struct config_file named[] = { { .layer = LAYER_USER, .text = "[run]\npolicy = \"build\"\n[policy.ci]\n" },
                                             { 0 } };
        const struct config_file files[] = {
                { .layer = LAYER_USER, .text = "policy = \"readonly\"\n" },
                { .layer = LAYER_WORKSPACE, .untrusted = true, .text = "policy = \"build\"\n", .name = "W.toml" },
                { 0 }
        };
        const struct config_file wrong[] = { { .layer = LAYER_USER, .text = "policy = 3\n" }, { 0 } };
        const struct config_file unknown[] = { { .layer = LAYER_USER, .text = "policy = \"redonly\"\n" }, { 0 } };
        const struct policy *p;
        struct err err;

        (void)state;
        assert_str_equal(config_policy(named, NULL, &arena)->name, STR("build"));
        p = config_policy(files, NULL, &arena);
        assert_str_equal(p->name, STR("readonly"));
        assert_true(p->run.timeout == 10 * TIME_SECOND);
        assert_origin(p, "run.policy", "FILE.toml:1:10");
        assert_str_equal(config_policy(files, "default", &arena)->name, STR("default"));
        assert_int_equal(config_resolve(wrong, NULL, &arena, &p, &err), -1);
        assert_string_equal(err.msg, "FILE.toml:1:10: policy: expected the name of a policy, or a table of policies, found 3");
        assert_int_equal(config_resolve(unknown, NULL, &arena, &p, &err), -1);
        assert_string_equal(err.msg,
                            "FILE.toml:1:10: unknown policy \"redonly\"; available: default, readonly, build, and those in "
                            "[policy.NAME]");
}

static void overrides(void **state) {
        static const struct {
                const char *text, *message; /* NULL: fine */
        } rows[] = {
                { "guard.mode=warn", NULL },
                { "bashSandbox.allowSudo=true", NULL },
                { "sandbox.network=inherit", NULL },
                { "env.set.FOO=[x", NULL },
                { "env.set.A B=x", "env.set: \"A B\" is not a valid variable name" },
                { "sandbox.fs_read_allow=/a b", NULL },
                { "sandbox.fs_read_allow=[\"/a\", '/b']", NULL },
                { "guard.command_blocklist={replace: true, items: []}", NULL },
                { "env.set=A=b=c", NULL },
                { "run.timeout=90s", NULL },
                { "run.timeout=1.5", NULL },
                { "sandbox.max_memory_bytes=64 MiB", NULL },
                { "container.image=a:1", NULL },
                { "guard.mode=wran", "guard.mode: expected one of enforce, warn, off, found \"wran\"" },
                { "guard.mode", "guard.mode: expected KEY=VALUE, such as guard.mode=warn" },
                { "guard.nope=1", "guard.nope: unknown key; did you mean guard.mode?" },
                { "sandbox.newtork=deny", "sandbox.newtork: unknown key; did you mean sandbox.network?" },
                { "max_pids=3", "max_pids: unknown key; did you mean sandbox.max_pids?" },
                { "guard.zzzzzzzz=1", "guard.zzzzzzzz: unknown key; see bailey config show" },
                { "guard.dangerous_patterns.name=x", "guard.dangerous_patterns.name: unknown key; see bailey config show" },
                { "sandbox.fs_read_allow=a", "sandbox.fs_read_allow: expected an absolute path (patterns with * or ? are for "
                                             "deny lists), found \"a\"" },
                { "run.warm=many", "run.warm: expected an integer, found \"many\"" },
                { "run.warm=99", "run.warm: expected 0 to 64, found 99" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const struct config_file files[] = { { .layer = LAYER_OVERRIDE, .text = rows[i].text }, { 0 } };
                const struct policy *p;
                struct err err;
                int status = config_resolve(files, "default", &arena, &p, &err);

                if (!rows[i].message && status < 0)
                        fail_msg("%s: %s", rows[i].text, err.msg);
                if (rows[i].message) {
                        assert_int_equal(status, -1);
                        assert_string_equal(err.msg, rows[i].message);
                }
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(the_default_policy, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(readonly_and_build, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(a_manifest, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(a_bash_sandbox, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(amounts, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(variables, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(patterns, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(network, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(lists_add_or_replace, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(later_files_win, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(a_policy_of_its_own, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(a_default_policy, arena_setup, arena_teardown),
                cmocka_unit_test_setup_teardown(overrides, arena_setup, arena_teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
