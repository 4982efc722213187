/*
 * The way out of a sandbox, in network namespaces of their own: what a command connects to arrives at sockets of the gateway,
 * which this test plays, and nowhere else. Without nf_tables, without IPv6, and without anybody who accepts.
 */
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/control.h"
#include "launch/egress.h"
#include "launch/network.h"
#include "launch/start.h"
#include "sandbox/seccomp.h"

enum { SKIPPED = 77, PATIENCE_MS = 20000 };

static const uint16_t ports[] = { 22, 53, 80, 443, 8443 };
static const uint16_t host_ports[] = { 5432, 443 };

#define CHECK(condition)                                                                               \
        do {                                                                                           \
                if (!(condition)) {                                                                    \
                        fprintf(stderr, "# line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
                        return 1;                                                                      \
                }                                                                                      \
        } while (0)

/* ---- both sides ---- */

/* "1.2.3.4" or "2001::1"; returns its length. */
static socklen_t address_of(const char *text, uint16_t port, struct sockaddr_storage *ret) {
        struct sockaddr_in *to4 = (struct sockaddr_in *)ret;
        struct sockaddr_in6 *to6 = (struct sockaddr_in6 *)ret;

        memset(ret, 0, sizeof(*ret));
        if (inet_pton(AF_INET, text, &to4->sin_addr) == 1) {
                to4->sin_family = AF_INET;
                to4->sin_port = htons(port);
                return sizeof(*to4);
        }
        assert_int_equal(inet_pton(AF_INET6, text, &to6->sin6_addr), 1);
        to6->sin6_family = AF_INET6;
        to6->sin6_port = htons(port);
        return sizeof(*to6);
}

static int connect_to(int type, const char *text, uint16_t port) {
        struct sockaddr_storage to;
        socklen_t len = address_of(text, port, &to);
        FD_AUTO fd = socket(to.ss_family, type | SOCK_CLOEXEC, 0);

        return fd < 0 || connect(fd, (struct sockaddr *)&to, len) < 0 ? -1 : TAKE_FD(fd);
}

static int refusal(const char *text, uint16_t port) {
        FD_AUTO fd = connect_to(SOCK_STREAM, text, port);

        return fd >= 0 ? 0 : errno;
}

static int listen_on(const char *text, uint16_t port) {
        struct sockaddr_storage at;
        socklen_t len = address_of(text, port, &at);
        FD_AUTO fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        return fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 8) < 0 ? -1 : TAKE_FD(fd);
}

static int socket_of(const struct egress_sockets *sockets, enum egress_socket kind, uint16_t port) {
        for (size_t i = 0; i < sockets->count; i++)
                if (sockets->items[i].kind == kind && sockets->items[i].port == port)
                        return sockets->items[i].fd;
        return -1;
}

/* What was connected to, as text; IPv4 as such. */
static void destination(int fd, char ret[static 64]) {
        union {
                struct sockaddr any;
                struct sockaddr_in in4;
                struct sockaddr_in6 in6;
        } at = { .in6 = { .sin6_family = AF_INET6 } };
        socklen_t len = sizeof(at);
        char text[INET6_ADDRSTRLEN] = "";
        bool old;

        assert_int_equal(getsockname(fd, &at.any, &len), 0);
        old = at.any.sa_family == AF_INET;
        inet_ntop(at.any.sa_family, old ? (const void *)&at.in4.sin_addr : &at.in6.sin6_addr, text, sizeof(text));
        snprintf(ret, 64, "%s %u", strncmp(text, "::ffff:", 7) == 0 ? text + 7 : text,
                 ntohs(old ? at.in4.sin_port : at.in6.sin6_port));
}

/* A connection to `text` arrives at `listener`, with its destination, and carries bytes in both directions. */
static int arrives(int listener, const char *text, uint16_t port) {
        FD_AUTO client = connect_to(SOCK_STREAM, text, port);
        FD_AUTO server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        char wanted[64], got[64] = "", bytes[4];

        CHECK(client >= 0);
        CHECK(server >= 0);
        snprintf(wanted, sizeof(wanted), "%s %u", text, port);
        destination(server, got);
        CHECK(strcmp(got, wanted) == 0);
        CHECK(write(client, "ask", 4) == 4 && read(server, bytes, 4) == 4 && strcmp(bytes, "ask") == 0);
        CHECK(write(server, "say", 4) == 4 && read(client, bytes, 4) == 4 && strcmp(bytes, "say") == 0);
        return 0;
}

