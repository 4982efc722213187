/*
 * Bytes and tokens. Whether a word is reserved depends, as in bash, only on the token before it.
 */
#include "bash/syntax/parser.h"

const uint16_t shell_byte_class[256] = {
        [' '] = BYTE_BLANK,         ['\t'] = BYTE_BLANK,      ['\n'] = BYTE_NEWLINE,   ['|'] = BYTE_OPERATOR,
        ['&'] = BYTE_OPERATOR,      [';'] = BYTE_OPERATOR,    ['('] = BYTE_OPEN_PAREN, [')'] = BYTE_CLOSE_PAREN,
        ['<'] = BYTE_ANGLE,         ['>'] = BYTE_ANGLE,       ['$'] = BYTE_DOLLAR,     ['`'] = BYTE_BACKTICK,
        ['\\'] = BYTE_BACKSLASH,    ['\''] = BYTE_SINGLE,     ['"'] = BYTE_DOUBLE,     ['['] = BYTE_OPEN_BRACKET,
        [']'] = BYTE_CLOSE_BRACKET, ['}'] = BYTE_CLOSE_BRACE, ['/'] = BYTE_SLASH,      [':'] = BYTE_COLON,
};

/* ---- bytes ---- */

uint32_t shell_joined(const struct parser *p, uint32_t pos) {
        while (pos + 1 < p->in.end && p->in.text[pos] == '\\' && p->in.text[pos + 1] == '\n')
                pos += 2;
        return pos;
}

static int byte_at(const struct parser *p, uint32_t pos) {
        pos = shell_joined(p, pos);
        return pos < p->in.end ? (unsigned char)p->in.text[pos] : END_OF_INPUT;
}

int shell_peek(struct parser *p) {
        p->pos = shell_joined(p, p->pos);
        return p->pos < p->in.end ? (unsigned char)p->in.text[p->pos] : END_OF_INPUT;
}

int shell_peek_after(const struct parser *p, uint32_t pos) {
        return byte_at(p, shell_joined(p, pos) + 1);
}

/* What is empty stands right behind the byte before it: escapes of the original may separate it from the next one. */
struct range shell_range_in(const struct source *in, uint32_t start, uint32_t end) {
        uint32_t empty;

        if (!in->map)
                return (struct range){ start, end };
        if (start < end)
                return (struct range){ in->map[start].start, in->map[end - 1].end };
        empty = start ? in->map[start - 1].end : in->map[start].start;
        return (struct range){ empty, empty };
}

struct range shell_range(const struct parser *p, uint32_t start, uint32_t end) {
        return shell_range_in(&p->in, start, end);
}

struct str shell_text(struct parser *p, uint32_t start, uint32_t end) {
        char *copy, *to;

        for (uint32_t i = start; i + 1 < end; i++)
                if (p->in.text[i] == '\\' && p->in.text[i + 1] == '\n')
                        goto joined;
        return str_from(p->in.text + start, end - start);
joined:
        to = copy = shell_new(p, end - start);
        for (uint32_t i = start; i < end; i++) {
                if (p->in.text[i] == '\\' && i + 1 < end && p->in.text[i + 1] == '\n')
                        i++;
                else
                        *to++ = p->in.text[i];
        }
        return str_from(copy, (size_t)(to - copy));
}

/* ---- reserved words ---- */

static const struct {
        const char *word;
        enum token_kind kind;
} reserved[] = {
        { "!", TOKEN_BANG },
        { "[[", TOKEN_COND_OPEN },
        { "]]", TOKEN_COND_CLOSE },
        { "case", TOKEN_CASE },
        { "coproc", TOKEN_COPROC },
        { "do", TOKEN_DO },
        { "done", TOKEN_DONE },
        { "elif", TOKEN_ELIF },
        { "else", TOKEN_ELSE },
        { "esac", TOKEN_ESAC },
        { "fi", TOKEN_FI },
        { "for", TOKEN_FOR },
        { "function", TOKEN_FUNCTION },
        { "if", TOKEN_IF },
        { "in", TOKEN_IN },
        { "select", TOKEN_SELECT },
        { "then", TOKEN_THEN },
        { "time", TOKEN_TIME },
        { "until", TOKEN_UNTIL },
        { "while", TOKEN_WHILE },
        { "{", TOKEN_BRACE_OPEN },
        { "}", TOKEN_BRACE_CLOSE },
};

