/*
 * The table of keys: what must hold for every row, and that every key takes what it should and nothing else.
 */
#include <ctype.h>

#include "base/time.h"
#include "policy/show.h"
#include "policy/value_types.h"
#include "tests/policy/config_test.h"

static bool in_policy(const struct key_row *key) {
        return !section_is_of_items(key->section) && key->section != SECTION_POLICY;
}

/* ---- the table ---- */

static void names_are_snake_case_and_found(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                struct key_path path = key_path(&keys[i]);
                char camel[KEY_NAME_MAX];

                for (const char *c = keys[i].name; *c; c++)
                        assert_true(islower((unsigned char)*c) || *c == '_');
                key_name_camel(keys[i].name, camel);
                assert_null(strchr(camel, '_'));
                assert_ptr_equal(key_find(keys[i].section, str_z(keys[i].name)), &keys[i]);
                assert_ptr_equal(key_find(keys[i].section, str_z(camel)), &keys[i]);
                if (keys[i].section != SECTION_POLICY)
                        assert_ptr_equal(key_by_path(str_z(path.text)), &keys[i]);
                assert_true(strlen(path.text) < 60); /* messages have room for it */
        }
}

static void rows_of_a_section_stand_together(void **state) {
        bool seen[SECTION_COUNT] = { false };

        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                if (i > 0 && keys[i - 1].section == keys[i].section)
                        continue;
                assert_false(seen[keys[i].section]);
                seen[keys[i].section] = true;
        }
        for (int section = SECTION_TOP + 1; section < SECTION_COUNT; section++)
                assert_true(seen[section]);
}

static void sizes_fit_their_types(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                const struct key_row *key = &keys[i];

                if (key->size == 0) {
                        assert_int_equal(key->section, SECTION_POLICY);
                        continue;
                }
                switch (key->type) {
                case KEY_BOOLEAN:
                        assert_int_equal(key->size, sizeof(bool));
                        break;
                case KEY_INTEGER:
                        assert_true(key->size == sizeof(int64_t) || key->size == sizeof(uint32_t));
                        break;
                case KEY_BYTES:
                case KEY_DURATION:
                        assert_int_equal(key->size, sizeof(int64_t));
                        break;
                case KEY_NUMBER:
                        assert_int_equal(key->size, sizeof(double));
                        break;
                case KEY_WORD:
                        assert_int_equal(key->size, sizeof(unsigned));
                        break;
                default:
                        assert_int_equal(key->size, sizeof(struct str));
                }
        }
}

static void no_two_rows_share_a_field(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++)
                for (size_t j = 0; j < i; j++)
                        if (keys[i].size && keys[j].size && in_policy(&keys[i]) == in_policy(&keys[j]) &&
                            (in_policy(&keys[i]) || keys[i].section == keys[j].section))
                                assert_true(keys[i].offset + keys[i].size <= keys[j].offset ||
                                            keys[j].offset + keys[j].size <= keys[i].offset);
}

/* A way to tighten that does not go with the type would never be used, or wrongly. */
static void tightening_goes_with_the_type(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                const struct key_row *key = &keys[i];
                bool number = key->type == KEY_INTEGER || key->type == KEY_NUMBER || key->type == KEY_BYTES ||
                              key->type == KEY_DURATION;

                if (key->tighten == TIGHTEN_ADD)
                        assert_true(key_is_list(key->type));
                if (key->tighten == TIGHTEN_FEWER || key->tighten == TIGHTEN_HOSTS)
                        assert_int_equal(key->type, KEY_LIST);
                if (key->tighten == TIGHTEN_TRUE || key->tighten == TIGHTEN_FALSE)
                        assert_int_equal(key->type, KEY_BOOLEAN);
                if (key->tighten == TIGHTEN_LESS)
                        assert_true(number);
                if (key->tighten == TIGHTEN_WORD || key->tighten == TIGHTEN_KIND)
                        assert_int_equal(key->type, KEY_WORD);
        }
}

