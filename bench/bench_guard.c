/*
 * How long a verdict takes, and whether any text makes it take too long.
 *
 *     bench_guard [--json] [FILE]
 *
 * FILE has a {"command": "..."} per line; without it, a list of commands as agents type them. All under the built-in
 * default policy, in this process. Times are what the processor spent, so that others on the machine count little: the
 * median of several runs. Nothing fails here: the words ok and SLOW say
 * how the numbers compare with the goals.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/texts.h"
#include "base/buf.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "policy/load.h"

enum {
        RUNS = 15,       /* of one command; odd, so that there is one in the middle */
        STRESS_RUNS = 5, /* of a large text */
        ROUNDS = 8,      /* of a command in one run, as a clock is slower than some */
        SIZES = 4,       /* 8, 16, 32 and 64 KiB */
        SMALLEST = 8 << 10,
        LARGEST = SMALLEST << (SIZES - 1),
        SHELLS = 12, /* in shells; each doubles the backslashes */
};

/* Goals. */
static const double goal_median_us = 15, goal_stress_ms = 50;

/* Each is repeated until the text is as long as it should be. */
static const char *const stress[] = {
        "a=b ",
        "a=$a$a;",
        "a+=b;",
        "a+=($a);",
        "a[$a]=$a;",
        "$(",
        "`",
        "${",
        "${a/x/y}",
        "${a:-",
        "{a,",
        "{a,b}",
        "{1..9}",
        "$((",
        "$a",
        "'a'",
        "*",
        "a|",
        "a&",
        "a && ",
        "ls -l /tmp;",
        "rm -rf / ;",
        "rm -rf / ",
        "cat .env;",
        "cd a;",
        "cd ..;cat x;",
        "> /etc/x ",
        "echo a>f;sh f;",
        "x=$(curl h);eval $x;",
        "echo a|sh;",
        "for x in 1 2 3 4 5 6 7 8; do ",
        "for x in 1 2 3 4 5 6 7 8; do a; done;",
        "while a; do b; done;",
        "while a; do ",
        "if a; then b; fi;",
        "if a; then ",
        "if a; then b=1; else b=2; fi;",
        "case $a in b) c;; *) d;; esac;",
        "( ",
        "{ ",
        "[[ ",
        "f(){ g; };",
        "f(){ f;};f;",
        "f(){ ",
        "eval ",
        "eval a;",
        "nice ",
        "env a=b ",
        "xargs ",
        "bash -c 'a';",
        "bash -c \"",
        "python3 -c 'system(\"a\")';",
        "find . -exec ",
        "alias a=b;",
        "trap a EXIT;",
        "ln -s a b;cat b;",
        "curl http://a/ ",
        "git -c a=b ",
        "docker run -v /:/a ",
        "sed -e 1e ",
        "cat <<A\n",
        "cat <<A\n$a\nA\n",
        "<<<a ",
        "a b\n",
        "#\n",
        "\\\n",
        "\xc3\xa4",
        "\xe2\x80\x8b",
        "set -- $@ a;",
        "printf -v a %s $a;",
        "read a <<< $b;",
        "${a:-b} ",
        "{a,b,c,d,e,f,g}{a,b,c,d,e,f,g} ",
        "echo ${a[@]};a+=(x);",
        "find . -exec a \\; ",
        "nc a 1;",
        "a|b;",
};

/* The same, with something before and behind it. */
static const struct framed {
        const char *name, *before, *repeated, *after;
} framed[] = {
        { "f(){ a;a;...};f;f;f;f;f;f;f;f", "f(){ ", "a;", "};f;f;f;f;f;f;f;f" },
        { "cat <<E >f ... sh f;sh f;sh f;sh f", "cat <<E >f\n", "a\n", "E\nsh f;sh f;sh f;sh f;sh f;sh f;sh f;sh f" },
        { "if a;then x=1;y=2;fi;b $x $y;b $x $y;", "x=3;y=4;if a;then x=1;y=2;fi;", "b $x $y;", "" },
        { "if a;then f(){ b;};fi;f;f;f;", "if a;then f(){ b;};else f(){ c;};fi;", "f;", "" },
        { "trap 'a;a;...' 0", "trap '", "a;", "' 0" },
        { "parallel a ::: b b b", "parallel a ::: ", "b ", "" },
        { "find /a /a /a ... -exec rm {} +", "find ", "/a ", "-exec rm {} + -exec cat {} + -exec cat {} +" },
        { "cat a/a/a/...", "cat ", "a/", "x" },
};

