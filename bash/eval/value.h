/*
 * What is known about a text that bash will make: a row of pieces, each known bytes or something that only the run can tell,
 * and why. Values are immutable and shared; texts are slices of the source, of tables, or of the arena.
 */
#ifndef BAILEY_SHELL_VALUE_H
#define BAILEY_SHELL_VALUE_H

#include "bash/syntax/ast.h"
#include "bash/eval/budget.h"

enum {
        VALUE_MAX_BYTES = 64 << 10, /* a longer text is unknown, being too complex */
        VALUE_MAX_PIECES = 16 << 10,
};

enum piece_kind {
        PIECE_TEXT,    /* these bytes */
        PIECE_HOME,    /* a home directory; text: whose (~user), empty for one's own (~ and $HOME) */
        PIECE_UNKNOWN, /* because */
};

enum unknown {
        UNKNOWN_NOTHING,     /* all is known */
        UNKNOWN_ENV,         /* a variable the script never assigned: from the environment, or unset. text: its name */
        UNKNOWN_OUTPUT,      /* what commands print. part: the substitution */
        UNKNOWN_PROCESS,     /* the file name of <(...) or >(...). part; content, when what is in it is known */
        UNKNOWN_POSITIONAL,  /* given by the caller of the script, or moved by arguments of unknown number */
        UNKNOWN_SPECIAL,     /* made by bash itself: $? $$ $RANDOM $PPID. text: its name */
        UNKNOWN_FILES,       /* the name of a file that a pattern matches. text: the pattern, backslashes for quotes */
        UNKNOWN_INPUT,       /* read at run time */
        UNKNOWN_ARITHMETIC,  /* a number that depends on something unknown */
        UNKNOWN_CODE,        /* assigned by code that could not be read: eval "$x", source file */
        UNKNOWN_LOOP,        /* changes from one turn of a loop to the next */
        UNKNOWN_LOCALE,      /* depends on what the locale makes of bytes that are not ASCII */
        UNKNOWN_SPLIT,       /* the text is known, the IFS that splits it is not */
        UNKNOWN_OPTION,      /* depends on a shell option */
        UNKNOWN_ERROR,       /* bash reports an error here and does not run the command */
        UNKNOWN_TOO_COMPLEX, /* past a limit of ours */
        UNKNOWN_COUNT,
};

struct command;

/* The commands of a pipeline that an output came through, from `first` up to `last`; or what walk_visitor.file said of it. */
struct origin {
        const struct command *first, *last;
        bool marked; /* by the visitor, who knows what it means */
};

struct piece {
        const struct piece *next;
        struct str text;
        const struct part *part;
        const struct value *content; /* PROCESS: what can be read from the file, if that is known */
        const struct origin *origin; /* OUTPUT: where it came from, if not only out of `part` */
        uint8_t kind;                /* enum piece_kind */
        uint8_t because;             /* enum unknown */
        bool quoted : 1;             /* does not glob and does not split */
        bool number : 1;             /* UNKNOWN, but surely digits with at most a sign */
        bool nonempty : 1;           /* UNKNOWN, but surely not empty: ${x:?} */
};

/* A value that is known to be there; no pieces: the empty text. */
struct value {
        const struct piece *pieces;
};

/* Grows a value. Past the limits it keeps what it has and ends in one piece that says TOO_COMPLEX. */
struct builder {
        struct budget *budget;
        const struct piece *first;
        struct piece *last;
        size_t bytes, count;
        bool full;
};

void builder_text(struct builder *b, struct str text, bool quoted);
void builder_char(struct builder *b, char c, bool quoted);
void builder_piece(struct builder *b, const struct piece *piece, bool quoted);
void builder_value(struct builder *b, struct value value, bool quoted);
void builder_unknown(struct builder *b, enum unknown because, struct str name, bool quoted);

/* A place to come back to. */
struct builder_mark {
        struct builder builder;
        struct str last_text;
};
struct builder_mark builder_mark(const struct builder *b);
void builder_rewind(struct builder *b, struct builder_mark mark);

/* Neighbouring texts become one. `keep_quotes`: only those that are both quoted or both not, as patterns need it. */
struct value builder_finish(struct builder *b, bool keep_quotes);

struct value value_text(struct budget *budget, struct str text);
struct value value_unknown(struct budget *budget, enum unknown because, struct str name);
struct value value_number(struct budget *budget, int64_t number);
struct value value_home(struct budget *budget, struct str user);

/* True when every byte is known; finished values only. */
bool value_known(struct value value, struct str *ret_text);
bool value_equal(struct budget *budget, struct value a, struct value b);

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE };
enum truth value_empty(struct value value);

/* The first reason why the value is not known, UNKNOWN_NOTHING when it is. A home directory is no reason. */
const struct piece *value_unknown_piece(struct value value);

const char *unknown_name(enum unknown because); /* "environment", "output"... */

bool str_is_name(struct str s); /* of a variable */
bool str_is_ascii(struct str s);

#endif
