#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "gateway/connection.h"

enum {
        SSH_DISCONNECT = 1,
        SSH_NOT_ALLOWED = 1, /* SSH_DISCONNECT_HOST_NOT_ALLOWED_TO_CONNECT */
        SSH_BLOCK = 8,
        SSH_TEXT_MAX = 400,
};

static bool say(int fd, const void *bytes, size_t len) {
        return send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

/* access_denied, fatal; a version that all clients take */
static bool say_tls(int fd) {
        static const uint8_t alert[] = { 21, 3, 1, 0, 2, 2, 49 };

        return say(fd, alert, sizeof(alert));
}

/* A body that begins with # does nothing where it is piped into a shell. */
static bool say_http(int fd, int status, const char *text) {
        char page[1024];
        int len =
                snprintf(page, sizeof(page),
                         "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n"
                         "# bailey: %s\n",
                         status, status == 502 ? "Bad Gateway" : "Forbidden", strlen(text) + sizeof("# bailey: \n") - 1, text);

        return len > 0 && (size_t)len < sizeof(page) && say(fd, page, (size_t)len);
}

static uint8_t *put32(uint8_t *at, size_t value) {
        for (int i = 3; i >= 0; i--)
                *at++ = (uint8_t)(value >> 8 * i);
        return at;
}

/* A banner, and a packet that is plain before keys are exchanged: OpenSSH prints its text. */
static bool say_ssh(int fd, const char *text) {
        static const char banner[] = "SSH-2.0-bailey\r\n";
        uint8_t bytes[64 + SSH_TEXT_MAX] = {}, *at = bytes + sizeof(banner) - 1, *packet = at;
        size_t len = strnlen(text, SSH_TEXT_MAX), payload = 1 + 4 + 4 + len + 4;
        size_t padding = SSH_BLOCK - (4 + 1 + payload) % SSH_BLOCK;

        if (padding < 4)
                padding += SSH_BLOCK;
        memcpy(bytes, banner, sizeof(banner) - 1);
        at = put32(at, 1 + payload + padding);
        *at++ = (uint8_t)padding;
        *at++ = SSH_DISCONNECT;
        at = put32(at, SSH_NOT_ALLOWED);
        at = put32(at, len);
        memcpy(at, text, len);
        return say(fd, bytes, (size_t)(packet - bytes) + 4 + 1 + payload + padding);
}

bool refuse_say(int fd, int speaks, int status, const char *text) {
        switch (speaks) {
        case SPEAKS_TLS:
                return say_tls(fd);
        case SPEAKS_HTTP:
                return say_http(fd, status, text);
        case SPEAKS_SSH:
                return say_ssh(fd, text);
        default:
                return false;
        }
}
