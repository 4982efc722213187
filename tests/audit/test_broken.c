/*
 * Whatever happens to the file, the next record is written, and verify says what happened.
 */
#include "tests/audit/audit_test.h"

enum { RECORDS = 3 };

static void three_records(struct scene *scene, struct buf *ret_text) {
        scene_begin(scene);
        for (int i = 0; i < RECORDS; i++)
                must_write(scene->audit, "echo hello");
        slurp(scene->path, ret_text);
}

static size_t line_start(struct str text, int line) {
        size_t at = 0;

        for (; line > 0; line--)
                at += str_find(str_skip(text, at), '\n') + 1;
        return at;
}

/* The last line, cut at every byte, and two more writers after it. */
static void test_torn_everywhere(void **state) {
        struct scene scene;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        for (size_t len = line_start(buf_str(&text), 2) + 1; len < text.len; len++) {
                bool whole = len == text.len - 1; /* only the newline is missing */
                struct audit_check check;

                spill(scene.path, str_take(buf_str(&text), len));
                check = scene_verify(&scene);
                assert_true(check.torn && !check.problem);
                assert_int_equal(check.line, 3);
                assert_int_equal(check.torn_bytes, whole ? 0 : len - line_start(buf_str(&text), 2));
                must_write(scene.audit, "next");
                must_write(scene.audit, "and next");
                must_be_whole(&scene, 2 + whole + 1 + 2);
                assert_int_equal(scene_verify(&scene).repairs, 1);
        }
        scene_end(&scene);
}

/* The first record of all, and the first one after a rotation. */
static void test_torn_first(void **state) {
        struct scene scene;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        spill(scene.path, str_take(buf_str(&text), 100));
        must_write(scene.audit, "next");
        must_be_whole(&scene, 2);
        assert_true(scene_verify(&scene).from_start);
        spill(rotated_path(scene.path, 1).text, buf_str(&text));
        spill(scene.path, STR("{\"prev\":\"12"));
        must_write(scene.audit, "next");
        must_be_whole(&scene, RECORDS + 2);
        scene_end(&scene);
}

/* A writer that closes what is torn is killed as well: at every byte of what it writes. */
static void test_torn_repair(void **state) {
        struct scene scene;
        BUF_AUTO text, closed;
        size_t torn = 0;

        (void)state;
        three_records(&scene, &text);
        torn = line_start(buf_str(&text), 2) + 50;
        spill(scene.path, str_take(buf_str(&text), torn));
        must_write(scene.audit, "next");
        slurp(scene.path, &closed);
        for (size_t len = torn + 1; len < line_start(buf_str(&closed), 4); len++) {
                spill(scene.path, str_take(buf_str(&closed), len));
                must_write(scene.audit, "next");
                must_be_whole(&scene, 0);
        }
        scene_end(&scene);
}

/* Zeros are what some file systems leave after a power cut. */
static void test_other_ends(void **state) {
        static const struct str ends[] = {
                STR("\0\0\0\0"), STR("\n"), STR("\n\n\n"), STR("x\n"), STR("\n\0\n"), STR("{}\n{}\n"), STR("{\"prev\":"),
        };
        struct scene scene;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
                BUF_AUTO longer;

                buf_init(&longer, 1 << 20);
                buf_append(&longer, buf_str(&text));
                buf_append(&longer, ends[i]);
                spill(scene.path, buf_str(&longer));
                must_write(scene.audit, "next");
                must_be_whole(&scene, RECORDS + 2);
        }
        scene_end(&scene);
}

static void test_hopeless(void **state) {
        struct scene scene;
        struct err err = {};
        BUF_AUTO text;

        (void)state;
        buf_init(&text, 64 << 20);
        scene_begin(&scene);
        must_write(scene.audit, "a");
        for (int i = 0; i < 6 << 17; i++)
                buf_append(&text, STR("garbage\n"));
        spill(scene.path, buf_str(&text));
        assert_int_equal(try_write(scene.audit, "next", &err), -1);
        assert_non_null(strstr(err.msg, "move it away"));
        assert_non_null(scene_verify(&scene).problem);
        scene_end(&scene);
}

