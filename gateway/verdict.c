#include "gateway/verdict.h"

#include <arpa/inet.h>
#include <string.h>

#include "gateway/request.h"
#include "policy/addresses.h"

static enum gateway_reason reason_of(enum egress_verdict verdict) {
        static const enum gateway_reason reasons[] = {
                [EGRESS_ALLOWED] = GATEWAY_ALLOWED,
                [EGRESS_NOT_LISTED] = GATEWAY_NOT_LISTED,
                [EGRESS_DENIED] = GATEWAY_DENIED,
                [EGRESS_PORT_NOT_LISTED] = GATEWAY_PORT_NOT_LISTED,
        };

        return reasons[verdict];
}

enum gateway_reason verdict_of_name(const struct egress *egress, const struct host *host) {
        return reason_of(egress_judge_name(egress, host));
}

enum gateway_reason verdict_of_place(const struct egress *egress, const struct host *host, uint16_t port) {
        return reason_of(egress_judge(egress, host, port));
}

/* ---- addresses ---- */

static bool is_in(const uint8_t (*items)[16], size_t count, const uint8_t address[16]) {
        for (size_t i = 0; i < count; i++)
                if (memcmp(items[i], address, 16) == 0)
                        return true;
        return false;
}

/* Why the name may not have this address; `ret_kind` for the message. */
static bool is_own(struct own_addresses own, const uint8_t address[16]) {
        return is_in(own.items, own.count, address) || is_in(own.proxy, own.proxy_count, address);
}

static enum gateway_reason objection(const struct egress *egress, const struct host *host, struct own_addresses own,
                                     const uint8_t address[16], const char **ret_kind) {
        static const char *const kinds[] = {
                [ADDRESS_LOOPBACK] = "a loopback address",
                [ADDRESS_LINK_LOCAL] = "a link-local address",
                [ADDRESS_METADATA] = "the address of a cloud's metadata service",
                [ADDRESS_RESERVED] = "a reserved address",
        };
        enum address_kind kind = address_kind(address);

        if (kind != ADDRESS_PUBLIC && kind != ADDRESS_PRIVATE) {
                *ret_kind = kinds[kind];
                return GATEWAY_SPECIAL_ADDRESS;
        }
        if (verdict_denies_address(egress, address))
                return GATEWAY_DENIED;
        if (is_in(own.items, own.count, address)) {
                *ret_kind = "an address of this machine";
                return GATEWAY_SPECIAL_ADDRESS;
        }
        if (is_in(own.proxy, own.proxy_count, address)) {
                *ret_kind = "the address of the proxy";
                return GATEWAY_SPECIAL_ADDRESS;
        }
        *ret_kind = "a private address";
        return kind == ADDRESS_PUBLIC || egress_may_be_private(egress, host) ? GATEWAY_ALLOWED : GATEWAY_PRIVATE;
}

void verdict_vet(const struct egress *egress, const struct host *host, struct own_addresses own, const uint8_t (*addresses)[16],
                 size_t count, struct vetted *ret) {
        *ret = (struct vetted){ .reason = GATEWAY_ALLOWED };
        for (int v4 = 1; v4 >= 0; v4--)
                for (size_t i = 0; i < count; i++) {
                        const char *kind = NULL;
                        enum gateway_reason reason;

                        if (address_is_ipv4(addresses[i]) != v4)
                                continue;
                        reason = objection(egress, host, own, addresses[i], &kind);
                        if (reason == GATEWAY_ALLOWED && ret->count < NAMES_ADDRESSES_MAX) {
                                memcpy(ret->addresses[ret->count++], addresses[i], 16);
                        } else if (reason != GATEWAY_ALLOWED && ret->reason == GATEWAY_ALLOWED) {
                                ret->reason = reason;
                                ret->kind = kind;
                                memcpy(ret->left_out, addresses[i], 16);
                        }
                }
}

void verdict_address_host(const uint8_t address[16], struct host *ret) {
        bool v4 = address_is_ipv4(address);

        *ret = (struct host){ .kind = v4 ? HOST_IPV4 : HOST_IPV6, .ascii = true };
        memcpy(ret->address, v4 ? address + ADDRESS_IPV4_AT : address, v4 ? 4 : 16);
        inet_ntop(v4 ? AF_INET : AF_INET6, ret->address, ret->text, sizeof(ret->text));
        ret->len = (uint16_t)strlen(ret->text);
}

/* ---- names ---- */

static bool is_name(struct str text) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (!is_ascii_alnum(c) && c != '-' && c != '_' && c != '.')
                        return false;
        }
        return true;
}

int verdict_name(struct str text, struct host *ret) {
        struct host host;

        if (!is_name(text) || host_from_url(text, &host) < 0 || host.kind != HOST_NAME)
                return -1;
        *ret = host;
        return 0;
}

/* ---- connections ---- */

/* Of several names of an address, one that is allowed counts: the address is its host's, whoever else is there. Only the newest
 * are judged: a command can give an address thousands, and others wait while they are gone through. */
