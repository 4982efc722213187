#include "launch/egress.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "launch/files.h"

enum { BACKLOG = 4096 };

/* ---- sockets ---- */

static int add_socket(struct egress_sockets *sockets, enum egress_socket kind, uint16_t port, int fd) {
        if (fd < 0)
                return -1;
        if (sockets->count == EGRESS_SOCKETS_MAX) {
                fd_close(fd);
                errno = E2BIG;
                return -1;
        }
        sockets->items[sockets->count].kind = kind;
        sockets->items[sockets->count].port = port;
        sockets->items[sockets->count++].fd = fd;
        return 0;
}

static int set_option(int fd, int level, int option) {
        const int one = 1;

        return setsockopt(fd, level, option, &one, sizeof(one));
}

/* An accepted connection has the port of its listener. With SO_REUSEADDR it does not keep a command from binding that. */
static int set_options(int fd, enum egress_socket kind, bool ipv6) {
        if (set_option(fd, SOL_SOCKET, SO_REUSEADDR) < 0)
                return -1;
        if (kind == EGRESS_TRANSPARENT)
                return set_option(fd, SOL_IP, IP_TRANSPARENT);
        if (kind != EGRESS_DNS_UDP)
                return 0;
        /* Answers come from the address that was asked, which for IPv6 is none of this host, though it is local. */
        if (set_option(fd, SOL_IP, IP_PKTINFO) < 0 || set_option(fd, SOL_IP, IP_FREEBIND) < 0)
                return -1;
        return ipv6 ? set_option(fd, SOL_IPV6, IPV6_RECVPKTINFO) : 0;
}

static int bind_to(int fd, bool ipv6, bool local, uint16_t port) {
        const struct sockaddr_in to4 = { .sin_family = AF_INET,
                                         .sin_port = htons(port),
                                         .sin_addr.s_addr = htonl(local ? INADDR_LOOPBACK : INADDR_ANY) };
        const struct sockaddr_in6 to6 = { .sin6_family = AF_INET6,
                                          .sin6_port = htons(port),
                                          .sin6_addr.s6_addr[15] = local ? 1 : 0 };

        return ipv6 ? bind(fd, (const struct sockaddr *)&to6, sizeof(to6))
                    : bind(fd, (const struct sockaddr *)&to4, sizeof(to4));
}

