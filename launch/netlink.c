#include "launch/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

/* ---- building ---- */

/* Returns where; NULL: there is no space. */
static void *append(struct netlink *n, const void *bytes, size_t size) {
        size_t at = n->len, padded = NLMSG_ALIGN(size);

        if (n->failed || padded > sizeof(n->bytes) - n->len) {
                n->failed = true;
                return NULL;
        }
        memset(n->bytes + at, 0, padded);
        if (size)
                memcpy(n->bytes + at, bytes, size);
        n->len += padded;
        return n->bytes + at;
}

/* A message is as long as what was put into it so far. */
static void set_length(struct netlink *n) {
        uint32_t len = (uint32_t)(n->len - n->message);

        if (!n->failed)
                memcpy(n->bytes + n->message + offsetof(struct nlmsghdr, nlmsg_len), &len, sizeof(len));
}

void netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, const void *body, size_t size) {
        struct nlmsghdr head = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags, .nlmsg_seq = (uint32_t)n->count };

        if (n->count == NETLINK_MESSAGES_MAX) {
                n->failed = true;
                return;
        }
        if (flags & NLM_F_ACK)
                n->wanted |= 1U << n->count;
        n->count++;
        n->message = n->len;
        append(n, &head, sizeof(head));
        append(n, body, size);
        set_length(n);
}

void netlink_put(struct netlink *n, uint16_t type, const void *value, size_t size) {
        struct nlattr head = { .nla_len = (uint16_t)(sizeof(head) + size), .nla_type = type };

        append(n, &head, sizeof(head));
        append(n, value, size);
        set_length(n);
}

void netlink_put_be32(struct netlink *n, uint16_t type, uint32_t value) {
        uint32_t big = htonl(value);

        netlink_put(n, type, &big, sizeof(big));
}

void netlink_put_text(struct netlink *n, uint16_t type, const char *text) {
        netlink_put(n, type, text, strlen(text) + 1);
}

size_t netlink_nest(struct netlink *n, uint16_t type) {
        size_t at = n->len;

        netlink_put(n, type | NLA_F_NESTED, NULL, 0);
        return at;
}

void netlink_unnest(struct netlink *n, size_t nest) {
        uint16_t len = (uint16_t)(n->len - nest);

        if (!n->failed)
                memcpy(n->bytes + nest + offsetof(struct nlattr, nla_len), &len, sizeof(len));
}

/* ---- answers ---- */

static int read_answer(const struct nlmsghdr *head, const unsigned char *body, size_t len, size_t count,
                       struct netlink_answers *answers) {
        int error;

        if (head->nlmsg_type != NLMSG_ERROR || len < sizeof(error) || head->nlmsg_seq >= count)
                return -1;
        memcpy(&error, body, sizeof(error));
        if (error > 0 || error < -4095 || answers->came >> head->nlmsg_seq & 1)
                return -1;
        answers->came |= 1U << head->nlmsg_seq;
        answers->errors[head->nlmsg_seq] = -error;
        return 0;
}

int netlink_read_answers(const unsigned char *bytes, size_t len, size_t count, struct netlink_answers *answers) {
        struct nlmsghdr head;

        if (count > NETLINK_MESSAGES_MAX || len == 0)
                return -1;
        while (len) {
                size_t step;

                if (len < sizeof(head))
                        return -1;
                memcpy(&head, bytes, sizeof(head));
                if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len ||
                    read_answer(&head, bytes + sizeof(head), head.nlmsg_len - sizeof(head), count, answers) < 0)
                        return -1;
                step = NLMSG_ALIGN(head.nlmsg_len) < len ? NLMSG_ALIGN(head.nlmsg_len) : len;
                bytes += step;
                len -= step;
        }
        return 0;
}

/* Returns 1; 0: there is no more. */
static int receive(int fd, size_t count, struct netlink_answers *answers) {
        unsigned char bytes[NETLINK_ANSWER_MAX];
        struct sockaddr_nl from = {};
        socklen_t from_len = sizeof(from);
        ssize_t len = recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &from_len);

        if (len < 0)
                return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
        if ((size_t)len > sizeof(bytes) || from_len != sizeof(from) || from.nl_pid != 0 || /* it is not the kernel's */
            netlink_read_answers(bytes, (size_t)len, count, answers) < 0) {
                errno = EBADMSG;
                return -1;
        }
        return 1;
}

int netlink_talk(int protocol, const struct netlink *n, struct netlink_answers *ret) {
        FD_AUTO fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
        struct netlink_answers answers = {};
        int more = 1;

        if (n->failed) {
                errno = EMSGSIZE;
                return -1;
        }
        if (fd < 0 || send(fd, n->bytes, n->len, 0) != (ssize_t)n->len)
                return -1;
        while (more > 0 && answers.came != n->wanted)
                more = receive(fd, n->count, &answers);
        if (more < 0)
                return -1;
        *ret = answers;
        return 0;
}

int netlink_all_done(const struct netlink *n, const struct netlink_answers *answers) {
        for (size_t i = 0; i < n->count; i++)
                if (answers->came >> i & 1 && answers->errors[i]) {
                        errno = answers->errors[i];
                        return -1;
                }
        errno = EPROTO;
        return (answers->came & n->wanted) == n->wanted ? 0 : -1;
}
