/*
 * Config files that are wrong: each kind of message once, word for word. And the files that nobody has trusted.
 */
#include "base/time.h"
#include "tests/policy/config_test.h"

static const struct {
        const char *file, *text, *message;
} rows[] = {
        /* not even the language */
        { "F.toml", "a = [1", "F.toml:1:7: expected ',' or ']' in the array of line 1, found the end of the file" },
        { "F.json", "{\"guard\": {}} // x", "F.json:1:15: " },
        { "F.json5", "[]", "F.json5:1:1: the file: expected a table, found an array" },
        /* keys */
        { "F.toml", "[guard]\nallow_sud = true",
          "F.toml:2:1: unknown key \"allow_sud\" in [guard]; did you mean "
          "\"allow_sudo\"?" },
        { "F.json5", "{\n bashSandbox: { maxComandLength: 1 } }",
          "F.json5:2:17: unknown key \"maxComandLength\" in [bashSandbox]; did you mean \"maxCommandLengthBytes\"?" },
        { "F.toml", "[guards]", "F.toml:1:2: unknown key \"guards\"; did you mean \"guard\"?" },
        { "F.toml", "[sandbox.netwrk]", "F.toml:1:10: unknown key \"netwrk\" in [sandbox]; did you mean \"network\"?" },
        { "F.toml", "polcy = 1", "F.toml:1:1: unknown key \"polcy\"; did you mean \"policy\"?" },
        { "F.toml", "[guard]\nring_size = 1", "F.toml:2:1: unknown key \"ring_size\" in [guard]; it belongs to [audit]" },
        { "F.toml", "\"\\u001b[31m\" = 1", "F.toml:1:1: unknown key \"\\u{1b}[31m\"" },
        { "F.toml", "[policy.x]\npolicy.y = 1", "F.toml:2:1: unknown key \"policy\" in [policy.x]; it belongs to [run]" },
        { "F.toml", "[guard]\nallow_sudo = true\nallowSudo = true", "F.toml:3:1: guard.allowSudo: already set on line 2" },
        { "F.toml", "run.timeout = 1\nsandbox.timeout = 2", "F.toml:2:9: sandbox.timeout: already set on line 1" },
        /* types */
        { "F.toml", "guard = 1", "F.toml:1:9: guard: expected a table, found 1" },
        { "F.toml", "policy = []",
          "F.toml:1:10: policy: expected the name of a policy, or a table of policies, found an array" },
        { "F.toml", "policy.x = \"y\"", "F.toml:1:12: policy.x: expected a table, found \"y\"" },
        { "F.toml", "sandbox.network = 1", "F.toml:1:19: sandbox.network: expected a table or a string, found 1" },
        { "F.toml", "guard.allow_sudo = \"yes\"", "F.toml:1:20: guard.allow_sudo: expected true or false, found \"yes\"" },
        { "F.json", "{\"guard\": {\"mode\": null}}",
          "F.json:1:20: guard.mode: expected one of enforce, warn, off, found null" },
        { "F.toml", "guard.mode = \"enforced\"",
          "F.toml:1:14: guard.mode: expected one of enforce, warn, off, found \"enforced\"" },
        { "F.toml", "run.warm = 1.0", "F.toml:1:12: run.warm: expected an integer, found 1" },
        { "F.toml", "run.warm = true", "F.toml:1:12: run.warm: expected an integer, found true" },
        { "F.toml", "container.resource_limits.cpus = \"2\"",
          "F.toml:1:34: container.resource_limits.cpus: expected a number, found \"2\"" },
        { "F.toml", "audit.path = 1979-05-27", "F.toml:1:14: audit.path: expected an absolute path, found a date" },
        { "F.toml", "guard.command_blocklist = \"dd\"",
          "F.toml:1:27: guard.command_blocklist: expected an array, each item the name of a program without its directory, "
          "optionally followed by words, found \"dd\"" },
        { "F.toml", "guard.command_blocklist = [1]",
          "F.toml:1:28: guard.command_blocklist: expected the name of a program without its directory, optionally followed by "
          "words, found 1" },
        /* ranges */
        { "F.toml", "guard.max_command_length_bytes = 63",
          "F.toml:1:34: guard.max_command_length_bytes: expected 64 to 65536, found 63" },
        { "F.toml", "guard.max_command_length_bytes = 65537",
          "F.toml:1:34: guard.max_command_length_bytes: expected 64 to 65536, found 65537" },
        { "F.toml", "run.timeout = 0", "F.toml:1:15: run.timeout: expected 1ms to 24h, found 0" },
        { "F.toml", "run.timeout = nan", "F.toml:1:15: run.timeout: expected 1ms to 24h, found nan" },
        { "F.toml", "run.timeout = 9223372036854775807",
          "F.toml:1:15: run.timeout: expected 1ms to 24h, found 9223372036854775807" },
        { "F.toml", "run.output_bytes = \"1 TiB\"",
          "F.toml:1:20: run.output_bytes: expected 1 KiB to 64 MiB, found \"1 TiB\"" },
        { "F.toml", "container.resource_limits.cpus = inf",
          "F.toml:1:34: container.resource_limits.cpus: expected 0 to 1024, found inf" },
        /* texts */
        { "F.toml", "sandbox.fs_read_allow = [\"/a\",\n \"src\"]",
          "F.toml:2:2: sandbox.fs_read_allow: expected an absolute path (patterns with * or ? are for deny lists), found "
          "\"src\"" },
        { "F.toml", "sandbox.fs_write_allow = [\"~/x\"]",
          "F.toml:1:27: sandbox.fs_write_allow: expected an absolute path (patterns with * or ? are for deny lists), found "
          "\"~/x\"" },
        { "F.toml", "sandbox.fs_write_allow = [\"/a\\nb\"]",
          "F.toml:1:27: sandbox.fs_write_allow: expected an absolute path (patterns with * or ? are for deny lists), found "
          "\"/a\\u{a}b\"" },
        { "F.toml", "sandbox.fs_write_allow = [\"/a\\u0000b\"]",
          "F.toml:1:27: sandbox.fs_write_allow: the string contains a NUL character" },
        { "F.toml", "guard.domain_allowlist = [\"https://x.com/\"]",
          "F.toml:1:27: guard.domain_allowlist: expected a host name, an address or *.name, without port or path, found "
          "\"https://x.com/\"" },
        { "F.toml", "run.timeout = \"soon\"",
          "F.toml:1:15: run.timeout: expected a number of seconds, or a string such as \"10s\" or \"2m\", found "
          "\"soon\"" },
        { "F.toml", "run.timeout = { sec = 1 }", "F.toml:1:17: run.timeout: unknown key \"sec\"; a time has secs and nanos" },
        { "F.toml", "run.output_bytes = \"10 apples\"",
          "F.toml:1:20: run.output_bytes: expected a number of bytes, or a string such as \"64 KiB\", found "
          "\"10 apples\"" },
        { "F.toml", "[policy.\"a b\"]", "F.toml:1:9: invalid policy name \"a b\": expected letters, digits, - and _" },
        /* lists */
        { "F.toml", "guard.command_blocklist = { replace = true }",
          "F.toml:1:27: guard.command_blocklist: items is missing or not an array" },
        { "F.toml", "guard.command_blocklist = { replace = true, items = [], more = 1 }",
          "F.toml:1:57: guard.command_blocklist: unknown key \"more\"; expected replace and items" },
        { "F.toml", "guard.command_blocklist = { items = [] }",
          "F.toml:1:27: guard.command_blocklist: expected an array, each item the name of a program without its directory, "
          "optionally followed by words, found a table" },
        { "F.toml", "env.set = { \"A-B\" = \"x\" }", "F.toml:1:13: env.set: \"A-B\" is not a valid variable name" },
        { "F.toml", "env.set = { A = 1 }", "F.toml:1:17: env.set: expected a string as the value of a variable, found 1" },
        { "F.toml", "env.set = [[\"A\"]]", "F.toml:1:12: env.set: expected a pair [\"NAME\", \"VALUE\"], found another array" },
        { "F.toml", "env.set = [\"A\"]", "F.toml:1:12: env.set: expected a pair [\"NAME\", \"VALUE\"], found a string" },
        { "F.toml", "env.set = [\"A=\\u0000\"]", "F.toml:1:12: env.set: the value of \"A\" contains a NUL character" },
        { "F.toml", "env.pass_secret = [\"A_*\"]", "F.toml:1:20: env.pass_secret: expected a variable name, found \"A_*\"" },
        /* patterns */
        { "F.toml", "guard.dangerous_patterns = [\"ok\", \"a(b\"]",
          "F.toml:1:35: guard.dangerous_patterns: missing closing parenthesis, at byte 4 of the expression" },
        { "F.toml", "[[guard.dangerous_patterns]]\nname = \"x\"\nregex = '['",
          "F.toml:3:9: guard.dangerous_patterns: missing terminating ] for character class, at byte 2 of the "
          "expression" },
        { "F.toml", "[[guard.dangerous_patterns]]\nname = \"x\"", "F.toml:1:9: guard.dangerous_patterns: regex is missing" },
        { "F.toml", "[[guard.dangerous_patterns]]\nregexp = \"x\"",
          "F.toml:2:1: guard.dangerous_patterns: unknown key \"regexp\"; did you mean \"regex\"?" },
        { "F.toml", "[[guard.dangerous_patterns]]\nregex = \"x\"\nseverity = \"fatal\"",
          "F.toml:3:12: guard.dangerous_patterns: expected one of warn, block, found \"fatal\"" },
        { "F.toml", "guard.dangerous_patterns = [1]",
          "F.toml:1:29: guard.dangerous_patterns: expected a table with a regex, or a string, found 1" },
        /* the whole */
        { "F.toml", "sandbox.network.hosts = [\"a\", \"*:443\"]",
          "F.toml:1:25: sandbox.network.hosts: * allows any host; it needs allow_any = true" },
        { "F.toml", "sandbox.network.hosts = [\"a/b\"]",
          "F.toml:1:26: sandbox.network.hosts: expected an ASCII host name (xn--...), an address or *.name, also with :PORT or "
          ":*, or a preset (@github), found \"a/b\"" },
        { "F.toml",
          "sandbox.network.hosts = [\"b\xc3\xbc"
          "cher.example\"]",
          "F.toml:1:26: sandbox.network.hosts: expected an ASCII host name (xn--...), an address or *.name, also with :PORT or "
          ":*, or a preset (@github), found \"b\\u{fc}cher.example\"" },
        { "F.toml", "sandbox.network.ports = [0]", "F.toml:1:26: sandbox.network.ports: expected a port: 1 to 65535, found 0" },
        { "F.toml", "sandbox.network.publish = [\"80:x\"]",
          "F.toml:1:28: sandbox.network.publish: expected a port, or HOST_PORT:PORT, found \"80:x\"" },
        { "F.toml", "sandbox.network = \"allow_hosts\"",
          "F.toml:1:19: sandbox.network: allow_hosts needs at least one host; use deny to allow none" },
        { "F.toml", "run.timeout = \"11m\"", "F.toml:1:15: run.timeout is greater than run.timeout_max" },
        { "F.toml", "[policy.default]\nextends = \"build\"", "F.toml:2:11: the policy default cannot extend another one" },
};

