/*
 * The entry, errors and limits, and lists: lines, && and ||, pipelines, simple commands.
 */
#include "bash/syntax/parse.h"

#include <stdarg.h>
#include <stdio.h>

#include "bash/syntax/parser.h"

/* ---- errors and limits ---- */

_Noreturn void shell_fail(struct parser *p, enum syntax_kind kind, uint32_t pos, const char *format, ...) {
        va_list args;

        p->error = (struct syntax_error){ .kind = kind, .offset = shell_range(p, pos, pos).start };
        va_start(args, format);
        vsnprintf(p->error.message, sizeof(p->error.message), format, args);
        va_end(args);
        longjmp(*p->catcher, 1);
}

_Noreturn void shell_unexpected(struct parser *p, const char *expected) {
        struct token *t = shell_token(p);
        struct range at = shell_range(p, t->start, t->end);
        int shown = at.end - at.start > 30 ? 30 : (int)(at.end - at.start);
        const char *before = expected ? ", expected " : "";

        if (!expected)
                expected = "";
        p->unfinished = t->kind == TOKEN_END;
        if (p->unfinished)
                shell_fail(p, SYNTAX_ERROR, t->start, "unexpected end of input%s%s", before, expected);
        if (t->kind == TOKEN_NEWLINE)
                shell_fail(p, SYNTAX_ERROR, t->start, "unexpected newline%s%s", before, expected);
        shell_fail(p, SYNTAX_ERROR, t->start, "unexpected `%.*s'%s%s", shown, p->root.ptr + at.start, before, expected);
}

_Noreturn void shell_unclosed(struct parser *p, uint32_t start, const char *open, const char *close) {
        p->unfinished = true;
        shell_fail(p, SYNTAX_ERROR, start, "%s is not closed: no matching %s before the end", open, close);
}

static void check_work(struct parser *p, size_t more) {
        size_t budget = p->arena->used - p->arena_start + p->looked + more;

        if (budget > SHELL_MAX_PER_BYTE * p->root.len + SHELL_MAX_MORE)
                shell_fail(p, SYNTAX_TOO_COMPLEX, p->pos, "too complex: texts inside texts have to be read too often");
}

void *shell_new(struct parser *p, size_t size) {
        void *node;

        check_work(p, size);
        node = arena_alloc(p->arena, size);
        if (!node)
                shell_fail(p, SYNTAX_NO_MEMORY, p->pos, "out of memory");
        return node;
}

void shell_looked(struct parser *p, size_t bytes, size_t lines) {
        p->looked += 2 * bytes + 16 * lines; /* that many bytes of nodes take about as long */
        check_work(p, 0);
}

void shell_enter(struct parser *p) {
        if (++p->depth > SHELL_MAX_DEPTH)
                shell_fail(p, SYNTAX_TOO_COMPLEX, p->pos, "too complex: nested more than %d deep", SHELL_MAX_DEPTH);
}

void shell_leave(struct parser *p) {
        p->depth--;
}

bool shell_catch(struct parser *p, void (*body)(struct parser *, void *), void *arg) {
        const struct parser saved = *p;
        jmp_buf here;
        bool ok = true;

        if (setjmp(here) == 0) {
                p->catcher = &here;
                body(p, arg);
        } else if (p->error.kind != SYNTAX_ERROR && p->error.kind != SYNTAX_CONDITION) {
                p->catcher = saved.catcher;
                longjmp(*p->catcher, 1);
        } else {
                p->error.kind = SYNTAX_OK;
                ok = false;
        }
        p->catcher = saved.catcher;
        p->in = saved.in;
        p->pos = saved.pos;
        p->depth = saved.depth;
        p->attempts = saved.attempts;
        p->stretch_end = saved.stretch_end;
        p->extglob = saved.extglob;
        p->lex = saved.lex;
        p->unfinished = saved.unfinished;
        return ok;
}

/* ---- simple commands ---- */

/* f ( ) body: the name is read, the parenthesis is next. */
static struct command *function_with_parens(struct parser *p, struct command *c, struct str name) {
        struct function *f = SHELL_NEW(p, struct function);

