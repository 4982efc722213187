/*
 * bailey: reads bash commands before they run.
 *
 * The library never prints, exits, or keeps global state. Texts are bytes with a length: they may hold NUL bytes and
 * need not be UTF-8. What a function hands out is freed with bailey_free(). Out parameters are left alone on failure
 * (-1).
 */
#ifndef BAILEY_H
#define BAILEY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bailey_format {
        BAILEY_TREE,     /* the tree, for people: a line per node */
        BAILEY_JSON,     /* the tree, for programs: every node with its place in the text */
        BAILEY_COMMANDS, /* {"ok", "error", "commands": [[word, ...], ...]}: every simple command, nested ones too */
        BAILEY_PRINT,    /* bash text that parses to the same tree, in one style */
        BAILEY_ERROR,    /* what is wrong, for people: place and message, the line, a caret; empty when nothing is */
};

/*
 * Parses `text` as `bash -c` would, without running anything. The answer is followed by a NUL that is not counted.
 *
 * Returns 0 when bash would accept the text; 1 when it would not, or when the text is past a limit of this library, and
 * then the answer holds what was read before that place, and the error; -1 without memory, or when the answer would be
 * too large.
 */
int bailey_parse(const char *text, size_t length, enum bailey_format format, char **ret_text, size_t *ret_length);

/* Frees what this library handed out. NULL is fine. */
void bailey_free(void *pointer);

/* "1.2.3" */
const char *bailey_version(void);

#ifdef __cplusplus
}
#endif

#endif
