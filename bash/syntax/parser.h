/*
 * What the files of the parser share, and nobody else: the reading position, tokens, and the list builders.
 *
 * The parser reads bytes once, from left to right; words are taken apart while they are read, so that a substitution is
 * parsed where it stands. A syntax error leaves by longjmp to the nearest shell_catch(); all memory is in the arena, so
 * nothing leaks.
 */
#ifndef BAILEY_SHELL_PARSER_H
#define BAILEY_SHELL_PARSER_H

#include <setjmp.h>
#include <stdint.h>

#include "bash/syntax/parse.h"

enum { END_OF_INPUT = -1 };

/* What each byte may mean; a context is the set of meanings it cares about. */
enum byte_class {
        BYTE_BLANK = 1 << 0, /* space, tab: the only ones, whatever the locale */
        BYTE_NEWLINE = 1 << 1,
        BYTE_OPERATOR = 1 << 2, /* | & ; */
        BYTE_OPEN_PAREN = 1 << 3,
        BYTE_CLOSE_PAREN = 1 << 4,
        BYTE_ANGLE = 1 << 5, /* < > */
        BYTE_DOLLAR = 1 << 6,
        BYTE_BACKTICK = 1 << 7,
        BYTE_BACKSLASH = 1 << 8,
        BYTE_SINGLE = 1 << 9,
        BYTE_DOUBLE = 1 << 10,
        BYTE_OPEN_BRACKET = 1 << 11,
        BYTE_CLOSE_BRACKET = 1 << 12,
        BYTE_CLOSE_BRACE = 1 << 13,
        BYTE_SLASH = 1 << 14,
        BYTE_COLON = 1 << 15,
};
extern const uint16_t shell_byte_class[256];

/* Where a run of parts stands: decides which bytes are special and where it ends. */
enum context {
        IN_WORD,          /* outside quotes: ends at a metacharacter */
        IN_REGEX,         /* the right side of =~: | and balanced parentheses are part of the word */
        IN_DOUBLE,        /* "...", ends at " */
        IN_HEREDOC,       /* ends with the text */
        IN_BRACE,         /* operand of ${...}, ends at } */
        IN_BRACE_DOUBLE,  /* the same inside double quotes, where ' is just a byte */
        IN_PATTERN,       /* ${x/pattern/, ends at / or } */
        IN_ARITH,         /* ends at the ) that closes nothing inside */
        IN_BRACKET,       /* $[...], a[...]: ends at ] */
        IN_BRACE_BRACKET, /* ${a[...]}: ends at ] or } */
        IN_OFFSET,        /* ${x:offset:length}: ends at : or } */
        IN_EXTGLOB,       /* @(...), ends at ) */
};

enum token_kind {
        TOKEN_END,
        TOKEN_NEWLINE,
        TOKEN_WORD,
        TOKEN_ASSIGN,
        TOKEN_REDIR,
        TOKEN_ARITH, /* (( ... )) */
        TOKEN_SEMICOLON,
        TOKEN_AMPERSAND,
        TOKEN_AND,
        TOKEN_OR,
        TOKEN_PIPE,
        TOKEN_PIPE_BOTH,
        TOKEN_OPEN,
        TOKEN_CLOSE,
        TOKEN_CASE_BREAK,
        TOKEN_CASE_FALL,
        TOKEN_CASE_RETEST,
        /* reserved words, only where bash accepts one */
        TOKEN_BANG,
        TOKEN_BRACE_OPEN,
        TOKEN_BRACE_CLOSE,
        TOKEN_CASE,
        TOKEN_COND_OPEN,
        TOKEN_COND_CLOSE,
        TOKEN_COPROC,
        TOKEN_DO,
        TOKEN_DONE,
        TOKEN_ELIF,
        TOKEN_ELSE,
        TOKEN_ESAC,
        TOKEN_FI,
        TOKEN_FOR,
        TOKEN_FUNCTION,
        TOKEN_IF,
        TOKEN_IN,
        TOKEN_SELECT,
        TOKEN_THEN,
        TOKEN_TIME,
        TOKEN_UNTIL,
        TOKEN_WHILE,
};

