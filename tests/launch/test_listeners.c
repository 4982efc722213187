#include "launch/egress.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/test.h"

static int listen_at(int family, uint32_t address, uint16_t *ret_port) {
        struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
        struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr.s6_addr[15] = (uint8_t)address };
        int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);
        struct sockaddr *at = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;

        if (fd < 0 || bind(fd, at, len) < 0 || listen(fd, 1) < 0 || getsockname(fd, at, &len) < 0) {
                close(fd);
                return -1;
        }
        *ret_port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
        return fd;
}

/* Others listen in this network, too: so only what is new counts. */
static bool is_listed(int diag, uint16_t port) {
        static uint16_t ports[65536];
        size_t count = listeners_read(diag, ports, 65536), times = 0;

        for (size_t i = 0; i < count; i++)
                times += ports[i] == port;
        assert_true(times <= 1);
        return times;
}

static int open_diag(void) {
        uint16_t port = 0;
        int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), fd;

        if (diag < 0)
                skip();
        fd = listen_at(AF_INET, INADDR_LOOPBACK, &port);
        assert_true(fd >= 0);
        if (!is_listed(diag, port)) { /* the kernel has no inet_diag */
                close(fd);
                close(diag);
                skip();
        }
        close(fd);
        assert_false(is_listed(diag, port));
        return diag;
}

static void test_lists_what_localhost_reaches(void **state) {
        static const struct {
                int family;
                uint32_t address;
                bool listed;
        } cases[] = {
                { AF_INET, INADDR_LOOPBACK, true },
                { AF_INET, INADDR_ANY, true },
                { AF_INET, 0x7f000002, true },
                { AF_INET6, 0, true },
                { AF_INET6, 1, true },
        };
        int diag = open_diag();

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                uint16_t port = 0;
                int fd = listen_at(cases[i].family, cases[i].address, &port);

                if (fd < 0) /* no IPv6 */
                        continue;
                assert_int_equal(is_listed(diag, port), cases[i].listed);
                close(fd);
        }
        close(diag);
}

static void test_a_socket_that_only_has_a_port_is_none(void **state) {
        struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t len = sizeof(address);
        int diag = open_diag(), fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        (void)state;
        assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
        assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
        assert_false(is_listed(diag, ntohs(address.sin_port)));
        close(fd);
        close(diag);
}

static void test_there_are_never_more_than_asked_for(void **state) {
        uint16_t ports[3] = { 0, 0, 7 }, port;
        int diag = open_diag(), fds[4];

        (void)state;
        for (size_t i = 0; i < 4; i++)
                fds[i] = listen_at(AF_INET, INADDR_LOOPBACK, &port);
        assert_int_equal(listeners_read(diag, ports, 2), 2);
        assert_int_equal(ports[2], 7);
        for (size_t i = 0; i < 4; i++)
                close(fds[i]);
        close(diag);
}

static void test_another_socket_lists_nothing(void **state) {
        uint16_t port;
        int pair[2];

        (void)state;
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
        assert_int_equal(listeners_read(pair[0], &port, 1), 0);
        close(pair[0]);
        close(pair[1]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lists_what_localhost_reaches),
                cmocka_unit_test(test_a_socket_that_only_has_a_port_is_none),
                cmocka_unit_test(test_there_are_never_more_than_asked_for),
                cmocka_unit_test(test_another_socket_lists_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
