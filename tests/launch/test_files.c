/*
 * Which files a command gets, and that it gets no others; also where a filter of system calls forbids close_range(), as those
 * of older containers do.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/files.h"

enum { KEPT = 8, OPEN_TO = 1200 }; /* more than one getdents() tells */

static bool forbid_close_range(unsigned error) {
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a process of its own, which exits with the number of what went wrong. */
static int close_them(unsigned error) {
        int highest = KEPT;

        for (int fd = KEPT; fd < OPEN_TO; fd++)
                if (dup2(STDIN_FILENO, fd) == fd) /* there may be a limit */
                        highest = fd;
        if (highest < 2 * KEPT || (error && !forbid_close_range(error)))
                return 1;
        if (files_close_from(KEPT) < 0)
                return 2;
        for (int fd = KEPT; fd <= highest; fd++)
                if (fcntl(fd, F_GETFD) >= 0)
                        return 3;
        return fcntl(STDIN_FILENO, F_GETFD) >= 0 ? 0 : 4;
}

static void all_from_one_on_are_closed(void **state) {
        static const unsigned errors[] = { 0, ENOSYS, EPERM };

        (void)state;
        for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
                pid_t child = fork();
                int status;

                if (child == 0)
                        _exit(close_them(errors[i]));
                assert_int_equal(waitpid(child, &status, 0), child);
                assert_true(WIFEXITED(status));
                assert_int_equal(WEXITSTATUS(status), 0);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(all_from_one_on_are_closed) };

        return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
