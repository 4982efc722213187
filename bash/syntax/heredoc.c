/*
 * Here-documents: the delimiter is read with the redirection, the body when the line ends. An error inside a body is
 * found by bash only when it expands it, so it is kept in the body and does not reject the script.
 */
#include "bash/syntax/parser.h"

enum { HEREDOC_MAX = 16 }; /* bash's own limit */

/* ---- the delimiter ---- */

static char *delimiter_parts(const struct part *part, char *to, bool *quoted) {
        for (; part; part = part->next) {
                *quoted |= part->kind == PART_QUOTED || part->kind == PART_DOUBLE;
                if (part->kind == PART_DOUBLE) {
                        to = delimiter_parts(part->parts, to, quoted);
                        continue;
                }
                if (part->text.len)
                        memcpy(to, part->text.ptr, part->text.len);
                to += part->text.len;
        }
        return to;
}

static bool parts_are_text(const struct part *part) {
        for (; part; part = part->next)
                if (part->kind == PART_DOUBLE ? !parts_are_text(part->parts)
                                              : part->kind != PART_LITERAL && part->kind != PART_QUOTED)
                        return false;
        return true;
}

/* What looks like an expansion is part of the delimiter as it is written, less the quotes around it. */
static char *delimiter_source(struct parser *p, uint32_t start, uint32_t end, char *to, bool *quoted) {
        struct str text = shell_text(p, start, end);
        char quote = 0;

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (quote ? c == quote : c == '\'' || c == '"') {
                        quote = quote ? 0 : c;
                        *quoted = true;
                } else if (c == '\\' && quote != '\'' && i + 1 < text.len) {
                        *to++ = text.ptr[++i];
                        *quoted = true;
                } else {
                        *to++ = c;
                }
        }
        return to;
}

/* Nothing in a delimiter is expanded, so what looks like it does not stay in the tree. */
static void delimiter_word(struct parser *p, struct redir *r, const struct heredoc *doc) {
        struct part_list parts = { 0 };
        struct part *part =
                shell_part(p, &parts, doc->quoted ? PART_QUOTED : PART_LITERAL, doc->quoted ? STYLE_SINGLE : STYLE_PLAIN, 0);

        part->range = r->target->range;
        part->text = doc->delimiter;
        r->target->parts = part;
}

void shell_heredoc_start(struct parser *p, struct redir *r) {
        struct heredoc *doc = SHELL_NEW(p, struct heredoc);
        struct pending *pending = SHELL_NEW(p, struct pending);
        const struct word *word = r->target;

        if (++p->lex.pending_count > HEREDOC_MAX)
                shell_fail(p, SYNTAX_ERROR, p->lex.token.start, "more than %d here-documents begin on one line", HEREDOC_MAX);

        if (word->parts && !word->parts->next && word->parts->kind == PART_LITERAL) {
                doc->delimiter = word->parts->text;
        } else {
                char *text = shell_new(p, 2 * (size_t)(word->range.end - word->range.start) + 1);
                char *end = parts_are_text(word->parts)
                                    ? delimiter_parts(word->parts, text, &doc->quoted)
                                    : delimiter_source(p, p->lex.token.start, p->lex.token.end, text, &doc->quoted);

                doc->delimiter = str_from(text, (size_t)(end - text));
                delimiter_word(p, r, doc);
        }
        r->heredoc = doc;
        pending->redir = r;
        *p->lex.pending_tail = pending;
        p->lex.pending_tail = &pending->next;
}

/* ---- the body ---- */

/* A line of the body: where it begins once tabs are taken away, and where the next one begins. */
struct line {
        uint32_t start, content, next;
};

/* In a body that is expanded, \newline joins lines before anybody looks at them. */
static struct line read_line(const struct parser *p, uint32_t start, bool tabs, bool joins) {
        struct line line = { .start = start, .content = start };
        const char *text = p->in.text;
        const char *newline;
        uint32_t pos = start;

        while (tabs) {
                uint32_t tab = joins ? shell_joined(p, line.content) : line.content;

                if (tab >= p->in.end || text[tab] != '\t')
                        break;
                line.content = tab + 1;
        }
        for (;;) {
                uint32_t back = 0;

                newline = memchr(text + pos, '\n', p->in.end - pos);
                if (!newline) {
                        line.next = p->in.end;
                        return line;
                }
                line.next = (uint32_t)(newline - text) + 1;
                while (joins && newline - back - 1 >= text + pos && newline[-1 - (ptrdiff_t)back] == '\\')
                        back++;
                if (back % 2 == 0 || line.next >= p->in.end)
                        return line;
                pos = line.next;
        }
}

/* Whether the line is the delimiter. Sets where reading goes on. */
static bool ends_body_at(const struct parser *p, const struct line *line, uint32_t pos, const struct heredoc *doc,
                         uint32_t *ret_pos) {
        for (size_t i = 0; i < doc->delimiter.len; i++, pos++) {
                if (!doc->quoted)
                        pos = shell_joined(p, pos);
                if (pos >= p->in.end || p->in.text[pos] != doc->delimiter.ptr[i])
                        return false;
        }
        if (!doc->quoted)
                pos = shell_joined(p, pos);
        if (pos == p->in.end || p->in.text[pos] == '\n') {
                *ret_pos = pos == p->in.end ? pos : pos + 1;
                return pos < p->in.end || doc->delimiter.len;
        }
        /* The last line of a document inside $(...) may carry the closing parenthesis. */
        *ret_pos = pos;
        return p->lex.in_substitution && memchr(p->in.text + pos, ')', line->next - pos);
}

