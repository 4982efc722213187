/*
 * Languages other than the shell's: words of their code that matter, and how programs' own commands run a shell.
 */
#ifndef BAILEY_GUARD_TABLES_INTERPRETERS_H
#define BAILEY_GUARD_TABLES_INTERPRETERS_H

#include "base/str.h"

enum word_class {
        WORD_EXECUTES = 1,
        WORD_DELETES = 2,
        WORD_READS = 4,
        WORD_CONNECTS = 8,
        WORD_SHELL = 16, /* hands its streams to a shell */
        WORD_ENVIRON = 32,
        WORD_FETCHES = 64,
        WORD_EVALUATES = 128,
        WORD_WRITES = 256,
        WORD_PRINTS = 512,
        WORD_LAUNCHER = 1024, /* a module that starts programs: its functions have everyday names */
        WORD_EVERYDAY = 2048, /* executes only beside such a module */
        WORD_HOME = 4096,     /* the home directory */
        WORD_JOINS = 8192,    /* its arguments are pieces of a path */
        WORD_DECODES = 16384,
        WORD_ARGUMENTS = 32768,        /* adds arguments to the command in front of it */
        WORD_LOOPS = 65536,            /* goes through what stands in front of it */
        WORD_MODULE_CONNECTS = 131072, /* a module's name in quotes */
        WORD_FORKS = 262144,           /* starts another process like itself */
};

/* How a language writes what the guard looks for. */
enum language {
        LANG_STATEMENTS = 1, /* calls functions without parentheses, too */
        LANG_EVERYDAY = 2,   /* its own functions with everyday names run programs */
        LANG_BACKQUOTES = 4, /* runs what is between backquotes */
        LANG_ADJACENT = 8,   /* strings next to each other are one */
        LANG_AWK = 16,
        LANG_LISP = 32,
        LANG_BARE = 64,   /* arguments are words without quotes, as in Tcl */
        LANG_PLAIN = 128, /* no variables in strings, and "--" begins a comment */
        LANG_HASH = 256,  /* "#" begins a comment, and "//" does not */
        LANG_SQL = 512,
        LANG_POWERSHELL = 1024,
};

struct code_word {
        const char *word;
        unsigned class; /* enum word_class */
        unsigned only;  /* languages that have one of these traits; 0: all */
};

extern const struct code_word code_words[]; /* sorted */
extern const size_t code_word_count;

unsigned word_class(struct str word, unsigned language); /* 0: it does not matter */
bool code_repeats(struct str code);                      /* it has a loop without an end, or starts itself again */
unsigned language_of(struct str program);                /* enum language */

enum escape_kind {
        ESCAPE_LINE,   /* the rest of the line is shell code */
        ESCAPE_QUOTED, /* shell code in quotes or backquotes */
        ESCAPE_READS,  /* a command of its own that reads a file */
};

/* A program whose own commands can run a shell, and what stands before the code. */
struct escape {
        const char *program, *marker;
        enum escape_kind kind;
};

extern const struct escape escapes[];
extern const size_t escape_count;

#endif
