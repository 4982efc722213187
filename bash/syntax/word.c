/*
 * Words, as lists of parts: literal bytes and quotes. One loop serves every place where parts can stand; a context says
 * which bytes are special there and where the run ends.
 */
#include "bash/syntax/parser.h"

enum {
        EXPANSIONS = BYTE_DOLLAR | BYTE_BACKTICK | BYTE_BACKSLASH,
        QUOTES = BYTE_SINGLE | BYTE_DOUBLE,
        PARENS = BYTE_OPEN_PAREN | BYTE_CLOSE_PAREN,
        BRACKETS = BYTE_OPEN_BRACKET | BYTE_CLOSE_BRACKET,
        METACHARACTERS = BYTE_BLANK | BYTE_NEWLINE | BYTE_OPERATOR | PARENS | BYTE_ANGLE,
};

static const struct {
        uint16_t special; /* what ends a run of literal bytes */
        uint16_t ends;    /* what ends the context */
        uint16_t nests;   /* the opener that the closer in `ends` must balance */
        bool in_double;   /* backslash protects only $ ` " \ and newline; nothing is split or globbed */
        bool weak_single; /* ' keeps its partner company, but what stands between is still expanded */
        bool process;     /* <( and >( start a substitution */
} contexts[] = {
        [IN_WORD] = { METACHARACTERS | EXPANSIONS | QUOTES, METACHARACTERS, 0, false, false, true },
        [IN_REGEX] = { METACHARACTERS | EXPANSIONS | QUOTES, METACHARACTERS, 0, false, false, true },
        [IN_DOUBLE] = { EXPANSIONS | BYTE_DOUBLE, BYTE_DOUBLE, 0, true, false, false },
        [IN_HEREDOC] = { EXPANSIONS, 0, 0, true, false, false },
        [IN_BRACE] = { EXPANSIONS | QUOTES | BYTE_CLOSE_BRACE | BYTE_ANGLE, BYTE_CLOSE_BRACE, 0, false, false, true },
        [IN_BRACE_DOUBLE] = { EXPANSIONS | QUOTES | BYTE_CLOSE_BRACE, BYTE_CLOSE_BRACE, 0, true, true, false },
        [IN_PATTERN] = { EXPANSIONS | QUOTES | BYTE_CLOSE_BRACE | BYTE_SLASH | BYTE_ANGLE, BYTE_CLOSE_BRACE | BYTE_SLASH, 0,
                         false, false, true },
        [IN_ARITH] = { EXPANSIONS | QUOTES | PARENS, BYTE_CLOSE_PAREN, BYTE_OPEN_PAREN, true, true, false },
        [IN_BRACKET] = { EXPANSIONS | QUOTES | BRACKETS, BYTE_CLOSE_BRACKET, BYTE_OPEN_BRACKET, true, true, false },
        [IN_BRACE_BRACKET] = { EXPANSIONS | QUOTES | BRACKETS | BYTE_CLOSE_BRACE, BYTE_CLOSE_BRACKET | BYTE_CLOSE_BRACE,
                               BYTE_OPEN_BRACKET, true, true, false },
        [IN_OFFSET] = { EXPANSIONS | QUOTES | BYTE_CLOSE_BRACE | BYTE_COLON, BYTE_CLOSE_BRACE | BYTE_COLON, 0, true, true,
                        false },
        [IN_EXTGLOB] = { EXPANSIONS | QUOTES | PARENS | BYTE_ANGLE, BYTE_CLOSE_PAREN, BYTE_OPEN_PAREN, false, false, true },
};

bool shell_in_double(enum context context) {
        return contexts[context].in_double;
}

/* ---- building ---- */

struct part *shell_part(struct parser *p, struct part_list *out, enum part_kind kind, enum part_style style, uint32_t start) {
        struct part *part = SHELL_NEW(p, struct part);

