#include "format/change.h"

#include "base/str.h"

void format_changed_text(const struct bailey_changed *changed, struct buf *out) {
        buf_format(out, "session %s: %s\n", changed->session,
                   changed->count ? "in effect from the next command until the session ends" : "nothing to change");
        for (size_t i = 0; i < changed->count; i++) {
                buf_format(out, "    %s: %s ", changed->items[i].key, changed->items[i].removed ? "removed" : "added");
                buf_visible(out, str_z(changed->items[i].value));
                buf_char(out, '\n');
        }
}