static bool start_by_name(const struct egress *egress, const struct names *names, const uint8_t address[16], uint16_t port,
                          struct verdict_start *ret) {
        const struct name_pair *pair = NULL;
        bool found = false;

        for (int i = 0; i < NAMES_JUDGED_MAX && (pair = names_of_address(names, address, pair)); i++) {
                struct host host;
                enum gateway_reason reason;

                if (verdict_name(str_from(pair->name->text, pair->name->len), &host) < 0)
                        continue;
                reason = verdict_of_place(egress, &host, port);
                if (found && reason != GATEWAY_ALLOWED)
                        continue;
                *ret = (struct verdict_start){ .action = reason == GATEWAY_ALLOWED ? START_DIAL : START_REFUSE,
                                               .by = GATEWAY_BY_DNS,
                                               .reason = reason,
                                               .name = pair->name,
                                               .host = host };
                if (reason == GATEWAY_ALLOWED)
                        return true;
                found = true;
        }
        return found && !pair; /* else what the client says tells which of the others it is */
}

/* "*" is no address of this machine, whose services are not meant for the public; nor of its proxy, which gets to all hosts. */
static enum gateway_reason judge_address(const struct egress *egress, struct own_addresses own, const uint8_t address[16],
                                         uint16_t port, const struct host *host, bool *ret_named) {
        enum gateway_reason reason = verdict_of_place(egress, host, port);

        *ret_named = reason == GATEWAY_ALLOWED && egress_names(egress, host);
        return reason == GATEWAY_ALLOWED && !*ret_named && is_own(own, address) ? GATEWAY_NOT_LISTED : reason;
}

/* Where "*" allows all addresses, a name that is denied can still be told by what the client says. */
void verdict_start(const struct egress *egress, const struct names *names, struct own_addresses own, const uint8_t address[16],
                   uint16_t port, struct verdict_start *ret) {
        struct verdict_start start = { .by = GATEWAY_BY_ADDRESS };
        bool named;

        verdict_address_host(address, &start.host);
        start.reason = judge_address(egress, own, address, port, &start.host, &named);
        if (named)
                start.action = START_PASS;
        else if (address_kind(address) == ADDRESS_LOOPBACK || start.reason == GATEWAY_DENIED)
                start.action = START_REFUSE; /* a listener for one port also gets what is for the command itself */
        else if (start_by_name(egress, names, address, port, ret))
                return;
        else
                start.action = start.reason == GATEWAY_ALLOWED ? START_DIAL : START_LOOK;
        *ret = start;
}

bool verdict_denies_address(const struct egress *egress, const uint8_t address[16]) {
        struct host host;

        verdict_address_host(address, &host);
        return egress_denies_address(egress, &host);
}

/* The host that TLS or HTTP named, maybe an address; -1: none that is certain. */
static int named_host(const char *text, struct host *ret) {
        return text[0] != '[' && !is_name(str_z(text)) ? -1 : host_from_url(str_z(text), ret);
}

static enum first_words read_first(const uint8_t *bytes, size_t len, char name[static HELLO_NAME_MAX + 1],
                                   struct verdict_look *ret) {
        enum first_words found = hello_read(bytes, len, name);

        if (found != FIRST_OTHER) {
                ret->speaks = SPEAKS_TLS;
                ret->by = GATEWAY_BY_SNI;
                return found;
        }
        if (len >= 4 && memcmp(bytes, "SSH-", 4) == 0) {
                ret->speaks = SPEAKS_SSH;
                return FIRST_OTHER;
        }
        found = request_read(bytes, len, name);
        if (found != FIRST_OTHER) {
                ret->speaks = SPEAKS_HTTP;
                ret->by = GATEWAY_BY_HTTP;
        }
        return found;
}

void verdict_look(const struct egress *egress, bool named, uint16_t port, const uint8_t *bytes, size_t len,
                  struct verdict_look *ret) {
        char name[HELLO_NAME_MAX + 1] = "";
        enum first_words found;

        *ret = (struct verdict_look){ .by = GATEWAY_BY_ADDRESS, .action = LOOK_REFUSE, .reason = GATEWAY_NO_NAME };
        found = read_first(bytes, len, name, ret);
        if (found == FIRST_MORE) {
                ret->action = len < HELLO_LOOK_MAX ? LOOK_WAIT : LOOK_REFUSE;
        } else if (found == FIRST_OTHER || found == FIRST_NO_NAME) {
                if (named)
                        ret->action = LOOK_PASS;
        } else if (found == FIRST_NAME && named_host(name, &ret->host) == 0) {
                ret->reason = verdict_of_place(egress, &ret->host, port);
                if (ret->reason == GATEWAY_ALLOWED)
                        ret->action = named ? LOOK_PASS : ret->host.kind == HOST_NAME ? LOOK_RESOLVE : LOOK_REFUSE;
                else if (named && ret->reason == GATEWAY_NOT_LISTED)
                        ret->reason = GATEWAY_OTHER_NAME;
                if (ret->action == LOOK_REFUSE && ret->reason == GATEWAY_ALLOWED)
                        ret->reason = GATEWAY_NO_NAME;
        }
}
