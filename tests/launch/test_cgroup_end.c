/*
 * How a cgroup ends: killed, removed, swept.
 */
#include "tests/launch/cgroup_test.h"

/* Members of other sessions too, and those that were moved in from outside. */
static void kill_empties(void **state) {
        struct cgroup cg = make(0, 100);
        pid_t parent, moved;

        (void)state;
        start_sleeper(&cg);
        wait_for_members(&cg, 1);
        parent = fork();
        if (parent == 0) {
                enter(&cg);
                setsid();
                if (fork() > 0)
                        _exit(0);
                for (;;)
                        pause();
        }
        assert_int_equal(status_of(parent), 0);
        moved = fork();
        if (moved == 0)
                for (;;)
                        pause();
        assert_int_equal(cgroup_add(&cg, moved, NULL), 0);
        wait_for_members(&cg, 3);
        cgroup_kill(&cg);
        assert_emptied(dir_with(&cg, CGROUP_AT_PIDS));
        reap_all();
        cgroup_kill(&cg); /* nobody */
        assert_removed(&cg);
}

/* A fork bomb as fast as the limit allows. */
static void kill_ends_a_fork_bomb(void **state) {
        struct cgroup cg = make(0, 40);

        (void)state;
        if (fork() == 0) {
                enter(&cg);
                for (;;)
                        (void)!fork();
        }
        wait_for_members(&cg, 20);
        cgroup_kill(&cg);
        assert_emptied(dir_with(&cg, CGROUP_AT_PIDS));
        reap_all();
        assert_removed(&cg);
}

/* Is it removed while the last process in it ends? */
static bool removed_with_the_last(void) {
        struct cgroup cg = make(0, 10), copy = cg;
        char byte = 0;
        bool removed;
        int fds[2];

        assert_int_equal(fd_pipe(fds, NULL), 0);
        if (fork() == 0) {
                enter(&cg);
                (void)!write(fds[1], &byte, 1);
                usleep(50000);
                _exit(0);
        }
        assert_int_equal(read(fds[0], &byte, 1), 1);
        cgroup_remove(&cg);
        removed = access(dir_with(&copy, CGROUP_AT_PIDS), F_OK) < 0;
        reap_all();
        copy.dir_fd = -1; /* closed with the other */
        assert_removed(&copy);
        made_count = 0;
        fd_close(fds[0]);
        fd_close(fds[1]);
        return removed;
}

/* On a busy machine that process may take its time. */
static void remove_waits_a_little(void **state) {
        int tries = 0;

        (void)state;
        while (!removed_with_the_last())
                assert_true(++tries < 20);
}

static void remove_does_not_wait_for_ever(void **state) {
        struct cgroup cg = make(0, 10), copy = cg;
        int64_t start;

        (void)state;
        start_sleeper(&cg);
        wait_for_members(&cg, 1);
        start = time_monotonic();
        cgroup_remove(&cg);
        assert_true(time_monotonic() - start < 60 * TIME_SECOND);
        copy.dir_fd = -1; /* closed with the other */
        assert_int_equal(access(dir_with(&copy, CGROUP_AT_PIDS), F_OK), 0);
        cgroup_kill(&copy);
        reap_all();
        assert_removed(&copy);
}

/* Made by a bailey that died, with `members` processes that live on in it. */
static struct cgroup abandoned(size_t members) {
        struct cgroup cg = { .dir_fd = -1 };
        int fds[2];
        pid_t pid;

        assert_int_equal(fd_pipe(fds, NULL), 0);
        pid = fork();
        if (pid == 0) {
                if (cgroup_new(&(struct cgroup_limits){ .pids = 10 }, &cg, NULL) < 0)
                        _exit(1);
                for (size_t i = 0; i < members; i++)
                        start_sleeper(&cg);
                wait_for_members(&cg, members);
                (void)!write(fds[1], &cg, sizeof(cg));
                _exit(0);
        }
        assert_int_equal(status_of(pid), 0);
        assert_int_equal(read(fds[0], &cg, sizeof(cg)), sizeof(cg));
        fd_close(fds[0]);
        fd_close(fds[1]);
        cg.dir_fd = -1;
        made[made_count++] = cg;
        return cg;
}