static void rows_are_complete(void **state) {
        (void)state;
        for (size_t i = 0; i < key_count; i++) {
                const struct key_row *key = &keys[i];
                int64_t initial = key->type == KEY_NUMBER ? (int64_t)key->initial.number : key->initial.integer;

                assert_true(strlen(key->help) > 10 && key->help[strlen(key->help) - 1] == '.');
                if (key->type == KEY_INTEGER || key->type == KEY_NUMBER || key->type == KEY_BYTES ||
                    key->type == KEY_DURATION) {
                        assert_true(key->max > key->min && initial >= key->min && initial <= key->max);
                        assert_true(!key->zero_is_none || key->min == 0);
                }
                if (key->type == KEY_WORD)
                        assert_non_null(key->words);
                for (size_t j = 0; key->type == KEY_LIST && j < key->initial.list.count; j++)
                        assert_true(key->text->valid(key->initial.list.items[j]));
                if (key->type == KEY_LIST)
                        assert_non_null(key->text);
        }
}

static void aliases_and_builtin_values_name_keys(void **state) {
        (void)state;
        for (size_t i = 0; i < key_alias_count; i++) {
                assert_non_null(key_by_path(str_z(key_aliases[i].key)));
                assert_non_null(key_find(key_aliases[i].section, str_z(key_aliases[i].name)));
        }
        for (size_t i = 0; i < builtin_policy_count; i++)
                for (size_t j = 0; j < builtin_policies[i].count; j++)
                        assert_non_null(key_by_path(str_z(builtin_policies[i].values[j].key)));
}

/* ---- every key, with a value that is right and one that is wrong ---- */

/* Texts in TOML, for a row of each type. */
static void right_value(const struct key_row *key, struct buf *out) {
        switch (key->type) {
        case KEY_BOOLEAN:
                buf_append(out, key->initial.boolean ? STR("false") : STR("true"));
                break;
        case KEY_NUMBER:
                buf_append(out, STR("0.5"));
                break;
        case KEY_INTEGER:
        case KEY_BYTES:
                buf_format(out, "%lld", (long long)key->max);
                break;
        case KEY_DURATION:
                buf_append(out, key->max > 100 * TIME_SECOND ? STR("\"11s\"") : STR("1.5"));
                break;
        case KEY_WORD:
                buf_format(out, "\"%s\"", key->words[key->words[1] ? 1 : 0]);
                break;
        case KEY_PAIRS:
                buf_append(out, STR("{ A = \"b\" }"));
                break;
        case KEY_PATTERNS:
                buf_append(out, STR("[{ regex = \"a\" }]"));
                break;
        case KEY_CREDENTIALS:
                buf_append(out, STR("[{ host = \"a\", env = \"A\" }]"));
                break;
        default:
                break;
        }
}

/* A string that each kind of text accepts, and one that it does not. */
static const struct {
        const struct key_text *text;
        const char *right, *wrong;
} texts[] = {
        { &text_path, "/a b", "a/b" },
        { &text_allowed_path, "/a b", "/a/*.pem" },
        { &text_allowed_path, "/a[b]", "/a?" },
        { &text_denied_path, "**/*.pem", "~/.pem" },
        { &text_denied_path, "/srv/?", "" },
        { &text_home_path, "~/a b", "~a/b" },
        { &text_directory, "", "a/b" },
        { &text_socket, "~/a b", "~a/b" },
        { &text_socket, "$SSH_AUTH_SOCK", "$1" },
        { &text_host, "*.example.com", "example.com:80" },
        { &text_network_host, "*.example.com:8443", "@nobody" },
        { &text_port, "65535", "65536" },
        { &text_publish, "8080:80", "80:" },
        { &text_proxy, "http://proxy.example:3128", "socks5://proxy.example:1080" },
        { &text_credential_host, "api.example.com:8443", "*.example.com" },
        { &text_credential_host, "api.example.com", "192.0.2.7" },
        { &text_credential_header, "Authorization: Bearer", "Content-Length" },
        { &text_credential_header, "PRIVATE-TOKEN", "A: b c" },
        { &text_credential_user, "x-access-token", "a:b" },
        { &text_variable, "A_1", "A*" },
        { &text_variables, "A_*", "*A" },
        { &text_bypass, "", "1A" },
        { &text_program, "mkfs.ext4", "/sbin/mkfs" },
        { &text_command, "npm run", "npm  run" },
        { &text_image, "ghcr.io/a/b:c@sha256:00", "-v" },
        { &text_registry, "localhost:5000", "docker.io/library" },
        { &text_capability, "CAP_NET_RAW", "cap net" },
        { &text_option, "--add-host=a:10.0.0.1 b", "-v" },
        { &text_policy, "my-policy_2", "a b" },
        { &text_line, "words, and more", "two\\nlines" },
        { &text_pattern_name, "no-force-push", "-x" },
        { NULL, "any\\nthing", "\\u0000" },
};

