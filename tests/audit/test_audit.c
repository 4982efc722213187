#include "tests/audit/audit_test.h"

#include <errno.h>

#include "audit/ring.h"
#include "base/time.h"
#include "base/json5.h"

/* ---- what is written ---- */

static void test_record(void **state) {
        static const char *const guarantees[] = { "writes", "reads" }, *const notices[] = { "gone" };
        const struct audit_reason reasons[] = { { STR("a-rule"), STR("because"), "warn", 3, 7, STR("it") } };
        const struct audit_finding finding = { "outside", "/x" };
        struct audit_record record = {
                .kind = AUDIT_OUTCOME,
                .id = "11111111-2222-4333-8444-555555555555",
                .command = STR("echo \"a\"\n\x1b[31m\xff"),
                .policy = STR("build"),
                .cwd = "/w/x",
                .workspace = "/w",
                .action = "warned",
                .reasons = reasons,
                .reason_count = 1,
                .backend = "native",
                .guarantees = guarantees,
                .guarantee_count = 2,
                .exit_code = 137,
                .signal = 9,
                .output_known = true,
                .output_bytes = 12345,
                .truncated = true,
                .duration_ms = 17,
                .notices = notices,
                .notice_count = 1,
                .findings = &finding,
                .finding_count = 1,
        };
        char expected[2048], hex[SHA256_HEX_SIZE];
        BUF_AUTO out;

        (void)state;
        buf_init(&out, CHAIN_LINE_MAX);
        audit_record_json(&record, "S", INT64_C(1700000000123000000), &out);
        sha256_hex(record.command, hex);
        snprintf(expected, sizeof(expected),
                 "\"v\":1,\"kind\":\"outcome\",\"time\":\"2023-11-14T22:13:20.123Z\","
                 "\"id\":\"11111111-2222-4333-8444-555555555555\",\"session\":\"S\",\"pid\":%d,\"form\":\"command\","
                 "\"command\":\"echo \\\"a\\\"\\n\\u001b[31m\xef\xbf\xbd\",\"command_truncated\":false,\"command_bytes\":15,"
                 "\"command_sha256\":\"%s\",\"cwd\":\"/w/x\",\"workspace\":\"/w\",\"policy\":\"build\",\"action\":\"warned\","
                 "\"bypassed\":false,\"reasons\":[{\"rule\":\"a-rule\",\"severity\":\"warn\",\"message\":\"because\","
                 "\"subject\":\"it\",\"range\":[3,7]}],\"backend\":\"native\",\"enforced\":[\"writes\",\"reads\"],\"exit_"
                 "code\":137,"
                 "\"signal\":9,\"timed_out\":false,\"cancelled\":false,\"duration_ms\":17,\"output_bytes\":12345,"
                 "\"truncated\":true,\"redactions\":0,\"notices\":[\"gone\"],"
                 "\"findings\":[{\"kind\":\"outside\",\"subject\":\"/x\"}]",
                 (int)getpid(), hex);
        assert_str_equal(buf_str(&out), str_z(expected));
}

/* However bad it is, it fits, and can be read back. */
static void test_largest(void **state) {
        struct audit_reason reasons[AUDIT_ITEMS_MAX + 5];
        struct audit_finding findings[AUDIT_ITEMS_MAX + 5];
        const char *notices[AUDIT_ITEMS_MAX + 5];
        size_t size = 1 << 20;
        char *worst = malloc(size + 1);
        struct audit_record record = { .kind = AUDIT_OUTCOME, .id = "x", .policy = STR("p"), .action = "blocked" };
        struct scene scene;
        struct err err = {};

        (void)state;
        scene_begin(&scene);
        memset(worst, 1, size);
        worst[size] = 0;
        for (size_t i = 0; i < AUDIT_ITEMS_MAX + 5; i++) {
                reasons[i] = (struct audit_reason){ str_from(worst, size), str_from(worst, size), "block", 0, UINT32_MAX,
                                                    str_from(worst, size) };
                findings[i] = (struct audit_finding){ "workspace-read-only", worst };
                notices[i] = worst;
        }
        record.command = str_from(worst, size);
        record.cwd = record.workspace = record.message = record.backend = worst;
        record.policy = str_from(worst, size);
        record.reasons = reasons;
        record.reason_count = AUDIT_ITEMS_MAX + 5;
        record.findings = findings;
        record.finding_count = AUDIT_ITEMS_MAX + 5;
        record.notices = record.guarantees = notices;
        record.notice_count = record.guarantee_count = AUDIT_ITEMS_MAX + 5;
        if (audit_write(scene.audit, &record, &err) < 0)
                fail_msg("%s", err.msg);
        must_be_whole(&scene, 1);
        {
                BUF_AUTO text;
                ARENA_AUTO arena;
                const struct tree_node *tree;

                arena_init(&arena, 0);
                slurp(scene.path, &text);
                tree = audit_parse(str_take(buf_str(&text), text.len - 1), &arena);
                assert_non_null(tree);
                assert_int_equal(audit_field(tree, "command").len, AUDIT_COMMAND_MAX);
                assert_true(tree_get(tree, STR("command_truncated"))->boolean);
                assert_int_equal(tree_get(tree, STR("reasons_left_out"))->integer, 5);
        }
        free(worst);
        scene_end(&scene);
}

