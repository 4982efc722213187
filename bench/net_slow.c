/*
 * How long a command waits for a connection while another one of its session, which has the same gateway, holds thousands that
 * send a byte now and then (bench_net.c). The worst of many is what counts.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/client.h"
#include "bench/net_place.h"

enum { SLOW = 10000, ECHOES = 3000, READY_S = 120 };

#define SETTING "sandbox.network."

static void wait_for_file(const char *path) {
        const struct timespec pause = { .tv_nsec = TIME_SECOND / 50 };
        int64_t deadline = time_monotonic() + READY_S * TIME_SECOND;
        struct stat status;

        while (stat(path, &status) < 0 || status.st_size == 0) {
                if (time_monotonic() > deadline)
                        bench_die("slow connections were not opened in %d s", READY_S);
                nanosleep(&pause, NULL);
        }
}

static void read_delays(const char *path, struct samples *samples) {
        FILE *file = fopen(path, "re");
        long long ns;

        while (file && fscanf(file, "%lld", &ns) == 1)
                samples_add(samples, ns);
        if (!file || fclose(file) != 0 || samples->count == 0)
                bench_die("%s: nothing was measured", path);
}

/* Connects and has a byte back, again and again, in one command. */
static void echo_often(struct client *client, const struct bench *bench, struct samples *samples) {
        char command[PATH_MAX + 128], path[PATH_MAX];

        snprintf(path, sizeof(path), "%.4000s/delays", bench->work);
        snprintf(command, sizeof(command), "yes echo | head -n %d | %.4000s " NET_ADDRESS " " NET_PORT " >delays",
                 bench->quick ? 50 : ECHOES, bench->net);
        client_time(client, command);
        read_delays(path, samples);
        unlink(path);
}

void measure_net_slow(struct bench *bench) {
        const char *const settings[] = { SETTING "kind=allow_hosts", SETTING "hosts=[\"" NET_PLACE "\"]",
                                         SETTING "max_connections=20000", NULL };
        size_t slow = bench->quick ? 100 : SLOW;
        struct samples alone = { 0 }, beside = { 0 };
        char command[PATH_MAX + 128], path[PATH_MAX], what[128];
        struct client client;
        struct row *row;

        snprintf(what, sizeof(what), "worst connect + 1 byte there and back beside %zu slow connections of another command",
                 slow);
        row = row_add(bench, "net-slow", what, "");
        place_home(bench, "slow");
        client_start(&client, bench, settings);
        echo_often(&client, bench, &alone);
        snprintf(command, sizeof(command), "(echo slow %zu; sleep 1000) | %.4000s " NET_ADDRESS " " NET_PORT " >ready", slow,
                 bench->net);
        client_bash(&client, command, true);
        client_answer(&client);
        snprintf(path, sizeof(path), "%.4000s/ready", bench->work);
        wait_for_file(path);
        echo_often(&client, bench, &beside);
        client_stop(&client);
        place_home(bench, "home");
        row_value(row, "ms", (samples_quantile(&beside, 100) - samples_quantile(&alone, 50)) / 1e6, beside.count, AT_MOST, 50);
        row->p95 = (samples_quantile(&beside, 95) - samples_quantile(&alone, 50)) / 1e6;
        row->median_us = samples_quantile(&beside, 50) / 1000;
        row->against_us = samples_quantile(&alone, 50) / 1000;
        snprintf(row->note, sizeof(row->note), "more than the median without them, where the worst was %.1f ms",
                 samples_quantile(&alone, 100) / 1e6);
        samples_free(&alone);
        samples_free(&beside);
}
