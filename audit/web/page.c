#include "audit/web/page.h"

#include <stdlib.h>

#include "audit/web/escape.h"
#include "audit/web/rows.h"
#include "audit/web/sums.h"
#include "base/sha256.h"

enum { OPEN_MAX_COUNT = 1 << 20, ANSWER_ROWS = 2000 };

struct audit_page {
        struct sums sums;
        struct rows rows;
        struct digests open; /* id -> number of the row */
        struct buf row;
        uint64_t seen;    /* records */
        uint64_t repairs; /* of them, of writers that were killed */
};

int audit_page_new(size_t rows, struct audit_page **ret, struct err *err) {
        struct audit_page *page = calloc(1, sizeof(*page));

        if (!page)
                return err_memory(err);
        if (!rows || rows > PAGE_ROWS_MAX)
                rows = rows ? PAGE_ROWS_MAX : PAGE_ROWS_DEFAULT;
        buf_init(&page->row, PAGE_ROW_BYTES_MAX);
        if (sums_init(&page->sums, err) < 0 || digests_init(&page->open, OPEN_MAX_COUNT, err) < 0 ||
            rows_init(&page->rows, rows, PAGE_BYTES_MAX / 3, err) < 0) {
                audit_page_free(page);
                return -1;
        }
        *ret = page;
        return 0;
}

void audit_page_free(struct audit_page *page) {
        if (!page)
                return;
        sums_free(&page->sums);
        rows_free(&page->rows);
        digests_free(&page->open);
        buf_free(&page->row);
        free(page);
}

/* ---- records ---- */

static int add_row(struct audit_page *page, const struct tree_node *record, struct err *err) {
        buf_clear(&page->row);
        page_row_json(record, page->seen, &page->row);
        if (page->row.failed)
                return err_memory(err);
        return rows_add(&page->rows, page->seen, buf_str(&page->row), err);
}

static int add_begin(struct audit_page *page, const struct tree_node *record, struct digest key, struct err *err) {
        if (digests_find(&page->open, key)) /* said twice, which no writer does */
                return 0;
        if (digests_add(&page->open, key, page->seen, err) < 0)
                return err_context(err, "commands without an end on record");
        page->sums.open++;
        return sums_begin(&page->sums, record, err) < 0 ? -1 : add_row(page, record, err);
}

/* A line for each command: its end takes the place of its beginning. */
static int add_end(struct audit_page *page, const struct tree_node *record, struct digest key, struct err *err) {
        uint64_t *begun = digests_find(&page->open, key);

        if (begun) {
                rows_remove(&page->rows, *begun);
                digests_remove(&page->open, key);
                page->sums.open--;
        } else if (sums_begin(&page->sums, record, err) < 0) {
                return -1;
        }
        return sums_end(&page->sums, record, err) < 0 ? -1 : add_row(page, record, err);
}

int audit_page_add(struct audit_page *page, const struct tree_node *record, struct err *err) {
        struct str kind = audit_field(record, "kind");
        struct digest key = digests_key(&page->open, audit_field(record, "id"));

        page->seen++;
        if (str_is(kind, "repair")) {
                page->repairs++;
                return 0;
        }
        if (str_is(kind, "asked")) /* the answer says it, too */
                return 0;
        if (str_is(kind, "changed") || str_is(kind, "answered")) {
                page->sums.changes++;
                return add_row(page, record, err);
        }
        if (str_is(kind, "input")) /* beside its command, which it does not end */
                return add_row(page, record, err);
        return str_is(kind, "intent") ? add_begin(page, record, key, err) : add_end(page, record, key, err);
}

/* ---- data ---- */

static void put_state(struct audit_page *page, uint64_t after, size_t count, struct buf *out) {
        uint64_t last;

        buf_append(out, STR("\"sums\":"));
        sums_json(&page->sums, out);
        buf_append(out, STR(",\n\"rows\":["));
        last = rows_json(&page->rows, after, count, out);
        if (!rows_any(&page->rows, last)) /* the last record may be of no command */
                last = page->seen;
        buf_format(out, "],\n\"seen\":%llu,\"more\":%s,\"repairs\":%llu,\"kept\":%zu}", (unsigned long long)last,
                   last < page->seen ? "true" : "false", (unsigned long long)page->repairs, page->rows.kept);
}

