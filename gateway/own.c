#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "gateway/proxy.h"
#include "policy/addresses.h"

static int ask(int socket) {
        struct {
                struct nlmsghdr head;
                struct ifaddrmsg body;
        } request = {
                .head = { .nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETADDR, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
                .body = { .ifa_family = AF_UNSPEC }
        };

        return send(socket, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static void add(struct gateway *gateway, int family, const void *address) {
        uint8_t bytes[16];

        if (family == AF_INET)
                address_from_ipv4(address, bytes);
        else
                memcpy(bytes, address, sizeof(bytes));
        for (size_t i = 0; i < gateway->own_count; i++)
                if (memcmp(gateway->own[i], bytes, 16) == 0)
                        return;
        if (gateway->own_count < LOOP_OWN_MAX)
                memcpy(gateway->own[gateway->own_count++], bytes, 16);
}

/* Addresses are only added: one that the machine had a moment ago is still no place for a name to lead to. */
static void take(struct gateway *gateway, const struct nlmsghdr *head) {
        const struct ifaddrmsg *body = NLMSG_DATA(head);
        size_t left = head->nlmsg_len - NLMSG_LENGTH(sizeof(*body)), size = body->ifa_family == AF_INET ? 4 : 16;

        if (head->nlmsg_type != RTM_NEWADDR || head->nlmsg_len < NLMSG_LENGTH(sizeof(*body)))
                return;
        if (body->ifa_family != AF_INET && body->ifa_family != AF_INET6)
                return;
        for (const struct rtattr *at = IFA_RTA(body); RTA_OK(at, left); at = RTA_NEXT(at, left))
                if ((at->rta_type == IFA_LOCAL || at->rta_type == IFA_ADDRESS) && RTA_PAYLOAD(at) == size)
                        add(gateway, body->ifa_family, RTA_DATA(at));
}

static int error_of(const struct nlmsghdr *head) {
        int error = -EPROTO;

        if (head->nlmsg_len >= NLMSG_LENGTH(sizeof(error)))
                memcpy(&error, NLMSG_DATA(head), sizeof(error));
        return -error;
}

/* 0 at the end of the list, -1 with errno. */
static int read_some(struct gateway *gateway, int flags) {
        struct nlmsghdr buffer[1024];
        ssize_t len = recv(gateway->netlink.fd, buffer, sizeof(buffer), flags);
        int more = 1;

        if (len < 0 && errno == EINTR)
                return 1;
        if (len < 0 && errno == ENOBUFS) /* messages were lost */
                return ask(gateway->netlink.fd) < 0 ? -1 : 1;
        if (len < 0)
                return -1;
        for (const struct nlmsghdr *head = buffer; len > 0 && NLMSG_OK(head, (size_t)len); head = NLMSG_NEXT(head, len)) {
                if (head->nlmsg_type == NLMSG_ERROR) {
                        errno = error_of(head);
                        return -1;
                }
                if (head->nlmsg_type == NLMSG_DONE)
                        more = 0;
                else
                        take(gateway, head);
        }
        return more;
}

static void changed(struct gateway *gateway, struct watch *watch, uint32_t events) {
        (void)watch;
        (void)events;
        read_some(gateway, MSG_DONTWAIT); /* level-triggered: the rest comes in the next turn */
}

int own_open(struct gateway *gateway, struct err *err) {
        struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
        FD_AUTO fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
        int more;

        if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || ask(fd) < 0)
                return err_sys(err, "the addresses of this machine");
        gateway->netlink = (struct watch){ .ready = changed, .fd = TAKE_FD(fd) };
        while ((more = read_some(gateway, 0)) > 0)
                ;
        if (more < 0) /* without the list, names could lead to this machine */
                return err_sys(err, "the addresses of this machine");
        return loop_watch(gateway->epoll, &gateway->netlink, EPOLLIN) < 0 ? err_sys(err, "epoll") : 0;
}

struct own_addresses own_addresses(const struct gateway *gateway) {
        struct own_addresses own = { .items = (const uint8_t(*)[16])gateway->own, .count = gateway->own_count };

        if (gateway->proxy) {
                own.proxy = (const uint8_t(*)[16])gateway->proxy->addresses;
                own.proxy_count = gateway->proxy->count;
        }
        return own;
}
