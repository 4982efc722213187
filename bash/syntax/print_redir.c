#include "bash/syntax/printer.h"
#include "bash/syntax/visit.h"

/* ---- assignments ---- */

static void print_elements(struct printer *p, const struct assign *elements) {
        buf_char(p->out, '(');
        for (; elements; elements = elements->next) {
                print_assign(p, elements);
                if (elements->next)
                        buf_char(p->out, ' ');
        }
        buf_char(p->out, ')');
}

void print_assign(struct printer *p, const struct assign *assign) {
        buf_append(p->out, assign->name);
        if (assign->index) {
                buf_char(p->out, '[');
                print_word(p, assign->index);
                buf_char(p->out, ']');
        }
        if (assign->name.len || assign->index)
                print_text(p, assign->append ? "+=" : "=");
        if (assign->compound)
                print_elements(p, assign->elements);
        if (assign->value)
                print_word(p, assign->value);
}

/* ---- redirections ---- */

/* Without a space before the target, unless it would be misread. */
static bool operator_tight(enum redir_op op) {
        return op == REDIR_DUP_INPUT || op == REDIR_DUP_OUTPUT || op == REDIR_HEREDOC || op == REDIR_HEREDOC_TABS;
}

/* `<<-x` and `<<<(x)` are not `<< -x` and `<< <(x)`. */
static bool target_needs_space(const struct redir *redir) {
        const struct part *first = redir->target->parts;

        if (first && first->kind == PART_COMMAND)
                return first->style == STYLE_INPUT || first->style == STYLE_OUTPUT;
        return first && first->kind == PART_LITERAL && redir->heredoc && first->text.len && first->text.ptr[0] == '-';
}

/* Whether the word's text is all there is to it. An expansion in a delimiter is none: bash takes its source for the
 * text. */
static bool parts_are_text(const struct part *parts) {
        for (; parts; parts = parts->next)
                if (parts->kind == PART_DOUBLE ? !parts_are_text(parts->parts)
                                               : parts->kind != PART_LITERAL && parts->kind != PART_QUOTED)
                        return false;
        return true;
}

/* Puts a tab before each line from `start` on, which <<- takes away again. */
static void indent_lines(struct buf *text, struct str lines) {
        size_t end;

        for (; lines.len; lines = str_skip(lines, end)) {
                end = str_find(lines, '\n');
                if (end > 0)
                        buf_char(text, '\t');
                end = end < lines.len ? end + 1 : end;
                buf_append(text, str_take(lines, end));
        }
}

/* A line with this delimiter, behind a tab or not, would end a document that we are inside of. */
static bool delimiter_taken(const struct printer *p, struct str delimiter, bool tabs) {
        for (; p; p = p->outer)
                if (p->delimiter.len && str_eq(p->delimiter, delimiter) && (p->tabs || !tabs))
                        return true;
        return false;
}

/* The end of a document; inside parentheses, the closing one may stand on the delimiter's line. */
static void print_delimiter(struct printer *p, const struct heredoc *heredoc, bool tabs, struct buf *text) {
        if (text->len > 0 && text->ptr[text->len - 1] != '\n')
                buf_char(text, '\n');
        buf_append(text, heredoc->delimiter);
        p->open = p->closed && delimiter_taken(p, heredoc->delimiter, tabs);
        if (!p->open)
                buf_char(text, '\n');
}

/*
 * One that the end of the text ended stays so, if this text's end is the end of all: then its body is not changed by a
 * newline and a delimiter that were not there.
 */
static void print_document(struct printer *p, const struct heredoc *heredoc, bool tabs) {
        struct printer inner;
        BUF_AUTO text;

        buf_init(&text, p->out->max);
        print_init(&inner, p, &text);
        inner.delimiter = heredoc->delimiter;
        inner.tabs = tabs;
        if (heredoc->quoted && heredoc->body.parts)
                buf_append(&text, heredoc->body.parts->text);
        else
                print_parts(&inner, heredoc->body.parts, QUOTING_DOCUMENT);
        print_finish(&inner);
        p->open = !heredoc->terminated && (!p->closed || text.len == 0);
        if (!p->open)
                print_delimiter(p, heredoc, tabs, &text);
        if (tabs)
                indent_lines(&p->documents, buf_str(&text));
        else
                buf_append(&p->documents, buf_str(&text));
        p->documents.failed |= text.failed;
}

void print_redir(struct printer *p, const struct redir *redir) {
        if (redir->fd_name.len) {
                buf_char(p->out, '{');
                buf_append(p->out, redir->fd_name);
                if (redir->fd_index) {
                        buf_char(p->out, '[');
                        print_word(p, redir->fd_index);
                        buf_char(p->out, ']');
                }
                buf_char(p->out, '}');
        } else if (redir->fd >= 0) {
                buf_format(p->out, "%d", (int)redir->fd);
        }
        print_text(p, shell_redir_text(redir->op));
        if (!operator_tight(redir->op) || target_needs_space(redir))
                buf_char(p->out, ' ');
        if (redir->heredoc && !parts_are_text(redir->target->parts))
                print_source(p, redir->target->range);
        else
                print_word(p, redir->target);
        if (redir->heredoc)
                print_document(p, redir->heredoc, redir->op == REDIR_HEREDOC_TABS);
}
