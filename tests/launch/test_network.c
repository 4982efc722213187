/* A network that is made while its sandbox is: by another process, or where that fails, by the one that needs it. */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/network.h"

enum { SKIPPED = 77 };

static ino_t network_here(void) {
        struct stat st;

        return stat("/proc/self/ns/net", &st) < 0 ? 0 : st.st_ino;
}

static bool loopback_is_up(void) {
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = { .ifr_name = "lo" };

        return fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP);
}

/* For programs that ask only for addresses of families that this host has. */
static bool localhost_is_found(void) {
        const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
        struct addrinfo *found;

        if (getaddrinfo("localhost", "80", &hints, &found) != 0)
                return false;
        freeaddrinfo(found);
        return true;
}

static int connect_to(uint32_t address) {
        const struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(address) };
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        return connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
}

static bool network_works(void) {
        return loopback_is_up() && localhost_is_found() && connect_to((uint32_t)NETWORK_ADDRESS) == 0 &&
               connect_to(0xc0000201) == ENETUNREACH;
}

/* In a process of its own, with a user namespace, so that anybody may. Returns its exit status: which step went wrong. */
static int in_new_place(int (*body)(void)) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0)
                _exit(unshare(CLONE_NEWUSER) < 0 ? SKIPPED : body());
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == SKIPPED)
                skip();
        return WEXITSTATUS(status);
}

static int enter_made(void) {
        struct network network;
        ino_t before = network_here();
        struct err err;
        int status;

        network_begin(&network);
        if (network.maker < 0)
                return 1;
        if (network_here() != before)
                return 2;
        if (network_enter(&network, &err) < 0)
                return 3;
        if (network_here() == before || !network_works())
                return 4;
        /* It has been told to end; and the network is still there without it. */
        if (waitpid(network.maker, &status, __WALL) != network.maker || WTERMSIG(status) != SIGKILL)
                return 5;
        return network_works() ? 0 : 6;
}

static void one_is_made_meanwhile(void **state) {
        (void)state;
        for (int i = 0; i < 20; i++)
                assert_int_equal(in_new_place(enter_made), 0);
}

/* The maker ends before, or while, it makes one, or just after that. */
static int enter_killed(void) {
        struct network network;
        ino_t before = network_here();
        struct err err;

        alarm(100);
        network_begin(&network);
        if (network.maker < 0 || kill(network.maker, SIGKILL) < 0)
                return 1;
        if (network_enter(&network, &err) < 0)
                return 2;
        return network_here() != before && network_works() ? 0 : 3;
}

static void one_whose_maker_is_killed(void **state) {
        (void)state;
        for (int i = 0; i < 20; i++)
                assert_int_equal(in_new_place(enter_killed), 0);
}

static int enter_unmade(void) {
        struct network network = { .maker = -1 };
        ino_t before = network_here();
        struct err err;

        if (network_enter(&network, &err) < 0)
                return 1;
        return network_here() != before && network_works() ? 0 : 2;
}

static void who_has_no_helper_makes_it(void **state) {
        (void)state;
        assert_int_equal(in_new_place(enter_unmade), 0);
}

/* Without the right to do so: a namespace that may not make others. */
static int be_refused(void) {
        FD_AUTO fd = open("/proc/sys/user/max_net_namespaces", O_WRONLY | O_CLOEXEC); /* of the new user namespace */
        struct network network;
        ino_t before = network_here();
        struct err err = {};

        if (fd < 0 || write(fd, "0", 1) != 1)
                return SKIPPED;
        network_begin(&network);
        return network_enter(&network, &err) < 0 && err.sys == ENOSPC && network_here() == before ? 0 : 1;
}

static void a_refusal_is_told(void **state) {
        (void)state;
        assert_int_equal(in_new_place(be_refused), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_is_made_meanwhile),
                cmocka_unit_test(one_whose_maker_is_killed),
                cmocka_unit_test(who_has_no_helper_makes_it),
                cmocka_unit_test(a_refusal_is_told),
        };

        return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
