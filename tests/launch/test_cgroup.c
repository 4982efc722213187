/*
 * Limits: that they are set, and hold.
 */
#include "tests/launch/cgroup_test.h"

static void limits_are_set(void **state) {
        struct cgroup cg = make(64 * MIB, 17);

        (void)state;
        assert_int_equal(cg.limits, CGROUP_MEMORY | CGROUP_PIDS);
        assert_file(dir_with(&cg, CGROUP_AT_PIDS), "pids.max", "17\n");
        if (cg.version == CGROUP_V1) {
                assert_int_equal(cg.dir_fd, -1);
                assert_file(cg.dir[CGROUP_AT_MEMORY], "memory.limit_in_bytes", "67108864\n");
                if (cgroup_file_writable(cg.dir[CGROUP_AT_MEMORY], "memory.memsw.limit_in_bytes") == 0)
                        assert_file(cg.dir[CGROUP_AT_MEMORY], "memory.memsw.limit_in_bytes", "67108864\n");
        } else {
                assert_true(cg.dir_fd >= 0);
                assert_int_equal(fcntl(cg.dir_fd, F_GETFD), FD_CLOEXEC);
                assert_file(cg.dir[0], "memory.max", "67108864\n");
                if (cgroup_file_writable(cg.dir[0], "memory.swap.max") == 0)
                        assert_file(cg.dir[0], "memory.swap.max", "0\n");
        }
        assert_false(cgroup_memory_kills(&cg));
        assert_int_equal(count_siblings(dir_with(&cg, CGROUP_AT_PIDS), getpid()), 1);
        assert_removed(&cg);
}

static void one_limit_only(void **state) {
        struct cgroup memory = make(64 * MIB, 0), pids = make(0, 9);

        (void)state;
        assert_int_equal(memory.limits, CGROUP_MEMORY);
        assert_int_equal(pids.limits, CGROUP_PIDS);
        if (memory.version == CGROUP_V1) {
                assert_string_equal(memory.dir[CGROUP_AT_PIDS], "");
                assert_string_equal(pids.dir[CGROUP_AT_MEMORY], "");
        }
        assert_false(cgroup_memory_kills(&pids));
        assert_removed(&memory);
        assert_removed(&pids);
}

static void bad_values(void **state) {
        static const struct {
                struct cgroup_limits limits;
                enum err_code code;
                const char *says[2];
        } cases[] = {
                { { 100, 0 }, ERR_INVALID, { "100", "page" } },
                { { -1, 0 }, ERR_INVALID, { "-1", "memory" } },
                { { 0, -5 }, ERR_INVALID, { "-5", "pids" } },
                { { 64 * MIB, INT64_C(1) << 40 }, ERR_SYSTEM, { "1099511627776", "pids.max" } },
        };
        struct cgroup cg = make(64 * MIB, 10), untouched, failed;
        struct err err;

        (void)state;
        memset(&untouched, 0x55, sizeof(untouched));
        failed = untouched;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                assert_int_equal(cgroup_new(&cases[i].limits, &failed, &err), -1);
                assert_int_equal(err.code, cases[i].code);
                assert_non_null(strstr(err.msg, cases[i].says[0]));
                assert_non_null(strstr(err.msg, cases[i].says[1]));
                assert_memory_equal(&failed, &untouched, sizeof(failed));
        }
        assert_int_equal(err.sys, EINVAL);
        assert_int_equal(count_siblings(dir_with(&cg, CGROUP_AT_MEMORY), getpid()), 1);
        assert_int_equal(count_siblings(dir_with(&cg, CGROUP_AT_PIDS), getpid()), 1);

        assert_int_equal(cgroup_add(&cg, 0x7ffffff0, &err), -1);
        assert_int_equal(err.sys, ESRCH);
        assert_non_null(strstr(err.msg, "cgroup.procs"));
        assert_non_null(strstr(err.msg, "2147483632"));
        assert_removed(&cg);
}

