#include "launch/egress.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

enum {
        LISTEN_STATE = 10, /* TCP_LISTEN */
        PARTS_MAX = 64,    /* of an answer: a command may have any number of listeners */
        PART_SIZE = 16 << 10,
};

static bool is_reachable(const struct inet_diag_sockid *id, uint8_t family) {
        static const uint8_t none[16], loopback[16] = { [15] = 1 }, mapped[13] = { [10] = 0xff, 0xff, 127 };
        const uint8_t *address = (const uint8_t *)id->idiag_src;

        if (family == AF_INET)
                return id->idiag_src[0] == 0 || address[0] == 127;
        return memcmp(address, none, 16) == 0 || memcmp(address, loopback, 16) == 0 ||
               memcmp(address, mapped, sizeof(mapped)) == 0;
}

static void add(struct listeners *found, uint16_t port) {
        for (size_t i = 0; i < found->count; i++)
                if (found->ports[i] == port)
                        return;
        if (found->count < found->max)
                found->ports[found->count++] = port;
}

/* Not NLMSG_NEXT(), which goes past the end where the last message is not a multiple of 4 bytes long. */
bool listeners_take(const void *bytes, size_t len, struct listeners *found) {
        struct nlmsghdr head;
        struct inet_diag_msg message;

        for (size_t at = 0; at < len && len - at >= sizeof(head); at += NLMSG_ALIGN((size_t)head.nlmsg_len)) {
                memcpy(&head, (const char *)bytes + at, sizeof(head));
                if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len - at || head.nlmsg_type == NLMSG_DONE ||
                    head.nlmsg_type == NLMSG_ERROR)
                        return false;
                if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < NLMSG_LENGTH(sizeof(message)))
                        continue;
                memcpy(&message, (const char *)bytes + at + NLMSG_HDRLEN, sizeof(message));
                if (message.idiag_state == LISTEN_STATE && is_reachable(&message.id, message.idiag_family))
                        add(found, ntohs(message.id.idiag_sport));
        }
        return true;
}

static void read_family(int diag, uint8_t family, struct listeners *found) {
        struct {
                struct nlmsghdr head;
                struct inet_diag_req_v2 body;
        } request = { .head = { .nlmsg_len = sizeof(request),
                                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
                      .body = { .sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1U << LISTEN_STATE } };
        char part[PART_SIZE];

        if (send(diag, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(request))
                return;
        for (int i = 0; i < PARTS_MAX; i++) {
                ssize_t len = recv(diag, part, sizeof(part), MSG_DONTWAIT);

                if (len <= 0 || !listeners_take(part, (size_t)len, found))
                        return;
        }
}

/* What was left of an answer that was too long. */
static void drop_rest(int diag) {
        char part[PART_SIZE];

        for (int i = 0; i < PARTS_MAX && recv(diag, part, sizeof(part), MSG_DONTWAIT) > 0; i++)
                ;
}

size_t listeners_read(int diag, uint16_t *ret, size_t max) {
        struct listeners found = { .ports = ret, .max = max };

        drop_rest(diag);
        read_family(diag, AF_INET, &found);
        read_family(diag, AF_INET6, &found);
        return found.count;
}
