/*
 * A program with threads, handlers and children of its own, in which commands run: host CASE [ARGUMENT]
 *
 *      threads default|reap|ignore     sessions in several threads, beside threads that do something else; SIGCHLD as said
 *      threads alone                   the same in a program that has no children, and hears of none
 *      handover                        a thread starts commands and ends, another one takes them over
 *      fork                            starts a command, forks, and waits to be killed
 *
 * $BAILEY is the program, for wrappers. Says what is wrong, and exits with 1.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tests/library/host.h"

enum { SESSIONS = 4, COMMANDS = 6, ROUNDS = 2, BUSY = 2, OWN_CHILDREN = 20, OWN_STATUS = 77 };

static atomic_bool stop;

/* ---- threads that are in the way ---- */

/* Holds the allocator's lock, and others of the C library, most of the time. */
static void *be_busy(void *unused) {
        void *kept[64] = { NULL };
        unsigned int seed = 1;

        while (!stop) {
                unsigned int i = (seed = seed * 1103515245 + 12345) >> 16 & 63;
                FILE *file = fopen("/dev/null", "w");
                int saved = errno;

                free(kept[i]);
                kept[i] = malloc(1 + (seed >> 8 & 0xffff));
                if (file) {
                        fprintf(file, "%s %f\n", strerror((int)i), (double)seed);
                        fclose(file);
                }
                errno = saved;
        }
        for (size_t i = 0; i < 64; i++)
                free(kept[i]);
        return unused;
}

static void *judge(void *policy) {
        static const char command[] = "a=rm; $a -rf /";

        while (!stop) {
                struct bailey_verdict verdict;

                if (bailey_check(policy, command, sizeof(command) - 1, &verdict) != BAILEY_BLOCKED || !verdict.reason_count)
                        wrong("it was not blocked");
                bailey_verdict_free(&verdict);
        }
        return NULL;
}

static void *run_alone(void *policy) {
        struct bailey_run_options options = { .command = "printf alone; exit 9", .environment = environment(), .capture = 1 };

        while (!stop) {
                struct bailey_outcome outcome;

                if (bailey_run(policy, &options, &outcome) < 0 || outcome.exit_code != 9 ||
                    strcmp(outcome.output, "alone") != 0)
                        wrong("alone: %s", outcome.message ? outcome.message : outcome.output);
                bailey_outcome_free(&outcome);
        }
        return NULL;
}

/* ---- children of its own ---- */

static pid_t own[OWN_CHILDREN];
static atomic_int own_reaped, strangers_reaped, told;

static bool is_own(pid_t pid) {
        for (int i = 0; i < OWN_CHILDREN; i++)
                if (own[i] == pid)
                        return true;
        return false;
}

static void reap_all(int number) {
        int saved = errno, status;
        pid_t pid;

        (void)number;
        told++;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
                if (WEXITSTATUS(status) == OWN_STATUS)
                        own_reaped++;
                else
                        strangers_reaped++;
        errno = saved;
}

static void have_children(void) {
        for (int i = 0; i < OWN_CHILDREN; i++) {
                own[i] = fork();
                if (own[i] == 0)
                        _exit(OWN_STATUS);
                poll(NULL, 0, 20);
        }
}

/* Nobody but us has waited for them. */
static void wait_for_children(void) {
        for (int left = OWN_CHILDREN; left > 0; left--) {
                int status;
                pid_t pid = waitpid(-1, &status, 0);

                if (!is_own(pid) || !WIFEXITED(status) || WEXITSTATUS(status) != OWN_STATUS)
                        wrong("a child of our own: %d, status %d", (int)pid, status);
        }
        if (waitpid(-1, NULL, 0) >= 0 || errno != ECHILD)
                wrong("a child that is not ours");
}

/* The signal may be a little late. */
static void check_children(const char *how) {
        int expected = strcmp(how, "reap") == 0 ? OWN_CHILDREN : 0;

        if (strcmp(how, "default") == 0)
                wait_for_children();
        for (int i = 0; own_reaped < expected && i < 1000; i++)
                poll(NULL, 0, 10);
        if (own_reaped != expected || strangers_reaped)
                wrong("reaped %d children of our own, and %d others", own_reaped, strangers_reaped);
        if (strcmp(how, "alone") == 0 && told)
                wrong("told of %d children, without any", told);
}

static void handle_children(const char *how) {
        struct sigaction action = { .sa_flags = SA_RESTART };

        sigemptyset(&action.sa_mask);
        action.sa_handler = strcmp(how, "default") == 0 ? SIG_DFL : strcmp(how, "ignore") == 0 ? SIG_IGN : reap_all;
        sigaction(SIGCHLD, &action, NULL);
}

/* ---- threads ---- */

