/*
 * The bytes of a struct egress: lines of text. A number of items stands before each list, so that nothing has to be guessed.
 *
 *     bailey-egress 1 CONNECTIONS PORTS RULES DENIED PRIVATE CREDENTIALS
 *     443                            a port
 *     github.com 0                   a rule: default ports; or a port; or *
 *     evil.example                   a pattern
 *     api.example 443                the host of a credential
 */
#include "policy/egress.h"
#include "policy/hosts.h"

static void list_write(struct str_list list, struct buf *out) {
        for (size_t i = 0; i < list.count; i++) {
                buf_append(out, list.items[i]);
                buf_char(out, '\n');
        }
}

static void rules_write(const struct egress_rule *rules, size_t count, struct buf *out) {
        for (size_t i = 0; i < count; i++) {
                buf_append(out, rules[i].pattern);
                if (rules[i].any_port)
                        buf_append(out, STR(" *\n"));
                else
                        buf_format(out, " %u\n", rules[i].port);
        }
}

void egress_write(const struct egress *egress, struct buf *out) {
        buf_format(out, "bailey-egress 1 %u %zu %zu %zu %zu %zu\n", egress->max_connections, egress->port_count,
                   egress->rule_count, egress->denied.count, egress->private_hosts.count, egress->credential_count);
        for (size_t i = 0; i < egress->port_count; i++)
                buf_format(out, "%u\n", egress->ports[i]);
        rules_write(egress->rules, egress->rule_count, out);
        list_write(egress->denied, out);
        list_write(egress->private_hosts, out);
        rules_write(egress->credentials, egress->credential_count, out);
}

/* ---- reading ---- */

struct wire {
        struct str rest;
        struct arena *arena;
        bool failed;
};

/* Up to `end`, which is taken, too. */
static struct str wire_take(struct wire *wire, char end) {
        size_t len = str_find(wire->rest, end);
        struct str text = str_take(wire->rest, len);

        wire->failed |= len == wire->rest.len;
        wire->rest = str_skip(wire->rest, len + 1);
        return text;
}

static size_t wire_number(struct wire *wire, char end, size_t max) {
        struct str text = wire_take(wire, end);
        size_t number = 0;

        wire->failed |= text.len == 0 || text.len > 6 || (text.len > 1 && text.ptr[0] == '0');
        for (size_t i = 0; !wire->failed && i < text.len; i++) {
                wire->failed |= !is_ascii_digit((unsigned char)text.ptr[i]);
                number = number * 10 + (size_t)(text.ptr[i] - '0');
        }
        wire->failed |= number > max;
        return wire->failed ? 0 : number;
}

static struct str wire_pattern(struct wire *wire, char end) {
        struct str pattern = wire_take(wire, end);

        wire->failed |= !host_pattern_valid(pattern);
        return pattern;
}

static struct egress_rule wire_rule(struct wire *wire) {
        struct egress_rule rule = { .pattern = wire_pattern(wire, ' ') };

        rule.any_port = str_starts(wire->rest, STR("*\n"));
        if (rule.any_port)
                wire->rest = str_skip(wire->rest, 2);
        else
                rule.port = (uint16_t)wire_number(wire, '\n', UINT16_MAX);
        return rule;
}

static void *wire_alloc(struct wire *wire, size_t count, size_t size) {
        void *items = wire->failed ? NULL : arena_alloc(wire->arena, (count + 1) * size);

        wire->failed |= !items;
        return items;
}

static struct str_list wire_patterns(struct wire *wire, size_t count) {
        struct str *items = wire_alloc(wire, count, sizeof(*items));

        for (size_t i = 0; !wire->failed && i < count; i++)
                items[i] = wire_pattern(wire, '\n');
        return (struct str_list){ items, count };
}

static void wire_ports(struct wire *wire, struct egress *egress) {
        uint16_t *ports = wire_alloc(wire, egress->port_count, sizeof(*ports));

        for (size_t i = 0; !wire->failed && i < egress->port_count; i++) {
                ports[i] = (uint16_t)wire_number(wire, '\n', UINT16_MAX);
                wire->failed |= ports[i] == 0;
        }
        egress->ports = ports;
}

static const struct egress_rule *wire_rules(struct wire *wire, size_t count) {
        struct egress_rule *rules = wire_alloc(wire, count, sizeof(*rules));

        for (size_t i = 0; !wire->failed && i < count; i++)
                rules[i] = wire_rule(wire);
        return rules;
}

/* Each a name and one port. */
static void wire_credentials(struct wire *wire, struct egress *egress) {
        struct egress_rule place;

        egress->credentials = wire_rules(wire, egress->credential_count);
        for (size_t i = 0; !wire->failed && i < egress->credential_count; i++)
                wire->failed |= !egress->credentials[i].port || credential_place(egress->credentials[i].pattern, &place) < 0;
}

int egress_read(struct str bytes, struct arena *arena, struct egress *ret, struct err *err) {
        static const struct str head = STR("bailey-egress 1 ");
        struct wire wire = { .rest = str_skip(bytes, head.len), .arena = arena };
        struct egress egress = { 0 };
        size_t denied, private_hosts;

        wire.failed = bytes.len > EGRESS_BYTES_MAX || !str_starts(bytes, head);
        egress.max_connections = (uint32_t)wire_number(&wire, ' ', EGRESS_CONNECTIONS_MAX);
        egress.port_count = wire_number(&wire, ' ', EGRESS_ITEMS_MAX);
        egress.rule_count = wire_number(&wire, ' ', EGRESS_ITEMS_MAX);
        denied = wire_number(&wire, ' ', EGRESS_ITEMS_MAX);
        private_hosts = wire_number(&wire, ' ', EGRESS_ITEMS_MAX);
        egress.credential_count = wire_number(&wire, '\n', EGRESS_CREDENTIALS_MAX);
        wire_ports(&wire, &egress);
        egress.rules = wire_rules(&wire, egress.rule_count);
        egress.denied = wire_patterns(&wire, denied);
        egress.private_hosts = wire_patterns(&wire, private_hosts);
        wire_credentials(&wire, &egress);
        if (wire.failed || wire.rest.len > 0)
                return err_set(err, ERR_INVALID, "not a network policy");
        *ret = egress;
        return 0;
}
