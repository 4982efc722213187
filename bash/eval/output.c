/*
 * What commands print, where that can be worked out from their arguments and input. To teach it another command, add a row.
 */
#include "bash/eval/interp.h"

void output_unknown(struct walk *w) {
        struct builder *out = w->output;

        if (!out || (out->last && out->last->kind == PIECE_UNKNOWN && out->last->because == UNKNOWN_OUTPUT && !out->last->part))
                return;
        builder_unknown(out, UNKNOWN_OUTPUT, STR(""), false);
}

bool output_input(struct walk *w, struct str *ret) {
        return w->input && value_known(w->input->value, ret) && !w->input->consumed;
}

/* ---- escapes ---- */

static int digit(int c, int base) {
        int value = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;

        return value < base ? value : -1;
}

/* Up to `most` digits at *pos. */
static size_t read_digits(struct str text, size_t *pos, int base, size_t most, uint32_t *ret) {
        size_t n = 0;

        for (*ret = 0; n < most && *pos < text.len && digit(text.ptr[*pos], base) >= 0; n++)
                *ret = *ret * (uint32_t)base + (uint32_t)digit(text.ptr[(*pos)++], base);
        return n;
}

static enum escape escape_octal(struct str text, size_t *pos, enum escape_mode mode, struct builder *out) {
        uint32_t value;

        if (mode == ESCAPE_ECHO && text.ptr[*pos] != '0') {
                builder_char(out, '\\', false);
                return ESCAPE_DONE; /* the digit is plain */
        }
        if (text.ptr[*pos] == '0' && (mode == ESCAPE_ECHO || mode == ESCAPE_PERCENT_B))
                ++*pos; /* one more than the usual three */
        read_digits(text, pos, 8, 3, &value);
        builder_char(out, (char)(value & 0xff), false);
        return ESCAPE_DONE;
}

static enum escape escape_hex(struct str text, size_t *pos, char kind, enum escape_mode mode, struct builder *out) {
        size_t start = *pos;
        uint32_t value;

        if (mode == ESCAPE_ANSI && kind == 'x' && start + 1 < text.len && text.ptr[start + 1] == '{')
                return ESCAPE_UNKNOWN;
        ++*pos;
        if (!read_digits(text, pos, 16, kind == 'x' ? 2 : kind == 'u' ? 4 : 8, &value)) {
                *pos = start;
                builder_char(out, '\\', false);
                return ESCAPE_DONE;
        }
        if (kind != 'x' && value >= 0x80)
                return ESCAPE_UNKNOWN; /* the locale knows its bytes */
        builder_char(out, (char)value, false);
        return ESCAPE_DONE;
}

enum escape output_escape(struct str text, size_t *pos, enum escape_mode mode, struct builder *out) {
        static const char from[] = "abefnrtvE\\", to[] = "\a\b\x1b\f\n\r\t\v\x1b\\";
        const char *simple;
        char c;

        if (++*pos >= text.len) {
                builder_char(out, '\\', false);
                return ESCAPE_DONE;
        }
        c = text.ptr[*pos];
        simple = c ? strchr(from, c) : NULL;
        if (simple) {
                ++*pos;
                builder_char(out, to[simple - from], false);
                return ESCAPE_DONE;
        }
        if (c >= '0' && c <= '7')
                return escape_octal(text, pos, mode, out);
        if (c == 'x' || c == 'u' || c == 'U')
                return escape_hex(text, pos, c, mode, out);
        if (c == 'c' && (mode == ESCAPE_ECHO || mode == ESCAPE_PERCENT_B))
                return ESCAPE_STOP;
        if (c == 'c' && mode == ESCAPE_ANSI)
                return ESCAPE_UNKNOWN;
        if ((c != '"' && c != '\'' && c != '?') || mode == ESCAPE_ECHO || mode == ESCAPE_PERCENT_B)
                builder_char(out, '\\', false);
        builder_char(out, c, false);
        ++*pos;
        return ESCAPE_DONE;
}

