/* Connections that pid 1 makes itself: what is over at once, and never one that waits. */
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/broker.h"

enum { FILLED = 4 };

static const struct broker_plan own = { .own_network = true }, shared = { .own_network = false };

static struct sockaddr_in localhost(in_port_t port) {
        return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int client(int flags) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

        assert_true(fd >= 0);
        return fd;
}

static int server(int backlog, struct sockaddr_in *ret) {
        socklen_t len = sizeof(*ret);
        int fd = client(0);

        *ret = localhost(0);
        assert_int_equal(bind(fd, (struct sockaddr *)ret, sizeof(*ret)), 0);
        assert_int_equal(listen(fd, backlog), 0);
        assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
        return fd;
}

static int now(const struct broker_plan *plan, int fd, int domain, const void *address, size_t len) {
        struct broker_connect request = { .socket = fd, .domain = domain, .len = len };

        memcpy(request.bytes, address, len);
        return broker_connect_now(plan, &request);
}

static int now_to(const struct broker_plan *plan, int fd, const struct sockaddr_in *to) {
        return now(plan, fd, AF_INET, to, sizeof(*to));
}

static void over_at_once(void **state) {
        struct sockaddr_in to;
        FD_AUTO listener = server(8, &to), waits = client(0), refused = client(0), datagram = -1;

        (void)state;
        assert_int_equal(now_to(&own, waits, &to), 0);
        assert_int_equal(now_to(&own, waits, &to), -EISCONN);
        close(TAKE_FD(listener));
        assert_int_equal(now_to(&own, refused, &to), -ECONNREFUSED);
        datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        assert_int_equal(now_to(&own, datagram, &to), 0);
}

static void sockets_that_do_not_wait(void **state) {
        struct sockaddr_in to;
        FD_AUTO listener = server(8, &to), one = client(SOCK_NONBLOCK), two = client(SOCK_NONBLOCK);

        (void)state;
        (void)listener; /* it only listens */
        assert_int_equal(now_to(&own, one, &to), -EINPROGRESS);
        assert_int_equal(now_to(&shared, two, &to), -EINPROGRESS);
}

static void what_a_worker_has_to_do(void **state) {
        const struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "/nonexistent" };
        struct sockaddr_in to;
        FD_AUTO listener = server(8, &to), inet = client(0), local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_in peer;
        socklen_t len = sizeof(peer);

        (void)state;
        (void)listener; /* it only listens */
        assert_int_equal(now(&own, local, AF_UNIX, &path, sizeof(path)), BROKER_WAITS);
        assert_int_equal(now_to(&shared, inet, &to), BROKER_WAITS); /* a host of the internet may not answer for minutes */
        assert_int_equal(getpeername(inet, (struct sockaddr *)&peer, &len), -1);
}

/* Nobody accepts, so that nobody answers: connect() would wait for two minutes. */
static void never_waits(void **state) {
        struct sockaddr_in to;
        FD_AUTO listener = server(0, &to), waits = client(0);
        int queue[FILLED];
        struct itimerval timer;
        sigset_t blocked;

        (void)state;
        for (int i = 0; i < FILLED; i++) {
                queue[i] = client(SOCK_NONBLOCK);
                (void)connect(queue[i], (struct sockaddr *)&to, sizeof(to));
        }
        assert_int_equal(now_to(&own, waits, &to), BROKER_WAITS);
        assert_int_equal(getitimer(ITIMER_REAL, &timer), 0);
        assert_true(timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0);
        assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &blocked), 0);
        assert_true(sigismember(&blocked, SIGALRM));
        for (int i = 0; i < FILLED; i++) { /* now there is room: who waits on gets there */
                int fd = i < 1 ? accept(listener, NULL, NULL) : -1;

                fd_close(fd);
                close(queue[i]);
        }
        assert_int_equal(connect(waits, (struct sockaddr *)&to, sizeof(to)), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(over_at_once),
                cmocka_unit_test(sockets_that_do_not_wait),
                cmocka_unit_test(what_a_worker_has_to_do),
                cmocka_unit_test(never_waits),
        };

        alarm(0);
        return cmocka_run_group_tests_name("broker_now", tests, NULL, NULL);
}
