/*
 * A value more in a config file that somebody has written by hand: it is there, and nothing else has changed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/policy/edit_test.h"
#include "tests/test.h"

static const struct list_value host = { "guard", "domain_allowlist", NULL, STR("new.example") };
static const struct list_value pattern = { "guard", "dangerous_patterns", "regex", STR("a\\s\"b\"") };

/* All that must hold for any file. Returns what config_list_add() does; `out` is the new text. */
static int edit(const char *path, struct str text, const struct list_value *value, const char *camel, struct buf *out,
                struct err *err) {
        json_t *old, *now;
        ARENA_AUTO arena;
        BUF_AUTO again;
        int changed;

        arena_init(&arena, 0);
        buf_init(&again, 1 << 20);
        *err = (struct err){ 0 };
        changed = config_list_add(text, path, value, &arena, out, err);
        if (changed != 1)
                return changed;
        if (!edit_only_inserts(text, buf_str(out)))
                fail_msg("%.*s\nbecomes\n%.*s", (int)text.len, text.ptr, (int)out->len, out->ptr);
        old = edit_values(text, path, &arena);
        now = edit_values(buf_str(out), path, &arena);
        assert_non_null(old);
        assert_non_null(now);
        if (!edit_only_adds(old, now, value, camel))
                fail_msg("%.*s\nbecomes\n%.*s\nwhich says something else", (int)text.len, text.ptr, (int)out->len, out->ptr);
        json_decref(old);
        json_decref(now);
        assert_int_equal(config_list_add(buf_str(out), path, value, &arena, &again, err), 0);
        assert_int_equal(again.len, 0);
        return changed;
}

struct row {
        const char *path;
        const char *before, *after; /* after NULL: as it is */
};

static void check_rows(const struct row *rows, size_t count, const struct list_value *value, const char *camel) {
        for (size_t i = 0; i < count; i++) {
                struct err err;
                BUF_AUTO out;

                buf_init(&out, 1 << 20);
                assert_int_equal(edit(rows[i].path, str_z(rows[i].before), value, camel, &out, &err), rows[i].after ? 1 : 0);
                buf_char(&out, '\0');
                if (rows[i].after && strcmp(out.ptr, rows[i].after) != 0)
                        fail_msg("%s\nbecomes\n%s\nnot\n%s", rows[i].before, out.ptr, rows[i].after);
        }
}

#define CHECK(rows, value, camel) check_rows(rows, sizeof(rows) / sizeof(*(rows)), value, camel)
#define LINE "domain_allowlist = [\"new.example\"]\n"

/* What is new in a file of JSON that has lines, and all of what is new in a file of an empty object. */
#define LIST(newline, indent) newline indent "\"domain_allowlist\": [" newline indent "  \"new.example\"" newline indent "]"
#define GUARD(newline) newline "  \"guard\": {" LIST(newline, "    ") newline "  }" newline

static void toml(void **state) {
        static const struct row rows[] = {
                { "c.toml", "", "[guard]\n" LINE },
                { "c.toml", "\n", "\n\n[guard]\n" LINE },
                { "c.toml", "# only a comment", "# only a comment\n\n[guard]\n" LINE },
                { "c.toml", "# [guard]\n#x = [", "# [guard]\n#x = [\n\n[guard]\n" LINE },
                { "c.toml", "[run]\nwarm = 1\n", "[run]\nwarm = 1\n\n[guard]\n" LINE },
                { "c.toml", "[guard]\nmode = \"warn\"\n[run]\n", "[guard]\n" LINE "mode = \"warn\"\n[run]\n" },
                { "c.toml", "[run]\n[guard] # mine\nmode = \"warn\"", "[run]\n[guard] # mine\n" LINE "mode = \"warn\"" },
                { "c.toml", "[run]\n  [ \"guard\" ]", "[run]\n  [ \"guard\" ]\n" LINE },
                { "c.toml", "[guard.container]\nenabled = false\n", "guard." LINE "[guard.container]\nenabled = false\n" },
                { "c.toml", "[run]\n[guard.container]\n", "[run]\n[guard.container]\n\n[guard]\n" LINE },
                { "c.toml", "[guard.container]\n[guard]\n[run]\n", "[guard.container]\n[guard]\n" LINE "[run]\n" },
                { "c.toml", "run.warm = 1\nguard.mode = \"warn\"\n", "run.warm = 1\nguard." LINE "guard.mode = \"warn\"\n" },
                { "c.toml", "guard.mode = \"\"\"\nwarn\"\"\" # x\n[run]",
                  "guard." LINE "guard.mode = \"\"\"\nwarn\"\"\" # x\n[run]" },
                { "c.toml", "guard = {}", "guard = {domain_allowlist = [\"new.example\"]}" },
                { "c.toml", "guard = { mode = \"warn\" }\n",
                  "guard = {domain_allowlist = [\"new.example\"],  mode = \"warn\" }\n" },
        };

        (void)state;
        CHECK(rows, &host, "domainAllowlist");
}

