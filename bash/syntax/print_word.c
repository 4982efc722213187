#include "bash/syntax/printer.h"
#include "bash/syntax/visit.h"

/* ---- text ---- */

/* The first byte a part is printed with inside double quotes; -1 for none. */
static int part_first_byte(const struct part *part) {
        if (!part)
                return -1;
        if (part->kind == PART_LITERAL)
                return part->text.len ? (unsigned char)part->text.ptr[0] : -1;
        if (part->kind == PART_QUOTED)
                return '\\';
        return part->kind == PART_COMMAND && part->style == STYLE_BACKTICK ? '`' : '$';
}

/* Whether `c`, before `next` (-1: the end), would mean more than itself inside double quotes or a heredoc. */
static bool double_special(char c, int next, enum quoting quoting) {
        switch (c) {
        case '`':
                return true;
        case '"':
                return quoting == QUOTING_DOUBLE;
        case '\\':
                return next == '$' || next == '`' || next == '\\' || next == '\n' ||
                       ((next == '"' || next == -1) && quoting == QUOTING_DOUBLE);
        case '$':
                return next > 0 && (is_ascii_alnum((unsigned char)next) || strchr("_{([@*#?-$!", next));
        default:
                return false;
        }
}

static void print_double_literal(struct printer *p, struct str text, int after, enum quoting quoting) {
        for (size_t i = 0; i < text.len; i++) {
                int next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : after;

                if (double_special(text.ptr[i], next, quoting))
                        buf_char(p->out, '\\');
                buf_char(p->out, text.ptr[i]);
        }
}

static void print_literal(struct printer *p, const struct part *part, enum quoting quoting) {
        if (quoting == QUOTING_NONE)
                buf_append(p->out, part->text);
        else
                print_double_literal(p, part->text, part_first_byte(part->next), quoting);
}

/* A backslash joins lines before a newline, and within a character it would tear that apart. */
static void print_backslashed(struct printer *p, struct str text, enum quoting quoting) {
        size_t step;

        for (; text.len; text = str_skip(text, step)) {
                step = str_utf8(text);
                step = step ? step : 1;
                if (text.ptr[0] == '\n') {
                        print_text(p, quoting == QUOTING_NONE ? "'\n'" : "\n");
                        continue;
                }
                buf_char(p->out, '\\');
                buf_append(p->out, str_take(text, step));
        }
}

static void print_single(struct printer *p, struct str text, enum quoting quoting) {
        size_t run;

        (void)quoting;
        buf_char(p->out, '\'');
        while ((run = str_find(text, '\'')) < text.len) {
                buf_append(p->out, str_take(text, run));
                print_text(p, "'\\''");
                text = str_skip(text, run + 1);
        }
        buf_append(p->out, text);
        buf_char(p->out, '\'');
}

static char ansi_letter(char c) {
        static const char letters[] = {
                ['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  ['\v'] = 'v',
                ['\f'] = 'f', ['\r'] = 'r', [27] = 'e',   ['\''] = '\'', ['\\'] = '\\',
        };

        return (unsigned char)c < sizeof(letters) ? letters[(unsigned char)c] : '\0';
}

static void print_ansi(struct printer *p, struct str text, enum quoting quoting) {
        size_t step;

        (void)quoting;
        print_text(p, "$'");
        for (; text.len; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];
                char letter = ansi_letter((char)c);

                step = str_utf8(text);
                if (letter)
                        buf_format(p->out, "\\%c", letter);
                else if (step == 0 || c < ' ' || c == 127)
                        buf_format(p->out, "\\x%02x", c);
                else
                        buf_append(p->out, str_take(text, step));
                step = step ? step : 1;
        }
        buf_char(p->out, '\'');
}

static void print_quoted(struct printer *p, const struct part *part, enum quoting quoting) {
        static void (*const styles[])(struct printer *, struct str, enum quoting) = {
                [STYLE_PLAIN] = print_single,
                [STYLE_BACKSLASH] = print_backslashed,
                [STYLE_SINGLE] = print_single,
                [STYLE_ANSI] = print_ansi,
        };

        styles[quoting == QUOTING_NONE ? part->style : STYLE_BACKSLASH](p, part->text, quoting);
}

/* ---- substitutions ---- */

/* Takes away one level of the escapes that stand inside backticks. */
static void backticks_unescape(struct buf *text) {
        size_t len = 0;

        for (size_t i = 0; i < text->len; i++) {
                if (text->ptr[i] == '\\' && i + 1 < text->len && strchr("$`\\", text->ptr[i + 1]))
                        i++;
                text->ptr[len++] = text->ptr[i];
        }
        text->len = len;
}

void print_source(struct printer *p, struct range range) {
        size_t end = range.end < p->source.len ? range.end : p->source.len;
        BUF_AUTO text;

        buf_init(&text, p->out->max);
        if (range.start < end)
                buf_append(&text, str_from(p->source.ptr + range.start, end - range.start));
        for (unsigned i = 0; i < p->backticks; i++)
                backticks_unescape(&text);
        buf_append(p->out, buf_str(&text));
        p->out->failed |= text.failed;
}

