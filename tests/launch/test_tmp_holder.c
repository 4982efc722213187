/*
 * The /tmp of a session: one directory in many sandboxes, of limited size, which ends with the process that started it.
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
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/home.h"
#include "launch/mount.h"
#include "launch/tmp_holder.h"

enum { SIZE = 1 << 20, STATUS_NO_NAMESPACES = 100, STATUS_FAILED };

static int write_text(const char *path, const char *text) {
        FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);

        return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

/* Other ones than those of the holder, as each sandbox has. */
static int own_namespaces(void) {
        unsigned int uid = geteuid(), gid = getegid();
        char users[64], groups[64];

        snprintf(users, sizeof(users), "%u %u 1", uid, uid);
        snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
                return -1;
        return write_text("/proc/self/setgroups", "deny") < 0 || write_text("/proc/self/uid_map", users) < 0 ||
                               write_text("/proc/self/gid_map", groups) < 0
                       ? -1
                       : 0;
}

/* ---- what is done inside: 0 if it succeeds ---- */

static int make_file(void) {
        FD_AUTO fd = open("/tmp/file", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        return fd >= 0 && write(fd, "text", 4) == 4 ? 0 : -1;
}

static int find_file(void) {
        struct stat st;

        return lstat("/tmp/file", &st) == 0 && st.st_size == 4 && st.st_uid == geteuid() ? 0 : -1;
}

static int find_nothing(void) {
        return access("/tmp/file", F_OK) < 0 && errno == ENOENT ? 0 : -1;
}

static int find_limits(void) {
        FD_AUTO fd = open("/tmp/large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        struct statvfs fs;

        return statvfs("/tmp", &fs) == 0 && fs.f_blocks * fs.f_frsize == SIZE && fs.f_flag & ST_NOSUID &&
                               fs.f_flag & ST_NODEV && posix_fallocate(fd, 0, SIZE + 1) == ENOSPC &&
                               mknod("/tmp/null", S_IFCHR | 0666, 0x103) < 0
                       ? 0
                       : -1;
}

/* In a sandbox with this directory as /tmp; in a process of its own. */
static int inside(const struct tmp_holder *holder, const struct mount_step *more, size_t more_count, int (*act)(void)) {
        struct mount_step steps[8] = {
                { .kind = MOUNT_ROOT_HOST },
                { .kind = MOUNT_SESSION_TMP, .target = "/tmp", .size = SIZE },
                { .kind = MOUNT_DEV, .target = "/dev", .size = SIZE },
        };
        struct err err = {};
        struct home_run run;
        int status, tmp;
        pid_t pid = fork();

        if (pid == 0) {
                if (own_namespaces() < 0)
                        _exit(STATUS_NO_NAMESPACES);
                for (size_t i = 0; i < more_count; i++)
                        steps[3 + i] = more[i];
                tmp = tmp_holder_mount(holder, NULL, &err);
                if (tmp < 0 ||
                    mount_all(steps, NULL, 3 + more_count, &(struct mount_given){ .tmp = tmp, .stage = -1 }, &run, &err) < 0) {
                        print_message("# %s\n", err.msg);
                        _exit(err.code);
                }
                _exit(act && act() < 0 ? STATUS_FAILED : 0);
        }
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        return WEXITSTATUS(status);
}

static void start(struct tmp_holder *ret) {
        struct err err = {};

        if (tmp_holder_start(&(struct tmp_content){ .size = SIZE, .lock = -1 }, 0, ret, &err) < 0) {
                print_message("# %s\n", err.msg);
                skip();
        }
}

static void sandboxes_share_it(void **state) {
        struct tmp_holder one, other;

        (void)state;
        start(&one);
        start(&other);
        assert_true(one.id != other.id);
        assert_int_equal(inside(&one, NULL, 0, make_file), 0);
        assert_int_equal(inside(&one, NULL, 0, find_file), 0);
        assert_int_equal(inside(&other, NULL, 0, find_nothing), 0);
        assert_int_equal(inside(&one, NULL, 0, make_file), STATUS_FAILED);
        tmp_holder_end(&one);
        tmp_holder_end(&other);
}

static void it_is_limited(void **state) {
        struct tmp_holder holder;

        (void)state;
        start(&holder);
        assert_int_equal(inside(&holder, NULL, 0, find_limits), 0);
        tmp_holder_end(&holder);
}

static int make_link(void) {
        return symlink("/etc", "/tmp/place");
}

static int make_wrong_file(void) {
        FD_AUTO fd = open("/tmp/place", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        return fd < 0 ? -1 : 0;
}

static int find_place(void) {
        return access("/tmp/place/passwd", F_OK);
}

/* A place directly in it is made, and whatever commands have put there instead is not mounted on, nor followed. */
static void mount_points_are_made_in_it(void **state) {
        const struct mount_step step = { .kind = MOUNT_READ, .source = "/etc", .target = "/tmp/place" };
        int (*const hostile[])(void) = { make_link, make_wrong_file };
        struct tmp_holder holder;

        (void)state;
        start(&holder);
        assert_int_equal(inside(&holder, &step, 1, find_place), 0);
        assert_int_equal(inside(&holder, &step, 1, find_place), 0); /* where it is by now */
        tmp_holder_end(&holder);
        for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
                start(&holder);
                assert_int_equal(inside(&holder, NULL, 0, hostile[i]), 0);
                assert_int_equal(inside(&holder, &step, 1, NULL), ERR_CHANGED);
                tmp_holder_end(&holder);
        }
        assert_int_equal(access("/tmp/place", F_OK), -1); /* on the host */
}

static void a_dead_one_is_noticed(void **state) {
        struct tmp_holder holder;
        struct err err = {};
        struct pollfd fd;

        (void)state;
        start(&holder);
        assert_true(tmp_holder_alive(&holder));
        fd = (struct pollfd){ .fd = holder.pidfd, .events = POLLIN };
        syscall(SYS_pidfd_send_signal, holder.pidfd, SIGKILL, NULL, 0);
        assert_int_equal(poll(&fd, 1, -1), 1);
        assert_false(tmp_holder_alive(&holder));
        assert_int_equal(tmp_holder_mount(&holder, NULL, &err), -1);
        tmp_holder_end(&holder);
        assert_int_equal(holder.pidfd, -1);
        assert_false(tmp_holder_alive(&holder));
        tmp_holder_end(&holder); /* nothing more to do */
}

/* The pidfd is passed on by fork(), and the holder is not a child of this process: its end is seen nevertheless. */
static void it_ends_with_who_started_it(void **state) {
        int ends[2], files, status;
        struct tmp_holder holder;
        struct err err = {};
        struct pollfd fd;
        pid_t pid;

        (void)state;
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        start(&holder); /* or skip */
        tmp_holder_end(&holder);
        pid = fork();
        if (pid == 0) {
                char path[64];

                if (tmp_holder_start(&(struct tmp_content){ .size = SIZE, .lock = -1 }, 0, &holder, &err) < 0)
                        _exit(1);
                snprintf(path, sizeof(path), "%d", holder.pidfd);
                if (write(ends[1], path, strlen(path) + 1) < 0)
                        _exit(1);
                pause();
        }
        assert_true(pid > 0);
        {
                char number[16];

                assert_true(read(ends[0], number, sizeof(number)) > 0);
                files = (int)syscall(SYS_pidfd_open, pid, 0);
                assert_true(files >= 0);
                holder.pidfd = (int)syscall(SYS_pidfd_getfd, files, (int)strtol(number, NULL, 10), 0);
        }
        assert_true(holder.pidfd >= 0);
        fd = (struct pollfd){ .fd = holder.pidfd, .events = POLLIN };
        assert_int_equal(poll(&fd, 1, 0), 0);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(poll(&fd, 1, 60000), 1);
        fd_close(holder.pidfd);
        fd_close(files);
        fd_close(ends[0]);
        fd_close(ends[1]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sandboxes_share_it),          cmocka_unit_test(it_is_limited),
                cmocka_unit_test(mount_points_are_made_in_it), cmocka_unit_test(a_dead_one_is_noticed),
                cmocka_unit_test(it_ends_with_who_started_it),
        };

        return cmocka_run_group_tests_name("tmp_holder", tests, NULL, NULL);
}