/* ---- throwaway networks ---- */

static int in_new_network(int (*body)(void)) {
        struct err err = {};
        int status = -1;
        pid_t pid = fork();

        if (pid == 0) {
                alarm(100);
                if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
                        _exit(SKIPPED);
                _exit(network_raise(&err) < 0 ? 2 : body());
        }
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == SKIPPED)
                skip();
        return WEXITSTATUS(status);
}

static int set_up(const struct launch_egress *egress, struct egress_sockets *ret, struct err *err) {
        struct control_message message = {};
        int ends[2], result;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return -1;
        result = egress_set_up(egress, ends[0], err);
        close(ends[0]);
        if (result == 0 && (control_receive(ends[1], &message) != 1 || message.kind != CONTROL_EGRESS))
                result = -1;
        if (result == 0)
                *ret = message.egress;
        close(ends[1]);
        return result;
}

static const struct launch_egress all = {
        .wanted = true, .ports = ports, .port_count = 5, .host_ports = host_ports, .host_port_count = 2
};

/* This process can no longer make sockets whose argument number `index` is `value`. */
static int deny_sockets(size_t index, unsigned value, unsigned why) {
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offsetof(struct seccomp_data, args) + index * 8)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | why),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -1 : 0;
}

static int deny_nf_tables(void) {
        return deny_sockets(2, NETLINK_NETFILTER, EPROTONOSUPPORT);
}

/* ---- transparent ---- */

/* Where the kernel has no tproxy, the cases for it are skipped. */
static int set_up_transparent(const struct launch_egress *egress, struct egress_sockets *ret) {
        struct err err = {};

        if (set_up(egress, ret, &err) < 0) {
                fprintf(stderr, "# %s\n", err.msg);
                return 1;
        }
        return ret->transparent ? 0 : SKIPPED;
}

static int every_destination(void) {
        static const char *const hosts[] = { "93.184.216.34", "10.0.0.1", "169.254.169.254", "2606:2800:220::1",
                                             "fd00:ec2::254" };
        struct egress_sockets sockets = {};
        int result = set_up_transparent(&all, &sockets), listener;

        if (result)
                return result;
        listener = socket_of(&sockets, EGRESS_TRANSPARENT, 0);
        CHECK(sockets.ipv6);
        for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
                if (arrives(listener, hosts[i], 443) || arrives(listener, hosts[i], 54321) || arrives(listener, hosts[i], 1))
                        return 1;
        return 0;
}

static void connections_to_everywhere_arrive(void **state) {
        (void)state;
        assert_int_equal(in_new_network(every_destination), 0);
}

/* Of its own addresses the command has all ports, also while connections elsewhere have the same port. */
static int own_addresses(void) {
        static const char *const own[] = { "127.0.0.1", "127.9.9.9", "198.18.0.1", "::1", "2001:2::1" };
        struct egress_sockets sockets = {};
        int result = set_up_transparent(&all, &sockets), gateway;
        FD_AUTO away = -1, server = -1;

        if (result)
                return result;
        gateway = socket_of(&sockets, EGRESS_TRANSPARENT, 0);
        away = connect_to(SOCK_STREAM, "93.184.216.34", 8080);
        server = accept4(gateway, NULL, NULL, SOCK_CLOEXEC);
        CHECK(away >= 0 && server >= 0);
        for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
                FD_AUTO listener = listen_on(own[i], 8080);

                CHECK(listener >= 0);
                if (arrives(listener, own[i], 8080))
                        return 1;
        }
        return 0;
}

static void own_addresses_are_the_commands(void **state) {
        (void)state;
        assert_int_equal(in_new_network(own_addresses), 0);
}

/* A command that listens on all addresses does not take what is for others: it might take that for the real host. */
static int wildcard(void) {
        struct egress_sockets sockets = {};
        int result = set_up_transparent(&all, &sockets);
        FD_AUTO any4 = -1, any6 = -1;

        if (result)
                return result;
        any4 = listen_on("0.0.0.0", 8080);
        CHECK(any4 >= 0);
        any6 = listen_on("::", 8081);
        CHECK(any6 >= 0);
        return arrives(any4, "127.0.0.1", 8080) || arrives(any6, "::1", 8081) ||
               arrives(socket_of(&sockets, EGRESS_TRANSPARENT, 0), "93.184.216.34", 8080) ||
               arrives(socket_of(&sockets, EGRESS_TRANSPARENT, 0), "2606:2800:220::1", 8081);
}