static void print_backticks(struct printer *p, const struct part *part) {
        struct printer inner;
        BUF_AUTO text;

        buf_init(&text, p->out->max);
        print_init(&inner, p, &text);
        inner.backticks++;
        print_list(&inner, part->body);
        print_finish(&inner);
        if (!inner.open && text.len > 0 && text.ptr[text.len - 1] == '\n') /* a delimiter's: the end ends it as well */
                text.len--;
        buf_char(p->out, '`');
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : '\\';

                if (c == '`' || (c == '\\' && next && strchr("$`\\\"\n", next)))
                        buf_char(p->out, '\\');
                buf_char(p->out, c);
        }
        buf_char(p->out, '`');
        p->out->failed |= text.failed;
}

static void print_substitution(struct printer *p, const struct part *part, enum quoting quoting) {
        struct printer inner;

        (void)quoting;
        if (part->soft_error) {
                print_source(p, part->range); /* the tree has only what precedes the error */
                return;
        }
        if (part->style == STYLE_BACKTICK) {
                print_backticks(p, part);
                return;
        }
        print_text(p, part->style == STYLE_INPUT ? "<(" : part->style == STYLE_OUTPUT ? ">(" : "$(");
        print_init(&inner, p, p->out);
        inner.closed = true;
        print_nested(&inner, part->body);
        print_finish(&inner);
        buf_char(p->out, ')');
}

/* ---- the other parts ---- */

static void print_double(struct printer *p, const struct part *part, enum quoting quoting) {
        (void)quoting;
        print_text(p, part->style == STYLE_LOCALE ? "$\"" : "\"");
        print_parts(p, part->parts, QUOTING_DOUBLE);
        buf_char(p->out, '"');
}

static void print_param_part(struct printer *p, const struct part *part, enum quoting quoting) {
        (void)quoting;
        print_param(p, part->param);
}

static void print_arith_part(struct printer *p, const struct part *part, enum quoting quoting) {
        bool bracket = part->style == STYLE_BRACKET;

        (void)quoting;
        print_text(p, bracket ? "$[" : "$((");
        print_parts(p, part->parts, QUOTING_NONE);
        print_text(p, bracket ? "]" : "))");
}

static void print_extglob(struct printer *p, const struct part *part, enum quoting quoting) {
        buf_char(p->out, part->glob);
        buf_char(p->out, '(');
        print_parts(p, part->parts, quoting);
        buf_char(p->out, ')');
}

void print_parts(struct printer *p, const struct part *parts, enum quoting quoting) {
        static void (*const printers[])(struct printer *, const struct part *, enum quoting) = {
                [PART_LITERAL] = print_literal,  [PART_QUOTED] = print_quoted,        [PART_DOUBLE] = print_double,
                [PART_PARAM] = print_param_part, [PART_COMMAND] = print_substitution, [PART_ARITH] = print_arith_part,
                [PART_EXTGLOB] = print_extglob,
        };

        for (; parts; parts = parts->next)
                printers[parts->kind](p, parts, quoting);
}

void print_word(struct printer *p, const struct word *word) {
        print_parts(p, word->parts, QUOTING_NONE);
}

void print_words(struct printer *p, const struct word *words, const char *separator) {
        for (; words; words = words->next) {
                print_word(p, words);
                if (words->next)
                        print_text(p, separator);
        }
}

/* `${x:-1}` is not `${x: -1}`. */
static bool offset_needs_space(const struct word *offset) {
        const struct part *first = offset ? offset->parts : NULL;

        return first && first->kind == PART_LITERAL && first->text.len && first->text.ptr[0] &&
               strchr("-+=?", first->text.ptr[0]);
}

static void print_operand(struct printer *p, const struct param *param) {
        if (param->colon && param->op != PARAM_SUBSTRING)
                buf_char(p->out, ':');
        print_text(p, shell_param_text(param->op));
        if (param->transform)
                buf_char(p->out, param->transform);
        if (param->op == PARAM_SUBSTRING && offset_needs_space(param->arg))
                buf_char(p->out, ' ');
        if (param->arg)
                print_word(p, param->arg);
        if (param->arg2) {
                buf_char(p->out, param->op == PARAM_SUBSTRING ? ':' : '/');
                print_word(p, param->arg2);
        }
}

void print_param(struct printer *p, const struct param *param) {
        if (!param->braced) {
                buf_char(p->out, '$');
                buf_append(p->out, param->name);
                return;
        }
        print_text(p, "${");
        if (param->op != PARAM_BAD) {
                if (param->length)
                        buf_char(p->out, '#');
                if (param->indirect || param->op == PARAM_NAMES)
                        buf_char(p->out, '!');
                buf_append(p->out, param->name);
                if (param->index) {
                        buf_char(p->out, '[');
                        print_word(p, param->index);
                        buf_char(p->out, ']');
                }
        }
        print_operand(p, param);
        buf_char(p->out, '}');
}
