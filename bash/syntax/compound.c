/*
 * Compound commands: subshells, groups, if, loops, case, functions, coprocesses.
 */
#include "bash/syntax/parser.h"

bool shell_compound_starts(enum token_kind kind) {
        switch (kind) {
        case TOKEN_OPEN:
        case TOKEN_ARITH:
        case TOKEN_BRACE_OPEN:
        case TOKEN_CASE:
        case TOKEN_COND_OPEN:
        case TOKEN_FOR:
        case TOKEN_IF:
        case TOKEN_SELECT:
        case TOKEN_UNTIL:
        case TOKEN_WHILE:
                return true;
        default:
                return false;
        }
}

static void expect(struct parser *p, enum token_kind kind, const char *what) {
        if (shell_token(p)->kind != kind)
                shell_unexpected(p, what);
        shell_take(p);
}

static void skip_newlines(struct parser *p) {
        while (shell_token(p)->kind == TOKEN_NEWLINE)
                shell_take(p);
}

/* A word that is special only in this place, as `in` after `for x`. */
static bool next_is(struct parser *p, enum token_kind reserved, const char *text) {
        struct token *t = shell_token(p);

        return t->kind == reserved || (t->kind == TOKEN_WORD && shell_word_is(t->word, text));
}

/* The word at hand as bash keeps it for a name: as it is written, but for \newline and the escapes of backticks. */
static struct str token_source(struct parser *p) {
        const struct token *t = shell_token(p);

        return shell_text(p, t->start, t->end);
}

/* ---- bodies ---- */

static struct command *between(struct parser *p, enum token_kind close, const char *what) {
        struct command *body;

        shell_take(p);
        body = shell_list(p);
        expect(p, close, what);
        return body;
}

/* do ... done, or the undocumented { ... } that bash takes instead. */
static struct command *loop_body(struct parser *p) {
        if (shell_token(p)->kind == TOKEN_BRACE_OPEN)
                return between(p, TOKEN_BRACE_CLOSE, "`}'");
        if (!next_is(p, TOKEN_DO, "do"))
                shell_unexpected(p, "`do'");
        p->lex.token.kind = TOKEN_DO;
        return between(p, TOKEN_DONE, "`done'");
}

/* ---- if, while, until ---- */

static void parse_if(struct parser *p, struct command *c) {
        struct if_clause **tail = &c->clauses;

        do {
                struct if_clause *clause = SHELL_NEW(p, struct if_clause);

                *tail = clause;
                tail = &clause->next;
                shell_take(p);
                clause->condition = shell_list(p);
                if (shell_token(p)->kind != TOKEN_THEN)
                        shell_unexpected(p, "`then'");
                shell_take(p);
                clause->body = shell_list(p);
        } while (shell_token(p)->kind == TOKEN_ELIF);
        if (shell_token(p)->kind == TOKEN_ELSE) {
                *tail = SHELL_NEW(p, struct if_clause);
                shell_take(p);
                (*tail)->body = shell_list(p);
        }
        expect(p, TOKEN_FI, "`fi'");
}

static void parse_while(struct parser *p, struct command *c) {
        shell_take(p);
        c->loop.condition = shell_list(p);
        if (shell_token(p)->kind != TOKEN_DO)
                shell_unexpected(p, "`do'");
        c->loop.body = between(p, TOKEN_DONE, "`done'");
}

/* ---- for, select ---- */

/* Parts of (( a; b; c )) into three, at the semicolons outside quotes and substitutions. */
static void split_arith(struct parser *p, const struct part *all, struct part *ret[3], uint32_t pos) {
        struct part_list lists[3] = { 0 };
        unsigned which = 0;

        for (const struct part *part = all->parts; part; part = part->next) {
                struct str rest = part->kind == PART_LITERAL ? part->text : (struct str){ 0 };

                do {
                        size_t semicolon = str_find(rest, ';');
                        struct part *piece = shell_part(p, &lists[which], part->kind, part->style, pos);

                        *piece = *part;
                        piece->next = NULL;
                        if (part->kind == PART_LITERAL)
                                piece->text = str_take(rest, semicolon);
                        if (semicolon == rest.len)
                                break;
                        if (++which > 2)
                                break;
                        rest = str_skip(rest, semicolon + 1);
                } while (true);
                if (which > 2)
                        break;
        }
        if (which != 2)
                shell_fail(p, SYNTAX_ERROR, pos, "expected three expressions, as in ((a; b; c))");
        for (unsigned i = 0; i < 3; i++) {
                ret[i] = SHELL_NEW(p, struct part);
                *ret[i] = (struct part){ .kind = PART_ARITH, .range = all->range, .parts = lists[i].first };
        }
}

