/*
 * A program that other things are different in than in ours: guest CASE [ARGUMENT]
 *
 *      buffers         what is in stdio's buffers, and atexit()
 *      locale NAME     what is written for programs, in another locale
 *      stack BYTES     a thread with that much stack
 *      inside          is the program that wrappers start, too
 *
 * $BAILEY is the program, for wrappers. Says what is wrong, and exits with 1.
 */
#include <locale.h>
#include <pthread.h>
#include <signal.h>

#include "tests/library/host.h"

/* ---- what happens once ---- */

static void say_goodbye(void) {
        printf("goodbye\n");
}

static int buffers(const char *unused) {
        struct bailey_policy *policy = policy_new();
        struct bailey_session *session;
        char ids[3][BAILEY_ID_SIZE];

        (void)unused;
        setvbuf(stdout, NULL, _IOFBF, 1 << 16);
        atexit(say_goodbye);
        printf("buffered\n");
        session = session_new(policy);
        start(session, "exit 1", false, ids[0]);
        start(session, "sleep 300", false, ids[1]);
        start(session, "rm -rf /", false, ids[2]);
        bailey_kill(session, ids[1], SIGTERM);
        drive(session, 3);
        start(session, "sleep 300", false, ids[1]); /* killed by the end of its session */
        bailey_session_free(session);
        bailey_policy_free(policy);
        return 0;
}

/* ---- a locale ---- */

static int locale(const char *name) {
        struct bailey_policy *policy = policy_new();
        char *schema, *config;
        size_t length;

        if (!setlocale(LC_ALL, name))
                wrong("there is no locale %s", name);
        fprintf(stderr, "%.1f\n", 0.5);
        if (bailey_config_schema(&schema, &length) < 0 || bailey_config_show(policy, BAILEY_ANSWER_JSON, &config, &length) < 0)
                wrong("out of memory");
        printf("%s\n%s\n", schema, config);
        bailey_free(schema);
        bailey_free(config);
        bailey_policy_free(policy);
        return 0;
}

/* ---- a small stack ---- */

static char *nested(const char *open, const char *inner, const char *shut, int depth) {
        size_t size = (strlen(open) + strlen(shut)) * (size_t)depth + strlen(inner) + 1;
        char *text = calloc(1, size), *at = text;

        for (int i = 0; text && i < depth; i++)
                at += snprintf(at, size, "%s", open);
        at += text ? snprintf(at, size, "%s", inner) : 0;
        for (int i = 0; text && i < depth; i++)
                at += snprintf(at, size, "%s", shut);
        return text;
}

/* Scripts in scripts, each of them deep. */
static char *nested_scripts(int depth, int scripts) {
        char *text = strdup("id"), *opened, script[64], end[32], *outer;
        size_t size;

        for (int i = 0; text && i < scripts; i++) {
                snprintf(end, sizeof(end), "\nEND%d\n", i);
                snprintf(script, sizeof(script), "bash <<'END%d'\n", i);
                size = strlen(script) + strlen(text) + strlen(end) + 1;
                opened = malloc(size);
                if (opened)
                        snprintf(opened, size, "%s%s%s", script, text, end);
                outer = opened ? nested("( ", opened, " )", depth) : NULL;
                free(opened);
                free(text);
                text = outer;
        }
        return text;
}

static void judge(const struct bailey_policy *policy, char *text) {
        struct bailey_verdict verdict;
        size_t length;
        char *answer;

        if (!text || bailey_check(policy, text, strlen(text), &verdict) < 0)
                wrong("out of memory");
        bailey_verdict_free(&verdict);
        if (bailey_parse(text, strlen(text), BAILEY_JSON, &answer, &length) >= 0)
                bailey_free(answer);
        free(text);
}

static void *go_deep(void *policy) {
        static const char *const shapes[][3] = {
                { "echo $(", "id", ")" },       { "( ", "id", " )" },      { "if true; then ", "id", "; fi" },
                { "echo \"${a:-", "x", "}\"" }, { "echo $((", "1", "))" }, { "find . -exec bash -c '", "id", "' \\;" },
        };
        struct bailey_session *session;
        char id[BAILEY_ID_SIZE];

        for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
                for (int depth = 1; depth < 400; depth += 66)
                        judge(policy, nested(shapes[i][0], shapes[i][1], shapes[i][2], depth));
        for (int depth = 19; depth < 200; depth += 19)
                judge(policy, nested_scripts(depth, 7));
        session = session_new(policy);
        start(session, "printf deep; exit 8", false, id);
        drive(session, 1);
        expect(session, id, BAILEY_EXITED, 8, "deep");
        bailey_session_free(session);
        return NULL;
}

static int stack(const char *bytes) {
        struct bailey_policy *policy = policy_new();
        pthread_attr_t attributes;
        pthread_t thread;

        pthread_attr_init(&attributes);
        if (pthread_attr_setstacksize(&attributes, strtoul(bytes, NULL, 10)) != 0 ||
            pthread_create(&thread, &attributes, go_deep, policy) != 0)
                wrong("no thread with a stack of %s bytes", bytes);
        pthread_join(thread, NULL);
        bailey_policy_free(policy);
        return 0;
}

static int inside(const char *unused) {
        struct bailey_policy_options options = { .workspace = ".", .environment = environment(), .program = "" };
        struct bailey_run_options run = { .command = "printf inside; exit 4", .environment = environment(), .capture = 1 };
        struct bailey_outcome outcome;
        struct bailey_policy *policy;
        char error[512];

        (void)unused;
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                wrong("policy: %s", error);
        if (bailey_run(policy, &run, &outcome) < 0 || outcome.exit_code != 4 || strcmp(outcome.output, "inside") != 0)
                wrong("inside: %s", outcome.message ? outcome.message : outcome.output);
        printf("%s\n", outcome.backend);
        bailey_outcome_free(&outcome);
        bailey_policy_free(policy);
        return 0;
}

static const struct {
        const char *name;
        int (*run)(const char *argument);
} cases[] = {
        { "buffers", buffers },
        { "locale", locale },
        { "stack", stack },
        { "inside", inside },
};

int main(int argc, char **argv) {
        char error[512];

        if (argc > 1 && strcmp(argv[1], "__inside") == 0) {
                bailey_run_inside(error, sizeof(error));
                wrong("inside: %s", error);
        }
        for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
                if (strcmp(argv[1], cases[i].name) == 0)
                        return cases[i].run(argc > 2 ? argv[2] : "");
        fprintf(stderr, "usage: guest CASE [ARGUMENT]\n");
        return 2;
}
