/*
 * The audit log as a page for a browser: sums of all commands, and the newest of them in a table. One file that loads nothing:
 * page.html, page.css and page.js with the data in it. Only that script can run in it, whatever the records hold.
 */
#ifndef BAILEY_AUDIT_PAGE_H
#define BAILEY_AUDIT_PAGE_H

#include "audit/read.h"

enum {
        PAGE_ROWS_DEFAULT = 10000,
        PAGE_ROWS_MAX = 100000,
        PAGE_BYTES_MAX = 96 << 20, /* of a page; of that, commands take a third at most */
};

struct audit_page;

/* `rows`: how many commands the table has; 0: PAGE_ROWS_DEFAULT. */
int audit_page_new(size_t rows, struct audit_page **ret, struct err *err);
void audit_page_free(struct audit_page *page);

int audit_page_add(struct audit_page *page, const struct tree_node *record, struct err *err);

struct audit_page_head {
        const char *version, *time;       /* who made it, and when */
        const struct audit_page_filter {  /* which records it is about, ended by one without a name */
                const char *name, *value; /* value NULL: any */
        } * filters;
        bool live; /* it asks data?after=NUMBER, beside itself, for what is new */
};

void audit_page_html(struct audit_page *page, const struct audit_page_head *head, struct buf *out);

/* What changed since the record `after`, which is the "seen" of an earlier response; `problem`, if not NULL, is shown. */
void audit_page_json(struct audit_page *page, uint64_t after, const char *problem, struct buf *out);

/* ---- made by tools/embed ---- */

extern const char page_file_page_html[], page_file_page_css[];
extern const char page_file_text_js[], page_file_sums_js[], page_file_table_js[], page_file_shells_js[], page_file_live_js[];

#endif
