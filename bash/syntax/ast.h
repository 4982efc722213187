/*
 * The tree of a bash script. Every node lives in the arena given to the parser and knows its place in the source.
 *
 * A list of commands is flat: each command carries the operator that joins it to the next one. As the operators of a
 * list are all left-associative and bind in a fixed order (| before && and ||, these before ; and &), that says all
 * there is to say, and no list, however long, makes anybody recurse.
 */
#ifndef BAILEY_SHELL_AST_H
#define BAILEY_SHELL_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Byte offsets into the source given to shell_parse(). Inside backticks, and in bodies of <<- documents, the range
 * still speaks of the original source, escapes included. */
struct range {
        uint32_t start, end;
};

/* ---- words ---- */

enum part_kind {
        PART_LITERAL, /* bytes as they stand. Outside quotes they may glob, brace-expand, or be a tilde */
        PART_QUOTED,  /* bytes that mean only themselves: \x '...' $'...'; text is the value */
        PART_DOUBLE,  /* "..." or $"...": parts; literals in it do not glob */
        PART_PARAM,   /* $x ${x...} */
        PART_COMMAND, /* $(...) `...` <(...) >(...) */
        PART_ARITH,   /* $((...)) $[...]: parts; the literals are the expression's own text */
        PART_EXTGLOB, /* ?(...) *(...) +(...) @(...) !(...): parts, the bars among the literals */
};

/* How a part was spelled, where its kind leaves that open. */
enum part_style {
        STYLE_PLAIN,     /* DOUBLE "...", ARITH $((...)), COMMAND $(...) */
        STYLE_BACKSLASH, /* QUOTED \x */
        STYLE_SINGLE,    /* QUOTED '...' */
        STYLE_ANSI,      /* QUOTED $'...' */
        STYLE_LOCALE,    /* DOUBLE $"..." */
        STYLE_BACKTICK,  /* COMMAND `...` */
        STYLE_INPUT,     /* COMMAND <(...) */
        STYLE_OUTPUT,    /* COMMAND >(...) */
        STYLE_BRACKET,   /* ARITH $[...] */
};

struct part {
        struct part *next;
        struct range range;
        uint8_t kind;    /* enum part_kind */
        uint8_t style;   /* enum part_style */
        char glob;       /* EXTGLOB: one of ?*+@! */
        bool soft_error; /* COMMAND: bash finds the syntax error only when it expands this; `body` is what precedes it
                          */
        union {
                struct str text;      /* LITERAL, QUOTED: the value, \newline removed and escapes decoded */
                struct part *parts;   /* DOUBLE, ARITH, EXTGLOB */
                struct param *param;  /* PARAM */
                struct command *body; /* COMMAND; NULL when empty */
        };
};

struct word {
        struct word *next;
        struct part *parts; /* NULL only for the empty operand of ${x:-} */
        struct range range;
};

enum param_op {
        PARAM_PLAIN,
        PARAM_DEFAULT,        /* ${x-w}  colon: ${x:-w} */
        PARAM_ASSIGN,         /* ${x=w} */
        PARAM_ERROR,          /* ${x?w} */
        PARAM_ALTERNATE,      /* ${x+w} */
        PARAM_SUBSTRING,      /* ${x:o} ${x:o:l}: arg and arg2 are arithmetic */
        PARAM_PREFIX,         /* ${x#p} */
        PARAM_PREFIX_LONG,    /* ${x##p} */
        PARAM_SUFFIX,         /* ${x%p} */
        PARAM_SUFFIX_LONG,    /* ${x%%p} */
        PARAM_REPLACE,        /* ${x/p/w}: arg2 NULL when there is no second slash */
        PARAM_REPLACE_ALL,    /* ${x//p/w} */
        PARAM_REPLACE_PREFIX, /* ${x/#p/w} */
        PARAM_REPLACE_SUFFIX, /* ${x/%p/w} */
        PARAM_UPPER,          /* ${x^p} */
        PARAM_UPPER_ALL,      /* ${x^^p} */
        PARAM_LOWER,          /* ${x,p} */
        PARAM_LOWER_ALL,      /* ${x,,p} */
        PARAM_TOGGLE,         /* ${x~p} */
        PARAM_TOGGLE_ALL,     /* ${x~~p} */
        PARAM_TRANSFORM,      /* ${x@Q}: transform holds the letter */
        PARAM_NAMES,          /* ${!p*} ${!p@}: transform holds * or @ */
        PARAM_BAD,            /* bash says "bad substitution" when it gets here; arg holds what stands between the braces */
};

struct param {
        struct str name;    /* x, 1, 12, @, *, #, ?, -, $, !, _ */
        struct word *index; /* ${x[index]}: literal @ or * for all elements */
        struct word *arg, *arg2;
        uint8_t op; /* enum param_op */
        char transform;
        bool braced : 1;
        bool indirect : 1; /* ${!x}; with index @ or *: the keys */
        bool length : 1;   /* ${#x} */
        bool colon : 1;
        bool in_double : 1; /* stands inside double quotes, a heredoc or arithmetic */
};

/* ---- simple commands ---- */

