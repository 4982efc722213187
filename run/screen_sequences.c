/*
 * Bytes into characters and sequences, and what each sequence does: a row of a table.
 */
#include "run/screen_parts.h"
#include "run/terminal_text.h"

enum { ESC = 0x1b, CAN = 0x18, SUB = 0x1a, BEL = 0x07, DELETE = 0x7f, REPLACEMENT = 0xfffd };

static unsigned number(const struct screen *s, unsigned index, unsigned otherwise) {
        return index < s->count && s->numbers[index] ? s->numbers[index] : otherwise;
}

/* Most count something, at least 1. */
static unsigned count(const struct screen *s) {
        return number(s, 0, 1);
}

/* ---- the cursor ---- */

static unsigned first_row(const struct screen *s) {
        return s->at.origin ? s->top : 0;
}

static void go_to(struct screen *s, unsigned row, unsigned column) {
        row += first_row(s);
        if (s->at.origin && row > s->bottom)
                row = s->bottom;
        screen_move(s, row, column);
}

/* A cursor in the region stays there. */
static void up(struct screen *s) {
        unsigned stop = s->at.row >= s->top ? s->top : 0, by = count(s);

        screen_move(s, s->at.row - stop > by ? s->at.row - by : stop, s->at.column);
}

static void down(struct screen *s) {
        unsigned stop = s->at.row <= s->bottom ? s->bottom : s->rows - 1, by = count(s);

        screen_move(s, stop - s->at.row > by ? s->at.row + by : stop, s->at.column);
}

static void left(struct screen *s) {
        screen_move(s, s->at.row, s->at.column > count(s) ? s->at.column - count(s) : 0);
}

static void right(struct screen *s) {
        screen_move(s, s->at.row, s->at.column + count(s));
}

static void next_lines(struct screen *s) {
        down(s);
        screen_move(s, s->at.row, 0);
}

static void previous_lines(struct screen *s) {
        up(s);
        screen_move(s, s->at.row, 0);
}

static void to_column(struct screen *s) {
        screen_move(s, s->at.row, count(s) - 1);
}

static void to_row(struct screen *s) {
        go_to(s, count(s) - 1, s->at.column);
}

static void to_place(struct screen *s) {
        go_to(s, count(s) - 1, number(s, 1, 1) - 1);
}

static void save(struct screen *s) {
        s->page->saved = s->at;
}

static void restore(struct screen *s) {
        bool wraps;

        s->at = s->page->saved;
        wraps = s->at.wraps && s->at.column + 1 == s->columns;
        screen_move(s, s->at.row, s->at.column);
        s->at.wraps = wraps;
}

/* ---- tabs ---- */

static void next_tab(struct screen *s) {
        unsigned column = s->at.column;

        for (unsigned left = count(s); left && column + 1 < s->columns; left--)
                do
                        column++;
                while (column + 1 < s->columns && !s->tabs[column]);
        screen_move(s, s->at.row, column);
}

static void previous_tab(struct screen *s) {
        unsigned column = s->at.column;

        for (unsigned left = count(s); left && column; left--)
                do
                        column--;
                while (column && !s->tabs[column]);
        screen_move(s, s->at.row, column);
}

static void clear_tabs(struct screen *s) {
        if (number(s, 0, 0) == 0)
                s->tabs[s->at.column] = false;
        else if (number(s, 0, 0) == 3)
                memset(s->tabs, 0, sizeof(s->tabs));
}

/* ---- erasing, inserting, deleting ---- */

static void erase_rows(struct screen *s, unsigned first, unsigned end) {
        for (unsigned row = first; row < end; row++)
                screen_erase(s, row, 0, s->columns);
}

static void erase_in_row(struct screen *s) {
        unsigned what = number(s, 0, 0);

        if (what > 2)
                return;
        screen_erase(s, s->at.row, what == 0 ? s->at.column : 0, what == 1 ? s->at.column + 1 : s->columns);
        s->at.wraps = false;
}

static void erase_in_screen(struct screen *s) {
        unsigned what = number(s, 0, 0);

        if (what > 2) /* what has scrolled out is not kept */
                return;
        if (what != 1)
                erase_rows(s, what == 0 ? s->at.row + 1 : 0, s->rows);
        if (what == 1)
                erase_rows(s, 0, s->at.row);
        erase_in_row(s);
}

