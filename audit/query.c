/*
 * Records as trees, and which of them are asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/read.h"
#include "base/time.h"
#include "base/json5.h"

enum { ID_PREFIX_MIN = 8 };

const struct tree_node *audit_parse(struct str line, struct arena *arena) {
        struct tree_node *record = NULL;

        if (line.len > TREE_TEXT_MAX || json5_read(line, &json5_plain, arena, &record, NULL) < 0 || record->kind != TREE_TABLE)
                return NULL;
        return record;
}

struct str audit_field(const struct tree_node *record, const char *name) {
        const struct tree_node *node = tree_get(record, str_z(name));

        return node && node->kind == TREE_STRING ? node->text : (struct str){};
}

int64_t audit_integer(const struct tree_node *record, const char *name, int64_t otherwise) {
        const struct tree_node *node = tree_get(record, str_z(name));

        return node && node->kind == TREE_INTEGER ? node->integer : otherwise;
}

bool audit_is_true(const struct tree_node *record, const char *name) {
        const struct tree_node *node = tree_get(record, str_z(name));

        return node && node->kind == TREE_BOOLEAN && node->boolean;
}

static bool has_rule(const struct tree_node *record, const char *rule) {
        const struct tree_node *reasons = tree_get(record, STR("reasons"));

        if (!reasons || reasons->kind != TREE_ARRAY)
                return false;
        TREE_EACH(reason, reasons)
        if (str_is(audit_field(reason, "rule"), rule))
                return true;
        return false;
}

static bool has_id(struct str id, const char *asked) {
        return str_is(id, asked) || (strlen(asked) >= ID_PREFIX_MIN && str_starts(id, str_z(asked)));
}

bool audit_matches(const struct audit_query *query, const struct tree_node *record) {
        struct str time = audit_field(record, "time");

        if (query->kind && !str_is(audit_field(record, "kind"), query->kind))
                return false;
        if (query->action && !str_is(audit_field(record, "action"), query->action))
                return false;
        if (query->session && !str_is(audit_field(record, "session"), query->session))
                return false;
        if (query->id && !has_id(audit_field(record, "id"), query->id))
                return false;
        if (query->since[0] && str_cmp(time, str_z(query->since)) < 0)
                return false;
        if (query->until[0] && str_cmp(time, str_z(query->until)) >= 0)
                return false;
        return !query->rule || has_rule(record, query->rule);
}

/* ---- times ---- */

static int64_t unit_of(const char *text) {
        static const struct {
                const char *name;
                int64_t seconds;
        } units[] = { { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 604800 } };

        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
                if (strcmp(text, units[i].name) == 0)
                        return units[i].seconds;
        return 0;
}

/* Does it begin as a time in a record does? All of those have the same length, and sort as their texts do. */
static bool is_time_start(const char *text, size_t len) {
        static const char pattern[] = "0000-00-00T00:00:00.000";

        if (len < sizeof("0000") - 1 || len > sizeof(pattern) - 1)
                return false;
        for (size_t i = 0; i < len; i++)
                if (pattern[i] == '0' ? !is_ascii_digit((unsigned char)text[i]) : text[i] != pattern[i])
                        return false;
        return true;
}

int audit_when(const char *text, int64_t now, char ret[static 32], struct err *err) {
        size_t len = strlen(text), digits = strspn(text, "0123456789");
        int64_t unit = digits && digits < 7 ? unit_of(text + digits) : 0;
        char time[TIME_TEXT_SIZE];

        if (unit) {
                time_format(now - (int64_t)strtol(text, NULL, 10) * unit * TIME_SECOND, time);
                snprintf(ret, 32, "%s", time);
                return 0;
        }
        if (len && text[len - 1] == 'Z')
                len--;
        if (!is_time_start(text, len))
                return err_set(err, ERR_INVALID,
                               "%s: expected a time in UTC like 2026-11-16T04:30, or how long ago, like 15m or 2d", text);
        snprintf(ret, 32, "%.*s", (int)len, text);
        return 0;
}