static void messages(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const struct config_file files[] = { { .layer = LAYER_USER, .text = rows[i].text, .name = rows[i].file },
                                                     { 0 } };
                const struct policy *policy = NULL;
                ARENA_AUTO arena;
                struct err err;

                arena_init(&arena, 0);
                if (config_resolve(files, "default", &arena, &policy, &err) == 0)
                        fail_msg("%s\nis accepted", rows[i].text);
                assert_null(policy);
                if (strncmp(err.msg, rows[i].message, strlen(rows[i].message)) != 0 ||
                    (strlen(rows[i].message) > 15 && strcmp(err.msg, rows[i].message) != 0))
                        fail_msg("%s\nsays  %s\nnot   %s", rows[i].text, err.msg, rows[i].message);
        }
}

/* ---- policies ---- */

static void policy_fails(const char *text, const char *policy, const char *message) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = text }, { 0 } };
        const struct policy *ret = NULL;
        ARENA_AUTO arena;
        struct err err;

        arena_init(&arena, 0);
        assert_int_equal(config_resolve(files, policy, &arena, &ret, &err), -1);
        assert_string_equal(err.msg, message);
}

static void policies(void **state) {
        BUF_AUTO many;

        (void)state;
        policy_fails("", "nope", "unknown policy \"nope\"; available: default, readonly, build, and those in [policy.NAME]");
        policy_fails("", "../x", "invalid policy name: expected letters, digits, - and _");
        policy_fails("", "a\xff", "invalid policy name: expected letters, digits, - and _");
        policy_fails("", "", "invalid policy name: expected letters, digits, - and _");
        policy_fails("[policy.a]\nextends = \"b\"", "a",
                     "FILE.toml:2:11: unknown policy \"b\"; available: default, readonly, build, and those in [policy.NAME]");
        policy_fails("[policy.a]\nextends = \"b\"\n[policy.b]\nextends = \"a\"", "a",
                     "FILE.toml:2:11: policy \"a\" extends itself, or a chain of more than 16 policies");
        policy_fails("[policy.a]\nextends = \"a\"", "a",
                     "FILE.toml:2:11: policy \"a\" extends itself, or a chain of more than 16 policies");
        buf_init(&many, 1 << 20);
        for (int i = 0; i <= CONFIG_POLICIES_MAX; i++)
                buf_format(&many, "[policy.p%d]\n", i);
        buf_char(&many, '\0');
        policy_fails(many.ptr, "default", "FILE.toml:257:9: more than 256 policies in one file");
}

