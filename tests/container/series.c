/*
 * series BACKEND CONFIG WORKSPACE STEP...: commands of one session, one after the other, for tests/container/. A step is a
 * command; timeout:COMMAND gets five seconds; background:COMMAND goes on beside the next ones; wait:FILE waits for a file of
 * the workspace; host:COMMAND runs outside; kill sends SIGTERM to the background command and waits for its end.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bailey.h"

/* Containers come up slowly on a busy machine. */
enum { PATIENCE_SECONDS = 240 };

struct series {
        struct bailey_session *session;
        const char *workspace;
        char background[BAILEY_ID_SIZE];
};

static int fail(const char *what) {
        fprintf(stderr, "series: %s\n", what);
        exit(1);
}

static const char *after(const char *step, const char *word) {
        return strncmp(step, word, strlen(word)) == 0 ? step + strlen(word) : NULL;
}

static void turn(struct series *s) {
        struct pollfd news = { .fd = bailey_session_fd(s->session), .events = POLLIN };
        struct bailey_event event;

        poll(&news, 1, 50);
        bailey_session_step(s->session);
        while (bailey_session_event(s->session, &event) == 1)
                ;
}

static void start(struct series *s, const char *command, long long timeout_ms, int background, char *ret_id) {
        struct bailey_run_options options = {
                .command = command,
                .environment = (const char *const *)environ,
                .timeout_ms = timeout_ms,
                .capture = 1,
                .out_fd = -1,
                .err_fd = -1,
                .cancel_fd = -1,
                .status_fd = -1,
                .background = background,
        };
        char error[256];

        if (bailey_start(s->session, &options, ret_id, error, sizeof(error)) < 0)
                fail(error);
}

static void finish(struct series *s, const char *id) {
        struct bailey_outcome outcome;
        int taken;

        while ((taken = bailey_take(s->session, id, &outcome)) == 0)
                turn(s);
        if (taken < 0)
                fail("no such command");
        printf("%sexit %d %s\n", outcome.output ? outcome.output : "", outcome.exit_code,
               outcome.message ? outcome.message : "");
        bailey_outcome_free(&outcome);
}

static void finish_background(struct series *s) {
        struct bailey_read_options options = {};
        struct bailey_reading reading;
        char error[256];

        for (;;) {
                if (bailey_read(s->session, s->background, &options, &reading, error, sizeof(error)) < 0)
                        fail(error);
                if (reading.status != BAILEY_STATUS_RUNNING)
                        break;
                bailey_reading_free(&reading);
                turn(s);
        }
        printf("%sended with %d\n", reading.out.text, reading.exit_code);
        bailey_reading_free(&reading);
}

static void wait_for(struct series *s, const char *name) {
        time_t end = time(NULL) + PATIENCE_SECONDS;
        char path[4096];

        snprintf(path, sizeof(path), "%s/%s", s->workspace, name);
        while (access(path, F_OK) < 0) {
                if (time(NULL) > end)
                        fail("a file that did not come");
                turn(s);
        }
}

static void take_step(struct series *s, const char *step) {
        char id[BAILEY_ID_SIZE];
        const char *rest;

        if ((rest = after(step, "background:"))) {
                start(s, rest, 0, 1, s->background);
        } else if ((rest = after(step, "wait:"))) {
                wait_for(s, rest);
        } else if ((rest = after(step, "host:"))) {
                if (system(rest) != 0) /* NOLINT(cert-env33-c): of a test */
                        fail(rest);
        } else if (strcmp(step, "kill") == 0) {
                bailey_kill(s->session, s->background, SIGTERM);
                finish_background(s);
        } else {
                rest = after(step, "timeout:");
                start(s, rest ? rest : step, rest ? 5000 : PATIENCE_SECONDS * 1000, 0, id);
                finish(s, id);
        }
}

int main(int argc, char **argv) {
        char backend[64], error[256];
        const char *overrides[] = { backend, NULL };
        struct bailey_policy_options options = { .overrides = overrides, .environment = (const char *const *)environ };
        struct bailey_policy *policy;
        struct series s = {};

        if (argc < 4)
                fail("BACKEND CONFIG WORKSPACE STEP...");
        snprintf(backend, sizeof(backend), "sandbox.backend=%s", argv[1]);
        options.config = argv[2];
        options.workspace = s.workspace = argv[3];
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0 ||
            bailey_session_new(policy, options.environment, &s.session, error, sizeof(error)) < 0)
                fail(error);
        for (int i = 4; i < argc; i++)
                take_step(&s, argv[i]);
        bailey_session_free(s.session);
        bailey_policy_free(policy);
        return 0;
}
