/*
 * What the record costs a command: its intent and its outcome, in a file in the present directory's file system.
 *
 *     bench_audit [PAIRS]
 *
 * The word ok or SLOW says how that compares with the goal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/time.h"

enum { PAIRS_DEFAULT = 5000, PAIRS_MAX = 100000, GOAL_US = 100 };

static int64_t times[PAIRS_MAX];

static int compare(const void *a, const void *b) {
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

        return (x > y) - (x < y);
}

static void write_pair(struct audit *audit) {
        static const char *const guarantees[] = { "writes", "reads", "protect", "tmp", "network", "processes", "kill" };
        struct audit_record record = {
                .kind = AUDIT_INTENT,
                .id = "11111111-2222-4333-8444-555555555555",
                .command = STR("make -j4 CFLAGS=-O2 && make test && git status --short"),
                .policy = STR("default"),
                .cwd = "/home/user/project/src",
                .workspace = "/home/user/project",
                .action = "allowed",
                .backend = "native",
                .guarantees = guarantees,
                .guarantee_count = sizeof(guarantees) / sizeof(*guarantees),
        };
        struct err err;

        for (; record.kind <= AUDIT_OUTCOME; record.kind++)
                if (audit_write(audit, &record, &err) < 0) {
                        fprintf(stderr, "bench_audit: %s\n", err.msg);
                        exit(1);
                }
}

int main(int argc, char **argv) {
        int pairs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : PAIRS_DEFAULT;
        char path[4096 + 32], here[4096];
        struct audit_policy policy = { .enabled = true, .ring_size = 1000, .rotate_bytes = 64 << 20, .rotate_keep = 1 };
        struct audit *audit;
        struct err err;
        double median;
        int middle, late;

        if (pairs < 1 || pairs > PAIRS_MAX || !getcwd(here, sizeof(here)))
                return 2;
        snprintf(path, sizeof(path), "%s/bench_audit.%d", here, (int)getpid());
        policy.path = str_z(path);
        if (audit_open(&policy, NULL, &audit, &err) < 0)
                return 1;
        for (int i = 0; i < pairs; i++) {
                int64_t begun = time_monotonic();

                write_pair(audit);
                times[i] = time_monotonic() - begun;
        }
        audit_close(audit);
        unlink(path);
        qsort(times, (size_t)pairs, sizeof(*times), compare);
        middle = pairs / 2;
        late = pairs - 1 - pairs / 100;
        median = (double)times[middle] / 1000;
        printf("audit: %.1f us for intent and outcome (99 of 100 within %.1f us), goal %d us: %s\n", median,
               (double)times[late] / 1000, GOAL_US, median < GOAL_US ? "ok" : "SLOW");
        return 0;
}