/* A delimiter that itself begins with a tab is found on a line whose tabs are still there. */
static bool line_ends_body(const struct parser *p, const struct line *line, const struct heredoc *doc, uint32_t *ret_pos) {
        return ends_body_at(p, line, line->content, doc, ret_pos) ||
               (line->content != line->start && ends_body_at(p, line, line->start, doc, ret_pos));
}

/* A line as bash keeps it: without the tabs in front, and joined with the next one where a \newline says so. */
static uint32_t copy_line(struct parser *p, const struct line *line, bool joins, struct source *to, char *text,
                          struct origin *map) {
        for (uint32_t pos = line->content; pos < line->next; pos++) {
                bool escape = joins && p->in.text[pos] == '\\' && pos + 1 < line->next;

                if (escape && p->in.text[pos + 1] == '\n') {
                        pos++;
                        continue;
                }
                for (uint32_t last = pos + escape;; pos++) {
                        struct range byte = shell_range(p, pos, pos + 1);

                        map[to->size] = (struct origin){ byte.start, byte.end };
                        text[to->size++] = p->in.text[pos];
                        if (pos == last)
                                break;
                }
        }
        return line->next;
}

static struct source copy_body(struct parser *p, uint32_t start, uint32_t end, bool tabs, bool joins) {
        struct range after = shell_range(p, end, end);
        char *text = shell_new(p, end - start + 1);
        struct origin *map = shell_new(p, (end - start + 1) * sizeof(*map));
        struct source to = { .text = text, .map = map, .notes = SHELL_NEW(p, struct notes) };

        while (start < end) {
                struct line line = read_line(p, start, tabs, joins);

                start = copy_line(p, &line, joins, &to, text, map);
        }
        map[to.size] = (struct origin){ after.start, after.start };
        to.end = to.size;
        return to;
}

/* \newline with an even number of backslashes is no \newline. */
static bool has_joins(const char *text, const char *end) {
        const char *at = text;

        while ((at = memmem(at, (size_t)(end - at), "\\\n", 2))) {
                const char *first = at;

                while (first > text && first[-1] == '\\')
                        first--;
                if ((at - first) % 2 == 0)
                        return true;
                at += 2;
        }
        return false;
}

/* Whether bash keeps the body otherwise than it is written. In a body inside a copied one it seldom does, so bodies
 * inside bodies are not copied again and again. */
static bool body_changes(const char *text, const char *end, bool tabs, bool joins) {
        if (tabs && (*text == '\t' || memmem(text, (size_t)(end - text), "\n\t", 2)))
                return true;
        return joins && has_joins(text, end);
}

static void fill_body(struct parser *p, struct heredoc *doc, uint32_t start, uint32_t end, bool tabs) {
        struct part_list parts = { 0 };
        struct region region = { .in = p->in, .out = &parts };
        bool copied;

        doc->body.range = shell_range(p, start, end);
        if (start == end)
                return;
        region.in.end = end;
        copied = body_changes(p->in.text + start, p->in.text + end, tabs, !doc->quoted);
        if (copied)
                region.in = copy_body(p, start, end, tabs, !doc->quoted);
        start = copied ? 0 : start;
        if (start == region.in.end)
                return;
        if (doc->quoted) {
                struct part *part = shell_part(p, &parts, PART_QUOTED, STYLE_SINGLE, p->pos);

                part->range = doc->body.range;
                part->text = str_from(region.in.text + start, region.in.end - start);
        } else {
                shell_region(p, &region, start);
        }
        doc->body.parts = parts.first;
}

static void read_body(struct parser *p, struct redir *r) {
        struct heredoc *doc = r->heredoc;
        bool tabs = r->op == REDIR_HEREDOC_TABS;
        uint32_t start = p->pos, pos = start, after = p->in.end, lines = 0;

        for (; pos < p->in.end; lines++) {
                struct line line = read_line(p, pos, tabs, !doc->quoted);

                if (line_ends_body(p, &line, doc, &after)) {
                        doc->terminated = true;
                        break;
                }
                after = p->in.end;
                pos = line.next;
        }
        p->pos = after;
        p->open_heredoc = !doc->terminated;
        shell_looked(p, pos - start, lines);
        fill_body(p, doc, start, pos, tabs);
}

void shell_heredocs(struct parser *p) {
        struct pending *pending = p->lex.pending;

        if (p->pos < p->stretch_end)
                return;
        p->lex.pending = NULL;
        p->lex.pending_count = 0;
        p->lex.pending_tail = &p->lex.pending;
        for (bool first = true; pending; pending = pending->next, first = false) {
                if (first && pending->body && pending->body != p->pos)
                        shell_fail(p, SYNTAX_TOO_COMPLEX, p->pos,
                                   "too complex: the body of a here-document stands inside other quotes");
                read_body(p, pending->redir);
        }
}
