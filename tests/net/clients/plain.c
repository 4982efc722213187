/*
 * What programs without a library of their own do. Built with glibc, with musl, and statically.
 *
 *   plain get HOST PORT PATH                        one request of HTTP/1.0; prints the body
 *   plain resolve any|inet|inet6 NAME [addrconfig]  getaddrinfo(); prints the addresses
 *   plain hold HOST PORT COUNT                      that many connections at once, of which each returns a byte; prints how
 * many did
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static struct addrinfo *look_up(const char *name, const char *port, int family, int flags) {
        struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = flags }, *list;
        int failed = getaddrinfo(name, port, &hints, &list);

        if (failed) {
                printf("%s\n", failed == EAI_AGAIN                            ? "again later"
                               : failed == EAI_NONAME || failed == EAI_NODATA ? "no such name"
                                                                              : gai_strerror(failed));
                exit(1);
        }
        return list;
}

static int connect_to(const char *host, const char *port) {
        for (struct addrinfo *at = look_up(host, port, AF_UNSPEC, 0); at; at = at->ai_next) {
                int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);

                if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0)
                        return fd;
                close(fd);
        }
        perror("connect");
        exit(1);
}

static int get(const char *host, const char *port, const char *path) {
        static char answer[1 << 16];
        int fd = connect_to(host, port);
        size_t have = 0;
        ssize_t got;

        dprintf(fd, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, host);
        while (have < sizeof(answer) - 1 && (got = read(fd, answer + have, sizeof(answer) - 1 - have)) > 0)
                have += (size_t)got;
        if (!strstr(answer, "\r\n\r\n"))
                return puts("no answer"), 1;
        fputs(strstr(answer, "\r\n\r\n") + 4, stdout);
        return 0;
}

static int resolve(const char *family, const char *name, int flags) {
        int wanted = strcmp(family, "inet") == 0 ? AF_INET : strcmp(family, "inet6") == 0 ? AF_INET6 : AF_UNSPEC;
        char text[64];

        for (struct addrinfo *at = look_up(name, NULL, wanted, flags); at; at = at->ai_next) {
                getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST);
                puts(text);
        }
        return 0;
}

static int hold(const char *host, const char *port, size_t count) {
        struct addrinfo *to = look_up(host, port, AF_INET, 0);
        struct pollfd *list = calloc(count, sizeof(*list));
        struct rlimit limit;
        size_t answers = 0;
        char byte;

        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        for (size_t i = 0; list && i < count; i++) {
                list[i] = (struct pollfd){ .fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN };
                if (list[i].fd < 0 || connect(list[i].fd, to->ai_addr, to->ai_addrlen) < 0 || write(list[i].fd, "x", 1) != 1) {
                        printf("%zu connections: %s\n", i, strerror(errno));
                        free(list);
                        return 1;
                }
        }
        for (size_t i = 0; list && i < count; i++)
                if (poll(&list[i], 1, 30000) == 1 && read(list[i].fd, &byte, 1) == 1)
                        answers++;
        printf("%zu\n", answers);
        free(list);
        return 0;
}

int main(int argc, char **argv) {
        if (argc == 5 && strcmp(argv[1], "get") == 0)
                return get(argv[2], argv[3], argv[4]);
        if (argc >= 4 && strcmp(argv[1], "resolve") == 0)
                return resolve(argv[2], argv[3], argc > 4 ? AI_ADDRCONFIG : 0);
        if (argc == 5 && strcmp(argv[1], "hold") == 0)
                return hold(argv[2], argv[3], strtoul(argv[4], NULL, 10));
        return 2;
}