static void test_modes(void **state) {
        struct scene scene;
        struct stat status;
        char directory[128];

        (void)state;
        umask(0);
        scene_begin(&scene);
        must_write(scene.audit, "a");
        assert_int_equal(stat(scene.path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
        snprintf(directory, sizeof(directory), "%s/deep", scene.directory);
        assert_int_equal(stat(directory, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0700);
        scene_end(&scene);
}

/* ---- what is refused ---- */

static void refused(struct scene *scene, const char *why) {
        struct err err = {};

        audit_close(scene->audit);
        scene->audit = scene_audit(scene);
        assert_int_equal(try_write(scene->audit, "a", &err), -1);
        if (!strstr(err.msg, why) || !strstr(err.msg, scene->path))
                fail_msg("said: %s", err.msg);
}

static void test_not_a_place(void **state) {
        struct scene scene;
        char other[128];

        (void)state;
        scene_begin(&scene);
        must_write(scene.audit, "a");
        assert_int_equal(chmod(scene.path, 0620), 0);
        refused(&scene, "others can write it");
        snprintf(other, sizeof(other), "%s/other", scene.directory);
        assert_int_equal(rename(scene.path, other), 0);
        assert_int_equal(symlink(other, scene.path), 0);
        refused(&scene, "symbolic links");
        assert_int_equal(unlink(scene.path), 0);
        assert_int_equal(mkfifo(scene.path, 0600), 0);
        refused(&scene, "regular");
        assert_int_equal(unlink(scene.path), 0);
        assert_int_equal(mkdir(scene.path, 0700), 0);
        refused(&scene, "directory");
        scene_end(&scene);
}

/* A file that others took away is made anew. */
static void test_taken_away(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        must_write(scene.audit, "a");
        assert_int_equal(unlink(scene.path), 0);
        must_write(scene.audit, "b");
        must_be_whole(&scene, 1);
        scene_end(&scene);
}

static void test_disabled(void **state) {
        struct scene scene;
        BUF_AUTO out;

        (void)state;
        buf_init(&out, 1 << 20);
        scene_begin(&scene);
        scene.policy.enabled = false;
        must_write(scene.audit, "a");
        assert_int_equal(access(scene.path, F_OK), -1);
        audit_recent(scene.audit, 10, &out);
        buf_char(&out, 0);
        assert_non_null(strstr(out.ptr, "\"command\":\"a\""));
        scene_end(&scene);
}

/* ---- the ring ---- */

static void ring_is(const struct audit_ring *ring, size_t count, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 32 << 20);
        audit_ring_json(ring, count, &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

static void lines_are(const struct audit_ring *ring, const char *beginning, size_t count, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 1 << 10);
        audit_ring_lines(ring, str_z(beginning), count, &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

static void test_ring_lines(void **state) {
        static const char *const records[] = { "gone", "a1", "b1", "a2", "b2", "a3" };
        struct audit_ring ring;

        (void)state;
        audit_ring_init(&ring, 5);
        lines_are(&ring, "", 9, "");
        for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
                audit_ring_add(&ring, str_z(records[i]));
        lines_are(&ring, "a", 9, "a1\na2\na3\n");
        lines_are(&ring, "a", 2, "a2\na3\n");
        lines_are(&ring, "b", 1, "b2\n");
        lines_are(&ring, "b", 0, "");
        lines_are(&ring, "c", 9, "");
        audit_ring_free(&ring);
}

static void test_ring(void **state) {
        struct audit_ring ring;
        char *large = malloc(RING_BYTES_MAX);

        (void)state;
        audit_ring_init(&ring, 3);
        ring_is(&ring, 5, "[]");
        audit_ring_add(&ring, STR("1"));
        audit_ring_add(&ring, STR("2"));
        ring_is(&ring, 5, "[1,\n2]");
        audit_ring_add(&ring, STR("3"));
        audit_ring_add(&ring, STR("4"));
        ring_is(&ring, 5, "[2,\n3,\n4]");
        ring_is(&ring, 2, "[3,\n4]");
        ring_is(&ring, 0, "[]");
        memset(large, '5', RING_BYTES_MAX);
        audit_ring_add(&ring, str_from(large, RING_BYTES_MAX));
        assert_int_equal(ring.count, 1);
        audit_ring_add(&ring, STR("6"));
        ring_is(&ring, 5, "[6]");
        audit_ring_free(&ring);
        free(large);
}

/* ---- rotation ---- */

static void test_rotation(void **state) {
        char text[2000];
        struct scene scene;
        struct stat status;

        (void)state;
        memset(text, 'x', sizeof(text));
        text[sizeof(text) - 1] = 0;
        scene_begin(&scene);
        audit_close(scene.audit);
        scene.policy.rotate_bytes = 64 << 10;
        scene.policy.rotate_keep = 3;
        scene.audit = scene_audit(&scene);
        for (int i = 0; i < 60; i++)
                must_write(scene.audit, text);
        must_be_whole(&scene, 60);
        assert_int_equal(stat(rotated_path(scene.path, 1).text, &status), 0);
        assert_true(status.st_size <= 64 << 10 && status.st_size > 60 << 10);
        /* a kill inside a rotation leaves a gap, which the next one fills */
        for (int i = 0; i < 60; i++)
                must_write(scene.audit, text);
        assert_int_equal(rename(rotated_path(scene.path, 1).text, rotated_path(scene.path, 2).text) |
                                 rename(scene.path, rotated_path(scene.path, 1).text),
                         0);
        must_write(scene.audit, text);
        for (int i = 0; i < 200; i++)
                must_write(scene.audit, text);
        must_be_whole(&scene, 0);
        assert_false(scene_verify(&scene).from_start);
        assert_int_equal(access(rotated_path(scene.path, 3).text, F_OK), 0);
        assert_int_equal(access(rotated_path(scene.path, 4).text, F_OK), -1);
        scene_end(&scene);
}

static void test_rotation_keeps_none(void **state) {
        char text[2000];
        struct scene scene;

        (void)state;
        memset(text, 'x', sizeof(text));
        text[sizeof(text) - 1] = 0;
        scene_begin(&scene);
        audit_close(scene.audit);
        scene.policy.rotate_bytes = 64 << 10;
        scene.policy.rotate_keep = 0;
        scene.audit = scene_audit(&scene);
        for (int i = 0; i < 100; i++)
                must_write(scene.audit, text);
        must_be_whole(&scene, 0);
        assert_false(scene_verify(&scene).from_start);
        assert_int_equal(access(rotated_path(scene.path, 1).text, F_OK), -1);
        scene_end(&scene);
}

/* ---- times ---- */

static void test_when(void **state) {
        static const struct {
                const char *text, *expected;
        } cases[] = {
                { "2026", "2026" },
                { "2026-11-16", "2026-11-16" },
                { "2026-11-16T04:30Z", "2026-11-16T04:30" },
                { "2026-11-16T04:30:12.123Z", "2026-11-16T04:30:12.123" },
                { "90s", "2023-11-14T22:11:50.000Z" },
                { "2h", "2023-11-14T20:13:20.000Z" },
                { "1d", "2023-11-13T22:13:20.000Z" },
                { "", NULL },
                { "yesterday", NULL },
                { "2026/11/16", NULL },
                { "2026-11-16 04:30", NULL },
                { "2026-11-16T04:30+01:00", NULL },
                { "99999999s", NULL },
                { "h", NULL },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct err err = {};
                char text[32] = "";
                int result = audit_when(cases[i].text, INT64_C(1700000000) * TIME_SECOND, text, &err);

                assert_int_equal(result, cases[i].expected ? 0 : -1);
                assert_string_equal(text, cases[i].expected ? cases[i].expected : "");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_record),     cmocka_unit_test(test_largest),
                cmocka_unit_test(test_modes),      cmocka_unit_test(test_not_a_place),
                cmocka_unit_test(test_taken_away), cmocka_unit_test(test_disabled),
                cmocka_unit_test(test_ring_lines), cmocka_unit_test(test_ring),
                cmocka_unit_test(test_rotation),   cmocka_unit_test(test_rotation_keeps_none),
                cmocka_unit_test(test_when),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
