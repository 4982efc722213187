/*
 * Unified diffs, compared with what `diff -u` and `patch` make of them.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stage/text_diff.h"

static char base[64];

static int begin(void **state) {
        (void)state;
        snprintf(base, sizeof(base), "/tmp/bailey-diff.XXXXXX");
        return mkdtemp(base) && chdir(base) == 0 ? 0 : -1;
}

static int end(void **state) {
        char text[128];

        (void)state;
        snprintf(text, sizeof(text), "rm -rf '%s'", base);
        return system(text); /* NOLINT(cert-env33-c): a test */
}

static void write_file(const char *name, struct str text) {
        FILE *file = fopen(name, "we");

        assert_non_null(file);
        assert_int_equal(fwrite(text.ptr ? text.ptr : "", 1, text.len, file), text.len);
        assert_int_equal(fclose(file), 0);
}

static struct text_diff make(struct str before, struct str after, struct buf *out) {
        struct text_diff diff;
        struct arena arena;
        struct err err = {};

        arena_init(&arena, 0);
        if (text_diff(before, after, &arena, &diff, out, &err) < 0)
                fail_msg("%s", err.msg);
        arena_free(&arena);
        return diff;
}

static void is(const char *before, const char *after, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 20);
        make(str_z(before), str_z(after), &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

static void test_small(void **state) {
        (void)state;
        is("", "", "");
        is("a\n", "a\n", "");
        is("a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n");
        is("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
        is("a\n", "", "@@ -1 +0,0 @@\n-a\n");
        is("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
        is("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
}

static void test_binary(void **state) {
        (void)state;
        assert_true(text_is_binary(str_from("a\0b", 3)));
        assert_false(text_is_binary(STR("text\n")));
        assert_false(text_is_binary(STR("")));
}

/* A few different lines, so that there is much in common. */
static void fill(struct buf *out, unsigned *seed, int most) {
        int lines = (int)(rand_r(seed) % (unsigned)most); /* NOLINT(cert-msc30-c,cert-msc50-cpp): repeatable */

        buf_clear(out);
        for (int i = 0; i < lines; i++)
                buf_format(out, "%d\n", (int)(rand_r(seed) % 5));
        if (out->len && rand_r(seed) % 4 == 0)
                out->len--;
}

static void test_patch(void **state) {
        static const char patches[] = "cmp -s before after || { patch -s -o patched before patch && cmp patched after; }";
        unsigned seed = 1;
        BUF_AUTO before;
        BUF_AUTO after;
        BUF_AUTO out;

        (void)state;
        buf_init(&before, 1 << 20);
        buf_init(&after, 1 << 20);
        buf_init(&out, 1 << 20);
        for (int i = 0; i < 100; i++) {
                fill(&before, &seed, 40);
                fill(&after, &seed, 40);
                buf_clear(&out);
                buf_append(&out, STR("--- before\n+++ after\n"));
                make(buf_str(&before), buf_str(&after), &out);
                write_file("before", buf_str(&before));
                write_file("after", buf_str(&after));
                write_file("patch", buf_str(&out));
                if (system(patches) != 0) /* NOLINT(cert-env33-c): a test */
                        fail_msg("round %d", i);
        }
}

static void test_too_different(void **state) {
        struct text_diff diff;
        BUF_AUTO before;
        BUF_AUTO after;
        BUF_AUTO out;

        (void)state;
        buf_init(&before, 1 << 20);
        buf_init(&after, 1 << 20);
        buf_init(&out, 4 << 20);
        for (int i = 0; i < 5000; i++) {
                buf_format(&before, "a%d\n", i);
                buf_format(&after, "b%d\n", i);
        }
        diff = make(buf_str(&before), buf_str(&after), &out);
        assert_int_equal(diff.added, 5000);
        assert_int_equal(diff.removed, 5000);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_small),
                cmocka_unit_test(test_binary),
                cmocka_unit_test(test_patch),
                cmocka_unit_test(test_too_different),
        };

        return cmocka_run_group_tests(tests, begin, end);
}