bool shell_word_is(const struct word *word, const char *text) {
        const struct part *part = word->parts;

        /* the first byte tells most words apart, and this is asked of every word */
        return part && !part->next && part->kind == PART_LITERAL && part->text.ptr[0] == *text && str_is(part->text, text);
}

/* After which tokens a reserved word, or an assignment, may stand. */
bool shell_command_may_start(const struct lexer *lex) {
        switch (lex->last) {
        case TOKEN_WORD:
                return lex->before_last == TOKEN_COPROC || lex->before_last == TOKEN_FUNCTION;
        case TOKEN_ASSIGN:
        case TOKEN_REDIR:
        case TOKEN_CASE:
        case TOKEN_COND_OPEN:
        case TOKEN_FOR:
        case TOKEN_FUNCTION:
        case TOKEN_IN:
        case TOKEN_SELECT:
                return false;
        default:
                return true;
        }
}

/* `time` after a pipe or coproc is the program of that name. */
static bool time_may_start(const struct lexer *lex) {
        if (lex->last == TOKEN_NEWLINE && (lex->before_last == TOKEN_PIPE || lex->before_last == TOKEN_PIPE_BOTH))
                return false;
        return lex->last != TOKEN_PIPE && lex->last != TOKEN_PIPE_BOTH && lex->last != TOKEN_WORD && lex->last != TOKEN_COPROC;
}

static enum token_kind reserved_kind(const struct lexer *lex, const struct word *word) {
        if (lex->in_cond)
                return shell_word_is(word, "]]") ? TOKEN_COND_CLOSE : TOKEN_WORD;
        if (lex->in_case_pattern)
                return lex->last != TOKEN_OPEN && lex->last != TOKEN_PIPE && shell_word_is(word, "esac") ? TOKEN_ESAC
                                                                                                         : TOKEN_WORD;
        if (!shell_command_may_start(lex) || !word->parts || word->parts->next || word->parts->kind != PART_LITERAL ||
            word->parts->text.len >= sizeof("function"))
                return TOKEN_WORD;
        for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
                if (reserved[i].word[0] == word->parts->text.ptr[0] && str_is(word->parts->text, reserved[i].word))
                        return reserved[i].kind == TOKEN_TIME && !time_may_start(lex) ? TOKEN_WORD : reserved[i].kind;
        return TOKEN_WORD;
}

/* ---- operators ---- */

static const struct {
        char text[4];
        enum token_kind kind;
        enum redir_op redir;
} operators[] = {
        /* longest first among those that share a beginning */
        { "&&", TOKEN_AND, 0 },
        { "&>>", TOKEN_REDIR, REDIR_BOTH_APPEND },
        { "&>", TOKEN_REDIR, REDIR_BOTH },
        { "&", TOKEN_AMPERSAND, 0 },
        { "||", TOKEN_OR, 0 },
        { "|&", TOKEN_PIPE_BOTH, 0 },
        { "|", TOKEN_PIPE, 0 },
        { ";;&", TOKEN_CASE_RETEST, 0 },
        { ";;", TOKEN_CASE_BREAK, 0 },
        { ";&", TOKEN_CASE_FALL, 0 },
        { ";", TOKEN_SEMICOLON, 0 },
        { "<<<", TOKEN_REDIR, REDIR_HERESTRING },
        { "<<-", TOKEN_REDIR, REDIR_HEREDOC_TABS },
        { "<<", TOKEN_REDIR, REDIR_HEREDOC },
        { "<&", TOKEN_REDIR, REDIR_DUP_INPUT },
        { "<>", TOKEN_REDIR, REDIR_READ_WRITE },
        { "<", TOKEN_REDIR, REDIR_INPUT },
        { ">>", TOKEN_REDIR, REDIR_APPEND },
        { ">&", TOKEN_REDIR, REDIR_DUP_OUTPUT },
        { ">|", TOKEN_REDIR, REDIR_CLOBBER },
        { ">", TOKEN_REDIR, REDIR_OUTPUT },
        { "(", TOKEN_OPEN, 0 },
        { ")", TOKEN_CLOSE, 0 },
};

