#include "engine/pipeline/shell_ports.h"

#include <string.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/run.h"
#include "launch/egress.h"

#define LOOK_EVERY (TIME_SECOND / 5)

/* ---- what a command listens at ---- */

static bool has_port(const uint16_t *ports, size_t count, uint16_t port) {
        for (size_t i = 0; i < count; i++)
                if (ports[i] == port)
                        return true;
        return false;
}

static bool has_other(const struct shell_ports *shell, uint16_t port) {
        for (size_t i = 0; i < shell->other_count; i++)
                if (shell->others[i].port == port)
                        return true;
        return false;
}

/* At its localhost these lead somewhere already, as its policy says. So no other command can take their place. */
static bool is_of_policy(const struct shell_ports *shell, uint16_t port) {
        const struct launch_egress *egress = &shell->run->attempt.launch.egress;
        bool by_ports = shell->run->lent.gateway->capture == CAPTURE_PORTS;

        return has_port(egress->host_ports, egress->host_port_count, port) ||
               (egress->wanted && (port == EGRESS_DNS_PORT || port == EGRESS_TRANSPARENT_PORT ||
                                   (by_ports && has_port(egress->ports, egress->port_count, port))));
}

static void look_at(struct shell_ports *shell) {
        uint16_t found[2 * LAUNCH_SHELL_PORTS_MAX];
        size_t count;

        shell->count = 0;
        if (shell->diag < 0)
                return;
        count = listeners_read(shell->diag, found, sizeof(found) / sizeof(*found));
        for (size_t i = 0; i < count && shell->count < LAUNCH_SHELL_PORTS_MAX; i++)
                if (!is_of_policy(shell, found[i]) && !has_other(shell, found[i]))
                        shell->ports[shell->count++] = found[i];
}

/* ---- what others get of it ---- */

/* The gateway has to know both. */
static int join(struct shell_ports *shell, struct err *err) {
        struct run *run = shell->run;

        if (run_network_log(run, err) < 0)
                return -1;
        if (gateway_link_join(run->lent.gateway, run->attempt.host.self, run->order.options.environment, run->order.policy,
                              run->attempt.network, err) < 0)
                return -1;
        run->attempt.network->launched = &run->job.launched;
        return 0;
}

static bool add_other(struct shell_ports *shell, struct shell_ports *of, uint16_t port) {
        if (shell == of || shell->other_count == LAUNCH_SHELL_PORTS_MAX || has_other(shell, port) ||
            has_port(shell->ports, shell->count, port) || is_of_policy(shell, port))
                return false;
        shell->others[shell->other_count].port = port;
        shell->others[shell->other_count++].of = of;
        return true;
}

static bool takes_part(const struct run *run) {
        const struct launch *launch = &run->attempt.launch;

        return run->lent.epoll_fd >= 0 && run->lent.gateway && launch->namespaces == LAUNCH_NAMESPACES_AND_NET &&
               !launch->wrapper;
}

static void plan_others(struct run *run, struct shell_ports *shell) {
        struct launch_egress *egress = &run->attempt.launch.egress;
        uint16_t *ports;

        for (struct shell_ports *other = run->lent.gateway->shells; other; other = other->next) {
                look_at(other);
                for (size_t i = 0; i < other->count; i++)
                        add_other(shell, other, other->ports[i]);
        }
        ports = shell->other_count ? arena_alloc(&run->arena, shell->other_count * sizeof(*ports)) : NULL;
        for (size_t i = 0; ports && i < shell->other_count; i++)
                ports[i] = shell->others[i].port;
        egress->shell_ports = ports;
        egress->shell_port_count = ports ? shell->other_count : 0;
}

void shell_ports_plan(struct run *run) {
        struct shell_ports *shell = &run->attempt.shell_ports;

        if (!takes_part(run))
                return;
        *shell = (struct shell_ports){ .run = run, .diag = -1 };
        run->attempt.launch.egress.session = true;
        run->attempt.launch.egress.serves = run->order.options.background;
        plan_others(run, shell);
}

/* ---- while it runs ---- */