static void erase_characters(struct screen *s) {
        screen_erase(s, s->at.row, s->at.column, s->at.column + count(s));
        s->at.wraps = false;
}

static void insert_characters(struct screen *s) {
        screen_shift(s, count(s), true);
        s->at.wraps = false;
}

static void delete_characters(struct screen *s) {
        screen_shift(s, count(s), false);
        s->at.wraps = false;
}

static void shift_lines(struct screen *s, bool down) {
        if (s->at.row < s->top || s->at.row > s->bottom)
                return;
        screen_scroll(s, s->at.row, s->bottom, count(s), down);
        s->at.wraps = false;
}

static void insert_lines(struct screen *s) {
        shift_lines(s, true);
}

static void delete_lines(struct screen *s) {
        shift_lines(s, false);
}

static void scroll_up(struct screen *s) {
        screen_scroll(s, s->top, s->bottom, count(s), false);
}

/* With more numbers it is about the mouse. */
static void scroll_down(struct screen *s) {
        if (s->count <= 1)
                screen_scroll(s, s->top, s->bottom, count(s), true);
}

/* Programs use it within a row. */
static void repeat(struct screen *s) {
        for (unsigned i = 0; s->last && i < count(s) && i < s->columns; i++)
                screen_put(s, s->last);
}

static void set_region(struct screen *s) {
        unsigned top = count(s) - 1, bottom = number(s, 1, s->rows) - 1;

        if (bottom >= s->rows)
                bottom = s->rows - 1;
        if (top >= bottom)
                return;
        s->top = top;
        s->bottom = bottom;
        go_to(s, 0, 0);
}

/* ---- modes ---- */

static void set_origin(struct screen *s, bool on) {
        s->at.origin = on;
        go_to(s, 0, 0);
}

static void set_cursor_keys(struct screen *s, bool on) {
        s->application_cursor = on;
}

static void set_wrap(struct screen *s, bool on) {
        s->no_wrap = !on;
}

static void set_cursor_shown(struct screen *s, bool on) {
        s->hidden = !on;
}

static void set_insert(struct screen *s, bool on) {
        s->insert = on;
}

static void set_newline(struct screen *s, bool on) {
        s->newline = on;
}

static void set_page(struct screen *s, bool on) {
        screen_alternate(s, on, false);
}

static void set_page_cleared(struct screen *s, bool on) {
        screen_alternate(s, on, !on && s->page == &s->pages[1]);
}

static void set_saved(struct screen *s, bool on) {
        (on ? save : restore)(s);
}

static void set_page_saved(struct screen *s, bool on) {
        if (on == (s->page == &s->pages[1]))
                return;
        if (on)
                save(s);
        screen_alternate(s, on, on);
        if (!on)
                restore(s);
}

static const struct {
        char marker;
        unsigned number;
        void (*set)(struct screen *s, bool on);
} modes[] = {
        { 0, 4, set_insert },     { 0, 20, set_newline },        { '?', 1, set_cursor_keys }, { '?', 6, set_origin },
        { '?', 7, set_wrap },     { '?', 25, set_cursor_shown }, { '?', 47, set_page },       { '?', 1047, set_page_cleared },
        { '?', 1048, set_saved }, { '?', 1049, set_page_saved },
};

static void set_modes(struct screen *s, bool on) {
        for (unsigned n = 0; n < s->count; n++)
                for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
                        if (modes[i].marker == s->marker && modes[i].number == s->numbers[n])
                                modes[i].set(s, on);
}

static void modes_on(struct screen *s) {
        set_modes(s, true);
}

static void modes_off(struct screen *s) {
        set_modes(s, false);
}

/* What a program may have left behind, but not what is shown. */
static void reset_softly(struct screen *s) {
        s->top = 0;
        s->bottom = s->rows - 1;
        s->insert = s->no_wrap = s->hidden = s->application_cursor = s->at.origin = false;
        s->at.charset = s->at.graphics[0] = s->at.graphics[1] = 0;
        s->page->saved = (struct screen_place){};
}

/* ---- sequences ---- */

struct sequence {
        char final, marker, intermediate;
        void (*act)(struct screen *s);
};

