/*
 * The network of the commands of a session, as it is now.
 */
#include "base/time.h"
#include "engine/config.h"
#include "engine/session/session.h"
#include "policy/keys.h"

static const char *kind_name(const struct policy *policy) {
        const struct key_row *row = key_by_path(STR("sandbox.network.kind"));

        return row->words[policy->sandbox.network];
}

static const char *capture_name(enum network_capture capture) {
        static const char *const names[] = { [CAPTURE_TPROXY] = "tproxy", [CAPTURE_PORTS] = "ports" };

        return names[capture];
}

static int put_hosts(const struct policy *policy, struct arena *arena, struct bailey_network_state *ret) {
        struct str_list list = policy->sandbox.network_hosts;
        const char **hosts = arena_alloc(arena, (list.count + 1) * sizeof(*hosts));

        if (!network_is_filtered(policy->sandbox.network))
                list.count = 0;
        for (size_t i = 0; hosts && i < list.count; i++)
                if (!(hosts[i] = arena_dup(arena, list.items[i])))
                        return -1;
        ret->hosts = hosts;
        ret->host_count = list.count;
        return hosts ? 0 : -1;
}

static int put_refusal(const struct gateway_event *event, int64_t when, struct arena *arena, struct bailey_refusal *ret) {
        char text[512], time[TIME_TEXT_SIZE];

        time_format(when, time);
        gateway_message(event, text, sizeof(text));
        *ret = (struct bailey_refusal){
                .when = arena_dup(arena, str_z(time)),
                .host = arena_dup(arena, str_z(event->host)),
                .port = event->port,
                .verdict = gateway_reason_name(event->reason),
                .message = arena_dup(arena, str_z(text)),
        };
        return ret->when && ret->host && ret->message ? 0 : -1;
}

static int put_refusals(const struct gateway_link *link, struct arena *arena, struct bailey_network_state *ret) {
        size_t count = link->refusal_count < REFUSALS_KEPT ? (size_t)link->refusal_count : REFUSALS_KEPT;
        struct bailey_refusal *refusals = arena_alloc(arena, (count + 1) * sizeof(*refusals));

        for (size_t i = 0; refusals && i < count; i++) {
                size_t at = (size_t)((link->refusal_count - count + i) % REFUSALS_KEPT);

                if (put_refusal(&link->refusals[at].event, link->refusals[at].when, arena, &refusals[i]) < 0)
                        return -1;
        }
        ret->refusals = refusals;
        ret->refusal_count = count;
        return refusals ? 0 : -1;
}

int bailey_session_network(struct bailey_session *session, struct bailey_network_state *ret) {
        const struct policy *policy = session->policy->policy;
        struct bailey_network_state state = { .kind = kind_name(policy) };
        struct err ignored;
        struct arena *arena = config_memory_new(&ignored);

        state.memory = arena;
        state.open = gateway_link_count(&session->gateway); /* first: it reads refusals, too */
        state.capture = capture_name(session->gateway.capture);
        if (!arena || put_hosts(policy, arena, &state) < 0 || put_refusals(&session->gateway, arena, &state) < 0) {
                config_memory_free(arena);
                return -1;
        }
        *ret = state;
        return 0;
}

void bailey_network_state_free(struct bailey_network_state *state) {
        config_memory_free(state->memory);
        *state = (struct bailey_network_state){};
}