struct token {
        enum token_kind kind;
        uint32_t start, end;   /* in parser->in */
        struct word *word;     /* WORD; reserved words too */
        struct assign *assign; /* ASSIGN; WORD spelled a=(...) after declare and its like */
        struct part *arith;    /* ARITH */
        struct redir *redir;   /* REDIR: op and fd set, target not read yet */
};

/* What a list of parts or commands grows by. */
struct part_list {
        struct part *first, *last;
};

struct chain {
        struct command *first, *last;
        struct command *complete; /* the last command of the last complete line */
};

/* What was learnt about a text while reading it in a way that came to nothing, by offset. Without it, attempts inside
 * attempts would read the innermost text exponentially often. The arrays are made when first needed. */
struct notes {
        struct memo {
                struct part *part; /* the substitution that begins here */
                uint32_t end;
        } * memo;           /* two for each offset: outside and inside double quotes, where ${...} reads differently */
        uint8_t *not_arith; /* a bit each: `((` here is two parentheses */
};

/* Where a byte of a copied text comes from: a range that begins or ends with it begins or ends there in the source. */
struct origin {
        uint32_t start, end;
};

/* A text being read. Backticks with escapes and <<- bodies are copies; `map` leads back to the original source. It has
 * one entry more than the text has bytes. */
struct source {
        const char *text;
        uint32_t end;
        uint32_t size; /* of the text, also while `end` is drawn in */
        const struct origin *map;
        struct notes *notes;
};

/* A text whose expansions bash looks for only when it gets there: an error ends them, and is kept as a soft one. */
struct region {
        struct source in;
        struct part_list *out;
};

struct pending {
        struct pending *next;
        struct redir *redir;
        uint32_t body; /* where it must begin, when that is known: behind the line on which its substitution ended */
};

/* What belongs to the tokens being read, and is set aside while a substitution inside one of them is parsed. */
struct lexer {
        struct token token;
        bool have_token;
        enum token_kind last, before_last;
        bool after_redir; /* redirections before the command's name do not end its assignments */
        bool declares;    /* the name is declare, export, ...: a=(...) is an argument */
        bool in_case_pattern;
        bool in_cond;
        bool in_regex;
        bool want_fd;         /* after >& or <&: digits are a word, and - stands alone */
        bool in_substitution; /* ends at ), which also ends a heredoc's last line */
        struct pending *pending, **pending_tail;
        unsigned pending_count;
};

struct parser {
        struct arena *arena;
        size_t arena_start; /* what of it was in use before */
        size_t looked;      /* work that takes no memory: bytes looked at in search of an end, weighed */
        struct str root;
        struct source in;
        uint32_t pos;
        unsigned depth;
        unsigned attempts;    /* how many undecided readings we are inside of */
        uint32_t stretch_end; /* no heredoc body begins before this; see dparen.c */
        bool extglob;         /* `shopt -s extglob` was seen on an earlier line */
        struct lexer lex;
        jmp_buf *catcher;
        struct syntax_error error;
        bool unfinished;                           /* the error is that there is no more */
        bool open_heredoc;                         /* the last one was not ended */
        uint32_t open_parens[SHELL_MAX_DEPTH + 2]; /* by depth; see dparen.c */
};

/* lex.c: bytes and tokens */
uint32_t shell_joined(const struct parser *p, uint32_t pos); /* `pos` moved past any \newline */
int shell_peek(struct parser *p);                            /* the byte at the position, \newline skipped */
int shell_peek_after(const struct parser *p, uint32_t pos);  /* the byte after the one at `pos` */
struct range shell_range_in(const struct source *in, uint32_t start, uint32_t end);
struct range shell_range(const struct parser *p, uint32_t start, uint32_t end);
struct str shell_text(struct parser *p, uint32_t start, uint32_t end); /* without \newline */
bool shell_operator(struct parser *p, const char *text);               /* takes these bytes if they are next */
struct token *shell_token(struct parser *p);                           /* the next one, not taken yet */
void shell_take(struct parser *p);
bool shell_word_is(const struct word *word, const char *text); /* unquoted, literally */

