#include "gateway/question.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "gateway/dns.h"
#include "gateway/proxy.h"
#include "policy/addresses.h"
#include "sandbox/launch.h"

enum {
        TTL_MAX = 60,
        BATCH = 64,         /* questions of one socket in a turn */
        STREAM_PENDING = 8, /* pipelined questions that wait */
};

/* A connection of DNS over TCP. */
struct stream {
        struct watch watch; /* fd -1: it is closed, and freed when no question refers to it */
        struct stream *previous, *next;
        struct command *command;
        struct timer idle;
        size_t pending, have;
        bool paused;
        uint8_t bytes[2 + DNS_QUESTION_MAX];
};

/* Where the answer goes. */
struct asker {
        struct stream *stream; /* NULL: UDP */
        int socket;
        socklen_t from_len;
        struct sockaddr_storage from;
        char to[CMSG_SPACE(sizeof(struct in6_pktinfo))] __attribute__((aligned(8))); /* the address that was asked answers */
        size_t to_len;
};

/* One that waits for an answer from outside. */
struct question {
        struct question *previous, *next;
        struct command *command;
        struct waiter waiter;
        struct asker asker;
        struct host host;
        struct dns_question dns;
};

/* ---- limits ---- */

static double tokens_now(const struct command *command) {
        double tokens = command->tokens +
                        (double)(time_monotonic() - command->tokens_at) / (double)TIME_SECOND * COMMAND_QUESTIONS_SECOND;

        return tokens < COMMAND_QUESTIONS_SECOND ? tokens : COMMAND_QUESTIONS_SECOND;
}

bool question_has_room(const struct command *command) {
        return command->question_count < COMMAND_QUESTIONS_MAX && tokens_now(command) >= 1;
}

static void take_token(struct command *command) {
        command->tokens = tokens_now(command) - 1;
        command->tokens_at = time_monotonic();
}

/* ---- answers ---- */

static void stream_close(struct gateway *gateway, struct stream *stream);

