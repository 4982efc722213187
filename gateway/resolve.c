#include "gateway/resolve.h"

#include <ares.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/time.h"
#include "gateway/loop.h"
#include "policy/addresses.h"

enum {
        SOCKETS_MAX = 64,
        TIMEOUT_MS = 2500, /* of the first try */
        TRIES = 3,
};

/* c-ares with one state of resolv.conf. When that changes, a new one answers, and this one ends with its last lookup. */
struct channel {
        ares_channel ares;
        struct resolver *resolver;
        struct channel *older;
        size_t outstanding;
};

struct server_socket {
        struct watch watch; /* fd -1: free */
        struct channel *channel;
};

struct lookup {
        struct lookup *next;
        struct channel *channel;
        struct waiter *waiters;
        uint64_t command; /* that it was begun for */
        char name[256];
};

struct resolver {
        struct gateway *gateway;
        struct channel *channel;
        const char *resolv_conf;
        struct stat known;
        int64_t looked; /* at resolv.conf */
        struct lookup *lookups;
        size_t lookup_count;
        struct server_socket sockets[SOCKETS_MAX];
};

/* ---- sockets of c-ares ---- */

static void socket_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        struct server_socket *socket = CONTAINER_OF(watch, struct server_socket, watch);
        int fd = watch->fd;

        (void)gateway;
        if (fd >= 0)
                ares_process_fd(socket->channel->ares, events & ~(uint32_t)EPOLLOUT ? fd : ARES_SOCKET_BAD,
                                events & EPOLLOUT ? fd : ARES_SOCKET_BAD);
}

static struct server_socket *socket_of(struct resolver *resolver, int fd) {
        for (size_t i = 0; i < SOCKETS_MAX; i++)
                if (resolver->sockets[i].watch.fd == fd)
                        return &resolver->sockets[i];
        return NULL;
}

/* c-ares tells what it waits for; it closes its sockets itself. */
static void socket_changed(void *data, ares_socket_t fd, int readable, int writable) {
        struct channel *channel = data;
        struct resolver *resolver = channel->resolver;
        struct server_socket *socket = socket_of(resolver, fd);
        uint32_t events = (readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0);

        if (socket && !events) {
                epoll_ctl(resolver->gateway->epoll, EPOLL_CTL_DEL, fd, NULL);
                socket->watch.fd = -1;
        } else if (socket) {
                loop_change(&socket->watch, events);
        } else if (events && (socket = socket_of(resolver, -1))) {
                *socket = (struct server_socket){ .watch = { .ready = socket_ready, .fd = fd }, .channel = channel };
                loop_watch(resolver->gateway->epoll, &socket->watch, events);
        } /* without a place its timeout will find it */
}

/* ---- channels ---- */

/* No search domains: what is asked is the name that the policy allows, and nothing that is made from it. */
static int channel_open(struct resolver *resolver, struct err *err) {
        struct channel *channel = calloc(1, sizeof(*channel));
        struct ares_options options = {
                .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES,
                .timeout = TIMEOUT_MS,
                .tries = TRIES,
                .sock_state_cb = socket_changed,
                .sock_state_cb_data = channel,
                .resolvconf_path = (char *)resolver->resolv_conf,
        };
        int status;

        if (!channel)
                return err_set(err, ERR_MEMORY, "the resolver: no memory");
        channel->resolver = resolver;
        channel->older = resolver->channel;
        status = ares_init_options(&channel->ares, &options,
                                   ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB |
                                           ARES_OPT_RESOLVCONF | ARES_OPT_DOMAINS);
        if (status != ARES_SUCCESS) {
                free(channel);
                return err_set(err, ERR_SYSTEM, "the resolver: %s", ares_strerror(status));
        }
        resolver->channel = channel;
        return 0;
}

/* Those that were replaced and have nothing more to do. */
static void channels_sweep(struct resolver *resolver) {
        struct channel **at = &resolver->channel->older;

        while (*at) {
                struct channel *channel = *at;

                if (channel->outstanding) {
                        at = &channel->older;
                        continue;
                }
                *at = channel->older;
                ares_destroy(channel->ares);
                free(channel);
        }
}