static void toml_lists(void **state) {
        static const struct row rows[] = {
                { "c.toml", "guard.domain_allowlist = []", "guard.domain_allowlist = [\"new.example\"]" },
                { "c.toml", "[guard]\ndomain_allowlist = [ # none\n]\n",
                  "[guard]\ndomain_allowlist = [\"new.example\" # none\n]\n" },
                { "c.toml", "[guard]\ndomain_allowlist = [\n  'a', # one\n  # two\n  'b',\n]\nmode = 'warn'\n",
                  "[guard]\ndomain_allowlist = [\"new.example\", \n  'a', # one\n  # two\n  'b',\n]\nmode = 'warn'\n" },
                { "c.toml", "[guard]\n\"domainAllowlist\" = ['\xc3\xa4']",
                  "[guard]\n\"domainAllowlist\" = [\"new.example\", '\xc3\xa4']" },
                { "c.toml", "[guard]\ndomain_allowlist = { replace = true, items = ['a'] }",
                  "[guard]\ndomain_allowlist = { replace = true, items = [\"new.example\", 'a'] }" },
                { "c.toml", "[guard.domain_allowlist]\nreplace = true\nitems = []",
                  "[guard.domain_allowlist]\nreplace = true\nitems = [\"new.example\"]" },
                { "c.toml", "guard = { mode = 'warn', domain_allowlist = ['b'] }",
                  "guard = { mode = 'warn', domain_allowlist = [\"new.example\", 'b'] }" },
                { "c.toml", "guard.domain_allowlist = ['''new.example''']", NULL },
                { "c.toml", "guard.domainAllowlist = [\"a\", \"n\\u0065w.example\",]", NULL },
        };

        (void)state;
        CHECK(rows, &host, "domainAllowlist");
}

static void toml_lines_of_windows(void **state) {
        static const struct row rows[] = {
                { "c.toml", "[guard]\r\nmode = 'warn'\r\n",
                  "[guard]\r\ndomain_allowlist = [\"new.example\"]\r\nmode = 'warn'\r\n" },
                { "c.toml", "# x\r\n", "# x\r\n\r\n[guard]\r\ndomain_allowlist = [\"new.example\"]\r\n" },
                { "c.toml", "# x\r\n[guard]", "# x\r\n[guard]\r\ndomain_allowlist = [\"new.example\"]\r\n" },
                { "c.toml", "guard.mode = 'warn'\r\n",
                  "guard.domain_allowlist = [\"new.example\"]\r\nguard.mode = 'warn'\r\n" },
                { "c.json", "{\r\n}\r\n", "{" GUARD("\r\n") "}\r\n" },
        };

        (void)state;
        CHECK(rows, &host, "domainAllowlist");
}

#define TEXT "\"a\\\\s\\\"b\\\"\""

static void patterns(void **state) {
        static const struct row rows[] = {
                { "c.toml", "guard.dangerous_patterns = [{ regex = 'x', message = 'no' }]",
                  "guard.dangerous_patterns = [" TEXT ", { regex = 'x', message = 'no' }]" },
                { "c.toml", "[[guard.dangerous_patterns]]\nregex = 'x'\n[run]\nwarm = 1",
                  "[[guard.dangerous_patterns]]\nregex = 'x'\n[run]\nwarm = 1\n\n[[guard.dangerous_patterns]]\nregex = " TEXT
                  "\n" },
                { "c.toml", "[guard]\n[[guard.dangerousPatterns]]\nregex = 'a\\s\"b\"'", NULL },
                { "c.toml", "guard.dangerous_patterns = ['a\\s\"b\"']", NULL },
                { "c.toml", "", "[guard]\ndangerous_patterns = [" TEXT "]\n" },
                { "c.json5", "{guard: {dangerousPatterns: [{regex: 'x'}]}}",
                  "{guard: {dangerousPatterns: [{regex: 'x'}, " TEXT "]}}" },
                { "c.json5", "{guard: {dangerousPatterns: [{regex: 'a\\\\s\"b\"'}]}}", NULL },
        };

        (void)state;
        CHECK(rows, &pattern, "dangerousPatterns");
}