static void send_stream(struct gateway *gateway, struct stream *stream, uint8_t *answer, size_t len) {
        uint8_t bytes[2 + DNS_ANSWER_MAX] = { (uint8_t)(len >> 8), (uint8_t)len };

        if (stream->watch.fd < 0)
                return;
        memcpy(bytes + 2, answer, len);
        /* who asks and does not read the answers is not waited for */
        if (send(stream->watch.fd, bytes, len + 2, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len + 2)
                stream_close(gateway, stream);
}

static void send_answer(struct gateway *gateway, struct asker *asker, const struct dns_question *dns,
                        const struct dns_answer *answer) {
        uint8_t bytes[DNS_ANSWER_MAX];
        size_t len = dns_write(dns, answer, bytes, asker->stream ? sizeof(bytes) : dns->size);
        struct iovec part = { bytes, len };
        struct msghdr message = { .msg_name = &asker->from,
                                  .msg_namelen = asker->from_len,
                                  .msg_iov = &part,
                                  .msg_iovlen = 1,
                                  .msg_control = asker->to_len ? asker->to : NULL,
                                  .msg_controllen = asker->to_len };

        if (asker->stream)
                send_stream(gateway, asker->stream, bytes, len);
        else
                sendmsg(asker->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL); /* one that is lost is asked for again */
}

static void answer_code(struct gateway *gateway, struct asker *asker, const struct dns_question *dns, enum dns_code code) {
        send_answer(gateway, asker, dns, &(struct dns_answer){ .code = code });
}

/* The name does not exist for this command; says why, where there is room for it. */
static void answer_refusal(struct gateway *gateway, struct command *command, struct asker *asker,
                           const struct dns_question *dns, const struct refusal *refusal) {
        struct gateway_event event;
        char text[512];
        size_t len;

        refusal_record(gateway, command, refusal, &event);
        len = gateway_message(&event, text, sizeof(text));
        send_answer(gateway, asker, dns, &(struct dns_answer){ .code = DNS_NXDOMAIN, .extra_text = str_from(text, len) });
}

/* IPv4 if there is any: programs need not try both, and it is dialled in this order anyway. */
static void answer_addresses(struct gateway *gateway, struct asker *asker, const struct dns_question *dns,
                             const uint8_t (*addresses)[16], size_t count, uint32_t ttl) {
        size_t v4 = 0;

        while (v4 < count && address_is_ipv4(addresses[v4]))
                v4++;
        send_answer(gateway, asker, dns, &(struct dns_answer){ .addresses = addresses, .count = v4 ? v4 : count, .ttl = ttl });
}

/* ---- lookups ---- */

/* Of a name without an answer: it gets one from the proxy's names. */
static uint32_t ttl_of(const struct resolution *resolution) {
        return resolution->count && resolution->ttl < TTL_MAX ? resolution->ttl : TTL_MAX;
}

const struct name *question_take_answer(struct gateway *gateway, struct command *command, const struct host *host,
                                        const struct resolution *resolution, struct vetted *ret) {
        uint32_t ttl = ttl_of(resolution);
        int64_t until = time_monotonic() + (ttl ? ttl : 1) * TIME_SECOND;

        verdict_vet(&command->egress, host, own_addresses(gateway), resolution->addresses, resolution->count, ret);
        if (proxy_is_for(gateway, host, 0) && ret->reason != GATEWAY_ALLOWED)
                ret->count = 0; /* the proxy might choose just that address */
        if (!ret->count && ret->reason != GATEWAY_ALLOWED)
                return NULL;
        if (proxy_is_for(gateway, host, 0))
                return proxy_hand_out(command, host, ret, until);
        return ret->count ? names_put(&command->names, host_text(host), (const uint8_t(*)[16])ret->addresses, ret->count, until)
                          : NULL;
}

static void answer_name(struct gateway *gateway, struct asker *asker, const struct dns_question *dns, const struct name *name,
                        uint32_t ttl) {
        answer_addresses(gateway, asker, dns, name ? (const uint8_t(*)[16])name->addresses : NULL, name ? name->count : 0, ttl);
}

static void answer_resolution(struct gateway *gateway, struct question *question, const struct resolution *resolution) {
        struct command *command = question->command;
        struct refusal refusal = { .host = question->host.text, .by = GATEWAY_BY_DNS };
        const struct name *name;
        struct vetted vetted;

        refusal.reason = verdict_of_name(&command->egress, &question->host); /* it may have changed */
        if (refusal.reason != GATEWAY_ALLOWED) {
                answer_refusal(gateway, command, &question->asker, &question->dns, &refusal);
                return;
        }
        if (resolution->kind != RESOLUTION_FOUND &&
            (resolution->kind == RESOLUTION_NOT_TRIED || !proxy_is_for(gateway, &question->host, 0))) {
                answer_code(gateway, &question->asker, &question->dns,
                            resolution->kind == RESOLUTION_NO_NAME ? DNS_NXDOMAIN : DNS_SERVFAIL);
                return;
        }
        name = question_take_answer(gateway, command, &question->host, resolution, &vetted);
        if (!vetted.count && vetted.reason != GATEWAY_ALLOWED) {
                refusal.reason = vetted.reason;
                refusal.text = vetted.kind;
                refusal.address = vetted.left_out;
                answer_refusal(gateway, command, &question->asker, &question->dns, &refusal);
        } else if (!name && vetted.count) {
                answer_code(gateway, &question->asker, &question->dns, DNS_SERVFAIL); /* no memory */
        } else {
                answer_name(gateway, &question->asker, &question->dns, name, ttl_of(resolution));
        }
}

static void question_free(struct question *question) {
        struct command *command = question->command;

        if (question->asker.stream)
                question->asker.stream->pending--;
        *(question->previous ? &question->previous->next : &command->questions) = question->next;
        if (question->next)
                question->next->previous = question->previous;
        command->question_count--;
        free(question);
}

static void looked_up(struct gateway *gateway, struct waiter *waiter, const struct resolution *resolution) {
        struct question *question = CONTAINER_OF(waiter, struct question, waiter);

        answer_resolution(gateway, question, resolution);
        question_free(question);
}

static void look_up(struct gateway *gateway, struct command *command, const struct asker *asker, const struct dns_question *dns,
                    const struct host *host) {
        struct question *question = calloc(1, sizeof(*question));

        if (!question)
                return;
        *question = (struct question){ .next = command->questions,
                                       .command = command,
                                       .waiter.done = looked_up,
                                       .asker = *asker,
                                       .host = *host,
                                       .dns = *dns };
        question->dns.text.ptr = question->dns.name;
        if (question->next)
                question->next->previous = question;
        command->questions = question;
        command->question_count++;
        if (asker->stream)
                asker->stream->pending++;
        question->waiter.command = command->id;
        resolver_find(gateway->resolver, question->host.text, &question->waiter, proxy_is_for(gateway, &question->host, 0));
}

/* ---- questions ---- */

static bool is_local(const struct gateway *gateway, struct str name) {
        return str_is(name, "localhost") || str_ends(name, STR(".localhost")) || str_eq_nocase(name, STR(LAUNCH_HOSTNAME)) ||
               (gateway->hostname[0] && str_eq_nocase(name, str_z(gateway->hostname)));
}

static void answer_reverse(struct gateway *gateway, struct command *command, struct asker *asker,
                           const struct dns_question *dns) {
        const struct name_pair *pair = NULL;
        uint8_t address[16];

        if (dns_reverse(dns->text, address))
                pair = names_of_address(&command->names, address, NULL);
        if (pair)
                send_answer(gateway, asker, dns,
                            &(struct dns_answer){ .name = str_from(pair->name->text, pair->name->len), .ttl = TTL_MAX });
        else
                answer_code(gateway, asker, dns, DNS_NXDOMAIN);
}

static void answer_host(struct gateway *gateway, struct command *command, struct asker *asker, const struct dns_question *dns) {
        struct refusal refusal = { .by = GATEWAY_BY_DNS };
        const struct name *name;
        struct host host;
        int64_t now = time_monotonic();

        if (verdict_name(dns->text, &host) < 0) {
                answer_code(gateway, asker, dns, DNS_NXDOMAIN);
                return;
        }
        refusal.host = host.text;
        refusal.reason = verdict_of_name(&command->egress, &host);
        if (refusal.reason != GATEWAY_ALLOWED) {
                answer_refusal(gateway, command, asker, dns, &refusal);
                return;
        }
        name = names_find(&command->names, host_text(&host));
        if (dns->type != DNS_A && dns->type != DNS_AAAA)
                answer_code(gateway, asker, dns, DNS_OK); /* so there is no ECH, and nothing to carry data out with */
        else if (name && name->until > now)
                answer_name(gateway, asker, dns, name, (uint32_t)((name->until - now) / TIME_SECOND));
        else
                look_up(gateway, command, asker, dns, &host);
}

static void answer_question(struct gateway *gateway, struct command *command, struct asker *asker, const void *bytes,
                            size_t len) {
        struct dns_question dns;

        take_token(command);
        command_used(gateway, command);
        if (dns_read(bytes, len, &dns) < 0)
                return;
        if (!dns.clean)
                answer_code(gateway, asker, &dns, DNS_NXDOMAIN);
        else if (is_local(gateway, dns.text))
                answer_addresses(gateway, asker, &dns, address_loopback + (dns.type == DNS_AAAA), 1, TTL_MAX);
        else if (dns.type == DNS_PTR && str_ends(dns.text, STR(".arpa")))
                answer_reverse(gateway, command, asker, &dns);
        else
                answer_host(gateway, command, asker, &dns);
}

/* ---- UDP ---- */

/* The answer comes from the address that was asked, whatever interface that would need. */
static void take_destination(struct msghdr *message, struct asker *asker) {
        struct cmsghdr *to = (struct cmsghdr *)(void *)asker->to;

        for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
                size_t len;

                if (at->cmsg_level == SOL_IPV6 && at->cmsg_type == IPV6_PKTINFO) {
                        struct in6_pktinfo info;

                        memcpy(&info, CMSG_DATA(at), sizeof(info));
                        info.ipi6_ifindex = 0;
                        len = sizeof(info);
                        memcpy(CMSG_DATA(to), &info, len);
                } else if (at->cmsg_level == SOL_IP && at->cmsg_type == IP_PKTINFO && !asker->to_len) {
                        struct in_pktinfo info;

                        memcpy(&info, CMSG_DATA(at), sizeof(info));
                        info = (struct in_pktinfo){ .ipi_spec_dst = info.ipi_addr };
                        len = sizeof(info);
                        memcpy(CMSG_DATA(to), &info, len);
                } else {
                        continue;
                }
                to->cmsg_level = at->cmsg_level;
                to->cmsg_type = at->cmsg_type;
                to->cmsg_len = CMSG_LEN(len);
                asker->to_len = CMSG_SPACE(len);
        }
}