static void for_arith(struct parser *p, struct command *c) {
        struct token *t = shell_token(p);

        c->kind = COMMAND_FOR_ARITH;
        split_arith(p, t->arith, c->each->arith, t->start);
        shell_take(p);
        if (shell_token(p)->kind == TOKEN_SEMICOLON)
                shell_take(p);
        skip_newlines(p);
        c->each->body = loop_body(p);
}

static void for_words(struct parser *p, struct for_clause *each) {
        struct word **tail = &each->words;

        shell_take(p); /* in */
        each->has_in = true;
        p->lex.last = TOKEN_IN;
        while (shell_token(p)->kind == TOKEN_WORD) {
                *tail = shell_token(p)->word;
                tail = &(*tail)->next;
                shell_take(p);
        }
        if (shell_token(p)->kind != TOKEN_SEMICOLON && shell_token(p)->kind != TOKEN_NEWLINE)
                shell_unexpected(p, "`;' or a newline after the words of the loop");
        shell_take(p);
}

static void parse_for(struct parser *p, struct command *c) {
        c->each = SHELL_NEW(p, struct for_clause);
        shell_take(p);
        if (c->kind == COMMAND_FOR && shell_token(p)->kind == TOKEN_ARITH) {
                for_arith(p, c);
                return;
        }
        if (shell_token(p)->kind != TOKEN_WORD)
                shell_unexpected(p, "the name of a variable");
        c->each->name = token_source(p);
        shell_take(p);
        if (shell_token(p)->kind == TOKEN_SEMICOLON) {
                shell_take(p);
        } else {
                skip_newlines(p);
                if (next_is(p, TOKEN_IN, "in"))
                        for_words(p, c->each);
        }
        skip_newlines(p);
        c->each->body = loop_body(p);
}

/* ---- case ---- */

static struct word *case_patterns(struct parser *p) {
        struct word *first = NULL, **tail = &first;

        if (shell_token(p)->kind == TOKEN_OPEN)
                shell_take(p);
        for (;;) {
                if (shell_token(p)->kind != TOKEN_WORD)
                        shell_unexpected(p, "a pattern");
                *tail = shell_token(p)->word;
                tail = &(*tail)->next;
                shell_take(p);
                if (shell_token(p)->kind != TOKEN_PIPE)
                        break;
                shell_take(p);
        }
        expect(p, TOKEN_CLOSE, "`)' after the pattern");
        p->lex.in_case_pattern = false;
        return first;
}

static bool case_item_end(struct parser *p, struct case_item *item) {
        switch (shell_token(p)->kind) {
        case TOKEN_CASE_BREAK:
                item->end = CASE_BREAK;
                break;
        case TOKEN_CASE_FALL:
                item->end = CASE_FALL;
                break;
        case TOKEN_CASE_RETEST:
                item->end = CASE_RETEST;
                break;
        default:
                return false;
        }
        shell_take(p);
        return true;
}

static void parse_case(struct parser *p, struct command *c) {
        struct case_item **tail;

        c->choice = SHELL_NEW(p, struct case_clause);
        tail = &c->choice->items;
        shell_take(p);
        if (shell_token(p)->kind != TOKEN_WORD)
                shell_unexpected(p, "a word");
        c->choice->subject = shell_token(p)->word;
        shell_take(p);
        skip_newlines(p);
        if (!next_is(p, TOKEN_IN, "in"))
                shell_unexpected(p, "`in'");
        p->lex.token.kind = TOKEN_IN;
        shell_take(p);
        for (bool more = true; more;) {
                struct case_item *item;

                p->lex.in_case_pattern = true;
                skip_newlines(p);
                if (shell_token(p)->kind == TOKEN_ESAC)
                        break;
                item = SHELL_NEW(p, struct case_item);
                item->patterns = case_patterns(p);
                skip_newlines(p);
                if (!(more = case_item_end(p, item)) && shell_token(p)->kind != TOKEN_ESAC) {
                        item->body = shell_list(p);
                        more = case_item_end(p, item);
                }
                *tail = item;
                tail = &item->next;
        }
        p->lex.in_case_pattern = false;
        expect(p, TOKEN_ESAC, "`esac'");
}

/* ---- functions, coprocesses ---- */

/* The byte after the parenthesis and any blanks: `()` belongs to the name, `(ls)` is the body. */
static bool empty_parens_next(struct parser *p) {
        uint32_t pos = p->pos;

        if (shell_token(p)->kind != TOKEN_OPEN)
                return false;
        for (pos = shell_joined(p, p->pos); pos < p->in.end; pos = shell_joined(p, pos + 1))
                if (!(shell_byte_class[(unsigned char)p->in.text[pos]] & BYTE_BLANK))
                        return p->in.text[pos] == ')';
        return false;
}

