#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tls/tls.h"

enum { SECRETS_MAX = 256 << 10, PORT_HTTPS = 443 };

static struct str take(struct str *rest, char end) {
        size_t len = str_find(*rest, end);
        struct str text = str_take(*rest, len);

        *rest = str_skip(*rest, len + 1);
        return text;
}

/* It goes into the head of a request as it is. */
static bool is_printable(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < ' ' || (unsigned char)text.ptr[i] > '~')
                        return false;
        return text.len > 0;
}

static char *copy(struct str text) {
        return strndup(text.ptr, text.len);
}

static int read_place(struct str line, struct tls_place *ret) {
        struct str name = take(&line, ' '), port = take(&line, ' '), kind = take(&line, ' ');
        uint16_t number;

        if (!is_printable(name) || port_read(port, &number) < 0 || !is_printable(line) || !(ret->name = copy(name)))
                return -1;
        snprintf(ret->host, sizeof(ret->host), number == PORT_HTTPS ? "%s" : "%s:%u", ret->name, number);
        if (str_is(kind, "no"))
                return (ret->reason = copy(line)) ? 0 : -1;
        ret->secret.host = str_z(ret->host);
        ret->secret.name = take(&line, ':');
        ret->secret.value = str_trim(line);
        return str_is(kind, "ok") && ret->secret.name.len && ret->secret.value.len ? 0 : -1;
}

/* The memory lives as long as the process. Places point into themselves, and are not copied. */
int tls_places_read(int fd, struct tls_places *ret, struct err *err) {
        char *bytes = malloc(SECRETS_MAX);
        struct str rest;
        size_t len = 0;
        ssize_t n = bytes ? 1 : -1;

        while (n > 0 && len < SECRETS_MAX) {
                n = pread(fd, bytes + len, SECRETS_MAX - len, (off_t)len);
                len += n > 0 ? (size_t)n : 0;
        }
        if (n != 0)
                return err_set(err, ERR_INVALID, "the secrets cannot be read");
        rest = str_from(bytes, len);
        while (rest.len)
                if (ret->count == EGRESS_CREDENTIALS_MAX || read_place(take(&rest, '\n'), &ret->items[ret->count++]) < 0)
                        return err_set(err, ERR_INVALID, "the secrets are not as they should be");
        return 0;
}