void question_udp_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        struct listener *listener = CONTAINER_OF(watch, struct listener, watch);

        (void)events;
        for (int i = 0; i < BATCH && watch->fd >= 0; i++) {
                struct asker asker = { .socket = watch->fd };
                char bytes[DNS_QUESTION_MAX + 1], control[256] __attribute__((aligned(8)));
                struct iovec part = { bytes, sizeof(bytes) };
                struct msghdr message = { .msg_name = &asker.from,
                                          .msg_namelen = sizeof(asker.from),
                                          .msg_iov = &part,
                                          .msg_iovlen = 1,
                                          .msg_control = control,
                                          .msg_controllen = sizeof(control) };
                ssize_t len;

                if (!question_has_room(listener->command)) {
                        command_pause(listener);
                        return;
                }
                len = recvmsg(watch->fd, &message, MSG_DONTWAIT);
                if (len < 0)
                        return;
                asker.from_len = message.msg_namelen;
                take_destination(&message, &asker);
                answer_question(gateway, listener->command, &asker, bytes, (size_t)len);
        }
}

/* ---- TCP ---- */

static void stream_close(struct gateway *gateway, struct stream *stream) {
        struct command *command = stream->command;

        if (stream->watch.fd < 0)
                return;
        loop_unwatch(&stream->watch);
        timer_stop(&stream->idle);
        *(stream->previous ? &stream->previous->next : &command->streams) = stream->next;
        if (stream->next)
                stream->next->previous = stream->previous;
        command->stream_count--;
        stream->next = gateway->dead_streams;
        gateway->dead_streams = stream;
}