static void listeners_of_the_command_take_only_its_own(void **state) {
        (void)state;
        assert_int_equal(in_new_network(wildcard), 0);
}

/* ---- DNS ---- */

union pktinfo {
        struct cmsghdr head;
        char bytes[128];
};

/* As the gateway does: the answer comes from the address that was asked. */
static int answer(int fd) {
        char bytes[16];
        struct sockaddr_storage from;
        struct iovec part = { bytes, sizeof(bytes) };
        union pktinfo control = {};
        struct msghdr message = { .msg_name = &from,
                                  .msg_namelen = sizeof(from),
                                  .msg_iov = &part,
                                  .msg_iovlen = 1,
                                  .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        ssize_t len = recvmsg(fd, &message, 0);

        CHECK(len > 0);
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
                if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_PKTINFO) {
                        struct in_pktinfo *info = (struct in_pktinfo *)CMSG_DATA(c);

                        info->ipi_ifindex = 0;
                        info->ipi_spec_dst = info->ipi_addr;
                } else if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
                        ((struct in6_pktinfo *)CMSG_DATA(c))->ipi6_ifindex = 0;
                }
        }
        part.iov_len = (size_t)len;
        CHECK(sendmsg(fd, &message, 0) == len);
        return 0;
}

/* A connected socket takes no answer of another address. */
static int asks(int dns, const char *server) {
        FD_AUTO fd = connect_to(SOCK_DGRAM, server, 53);
        char bytes[16] = "";

        CHECK(fd >= 0);
        CHECK(send(fd, "question", 9, 0) == 9);
        if (answer(dns))
                return 1;
        CHECK(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) == 9 && strcmp(bytes, "question") == 0);
        return 0;
}

static int dns_sockets(void) {
        struct egress_sockets sockets = {};
        struct err err = {};
        int udp, tcp;

        CHECK(set_up(&all, &sockets, &err) == 0);
        udp = socket_of(&sockets, EGRESS_DNS_UDP, 53);
        tcp = socket_of(&sockets, EGRESS_DNS_TCP, 53);
        if (asks(udp, "8.8.8.8") || asks(udp, "127.0.0.1") || asks(udp, "127.0.0.53") || asks(udp, "192.168.1.1"))
                return 1;
        if (sockets.ipv6 && (asks(udp, "2001:4860:4860::8888") || asks(udp, "::1") || arrives(tcp, "2001:4860:4860::8888", 53)))
                return 1;
        return arrives(tcp, "8.8.8.8", 53) || arrives(tcp, "127.0.0.1", 53);
}

static void any_name_server_answers(void **state) {
        (void)state;
        assert_int_equal(in_new_network(dns_sockets), 0);
}

static int no_other_udp(void) {
        struct egress_sockets sockets = {};
        struct err err = {};
        FD_AUTO fd = -1;
        char byte = 0;

        CHECK(set_up(&all, &sockets, &err) == 0);
        fd = connect_to(SOCK_DGRAM, "93.184.216.34", 443);
        CHECK(fd >= 0 && send(fd, &byte, 1, 0) == 1);
        CHECK(recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == ECONNREFUSED); /* so programs fall back to TCP at once */
        return 0;
}

static void other_udp_is_refused_at_once(void **state) {
        (void)state;
        assert_int_equal(in_new_network(no_other_udp), 0);
}

/* ---- without something ---- */

static int only_ports(void) {
        struct egress_sockets sockets = {};
        struct err err = {};

        CHECK(deny_nf_tables() == 0);
        CHECK(set_up(&all, &sockets, &err) == 0);
        CHECK(!sockets.transparent && socket_of(&sockets, EGRESS_TRANSPARENT, 0) < 0);
        CHECK(socket_of(&sockets, EGRESS_PORT, 443) < 0); /* it is a port of the host */
        if (arrives(socket_of(&sockets, EGRESS_PORT, 80), "93.184.216.34", 80) ||
            arrives(socket_of(&sockets, EGRESS_PORT, 8443), "10.0.0.1", 8443) ||
            arrives(socket_of(&sockets, EGRESS_PORT, 22), "2606:2800:220::1", 22) ||
            arrives(socket_of(&sockets, EGRESS_HOST_PORT, 443), "127.0.0.1", 443))
                return 1;
        CHECK(refusal("93.184.216.34", 8080) == ECONNREFUSED);
        CHECK(refusal("2606:2800:220::1", 8080) == ECONNREFUSED);
        return 0;
}