/* Any byte, made any of a few others: named, at the line where it is. */
static void test_flipped(void **state) {
        static const unsigned char flips[] = { 1, 0x20, 0x80, '"' ^ '\n' };
        struct scene scene;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        for (size_t i = 0; i < text.len; i++) {
                for (size_t j = 0; j < sizeof(flips); j++) {
                        char was = text.ptr[i];
                        struct audit_check check;
                        uint64_t line = 1;

                        for (size_t k = 0; k < i; k++)
                                line += text.ptr[k] == '\n';
                        text.ptr[i] = (char)(was ^ flips[j]);
                        spill(scene.path, buf_str(&text));
                        check = scene_verify(&scene);
                        if (!check.problem && !check.torn)
                                fail_msg("byte %zu of line %d changed, unnoticed", i, (int)line);
                        if (check.line != line)
                                fail_msg("byte %zu of line %d changed, noticed in line %d", i, (int)line, (int)check.line);
                        text.ptr[i] = was;
                }
        }
        scene_end(&scene);
}

/* The same where something was torn and closed. */
static void test_flipped_repair(void **state) {
        struct scene scene;
        BUF_AUTO text, closed;

        (void)state;
        three_records(&scene, &text);
        spill(scene.path, str_take(buf_str(&text), line_start(buf_str(&text), 2) + 20));
        must_write(scene.audit, "next");
        slurp(scene.path, &closed);
        for (size_t i = line_start(buf_str(&closed), 2); i < closed.len - 1; i++) {
                struct audit_check check;

                closed.ptr[i] ^= 1;
                spill(scene.path, buf_str(&closed));
                check = scene_verify(&scene);
                if (!check.problem)
                        fail_msg("byte %zu changed, unnoticed", i);
                closed.ptr[i] ^= 1;
        }
        scene_end(&scene);
}

/* A record without its newline is unfinished; when it was changed as well, it is broken, at the line where it is. */
static void test_flipped_unfinished(void **state) {
        struct scene scene;
        struct audit_check check;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        text.ptr[text.len - 200] ^= 1;
        spill(scene.path, str_take(buf_str(&text), text.len - 1));
        check = scene_verify(&scene);
        assert_non_null(check.problem);
        assert_int_equal(check.line, 3);
        scene_end(&scene);
}

static const char *id_of(struct str line) {
        const char *at = memmem(line.ptr, line.len, "\"id\":\"", 6);

        assert_non_null(at);
        return at + 6;
}

static void test_taken_out(void **state) {
        struct scene scene;
        struct audit_check check;
        BUF_AUTO text;
        BUF_AUTO less;
        size_t second, third;

        (void)state;
        buf_init(&less, 1 << 20);
        three_records(&scene, &text);
        second = line_start(buf_str(&text), 1);
        third = line_start(buf_str(&text), 2);
        buf_append(&less, str_take(buf_str(&text), second));
        buf_append(&less, str_skip(buf_str(&text), third));
        spill(scene.path, buf_str(&less));
        check = scene_verify(&scene);
        assert_string_equal(check.problem, "a record before it is missing or was changed");
        assert_int_equal(check.line, 2);
        assert_memory_equal(id_of(str_skip(buf_str(&text), third)), check.id, ID_SIZE - 1);
        /* two files in the wrong order */
        spill(rotated_path(scene.path, 1).text, str_skip(buf_str(&text), second));
        spill(scene.path, str_take(buf_str(&text), second));
        check = scene_verify(&scene);
        assert_non_null(check.problem);
        assert_int_equal(check.number, 1);
        assert_int_equal(check.line, 1);
        /* an older file that was cut */
        spill(rotated_path(scene.path, 1).text, str_take(buf_str(&text), second + 20));
        check = scene_verify(&scene);
        assert_non_null(check.problem);
        assert_int_equal(check.number, 1);
        assert_int_equal(check.line, 2);
        scene_end(&scene);
}

/* ---- the beginning ---- */

static void must_begin_broken(const struct scene *scene, int number, const char *problem) {
        struct audit_check check = scene_verify(scene);

        assert_non_null(check.problem);
        assert_string_equal(check.problem, problem);
        assert_int_equal(check.number, number);
        assert_int_equal(check.line, 1);
        assert_int_equal(strlen(check.id), ID_SIZE - 1);
}