bool shell_operator(struct parser *p, const char *text) {
        uint32_t pos = shell_joined(p, p->pos);

        for (; *text; text++, pos++) {
                pos = shell_joined(p, pos);
                if (pos >= p->in.end || p->in.text[pos] != *text)
                        return false;
        }
        p->pos = pos;
        return true;
}

static struct redir *redir_new(struct parser *p, uint32_t start, enum redir_op op) {
        struct redir *r = SHELL_NEW(p, struct redir);

        r->range = shell_range(p, start, p->pos);
        r->op = op;
        r->fd = -1;
        return r;
}

static bool read_operator(struct parser *p, struct token *t) {
        char first = p->in.text[shell_joined(p, p->pos)];

        if (!(shell_byte_class[(unsigned char)first] & (BYTE_OPERATOR | BYTE_ANGLE | BYTE_OPEN_PAREN | BYTE_CLOSE_PAREN)))
                return false;
        for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
                if (operators[i].text[0] != first || !shell_operator(p, operators[i].text))
                        continue;
                t->kind = operators[i].kind;
                if (t->kind == TOKEN_REDIR)
                        t->redir = redir_new(p, t->start, operators[i].redir);
                return true;
        }
        return false;
}

/* ---- descriptors before a redirection: 2>x {name}>x ---- */

static bool angle_at(const struct parser *p, uint32_t pos) {
        int c = byte_at(p, pos);

        return c == '<' || c == '>';
}

static bool is_name_byte(int c) {
        return c == '_' || (c >= 0 && is_ascii_alnum((unsigned char)c));
}

/* Digits directly before < or > are a descriptor; a number too large for one is a word. */
static bool read_fd_number(struct parser *p, struct token *t) {
        uint32_t pos = p->pos;
        int64_t fd = 0;
        int c;

        while ((c = byte_at(p, pos)) >= '0' && c <= '9' && fd <= INT32_MAX) {
                fd = fd * 10 + (c - '0');
                pos = shell_joined(p, pos) + 1;
        }
        if (pos == p->pos || fd > INT32_MAX || !angle_at(p, pos) || byte_at(p, shell_joined(p, pos) + 1) == '(')
                return false;
        p->pos = pos;
        if (read_operator(p, t) && t->redir) /* what begins with an angle is one */
                t->redir->fd = (int32_t)fd;
        return true;
}

/* {name} and {name[index]} directly before < or >: the word was read as any other, for it may hold expansions. */
static bool word_is_fd_name(struct parser *p, struct token *t) {
        struct part *first = t->word->parts, *last = first;
        struct str text = first->kind == PART_LITERAL ? str_skip(first->text, 1) : (struct str){ 0 };
        size_t name = 0;

        while (name < text.len && is_name_byte((unsigned char)text.ptr[name]))
                name++;
        while (last->next)
                last = last->next;
        if (name == 0 || is_ascii_digit((unsigned char)text.ptr[0]) || last->kind != PART_LITERAL || !angle_at(p, p->pos))
                return false;
        if (str_is(str_skip(text, name), "}")) {
                t->kind = TOKEN_REDIR;
        } else if (name < text.len && text.ptr[name] == '[' && str_ends(last->text, STR("]}")) &&
                   !str_is(str_skip(text, name), "[]}")) {
                t->kind = TOKEN_REDIR;
                last->text.len -= 2;
                first->text = str_skip(first->text, name + 2);
        }
        if (t->kind != TOKEN_REDIR)
                return false;
        if (read_operator(p, t) && t->redir) {
                t->redir->fd_name = str_take(text, name);
                t->redir->fd_index = text.ptr[name] == '[' ? t->word : NULL;
        }
        t->word = NULL;
        return true;
}

/* ---- tokens ---- */

void shell_skip_blanks(struct parser *p) {
        for (;;) {
                int c = shell_peek(p);

                if (c == ' ' || c == '\t') {
                        p->pos++;
                } else if (c == '#') {
                        const char *newline = memchr(p->in.text + p->pos, '\n', p->in.end - p->pos);

                        p->pos = newline ? (uint32_t)(newline - p->in.text) : p->in.end;
                        return;
                } else {
                        return;
                }
        }
}

