/*
 * $name and ${...} with every operator. What bash would call a bad substitution is kept as such: bash finds out only
 * when it expands it, so it is no syntax error.
 */
#include "bash/syntax/parser.h"

static bool is_special_param(int c) {
        return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

static bool starts_name(int c) {
        return c == '_' || (c >= 0 && is_ascii_alpha((unsigned char)c));
}

/* The position moves past a name, a number or one special byte; false when there is none. */
static bool read_name(struct parser *p, bool all_digits) {
        int c = shell_peek(p);

        if (starts_name(c)) {
                while (starts_name(c) || (c >= '0' && c <= '9')) {
                        p->pos++;
                        c = shell_peek(p);
                }
                return true;
        }
        if (c >= '0' && c <= '9') {
                do
                        p->pos++;
                while (all_digits && (c = shell_peek(p)) >= '0' && c <= '9');
                return true;
        }
        if (!is_special_param(c))
                return false;
        p->pos++;
        return true;
}

/* ---- operators ---- */

static const struct {
        char text[4];
        uint8_t op;
        bool colon;
        bool weak;    /* inside double quotes, single quotes in the operand are plain bytes */
        bool pattern; /* two operands, split at the slash */
} param_ops[] = {
        /* longest first among those that share a beginning */
        { ":-", PARAM_DEFAULT, true, true, false },         { ":=", PARAM_ASSIGN, true, true, false },
        { ":?", PARAM_ERROR, true, true, false },           { ":+", PARAM_ALTERNATE, true, true, false },
        { "-", PARAM_DEFAULT, false, true, false },         { "=", PARAM_ASSIGN, false, true, false },
        { "?", PARAM_ERROR, false, true, false },           { "+", PARAM_ALTERNATE, false, true, false },
        { "##", PARAM_PREFIX_LONG, false, false, false },   { "#", PARAM_PREFIX, false, false, false },
        { "%%", PARAM_SUFFIX_LONG, false, false, false },   { "%", PARAM_SUFFIX, false, false, false },
        { "//", PARAM_REPLACE_ALL, false, false, true },    { "/#", PARAM_REPLACE_PREFIX, false, false, true },
        { "/%", PARAM_REPLACE_SUFFIX, false, false, true }, { "/", PARAM_REPLACE, false, false, true },
        { "^^", PARAM_UPPER_ALL, false, false, false },     { "^", PARAM_UPPER, false, false, false },
        { ",,", PARAM_LOWER_ALL, false, false, false },     { ",", PARAM_LOWER, false, false, false },
        { "~~", PARAM_TOGGLE_ALL, false, false, false },    { "~", PARAM_TOGGLE, false, false, false },
};

/* The question marks among literals that grow: each byte is looked at once. */
struct tally {
        const struct part *part; /* the last one counted */
        size_t len;              /* and how much of it */
        unsigned marks;
};

static void tally_marks(struct tally *tally, const struct part *first) {
        size_t from = tally->len;

        for (const struct part *part = tally->part ? tally->part : first; part; part = part->next, from = 0) {
                tally->part = part;
                tally->len = part->kind == PART_LITERAL ? part->text.len : 0;
                for (; from < tally->len; from++)
                        tally->marks += part->text.ptr[from] == '?';
        }
}

/* ${x:offset:length}. A colon that belongs to ?: does not part the two. */
static void substring(struct parser *p, struct param *param) {
        struct part_list parts = { 0 };
        struct tally tally = { 0 };
        uint32_t start = p->pos;

        param->op = PARAM_SUBSTRING;
        param->arg = SHELL_NEW(p, struct word);
        for (unsigned colons = 0;; colons++) {
                shell_parts(p, IN_OFFSET, &parts);
                param->arg->parts = parts.first;
                tally_marks(&tally, parts.first);
                if (shell_peek(p) != ':' || tally.marks <= colons)
                        break;
                shell_literal(p, &parts, p->pos, p->pos + 1);
                p->pos++;
        }
        param->arg->range = shell_range(p, start, p->pos);
        if (shell_peek(p) == ':') {
                p->pos++;
                param->arg2 = shell_word(p, IN_BRACE_DOUBLE);
        }
}

static void replacement(struct parser *p, struct param *param) {
        struct part_list parts = { 0 };
        uint32_t start = p->pos;

        param->arg = SHELL_NEW(p, struct word);
        shell_parts(p, IN_PATTERN, &parts);
        param->arg->parts = parts.first;
        param->arg->range = shell_range(p, start, p->pos);
        if (shell_peek(p) != '/')
                return;
        p->pos++;
        param->arg2 = shell_word(p, IN_BRACE);
}

static bool param_operator(struct parser *p, struct param *param) {
        if (shell_peek(p) == '@') {
                int letter = shell_peek_after(p, p->pos);

                if (letter == END_OF_INPUT || !strchr("QEPAaKkUuL", letter))
                        return false;
                p->pos = shell_joined(p, p->pos + 1) + 1;
                param->op = PARAM_TRANSFORM;
                param->transform = (char)letter;
                return true;
        }
        for (size_t i = 0; i < sizeof(param_ops) / sizeof(*param_ops); i++) {
                if (!shell_operator(p, param_ops[i].text))
                        continue;
                param->op = param_ops[i].op;
                param->colon = param_ops[i].colon;
                if (param_ops[i].pattern)
                        replacement(p, param);
                else
                        param->arg = shell_word(p, param_ops[i].weak && param->in_double ? IN_BRACE_DOUBLE : IN_BRACE);
                return true;
        }
        if (shell_peek(p) != ':')
                return false;
        p->pos++;
        substring(p, param);
        return true;
}

/* ---- ${...} ---- */

/* ${#x} is a length, ${#} and ${#-x} speak of $#. */
static bool is_length(struct parser *p) {
        int next = shell_peek_after(p, p->pos);
        uint32_t after = shell_joined(p, shell_joined(p, p->pos) + 1);

        if (starts_name(next) || (next >= '0' && next <= '9'))
                return true;
        return is_special_param(next) && shell_peek_after(p, after) == '}';
}

static bool is_indirect(struct parser *p) {
        int next = shell_peek_after(p, p->pos);

        return starts_name(next) || (next >= '0' && next <= '9') || next == '#' || next == '?' || next == '@' || next == '*';
}

static bool index_part(struct parser *p, struct param *param) {
        uint32_t start = p->pos;

        p->pos++;
        shell_enter(p);
        p->attempts++; /* without its bracket, all of it is read again as a bad substitution */
        param->index = shell_word(p, IN_BRACE_BRACKET);
        p->attempts--;
        shell_leave(p);
        if (shell_peek(p) != ']') {
                p->pos = start;
                return false;
        }
        p->pos++;
        return true;
}

/* What stands between the braces, if it has a meaning; the position then is at the closing one. */
static bool param_inside(struct parser *p, struct param *param) {
        uint32_t start;

        if (shell_peek(p) == '#' && is_length(p)) {
                param->length = true;
                p->pos++;
        } else if (shell_peek(p) == '!' && is_indirect(p)) {
                param->indirect = true;
                p->pos++;
        }
        start = shell_joined(p, p->pos);
        if (!read_name(p, true))
                return false;
        param->name = shell_text(p, start, p->pos);
        if (starts_name((unsigned char)param->name.ptr[0]) && shell_peek(p) == '[' && !index_part(p, param))
                return false;
        if (shell_peek(p) == '}')
                return true;
        if (param->length)
                return false;
        if (param->indirect && (shell_peek(p) == '@' || shell_peek(p) == '*') && shell_peek_after(p, p->pos) == '}') {
                param->op = PARAM_NAMES;
                param->transform = (char)shell_peek(p);
                p->pos++;
                return true;
        }
        return param_operator(p, param) && (shell_peek(p) == '}' || shell_peek(p) == END_OF_INPUT);
}

static void braced(struct parser *p, enum context context, struct part_list *out, uint32_t start) {
        uint32_t inside = shell_joined(p, shell_joined(p, p->pos) + 1);
        bool in_double = shell_in_double(context);
        struct param *param;
        struct part *part;

        if (shell_memo_use(p, start, in_double, out))
                return;
        param = SHELL_NEW(p, struct param);
        p->pos = inside;
        param->braced = true;
        param->in_double = in_double;
        shell_enter(p);
        if (!param_inside(p, param)) {
                *param = (struct param){ .op = PARAM_BAD, .braced = true, .in_double = in_double };
                p->pos = inside;
                param->arg = shell_word(p, in_double ? IN_BRACE_DOUBLE : IN_BRACE);
        }
        shell_leave(p);
        if (shell_peek(p) != '}')
                shell_unclosed(p, start, "${", "}");
        p->pos++;
        part = shell_part(p, out, PART_PARAM, STYLE_PLAIN, start);
        part->param = param;
        shell_memo_keep(p, start, in_double, part);
}

void shell_param(struct parser *p, enum context context, struct part_list *out, uint32_t start) {
        struct param *param;
        uint32_t name;

        if (shell_peek(p) == '{') {
                braced(p, context, out, start);
                return;
        }
        name = shell_joined(p, p->pos);
        if (!read_name(p, false)) { /* a dollar that begins nothing */
                shell_literal(p, out, start, start + 1);
                p->pos = start + 1;
                return;
        }
        param = SHELL_NEW(p, struct param);
        param->name = shell_text(p, name, p->pos);
        param->in_double = shell_in_double(context);
        shell_part(p, out, PART_PARAM, STYLE_PLAIN, start)->param = param;
}

/* ---- $ ---- */

static void arith_brackets(struct parser *p, struct part_list *out, uint32_t start) {
        struct part_list inside = { 0 };

        p->pos++;
        shell_enter(p);
        shell_parts(p, IN_BRACKET, &inside);
        shell_leave(p);
        if (shell_peek(p) != ']')
                shell_unclosed(p, start, "$[", "]");
        p->pos++;
        shell_part(p, out, PART_ARITH, STYLE_BRACKET, start)->parts = inside.first;
}

void shell_dollar(struct parser *p, enum context context, struct part_list *out) {
        uint32_t start = p->pos;
        bool quotes = context != IN_DOUBLE && context != IN_HEREDOC;
        int next = shell_peek_after(p, start);

        p->pos = shell_joined(p, start + 1);
        if (next == '(' && shell_peek_after(p, p->pos) == '(') {
                shell_arith_dollar(p, out, start);
        } else if (next == '(') {
                p->pos = start;
                shell_substitution(p, out, STYLE_PLAIN);
        } else if (next == '[') {
                arith_brackets(p, out, start);
        } else if (next == '\'' && quotes) {
                shell_ansi_quoted(p, out, start, shell_in_double(context));
        } else if (next == '"' && quotes) {
                shell_double_quoted(p, out, start, STYLE_LOCALE);
        } else {
                shell_param(p, context, out, start);
        }
}
