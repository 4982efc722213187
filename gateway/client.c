#include <errno.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "gateway/protocol.h"
#include "launch/files.h"
#include "policy/upstream.h"

_Static_assert((int)GATEWAY_ITEMS_MAX <= (int)FDS_MAX, "all sockets of a command fit into one message");

/* Does not wait: a gateway that does not read its messages is of no use. */
static int send_request(int socket, struct request *request, struct str egress, const int *files, size_t count,
                        struct err *err) {
        const struct iovec parts[] = { { request, sizeof(*request) }, { (char *)egress.ptr, egress.len } };

        if (egress.len > REQUEST_EGRESS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "the network gateway: too many hosts");
        request->egress_len = (uint32_t)egress.len;
        if (fds_send(socket, parts, egress.len ? 2 : 1, files, count) < 0)
                return errno == EPIPE || errno == ECONNRESET ? err_set(err, ERR_NOT_FOUND, "the network gateway has ended")
                                                             : err_sys(err, "the network gateway");
        return 0;
}

static int send_items(int socket, struct request request, struct str egress, const struct gateway_item *items, size_t count,
                      struct err *err) {
        int files[GATEWAY_ITEMS_MAX];

        if (count > GATEWAY_ITEMS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "the network gateway: too many ports");
        request.item_count = (uint32_t)count;
        for (size_t i = 0; i < count; i++) {
                request.items[i].kind = (uint16_t)items[i].kind;
                request.items[i].port = items[i].port;
                files[i] = items[i].fd;
        }
        return send_request(socket, &request, egress, files, count, err);
}

int gateway_use_proxy(int socket, struct str url, struct str except, struct err *err) {
        struct request request = { .kind = REQUEST_PROXY };
        BUF_AUTO bytes;

        buf_init(&bytes, REQUEST_EGRESS_MAX);
        if (except.len > UPSTREAM_EXCEPT_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "no_proxy is longer than %d bytes", UPSTREAM_EXCEPT_MAX);
        buf_append(&bytes, url);
        buf_char(&bytes, '\n');
        buf_append(&bytes, except);
        return bytes.failed ? err_memory(err) : send_request(socket, &request, buf_str(&bytes), NULL, 0, err);
}

int gateway_use_tls(int socket, int tls, const char *why, struct err *err) {
        struct request request = { .kind = REQUEST_TLS };

        return send_request(socket, &request, str_z(why ? why : ""), &tls, tls >= 0, err);
}

int gateway_add(int socket, uint64_t command, struct str egress, const struct gateway_item *items, size_t count,
                struct err *err) {
        return send_items(socket, (struct request){ .kind = REQUEST_ADD, .command = command }, egress, items, count, err);
}

int gateway_listen(int socket, uint64_t command, const struct gateway_item *items, size_t count, struct err *err) {
        return send_items(socket, (struct request){ .kind = REQUEST_LISTEN, .command = command }, (struct str){}, items, count,
                          err);
}

int gateway_forward(int socket, uint64_t command, uint64_t target, const struct gateway_item *items, size_t count,
                    struct err *err) {
        return send_items(socket, (struct request){ .kind = REQUEST_LISTEN, .command = command, .target = target },
                          (struct str){}, items, count, err);
}

int gateway_change(int socket, uint64_t command, struct str egress, struct err *err) {
        struct request request = { .kind = REQUEST_CHANGE, .command = command };

        return send_request(socket, &request, egress, NULL, 0, err);
}

int gateway_publish(int socket, uint64_t command, uint16_t host_port, uint16_t inside_port, struct err *err) {
        struct request request = {
                .kind = REQUEST_PUBLISH, .command = command, .host_port = host_port, .inside_port = inside_port
        };

        return send_request(socket, &request, (struct str){}, NULL, 0, err);
}

int gateway_give_socket(int socket, uint64_t command, int fd, struct err *err) {
        struct request request = { .kind = REQUEST_SOCKET, .command = command };

        return send_request(socket, &request, (struct str){}, &fd, fd >= 0, err);
}

int gateway_ask(int socket, uint64_t command, struct err *err) {
        struct request request = { .kind = REQUEST_ASK, .command = command };

        return send_request(socket, &request, (struct str){}, NULL, 0, err);
}

int gateway_end(int socket, uint64_t command, struct err *err) {
        struct request request = { .kind = REQUEST_END, .command = command };

        return send_request(socket, &request, (struct str){}, NULL, 0, err);
}

static bool is_printable(const char *text, size_t size) {
        size_t len = strnlen(text, size);

        for (size_t i = 0; i < len; i++)
                if (text[i] < ' ' || text[i] > '~')
                        return false;
        return len < size;
}

/* It parses hostile bytes, so what it says is checked, too. */
static bool is_valid(const struct gateway_event *event) {
        return event->kind <= GATEWAY_TLS_ENDED && event->by <= GATEWAY_BY_CREDENTIAL &&
               event->reason <= GATEWAY_CREDENTIAL_FAILED && is_printable(event->host, sizeof(event->host)) &&
               is_printable(event->address, sizeof(event->address)) && is_printable(event->text, sizeof(event->text));
}

int gateway_receive(int socket, struct gateway_event *ret) {
        struct gateway_event event;
        ssize_t len;

        do
                len = recv(socket, &event, sizeof(event), MSG_DONTWAIT | MSG_TRUNC);
        while (len < 0 && errno == EINTR);
        if (len < 0 && errno == EAGAIN)
                return 0;
        if (len != (ssize_t)sizeof(event) || !is_valid(&event))
                return -1;
        *ret = event;
        return 1;
}
