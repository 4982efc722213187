#include "run/terminal_filter.h"

#include "run/terminal_text.h"

enum { CANCEL = 0x18, SUBSTITUTE = 0x1a, ESC = 0x1b, DELETE = 0x7f, PALETTE_BYTES = 7 };

/* Where output goes. */
struct sink {
        struct terminal_filter *filter;
        terminal_filter_out *out;
        void *context;
};

static void put(const struct sink *s, const char *bytes, size_t len) {
        if (len)
                s->out(s->context, str_from(bytes, len));
}

static void begin(struct terminal_filter *f, enum terminal_filter_state state) {
        f->state = state;
        f->held_len = 0;
        f->too_long = false;
        f->previous = 0;
}

static void hold(struct terminal_filter *f, unsigned char c, size_t max) {
        if (f->held_len == max)
                f->too_long = true;
        else
                f->held[f->held_len++] = (char)c;
}

/* ---- the ends of sequences ---- */

typedef size_t pass_function(struct str body, uint64_t *changed, char *ret);

static void finish(const struct sink *s, pass_function *pass) {
        struct terminal_filter *f = s->filter;
        char passed[TERMINAL_PASSED_MAX];

        if (!f->too_long)
                put(s, passed, pass(str_from(f->held, f->held_len), &f->changed, passed));
        begin(f, FILTER_GROUND);
}

static size_t pass_osc(struct str body, uint64_t *changed, char *ret) {
        (void)changed;
        return terminal_pass_osc(body, ret);
}

/* ---- sequences ---- */

static void take_escape(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;

        if (f->held_len == 0 && c == '[') {
                begin(f, FILTER_CSI);
        } else if (f->held_len == 0 && c == ']') {
                begin(f, FILTER_OSC);
        } else if (f->held_len == 0 && strchr("PX^_k", c)) {
                begin(f, FILTER_STRING);
        } else {
                hold(f, c, 2);
                if (c >= '0')
                        finish(s, terminal_pass_escape);
        }
}

static void take_csi(const struct sink *s, unsigned char c) {
        hold(s->filter, c, TERMINAL_CSI_MAX);
        if (c >= '@')
                finish(s, terminal_pass_csi);
}

/* Control characters and characters that are none of ASCII in an ESC or CSI. Returns whether the byte was one. */
static bool interrupt(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;
        char same = (char)c;

        if (c >= ' ' && c < DELETE)
                return false;
        if (c == ESC)
                begin(f, FILTER_ESCAPE);
        else if (c == CANCEL || c == SUBSTITUTE)
                begin(f, FILTER_GROUND);
        else if (c < ' ' && terminal_pass_control(c, &f->changed)) /* a terminal does it at once, and goes on */
                put(s, &same, 1);
        return true;
}

/* What ends a string, other than ESC. */
static bool ends_string(const struct terminal_filter *f, unsigned char c) {
        return c == CANCEL || c == SUBSTITUTE || (c == 0x9c && f->previous == 0xc2); /* U+009C */
}

static void take_osc(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;

        if (c == ESC) {
                f->state = FILTER_OSC_ESCAPE;
        } else if (c == '\a') {
                finish(s, pass_osc);
        } else if (ends_string(f, c)) {
                f->too_long |= c != 0x9c;
                f->held_len -= c == 0x9c && !f->too_long; /* its first byte */
                finish(s, pass_osc);
        } else if (f->held_len == 0 && !f->too_long && c == 'R') { /* of the Linux console, without an end: resets colours, */
                begin(f, FILTER_GROUND);
        } else if (f->held_len == 0 && !f->too_long && c == 'P') { /* and sets one */
                begin(f, FILTER_PALETTE);
        } else {
                hold(f, c, TERMINAL_OSC_MAX);
                f->previous = c;
        }
}

static void take_palette(struct terminal_filter *f, unsigned char c) {
        hold(f, c, PALETTE_BYTES);
        if (f->held_len == PALETTE_BYTES)
                begin(f, FILTER_GROUND);
}

