/*
 * Where an extended glob or a group of a regular expression ends. bash looks for the parenthesis that closes it by
 * counting, quotes aside, and knows nothing of the substitutions inside; we read these as what they are. Where that
 * comes to another end (a parenthesis in a comment, in a case, in ${x:-)}), a command could hide in what we take for a
 * pattern. Such a text is refused.
 */
#include "bash/syntax/parser.h"
#include "bash/syntax/visit.h"

struct quotes {
        struct range range; /* of the substitution */
        bool *quoted;       /* by offset in it */
};

static bool is_quote(const struct part *part) {
        return part->kind == PART_QUOTED || part->kind == PART_DOUBLE ||
               (part->kind == PART_COMMAND && part->style == STYLE_BACKTICK);
}

/* A quote inside $(...) is one to the counting, too. Not so in the body of a heredoc. */
static int mark_quotes(const struct node *node, void *data) {
        const struct quotes *quotes = data;

        if (node->role == ROLE_DOCUMENT)
                return 0;
        if (node->kind != NODE_PART || !is_quote(node->part))
                return shell_visit_children(node, mark_quotes, data);
        for (uint32_t i = node->part->range.start; i < node->part->range.end; i++)
                if (i >= quotes->range.start && i < quotes->range.end)
                        quotes->quoted[i - quotes->range.start] = true;
        return 0;
}

/* Whether the parentheses outside quotes are balanced, and every byte that quotes belongs to a quote we know. */
static bool counts_evenly(const char *text, const struct quotes *quotes) {
        uint32_t depth = 0, len = quotes->range.end - quotes->range.start;

        for (uint32_t i = 0; i < len; i++) {
                if (quotes->quoted[i])
                        continue;
                if (text[i] == '\\' && i + 1 < len && text[i + 1] == '\n')
                        i++;
                else if (text[i] && strchr("'\"`\\", text[i]))
                        return false;
                else if (text[i] == '(')
                        depth++;
                else if (text[i] == ')' && depth-- == 0)
                        return false;
        }
        return depth == 0;
}

static bool same_end(struct parser *p, const struct part *part) {
        struct node node = { .kind = NODE_PART, .role = ROLE_PART, .part = part };
        struct arena_mark mark = arena_mark(p->arena);
        struct quotes quotes = { .range = part->range };
        size_t len = part->range.end - part->range.start;
        bool same;

        shell_looked(p, len, len / 2); /* each node in it, too */
        quotes.quoted = shell_new(p, len);
        shell_visit_children(&node, mark_quotes, &quotes);
        same = counts_evenly(p->root.ptr + part->range.start, &quotes);
        arena_rewind(p->arena, mark);
        return same;
}

void shell_counted(struct parser *p, const struct part *parts) {
        for (; parts; parts = parts->next) {
                bool plain =
                        parts->kind == PART_LITERAL || is_quote(parts) || (parts->kind == PART_PARAM && !parts->param->braced);

                if (!plain && !same_end(p, parts))
                        shell_fail(p, SYNTAX_TOO_COMPLEX, p->pos,
                                   "too complex: parentheses in a pattern that bash counts otherwise");
        }
}
