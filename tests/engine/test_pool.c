/*
 * Sandboxes that are ready before they are needed: when one is taken, when they have to go, how many there are, and that
 * nothing is left whatever happens to them. The walls are namespaces and a few mounts; what they hold back is tried by
 * tests/escape.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/pool.h"
#include "launch/mount.h"

enum { PATIENCE_MS = 60000, KEPT = 2, MANY = 32, MOUNTS = 4 };

static const char *const envp[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
static const char *const show[] = { "sh", "-c", "echo $ONLY; pwd", NULL };

struct scene {
        char directory[64], masked[80];
        struct mount_step mounts[MOUNTS];
        struct launch launch;
        struct pool pool;
        struct buf key;
};

static struct scene scene;
static bool apart; /* nobody else mounts anything here; engines of containers do all the time, and that empties the pool */

/* ---- processes ---- */

static bool has_children(void) {
        siginfo_t info = {};

        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

static bool is_dead(pid_t pid) {
        for (int i = 0; i < PATIENCE_MS / 10; i++) {
                if (kill(pid, 0) < 0 && errno == ESRCH)
                        return true;
                poll(NULL, 0, 10);
        }
        return false;
}

static void send_signal(int pidfd, int number) {
        assert_int_equal(syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0), 0);
}

/* ---- the scene ---- */

static void plan(void) {
        scene.mounts[0] = (struct mount_step){ .kind = MOUNT_ROOT_HOST };
        scene.mounts[1] = (struct mount_step){ .kind = MOUNT_PROC, .target = "/proc" };
        scene.mounts[2] = (struct mount_step){ .kind = MOUNT_DEV, .target = "/dev", .size = 1 << 20 };
        scene.mounts[3] = (struct mount_step){ .kind = MOUNT_MASK_DIR, .target = scene.masked };
        scene.launch = (struct launch){
                .backend = "native",
                .namespaces = LAUNCH_NAMESPACES,
                .mounts = scene.mounts,
                .mount_count = MOUNTS,
                .own_pids = true,
                .hostname = "bailey",
                .program = "/bin/sh",
                .argv = show,
                .envp = envp,
                .cwd = "/",
        };
}

static struct str key_now(void) {
        buf_clear(&scene.key);
        warm_key(&scene.launch, &scene.key);
        return buf_str(&scene.key);
}

static int begin(void **state) {
        (void)state;
        scene = (struct scene){ .directory = "/tmp/pool_test.XXXXXX" };
        assert_non_null(mkdtemp(scene.directory));
        snprintf(scene.masked, sizeof(scene.masked), "%s/masked", scene.directory);
        assert_int_equal(mkdir(scene.masked, 0700), 0);
        plan();
        pool_init(&scene.pool);
        buf_init(&scene.key, 1 << 20);
        key_now();
        return 0;
}

static int end(void **state) {
        (void)state;
        pool_free(&scene.pool);
        buf_free(&scene.key);
        rmdir(scene.masked);
        rmdir(scene.directory);
        assert_false(has_children());
        return 0;
}

/* ---- taking ---- */

/* Until something can be taken, or nothing can any more. */
static void wait_for_news(void) {
        struct pollfd fd = { .fd = scene.pool.maker.socket, .events = POLLIN };

        if (scene.pool.count == 0) /* several may have come at once */
                assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
}

static bool take(struct warm *ret) {
        return pool_take(&scene.pool, buf_str(&scene.key), KEPT, ret);
}

static void refill(void) {
        pool_refill(&scene.pool, &scene.launch, buf_str(&scene.key));
}

/* As the first command does: it finds none. */
static void fill(void) {
        struct warm none;

        assert_false(take(&none));
        refill();
        assert_true(scene.pool.maker.socket >= 0);
        wait_for_news();
}

static struct warm take_one(void) {
        struct warm warm;

        if (!take(&warm))
                fail_msg("none is ready");
        return warm;
}

