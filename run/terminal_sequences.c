#include "run/terminal_sequences.h"

#include <stdio.h>

#include "run/terminal_text.h"

enum { PARAMETERS_MAX = 32, NUMBER_MAX = 65535, SHIFT_OUT = 0x0e, SHIFT_IN = 0x0f };

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* ---- what is put back at the end ---- */

/* Modes of DEC, as a shell expects them. Where that depends on the terminal, they are left as they are. */
static const struct {
        uint16_t number;
        enum { NORMAL_OFF, NORMAL_ON, NORMAL_ANY } normal;
} modes[] = {
        { 1049, NORMAL_OFF }, /* the other screen, which is left first: it restores the cursor */
        { 1047, NORMAL_OFF }, { 47, NORMAL_OFF },   { 1048, NORMAL_ANY }, /* saves the cursor, or restores it */
        { 1, NORMAL_OFF },                                                /* cursor keys of applications */
        { 5, NORMAL_OFF },                                                /* reverse video, for a visible bell */
        { 6, NORMAL_OFF },                                                /* lines count from the scrolling region */
        { 7, NORMAL_ON },                                                 /* wraps lines */
        { 12, NORMAL_ANY },                                               /* the cursor blinks */
        { 25, NORMAL_ON },                                                /* the cursor is visible */
        { 45, NORMAL_OFF },                                               /* backspace goes back to the previous line */
        { 66, NORMAL_OFF },                                               /* the keypad of applications */
        { 69, NORMAL_OFF },                                               /* margins at the sides */
        { 9, NORMAL_OFF },                                                /* the mouse: buttons, */
        { 1000, NORMAL_OFF },                                             /* and releases, */
        { 1002, NORMAL_OFF },                                             /* and dragging, */
        { 1003, NORMAL_OFF },                                             /* and all motion */
        { 1004, NORMAL_OFF },                                             /* focus */
        { 1005, NORMAL_OFF },                                             /* how the mouse is told */
        { 1006, NORMAL_OFF }, { 1015, NORMAL_OFF }, { 1016, NORMAL_OFF }, { 1007, NORMAL_ANY }, /* the wheel as cursor keys */
        { 1034, NORMAL_ANY },                                                                   /* the meta key */
        { 1036, NORMAL_ANY }, { 1039, NORMAL_ANY }, { 2004, NORMAL_OFF },                       /* bracketed paste */
        { 2026, NORMAL_OFF },                                                                   /* updates at once */
        { 2027, NORMAL_OFF },                                                                   /* widths of characters */
        { 2031, NORMAL_OFF },                                                                   /* tells of dark and light */
        { 2048, NORMAL_OFF },                                                                   /* tells the size */
};

enum { EXTRA_SHIFT = 48 };

_Static_assert(COUNT(modes) <= EXTRA_SHIFT, "a bit of `changed` for each mode");

/* Whatever else is changed. */
enum extra {
        EXTRA_STYLE,
        EXTRA_REGION,
        EXTRA_INSERT,
        EXTRA_SHIFTED,
        EXTRA_CHARSET,
        EXTRA_KEYPAD,
        EXTRA_CURSOR,
        EXTRA_KITTY,
        EXTRA_KEYS
};

static const char *const extras[] = {
        [EXTRA_STYLE] = "\x1b[0m",   [EXTRA_REGION] = "\0337\033[r\0338", /* without moving the cursor */
        [EXTRA_INSERT] = "\x1b[4l",  [EXTRA_SHIFTED] = "\x0f",
        [EXTRA_CHARSET] = "\x1b(B",  [EXTRA_KEYPAD] = "\x1b>",
        [EXTRA_CURSOR] = "\x1b[0 q", [EXTRA_KITTY] = "\x1b[<9u\x1b[=0u",
        [EXTRA_KEYS] = "\x1b[>4m",
};

