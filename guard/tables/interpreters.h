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
};

struct code_word {
        const char *word;
        unsigned class; /* enum word_class */
};

extern const struct code_word code_words[]; /* sorted */
extern const size_t code_word_count;

unsigned word_class(struct str word); /* 0: it does not matter */

/* A program whose own commands can run a shell, and what stands before the code. */
struct escape {
        const char *program, *marker;
        bool quoted; /* the code is in quotes or backquotes behind the marker */
};

extern const struct escape escapes[];
extern const size_t escape_count;

#endif
