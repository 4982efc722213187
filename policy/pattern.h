/*
 * Regular expressions that users write, by PCRE2, and bounded: an expression must not be able to hang the guard, and a
 * command must not be able to hide behind an expression that takes too long. Matched byte by byte, not as UTF-8, so that
 * a byte that is no character cannot split what an expression looks for.
 */
#ifndef BAILEY_POLICY_PATTERN_H
#define BAILEY_POLICY_PATTERN_H

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

enum { PATTERN_REGEX_MAX = 4096 }; /* bytes of an expression */

enum pattern_result {
        PATTERN_NO,
        PATTERN_YES,
        PATTERN_LIMIT, /* gave up; counts as a match */
};

/* Fills pattern->code from pattern->regex; it lives in the arena. The error says at which byte of the expression. */
int user_pattern_compile(struct user_pattern *pattern, struct arena *arena, struct err *err);

enum pattern_result user_pattern_matches(const struct user_pattern *pattern, struct str subject);

#endif
