/*
 * A recursive descent over the operators of bash's expr.c. Side effects go to the host; behind a condition that is unknown they
 * are announced as possible, behind one that is false they are not made.
 */
#include "bash/eval/arith.h"

enum { ARITH_MAX_DEPTH = 128 };

/* How much of what is read is also done. */
enum doing { DOING_ALL, DOING_MAYBE, DOING_NOTHING };

struct arith {
        struct budget *budget;
        const struct arith_host *host;
        struct str text;
        size_t pos;
        unsigned depth;
        enum doing doing;
        bool failed;
};

typedef struct arith_result result;

static result parse_comma(struct arith *a);
static result parse_assignment(struct arith *a);
static result parse_unary(struct arith *a);
static result evaluate(struct budget *budget, struct str text, const struct arith_host *host, unsigned depth, enum doing doing);

static result known(int64_t value) {
        return (result){ ARITH_KNOWN, value };
}

static result not_known(void) {
        return (result){ ARITH_UNKNOWN, 0 };
}

static result fail(struct arith *a) {
        a->failed = true;
        return (result){ ARITH_ERROR, 0 };
}

/* ---- tokens ---- */

static int peek_at(const struct arith *a, size_t pos) {
        return pos < a->text.len ? (unsigned char)a->text.ptr[pos] : -1;
}

static int peek(struct arith *a) {
        int c;

        while ((c = peek_at(a, a->pos)) == ' ' || c == '\t' || c == '\n')
                a->pos++;
        return c;
}

static bool is_word_byte(int c) {
        return c >= 0 && (is_ascii_alnum((unsigned char)c) || c == '_' || c == ARITH_UNKNOWN_BYTE);
}

/* Longest first. */
enum { LEVEL_POWER = 11, LEVEL_OR = 1, LEVEL_AND = 2, ASSIGNS = 100 };

static const struct operator{
        char text[4];
        char op;
        uint8_t level;
}
operators[] = {
        { "<<=", '<', ASSIGNS }, { ">>=", '>', ASSIGNS },  { "**", 'p', LEVEL_POWER },
        { "||", 'o', LEVEL_OR }, { "&&", 'a', LEVEL_AND }, { "==", '=', 6 },
        { "!=", '!', 6 },        { "<=", 'l', 7 },         { ">=", 'g', 7 },
        { "<<", '<', 8 },        { ">>", '>', 8 },         { "+=", '+', ASSIGNS },
        { "-=", '-', ASSIGNS },  { "*=", '*', ASSIGNS },   { "/=", '/', ASSIGNS },
        { "%=", '%', ASSIGNS },  { "&=", '&', ASSIGNS },   { "^=", '^', ASSIGNS },
        { "|=", '|', ASSIGNS },  { "|", '|', 3 },          { "^", '^', 4 },
        { "&", '&', 5 },         { "<", 'L', 7 },          { ">", 'G', 7 },
        { "+", '+', 9 },         { "-", '-', 9 },          { "*", '*', 10 },
        { "/", '/', 10 },        { "%", '%', 10 },         { "=", '=', ASSIGNS },
};

/* ++x and --x are one token, even where a sign and a sign would make sense. */
static bool is_prefix_step(const struct arith *a, size_t pos) {
        int c = peek_at(a, pos);

        if ((c != '+' && c != '-') || peek_at(a, pos + 1) != c)
                return false;
        for (pos += 2; (c = peek_at(a, pos)) == ' ' || c == '\t' || c == '\n';)
                pos++;
        return is_word_byte(c) && !is_ascii_digit((unsigned char)c);
}

static const struct operator* peek_operator(struct arith *a) {
        struct str rest;

        peek(a);
        if (is_prefix_step(a, a->pos))
                return NULL;
        rest = str_skip(a->text, a->pos);
        for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
                if (str_starts(rest, str_z(operators[i].text)))
                        return &operators[i];
        return NULL;
}

/* ---- numbers ---- */

/* The position is at its first digit. */
static result read_number(struct arith *a) {
        size_t start = a->pos;
        struct str text;
        result number;

        while (is_word_byte(peek_at(a, a->pos)) || peek_at(a, a->pos) == '#' || peek_at(a, a->pos) == '@')
                a->pos++;
        text = str_from(a->text.ptr + start, a->pos - start);
        if (str_find(text, ARITH_UNKNOWN_BYTE) < text.len)
                return not_known();
        number = arith_number(text);
        return number.state == ARITH_ERROR ? fail(a) : number;
}

/* ---- variables ---- */