static void memory_hog_is_killed(void **state) {
        struct cgroup cg = make(32 * MIB, 0);
        int status;
        pid_t pid;

        (void)state;
        pid = fork();
        if (pid == 0) {
                char *memory = mmap(NULL, 256 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

                enter(&cg);
                for (size_t i = 0; memory != MAP_FAILED && i < 256 * MIB; i += 4096)
                        memory[i] = 1;
                _exit(0);
        }
        status = status_of(pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGKILL);
        assert_true(cgroup_memory_kills(&cg));
        assert_removed(&cg);
}

/* A process killed by somebody else did not run out of memory. */
static void other_kills_are_not_memory(void **state) {
        struct cgroup cg = make(64 * MIB, 0);
        pid_t pid = start_sleeper(&cg);

        (void)state;
        wait_for_members(&cg, 1);
        kill(pid, SIGKILL);
        assert_true(WIFSIGNALED(status_of(pid)));
        assert_false(cgroup_memory_kills(&cg));
        assert_removed(&cg);
}

static void fork_loop_stops(void **state) {
        struct cgroup cg = make(0, 8);
        struct {
                int forks, why;
        } told = { -1, 0 };
        int fds[2];
        pid_t pid;

        (void)state;
        assert_int_equal(fd_pipe(fds, NULL), 0);
        pid = fork();
        if (pid == 0) {
                pid_t child = 1;

                enter(&cg);
                for (told.forks = 0; told.forks < 100 && (child = fork()) > 0; told.forks++)
                        ;
                if (child != 0) {
                        told.why = errno;
                        (void)!write(fds[1], &told, sizeof(told));
                }
                for (;;)
                        pause();
        }
        assert_int_equal(read(fds[0], &told, sizeof(told)), sizeof(told));
        assert_int_equal(told.forks, 7);
        assert_int_equal(told.why, EAGAIN);
        cgroup_kill(&cg);
        reap_all();
        fd_close(fds[0]);
        fd_close(fds[1]);
        assert_removed(&cg);
}

static void probe_says_what_new_can(void **state) {
        uint32_t can = cgroup_probe();

        (void)state;
        for (uint32_t bits = 1; bits <= (CGROUP_MEMORY | CGROUP_PIDS); bits++) {
                struct cgroup_limits limits = { bits & CGROUP_MEMORY ? MIB : 0, bits & CGROUP_PIDS ? 5 : 0 };
                struct cgroup cg;
                int r;

                if (bits & ~can)
                        continue;
                r = cgroup_new(&limits, &cg, NULL);
                assert_int_equal(r, 0);
                assert_removed(&cg);
        }
}

static void nobody_has_none_quickly(void **state) {
        int status;
        pid_t pid;

        (void)state;
        if (geteuid() != 0) {
                print_message("# only root can become nobody\n");
                skip();
        }
        pid = fork();
        if (pid == 0) {
                int64_t best = TIME_SECOND;
                uint32_t can = 0;

                if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
                        _exit(9);
                for (int i = 0; i < 50; i++) {
                        int64_t start = time_monotonic(), took;

                        can |= cgroup_probe();
                        took = time_monotonic() - start;
                        best = took < best ? took : best;
                }
                _exit(can ? 1 : best > TIME_SECOND / 100 ? 2 : 0); /* 60 us without sanitizers on an idle machine */
        }
        status = status_of(pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
}

static void texts(void **state) {
        (void)state;
        assert_true(cgroup_text_has_word("cpu memory pids\n", "memory"));
        assert_true(cgroup_text_has_word("cpu memory pids\n", "pids"));
        assert_true(cgroup_text_has_word("memory", "memory"));
        assert_false(cgroup_text_has_word("cpu memory2 xmemory memor\n", "memory"));
        assert_false(cgroup_text_has_word("", "memory"));
        assert_int_equal(cgroup_text_number("oom_kill_disable 7\nunder_oom 1\noom_kill 3\n", "oom_kill"), 3);
        assert_int_equal(cgroup_text_number("low 0\noom 9\noom_kill 4\noom_group_kill 5\n", "oom_kill"), 4);
        assert_int_equal(cgroup_text_number("oom_kill_disable 7\n", "oom_kill"), 0);
        assert_int_equal(cgroup_text_number("", "oom_kill"), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                CLEAN(limits_are_set),
                CLEAN(one_limit_only),
                CLEAN(bad_values),
                CLEAN(memory_hog_is_killed),
                CLEAN(other_kills_are_not_memory),
                CLEAN(fork_loop_stops),
                CLEAN(probe_says_what_new_can),
                CLEAN(nobody_has_none_quickly),
                CLEAN(texts),
        };

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