#define SHORT "\"domain_allowlist\": [\"new.example\"]"
#define TIGHT "\"domain_allowlist\":[\"new.example\"]"

static void json(void **state) {
        static const struct row rows[] = {
                { "c.json", "{}", "{" GUARD("\n") "}" },
                { "c.json", " {\n}\n", " {\n   \"guard\": {" LIST("\n", "     ") "\n   }\n}\n" },
                { "c.json", "{\"run\": {}}", "{\"run\": {}, \"guard\": {" SHORT "}}" },
                { "c.json", "{\"run\":{}}", "{\"run\":{},\"guard\":{" TIGHT "}}" },
                { "c.json", "{\"run\": {}, \"guard\": {}}", "{\"run\": {}, \"guard\": {" SHORT "}}" },
                { "c.json", "{\"guard\": {\"mode\": \"warn\"}}", "{\"guard\": {\"mode\": \"warn\", " SHORT "}}" },
                { "c.json", "{\n  \"guard\": {\n    \"mode\": \"warn\"\n  }\n}\n",
                  "{\n  \"guard\": {\n    \"mode\": \"warn\"," LIST("\n", "    ") "\n  }\n}\n" },
                { "c.json", "{\"guard\": {\"domainAllowlist\": [\"a\"]}}",
                  "{\"guard\": {\"domainAllowlist\": [\"a\", \"new.example\"]}}" },
                { "c.json", "{\"guard\": {\"domain_allowlist\": [\"new.example\"]}}", NULL },
                { "c.json5", "// {\n{ /* [ */ }", "// {\n{ /* [ */ " GUARD("\n") "}" },
                { "c.json5", "{run: {warm: 1,},}", "{run: {warm: 1,}, \"guard\": {" SHORT "},}" },
                { "c.json5", "{guard: {domain_allowlist: [ // all\n 'a',\n],},}",
                  "{guard: {domain_allowlist: [ // all\n 'a',\n  \"new.example\",\n],},}" },
                { "c.json5", "{\n\tguard: {\n\t\tdomain_allowlist: [\n\t\t\t'a' // one\n\t\t]\n\t}\n}\n",
                  "{\n\tguard: {\n\t\tdomain_allowlist: [\n\t\t\t'a', // one\n\t\t\t\"new.example\"\n\t\t]\n\t}\n}\n" },
                { "c.json5", "{'gu\\u0061rd': {domainAllowlist: {replace: true, items: []}}}",
                  "{'gu\\u0061rd': {domainAllowlist: {replace: true, items: [\"new.example\"]}}}" },
                { "c.json5", "\xef\xbb\xbf{}", "\xef\xbb\xbf{" GUARD("\n") "}" },
                { "c.json5", "\xef\xbb\xbf/* \xc3\xa4 */ {\xc2\xa0guard: {}}",
                  "\xef\xbb\xbf/* \xc3\xa4 */ {\xc2\xa0guard: {" SHORT "}}" },
                { "c.json5", "{a: '\xe2\x80\xa8',\r/* \r */ guard: {}}", "{a: '\xe2\x80\xa8',\r/* \r */ guard: {" SHORT "}}" },
        };

        (void)state;
        CHECK(rows, &host, "domainAllowlist");
}

