/*
 * What attacks on the network try to reach: canary LOG SPEC... listens at every SPEC, answers whoever comes with CANARY and
 * writes the SPEC as a line to LOG, after one that says "ready" and the first SPEC. canary up: brings the loopback interface
 * up.
 *
 *   tcp:ADDRESS:PORT   udp:ADDRESS:PORT   stream:PATH   dgram:PATH   packet:PATH   (a PATH with @ is abstract)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST = 64 };

static void die(const char *what) {
        fprintf(stderr, "canary: %s: %s\n", what, strerror(errno));
        exit(1);
}

static void bring_up(void) {
        struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
        int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
                die("lo");
        close(fd);
}

static int at_inet(int type, char *where) {
        struct sockaddr_in to = { .sin_family = AF_INET };
        struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
        char *port = strrchr(where, ':');
        int fd, yes = 1, result;

        if (!port)
                die(where);
        *port++ = '\0';
        to.sin_port = to6.sin6_port = htons((uint16_t)strtol(port, NULL, 10));
        if (inet_pton(AF_INET, where, &to.sin_addr) == 1) {
                fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
                setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
                result = bind(fd, (struct sockaddr *)&to, sizeof(to));
        } else {
                inet_pton(AF_INET6, where, &to6.sin6_addr);
                fd = socket(AF_INET6, type | SOCK_CLOEXEC, 0);
                setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
                result = bind(fd, (struct sockaddr *)&to6, sizeof(to6));
        }
        if (result < 0)
                die(where);
        return fd;
}

static int at_unix(int type, const char *path) {
        struct sockaddr_un to = { .sun_family = AF_UNIX };
        size_t length = strlen(path);
        int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

        if (length >= sizeof(to.sun_path))
                die(path);
        memcpy(to.sun_path, path, length);
        if (path[0] == '@')
                to.sun_path[0] = '\0';
        else
                unlink(path);
        if (fd < 0 || bind(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
                die(path);
        if (path[0] != '@')
                chmod(path, 0777);
        return fd;
}

static int listener(const char *spec) {
        char text[256];
        char *where;
        int fd, type;

        snprintf(text, sizeof(text), "%s", spec);
        where = strchr(text, ':');
        if (!where)
                die(spec);
        *where++ = '\0';
        type = strcmp(text, "tcp") == 0 || strcmp(text, "stream") == 0 ? SOCK_STREAM
               : strcmp(text, "packet") == 0                           ? SOCK_SEQPACKET
                                                                       : SOCK_DGRAM;
        fd = text[0] == 't' || text[0] == 'u' ? at_inet(type, where) : at_unix(type, where);
        if (type != SOCK_DGRAM && listen(fd, 16) < 0)
                die(spec);
        return fd;
}

static void answer(int fd) {
        struct sockaddr_storage from;
        socklen_t length = sizeof(from);
        char bytes[64];
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

        if (client >= 0) {
                (void)send(client, "CANARY\n", 7, MSG_NOSIGNAL);
                close(client);
        } else if (recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &length) >= 0 && length > 0) {
                (void)sendto(fd, "CANARY\n", 7, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&from, length);
        }
}

int main(int argc, char **argv) {
        struct pollfd fds[MOST];
        int log, count = argc - 2;

        if (argc == 2 && strcmp(argv[1], "up") == 0) {
                bring_up();
                return 0;
        }
        if (count < 1 || count > MOST)
                return 2;
        signal(SIGPIPE, SIG_IGN);
        log = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (log < 0)
                die(argv[1]);
        for (int i = 0; i < count; i++)
                fds[i] = (struct pollfd){ .fd = listener(argv[i + 2]), .events = POLLIN };
        dprintf(log, "ready %s\n", argv[2]);
        while (poll(fds, (nfds_t)count, -1) > 0) {
                for (int i = 0; i < count; i++) {
                        if (fds[i].revents) {
                                dprintf(log, "%s\n", argv[i + 2]);
                                answer(fds[i].fd);
                        }
                }
        }
        return 0;
}
