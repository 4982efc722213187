/*
 * Assignments: name=word, name[index]+=word, name=(words). A subscript may hold blanks, so they are told from words
 * while reading, as bash does.
 */
#include "bash/syntax/parser.h"

static bool name_byte(int c, bool first) {
        return c == '_' || (c >= 0 && (is_ascii_alpha((unsigned char)c) || (!first && is_ascii_digit((unsigned char)c))));
}

/* The position moves past an identifier, if there is one. */
static bool read_identifier(struct parser *p) {
        uint32_t start = shell_joined(p, p->pos);

        p->pos = start;
        while (name_byte(shell_peek(p), p->pos == start))
                p->pos++;
        return p->pos > start;
}

/* = or +=, taken. */
static bool read_equals(struct parser *p, bool *append) {
        *append = shell_operator(p, "+=");
        return *append || shell_operator(p, "=");
}

/* [index]: the word between the brackets. */
static struct word *read_index(struct parser *p) {
        uint32_t start = p->pos;
        struct word *index;

        p->pos++;
        shell_enter(p);
        index = shell_word(p, IN_BRACKET);
        shell_leave(p);
        if (shell_peek(p) != ']')
                shell_unclosed(p, start, "subscript", "]");
        p->pos++;
        return index;
}

/* An index that no assignment follows belongs to an ordinary word, which goes on behind it. */
static void word_with_index(struct parser *p, struct part_list *out, uint32_t start, uint32_t open, struct word *index) {
        uint32_t close = p->pos - 1;

        shell_literal(p, out, start, open + 1);
        for (struct part *part = index->parts; part; part = part->next) {
                if (part->kind == PART_LITERAL && out->last->kind == PART_LITERAL &&
                    part->text.ptr == out->last->text.ptr + out->last->text.len)
                        shell_literal(p, out, (uint32_t)(part->text.ptr - p->in.text),
                                      (uint32_t)(part->text.ptr - p->in.text + (ptrdiff_t)part->text.len));
                else
                        out->last = out->last->next = part;
        }
        out->last->next = NULL;
        shell_literal(p, out, close, close + 1);
}

/* ---- compound values ---- */

static struct assign *array_element(struct parser *p) {
        struct assign *element = SHELL_NEW(p, struct assign);
        struct part_list parts = { 0 };
        uint32_t start = p->pos, value = start;

        if (shell_peek(p) == '[') {
                struct word *index = read_index(p);

                if (read_equals(p, &element->append)) {
                        element->index = index;
                        value = p->pos;
                } else {
                        word_with_index(p, &parts, start, start, index);
                }
        }
        shell_parts(p, IN_WORD, &parts);
        element->value = SHELL_NEW(p, struct word);
        *element->value = (struct word){ .parts = parts.first, .range = shell_range(p, value, p->pos) };
        element->range = shell_range(p, start, p->pos);
        return element;
}

static void array_value(struct parser *p, struct assign *assign) {
        struct assign **tail = &assign->elements;
        uint32_t open = p->pos;
        enum token_kind last = p->lex.last;

        p->pos++;
        p->lex.last = TOKEN_WORD; /* nothing in here is a command */
        shell_enter(p);
        for (;;) {
                int c;

                shell_skip_blanks(p);
                c = shell_peek(p);
                if (c == END_OF_INPUT)
                        shell_unclosed(p, open, "array", ")");
                if (c == ')')
                        break;
                if (c == '\n') {
                        p->pos++;
                        shell_heredocs(p);
                } else if (shell_byte_class[c] & (BYTE_OPERATOR | BYTE_OPEN_PAREN) ||
                           (shell_byte_class[c] & BYTE_ANGLE && shell_peek_after(p, p->pos) != '(')) {
                        shell_fail(p, SYNTAX_ERROR, p->pos, "unexpected `%c' in an array", c);
                } else {
                        *tail = array_element(p);
                        tail = &(*tail)->next;
                }
        }
        shell_leave(p);
        p->lex.last = last;
        p->pos++;
        assign->compound = true;
}

/* ---- assignments ---- */

static void assign_value(struct parser *p, struct assign *assign, uint32_t start) {
        if (shell_peek(p) == '(')
                array_value(p, assign);
        assign->value = shell_word(p, IN_WORD); /* behind an array too: bash takes a=(b)c */
        if (assign->compound && !assign->value->parts)
                assign->value = NULL;
        assign->range = shell_range(p, start, p->pos);
}

/* At the start of a word where an assignment may stand: reads one into t->assign, or a word that only began like one
 * into t->word. False, with nothing read, when it is neither. */
bool shell_assign(struct parser *p, struct token *t) {
        uint32_t start = shell_joined(p, p->pos), open;
        struct assign assign = { 0 };
        struct part_list parts = { 0 };

        if (!read_identifier(p))
                return false;
        assign.name = shell_text(p, start, p->pos);
        open = p->pos;
        if (shell_peek(p) == '[') {
                open = p->pos;
                assign.index = read_index(p);
        }
        if (read_equals(p, &assign.append)) {
                assign_value(p, &assign, start);
                t->assign = SHELL_NEW(p, struct assign);
                *t->assign = assign;
                return true;
        }
        if (!assign.index) {
                p->pos = start;
                return false;
        }
        word_with_index(p, &parts, start, open, assign.index);
        shell_parts(p, IN_WORD, &parts);
        t->word = SHELL_NEW(p, struct word);
        *t->word = (struct word){ .parts = parts.first, .range = shell_range(p, start, p->pos) };
        return true;
}

/* [...]=( or [...]+=( comes next; what looks like one, and is not closed, is a part of a word. */
static bool array_follows_index(const struct parser *p) {
        uint32_t pos = p->pos, depth = 0;

        for (; pos < p->in.end && !strchr(" \t\n\"'`()", p->in.text[pos]); pos++) {
                depth += p->in.text[pos] == '[';
                depth -= p->in.text[pos] == ']';
                if (!depth)
                        break;
        }
        if (pos == p->in.end || depth || p->in.text[pos++] != ']')
                return false;
        pos += pos < p->in.end && p->in.text[pos] == '+';
        return pos + 1 < p->in.end && p->in.text[pos] == '=' && p->in.text[pos + 1] == '(';
}

/* An argument spelled a=(...), a+=(...) or a[1]=(...). */
struct assign *shell_compound_argument(struct parser *p) {
        uint32_t start = shell_joined(p, p->pos);
        struct word *index = NULL;
        struct assign *assign;
        bool append;

        if (!read_identifier(p) || (shell_peek(p) == '[' && !array_follows_index(p))) {
                p->pos = start;
                return NULL;
        }
        uint32_t name_end = p->pos;
        if (shell_peek(p) == '[')
                index = read_index(p);
        if (!read_equals(p, &append) || shell_peek(p) != '(') {
                p->pos = start;
                return NULL;
        }
        assign = SHELL_NEW(p, struct assign);
        assign->name = shell_text(p, start, name_end);
        assign->append = append;
        assign->index = index;
        assign_value(p, assign, start);
        return assign;
}
