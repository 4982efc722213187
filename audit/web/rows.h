/*
 * The newest commands of a page, each as a text that is ready to be sent. Bounded in number and in bytes: the oldest go.
 */
#ifndef BAILEY_AUDIT_ROWS_H
#define BAILEY_AUDIT_ROWS_H

#include <stdint.h>

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

#endif