/* Waits for the end; `ret` is what the command has printed into `out`, which is closed. */
static int finish(struct launched *launched, int out, char *ret, size_t size) {
        struct err err = {};
        int status = -1;
        ssize_t len;

        if (launch_end(launched, &status, &err) < 0)
                fail_msg("%s", err.msg);
        launch_reap(launched);
        len = read(out, ret, size - 1);
        close(out);
        ret[len < 0 ? 0 : len] = 0;
        return status;
}

/* What the command printed, in this one. */
static int run_in(struct warm *warm, char *ret, size_t size) {
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launched launched;
        int ends[2], handed;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        handed = warm_hand_over(warm, &scene.launch, &(struct launch_files){ null, ends[1], null }, &launched);
        close(ends[1]);
        if (handed == 0)
                return finish(&launched, ends[0], ret, size);
        close(ends[0]);
        return -1;
}

static void a_command_is_handed_over(void **state) {
        char text[64];

        (void)state;
        fill();
        for (int i = 0; i < 3; i++) {
                struct warm warm = take_one();

                assert_int_equal(run_in(&warm, text, sizeof(text)), 0);
                assert_string_equal(text, "this\n/\n");
                refill();
                wait_for_news();
        }
}

static void how_it_ends_is_told(void **state) {
        static const char *const commands[][4] = { { "sh", "-c", "exit 7" },
                                                   { "sh", "-c", "kill -9 $$" },
                                                   { "sh", "-c", "no-such-program" } };
        static const int statuses[] = { 7 << 8, SIGKILL, 127 << 8 };
        char text[64];

        (void)state;
        fill();
        for (int i = 0; i < 3; i++) {
                struct warm warm = take_one();

                scene.launch.argv = commands[i];
                assert_int_equal(run_in(&warm, text, sizeof(text)), statuses[i]);
                refill();
                wait_for_news();
        }
}

/* One, while another is ready still. */
static struct warm take_of_two(void) {
        for (int i = 0; i < PATIENCE_MS / 10; i++) {
                struct warm warm = take_one();

                if (scene.pool.count > 0)
                        return warm;
                warm_discard(&warm);
                refill();
                poll(NULL, 0, 10);
                wait_for_news();
        }
        fail_msg("there are never two");
        return (struct warm){};
}

/* ---- shells that wait ---- */

/* How much of the library is mapped in the shell. */
static const char *const maps[] = { "bash", "-c", "grep -c bailey-preload /proc/$$/maps; :", NULL };

static void run_new(char *ret, size_t size) {
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launched launched;
        struct err err = {};
        int ends[2];

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(launch_start(&scene.launch, &(struct launch_files){ null, ends[1], null }, &launched, &err), 0);
        close(ends[1]);
        assert_int_equal(finish(&launched, ends[0], ret, size), 0);
}

static void run_warm(char *ret, size_t size) {
        struct warm warm;

        fill();
        warm = take_one();
        if (run_in(&warm, ret, size) != 0)
                fail_msg("%s", ret);
        pool_empty(&scene.pool);
}

static void a_shell_that_waited_is_like_a_new_one(void **state) {
        static const char *const look[] = {
                "bash", "-c",
                "tr '\\0' '\\n' </proc/$$/cmdline; tr '\\0' '\\n' </proc/$$/environ; env;"
                "cd /proc/$$/fd; echo *; readlink 0; echo $$ $PPID $# \"$0\" $-; trap; umask; ulimit -a;"
                "grep -E '^(Cap|NoNew|Seccomp|NS|Umask|Groups)' /proc/$$/status;"
                "grep -E '^Sig(Blk|Ign)' /proc/self/status;" /* what is inherited; its own mask changes all the time */
                "cut -d ' ' -f 4-8 /proc/$$/stat; ls -l /proc/$$/exe /proc/$$/cwd | sed 's/.* -> //'",
                NULL
        };
        static char waited[16 << 10], new[16 << 10];

        (void)state;
        scene.launch.program = "/bin/bash";
        scene.launch.argv = look;
        scene.launch.cwd = "/usr";
        run_warm(waited, sizeof(waited));
        run_new(new, sizeof(new));
        assert_string_equal(waited, new);
        assert_non_null(strstr(new, "ONLY=this"));
        scene.launch.argv = maps; /* it did wait */
        run_warm(waited, sizeof(waited));
        assert_true(strtol(waited, NULL, 10) > 0);
}