static const struct sequence csi[] = {
        { '@', 0, 0, insert_characters },
        { 'A', 0, 0, up },
        { 'B', 0, 0, down },
        { 'C', 0, 0, right },
        { 'D', 0, 0, left },
        { 'E', 0, 0, next_lines },
        { 'F', 0, 0, previous_lines },
        { 'G', 0, 0, to_column },
        { 'H', 0, 0, to_place },
        { 'I', 0, 0, next_tab },
        { 'J', 0, 0, erase_in_screen },
        { 'J', '?', 0, erase_in_screen },
        { 'K', 0, 0, erase_in_row },
        { 'K', '?', 0, erase_in_row },
        { 'L', 0, 0, insert_lines },
        { 'M', 0, 0, delete_lines },
        { 'P', 0, 0, delete_characters },
        { 'S', 0, 0, scroll_up },
        { 'T', 0, 0, scroll_down },
        { 'X', 0, 0, erase_characters },
        { 'Z', 0, 0, previous_tab },
        { '`', 0, 0, to_column },
        { 'a', 0, 0, right },
        { 'b', 0, 0, repeat },
        { 'd', 0, 0, to_row },
        { 'e', 0, 0, down },
        { 'f', 0, 0, to_place },
        { 'g', 0, 0, clear_tabs },
        { 'h', 0, 0, modes_on },
        { 'h', '?', 0, modes_on },
        { 'l', 0, 0, modes_off },
        { 'l', '?', 0, modes_off },
        { 'p', 0, '!', reset_softly },
        { 'r', 0, 0, set_region },
        { 's', 0, 0, save },
        { 'u', 0, 0, restore },
};

static void next_row(struct screen *s) {
        screen_index(s);
        s->at.column = 0;
}

static void set_tab(struct screen *s) {
        s->tabs[s->at.column] = true;
}

static const struct sequence escapes[] = {
        { '7', 0, 0, save },         { '8', 0, 0, restore }, { 'D', 0, 0, screen_index },
        { 'E', 0, 0, next_row },     { 'H', 0, 0, set_tab }, { 'M', 0, 0, screen_reverse_index },
        { 'c', 0, 0, screen_reset },
};

static void act(struct screen *s, const struct sequence *sequences, size_t n, unsigned char final) {
        for (size_t i = 0; i < n; i++)
                if (sequences[i].final == (char) final && sequences[i].marker == s->marker &&
                    sequences[i].intermediate == s->intermediate) {
                        sequences[i].act(s);
                        return;
                }
}

/* ---- control characters ---- */

static void back(struct screen *s) {
        screen_move(s, s->at.row, s->at.column ? s->at.column - 1 : 0);
}

static void line_feed(struct screen *s) {
        screen_index(s);
        if (s->newline)
                s->at.column = 0;
}

static void control(struct screen *s, unsigned char c) {
        s->count = 0; /* none of them counts */
        switch (c) {
        case '\b':
                back(s);
                break;
        case '\t':
                next_tab(s);
                break;
        case '\n':
        case '\v':
        case '\f':
                line_feed(s);
                break;
        case '\r':
                screen_move(s, s->at.row, 0);
                break;
        case 0x0e:
        case 0x0f:
                s->at.charset = c == 0x0e;
        }
}

/* ---- characters ---- */

/* Line drawing, from '`' to '~'. */
static const uint16_t graphics[] = {
        0x25c6, 0x2592, 0x2409, 0x240c, 0x240d, 0x240a, 0x00b0, 0x00b1, 0x2424, 0x240b, 0x2518,
        0x2510, 0x250c, 0x2514, 0x253c, 0x23ba, 0x23bb, 0x2500, 0x23bc, 0x23bd, 0x251c, 0x2524,
        0x2534, 0x252c, 0x2502, 0x2264, 0x2265, 0x03c0, 0x2260, 0x00a3, 0x00b7,
};

static void put_ascii(struct screen *s, unsigned char c) {
        bool drawn = s->at.graphics[s->at.charset] && c >= '`' && c <= '~';

        screen_put(s, drawn ? graphics[c - '`'] : c);
}

static void put_replacement(struct screen *s) {
        for (unsigned i = 0; i < s->pending_len; i++)
                screen_put(s, REPLACEMENT);
        s->pending_len = 0;
}

/* Each byte that is not of a character becomes a character. */
static void put_byte(struct screen *s, unsigned char c) {
        struct str bytes;

        if (s->pending_len && (c & 0xc0) != 0x80)
                put_replacement(s);
        if (c < 0x80) {
                put_ascii(s, c);
                return;
        }
        s->pending[s->pending_len++] = c;
        bytes = str_from((const char *)s->pending, s->pending_len);
        if (str_utf8(bytes) == s->pending_len) {
                if (!terminal_hidden(bytes))
                        screen_put(s, terminal_code_point(bytes));
                s->pending_len = 0;
        } else if (!terminal_may_become_utf8(bytes)) {
                put_replacement(s);
        }
}