/* The first records of a file, whichever it is, are missed. */
static void cut_beginning(const struct scene *scene, int number) {
        const char *path = rotated_path(scene->path, number).text;
        BUF_AUTO text;

        slurp(path, &text);
        spill(path, str_skip(buf_str(&text), line_start(buf_str(&text), 1)));
        must_begin_broken(scene, number, "records before it are missing");
        spill(path, buf_str(&text));
        must_be_whole(scene, 0);
}

static void test_beginning_taken_out(void **state) {
        struct scene scene;
        BUF_AUTO text;

        (void)state;
        three_records(&scene, &text);
        spill(scene.path, buf_str(&text));
        cut_beginning(&scene, 0);
        scene_end(&scene);
}

static void write_many(struct scene *scene, int count) {
        char text[2000];

        memset(text, 'x', sizeof(text));
        text[sizeof(text) - 1] = 0;
        for (int i = 0; i < count; i++)
                must_write(scene->audit, text);
}

static void begin_rotating(struct scene *scene, int keep) {
        scene_begin(scene);
        audit_close(scene->audit);
        scene->policy.rotate_bytes = 16 << 10;
        scene->policy.rotate_keep = keep;
        scene->audit = scene_audit(scene);
}

static void test_beginning_rotated_away(void **state) {
        struct scene scene;

        (void)state;
        for (int keep = 1; keep < 4; keep++) {
                begin_rotating(&scene, keep);
                write_many(&scene, 100);
                assert_false(scene_verify(&scene).from_start);
                cut_beginning(&scene, keep);
                scene.policy.rotate_keep = 9; /* who keeps more from now on has not lost any */
                must_be_whole(&scene, 0);
                assert_int_equal(unlink(rotated_path(scene.path, keep).text), 0);
                must_begin_broken(&scene, 0, "there are fewer older files than it speaks of");
                scene_end(&scene);
        }
}

/* As they were before a first record said that it is one. */
static void take_marks_out(struct scene *scene, int files) {
        struct chain_hash last = chain_genesis;

        for (int i = files; i >= 0; i--) {
                const char *path = rotated_path(scene->path, i).text;
                BUF_AUTO text;
                BUF_AUTO less;

                slurp(path, &text);
                buf_init(&less, 64 << 20);
                if (i == files)
                        memset(last.hex, 'a', sizeof(last.hex) - 1);
                for (struct str rest = buf_str(&text); rest.len; rest = str_skip(rest, str_find(rest, '\n') + 1)) {
                        struct str line = str_take(rest, str_find(rest, '\n'));
                        struct str body = str_skip(line, sizeof(CHAIN_HEAD) - 1 + SHA256_HEX_SIZE - 1 + 2);
                        const char *mark;

                        body.len -= CHAIN_TAIL_SIZE;
                        mark = memmem(body.ptr, body.len, ",\"older\":", 9);
                        chain_seal(&last, mark ? str_take(body, (size_t)(mark - body.ptr)) : body, STR(""), &less, &last);
                }
                spill(path, buf_str(&less));
        }
}

static void test_beginning_of_old_files(void **state) {
        struct scene scene;

        (void)state;
        begin_rotating(&scene, 3);
        write_many(&scene, 100);
        take_marks_out(&scene, 3);
        must_be_whole(&scene, 0);
        scene.policy.rotate_keep = 4;
        must_begin_broken(&scene, 3, "records before it are missing");
        scene.policy.rotate_keep = 3;
        for (int i = 0; i < 30; i++) { /* while they go, one after the other */
                write_many(&scene, 1);
                must_be_whole(&scene, 0);
        }
        cut_beginning(&scene, 3);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_torn_everywhere),
                cmocka_unit_test(test_torn_first),
                cmocka_unit_test(test_torn_repair),
                cmocka_unit_test(test_other_ends),
                cmocka_unit_test(test_hopeless),
                cmocka_unit_test(test_flipped),
                cmocka_unit_test(test_flipped_repair),
                cmocka_unit_test(test_taken_out),
                cmocka_unit_test(test_flipped_unfinished),
                cmocka_unit_test(test_beginning_taken_out),
                cmocka_unit_test(test_beginning_rotated_away),
                cmocka_unit_test(test_beginning_of_old_files),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
