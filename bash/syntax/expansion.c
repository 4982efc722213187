/*
 * $ and backticks: which expansion begins here, command substitutions, and the $'...' escapes.
 */
#include "bash/syntax/parser.h"

/* ---- command substitution ---- */

void shell_memo_keep(struct parser *p, uint32_t start, bool in_double, struct part *part) {
        struct notes *notes = p->in.notes;

        if (!p->attempts)
                return;
        if (!notes->memo)
                notes->memo = shell_new(p, 2 * sizeof(*notes->memo) * ((size_t)p->in.size + 1));
        notes->memo[2 * start + in_double] = (struct memo){ part, p->pos };
}

bool shell_memo_use(struct parser *p, uint32_t start, bool in_double, struct part_list *out) {
        const struct memo *memo = p->in.notes->memo ? &p->in.notes->memo[2 * start + in_double] : NULL;
        struct part *part;

        if (!memo || !memo->part || memo->end > p->in.end)
                return false;
        p->pos = memo->end;
        part = shell_part(p, out, memo->part->kind, memo->part->style, start);
        *part = *memo->part;
        part->next = NULL;
        return true;
}

/* Heredocs that are still open at the ): bash takes their bodies from the next line right now, even when that line
 * turns out to stand inside quotes. */
static void keep_pending(struct parser *p, struct pending *left, unsigned count) {
        const char *newline = memchr(p->in.text + p->pos, '\n', p->in.end - p->pos);

        *p->lex.pending_tail = left;
        p->lex.pending_count = count;
        for (; left; left = left->next) {
                p->lex.pending_tail = &left->next;
                if (newline)
                        left->body = (uint32_t)(newline - p->in.text) + 1;
        }
}

/* $( <( >(: the position is at its first byte. The list inside is parsed in place, so that the right ) ends it. */
void shell_substitution(struct parser *p, struct part_list *out, enum part_style style) {
        const struct lexer saved = p->lex;
        uint32_t start = p->pos;
        struct chain chain = { 0 };
        struct pending *left;
        unsigned count;
        struct part *part;

        if (shell_memo_use(p, start, false, out))
                return;
        p->pos = shell_joined(p, shell_joined(p, start) + 1);
        if (style != STYLE_PLAIN && shell_peek_after(p, p->pos) == '(') {
                shell_process_dparen(p, out, style, start);
                return;
        }
        p->pos++;
        shell_enter(p);
        p->lex = (struct lexer){ .in_substitution = true };
        p->lex.pending_tail = &p->lex.pending;
        shell_lines(p, &chain);
        if (shell_token(p)->kind != TOKEN_CLOSE)
                shell_unclosed(p, start, "command substitution", ")");
        shell_leave(p);
        left = p->lex.pending;
        count = saved.pending_count + p->lex.pending_count;
        p->lex = saved;
        if (!saved.pending)
                p->lex.pending_tail = &p->lex.pending;
        if (left)
                keep_pending(p, left, count);
        part = shell_part(p, out, PART_COMMAND, style, start);
        part->body = chain.first;
        shell_memo_keep(p, start, false, part);
}

/* ---- texts that bash parses only when it expands them ---- */

struct deferred {
        struct source in;
        struct chain chain;
};

static void read_deferred(struct parser *p, void *arg) {
        struct deferred *d = arg;

        p->in = d->in;
        p->lex = (struct lexer){ 0 };
        p->lex.pending_tail = &p->lex.pending;
        shell_enter(p);
        shell_lines(p, &d->chain);
        if (shell_token(p)->kind != TOKEN_END)
                shell_unexpected(p, NULL);
}

void shell_deferred(struct parser *p, struct source in, uint32_t pos, struct part *part) {
        struct deferred d = { .in = in };
        uint32_t saved = p->pos;

        p->pos = pos;
        part->soft_error = !shell_catch(p, read_deferred, &d);
        p->pos = saved;
        if (part->soft_error && d.chain.complete)
                d.chain.complete->next = NULL;
        part->body = part->soft_error && !d.chain.complete ? NULL : d.chain.first;
}

/* ---- backticks ---- */

