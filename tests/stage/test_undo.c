/*
 * Applying that was interrupted, or raced by somebody else: whatever is found of it, no file of the user is lost.
 */
#include "tests/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "stage/undo.h"

#define ID "0123abcd"

static char place[64];

static int begin(void **state) {
        (void)state;
        snprintf(place, sizeof(place), "/tmp/bailey-undo.XXXXXX");
        return mkdtemp(place) && chdir(place) == 0 && mkdir("work", 0700) == 0 && mkdir("stage", 0700) == 0 &&
                               mkdir("stage/upper", 0700) == 0 && mkdir("undo", 0700) == 0
                       ? 0
                       : -1;
}

static int end(void **state) {
        char text[128];

        (void)state;
        snprintf(text, sizeof(text), "rm -rf '%s'", place);
        return chdir("/") == 0 ? system(text) : -1; /* NOLINT(cert-env33-c): a test */
}

static void write_file(const char *name, const char *text) {
        FILE *file = fopen(name, "we");

        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
}

/* NULL: there is none. */
static void has_text(const char *name, const char *text) {
        char found[64] = "";
        FILE *file = fopen(name, "re");

        if (!text) {
                assert_null(file);
                return;
        }
        assert_non_null(file);
        assert_non_null(fgets(found, sizeof(found), file));
        assert_int_equal(fclose(file), 0);
        assert_string_equal(found, text);
}

static ino_t inode(const char *name) {
        struct stat st;

        assert_int_equal(lstat(name, &st), 0);
        return st.st_ino;
}

static void write_journal(const char *name, const struct stage_step *steps, size_t count) {
        char workspace[128], stage[128];
        const struct stage_journal journal = {
                .workspace = workspace, .stage = stage, .name = "s", .steps = (struct stage_step *)steps, .count = count
        };
        FILE *file = fopen(name, "we");
        BUF_AUTO text;

        assert_non_null(file);
        snprintf(workspace, sizeof(workspace), "%s/work", place);
        snprintf(stage, sizeof(stage), "%s/stage", place);
        buf_init(&text, 1 << 16);
        stage_journal_write(&journal, &text);
        assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
        assert_int_equal(fclose(file), 0);
}

static void make_undo(void) {
        assert_int_equal(mkdir("undo/" ID, 0700), 0);
        assert_int_equal(mkdir("undo/" ID "/old", 0700), 0);
}

static int recover(struct err *err) {
        FD_AUTO undo = open("undo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        *err = (struct err){};
        assert_true(undo >= 0);
        return stage_recover(undo, err);
}

static void test_completes(void **state) {
        struct err err;

        (void)state;
        make_undo();
        write_file("work/a", "old");
        write_file("stage/upper/a", "new");
        write_file("work/b", "gone");
        const struct stage_step steps[] = {
                { .kind = STEP_EXCHANGE, .path = "a", .after = inode("stage/upper/a"), .before = inode("work/a") },
                { .kind = STEP_DELETE, .path = "b", .before = inode("work/b") },
        };
        write_journal("undo/" ID "/journal", steps, 2);
        assert_int_equal(rename("work/b", "undo/" ID "/old/1"), 0); /* as far as it came */
        assert_int_equal(recover(&err), 0);
        has_text("work/a", "new");
        has_text("work/b", NULL);
        has_text("undo/" ID "/old/0", "old");
        has_text("undo/" ID "/old/1", "gone");
}

/* A step in the middle cannot be done: those before it are taken back, and nothing of it is kept. */
static void test_rolls_back(void **state) {
        struct err err;

        (void)state;
        make_undo();
        write_file("work/a", "old");
        write_file("stage/upper/a", "new");
        write_file("stage/upper/b", "added");
        write_file("work/c", "other");
        const struct stage_step steps[] = {
                { .kind = STEP_EXCHANGE, .path = "a", .after = inode("stage/upper/a"), .before = inode("work/a") },
                { .kind = STEP_MOVE, .path = "b", .after = inode("stage/upper/b") },
                { .kind = STEP_DELETE, .path = "c", .before = inode("work/c") + 1000000 },
        };
        write_journal("undo/" ID "/journal", steps, 3);
        assert_int_equal(recover(&err), -1);
        assert_int_equal(err.code, ERR_CHANGED);
        has_text("work/a", "old");
        has_text("work/b", NULL);
        has_text("work/c", "other");
        has_text("stage/upper/a", "new");
        has_text("stage/upper/b", "added");
        assert_int_equal(access("undo/" ID, F_OK), -1);
        assert_int_equal(recover(&err), 0);
}

/* Between the look and the exchange the user has saved another file: it was exchanged. */
static void test_raced_exchange(void **state) {
        struct err err;

        (void)state;
        make_undo();
        write_file("work/a", "new");
        write_file("stage/upper/a", "saved by the user");
        write_file("before", "old");
        const struct stage_step step = {
                .kind = STEP_EXCHANGE, .path = "a", .after = inode("work/a"), .before = inode("before")
        };
        write_journal("undo/" ID "/journal", &step, 1);
        assert_int_equal(recover(&err), -1);
        assert_int_equal(err.code, ERR_CHANGED);
        has_text("work/a", "saved by the user");
        has_text("stage/upper/a", "new");
}

static void test_raced_delete(void **state) {
        struct err err;

        (void)state;
        make_undo();
        write_file("undo/" ID "/old/0", "saved by the user");
        write_file("before", "old");
        const struct stage_step step = { .kind = STEP_DELETE, .path = "a", .before = inode("before") };

        write_journal("undo/" ID "/journal", &step, 1);
        assert_int_equal(recover(&err), -1);
        assert_int_equal(err.code, ERR_CHANGED);
        has_text("work/a", "saved by the user");
}

/* What cannot be put back, as something new has its place, is kept, and the message says where. */
static void test_keeps(void **state) {
        struct err err;

        (void)state;
        make_undo();
        write_file("undo/" ID "/old/0", "old");
        write_file("work/a", "new of the user");
        write_file("work/b", "other");
        const struct stage_step steps[] = {
                { .kind = STEP_DELETE, .path = "a", .before = inode("undo/" ID "/old/0") },
                { .kind = STEP_DELETE, .path = "b", .before = inode("work/b") + 1000000 },
        };
        write_journal("undo/" ID "/journal", steps, 2);
        assert_int_equal(recover(&err), -1);
        assert_non_null(strstr(err.msg, ID "/old"));
        has_text("work/a", "new of the user");
        has_text("undo/" ID "/old/0", "old");
        assert_int_equal(access("undo/" ID "/taken-back", F_OK), 0);
        assert_int_equal(recover(&err), 0); /* and nothing removes it later */
        has_text("undo/" ID "/old/0", "old");
}

static void test_not_begun(void **state) {
        struct err err;

        (void)state;
        assert_int_equal(mkdir("undo/" ID, 0700), 0);
        assert_int_equal(recover(&err), 0);
        assert_int_equal(access("undo/" ID, F_OK), -1);
        make_undo();
        write_file("undo/" ID "/old/7", "kept");
        assert_int_equal(recover(&err), 0);
        has_text("undo/" ID "/old/7", "kept");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
        const struct CMUnitTest tests[] = { TEST(test_completes),    TEST(test_rolls_back), TEST(test_raced_exchange),
                                            TEST(test_raced_delete), TEST(test_keeps),      TEST(test_not_begun) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
