/*
 * The record as a page.
 */
#include <stdlib.h>
#include <string.h>

#include "audit/web/page.h"
#include "base/time.h"
#include "engine/api/audit.h"
#include "engine/config.h"

enum { READ_MAX = 4096 };

enum { FILTER_ACTION, FILTER_RULE, FILTER_SESSION, FILTER_ID, FILTER_SINCE, FILTER_UNTIL, FILTERS };

static const char *const filter_names[] = {
        [FILTER_ACTION] = "action", [FILTER_RULE] = "rule",   [FILTER_SESSION] = "session",
        [FILTER_ID] = "id",         [FILTER_SINCE] = "since", [FILTER_UNTIL] = "until",
};

struct bailey_audit_page {
        struct bailey_audit_reader *reader;
        struct audit_page *page;
        struct audit_page_filter filters[FILTERS + 1];
        char *values[FILTERS]; /* that the filters point to */
        bool ended;            /* all there was has been read */
};

/* ---- opening ---- */

static int keep_filters(const struct bailey_audit_query *query, struct bailey_audit_page *page, struct err *err) {
        const char *const values[] = { query->action, query->rule, query->session, query->id, query->since, query->until };

        for (size_t i = 0; i < FILTERS; i++) {
                page->filters[i].name = filter_names[i];
                if (!values[i])
                        continue;
                page->filters[i].value = page->values[i] = strdup(values[i]);
                if (!page->values[i])
                        return err_memory(err);
        }
        return 0;
}

static int page_open(const struct bailey_policy *policy, const struct bailey_audit_query *query, struct bailey_audit_page **ret,
                     struct err *err) {
        struct bailey_audit_query all = *query;
        struct bailey_audit_page *page = calloc(1, sizeof(*page));

        if (!page)
                return err_memory(err);
        all.newest = 0;
        all.format = BAILEY_AUDIT_JSON;
        if (keep_filters(query, page, err) < 0 || audit_page_new(query->newest, &page->page, err) < 0 ||
            records_open(policy, &all, &page->reader, err) < 0) {
                bailey_audit_page_close(page);
                return -1;
        }
        *ret = page;
        return 0;
}

int bailey_audit_page_open(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                           struct bailey_audit_page **ret, char *ret_error, size_t error_size) {
        struct err err = {};

        return page_open(policy, query, ret, &err) < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}

void bailey_audit_page_close(struct bailey_audit_page *page) {
        if (!page)
                return;
        bailey_audit_close(page->reader);
        audit_page_free(page->page);
        for (size_t i = 0; i < FILTERS; i++)
                free(page->values[i]);
        free(page);
}

/* ---- reading ---- */

static int page_read(struct bailey_audit_page *page, struct err *err) {
        const struct tree_node *record;
        struct str line;
        int got = 1;

        if (page->ended && records_again(page->reader, err) < 0)
                return -1;
        page->ended = false;
        for (int count = 0; count < READ_MAX; count++) {
                got = records_next(page->reader, &line, &record, err);
                if (got <= 0)
                        break;
                if (audit_page_add(page->page, record, err) < 0)
                        return -1;
        }
        page->ended = got == 0;
        return got;
}

int bailey_audit_page_read(struct bailey_audit_page *page, char *ret_error, size_t error_size) {
        struct err err = {};
        int got = page_read(page, &err);

        return got < 0 ? config_hand_error(&err, ret_error, error_size) : got;
}

/* ---- telling ---- */

static int page_html(struct bailey_audit_page *page, bool live, char **ret_text, size_t *ret_length, struct err *err) {
        struct audit_page_head head = { .version = bailey_version(), .filters = page->filters, .live = live };
        char now[TIME_TEXT_SIZE];
        struct buf out;

        time_format(time_realtime(), now);
        head.time = now;
        buf_init(&out, PAGE_BYTES_MAX);
        audit_page_html(page->page, &head, &out);
        return records_hand_out(&out, ret_text, ret_length, err);
}

int bailey_audit_page_html(struct bailey_audit_page *page, char **ret_text, size_t *ret_length) {
        struct err ignored;

        return page_html(page, true, ret_text, ret_length, &ignored);
}

int bailey_audit_page_data(struct bailey_audit_page *page, unsigned long long after, const char *problem, char **ret_text,
                           size_t *ret_length) {
        struct err ignored;
        struct buf out;

        buf_init(&out, PAGE_BYTES_MAX);
        audit_page_json(page->page, after, problem, &out);
        return records_hand_out(&out, ret_text, ret_length, &ignored);
}

int bailey_audit_report(const struct bailey_policy *policy, const struct bailey_audit_query *query, char **ret_text,
                        size_t *ret_length, char *ret_error, size_t error_size) {
        struct bailey_audit_page *page = NULL;
        struct err err = {};
        int got = page_open(policy, query, &page, &err);

        while (got >= 0 && (got = page_read(page, &err)) > 0)
                continue;
        if (got == 0)
                got = page_html(page, false, ret_text, ret_length, &err);
        bailey_audit_page_close(page);
        return got < 0 ? config_hand_error(&err, ret_error, error_size) : 0;
}
