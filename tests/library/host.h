/*
 * What the programs here share, which use the library as any other would: whatever goes wrong ends them.
 */
#ifndef BAILEY_TESTS_LIBRARY_HOST_H
#define BAILEY_TESTS_LIBRARY_HOST_H

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"

__attribute__((format(printf, 1, 2))) static inline _Noreturn void wrong(const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
        _exit(1);
}

static inline const char *const *environment(void) {
        return (const char *const *)environ;
}

static inline struct bailey_policy *policy_new(void) {
        struct bailey_policy_options options = { .workspace = ".", .environment = environment(), .program = getenv("BAILEY") };
        struct bailey_policy *policy;
        char error[512];

        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                wrong("policy: %s", error);
        return policy;
}

static inline struct bailey_session *session_new(const struct bailey_policy *policy) {
        struct bailey_session *session;
        char error[512];

        if (bailey_session_new(policy, environment(), &session, error, sizeof(error)) < 0)
                wrong("session: %s", error);
        return session;
}

static inline void start(struct bailey_session *session, const char *command, bool background, char ret_id[BAILEY_ID_SIZE]) {
        struct bailey_run_options options = { .command = command, .background = background, .timeout_ms = 120000 };
        char error[512];

        if (bailey_start(session, &options, ret_id, error, sizeof(error)) < 0)
                wrong("start: %s", error);
}

/* Until that many have ended. */
static inline void drive(struct bailey_session *session, int count) {
        struct pollfd ready = { .fd = bailey_session_fd(session), .events = POLLIN };
        struct bailey_event event;

        while (count > 0) {
                if (poll(&ready, 1, 60000) == 0)
                        wrong("nothing happens for a minute");
                bailey_session_step(session);
                while (bailey_session_event(session, &event))
                        count -= event.kind == BAILEY_EVENT_ENDED;
        }
}

static inline void expect(struct bailey_session *session, const char *id, enum bailey_end end, int exit_code,
                          const char *output) {
        struct bailey_outcome outcome;

        if (bailey_take(session, id, &outcome) != 1)
                wrong("%s has not ended", id);
        if (outcome.end != end || outcome.exit_code != exit_code || strcmp(outcome.output ? outcome.output : "", output) != 0)
                wrong("expected %d, %d and \"%s\", got %d, %d and \"%s\" (%s)", end, exit_code, output, outcome.end,
                      outcome.exit_code, outcome.output ? outcome.output : "", outcome.message ? outcome.message : "");
        bailey_outcome_free(&outcome);
}

#endif
