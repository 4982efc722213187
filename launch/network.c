#include "launch/network.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/kernel.h"

/* GONE is what the kernel writes, and wakes for, when the maker ends: one that was killed has said nothing. */
enum state { GONE, MAKING, MADE, FAILED };

static const struct ifreq loopback_up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

/* By this old call, as it takes half as long as a message by netlink. Its prefix is 24 bits long. */
static struct ifreq own_address(void) {
        const struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl((uint32_t)NETWORK_ADDRESS) };
        struct ifreq request = { .ifr_name = "lo:1" };

        memcpy(&request.ifr_addr, &address, sizeof(address));
        return request;
}

int network_add_address(struct err *err) {
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq address = own_address();

        return fd < 0 || ioctl(fd, SIOCSIFADDR, &address) < 0 ? err_sys(err, "address of the sandbox") : 0;
}

int network_raise(struct err *err) {
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq request = loopback_up;

        if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
                return err_sys(err, "localhost");
        return network_add_address(err);
}

/* ---- in the maker ---- */

/*
 * Two processes run in one memory here, at the same time, and even errno is the same for both. So this one calls nothing but
 * the kernel, and as long as that refuses nothing, nothing is written. Sanitizers would keep accounts here that are the other
 * one's.
 */
__attribute__((no_sanitize("address", "undefined"))) static int maker(void *argument) {
        struct network *network = argument;
        long fd = -1;

        if (syscall(SYS_unshare, CLONE_NEWNET) == 0)
                fd = syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && syscall(SYS_ioctl, fd, SIOCSIFFLAGS, &network->loopback) == 0 &&
            syscall(SYS_ioctl, fd, SIOCSIFADDR, &network->address) == 0) {
                atomic_store(&network->state, MADE);
        } else {
                network->why = errno;
                atomic_store(&network->state, FAILED);
        }
        syscall(SYS_futex, &network->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        for (;;) /* until it is killed: the network lives with it */
                syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
        return 0;
}

/* ---- in its parent ---- */

/* The maker's number is free again when the command comes, who is to have the same one as in a sandbox that was made in the
 * other way. Where this cannot be had, its number is another: that does no harm. */
static void reuse_number(pid_t pid) {
        FD_AUTO fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
        char before[16];
        int len = snprintf(before, sizeof(before), "%d", (int)pid - 1);

        if (fd >= 0 && write(fd, before, (size_t)len) < 0)
                errno = 0;
}

void network_begin(struct network *network) {
        network->loopback = loopback_up;
        network->address = own_address();
        network->why = ESRCH;
        atomic_store(&network->state, MAKING);
        network->maker = clone(maker, network->stack + sizeof(network->stack), CLONE_VM | CLONE_CHILD_CLEARTID, network, NULL,
                               NULL, (pid_t *)&network->state);
        if (network->maker > 0)
                reuse_number(network->maker);
}

static int await(struct network *network) {
        while (atomic_load(&network->state) == MAKING)
                syscall(SYS_futex, &network->state, FUTEX_WAIT, MAKING, NULL, NULL, 0);
        errno = network->why;
        return atomic_load(&network->state) == MADE ? 0 : -1;
}

static int enter(struct network *network) {
        FD_AUTO pidfd = -1;

        if (network->maker < 0 || await(network) < 0)
                return -1;
        pidfd = kernel_pidfd_open(network->maker);
        return pidfd < 0 ? -1 : setns(pidfd, CLONE_NEWNET);
}

int network_enter(struct network *network, struct err *err) {
        int result = enter(network);

        if (network->maker > 0)
                kill(network->maker, SIGKILL);
        if (result == 0)
                return 0;
        /* Before Linux 5.8 there is no such setns(); other reasons come up again. */
        return unshare(CLONE_NEWNET) < 0 ? err_sys(err, "network namespace") : network_raise(err);
}