/* ---- much of everything ---- */

static void long_lists(void **state) {
        const struct config_file files[] = { { .layer = LAYER_SYSTEM, .text = NULL }, { .layer = LAYER_USER }, { 0 } };
        struct config_file two[3];
        const struct policy *policy;
        BUF_AUTO a, b;
        ARENA_AUTO arena;
        struct err err;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&a, 1 << 20);
        buf_init(&b, 1 << 20);
        buf_append(&a, STR("guard.domain_denylist = ["));
        buf_append(&b, STR("guard.domain_denylist = ["));
        for (int i = 0; i < SETTING_ITEMS_MAX; i++) {
                buf_format(&a, "\"a%d.com\",", i);
                buf_format(&b, "\"b%d.com\",", i);
        }
        buf_append(&a, str_from("]", 2));
        buf_append(&b, str_from("\"x\"]", 5));
        memcpy(two, files, sizeof(two));
        two[0].text = a.ptr;
        two[1].text = "";
        assert_int_equal(config_resolve(two, "default", &arena, &policy, &err), 0);
        two[1].text = "guard.domain_denylist = [\"one.more\"]";
        assert_int_equal(config_resolve(two, "default", &arena, &policy, &err), -1);
        assert_string_equal(err.msg,
                            "FILE.toml:1:25: guard.domain_denylist: the list has more than 4096 items, including those of "
                            "other files");
        two[0].text = b.ptr;
        assert_int_equal(config_resolve(two, "default", &arena, &policy, &err), -1);
        assert_string_equal(err.msg, "FILE.toml:1:25: guard.domain_denylist: the list has more than 4096 items");
}

