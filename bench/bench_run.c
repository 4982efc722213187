/*
 * What a sandbox costs: `bailey run` against the same command without one, and against bubblewrap with comparable walls,
 * in turns, so that what else the machine does hits all of them.
 *
 *     bench_run [RUNS]
 *
 * Times are from fork to the end of the process, as its parent sees it. Nothing fails here: the words ok and SLOW say how
 * the ratios compare with the goals.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

extern char **environ;

enum { RUNS_DEFAULT = 200, RUNS_MAX = 100000, NONE = -1 };

static char bailey[4096], workspace[] = "/tmp/bench_run.XXXXXX";

#define BWRAP                                                                                                                  \
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc",      \
                "/proc", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--tmpfs", "/run", "--tmpfs", "/home", "--bind", workspace, \
                workspace, "--chdir", workspace

static struct contender {
        const char *name;
        const char *argv[40];
        int against;  /* the row whose time it is a multiple of */
        int against2; /* another one */
        double goal;  /* at most; 0: none */
        double goal2;
} contenders[] = {
        { "true", { "true" }, NONE, NONE, 0, 0 },
        { "bash -c true", { "bash", "-c", "true" }, NONE, NONE, 0, 0 },
        { "bwrap true", { BWRAP, "true" }, 0, NONE, 0, 0 },
        { "bwrap bash -c true", { BWRAP, "bash", "-c", "true" }, 1, NONE, 0, 0 },
        { "bailey run -- true", { bailey, "run", "--", "true" }, 0, 2, 0, 0.5 },
        { "bailey run true", { bailey, "run", "true" }, 1, 3, 3, 0.5 },
        { "bailey run 'echo hi'", { bailey, "run", "echo hi" }, 1, 3, 3, 0.5 },
        { "bailey run -b bwrap true", { bailey, "run", "-b", "bwrap", "true" }, 1, 3, 0, 0 },
        { "bailey run -b landlock true", { bailey, "run", "-b", "landlock", "true" }, 1, 3, 0, 0 },
};

enum { CONTENDERS = sizeof(contenders) / sizeof(*contenders) };

static int64_t times[CONTENDERS][RUNS_MAX];
static bool works[CONTENDERS];

static int64_t run_once(struct contender *c, bool *ret_fine) {
        posix_spawn_file_actions_t actions;
        int64_t begun = time_monotonic();
        int status = -1;
        pid_t pid;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        if (posix_spawnp(&pid, c->argv[0], &actions, NULL, (char *const *)c->argv, environ) == 0)
                waitpid(pid, &status, 0);
        posix_spawn_file_actions_destroy(&actions);
        *ret_fine = status == 0;
        return time_monotonic() - begun;
}

static int compare(const void *a, const void *b) {
        int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

        return (x > y) - (x < y);
}

static double quantile(int row, int runs, int percent) {
        int at = runs * percent / 100;

        return (double)times[row][at];
}

static void print_ratio(int row, int against, double goal, int runs) {
        double ratio;

        if (against == NONE || !works[against])
                return;
        ratio = quantile(row, runs, 50) / quantile(against, runs, 50);
        printf("  %5.2f x %s", ratio, contenders[against].name);
        if (goal > 0)
                printf(" (%s, goal %g)", ratio <= goal ? "ok" : "SLOW", goal);
}

int main(int argc, char **argv) {
        int runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : RUNS_DEFAULT;
        char *slash = strrchr(argv[0], '/'), beside[4096];

        if (runs < 2 || runs > RUNS_MAX)
                runs = RUNS_DEFAULT;
        snprintf(beside, sizeof(beside), "%.*s/../bailey", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
        if (!realpath(beside, bailey) || !mkdtemp(workspace) || chdir(workspace) < 0) {
                perror("bench_run");
                return 1;
        }
        for (int row = 0; row < CONTENDERS; row++)
                run_once(&contenders[row], &works[row]);
        for (int i = 0; i < runs; i++)
                for (int row = 0; row < CONTENDERS; row++) {
                        bool fine = true;

                        if (works[row])
                                times[row][i] = run_once(&contenders[row], &fine);
                }
        printf("start of a command, %d runs of each in turns: median and 95th percentile in microseconds\n", runs);
        for (int row = 0; row < CONTENDERS; row++) {
                if (!works[row]) {
                        printf("  %-28s does not work here\n", contenders[row].name);
                        continue;
                }
                qsort(times[row], (size_t)runs, sizeof(**times), compare);
        }
        for (int row = 0; row < CONTENDERS; row++) {
                if (!works[row])
                        continue;
                printf("  %-28s %8.0f %8.0f", contenders[row].name, quantile(row, runs, 50) / 1000,
                       quantile(row, runs, 95) / 1000);
                print_ratio(row, contenders[row].against, contenders[row].goal, runs);
                print_ratio(row, contenders[row].against2, contenders[row].goal2, runs);
                putchar('\n');
        }
        if (chdir("/") == 0)
                rmdir(workspace);
        return 0;
}
