#include "audit/print.h"

enum { LINE_COMMAND_MAX = 160, VALUE_MAX = 8 * CHAIN_LINE_MAX };

void audit_print_end(const struct tree_node *record, struct buf *out) {
        struct str kind = audit_field(record, "kind");

        if (str_is(kind, "intent"))
                buf_append(out, STR("no end"));
        else if (str_is(kind, "answered"))
                buf_visible(out, audit_field(record, "answer"));
        else if (!str_is(kind, "outcome"))
                buf_visible(out, kind);
        else if (audit_is_true(record, "timed_out"))
                buf_append(out, STR("timed out"));
        else if (audit_is_true(record, "cancelled"))
                buf_append(out, STR("cancelled"));
        else if (audit_integer(record, "signal", 0))
                buf_format(out, "signal %lld", (long long)audit_integer(record, "signal", 0));
        else
                buf_format(out, "exit %lld", (long long)audit_integer(record, "exit_code", 0));
}

/* ---- a line ---- */

static void put_column(struct buf *out, struct str text, size_t width) {
        size_t start = out->len;

        buf_visible(out, text.len ? text : STR("-"));
        do
                buf_char(out, ' ');
        while (!out->failed && out->len < start + width);
}

static void put_command(struct buf *out, struct str command) {
        size_t end = str_find(command, '\n'), shown = end < LINE_COMMAND_MAX ? end : LINE_COMMAND_MAX;

        while (shown < command.len && shown > 0 && ((unsigned char)command.ptr[shown] & 0xc0) == 0x80)
                shown--;
        buf_visible(out, str_take(command, shown));
        if (shown < command.len)
                buf_append(out, STR(" ..."));
}

void audit_print_line(const struct tree_node *record, struct buf *out) {
        int64_t duration = audit_integer(record, "duration_ms", -1);
        BUF_AUTO end, took;

        buf_init(&end, CHAIN_LINE_MAX);
        buf_init(&took, 64);
        audit_print_end(record, &end);
        if (duration >= 0)
                buf_format(&took, "%lldms", (long long)duration);
        put_column(out, audit_field(record, "time"), 26);
        put_column(out, str_take(audit_field(record, "id"), 8), 10);
        put_column(out, audit_field(record, "action"), 9);
        put_column(out, audit_field(record, "backend"), 9);
        put_column(out, buf_str(&end), 10);
        put_column(out, buf_str(&took), 9);
        if (str_is(audit_field(record, "kind"), "repair"))
                buf_format(out, "a writer was killed: %lld unfinished bytes",
                           (long long)audit_integer(record, "torn_bytes", 0));
        else
                put_command(out, audit_field(record, "command"));
        buf_char(out, '\n');
}

/* ---- all of it ---- */

static void put_value(struct buf *out, const struct tree_node *node) {
        BUF_AUTO json;

        buf_init(&json, VALUE_MAX);
        if (node->kind == TREE_STRING) {
                buf_visible(out, node->text);
                return;
        }
        tree_to_json(node, &json);
        buf_visible(out, buf_str(&json));
}

void audit_print_details(const struct tree_node *record, struct buf *out) {
        TREE_EACH(field, record) {
                put_column(out, field->key, 16);
                if (field->kind == TREE_ARRAY && field->first) {
                        TREE_EACH(item, field) {
                                if (item != field->first)
                                        put_column(out, STR(" "), 16);
                                put_value(out, item);
                                buf_char(out, '\n');
                        }
                        continue;
                }
                put_value(out, field);
                buf_char(out, '\n');
        }
        buf_char(out, '\n');
}

/* ---- CSV ---- */

static const char *const csv_columns[] = {
        "time",      "kind",       "action", "id",        "session",   "pid",         "policy",
        "backend",   "exit_code",  "signal", "timed_out", "cancelled", "duration_ms", "output_bytes",
        "truncated", "redactions", "rules",  "cwd",       "workspace", "command",
};
enum { CSV_COLUMNS = sizeof(csv_columns) / sizeof(*csv_columns) };

static void put_cell(struct buf *out, struct str text) {
        buf_char(out, '"');
        if (text.len && strchr("=+-@", text.ptr[0]) && text.ptr[0])
                buf_char(out, '\'');
        for (size_t quote; text.len; text = str_skip(text, quote + 1)) {
                quote = str_find(text, '"');
                buf_append(out, str_take(text, quote));
                if (quote < text.len)
                        buf_append(out, STR("\"\""));
        }
        buf_char(out, '"');
}

static void put_rules(struct buf *out, const struct tree_node *record) {
        const struct tree_node *reasons = tree_get(record, STR("reasons"));

        if (!reasons || reasons->kind != TREE_ARRAY)
                return;
        TREE_EACH(reason, reasons) {
                if (reason != reasons->first)
                        buf_char(out, ' ');
                buf_visible(out, audit_field(reason, "rule"));
        }
}

void audit_print_csv_head(struct buf *out) {
        for (size_t i = 0; i < CSV_COLUMNS; i++)
                buf_format(out, "%s%s", i ? "," : "", csv_columns[i]);
        buf_char(out, '\n');
}

void audit_print_csv(const struct tree_node *record, struct buf *out) {
        for (size_t i = 0; i < CSV_COLUMNS; i++) {
                const struct tree_node *node = tree_get(record, str_z(csv_columns[i]));
                BUF_AUTO text;

                buf_init(&text, VALUE_MAX);
                if (strcmp(csv_columns[i], "rules") == 0)
                        put_rules(&text, record);
                else if (node && node->kind != TREE_NULL)
                        put_value(&text, node);
                if (i)
                        buf_char(out, ',');
                if (node && (node->kind == TREE_INTEGER || node->kind == TREE_BOOLEAN))
                        buf_append(out, buf_str(&text));
                else if (text.len)
                        put_cell(out, buf_str(&text));
        }
        buf_char(out, '\n');
}
