/*
 * The server: a call from the line of the request to the line of the answer, several at once, and after very many.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/client.h"

static const char *const as_it_is[] = { NULL };

/* Agents think between two commands, for longer than this. */
static void wait_a_moment(const struct bench *bench) {
        struct timespec pause = { .tv_sec = bench->pause / TIME_SECOND, .tv_nsec = bench->pause % TIME_SECOND };

        nanosleep(&pause, NULL);
}

static void measure_latency(struct bench *bench, struct client *client, const struct child *plain) {
        struct row *row = row_add(bench, "mcp-latency", "MCP Bash of true, request line in to answer line out, warm",
                                  "posix_spawn + wait of bash -c true");
        struct samples calls = { 0 }, spawns = { 0 };

        for (size_t i = 0; i < bench->n; i++) {
                wait_a_moment(bench);
                samples_add(&calls, client_time(client, "true"));
                wait_a_moment(bench);
                samples_add(&spawns, child_time(bench, plain, NULL));
        }
        row_ratio(row, &calls, &spawns, AT_MOST, 1.2);
        snprintf(row->note, sizeof(row->note), "%lld ms pause before each", (long long)(bench->pause / (TIME_SECOND / 1000)));
        samples_free(&calls);
        samples_free(&spawns);
}

/* Rounds of each in turns: time per command while 8 are under way. */
static void measure_throughput(struct bench *bench, struct client *client, const struct child *plain) {
        size_t rounds = bench->n >= 40 ? bench->n / 20 : 2, count = bench->quick ? 2 * IN_FLIGHT : 10 * IN_FLIGHT;
        struct row *row =
                row_add(bench, "mcp-throughput", "the same, 8 in flight on 2 cores, throughput", "8 plain spawns in flight");
        struct samples calls = { 0 }, spawns = { 0 };

        for (size_t round = 0; round < rounds; round++) {
                samples_add(&calls, client_pump(client, "true", count, IN_FLIGHT) / (int64_t)count);
                samples_add(&spawns, child_pump(bench, plain, count, IN_FLIGHT) / (int64_t)count);
        }
        row_ratio(row, &calls, &spawns, AT_LEAST, 0.6);
        row->n = rounds * count;
        samples_free(&calls);
        samples_free(&spawns);
}

/* Leaves the first cores of those we have, for us and for all that we start. */
static void use_cores(int cores, cpu_set_t *ret_before) {
        cpu_set_t fewer;

        CPU_ZERO(&fewer);
        if (sched_getaffinity(0, sizeof(*ret_before), ret_before) < 0)
                bench_die("cannot tell how many cores there are");
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&fewer) < cores; cpu++)
                if (CPU_ISSET(cpu, ret_before))
                        CPU_SET(cpu, &fewer);
        sched_setaffinity(0, sizeof(fewer), &fewer);
}

void measure_mcp(struct bench *bench) {
        const char *const argv[] = { bench->bash, "-c", "true", NULL };
        const struct child plain = { .argv = argv };
        struct client client;
        cpu_set_t before;

        use_cores(CORES, &before);
        client_start(&client, bench, as_it_is);
        client_warm_up(&client, bench);
        measure_latency(bench, &client, &plain);
        measure_throughput(bench, &client, &plain);
        client_stop(&client);
        sched_setaffinity(0, sizeof(before), &before);
}

void measure_age(struct bench *bench) {
        struct samples old_calls = { 0 }, young_calls = { 0 };
        struct client old, young;
        struct row *row;
        char what[128];

        snprintf(what, sizeof(what), "a call of a server that has served %zu", bench->calls);
        row = row_add(bench, "age-calls", what, "a call of a new one");
        place_home(bench, "old");
        client_start(&old, bench, as_it_is);
        client_pump(&old, "true", bench->calls, IN_FLIGHT);
        place_home(bench, "young");
        client_start(&young, bench, as_it_is);
        client_warm_up(&young, bench);
        for (size_t i = 0; i < bench->n; i++) {
                wait_a_moment(bench);
                samples_add(&old_calls, client_time(&old, "true"));
                wait_a_moment(bench);
                samples_add(&young_calls, client_time(&young, "true"));
        }
        client_stop(&old);
        client_stop(&young);
        place_home(bench, "home");
        row_ratio(row, &old_calls, &young_calls, AT_MOST, 1.1);
        samples_free(&old_calls);
        samples_free(&young_calls);
}
