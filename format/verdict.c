#include "format/verdict.h"

#include "format/json.h"

const char *format_action(enum bailey_action action) {
        static const char *const names[] = {
                [BAILEY_ALLOWED] = "allowed",
                [BAILEY_WARNED] = "warned",
                [BAILEY_BLOCKED] = "blocked",
        };

        return names[action];
}

static struct str str_of(struct bailey_text text) {
        return str_from(text.text, text.length);
}

static void put_range(struct buf *out, size_t start, size_t end) {
        buf_format(out, ",\"range\":[%zu,%zu]", start, end);
}

void put_reasons(struct buf *out, const struct bailey_reason *reasons, size_t count) {
        put_array(out, "reasons");
        for (size_t i = 0; i < count; i++) {
                put_item(out);
                put_bytes(out, "rule", str_of(reasons[i].rule));
                put_text(out, "severity", reasons[i].blocks ? "block" : "warn");
                put_bytes(out, "message", str_of(reasons[i].message));
                put_range(out, reasons[i].start, reasons[i].end);
                if (reasons[i].effect)
                        put_text(out, "effect", reasons[i].effect);
                put_end(out);
        }
        put_array_end(out);
}
