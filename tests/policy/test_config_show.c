/*
 * What is made from the table of keys: config show, config schema, config init.
 */
#include <jansson.h>

#include "policy/show.h"
#include "tests/policy/config_test.h"

static const char sample[] =
        "[guard]\nmode = \"warn\"\ncommand_blocklist = { replace = true, items = [\"x\", \"y\"] }\n"
        "domain_denylist = [\"a.com\"]\ndangerous_patterns = [{ name = \"n\", regex = '\"\\s+', message = \"m\" }]\n"
        "[sandbox]\nnetwork = { kind = \"allow_hosts\", hosts = [\"a\"] }\nfs_read_allow = [\"/a\\u00e9 \\\"b\\\"\"]\n"
        "[run]\ntimeout = \"1.5s\"\noutput_bytes = 10000\n"
        "[env]\nset = { PLAIN = \"v\" }\npass = [\"A*\"]\n"
        "[audit]\npath = \"/var/log/x\"\n";

static bool shown(const struct key_row *key) {
        return !section_is_of_items(key->section) && key->section != SECTION_POLICY;
}

/* The same values, all of them; code and places aside. */
static void policies_equal(const struct policy *a, const struct policy *b) {
        BUF_AUTO one, two;

        buf_init(&one, 1 << 20);
        buf_init(&two, 1 << 20);
        for (size_t i = 0; i < key_count; i++) {
                union key_value value_a, value_b;

                if (!shown(&keys[i]))
                        continue;
                value_a = key_load(&keys[i], a);
                value_b = key_load(&keys[i], b);
                key_value_write(&keys[i], &value_a, SHOW_JSON, &one);
                key_value_write(&keys[i], &value_b, SHOW_JSON, &two);
        }
        buf_char(&one, '\0');
        buf_char(&two, '\0');
        assert_string_equal(one.ptr, two.ptr);
}

static void text_loads_again(void **state) {
        static const char *const names[] = { "default", "readonly", "build" };

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                const struct config_file files[] = { { .layer = LAYER_USER, .text = sample }, { 0 } };
                const struct policy *policy;
                BUF_AUTO text;
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                buf_init(&text, 1 << 20);
                policy = config_policy(files, names[i], &arena);
                policy_show_text(policy, &text);
                buf_char(&text, '\0');
                assert_false(text.failed);
                policies_equal(policy, config_one(text.ptr, &arena));
        }
}

static void text_says_where_from(void **state) {
        const struct policy *policy;
        BUF_AUTO text;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        policy = config_one(sample, &arena);
        policy_show_text(policy, &text);
        buf_char(&text, '\0');
        assert_non_null(strstr(text.ptr, "# policy default, workspace /work\n# user file FILE.toml\n"));
        assert_non_null(strstr(text.ptr, "mode = \"warn\"                                                # FILE.toml:2:8\n"));
        assert_non_null(strstr(text.ptr, "command_blocklist = { replace = true, items = [\"x\", \"y\"] }"));
        assert_non_null(strstr(text.ptr, "# FILE.toml:3:48, replaced\n"));
        assert_non_null(strstr(text.ptr, "allow_sudo = false                                           # built-in\n"));
        assert_non_null(strstr(text.ptr, "timeout = \"1500ms\""));
}

static void secrets_are_hidden(void **state) {
        const struct policy *policy;
        BUF_AUTO text;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        policy = config_one("env.set = { MY_TOKEN = \"hunter2\", LANG = \"C\" }\n", &arena);
        policy_show_text(policy, &text);
        policy_show_json(policy, &text);
        buf_char(&text, '\0');
        assert_null(strstr(text.ptr, "hunter2"));
        assert_non_null(strstr(text.ptr, "MY_TOKEN = \"(hidden)\", LANG = \"C\""));
        assert_str_equal(policy->env.set.items[0].value, STR("hunter2"));
}

/* A directory may be called anything; its name must not become a line of its own. */
static void paths_stay_on_their_line(void **state) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = sample, .name = "/a\n[guard]\x1b/F.toml" }, { 0 } };
        BUF_AUTO text;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        policy_show_text(config_policy(files, "default", &arena), &text);
        buf_char(&text, '\0');
        assert_non_null(strstr(text.ptr, "/a?[guard]?/F.toml"));
        assert_null(strchr(text.ptr, '\x1b'));
}

static void json_has_every_key(void **state) {
        const struct policy *policy;
        json_t *root, *values, *list;
        BUF_AUTO text;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        policy = config_one(sample, &arena);
        policy_show_json(policy, &text);
        root = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(root);
        values = json_object_get(root, "values");
        for (size_t i = 0; i < key_count; i++)
                if (shown(&keys[i]))
                        assert_non_null(json_object_get(json_object_get(values, key_path(&keys[i]).text), "origin"));
        list = json_object_get(values, "guard.command_blocklist");
        assert_true(json_is_true(json_object_get(list, "replaced")));
        assert_int_equal(json_array_size(json_object_get(list, "items")), 2);
        assert_true(json_number_value(json_object_get(json_object_get(values, "run.timeout"), "value")) == 1.5);
        assert_string_equal(json_string_value(json_object_get(root, "policy")), "default");
        json_decref(root);
}

