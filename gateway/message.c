#include <stdio.h>

#include "gateway/gateway.h"

const char *gateway_by_name(enum gateway_by by) {
        static const char *const names[] = {
                [GATEWAY_BY_DNS] = "dns",         [GATEWAY_BY_SNI] = "sni",         [GATEWAY_BY_HTTP] = "http",
                [GATEWAY_BY_ADDRESS] = "address", [GATEWAY_BY_FORWARD] = "forward", [GATEWAY_BY_CREDENTIAL] = "credential",
        };

        return names[by];
}

const char *gateway_reason_name(enum gateway_reason reason) {
        static const char *const names[] = {
                [GATEWAY_ALLOWED] = "allowed",
                [GATEWAY_NOT_LISTED] = "not_listed",
                [GATEWAY_DENIED] = "denied",
                [GATEWAY_PORT_NOT_LISTED] = "port_not_listed",
                [GATEWAY_PRIVATE] = "private",
                [GATEWAY_SPECIAL_ADDRESS] = "special_address",
                [GATEWAY_OTHER_NAME] = "other_name",
                [GATEWAY_NO_NAME] = "no_name",
                [GATEWAY_UNRESOLVED] = "unresolved",
                [GATEWAY_UNREACHABLE] = "unreachable",
                [GATEWAY_LIMIT] = "limit",
                [GATEWAY_PROXY] = "proxy",
                [GATEWAY_CREDENTIAL_FAILED] = "credential_failed",
        };

        return names[reason];
}

/* "host:443", "[::1]:443", "host" */
static void format_place(const struct gateway_event *event, char ret[static 272]) {
        bool v6 = event->by == GATEWAY_BY_ADDRESS && strchr(event->host, ':');

        if (event->port)
                snprintf(ret, 272, v6 ? "[%s]:%u" : "%s:%u", event->host, event->port);
        else
                snprintf(ret, 272, "%s", event->host);
}

static int format(const struct gateway_event *event, const char *place, char *out, size_t size) {
        const char *host = event->host, *text = event->text;

        switch (event->reason) {
        case GATEWAY_ALLOWED:
                return snprintf(out, size, "%s is allowed", place);
        case GATEWAY_NOT_LISTED:
                return snprintf(
                        out, size,
                        "%s is not in sandbox.network.hosts; to allow it: bailey allow %s (bailey run: --allow-host %s)", place,
                        host, host);
        case GATEWAY_DENIED:
                return snprintf(out, size, "%s is denied by guard.domain_denylist", host);
        case GATEWAY_PORT_NOT_LISTED:
                return snprintf(out, size, "%s is allowed, its port %u is not: write %s", host, event->port, place);
        case GATEWAY_PRIVATE:
                return snprintf(out, size, "%s has the private address %s; list it in sandbox.network.private_hosts", host,
                                event->address);
        case GATEWAY_SPECIAL_ADDRESS:
                return snprintf(out, size, "%s resolves to %s, %s, which no name may", host, event->address, text);
        case GATEWAY_OTHER_NAME:
                return snprintf(out, size, "a connection to %s asked for %s, which is not in sandbox.network.hosts", text,
                                host);
        case GATEWAY_NO_NAME:
                if (event->by != GATEWAY_BY_ADDRESS)
                        return snprintf(out, size, "a connection to %s does not say clearly which host it asks for", place);
                return snprintf(out, size, "%s is not in sandbox.network.hosts, and the connection names no host that is",
                                place);
        case GATEWAY_UNRESOLVED:
                return snprintf(out, size, "%s cannot be resolved: %s", host, text);
        case GATEWAY_UNREACHABLE:
                return snprintf(out, size, "%s cannot be reached: %s", place, text);
        case GATEWAY_PROXY:
                return snprintf(out, size, "%s cannot be reached through the proxy of this machine: %s", place, text);
        case GATEWAY_CREDENTIAL_FAILED:
                return snprintf(out, size, "%s cannot be reached with its credential: %s", place, text);
        case GATEWAY_LIMIT:
                return snprintf(out, size, "%s: %s", place, text);
        }
        return 0;
}

size_t gateway_message(const struct gateway_event *event, char *out, size_t size) {
        char place[272];
        int len;

        if (!size)
                return 0;
        format_place(event, place);
        len = format(event, place, out, size);
        if (len <= 0) {
                out[0] = '\0';
                return 0;
        }
        return (size_t)len < size ? (size_t)len : size - 1;
}
