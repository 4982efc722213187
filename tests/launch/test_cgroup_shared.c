/*
 * The cgroup of all commands of a user. Its limits are its name, so that each test asks for limits that nobody else has.
 */
#include "launch/cgroup_shared.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

static bool is_there(const char *dir) {
        return access(dir, F_OK) == 0;
}

static const char *a_dir(const struct cgroup *group) {
        return group->dir[0][0] ? group->dir[0] : group->dir[1];
}

static int64_t own_limit(int which) {
        return 100000 + 10 * (int64_t)getpid() + which;
}

static void read_limit(const struct cgroup *group, char *ret, size_t size) {
        char path[CGROUP_PATH_SIZE + 64];
        FILE *file;

        snprintf(path, sizeof(path), "%s/pids.max", group->version == CGROUP_V1 ? group->dir[CGROUP_AT_PIDS] : group->dir[0]);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(ret, (int)size, file));
        fclose(file);
}

static void assert_limit(const struct cgroup *group, int64_t limit) {
        char text[32];

        read_limit(group, text, sizeof(text));
        assert_int_equal(strtoll(text, NULL, 10), limit);
}

static void remove_group(struct cgroup_shared *shared) {
        for (size_t i = 0; i < 2; i++)
                if (shared->group.dir[i][0])
                        rmdir(shared->group.dir[i]);
        cgroup_shared_free(shared);
}

static void made_once_and_kept(void **state) {
        struct cgroup_shared first, second;
        bool made;

        (void)state;
        cgroup_shared_init(&first);
        assert_non_null(cgroup_shared_get(&first, 0, own_limit(0), &made));
        assert_true(made);
        assert_true(first.group.limits & CGROUP_PIDS);
        assert_limit(&first.group, own_limit(0));
        assert_non_null(cgroup_shared_get(&first, 0, own_limit(0), &made));
        assert_false(made);
        cgroup_shared_free(&first);

        cgroup_shared_init(&second);
        assert_non_null(cgroup_shared_get(&second, 0, own_limit(0), &made));
        assert_false(made);
        assert_true(second.group.limits & CGROUP_PIDS);
        assert_true(is_there(a_dir(&second.group)));
        remove_group(&second);
}

static void other_limits_are_another_one(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool made;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(1), &made));
        assert_true(made);
        assert_string_not_equal(a_dir(&shared.group), dir);
        assert_limit(&shared.group, own_limit(1));
        assert_null(cgroup_shared_get(&shared, 0, 0, &made));
        remove_group(&shared);
        assert_int_equal(rmdir(dir), 0);
}

static void one_that_is_gone_is_made_anew(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool made;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        assert_int_equal(rmdir(dir), 0);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        assert_true(made);
        assert_true(is_there(a_dir(&shared.group)));
        remove_group(&shared);
}

/* Whoever made it was killed before its limits were set. */
static void one_that_is_not_ready_gets_its_limits(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE], text[32];
        bool made;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        assert_int_equal(rmdir(dir), 0);
        assert_int_equal(mkdir(dir, 0700), 0);
        read_limit(&shared.group, text, sizeof(text));
        assert_string_equal(text, "max\n");
        cgroup_shared_free(&shared);
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        assert_string_equal(a_dir(&shared.group), dir);
        assert_limit(&shared.group, own_limit(0));
        remove_group(&shared);
}

/* One that belongs to somebody else could have any limits. */
static void one_of_somebody_else_is_not_used(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool made;

        (void)state;
        if (geteuid() != 0)
                skip();
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        cgroup_shared_free(&shared);
        assert_int_equal(chown(dir, 12345, 12345), 0);
        cgroup_shared_init(&shared);
        assert_null(cgroup_shared_get(&shared, 0, own_limit(0), &made));
        assert_true(is_there(dir));
        cgroup_shared_free(&shared);
        assert_int_equal(rmdir(dir), 0);
}

static void several_at_once_have_the_same(void **state) {
        enum { COUNT = 8 };
        int64_t limit = own_limit(0);
        struct cgroup_shared shared;
        pid_t pids[COUNT];
        bool made;

        (void)state;
        cgroup_shared_init(&shared);
        for (int i = 0; i < COUNT; i++) {
                pids[i] = fork();
                if (pids[i] == 0)
                        _exit(cgroup_shared_get(&shared, 0, limit, &made) && cgroup_add(&shared.group, 0, NULL) == 0 ? 0 : 1);
        }
        for (int i = 0; i < COUNT; i++) {
                int status = -1;

                assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
                assert_int_equal(status, 0);
        }
        assert_non_null(cgroup_shared_get(&shared, 0, limit, &made));
        assert_false(made);
        assert_limit(&shared.group, limit);
        remove_group(&shared);
}

/* One percent of the machine is more than a test should take: the limit is set to less. */
static void kill_for_memory(const struct cgroup_shared *shared) {
        bool v1 = shared->group.version == CGROUP_V1;
        char path[CGROUP_PATH_SIZE + 64];
        int status = 0;
        pid_t pid;
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", shared->group.dir[0], v1 ? "memory.limit_in_bytes" : "memory.max");
        file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%d", 16 << 20);
        assert_int_equal(fclose(file), 0);
        pid = fork();
        if (pid == 0) {
                char *memory = cgroup_add(&shared->group, 0, NULL) < 0
                                       ? NULL
                                       : mmap(NULL, 256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

                if (memory && memory != MAP_FAILED)
                        memset(memory, 1, 256 << 20);
                _exit(1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void its_memory_is_a_part_of_what_there_is(void **state) {
        struct cgroup_shared shared;
        bool made;

        (void)state;
        if (!(cgroup_probe() & CGROUP_MEMORY))
                skip();
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 50, own_limit(0), &made));
        assert_int_equal(shared.group.limits, CGROUP_MEMORY | CGROUP_PIDS);
        assert_int_equal(cgroup_shared_kills(&shared), 0);
        kill_for_memory(&shared);
        assert_int_equal(cgroup_shared_kills(&shared), 1);
        remove_group(&shared);
}

static int need_a_cgroup(void **state) {
        (void)state;
        if (!(cgroup_probe() & CGROUP_PIDS)) {
                printf("1..0 # skip no cgroup can be had here\n");
                exit(0);
        }
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(made_once_and_kept),
                cmocka_unit_test(other_limits_are_another_one),
                cmocka_unit_test(one_that_is_gone_is_made_anew),
                cmocka_unit_test(one_that_is_not_ready_gets_its_limits),
                cmocka_unit_test(one_of_somebody_else_is_not_used),
                cmocka_unit_test(several_at_once_have_the_same),
                cmocka_unit_test(its_memory_is_a_part_of_what_there_is),
        };

        return need_a_cgroup(NULL) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
