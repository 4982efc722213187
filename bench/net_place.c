/*
 * Where connections are measured: a network namespace of its own, in which a public address is local without being that of an
 * interface, so that the gateway dials it as any other on the internet; and a server there.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "bench/bench.h"
#include "bench/net.h"
#include "bench/net_place.h"

enum { STACK = 256 << 10, FILES = 65536 };

/* ---- a network ---- */

static void write_file(const char *path, const char *text) {
        struct err err;
        FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);

        if (fd < 0 || fd_write_all(fd, str_from(text, strlen(text)), &err) < 0)
                bench_die("%s: %s", path, strerror(errno));
}

/* Returns false where there can be none. */
static bool enter_network(void) {
        uid_t uid = geteuid();
        gid_t gid = getegid();
        char map[64];

        if (uid == 0)
                return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
                return false;
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof(map), "%u %u 1", uid, uid);
        write_file("/proc/self/uid_map", map);
        snprintf(map, sizeof(map), "%u %u 1", gid, gid);
        write_file("/proc/self/gid_map", map);
        return true;
}

static void raise_loopback(void) {
        struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &up) < 0)
                bench_die("lo: %s", strerror(errno));
}

/* ip route add local NET_ADDRESS dev lo */
static void make_local(void) {
        struct {
                struct nlmsghdr head;
                struct rtmsg route;
                struct rtattr to_head;
                struct in_addr to;
                struct rtattr by_head;
                uint32_t by;
        } message = {
                .head = { .nlmsg_len = sizeof(message),
                          .nlmsg_type = RTM_NEWROUTE,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
                .route = { .rtm_family = AF_INET,
                           .rtm_dst_len = 32,
                           .rtm_table = RT_TABLE_LOCAL,
                           .rtm_protocol = RTPROT_STATIC,
                           .rtm_scope = RT_SCOPE_HOST,
                           .rtm_type = RTN_LOCAL },
                .to_head = { .rta_len = RTA_LENGTH(sizeof(message.to)), .rta_type = RTA_DST },
                .by_head = { .rta_len = RTA_LENGTH(sizeof(message.by)), .rta_type = RTA_OIF },
                .by = if_nametoindex("lo"),
        };
        struct {
                struct nlmsghdr head;
                struct nlmsgerr error;
                char rest[256];
        } answer = { 0 };
        FD_AUTO fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

        inet_pton(AF_INET, NET_ADDRESS, &message.to);
        if (fd < 0 || send(fd, &message, sizeof(message), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
                bench_die("a route cannot be made: %s", strerror(errno));
        if (answer.head.nlmsg_type != NLMSG_ERROR || answer.error.error)
                bench_die("a route cannot be made: %s", strerror(-answer.error.error));
}

/*
 * What the other programs need: a device for tunnels that everybody may open, an interface with a default route, whose
 * address and name they copy, and files for 10,000 connections. Without it they are not measured.
 */
static void serve_others(void) {
        static const char *const make[] = {
                "/bin/sh", "-c",
                "mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200; "
                "ip link add out0 type veth peer name out1 && ip address add 10.9.2.1/24 dev out0 && "
                "ip link set out0 up && ip link set out1 up && ip route add default via 10.9.2.2",
                NULL
        };
        struct rlimit limit = { FILES, FILES };
        pid_t pid = fork();

        if (pid == 0) {
                int null = open("/dev/null", O_RDWR | O_CLOEXEC);

                for (int fd = 0; fd < 3; fd++)
                        dup2(null, fd);
                execv(make[0], (char *const *)make);
                _exit(127);
        }
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
                bench_die("cannot start %s: %s", make[0], strerror(errno));
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_NOFILE, &limit);
        }
}

bool net_enter(void) {
        if (!enter_network())
                return false;
        raise_loopback();
        make_local();
        serve_others();
        return true;
}

/* ---- the server ---- */

static bool receive_whole(int fd, void *to, size_t size) {
        return recv(fd, to, size, MSG_WAITALL) == (ssize_t)size;
}

static void give(int fd, uint64_t bytes) {
        static const char chunk[1 << 18];
        ssize_t sent = 0;

        for (; bytes; bytes -= (uint64_t)sent) {
                sent = send(fd, chunk, bytes < sizeof(chunk) ? bytes : sizeof(chunk), MSG_NOSIGNAL);
                if (sent <= 0)
                        return;
        }
}

static void take(int fd, uint64_t bytes) {
        static _Thread_local char chunk[1 << 14];
        ssize_t got = 0;

        for (; bytes; bytes -= (uint64_t)got) {
                got = recv(fd, chunk, bytes < sizeof(chunk) ? bytes : sizeof(chunk), 0);
                if (got <= 0)
                        return;
        }
}

static void *answer(void *context) {
        int fd = *(const int *)context;
        struct net_request request;

        free(context);
        while (receive_whole(fd, &request, sizeof(request))) {
                if (request.kind == NET_GET)
                        give(fd, request.bytes);
                if (request.kind == NET_PUT)
                        take(fd, request.bytes);
                if (request.kind != NET_GET && send(fd, "x", 1, MSG_NOSIGNAL) != 1)
                        break;
        }
        close(fd);
        return NULL;
}

static _Noreturn void serve(int listener) {
        pthread_attr_t attributes;
        pthread_t thread;
        int *fd;

        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, STACK);
        while ((fd = malloc(sizeof(*fd))) && (*fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
                if (pthread_create(&thread, &attributes, answer, fd) != 0)
                        break;
        _exit(1);
}

pid_t net_start_server(void) {
        struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(NET_PORT, NULL, 10)) };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        pid_t pid;

        inet_pton(AF_INET, NET_ADDRESS, &at.sin_addr);
        if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, SOMAXCONN) < 0)
                bench_die("%s:%s: %s", NET_ADDRESS, NET_PORT, strerror(errno));
        pid = fork();
        if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                serve(fd);
        }
        if (pid < 0)
                bench_die("fork: %s", strerror(errno));
        close(fd);
        return pid;
}