static void without_nf_tables_each_port_has_a_listener(void **state) {
        (void)state;
        assert_int_equal(in_new_network(only_ports), 0);
}

static int all_ports_wanted(void) {
        struct launch_egress egress = all;
        struct egress_sockets sockets = {};
        struct err err = {};

        egress.needs_transparent = true;
        CHECK(deny_nf_tables() == 0);
        CHECK(set_up(&egress, &sockets, &err) < 0);
        CHECK(err.code == ERR_UNSUPPORTED && err.sys == EPROTONOSUPPORT && strstr(err.msg, "nf_tables with tproxy"));
        return 0;
}

static void without_nf_tables_all_ports_of_a_host_are_refused(void **state) {
        (void)state;
        assert_int_equal(in_new_network(all_ports_wanted), 0);
}

static int no_ipv6(void) {
        struct egress_sockets sockets = {};
        struct err err = {};
        int listener;

        CHECK(deny_sockets(0, AF_INET6, EAFNOSUPPORT) == 0);
        CHECK(set_up(&all, &sockets, &err) == 0);
        CHECK(!sockets.ipv6);
        listener = socket_of(&sockets, sockets.transparent ? EGRESS_TRANSPARENT : EGRESS_PORT, sockets.transparent ? 0 : 80);
        return arrives(listener, "93.184.216.34", 80) || asks(socket_of(&sockets, EGRESS_DNS_UDP, 53), "8.8.8.8");
}

/* There is IPv6, but lo has none. */
static int disabled_ipv6(void) {
        FD_AUTO fd = open("/proc/sys/net/ipv6/conf/all/disable_ipv6", O_WRONLY | O_CLOEXEC);
        struct egress_sockets sockets = {};
        struct err err = {};

        if (fd < 0 || write(fd, "1", 1) != 1)
                return SKIPPED;
        CHECK(set_up(&all, &sockets, &err) == 0);
        CHECK(!sockets.ipv6);
        return asks(socket_of(&sockets, EGRESS_DNS_UDP, 53), "8.8.8.8");
}

static void without_ipv6_there_is_ipv4(void **state) {
        (void)state;
        assert_int_equal(in_new_network(no_ipv6), 0);
        assert_int_equal(in_new_network(disabled_ipv6), 0);
}

/* Fails closed: that nobody takes the sockets opens nothing. */
static int nobody_accepts(void) {
        struct egress_sockets sockets = {};
        struct err err = {};

        CHECK(set_up(&all, &sockets, &err) == 0);
        egress_sockets_close(&sockets);
        CHECK(refusal("93.184.216.34", 443) == ECONNREFUSED);
        CHECK(refusal("2606:2800:220::1", 443) == ECONNREFUSED);
        CHECK(refusal("8.8.8.8", 53) == ECONNREFUSED);
        CHECK(refusal("127.0.0.1", 5432) == ECONNREFUSED);
        return 0;
}

static void without_a_gateway_everything_is_refused(void **state) {
        (void)state;
        assert_int_equal(in_new_network(nobody_accepts), 0);
}

/* ---- ports of the host ---- */

static int only_host_ports(void) {
        const struct launch_egress egress = { .host_ports = host_ports, .host_port_count = 2 };
        struct egress_sockets sockets = {};
        struct err err = {};

        CHECK(set_up(&egress, &sockets, &err) == 0);
        CHECK(sockets.count == 4 && !sockets.transparent);
        CHECK(sockets.items[0].port == 5432 && sockets.items[1].port == 5432 && sockets.items[2].port == 443);
        if (arrives(sockets.items[0].fd, "127.0.0.1", 5432) || arrives(sockets.items[1].fd, "::1", 5432))
                return 1;
        CHECK(refusal("93.184.216.34", 443) == ENETUNREACH);
        CHECK(refusal("2606:2800:220::1", 443) == ENETUNREACH);
        CHECK(refusal("198.18.0.1", 5432) == ECONNREFUSED);
        return 0;
}

static void ports_of_the_host_open_nothing_else(void **state) {
        (void)state;
        assert_int_equal(in_new_network(only_host_ports), 0);
}

