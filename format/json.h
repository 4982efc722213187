/*
 * JSON, written straight into a buffer: output may be large, and is escaped once. Commas come by themselves.
 */
#ifndef BAILEY_FORMAT_JSON_H
#define BAILEY_FORMAT_JSON_H

#include "base/buf.h"

/* An object: as the whole, as a member, as an item of an array. put_end() ends each of them. */
void put_begin(struct buf *out);
void put_object(struct buf *out, const char *name);
void put_item(struct buf *out);
void put_end(struct buf *out);

/* An array, as a member: of objects (put_item()) or of strings. */
void put_array(struct buf *out, const char *name);
void put_string(struct buf *out, struct str text);
void put_array_end(struct buf *out);

void put_bytes(struct buf *out, const char *name, struct str text);
void put_text(struct buf *out, const char *name, const char *text); /* NULL: null */
void put_number(struct buf *out, const char *name, long long number);
void put_null(struct buf *out, const char *name);
void put_switch(struct buf *out, const char *name, bool value);
void put_json(struct buf *out, const char *name, const char *value);         /* that is JSON already */
void put_texts(struct buf *out, const char *name, const char *const *texts); /* NULL: none */

#endif
