/*
 * Mount points: made where only the sandbox has the file system, never in a directory of the host. What a plan names there and
 * is missing has changed since the plan was made.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/home.h"
#include "launch/mount.h"

enum { TMPFS_SIZE = 1 << 20 };

static char top[] = "/tmp/bailey-mount-XXXXXX";
static char workspace[64], other[64], missing[80], deep[96], empty_place[80];

static int write_text(const char *path, const char *text) {
        FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);

        return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

/* As an ordinary user can, too. */
static int own_namespaces(void) {
        unsigned int uid = geteuid(), gid = getegid();
        char users[64], groups[64];

        snprintf(users, sizeof(users), "0 %u 1", uid);
        snprintf(groups, sizeof(groups), "0 %u 1", gid);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
                return -1;
        return write_text("/proc/self/setgroups", "deny") < 0 || write_text("/proc/self/uid_map", users) < 0 ||
                               write_text("/proc/self/gid_map", groups) < 0
                       ? -1
                       : 0;
}

enum { STATUS_NO_NAMESPACES = 100, STATUS_NOT_SEEN };

/* Executes the plan, in a process of its own: 0 if it succeeds and `seen` is there then, else the code of the error. */
static int execute(const struct mount_step *steps, size_t count, const char *seen) {
        struct err err = {};
        struct home_run run;
        int status;
        pid_t pid = fork();

        if (pid == 0) {
                if (own_namespaces() < 0)
                        _exit(STATUS_NO_NAMESPACES);
                if (mount_all(steps, NULL, count, &(struct mount_given){ .tmp = -1, .stage = -1 }, &run, &err) < 0) {
                        print_message("# %s\n", err.msg);
                        _exit(err.code);
                }
                _exit(seen && access(seen, F_OK) < 0 ? STATUS_NOT_SEEN : 0);
        }
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        return WEXITSTATUS(status);
}

static int make_tree(void **state) {
        (void)state;
        if (!mkdtemp(top))
                return -1;
        snprintf(workspace, sizeof(workspace), "%s/workspace", top);
        snprintf(other, sizeof(other), "%s/other", top);
        snprintf(empty_place, sizeof(empty_place), "%s/emptied", top);
        snprintf(missing, sizeof(missing), "%s/.vscode", workspace);
        snprintf(deep, sizeof(deep), "%s/.vscode/a/b", workspace);
        return mkdir(workspace, 0755) < 0 || mkdir(other, 0755) < 0 || mkdir(empty_place, 0755) < 0 ? -1 : 0;
}

static int remove_tree(void **state) {
        (void)state;
        return rmdir(workspace) < 0 || rmdir(other) < 0 || rmdir(empty_place) < 0 || rmdir(top) < 0 ? -1 : 0;
}

/* What is to be mounted in the workspace comes last. */
static int execute_in_workspace(struct mount_step last) {
        const struct mount_step steps[] = {
                { .kind = MOUNT_ROOT_HOST },
                { .kind = MOUNT_DEV, .target = "/dev", .size = TMPFS_SIZE },
                { .kind = MOUNT_WRITE, .source = workspace, .target = workspace },
                last,
        };

        return execute(steps, sizeof(steps) / sizeof(*steps), NULL);
}

static bool can_mount(void) {
        return execute_in_workspace((struct mount_step){ .kind = MOUNT_WRITE, .source = workspace, .target = workspace }) !=
               STATUS_NO_NAMESPACES;
}

/* One that was taken hold of, and that somebody moved away before it was mounted, is mounted from elsewhere here. */
static void the_host_gets_no_mount_point(void **state) {
        const struct mount_step steps[] = {
                { .kind = MOUNT_READ, .source = other, .target = missing },
                { .kind = MOUNT_WRITE, .source = other, .target = missing },
                { .kind = MOUNT_READ, .source = other, .target = deep },
                { .kind = MOUNT_READ, .source = "/etc/passwd", .target = missing },
                { .kind = MOUNT_MASK_DIR, .target = missing },
                { .kind = MOUNT_MASK_FILE, .target = missing },
                { .kind = MOUNT_TMPFS, .target = missing },
                { .kind = MOUNT_MASK_DIR, .target = deep },
        };
        struct stat st;

        (void)state;
        if (!can_mount())
                skip();
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
                assert_int_equal(execute_in_workspace(steps[i]), ERR_CHANGED);
                assert_int_equal(lstat(missing, &st), -1);
                assert_int_equal(errno, ENOENT);
        }
}

/* Nothing is mounted for a socket that is gone. */
static void a_socket_that_is_gone_gets_none_either(void **state) {
        struct stat st;

        (void)state;
        if (!can_mount())
                skip();
        assert_int_equal(
                execute_in_workspace((struct mount_step){ .kind = MOUNT_SOCKET, .source = "/etc/passwd", .target = missing }),
                0);
        assert_int_equal(lstat(missing, &st), -1);
        assert_int_equal(errno, ENOENT);
}

/* In a directory that is emptied, and in an empty root, all that is mounted needs its place. */
static void the_sandbox_gets_them(void **state) {
        char place[128], file[128];
        const struct mount_step emptied[] = {
                { .kind = MOUNT_ROOT_HOST },
                { .kind = MOUNT_DEV, .target = "/dev", .size = TMPFS_SIZE },
                { .kind = MOUNT_TMPFS, .target = empty_place, .size = TMPFS_SIZE },
                { .kind = MOUNT_READ, .source = other, .target = place },
                { .kind = MOUNT_READ, .source = "/etc/passwd", .target = file },
                { .kind = MOUNT_SEAL, .target = empty_place },
        };
        const struct mount_step minimal[] = {
                { .kind = MOUNT_ROOT_EMPTY, .size = TMPFS_SIZE },
                { .kind = MOUNT_DEV, .target = "/dev", .size = TMPFS_SIZE },
                { .kind = MOUNT_READ, .source = other, .target = place },
                { .kind = MOUNT_SYMLINK, .source = "passwd", .target = file },
                { .kind = MOUNT_MASK_FILE, .target = "/etc/passwd" },
        };
        struct stat st;

        (void)state;
        if (!can_mount())
                skip();
        snprintf(place, sizeof(place), "%s/a/b/c", empty_place);
        snprintf(file, sizeof(file), "%s/a/d/passwd", empty_place);
        assert_int_equal(execute(emptied, sizeof(emptied) / sizeof(*emptied), place), 0);
        assert_int_equal(execute(emptied, sizeof(emptied) / sizeof(*emptied), file), 0);
        assert_int_equal(execute(minimal, sizeof(minimal) / sizeof(*minimal), place), 0);
        snprintf(place, sizeof(place), "%s/a", empty_place);
        assert_int_equal(lstat(place, &st), -1);
        assert_int_equal(errno, ENOENT);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_host_gets_no_mount_point),
                cmocka_unit_test(a_socket_that_is_gone_gets_none_either),
                cmocka_unit_test(the_sandbox_gets_them),
        };

        return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
