#include "launch/egress.h"

#include <arpa/inet.h> /* before those of the kernel */
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "launch/netlink.h"
#include "launch/network.h"

enum { LOOPBACK = 1 }; /* its index, in every network namespace */

/* As NETWORK_ADDRESS: 2001:2::1, of the network for benchmarks (RFC 5180). Else programs that ask for addresses of this host's
 * families only would not learn those of hosts that have no others. */
static const unsigned char own_address6[16] = { 0x20, 0x01, 0x00, 0x02, [15] = 1 };

/* ---- all addresses are local ---- */

static void put_route(struct netlink *n, unsigned char family) {
        struct rtmsg route = {
                .rtm_family = family,
                .rtm_table = RT_TABLE_LOCAL,
                .rtm_protocol = RTPROT_STATIC,
                .rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
                .rtm_type = RTN_LOCAL,
        };
        const uint32_t device = LOOPBACK;

        netlink_begin(n, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &route, sizeof(route));
        netlink_put(n, RTA_OIF, &device, sizeof(device));
        if (family == AF_INET) /* otherwise getsockname() would return the address of the other side */
                netlink_put_be32(n, RTA_PREFSRC, (uint32_t)NETWORK_ADDRESS);
}

static void put_address6(struct netlink *n) {
        /* Without the flag, it could not be used until the kernel has finished duplicate address detection. */
        struct ifaddrmsg address = {
                .ifa_family = AF_INET6, .ifa_prefixlen = 128, .ifa_flags = IFA_F_NODAD, .ifa_index = LOOPBACK
        };

        netlink_begin(n, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &address, sizeof(address));
        netlink_put(n, IFA_LOCAL, own_address6, sizeof(own_address6));
}

enum { ROUTE4, ADDRESS6, ROUTE6, ROUTES };

int egress_make_routes(bool *ret_ipv6, struct err *err) {
        struct netlink n = {};
        struct netlink_answers answers;

        put_route(&n, AF_INET);
        put_address6(&n);
        put_route(&n, AF_INET6);
        if (netlink_talk(NETLINK_ROUTE, &n, &answers) < 0)
                return err_sys(err, "routes of the sandbox");
        errno = answers.came >> ROUTE4 & 1 ? answers.errors[ROUTE4] : EPROTO;
        if (errno)
                return err_sys(err, "routes of the sandbox");
        *ret_ipv6 = answers.came == n.wanted && !answers.errors[ADDRESS6] && !answers.errors[ROUTE6];
        return 0;
}

/* ---- new connections go to one listener ---- */

/* Something of a packet is compared with a value. */
struct match {
        enum { META = -1, NETWORK = NFT_PAYLOAD_NETWORK_HEADER, TRANSPORT = NFT_PAYLOAD_TRANSPORT_HEADER } of;
        uint32_t at; /* enum nft_meta_keys, or an offset */
        uint32_t len;
        unsigned char mask; /* of one byte; 0: none */
        enum nft_cmp_ops op;
        unsigned char value[16];
};

enum { MATCHES = 6 };

/* Localhost and the command's own addresses are its own. DNS over TCP has its own listener. */
static const struct match matches4[MATCHES] = {
        { META, NFT_META_NFPROTO, 1, 0, NFT_CMP_EQ, { NFPROTO_IPV4 } },
        { NETWORK, 16, 1, 0, NFT_CMP_NEQ, { 127 } },
        { NETWORK, 16, 4, 0, NFT_CMP_NEQ, { 198, 18, 0, 1 } },
        { META, NFT_META_L4PROTO, 1, 0, NFT_CMP_EQ, { IPPROTO_TCP } },
        { TRANSPORT, 2, 2, 0, NFT_CMP_NEQ, { 0, EGRESS_DNS_PORT } },
        { TRANSPORT, 13, 1, 0x17, NFT_CMP_EQ, { 0x02 } }, /* SYN, without ACK, RST and FIN */
};
static const struct match matches6[MATCHES] = {
        { META, NFT_META_NFPROTO, 1, 0, NFT_CMP_EQ, { NFPROTO_IPV6 } },
        { NETWORK, 24, 16, 0, NFT_CMP_NEQ, { [15] = 1 } },
        { NETWORK, 24, 16, 0, NFT_CMP_NEQ, { 0x20, 0x01, 0x00, 0x02, [15] = 1 } },
        { META, NFT_META_L4PROTO, 1, 0, NFT_CMP_EQ, { IPPROTO_TCP } },
        { TRANSPORT, 2, 2, 0, NFT_CMP_NEQ, { 0, EGRESS_DNS_PORT } },
        { TRANSPORT, 13, 1, 0x17, NFT_CMP_EQ, { 0x02 } },
};

struct expression {
        size_t element, data;
};

static struct expression begin_expression(struct netlink *n, const char *name) {
        struct expression e = { .element = netlink_nest(n, NFTA_LIST_ELEM) };

        netlink_put_text(n, NFTA_EXPR_NAME, name);
        e.data = netlink_nest(n, NFTA_EXPR_DATA);
        return e;
}

static void end_expression(struct netlink *n, struct expression e) {
        netlink_unnest(n, e.data);
        netlink_unnest(n, e.element);
}

