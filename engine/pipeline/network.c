/*
 * The network of a command that may reach some hosts: its gateway, and what it did there.
 */
#include "engine/pipeline/run.h"

#include <string.h>

enum { REFUSALS_TOLD = 5 };

/* ---- while it runs ---- */

/* When the sandbox has made its sockets. */
static void take_sockets(void *context, struct egress_sockets *sockets) {
        struct run *run = context;

        egress_sockets_check(&run->attempt.launch.egress, sockets);
        shell_ports_take(run, sockets);
        if (run->attempt.network)
                gateway_link_take(run->attempt.network, sockets);
        else
                egress_sockets_close(sockets);
}

static int read_gateway(void *context) {
        struct run *run = context;

        gateway_link_read(run->lent.gateway);
        return run->lent.gateway->socket;
}

/* Once for all commands. */
static void tell_unusable_proxy(struct run *run) {
        const char *variable = run->lent.gateway->unusable_proxy;

        run->lent.gateway->unusable_proxy = NULL;
        if (variable)
                run_notice(run, "%s is not the URL of an HTTP proxy (http://host:port); connections are made without a proxy",
                           variable);
}

int run_network_log(struct run *run, struct err *err) {
        if (!run->attempt.network)
                run->attempt.network = ARENA_NEW(&run->arena, struct network_log);
        return run->attempt.network ? 0 : err_memory(err);
}

/* The gateway starts while the sandbox is made. */
int run_network_begin(struct run *run, struct job_setup *setup, struct err *err) {
        if (run->order.policy->sandbox.network == NETWORK_INHERIT && run->order.policy->sandbox.network_credential_count)
                run_notice(run, "sandbox.network.credential: there are no endpoints with the network kind inherit");
        if (!egress_expected(&run->attempt.launch.egress))
                return 0;
        setup->egress = take_sockets;
        setup->egress_context = run;
        if (!egress_needs_gateway(&run->attempt.launch.egress))
                return 0;
        if (run_network_log(run, err) < 0)
                return -1;
        if (gateway_link_begin(run->lent.gateway, run->attempt.host.self, run->order.options.environment, run->order.policy,
                               run->attempt.network, err) < 0)
                return -1;
        tell_unusable_proxy(run);
        setup->beside = read_gateway;
        setup->beside_context = run;
        if (run->lent.gateway->epoll_fd < 0)
                setup->beside_fd = run->lent.gateway->socket;
        return 0;
}

/* From now on it can be asked for sockets. */
void run_network_started(struct run *run) {
        if (run->attempt.network)
                run->attempt.network->launched = &run->job.launched;
        shell_ports_begin(run);
}

/* ---- what it did ---- */

static const char *message_of(struct run *run, const struct gateway_event *event) {
        char text[512];

        if (event->reason == GATEWAY_ALLOWED)
                return NULL;
        gateway_message(event, text, sizeof(text));
        return run_text(run, "%s", text);
}

static void add_rows(struct run *run, bool refused, struct bailey_traffic_host *hosts, size_t *count) {
        const struct network_log *log = run->attempt.network;

        for (size_t i = 0; i < log->count; i++) {
                const struct gateway_event *row = &log->rows[i];

                if ((row->reason != GATEWAY_ALLOWED) == refused)
                        hosts[(*count)++] = (struct bailey_traffic_host){
                                .host = row->host,
                                .port = row->port,
                                .by = gateway_by_name(row->by),
                                .verdict = gateway_reason_name(row->reason),
                                .address = row->address[0] ? row->address : NULL,
                                .message = message_of(run, row),
                                .connections = row->connections,
                                .up = row->up,
                                .down = row->down,
                        };
        }
}

static void keep_network(struct run *run) {
        const struct network_log *log = run->attempt.network;
        struct bailey_traffic *network = ARENA_NEW(&run->arena, struct bailey_traffic);
        struct bailey_traffic_host *hosts = arena_alloc(&run->arena, (log->count + 1) * sizeof(*hosts));

        if (!network || !hosts)
                return;
        *network = (struct bailey_traffic){ .up = log->sums.up, .down = log->sums.down, .hosts = hosts };
        add_rows(run, true, hosts, &network->host_count);
        add_rows(run, false, hosts, &network->host_count);
        run->result.out.network = network;
}

void run_network_forget(struct run *run) {
        shell_ports_end(run);
        if (run->attempt.network)
                gateway_link_forget(run->attempt.network);
}

/* Once in a session: programs only see that such a connection is refused. */
static void tell_unseen(struct run *run) {
        BUF_AUTO text;

        buf_init(&text, 4096);
        if (!run->attempt.network->by_ports || run->lent.gateway->told_unseen)
                return;
        run->lent.gateway->told_unseen = true;
        launch_print_unseen(&run->attempt.launch.egress, &text);
        run_notice(run, "%.*s", (int)text.len, text.ptr);
}

static void tell_apart(struct run *run) {
        if (!run->lent.gateway || !run->lent.gateway->apart || run->lent.gateway->told_apart || run->order.options.background)
                return;
        run->lent.gateway->told_apart = true;
        run_notice(run, "ports of background commands can be reached from other commands only with the backend native");
}

static bool is_of_policy(const struct launch_egress *egress) {
        return egress->wanted || egress->host_port_count || egress->publish_count;
}

void run_network_end(struct run *run) {
        struct network_log *log = run->attempt.network;

        shell_ports_end(run);
        tell_apart(run);
        if (!log)
                return;
        tell_unseen(run);
        gateway_link_end(log);
        if (log->lost)
                run_notice(run, "the network gateway ended while the command ran: its connections were closed");
        if (log->tls_lost)
                run_notice(
                        run,
                        "bailey-tls, which holds the secrets of sandbox.network.credential, ended while the command ran: its "
                        "connections were closed");
        if (is_of_policy(&run->attempt.launch.egress) || log->count) /* or it has only used ports of other commands */
                keep_network(run);
}

const char *const *run_network_refusals(struct run *run) {
        const struct bailey_traffic *network = run->result.out.network;
        const char **messages;
        size_t count = 0;

        if (!network)
                return NULL;
        messages = arena_alloc(&run->arena, (network->host_count + 1) * sizeof(*messages));
        for (size_t i = 0; messages && i < network->host_count && count < REFUSALS_TOLD; i++)
                if (network->hosts[i].message)
                        messages[count++] = network->hosts[i].message;
        if (messages)
                messages[count] = NULL;
        return messages;
}