static void a_shell_that_waited_becomes_another_program(void **state) {
        static const char *const others[][5] = { { "echo", "-c", "a" },
                                                 { "bash", "-x", "b" },
                                                 { "bash", "-c", "echo c", "d" } };
        static const char *const programs[] = { "/bin/echo", "echo", "/bin/bash" };
        static const char *const printed[] = { "-c a\n", "-x b\n", "c\n" };
        static const char *const shell[] = { "bash", "-c", "false", NULL };
        char text[64];

        (void)state;
        for (int i = 0; i < 3; i++) {
                struct warm warm;

                scene.launch.program = "/bin/bash";
                scene.launch.argv = shell;
                fill();
                warm = take_one();
                scene.launch.program = programs[i];
                scene.launch.argv = others[i];
                assert_int_equal(run_in(&warm, text, sizeof(text)), 0);
                assert_string_equal(text, printed[i]);
                pool_empty(&scene.pool);
        }
}

static void a_shell_that_does_not_wait_is_started_later(void **state) {
        static const char *const words[] = { "sh", "-c", "x", NULL };
        char script[96], text[64];
        FILE *file;

        (void)state;
        snprintf(script, sizeof(script), "%s/script", scene.directory);
        file = fopen(script, "w");
        assert_non_null(file);
        fputs("#!/bin/sh\necho \"$#:$1:$2\"\n", file);
        fclose(file);
        assert_int_equal(chmod(script, 0755), 0);
        scene.launch.program = script;
        scene.launch.argv = words;
        run_warm(text, sizeof(text));
        assert_string_equal(text, "2:-c:x\n");
        assert_int_equal(unlink(script), 0);
}

/* Of a loader or a shell that would do more at its start, before there is a command. */
static void what_others_ask_for_is_done_with_the_command(void **state) {
        static const char *const asked[] = {
                "LD_PRELOAD=",  "LD_LIBRARY_PATH=/nowhere", "LD_DEBUG=statistics",           "BASH_ENV=/nowhere",
                "ENV=/nowhere", "SHELLOPTS=xtrace",         "BASH_FUNC_true%%=() { false; }"
        };

        (void)state;
        scene.launch.program = "/bin/bash";
        scene.launch.argv = maps;
        for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
                const char *const variables[] = { "PATH=/usr/bin:/bin", asked[i], NULL };
                char text[64];

                scene.launch.envp = variables;
                key_now();
                run_warm(text, sizeof(text));
                assert_string_equal(text, "0\n");
        }
}

/* Where the program outside is, would be below what is mounted. */
static void a_shell_waits_at_the_root(void **state) {
        char path[64], directory[256];
        struct warm warm;
        FILE *file;
        ssize_t len;
        int child;

        (void)state;
        assert_int_equal(chdir(scene.directory), 0);
        fill();
        warm = take_one();
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", warm.launched.pid, warm.launched.pid);
        for (int i = 0; i < PATIENCE_MS / 10; i++) { /* it is on its way, perhaps */
                file = fopen(path, "r");
                assert_non_null(file);
                child = 0;
                len = fscanf(file, "%d", &child); /* NOLINT(cert-err34-c): of the kernel */
                fclose(file);
                if (len == 1)
                        break;
                poll(NULL, 0, 10);
        }
        snprintf(path, sizeof(path), "/proc/%d/cwd", child);
        len = readlink(path, directory, sizeof(directory) - 1);
        assert_true(len > 0);
        directory[len] = 0;
        assert_string_equal(directory, "/");
        warm_discard(&warm);
        assert_int_equal(chdir("/"), 0);
}

