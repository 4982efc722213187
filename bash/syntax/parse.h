/*
 * Bytes in, tree or located error out: the language of bash 5.2 as `bash -c` reads it. Pure; everything it makes lives
 * in the caller's arena.
 */
#ifndef BAILEY_SHELL_PARSE_H
#define BAILEY_SHELL_PARSE_H

#include "base/arena.h"
#include "base/err.h"
#include "bash/syntax/ast.h"

enum {
        SHELL_MAX_BYTES = 1 << 20,
        SHELL_MAX_DEPTH = 200, /* of anything inside anything */
        /* Of memory, or as much work without it: so many bytes for each of the source, and as many more. Text that is
         * read once takes half at most; only texts inside texts, each read in several ways, can need more. */
        SHELL_MAX_PER_BYTE = 128,
        SHELL_MAX_MORE = 256 << 10,
};

enum syntax_kind {
        SYNTAX_OK,
        SYNTAX_ERROR,       /* bash refuses it too */
        SYNTAX_CONDITION,   /* inside [[ ]]: bash complains, runs nothing from this line on, and yet exits with 0 */
        SYNTAX_TOO_COMPLEX, /* past a limit of ours */
        SYNTAX_NO_MEMORY,
};

struct syntax_error {
        enum syntax_kind kind;
        uint32_t offset;       /* byte in the source; may be its end */
        uint32_t line, column; /* from 1, the column in bytes */
        char message[120];     /* what was found and what was expected, without the place */
};

struct script {
        struct str source;
        struct command *commands;  /* NULL when there are none; up to the error's line when there is one */
        struct syntax_error error; /* kind SYNTAX_OK when the whole source was read */
        bool unfinished;           /* it ends inside of something: bash would read on, if there were more */
};

/* Returns 0 when all was read, -1 when script->error is set; either way script->commands holds what bash would run. */
int shell_parse(struct str source, struct arena *arena, struct script *script);

#endif