/* `((` where a command may start, and after `for`: arithmetic if it closes as such, else two parentheses. */
static bool read_arith_command(struct parser *p, struct token *t) {
        struct part *arith;

        if (p->lex.in_cond || p->lex.in_case_pattern || shell_peek_after(p, p->pos) != '(')
                return false;
        if (p->lex.last != TOKEN_FOR && !shell_command_may_start(&p->lex))
                return false;
        arith = SHELL_NEW(p, struct part);
        arith->kind = PART_ARITH;
        if (!shell_arith_command(p, arith))
                return false;
        t->kind = TOKEN_ARITH;
        t->arith = arith;
        return true;
}

static bool assign_may_stand(const struct lexer *lex) {
        if (lex->in_cond || lex->in_case_pattern)
                return false;
        if (lex->last == TOKEN_WORD || lex->last == TOKEN_REDIR)
                return lex->after_redir && lex->last == TOKEN_WORD;
        return lex->last == TOKEN_ASSIGN || shell_command_may_start(lex);
}

static void read_word(struct parser *p, struct token *t) {
        bool process = (p->in.text[p->pos] == '<' || p->in.text[p->pos] == '>');

        t->kind = TOKEN_WORD;
        if (!process && assign_may_stand(&p->lex) && shell_assign(p, t)) {
                t->kind = t->assign ? TOKEN_ASSIGN : TOKEN_WORD;
                return;
        }
        if (p->lex.declares && p->lex.last != TOKEN_REDIR && (t->assign = shell_compound_argument(p))) {
                struct part_list parts = { 0 };

                shell_part(p, &parts, PART_LITERAL, STYLE_PLAIN, t->start)->text = t->assign->name;
                t->word = SHELL_NEW(p, struct word);
                *t->word = (struct word){ .parts = parts.first, .range = t->assign->range };
                return;
        }
        t->word = shell_word(p, p->lex.in_regex ? IN_REGEX : IN_WORD);
        if (p->in.text[t->start] == '{' && word_is_fd_name(p, t))
                return;
        t->kind = reserved_kind(&p->lex, t->word);
}

/* >&- and <&-: the dash stands alone, whatever follows it. */
static void read_close_dash(struct parser *p, struct token *t) {
        struct part_list parts = { 0 };

        p->pos++;
        shell_literal(p, &parts, p->pos - 1, p->pos);
        t->kind = TOKEN_WORD;
        t->word = SHELL_NEW(p, struct word);
        *t->word = (struct word){ .parts = parts.first, .range = parts.first->range };
}

static void token_read(struct parser *p) {
        struct token *t = &p->lex.token;
        bool process;
        int c;

        shell_skip_blanks(p);
        *t = (struct token){ .start = p->pos };
        c = shell_peek(p);
        t->start = p->pos;
        process = (c == '<' || c == '>') && shell_peek_after(p, p->pos) == '(';
        if (c == END_OF_INPUT) {
                t->kind = TOKEN_END;
        } else if (c == '\n') {
                p->pos++;
                t->kind = TOKEN_NEWLINE;
                shell_heredocs(p);
        } else if (p->lex.want_fd && c == '-') {
                read_close_dash(p, t);
        } else if (c == '(' && read_arith_command(p, t)) {
                ;
        } else if (p->lex.in_regex && (c == '(' || c == '|')) {
                read_word(p, t);
        } else if (!process && read_operator(p, t)) {
                ;
        } else if (c >= '0' && c <= '9' && !p->lex.want_fd && read_fd_number(p, t)) {
                ;
        } else {
                read_word(p, t);
        }
        t->end = p->pos;
        if (process || t->kind == TOKEN_REDIR)
                p->lex.declares = false; /* behind an angle bash takes no more arrays for arguments */
        if (t->kind == TOKEN_END)
                shell_heredocs(p);
}

struct token *shell_token(struct parser *p) {
        if (!p->lex.have_token) {
                token_read(p);
                p->lex.have_token = true;
        }
        return &p->lex.token;
}

void shell_take(struct parser *p) {
        p->lex.before_last = p->lex.last;
        p->lex.last = p->lex.token.kind;
        p->lex.have_token = false;
}
