/*
 * Many processes at once, some of them killed.
 */
#include "tests/audit/audit_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/time.h"

static pid_t writer(const struct scene *scene, int count, size_t length) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
                struct audit *audit = scene_audit(scene);
                char *text = malloc(length + 1);
                struct err err = {};

                memset(text, 'x', length);
                text[length] = 0;
                for (int i = 0; count == 0 || i < count; i++)
                        if (try_write(audit, text, &err) < 0)
                                _exit(1);
                _exit(0);
        }
        return pid;
}

static void wait_for(pid_t pid) {
        int status;

        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
}

static void many(int count, int64_t rotate_bytes, int each) {
        struct scene scene;
        pid_t pids[8];

        scene_begin(&scene);
        scene.policy.rotate_bytes = rotate_bytes;
        scene.policy.rotate_keep = 100;
        for (int i = 0; i < count; i++)
                pids[i] = writer(&scene, each, 200 + (size_t)i * 300);
        for (int i = 0; i < count; i++)
                wait_for(pids[i]);
        must_be_whole(&scene, (uint64_t)count * (uint64_t)each);
        assert_true(scene_verify(&scene).from_start);
        assert_int_equal(scene_verify(&scene).repairs, 0);
        scene_end(&scene);
}

static void test_two(void **state) {
        (void)state;
        many(2, 64 << 20, 500);
}

static void test_eight(void **state) {
        (void)state;
        many(8, 64 << 20, 200);
}

static void test_eight_rotate(void **state) {
        (void)state;
        many(8, 64 << 10, 200);
}

/* A fork shares the file of its parent, and with it the lock, unless it opens its own. */
static void test_fork(void **state) {
        struct scene scene;
        pid_t pids[4];

        (void)state;
        scene_begin(&scene);
        must_write(scene.audit, "first");
        for (int i = 0; i < 4; i++) {
                pids[i] = fork();
                assert_true(pids[i] >= 0);
                if (pids[i] == 0) {
                        struct err err = {};

                        for (int j = 0; j < 200; j++)
                                if (try_write(scene.audit, "child", &err) < 0)
                                        _exit(1);
                        _exit(0);
                }
        }
        for (int j = 0; j < 200; j++)
                must_write(scene.audit, "parent");
        for (int i = 0; i < 4; i++)
                wait_for(pids[i]);
        must_be_whole(&scene, 1001);
        scene_end(&scene);
}

static void *thread(void *context) {
        struct err err = {};

        for (int i = 0; i < 200; i++)
                if (try_write(context, "thread", &err) < 0)
                        return context;
        return NULL;
}

static void test_threads(void **state) {
        pthread_t threads[4];
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        for (int i = 0; i < 4; i++)
                assert_int_equal(pthread_create(&threads[i], NULL, thread, scene.audit), 0);
        for (int i = 0; i < 4; i++) {
                void *failed;

                pthread_join(threads[i], &failed);
                assert_null(failed);
        }
        must_be_whole(&scene, 800);
        scene_end(&scene);
}

/* Long records are torn most easily: the kernel looks for a kill between pages. */
static void test_killed(void **state) {
        struct scene scene;
        pid_t other;

        (void)state;
        scene_begin(&scene);
        scene.policy.rotate_bytes = 2 << 20;
        scene.policy.rotate_keep = 1000;
        other = writer(&scene, 300, 500);
        srandom(1);
        for (int i = 0; i < 100; i++) {
                pid_t pid = writer(&scene, 0, 60 << 10);

                usleep((useconds_t)(3000 + random() % 3000));
                assert_int_equal(kill(pid, SIGKILL), 0);
                assert_int_equal(waitpid(pid, NULL, 0), pid);
                must_write(scene.audit, "next");
        }
        wait_for(other);
        must_be_whole(&scene, 0);
        assert_true(scene_verify(&scene).from_start);
        assert_true(scene_verify(&scene).records >= 400);
        scene_end(&scene);
}

/* What there is no room for is not written at all, and what comes later is. */
static void test_full(void **state) {
        struct scene scene;
        struct stat status;
        pid_t pid;

        (void)state;
        scene_begin(&scene);
        must_write(scene.audit, "a");
        assert_int_equal(stat(scene.path, &status), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                struct rlimit limit = { (rlim_t)status.st_size + 100, (rlim_t)status.st_size + 100 };
                struct err err = {};

                signal(SIGXFSZ, SIG_IGN);
                if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
                        _exit(1);
                _exit(try_write(scene.audit, "b", &err) == 0 || !strstr(err.msg, scene.path));
        }
        wait_for(pid);
        must_be_whole(&scene, 1);
        must_write(scene.audit, "c");
        must_be_whole(&scene, 2);
        scene_end(&scene);
}

/* Somebody reads while others write and rotate: what he sees is whole. */
static void test_read_meanwhile(void **state) {
        struct scene scene;
        pid_t pids[2];

        (void)state;
        scene_begin(&scene);
        scene.policy.rotate_bytes = 64 << 10;
        scene.policy.rotate_keep = 100;
        pids[0] = writer(&scene, 500, 500);
        pids[1] = writer(&scene, 500, 700);
        for (int i = 0; i < 50; i++)
                must_be_whole(&scene, 0);
        wait_for(pids[0]);
        wait_for(pids[1]);
        must_be_whole(&scene, 1000);
        scene_end(&scene);
}

/* Somebody follows while others write and rotate: he sees every record, once. */
static void test_follow(void **state) {
        int64_t deadline = time_monotonic() + 600 * TIME_SECOND;
        struct audit_reader reader;
        struct scene scene;
        struct err err = {};
        struct str line;
        int seen = 0, kind;
        pid_t pids[2];

        (void)state;
        scene_begin(&scene);
        scene.policy.rotate_bytes = 4 << 10;
        scene.policy.rotate_keep = 1000;
        assert_int_equal(audit_reader_open(scene.path, &reader, &err), 0);
        pids[0] = writer(&scene, 500, 500);
        pids[1] = writer(&scene, 500, 700);
        while (seen < 1000) {
                assert_true(time_monotonic() < deadline);
                assert_int_equal(audit_reader_again(&reader, &err), 0);
                while ((kind = audit_reader_next(&reader, &line, &err)) > 0)
                        seen++;
                assert_int_equal(kind, LINE_END);
        }
        wait_for(pids[0]);
        wait_for(pids[1]);
        assert_int_equal(seen, 1000);
        audit_reader_close(&reader);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_two),
                cmocka_unit_test(test_eight),
                cmocka_unit_test(test_eight_rotate),
                cmocka_unit_test(test_fork),
                cmocka_unit_test(test_threads),
                cmocka_unit_test(test_killed),
                cmocka_unit_test(test_read_meanwhile),
                cmocka_unit_test(test_follow),
                cmocka_unit_test(test_full),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