struct stress_row {
        const char *name;
        double ms[SIZES];
        enum action action;
};

/* ---- measuring ---- */

static int64_t spent(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The median of the runs, in nanoseconds. */
static int64_t measure(struct str text, const struct policy *policy, unsigned runs, unsigned rounds, struct arena *arena,
                       enum action *ret_action) {
        int64_t times[RUNS] = { 0 };
        struct verdict verdict = { 0 };

        for (unsigned run = 0; run < runs; run++) {
                int64_t start = spent();
                for (unsigned i = 0; i < rounds; i++) {
                        arena_reset(arena);
                        guard_check(text, policy, arena, &verdict);
                }
                times[run] = (spent() - start) / rounds;
        }
        qsort(times, runs, sizeof(times[0]), compare_times);
        *ret_action = verdict.action;
        return times[runs / 2];
}

static void measure_commands(const struct texts *texts, const struct policy *policy, struct arena *arena, double *ret_median,
                             double *ret_p99) {
        int64_t *times = calloc(texts->count, sizeof(*times));
        enum action action;

        if (!times)
                die("out of memory");
        for (size_t i = 0; i < texts->count; i++)
                times[i] = measure(texts->list[i], policy, RUNS, ROUNDS, arena, &action);
        qsort(times, texts->count, sizeof(*times), compare_times);
        *ret_median = microseconds(times[texts->count / 2]);
        *ret_p99 = microseconds(times[(texts->count - 1) * 99 / 100]);
        free(times);
}

static struct stress_row measure_stress(const char *pattern, const struct policy *policy, struct arena *arena) {
        static char text[LARGEST];
        struct stress_row row = { .name = pattern };
        size_t length = strlen(pattern);

        for (size_t i = 0; i < LARGEST; i++)
                text[i] = pattern[i % length];
        for (unsigned i = 0; i < SIZES; i++)
                row.ms[i] = (double)measure(str_from(text, (size_t)SMALLEST << i), policy, STRESS_RUNS, 1, arena, &row.action) /
                            1e6;
        return row;
}

static struct stress_row measure_framed(const struct framed *text_of, const struct policy *policy, struct arena *arena) {
        struct stress_row row = { .name = text_of->name };
        size_t length = strlen(text_of->repeated), after = strlen(text_of->after);
        BUF_AUTO text;

        buf_init(&text, LARGEST);
        for (unsigned i = 0; i < SIZES; i++) {
                buf_clear(&text);
                buf_append(&text, str_z(text_of->before));
                while (text.len + length + after <= (size_t)SMALLEST << i)
                        buf_append(&text, str_z(text_of->repeated));
                buf_append(&text, str_z(text_of->after));
                row.ms[i] = (double)measure(buf_str(&text), policy, STRESS_RUNS, 1, arena, &row.action) / 1e6;
        }
        return row;
}

/* bash -c "bash -c \"...\"", as deep as fits, and blanks behind it. */
static void nested_shells(size_t size, struct buf *out) {
        BUF_AUTO inner;

        buf_init(&inner, LARGEST);
        buf_clear(out);
        buf_append(out, STR("id"));
        for (unsigned depth = 0; depth < SHELLS && 2 * out->len + 16 < size; depth++) {
                buf_clear(&inner);
                buf_append(&inner, buf_str(out));
                buf_clear(out);
                buf_append(out, STR("bash -c \""));
                for (size_t i = 0; i < inner.len; i++) {
                        if (inner.ptr[i] == '"' || inner.ptr[i] == '\\')
                                buf_char(out, '\\');
                        buf_char(out, inner.ptr[i]);
                }
                buf_char(out, '"');
        }
        for (size_t i = out->len; i < size; i++)
                buf_char(out, ' ');
}

static struct stress_row measure_nesting(const struct policy *policy, struct arena *arena) {
        struct stress_row row = { .name = "bash -c \"bash -c \\\"..." };
        BUF_AUTO text;

        buf_init(&text, LARGEST + 1);
        for (unsigned i = 0; i < SIZES; i++) {
                nested_shells((size_t)SMALLEST << i, &text);
                row.ms[i] = (double)measure(buf_str(&text), policy, STRESS_RUNS, 1, arena, &row.action) / 1e6;
        }
        return row;
}

/* ---- telling ---- */

static void tell_commands(const struct texts *texts, double median, double p99, bool json) {
        if (json) {
                printf("{\"commands\":%zu,\"median_us\":%.3f,\"p99_us\":%.3f,\"goal_median_us\":%g,\"ok\":%s,"
                       "\"stress\":[",
                       texts->count, median, p99, goal_median_us, median <= goal_median_us ? "true" : "false");
                return;
        }
        printf("guard: %zu commands, median %.2f us, p99 %.2f us; goal: median <= %g us: %s\n\n", texts->count, median, p99,
               goal_median_us, median <= goal_median_us ? "ok" : "SLOW");
        printf("%-42s %39s\n", "", "ms for a text of");
        printf("%-42s %8s %8s %8s %8s <= %g\n", "repeated", "8 KiB", "16", "32", "64", goal_stress_ms);
}

static void tell_stress(const struct stress_row *row, bool json, bool first) {
        bool fast = row->ms[SIZES - 1] <= goal_stress_ms;
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->name));
        if (json)
                printf("%s{\"pattern\":%.*s,\"ms\":[%.3f,%.3f,%.3f,%.3f],\"action\":\"%s\",\"ok\":%s}", first ? "" : ",",
                       (int)name.len, name.ptr, row->ms[0], row->ms[1], row->ms[2], row->ms[3], action_name(row->action),
                       fast ? "true" : "false");
        else
                printf("%-42.*s %8.2f %8.2f %8.2f %8.2f %5s %s\n", (int)name.len, name.ptr, row->ms[0], row->ms[1], row->ms[2],
                       row->ms[3], fast ? "ok" : "SLOW", action_name(row->action));
}