        f->name = name;
        f->name_range = c->simple.words->range;
        p->lex.declares = false;
        shell_take(p);
        if (shell_token(p)->kind != TOKEN_CLOSE)
                shell_unexpected(p, "`)' of a function definition");
        shell_take(p);
        while (shell_token(p)->kind == TOKEN_NEWLINE)
                shell_take(p);
        c->kind = COMMAND_FUNCTION;
        c->function = f;
        if (!shell_compound_starts(shell_token(p)->kind))
                shell_unexpected(p, "a compound command as the function's body");
        f->body = shell_compound(p);
        c->range.end = f->body->range.end;
        return c;
}

/* The builtins whose arguments may be spelled a=(...). */
bool shell_word_declares(const struct word *w) {
        static const char *const names[] = { "alias", "declare", "eval", "export", "let", "local", "readonly", "typeset" };

        if (!w->parts || w->parts->kind != PART_LITERAL || !strchr("adelrt", w->parts->text.ptr[0]))
                return false;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (shell_word_is(w, names[i]))
                        return true;
        return false;
}

struct redir **shell_redir(struct parser *p, struct redir **tail) {
        struct redir *r = shell_token(p)->redir;
        unsigned pending = p->lex.pending_count;
        struct token *t;

        shell_take(p);
        p->lex.want_fd = r->op == REDIR_DUP_INPUT || r->op == REDIR_DUP_OUTPUT;
        t = shell_token(p);
        p->lex.want_fd = false;
        if (t->kind != TOKEN_WORD)
                shell_unexpected(p, "a word after the redirection");
        r->target = t->word;
        r->range.end = t->word->range.end;
        if (r->op == REDIR_HEREDOC || r->op == REDIR_HEREDOC_TABS) {
                if (p->lex.pending_count != pending)
                        shell_fail(p, SYNTAX_TOO_COMPLEX, t->start,
                                   "too complex: a here-document begins in the delimiter of another");
                shell_heredoc_start(p, r);
        }
        shell_take(p);
        *tail = r;
        return &r->next;
}

static bool starts_function(struct parser *p, const struct command *c) {
        return c->simple.words && !c->simple.words->next && !c->simple.assigns && !c->redirs &&
               shell_token(p)->kind == TOKEN_OPEN;
}

struct command *shell_simple(struct parser *p, struct word *first) {
        struct command *c = SHELL_NEW(p, struct command);
        struct redir **redir = &c->redirs;
        struct assign **assign = &c->simple.assigns;
        struct word **word = &c->simple.words;

        c->range = first ? first->range : shell_range(p, shell_token(p)->start, shell_token(p)->end);
        if (first) {
                *word = first;
                word = &first->next;
                p->lex.declares = shell_word_declares(first);
        }
        for (;;) {
                struct token *t = shell_token(p);
                uint32_t start = t->start, end = t->end;

                if (t->kind == TOKEN_REDIR) {
                        struct redir *r = t->redir;

                        redir = shell_redir(p, redir);
                        c->range.end = r->range.end;
                        p->lex.after_redir = !c->simple.words;
                        continue;
                }
                if (t->kind != TOKEN_WORD && t->kind != TOKEN_ASSIGN)
                        break;
                if (t->assign) {
                        *assign = t->assign;
                        assign = &t->assign->next;
                }
                if (t->word) {
                        p->lex.declares |= !c->simple.words && shell_word_declares(t->word);
                        p->lex.after_redir = false;
                        *word = t->word;
                        word = &t->word->next;
                }
                c->range.end = shell_range(p, start, end).end;
                shell_take(p);
                if (!first && starts_function(p, c))
                        return function_with_parens(p, c, shell_text(p, start, end));
        }
        p->lex.after_redir = p->lex.declares = false;
        return c;
}

struct command *shell_command(struct parser *p) {
        enum token_kind kind = shell_token(p)->kind;