/* An identifier, with the subscript if there is one. The position is behind it. */
static bool read_name(struct arith *a, struct arith_name *name) {
        size_t start = a->pos;
        unsigned open = 0;

        while (is_word_byte(peek_at(a, a->pos)))
                a->pos++;
        *name = (struct arith_name){ .name = str_from(a->text.ptr + start, a->pos - start) };
        if (peek_at(a, a->pos) != '[')
                return true;
        start = a->pos + 1;
        for (; a->pos < a->text.len; a->pos++) {
                open += a->text.ptr[a->pos] == '[';
                if (a->text.ptr[a->pos] == ']' && --open == 0) {
                        name->subscript = str_from(a->text.ptr + start, a->pos - start);
                        name->has_subscript = true;
                        a->pos++;
                        return true;
                }
        }
        fail(a);
        return false;
}

static result read_variable(struct arith *a, const struct arith_name *name) {
        struct str text = STR("");
        enum arith_state state;
        result value;

        if (a->doing == DOING_NOTHING)
                return known(0);
        if (str_find(name->name, ARITH_UNKNOWN_BYTE) < name->name.len)
                return not_known();
        state = a->host->read(a->host->context, name, &text);
        if (state != ARITH_KNOWN)
                return state == ARITH_ERROR ? fail(a) : not_known();
        value = evaluate(a->budget, text, a->host, a->depth + 1, a->doing);
        if (value.state == ARITH_ERROR)
                a->failed = true;
        return value;
}

/* bash looks one token ahead before it assigns, and stops at a byte that begins none. */
static void check_ahead(struct arith *a) {
        const struct operator* operator= peek_operator(a);
        int c = peek(a);

        if ((operator&& operator->level == ASSIGNS) || (c >= 0 && !is_word_byte(c) && !strchr("+-*/%!()&|^~?:,<>=", c)))
                fail(a);
}

static void assign(struct arith *a, const struct arith_name *name, result value) {
        check_ahead(a);
        if (a->doing != DOING_NOTHING && str_find(name->name, ARITH_UNKNOWN_BYTE) == name->name.len && !a->failed)
                a->host->write(a->host->context, name, value, a->doing == DOING_MAYBE);
}

/* ---- operators ---- */

static result apply(struct arith *a, char op, result left, result right) {
        result value = arith_apply(op, left, right);

        if (value.state != ARITH_ERROR || a->failed)
                return value;
        return a->doing == DOING_ALL ? fail(a) : not_known(); /* 0 && 1/0 is no error */
}

static result binary(struct arith *a, unsigned level);

/* The right side of && or ||: done, perhaps done, or only read. */
static result right_side(struct arith *a, char op, unsigned level, result left) {
        enum doing before = a->doing;
        bool decides = left.state == ARITH_KNOWN && (left.value != 0) == (op == 'o');
        result right;

        if (decides)
                a->doing = DOING_NOTHING;
        else if (left.state != ARITH_KNOWN && before == DOING_ALL)
                a->doing = DOING_MAYBE;
        right = binary(a, level + 1);
        a->doing = before;
        if (decides || a->failed)
                return a->failed ? right : known(op == 'o');
        if (right.state != ARITH_KNOWN)
                return right;
        if (left.state != ARITH_KNOWN) /* x && 0 is 0, x || 1 is 1, whatever x is */
                return (right.value != 0) == (op == 'o') ? known(op == 'o') : not_known();
        return known(right.value != 0);
}

/* Operands, and the operators between them that bind at least as tightly as `level`. */
static result binary(struct arith *a, unsigned level) {
        result left = parse_unary(a), right;

        for (;;) {
                const struct operator* operator= peek_operator(a);

                if (a->failed || !operator|| operator->level<level || operator->level == ASSIGNS || !budget_spend(a->budget, 1))
                        return left;
                a->pos += strlen(operator->text);
                if (operator->level <= LEVEL_AND) {
                        left = right_side(a, operator->op, operator->level, left);
                        continue;
                }
                right = binary(a, operator->level +(operator->level != LEVEL_POWER)); /* ** binds to the right */
                left = apply(a, operator->op, left, right);
        }
}

/* ---- unary ones and operands ---- */

static result step(struct arith *a, const struct arith_name *name, int by, bool before) {
        result old = read_variable(a, name), new = apply(a, '+', old, known(by));

        assign(a, name, new);
        return before ? new : old;
}

/* ++x and --x; otherwise two signs. */
static bool prefix_step(struct arith *a, result *ret) {
        int c = peek(a);
        struct arith_name name;

        if (!is_prefix_step(a, a->pos))
                return false;
        a->pos += 2;
        peek(a);
        if (read_name(a, &name))
                *ret = step(a, &name, c == '+' ? 1 : -1, true);
        else
                *ret = fail(a);
        return true;
}