/* Whatever is allocated, running out of it is an error and nothing worse. */
static void little_memory(void **state) {
        const char *text = "[guard]\ndomain_allowlist = [\"a\", \"b\"]\ndangerous_patterns = [\"a+b\", { regex = \"c\" }]\n"
                           "[policy.x]\nextends = \"build\"\nallowed_commands = [\"x\"]\n[env]\nset = { A = \"b\" }\n";
        size_t limit;

        (void)state;
        for (limit = 9 << 10; limit < 256 << 10; limit += 512) {
                struct config config = { .layer = LAYER_USER, .file = "F.toml", .trusted = limit % 1024 == 0 };
                const struct policy *policy = NULL;
                struct err err = { 0 };
                ARENA_AUTO arena;

                arena_init(&arena, limit);
                if (config_read(str_z(text), CONFIG_TOML, &arena, &config, &err) == 0 &&
                    policy_resolve(&config, 1, config.trusted ? STR("x") : STR("build"), STR(""), &arena, &policy, &err) == 0)
                        continue;
                assert_null(policy);
                assert_true(err.code == ERR_MEMORY || strstr(err.msg, "memory"));
        }
}

/* ---- not trusted ---- */

static const struct {
        const char *text;
        bool counts;
} tightenings[] = {
        { "guard.mode = \"enforce\"", true },
        { "guard.mode = \"off\"", false },
        { "guard.allow_sudo = true", false },
        { "guard.allow_sudo = false", true },
        { "guard.max_command_length_bytes = 100", true },
        { "guard.max_command_length_bytes = 9000", false },
        { "guard.domain_denylist = [\"x.com\"]", true },
        { "guard.domain_allowlist = [\"x.com\"]", false },
        { "guard.domain_allowlist = { replace = true, items = [] }", false },
        { "guard.command_blocklist = [\"x\"]", true },
        { "guard.command_blocklist = { replace = true, items = [] }", false },
        { "guard.command_blocklist = { replace = false, items = [\"x\"] }", true },
        { "guard.command_allow_overrides = [\"dd\"]", false },
        { "guard.allow_only_listed = true", true },
        { "guard.allowed_commands = [\"rm\"]", false },
        { "guard.dangerous_patterns = [\"x\"]", true },
        { "guard.bypass_env_var = \"HOME\"", false },
        { "sandbox.network = \"deny\"", true },
        { "sandbox.network = \"inherit\"", false },
        { "sandbox.network = \"packages\"", false },
        { "sandbox.network = { kind = \"allow_hosts\", hosts = [\"x.com\"] }", false },
        { "sandbox.network.hosts = [\"x.com\"]", false },
        { "sandbox.network.hosts = { replace = true, items = [] }", true },
        { "sandbox.network.allow_any = true", false },
        { "sandbox.network.ports = [443]", true },
        { "sandbox.network.ports = [8443]", false },
        { "sandbox.network.ports = { replace = true, items = [443] }", true },
        { "sandbox.network.private_hosts = [\"x.com\"]", false },
        { "sandbox.network.host_ports = [5432]", false },
        { "sandbox.network.publish = [3000]", false },
        { "sandbox.network.proxy = \"http://proxy.example:3128\"", false },
        { "sandbox.network.proxy = \"none\"", false },
        { "sandbox.network.max_connections = 5", true },
        { "sandbox.network.max_connections = 5000", false },
        { "sandbox.root = \"minimal\"", true },
        { "sandbox.backend = \"none\"", false },
        { "sandbox.fs_write_allow = [\"/\"]", false },
        { "sandbox.fs_read_deny = [\"/srv\"]", true },
        { "sandbox.workspace_write = false", true },
        { "sandbox.max_memory_bytes = \"1 GiB\"", true },
        { "sandbox.syscall_policy = \"strict\"", true },
        { "sandbox.env = [[\"LD_PRELOAD\", \"/x\"]]", false },
        { "sandbox.image = \"evil/x\"", false },
        { "container.enabled = true", false },
        { "container.network_mode = \"host\"", false },
        { "container.security_flags.block_privileged = false", false },
        { "container.resource_limits.cpus = 0.5", true },
        { "container.resource_limits.cpus = 0", false },
        { "container.resource_limits.cpus = 64", false },
        { "run.timeout = 5", true },
        { "run.timeout = 500", false },
        { "run.timeout_max = 5", true },
        { "run.warm = 0", false },
        { "env.pass = [\"A\"]", false },
        { "env.pass_secret = [\"GITHUB_TOKEN\"]", false },
        { "audit.enabled = false", false },
        { "audit.path = \"/dev/null\"", false },
        { "[policy.x]\nextends = \"default\"", false },
        { "[policy.default.guard]\ncommand_blocklist = [\"x\"]", true },
        { "[policy.default.guard]\nallow_sudo = true", false },
};

