/*
 * The parts that the page is made with: what is escaped, kept and forgotten.
 */
#include "tests/test.h"

#include <stdio.h>

#include <jansson.h>

#include "audit/digests.h"
#include "audit/web/escape.h"
#include "audit/web/rows.h"
#include "audit/web/sums.h"
#include "base/time.h"

/* ---- escaping ---- */

static void check_json(struct str text, struct str expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 20);
        escape_json(&out, text);
        assert_str_equal(buf_str(&out), expected);
}

static void test_json_escapes(void **state) {
        (void)state;
        check_json(STR(""), STR("\"\""));
        check_json(STR("ls -la"), STR("\"ls -la\""));
        check_json(STR("</script><!--"), STR("\"\\u003c/script\\u003e\\u003c!--\""));
        check_json(STR("]]>&\"'\\"), STR("\"]]\\u003e\\u0026\\u0022\\u0027\\u005c\""));
        check_json(STR("a\nb\tc\0d\x7f"), STR("\"a\\nb\\u0009c\\u0000d\\u007f\""));
        check_json(STR("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xc2\x85"), STR("\"\\u2028\\u2029\\u202e\\u0085\""));
        check_json(STR("\xc3\xa9\xf0\x9f\x90\x8e\xf4\x8f\xbf\xbf"), STR("\"\\u00e9\\ud83d\\udc0e\\udbff\\udfff\""));
        check_json(STR("\xff\xc0\xaf\xed\xa0\x80\xe2\x80"),
                   STR("\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""));
}

/* Every character there is: the text is plain, and means the same to another reader of JSON. */
static void test_json_all(void **state) {
        BUF_AUTO all;
        BUF_AUTO out;
        json_t *read;

        (void)state;
        buf_init(&all, 8 << 20);
        buf_init(&out, 32 << 20);
        for (uint32_t c = 0; c <= 0x10ffff; c++) {
                if (c >= 0xd800 && c <= 0xdfff)
                        continue;
                if (c < 0x80)
                        buf_char(&all, (char)c);
                else if (c < 0x800)
                        buf_format(&all, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
                else if (c < 0x10000)
                        buf_format(&all, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
                else
                        buf_format(&all, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
                                   0x80 | (c & 0x3f));
        }
        escape_json(&out, buf_str(&all));
        assert_false(out.failed);
        for (size_t i = 0; i < out.len; i++)
                assert_true(out.ptr[i] >= ' ' && out.ptr[i] <= '~' && !strchr("<>&'", out.ptr[i]));
        read = json_loadb(out.ptr, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(read);
        assert_str_equal(str_from(json_string_value(read), json_string_length(read)), buf_str(&all));
        json_decref(read);
}

static void check_html(struct str text, struct str expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 20);
        escape_html(&out, text);
        assert_str_equal(buf_str(&out), expected);
}

static void test_html_escapes(void **state) {
        (void)state;
        check_html(STR("a <b> & \"c\" 'd'"), STR("a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"));
        check_html(STR("\xe2\x80\xae\x1b\n\0"), STR("&lt;U+202E&gt;&lt;U+001B&gt;&lt;U+000A&gt;&lt;U+0000&gt;"));
        check_html(STR("\xc2\xa0\xef\xbb\xbf\xf3\xa0\x81\x81"), STR("&lt;U+00A0&gt;&lt;U+FEFF&gt;&lt;U+E0041&gt;"));
        check_html(STR("\xc3\xa9 \xd7\xa9 \xe6\xbc\xa2 \xf0\x9f\x90\x8e"),
                   STR("\xc3\xa9 \xd7\xa9 \xe6\xbc\xa2 \xf0\x9f\x90\x8e"));
        check_html(STR("\xff"), STR("\xef\xbf\xbd"));
}

static void test_cut(void **state) {
        (void)state;
        assert_str_equal(escape_cut(STR("abc"), 3), STR("abc"));
        assert_str_equal(escape_cut(STR("abc"), 2), STR("ab"));
        assert_str_equal(escape_cut(STR("a\xc3\xa9"), 2), STR("a"));
        assert_str_equal(escape_cut(STR("\xe2\x80\xae"), 2), STR(""));
}

/* ---- the table of texts ---- */

static struct digest key_of(const struct digests *table, unsigned number) {
        return digests_key(table, str_from((const char *)&number, sizeof(number)));
}

/* Against an array, with texts that come and go. */
static void test_digests(void **state) {
        enum { TEXTS = 500, STEPS = 50000 };
        uint64_t wanted[TEXTS] = { 0 };
        unsigned random = 1;
        struct digests table;
        struct err err = {};

        (void)state;
        assert_int_equal(digests_init(&table, TEXTS, &err), 0);
        for (int step = 1; step <= STEPS; step++) {
                unsigned text = (random = random * 1103515245 + 12345) >> 8;
                struct digest key = key_of(&table, text %= TEXTS);
                uint64_t *found = digests_find(&table, key);

                assert_int_equal(found ? *found : 0, wanted[text]);
                if (found) {
                        digests_remove(&table, key);
                        wanted[text] = 0;
                } else {
                        assert_int_equal(digests_add(&table, key, (uint64_t)step, &err), 0);
                        wanted[text] = (uint64_t)step;
                }
        }
        for (unsigned text = 0; text < TEXTS; text++) {
                const uint64_t *found = digests_find(&table, key_of(&table, text));

                assert_int_equal(found ? *found : 0, wanted[text]);
        }
        digests_free(&table);
}

static void test_digests_full(void **state) {
        struct digests table;
        struct err err = {};

        (void)state;
        assert_int_equal(digests_init(&table, 3, &err), 0);
        digests_remove(&table, key_of(&table, 7));
        for (unsigned text = 0; text < 3; text++)
                assert_int_equal(digests_add(&table, key_of(&table, text), text, &err), 0);
        assert_int_equal(digests_add(&table, key_of(&table, 3), 3, &err), -1);
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
        assert_int_equal(*digests_find(&table, key_of(&table, 2)), 2);
        digests_free(&table);
}

/* ---- when ---- */

static void add_time(struct timeline *timeline, int64_t seconds, enum verdict_column column) {
        char text[TIME_TEXT_SIZE];

        time_format(seconds * TIME_SECOND, text);
        timeline_add(timeline, str_z(text), column);
}

static uint64_t timeline_total(const struct timeline *timeline, enum verdict_column column) {
        uint64_t total = 0;

        for (size_t i = 0; i < timeline->count; i++)
                total += timeline->spans[i][column];
        return total;
}

static void check_timeline(const struct timeline *timeline, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 20);
        timeline_json(timeline, &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

static void test_timeline(void **state) {
        struct timeline timeline = { 0 };

        (void)state;
        check_timeline(&timeline, "{\"seconds\":10,\"start\":0,\"spans\":[]}");
        add_time(&timeline, 1700000005, COLUMN_ALLOWED);
        add_time(&timeline, 1700000021, COLUMN_BLOCKED);
        add_time(&timeline, 1699999999, COLUMN_WARNED);
        check_timeline(&timeline, "{\"seconds\":10,\"start\":1699999990,\"spans\":[[0,1,0,0],[1,0,0,0],[0,0,0,0],[0,0,1,0]]}");
        timeline_add(&timeline, STR(""), COLUMN_ALLOWED);
        timeline_add(&timeline, STR("2023-11-14T22:13:20.123z"), COLUMN_ALLOWED);
        timeline_add(&timeline, STR("2023-11-14T22:1x:20.123Z"), COLUMN_ALLOWED);
        assert_int_equal(timeline_total(&timeline, COLUMN_ALLOWED), 1);
        add_time(&timeline, 1700000000 + 7200, COLUMN_ALLOWED); /* two hours on: minutes do not suffice */
        check_timeline(&timeline, "{\"seconds\":300,\"start\":1699999800,\"spans\":[[1,1,1,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],"
                                  "[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],"
                                  "[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],"
                                  "[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[1,0,0,0]]}");
}

/* Whatever comes, in whatever order, nothing is lost. */
static void test_timeline_any(void **state) {
        struct timeline timeline = { 0 };
        uint64_t counts[COLUMNS] = { 0 };
        unsigned random = 7;

        (void)state;
        for (int i = 0; i < 20000; i++) {
                int64_t reach = INT64_C(1) << (i * 32 / 20000);
                enum verdict_column column = (enum verdict_column)(i % COLUMNS);

                random = random * 1103515245 + 12345;
                add_time(&timeline, 1700000000 + (int64_t)(random >> 1) % reach - reach / 2, column);
                counts[column]++;
                assert_in_range(timeline.count, 1, TIMELINE_SPANS);
        }
        timeline_add(&timeline, STR("0000-01-01T00:00:00.000Z"), COLUMN_OTHER);
        timeline_add(&timeline, STR("9999-99-99T99:99:99.999Z"), COLUMN_OTHER);
        counts[COLUMN_OTHER] += 2;
        for (int column = 0; column < COLUMNS; column++)
                assert_int_equal(timeline_total(&timeline, (enum verdict_column)column), counts[column]);
}

/* ---- the newest ---- */

static void check_rows(const struct rows *rows, uint64_t after, size_t count, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 20);
        rows_json(rows, after, count, &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

static void test_rows(void **state) {
        struct err err = {};
        struct rows rows;

        (void)state;
        assert_int_equal(rows_init(&rows, 4, 1000, &err), 0);
        assert_false(rows_any(&rows, 0));
        for (uint64_t number = 1; number <= 23; number++) {
                char text[16];

                snprintf(text, sizeof(text), "%d", (int)number);
                assert_int_equal(rows_add(&rows, number, str_z(text), &err), 0);
                if (number % 3 == 0)
                        rows_remove(&rows, number - 1);
                if (number > 8)
                        rows_remove(&rows, 1); /* long gone */
        }
        assert_int_equal(rows.kept, 4);
        check_rows(&rows, 0, SIZE_MAX, "19,\n21,\n22,\n23");
        check_rows(&rows, 19, 2, "21,\n22");
        check_rows(&rows, 20, 1, "21");
        check_rows(&rows, 23, 1, "");
        rows_remove(&rows, 23);
        assert_true(rows_any(&rows, 21));
        assert_false(rows_any(&rows, 22));
        rows_free(&rows);
}

static void test_rows_bytes(void **state) {
        char large[400] = { 0 };
        struct err err = {};
        struct rows rows;

        (void)state;
        assert_int_equal(rows_init(&rows, 100, 1000, &err), 0);
        for (uint64_t number = 1; number <= 50; number++)
                assert_int_equal(rows_add(&rows, number, str_from(large, sizeof(large)), &err), 0);
        assert_int_equal(rows.kept, 2);
        assert_int_equal(rows.bytes, 800);
        assert_int_equal(rows.items[rows.start].number, 49);
        rows_free(&rows);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_json_escapes), cmocka_unit_test(test_json_all),     cmocka_unit_test(test_html_escapes),
                cmocka_unit_test(test_cut),          cmocka_unit_test(test_digests),      cmocka_unit_test(test_digests_full),
                cmocka_unit_test(test_timeline),     cmocka_unit_test(test_timeline_any), cmocka_unit_test(test_rows),
                cmocka_unit_test(test_rows_bytes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
