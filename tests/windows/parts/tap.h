/*
 * Cases that say what came of them, for tests/windows/windows.sh.
 */
#ifndef BAILEY_TESTS_WINDOWS_TAP_H
#define BAILEY_TESTS_WINDOWS_TAP_H

#include <stdio.h>

static int tap_count, tap_failures;

/* What failed first in the case that runs. */
static const char *tap_problem;
static int tap_line;

#define CHECK(condition)                            \
        do {                                        \
                if (!(condition) && !tap_problem) { \
                        tap_problem = #condition;   \
                        tap_line = __LINE__;        \
                }                                   \
        } while (0)

static void tap_case(const char *name, void (*run)(void)) {
        tap_problem = NULL;
        run();
        printf("%s %d - %s\n", tap_problem ? "not ok" : "ok", ++tap_count, name);
        if (tap_problem)
                printf("# line %d: %s\n", tap_line, tap_problem);
        tap_failures += tap_problem != NULL;
        fflush(stdout);
}

static int tap_end(void) {
        printf("1..%d\n", tap_count);
        return tap_failures != 0;
}

#endif