static void take_string(struct terminal_filter *f, unsigned char c) {
        if (c == ESC)
                f->state = FILTER_STRING_ESCAPE;
        else if (ends_string(f, c))
                begin(f, FILTER_GROUND);
        f->previous = c;
}

/* Only ESC \ ends a string; any other ESC begins something new, and there was no string. */
static void take_string_escape(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;

        if (c == '\\' && f->state == FILTER_OSC_ESCAPE) {
                finish(s, pass_osc);
        } else if (c == '\\') {
                begin(f, FILTER_GROUND);
        } else {
                begin(f, FILTER_ESCAPE);
                if (!interrupt(s, c))
                        take_escape(s, c);
        }
}

/* ---- characters ---- */

static void put_invalid(const struct sink *s, size_t count) {
        for (; count; count--)
                put(s, "\xef\xbf\xbd", 3);
}

static void put_character(const struct sink *s, struct str c) {
        uint32_t point = terminal_code_point(c);

        if (point >= 0xa0) {
                put(s, c.ptr, c.len);
                return;
        }
        begin(s->filter, FILTER_ESCAPE);
        take_escape(s, (unsigned char)(point - 0x40));
}

static void drop_pending(const struct sink *s) {
        size_t count = s->filter->pending_len;

        s->filter->pending_len = 0;
        put_invalid(s, count);
}

static void take_high(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;
        char bytes[4];
        size_t len;

        f->pending[f->pending_len++] = (char)c;
        len = f->pending_len;
        if (str_utf8(str_from(f->pending, len)) == len) {
                memcpy(bytes, f->pending, len);
                f->pending_len = 0;
                put_character(s, str_from(bytes, len));
        } else if (!terminal_may_become_utf8(str_from(f->pending, len))) {
                f->pending_len--;
                drop_pending(s);
                if (len > 1)
                        take_high(s, c); /* once: now it is the first */
                else
                        put_invalid(s, 1);
        }
}

static void take_ground(const struct sink *s, unsigned char c) {
        char same = (char)c;

        if (c >= 0x80) {
                take_high(s, c);
                return;
        }
        drop_pending(s);
        if (c == ESC)
                begin(s->filter, FILTER_ESCAPE);
        else if (c < ' ' ? terminal_pass_control(c, &s->filter->changed) : c != DELETE)
                put(s, &same, 1);
}

/* ---- a stream ---- */

static void take_byte(const struct sink *s, unsigned char c) {
        struct terminal_filter *f = s->filter;

        if ((f->state == FILTER_ESCAPE || f->state == FILTER_CSI) && c >= 0x80)
                begin(f, FILTER_GROUND);
        if (f->state == FILTER_GROUND)
                take_ground(s, c);
        else if (f->state == FILTER_OSC)
                take_osc(s, c);
        else if (f->state == FILTER_STRING)
                take_string(f, c);
        else if (f->state == FILTER_PALETTE)
                take_palette(f, c);
        else if (f->state == FILTER_OSC_ESCAPE || f->state == FILTER_STRING_ESCAPE)
                take_string_escape(s, c);
        else if (interrupt(s, c))
                return;
        else if (f->state == FILTER_ESCAPE)
                take_escape(s, c);
        else
                take_csi(s, c);
}

void terminal_filter_feed(struct terminal_filter *filter, struct str bytes, terminal_filter_out *out, void *context) {
        struct sink s = { filter, out, context };

        while (bytes.len) {
                size_t run = filter->state == FILTER_GROUND && !filter->pending_len ? terminal_clean_run(bytes) : 0;

                put(&s, bytes.ptr, run);
                if (run < bytes.len)
                        take_byte(&s, (unsigned char)bytes.ptr[run++]);
                bytes = str_skip(bytes, run);
        }
}

void terminal_filter_end(struct terminal_filter *filter, terminal_filter_out *out, void *context) {
        struct sink s = { filter, out, context };
        char text[TERMINAL_RESTORE_MAX];

        drop_pending(&s);
        begin(filter, FILTER_GROUND);
        put(&s, text, terminal_restore(filter->changed, text));
        filter->changed = 0;
}