/* A table in a table, of which any part may be missing. */
static void tables_in_tables(void **state) {
        static const struct list_value hosts = { "sandbox.network", "hosts", NULL, STR("new.example") };
        static const struct {
                const char *path, *before, *after;
        } rows[] = {
#define HOSTS "hosts = [\"new.example\"]\n"
                { "c.toml", "", "[sandbox.network]\n" HOSTS },
                { "c.toml", "[sandbox]\nroot = \"host\"\n", "[sandbox]\nroot = \"host\"\n\n[sandbox.network]\n" HOSTS },
                { "c.toml", "[sandbox.network]\nkind = \"packages\"\n", "[sandbox.network]\n" HOSTS "kind = \"packages\"\n" },
                { "c.toml", "[sandbox.network]\nhosts = [\"a\"]\n", "[sandbox.network]\nhosts = [\"new.example\", \"a\"]\n" },
                { "c.toml", "sandbox.network = { kind = \"packages\" }\n",
                  "sandbox.network = {hosts = [\"new.example\"],  kind = \"packages\" }\n" },
                { "c.json", "{}",
                  "{\n  \"sandbox\": {\n    \"network\": {\n      \"hosts\": [\n"
                  "        \"new.example\"\n      ]\n    }\n  }\n}" },
                { "c.json", "{\"sandbox\": {}}", "{\"sandbox\": {\"network\": {\"hosts\": [\"new.example\"]}}}" },
                { "c.json", "{\"sandbox\": {\"network\": {\"hosts\": [\"a\"]}}}",
                  "{\"sandbox\": {\"network\": {\"hosts\": [\"a\", \"new.example\"]}}}" },
                { "c.toml", "sandbox.network = \"packages\"\n", NULL }, /* for a person to rewrite */
                { "c.json", "{\"sandbox\": {\"network\": \"packages\"}}", NULL },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct err err = { 0 };
                ARENA_AUTO arena;
                BUF_AUTO out;
                int status;

                arena_init(&arena, 0);
                buf_init(&out, 1 << 20);
                status = config_list_add(str_z(rows[i].before), rows[i].path, &hosts, &arena, &out, &err);
                if (status != (rows[i].after ? 1 : -1))
                        fail_msg("%s: %d %s", rows[i].before, status, err.msg);
                if (!rows[i].after)
                        assert_non_null(strstr(err.msg, "add new.example to sandbox.network.hosts by hand"));
                else if (!str_eq(buf_str(&out), str_z(rows[i].after)))
                        fail_msg("%s\nbecomes\n%.*s\nnot\n%s", rows[i].before, (int)out.len, out.ptr, rows[i].after);
        }
}

