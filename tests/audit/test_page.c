/*
 * The page: what is counted, shown and left out.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "audit/web/page.h"

struct scene {
        struct arena arena;
        struct audit_page *page;
};

static void scene_begin(struct scene *scene, size_t rows) {
        struct err err = {};

        arena_init(&scene->arena, 0);
        assert_int_equal(audit_page_new(rows, &scene->page, &err), 0);
}

static void scene_end(struct scene *scene) {
        audit_page_free(scene->page);
        arena_free(&scene->arena);
}

static void add(struct scene *scene, const char *line) {
        const struct tree_node *record;
        struct err err = {};

        arena_reset(&scene->arena);
        record = audit_parse(str_z(line), &scene->arena);
        assert_non_null(record);
        assert_int_equal(audit_page_add(scene->page, record, &err), 0);
}

static json_t *state_after(struct scene *scene, uint64_t after) {
        BUF_AUTO out;
        json_t *read;

        buf_init(&out, 64 << 20);
        audit_page_json(scene->page, after, NULL, &out);
        assert_false(out.failed);
        read = json_loadb(out.ptr, out.len, 0, NULL);
        assert_non_null(read);
        return read;
}

static json_int_t number_at(json_t *from, const char *first, const char *second) {
        json_t *value = json_object_get(from, first);

        return json_integer_value(second ? json_object_get(value, second) : value);
}

/* A command is counted with its first record, and shown with its last. */
static void test_page_counts(void **state) {
        struct scene scene;
        json_t *now, *row;

        (void)state;
        scene_begin(&scene, 0);
        add(&scene,
            "{\"kind\":\"intent\",\"id\":\"a\",\"time\":\"2026-01-01T00:00:00.000Z\",\"action\":\"warned\",\"command\":\"x\","
            "\"reasons\":[{\"rule\":\"r\"},{\"rule\":\"r\"},{\"rule\":\"s\"}]}");
        now = state_after(&scene, 0);
        assert_int_equal(number_at(now, "sums", "commands"), 1);
        assert_int_equal(number_at(now, "sums", "open"), 1);
        assert_int_equal(number_at(now, "seen", NULL), 1);
        json_decref(now);
        add(&scene, "{\"kind\":\"repair\",\"torn_bytes\":7}");
        add(&scene,
            "{\"kind\":\"outcome\",\"id\":\"a\",\"time\":\"2026-01-01T00:00:01.000Z\",\"action\":\"warned\",\"command\":\"x\","
            "\"exit_code\":3,\"duration_ms\":1000,\"reasons\":[{\"rule\":\"r\"}]}");
        now = state_after(&scene, 1);
        assert_int_equal(number_at(now, "sums", "commands"), 1);
        assert_int_equal(number_at(now, "sums", "open"), 0);
        assert_int_equal(number_at(now, "seen", NULL), 3);
        assert_int_equal(number_at(now, "repairs", NULL), 1);
        assert_int_equal(json_array_size(json_object_get(now, "rows")), 1);
        row = json_array_get(json_object_get(now, "rows"), 0);
        assert_string_equal(json_string_value(json_object_get(row, "end")), "exit 3");
        row = json_array_get(json_object_get(json_object_get(now, "sums"), "rules"), 0);
        assert_string_equal(json_string_value(json_object_get(row, "name")), "r");
        assert_int_equal(number_at(row, "warned", NULL), 1); /* not 2, and not 3 */
        json_decref(now);
        add(&scene, "{\"kind\":\"changed\",\"id\":\"c\",\"action\":\"none\",\"command\":\"allow example.org\"}");
        now = state_after(&scene, 3);
        assert_int_equal(number_at(now, "sums", "commands"), 1);
        assert_int_equal(number_at(now, "sums", "changes"), 1);
        assert_int_equal(json_array_size(json_object_get(now, "rows")), 1);
        json_decref(now);
        now = state_after(&scene, 4);
        assert_null(json_object_get(now, "sums"));
        json_decref(now);
        scene_end(&scene);
}

