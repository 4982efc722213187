/*
 * One cgroup for all commands of a session.
 */
#include "launch/cgroup_shared.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

static bool is_there(const char *dir) {
        return access(dir, F_OK) == 0;
}

static const char *a_dir(const struct cgroup *group) {
        return group->dir[0][0] ? group->dir[0] : group->dir[1];
}

static void made_once(void **state) {
        const struct cgroup *first, *second;
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool sweep;

        (void)state;
        cgroup_shared_init(&shared);
        first = cgroup_shared_get(&shared, 0, 77, &sweep);
        assert_non_null(first);
        assert_true(first->limits & CGROUP_PIDS);
        snprintf(dir, sizeof(dir), "%s", a_dir(first));
        second = cgroup_shared_get(&shared, 0, 77, &sweep);
        assert_ptr_equal(first, second);
        assert_string_equal(a_dir(second), dir);
        assert_true(is_there(dir));
        cgroup_shared_free(&shared);
        assert_false(is_there(dir));
}

static void other_limits_are_another_one(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool sweep;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, 77, &sweep));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        assert_non_null(cgroup_shared_get(&shared, 0, 78, &sweep));
        assert_string_not_equal(a_dir(&shared.group), dir);
        assert_false(is_there(dir));
        assert_null(cgroup_shared_get(&shared, 0, 0, &sweep));
        cgroup_shared_free(&shared);
}

static void one_that_is_gone_is_made_anew(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        bool sweep;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, 77, &sweep));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        assert_int_equal(rmdir(dir), 0);
        assert_non_null(cgroup_shared_get(&shared, 0, 77, &sweep));
        assert_true(is_there(a_dir(&shared.group)));
        cgroup_shared_free(&shared);
}

/* A child of the program has one of its own, and does not remove that of the other. */
static void after_a_fork(void **state) {
        struct cgroup_shared shared;
        char dir[CGROUP_PATH_SIZE];
        int status = -1;
        bool sweep;
        pid_t pid;

        (void)state;
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 0, 77, &sweep));
        snprintf(dir, sizeof(dir), "%s", a_dir(&shared.group));
        pid = fork();
        if (pid == 0) {
                bool other = cgroup_shared_get(&shared, 0, 77, &sweep) && strcmp(a_dir(&shared.group), dir) != 0;

                cgroup_shared_free(&shared);
                _exit(other && is_there(dir) ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        cgroup_shared_free(&shared);
        assert_false(is_there(dir));
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
        bool sweep;

        (void)state;
        if (!(cgroup_probe() & CGROUP_MEMORY))
                skip();
        cgroup_shared_init(&shared);
        assert_non_null(cgroup_shared_get(&shared, 50, 77, &sweep));
        assert_int_equal(shared.group.limits, CGROUP_MEMORY | CGROUP_PIDS);
        assert_false(cgroup_shared_killed(&shared));
        kill_for_memory(&shared);
        assert_true(cgroup_shared_killed(&shared));
        assert_false(cgroup_shared_killed(&shared)); /* that was told */
        cgroup_shared_free(&shared);
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
                cmocka_unit_test(made_once),
                cmocka_unit_test(other_limits_are_another_one),
                cmocka_unit_test(one_that_is_gone_is_made_anew),
                cmocka_unit_test(after_a_fork),
                cmocka_unit_test(its_memory_is_a_part_of_what_there_is),
        };

        return need_a_cgroup(NULL) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