static void parse_function(struct parser *p, struct command *c) {
        struct function *f = SHELL_NEW(p, struct function);

        c->function = f;
        shell_take(p);
        if (shell_token(p)->kind != TOKEN_WORD)
                shell_unexpected(p, "the name of a function");
        f->name = token_source(p);
        f->name_range = shell_token(p)->word->range;
        shell_take(p);
        if (empty_parens_next(p)) {
                shell_take(p);
                expect(p, TOKEN_CLOSE, "`)'");
        }
        skip_newlines(p);
        if (!shell_compound_starts(shell_token(p)->kind))
                shell_unexpected(p, "a compound command as the function's body");
        f->body = shell_compound(p);
}

static void parse_coproc(struct parser *p, struct command *c) {
        struct word *first;
        struct str name;

        c->coproc = SHELL_NEW(p, struct coproc);
        shell_take(p);
        if (shell_token(p)->kind == TOKEN_COPROC || shell_token(p)->kind == TOKEN_FUNCTION)
                shell_unexpected(p, "a command");
        if (shell_token(p)->kind != TOKEN_WORD) {
                c->coproc->body = shell_command(p);
                return;
        }
        first = shell_token(p)->word;
        name = token_source(p);
        p->lex.declares = shell_word_declares(first); /* should it be the command's, the next token may be a=(...) */
        shell_take(p);
        if (shell_compound_starts(shell_token(p)->kind)) {
                p->lex.declares = false;
                c->coproc->name = name;
                c->coproc->body = shell_compound(p);
        } else {
                c->coproc->body = shell_simple(p, first);
        }
}

/* ---- all of them ---- */

static const struct {
        uint8_t token, kind;
        void (*parse)(struct parser *, struct command *);
} compounds[] = {
        { TOKEN_CASE, COMMAND_CASE, parse_case },    { TOKEN_COPROC, COMMAND_COPROC, parse_coproc },
        { TOKEN_FOR, COMMAND_FOR, parse_for },       { TOKEN_FUNCTION, COMMAND_FUNCTION, parse_function },
        { TOKEN_IF, COMMAND_IF, parse_if },          { TOKEN_SELECT, COMMAND_SELECT, parse_for },
        { TOKEN_UNTIL, COMMAND_UNTIL, parse_while }, { TOKEN_WHILE, COMMAND_WHILE, parse_while },
};

void shell_redirs(struct parser *p, struct command *c) {
        struct redir **tail = &c->redirs;

        while (shell_token(p)->kind == TOKEN_REDIR) {
                tail = shell_redir(p, tail);
                c->range.end = shell_range(p, p->pos - 1, p->pos).end;
        }
}

static void compound_inside(struct parser *p, struct command *c) {
        struct token *t = shell_token(p);

        switch (t->kind) {
        case TOKEN_OPEN:
                c->kind = COMMAND_SUBSHELL;
                c->body = between(p, TOKEN_CLOSE, "`)'");
                return;
        case TOKEN_BRACE_OPEN:
                c->kind = COMMAND_GROUP;
                c->body = between(p, TOKEN_BRACE_CLOSE, "`}'");
                return;
        case TOKEN_ARITH:
                c->kind = COMMAND_ARITH;
                c->arith = t->arith;
                shell_take(p);
                return;
        case TOKEN_COND_OPEN:
                c->kind = COMMAND_COND;
                c->cond = shell_cond(p);
                shell_take(p);
                return;
        default:
                break;
        }
        for (size_t i = 0; i < sizeof(compounds) / sizeof(*compounds); i++) {
                if (compounds[i].token != t->kind)
                        continue;
                c->kind = compounds[i].kind;
                compounds[i].parse(p, c);
                return;
        }
        shell_unexpected(p, NULL);
}

struct command *shell_compound(struct parser *p) {
        struct command *c = SHELL_NEW(p, struct command);
        bool in_case_pattern = p->lex.in_case_pattern;
        uint32_t start = shell_token(p)->start;

        shell_enter(p);
        compound_inside(p, c);
        shell_leave(p);
        p->lex.in_case_pattern = in_case_pattern;
        c->range = shell_range(p, start, p->pos);
        if (c->kind == COMMAND_FUNCTION)
                c->range.end = c->function->body->range.end;
        else if (c->kind == COMMAND_COPROC)
                c->range.end = c->coproc->body->range.end;
        else
                shell_redirs(p, c);
        return c;
}
