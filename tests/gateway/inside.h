/*
 * Two network namespaces of the test's own: `outside`, where a gateway runs and servers listen, and `inside`, where every
 * address is local, and whose sockets the gateway gets. Nothing here reaches another network.
 */
#ifndef BAILEY_TESTS_GATEWAY_INSIDE_H
#define BAILEY_TESTS_GATEWAY_INSIDE_H

#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "gateway/gateway.h"
#include "policy/egress.h"

static int outside_namespace = -1, inside_namespace = -1;

#define MUST(expression)                                                           \
        ({                                                                         \
                long result_ = (long)(expression);                                 \
                if (result_ < 0) {                                                 \
                        fprintf(stderr, "%s: %s\n", #expression, strerror(errno)); \
                        abort();                                                   \
                }                                                                  \
                result_;                                                           \
        })

static inline void enter(int namespace) {
        MUST(setns(namespace, CLONE_NEWNET));
}

static inline void write_file(const char *path, const char *text) {
        int fd = (int)MUST(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));

        MUST(write(fd, text, strlen(text)));
        close(fd);
}

/* lo is up, and all of this prefix is local. */
static inline void make_local(const char *prefix, int bits) {
        struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
        struct {
                struct nlmsghdr head;
                struct rtmsg route;
                struct rtattr oif;
                uint32_t index;
                struct rtattr to;
                struct in_addr address;
        } message = {
                .head = { .nlmsg_len = sizeof(message),
                          .nlmsg_type = RTM_NEWROUTE,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
                .route = { .rtm_family = AF_INET,
                           .rtm_table = RT_TABLE_LOCAL,
                           .rtm_protocol = RTPROT_STATIC,
                           .rtm_scope = RT_SCOPE_HOST,
                           .rtm_type = RTN_LOCAL,
                           .rtm_dst_len = (uint8_t)bits },
                .oif = { .rta_len = RTA_LENGTH(4), .rta_type = RTA_OIF },
                .index = 1,
                .to = { .rta_len = RTA_LENGTH(4), .rta_type = RTA_DST },
        };
        struct {
                struct nlmsghdr head;
                struct nlmsgerr error;
        } answer = {};
        int fd = (int)MUST(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));

        MUST(ioctl(fd, SIOCSIFFLAGS, &up));
        close(fd);
        inet_pton(AF_INET, prefix, &message.address);
        if (!bits) /* the default route has no destination */
                message.head.nlmsg_len -= (uint32_t)(sizeof(message.to) + sizeof(message.address));
        fd = (int)MUST(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
        MUST(send(fd, &message, message.head.nlmsg_len, 0));
        MUST(recv(fd, &answer, sizeof(answer), 0));
        errno = -answer.error.error;
        MUST(answer.error.error ? -1 : 0);
        close(fd);
}

/* False: no namespaces here. */
static inline bool make_namespaces(void) {
        uid_t uid = getuid();
        gid_t gid = getgid();
        char map[64];

        if (uid != 0) {
                if (unshare(CLONE_NEWUSER) < 0)
                        return false;
                write_file("/proc/self/setgroups", "deny");
                snprintf(map, sizeof(map), "0 %u 1", uid);
                write_file("/proc/self/uid_map", map);
                snprintf(map, sizeof(map), "0 %u 1", gid);
                write_file("/proc/self/gid_map", map);
        }
        if (unshare(CLONE_NEWNET) < 0)
                return false;
        inside_namespace = (int)MUST(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
        make_local("0.0.0.0", 0);
        MUST(unshare(CLONE_NEWNET));
        outside_namespace = (int)MUST(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
        make_local("93.184.0.0", 16);
        return true;
}

static inline struct sockaddr_in place(const char *address, int port) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

        MUST(inet_pton(AF_INET, address, &to.sin_addr) - 1);
        return to;
}

static inline int listen_at(int namespace, int type, const char *address, int port) {
        struct sockaddr_in at = place(address, port);
        int one = 1, fd;

        enter(namespace);
        fd = (int)MUST(socket(AF_INET, type | SOCK_CLOEXEC, 0));
        MUST(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
        if (type == SOCK_DGRAM)
                MUST(setsockopt(fd, SOL_IP, IP_PKTINFO, &one, sizeof(one)));
        MUST(bind(fd, (struct sockaddr *)&at, sizeof(at)));
        if (type == SOCK_STREAM)
                MUST(listen(fd, 4096));
        enter(outside_namespace);
        return fd;
}

/* At all addresses of both families, as sandboxes have it. */
static inline int listen_both(int namespace, int type, int port) {
        struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
        int one = 1, fd;

        enter(namespace);
        fd = (int)MUST(socket(AF_INET6, type | SOCK_CLOEXEC, 0));
        MUST(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
        if (type == SOCK_DGRAM) {
                MUST(setsockopt(fd, SOL_IP, IP_PKTINFO, &one, sizeof(one)));
                MUST(setsockopt(fd, SOL_IPV6, IPV6_RECVPKTINFO, &one, sizeof(one)));
        }
        MUST(bind(fd, (struct sockaddr *)&at, sizeof(at)));
        if (type == SOCK_STREAM)
                MUST(listen(fd, 4096));
        enter(outside_namespace);
        return fd;
}

static inline int connect_from(int namespace, const char *address, int port) {
        struct sockaddr_in to = place(address, port);
        struct timeval limit = { .tv_sec = 60 };
        int fd;

        enter(namespace);
        fd = (int)MUST(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        enter(outside_namespace);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
                close(fd);
                return -1;
        }
        return fd;
}

/* ---- a DNS server outside: all names of a table, and a log of what it was asked ---- */

struct zone_row {
        const char *name, *addresses[3];
        int code, ttl;
};

static inline size_t zone_answer(const struct zone_row *zone, const uint8_t *question, size_t len, uint8_t *out, int log) {
        char name[256] = "";
        size_t at = 12, n = 0, answers = 0;
        const struct zone_row *row = zone;
        uint16_t type;

        while (at < len && question[at]) {
                memcpy(name + n, question + at + 1, question[at]);
                n += question[at];
                at += question[at] + 1u;
                name[n++] = '.';
        }
        name[n ? n - 1 : 0] = '\0';
        type = (uint16_t)(question[at + 1] << 8 | question[at + 2]);
        at += 5;
        dprintf(log, "%s\n", name);
        while (row->name && strcmp(row->name, name) != 0)
                row++;
        memcpy(out, question, at);
        memset(out + 6, 0, 6);
        out[2] = 0x85;
        out[3] = (uint8_t)(0x80 | (row->name ? row->code : 3));
        for (int i = 0; row->name && i < 3 && row->addresses[i]; i++) {
                uint8_t data[16];
                bool v6 = strchr(row->addresses[i], ':');

                if (type != (v6 ? 28 : 1))
                        continue;
                inet_pton(v6 ? AF_INET6 : AF_INET, row->addresses[i], data);
                memcpy(out + at, "\xc0\x0c\0\0\0\1\0\0\0\0\0", 11);
                out[at + 3] = (uint8_t)type;
                out[at + 9] = (uint8_t)row->ttl;
                out[at + 11] = v6 ? 16 : 4;
                memcpy(out + at + 12, data, out[at + 11]);
                at += 12u + out[at + 11];
                answers++;
        }
        out[7] = (uint8_t)answers;
        return at;
}

/* Runs until it is killed. */
static inline pid_t start_zone(const struct zone_row *zone, const char *log_path) {
        int fd = listen_at(outside_namespace, SOCK_DGRAM, "127.0.0.1", 53);
        pid_t pid = (pid_t)MUST(fork());

        if (pid == 0) {
                int log;

                MUST(dup2(fd, 3)); /* the sockets of the gateway are not for it */
                MUST(syscall(SYS_close_range, 4, ~0U, 0));
                fd = 3;
                log = (int)MUST(open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));

                for (;;) {
                        uint8_t in[1024], out[1024];
                        struct sockaddr_in from;
                        socklen_t from_len = sizeof(from);
                        ssize_t len = recvfrom(fd, in, sizeof(in), 0, (struct sockaddr *)&from, &from_len);
                        size_t answer;

                        if (len < 17)
                                continue;
                        answer = zone_answer(zone, in, (size_t)len, out, log);
                        if ((out[3] & 15) != 15) /* that code stands for no answer at all */
                                sendto(fd, out, answer, 0, (struct sockaddr *)&from, from_len);
                }
        }
        close(fd);
        return pid;
}

/* ---- the gateway ---- */

struct running {
        pid_t pid, engine; /* engine: whose pidfd it has */
        int socket;
};

static inline int open_pidfd(pid_t pid) {
        return (int)MUST(syscall(SYS_pidfd_open, pid, 0));
}

/* `outside`: -1: this process. */
static inline struct running start_gateway(const char *resolv_conf, int outside) {
        struct running running = {};
        int pair[2];

        MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
        if (outside < 0)
                outside = open_pidfd(getpid());
        running.pid = (pid_t)MUST(fork());
        if (running.pid == 0)
                gateway_run(&(struct gateway_options){
                        .socket = pair[1], .outside = outside, .alive = -1, .resolv_conf = resolv_conf, .keep_stderr = true });
        close(pair[1]);
        close(outside);
        running.socket = pair[0];
        return running;
}

/* The next event, for which it waits; the test fails without one. */
static inline struct gateway_event next_event(int socket) {
        struct gateway_event event = {};
        struct pollfd polled = { .fd = socket, .events = POLLIN };

        assert_int_equal(poll(&polled, 1, 60000), 1);
        assert_int_equal(gateway_receive(socket, &event), 1);
        return event;
}

static inline struct gateway_event wait_event(int socket, enum gateway_event_kind kind) {
        struct gateway_event event;

        do
                event = next_event(socket);
        while (event.kind != kind);
        return event;
}

static inline int wait_end(pid_t pid) {
        int status;

        MUST(waitpid(pid, &status, 0));
        return status;
}

/* ---- DNS, as a client inside ---- */

struct answer {
        int code, count;
        uint32_t ttl;
        char first[INET6_ADDRSTRLEN], why[256];
};

static inline size_t make_question(const char *name, int type, uint8_t *out) {
        size_t at = 12;

        memcpy(out, "\x11\x22\1\0\0\1\0\0\0\0\0\1", 12);
        while (*name) {
                size_t label = strcspn(name, ".");

                out[at++] = (uint8_t)label;
                memcpy(out + at, name, label);
                at += label;
                name += label + (name[label] == '.');
        }
        out[at++] = 0;
        out[at++] = 0;
        out[at++] = (uint8_t)type;
        memcpy(out + at, "\0\1\0\0\x29\4\xd0\0\0\0\0\0\0", 13);
        return at + 13;
}

static inline struct answer read_answer(const uint8_t *bytes, size_t len, size_t question) {
        struct answer answer = { .code = bytes[3] & 15, .count = bytes[7] };
        size_t at = question - 11;

        for (int i = 0; i < answer.count; i++) {
                size_t size = (size_t)bytes[at + 10] << 8 | bytes[at + 11];

                answer.ttl = (uint32_t)(bytes[at + 8] << 8 | bytes[at + 9]);
                if (!answer.first[0] && (size == 4 || size == 16))
                        inet_ntop(size == 4 ? AF_INET : AF_INET6, bytes + at + 12, answer.first, sizeof(answer.first));
                at += 12 + size;
        }
        if (len >= at + 17) /* the extended error */
                snprintf(answer.why, sizeof(answer.why), "%.*s", (int)(len - at - 17), bytes + at + 17);
        return answer;
}

static inline struct answer ask(const char *name, int type) {
        struct sockaddr_in to = place("8.8.8.8", 53);
        struct timeval limit = { .tv_sec = 60 };
        uint8_t question[512], bytes[1500];
        size_t len = make_question(name, type, question);
        ssize_t n;
        FD_AUTO fd = -1;

        enter(inside_namespace);
        fd = (int)MUST(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        enter(outside_namespace);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        MUST(connect(fd, (struct sockaddr *)&to, sizeof(to))); /* only answers of that server count */
        MUST(send(fd, question, len, 0));
        n = MUST(recv(fd, bytes, sizeof(bytes), 0));
        return read_answer(bytes, (size_t)n, len);
}

/* ---- what a connection says ---- */

static inline void expect_text(int fd, const char *text) {
        char bytes[2048];
        size_t len = strlen(text);

        assert_true(len < sizeof(bytes));
        assert_int_equal(recv(fd, bytes, len, MSG_WAITALL), len);
        assert_memory_equal(bytes, text, len);
}

static inline void expect_end(int fd) {
        char byte;

        assert_int_equal(recv(fd, &byte, 1, 0), 0);
}

#endif