static void note_bit(uint64_t *changed, size_t bit, bool is) {
        if (is)
                *changed |= UINT64_C(1) << bit;
        else
                *changed &= ~(UINT64_C(1) << bit);
}

static void note(uint64_t *changed, enum extra extra, bool is) {
        note_bit(changed, EXTRA_SHIFT + extra, is);
}

size_t terminal_restore(uint64_t changed, char ret[static TERMINAL_RESTORE_MAX]) {
        size_t len = 0;

        for (size_t i = 0; i < COUNT(modes); i++)
                if (changed >> i & 1)
                        len += (size_t)snprintf(ret + len, TERMINAL_RESTORE_MAX - len, "\x1b[?%u%c", modes[i].number,
                                                modes[i].normal == NORMAL_ON ? 'h' : 'l');
        for (size_t i = 0; i < COUNT(extras); i++)
                if (changed >> (EXTRA_SHIFT + i) & 1)
                        len += (size_t)snprintf(ret + len, TERMINAL_RESTORE_MAX - len, "%s", extras[i]);
        return len;
}

/* ---- CSI ---- */

struct csi {
        char prefix, intermediate, final; /* 0: none */
        struct str parameters;            /* "1;31" */
        unsigned numbers[PARAMETERS_MAX]; /* 0: none given */
        size_t count;
};

enum csi_check {
        CHECK_NOTHING,
        CHECK_ONE,   /* one number at most */
        CHECK_FIRST, /* the first number is one of these */
        CHECK_MODES, /* of DEC; others are left out */
};

static const struct csi_row {
        char prefix, intermediate;
        enum csi_check check;
        const char *finals;
        uint8_t first[6];
        uint8_t first_count;
} csi_rows[] = {
        /* moves, erases, inserts, deletes, scrolls, tabs, repeats, styles, regions, saves the cursor */
        { 0, 0, CHECK_NOTHING, "@ABCDEFGHIJKLMPSXZ^`abdefgmrsu", {}, 0 },
        { 0, 0, CHECK_ONE, "T", {}, 0 }, /* scrolls; with five numbers it begins to follow the mouse, and waits for an answer */
        { 0, 0, CHECK_FIRST, "hl", { 4, 34 }, 2 }, /* inserts, the cursor; others lock the keyboard, or let it echo */
        { '?', 0, CHECK_NOTHING, "JK", {}, 0 },    /* erases */
        { '?', 0, CHECK_MODES, "hl", {}, 0 },
        { 0, '!', CHECK_NOTHING, "p", {}, 0 }, /* a soft reset */
        { 0, ' ', CHECK_ONE, "q", {}, 0 },     /* the shape of the cursor */
        /* how keys are sent */
        { '>', 0, CHECK_FIRST, "m", { 4 }, 1 },
        { '>', 0, CHECK_NOTHING, "u", {}, 0 },
        { '<', 0, CHECK_NOTHING, "u", {}, 0 },
        { '=', 0, CHECK_NOTHING, "u", {}, 0 },
        /* queries whose answers are numbers: state and position, which kind of terminal, modes, sizes, keys */
        { 0, 0, CHECK_FIRST, "n", { 5, 6 }, 2 },
        { '?', 0, CHECK_FIRST, "n", { 6 }, 1 },
        { 0, 0, CHECK_FIRST, "c", { 0 }, 1 },
        { '>', 0, CHECK_FIRST, "c", { 0 }, 1 },
        { 0, '$', CHECK_ONE, "p", {}, 0 },
        { '?', '$', CHECK_ONE, "p", {}, 0 },
        { 0, 0, CHECK_FIRST, "t", { 14, 16, 18, 19, 22, 23 }, 6 }, /* the last two: the terminal keeps its title, and has it
                                                                      back */
        { '?', 0, CHECK_NOTHING, "u", {}, 0 },
        { '?', 0, CHECK_ONE, "m", {}, 0 },
};

