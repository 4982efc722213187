#include "policy/addresses.h"

#include <string.h>

#include "policy/hosts.h"

struct address_row {
        uint8_t bits; /* that count */
        enum address_kind kind;
        uint8_t address[16];
};

#define IPV4(a, b, c, d) \
        { [10] = 0xff, 0xff, (a), (b), (c), (d) }
#define IPV4_BITS(n) (96 + (n))

/* The first row that fits counts, so exceptions come before what holds them. */
/* clang-format off */
static const struct address_row rows[] = {
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(169, 254, 169, 254) },
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(169, 254, 170, 2) },   /* of containers in AWS */
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(169, 254, 170, 23) },
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(100, 100, 100, 200) }, /* Alibaba */
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(168, 63, 129, 16) },   /* Azure */
        { IPV4_BITS(32), ADDRESS_METADATA, IPV4(192, 0, 0, 192) },     /* Oracle */
        { IPV4_BITS(32), ADDRESS_LOOPBACK, IPV4(0, 0, 0, 0) },
        { IPV4_BITS(8), ADDRESS_RESERVED, IPV4(0, 0, 0, 0) },
        { IPV4_BITS(8), ADDRESS_LOOPBACK, IPV4(127, 0, 0, 0) },
        { IPV4_BITS(16), ADDRESS_LINK_LOCAL, IPV4(169, 254, 0, 0) },
        { IPV4_BITS(24), ADDRESS_RESERVED, IPV4(192, 0, 0, 0) },
        { IPV4_BITS(15), ADDRESS_RESERVED, IPV4(198, 18, 0, 0) },
        { IPV4_BITS(3), ADDRESS_RESERVED, IPV4(224, 0, 0, 0) },
        { IPV4_BITS(8), ADDRESS_PRIVATE, IPV4(10, 0, 0, 0) },
        { IPV4_BITS(12), ADDRESS_PRIVATE, IPV4(172, 16, 0, 0) },
        { IPV4_BITS(16), ADDRESS_PRIVATE, IPV4(192, 168, 0, 0) },
        { IPV4_BITS(10), ADDRESS_PRIVATE, IPV4(100, 64, 0, 0) },

        { 128, ADDRESS_LOOPBACK, { [15] = 1 } },
        { 128, ADDRESS_LOOPBACK, { 0 } },
        { 96, ADDRESS_RESERVED, { 0 } },                                       /* IPv4-compatible */
        { 32, ADDRESS_METADATA, { 0xfd, 0x00, 0x0e, 0xc2 } },                  /* AWS */
        { 128, ADDRESS_METADATA, { 0xfd, 0x20, 0x00, 0xce, [14] = 2, 0x54 } }, /* Google */
        { 128, ADDRESS_METADATA, { 0xfd, 0x00, 0x00, 0xc1, [12] = 0xa9, 0xfe, 0xa9, 0xfe } }, /* Oracle */
        { 128, ADDRESS_METADATA, { 0xfd, 0x00, 0x00, 0x42, [15] = 0x42 } },    /* Scaleway */
        { 128, ADDRESS_METADATA, { 0xfd, 0x00, 0xa9, 0xfe, 0xa9, 0xfe, [15] = 1 } },
        { 128, ADDRESS_METADATA, { 0xfd, 0x00, 0x01, 0x00, [12] = 0x01, 0x00, 0x02, 0x00 } },
        { 10, ADDRESS_LINK_LOCAL, { 0xfe, 0x80 } },
        { 10, ADDRESS_PRIVATE, { 0xfe, 0xc0 } },                               /* site-local, before fc00::/7 */
        { 8, ADDRESS_RESERVED, { 0xff } },
        { 7, ADDRESS_PRIVATE, { 0xfc } },
        { 48, ADDRESS_RESERVED, { 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01 } },      /* NAT64 of one network: any address inside */
        { 32, ADDRESS_RESERVED, { 0x20, 0x01 } },                              /* Teredo: two addresses inside */
};

static const uint8_t mapped[ADDRESS_IPV4_AT] = { [10] = 0xff, 0xff };

/* Where an IPv6 address holds one of IPv4. */
static const struct {
        uint8_t bits, at, prefix[16];
} wrappers[] = {
        { 96, 12, { 0x00, 0x64, 0xff, 0x9b } },  /* NAT64 */
        { 96, 12, { [8] = 0xff, 0xff } },        /* SIIT: ::ffff:0:a.b.c.d */
        { 16, 2, { 0x20, 0x02 } },               /* 6to4 */
};
/* clang-format on */

const uint8_t address_loopback[2][16] = { IPV4(127, 0, 0, 1), { [15] = 1 } };

bool address_is_ipv4(const uint8_t address[static 16]) {
        return memcmp(address, mapped, ADDRESS_IPV4_AT) == 0;
}

void address_from_ipv4(const void *four_bytes, uint8_t ret[static 16]) {
        memcpy(ret, mapped, ADDRESS_IPV4_AT);
        memcpy(ret + ADDRESS_IPV4_AT, four_bytes, 4);
}

static bool prefix_is(const uint8_t address[16], const uint8_t prefix[16], unsigned bits) {
        unsigned whole = bits / 8, rest = bits % 8;

        if (memcmp(address, prefix, whole) != 0)
                return false;
        return rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static enum address_kind listed_kind(const uint8_t address[16]) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (prefix_is(address, rows[i].address, rows[i].bits))
                        return rows[i].kind;
        return ADDRESS_PUBLIC;
}

enum address_kind address_kind(const uint8_t address[16]) {
        enum address_kind kind = listed_kind(address);

        for (size_t i = 0; kind == ADDRESS_PUBLIC && i < sizeof(wrappers) / sizeof(*wrappers); i++) {
                uint8_t inner[16];

                if (!prefix_is(address, wrappers[i].prefix, wrappers[i].bits))
                        continue;
                address_from_ipv4(address + wrappers[i].at, inner);
                kind = listed_kind(inner);
        }
        return kind;
}

enum address_kind host_address_kind(const struct host *host) {
        uint8_t address[16];

        if (host->kind == HOST_IPV6)
                return address_kind(host->address);
        address_from_ipv4(host->address, address);
        return address_kind(address);
}
