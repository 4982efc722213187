/*
 * Any bytes are a network policy or are refused; what is read is written as the same bytes, and judges any host. A line of it
 * is an entry of a config or not.
 */
#include <stdint.h>
#include <stdlib.h>

#include "policy/egress.h"
#include "policy/hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(struct str text) {
        struct published_port ports;
        struct egress_rule rule;
        struct host host;

        if (published_port_read(text, &ports) == 0 && (!ports.host || !ports.inside))
                abort();
        if (egress_rule_read(text, &rule) < 0)
                return;
        if (!host_pattern_valid(rule.pattern) || (rule.any_port && rule.port))
                abort();
        if (str_starts(rule.pattern, STR("*")) || host_from_url(rule.pattern, &host) < 0)
                return;
        /* a host that is an entry is allowed by it, but for this machine */
        if (!host_is_loopback(&host) && host.kind == HOST_NAME) {
                const struct egress egress = {
                        .rules = &rule, .rule_count = 1, .ports = (const uint16_t[]){ 443 }, .port_count = 1
                };

                if (egress_judge_name(&egress, &host) != EGRESS_ALLOWED || !egress_covers(&egress, &rule))
                        abort();
        }
}

static void check_judge(const struct egress *egress) {
        uint16_t ports[EGRESS_PORTS_MAX];
        size_t count = egress_all_ports(egress, ports, EGRESS_PORTS_MAX);
        struct host host;

        for (size_t i = 1; i < count; i++)
                if (ports[i - 1] >= ports[i])
                        abort();
        for (size_t i = 0; i < egress->rule_count && i < 64; i++) {
                enum egress_verdict name, port;

                if (host_from_url(egress->rules[i].pattern, &host) < 0)
                        continue;
                name = egress_judge_name(egress, &host);
                port = egress_judge(egress, &host, 443);
                if (port == EGRESS_ALLOWED && name != EGRESS_ALLOWED)
                        abort();
                if ((name == EGRESS_DENIED) != (port == EGRESS_DENIED))
                        abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes = str_from((const char *)data, size);
        struct egress egress = { 0 };
        struct err err = { 0 };
        ARENA_AUTO arena;
        BUF_AUTO again;

        arena_init(&arena, 0);
        buf_init(&again, EGRESS_BYTES_MAX);
        check_rule(str_take(bytes, str_find(bytes, '\n')));
        if (egress_read(bytes, &arena, &egress, &err) < 0) {
                if (err.code == ERR_NONE)
                        abort();
                return 0;
        }
        egress_write(&egress, &again);
        if (again.failed || !str_eq(buf_str(&again), bytes))
                abort();
        check_judge(&egress);
        return 0;
}
