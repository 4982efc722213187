/*
 * How connections of a command reach the gateway, from a policy.
 */
#include "policy/egress.h"

#include <string.h>

#include "sandbox/backend.h"

bool plan_has_egress(const struct policy *policy) {
        return network_is_filtered(policy->sandbox.network);
}

static const uint16_t *copy_ports(const uint16_t *ports, size_t count, struct arena *arena) {
        uint16_t *copy = arena_alloc(arena, (count + 1) * sizeof(*copy));

        if (copy && count)
                memcpy(copy, ports, count * sizeof(*copy));
        return copy;
}

/* A port that is the host's inside, and that of the command outside, would lead in a circle. */
static int check_published(const struct sandbox_policy *sandbox, const uint16_t *host_ports, size_t count, struct err *err) {
        for (size_t i = 0; i < sandbox->network_publish.count; i++) {
                struct published_port published;

                if (published_port_read(sandbox->network_publish.items[i], &published) < 0)
                        continue;
                for (size_t k = 0; k < count; k++)
                        if (host_ports[k] == published.inside)
                                return err_set(err, ERR_INVALID,
                                               "sandbox.network.publish and host_ports both have port %u: inside, it can be "
                                               "that of the command or that of the host",
                                               published.inside);
        }
        return 0;
}

/* For the sandbox, an endpoint is a port of localhost like those of the host; the gateway is told which is what. */
static int add_endpoints(const struct sandbox_policy *sandbox, uint16_t ports[static LAUNCH_HOST_PORTS_MAX], size_t *count,
                         struct err *err) {
        size_t endpoints = sandbox->network_credential_count;

        for (size_t i = 0; i < *count; i++)
                if (ports[i] >= EGRESS_CREDENTIAL_PORT && ports[i] < EGRESS_CREDENTIAL_PORT + endpoints)
                        return err_set(err, ERR_INVALID, "sandbox.network.host_ports: port %u is the endpoint of a credential",
                                       ports[i]);
        if (*count + endpoints > LAUNCH_HOST_PORTS_MAX)
                return err_set(err, ERR_INVALID, "sandbox.network.host_ports and credential: more than %d ports",
                               LAUNCH_HOST_PORTS_MAX);
        for (size_t i = 0; i < endpoints; i++)
                ports[(*count)++] = (uint16_t)(EGRESS_CREDENTIAL_PORT + i);
        return 0;
}

/* A host's port 53 would be in the place of the name server. */
static int plan_host_ports(const struct sandbox_policy *sandbox, struct arena *arena, struct launch_egress *egress,
                           struct err *err) {
        uint16_t ports[LAUNCH_HOST_PORTS_MAX];
        size_t count = port_list_read(sandbox->network_host_ports, ports, LAUNCH_HOST_PORTS_MAX);

        if (sandbox->network_host_ports.count > LAUNCH_HOST_PORTS_MAX)
                return err_set(err, ERR_INVALID, "sandbox.network.host_ports: more than %d ports", LAUNCH_HOST_PORTS_MAX);
        for (size_t i = 0; egress->wanted && i < count; i++)
                if (ports[i] == 53)
                        return err_set(err, ERR_INVALID,
                                       "sandbox.network.host_ports: port 53 is that of the sandbox's own name server");
        if (check_published(sandbox, ports, count, err) < 0 || add_endpoints(sandbox, ports, &count, err) < 0)
                return -1;
        egress->host_ports = copy_ports(ports, count, arena);
        egress->host_port_count = count;
        return egress->host_ports ? 0 : err_memory(err);
}

static int plan_ports(const struct policy *policy, struct arena *arena, struct launch_egress *egress, struct err *err) {
        uint16_t ports[LAUNCH_PORTS_MAX];
        struct egress rules;

        if (egress_from_policy(policy, arena, &rules, err) < 0)
                return -1;
        egress->wanted = true;
        egress->needs_transparent = egress_any_port(&rules);
        egress->port_count = egress_all_ports(&rules, ports, LAUNCH_PORTS_MAX);
        egress->ports = copy_ports(ports, egress->port_count, arena);
        return egress->ports ? 0 : err_memory(err);
}

int plan_egress(const struct policy *policy, struct arena *arena, struct launch *launch, struct err *err) {
        struct launch_egress egress = { .publish_count = policy->sandbox.network_publish.count };

        if (policy->sandbox.network == NETWORK_INHERIT)
                return 0;
        if (plan_has_egress(policy) && plan_ports(policy, arena, &egress, err) < 0)
                return -1;
        if (plan_host_ports(&policy->sandbox, arena, &egress, err) < 0)
                return -1;
        launch->egress = egress;
        return 0;
}
