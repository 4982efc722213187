/*
 * Sums, written for a page. Every name comes from the file, and may hold anything.
 */
#include <stdlib.h>

#include "audit/web/escape.h"
#include "audit/web/sums.h"

enum { RULES_SHOWN = 100 };

typedef unsigned long long ull;

/* ---- order ---- */

static uint64_t item_total(const struct tally_item *item) {
        uint64_t total = 0;

        for (int column = 0; column < COLUMNS; column++)
                total += item->counts[column];
        return total;
}

static int compare_items(const void *a, const void *b) {
        uint64_t x = item_total(a), y = item_total(b);

        if (x != y)
                return x > y ? -1 : 1;
        return strcmp(((const struct tally_item *)a)->name, ((const struct tally_item *)b)->name);
}

static void tally_sort(struct tally *tally) {
        qsort(tally->items, tally->count, sizeof(*tally->items), compare_items);
}

/* Those that were blocked most often, the most often first; among equals the earlier. */
static size_t most_blocked(const struct sums *sums, const struct sums_command *ret[static SUMS_TOP]) {
        size_t count = 0;

        for (size_t i = 0; i < sums->blocked_count; i++) {
                const struct sums_command *command = &sums->blocked[i];
                size_t place = count;

                while (place > 0 && ret[place - 1]->number < command->number)
                        place--;
                if (place == SUMS_TOP)
                        continue;
                count += count < SUMS_TOP;
                memmove(&ret[place + 1], &ret[place], (count - 1 - place) * sizeof(*ret));
                ret[place] = command;
        }
        return count;
}

/* ---- JSON ---- */

static void counts_json(const uint64_t counts[static COLUMNS], struct buf *out) {
        for (int column = 0; column < COLUMNS; column++)
                buf_format(out, "%s\"%s\":%llu", column ? "," : "", sums_columns[column], (ull)counts[column]);
}

static void tally_json(const char *name, struct tally *tally, struct buf *out) {
        tally_sort(tally);
        buf_format(out, ",\n\"%s\":[", name);
        for (size_t i = 0; i < tally->count; i++) {
                buf_append(out, i ? STR(",{\"name\":") : STR("{\"name\":"));
                escape_json(out, str_z(tally->items[i].name));
                buf_char(out, ',');
                counts_json(tally->items[i].counts, out);
                buf_char(out, '}');
        }
        buf_format(out, "],\"%s_others\":%llu", name, (ull)tally->others);
}

static void command_json(const struct sums_command *command, struct buf *out) {
        buf_format(out, "{\"number\":%llu,\"command\":%s,\"id\":", (ull)command->number, command->text);
        escape_json(out, str_z(command->id));
        buf_append(out, STR(",\"time\":"));
        escape_json(out, str_z(command->time));
        buf_char(out, '}');
}

void sums_json(struct sums *sums, struct buf *out) {
        const struct sums_command *blocked[SUMS_TOP];
        size_t blocked_count = most_blocked(sums, blocked);

        buf_format(out, "{\"commands\":%llu,\"open\":%llu,\"changes\":%llu,\"verdicts\":{", (ull)sums->commands,
                   (ull)sums->open, (ull)sums->changes);
        counts_json(sums->counts, out);
        buf_append(out, STR("},\"first\":"));
        escape_json(out, str_z(sums->first));
        buf_append(out, STR(",\"last\":"));
        escape_json(out, str_z(sums->last));
        tally_json("rules", &sums->rules, out);
        tally_json("ends", &sums->ends, out);
        tally_json("backends", &sums->backends, out);
        buf_append(out, STR(",\n\"timeline\":"));
        timeline_json(&sums->timeline, out);
        buf_append(out, STR(",\n\"slowest\":["));
        for (size_t i = 0; i < sums->slowest_count; i++) {
                buf_append(out, i ? STR(",") : STR(""));
                command_json(&sums->slowest[i], out);
        }
        buf_append(out, STR("],\n\"blocked\":["));
        for (size_t i = 0; i < blocked_count; i++) {
                buf_append(out, i ? STR(",") : STR(""));
                command_json(blocked[i], out);
        }
        buf_format(out, "],\"blocked_others\":%llu}", (ull)sums->blocked_others);
}

/* ---- HTML ---- */

static void row_html(struct str name, const uint64_t counts[static COLUMNS], struct buf *out) {
        buf_append(out, STR("<tr><th scope=\"row\">"));
        escape_html(out, name);
        buf_append(out, STR("</th>"));
        for (int column = 0; column < COLUMN_OTHER; column++)
                buf_format(out, "<td>%llu</td>", (ull)counts[column]);
        buf_append(out, STR("</tr>\n"));
}

void sums_html(struct sums *sums, struct buf *out) {
        buf_format(out, "<p>%llu command%s", (ull)sums->commands, sums->commands == 1 ? "" : "s");
        if (sums->open)
                buf_format(out, ", %llu of them without a recorded end", (ull)sums->open);
        if (sums->first[0]) {
                buf_append(out, STR(", from "));
                escape_html(out, str_z(sums->first));
                buf_append(out, STR(" to "));
                escape_html(out, str_z(sums->last));
        }
        buf_append(out, STR(".</p>\n<table><caption>Commands by verdict and rule</caption>\n<thead><tr><th scope=\"col\">"
                            "rule</th><th scope=\"col\">allowed</th><th scope=\"col\">warned</th><th scope=\"col\">blocked</th>"
                            "</tr></thead>\n<tbody>\n"));
        row_html(STR("all commands"), sums->counts, out);
        tally_sort(&sums->rules);
        for (size_t i = 0; i < sums->rules.count && i < RULES_SHOWN; i++)
                row_html(str_z(sums->rules.items[i].name), sums->rules.items[i].counts, out);
        buf_append(out, STR("</tbody></table>\n"));
}