        part->kind = kind;
        part->style = style;
        part->range = shell_range(p, start, p->pos);
        if (out->last)
                out->last->next = part;
        else
                out->first = part;
        out->last = part;
        return part;
}

/* Literal bytes of the text. Grows the part before it when that is literal and ends here. */
void shell_literal(struct parser *p, struct part_list *out, uint32_t start, uint32_t end) {
        struct part *last = out->last;

        if (start == end)
                return;
        if (last && last->kind == PART_LITERAL && last->text.ptr + last->text.len == p->in.text + start) {
                last->text.len += end - start;
                last->range.end = shell_range(p, start, end).end;
                return;
        }
        last = shell_part(p, out, PART_LITERAL, STYLE_PLAIN, start);
        last->range = shell_range(p, start, end);
        last->text = str_from(p->in.text + start, end - start);
}

/* Bytes that are special in no way, up to one that is. A run with \newline inside is one part, so that `i\newline f` is
 * `if`. */
static void literal_run(struct parser *p, uint16_t special, struct part_list *out) {
        uint32_t start = p->pos, pos = start, end = p->in.end, next;
        const char *text = p->in.text;
        bool joined = false;

        for (;; pos = next, joined = true) {
                while (pos < end && !(shell_byte_class[(unsigned char)text[pos]] & special))
                        pos++;
                next = shell_joined(p, pos);
                if (next == pos)
                        break;
        }
        p->pos = pos;
        if (!joined) {
                shell_literal(p, out, start, pos);
        } else {
                struct str copy = shell_text(p, start, pos);

                if (copy.len)
                        shell_part(p, out, PART_LITERAL, STYLE_PLAIN, start)->text = copy;
        }
}

/* ---- quotes ---- */

void shell_single_quoted(struct parser *p, struct part_list *out) {
        uint32_t start = p->pos;
        const char *close = memchr(p->in.text + start + 1, '\'', p->in.end - start - 1);
        struct part *part;

        if (!close)
                shell_unclosed(p, start, "single quote", "'");
        p->pos = (uint32_t)(close - p->in.text) + 1;
        part = shell_part(p, out, PART_QUOTED, STYLE_SINGLE, start);
        part->text = str_from(p->in.text + start + 1, p->pos - start - 2);
}

void shell_double_quoted(struct parser *p, struct part_list *out, uint32_t start, enum part_style style) {
        struct part_list inside = { 0 };
        struct part *part;

        p->pos = shell_joined(p, p->pos) + 1;
        shell_enter(p);
        shell_parts(p, IN_DOUBLE, &inside);
        shell_leave(p);
        if (shell_peek(p) != '"')
                shell_unclosed(p, start, "double quote", "\"");
        p->pos++;
        part = shell_part(p, out, PART_DOUBLE, style, start);
        part->parts = inside.first;
}

static void read_region(struct parser *p, void *arg) {
        struct region *region = arg;

        p->in = region->in;
        shell_enter(p);
        shell_parts(p, IN_HEREDOC, region->out);
}

/* What could not be read: from the end of the last part to the end of the region. */
static void unread_part(struct parser *p, struct region *region, uint32_t pos) {
        struct range range = shell_range_in(&region->in, pos, region->in.end);
        const struct part *last = region->out->last;
        struct part *part;

        if (last && last->range.end > range.start && last->range.end <= range.end)
                range.start = last->range.end;
        part = shell_part(p, region->out, PART_COMMAND, STYLE_PLAIN, p->pos);
        part->range = range;
        part->soft_error = true;
}

void shell_region(struct parser *p, struct region *region, uint32_t pos) {
        uint32_t saved = p->pos;

        p->pos = pos;
        if (!shell_catch(p, read_region, region)) {
                p->pos = saved;
                unread_part(p, region, pos);
        }
        p->pos = saved;
}

/* Inside arithmetic and "${x:-...}" a single quote reaches to its partner when bash looks for the end, but is a plain
 * byte when bash expands: "${x:-'$(id)'}" runs id. So: both quotes literal, expansions between them. */