/* What is far too long or of the wrong kind is cut or left out, and the page goes on. */
static void test_page_odd_records(void **state) {
        size_t size = 900000;
        char *line = malloc(size + 256), *long_text = malloc(size + 1);
        struct scene scene;
        json_t *now;

        (void)state;
        memset(long_text, 'x', size);
        long_text[size] = '\0';
        scene_begin(&scene, 10);
        for (int i = 0; i < 5; i++) {
                static const char *const fields[] = { "command", "cwd", "kind", "id", "time" };

                snprintf(line, size + 256, "{\"%s\":\"%s\",\"action\":\"blocked\"}", fields[i], long_text);
                add(&scene, line);
        }
        add(&scene, "{}");
        add(&scene, "{\"kind\":7,\"id\":[],\"time\":{},\"action\":null,\"command\":1,\"reasons\":\"x\",\"notices\":[1,{}],"
                    "\"duration_ms\":-5,\"exit_code\":\"9\",\"enforced\":{\"a\":1}}");
        add(&scene, "{\"reasons\":[1,\"x\",[],{\"rule\":5},{}],\"duration_ms\":9223372036854775807}");
        now = state_after(&scene, 0);
        assert_int_equal(number_at(now, "sums", "commands"), 8);
        assert_int_equal(json_array_size(json_object_get(now, "rows")), 8);
        json_decref(now);
        scene_end(&scene);
        free(line);
        free(long_text);
}

/* More than an answer holds comes in several. */
static void test_page_more(void **state) {
        struct scene scene;
        uint64_t seen = 0, rows = 0, answers = 0;
        bool more = true;

        (void)state;
        scene_begin(&scene, 5000);
        for (int i = 0; i < 6000; i++)
                add(&scene, "{\"kind\":\"tested\",\"id\":\"x\",\"action\":\"allowed\"}");
        for (; more; answers++) {
                json_t *now = state_after(&scene, seen);

                seen = (uint64_t)number_at(now, "seen", NULL);
                rows += json_array_size(json_object_get(now, "rows"));
                more = json_is_true(json_object_get(now, "more"));
                assert_int_equal(number_at(now, "kept", NULL), 5000);
                json_decref(now);
        }
        assert_int_equal(rows, 5000);
        assert_int_equal(seen, 6000);
        assert_int_equal(answers, 3);
        scene_end(&scene);
}

/* The slowest run of a text counts once, also when it was pushed out before. */
static void test_page_slowest(void **state) {
        struct scene scene;
        json_t *now, *slowest;

        (void)state;
        scene_begin(&scene, 0);
        for (int i = 0; i < 300; i++) {
                char line[160];

                snprintf(line, sizeof(line), "{\"kind\":\"outcome\",\"id\":\"%d\",\"command\":\"c%d\",\"duration_ms\":%d}", i,
                         i % 37, (i * 7919) % 1009);
                add(&scene, line);
        }
        now = state_after(&scene, 0);
        slowest = json_object_get(json_object_get(now, "sums"), "slowest");
        assert_int_equal(json_array_size(slowest), 10);
        for (size_t i = 0; i < 10; i++) {
                const char *name = json_string_value(json_object_get(json_array_get(slowest, i), "command"));
                json_int_t took = number_at(json_array_get(slowest, i), "number", NULL), longest = 0;

                for (int k = (int)strtol(name + 1, NULL, 10); k < 300; k += 37)
                        longest = (k * 7919) % 1009 > longest ? (k * 7919) % 1009 : longest;
                assert_int_equal(took, longest);
                if (i)
                        assert_true(took <= number_at(json_array_get(slowest, i - 1), "number", NULL));
        }
        json_decref(now);
        scene_end(&scene);
}

static void test_page_html(void **state) {
        const struct audit_page_filter filters[] = { { "rule", "<i>\xe2\x80\xae" }, { "session", NULL }, {} };
        const struct audit_page_head head = { .version = "1", .time = "now", .filters = filters };
        struct scene scene;
        BUF_AUTO out;

        (void)state;
        buf_init(&out, PAGE_BYTES_MAX);
        scene_begin(&scene, 0);
        add(&scene, "{\"kind\":\"tested\",\"id\":\"x\",\"command\":\"</script>{{script}}\",\"reasons\":[{\"rule\":\"<b>\"}]}");
        audit_page_html(scene.page, &head, &out);
        buf_char(&out, '\0');
        assert_false(out.failed);
        assert_null(strstr(out.ptr, "{{policy}}"));
        assert_non_null(strstr(out.ptr, "Only rule &lt;i&gt;&lt;U+202E&gt;."));
        assert_non_null(strstr(out.ptr, "<th scope=\"row\">&lt;b&gt;</th>"));
        assert_non_null(strstr(out.ptr, "\"command\":\"\\u003c/script\\u003e{{script}}\""));
        assert_non_null(strstr(out.ptr, "connect-src 'none'"));
        assert_non_null(strstr(out.ptr, "\n</html>\n"));
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_page_counts),  cmocka_unit_test(test_page_odd_records), cmocka_unit_test(test_page_more),
                cmocka_unit_test(test_page_slowest), cmocka_unit_test(test_page_html),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