enum { TEXT_COUNT = sizeof(texts) / sizeof(*texts) };

static const char *text_sample(const struct key_text *text, bool right) {
        for (size_t i = 0; i < TEXT_COUNT; i++)
                if (texts[i].text == text)
                        return right ? texts[i].right : texts[i].wrong;
        fail_msg("no sample for %s", text->expected);
        return NULL;
}

/* key = value, in its section. */
static void line_write(const struct key_row *key, bool camel, const char *value, struct buf *out) {
        char name[KEY_NAME_MAX];

        key_name_camel(key->name, name);
        buf_clear(out);
        if (key->section == SECTION_PATTERN)
                buf_format(out, "[[guard.dangerous_patterns]]\n%s%s = %s",
                           strcmp(key->name, "regex") == 0 ? "" : "regex = \"a\"\n", camel ? name : key->name, value);
        else if (key->section == SECTION_CREDENTIAL)
                buf_format(out, "[[sandbox.network.credential]]\n%s%s%s%s = %s",
                           strcmp(key->name, "host") == 0 ? "" : "host = \"a\"\n",
                           strcmp(key->name, "env") == 0 || strcmp(key->name, "file") == 0 ? "" : "env = \"A\"\n",
                           strcmp(key->name, "user") == 0 ? "header = \"Authorization: Basic\"\n" : "",
                           camel ? name : key->name, value);
        else
                buf_format(out, "[%s%s]\n%s = %s", section_path(key->section).text, key->section == SECTION_POLICY ? ".p" : "",
                           camel ? name : key->name, value);
        if (key_find(SECTION_NETWORK, STR("kind")) == key)
                buf_append(out, STR("\nhosts = [\"a\"]"));
        buf_append(out, str_from("\n", 2));
}

static void value_write(const struct key_row *key, bool right, struct buf *out) {
        if (key->type == KEY_STRING)
                buf_format(out, "\"%s\"", text_sample(key->text, right));
        else if (key->type == KEY_LIST)
                buf_format(out, "[\"%s\"]", text_sample(key->text, right));
        else if (right)
                right_value(key, out);
        else
                buf_append(out, STR("[[]]")); /* of no type at all */
        buf_char(out, '\0');
}

static void accepted(const char *text) {
        /* a timeout may be at its maximum only with a maximum that allows it */
        const struct config_file files[] = { { .layer = LAYER_SYSTEM, .text = "[policy.my-policy_2]\n" },
                                             { .layer = LAYER_USER, .text = text },
                                             { 0 } };
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        config_policy(files, "default", &arena);
}

static void refused(const struct key_row *key, const char *text) {
        const struct config_file files[] = { { .layer = LAYER_USER, .text = text }, { 0 } };
        const struct policy *policy = NULL;
        ARENA_AUTO arena;
        struct err err;

        arena_init(&arena, 0);
        if (config_resolve(files, "default", &arena, &policy, &err) == 0)
                fail_msg("%s\nis accepted", text);
        assert_null(policy);
        if (!strstr(err.msg, "FILE.toml:") || (!strstr(err.msg, key->name) && !section_is_of_items(key->section)) ||
            (!strstr(err.msg, "expected") && !strstr(err.msg, "NUL")))
                fail_msg("%s\n%s", text, err.msg);
}

static void every_key_takes_a_right_value(void **state) {
        BUF_AUTO value, text;

        (void)state;
        buf_init(&value, 4096);
        buf_init(&text, 4096);
        for (size_t i = 0; i < key_count; i++) {
                buf_clear(&value);
                value_write(&keys[i], true, &value);
                line_write(&keys[i], false, value.ptr, &text);
                accepted(text.ptr);
                line_write(&keys[i], true, value.ptr, &text);
                accepted(text.ptr);
        }
}