static void untrusted_files_tighten_only(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(tightenings) / sizeof(*tightenings); i++) {
                const struct config_file files[] = {
                        { .layer = LAYER_WORKSPACE, .text = tightenings[i].text, .untrusted = true }, { 0 }
                };
                const struct policy *p;
                size_t changed = 0;
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                p = config_policy(files, "default", &arena);
                for (size_t k = 0; k < key_count; k++)
                        changed += p->origins[k].origin.layer != LAYER_BUILTIN;
                assert_int_equal(p->notices.count, 1);
                if (!!strstr(p->notices.items[0].ptr, "ignored") == tightenings[i].counts ||
                    (changed > 0 && !tightenings[i].counts))
                        fail_msg("%s: %s", tightenings[i].text, p->notices.items[0].ptr);
        }
}

/* The same for every key of the table: what may not be tightened, does not change. */
static void untrusted_files_change_nothing_else(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                struct config config = { .layer = LAYER_WORKSPACE, .file = "F.toml" };
                struct setting setting = { .key = &keys[i], .value = keys[i].initial };
                const struct policy *p;
                union key_value value;
                struct err err;
                ARENA_AUTO arena;

                if (keys[i].tighten != TIGHTEN_NEVER || section_is_of_items(keys[i].section) || key_is_list(keys[i].type))
                        continue;
                arena_init(&arena, 0);
                setting.value.integer ^= 1; /* another value, whatever the type; a string gets longer or shorter */
                if (keys[i].type == KEY_STRING)
                        setting.value.text = STR("zzz");
                config.settings = &setting;
                assert_int_equal(policy_resolve(&config, 1, STR("default"), STR(""), &arena, &p, &err), 0);
                if (keys[i].size == 0)
                        continue;
                value = key_load(&keys[i], p);
                assert_int_equal(p->origins[i].origin.layer, LAYER_BUILTIN);
                assert_memory_equal(&value, &keys[i].initial, keys[i].size == 4 ? 4 : keys[i].size);
        }
}

