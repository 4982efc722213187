/*
 * Objects of JSON, written straight into a buffer: output may be large, and is escaped once.
 */
#ifndef BAILEY_MCP_JSON_H
#define BAILEY_MCP_JSON_H

#include "base/buf.h"

void put_begin(struct buf *out);
void put_end(struct buf *out);

void put_bytes(struct buf *out, const char *name, struct str text);
void put_text(struct buf *out, const char *name, const char *text); /* NULL: null */
void put_number(struct buf *out, const char *name, long long number);
void put_null(struct buf *out, const char *name);
void put_switch(struct buf *out, const char *name, bool value);
void put_texts(struct buf *out, const char *name, const char *const *texts); /* NULL: none */
void put_lines(struct buf *out, const char *name, const char *lines);        /* NULL: none */

#endif
