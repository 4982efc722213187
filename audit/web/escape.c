#include "audit/web/escape.h"

#include "base/str.h"

struct str escape_cut(struct str text, size_t max) {
        if (text.len <= max)
                return text;
        while (max > 0 && ((unsigned char)text.ptr[max] & 0xc0) == 0x80)
                max--;
        return str_take(text, max);
}

/* ---- JSON ---- */

static bool is_plain_json(uint32_t c) {
        return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != '\'';
}

void escape_json(struct buf *out, struct str text) {
        buf_char(out, '"');
        while (text.len) {
                size_t plain = 0, size;
                uint32_t c;

                while (plain < text.len && is_plain_json((unsigned char)text.ptr[plain]))
                        plain++;
                buf_append(out, str_take(text, plain));
                text = str_skip(text, plain);
                if (!text.len)
                        break;
                c = rune_first(text, &size);
                if (c == '\n')
                        buf_append(out, STR("\\n"));
                else if (c > 0xffff)
                        buf_format(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
                else
                        buf_format(out, "\\u%04x", c);
                text = str_skip(text, size);
        }
        buf_char(out, '"');
}

/* ---- HTML ---- */

static const char *entity(uint32_t c) {
        switch (c) {
        case '&':
                return "&amp;";
        case '<':
                return "&lt;";
        case '>':
                return "&gt;";
        case '"':
                return "&quot;";
        case '\'':
                return "&#39;";
        default:
                return NULL;
        }
}

void escape_html(struct buf *out, struct str text) {
        while (text.len) {
                size_t size;
                uint32_t c = rune_first(text, &size);

                if (entity(c))
                        buf_append(out, str_z(entity(c)));
                else if (rune_unseen(c))
                        buf_format(out, "&lt;U+%04X&gt;", c);
                else if (c == RUNE_REPLACEMENT)
                        buf_append(out, STR("\xef\xbf\xbd"));
                else
                        buf_append(out, str_take(text, size));
                text = str_skip(text, size);
        }
}
