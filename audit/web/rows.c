#include "audit/web/rows.h"

#include <stdlib.h>

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
