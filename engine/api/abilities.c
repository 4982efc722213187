/*
 * What commands can do under a policy, in short: for front ends that describe it.
 */
#include <string.h>

#include "base/buf.h"
#include "base/time.h"
#include "bailey.h"
#include "engine/pipeline/choose.h"
#include "engine/policy.h"

enum { COMMANDS_TEXT_MAX = 64 << 10 };

/* "grep, cat, npm run" */
static char *commands_text(const struct str_list *commands) {
        BUF_AUTO out;

        buf_init(&out, COMMANDS_TEXT_MAX);
        for (size_t i = 0; i < commands->count; i++)
                buf_format(&out, "%s%.*s", i ? ", " : "", (int)commands->items[i].len, commands->items[i].ptr);
        return strndup(out.ptr ? out.ptr : "", out.len);
}

static enum bailey_network network_of(const struct policy *policy, const struct backend_choice *choice) {
        static const enum bailey_network kinds[] = {
                [NETWORK_DENY] = BAILEY_NETWORK_NONE,
                [NETWORK_INHERIT] = BAILEY_NETWORK_ALL,
                [NETWORK_ALLOW_HOSTS] = BAILEY_NETWORK_HOSTS,
                [NETWORK_PACKAGES] = BAILEY_NETWORK_HOSTS,
        };

        if (choice->count == 1 && choice->items[0]->id == BACKEND_NONE)
                return BAILEY_NETWORK_ALL;
        if (choice->containers && policy->container.network_mode == CONTAINER_NETWORK_NONE)
                return BAILEY_NETWORK_NONE;
        return kinds[policy->sandbox.network];
}

int bailey_abilities(const struct bailey_policy *policy, const char *const *environment, struct bailey_abilities *ret) {
        const struct policy *p = policy->policy;
        struct backend_choice choice = {};
        struct bailey_abilities abilities = {
                .writes_workspace = p->sandbox.workspace_write,
                .guarded = p->guard.mode == GUARD_ENFORCE && !policy->bypassed,
                .any_host = p->guard.allow_any_domain,
                .timeout_ms = p->run.timeout / (TIME_SECOND / 1000),
                .timeout_max_ms = p->run.timeout_max / (TIME_SECOND / 1000),
                .background_max_ms = p->run.background_max / (TIME_SECOND / 1000),
                .kill_grace_ms = p->run.kill_grace / (TIME_SECOND / 1000),
                .shells_max = p->run.max_shells,
                .warned_runs = p->mcp.warned == WARNED_RUN,
                .ask_timeout_ms = p->mcp.ask_timeout / (TIME_SECOND / 1000),
        };
        struct err ignored;

        /* Where none can be chosen nothing runs, and every command is answered with the reason. */
        if (backend_choose(p, environment, &choice, &ignored) < 0)
                choice.count = 0;
        abilities.sandboxed = !(choice.count == 1 && choice.items[0]->id == BACKEND_NONE);
        abilities.keeps_state = choice.count && choice.items[0]->id == BACKEND_NATIVE && p->run.state == STATE_SESSION;
        abilities.keeps_tmp = choice.count && backend_keeps_tmp(choice.items[0], p);
        abilities.own_home = p->sandbox.home == HOME_OWN && choice.count && choice.items[0]->own_home;
        abilities.network = network_of(p, &choice);
        if (p->guard.allow_only_listed && !(abilities.commands = commands_text(&p->guard.allowed_commands)))
                return -1;
        *ret = abilities;
        return 0;
}