static void put_value(struct netlink *n, uint16_t type, const void *value, size_t size) {
        size_t nest = netlink_nest(n, type);

        netlink_put(n, NFTA_DATA_VALUE, value, size);
        netlink_unnest(n, nest);
}

static void put_load(struct netlink *n, const struct match *match) {
        struct expression e = begin_expression(n, match->of == META ? "meta" : "payload");

        if (match->of == META) {
                netlink_put_be32(n, NFTA_META_KEY, match->at);
                netlink_put_be32(n, NFTA_META_DREG, NFT_REG_1);
        } else {
                netlink_put_be32(n, NFTA_PAYLOAD_DREG, NFT_REG_1);
                netlink_put_be32(n, NFTA_PAYLOAD_BASE, (uint32_t)match->of);
                netlink_put_be32(n, NFTA_PAYLOAD_OFFSET, match->at);
                netlink_put_be32(n, NFTA_PAYLOAD_LEN, match->len);
        }
        end_expression(n, e);
}

static void put_mask(struct netlink *n, unsigned char mask) {
        struct expression e = begin_expression(n, "bitwise");
        static const unsigned char zero;

        netlink_put_be32(n, NFTA_BITWISE_SREG, NFT_REG_1);
        netlink_put_be32(n, NFTA_BITWISE_DREG, NFT_REG_1);
        netlink_put_be32(n, NFTA_BITWISE_LEN, 1);
        put_value(n, NFTA_BITWISE_MASK, &mask, 1);
        put_value(n, NFTA_BITWISE_XOR, &zero, 1);
        end_expression(n, e);
}

static void put_match(struct netlink *n, const struct match *match) {
        struct expression e;

        put_load(n, match);
        if (match->mask)
                put_mask(n, match->mask);
        e = begin_expression(n, "cmp");
        netlink_put_be32(n, NFTA_CMP_SREG, NFT_REG_1);
        netlink_put_be32(n, NFTA_CMP_OP, match->op);
        put_value(n, NFTA_CMP_DATA, match->value, match->len);
        end_expression(n, e);
}

static void put_tproxy(struct netlink *n, uint32_t family) {
        const uint16_t port = htons(EGRESS_TRANSPARENT_PORT);
        struct expression e = begin_expression(n, "immediate");

        netlink_put_be32(n, NFTA_IMMEDIATE_DREG, NFT_REG_1);
        put_value(n, NFTA_IMMEDIATE_DATA, &port, sizeof(port));
        end_expression(n, e);
        e = begin_expression(n, "tproxy");
        netlink_put_be32(n, NFTA_TPROXY_FAMILY, family);
        netlink_put_be32(n, NFTA_TPROXY_REG_PORT, NFT_REG_1);
        end_expression(n, e);
}

static void begin_nft(struct netlink *n, uint16_t type, uint16_t flags) {
        static const struct nfgenmsg head = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };

        netlink_begin(n, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), NLM_F_ACK | NLM_F_CREATE | flags, &head, sizeof(head));
}

static void put_rule(struct netlink *n, uint32_t family, const struct match matches[static MATCHES]) {
        size_t list;

        begin_nft(n, NFT_MSG_NEWRULE, NLM_F_APPEND);
        netlink_put_text(n, NFTA_RULE_TABLE, "bailey");
        netlink_put_text(n, NFTA_RULE_CHAIN, "connections");
        list = netlink_nest(n, NFTA_RULE_EXPRESSIONS);
        for (size_t i = 0; i < MATCHES; i++)
                put_match(n, &matches[i]);
        put_tproxy(n, family);
        netlink_unnest(n, list);
}

static void put_chain(struct netlink *n) {
        size_t hook;

        begin_nft(n, NFT_MSG_NEWTABLE, 0);
        netlink_put_text(n, NFTA_TABLE_NAME, "bailey");
        begin_nft(n, NFT_MSG_NEWCHAIN, 0);
        netlink_put_text(n, NFTA_CHAIN_TABLE, "bailey");
        netlink_put_text(n, NFTA_CHAIN_NAME, "connections");
        hook = netlink_nest(n, NFTA_CHAIN_HOOK);
        netlink_put_be32(n, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
        netlink_put_be32(n, NFTA_HOOK_PRIORITY, (uint32_t)-150); /* where such rules usually stand */
        netlink_unnest(n, hook);
        netlink_put_text(n, NFTA_CHAIN_TYPE, "filter");
}

int egress_make_rules(bool ipv6) {
        const struct nfgenmsg batch = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };
        struct netlink n = {};
        struct netlink_answers answers;

        netlink_begin(&n, NFNL_MSG_BATCH_BEGIN, 0, &batch, sizeof(batch));
        put_chain(&n);
        put_rule(&n, NFPROTO_IPV4, matches4);
        if (ipv6)
                put_rule(&n, NFPROTO_IPV6, matches6);
        netlink_begin(&n, NFNL_MSG_BATCH_END, 0, &batch, sizeof(batch));
        return netlink_talk(NETLINK_NETFILTER, &n, &answers) < 0 ? -1 : netlink_all_done(&n, &answers);
}