static int both_kinds(void) {
        struct egress_sockets sockets = {};
        int result = set_up_transparent(&all, &sockets);

        if (result)
                return result;
        return arrives(socket_of(&sockets, EGRESS_HOST_PORT, 443), "127.0.0.1", 443) ||
               arrives(socket_of(&sockets, EGRESS_TRANSPARENT, 0), "93.184.216.34", 443);
}

static void ports_of_the_host_and_hosts_go_together(void **state) {
        (void)state;
        assert_int_equal(in_new_network(both_kinds), 0);
}

/* ---- without capabilities ---- */

static int drop_capabilities(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[2] = {};

        return (int)syscall(SYS_capset, &header, none);
}

/* What a command might try that wants to have another way out, or to be asked instead of the gateway. */
static int command_tries(void) {
        struct ifreq down = { .ifr_name = "lo" };
        struct egress_sockets sockets = {};
        struct err err = {};
        bool ipv6;
        int one = 1;
        FD_AUTO fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        CHECK(set_up(&all, &sockets, &err) == 0);
        CHECK(drop_capabilities() == 0);
        CHECK(egress_make_routes(&ipv6, &err) < 0 && err.sys == EPERM);
        CHECK(egress_make_rules(true) < 0 && errno == EPERM);
        CHECK(network_add_address(&err) < 0 && err.sys == EPERM);
        CHECK(ioctl(fd, SIOCSIFFLAGS, &down) < 0 && errno == EPERM);
        CHECK(setsockopt(fd, SOL_IP, IP_TRANSPARENT, &one, sizeof(one)) < 0 && errno == EPERM);
        CHECK(setsockopt(fd, SOL_SOCKET, SO_MARK, &one, sizeof(one)) < 0 && errno == EPERM);
        CHECK(listen_on("0.0.0.0", 53) < 0 && errno == EACCES);
        CHECK(listen_on("127.0.0.53", 53) < 0 && errno == EACCES);
        CHECK(listen_on("0.0.0.0", 1) < 0 && errno == EACCES);
        CHECK(listen_on("93.184.216.34", 443) < 0 && errno == EACCES);
        CHECK(listen_on("127.0.0.1", 5432) < 0 && errno == EADDRINUSE);
        CHECK(socket(AF_INET, SOCK_RAW, IPPROTO_TCP) < 0 && errno == EPERM);
        CHECK(socket(AF_PACKET, SOCK_RAW, 0) < 0 && errno == EPERM);
        return 0;
}

static void commands_cannot_change_it(void **state) {
        (void)state;
        assert_int_equal(in_new_network(command_tries), 0);
}

/* ---- messages ---- */

static void invalid_messages_are_refused_and_their_files_closed(void **state) {
        static const struct {
                size_t len, files;
                unsigned char bytes[16];
        } cases[] = {
                { 0, 0, { 0 } },
                { 3, 0, { 'E', 0, 0 } },
                { 4, 0, { 'F', 0, 0, 0 } },
                { 4, 0, { 'E', 2, 0, 0 } },
                { 4, 0, { 'E', 0, 2, 0 } },
                { 4, 0, { 'E', 0, 0, 1 } },
                { 4, 1, { 'E', 0, 0, 1 } },
                { 4, 1, { 'E', 0, 0, 0 } },
                { 8, 1, { 'E', 0, 0, 1, EGRESS_DIAG + 1, 0, 0, 1 } },
                { 8, 1, { 'E', 0, 0, 1, EGRESS_PORT, 1, 0, 1 } },
                { 9, 1, { 'E', 0, 0, 1, EGRESS_PORT, 0, 0, 1 } },
                { 8, 2, { 'E', 0, 0, 2, EGRESS_PORT, 0, 0, 1 } },
        };
        struct egress_sockets got = { .count = 7 };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                int files[2] = { -1, -1 };

                for (size_t k = 0; k < cases[i].files; k++)
                        files[k] = open("/dev/null", O_RDONLY | O_CLOEXEC);
                assert_int_equal(egress_sockets_read(cases[i].bytes, cases[i].len, files, cases[i].files, &got), -1);
                for (size_t k = 0; k < cases[i].files; k++)
                        assert_int_equal(fcntl(files[k], F_GETFD), -1);
                assert_int_equal(got.count, 7);
        }
}

