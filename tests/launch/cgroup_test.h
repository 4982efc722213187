/*
 * For the suites with real cgroups: where none can be had their tests are skipped. What a test has made is removed also when
 * it fails. Included once by each.
 */
#ifndef BAILEY_TESTS_CGROUP_TEST_H
#define BAILEY_TESTS_CGROUP_TEST_H

#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/cgroup.h"
#include "launch/cgroup_parts.h"

#define CLEAN(test) cmocka_unit_test_teardown(test, clean_up)

#define MIB (INT64_C(1) << 20)

/* What the current test has made, for when it fails half-way. */
static struct cgroup made[4];
static size_t made_count;

/* Makes one, or skips the test and says why. */
static inline struct cgroup make(int64_t memory_bytes, int64_t pids) {
        struct cgroup cg = { .dir_fd = -1 };
        struct err err = { 0 };

        if (cgroup_new(&(struct cgroup_limits){ memory_bytes, pids }, &cg, &err) < 0) {
                print_message("# no such cgroup can be had here: %s\n", err.msg);
                skip();
        }
        if (made_count < sizeof(made) / sizeof(*made))
                made[made_count++] = cg;
        return cg;
}

/* Orphans are ours (we are their subreaper). */
static inline void reap_all(void) {
        while (wait(NULL) > 0 || errno == EINTR)
                ;
}

static inline int clean_up(void **state) {
        (void)state;
        for (; made_count > 0; made_count--) {
                struct cgroup *cg = &made[made_count - 1];

                cg->dir_fd = -1; /* the test's */
                if (access(cg->dir[0][0] ? cg->dir[0] : cg->dir[1], F_OK) < 0)
                        continue;
                cgroup_kill(cg);
                cgroup_remove(cg);
        }
        return 0;
}

static inline const char *dir_with(const struct cgroup *cg, int controller) {
        return cg->version == CGROUP_V1 ? cg->dir[controller] : cg->dir[0];
}

static inline void assert_file(const char *dir, const char *file, const char *expected) {
        char text[512];

        assert_int_equal(cgroup_file_read(dir, file, text, sizeof(text)), 0);
        assert_string_equal(text, expected);
}

/* Also of those that have two directories. */
static inline void assert_removed(struct cgroup *cg) {
        struct cgroup copy = *cg;

        cgroup_remove(cg);
        assert_int_equal(cg->version, CGROUP_NONE);
        assert_int_equal(cg->dir_fd, -1);
        for (int i = 0; i < 2; i++)
                if (copy.dir[i][0])
                        assert_int_equal(access(copy.dir[i], F_OK), -1);
        cgroup_remove(cg); /* again is nothing */
}

static inline void enter(const struct cgroup *cg) {
        if (cgroup_add(cg, 0, NULL) < 0)
                _exit(99);
}

static inline pid_t start_sleeper(const struct cgroup *cg) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
                enter(cg);
                for (;;)
                        pause();
        }
        return pid;
}

static inline void wait_for_members(const struct cgroup *cg, size_t at_least) {
        for (int i = 0; i < 60000; i++) {
                if (cgroup_procs_kill(cg->dir[0][0] ? cg->dir[0] : cg->dir[1], true) >= at_least)
                        return;
                usleep(1000);
        }
        fail_msg("there never were %zu processes in it", at_least);
}

static inline int status_of(pid_t pid) {
        int status = 0;

        assert_int_equal(waitpid(pid, &status, 0), pid);
        return status;
}

/* All of it was killed. On a busy machine that takes longer than cgroup_kill() waits. */
static inline void assert_emptied(const char *dir) {
        char text[512] = "";

        for (int i = 0; i < 60000; i++) {
                assert_int_equal(cgroup_file_read(dir, "cgroup.procs", text, sizeof(text)), 0);
                if (!text[0])
                        return;
                usleep(1000);
        }
        fail_msg("still in it: %s", text);
}

/* How many directories of ours are beside `cg`. In suites with a pid namespace of their own somebody may have our number. */
static inline size_t count_siblings(const char *cgroup_dir, pid_t maker) {
        char parent[CGROUP_PATH_SIZE], prefix[64];
        struct dirent *entry;
        size_t count = 0;
        struct stat st;
        DIR *dir;

        assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
        snprintf(parent, sizeof(parent), "%s", cgroup_dir);
        *strrchr(parent, '/') = '\0';
        snprintf(prefix, sizeof(prefix), "bailey-%d-%lu-", (int)maker, (unsigned long)st.st_ino);
        dir = opendir(parent);
        assert_non_null(dir);
        while ((entry = readdir(dir)))
                count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
        closedir(dir);
        return count;
}

#endif