static void every_key_refuses_a_wrong_value(void **state) {
        BUF_AUTO value, text;

        (void)state;
        buf_init(&value, 4096);
        buf_init(&text, 4096);
        for (size_t i = 0; i < key_count; i++) {
                buf_clear(&value);
                value_write(&keys[i], false, &value);
                line_write(&keys[i], false, value.ptr, &text);
                refused(&keys[i], text.ptr);
                line_write(&keys[i], false, "1979-05-27", &text); /* a date is no value of any key */
                refused(&keys[i], text.ptr);
        }
}

static void every_number_has_its_range(void **state) {
        BUF_AUTO text;
        char value[64];

        (void)state;
        buf_init(&text, 4096);
        for (size_t i = 0; i < key_count; i++) {
                const struct key_row *key = &keys[i];
                long long unit = key->type == KEY_DURATION ? TIME_SECOND : 1;

                if (key->type != KEY_INTEGER && key->type != KEY_NUMBER && key->type != KEY_BYTES && key->type != KEY_DURATION)
                        continue;
                snprintf(value, sizeof(value), "%lld", (long long)key->max / unit + 1);
                line_write(key, false, value, &text);
                refused(key, text.ptr);
                snprintf(value, sizeof(value), "%lld", key->min > unit ? (long long)key->min / unit - 1 : -1);
                line_write(key, false, value, &text);
                refused(key, text.ptr);
        }
}

/* A value that was read is the one that is stored: each key, shown again, gives what was given. */
static void every_key_is_stored(void **state) {
        BUF_AUTO value, text, shown;

        (void)state;
        buf_init(&value, 4096);
        buf_init(&text, 4096);
        buf_init(&shown, 1 << 16);
        for (size_t i = 0; i < key_count; i++) {
                const struct policy *policy;
                union key_value stored;
                ARENA_AUTO arena;

                if (!in_policy(&keys[i]))
                        continue;
                arena_init(&arena, 0);
                buf_clear(&value);
                buf_clear(&shown);
                value_write(&keys[i], true, &value);
                line_write(&keys[i], false, value.ptr, &text);
                policy = config_one(text.ptr, &arena);
                stored = key_load(&keys[i], policy);
                assert_int_equal(policy->origins[i].origin.layer, LAYER_USER);
                assert_int_equal(policy->origins[i].origin.line, 2);
                if (key_is_list(keys[i].type)) {
                        assert_int_equal(stored.items.count, keys[i].initial.items.count + 1);
                        continue;
                }
                key_value_write(&keys[i], &stored, SHOW_TOML, &shown);
                buf_char(&shown, '\0');
                if (keys[i].type != KEY_BYTES && strcmp(shown.ptr, "\"1500ms\"") != 0)
                        assert_string_equal(shown.ptr, value.ptr);
        }
}

/* ---- names ---- */

static void names_in_two_styles(void **state) {
        (void)state;
        assert_true(key_name_is("max_command_length_bytes", STR("max_command_length_bytes")));
        assert_true(key_name_is("max_command_length_bytes", STR("maxCommandLengthBytes")));
        assert_false(key_name_is("max_command_length_bytes", STR("maxCommand_length_bytes")));
        assert_false(key_name_is("max_command_length_bytes", STR("MaxCommandLengthBytes")));
        assert_false(key_name_is("max_command_length_bytes", STR("maxCommandLengthByte")));
        assert_false(key_name_is("max_command_length_bytes", STR("maxCommandLengthBytess")));
        assert_false(key_name_is("mode", STR("")));
        assert_false(key_name_is("mode", STR("mode\0")));
        assert_true(key_name_is("mode", STR("mode")));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_are_snake_case_and_found),
                cmocka_unit_test(rows_of_a_section_stand_together),
                cmocka_unit_test(sizes_fit_their_types),
                cmocka_unit_test(no_two_rows_share_a_field),
                cmocka_unit_test(tightening_goes_with_the_type),
                cmocka_unit_test(rows_are_complete),
                cmocka_unit_test(aliases_and_builtin_values_name_keys),
                cmocka_unit_test(every_key_takes_a_right_value),
                cmocka_unit_test(every_key_refuses_a_wrong_value),
                cmocka_unit_test(every_number_has_its_range),
                cmocka_unit_test(every_key_is_stored),
                cmocka_unit_test(names_in_two_styles),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
