/*
 * A growable run of bytes with a maximum. A write past the maximum (or without memory) marks the buffer `failed`,
 * appends nothing, and every later write is ignored, so that a writer checks once, at the end.
 */
#ifndef BAILEY_BASE_BUF_H
#define BAILEY_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct buf {
        char *ptr;
        size_t len, cap, max;
        bool failed;
};

void buf_init(struct buf *buf, size_t max);
void buf_free(struct buf *buf);
void buf_clear(struct buf *buf); /* keeps the memory, forgets a failure */

void buf_append(struct buf *buf, struct str s);
void buf_char(struct buf *buf, char c);
void buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string, quotes included; each byte that is not UTF-8 becomes U+FFFD. Control characters are escaped, those of
 * 0x7f to 0x9f too, so that the output is harmless on a terminal. */
void buf_json(struct buf *buf, struct str s);

/* As it may stand in a line on a terminal: see str_visible(). */
void buf_visible(struct buf *buf, struct str s);

/* The same, a column for each character, so that marks can stand below: '?' for what would not be seen, and tabs as they are.
 */
void buf_columns(struct buf *buf, struct str s);

static inline struct str buf_str(const struct buf *buf) {
        return (struct str){ buf->ptr, buf->len };
}

#define BUF_AUTO __attribute__((cleanup(buf_free))) struct buf

#endif