enum escape output_escapes(struct str text, enum escape_mode mode, struct builder *out) {
        enum escape result = ESCAPE_DONE;
        size_t pos = 0;

        while (pos < text.len && result == ESCAPE_DONE) {
                struct str rest = str_skip(text, pos);
                size_t plain = str_find(rest, '\\');

                builder_text(out, str_take(rest, plain), false);
                pos += plain;
                if (pos < text.len)
                        result = output_escape(text, &pos, mode, out);
        }
        return result;
}

/* ---- echo, cat and other small ones ---- */

static bool echo_options(struct str word, bool *newline, bool *escapes) {
        bool n = *newline, e = *escapes;

        if (word.len < 2 || word.ptr[0] != '-')
                return false;
        for (size_t i = 1; i < word.len; i++) {
                if (!word.ptr[i] || !strchr("neE", word.ptr[i]))
                        return false;
                n = n && word.ptr[i] != 'n';
                e = word.ptr[i] == 'e' || (e && word.ptr[i] != 'E');
        }
        *newline = n;
        *escapes = e;
        return true;
}

static bool has_backslash(struct value value) {
        for (const struct piece *p = value.pieces; p; p = p->next)
                if (p->kind != PIECE_TEXT || str_find(p->text, '\\') < p->text.len)
                        return true;
        return false;
}

static bool output_echo(struct walk *w, const struct simple *s, struct builder *out) {
        bool newline = true, escapes = false;
        struct str word;
        size_t first = 1;

        if (walk_option(w, "xpg_echo", false) != TRUTH_NO)
                return false;
        while (simple_word(s, first, &word) && echo_options(word, &newline, &escapes))
                first++;
        for (size_t i = first; i < s->argc; i++) {
                struct value value = field_value(&w->budget, &s->argv[i]);
                enum escape escape = ESCAPE_DONE;

                if (i > first)
                        builder_text(out, STR(" "), false);
                if (escapes && value_known(value, &word))
                        escape = output_escapes(word, ESCAPE_ECHO, out);
                else if (escapes && has_backslash(value))
                        builder_value(out, param_unknown(w, value), false);
                else
                        builder_value(out, value, false);
                if (escape == ESCAPE_STOP)
                        return true;
                if (escape == ESCAPE_UNKNOWN)
                        builder_unknown(out, UNKNOWN_LOCALE, STR(""), false);
        }
        if (newline)
                builder_text(out, STR("\n"), false);
        return true;
}

static bool output_printf_command(struct walk *w, const struct simple *s, struct builder *out) {
        struct str word;

        output_printf(w, s, simple_word(s, 1, &word) && str_is(word, "--") ? 2 : 1, out);
        return true;
}

static bool output_files(struct walk *w, const struct simple *s, struct builder *out) {
        struct value content;
        struct str word;

        for (size_t i = 1; i < s->argc; i++) {
                if (!simple_word(s, i, &word) || !walk_file(w, word, &content))
                        return false;
                builder_value(out, content, false);
        }
        return true;
}

/* cat: what it is given, or the files that the script itself has written. */
static bool output_cat(struct walk *w, const struct simple *s, struct builder *out) {
        struct str word;

        if (s->argc > 1 && !(s->argc == 2 && simple_word(s, 1, &word) && str_is(word, "-")))
                return output_files(w, s, out);

        if (s->argc > 2 || (s->argc == 2 && !(simple_word(s, 1, &word) && str_is(word, "-"))) || !w->input ||
            w->input->consumed)
                return false;
        builder_value(out, w->input->value, false);
        return true;
}

static bool output_nothing(struct walk *w, const struct simple *s, struct builder *out) {
        (void)w;
        (void)s;
        (void)out;
        return true;
}

/* which rm, command -v rm: somewhere, and then the name. */
static bool output_which(struct walk *w, const struct simple *s, struct builder *out) {
        struct str name;

        (void)w;
        if (!simple_word(s, s->argc - 1, &name) || s->argc < 2 || s->argc > 3 || name.len == 0 || name.ptr[0] == '-')
                return false;
        builder_unknown(out, UNKNOWN_OUTPUT, STR(""), false);
        builder_text(out, STR("/"), false);
        builder_text(out, name, false);
        builder_text(out, STR("\n"), false);
        return true;
}