/* False: it is not well-formed. */
static bool read_parameters(struct csi *csi) {
        unsigned number = 0;

        for (size_t i = 0; i <= csi->parameters.len; i++) {
                unsigned char c = i < csi->parameters.len ? (unsigned char)csi->parameters.ptr[i] : ';';

                if (is_ascii_digit(c)) {
                        number = number * 10 + (c - '0');
                        if (number > NUMBER_MAX)
                                return false;
                } else if (c == ';' || c == ':') {
                        if (csi->count == PARAMETERS_MAX)
                                return false;
                        csi->numbers[csi->count++] = number;
                        number = 0;
                } else {
                        return false;
                }
        }
        return true;
}

static bool read_csi(struct str body, struct csi *ret) {
        size_t end = 0, start = 0;

        *ret = (struct csi){};
        if (body.len && strchr("<=>?", body.ptr[0]))
                ret->prefix = body.ptr[start++];
        for (end = start; end < body.len && body.ptr[end] >= '0' && body.ptr[end] <= '?'; end++)
                ;
        ret->parameters = str_from(body.ptr + start, end - start);
        if (body.len - end == 2)
                ret->intermediate = body.ptr[end++];
        if (body.len - end != 1)
                return false;
        ret->final = body.ptr[end];
        return read_parameters(ret);
}

static const struct csi_row *csi_row_of(const struct csi *csi) {
        for (size_t i = 0; i < COUNT(csi_rows); i++)
                if (csi_rows[i].prefix == csi->prefix && csi_rows[i].intermediate == csi->intermediate &&
                    strchr(csi_rows[i].finals, csi->final))
                        return &csi_rows[i];
        return NULL;
}

static bool is_first(const struct csi_row *row, unsigned number) {
        for (size_t i = 0; i < row->first_count; i++)
                if (row->first[i] == number)
                        return true;
        return false;
}

/* Those that are known; the others of the same sequence go. */
static size_t pass_modes(const struct csi *csi, uint64_t *changed, char *ret) {
        size_t len = 0;

        for (size_t i = 0; i < csi->count; i++)
                for (size_t m = 0; m < COUNT(modes); m++) {
                        if (modes[m].number != csi->numbers[i])
                                continue;
                        len += (size_t)snprintf(ret + len, TERMINAL_PASSED_MAX - len, "%s%u", len ? ";" : "\x1b[?",
                                                modes[m].number);
                        if (modes[m].normal != NORMAL_ANY)
                                note_bit(changed, m, (csi->final == 'h') != (modes[m].normal == NORMAL_ON));
                }
        if (len)
                ret[len++] = csi->final;
        return len;
}

static void note_csi(const struct csi *csi, uint64_t *changed) {
        bool any = csi->count > 1 || csi->numbers[0];

        if (csi->final == 'm' && !csi->prefix)
                note(changed, EXTRA_STYLE, csi->numbers[csi->count - 1] != 0 || csi->count > 1);
        else if (csi->final == 'm' && csi->prefix == '>')
                note(changed, EXTRA_KEYS, csi->count > 1 && csi->numbers[1]);
        else if (csi->final == 'r')
                note(changed, EXTRA_REGION, any);
        else if (csi->numbers[0] == 4 && (csi->final == 'h' || csi->final == 'l'))
                note(changed, EXTRA_INSERT, csi->final == 'h');
        else if (csi->final == 'q')
                note(changed, EXTRA_CURSOR, any);
        else if (csi->final == 'u' && (csi->prefix == '>' || csi->prefix == '='))
                note(changed, EXTRA_KITTY, csi->prefix == '>' || csi->numbers[0]);
}

