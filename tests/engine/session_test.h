/*
 * A session in a workspace of its own, for the suites that use nothing but the library's header. Commands run for real, in
 * whatever sandbox there is.
 */
#ifndef BAILEY_TESTS_SESSION_TEST_H
#define BAILEY_TESTS_SESSION_TEST_H

#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "include/bailey.h"

enum { PATIENCE_MS = 120000 };

struct scene {
        char directory[64], workspace[80], home[96], state[96], homes[256];
        const char *environment[6];
        struct bailey_policy *policy;
        struct bailey_session *session;
        int files; /* open before */
};

static inline int count_files(void) {
        DIR *directory = opendir("/proc/self/fd");
        int count = 0;

        assert_non_null(directory);
        while (readdir(directory))
                count++;
        closedir(directory);
        return count;
}

/* `overrides` ends with NULL, or is it. */
static inline void scene_begin(struct scene *scene, const char *const *overrides) {
        struct bailey_policy_options options = { .overrides = overrides };
        char error[512] = "";

        *scene = (struct scene){ .directory = "/tmp/session_test.XXXXXX", .files = count_files() };
        assert_non_null(mkdtemp(scene->directory));
        snprintf(scene->workspace, sizeof(scene->workspace), "%s/work", scene->directory);
        snprintf(scene->home, sizeof(scene->home), "HOME=%s", scene->directory);
        snprintf(scene->state, sizeof(scene->state), "XDG_STATE_HOME=%s/state", scene->directory);
        assert_int_equal(mkdir(scene->workspace, 0700), 0);
        snprintf(scene->homes, sizeof(scene->homes), "BAILEY_HOME_DIR=%s", getenv("BAILEY_HOME_DIR") ?: ""); /* of tests/run */
        scene->environment[0] = scene->home;
        scene->environment[1] = scene->state;
        scene->environment[2] = "PATH=/usr/local/bin:/usr/bin:/bin";
        scene->environment[3] = "MY_API_TOKEN=tk-0123456789abcdef";
        scene->environment[4] = scene->homes;
        options.workspace = scene->workspace;
        options.environment = scene->environment;
        if (bailey_policy_load(&options, &scene->policy, error, sizeof(error)) < 0 ||
            bailey_session_new(scene->policy, scene->environment, &scene->session, error, sizeof(error)) < 0)
                fail_msg("%s", error);
}

/* Nothing is left: no file, no process, no note of a run. */
static inline void scene_end(struct scene *scene) {
        char command[256];

        bailey_session_free(scene->session);
        bailey_policy_free(scene->policy);
        assert_int_equal(count_files(), scene->files);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        snprintf(command, sizeof(command), "test -z \"$(ls -A %s/state/bailey/runs 2>&-)\" && rm -rf %s", scene->directory,
                 scene->directory);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the path is our own */
}

/* ---- starting ---- */

struct id {
        char text[BAILEY_ID_SIZE];
};

static inline struct id start_with(struct scene *scene, const struct bailey_run_options *options) {
        char error[512] = "";
        struct id id = {};

        if (bailey_start(scene->session, options, id.text, error, sizeof(error)) < 0)
                fail_msg("%s", error);
        assert_int_equal(strlen(id.text), BAILEY_ID_SIZE - 1);
        return id;
}

static inline struct id start(struct scene *scene, const char *command) {
        return start_with(scene, &(struct bailey_run_options){ .command = command });
}

static inline struct id start_background(struct scene *scene, const char *command) {
        return start_with(scene, &(struct bailey_run_options){ .command = command, .background = 1 });
}

/* ---- events ---- */

/* The next one, within the time that is left; false: none came. */
static inline bool next_event(struct scene *scene, struct bailey_event *ret, int64_t deadline) {
        struct pollfd fd = { .fd = bailey_session_fd(scene->session), .events = POLLIN };

        while (bailey_session_event(scene->session, ret) == 0) {
                if (poll(&fd, 1, time_left_ms(deadline)) == 0)
                        return false;
                bailey_session_step(scene->session);
        }
        return true;
}

/* Drops all others. */
static inline void wait_for(struct scene *scene, const struct id *id, enum bailey_event_kind kind) {
        int64_t deadline = time_monotonic() + PATIENCE_MS * (TIME_SECOND / 1000);
        struct bailey_event event;

        do
                if (!next_event(scene, &event, deadline))
                        fail_msg("no event %d for %s", (int)kind, id->text);
        while (strcmp(event.id, id->text) != 0 || event.kind != kind);
}

static inline struct bailey_outcome take(struct scene *scene, const struct id *id) {
        struct bailey_outcome outcome = {};

        wait_for(scene, id, BAILEY_EVENT_ENDED);
        assert_int_equal(bailey_take(scene->session, id->text, &outcome), 1);
        return outcome;
}

/* ---- reading ---- */

static inline struct bailey_reading read_with(struct scene *scene, const struct id *id,
                                              const struct bailey_read_options *options) {
        struct bailey_reading reading = {};
        char error[512] = "";

        if (bailey_read(scene->session, id->text, options, &reading, error, sizeof(error)) < 0)
                fail_msg("%s", error);
        return reading;
}

static inline struct bailey_reading read_all(struct scene *scene, const struct id *id) {
        return read_with(scene, id, &(struct bailey_read_options){});
}

static inline void assert_text(const struct bailey_stream *stream, const char *text) {
        assert_str_equal(str_from(stream->text, stream->length), str_z(text));
}

static inline enum bailey_status status_of(struct scene *scene, const struct id *id) {
        struct bailey_reading reading = read_all(scene, id);
        enum bailey_status status = reading.status;

        bailey_reading_free(&reading);
        return status;
}

static inline bool is_known(struct scene *scene, const struct id *id) {
        struct bailey_reading reading = {};
        bool known = bailey_read(scene->session, id->text, &(struct bailey_read_options){}, &reading, NULL, 0) == 0;

        bailey_reading_free(&reading);
        return known;
}

/* ---- a program that uses the library ---- */

/* A wrapper starts it again, inside. */
static inline void be_inside(int argc, char **argv) {
        char error[256];

        if (argc == 2 && strcmp(argv[1], "__inside") == 0) {
                bailey_run_inside(error, sizeof(error));
                _exit(1);
        }
}

#endif