void shell_ports_begin(struct run *run) {
        struct shell_ports *shell = &run->attempt.shell_ports;

        if (!run->lent.gateway)
                return;
        shell->apart = !run->attempt.launch.egress.session && run->lent.epoll_fd >= 0 && run->order.options.background &&
                       run->order.policy->sandbox.network != NETWORK_INHERIT;
        run->lent.gateway->apart += shell->apart;
        if (!run->attempt.launch.egress.session)
                return;
        for (size_t i = 0; i < shell->other_count; i++)
                (void)join(shell->others[i].of, &(struct err){}); /* else the connections are refused */
        shell->listed = true;
        shell->next = run->lent.gateway->shells;
        run->lent.gateway->shells = shell;
}

static void forget_others_of(struct shell_ports *shell, const struct shell_ports *of) {
        size_t kept = 0;

        for (size_t i = 0; i < shell->other_count; i++)
                if (shell->others[i].of != of)
                        shell->others[kept++] = shell->others[i];
        shell->other_count = kept;
}

void shell_ports_end(struct run *run) {
        struct shell_ports *shell = &run->attempt.shell_ports;
        struct shell_ports **at;

        if (shell->apart)
                run->lent.gateway->apart--;
        shell->apart = false;
        fd_close(TAKE_FD(shell->diag));
        if (!shell->listed)
                return;
        shell->listed = false;
        for (at = &run->lent.gateway->shells; *at != shell; at = &(*at)->next)
                ;
        *at = shell->next;
        for (struct shell_ports *other = run->lent.gateway->shells; other; other = other->next)
                forget_others_of(other, shell);
}

static void take_listener(struct run *run, uint16_t port, int fd) {
        const struct shell_ports *shell = &run->attempt.shell_ports;

        for (size_t i = 0; i < shell->other_count; i++)
                if (shell->others[i].port == port && shell->others[i].of->run->attempt.network && run->attempt.network)
                        gateway_link_forward(run->attempt.network, shell->others[i].of->run->attempt.network, port, fd);
        fd_close(fd);
}

void shell_ports_take(struct run *run, struct egress_sockets *sockets) {
        struct shell_ports *shell = &run->attempt.shell_ports;
        size_t kept = 0;

        for (size_t i = 0; i < sockets->count; i++)
                if (sockets->items[i].kind == EGRESS_DIAG && shell->diag < 0)
                        shell->diag = sockets->items[i].fd;
                else if (sockets->items[i].kind == EGRESS_DIAG)
                        fd_close(sockets->items[i].fd);
                else if (sockets->items[i].kind == EGRESS_SHELL_PORT)
                        take_listener(run, sockets->items[i].port, sockets->items[i].fd);
                else
                        sockets->items[kept++] = sockets->items[i];
        sockets->count = kept;
}

/* ---- for explanations ---- */

const char *shell_ports_served(struct run *run) {
        bool serves = false;
        BUF_AUTO text;

        buf_init(&text, 4096);
        if (!run->attempt.launch.egress.session)
                return NULL;
        for (struct shell_ports *shell = run->lent.gateway->shells; shell; shell = shell->next) {
                serves |= shell->diag >= 0;
                look_at(shell);
                for (size_t i = 0; i < shell->count; i++)
                        buf_format(&text, "%s%u", text.len ? ", " : "", shell->ports[i]);
        }
        return serves ? run_text(run, "%.*s", (int)text.len, text.len ? text.ptr : "") : NULL;
}

/* ---- ports that are new ---- */

static void give(struct shell_ports *shell, struct shell_ports *of, uint16_t port) {
        struct err ignored;

        if (add_other(shell, of, port) && join(of, &ignored) == 0 && join(shell, &ignored) == 0)
                launch_request_port(&shell->run->job.launched, port);
}

int64_t shell_ports_deadline(struct gateway_link *link) {
        bool serves = false;

        for (const struct shell_ports *shell = link->shells; shell; shell = shell->next)
                serves |= shell->diag >= 0;
        if (!serves || !link->shells->next)
                link->shells_look = 0;
        else if (!link->shells_look)
                link->shells_look = time_monotonic() + LOOK_EVERY;
        return link->shells_look;
}

void shell_ports_due(struct gateway_link *link, int64_t now) {
        if (!link->shells_look || now < link->shells_look)
                return;
        link->shells_look = 0;
        for (struct shell_ports *of = link->shells; of; of = of->next) {
                look_at(of);
                for (size_t i = 0; i < of->count; i++)
                        for (struct shell_ports *shell = link->shells; shell; shell = shell->next)
                                give(shell, of, of->ports[i]);
        }
}