/* What pid 1 says could come from a command that has taken it over. */
static void sockets_that_nobody_asked_for_are_closed(void **state) {
        static const uint16_t https[] = { 443 }, postgres[] = { 5432 };
        static const struct launch_egress hosts = { .wanted = true, .ports = https, .port_count = 1 },
                                          port = { .host_ports = postgres, .host_port_count = 1 };
        static const struct {
                enum egress_socket kind;
                uint16_t port;
                bool by_hosts, by_port;
        } cases[] = {
                { EGRESS_DNS_UDP, 53, true, false },    { EGRESS_DNS_TCP, 53, true, false },
                { EGRESS_TRANSPARENT, 0, true, false }, { EGRESS_PORT, 443, true, false },
                { EGRESS_PORT, 22, false, false },      { EGRESS_HOST_PORT, 5432, false, true },
                { EGRESS_HOST_PORT, 22, false, false }, { EGRESS_HOST_PORT, 443, false, false },
                { EGRESS_OUTGOING, 0, true, true },     { EGRESS_SHELL_PORT, 3000, true, true },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                for (int by_port = 0; by_port < 2; by_port++) {
                        bool wanted = by_port ? cases[i].by_port : cases[i].by_hosts;
                        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
                        struct egress_sockets sockets = { .count = 1, .items = { { cases[i].kind, cases[i].port, fd } } };

                        egress_sockets_check(by_port ? &port : &hosts, &sockets);
                        if (sockets.count != wanted)
                                fail_msg("case %zu: %zu", i, sockets.count);
                        assert_int_equal(fcntl(fd, F_GETFD) >= 0, wanted);
                        egress_sockets_close(&sockets);
                }
}

/* ---- whole sandboxes ---- */

struct sandbox {
        struct arena arena;
        struct launch launch;
        struct launched launched;
        const char *argv[4];
        int out; /* what it writes */
        int in;
};

static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };

/* With the filter of `strict` on pid 1, too. */
static void start(struct sandbox *s, const char *script, const struct launch_egress *egress) {
        int out[2], in[2];
        struct err err = {};

        *s = (struct sandbox){ .argv = { "bash", "-c", script, NULL } };
        s->launch = (struct launch){ .backend = "native",
                                     .namespaces = LAUNCH_NAMESPACES_AND_NET,
                                     .own_pids = true,
                                     .program = "bash",
                                     .argv = s->argv,
                                     .envp = envp,
                                     .cwd = "/",
                                     .egress = *egress };
        arena_init(&s->arena, 0);
        if (seccomp_compile(SYSCALLS_STRICT, SECCOMP_OWN_LIMITS, SECCOMP_ARCH_HERE, &s->arena, &s->launch.seccomp,
                            &s->launch.seccomp_count, &err) < 0)
                skip();
        assert_int_equal(fd_pipe(out, &err), 0);
        assert_int_equal(fd_pipe(in, &err), 0);
        if (launch_start(&s->launch, &(struct launch_files){ in[0], out[1], out[1] }, &s->launched, &err) < 0)
                skip(); /* no namespaces here */
        close(in[0]);
        close(out[1]);
        s->out = out[0];
        s->in = in[1];
}

static void receive(struct sandbox *s, struct egress_sockets *ret) {
        struct control_message message = {};

        do {
                struct pollfd fd = { .fd = s->launched.control, .events = POLLIN };

                assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
                assert_int_equal(control_receive(s->launched.control, &message), 1);
        } while (message.kind != CONTROL_EGRESS);
        *ret = message.egress;
}

static void end(struct sandbox *s, const char *wanted) {
        char text[256] = "";
        struct err err = {};
        size_t used = 0;
        ssize_t got;
        int status;

        close(s->in);
        while ((got = read(s->out, text + used, sizeof(text) - 1 - used)) > 0)
                used += (size_t)got;
        close(s->out);
        if (launch_end(&s->launched, &status, &err) < 0)
                fail_msg("%s", err.msg);
        launch_reap(&s->launched);
        assert_string_equal(text, wanted);
        assert_int_equal(status, 0);
        arena_free(&s->arena);
}