size_t terminal_pass_csi(struct str body, uint64_t *changed, char ret[static TERMINAL_PASSED_MAX]) {
        const struct csi_row *row;
        struct csi csi;

        if (body.len > TERMINAL_CSI_MAX || !read_csi(body, &csi))
                return 0;
        row = csi_row_of(&csi);
        if (!row || (row->check == CHECK_ONE && csi.count > 1) || (row->check == CHECK_FIRST && !is_first(row, csi.numbers[0])))
                return 0;
        if (row->check == CHECK_MODES)
                return pass_modes(&csi, changed, ret);
        if (csi.count > 1 && (csi.final == 'h' || csi.final == 'l')) /* the others of them were not looked at */
                return 0;
        note_csi(&csi, changed);
        memcpy(ret, "\x1b[", 2);
        memcpy(ret + 2, body.ptr, body.len);
        return 2 + body.len;
}

/* ---- ESC ---- */

size_t terminal_pass_escape(struct str body, uint64_t *changed, char ret[static TERMINAL_PASSED_MAX]) {
        char first = body.len ? body.ptr[0] : 0, last = body.len == 2 ? body.ptr[1] : 0;
        bool passes = false;

        if (body.len == 1) /* saves and restores the cursor, the keypad, a reset, lines, a tab */
                passes = first && strchr("78=>cDEHM", first);
        else if (body.len == 2) /* a set of characters: ASCII, British, lines; or the size of a line */
                passes = (strchr("()*+", first) && strchr("0AB12", last)) || (first == '#' && strchr("34568", last));
        if (!passes)
                return 0;
        if (first == 'c')
                *changed = 0;
        else if (first == '=' || first == '>')
                note(changed, EXTRA_KEYPAD, first == '=');
        else if (first == '(')
                note(changed, EXTRA_CHARSET, last != 'B');
        ret[0] = '\x1b';
        memcpy(ret + 1, body.ptr, body.len);
        return 1 + body.len;
}

bool terminal_pass_control(unsigned char c, uint64_t *changed) {
        if (c == SHIFT_OUT || c == SHIFT_IN)
                note(changed, EXTRA_SHIFTED, c == SHIFT_OUT);
        return c >= '\a' && c <= SHIFT_IN; /* bell, backspace, tab, lines, return, and the two */
}

/* ---- OSC ---- */

/* Characters that are seen, and no others. */
static size_t put_title(struct str text, char *ret) {
        size_t len = 0;

        for (size_t step; text.len; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];

                step = str_utf8(text);
                if (step == 0 || c < ' ' || c == 0x7f || (c >= 0x80 && terminal_hidden(str_take(text, step)))) {
                        step = step ? step : 1;
                        continue;
                }
                if (len + step > TERMINAL_TITLE_MAX)
                        break;
                memcpy(ret + len, text.ptr, step);
                len += step;
        }
        return len;
}

/* "PARAMETERS;ADDRESS"; an empty address ends the link. Others than of the web open programs. */
static bool is_link(struct str link) {
        struct str address = str_skip(link, str_find(link, ';') + 1);

        if (str_find(link, ';') == link.len ||
            (address.len && !str_starts(address, STR("https://")) && !str_starts(address, STR("http://"))))
                return false;
        for (size_t i = 0; i < link.len; i++)
                if (link.ptr[i] < '!' || link.ptr[i] > '~')
                        return false;
        return true;
}

size_t terminal_pass_osc(struct str body, char ret[static TERMINAL_PASSED_MAX]) {
        struct str text = str_skip(body, 2);
        size_t len = 4;

        if (body.len < 2 || body.len > TERMINAL_OSC_MAX || body.ptr[1] != ';')
                return 0;
        memcpy(ret, "\x1b]", 2);
        memcpy(ret + 2, body.ptr, 2);
        if (body.ptr[0] >= '0' && body.ptr[0] <= '2') {
                len += put_title(text, ret + len);
        } else if (body.ptr[0] == '8' && is_link(text)) {
                memcpy(ret + len, text.ptr, text.len);
                len += text.len;
        } else {
                return 0;
        }
        memcpy(ret + len, "\x1b\\", 2);
        return len + 2;
}