static void weak_single_quoted(struct parser *p, struct part_list *out) {
        uint32_t start = p->pos;
        const char *close = memchr(p->in.text + start + 1, '\'', p->in.end - start - 1);
        struct region region = { .in = p->in, .out = out };

        if (!close)
                shell_unclosed(p, start, "single quote", "'");
        region.in.end = (uint32_t)(close - p->in.text);
        p->pos = region.in.end + 1;
        shell_literal(p, out, start, start + 1);
        shell_region(p, &region, start + 1);
        shell_literal(p, out, region.in.end, region.in.end + 1);
}

static void escape(struct parser *p, enum context context, struct part_list *out) {
        uint32_t start = p->pos, after = start + 1;
        int c = after < p->in.end ? (unsigned char)p->in.text[after] : END_OF_INPUT;
        struct part *part;

        if (c == END_OF_INPUT) { /* bash keeps a backslash that ends the input */
                p->pos = after;
                shell_literal(p, out, start, after);
                return;
        }
        p->pos = after + 1;
        if (contexts[context].in_double && !(c == '$' || c == '`' || c == '\\' || (c == '"' && context != IN_HEREDOC) ||
                                             (c == '}' && context == IN_BRACE_DOUBLE))) {
                if (context == IN_DOUBLE || context == IN_HEREDOC)
                        p->pos = after; /* the byte after it may still end the run */
                shell_literal(p, out, start, p->pos);
                return;
        }
        part = out->last;
        if (c < 0x80 && part && part->kind == PART_QUOTED && part->style == STYLE_BACKSLASH &&
            part->range.end == shell_range(p, start, start).start && part->text.len == 1) {
                /* Pairs: \r\m costs one part, not two. Halves of a character stay apart, as they were written. */
                char *both = arena_bytes(p->arena, 2);

                if (!both)
                        shell_fail(p, SYNTAX_NO_MEMORY, start, "out of memory");
                both[0] = part->text.ptr[0];
                both[1] = (char)c;
                part->text = str_from(both, 2);
                part->range.end = shell_range(p, start, p->pos).end;
                return;
        }
        part = shell_part(p, out, PART_QUOTED, STYLE_BACKSLASH, start);
        part->text = str_from(p->in.text + after, 1);
}

/* ---- extended globs and parentheses ---- */

/* A literal that ends in one of ?*+@! with a parenthesis behind it. */
static bool extglob_here(struct parser *p, struct part_list *out, enum context context) {
        struct part *last = out->last;
        char c;

        if (!last || last->kind != PART_LITERAL || context != IN_WORD)
                return false;
        c = last->text.ptr[last->text.len - 1];
        if (last->range.end != shell_range(p, p->pos, p->pos).start || !strchr("?*+@!", c))
                return false;
        if (p->extglob || p->lex.in_cond || p->lex.in_case_pattern || !shell_command_may_start(&p->lex))
                return true;
        /* As bash -c starts, without extglob: `!(x)` negates a subshell, and `f@()` begins a function. */
        return !(last == out->first && (str_is(last->text, "!") || shell_peek_after(p, p->pos) == ')'));
}

static void extglob(struct parser *p, struct part_list *out) {
        struct part_list inside = { 0 };
        struct part *last = out->last;
        uint32_t start = p->pos;
        struct part *part;

        while (start >= 2 && p->in.text[start - 1] == '\n' && p->in.text[start - 2] == '\\')
                start -= 2;
        start--;
        p->pos++;
        shell_enter(p);
        shell_parts(p, IN_EXTGLOB, &inside);
        shell_leave(p);
        if (shell_peek(p) != ')')
                shell_unclosed(p, start, "extended glob", ")");
        p->pos++;
        shell_counted(p, inside.first);
        if (last->text.len == 1) { /* the literal was only the operator: it becomes the glob */
                part = last;
                part->kind = PART_EXTGLOB;
                part->range = shell_range(p, start, p->pos);
        } else {
                last->text.len--;
                last->range.end = shell_range(p, start - 1, start).end;
                part = shell_part(p, out, PART_EXTGLOB, STYLE_PLAIN, start);
        }
        part->glob = p->in.text[start];
        part->parts = inside.first;
}