static int wait_for(int listener) {
        struct pollfd fd = { .fd = listener, .events = POLLIN };

        assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
        return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

static void a_command_reaches_the_gateway(void **state) {
        struct egress_sockets sockets = {};
        struct sandbox s;
        char text[64];
        int server;

        (void)state;
        start(&s, "exec 3<>/dev/tcp/93.184.216.34/80 && cat <&3; ls /proc/self/fd | wc -l", &all);
        receive(&s, &sockets);
        server = wait_for(
                socket_of(&sockets, sockets.transparent ? EGRESS_TRANSPARENT : EGRESS_PORT, sockets.transparent ? 0 : 80));
        destination(server, text);
        assert_string_equal(text, "93.184.216.34 80");
        assert_int_equal(write(server, "hello\n", 6), 6);
        close(server);
        end(&s, "hello\n5\n"); /* 0, 1, 2, its 3, and the directory: nothing of the gateway is left inside */
        egress_sockets_close(&sockets);
}

/* Of a socket that does not block. */
static int connect_result(int fd, const struct sockaddr_storage *to, socklen_t to_len) {
        struct pollfd polled = { .fd = fd, .events = POLLOUT };
        int result = 0;
        socklen_t len = sizeof(result);

        if (connect(fd, (const struct sockaddr *)to, to_len) == 0)
                return 0;
        assert_int_equal(errno, EINPROGRESS);
        assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &len), 0);
        return result;
}

/* pid 1 makes sockets of the sandbox's network, and nobody else's. */
static void requested_sockets_are_of_the_sandbox(void **state) {
        const struct launch_egress egress = { .publish_count = 1 };
        FD_AUTO host = listen_on("127.0.0.1", 0);
        struct sockaddr_in at = {};
        socklen_t len = sizeof(at);
        struct egress_sockets sockets = {};
        struct sandbox s;

        (void)state;
        assert_int_equal(getsockname(host, (struct sockaddr *)&at, &len), 0);
        start(&s, "read line; echo done", &egress);
        for (int i = 0; i < 3; i++) {
                struct sockaddr_storage to;

                assert_int_equal(launch_request_socket(&s.launched), 0);
                receive(&s, &sockets);
                assert_int_equal(sockets.count, 1);
                assert_int_equal(sockets.items[0].kind, EGRESS_OUTGOING);
                len = address_of(sockets.ipv6 ? "::ffff:127.0.0.1" : "127.0.0.1", ntohs(at.sin_port), &to);
                assert_int_equal(connect_result(sockets.items[0].fd, &to, len), ECONNREFUSED);
                egress_sockets_close(&sockets);
        }
        assert_int_equal(write(s.in, "\n", 1), 1);
        end(&s, "done\n");
}

/* Before the command starts, with a reason. */
static void a_port_that_cannot_be_had_is_an_error(void **state) {
        static const uint16_t twice[] = { 53 };
        struct launch_egress egress = all;
        struct err err = {};
        struct sandbox s;
        char byte;
        int status;

        (void)state;
        egress.host_ports = twice;
        egress.host_port_count = 1;
        start(&s, "echo started", &egress);
        assert_int_equal(read(s.out, &byte, 1), 0);
        assert_int_equal(launch_end(&s.launched, &status, &err), -1);
        launch_reap(&s.launched);
        assert_non_null(strstr(err.msg, "port 53 of the sandbox"));
        close(s.in);
        close(s.out);
        arena_free(&s.arena);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(connections_to_everywhere_arrive),
                cmocka_unit_test(own_addresses_are_the_commands),
                cmocka_unit_test(listeners_of_the_command_take_only_its_own),
                cmocka_unit_test(any_name_server_answers),
                cmocka_unit_test(other_udp_is_refused_at_once),
                cmocka_unit_test(without_nf_tables_each_port_has_a_listener),
                cmocka_unit_test(without_nf_tables_all_ports_of_a_host_are_refused),
                cmocka_unit_test(without_ipv6_there_is_ipv4),
                cmocka_unit_test(without_a_gateway_everything_is_refused),
                cmocka_unit_test(ports_of_the_host_open_nothing_else),
                cmocka_unit_test(ports_of_the_host_and_hosts_go_together),
                cmocka_unit_test(commands_cannot_change_it),
                cmocka_unit_test(invalid_messages_are_refused_and_their_files_closed),
                cmocka_unit_test(sockets_that_nobody_asked_for_are_closed),
                cmocka_unit_test(a_command_reaches_the_gateway),
                cmocka_unit_test(requested_sockets_are_of_the_sandbox),
                cmocka_unit_test(a_port_that_cannot_be_had_is_an_error),
        };

        return cmocka_run_group_tests_name("egress", tests, NULL, NULL);
}
