/*
 * Whatever the records hold, the page is made, and holds nothing that could begin or end a piece of it: between its own
 * markup there are only tags of the summary, and data in plain ASCII.
 */
#include <stdint.h>
#include <stdlib.h>

#include "audit/web/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so) {
        if (!is_so)
                abort();
}

static void add_lines(struct audit_page *page, struct str rest) {
        struct arena arena;

        arena_init(&arena, 0);
        while (rest.len) {
                struct str line = str_take(rest, str_find(rest, '\n'));
                const struct tree_node *record;

                arena_reset(&arena);
                record = audit_parse(line, &arena);
                if (record)
                        must(audit_page_add(page, record, NULL) == 0);
                rest = str_skip(rest, line.len + 1);
        }
        arena_free(&arena);
}

static bool is_plain(struct str text) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if ((c < ' ' && c != '\n') || c > '~' || c == '<' || c == '>' || c == '&')
                        return false;
        }
        return true;
}

/* The part between the first `before` and the first `after` behind it. */
static struct str between(struct str text, const char *before, const char *after) {
        const char *start = memmem(text.ptr, text.len, before, strlen(before)), *end;

        must(start);
        start += strlen(before);
        end = memmem(start, (size_t)(text.ptr + text.len - start), after, strlen(after));
        must(end);
        return str_from(start, (size_t)(end - start));
}

static size_t count(struct str text, const char *part) {
        size_t found = 0;

        while (text.len) {
                const char *at = memmem(text.ptr, text.len, part, strlen(part));

                if (!at)
                        break;
                found++;
                text = str_skip(text, (size_t)(at - text.ptr) + 1);
        }
        return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const struct audit_page_filter filters[] = { {} };
        const struct audit_page_head head = { .version = "1", .time = "t", .filters = filters };
        struct audit_page *page;
        struct str summary;
        BUF_AUTO html;
        BUF_AUTO json;

        must(audit_page_new(16, &page, NULL) == 0);
        add_lines(page, str_from((const char *)data, size));
        buf_init(&html, PAGE_BYTES_MAX);
        buf_init(&json, PAGE_BYTES_MAX);
        audit_page_html(page, &head, &html);
        audit_page_json(page, 0, NULL, &json);
        must(!html.failed && !json.failed && is_plain(buf_str(&json)));
        must(is_plain(between(buf_str(&html), "id=\"data\">", "</script>")));
        summary = between(buf_str(&html), "<noscript>", "</noscript>");
        must(count(summary, "<") == count(summary, ">"));
        must(count(summary, "<script") == 0 && count(buf_str(&html), "<script") == 2);
        audit_page_free(page);
        return 0;
}
