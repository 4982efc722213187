/*
 * How fast output goes through the filters on its way to a capture.
 *
 *     bench_redact [--json]
 *
 * Text as compilers and listings print it, in chunks as a pipe gives them, without a secret in it, for few and for many; the
 * same in base64, which looks as secrets do; and text with one in every line. Then what makes it plain. Nothing
 * fails here: the words ok and SLOW say how the numbers compare with the goals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "run/terminal_text.h"
#include "run/redact.h"

enum {
        RUNS = 7,
        SIZE = 16 << 20,
        CHUNK = 64 << 10,
        FEW = 8,
        MANY = 512,
        SECRET = 40,
};

enum filter { REDACT, PLAIN };

/* Lines are made of words; @ is a secret, # a number that changes. */
static const char build_text[] = "  CC       drivers/net/ethernet/intel/e#/netdev_#.o\n"
                                 "src/lib#.c:#:17: warning: unused variable 'result' [-Wunused-variable]\n"
                                 "-rw-r--r-- 1 root root #2 Nov 16 04:42 fuzz_roundtrip#.c\n";
static const char color_text[] = "\033[1m\033[32m   Compiling\033[0m serde v1.0.# (/home/user/serde)\n";
static const char secret_text[] = "the token is @, as it was # days ago, and it will not change\n";

static const struct row {
        const char *name;
        enum filter filter;
        const char *lines; /* NULL: base64 */
        size_t secrets;
        double goal_gb;
} rows[] = {
        { "few", REDACT, build_text, FEW, 1 },      { "many", REDACT, build_text, MANY, 1 },
        { "many_base64", REDACT, NULL, MANY, 0.3 }, { "found", REDACT, secret_text, MANY, 0.3 },
        { "plain", PLAIN, build_text, 0, 0.3 },     { "plain_color", PLAIN, color_text, 0, 0.1 },
};

static char text[SIZE], values[MANY][SECRET + 1];
static struct redact_secret secrets[MANY];

static void die(const char *what) {
        fprintf(stderr, "bench_redact: %s\n", what);
        exit(1);
}

static void fill_base64(char *to, size_t len) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        static uint64_t seed = 88172645463325252;

        for (size_t i = 0; i < len; i++) {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                to[i] = digits[seed >> 58];
        }
}

static void fill_text(const char *lines) {
        size_t at = 0;

        if (!lines) {
                fill_base64(text, SIZE);
                return;
        }
        for (size_t i = 0; at < SIZE; i++) {
                char number[24];
                char c = lines[i % strlen(lines)];
                struct str piece = str_from(&c, 1);

                snprintf(number, sizeof(number), "%zu", i * 7919 % 100003);
                if (c == '#')
                        piece = str_z(number);
                else if (c == '@')
                        piece = str_z(values[i % MANY]);
                piece = str_take(piece, SIZE - at);
                memcpy(text + at, piece.ptr, piece.len);
                at += piece.len;
        }
}

static void count_bytes(void *context, struct str bytes) {
        *(uint64_t *)context += bytes.len;
}

static int64_t processor(void) {
        struct timespec t;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return t.tv_sec * TIME_SECOND + t.tv_nsec;
}

static int64_t measure(const struct row *row, const struct redactor *redactor) {
        static struct terminal_text plain;
        struct redact_state state = { 0 };
        uint64_t out = 0;
        int64_t start = processor();

        terminal_text_init(&plain, TERMINAL_TEXT);
        for (size_t at = 0; at < SIZE; at += CHUNK)
                if (row->filter == PLAIN)
                        terminal_text_feed(&plain, str_from(text + at, CHUNK), count_bytes, &out);
                else
                        redact_feed(redactor, &state, str_from(text + at, CHUNK), count_bytes, &out);
        terminal_text_end(&plain, count_bytes, &out);
        redact_end(redactor, &state, count_bytes, &out);
        if (row->filter == REDACT && !state.redactions && out != SIZE)
                die("bytes got lost");
        return processor() - start;
}

static double best_gb(const struct row *row) {
        const struct redactor *redactor = NULL;
        int64_t best = INT64_MAX;

        if (redactor_new(secrets, row->secrets, NULL, &redactor, NULL) < 0)
                die("no redactor");
        fill_text(row->lines);
        for (int i = 0; i < RUNS; i++) {
                int64_t ns = measure(row, redactor);

                if (ns < best)
                        best = ns;
        }
        redactor_leave(redactor);
        return (double)SIZE / (double)(best ? best : 1);
}

int main(int argc, char **argv) {
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0;

        for (size_t i = 0; i < MANY; i++) {
                fill_base64(values[i], SECRET);
                secrets[i] = (struct redact_secret){ STR("NAME"), str_from(values[i], i % 2 ? SECRET : SECRET / 5) };
        }
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                double gb = best_gb(&rows[i]);
                bool ok = gb >= rows[i].goal_gb;

                if (json)
                        printf("%s\"%s_gb_s\":%.2f,\"%s_ok\":%s", i ? "," : "{", rows[i].name, gb, rows[i].name,
                               ok ? "true" : "false");
                else
                        printf("redact %s: %.2f GB in a second of processor, %zu secrets; goal: >= %g: %s\n", rows[i].name, gb,
                               rows[i].secrets, rows[i].goal_gb, ok ? "ok" : "SLOW");
        }
        if (json)
                puts("}");
        return 0;
}