/* parse.c: errors, limits, nested texts */
_Noreturn void shell_fail(struct parser *p, enum syntax_kind kind, uint32_t pos, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
_Noreturn void shell_unexpected(struct parser *p, const char *expected);
_Noreturn void shell_unclosed(struct parser *p, uint32_t start, const char *open, const char *close);
void *shell_new(struct parser *p, size_t size);
void shell_looked(struct parser *p, size_t bytes, size_t lines); /* in search of an end, to be read again */
#define SHELL_NEW(p, type) ((type *)shell_new((p), sizeof(type)))
void shell_enter(struct parser *p);
void shell_leave(struct parser *p);
/* Runs body(p, arg); false when a syntax error ended it. Limits are not caught. Everything but the arena is put back.
 */
bool shell_catch(struct parser *p, void (*body)(struct parser *, void *), void *arg);
void shell_lines(struct parser *p, struct chain *chain);
struct command *shell_list(struct parser *p);

/* word.c, expansion.c, param.c, arith.c: parts */
void shell_parts(struct parser *p, enum context context, struct part_list *out);
struct word *shell_word(struct parser *p, enum context context);
struct part *shell_part(struct parser *p, struct part_list *out, enum part_kind kind, enum part_style style, uint32_t start);
void shell_literal(struct parser *p, struct part_list *out, uint32_t start, uint32_t end);
void shell_single_quoted(struct parser *p, struct part_list *out);
void shell_double_quoted(struct parser *p, struct part_list *out, uint32_t start, enum part_style style);
void shell_ansi_quoted(struct parser *p, struct part_list *out, uint32_t start, bool weak);
void shell_region(struct parser *p, struct region *region, uint32_t pos);
void shell_dollar(struct parser *p, enum context context, struct part_list *out);
void shell_backticks(struct parser *p, enum context context, struct part_list *out);
void shell_substitution(struct parser *p, struct part_list *out, enum part_style style);
void shell_param(struct parser *p, enum context context, struct part_list *out, uint32_t start);
bool shell_arith_command(struct parser *p, struct part *arith);
void shell_arith_dollar(struct parser *p, struct part_list *out, uint32_t start);
void shell_process_dparen(struct parser *p, struct part_list *out, enum part_style style, uint32_t start);
void shell_arith_open(struct parser *p);
void shell_arith_close(struct parser *p);
bool shell_in_double(enum context context);
void shell_counted(struct parser *p, const struct part *parts); /* of an extended glob: that bash sees the same end */

/* assign.c, heredoc.c, compound.c, cond.c */
bool shell_command_may_start(const struct lexer *lex);
void shell_deferred(struct parser *p, struct source in, uint32_t pos, struct part *part);
bool shell_memo_use(struct parser *p, uint32_t start, bool in_double, struct part_list *out);
void shell_memo_keep(struct parser *p, uint32_t start, bool in_double, struct part *part);
bool shell_assign(struct parser *p, struct token *t);
struct assign *shell_compound_argument(struct parser *p);
void shell_heredocs(struct parser *p);
void shell_heredoc_start(struct parser *p, struct redir *redir);
struct command *shell_command(struct parser *p);
bool shell_word_declares(const struct word *word);
struct command *shell_simple(struct parser *p, struct word *first); /* `first` was read already, or NULL */
void shell_skip_blanks(struct parser *p);                           /* and a comment */
bool shell_compound_starts(enum token_kind kind);
struct command *shell_compound(struct parser *p);
void shell_redirs(struct parser *p, struct command *command);
struct redir **shell_redir(struct parser *p, struct redir **tail);
struct cond *shell_cond(struct parser *p);

#endif
