/*
 * How many commands of which kind: one counter for each value of a few fields.
 */
#include <stdlib.h>

#include "audit/print.h"

struct audit_stats *audit_stats_new(void) {
        return calloc(1, sizeof(struct audit_stats));
}

void audit_stats_free(struct audit_stats *stats) {
        free(stats);
}

/* Past the last counter, new names are not counted. */
static void count(struct audit_stats *stats, enum audit_group group, struct str name) {
        struct audit_counter *counter = stats->counters;

        if (!name.len)
                return;
        name = str_take(name, COUNTER_NAME_SIZE - 1);
        for (; counter < stats->counters + stats->count; counter++)
                if (counter->group == group && str_is(name, counter->name))
                        break;
        if (counter == stats->counters + COUNTERS_MAX)
                return;
        if (counter == stats->counters + stats->count) {
                stats->count++;
                counter->group = group;
                memcpy(counter->name, name.ptr, name.len);
        }
        counter->count++;
}

static void count_rules(struct audit_stats *stats, const struct tree_node *record) {
        const struct tree_node *reasons = tree_get(record, STR("reasons"));

        if (!reasons || reasons->kind != TREE_ARRAY)
                return;
        TREE_EACH(reason, reasons)
        count(stats, GROUP_RULE, audit_field(reason, "rule"));
}

/* A command is counted once, at its end. */
static bool counts(struct str kind) {
        static const char *const others[] = { "intent", "input", "changed", "asked", "answered", "repair" };

        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
                if (str_is(kind, others[i]))
                        return false;
        return true;
}

void audit_stats_add(struct audit_stats *stats, const struct tree_node *record) {
        struct str kind = audit_field(record, "kind"), time = audit_field(record, "time");
        BUF_AUTO end;

        buf_init(&end, CHAIN_LINE_MAX);
        count(stats, GROUP_KIND, kind);
        if (time.len == TIME_TEXT_SIZE - 1) {
                memcpy(stats->last, time.ptr, time.len);
                if (!stats->first[0])
                        memcpy(stats->first, time.ptr, time.len);
        }
        if (!counts(kind))
                return;
        audit_print_end(record, &end);
        stats->commands++;
        count(stats, GROUP_ACTION, audit_field(record, "action"));
        count(stats, GROUP_BACKEND, audit_field(record, "backend"));
        count(stats, GROUP_END, buf_str(&end));
        count(stats, GROUP_HOUR, str_take(time, sizeof("2026-11-16T04") - 1));
        count_rules(stats, record);
}

static int compare(const void *a, const void *b) {
        const struct audit_counter *x = a, *y = b;

        if (x->group != y->group)
                return x->group < y->group ? -1 : 1;
        if (x->count != y->count)
                return x->count > y->count ? -1 : 1;
        return strcmp(x->name, y->name);
}

void audit_stats_sort(struct audit_stats *stats) {
        qsort(stats->counters, stats->count, sizeof(*stats->counters), compare);
}