static void sweep_removes_what_is_abandoned(void **state) {
        struct cgroup mine = make(0, 10), empty = abandoned(0), busy = abandoned(1);

        (void)state;
        assert_int_equal(access(dir_with(&empty, CGROUP_AT_PIDS), F_OK), 0);
        cgroup_sweep();
        assert_int_equal(access(dir_with(&empty, CGROUP_AT_PIDS), F_OK), -1);
        assert_int_equal(access(dir_with(&busy, CGROUP_AT_PIDS), F_OK), 0);
        assert_int_equal(access(dir_with(&mine, CGROUP_AT_PIDS), F_OK), 0);
        cgroup_kill(&busy);
        reap_all();
        cgroup_sweep();
        assert_int_equal(access(dir_with(&busy, CGROUP_AT_PIDS), F_OK), -1);
        assert_removed(&mine);
}

/* Names that are not ours, or of another pid namespace. With our pid, for suites that run at the same time. */
static void sweep_leaves_others_alone(void **state) {
        static const char *const names[] = { "bailey-x%d-1-2", "bailey-4000000-1-%d", "bailey-4000000%d", "bailey%d",
                                             "bailey-%d" };
        enum { COUNT = sizeof(names) / sizeof(*names) };
        struct cgroup mine = make(0, 10);
        const char *own = dir_with(&mine, CGROUP_AT_PIDS);
        char path[CGROUP_PATH_SIZE + 64];
        int left = 0;

        (void)state;
        for (int round = 0; round < 2; round++) { /* makes them, removes them */
                for (size_t i = 0; i < COUNT; i++) {
                        snprintf(path, sizeof(path), "%.*s/%s%d", (int)(strrchr(own, '/') - own), own, names[i], (int)getpid());
                        left += round == 0 ? mkdir(path, 0755) : rmdir(path) == 0;
                }
                cgroup_sweep();
        }
        assert_int_equal(left, COUNT);
        assert_removed(&mine);
}

/* Without limits, in a v2 hierarchy, with or without controllers. */
static void clone_into(void **state) {
        struct cgroup cg = make(0, 0);
        struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)cg.dir_fd };
        pid_t pid;

        (void)state;
        assert_int_equal(cg.version, CGROUP_V2);
        assert_int_equal(cg.limits, 0);
        pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
        if (pid == 0)
                for (;;)
                        pause();
        assert_true(pid > 0);
        start_sleeper(&cg);
        wait_for_members(&cg, 2);
        assert_false(cgroup_memory_kills(&cg));
        cgroup_kill(&cg);
        assert_emptied(cg.dir[0]);
        assert_int_equal(WTERMSIG(status_of(pid)), SIGKILL);
        reap_all();
        assert_removed(&cg);
}

/* Found again by its name, once it is ready; again without limits, so that any v2 hierarchy does. */
static void kept_in_v2(void **state) {
        const struct cgroup_limits none = { 0, 0 };
        struct cgroup_places places;
        struct cgroup cg, again;
        char name[CGROUP_NAME_SIZE];
        struct err err = { 0 };

        (void)state;
        snprintf(name, sizeof(name), "bailey-user-test-%d", (int)getpid());
        assert_int_equal(cgroup_places_find(&places, NULL), 0);
        assert_int_equal(cgroup_open(&places, &none, name, &again), -1);
        if (cgroup_make(&places, &none, name, &cg, &err) < 0) {
                print_message("# no such cgroup can be had here: %s\n", err.msg);
                skip();
        }
        assert_int_equal(cg.version, CGROUP_V2);
        assert_int_equal(cgroup_open(&places, &none, name, &again), 0);
        assert_string_equal(again.dir[0], cg.dir[0]);
        fd_close(again.dir_fd);
        assert_int_equal(chmod(cg.dir[0], 0700), 0);
        assert_int_equal(cgroup_open(&places, &none, name, &again), -1);
        assert_int_equal(cgroup_make(&places, &none, name, &again, NULL), 0);
        fd_close(again.dir_fd);
        assert_int_equal(cgroup_open(&places, &none, name, &again), 0);
        fd_close(again.dir_fd);
        assert_removed(&cg);
        assert_int_equal(cgroup_open(&places, &none, name, &again), -1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                CLEAN(kill_empties),
                CLEAN(kill_ends_a_fork_bomb),
                CLEAN(remove_waits_a_little),
                CLEAN(remove_does_not_wait_for_ever),
                CLEAN(sweep_removes_what_is_abandoned),
                CLEAN(sweep_leaves_others_alone),
                CLEAN(clone_into),
                CLEAN(kept_in_v2),
        };

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
