#include "format/format.h"

#include "format/json.h"

enum { SHOWN_MAX = 12, NAME_WIDTH = 32 };

/* ---- the chain ---- */

void format_audit_check_text(const struct bailey_audit_check *check, struct buf *out) {
        if (check->problem) {
                buf_format(out, "%s:%llu: ", check->file, check->line);
                if (check->id[0])
                        buf_format(out, "record %s: ", check->id);
                buf_format(out, "%s\n", check->problem);
        } else {
                buf_format(out, "ok: %llu records in %zu file%s%s, last hash %s\n", check->records, check->files,
                           check->files == 1 ? "" : "s",
                           !check->records || check->from_start ? "" : ", earlier records rotated away", check->last);
        }
        if (check->repairs)
                buf_format(out, "records interrupted by a killed writer: %llu\n", check->repairs);
        if (check->torn)
                buf_format(out, "%s:%llu: incomplete record of %llu bytes: its writer was killed; the next writer repairs it\n",
                           check->path, check->line, check->torn_bytes);
}

void format_audit_check_json(const struct bailey_audit_check *check, struct buf *out) {
        put_begin(out);
        put_switch(out, "ok", !check->problem);
        put_number(out, "records", (long long)check->records);
        put_number(out, "files", (long long)check->files);
        put_number(out, "repairs", (long long)check->repairs);
        put_switch(out, "from_start", check->from_start);
        put_text(out, "last", check->last);
        if (check->torn)
                put_number(out, "torn_bytes", (long long)check->torn_bytes);
        if (check->problem) {
                put_text(out, "file", check->file);
                put_number(out, "line", (long long)check->line);
                put_text(out, "id", check->id);
                put_text(out, "problem", check->problem);
        }
        put_end(out);
        buf_char(out, '\n');
}

/* ---- numbers ---- */

static const struct {
        const char *name, *title;
} groups[] = {
        [BAILEY_AUDIT_BY_KIND] = { "kind", "records" },    [BAILEY_AUDIT_BY_ACTION] = { "action", "commands by verdict" },
        [BAILEY_AUDIT_BY_RULE] = { "rule", "by rule" },    [BAILEY_AUDIT_BY_BACKEND] = { "backend", "by sandbox" },
        [BAILEY_AUDIT_BY_END] = { "end", "by their end" }, [BAILEY_AUDIT_BY_HOUR] = { "hour", "busiest hours (UTC)" },
};
enum { GROUPS = sizeof(groups) / sizeof(*groups) };

static void text_name(struct buf *out, const char *name) {
        size_t start = out->len;

        for (; *name; name++)
                buf_char(out, *name >= ' ' && *name <= '~' ? *name : '?');
        do
                buf_char(out, ' ');
        while (!out->failed && out->len < start + NAME_WIDTH);
}

void format_audit_stats_text(const struct bailey_audit_stats *stats, struct buf *out) {
        size_t shown = 0;

        buf_format(out, "%llu commands", stats->commands);
        if (stats->first[0])
                buf_format(out, ", from %s to %s", stats->first, stats->last);
        buf_char(out, '\n');
        for (size_t i = 0; i < stats->count; i++) {
                const struct bailey_audit_count *item = &stats->items[i];

                if (i == 0 || item->group != item[-1].group) {
                        buf_format(out, "\n%s\n", groups[item->group].title);
                        shown = 0;
                }
                if (shown++ >= SHOWN_MAX)
                        continue;
                buf_append(out, STR("  "));
                text_name(out, item->name);
                buf_format(out, "%8llu\n", item->count);
        }
}

void format_audit_stats_json(const struct bailey_audit_stats *stats, struct buf *out) {
        const struct bailey_audit_count *item = stats->items, *end = item + stats->count;

        put_begin(out);
        put_number(out, "commands", (long long)stats->commands);
        put_text(out, "first", stats->first);
        put_text(out, "last", stats->last);
        for (size_t group = 0; group < GROUPS; group++) {
                put_object(out, groups[group].name);
                for (; item < end && item->group == group; item++)
                        put_number(out, item->name, (long long)item->count);
                put_end(out);
        }
        put_end(out);
        buf_char(out, '\n');
}