/* ---- schema ---- */

/* What a "#/$defs/..." refers to. */
static json_t *schema_follow(json_t *root, json_t *node) {
        const char *ref = json_string_value(json_object_get(node, "$ref"));
        char path[256], *part, *rest = path;

        if (!ref)
                return node;
        assert_int_equal(strncmp(ref, "#/", 2), 0);
        snprintf(path, sizeof(path), "%s", ref + 2);
        node = root;
        while ((part = strsep(&rest, "/")))
                node = json_object_get(node, part);
        if (!node)
                fail_msg("%s leads nowhere", ref);
        return node;
}

static json_t *schema_property(json_t *root, json_t *section, const char *name) {
        json_t *property = json_object_get(json_object_get(section, "properties"), name);

        return property ? schema_follow(root, property) : NULL;
}

/* Follows a path of names, each of them also in camelCase. */
static json_t *schema_path(json_t *root, const char *path, bool camel) {
        char copy[KEY_PATH_MAX], name[KEY_NAME_MAX], *part, *rest = copy;
        json_t *node = root;

        snprintf(copy, sizeof(copy), "%s", path);
        while (node && (part = strsep(&rest, "."))) {
                key_name_camel(part, name);
                node = schema_property(root, node, camel ? name : part);
        }
        return node;
}

static json_t *schema_load(void) {
        json_t *root;
        BUF_AUTO text;

        buf_init(&text, 1 << 20);
        config_schema(&text);
        assert_false(text.failed);
        root = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(root);
        return root;
}

static void schema_has_every_key(void **state) {
        json_t *root = schema_load(), *policy = json_object_get(json_object_get(root, "$defs"), "policy");

        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                struct key_path path = key_path(&keys[i]);
                json_t *property;

                if (!shown(&keys[i]))
                        continue;
                property = schema_path(root, path.text, false);
                assert_non_null(property);
                assert_string_equal(json_string_value(json_object_get(property, "description")), keys[i].help);
                assert_ptr_equal(schema_path(root, path.text, true), property);
        }
        assert_non_null(schema_path(root, "bash_sandbox.container.resource_limits.memory_mb", true));
        assert_non_null(schema_path(root, "sandbox.timeout", false));
        assert_non_null(schema_path(root, "sandbox.image", false));
        assert_non_null(schema_property(root, policy, "extends"));
        assert_non_null(schema_property(root, policy, "allowed_commands"));
        assert_non_null(schema_property(root, schema_property(root, policy, "guard"), "mode"));
        json_decref(root);
}

/* ---- init ---- */

static void template_changes_nothing(void **state) {
        const struct policy *policy;
        BUF_AUTO text;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        config_template(&text);
        buf_char(&text, '\0');
        assert_false(text.failed);
        policy = config_one(text.ptr, &arena);
        for (size_t i = 0; i < key_count; i++) {
                assert_int_equal(policy->origins[i].origin.layer, LAYER_BUILTIN);
                assert_non_null(strstr(text.ptr, keys[i].name));
        }
}

/* Every "# key = value" without its "# ". */
static void template_holds_the_builtin_values(void **state) {
        const struct policy *policy;
        BUF_AUTO text, plain;
        ARENA_AUTO arena;
        char *line, *rest;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, 1 << 20);
        buf_init(&plain, 1 << 20);
        config_template(&text);
        buf_char(&text, '\0');
        rest = text.ptr;
        while ((line = strsep(&rest, "\n")) && !strstr(line, "A policy of your own")) {
                const char *equals = strstr(line, " = ");
                bool setting = equals && strncmp(line, "# ", 2) == 0 && strcspn(line + 2, " ") == (size_t)(equals - line - 2);

                buf_format(&plain, "%s\n", setting ? line + 2 : line);
        }
        buf_char(&plain, '\0');
        policy = config_one(plain.ptr, &arena);
        policies_equal(policy, config_one("", &arena));
        for (size_t i = 0; i < key_count; i++)
                if (shown(&keys[i]) && strcmp(key_path(&keys[i]).text, "audit.path") != 0)
                        assert_int_equal(policy->origins[i].origin.layer, LAYER_USER);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(text_loads_again),         cmocka_unit_test(text_says_where_from),
                cmocka_unit_test(secrets_are_hidden),       cmocka_unit_test(paths_stay_on_their_line),
                cmocka_unit_test(json_has_every_key),       cmocka_unit_test(schema_has_every_key),
                cmocka_unit_test(template_changes_nothing), cmocka_unit_test(template_holds_the_builtin_values),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
