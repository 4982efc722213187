#include "policy/egress.h"

#include "policy/addresses.h"
#include "policy/hosts.h"

/* ---- verdicts ---- */

/* A rule with a star is for public addresses; others have to be named. */
static bool pattern_allows(struct str pattern, const struct host *host) {
        enum address_kind kind = host->kind == HOST_NAME ? ADDRESS_PUBLIC : host_address_kind(host);

        if (!host->ascii || kind == ADDRESS_LOOPBACK || (kind != ADDRESS_PUBLIC && str_is(pattern, "*")))
                return false;
        return host_matches(pattern, host);
}

static bool default_port(const struct egress *egress, uint16_t port) {
        for (size_t i = 0; i < egress->port_count; i++)
                if (egress->ports[i] == port)
                        return true;
        return false;
}

static bool rule_has_port(const struct egress *egress, const struct egress_rule *rule, uint16_t port) {
        return rule->any_port || (rule->port ? rule->port == port : default_port(egress, port));
}

enum egress_verdict egress_judge_name(const struct egress *egress, const struct host *host) {
        if (host_list_has(egress->denied, host))
                return EGRESS_DENIED;
        for (size_t i = 0; i < egress->rule_count; i++)
                if (pattern_allows(egress->rules[i].pattern, host))
                        return EGRESS_ALLOWED;
        return EGRESS_NOT_LISTED;
}

enum egress_verdict egress_judge(const struct egress *egress, const struct host *host, uint16_t port) {
        enum egress_verdict verdict = EGRESS_NOT_LISTED;

        if (host_list_has(egress->denied, host))
                return EGRESS_DENIED;
        for (size_t i = 0; i < egress->rule_count; i++) {
                if (!pattern_allows(egress->rules[i].pattern, host))
                        continue;
                if (rule_has_port(egress, &egress->rules[i], port))
                        return EGRESS_ALLOWED;
                verdict = EGRESS_PORT_NOT_LISTED;
        }
        return verdict;
}

bool egress_names(const struct egress *egress, const struct host *host) {
        for (size_t i = 0; i < egress->rule_count; i++)
                if (!str_is(egress->rules[i].pattern, "*") && pattern_allows(egress->rules[i].pattern, host))
                        return true;
        return false;
}

bool egress_denies_address(const struct egress *egress, const struct host *address) {
        for (size_t i = 0; i < egress->denied.count; i++)
                if (host_pattern_may_be_address(egress->denied.items[i]) && host_matches(egress->denied.items[i], address))
                        return true;
        return false;
}

bool egress_may_be_private(const struct egress *egress, const struct host *host) {
        return host_list_has(egress->private_hosts, host);
}

static bool pattern_covers(struct str wide, struct str narrow) {
        bool wild = str_starts(narrow, STR("*."));
        struct host host;

        if (str_is(wide, "*") || str_eq_nocase(wide, narrow))
                return true;
        if (str_is(narrow, "*") || host_from_url(wild ? str_skip(narrow, 2) : narrow, &host) < 0)
                return false;
        return (!wild || str_starts(wide, STR("*."))) && pattern_allows(wide, &host);
}

bool egress_covers(const struct egress *egress, const struct egress_rule *rule) {
        for (size_t i = 0; i < egress->rule_count; i++) {
                const struct egress_rule *wide = &egress->rules[i];
                bool ports = wide->any_port || (!rule->any_port && wide->port == rule->port) ||
                             (rule->port && rule_has_port(egress, wide, rule->port));

                if (ports && pattern_covers(wide->pattern, rule->pattern))
                        return true;
        }
        return false;
}

/* ---- ports ---- */

bool egress_any_port(const struct egress *egress) {
        for (size_t i = 0; i < egress->rule_count; i++)
                if (egress->rules[i].any_port)
                        return true;
        return false;
}

static size_t port_add(uint16_t *ports, size_t count, size_t max, uint16_t port) {
        size_t at = count;

        while (at > 0 && ports[at - 1] > port)
                at--;
        if (port == 0 || count == max || (at > 0 && ports[at - 1] == port))
                return count;
        memmove(ports + at + 1, ports + at, (count - at) * sizeof(*ports));
        ports[at] = port;
        return count + 1;
}

size_t egress_all_ports(const struct egress *egress, uint16_t *ret, size_t max) {
        size_t count = 0;

        for (size_t i = 0; i < egress->port_count; i++)
                count = port_add(ret, count, max, egress->ports[i]);
        for (size_t i = 0; i < egress->rule_count; i++)
                count = port_add(ret, count, max, egress->rules[i].port);
        return count;
}

