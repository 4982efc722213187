/*
 * Special addresses: those that a name must not lead a command to. One table (policy/addresses.c).
 */
#ifndef BAILEY_POLICY_ADDRESSES_H
#define BAILEY_POLICY_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

enum address_kind {
        ADDRESS_PUBLIC,
        ADDRESS_PRIVATE, /* of a local network; names in sandbox.network.private_hosts may have them */
        ADDRESS_LOOPBACK,
        ADDRESS_LINK_LOCAL,
        ADDRESS_METADATA, /* of the cloud's own service, which hands out credentials */
        ADDRESS_RESERVED, /* multicast, benchmarks, forms of IPv4 that nobody needs */
};

/* An address has 16 bytes; one of IPv4 is ::ffff:a.b.c.d. */
enum { ADDRESS_IPV4_AT = 12 };

bool address_is_ipv4(const uint8_t address[static 16]);
extern const uint8_t address_loopback[2][16]; /* 127.0.0.1, ::1 */
void address_from_ipv4(const void *four_bytes, uint8_t ret[static 16]);

/* IPv4 inside of IPv6 (NAT64, 6to4) is judged as IPv4, too. */
enum address_kind address_kind(const uint8_t address[16]);

struct host;
enum address_kind host_address_kind(const struct host *host); /* of HOST_IPV4 and HOST_IPV6 */

#endif