static bool output_command_v(struct walk *w, const struct simple *s, struct builder *out) {
        struct str word;

        return simple_word(s, 1, &word) && str_is(word, "-v") && output_which(w, s, out);
}

static bool output_pwd(struct walk *w, const struct simple *s, struct builder *out) {
        bool unset;

        if (s->argc != 1)
                return false;
        builder_value(out, walk_scalar(w, STR("PWD"), &unset), false);
        builder_text(out, STR("\n"), false);
        return !unset;
}

static bool output_basename(struct walk *w, const struct simple *s, struct builder *out) {
        struct str path, suffix = STR("");
        size_t start;

        (void)w;
        if (!simple_word(s, 1, &path) || (s->argc == 3 && !simple_word(s, 2, &suffix)) || s->argc > 3 || !path.len ||
            path.ptr[0] == '-')
                return false;
        while (path.len > 1 && path.ptr[path.len - 1] == '/')
                path.len--;
        for (start = path.len; start && path.ptr[start - 1] != '/';)
                start--;
        if (start < path.len)
                path = str_skip(path, start);
        if (str_ends(path, suffix) && suffix.len < path.len)
                path.len -= suffix.len;
        builder_text(out, path, false);
        builder_text(out, STR("\n"), false);
        return true;
}

static bool output_dirname(struct walk *w, const struct simple *s, struct builder *out) {
        struct str path;

        (void)w;
        if (s->argc != 2 || !simple_word(s, 1, &path) || !path.len || path.ptr[0] == '-')
                return false;
        while (path.len > 1 && path.ptr[path.len - 1] == '/')
                path.len--;
        while (path.len && path.ptr[path.len - 1] != '/')
                path.len--;
        while (path.len > 1 && path.ptr[path.len - 1] == '/')
                path.len--;
        builder_text(out, path.len ? path : STR("."), false);
        builder_text(out, STR("\n"), false);
        return true;
}

/* Whatever else it writes to. */
static bool output_tee(struct walk *w, const struct simple *s, struct builder *out) {
        struct str input;

        (void)s;
        if (!output_input(w, &input))
                return false;
        builder_text(out, input, false);
        return true;
}

/* ---- the table ---- */

static const struct {
        char name[12];
        output_fn *print;
} commands[] = {
        /* clang-format off */
        { ":", output_nothing },         { "base64", output_base64 },
        { "basename", output_basename }, { "builtin", output_command_v },
        { "cat", output_cat },           { "command", output_command_v },
        { "cut", output_cut },           { "dirname", output_dirname },
        { "echo", output_echo },         { "head", output_head },
        { "printf", output_printf_command }, { "pwd", output_pwd },
        { "rev", output_rev },           { "sleep", output_nothing },
        { "tac", output_tac },           { "tail", output_tail },
        { "tee", output_tee },
        { "tr", output_tr },             { "true", output_nothing },
        { "which", output_which },       { "xxd", output_xxd },
        /* clang-format on */
};

/* The name without its directory: /bin/echo prints what echo prints. */
static struct str base_name(struct str path) {
        for (size_t i = path.len; i > 0; i--)
                if (path.ptr[i - 1] == '/')
                        return str_skip(path, i);
        return path;
}

void output_command(struct walk *w, const struct simple *s) {
        struct builder_mark mark;
        struct str name;

        if (!w->output)
                return;
        mark = builder_mark(w->output);
        for (size_t i = 0; simple_word(s, 0, &name) && i < sizeof(commands) / sizeof(*commands); i++) {
                if (!str_is(base_name(name), commands[i].name))
                        continue;
                if (commands[i].print(w, s, w->output))
                        return;
                builder_rewind(w->output, mark);
                break;
        }
        output_unknown(w);
}
