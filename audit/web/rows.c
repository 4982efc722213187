#include "audit/web/rows.h"

#include <stdlib.h>

#include "audit/print.h"
#include "audit/web/escape.h"

int rows_init(struct rows *rows, size_t max, size_t bytes_max, struct err *err) {
        *rows = (struct rows){ .max = max, .bytes_max = bytes_max };
        rows->items = calloc(max * 2, sizeof(*rows->items));
        return rows->items ? 0 : err_memory(err);
}

void rows_free(struct rows *rows) {
        for (size_t i = rows->start; i < rows->end; i++)
                free(rows->items[i].text);
        free(rows->items);
        *rows = (struct rows){};
}

static void row_drop(struct rows *rows, struct row *row) {
        if (!row->text)
                return;
        free(row->text);
        row->text = NULL;
        rows->kept--;
        rows->bytes -= row->length;
}

static void drop_oldest(struct rows *rows) {
        while (rows->start < rows->end &&
               (rows->kept > rows->max || rows->bytes > rows->bytes_max || !rows->items[rows->start].text))
                row_drop(rows, &rows->items[rows->start++]);
}

/* Those that are kept move to the front; that is at most half of the room. */
static void make_room(struct rows *rows) {
        size_t to = 0;

        for (size_t i = rows->start; i < rows->end; i++)
                if (rows->items[i].text)
                        rows->items[to++] = rows->items[i];
        rows->start = 0;
        rows->end = to;
}

int rows_add(struct rows *rows, uint64_t number, struct str text, struct err *err) {
        struct row row = { .number = number, .length = text.len };

        row.text = malloc(text.len + 1);
        if (!row.text)
                return err_memory(err);
        memcpy(row.text, text.ptr, text.len);
        if (rows->end == rows->max * 2)
                make_room(rows);
        rows->items[rows->end++] = row;
        rows->kept++;
        rows->bytes += row.length;
        drop_oldest(rows);
        return 0;
}

/* The first one past `number`. */
static size_t rows_past(const struct rows *rows, uint64_t number) {
        size_t low = rows->start, high = rows->end;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (rows->items[middle].number > number)
                        high = middle;
                else
                        low = middle + 1;
        }
        return low;
}

void rows_remove(struct rows *rows, uint64_t number) {
        size_t next = rows_past(rows, number);

        if (next > rows->start && rows->items[next - 1].number == number)
                row_drop(rows, &rows->items[next - 1]);
}

bool rows_any(const struct rows *rows, uint64_t after) {
        size_t i = rows_past(rows, after);

        while (i < rows->end && !rows->items[i].text)
                i++;
        return i < rows->end;
}

uint64_t rows_json(const struct rows *rows, uint64_t after, size_t count, struct buf *out) {
        const char *comma = "";

        for (size_t i = rows_past(rows, after); i < rows->end && count; i++) {
                const struct row *row = &rows->items[i];

                if (!row->text)
                        continue;
                buf_append(out, str_z(comma));
                buf_append(out, str_from(row->text, row->length));
                comma = ",\n";
                after = row->number;
                count--;
        }
        return after;
}

static void put_text(struct buf *out, const char *name, struct str text) {
        if (!text.len)
                return;
        buf_format(out, ",\"%s\":", name);
        escape_json(out, escape_cut(text, PAGE_TEXT_MAX));
}

static void put_command(struct buf *out, const struct tree_node *record) {
        struct str command = audit_field(record, "command"), shown = escape_cut(command, PAGE_COMMAND_MAX);
        int64_t bytes = audit_integer(record, "command_bytes", (int64_t)command.len);

        buf_append(out, STR(",\"command\":"));
        escape_json(out, shown);
        if (shown.len < command.len || audit_is_true(record, "command_truncated"))
                buf_format(out, ",\"command_bytes\":%lld", (long long)bytes);
        put_text(out, "command_sha256", audit_field(record, "command_sha256"));
}

static void put_reasons(struct buf *out, const struct tree_node *record) {
        const struct tree_node *reasons = tree_get(record, STR("reasons"));
        size_t count = 0;

        if (!reasons || reasons->kind != TREE_ARRAY || !reasons->first)
                return;
        buf_append(out, STR(",\"reasons\":["));
        TREE_EACH(reason, reasons) {
                if (count++ == PAGE_ITEMS_MAX)
                        break;
                buf_append(out, reason == reasons->first ? STR("{\"rule\":") : STR(",{\"rule\":"));
                escape_json(out, escape_cut(audit_field(reason, "rule"), PAGE_ITEM_MAX));
                buf_append(out, STR(",\"message\":"));
                escape_json(out, escape_cut(audit_field(reason, "message"), PAGE_ITEM_MAX));
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

static void put_list(struct buf *out, const struct tree_node *record, const char *name) {
        const struct tree_node *items = tree_get(record, str_z(name));
        const char *comma = "";
        size_t count = 0;

        if (!items || items->kind != TREE_ARRAY || !items->first)
                return;
        buf_format(out, ",\"%s\":[", name);
        TREE_EACH(item, items) {
                if (item->kind != TREE_STRING || count++ >= PAGE_ITEMS_MAX)
                        continue;
                buf_append(out, str_z(comma));
                escape_json(out, escape_cut(item->text, PAGE_ITEM_MAX));
                comma = ",";
        }
        buf_char(out, ']');
}

static void put_number(struct buf *out, const struct tree_node *record, const char *name) {
        int64_t value = audit_integer(record, name, -1);

        if (value >= 0)
                buf_format(out, ",\"%s\":%lld", name, (long long)value);
}

void page_row_json(const struct tree_node *record, uint64_t number, struct buf *out) {
        static const char *const texts[] = { "time",   "id",  "kind",        "action",  "backend", "session",
                                             "policy", "cwd", "description", "message", "answer",  "client" };
        static const char *const numbers[] = { "duration_ms", "output_bytes", "redactions" };
        static const char *const lists[] = { "enforced", "notices" };
        BUF_AUTO end;

        buf_init(&end, CHAIN_LINE_MAX);
        audit_print_end(record, &end);
        buf_format(out, "{\"number\":%llu", (unsigned long long)number);
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                put_text(out, texts[i], audit_field(record, texts[i]));
        put_text(out, "end", buf_str(&end));
        put_command(out, record);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
                put_number(out, record, numbers[i]);
        put_reasons(out, record);
        for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
                put_list(out, record, lists[i]);
        if (audit_is_true(record, "bypassed"))
                buf_append(out, STR(",\"bypassed\":true"));
        buf_char(out, '}');
}