        if (shell_compound_starts(kind) || kind == TOKEN_FUNCTION || kind == TOKEN_COPROC)
                return shell_compound(p);
        if (kind != TOKEN_WORD && kind != TOKEN_ASSIGN && kind != TOKEN_REDIR)
                shell_unexpected(p, NULL);
        return shell_simple(p, NULL);
}

/* ---- lists ---- */

static void skip_newlines(struct parser *p) {
        while (shell_token(p)->kind == TOKEN_NEWLINE)
                shell_take(p);
}

static void chain_add(struct chain *chain, struct command *c) {
        if (chain->last)
                chain->last->next = c;
        else
                chain->first = c;
        chain->last = c;
}

/* ! and time, in any number and order, before a pipeline. */
static bool pipeline_prefix(struct parser *p, struct command *flags) {
        bool any = false;

        for (;; any = true) {
                struct token *t = shell_token(p);

                if (t->kind == TOKEN_BANG) {
                        flags->negated = !flags->negated;
                        shell_take(p);
                } else if (t->kind == TOKEN_TIME) {
                        flags->timed = true;
                        shell_take(p);
                        t = shell_token(p);
                        if (t->kind == TOKEN_WORD && shell_word_is(t->word, "-p")) {
                                flags->timed_posix = true;
                                shell_take(p);
                                p->lex.last = TOKEN_TIME;
                                t = shell_token(p);
                        }
                        if (t->kind == TOKEN_WORD && shell_word_is(t->word, "--")) {
                                shell_take(p);
                                p->lex.last = TOKEN_TIME;
                        }
                } else {
                        return any;
                }
        }
}

static void pipeline(struct parser *p, struct chain *chain) {
        struct command flags = { .kind = COMMAND_SIMPLE };
        uint32_t start = shell_token(p)->start;
        bool prefixed = pipeline_prefix(p, &flags);
        enum token_kind kind = shell_token(p)->kind;
        struct command *c;

        if (prefixed && (kind == TOKEN_SEMICOLON || kind == TOKEN_NEWLINE || kind == TOKEN_END ||
                         (kind == TOKEN_CLOSE && p->lex.in_substitution && flags.timed))) {
                c = SHELL_NEW(p, struct command); /* `! ;` is a command that does nothing */
                c->range = shell_range(p, start, shell_token(p)->start);
        } else {
                c = shell_command(p);
        }
        c->negated = flags.negated;
        c->timed = flags.timed;
        c->timed_posix = flags.timed_posix;
        chain_add(chain, c);
        while ((kind = shell_token(p)->kind) == TOKEN_PIPE || kind == TOKEN_PIPE_BOTH) {
                chain->last->join = kind == TOKEN_PIPE ? JOIN_PIPE : JOIN_PIPE_BOTH;
                shell_take(p);
                skip_newlines(p);
                chain_add(chain, shell_command(p));
        }
}

/* What may follow the last command of a list. */
static bool list_ends(enum token_kind kind) {
        switch (kind) {
        case TOKEN_END:
        case TOKEN_CLOSE:
        case TOKEN_CASE_BREAK:
        case TOKEN_CASE_FALL:
        case TOKEN_CASE_RETEST:
        case TOKEN_BRACE_CLOSE:
        case TOKEN_DO:
        case TOKEN_DONE:
        case TOKEN_ELIF:
        case TOKEN_ELSE:
        case TOKEN_ESAC:
        case TOKEN_FI:
        case TOKEN_THEN:
                return true;
        default:
                return false;
        }
}

/* Commands up to a closing token, or when `one_line` is set, up to the end of the line. */
static void list(struct parser *p, struct chain *chain, bool one_line) {
        for (;;) {
                enum token_kind kind;

                pipeline(p, chain);
                kind = shell_token(p)->kind;
                if (kind == TOKEN_AND || kind == TOKEN_OR) {
                        chain->last->join = kind == TOKEN_AND ? JOIN_AND : JOIN_OR;
                        shell_take(p);
                        skip_newlines(p);
                        continue;
                }
                if (kind == TOKEN_AMPERSAND)
                        chain->last->join = JOIN_BACKGROUND;
                if (kind == TOKEN_AMPERSAND || kind == TOKEN_SEMICOLON || (kind == TOKEN_NEWLINE && !one_line))
                        shell_take(p);
                else
                        return;
                if (!one_line)
                        skip_newlines(p);
                kind = shell_token(p)->kind;
                if (list_ends(kind) || kind == TOKEN_NEWLINE)
                        return;
        }
}

