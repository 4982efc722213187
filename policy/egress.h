/*
 * What the network gateway decides by: which hosts and ports a command may reach. Pure data, made from a policy, sent to
 * another process. Resolves no names.
 */
#ifndef BAILEY_POLICY_EGRESS_H
#define BAILEY_POLICY_EGRESS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/policy.h"

struct host; /* of policy/hosts.h, which is not included here: sandbox/host.h has another one */

enum {
        EGRESS_ITEMS_MAX = 4096,      /* of each list */
        EGRESS_PORTS_MAX = 128,       /* different ones */
        EGRESS_BYTES_MAX = 128 << 10, /* written; one message of a socket */
        EGRESS_CONNECTIONS_MAX = 65536,
        EGRESS_CREDENTIALS_MAX = 16,
        EGRESS_CREDENTIAL_PORT =
                61000, /* of the first one, at the command's localhost; above those that the kernel gives out */
};

struct egress_rule {
        struct str pattern; /* "github.com", "*.npmjs.org", an address, or "*"; see host_matches() */
        uint16_t port;      /* 0: the default ports */
        bool any_port;      /* "host:*" */
};

struct egress {
        const struct egress_rule *rules; /* presets expanded */
        size_t rule_count;
        struct str_list denied;        /* patterns; they win */
        struct str_list private_hosts; /* patterns of names that may have private addresses */
        const uint16_t *ports;         /* for rules without one */
        size_t port_count;
        uint32_t max_connections;
        const struct egress_rule *credentials; /* names with a port: where the endpoint of each leads to, listed or not */
        size_t credential_count;
};

/* Without NETWORK_ALLOW_HOSTS and NETWORK_PACKAGES there are no rules. Fails if it would be too large to be sent. */
int egress_from_policy(const struct policy *policy, struct arena *arena, struct egress *ret, struct err *err);

enum egress_verdict {
        EGRESS_ALLOWED,
        EGRESS_NOT_LISTED,
        EGRESS_DENIED,
        EGRESS_PORT_NOT_LISTED,
};

/*
 * "*" is no address that is special (policy/addresses.h), and no rule is an address of this machine: localhost is the command's
 * own, and for ports of the host there is `host_ports`. A name that is not ASCII is not allowed by anything.
 */
enum egress_verdict egress_judge_name(const struct egress *egress, const struct host *host); /* on some port */
enum egress_verdict egress_judge(const struct egress *egress, const struct host *host, uint16_t port);
bool egress_names(const struct egress *egress, const struct host *host);             /* a rule that is not "*" */
bool egress_denies_address(const struct egress *egress, const struct host *address); /* in time for each of many */
bool egress_may_be_private(const struct egress *egress, const struct host *host);

/* All that `rule` allows is allowed by `egress`; what is denied does not count. */
bool egress_covers(const struct egress *egress, const struct egress_rule *rule);

/* Has a rule that listeners for each port cannot enforce: "host:*". */
bool egress_any_port(const struct egress *egress);

/* Default ports and those of rules: sorted, each once; at most `max`, for which EGRESS_PORTS_MAX is enough. */
size_t egress_all_ports(const struct egress *egress, uint16_t *ret, size_t max);

/* egress_read() takes what egress_write() writes, and nothing else. Its result refers to `bytes`. */
void egress_write(const struct egress *egress, struct buf *out);
int egress_read(struct str bytes, struct arena *arena, struct egress *ret, struct err *err);

/* ---- what stands in the config: policy/egress_text.c ---- */

/* An item of sandbox.network.hosts but a preset: "host", "host:443", "host:*", "[::1]:443", "*.host". */
int egress_rule_read(struct str text, struct egress_rule *ret);
bool egress_host_valid(struct str text); /* or an @preset */

/* The host of a credential: a name with its port, or 443. -1: a pattern, an address, this machine. */
int credential_place(struct str text, struct egress_rule *ret);
bool credential_host_valid(struct str text);
bool credential_header_valid(struct str text); /* none that says where a request goes, or where it ends */
bool credential_user_valid(struct str text);

/* Where its file is: ~ is the home, which may be NULL. -1: there is none, or it is too long. */
int credential_path(struct str file, const char *home, char *ret, size_t size);

int port_read(struct str text, uint16_t *ret);                          /* 1 to 65535, no zeros in front */
size_t port_list_read(struct str_list list, uint16_t *ret, size_t max); /* network_ports, network_host_ports */

/* An item of sandbox.network.publish: "3000", or "8080:3000" for port 3000 of the command at 8080 of the host. */
struct published_port {
        uint16_t host, inside;
};
int published_port_read(struct str text, struct published_port *ret);

/*
 * Lists of hosts with a name: "@github" in sandbox.network.hosts stands for all hosts of that row. A table.
 */

struct preset_row {
        const char *name; /* "@github" */
        const char *help;
        const char *const *hosts; /* entries as in sandbox.network.hosts, but no presets; ends with NULL */
};

extern const struct preset_row presets[];
extern const size_t preset_count;

/* NULL: there is none. */
const struct preset_row *preset_find(struct str name);

#endif
