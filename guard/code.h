/*
 * Code in a language other than the shell's, as far as it can be told without parsing it: its strings, and of which calls they
 * are arguments.
 */
#ifndef BAILEY_GUARD_CODE_H
#define BAILEY_GUARD_CODE_H

#include "guard/judge.h"
#include "guard/tables/interpreters.h"

/* Stands for the whole environment among the strings. */
#define CODE_ENVIRONMENT STR("\1environment")

enum { STRINGS_MAX = 256, PARENS_MAX = 32, NAMES_MAX = 32 };

static inline bool is_word(unsigned char c) {
        return c == '_' || is_ascii_alnum(c);
}

/* A string that a call takes: literally, put together from pieces, or through a variable. */
struct code_string {
        struct str text;
        unsigned class; /* of the calls that it is an argument of; 0: of none */
        unsigned group; /* the same number for all that one call takes; 0: none that executes */
};

struct code_level {
        unsigned class; /* of the calls whose parentheses these are, those further out included */
        unsigned group;
        size_t chain;       /* the first string of the present operand */
        size_t open;        /* one more than the number of the string that an operator could continue; 0: none */
        bool gap;           /* something unknown came after that */
        bool continues;     /* what stands in these parentheses continues the string in front of them, */
        struct str between; /* with this in between */
        bool head;          /* of a Lisp list: the next word says what it calls */
};

/* What a variable was set to: strings, or a function by another name. */
struct code_name {
        struct str name;
        size_t first, count; /* of the strings */
        unsigned class;
};

struct scanned {
        struct guard *g;
        struct str code;
        unsigned language; /* enum language */
        unsigned classes;  /* of all that is called */
        unsigned named;    /* of all that is mentioned */
        struct code_string *strings;
        size_t count;
        struct code_level levels[PARENS_MAX];
        size_t depth, too_deep;
        unsigned statement, statement_group; /* of functions called without parentheses, up to the end of the statement */
        unsigned last;                       /* class of the word just read, while only blanks follow it */
        unsigned last_group, groups;
        size_t last_end; /* where that word ended */
        struct str last_word;
        unsigned last_class;
        struct code_name names[NAMES_MAX], setting; /* setting: what is being assigned */
        size_t name_count, setting_depth;
        bool dumps_environment, loops_environment, names_secret;
};

/* False: no memory. */
bool code_scan(struct guard *g, struct str code, unsigned language, struct scanned *ret);

#endif