static bool is_same(const struct stat *a, const struct stat *b) {
        return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
               a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* At most once a second: a laptop that changed its network has other servers. */
static void look_at_resolv_conf(struct resolver *resolver) {
        int64_t now = time_monotonic();
        struct stat st;

        if (now - resolver->looked < TIME_SECOND)
                return;
        resolver->looked = now;
        if (stat(resolver->resolv_conf, &st) < 0 || is_same(&st, &resolver->known))
                return;
        if (channel_open(resolver, NULL) == 0)
                resolver->known = st;
}

int resolver_open(struct gateway *gateway, const char *resolv_conf, struct resolver **ret, struct err *err) {
        struct resolver *resolver = calloc(1, sizeof(*resolver));
        int status = ares_library_init(ARES_LIB_INIT_ALL);

        if (!resolver || status != ARES_SUCCESS) {
                free(resolver);
                return err_set(err, ERR_MEMORY, "the resolver: no memory");
        }
        *resolver = (struct resolver){ .gateway = gateway,
                                       .resolv_conf = resolv_conf ? resolv_conf : "/etc/resolv.conf",
                                       .looked = time_monotonic() };
        for (size_t i = 0; i < SOCKETS_MAX; i++)
                resolver->sockets[i].watch.fd = -1;
        if (stat(resolver->resolv_conf, &resolver->known) < 0)
                resolver->known = (struct stat){};
        if (channel_open(resolver, err) < 0) {
                free(resolver);
                return -1;
        }
        *ret = resolver;
        return 0;
}

/* ---- lookups ---- */

static void take_address(const struct ares_addrinfo_node *node, struct resolution *resolution) {
        uint8_t *to;

        if (resolution->count == RESOLVE_ADDRESSES_MAX)
                return;
        to = resolution->addresses[resolution->count];
        if (node->ai_family == AF_INET) {
                address_from_ipv4(&((const struct sockaddr_in *)(const void *)node->ai_addr)->sin_addr, to);
        } else if (node->ai_family == AF_INET6) {
                memcpy(to, &((const struct sockaddr_in6 *)(const void *)node->ai_addr)->sin6_addr, 16);
        } else {
                return;
        }
        if (node->ai_ttl >= 0 && (uint32_t)node->ai_ttl < resolution->ttl)
                resolution->ttl = (uint32_t)node->ai_ttl;
        resolution->count++;
}

static void unlink_lookup(struct resolver *resolver, struct lookup *lookup) {
        struct lookup **at = &resolver->lookups;

        while (*at != lookup)
                at = &(*at)->next;
        *at = lookup->next;
        resolver->lookup_count--;
        lookup->channel->outstanding--;
}

static void tell(struct gateway *gateway, struct waiter *waiters, const struct resolution *resolution) {
        while (waiters) {
                struct waiter *waiter = waiters;

                waiters = waiter->next;
                waiter->lookup = NULL;
                timer_stop(&waiter->timer);
                waiter->done(gateway, waiter, resolution);
        }
}

static void lookup_done(void *data, int status, int timeouts, struct ares_addrinfo *result) {
        struct lookup *lookup = data;
        struct resolver *resolver = lookup->channel->resolver;
        struct resolution resolution = { .kind = RESOLUTION_FAILED, .text = ares_strerror(status), .ttl = UINT32_MAX };
        struct waiter *waiters;

        (void)timeouts;
        if (status == ARES_SUCCESS || status == ARES_ENODATA)
                resolution.kind = RESOLUTION_FOUND;
        else if (status == ARES_ENOTFOUND)
                resolution.kind = RESOLUTION_NO_NAME;
        if (result) {
                for (struct ares_addrinfo_node *node = result->nodes; node; node = node->ai_next)
                        take_address(node, &resolution);
                ares_freeaddrinfo(result);
        }
        if (resolution.ttl == UINT32_MAX)
                resolution.ttl = 0;
        unlink_lookup(resolver, lookup);
        waiters = lookup->waiters;
        free(lookup);
        tell(resolver->gateway, waiters, &resolution);
}

static void add_waiter(struct lookup *lookup, struct waiter *waiter, bool soon) {
        if (soon)
                timer_start(&lookup->channel->resolver->gateway->lookups, &waiter->timer);
        waiter->lookup = lookup;
        waiter->next = lookup->waiters;
        lookup->waiters = waiter;
}

static bool has_room(const struct resolver *resolver, uint64_t command) {
        size_t count = 0;

        for (const struct lookup *lookup = resolver->lookups; command && lookup; lookup = lookup->next)
                count += lookup->command == command;
        return resolver->lookup_count < RESOLVE_MAX && count < RESOLVE_COMMAND_MAX;
}

void resolver_find(struct resolver *resolver, const char *name, struct waiter *waiter, bool soon) {
        static const struct ares_addrinfo_hints hints = { .ai_flags = ARES_AI_NOSORT,
                                                          .ai_family = AF_UNSPEC,
                                                          .ai_socktype = SOCK_STREAM };
        struct resolution failed = { .kind = RESOLUTION_NOT_TRIED, .text = "too many lookups at a time" };
        struct lookup *lookup;

        for (lookup = resolver->lookups; lookup; lookup = lookup->next)
                if (strcmp(lookup->name, name) == 0) {
                        add_waiter(lookup, waiter, soon);
                        return;
                }
        lookup = has_room(resolver, waiter->command) && strlen(name) < sizeof(lookup->name) ? calloc(1, sizeof(*lookup)) : NULL;
        if (!lookup) {
                waiter->next = NULL;
                tell(resolver->gateway, waiter, &failed);
                return;
        }
        look_at_resolv_conf(resolver);
        lookup->channel = resolver->channel;
        lookup->command = waiter->command;
        memcpy(lookup->name, name, strlen(name));
        add_waiter(lookup, waiter, soon);
        lookup->next = resolver->lookups;
        resolver->lookups = lookup;
        resolver->lookup_count++;
        lookup->channel->outstanding++;
        ares_getaddrinfo(lookup->channel->ares, lookup->name, NULL, &hints, lookup_done, lookup);
}

void resolver_leave(struct waiter *waiter) {
        struct waiter **at;

        if (!waiter->lookup)
                return;
        for (at = &waiter->lookup->waiters; *at != waiter;)
                at = &(*at)->next;
        *at = waiter->next;
        waiter->lookup = NULL;
        timer_stop(&waiter->timer);
}

void resolver_expired(struct gateway *gateway, struct timer *timer) {
        static const struct resolution late = { .kind = RESOLUTION_FAILED, .text = "no answer in time" };
        struct waiter *waiter = CONTAINER_OF(timer, struct waiter, timer);

        resolver_leave(waiter);
        waiter->done(gateway, waiter, &late);
}

int resolver_turn(struct resolver *resolver) {
        int64_t wait = -1;

        channels_sweep(resolver);
        for (struct channel *channel = resolver->channel; channel; channel = channel->older) {
                struct timeval room, *left;
                int64_t ms;

                if (!channel->outstanding)
                        continue;
                ares_process_fd(channel->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
                left = ares_timeout(channel->ares, NULL, &room);
                ms = left ? (int64_t)left->tv_sec * 1000 + left->tv_usec / 1000 + 1 : -1;
                if (ms >= 0 && (wait < 0 || ms < wait))
                        wait = ms;
        }
        return wait > 60000 ? 60000 : (int)wait;
}
