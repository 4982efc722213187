/*
 * [[ ... ]]. Most errors in here are special: bash complains, drops the rest of the input, and still exits with 0.
 */
#include "bash/syntax/parser.h"

static struct cond *cond_or(struct parser *p);

static _Noreturn void cond_fail(struct parser *p, enum syntax_kind kind, const char *expected) {
        struct token *t = shell_token(p);

        if (t->kind == TOKEN_END || (t->kind == TOKEN_NEWLINE && p->pos == p->in.end))
                kind = SYNTAX_ERROR;
        shell_fail(p, kind, t->start, "in [[ ]]: expected %s", expected);
}

static void skip_newlines(struct parser *p) {
        while (shell_token(p)->kind == TOKEN_NEWLINE)
                shell_take(p);
}

static struct cond *cond_new(struct parser *p, enum cond_kind kind) {
        struct cond *cond = SHELL_NEW(p, struct cond);
        const struct token *t = shell_token(p);

        cond->kind = kind;
        cond->range = shell_range(p, t->start, t->end);
        return cond;
}

static struct str literal_text(const struct word *word) {
        if (!word->parts || word->parts->next || word->parts->kind != PART_LITERAL)
                return (struct str){ 0 };
        return word->parts->text;
}

static bool is_unary(const struct word *word) {
        struct str text = literal_text(word);

        return text.len == 2 && text.ptr[0] == '-' && strchr("abcdefghknoprstuvwxzGLNORS", text.ptr[1]);
}

static bool is_binary(struct str op) {
        static const char *const ops[] = {
                "=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"
        };

        for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
                if (str_is(op, ops[i]))
                        return true;
        return false;
}

static struct word *take_word(struct parser *p, enum syntax_kind kind, const char *expected) {
        struct word *word = shell_token(p)->word;

        if (shell_token(p)->kind != TOKEN_WORD)
                cond_fail(p, kind, expected);
        shell_take(p);
        return word;
}

static struct cond *cond_binary(struct parser *p, struct cond *cond) {
        struct token *t = shell_token(p);

        if (t->kind == TOKEN_WORD && is_binary(literal_text(t->word))) {
                cond->op = literal_text(t->word);
        } else if (t->kind == TOKEN_REDIR && t->redir->fd < 0 && !t->redir->fd_name.len &&
                   (t->redir->op == REDIR_INPUT || t->redir->op == REDIR_OUTPUT)) {
                cond->op = t->redir->op == REDIR_INPUT ? STR("<") : STR(">");
        } else if (t->kind == TOKEN_COND_CLOSE || t->kind == TOKEN_AND || t->kind == TOKEN_OR || t->kind == TOKEN_CLOSE) {
                return cond;
        } else {
                cond_fail(p, SYNTAX_CONDITION, "a binary operator or ]]");
        }
        cond->kind = COND_BINARY;
        shell_take(p);
        p->lex.in_regex = str_is(cond->op, "=~");
        shell_token(p);
        p->lex.in_regex = false;
        cond->right = take_word(p, str_is(cond->op, "=~") ? SYNTAX_ERROR : SYNTAX_CONDITION, "an operand");
        cond->range.end = cond->right->range.end;
        skip_newlines(p);
        return cond;
}

static struct cond *cond_group(struct parser *p) {
        struct cond *cond = cond_new(p, COND_GROUP);

        shell_take(p);
        shell_enter(p);
        cond->children = cond_or(p);
        shell_leave(p);
        if (shell_token(p)->kind != TOKEN_CLOSE)
                cond_fail(p, SYNTAX_CONDITION, ")");
        cond->range.end = shell_range(p, p->pos - 1, p->pos).end;
        shell_take(p);
        skip_newlines(p);
        return cond;
}

static struct cond *cond_term(struct parser *p) {
        struct cond *cond;
        struct token *t;

        skip_newlines(p);
        t = shell_token(p);
        if (t->kind == TOKEN_OPEN)
                return cond_group(p);
        if (t->kind != TOKEN_WORD)
                cond_fail(p, SYNTAX_CONDITION, "a word");
        cond = cond_new(p, COND_WORD);
        if (shell_word_is(t->word, "!")) {
                cond->kind = COND_NOT;
                shell_take(p);
                shell_enter(p);
                cond->children = cond_term(p);
                shell_leave(p);
                cond->range.end = cond->children->range.end;
                return cond;
        }
        if (is_unary(t->word)) {
                cond->kind = COND_UNARY;
                cond->op = literal_text(t->word);
                shell_take(p);
                cond->left = take_word(p, SYNTAX_CONDITION, "an operand");
                cond->range.end = cond->left->range.end;
                skip_newlines(p);
                return cond;
        }
        cond->left = take_word(p, SYNTAX_CONDITION, "a word");
        cond->range.end = cond->left->range.end;
        return cond_binary(p, cond);
}

/* term && term && ..., or with ||: one node with all of them, so that a long chain is not deep. */
static struct cond *cond_chain(struct parser *p, struct cond *(*term)(struct parser *), enum token_kind joiner,
                               enum cond_kind kind) {
        struct cond *first = term(p), *last = first, *all;

        if (shell_token(p)->kind != joiner)
                return first;
        all = SHELL_NEW(p, struct cond);
        all->kind = kind;
        all->children = first;
        while (shell_token(p)->kind == joiner) {
                shell_take(p);
                last = last->next = term(p);
        }
        all->range = (struct range){ first->range.start, last->range.end };
        return all;
}

static struct cond *cond_and(struct parser *p) {
        return cond_chain(p, cond_term, TOKEN_AND, COND_AND);
}

static struct cond *cond_or(struct parser *p) {
        return cond_chain(p, cond_and, TOKEN_OR, COND_OR);
}

/* The opening [[ is the next token. */
struct cond *shell_cond(struct parser *p) {
        struct cond *cond;

        shell_take(p);
        p->lex.in_cond = true;
        cond = cond_or(p);
        if (shell_token(p)->kind != TOKEN_COND_CLOSE)
                cond_fail(p, SYNTAX_ERROR, "]]");
        p->lex.in_cond = false;
        return cond;
}
