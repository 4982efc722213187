#include "run/terminal_text.h"

#include <stddef.h>
#include <stdio.h>

enum {
        NUMBER_MAX = 9999,
        SHOWN_MAX = 16, /* <U+10FFFF> */
        FLUSH_BYTES = 4096,
        SHOWN_AT_ONCE = 8 * TERMINAL_LINE_MAX,
        ESC = 0x1b,
        CANCEL = 0x18,
        SUBSTITUTE = 0x1a,
};

/* Where text goes. */
struct sink {
        struct terminal_text *text;
        terminal_text_out *out;
        void *context;
};

/* ---- the line ---- */

static size_t cell_len(const struct terminal_cell *cell) {
        unsigned char c = (unsigned char)cell->bytes[0];

        return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static void flush_line(const struct sink *s, bool newline) {
        char text[FLUSH_BYTES];
        size_t used = 0;

        for (size_t i = 0; i < s->text->len; i++) {
                const struct terminal_cell *cell = &s->text->line[i];

                memcpy(text + used, cell->bytes, sizeof(cell->bytes));
                used += cell_len(cell);
                if (used > sizeof(text) - sizeof(cell->bytes)) {
                        s->out(s->context, str_from(text, used));
                        used = 0;
                }
        }
        if (newline)
                text[used++] = '\n';
        if (used)
                s->out(s->context, str_from(text, used));
        s->text->len = s->text->cursor = 0;
}

/* Makes room for characters at the cursor. Returns for how many of `count`. */
static size_t reach(struct terminal_text *p, size_t count) {
        size_t room = TERMINAL_LINE_MAX - p->cursor;

        while (p->len < p->cursor)
                p->line[p->len++] = (struct terminal_cell){ " " };
        return count < room ? count : room;
}

static void go_on(const struct sink *s, size_t count) {
        struct terminal_text *p = s->text;

        p->cursor += count;
        if (p->len < p->cursor)
                p->len = p->cursor;
        if (p->cursor == TERMINAL_LINE_MAX)
                flush_line(s, false);
}

/* The parts of a long line that are passed on as they come. Returns the rest. */
static struct str put_parts(const struct sink *s, struct str text) {
        size_t parts = text.len - text.len % TERMINAL_LINE_MAX;

        if (parts == 0 || s->text->len || s->text->cursor)
                return text;
        s->out(s->context, str_take(text, parts));
        return str_skip(text, parts);
}

static void put_ascii(const struct sink *s, struct str text) {
        while ((text = put_parts(s, text)).len) {
                size_t count = reach(s->text, text.len);
                struct terminal_cell *cells = &s->text->line[s->text->cursor];

                for (size_t i = 0; i < count; i++)
                        cells[i] = (struct terminal_cell){ { text.ptr[i] } };
                go_on(s, count);
                text = str_skip(text, count);
        }
}

/* How many bytes come first that are all the same, in steps of eight: a file of zeros is shown, too. */
static size_t same_run(struct str s) {
        uint64_t same = s.len ? (unsigned char)s.ptr[0] * UINT64_C(0x0101010101010101) : 0, next;
        size_t at = 0;

        for (; s.len - at >= sizeof(next); at += sizeof(next)) {
                memcpy(&next, s.ptr + at, sizeof(next));
                if (next != same)
                        break;
        }
        return at;
}

/* Control characters, as ^G. */
static void put_controls(const struct sink *s, struct str controls) {
        size_t same = same_run(controls), ready = 0; /* bytes that are shown already, if those are still the same */
        char shown[SHOWN_AT_ONCE];

        while (controls.len) {
                struct str some = str_take(controls, sizeof(shown) / 2);

                for (size_t i = some.len <= same ? ready : 0; i < some.len; i++) {
                        shown[2 * i] = '^';
                        shown[2 * i + 1] = (char)(some.ptr[i] ^ 0x40);
                }
                put_ascii(s, str_from(shown, 2 * some.len));
                controls = str_skip(controls, some.len);
                ready = some.len;
                same -= some.len < same ? some.len : same;
        }
}

static void put_utf8(const struct sink *s, struct str character) {
        reach(s->text, 1);
        s->text->line[s->text->cursor] = (struct terminal_cell){ "" };
        memcpy(s->text->line[s->text->cursor].bytes, character.ptr, character.len);
        go_on(s, 1);
}

static void put_text(const struct sink *s, struct str text) {
        while (text.len) {
                size_t step = 0;

                while (step < text.len && (unsigned char)text.ptr[step] < 0x80)
                        step++;
                put_ascii(s, str_take(text, step));
                text = str_skip(text, step);
                if (text.len) {
                        step = str_utf8(text);
                        put_utf8(s, str_take(text, step));
                        text = str_skip(text, step);
                }
        }
}

/* Clean text. Whole lines of it need not go through the line. */
static void put_run(const struct sink *s, struct str run) {
        const char *last;

        if (s->text->len || s->text->cursor) {
                size_t first = str_find(run, '\n');

                put_text(s, str_take(run, first));
                if (first == run.len)
                        return;
                flush_line(s, true);
                run = str_skip(run, first + 1);
        }
        last = run.len ? memrchr(run.ptr, '\n', run.len) : NULL;
        if (last) {
                size_t lines = (size_t)(last + 1 - run.ptr);

                s->out(s->context, str_take(run, lines));
                run = str_skip(run, lines);
        }
        put_text(s, run);
}

/* ---- characters ---- */

static void put_character(const struct sink *s, struct str c) {
        char shown[SHOWN_MAX];
        int len;

        if (!terminal_hidden(c)) {
                put_utf8(s, c);
                return;
        }
        len = snprintf(shown, sizeof(shown), "<U+%04X>", terminal_code_point(c));
        put_ascii(s, str_from(shown, (size_t)len));
}

static void put_invalid(const struct sink *s) {
        s->text->invalid_utf8 = true;
        put_utf8(s, STR("\xef\xbf\xbd"));
}

/* What was pending and cannot become a character: its first byte is none. The rest are continuation bytes, so neither. */
static void drop_pending(const struct sink *s) {
        for (size_t i = 0; i < s->text->pending_len; i++)
                put_invalid(s);
        s->text->pending_len = 0;
}

static void take_high(const struct sink *s, char byte) {
        struct terminal_text *p = s->text;
        size_t len;

        p->pending[p->pending_len++] = byte;
        len = p->pending_len;
        if (str_utf8(str_from(p->pending, len)) == len) {
                p->pending_len = 0;
                put_character(s, str_from(p->pending, len));
        } else if (!terminal_may_become_utf8(str_from(p->pending, len))) {
                p->pending_len--;
                drop_pending(s);
                if (len > 1)
                        take_high(s, byte); /* once: now it is the first */
                else
                        put_invalid(s);
        }
}

static void take_low(const struct sink *s, unsigned char c) {
        struct terminal_text *p = s->text;

        if (c == '\n')
                flush_line(s, true);
        else if (c == '\r')
                p->cursor = 0;
        else if (c == '\b')
                p->cursor -= p->cursor > 0;
        else if (c == ESC)
                p->state = TERMINAL_ESCAPE;
        else if (terminal_is_text(c))
                put_ascii(s, str_from((const char *)&c, 1));
        else
                put_controls(s, str_from((const char *)&c, 1));
}

/* ---- sequences ---- */

static void go_to(struct terminal_text *p, size_t column) {
        p->cursor = column < TERMINAL_LINE_MAX ? column : TERMINAL_LINE_MAX - 1;
}

static void erase(struct terminal_text *p) {
        if (p->number == 1) /* up to the cursor */
                for (size_t i = 0; i < p->len && i <= p->cursor; i++)
                        p->line[i] = (struct terminal_cell){ " " };
        else if (p->number >= 2) /* all */
                p->len = 0;
        else if (p->cursor < p->len) /* from the cursor on */
                p->len = p->cursor;
}

static void finish_csi(struct terminal_text *p, unsigned char final) {
        size_t count = p->number ? p->number : 1;

        p->state = TERMINAL_GROUND;
        if (p->odd)
                return;
        if (final == 'K' || final == 'J')
                erase(p);
        else if (final == 'C')
                go_to(p, p->cursor + count);
        else if (final == 'D')
                go_to(p, p->cursor > count ? p->cursor - count : 0);
        else if (final == 'G')
                go_to(p, count - 1);
}

static void take_csi(struct terminal_text *p, unsigned char c) {
        if (c >= '@') {
                finish_csi(p, c);
        } else if (is_ascii_digit(c)) {
                p->number = p->number * 10 + (c - '0');
                if (p->number > NUMBER_MAX)
                        p->number = NUMBER_MAX;
        } else {
                p->odd = true;
        }
}

static void take_escape(struct terminal_text *p, unsigned char c) {
        p->state = TERMINAL_GROUND;
        p->number = 0;
        p->odd = false;
        p->previous = 0;
        if (c == '[')
                p->state = TERMINAL_CSI;
        else if (strchr("]PX^_", c))
                p->state = TERMINAL_STRING;
        else if (c < '0')
                p->state = TERMINAL_INTERMEDIATE;
}

/* Returns whether the byte belonged to the string. */
static bool take_string(struct terminal_text *p, unsigned char c) {
        bool ends = c == '\a' || c == CANCEL || c == SUBSTITUTE || (c == 0x9c && p->previous == 0xc2); /* U+009C is ST */

        if (ends || c == ESC || c == '\n')
                p->state = TERMINAL_GROUND;
        p->previous = c;
        return c != ESC && c != '\n';
}

/* Returns whether the byte belonged to a sequence. */
static bool take_in_sequence(struct terminal_text *p, unsigned char c) {
        if (p->state == TERMINAL_GROUND)
                return false;
        if (p->state == TERMINAL_STRING)
                return take_string(p, c);
        if (c < ' ' || c > '~') {
                p->state = TERMINAL_GROUND;
                return false;
        }
        if (p->state == TERMINAL_CSI)
                take_csi(p, c);
        else if (p->state == TERMINAL_ESCAPE)
                take_escape(p, c);
        else if (c >= '0')
                p->state = TERMINAL_GROUND;
        return true;
}

/* ---- a stream ---- */

void terminal_text_init(struct terminal_text *text, enum terminal_text_mode mode) {
        memset(text, 0, offsetof(struct terminal_text, line)); /* the rest is written before it is read */
        text->mode = mode;
}

static void take_byte(const struct sink *s, char byte) {
        unsigned char c = (unsigned char)byte;

        if (take_in_sequence(s->text, c))
                return;
        if (c >= 0x80) {
                take_high(s, byte);
                return;
        }
        drop_pending(s);
        take_low(s, c);
}

/* How many control characters come first that mean nothing, and so are shown. */
static size_t controls_run(struct str s) {
        static const uint32_t meaning = 1U << '\b' | 1U << '\t' | 1U << '\n' | 1U << '\r' | 1U << ESC;
        size_t at = 0;

        if (s.len && (unsigned char)s.ptr[0] < ' ' && !(meaning >> s.ptr[0] & 1))
                at = same_run(s);
        while (at < s.len && (unsigned char)s.ptr[at] < ' ' && !(meaning >> s.ptr[at] & 1))
                at++;
        return at;
}

/* As many bytes as can be taken at once, at least one. */
static size_t take_some(const struct sink *s, struct str bytes) {
        size_t run = terminal_clean_run(bytes);

        if (run) {
                put_run(s, str_take(bytes, run));
                return run;
        }
        run = controls_run(bytes);
        if (run) {
                put_controls(s, str_take(bytes, run));
                return run;
        }
        take_byte(s, bytes.ptr[0]);
        return 1;
}

void terminal_text_feed(struct terminal_text *text, struct str bytes, terminal_text_out *out, void *context) {
        struct sink s = { text, out, context };

        if (text->mode == TERMINAL_KEEP) {
                if (bytes.len)
                        out(context, bytes);
                return;
        }
        while (bytes.len) {
                size_t taken = 1;

                if (text->state == TERMINAL_GROUND && !text->pending_len)
                        taken = take_some(&s, bytes);
                else
                        take_byte(&s, bytes.ptr[0]);
                bytes = str_skip(bytes, taken);
        }
}

void terminal_text_flush(struct terminal_text *text, terminal_text_out *out, void *context) {
        struct sink s = { text, out, context };

        flush_line(&s, false);
}

void terminal_text_end(struct terminal_text *text, terminal_text_out *out, void *context) {
        struct sink s = { text, out, context };

        drop_pending(&s);
        flush_line(&s, false);
        text->state = TERMINAL_GROUND;
}
