/*
 * Messages to the kernel by netlink, and its answers. Allocates nothing.
 */
#ifndef BAILEY_LAUNCH_NETLINK_H
#define BAILEY_LAUNCH_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
        NETLINK_BYTES_MAX = 4096,
        NETLINK_MESSAGES_MAX = 16,
        NETLINK_ANSWER_MAX = 8192, /* an error quotes the message that it is about */
};

/* Several messages that are sent together, numbered from 0. */
struct netlink {
        _Alignas(4) unsigned char bytes[NETLINK_BYTES_MAX];
        size_t len;
        size_t message; /* where the last one begins */
        size_t count;
        uint32_t wanted; /* a bit for each that asks for an answer */
        bool failed;     /* there was no space */
};

/* ---- building; failure is sticky ---- */

/* Begins a message. `flags`: NLM_F_*; with NLM_F_ACK it is answered. */
void netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, const void *body, size_t size);

void netlink_put(struct netlink *n, uint16_t type, const void *value, size_t size);
void netlink_put_be32(struct netlink *n, uint16_t type, uint32_t value);
void netlink_put_text(struct netlink *n, uint16_t type, const char *text);

/* All until netlink_unnest() is in an attribute; returns what that needs. */
size_t netlink_nest(struct netlink *n, uint16_t type);
void netlink_unnest(struct netlink *n, size_t nest);

/* ---- answers ---- */

struct netlink_answers {
        uint32_t came;                    /* a bit for each message that was answered */
        int errors[NETLINK_MESSAGES_MAX]; /* errno of each, 0: done. */
};

/* Takes in one datagram of answers to `count` messages. -1: it is something else. */
int netlink_read_answers(const unsigned char *bytes, size_t len, size_t count, struct netlink_answers *answers);

/* Sends all to the kernel, and reads the answers, which are there when it has taken them. Returns -1 and errno if the kernel
 * did not answer, or all of them otherwise; `ret` says what it answered. */
int netlink_talk(int protocol, const struct netlink *n, struct netlink_answers *ret);

/* Returns 0 if all that were asked for were done; else -1 and the errno of the first. */
int netlink_all_done(const struct netlink *n, const struct netlink_answers *answers);

#endif
