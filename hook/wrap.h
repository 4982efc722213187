/*
 * Wraps a command: the text that makes a shell start `bailey run` with it. Quoting is exact: the command that bailey
 * gets is that of the question, byte for byte.
 */
#ifndef BAILEY_HOOK_WRAP_H
#define BAILEY_HOOK_WRAP_H

#include "base/buf.h"

struct wrap {
        const char *program; /* bailey, absolute or on the PATH */
        const char *policy, *config;
        const char *const *overrides; /* NULL-terminated; NULL: none */
        const char *workspace;
        double timeout; /* seconds; 0: as the policy says; negative: none */
};

/* A word for a shell: as it is where that is safe, or else in single quotes. */
void wrap_word(struct buf *out, struct str word);

/* The options of the policy, each behind a space. */
void wrap_options(struct buf *out, const char *policy, const char *config, const char *const *overrides);

/* `command` holds no NUL. */
void wrap_command(struct buf *out, const struct wrap *wrap, struct str command);

/* Is this text what wrap_command() makes of some command, with the same `wrap`? Then `inner` gets that command. */
bool wrap_is(struct str text, const struct wrap *wrap, struct buf *inner);

#endif