static result parse_operand(struct arith *a) {
        int c = peek(a);
        struct arith_name name;
        result value;

        if (c == '(') {
                a->pos++;
                value = parse_comma(a);
                if (peek(a) != ')')
                        return fail(a);
                a->pos++;
                return value;
        }
        if (c >= '0' && c <= '9')
                return read_number(a);
        if (!is_word_byte(c) || !read_name(a, &name))
                return fail(a);
        if (str_find(name.name, ARITH_UNKNOWN_BYTE) < name.name.len)
                return not_known();
        c = peek(a);
        if ((c == '+' || c == '-') && peek_at(a, a->pos + 1) == c) {
                a->pos += 2;
                return step(a, &name, c == '+' ? 1 : -1, false);
        }
        return read_variable(a, &name);
}

static result parse_unary(struct arith *a) {
        result value;
        int c = peek(a);

        if (a->failed || ++a->depth > ARITH_MAX_DEPTH || !budget_spend(a->budget, 1))
                return fail(a);
        if (prefix_step(a, &value)) {
                a->depth--;
                return value;
        }
        if (c == '!' || c == '~' || c == '+' || c == '-') {
                a->pos++;
                value = parse_unary(a);
                if (value.state == ARITH_KNOWN)
                        value.value = c == '!'   ? !value.value
                                      : c == '~' ? ~value.value
                                      : c == '-' ? (int64_t) - (uint64_t)value.value
                                                 : value.value;
        } else {
                value = parse_operand(a);
        }
        a->depth--;
        return value;
}

/* ---- ?: = , ---- */

static result parse_conditional(struct arith *a) {
        enum doing before = a->doing;
        result condition = binary(a, LEVEL_OR), yes, no;

        if (a->failed || peek(a) != '?')
                return condition;
        a->pos++;
        if (condition.state != ARITH_KNOWN)
                a->doing = before == DOING_ALL ? DOING_MAYBE : before;
        else if (condition.value == 0)
                a->doing = DOING_NOTHING;
        yes = parse_comma(a);
        a->doing = before;
        if (peek(a) != ':')
                return fail(a);
        a->pos++;
        if (condition.state != ARITH_KNOWN)
                a->doing = before == DOING_ALL ? DOING_MAYBE : before;
        else if (condition.value != 0)
                a->doing = DOING_NOTHING;
        no = parse_conditional(a);
        a->doing = before;
        if (a->failed)
                return (result){ ARITH_ERROR, 0 };
        if (condition.state == ARITH_KNOWN)
                return condition.value ? yes : no;
        return yes.state == ARITH_KNOWN && no.state == ARITH_KNOWN && yes.value == no.value ? yes : not_known();
}

static result parse_assignment(struct arith *a) {
        const struct operator* operator;
        struct arith_name name;
        size_t start;
        result value;
        int c = peek(a);

        start = a->pos;
        if (++a->depth > ARITH_MAX_DEPTH)
                return fail(a);
        if (is_word_byte(c) && !is_ascii_digit((unsigned char)c) && read_name(a, &name) &&
            (operator= peek_operator(a)) && operator->level == ASSIGNS) {
                bool plain = operator->text[0] == '=';
                result old = plain ? known(0) : read_variable(a, &name); /* before the right side changes it */

                a->pos += strlen(operator->text);
                value = parse_assignment(a);
                if (!plain && !a->failed)
                        value = apply(a, operator->op, old, value);
                assign(a, &name, value);
        } else if (a->failed) {
                return fail(a);
        } else {
                a->pos = start;
                value = parse_conditional(a);
        }
        a->depth--;
        return value;
}

static result parse_comma(struct arith *a) {
        result value = parse_assignment(a);

        while (!a->failed && peek(a) == ',') {
                a->pos++;
                value = parse_assignment(a);
        }
        return value;
}

static result evaluate(struct budget *budget, struct str text, const struct arith_host *host, unsigned depth,
                       enum doing doing) {
        struct arith a = { .budget = budget, .host = host, .text = text, .depth = depth, .doing = doing };
        result value;

        if (!budget_spend(budget, 4 + text.len / 16))
                return not_known();
        if (depth > ARITH_MAX_DEPTH) /* a=b b=a; bash stops too, if later */
                return (result){ ARITH_ERROR, 0 };
        if (peek(&a) < 0)
                return known(0);
        value = parse_comma(&a);
        if (!a.failed && peek(&a) >= 0)
                fail(&a);
        if (a.failed && (str_find(text, ARITH_UNKNOWN_BYTE) < text.len || budget->stop))
                return not_known(); /* the unknown piece may well have been what was missing */
        return a.failed ? (result){ ARITH_ERROR, 0 } : value;
}

struct arith_result arith_evaluate(struct budget *budget, struct str text, const struct arith_host *host) {
        return evaluate(budget, text, host, 0, DOING_ALL);
}
