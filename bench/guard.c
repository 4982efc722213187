/*
 * Verdicts and parses, in this process, under the built-in policy. Times are what the processor spent, so that others on the
 * machine count little: of each text the median of some runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "bench/bench.h"
#include "bench/texts.h"
#include "guard/guard.h"
#include "policy/load.h"
#include "bash/syntax/parse.h"

enum {
        RUNS = 7,      /* of one command; odd, so that there is one in the middle */
        SLOW_RUNS = 3, /* of a large text */
        ROUNDS = 8,    /* of a command in one run, as a clock is slower than some */
        LARGE = 64 << 10,
};

struct judging {
        const struct policy *policy;
        struct arena *arena;
};

typedef void pass(const struct judging *judging, struct str text);

static void judge(const struct judging *judging, struct str text) {
        struct verdict verdict;

        guard_check(text, judging->policy, judging->arena, &verdict);
}

static void parse(const struct judging *judging, struct str text) {
        struct script script;

        shell_parse(text, judging->arena, &script);
}

static int64_t processor_time(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * TIME_SECOND + now.tv_nsec;
}

static int64_t time_text(pass *done, const struct judging *judging, struct str text, unsigned runs, unsigned rounds) {
        struct samples samples = { 0 };
        int64_t median;

        for (unsigned run = 0; run < runs; run++) {
                int64_t start = processor_time();
                for (unsigned i = 0; i < rounds; i++) {
                        arena_reset(judging->arena);
                        done(judging, text);
                }
                samples_add(&samples, (processor_time() - start) / rounds);
        }
        median = (int64_t)samples_quantile(&samples, 50);
        samples_free(&samples);
        return median;
}

static void time_texts(pass *done, const struct judging *judging, const struct texts *texts, struct samples *samples) {
        for (size_t i = 0; i < texts->count; i++)
                samples_add(samples, time_text(done, judging, texts->list[i], RUNS, ROUNDS));
}

static void add_commands(struct bench *bench, const struct judging *judging, const struct texts *texts) {
        const char *of = bench->texts ? "the texts given" : "commands as agents type them; nl2bash was not given";
        struct samples verdicts = { 0 }, parses = { 0 };
        struct row *row;

        time_texts(judge, judging, texts, &verdicts);
        time_texts(parse, judging, texts, &parses);
        row = row_add(bench, "guard-median", "guard verdict over nl2bash, median", "");
        row_value(row, "us", samples_quantile(&verdicts, 50) / 1000, texts->count, AT_MOST, 8);
        row->p95 = samples_quantile(&verdicts, 95) / 1000;
        snprintf(row->note, sizeof(row->note), "%s", of);
        row = row_add(bench, "guard-p99", "the same, 99 of 100 within", "");
        row_value(row, "us", samples_quantile(&verdicts, 99) / 1000, texts->count, AT_MOST, 60);
        snprintf(row->note, sizeof(row->note), "%s", of);
        row = row_add(bench, "guard-parse", "parse over nl2bash, median", "");
        row_value(row, "us", samples_quantile(&parses, 50) / 1000, texts->count, AT_MOST, 4);
        row->p95 = samples_quantile(&parses, 95) / 1000;
        snprintf(row->note, sizeof(row->note), "%s", of);
        samples_free(&verdicts);
        samples_free(&parses);
}

static void add_slow(struct bench *bench, const struct judging *judging) {
        struct row *row = row_add(bench, "guard-worst", "guard verdict of 64 KiB, the slowest of the texts made for that", "");
        struct samples samples = { 0 };
        const char *name, *worst = "";
        int64_t most = 0, taken;
        BUF_AUTO text, shown;

        buf_init(&text, LARGE + 1024);
        buf_init(&shown, sizeof(row->note));
        for (size_t i = 0; (name = texts_slow(i, LARGE, &text)); i++) {
                taken = time_text(judge, judging, buf_str(&text), bench->quick ? 1 : SLOW_RUNS, 1);
                samples_add(&samples, taken);
                if (taken > most) {
                        most = taken;
                        worst = name;
                }
        }
        row_value(row, "ms", (double)most / 1e6, samples.count, AT_MOST, 50);
        row->p95 = samples_quantile(&samples, 95) / 1e6;
        buf_json(&shown, str_z(worst));
        snprintf(row->note, sizeof(row->note), "it repeats %.*s", (int)shown.len, shown.ptr);
        samples_free(&samples);
}

static const struct policy *load_policy(struct arena *arena) {
        struct policy_request request = { .builtin_only = true };
        const struct policy *policy = NULL;
        struct err err;

        if (policy_load(&request, arena, &policy, &err) < 0)
                bench_die("%s", err.msg);
        return policy;
}

void measure_guard(struct bench *bench) {
        struct texts texts = { 0 };
        const struct policy *policy;
        ARENA_AUTO arena, lines;

        arena_init(&arena, 0);
        arena_init(&lines, TEXTS_MAX);
        policy = load_policy(&lines);
        texts_load(&texts, bench->texts, &lines);
        add_commands(bench, &(struct judging){ policy, &arena }, &texts);
        free(texts.list);
}

void measure_worst(struct bench *bench) {
        struct policy large;
        ARENA_AUTO arena, kept;

        arena_init(&arena, 0);
        arena_init(&kept, 0);
        large = *load_policy(&kept);
        large.guard.max_command_length = LARGE + 1024;
        add_slow(bench, &(struct judging){ &large, &arena });
}
