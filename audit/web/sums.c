#include "audit/web/sums.h"

#include <stdio.h>
#include <stdlib.h>

#include "audit/web/escape.h"
#include "audit/print.h"

enum { BLOCKED_MAX = 1 << 16, TEXT_SHOWN = 240 };

const char *const sums_columns[COLUMNS] = {
        [COLUMN_ALLOWED] = "allowed", [COLUMN_WARNED] = "warned", [COLUMN_BLOCKED] = "blocked", [COLUMN_OTHER] = "other"
};

int sums_init(struct sums *sums, struct err *err) {
        *sums = (struct sums){};
        return digests_init(&sums->blocked_index, BLOCKED_MAX, err);
}

void sums_free(struct sums *sums) {
        for (size_t i = 0; i < sums->slowest_count; i++)
                free(sums->slowest[i].text);
        for (size_t i = 0; i < sums->blocked_count; i++)
                free(sums->blocked[i].text);
        free(sums->blocked);
        digests_free(&sums->blocked_index);
}

static enum verdict_column column_of(const struct tree_node *record) {
        struct str action = audit_field(record, "action");
        int column = 0;

        while (column < COLUMN_OTHER && !str_is(action, sums_columns[column]))
                column++;
        return (enum verdict_column)column;
}

/* ---- names ---- */

static void tally_add(struct tally *tally, struct str name, enum verdict_column column) {
        struct tally_item *item = tally->items;

        if (!name.len)
                return;
        name = escape_cut(name, TALLY_NAME_SIZE - 1);
        while (item < tally->items + tally->count && !str_is(name, item->name))
                item++;
        if (item == tally->items + TALLY_MAX) {
                tally->others++;
                return;
        }
        if (item == tally->items + tally->count) {
                tally->count++;
                memcpy(item->name, name.ptr, name.len);
        }
        item->counts[column]++;
}

/* Each rule once, however many reasons it gave. */
static void add_rules(struct sums *sums, const struct tree_node *record, enum verdict_column column) {
        const struct tree_node *reasons = tree_get(record, STR("reasons"));

        if (!reasons || reasons->kind != TREE_ARRAY)
                return;
        TREE_EACH(reason, reasons) {
                struct str rule = audit_field(reason, "rule");
                const struct tree_node *same = reasons->first;

                while (same != reason && !str_eq(audit_field(same, "rule"), rule))
                        same = same->next;
                if (same == reason)
                        tally_add(&sums->rules, rule, column);
        }
}

/* ---- commands ---- */

static int command_set(struct sums_command *command, const struct tree_node *record, struct digest key, uint64_t number,
                       struct err *err) {
        struct str text = audit_field(record, "command"), id = audit_field(record, "id"), time = audit_field(record, "time");
        BUF_AUTO json;

        buf_init(&json, (size_t)8 * TEXT_SHOWN);
        escape_json(&json, escape_cut(text, TEXT_SHOWN));
        buf_format(&json, ",\"cut\":%s", text.len > TEXT_SHOWN ? "true" : "false");
        buf_char(&json, '\0');
        if (json.failed)
                return err_memory(err);
        free(command->text);
        *command = (struct sums_command){ .key = key, .text = json.ptr, .number = number };
        buf_init(&json, 0);
        snprintf(command->id, sizeof(command->id), "%.*s", (int)escape_cut(id, ID_SIZE - 1).len, id.len ? id.ptr : "");
        snprintf(command->time, sizeof(command->time), "%.*s", (int)escape_cut(time, TIME_TEXT_SIZE - 1).len,
                 time.len ? time.ptr : "");
        return 0;
}

/* A text is there once, with its longest run. As times only grow, what was pushed out can come back, and all is right. */
static int add_slow(struct sums *sums, const struct tree_node *record, struct err *err) {
        int64_t duration = audit_integer(record, "duration_ms", -1);
        struct sums_command *slowest = sums->slowest, *place = slowest;
        struct digest key;

        if (duration < 0 || (sums->slowest_count == SUMS_TOP && (uint64_t)duration <= slowest[SUMS_TOP - 1].number))
                return 0;
        key = digests_key(&sums->blocked_index, audit_field(record, "command"));
        while (place < slowest + sums->slowest_count && !digest_eq(place->key, key))
                place++;
        if (place < slowest + sums->slowest_count && place->number >= (uint64_t)duration)
                return 0;
        if (place == slowest + SUMS_TOP)
                place--; /* the last goes */
        if (command_set(place, record, key, (uint64_t)duration, err) < 0)
                return -1;
        if (place == slowest + sums->slowest_count)
                sums->slowest_count++;
        for (; place > slowest && place[-1].number < place->number; place--) {
                struct sums_command moved = place[-1];

                place[-1] = *place;
                *place = moved;
        }
        return 0;
}

static struct sums_command *blocked_new(struct sums *sums, struct err *err) {
        if (sums->blocked_count == sums->blocked_room) {
                size_t room = sums->blocked_room ? sums->blocked_room * 2 : 16;
                struct sums_command *blocked = reallocarray(sums->blocked, room, sizeof(*blocked));

                if (!blocked) {
                        err_memory(err);
                        return NULL;
                }
                sums->blocked = blocked;
                sums->blocked_room = room;
        }
        sums->blocked[sums->blocked_count] = (struct sums_command){};
        return &sums->blocked[sums->blocked_count];
}

static int add_blocked(struct sums *sums, const struct tree_node *record, struct err *err) {
        struct digest key = digests_key(&sums->blocked_index, audit_field(record, "command"));
        uint64_t *known = digests_find(&sums->blocked_index, key);
        struct sums_command *command;

        if (known) {
                struct str time = escape_cut(audit_field(record, "time"), TIME_TEXT_SIZE - 1);

                command = &sums->blocked[*known];
                command->number++;
                snprintf(command->time, sizeof(command->time), "%.*s", (int)time.len, time.len ? time.ptr : "");
                return 0;
        }
        if (sums->blocked_count == BLOCKED_MAX) {
                sums->blocked_others++;
                return 0;
        }
        command = blocked_new(sums, err);
        if (!command || digests_add(&sums->blocked_index, key, sums->blocked_count, err) < 0)
                return -1;
        if (command_set(command, record, key, 1, err) < 0) {
                digests_remove(&sums->blocked_index, key);
                return -1;
        }
        sums->blocked_count++;
        return 0;
}

/* ---- records ---- */

int sums_begin(struct sums *sums, const struct tree_node *record, struct err *err) {
        enum verdict_column column = column_of(record);
        struct str time = audit_field(record, "time");

        sums->commands++;
        sums->counts[column]++;
        timeline_add(&sums->timeline, time, column);
        add_rules(sums, record, column);
        if (time.len == TIME_TEXT_SIZE - 1) {
                memcpy(sums->last, time.ptr, time.len);
                if (!sums->first[0])
                        memcpy(sums->first, time.ptr, time.len);
        }
        return column == COLUMN_BLOCKED ? add_blocked(sums, record, err) : 0;
}

int sums_end(struct sums *sums, const struct tree_node *record, struct err *err) {
        enum verdict_column column = column_of(record);
        struct str time = audit_field(record, "time");
        BUF_AUTO end;

        buf_init(&end, CHAIN_LINE_MAX);
        audit_print_end(record, &end);
        tally_add(&sums->ends, buf_str(&end), column);
        tally_add(&sums->backends, audit_field(record, "backend"), column);
        if (time.len == TIME_TEXT_SIZE - 1)
                memcpy(sums->last, time.ptr, time.len);
        return add_slow(sums, record, err);
}