/* Questions that wait still refer to theirs. */
void question_free_dead(struct gateway *gateway) {
        struct stream **at = &gateway->dead_streams;

        while (*at) {
                struct stream *stream = *at;

                if (stream->pending) {
                        at = &stream->next;
                } else {
                        *at = stream->next;
                        free(stream);
                }
        }
}

void question_stream_expired(struct gateway *gateway, struct timer *timer) {
        stream_close(gateway, CONTAINER_OF(timer, struct stream, idle));
}

static bool stream_has_room(const struct stream *stream) {
        return stream->pending < STREAM_PENDING && question_has_room(stream->command);
}

/* The question that the first two bytes announce; false: it is not there yet. */
static bool stream_step(struct gateway *gateway, struct stream *stream) {
        size_t len = stream->have < 2 ? 0 : (size_t)stream->bytes[0] << 8 | stream->bytes[1];
        size_t wanted = stream->have < 2 ? 2 : 2 + len;
        struct asker asker = { .stream = stream, .socket = -1 };
        ssize_t n;

        if (len > DNS_QUESTION_MAX || (stream->have >= 2 && !len)) {
                stream_close(gateway, stream);
                return false;
        }
        n = recv(stream->watch.fd, stream->bytes + stream->have, wanted - stream->have, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
                stream_close(gateway, stream);
        if (n <= 0)
                return false;
        stream->have += (size_t)n;
        if (stream->have <= 2 || stream->have < wanted)
                return true;
        stream->have = 0;
        timer_start(&gateway->idle_streams, &stream->idle); /* anew with each question */
        answer_question(gateway, stream->command, &asker, stream->bytes + 2, len);
        return stream->watch.fd >= 0;
}

static void stream_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        struct stream *stream = CONTAINER_OF(watch, struct stream, watch);

        if (events & (EPOLLHUP | EPOLLERR)) { /* comes in every turn, whatever is asked for */
                stream_close(gateway, stream);
                return;
        }
        for (int i = 0; i < BATCH && watch->fd >= 0; i++) {
                if (!stream_has_room(stream)) {
                        stream->paused = true;
                        stream->command->throttled = true;
                        loop_change(watch, 0);
                        return;
                }
                if (!stream_step(gateway, stream))
                        return;
        }
}

bool question_resume(struct command *command) {
        bool waits = false;

        for (struct stream *stream = command->streams; stream; stream = stream->next) {
                if (stream->paused && stream_has_room(stream)) {
                        stream->paused = false;
                        loop_change(&stream->watch, EPOLLIN);
                }
                waits |= stream->paused;
        }
        return waits;
}

static void stream_open(struct gateway *gateway, struct command *command, int fd) {
        struct stream *stream = calloc(1, sizeof(*stream));

        if (!stream) {
                close(fd);
                return;
        }
        stream->watch = (struct watch){ .ready = stream_ready, .fd = fd };
        stream->command = command;
        if (loop_watch(command->set.fd, &stream->watch, EPOLLIN) < 0) {
                close(fd);
                free(stream);
                return;
        }
        stream->next = command->streams;
        if (stream->next)
                stream->next->previous = stream;
        command->streams = stream;
        command->stream_count++;
        timer_start(&gateway->idle_streams, &stream->idle);
}

void question_tcp_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        struct listener *listener = CONTAINER_OF(watch, struct listener, watch);

        (void)events;
        for (;;) {
                int fd;

                if (listener->command->stream_count >= COMMAND_STREAMS_MAX) {
                        command_pause(listener);
                        return;
                }
                fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
                if (fd < 0) {
                        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                                loop_files_short(gateway, listener);
                        return;
                }
                stream_open(gateway, listener->command, fd);
        }
}

void question_end(struct gateway *gateway, struct command *command) {
        struct question *next;

        for (struct question *question = command->questions; question; question = next) {
                next = question->next;
                resolver_leave(&question->waiter);
                question_free(question);
        }
        while (command->streams)
                stream_close(gateway, command->streams);
}