/* One for IPv6 also takes what is for IPv4, unless it is of localhost. */
static int listen_at(struct egress_sockets *sockets, enum egress_socket kind, uint16_t port, bool ipv6, struct err *err) {
        bool stream = kind != EGRESS_DNS_UDP;
        FD_AUTO fd = socket(ipv6 ? AF_INET6 : AF_INET, (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        if (fd < 0 || set_options(fd, kind, ipv6) < 0 ||
            bind_to(fd, ipv6, kind == EGRESS_HOST_PORT || kind == EGRESS_SHELL_PORT, port) < 0 ||
            (stream && listen(fd, BACKLOG) < 0) ||
            add_socket(sockets, kind, kind == EGRESS_TRANSPARENT ? 0 : port, TAKE_FD(fd)) < 0)
                return err_sys(err, "port %u of the sandbox", port);
        return 0;
}

static bool has_port(const uint16_t *ports, size_t count, uint16_t port) {
        for (size_t i = 0; i < count; i++)
                if (ports[i] == port)
                        return true;
        return false;
}

/* A port of localhost can have one listener: that of the host's port. */
static int listen_at_ports(const struct launch_egress *egress, struct egress_sockets *sockets, struct err *err) {
        for (size_t i = 0; i < egress->port_count; i++)
                if (egress->ports[i] != EGRESS_DNS_PORT &&
                    !has_port(egress->host_ports, egress->host_port_count, egress->ports[i]) &&
                    listen_at(sockets, EGRESS_PORT, egress->ports[i], sockets->ipv6, err) < 0)
                        return -1;
        return 0;
}

static int listen_at_host_ports(const struct launch_egress *egress, struct egress_sockets *sockets, struct err *err) {
        for (size_t i = 0; i < egress->host_port_count; i++)
                if (listen_at(sockets, EGRESS_HOST_PORT, egress->host_ports[i], false, err) < 0 ||
                    (sockets->ipv6 && listen_at(sockets, EGRESS_HOST_PORT, egress->host_ports[i], true, err) < 0))
                        return -1;
        return 0;
}

static bool has_ipv6(void) {
        FD_AUTO fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        return fd >= 0 && bind_to(fd, true, true, 0) == 0;
}

/* Everything that is not listened at is refused by the kernel, inside. */
static int open_way_out(const struct launch_egress *egress, struct egress_sockets *sockets, struct err *err) {
        if (egress_make_routes(&sockets->ipv6, err) < 0)
                return -1;
        sockets->ipv6 = sockets->ipv6 && has_ipv6();
        sockets->transparent = egress_make_rules(sockets->ipv6) == 0;
        if (!sockets->transparent && egress->needs_transparent) {
                int why = errno;

                err_set(err, ERR_UNSUPPORTED,
                        "sandbox.network.hosts allows all ports of a host (\"host:*\"), which needs nf_tables with tproxy: %s. "
                        "List the ports instead (\"host:8080\")",
                        err_text(why));
                err->sys = why;
                return -1;
        }
        if (listen_at(sockets, EGRESS_DNS_UDP, EGRESS_DNS_PORT, sockets->ipv6, err) < 0 ||
            listen_at(sockets, EGRESS_DNS_TCP, EGRESS_DNS_PORT, sockets->ipv6, err) < 0)
                return -1;
        if (sockets->transparent)
                return listen_at(sockets, EGRESS_TRANSPARENT, EGRESS_TRANSPARENT_PORT, sockets->ipv6, err);
        return listen_at_ports(egress, sockets, err);
}

/* ---- sending ---- */

static int send_sockets(int control, const struct egress_sockets *sockets) {
        unsigned char bytes[EGRESS_MESSAGE_MAX] = { EGRESS_MESSAGE, sockets->transparent, sockets->ipv6,
                                                    (unsigned char)sockets->count };
        struct iovec part = { bytes, 4 + sockets->count * 4 };
        int files[EGRESS_SOCKETS_MAX];

        for (size_t i = 0; i < sockets->count; i++) {
                unsigned char *item = bytes + 4 + i * 4;

                item[0] = (unsigned char)sockets->items[i].kind;
                item[2] = (unsigned char)(sockets->items[i].port >> 8);
                item[3] = (unsigned char)sockets->items[i].port;
                files[i] = sockets->items[i].fd;
        }
        return fds_send(control, &part, 1, files, sockets->count);
}

bool egress_needs_gateway(const struct launch_egress *egress) {
        return egress->wanted || egress->host_port_count || egress->publish_count || egress->shell_port_count;
}

bool egress_expected(const struct launch_egress *egress) {
        return egress_needs_gateway(egress) || egress->session;
}

/* What the session adds, in a message of its own. A command can do without. */
static void listen_at_shell_port(struct egress_sockets *sockets, uint16_t port) {
        struct err ignored;

        (void)listen_at(sockets, EGRESS_SHELL_PORT, port, false, &ignored);
        if (sockets->ipv6)
                (void)listen_at(sockets, EGRESS_SHELL_PORT, port, true, &ignored);
}

static void set_up_session(const struct launch_egress *egress, int control) {
        struct egress_sockets sockets = { .ipv6 = egress->shell_port_count && has_ipv6() };

        for (size_t i = 0; i < egress->shell_port_count; i++)
                listen_at_shell_port(&sockets, egress->shell_ports[i]);
        if (egress->serves)
                add_socket(&sockets, EGRESS_DIAG, 0,
                           socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
        if (sockets.count)
                send_sockets(control, &sockets);
        egress_sockets_close(&sockets);
}

static int set_up_policy(const struct launch_egress *egress, int control, struct err *err) {
        struct egress_sockets sockets = {};
        int result = 0;

        if (egress->wanted)
                result = open_way_out(egress, &sockets, err);
        else
                sockets.ipv6 = has_ipv6();
        if (result == 0)
                result = listen_at_host_ports(egress, &sockets, err);
        if (result == 0 && send_sockets(control, &sockets) < 0)
                result = err_sys(err, "sockets of the sandbox");
        egress_sockets_close(&sockets);
        return result;
}

int egress_set_up(const struct launch_egress *egress, int control, struct err *err) {
        if ((egress->wanted || egress->host_port_count) && set_up_policy(egress, control, err) < 0)
                return -1;
        set_up_session(egress, control);
        return 0;
}

void egress_send_shell_port(int control, uint16_t port) {
        struct egress_sockets sockets = { .ipv6 = has_ipv6() };

        listen_at_shell_port(&sockets, port);
        if (sockets.count)
                send_sockets(control, &sockets);
        egress_sockets_close(&sockets);
}

void egress_send_outgoing(int control) {
        int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        struct egress_sockets sockets = { .ipv6 = fd >= 0 };

        if (fd < 0)
                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0)
                add_socket(&sockets, EGRESS_OUTGOING, 0, fd);
        send_sockets(control, &sockets); /* if its buffer is full, there is no reader */
        egress_sockets_close(&sockets);
}

void egress_sockets_close(struct egress_sockets *sockets) {
        for (size_t i = 0; i < sockets->count; i++)
                fd_close(sockets->items[i].fd);
        sockets->count = 0;
}

/* ---- receiving ---- */

static bool is_asked_for(const struct launch_egress *egress, enum egress_socket kind, uint16_t port) {
        switch (kind) {
        case EGRESS_DNS_UDP:
        case EGRESS_DNS_TCP:
        case EGRESS_TRANSPARENT:
                return egress->wanted;
        case EGRESS_PORT:
                return egress->wanted && has_port(egress->ports, egress->port_count, port);
        case EGRESS_HOST_PORT:
                return has_port(egress->host_ports, egress->host_port_count, port);
        case EGRESS_OUTGOING:
        case EGRESS_SHELL_PORT:
        case EGRESS_DIAG:
                break; /* of the session: they are asked for one by one */
        }
        return true;
}

void egress_sockets_check(const struct launch_egress *egress, struct egress_sockets *sockets) {
        size_t kept = 0;

        for (size_t i = 0; i < sockets->count; i++)
                if (is_asked_for(egress, sockets->items[i].kind, sockets->items[i].port))
                        sockets->items[kept++] = sockets->items[i];
                else
                        fd_close(sockets->items[i].fd);
        sockets->count = kept;
}

static bool is_valid(const unsigned char *bytes, size_t len, size_t file_count) {
        if (len < 4 || bytes[0] != EGRESS_MESSAGE || bytes[1] > 1 || bytes[2] > 1 || bytes[3] > EGRESS_SOCKETS_MAX ||
            bytes[3] != file_count || len != 4 + file_count * 4)
                return false;
        for (size_t i = 0; i < file_count; i++)
                if (bytes[4 + i * 4] > EGRESS_DIAG || bytes[5 + i * 4] != 0)
                        return false;
        return true;
}

int egress_sockets_read(const unsigned char *bytes, size_t len, const int *files, size_t file_count,
                        struct egress_sockets *ret) {
        if (!is_valid(bytes, len, file_count)) {
                for (size_t i = 0; i < file_count; i++)
                        fd_close(files[i]);
                errno = EBADMSG;
                return -1;
        }
        ret->transparent = bytes[1];
        ret->ipv6 = bytes[2];
        ret->count = file_count;
        for (size_t i = 0; i < file_count; i++) {
                const unsigned char *item = bytes + 4 + i * 4;

                ret->items[i].kind = (enum egress_socket)item[0];
                ret->items[i].port = (uint16_t)(item[2] << 8 | item[3]);
                ret->items[i].fd = files[i];
        }
        return 0;
}