/* ---- from a policy ---- */

struct rule_list {
        struct egress_rule *rules;
        size_t count;
};

static void rules_add(struct rule_list *list, struct str text) {
        const struct preset_row *preset = preset_find(text);

        for (size_t i = 0; preset && preset->hosts[i]; i++)
                rules_add(list, str_z(preset->hosts[i]));
        if (!preset && egress_rule_read(text, &list->rules[list->count]) == 0)
                list->count++;
}

static size_t rules_needed(struct str text) {
        const struct preset_row *preset = preset_find(text);
        size_t count = 0;

        while (preset && preset->hosts[count])
                count++;
        return preset ? count : 1;
}

static int rules_from(const struct sandbox_policy *sandbox, struct arena *arena, struct egress *ret, struct err *err) {
        bool packages = sandbox->network == NETWORK_PACKAGES;
        size_t needed = packages ? rules_needed(STR("@packages")) : 0;
        struct rule_list list = { 0 };

        for (size_t i = 0; i < sandbox->network_hosts.count; i++)
                needed += rules_needed(sandbox->network_hosts.items[i]);
        if (needed > EGRESS_ITEMS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "sandbox.network.hosts: more than %d hosts", EGRESS_ITEMS_MAX);
        list.rules = arena_alloc(arena, (needed + 1) * sizeof(*list.rules));
        if (!list.rules)
                return err_memory(err);
        if (packages)
                rules_add(&list, STR("@packages"));
        for (size_t i = 0; i < sandbox->network_hosts.count; i++)
                rules_add(&list, sandbox->network_hosts.items[i]);
        ret->rules = list.rules;
        ret->rule_count = list.count;
        return 0;
}

static int ports_from(const struct sandbox_policy *sandbox, struct arena *arena, struct egress *ret, struct err *err) {
        uint16_t *ports = arena_alloc(arena, (sandbox->network_ports.count + 1) * sizeof(*ports));
        uint16_t all[EGRESS_PORTS_MAX + 1];

        if (!ports)
                return err_memory(err);
        ret->ports = ports;
        ret->port_count = port_list_read(sandbox->network_ports, ports, sandbox->network_ports.count);
        if (egress_all_ports(ret, all, EGRESS_PORTS_MAX + 1) > EGRESS_PORTS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "sandbox.network: more than %d different ports", EGRESS_PORTS_MAX);
        return 0;
}

/* Also where no other host can be reached. */
static int credentials_from(const struct sandbox_policy *sandbox, struct arena *arena, struct egress *ret, struct err *err) {
        size_t count = sandbox->network == NETWORK_INHERIT ? 0 : sandbox->network_credential_count;
        struct egress_rule *places = arena_alloc(arena, (count + 1) * sizeof(*places));

        if (!places)
                return err_memory(err);
        if (count > EGRESS_CREDENTIALS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "sandbox.network.credential: more than %d hosts", EGRESS_CREDENTIALS_MAX);
        for (size_t i = 0; i < count; i++)
                if (credential_place(sandbox->network_credentials[i].host, &places[i]) < 0)
                        return err_set(err, ERR_INVALID, "sandbox.network.credential: not a host");
        ret->credentials = places;
        ret->credential_count = count;
        return 0;
}

/* What cannot be sent must not be half sent. */
static int size_check(const struct egress *egress, struct err *err) {
        BUF_AUTO bytes;

        buf_init(&bytes, EGRESS_BYTES_MAX);
        egress_write(egress, &bytes);
        return bytes.failed ? err_set(err, ERR_TOO_COMPLEX, "sandbox.network and guard.domain_denylist: too many hosts") : 0;
}

int egress_from_policy(const struct policy *policy, struct arena *arena, struct egress *ret, struct err *err) {
        const struct sandbox_policy *sandbox = &policy->sandbox;
        struct egress egress = {
                .denied = policy->guard.domain_denylist,
                .private_hosts = sandbox->network_private_hosts,
                .max_connections = sandbox->network_max_connections,
        };

        if ((sandbox->network == NETWORK_ALLOW_HOSTS || sandbox->network == NETWORK_PACKAGES) &&
            rules_from(sandbox, arena, &egress, err) < 0)
                return -1;
        if (credentials_from(sandbox, arena, &egress, err) < 0 || ports_from(sandbox, arena, &egress, err) < 0 ||
            size_check(&egress, err) < 0)
                return -1;
        *ret = egress;
        return 0;
}