struct command *shell_list(struct parser *p) {
        struct chain chain = { 0 };

        skip_newlines(p);
        list(p, &chain, false);
        return chain.first;
}

/* bash runs each line before it reads the next, so that this changes how the next one reads. */
static void notice_extglob(struct parser *p, const struct command *line) {
        for (; line; line = line->next) {
                const struct word *w = line->kind == COMMAND_SIMPLE ? line->simple.words : NULL;

                if (!w || !w->next || !shell_word_is(w, "shopt") || !shell_word_is(w->next, "-s"))
                        continue;
                for (w = w->next->next; w; w = w->next)
                        p->extglob |= shell_word_is(w, "extglob");
        }
}

void shell_lines(struct parser *p, struct chain *chain) {
        for (;;) {
                enum token_kind kind;

                skip_newlines(p);
                if (shell_token(p)->kind == TOKEN_END || (p->lex.in_substitution && shell_token(p)->kind == TOKEN_CLOSE))
                        break;
                list(p, chain, true);
                kind = shell_token(p)->kind;
                if (kind != TOKEN_NEWLINE && kind != TOKEN_END && !(p->lex.in_substitution && kind == TOKEN_CLOSE))
                        shell_unexpected(p, NULL);
                notice_extglob(p, chain->complete ? chain->complete->next : chain->first);
                chain->complete = chain->last;
        }
}

/* ---- the entry ---- */

static void locate(struct str source, struct syntax_error *error) {
        error->line = error->column = 1;
        for (uint32_t i = 0; i < error->offset; i++) {
                error->column++;
                if (source.ptr[i] == '\n') {
                        error->line++;
                        error->column = 1;
                }
        }
}

static void parse_all(struct parser *p, void *arg) {
        const char *nul = p->in.end ? memchr(p->in.text, '\0', p->in.end) : NULL;

        if (p->root.len > SHELL_MAX_BYTES)
                shell_fail(p, SYNTAX_TOO_COMPLEX, 0, "too complex: %zu bytes, at most %d are read", p->root.len,
                           SHELL_MAX_BYTES);
        if (nul)
                shell_fail(p, SYNTAX_ERROR, (uint32_t)(nul - p->in.text), "NUL byte: a command cannot hold one");
        shell_lines(p, arg);
}

/* A function of its own: what setjmp's caller changes after it may be lost, what it points to may not. */
static void parse_guarded(struct parser *p, struct chain *chain) {
        jmp_buf here;

        p->catcher = &here;
        if (setjmp(here) == 0)
                parse_all(p, chain);
        p->catcher = NULL;
}

int shell_parse(struct str source, struct arena *arena, struct script *script) {
        uint32_t size = source.len > SHELL_MAX_BYTES ? 0 : (uint32_t)source.len;
        struct parser p = { .arena = arena, .arena_start = arena->used, .root = source };
        struct chain chain = { 0 };
        struct notes notes = { 0 };

        p.in = (struct source){ .text = source.ptr, .end = size, .size = size, .notes = &notes };
        p.lex.pending_tail = &p.lex.pending;
        *script = (struct script){ .source = source };
        parse_guarded(&p, &chain);
        script->commands = chain.first;
        script->unfinished = p.error.kind == SYNTAX_OK ? p.open_heredoc : p.error.kind == SYNTAX_ERROR && p.unfinished;
        if (p.error.kind == SYNTAX_OK)
                return 0;
        if (chain.complete)
                chain.complete->next = NULL;
        else
                script->commands = NULL;
        locate(source, &p.error);
        script->error = p.error;
        return -1;
}