static void the_oldest_is_taken(void **state) {
        struct warm warm;
        pid_t next;

        (void)state;
        fill();
        warm = take_of_two();
        warm_discard(&warm);
        next = scene.pool.ready[0].launched.pid;
        warm = take_one();
        assert_int_equal(warm.launched.pid, next);
        warm_discard(&warm);
}

static void what_does_not_start_says_why(void **state) {
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launched launched;
        struct err err = {};
        struct warm warm;
        int status;

        (void)state;
        fill();
        warm = take_one();
        scene.launch.program = "/no/such/program";
        assert_int_equal(warm_hand_over(&warm, &scene.launch, &(struct launch_files){ null, null, null }, &launched), 0);
        assert_int_equal(launch_end(&launched, &status, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
        launch_reap(&launched);
}

static void long_commands_fit_or_say_so(void **state) {
        static char word[200 << 10];
        static const char *many[80], *const one[] = { "sh", "-c", "echo ${#1}", "sh", word, NULL };
        struct warm warm;
        char text[64];

        (void)state;
        memset(word, 'x', sizeof(word) - 1);
        scene.launch.argv = one;
        assert_false(warm_fits(&scene.launch));
        word[100 << 10] = 0;
        assert_true(warm_fits(&scene.launch));
        fill();
        warm = take_one();
        assert_int_equal(run_in(&warm, text, sizeof(text)), 0);
        assert_string_equal(text, "102400\n");
        for (size_t i = 0; i < 79; i++)
                many[i] = "x";
        many[79] = NULL;
        scene.launch.argv = many;
        assert_false(warm_fits(&scene.launch));
        many[20] = NULL;
        assert_true(warm_fits(&scene.launch));
        scene.launch.announce = true;
        assert_false(warm_fits(&scene.launch));
}

static void what_cannot_be_made_beforehand_is_known(void **state) {
        struct launch launch = scene.launch;

        (void)state;
        assert_true(warm_possible(&launch));
        launch.group.pids = 64;
        assert_false(warm_possible(&launch));
        launch = scene.launch;
        launch.group.memory_bytes = 1 << 20;
        assert_false(warm_possible(&launch));
        launch = scene.launch;
        launch.namespaces = LAUNCH_NO_NAMESPACES;
        assert_false(warm_possible(&launch));
        launch = scene.launch;
        launch.wrapper = show;
        assert_false(warm_possible(&launch));
}

/* ---- when they have to go ---- */

static void assert_empty(void) {
        assert_int_equal(scene.pool.count, 0);
        assert_int_equal(scene.pool.asked, 0);
        assert_int_equal(scene.pool.maker.socket, -1);
        assert_int_equal(scene.pool.mounts, -1);
        assert_int_equal(pool_deadline(&scene.pool), 0);
        assert_false(has_children());
}

static void another_key_empties(void **state) {
        struct warm none;

        (void)state;
        fill();
        assert_false(pool_take(&scene.pool, STR("another"), KEPT, &none));
        assert_empty();
        fill();
        assert_false(pool_take(&scene.pool, buf_str(&scene.key), 0, &none));
        assert_empty();
        refill(); /* none are wanted */
        assert_empty();
}

/* All that is planned is in the key, but for the command and the variables that come with it. */
static void the_key_tells_plans_apart(void **state) {
        static const char *const true_words[] = { "true", NULL };
        static const char *const other_envp[] = { "PATH=/usr/bin:/bin", "ONLY=that", NULL };
        static const char *const loader_envp[] = { "PATH=/usr/bin:/bin", "ONLY=this", "LD_BIND_NOW=1", NULL };
        struct launch before = scene.launch;
        char first[4096];
        size_t len;

        (void)state;
        len = key_now().len;
        assert_true(len < sizeof(first));
        memcpy(first, scene.key.ptr, len);
        scene.launch.program = "/bin/true";
        scene.launch.argv = true_words;
        scene.launch.cwd = "/usr";
        scene.launch.envp = other_envp;
        assert_str_equal(key_now(), str_from(first, len));
#define ASSERT_OTHER(change)                                           \
        do {                                                           \
                scene.launch = before;                                 \
                change;                                                \
                assert_false(str_eq(key_now(), str_from(first, len))); \
        } while (0)
        ASSERT_OTHER(scene.launch.envp = loader_envp);
        ASSERT_OTHER(scene.launch.hostname = "other");
        ASSERT_OTHER(scene.launch.namespaces = LAUNCH_NAMESPACES_AND_NET);
        ASSERT_OTHER(scene.launch.mount_count--);
        ASSERT_OTHER(scene.launch.landlock.wanted = true);
        ASSERT_OTHER((scene.launch.limits[0] = (struct launch_limit){ 1, 1 }, scene.launch.limit_count = 1));
        ASSERT_OTHER(scene.mounts[2].size++);
        scene.mounts[2].size--;
        ASSERT_OTHER(scene.mounts[3].kind = MOUNT_MASK_FILE);
        scene.mounts[3].kind = MOUNT_MASK_DIR;
        ASSERT_OTHER(scene.mounts[3].target = "/usr");
        scene.mounts[3].target = scene.masked;
#undef ASSERT_OTHER
}

/* Another one with the same name: the kernel takes away what was mounted over the first. */
static void replace_masked(void) {
        char other[96];

        snprintf(other, sizeof(other), "%s.new", scene.masked);
        assert_int_equal(mkdir(other, 0700), 0);
        assert_int_equal(rename(other, scene.masked), 0);
}

static void what_is_mounted_over_is_replaced(void **state) {
        struct warm none;

        (void)state;
        assert_false(pool_take(&scene.pool, buf_str(&scene.key), 1, &none));
        refill();
        wait_for_news(); /* it is ready, and no other is on its way */
        replace_masked();
        assert_false(pool_take(&scene.pool, buf_str(&scene.key), 1, &none)); /* as if its owner had not looked */
        key_now();
        fill();
        none = take_one();
        warm_discard(&none);
}

/* It leads elsewhere when one is made, and to the same as before when it is wanted. */
static void a_path_leads_elsewhere_for_a_while(void **state) {
        char aside[96];
        struct warm none;

        (void)state;
        snprintf(aside, sizeof(aside), "%s.aside", scene.masked);
        assert_false(take(&none));
        assert_int_equal(rename(scene.masked, aside), 0);
        assert_int_equal(mkdir(scene.masked, 0700), 0);
        refill();
        wait_for_news();
        assert_int_equal(rmdir(scene.masked), 0);
        assert_int_equal(rename(aside, scene.masked), 0);
        assert_false(take(&none));
        assert_empty();
        assert_int_equal(scene.pool.broken, 0);
        refill(); /* and all is well again */
        wait_for_news();
        none = take_one();
        warm_discard(&none);
}

/* In a process of its own: what it mounts is nobody else's. */
static int with_mounts(void) {
        struct warm warm;

        if (!apart)
                return 77;
        fill();
        if (mount("none", scene.directory, "tmpfs", 0, NULL) < 0)
                return 77;
        if (take(&warm) || scene.pool.maker.socket >= 0)
                return 1;
        if (umount(scene.directory) < 0)
                return 2;
        refill();
        wait_for_news();
        if (!take(&warm))
                return 3;
        warm_discard(&warm);
        pool_empty(&scene.pool);
        return 0;
}

/* What is unmounted outside is not kept busy until somebody wants a sandbox. */
static int with_mounts_idle(void) {
        FD_AUTO loop = epoll_create1(EPOLL_CLOEXEC);
        struct pollfd ready = { .fd = loop, .events = POLLIN };

        if (!apart || mount("none", scene.directory, "tmpfs", 0, NULL) < 0)
                return 77;
        scene.mounts[3].target = "/sys"; /* the other is not there now */
        key_now();
        scene.pool.epoll_fd = loop;
        fill();
        pool_due(&scene.pool, time_monotonic());
        if (scene.pool.maker.socket < 0 || poll(&ready, 1, 0) != 0)
                return 1;
        if (umount(scene.directory) < 0)
                return 2;
        if (poll(&ready, 1, PATIENCE_MS) != 1)
                return 3;
        pool_due(&scene.pool, time_monotonic());
        assert_empty();
        if (poll(&ready, 1, 0) != 0)
                return 4;
        return 0;
}

static void in_process(int (*test)(void)) {
        int status;
        pid_t pid;

        fflush(NULL);
        pid = fork();
        if (pid == 0)
                _exit(test());
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
                print_message("this process may not mount\n");
                skip();
        }
        assert_int_equal(status, 0);
}

static void mounts_outside_empty(void **state) {
        (void)state;
        in_process(with_mounts);
}

static void mounts_outside_empty_an_idle_one(void **state) {
        (void)state;
        in_process(with_mounts_idle);
}

/* ---- how many ---- */

static size_t wanted(void) {
        return scene.pool.count + scene.pool.asked;
}

static void others_are_asked_for_a_moment_later(void **state) {
        struct warm warm;
        int64_t due;

        (void)state;
        fill();
        warm = take_of_two();
        scene.pool.asked = 0; /* whatever is on its way */
        refill();
        due = pool_deadline(&scene.pool);
        assert_int_equal(scene.pool.asked, 0);
        assert_true(due > scene.pool.used && due < scene.pool.used + TIME_SECOND);
        refill(); /* which does not put it off */
        assert_int_equal(pool_deadline(&scene.pool), due);
        pool_due(&scene.pool, due - 1);
        assert_int_equal(scene.pool.asked, 0);
        pool_due(&scene.pool, due);
        assert_int_equal(scene.pool.asked, KEPT - scene.pool.count);
        assert_true(pool_deadline(&scene.pool) > due);
        warm_discard(&warm);
        while (scene.pool.count)
                warm_discard(&scene.pool.ready[--scene.pool.count]);
        scene.pool.asked = 0;
        refill(); /* none is left: now */
        assert_int_equal(scene.pool.asked, KEPT);
}

static void more_are_kept_while_they_are_wanted(void **state) {
        struct warm none;

        (void)state;
        fill();
        assert_int_equal(wanted(), KEPT);
        scene.pool.missed = 0;
        for (size_t want = KEPT; want <= 4 * (size_t)KEPT; want *= 2) {
                assert_int_equal(scene.pool.want, want);
                while (take(&none)) /* all that are there, and one more */
                        warm_discard(&none);
                refill();
        }
        assert_int_equal(scene.pool.want, 4 * KEPT);
        assert_int_equal(wanted(), 4 * KEPT);
        pool_due(&scene.pool, pool_deadline(&scene.pool) - 1); /* not yet */
        assert_int_equal(scene.pool.want, 4 * KEPT);
        while (scene.pool.asked) { /* all of them come */
                wait_for_news();
                warm_discard(&(struct warm[]){ take_one() }[0]);
        }
        refill();
        if (scene.pool.later) /* others are asked for first */
                pool_due(&scene.pool, scene.pool.later);
        pool_due(&scene.pool, pool_deadline(&scene.pool));
        assert_int_equal(scene.pool.want, KEPT);
        assert_true(scene.pool.count <= KEPT);
}

static void never_more_than_there_is_room_for(void **state) {
        struct warm none;

        (void)state;
        assert_false(pool_take(&scene.pool, buf_str(&scene.key), MANY, &none));
        refill();
        for (int i = 0; i < 5; i++) {
                while (pool_take(&scene.pool, buf_str(&scene.key), MANY, &none))
                        warm_discard(&none);
                refill();
        }
        assert_int_equal(scene.pool.want, POOL_MAX);
        assert_true(wanted() <= POOL_MAX);
}

static void none_are_kept_when_nobody_wants_any(void **state) {
        int64_t before = time_monotonic(), due;

        (void)state;
        fill();
        due = pool_deadline(&scene.pool);
        assert_true(due >= before + 60 * TIME_SECOND);
        pool_due(&scene.pool, due - 1);
        assert_true(scene.pool.maker.socket >= 0);
        pool_due(&scene.pool, due);
        assert_empty();
        fill(); /* until somebody does */
}

/* ---- what goes wrong ---- */

static void what_cannot_be_made_is_not_tried_at_once(void **state) {
        struct warm none;

        (void)state;
        scene.mounts[3].target = "/proc/no-such-place";
        key_now();
        fill();
        assert_false(take(&none));
        assert_empty();
        assert_int_not_equal(scene.pool.broken, 0);
        refill();
        assert_empty();
        scene.pool.broken -= 20 * TIME_SECOND; /* some time later */
        assert_false(take(&none));
        refill();
        assert_true(scene.pool.maker.socket >= 0);
        wait_for_news();
        assert_false(take(&none));
        assert_false(pool_take(&scene.pool, STR("another"), KEPT, &none));
        assert_int_equal(scene.pool.broken, 0);
}

static void the_maker_is_killed(void **state) {
        struct warm none;

        (void)state;
        fill();
        send_signal(scene.pool.maker.pidfd, SIGKILL);
        while (take(&none)) { /* what it has handed in before is as good as ever */
                warm_discard(&none);
                if (scene.pool.maker.socket >= 0)
                        wait_for_news();
        }
        assert_empty();
        assert_int_not_equal(scene.pool.broken, 0);
}

/* At any point of its work. What it was asked for and has not begun does not hide what it has made. */
static void they_are_not_wanted_while_they_are_made(void **state) {
        (void)state;
        for (int i = 0; i < 20; i++) {
                struct warm none;

                assert_false(pool_take(&scene.pool, buf_str(&scene.key), MANY, &none));
                refill();
                poll(NULL, 0, i);
                pool_empty(&scene.pool);
                assert_empty();
        }
}

/* Again and again, at any point of its work: not even a dead process is left. */
static void the_maker_is_killed_at_work(void **state) {
        (void)state;
        for (int i = 0; i < 20; i++) {
                struct warm none;

                assert_false(pool_take(&scene.pool, buf_str(&scene.key), MANY, &none));
                refill();
                poll(NULL, 0, i);
                send_signal(scene.pool.maker.pidfd, SIGKILL);
                pool_empty(&scene.pool);
                assert_empty();
        }
}

/* It is made, and cannot be handed in. Another one of the same maker is in use, and not waited for. */
static void nobody_can_be_told_of_one(void **state) {
        struct warm warm;
        int64_t before;

        (void)state;
        fill();
        warm = take_one();
        assert_int_equal(shutdown(scene.pool.maker.socket, SHUT_RD), 0);
        maker_ask(&scene.pool.maker);
        assert_int_equal(poll(&(struct pollfd){ .fd = scene.pool.maker.pidfd, .events = POLLIN }, 1, PATIENCE_MS), 1);
        before = time_monotonic();
        pool_empty(&scene.pool);
        assert_true(time_monotonic() - before < 2 * TIME_SECOND);
        warm_discard(&warm);
        assert_empty();
}

/* They are handed in, and there is no room for their files. */
static void there_are_too_many_files(void **state) {
        struct rlimit before, few;
        struct warm none;
        int room;

        (void)state;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        for (int i = 0; i < 5; i++) { /* but for so many of them */
                assert_false(pool_take(&scene.pool, buf_str(&scene.key), MANY, &none));
                refill();
                wait_for_news();
                poll(NULL, 0, 50); /* for some more */
                room = dup(STDIN_FILENO);
                assert_true(room >= 0);
                close(room);
                few = (struct rlimit){ (rlim_t)room + (rlim_t)i, before.rlim_max };
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
                assert_false(pool_take(&scene.pool, buf_str(&scene.key), MANY, &none));
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
                assert_empty();
                assert_int_not_equal(scene.pool.broken, 0);
                pool_empty(&scene.pool);
        }
}

static void the_maker_is_stopped(void **state) {
        (void)state;
        fill();
        send_signal(scene.pool.maker.pidfd, SIGSTOP);
        pool_empty(&scene.pool);
        assert_empty();
}

static void one_that_waits_is_killed(void **state) {
        struct warm warm;
        char text[16];

        (void)state;
        fill();
        warm = take_one();
        send_signal(warm.launched.pidfd, SIGKILL);
        assert_int_equal(poll(&(struct pollfd){ .fd = warm.launched.pidfd, .events = POLLIN }, 1, PATIENCE_MS), 1);
        assert_int_equal(run_in(&warm, text, sizeof(text)), -1); /* and the command gets a new one */
}

/* Killed itself, with all that it has ready. */
static void nobody_outlives_who_wanted_them(void **state) {
        pid_t pids[3] = {}, pid;
        int ends[2], status;

        (void)state;
        assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        pid = fork();
        if (pid == 0) {
                struct warm warm;

                fill();
                warm = take_one();
                pids[0] = scene.pool.maker.pid;
                pids[1] = warm.launched.pid;
                wait_for_news();
                pids[2] = take_one().launched.pid;
                if (write(ends[1], pids, sizeof(pids)) == sizeof(pids))
                        kill(getpid(), SIGKILL);
                _exit(1);
        }
        close(ends[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WTERMSIG(status), SIGKILL);
        assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
        close(ends[0]);
        for (int i = 0; i < 3; i++) {
                assert_true(pids[i] > 0);
                waitpid(pids[i], NULL, __WALL); /* it ends, by itself; then it is ours, or init's */
                assert_true(is_dead(pids[i]));
        }
        prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Can there be such sandboxes here? */
static bool possible(void) {
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launched launched;
        struct err err = {};
        int status = -1;
        bool fine;

        begin(NULL);
        fine = launch_start(&scene.launch, &(struct launch_files){ null, null, null }, &launched, &err) == 0 &&
               launch_end(&launched, &status, &err) == 0 && status == 0;
        if (fine)
                launch_reap(&launched);
        else
                print_message("1..0 # skip no namespaces: %s\n", err.msg);
        end(NULL);
        return fine;
}

#define WITH_POOL(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
        const struct CMUnitTest tests[] = {
                WITH_POOL(a_command_is_handed_over),
                WITH_POOL(how_it_ends_is_told),
                WITH_POOL(a_shell_that_waited_is_like_a_new_one),
                WITH_POOL(a_shell_that_waited_becomes_another_program),
                WITH_POOL(a_shell_that_does_not_wait_is_started_later),
                WITH_POOL(what_others_ask_for_is_done_with_the_command),
                WITH_POOL(a_shell_waits_at_the_root),
                WITH_POOL(the_oldest_is_taken),
                WITH_POOL(what_does_not_start_says_why),
                WITH_POOL(long_commands_fit_or_say_so),
                WITH_POOL(what_cannot_be_made_beforehand_is_known),
                WITH_POOL(another_key_empties),
                WITH_POOL(the_key_tells_plans_apart),
                WITH_POOL(what_is_mounted_over_is_replaced),
                WITH_POOL(a_path_leads_elsewhere_for_a_while),
                WITH_POOL(mounts_outside_empty),
                WITH_POOL(mounts_outside_empty_an_idle_one),
                WITH_POOL(others_are_asked_for_a_moment_later),
                WITH_POOL(more_are_kept_while_they_are_wanted),
                WITH_POOL(never_more_than_there_is_room_for),
                WITH_POOL(none_are_kept_when_nobody_wants_any),
                WITH_POOL(what_cannot_be_made_is_not_tried_at_once),
                WITH_POOL(the_maker_is_killed),
                WITH_POOL(they_are_not_wanted_while_they_are_made),
                WITH_POOL(the_maker_is_killed_at_work),
                WITH_POOL(nobody_can_be_told_of_one),
                WITH_POOL(there_are_too_many_files),
                WITH_POOL(the_maker_is_stopped),
                WITH_POOL(one_that_waits_is_killed),
                WITH_POOL(nobody_outlives_who_wanted_them),
        };

        apart = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0; /* not for everybody */
        return possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