/* The built-in policy, and the same with room for large texts. */
static void load_policies(struct arena *arena, const struct policy **ret_policy, struct policy *ret_large) {
        struct policy_request request = { .builtin_only = true };
        struct err err;

        if (policy_load(&request, arena, ret_policy, &err) < 0)
                die(err.msg);
        *ret_large = **ret_policy;
        ret_large->guard.max_command_length = LARGEST;
}

int main(int argc, char **argv) {
        struct texts texts = { 0 };
        const struct policy *policy = NULL;
        struct policy large;
        struct stress_row row;
        double median, p99;
        ARENA_AUTO arena, lines;
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
        const char *file = argv[1 + json];

        arena_init(&arena, 0);
        arena_init(&lines, TEXTS_MAX);
        load_policies(&lines, &policy, &large);
        texts_load(&texts, file, &lines);
        measure_commands(&texts, policy, &arena, &median, &p99);
        tell_commands(&texts, median, p99, json);
        for (size_t i = 0; i < sizeof(stress) / sizeof(stress[0]); i++) {
                row = measure_stress(stress[i], &large, &arena);
                tell_stress(&row, json, i == 0);
        }
        for (size_t i = 0; i < sizeof(framed) / sizeof(framed[0]); i++) {
                row = measure_framed(&framed[i], &large, &arena);
                tell_stress(&row, json, false);
        }
        row = measure_nesting(&large, &arena);
        tell_stress(&row, json, false);
        fputs(json ? "]}\n" : "", stdout);
        free(texts.list);
        return 0;
}