/* ( in the right side of =~: up to its partner everything belongs to the word. */
static void regex_group(struct parser *p, struct part_list *out) {
        uint32_t start = p->pos++;
        const struct part *open;

        shell_literal(p, out, start, p->pos);
        open = out->last;
        shell_enter(p);
        shell_parts(p, IN_EXTGLOB, out);
        shell_leave(p);
        if (shell_peek(p) != ')')
                shell_unclosed(p, start, "parenthesis", ")");
        p->pos++;
        shell_counted(p, open);
        shell_literal(p, out, p->pos - 1, p->pos);
}

/* ---- the loop ---- */

static bool nested_byte(struct parser *p, enum context context, uint16_t class, uint32_t *depth) {
        if (class & contexts[context].nests) {
                ++*depth;
                if (context == IN_ARITH)
                        shell_arith_open(p);
                else
                        shell_enter(p);
                return true;
        }
        if (*depth && (class & (BYTE_CLOSE_PAREN | BYTE_CLOSE_BRACKET) & contexts[context].ends)) {
                --*depth;
                if (context == IN_ARITH)
                        shell_arith_close(p);
                else
                        shell_leave(p);
                return true;
        }
        return false;
}

/* One special byte. False when it ends the context. */
static bool special_byte(struct parser *p, enum context context, struct part_list *out, int c, uint32_t *depth) {
        uint16_t class = shell_byte_class[c];
        uint32_t start = p->pos;

        if (class & BYTE_ANGLE && contexts[context].process && shell_peek_after(p, p->pos) == '(') {
                shell_substitution(p, out, c == '<' ? STYLE_INPUT : STYLE_OUTPUT);
        } else if (c == '(' && extglob_here(p, out, context)) {
                extglob(p, out);
        } else if (c == '(' && context == IN_REGEX) {
                regex_group(p, out);
        } else if (nested_byte(p, context, class, depth) || (c == '|' && context == IN_REGEX)) {
                p->pos++;
                shell_literal(p, out, start, p->pos);
        } else if (class & contexts[context].ends) {
                return false;
        } else if (c == '\\') {
                escape(p, context, out);
        } else if (c == '$') {
                shell_dollar(p, context, out);
        } else if (c == '`') {
                shell_backticks(p, context, out);
        } else if (c == '"') {
                shell_double_quoted(p, out, start, STYLE_PLAIN);
        } else if (c == '\'' && contexts[context].weak_single) {
                weak_single_quoted(p, out);
        } else if (c == '\'') {
                shell_single_quoted(p, out);
        } else {
                p->pos++;
                shell_literal(p, out, start, p->pos);
        }
        return true;
}

void shell_parts(struct parser *p, enum context context, struct part_list *out) {
        uint32_t depth = 0;
        int c;

        do {
                literal_run(p, contexts[context].special, out);
                c = shell_peek(p);
        } while (c != END_OF_INPUT &&
                 (!(shell_byte_class[c] & contexts[context].special) || special_byte(p, context, out, c, &depth)));
        if (c == END_OF_INPUT && depth)
                shell_unclosed(p, p->pos, context == IN_BRACKET ? "bracket" : "parenthesis", context == IN_BRACKET ? "]" : ")");
}

/* A word must hold something; the caller saw a byte that can begin one. */
struct word *shell_word(struct parser *p, enum context context) {
        struct word *word = SHELL_NEW(p, struct word);
        struct part_list parts = { 0 };
        uint32_t start = shell_joined(p, p->pos);

        p->pos = start;
        shell_parts(p, context, &parts);
        word->parts = parts.first;
        word->range = shell_range(p, start, p->pos);
        return word;
}