/* The only value of a key, and a pattern that warns. */
static void more_than_items(void **state) {
        static const struct list_value kind = { "sandbox.network", "kind", .value = STR("\"deny\""), .alone = true },
                                       variable = { "env.set", "CI", .value = STR("\"1\""), .alone = true },
                                       warning = { "guard", "dangerous_patterns", "regex", STR("a\\s"), .warns = true },
                                       block = { "guard", "dangerous_patterns", "regex", STR("a\\s") };
        static const struct {
                const struct list_value *value;
                const char *path, *before, *after; /* after NULL: refused, "": it is there */
        } rows[] = {
                { &kind, "c.toml", "", "[sandbox.network]\nkind = \"deny\"\n" },
                { &kind, "c.toml", "[sandbox.network]\nkind = 'deny'\n", "" },
                { &kind, "c.toml", "[sandbox.network]\nkind = 'inherit'\n", NULL },
                { &kind, "c.toml", "[sandbox]\nnetwork = 'deny'\n", NULL },
                { &kind, "c.toml", "sandbox.network.ports = [1]\n",
                  "sandbox.network.kind = \"deny\"\nsandbox.network.ports = [1]\n" },
                { &kind, "c.json", "{}", "{\n  \"sandbox\": {\n    \"network\": {\n      \"kind\": \"deny\"\n    }\n  }\n}" },
                { &kind, "c.json", "{\"sandbox\": {\"network\": {\"kind\": \"packages\"}}}", NULL },
                { &variable, "c.toml", "[env]\npass = [\"A\"]\n", "[env]\npass = [\"A\"]\n\n[env.set]\nCI = \"1\"\n" },
                { &variable, "c.toml", "[env.set]\nCI = \"2\"\n", NULL },
                { &variable, "c.toml", "[env]\nset = [[\"A\", \"b\"]]\n", NULL },
                { &warning, "c.toml", "", "[guard]\ndangerous_patterns = [{ regex = \"a\\\\s\", severity = \"warn\" }]\n" },
                { &warning, "c.toml", "[[guard.dangerous_patterns]]\nregex = 'b'\n",
                  "[[guard.dangerous_patterns]]\nregex = 'b'\n\n[[guard.dangerous_patterns]]\nregex = \"a\\\\s\"\n"
                  "severity = \"warn\"\n" },
                { &warning, "c.json", "{\"guard\": {\"dangerousPatterns\": [\"b\"]}}",
                  "{\"guard\": {\"dangerousPatterns\": [\"b\", {\"regex\": \"a\\\\s\", \"severity\": \"warn\"}]}}" },
                { &warning, "c.toml", "guard.dangerous_patterns = [\"a\\\\s\"]\n", "" }, /* it blocks already */
                { &block, "c.toml", "guard.dangerous_patterns = [{ regex = \"a\\\\s\", severity = \"warn\" }]\n",
                  "guard.dangerous_patterns = [\"a\\\\s\", { regex = \"a\\\\s\", severity = \"warn\" }]\n" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct err err = { 0 };
                ARENA_AUTO arena;
                BUF_AUTO out;
                int status;

                arena_init(&arena, 0);
                buf_init(&out, 1 << 20);
                status = config_list_add(str_z(rows[i].before), rows[i].path, rows[i].value, &arena, &out, &err);
                if (status != (!rows[i].after ? -1 : rows[i].after[0] ? 1 : 0))
                        fail_msg("%s: %d %s", rows[i].before, status, err.msg);
                if (rows[i].after && rows[i].after[0] && !str_eq(buf_str(&out), str_z(rows[i].after)))
                        fail_msg("%s\nbecomes\n%.*s\nnot\n%s", rows[i].before, (int)out.len, out.ptr, rows[i].after);
        }
}

static void what_cannot_be_changed(void **state) {
        static const struct {
                const char *path, *text, *message;
        } rows[] = {
                { "c.toml", "guard = 5", "c.toml: cannot edit this file; add new.example to guard.domain_allowlist by hand" },
                { "c.toml", "[[guard]]\n", "c.toml: cannot edit this file" },
                { "c.toml", "[guard]\ndomain_allowlist = 'new'", "c.toml: cannot edit this file" },
                { "c.toml", "[guard]\ndomain_allowlist = { items = 'x' }", "c.toml: cannot edit this file" },
                { "c.toml", "[[guard.domain_allowlist]]\nx = 1", "c.toml: cannot edit this file" },
                { "c.toml", "[guard\n", "c.toml:1:7: " },
                { "c.toml", "\xef\xbb\xbf[guard]\n", "c.toml:1:1: " },
                { "c.toml", "x = '\xff'", "c.toml:1:6: " },
                { "c.json", "[]", "c.json: cannot edit this file" },
                { "c.json", "{\"guard\": null}", "c.json: cannot edit this file" },
                { "c.json", "{\"guard\": \"\"}", "c.json: cannot edit this file" },
                { "c.json", "{\"guard\": {\"domain_allowlist\": {}}}", "c.json: cannot edit this file" },
                { "c.json", "", "c.json:1:1: " },
                { "c.json", "{} // no comments here", "c.json:1:4: " },
                { "c.json", "\xef\xbb\xbf{}", "c.json:1:1: " },
                { "c.json5", "// nothing", "c.json5:1:11: " },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct err err;
                BUF_AUTO out;

                buf_init(&out, 1 << 20);
                if (edit(rows[i].path, str_z(rows[i].text), &host, "domainAllowlist", &out, &err) != -1)
                        fail_msg("%s\nis changed", rows[i].text);
                if (strncmp(err.msg, rows[i].message, strlen(rows[i].message)) != 0)
                        fail_msg("%s\nsays  %s\nnot   %s", rows[i].text, err.msg, rows[i].message);
        }
}

static void no_room(void **state) {
        struct err err = { 0 };
        ARENA_AUTO arena;
        BUF_AUTO out;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&out, 16);
        assert_int_equal(config_list_add(STR("[guard]\n"), "c.toml", &host, &arena, &out, &err), -1);
        assert_non_null(strstr(err.msg, "add new.example to guard.domain_allowlist by hand"));
}

/* ---- any file ---- */