void audit_page_json(struct audit_page *page, uint64_t after, const char *problem, struct buf *out) {
        buf_char(out, '{');
        if (problem) {
                buf_append(out, STR("\"problem\":"));
                escape_json(out, str_z(problem));
                buf_char(out, ',');
        }
        if (after >= page->seen)
                buf_format(out, "\"seen\":%llu}", (unsigned long long)page->seen);
        else
                put_state(page, after, ANSWER_ROWS, out);
}

static void put_data(struct audit_page *page, const struct audit_page_head *head, struct buf *out) {
        const char *comma = "";

        buf_append(out, STR("{\"version\":"));
        escape_json(out, str_z(head->version));
        buf_append(out, STR(",\"time\":"));
        escape_json(out, str_z(head->time));
        buf_format(out, ",\"live\":%s,\"filters\":[", head->live ? "true" : "false");
        for (const struct audit_page_filter *filter = head->filters; filter->name; filter++) {
                if (!filter->value)
                        continue;
                buf_format(out, "%s{\"name\":\"%s\",\"value\":", comma, filter->name);
                escape_json(out, str_z(filter->value));
                buf_char(out, '}');
                comma = ",";
        }
        buf_append(out, STR("],\n"));
        put_state(page, 0, SIZE_MAX, out);
}

/* ---- the page ---- */

/* One script, in the order in which its parts need each other. */
static const char *const script_parts[] = { page_file_text_js,   page_file_sums_js, page_file_table_js,
                                            page_file_shells_js, page_file_live_js, NULL };
static const char *const style_parts[] = { page_file_page_css, NULL };

static void put_parts(struct buf *out, const char *const *parts) {
        for (; *parts; parts++)
                buf_append(out, str_z(*parts));
}

/* The script or style that a policy allows, by its hash: no other one runs. */
static void put_source(struct buf *out, const char *const *parts) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        uint8_t hash[SHA256_SIZE + 1] = { 0 }; /* a multiple of three */
        struct sha256 sha;

        sha256_init(&sha);
        for (; *parts; parts++)
                sha256_add(&sha, str_z(*parts));
        sha256_end(&sha, hash);
        buf_append(out, STR("'sha256-"));
        for (size_t i = 0; i < sizeof(hash); i += 3) {
                uint32_t bits = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];

                for (int shift = 18; shift >= (i + 3 == sizeof(hash) ? 6 : 0); shift -= 6)
                        buf_char(out, digits[bits >> shift & 63]);
        }
        buf_append(out, STR("='"));
}

static void put_policy(struct buf *out, bool live) {
        buf_append(out, STR("default-src 'none'; script-src "));
        put_source(out, script_parts);
        buf_append(out, STR("; style-src "));
        put_source(out, style_parts);
        buf_format(out, "; connect-src %s", live ? "'self'" : "'none'");
        buf_append(out, STR("; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"));
}

static void put_summary(struct audit_page *page, const struct audit_page_head *head, struct buf *out) {
        const char *before = "<p>Only ";

        for (const struct audit_page_filter *filter = head->filters; filter->name; filter++) {
                if (!filter->value)
                        continue;
                buf_format(out, "%s%s ", before, filter->name);
                escape_html(out, str_z(filter->value));
                before = ", ";
        }
        if (before[0] == ',')
                buf_append(out, STR(".</p>\n"));
        sums_html(&page->sums, out);
}

/* What stands for `name` in page.html. */
static void put_part(struct audit_page *page, const struct audit_page_head *head, struct str name, struct buf *out) {
        if (str_is(name, "policy"))
                put_policy(out, head->live);
        else if (str_is(name, "style"))
                put_parts(out, style_parts);
        else if (str_is(name, "script"))
                put_parts(out, script_parts);
        else if (str_is(name, "summary"))
                put_summary(page, head, out);
        else if (str_is(name, "data"))
                put_data(page, head, out);
}

void audit_page_html(struct audit_page *page, const struct audit_page_head *head, struct buf *out) {
        struct str rest = str_z(page_file_page_html);

        while (rest.len) {
                size_t open = str_find(rest, '{');

                buf_append(out, str_take(rest, open));
                rest = str_skip(rest, open);
                if (str_starts(rest, STR("{{"))) {
                        size_t close = str_find(rest, '}');

                        put_part(page, head, str_take(str_skip(rest, 2), close - 2), out);
                        rest = str_skip(rest, close + 2);
                } else if (rest.len) {
                        buf_char(out, '{');
                        rest = str_skip(rest, 1);
                }
        }
}
