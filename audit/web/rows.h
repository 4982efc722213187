/*
 * The newest commands of a page, each as a text that is ready to be sent. Bounded in number and in bytes: the oldest go.
 */
#ifndef BAILEY_AUDIT_ROWS_H
#define BAILEY_AUDIT_ROWS_H

#include <stdint.h>

#include "audit/read.h"
#include "base/buf.h"
#include "base/err.h"

struct row {
        uint64_t number; /* rising */
        char *text;      /* NULL: it was taken out */
        size_t length;
};

struct rows {
        struct row *items; /* twice as many as may be kept, so that they are seldom moved */
        size_t max, bytes_max;
        size_t start, end;  /* which of them are used */
        size_t kept, bytes; /* without those that were taken out */
};

int rows_init(struct rows *rows, size_t max, size_t bytes_max, struct err *err);
void rows_free(struct rows *rows);

/* `number` is higher than all before. */
int rows_add(struct rows *rows, uint64_t number, struct str text, struct err *err);

/* One that is not there any more is fine. */
void rows_remove(struct rows *rows, uint64_t number);

/* Returns true if there is a record after `after`. */
bool rows_any(const struct rows *rows, uint64_t after);

/* Appends those past `after`, at most `count`, with commas between them. Returns the number of the last one, or `after`. */
uint64_t rows_json(const struct rows *rows, uint64_t after, size_t count, struct buf *out);

/*
 * A record as a row of the page's table.
 */

enum {
        PAGE_COMMAND_MAX = 8 << 10, /* bytes of a command that the page shows; `bailey audit show` has the rest */
        PAGE_TEXT_MAX = 4 << 10,    /* of a path, and the like */
        PAGE_ITEM_MAX = 1 << 10,    /* of an item in a list, which has at most: */
        PAGE_ITEMS_MAX = 64,
        PAGE_ROW_BYTES_MAX = 4 << 20, /* more than all of that together, however it is escaped */
};

void page_row_json(const struct tree_node *record, uint64_t number, struct buf *out);

#endif
