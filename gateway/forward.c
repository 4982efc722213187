#include "gateway/forward.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/fd.h"

enum { BACKLOG = 128 };

static int listen_at(uint16_t port, uint16_t *ret_port) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_port = htons(port),
                                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t len = sizeof(address);
        FD_AUTO fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int one = 1;

        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
            bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, BACKLOG) < 0 ||
            getsockname(fd, (struct sockaddr *)&address, &len) < 0)
                return -1;
        *ret_port = ntohs(address.sin_port);
        return TAKE_FD(fd);
}

int forward_publish(struct gateway *gateway, struct command *command, uint16_t host_port, uint16_t inside_port,
                    struct err *err) {
        struct gateway_event event = {
                .kind = GATEWAY_PUBLISHED, .command = command->id, .by = GATEWAY_BY_FORWARD, .port = host_port
        };
        FD_AUTO fd = -1;

        if (command->published_count >= COMMAND_PUBLISHED_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "too many published ports");
        fd = listen_at(host_port, &event.port);
        if (fd < 0) {
                event.kind = GATEWAY_FAILED;
                snprintf(event.text, sizeof(event.text), "127.0.0.1:%u: %s", host_port, err_text(errno));
        } else if (command_listen(command, (struct listener){ .watch.fd = fd,
                                                              .kind = GATEWAY_HOST_PORT,
                                                              .published = true,
                                                              .port = event.port,
                                                              .inside_port = inside_port }) < 0) {
                return err_sys(err, "watching a socket");
        } else {
                command->published_count++;
                TAKE_FD(fd);
        }
        event_send(gateway, &event);
        return 0;
}

bool forward_ask_sockets(struct gateway *gateway, struct command *command) {
        struct gateway_event event = { .kind = GATEWAY_NEEDS_SOCKET, .command = command->id, .by = GATEWAY_BY_FORWARD };

        while (command->sockets_wanted) {
                if (!event_try(gateway, &event))
                        return false;
                command->sockets_wanted--;
        }
        return true;
}