/* The end of the text between backticks, and whether any backslash in it is taken away. */
static uint32_t backticks_end(struct parser *p, bool *escaped) {
        uint32_t pos = p->pos + 1;

        for (*escaped = false; pos < p->in.end && p->in.text[pos] != '`'; pos++) {
                if (p->in.text[pos] == '\\') {
                        *escaped = true;
                        pos++;
                }
        }
        if (pos >= p->in.end)
                shell_unclosed(p, p->pos, "backtick", "`");
        return pos;
}

/* \` \$ and \\ lose their backslash, and inside double quotes \" too; \newline goes. */
static struct source backticks_text(struct parser *p, uint32_t start, uint32_t end, bool in_double) {
        char *text = shell_new(p, end - start + 1);
        struct origin *map = shell_new(p, (end - start + 1) * sizeof(*map));
        uint32_t len = 0;

        for (uint32_t i = start; i < end; i++) {
                uint32_t from = i;

                if (p->in.text[i] == '\\' && i + 1 < end) {
                        char c = p->in.text[i + 1];

                        if (c == '\n') {
                                i++;
                                continue;
                        }
                        if (c == '`' || c == '$' || c == '\\' || (in_double && c == '"'))
                                i++;
                        if (c != '"') /* the other escapes belong to the backticks, this one to the quotes outside */
                                from = i;
                }
                map[len] = (struct origin){ shell_range(p, from, from + 1).start, shell_range(p, i, i + 1).end };
                text[len++] = p->in.text[i];
        }
        map[len] = (struct origin){ shell_range(p, end, end).start, shell_range(p, end, end).start };
        return (struct source){ .text = text, .end = len, .size = len, .map = map, .notes = SHELL_NEW(p, struct notes) };
}

void shell_backticks(struct parser *p, enum context context, struct part_list *out) {
        bool in_double = context == IN_DOUBLE || context == IN_BRACE_DOUBLE, escaped;
        uint32_t start = p->pos, end;
        struct source in = p->in;
        struct part *part;

        if (shell_memo_use(p, start, in_double, out))
                return;
        end = backticks_end(p, &escaped);
        in.end = end;
        if (escaped)
                in = backticks_text(p, start + 1, end, in_double);
        p->pos = end + 1;
        part = shell_part(p, out, PART_COMMAND, STYLE_BACKTICK, start);
        shell_deferred(p, in, escaped ? 0 : start + 1, part);
        shell_memo_keep(p, start, in_double, part);
}

/* ---- $'...' ---- */

