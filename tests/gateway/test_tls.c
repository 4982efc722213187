/*
 * bailey-tls with few files: how many it may open is up to the machine. It is started as bailey does, but without an internet:
 * of its hosts one has no secret, so that each connection is answered at once, and with the other it begins to speak TLS. What
 * it relays is tested in tests/net/credentials.net.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/handover.h"
#include "launch/files.h"

static const char no_secret[] = "there is no token", too_many[] = "too many connections with credentials";
static char program[4096];

enum { NO_SECRET, SECRET };

struct tls {
        pid_t pid;
        int socket, alive;
};

/* Files 3, 4 and 5 of it are what tls/tls.h says. */
static _Noreturn void become(int socket, int alive, int secrets, rlim_t files) {
        struct rlimit limit = { files, files };
        int from[] = { socket, alive, secrets };

        for (int i = 0; i < 3; i++)
                from[i] = fcntl(from[i], F_DUPFD, 10);
        for (int i = 0; i < 3; i++)
                if (dup2(from[i], 3 + i) < 0)
                        _exit(126);
        close_range(6, ~0U, 0);
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
                execl(program, program, (char *)NULL);
        _exit(127);
}

static struct tls start(rlim_t files) {
        struct timeval patience = { .tv_sec = 60 };
        struct tls tls;
        int pair[2], alive[2], secrets = memfd_create("secrets", MFD_CLOEXEC);

        assert_true(dprintf(secrets, "web.example 443 no %s\nother.example 443 ok Token: x\n", no_secret) > 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
        assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
        assert_int_equal(pipe2(alive, O_CLOEXEC), 0);
        tls.pid = fork();
        if (tls.pid == 0)
                become(pair[1], alive[0], secrets, files);
        assert_true(tls.pid > 0);
        close(pair[1]);
        close(alive[0]);
        close(secrets);
        tls.socket = pair[0];
        tls.alive = alive[1];
        return tls;
}

/* It ends with the pipe. */
static void stop(struct tls *tls) {
        int status;

        close(tls->alive);
        assert_int_equal(waitpid(tls->pid, &status, 0), tls->pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        close(tls->socket);
}

/* Hands over a connection, and returns the other ends of it: the command's, and that outside. */
static void hand(const struct tls *tls, uint64_t id, uint32_t credential, int *ret_command, int *ret_outside) {
        struct handover message = { .id = id, .credential = credential };
        struct iovec part = { &message, sizeof(message) };
        int command[2], outside[2], files[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, command), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, outside), 0);
        files[0] = command[1];
        files[1] = outside[1];
        assert_int_equal(fds_send(tls->socket, &part, 1, files, 2), 0);
        close(command[1]);
        close(outside[1]);
        *ret_command = command[0];
        *ret_outside = outside[0];
}

static struct handover_report reported(const struct tls *tls) {
        struct handover_report report;

        assert_int_equal(recv(tls->socket, &report, sizeof(report), 0), sizeof(report));
        return report;
}

static void is_answered(const struct tls *tls, uint64_t id) {
        BUF_AUTO answer;
        struct handover_report report;
        FD_AUTO command = -1;
        FD_AUTO outside = -1;

        hand(tls, id, NO_SECRET, &command, &outside);
        buf_init(&answer, 4096);
        assert_int_equal(fd_read_all(command, &answer, NULL), 0);
        buf_char(&answer, '\0');
        assert_memory_equal(answer.ptr, "HTTP/1.1 502 ", strlen("HTTP/1.1 502 "));
        assert_non_null(strstr(answer.ptr, no_secret));
        close(TAKE_FD(command));
        report = reported(tls);
        assert_int_equal(report.id, id);
        assert_string_equal(report.text, no_secret);
}

static void is_begun(const struct tls *tls, uint64_t id) {
        enum { HANDSHAKE = 0x16 };
        FD_AUTO command = -1;
        FD_AUTO outside = -1;
        char first;

        hand(tls, id, SECRET, &command, &outside);
        assert_int_equal(read(outside, &first, 1), 1);
        assert_int_equal(first, HANDSHAKE);
        close(TAKE_FD(outside));
        close(TAKE_FD(command));
        assert_int_equal(reported(tls).id, id);
}

/* With 64, all of them are spared for other things than connections. */
static void few_files(void **state) {
        static const rlim_t limits[] = { 16, 32, 63, 64, 65, 66, 67, 1024 };

        (void)state;
        for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
                struct tls tls = start(limits[i]);

                is_begun(&tls, 1);
                is_answered(&tls, 2);
                is_begun(&tls, 3);
                stop(&tls);
        }
}

/* Their files cannot be received; this process goes on. */
static void more_connections_than_files(void **state) {
        enum { FILES = 24, CONNECTIONS = 32 };
        struct tls tls = start(FILES);
        int commands[CONNECTIONS], outside[CONNECTIONS], refused = 0;

        (void)state;
        for (int i = 0; i < CONNECTIONS; i++)
                hand(&tls, (uint64_t)i + 1, NO_SECRET, &commands[i], &outside[i]);
        for (int i = 0; i < CONNECTIONS; i++) {
                struct handover_report report = reported(&tls);

                refused += strcmp(report.text, too_many) == 0;
                if (i == 0)
                        assert_string_equal(report.text, too_many); /* the others wait for the command */
                for (int k = 0; i == 0 && k < CONNECTIONS; k++) {
                        close(commands[k]);
                        close(outside[k]);
                }
        }
        assert_in_range(refused, 1, CONNECTIONS - 1);
        is_answered(&tls, CONNECTIONS + 1);
        stop(&tls);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(few_files),
                cmocka_unit_test(more_connections_than_files),
        };
        const char *bailey = getenv("BAILEY");

        snprintf(program, sizeof(program), "%s-tls", bailey ? bailey : "build/asan/bailey");
        if (access(program, X_OK) < 0) {
                puts("1..0 # skip no bailey-tls: it is built with OpenSSL 3");
                return 0;
        }
        return cmocka_run_group_tests(tests, NULL, NULL);
}
