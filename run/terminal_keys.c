#include "run/terminal_keys.h"

#include <string.h>

enum { ESC = 0x1b };

static const struct {
        const char *name, *sends;
        const char *in_application; /* NULL: the same */
} keys[] = {
        { "Enter", "\r", NULL },         { "Return", "\r", NULL },        { "Tab", "\t", NULL },
        { "BTab", "\x1b[Z", NULL },      { "Escape", "\x1b", NULL },      { "Esc", "\x1b", NULL },
        { "Space", " ", NULL },          { "Backspace", "\x7f", NULL },   { "BSpace", "\x7f", NULL },
        { "Up", "\x1b[A", "\x1bOA" },    { "Down", "\x1b[B", "\x1bOB" },  { "Right", "\x1b[C", "\x1bOC" },
        { "Left", "\x1b[D", "\x1bOD" },  { "Home", "\x1b[H", "\x1bOH" },  { "End", "\x1b[F", "\x1bOF" },
        { "Insert", "\x1b[2~", NULL },   { "Delete", "\x1b[3~", NULL },   { "PageUp", "\x1b[5~", NULL },
        { "PPage", "\x1b[5~", NULL },    { "PageDown", "\x1b[6~", NULL }, { "NPage", "\x1b[6~", NULL },
        { "F1", "\x1bOP", NULL },        { "F2", "\x1bOQ", NULL },        { "F3", "\x1bOR", NULL },
        { "F4", "\x1bOS", NULL },        { "F5", "\x1b[15~", NULL },      { "F6", "\x1b[17~", NULL },
        { "F7", "\x1b[18~", NULL },      { "F8", "\x1b[19~", NULL },      { "F9", "\x1b[20~", NULL },
        { "F10", "\x1b[21~", NULL },     { "F11", "\x1b[23~", NULL },     { "F12", "\x1b[24~", NULL },
        { "C-Space", "", NULL }, /* a NUL */
        { "C-Up", "\x1b[1;5A", NULL },   { "C-Down", "\x1b[1;5B", NULL }, { "C-Right", "\x1b[1;5C", NULL },
        { "C-Left", "\x1b[1;5D", NULL },
};

static bool named(const char *name, bool application, struct buf *out) {
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
                const char *sends = application && keys[i].in_application ? keys[i].in_application : keys[i].sends;

                if (!str_eq_nocase(str_z(name), str_z(keys[i].name)))
                        continue;
                if (*sends)
                        buf_append(out, str_z(sends));
                else
                        buf_char(out, 0);
                return true;
        }
        return false;
}

/* From "C-@" to "C-_", and "C-?". */
static bool controlled(const char *name, struct buf *out) {
        char c;

        if (name[0] != 'C' || name[1] != '-' || !name[2] || name[3])
                return false;
        c = name[2];
        if (c >= 'a' && c <= 'z')
                c = (char)(c - ('a' - 'A'));
        if (c == '?')
                buf_char(out, 0x7f);
        else if (c >= '@' && c <= '_')
                buf_char(out, (char)(c - '@'));
        else
                return false;
        return true;
}

static bool character(const char *name, struct buf *out) {
        if (!*name || (unsigned char)*name < ' ' || *name == 0x7f || str_utf8(str_z(name)) != strlen(name))
                return false;
        buf_append(out, str_z(name));
        return true;
}

bool terminal_key(const char *name, bool application_cursor, struct buf *out) {
        bool meta = name[0] == 'M' && name[1] == '-' && name[2];

        if (!meta)
                return named(name, application_cursor, out) || controlled(name, out) || character(name, out);
        if (name[2] == 'M' && name[3] == '-')
                return false;
        buf_char(out, ESC);
        if (terminal_key(name + 2, application_cursor, out)) /* NOLINT(misc-no-recursion): once */
                return true;
        out->len--;
        return false;
}