static int hex_value(char c) {
        if (is_ascii_digit((unsigned char)c))
                return c - '0';
        c = (char)ascii_lower((unsigned char)c);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to `most` hexadecimal digits; the number of bytes read. */
static uint32_t read_hex(const char *s, const char *end, uint32_t most, uint32_t *value) {
        uint32_t n = 0;

        for (*value = 0; n < most && s + n < end && hex_value(s[n]) >= 0; n++)
                *value = *value * 16 + (uint32_t)hex_value(s[n]);
        return n;
}

static char *put_utf8(char *to, uint32_t c) {
        if (c < 0x80) {
                *to++ = (char)c;
        } else if (c < 0x800) {
                *to++ = (char)(0xc0 | c >> 6);
                *to++ = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
                *to++ = (char)(0xe0 | c >> 12);
                *to++ = (char)(0x80 | (c >> 6 & 0x3f));
                *to++ = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x200000) {
                *to++ = (char)(0xf0 | c >> 18);
                *to++ = (char)(0x80 | (c >> 12 & 0x3f));
                *to++ = (char)(0x80 | (c >> 6 & 0x3f));
                *to++ = (char)(0x80 | (c & 0x3f));
        }
        return to;
}

static const char escape_letters[] = "abeEfnrtv\\'\"?";
static const char escape_values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";

/* One escape, the backslash already read. A NUL ends the string, as in bash. */
static const char *decode_escape(const char *s, const char *end, char **to, bool *ended) {
        const char *letter = *s ? strchr(escape_letters, *s) : NULL;
        uint32_t value = 0, digits = 0, most = *s == 'x' ? 2 : *s == 'u' ? 4 : *s == 'U' ? 8 : 0;

        if (letter) {
                *(*to)++ = escape_values[letter - escape_letters];
                return s + 1;
        }
        if (*s >= '0' && *s <= '7') {
                while (digits < 3 && s < end && *s >= '0' && *s <= '7') {
                        value = value * 8 + (uint32_t)(*s++ - '0');
                        digits++;
                }
                *ended = (value & 0xff) == 0;
                *(*to)++ = (char)value;
                return s;
        }
        if (*s == 'c' && s + 1 < end) {
                s += s[1] == '\\' && s + 2 < end && s[2] == '\\' ? 2 : 1;
                *(*to)++ = *s == '?' ? 0x7f : (char)(ascii_upper((unsigned char)*s) ^ 0x40);
                *ended = (*to)[-1] == '\0';
                return s + 1;
        }
        if (most && *s == 'x' && s + 1 < end && s[1] == '{') { /* \x{...}: any number of digits, the low byte counts */
                digits = read_hex(s + 2, end, UINT32_MAX, &value);
                if (digits) {
                        s += 2 + digits;
                        s += s < end && *s == '}';
                        *ended = (value & 0xff) == 0;
                        *(*to)++ = (char)value;
                        return s;
                }
        } else if (most && (digits = read_hex(s + 1, end, most, &value)) > 0) {
                *ended = value == 0;
                if (most == 2)
                        *(*to)++ = (char)value;
                else
                        *to = put_utf8(*to, value);
                return s + 1 + digits;
        }
        *(*to)++ = '\\';
        *(*to)++ = *s;
        return s + 1;
}

/* In the operand of "${x:-...}" the escapes are decoded when bash parses, and the result is expanded: $'$(id)' runs id.
 */
static void decoded_parts(struct parser *p, struct part_list *out, struct str text, const struct origin *map) {
        struct source in = { .text = text.ptr, .end = (uint32_t)text.len, .size = (uint32_t)text.len, .map = map };
        struct part_list inside = { 0 };
        struct region region = { .in = in, .out = &inside };

        region.in.notes = SHELL_NEW(p, struct notes);
        shell_region(p, &region, 0);
        for (struct part *part = inside.first; part; part = part->next) {
                if (part->kind == PART_LITERAL) {
                        part->kind = PART_QUOTED;
                        part->style = STYLE_ANSI;
                } else if (part->kind == PART_PARAM) {
                        part->param->braced = true; /* what stands behind the quote does not belong to the name */
                }
        }
        if (!inside.first)
                return;
        if (out->last)
                out->last->next = inside.first;
        else
                out->first = inside.first;
        out->last = inside.last;
}

/* The text between the quotes, decoded; never longer than it was. With a map, each byte's origin, and one more. */
static struct str decode_ansi(struct parser *p, uint32_t start, uint32_t end, struct origin *map) {
        char *copy = shell_new(p, end - start + 1), *to = copy;
        const char *text = p->in.text;
        bool ended = false;

        for (const char *s = text + start; s < text + end && !ended;) {
                const char *from = s;
                size_t made = (size_t)(to - copy);

                if (*s != '\\' || s + 1 == text + end)
                        *to++ = *s++;
                else
                        s = decode_escape(s + 1, text + end, &to, &ended);
                for (; map && made <= (size_t)(to - copy); made++) {
                        struct range range = shell_range(p, (uint32_t)(from - text), (uint32_t)(s - text));

                        map[made] = (struct origin){ range.start, range.end };
                }
        }
        to -= ended && to > copy; /* the NUL itself */
        return str_from(copy, (size_t)(to - copy));
}

void shell_ansi_quoted(struct parser *p, struct part_list *out, uint32_t start, bool weak) {
        uint32_t open = shell_joined(p, p->pos), pos = open + 1;
        struct str text;

        for (; pos < p->in.end && p->in.text[pos] != '\''; pos++)
                pos += p->in.text[pos] == '\\';
        if (pos >= p->in.end)
                shell_unclosed(p, start, "$' quote", "'");
        text = decode_ansi(p, open + 1, pos, NULL);
        p->pos = pos + 1;
        if (weak && (str_find(text, '$') < text.len || str_find(text, '`') < text.len)) {
                struct origin *map = shell_new(p, (text.len + 2) * sizeof(*map));

                decoded_parts(p, out, decode_ansi(p, open + 1, pos, map), map);
                return;
        }
        shell_part(p, out, PART_QUOTED, STYLE_ANSI, start)->text = text;
}
