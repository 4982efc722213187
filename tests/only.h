/*
 * Which cases to run: those whose names match the regular expression in TEST_ONLY, which `tests/run -k` sets, or else all.
 */
#ifndef BAILEY_TESTS_ONLY_H
#define BAILEY_TESTS_ONLY_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Says in TAP that cases are chosen, for tests/run, which names the suites that cannot do that. */
static inline bool only_some(void) {
        const char *only = getenv("TEST_ONLY");

        if (!only || !*only)
                return false;
        printf("# only %s\n", only);
        fflush(stdout); /* cmocka and sanitizers write by other ways */
        return true;
}

static inline bool only_wants(const char *name) {
        const char *only = getenv("TEST_ONLY");
        regex_t pattern;
        bool wanted;

        if (!only || !*only)
                return true;
        if (regcomp(&pattern, only, REG_EXTENDED | REG_NOSUB) != 0) {
                fprintf(stderr, "TEST_ONLY is no regular expression: %s\n", only);
                exit(1);
        }
        wanted = regexec(&pattern, name, 0, NULL, 0) == 0;
        regfree(&pattern);
        return wanted;
}

#endif
