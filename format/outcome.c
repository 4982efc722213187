#include "format/format.h"

#include "format/json.h"

static const char *const end_names[] = {
        [BAILEY_EXITED] = "exited",   [BAILEY_TIMED_OUT] = "timed_out", [BAILEY_CANCELLED] = "cancelled",
        [BAILEY_REFUSED] = "refused", [BAILEY_NOT_FOUND] = "not_found", [BAILEY_FAILED] = "failed",
        [BAILEY_PLANNED] = "planned",
};

const char *format_limit_state(enum bailey_limit_state state) {
        static const char *const names[] = {
                [BAILEY_LIMIT_NONE] = "none",
                [BAILEY_LIMIT_ENFORCED] = "enforced",
                [BAILEY_LIMIT_BEST_EFFORT] = "best effort",
                [BAILEY_LIMIT_NOT_ENFORCED] = "not enforced",
        };

        return names[state];
}

static void put_output(const struct bailey_outcome *o, struct buf *out) {
        if (!o->output)
                return;
        put_bytes(out, "output", str_from(o->output, o->output_length));
        put_number(out, "output_bytes", (long long)o->output_bytes);
        put_switch(out, "truncated", o->truncated);
        put_number(out, "elided_bytes", (long long)o->elided_bytes);
        put_switch(out, "invalid_utf8", o->invalid_utf8);
}

static void put_host(struct buf *out, const struct bailey_traffic_host *host) {
        put_item(out);
        put_text(out, "host", host->host);
        put_number(out, "port", host->port);
        put_text(out, "by", host->by);
        put_text(out, "verdict", host->verdict);
        put_text(out, "address", host->address);
        put_number(out, "connections", (long long)host->connections);
        put_number(out, "up", (long long)host->up);
        put_number(out, "down", (long long)host->down);
        put_end(out);
}

void put_network(struct buf *out, const struct bailey_traffic *network) {
        if (!network)
                return;
        put_object(out, "network");
        put_number(out, "up", (long long)network->up);
        put_number(out, "down", (long long)network->down);
        put_array(out, "hosts");
        for (size_t i = 0; i < network->host_count; i++)
                put_host(out, &network->hosts[i]);
        put_array_end(out);
        put_end(out);
}

static void put_plan(const struct bailey_outcome *o, struct buf *out) {
        put_text(out, "backend", o->planned);
        if (!o->planned)
                return;
        put_texts(out, "enforced", o->enforced);
        put_texts(out, "not_enforced", o->not_enforced);
        put_object(out, "limits");
        for (size_t i = 0; i < o->limit_count; i++)
                put_text(out, o->limits[i].name, format_limit_state(o->limits[i].state));
        put_end(out);
}

void put_staged(struct buf *out, const struct bailey_staged *staged) {
        if (!staged)
                return;
        put_object(out, "staged");
        put_text(out, "name", staged->name);
        put_number(out, "changed", (long long)staged->changed);
        put_number(out, "new", (long long)staged->added);
        put_number(out, "deleted", (long long)staged->deleted);
        put_end(out);
}

void put_ending(struct buf *out, const struct bailey_outcome *o) {
        put_number(out, "exit_code", o->exit_code);
        if (o->signal)
                put_number(out, "signal", o->signal);
        else
                put_null(out, "signal");
        put_switch(out, "timed_out", o->end == BAILEY_TIMED_OUT);
        put_switch(out, "cancelled", o->end == BAILEY_CANCELLED);
}

void put_outcome(struct buf *out, const struct bailey_outcome *o) {
        put_text(out, "end", end_names[o->end]);
        put_ending(out, o);
        put_number(out, "duration_ms", o->duration_ms);
        put_text(out, "cwd", o->cwd);
        put_output(o, out);
        put_text(out, "message", o->message);
        put_text(out, "explanation", o->explanation);
        put_texts(out, "notices", o->notices);
        put_plan(o, out);
        put_network(out, o->network);
        put_staged(out, o->staged);
        if (o->findings)
                put_findings(out, o->findings, o->finding_count);
        if (o->findings)
                put_switch(out, "findings_lost", o->findings_lost);
        put_object(out, "verdict");
        put_text(out, "action", format_action(o->action));
        put_reasons(out, o->reasons, o->reason_count);
        put_end(out);
}

void format_outcome_json(const struct bailey_outcome *o, struct buf *out) {
        put_begin(out);
        put_number(out, "schemaVersion", 1);
        put_outcome(out, o);
        put_end(out);
}