struct assign {
        struct assign *next;
        struct range range;
        struct str name;         /* empty for an element of an array that has only an index */
        struct word *index;      /* a[index]=... */
        struct word *value;      /* NULL for a compound one, unless something follows it: a=(b)c */
        struct assign *elements; /* a=(...): each with name empty, index or not, and value */
        bool append;             /* += */
        bool compound;           /* a=(...), also when empty */
};

enum redir_op {
        REDIR_INPUT,        /* <  */
        REDIR_OUTPUT,       /* >  */
        REDIR_CLOBBER,      /* >| */
        REDIR_APPEND,       /* >> */
        REDIR_READ_WRITE,   /* <> */
        REDIR_DUP_INPUT,    /* <& */
        REDIR_DUP_OUTPUT,   /* >& */
        REDIR_BOTH,         /* &> */
        REDIR_BOTH_APPEND,  /* &>> */
        REDIR_HEREDOC,      /* << */
        REDIR_HEREDOC_TABS, /* <<- */
        REDIR_HERESTRING,   /* <<< */
};

struct heredoc {
        struct str delimiter; /* quotes removed */
        struct word body;     /* quoted: one QUOTED part; else parts as inside double quotes. parts NULL when empty */
        bool quoted;          /* nothing in the body is expanded */
        bool terminated;      /* false: ended by the end of input; bash warns and runs it */
};

struct redir {
        struct redir *next;
        struct range range;
        struct word *target;     /* for heredocs: the delimiter as written */
        struct heredoc *heredoc; /* heredocs only */
        struct str fd_name;      /* {name}>x, else empty */
        struct word *fd_index;   /* {name[index]}>x */
        int32_t fd;              /* n>x, else -1 */
        uint8_t op;              /* enum redir_op */
};

/* ---- commands ---- */

enum command_kind {
        COMMAND_SIMPLE,
        COMMAND_SUBSHELL, /* ( ... ) */
        COMMAND_GROUP,    /* { ...; } */
        COMMAND_IF,
        COMMAND_WHILE,
        COMMAND_UNTIL,
        COMMAND_FOR,
        COMMAND_SELECT,
        COMMAND_FOR_ARITH, /* for ((a; b; c)) */
        COMMAND_CASE,
        COMMAND_ARITH, /* (( ... )) */
        COMMAND_COND,  /* [[ ... ]] */
        COMMAND_FUNCTION,
        COMMAND_COPROC,
};

/* How a command is joined to the one after it. */
enum join {
        JOIN_END,        /* ; or newline, or nothing follows */
        JOIN_BACKGROUND, /* & */
        JOIN_AND,        /* && */
        JOIN_OR,         /* || */
        JOIN_PIPE,       /* | */
        JOIN_PIPE_BOTH,  /* |& */
};

struct if_clause {
        struct if_clause *next;
        struct command *condition; /* NULL: else */
        struct command *body;
};

struct for_clause {
        struct str name;
        struct word *words;    /* FOR, SELECT */
        bool has_in;           /* without it, the positional parameters */
        struct part *arith[3]; /* FOR_ARITH: start, condition, step: each an ARITH part or NULL */
        struct command *body;
};

struct case_item {
        struct case_item *next;
        struct word *patterns;
        struct command *body;
        enum { CASE_BREAK, CASE_FALL, CASE_RETEST } end; /* ;; ;& ;;& */
};

struct case_clause {
        struct word *subject;
        struct case_item *items;
};

enum cond_kind { COND_AND, COND_OR, COND_NOT, COND_GROUP, COND_UNARY, COND_BINARY, COND_WORD };

struct cond {
        struct cond *next; /* among its siblings */
        struct range range;
        enum cond_kind kind;
        struct str op;             /* UNARY -f, BINARY = == != =~ < > -eq ... */
        struct word *left, *right; /* UNARY and WORD use left */
        struct cond *children;     /* AND, OR, NOT, GROUP */
};

struct function {
        struct str name;
        struct range name_range;
        struct command *body; /* one compound command, with its redirections */
};

struct coproc {
        struct str name; /* empty: COPROC */
        struct command *body;
};

struct command {
        struct command *next;
        struct range range;
        struct redir *redirs; /* in source order */
        uint8_t kind;         /* enum command_kind */
        uint8_t join;         /* enum join, to `next` */
        bool negated : 1;     /* ! before the pipeline that starts here */
        bool timed : 1;       /* time before the pipeline that starts here */
        bool timed_posix : 1; /* time -p */
        union {
                struct {
                        struct assign *assigns;
                        struct word *words; /* NULL for assignments or redirections alone, or nothing at all (`! ;`) */
                } simple;
                struct command *body; /* SUBSHELL, GROUP */
                struct if_clause *clauses;
                struct {
                        struct command *condition, *body;
                } loop;                  /* WHILE, UNTIL */
                struct for_clause *each; /* FOR, SELECT, FOR_ARITH */
                struct case_clause *choice;
                struct part *arith; /* an ARITH part */
                struct cond *cond;
                struct function *function;
                struct coproc *coproc;
        };
};

/* An argument of declare, export, local, readonly, typeset, alias, eval, let that is spelled a=(...): a word cannot
 * hold the elements, so the command keeps it as both: the word in its place, for its source text, and an entry in
 * `assigns` behind those that precede the name. assign->range tells which word it is. */

#endif
