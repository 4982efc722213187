/*
 * How many commands of which kind: one counter for each value of a few fields.
 */
#include <stdio.h>
#include <stdlib.h>

#include "audit/print.h"
#include "base/time.h"

enum { NAME_MAX_LENGTH = 64, COUNTERS_MAX = 1024, SHOWN_MAX = 12 };

enum group { GROUP_KIND, GROUP_ACTION, GROUP_RULE, GROUP_BACKEND, GROUP_END, GROUP_HOUR, GROUPS };

static const struct {
        const char *name;
        const char *title;
} groups[] = {
        [GROUP_KIND] = { "kind", "records" },    [GROUP_ACTION] = { "action", "commands by verdict" },
        [GROUP_RULE] = { "rule", "by rule" },    [GROUP_BACKEND] = { "backend", "by sandbox" },
        [GROUP_END] = { "end", "by their end" }, [GROUP_HOUR] = { "hour", "busiest hours (UTC)" },
};

struct counter {
        enum group group;
        char name[NAME_MAX_LENGTH];
        uint64_t count;
};

struct audit_stats {
        struct counter counters[COUNTERS_MAX];
        size_t count;
        uint64_t commands;
        char first[TIME_TEXT_SIZE], last[TIME_TEXT_SIZE];
};

struct audit_stats *audit_stats_new(void) {
        return calloc(1, sizeof(struct audit_stats));
}

void audit_stats_free(struct audit_stats *stats) {
        free(stats);
}

/* Past the last counter, new names are not counted. */
static void count(struct audit_stats *stats, enum group group, struct str name) {
        struct counter *counter = stats->counters;

        if (!name.len)
                return;
        name = str_take(name, NAME_MAX_LENGTH - 1);
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
        if (str_is(kind, "intent") || str_is(kind, "repair") || str_is(kind, "changed")) /* a command is counted at its end */
                return;
        audit_print_end(record, &end);
        stats->commands++;
        count(stats, GROUP_ACTION, audit_field(record, "action"));
        count(stats, GROUP_BACKEND, audit_field(record, "backend"));
        count(stats, GROUP_END, buf_str(&end));
        count(stats, GROUP_HOUR, str_take(time, sizeof("2026-11-16T04") - 1));
        count_rules(stats, record);
}

/* ---- telling ---- */

static int compare(const void *a, const void *b) {
        const struct counter *x = a, *y = b;

        if (x->group != y->group)
                return x->group < y->group ? -1 : 1;
        if (x->count != y->count)
                return x->count > y->count ? -1 : 1;
        return strcmp(x->name, y->name);
}

static void sort(struct audit_stats *stats) {
        qsort(stats->counters, stats->count, sizeof(*stats->counters), compare);
}

/* Names come from the file, which may hold anything. */
static void put_name(struct buf *out, const char *name) {
        size_t start = out->len;

        for (; *name; name++)
                buf_char(out, *name >= ' ' && *name <= '~' ? *name : '?');
        do
                buf_char(out, ' ');
        while (!out->failed && out->len < start + 32);
}

void audit_stats_text(struct audit_stats *stats, struct buf *out) {
        size_t shown = 0;

        sort(stats);
        buf_format(out, "%llu commands", (unsigned long long)stats->commands);
        if (stats->first[0])
                buf_format(out, ", from %s to %s", stats->first, stats->last);
        buf_char(out, '\n');
        for (size_t i = 0; i < stats->count; i++) {
                const struct counter *counter = &stats->counters[i];

                if (i == 0 || counter->group != counter[-1].group) {
                        buf_format(out, "\n%s\n", groups[counter->group].title);
                        shown = 0;
                }
                if (shown++ >= SHOWN_MAX)
                        continue;
                buf_append(out, STR("  "));
                put_name(out, counter->name);
                buf_format(out, "%8llu\n", (unsigned long long)counter->count);
        }
}

void audit_stats_json(struct audit_stats *stats, struct buf *out) {
        const struct counter *counter = stats->counters, *end = stats->counters + stats->count;

        sort(stats);
        buf_format(out, "{\"commands\":%llu,\"first\":", (unsigned long long)stats->commands);
        buf_json(out, str_z(stats->first));
        buf_append(out, STR(",\"last\":"));
        buf_json(out, str_z(stats->last));
        for (int group = 0; group < GROUPS; group++) {
                const char *comma = "";

                buf_format(out, ",\"%s\":{", groups[group].name);
                for (; counter < end && (int)counter->group == group; counter++, comma = ",") {
                        buf_append(out, str_z(comma));
                        buf_json(out, str_z(counter->name));
                        buf_format(out, ":%llu", (unsigned long long)counter->count);
                }
                buf_char(out, '}');
        }
        buf_append(out, STR("}\n"));
}
