/*
 * Runs several commands at once, in the event loop of a program that has other things to do: event_loop COMMAND...
 *
 * Shows their output as it comes. A line on stdin kills those that still run.
 *
 *      cc -o event_loop event_loop.c $(pkg-config --cflags --libs bailey)
 */
#include <bailey.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { JOBS_MAX = 8 };

struct job {
        char id[BAILEY_ID_SIZE];
        char next[64]; /* where its output was read up to */
        int ended;
};

static struct job jobs[JOBS_MAX];
static int job_count;

static int job_find(const char *id) {
        int i = 0;

        while (i < job_count && strcmp(jobs[i].id, id) != 0)
                i++;
        return i;
}

static int start(struct bailey_session *session, const char *command) {
        struct bailey_run_options options = { .command = command, .background = 1 };
        char error[512];

        if (bailey_start(session, &options, jobs[job_count].id, error, sizeof(error)) < 0) {
                fprintf(stderr, "event_loop: %s\n", error);
                return -1;
        }
        job_count++;
        return 0;
}

/* What is new of one command: a line each of what it printed, and how it ended. */
static void show(struct bailey_session *session, int i, int ended) {
        static const char *const words[] = { "runs", "ended", "was killed", "timed out", "failed" };
        struct bailey_read_options options = { .since = jobs[i].next[0] ? jobs[i].next : NULL };
        struct bailey_reading reading;
        char error[512];

        if (bailey_read(session, jobs[i].id, &options, &reading, error, sizeof(error)) < 0) {
                fprintf(stderr, "event_loop: %s\n", error);
                return;
        }
        if (reading.out.length)
                printf("[%d] %s", i + 1, reading.out.text);
        if (reading.err.length)
                printf("[%d] error: %s", i + 1, reading.err.text);
        if (ended)
                printf("[%d] %s, %d%s%s\n", i + 1, words[reading.status], reading.exit_code, reading.message ? ": " : "",
                       reading.message ? reading.message : "");
        fflush(stdout);
        snprintf(jobs[i].next, sizeof(jobs[i].next), "%s", reading.next);
        bailey_reading_free(&reading);
}

/* Returns how many have ended. */
static int take_events(struct bailey_session *session) {
        struct bailey_event event;
        int ended = 0;

        bailey_session_step(session);
        while (bailey_session_event(session, &event)) {
                int i = job_find(event.id);

                if (i == job_count || event.kind == BAILEY_EVENT_STARTED)
                        continue;
                show(session, i, event.kind == BAILEY_EVENT_ENDED);
                jobs[i].ended = event.kind == BAILEY_EVENT_ENDED;
                ended += jobs[i].ended;
        }
        return ended;
}

static void loop(struct bailey_session *session) {
        struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                                { .fd = bailey_session_fd(session), .events = POLLIN } };
        int running = job_count;

        while (running) {
                char line[256];

                if (poll(fds, 2, -1) < 0)
                        continue;
                if (fds[0].revents && read(STDIN_FILENO, line, sizeof(line)) > 0) {
                        for (int i = 0; i < job_count; i++)
                                bailey_kill(session, jobs[i].id, SIGTERM);
                } else if (fds[0].revents) {
                        fds[0].fd = -1; /* nobody is there */
                }
                if (fds[1].revents)
                        running -= take_events(session);
        }
}

int main(int argc, char **argv) {
        const char *const *environment = (const char *const *)environ;
        struct bailey_policy_options options = { .workspace = ".", .environment = environment };
        struct bailey_session *session;
        struct bailey_policy *policy;
        char error[512];

        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0) {
                fprintf(stderr, "event_loop: %s\n", error);
                return 1;
        }
        if (bailey_session_new(policy, environment, &session, error, sizeof(error)) < 0) {
                fprintf(stderr, "event_loop: %s\n", error);
                bailey_policy_free(policy);
                return 1;
        }
        for (int i = 1; i < argc && job_count < JOBS_MAX; i++)
                start(session, argv[i]);
        loop(session);
        bailey_session_free(session);
        bailey_policy_free(policy);
        return 0;
}