static void the_notice(void **state) {
        const struct config_file files[] = {
                { .layer = LAYER_USER, .text = "run.timeout = 60\nguard.allow_sudo = true\n", .name = "u.toml" },
                { .layer = LAYER_WORKSPACE,
                  .text = "run.timeout = 30\nrun.timeout_max = 20\nrun.warm = 9\n[guard]\nallow_sudo = false\n"
                          "domain_denylist = [\"x.com\"]\n[env]\npass = [\"A\"]\n",
                  .name = "/w/.bailey.toml",
                  .untrusted = true },
                { .layer = LAYER_FILE, .text = "guard.allow_sudo = true\n", .name = "f.toml" },
                { 0 },
        };
        const struct policy *p;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        p = config_policy(files, "default", &arena);
        assert_string_equal(p->notices.items[0].ptr,
                            "/w/.bailey.toml is not trusted: 2 of its settings are ignored (run.warm on line 3, env.pass on "
                            "line 8); run `bailey trust` to apply them");
        assert_true(p->run.timeout == 20 * TIME_SECOND); /* the maximum takes the default along */
        assert_true(list_holds(p->guard.domain_denylist, "x.com"));
        assert_true(p->guard.allow_sudo); /* a later file has decided */
        assert_false(p->files[1].trusted);
}

static void untrusted_files_define_no_policies(void **state) {
        const struct config_file files[] = {
                { .layer = LAYER_WORKSPACE, .text = "[policy.mine]\n", .name = "/w/.bailey.toml", .untrusted = true }, { 0 }
        };
        const struct policy *p;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(config_resolve(files, "mine", &arena, &p, &err), -1);
        assert_string_equal(err.msg, "policy \"mine\" is defined only in /w/.bailey.toml, which is not trusted");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(messages),
                cmocka_unit_test(policies),
                cmocka_unit_test(long_lists),
                cmocka_unit_test(little_memory),
                cmocka_unit_test(untrusted_files_tighten_only),
                cmocka_unit_test(untrusted_files_change_nothing_else),
                cmocka_unit_test(the_notice),
                cmocka_unit_test(untrusted_files_define_no_policies),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
