/*
 * A record as a row of the page's table.
 */
#ifndef BAILEY_AUDIT_PAGE_ROW_H
#define BAILEY_AUDIT_PAGE_ROW_H

#include "audit/read.h"

enum {
        PAGE_COMMAND_MAX = 8 << 10, /* bytes of a command that the page shows; `bailey audit show` has the rest */
        PAGE_TEXT_MAX = 4 << 10,    /* of a path, and the like */
        PAGE_ITEM_MAX = 1 << 10,    /* of an item in a list, which has at most: */
        PAGE_ITEMS_MAX = 64,
        PAGE_ROW_BYTES_MAX = 4 << 20, /* more than all of that together, however it is escaped */
};

void page_row_json(const struct tree_node *record, uint64_t number, struct buf *out);

#endif