/* ---- the parser ---- */

static void begin_csi(struct screen *s) {
        s->parser = PARSER_CSI;
        s->marker = s->intermediate = 0;
        s->odd = false;
        memset(s->numbers, 0, sizeof(s->numbers));
        s->count = 0;
}

static void take_escape(struct screen *s, unsigned char c) {
        s->introducer = c;
        s->parser = PARSER_GROUND;
        s->marker = s->intermediate = 0;
        s->count = 0;
        if (c == '[')
                begin_csi(s);
        else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_')
                s->parser = PARSER_STRING;
        else if (c >= '(' && c <= '+')
                s->parser = PARSER_CHARSET;
        else if (c >= ' ' && c <= '/')
                s->parser = PARSER_SKIP;
        else
                act(s, escapes, sizeof(escapes) / sizeof(*escapes), c);
}

static void take_charset(struct screen *s, unsigned char c) {
        s->parser = PARSER_GROUND;
        if (s->introducer <= ')')
                s->at.graphics[s->introducer - '('] = c == '0';
}

static void take_digit(struct screen *s, unsigned char c) {
        unsigned *last;

        if (!s->count)
                s->count = 1;
        last = &s->numbers[s->count - 1];
        *last = *last * 10 + (c - '0');
        if (*last > SCREEN_NUMBER_MAX)
                *last = SCREEN_NUMBER_MAX;
}

static void take_csi(struct screen *s, unsigned char c) {
        if (c >= '0' && c <= '9') {
                take_digit(s, c);
        } else if (c == ';') {
                s->count = s->count ? s->count + 1 : 2;
                s->odd |= s->count > SCREEN_NUMBERS;
                s->count = s->odd ? 1 : s->count;
        } else if (c >= '<' && c <= '?') {
                s->odd |= s->marker || s->count;
                s->marker = (char)c;
        } else if (c >= ' ' && c <= '/') {
                s->odd |= s->intermediate != 0;
                s->intermediate = (char)c;
        } else if (c >= '@' && c <= '~') {
                s->parser = PARSER_GROUND;
                if (!s->odd)
                        act(s, csi, sizeof(csi) / sizeof(*csi), c);
        } else {
                s->odd = true; /* a colon: only colours have them */
        }
}

static void take_string(struct screen *s, unsigned char c) {
        if (c == ESC)
                s->parser = PARSER_STRING_ESCAPE;
        else if (c == BEL && s->introducer == ']')
                s->parser = PARSER_GROUND;
}

static void take_in_sequence(struct screen *s, unsigned char c) {
        switch (s->parser) {
        case PARSER_ESCAPE:
                take_escape(s, c);
                break;
        case PARSER_CHARSET:
                take_charset(s, c);
                break;
        case PARSER_SKIP:
                if (c < ' ' || c > '/')
                        s->parser = PARSER_GROUND;
                break;
        default:
                take_csi(s, c);
        }
}

static void take(struct screen *s, unsigned char c) {
        bool in_string = s->parser == PARSER_STRING;

        if (s->parser == PARSER_STRING_ESCAPE) { /* ends it, as the first of ST or of something else */
                s->parser = c == '\\' ? PARSER_GROUND : PARSER_ESCAPE;
                if (c == '\\')
                        return;
        }
        if (c == CAN || c == SUB) {
                put_replacement(s);
                s->parser = PARSER_GROUND;
        } else if (in_string) {
                take_string(s, c);
        } else if (c == ESC) {
                put_replacement(s);
                s->parser = PARSER_ESCAPE;
        } else if (c < ' ') {
                unsigned saved = s->count;

                put_replacement(s);
                control(s, c);
                s->count = saved;
        } else if (c == DELETE) {
                ;
        } else if (s->parser == PARSER_GROUND) {
                put_byte(s, c);
        } else {
                take_in_sequence(s, c);
        }
}

void screen_feed(struct screen *screen, struct str bytes) {
        for (size_t i = 0; i < bytes.len; i++)
                take(screen, (unsigned char)bytes.ptr[i]);
}
