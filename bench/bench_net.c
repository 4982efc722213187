/*
 * A client, inside and outside of a sandbox: bench_net ADDRESS PORT. Of each line on its standard input it does what that says,
 * and prints how many nanoseconds that took:
 *
 *   echo           connects, sends a byte, and has it back
 *   get BYTES N    N connections at once, by each of which that much comes
 *   put BYTES      sends that much, and is told that it is there
 *   hold N         N connections more, which stay open
 *   slow N         N connections with a head of HTTP that never ends: once a second, each sends a byte of it. One that was
 *                  closed is opened again
 *
 * bench/net.c has the server.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/net.h"

enum { AT_ONCE_MAX = 64, PARTS = 100 };

static struct sockaddr_in server;

static _Noreturn void fail(const char *what) {
        fprintf(stderr, "bench_net: %s: %s\n", what, strerror(errno));
        exit(1);
}

static int ask(struct net_request request) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

        if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof(server)) < 0)
                fail("connect");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        if (write(fd, &request, sizeof(request)) != (ssize_t)sizeof(request))
                fail("write");
        return fd;
}

static void read_answer(int fd) {
        char byte;

        if (read(fd, &byte, 1) != 1)
                fail("no answer");
}

static void echo(void) {
        int fd = ask((struct net_request){ .kind = NET_ECHO });

        read_answer(fd);
        close(fd);
}

static void *get(void *bytes) {
        int fd = ask((struct net_request){ .kind = NET_GET, .bytes = *(const uint64_t *)bytes });
        static _Thread_local char chunk[1 << 18];
        uint64_t left = *(const uint64_t *)bytes;
        ssize_t got;

        while (left && (got = read(fd, chunk, sizeof(chunk))) > 0)
                left -= (uint64_t)got;
        if (left)
                fail("the answer ended");
        close(fd);
        return NULL;
}

static void get_at_once(uint64_t bytes, size_t count) {
        pthread_t threads[AT_ONCE_MAX];

        for (size_t i = 1; i < count; i++)
                if (pthread_create(&threads[i], NULL, get, &bytes) != 0)
                        fail("no thread");
        get(&bytes);
        for (size_t i = 1; i < count; i++)
                pthread_join(threads[i], NULL);
}

static void put(uint64_t bytes) {
        int fd = ask((struct net_request){ .kind = NET_PUT, .bytes = bytes });
        static char chunk[1 << 18];
        ssize_t sent;

        for (uint64_t left = bytes; left; left -= (uint64_t)sent) {
                sent = write(fd, chunk, left < sizeof(chunk) ? left : sizeof(chunk));
                if (sent <= 0)
                        fail("write");
        }
        read_answer(fd);
        close(fd);
}

static void hold(size_t count) {
        while (count--)
                read_answer(ask((struct net_request){ .kind = NET_ECHO }));
}

static int connect_slow(void) {
        static const char begin[] = "GET / HTTP/1.1\r\nX: ";
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof(server)) < 0)
                fail("connect");
        send(fd, begin, sizeof(begin) - 1, MSG_NOSIGNAL);
        return fd;
}

static struct slow {
        int *fds;
        size_t count;
} slow;

/* A hundredth of them at a time, so that a byte is always on its way. */
static void *send_slowly(void *context) {
        const struct timespec pause = { .tv_nsec = TIME_SECOND / PARTS };

        (void)context;
        for (size_t part = 0;; part = (part + 1) % PARTS) {
                for (size_t i = part; i < slow.count; i += PARTS)
                        if (send(slow.fds[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) {
                                close(slow.fds[i]);
                                slow.fds[i] = connect_slow();
                        }
                nanosleep(&pause, NULL);
        }
        return NULL;
}

static void begin_slow(size_t count) {
        pthread_t thread;

        slow.fds = calloc(count, sizeof(*slow.fds));
        if (!slow.fds)
                fail("slow");
        for (; slow.count < count; slow.count++)
                slow.fds[slow.count] = connect_slow();
        if (pthread_create(&thread, NULL, send_slowly, NULL) != 0)
                fail("no thread");
        pthread_detach(thread);
}

static void follow(const char *line) {
        unsigned long long bytes = 0;
        size_t count = 1;

        if (strncmp(line, "echo", 4) == 0)
                echo();
        else if (sscanf(line, "get %llu %zu", &bytes, &count) == 2 && count >= 1 && count <= AT_ONCE_MAX)
                get_at_once(bytes, count);
        else if (sscanf(line, "put %llu", &bytes) == 1)
                put(bytes);
        else if (sscanf(line, "hold %zu", &count) == 1)
                hold(count);
        else if (sscanf(line, "slow %zu", &count) == 1 && !slow.fds)
                begin_slow(count);
        else
                fail(line);
}

int main(int argc, char **argv) {
        char line[64];

        if (argc != 3 || inet_pton(AF_INET, argv[1], &server.sin_addr) != 1)
                return 2;
        server.sin_family = AF_INET;
        server.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
        setvbuf(stdout, NULL, _IOLBF, 0);
        while (fgets(line, sizeof(line), stdin)) {
                int64_t begun = time_monotonic();

                follow(line);
                printf("%lld\n", (long long)(time_monotonic() - begun));
        }
        return 0;
}
