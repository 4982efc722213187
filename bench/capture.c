/*
 * A flood of output, through the server, and into a reader that does nothing with it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/client.h"

enum { RUNS = 7, RUNS_LEAST = 2, BUDGET_S = 60, CHUNK = 64 << 10 };

static int64_t time_discarding(const struct bench *bench, const struct child *program) {
        static char chunk[CHUNK];
        int64_t begun = time_monotonic();
        size_t total = 0;
        struct err err;
        ssize_t got;
        int fds[2], status;
        pid_t pid;

        if (fd_pipe(fds, &err) < 0)
                bench_die("%s", err.msg);
        pid = child_start(bench, program, -1, fds[1]);
        close(fds[1]);
        while ((got = read(fds[0], chunk, sizeof(chunk))) > 0)
                total += (size_t)got;
        close(fds[0]);
        if (waitpid(pid, &status, 0) != pid || status != 0 || total != bench->flood)
                bench_die("%s: %zu bytes came instead of %zu", program->argv[0], total, bench->flood);
        return time_monotonic() - begun;
}

void measure_capture(struct bench *bench) {
        static const char *const as_it_is[] = { NULL };
        char head[PATH_MAX], count[32], command[64], what[96];
        const char *const argv[] = { head, "-c", count, "/dev/zero", NULL };
        const struct child plain = { .argv = argv };
        struct samples captured = { 0 }, discarded = { 0 };
        size_t runs = bench->quick ? RUNS_LEAST : RUNS;
        int64_t until = time_monotonic() + BUDGET_S * TIME_SECOND;
        struct client client;
        struct row *row;

        snprintf(count, sizeof(count), "%zu", bench->flood);
        snprintf(command, sizeof(command), "head -c %s /dev/zero", count);
        snprintf(what, sizeof(what), "capture of %zu MiB by the server, speed", bench->flood >> 20);
        row = row_add(bench, "capture-flood", what, "head through a pipe to a reader that discards");
        if (!child_find(bench, "head", head)) {
                row_skip(row, "there is no program head");
                return;
        }
        client_start(&client, bench, as_it_is);
        client_warm_up(&client, bench);
        for (size_t i = 0; i < runs && (i < RUNS_LEAST || time_monotonic() < until); i++) {
                samples_add(&captured, client_time(&client, command));
                samples_add(&discarded, time_discarding(bench, &plain));
        }
        client_stop(&client);
        row_ratio(row, &captured, &discarded, AT_LEAST, 0.9);
        samples_free(&captured);
        samples_free(&discarded);
}
