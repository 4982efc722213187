/* The notes of pid 1, as a supervisor reads them: whatever is in the file, only what is in order counts. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/evidence.h"
#include "tests/test.h"

enum { BYTES = 8 << 20 };

struct file {
        uint32_t used, lost;
        char bytes[BYTES];
};

static struct file file;

static void begin(void) {
        memset(&file, 0, sizeof(file));
}

/* A note, with these lengths and kinds. */
static void put_raw(unsigned length, unsigned want, unsigned why, const char program[static EVIDENCE_PROGRAM_SIZE],
                    const char *path, size_t size) {
        char *at = file.bytes + file.used;
        uint16_t head = (uint16_t)length;

        memcpy(at, &head, sizeof(head));
        at[2] = (char)want;
        at[3] = (char)why;
        memcpy(at + 4, program, EVIDENCE_PROGRAM_SIZE);
        memcpy(at + 4 + EVIDENCE_PROGRAM_SIZE, path, size);
        file.used += (uint32_t)(4 + EVIDENCE_PROGRAM_SIZE + size);
}

static void put(unsigned want, unsigned why, const char *path) {
        put_raw((unsigned)strlen(path) + 1, want, why, (char[EVIDENCE_PROGRAM_SIZE]){ "cat" }, path, strlen(path) + 1);
}

/* How many notes are read of the file. */
static size_t count_of(size_t size, struct arena *arena, struct evidence_notes *ret) {
        FD_AUTO fd = memfd_create("notes", MFD_CLOEXEC);
        struct err err = {};

        *ret = (struct evidence_notes){};
        assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        if (evidence_read(fd, arena, ret, &err) < 0) {
                assert_non_null(strstr(err.msg, "cannot be read"));
                return SIZE_MAX;
        }
        return ret->count;
}

static void what_is_in_order(void **state) {
        struct evidence_notes notes;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        begin();
        put(EVIDENCE_READ, EVIDENCE_MISSING, "/home/me/data");
        put(EVIDENCE_PORT, EVIDENCE_MISSING, "/5432");
        file.lost = 1;
        assert_int_equal(count_of(sizeof(file), &arena, &notes), 2);
        assert_true(notes.lost);
        assert_string_equal(notes.items[0].path, "/home/me/data");
        assert_string_equal(notes.items[0].program, "cat");
        assert_int_equal(notes.items[0].want, EVIDENCE_READ);
        assert_int_equal(notes.items[1].want, EVIDENCE_PORT);
}

/* It does not end the notes, as its length is in order. */
static void paths_that_are_none(void **state) {
        static const char *const paths[] = { "/a/../b", "/a/./b", "/..", "/.", "/a/", "//a", "/" };
        static const char *const ports[] = { "/", "/0", "/05", "/x", "/99999999", "/80 " };
        struct evidence_notes notes;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths) + sizeof(ports) / sizeof(*ports); i++) {
                bool port = i >= sizeof(paths) / sizeof(*paths);

                begin();
                put(port ? EVIDENCE_PORT : EVIDENCE_READ, EVIDENCE_MISSING,
                    port ? ports[i - sizeof(paths) / sizeof(*paths)] : paths[i]);
                put(EVIDENCE_READ, EVIDENCE_MISSING, "/good");
                assert_int_equal(count_of(sizeof(file), &arena, &notes), 1);
                assert_string_equal(notes.items[0].path, "/good");
        }
}

static void what_ends_the_notes(void **state) {
        static const char name[EVIDENCE_PROGRAM_SIZE] = "cat";
        char endless[EVIDENCE_PROGRAM_SIZE];
        const struct {
                unsigned length, want, why;
                const char *program, *path;
        } rows[] = {
                { 3, EVIDENCE_WANTS, EVIDENCE_MISSING, name, "/a" },
                { 3, 0, EVIDENCE_MISSING, name, "/a" },
                { 3, EVIDENCE_READ, EVIDENCE_WHYS, name, "/a" },
                { 3, EVIDENCE_READ, 0, name, "/a" },
                { 0, EVIDENCE_READ, EVIDENCE_MISSING, name, "/a" },
                { 1, EVIDENCE_READ, EVIDENCE_MISSING, name, "" },
                { PATH_MAX + 1, EVIDENCE_READ, EVIDENCE_MISSING, name, "/a" },
                { 2, EVIDENCE_READ, EVIDENCE_MISSING, name, "/a" }, /* no NUL */
                { 4, EVIDENCE_READ, EVIDENCE_MISSING, name, "/a" }, /* one too many */
                { 2, EVIDENCE_READ, EVIDENCE_MISSING, name, "a" },
                { 3, EVIDENCE_READ, EVIDENCE_MISSING, endless, "/a" },
        };
        struct evidence_notes notes;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        memset(endless, 'x', sizeof(endless));
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                begin();
                put(EVIDENCE_READ, EVIDENCE_MISSING, "/good");
                put_raw(rows[i].length, rows[i].want, rows[i].why, rows[i].program, rows[i].path, strlen(rows[i].path) + 1);
                put(EVIDENCE_READ, EVIDENCE_MISSING, "/late");
                assert_int_equal(count_of(sizeof(file), &arena, &notes), 1);
        }
}

static void files_of_other_sizes(void **state) {
        struct evidence_notes notes;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        begin();
        put(EVIDENCE_READ, EVIDENCE_MISSING, "/good");
        assert_int_equal(count_of(0, &arena, &notes), SIZE_MAX);
        assert_int_equal(count_of(sizeof(file) - 1, &arena, &notes), SIZE_MAX);
        assert_int_equal(count_of(sizeof(file) + 1, &arena, &notes), SIZE_MAX);
        file.used = UINT32_MAX; /* more than there is room for */
        assert_int_equal(count_of(sizeof(file), &arena, &notes), 1);
        file.used = 3;
        assert_int_equal(count_of(sizeof(file), &arena, &notes), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_in_order),
                cmocka_unit_test(paths_that_are_none),
                cmocka_unit_test(what_ends_the_notes),
                cmocka_unit_test(files_of_other_sizes),
        };

        return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