/* Lines of a TOML file, pieces of an object. What does not fit together is no config, and is left out. */
static const char *const toml_pieces[] = {
        "[guard]\n",
        "[guard] # x\r\n",
        "[ 'guard' ]\n",
        "[run]\n",
        "[guard.container]\n",
        "[policy.x.guard]\n",
        "[[guard.dangerous_patterns]]\n",
        "mode = 'warn'\n",
        "guard.mode = \"warn\"\n",
        "guard = { mode = 'off' }\n",
        "guard.container.enabled = true\n",
        "a.b = 1\n",
        "domain_allowlist = ['a']\n",
        "domain_allowlist = [\n# c\n'b', # [\n]\n",
        "guard.domain_allowlist = []\n",
        "domainAllowlist = { replace = true, items = ['x'] }\n",
        "dangerous_patterns = ['p']\n",
        "# c\n",
        "\n",
        "\r\n",
        "  ",
        "x = \"\"\"\n[guard]\ndomain_allowlist = [\"\"\"\n",
        "\xc3\xa4 = 1\n",
        "'\xc3\xa4' = '\xf0\x9f\x98\x80'\n",
        "regex = 'r'\n",
        "guard.x = '''\ny'''\n",
        "d = 1979-05-27T07:32:00Z\n",
        "f = 1e3\n",
        "[x.y]\n",
        "[[z]]\n",
        "z = [[1], {q = []}]\n",
};
static const char *const json5_pieces[] = {
        "guard: {",
        "'guard': {",
        "run: {",
        "domainAllowlist: [",
        "\"domain_allowlist\": [",
        "dangerousPatterns: [",
        "mode: 'warn',",
        "{",
        "{",
        "}",
        "}",
        "]",
        "],",
        "},",
        "'a',",
        "'b',",
        "1,",
        "null,",
        "items: [",
        "replace: true,",
        "x: ",
        "/* { */",
        "// [\n",
        "\n",
        " ",
        "\xc2\xa0",
        "'\xf0\x9f\x98\x80',",
        "\r\n",
        "\xe2\x80\xa8",
        "{regex: 'r'},",
};

static unsigned next_number(uint64_t *seed) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        return (unsigned)(*seed >> 33);
}

/* Closes what is open, so that most texts are objects. */
static void close_all(struct buf *text) {
        char open[64];
        size_t depth = 0;

        for (size_t i = 0; i < text->len; i++) {
                char c = text->ptr[i];

                if ((c == '{' || c == '[') && depth < sizeof(open))
                        open[depth++] = c;
                else if ((c == '}' || c == ']') && depth)
                        depth--;
        }
        while (depth)
                buf_char(text, open[--depth] == '{' ? '}' : ']');
}

static size_t any_files(const char *path, const char *const *pieces, size_t piece_count, const struct list_value *value,
                        const char *camel) {
        bool is_toml = str_ends(str_z(path), STR(".toml"));
        size_t changed = 0;
        uint64_t seed = 1;

        for (int round = 0; round < 10000; round++) {
                struct err err;
                BUF_AUTO text, out;

                buf_init(&text, 1 << 16);
                buf_init(&out, 1 << 16);
                buf_append(&text, is_toml ? STR("") : STR("{"));
                for (unsigned left = next_number(&seed) % 9; left; left--)
                        buf_append(&text, str_z(pieces[next_number(&seed) % piece_count]));
                if (!is_toml)
                        close_all(&text);
                if (edit(path, buf_str(&text), value, camel, &out, &err) == 1)
                        changed++;
        }
        return changed;
}

static void any_file(void **state) {
        static const size_t toml_count = sizeof(toml_pieces) / sizeof(*toml_pieces);
        static const size_t json5_count = sizeof(json5_pieces) / sizeof(*json5_pieces);

        (void)state;
        assert_true(any_files("c.toml", toml_pieces, toml_count, &host, "domainAllowlist") > 3000);
        assert_true(any_files("c.toml", toml_pieces, toml_count, &pattern, "dangerousPatterns") > 3000);
        assert_true(any_files("c.json5", json5_pieces, json5_count, &host, "domainAllowlist") > 600);
        assert_true(any_files("c.json5", json5_pieces, json5_count, &pattern, "dangerousPatterns") > 600);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(toml),
                cmocka_unit_test(toml_lists),
                cmocka_unit_test(toml_lines_of_windows),
                cmocka_unit_test(patterns),
                cmocka_unit_test(json),
                cmocka_unit_test(tables_in_tables),
                cmocka_unit_test(more_than_items),
                cmocka_unit_test(what_cannot_be_changed),
                cmocka_unit_test(no_room),
                cmocka_unit_test(any_file),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