static void run_commands(struct bailey_session *session, int number) {
        char ids[COMMANDS][BAILEY_ID_SIZE], killed[BAILEY_ID_SIZE], shell[BAILEY_ID_SIZE], text[64];
        struct bailey_read_options all = {};
        struct bailey_reading reading;

        for (int i = 0; i < COMMANDS; i++) {
                snprintf(text, sizeof(text), "printf %d.%d; exit %d", number, i, 10 * number + i);
                start(session, text, false, ids[i]);
        }
        start(session, "sleep 300", false, killed);
        start(session, "printf out; printf err >&2; exit 3", true, shell);
        if (bailey_kill(session, killed, SIGKILL) < 0)
                wrong("kill: no such command");
        drive(session, COMMANDS + 2);
        for (int i = 0; i < COMMANDS; i++) {
                snprintf(text, sizeof(text), "%d.%d", number, i);
                expect(session, ids[i], BAILEY_EXITED, 10 * number + i, text);
        }
        expect(session, killed, BAILEY_CANCELLED, 128 + SIGKILL, "");
        if (bailey_read(session, shell, &all, &reading, text, sizeof(text)) < 0)
                wrong("read: %s", text);
        if (reading.exit_code != 3 || strcmp(reading.out.text, "out") != 0 || strcmp(reading.err.text, "err") != 0)
                wrong("in the background: %d, %s, %s", reading.exit_code, reading.out.text, reading.err.text);
        bailey_reading_free(&reading);
}

struct worker {
        pthread_t thread;
        const struct bailey_policy *policy;
        int number;
};

static void *budget(void *data) {
        const struct worker *worker = data;

        for (int i = 0; i < ROUNDS; i++) {
                struct bailey_session *session = session_new(worker->policy);

                run_commands(session, worker->number);
                bailey_session_free(session);
        }
        return NULL;
}

static void begin(pthread_t *thread, void *(*function)(void *), void *data) {
        if (pthread_create(thread, NULL, function, data) != 0)
                wrong("no thread");
}

static int threads(const char *how) {
        struct bailey_policy *policy = policy_new();
        struct worker workers[SESSIONS];
        pthread_t others[BUSY + 2];

        handle_children(how);
        for (int i = 0; i < BUSY; i++)
                begin(&others[i], be_busy, NULL);
        begin(&others[BUSY], judge, policy);
        begin(&others[BUSY + 1], run_alone, policy);
        for (int i = 0; i < SESSIONS; i++) {
                workers[i] = (struct worker){ .policy = policy, .number = i };
                begin(&workers[i].thread, budget, &workers[i]);
        }
        if (strcmp(how, "alone") != 0)
                have_children();
        for (int i = 0; i < SESSIONS; i++)
                pthread_join(workers[i].thread, NULL);
        stop = true;
        for (int i = 0; i < BUSY + 2; i++)
                pthread_join(others[i], NULL);
        bailey_policy_free(policy);
        check_children(how);
        return 0;
}

/* ---- a thread that ends ---- */

struct handover {
        const struct bailey_policy *policy;
        struct bailey_session *session;
        char ids[2][BAILEY_ID_SIZE];
};

static void *start_and_go(void *data) {
        struct handover *h = data;

        h->session = session_new(h->policy);
        start(h->session, "sleep 0.5; printf later; exit 5", false, h->ids[0]);
        start(h->session, "exit 6", false, h->ids[1]);
        return NULL;
}

static int handover(const char *unused) {
        struct bailey_policy *policy = policy_new();
        struct handover h = { .policy = policy };
        pthread_t thread;

        (void)unused;
        begin(&thread, start_and_go, &h);
        pthread_join(thread, NULL);
        drive(h.session, 2);
        expect(h.session, h.ids[0], BAILEY_EXITED, 5, "later");
        expect(h.session, h.ids[1], BAILEY_EXITED, 6, "");
        bailey_session_free(h.session);
        bailey_policy_free(policy);
        return 0;
}

/* The other one has copies of all files, but no command is to live by it. Both are killed by whoever started this. */
static int forks(const char *unused) {
        struct bailey_session *session = session_new(policy_new());
        char id[BAILEY_ID_SIZE];
        pid_t other;

        (void)unused;
        start(session, "while :; do date +%s.%N >beat; sleep 0.05; done", true, id);
        other = fork();
        if (other == 0) {
                close(STDOUT_FILENO);
                for (;;)
                        pause();
        }
        printf("%d\n", (int)other);
        fflush(stdout);
        drive(session, 1);
        return 1;
}

static const struct {
        const char *name;
        int (*run)(const char *argument);
} cases[] = {
        { "threads", threads },
        { "handover", handover },
        { "fork", forks },
};

int main(int argc, char **argv) {
        for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
                if (strcmp(argv[1], cases[i].name) == 0)
                        return cases[i].run(argc > 2 ? argv[2] : "");
        fprintf(stderr, "usage: host CASE [ARGUMENT]\n");
        return 2;
}
