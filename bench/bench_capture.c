/*
 * How fast a flood of output is taken in, and in how much memory.
 *
 *     bench_capture [--json]
 *
 * `head -c 1G /dev/zero` into a capture, and into a bare loop of read() that keeps nothing, which is as fast as the
 * flood itself can be. The processor's time says more than the clock's where others use the machine too. Nothing fails here:
 * the words ok and SLOW say how the numbers compare with the goals.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/capture.h"

enum {
        RUNS = 5,
        LIMIT = 100 << 10,
        PLAIN_READ = 64 << 10,
};

static const double goal_gb = 1.5, goal_of_plain = 0.95, goal_rss_mib = 20;

struct flood {
        int64_t ns, reader_ns, writer_ns; /* by the clock; processor time of both sides */
        uint64_t bytes;
};

static void die(const char *what) {
        fprintf(stderr, "bench_capture: %s\n", what);
        exit(1);
}

static int64_t processor(int who) {
        struct rusage u;

        getrusage(who, &u);
        return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * TIME_SECOND + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static pid_t start_flood(int fd) {
        pid_t pid = fork();

        if (pid == 0) {
                dup2(fd, STDOUT_FILENO);
                execlp("head", "head", "-c", "1G", "/dev/zero", (char *)NULL);
                _exit(127);
        }
        return pid;
}

/* As a run loop does it: poll, then read. */
static uint64_t take_in(int fd, struct capture *capture) {
        static char plain[PLAIN_READ];
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        uint64_t total = 0;
        ssize_t count;

        for (;;) {
                poll(&wait, 1, -1);
                count = capture ? capture_read(capture, fd) : read(fd, plain, sizeof(plain));
                if (count == 0)
                        return total;
                if (count > 0)
                        total += (uint64_t)count;
                else if (errno != EAGAIN && errno != EINTR)
                        die("cannot read");
        }
}

static struct flood measure(bool captured) {
        struct flood flood = { .reader_ns = -processor(RUSAGE_SELF), .writer_ns = -processor(RUSAGE_CHILDREN) };
        struct capture capture = { 0 };
        int64_t start = time_monotonic();
        int fds[2];
        pid_t pid;

        if ((captured ? capture_pipe(fds, NULL) : fd_pipe(fds, NULL)) < 0 || capture_init(&capture, LIMIT, NULL) < 0)
                die("cannot start");
        pid = start_flood(fds[1]);
        close(fds[1]);
        flood.bytes = take_in(fds[0], captured ? &capture : NULL);
        flood.ns = time_monotonic() - start;
        close(fds[0]);
        waitpid(pid, NULL, 0);
        flood.reader_ns += processor(RUSAGE_SELF);
        flood.writer_ns += processor(RUSAGE_CHILDREN);
        if (captured && capture.total != flood.bytes)
                die("bytes got lost");
        capture_free(&capture);
        return flood;
}

static int compare_floods(const void *a, const void *b) {
        const struct flood *x = a, *y = b;

        return (x->ns > y->ns) - (x->ns < y->ns);
}

static double gb(uint64_t bytes, int64_t ns) {
        return (double)bytes / (double)(ns ? ns : 1);
}

int main(int argc, char **argv) {
        struct flood captured[RUNS], plain[RUNS];
        struct rusage usage;
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0, ok;
        double fast, bare, rss;
        const struct flood *c = &captured[RUNS / 2], *p = &plain[RUNS / 2];

        for (int i = 0; i < RUNS; i++) { /* in turns, as the machine's mood changes */
                captured[i] = measure(true);
                plain[i] = measure(false);
        }
        qsort(captured, RUNS, sizeof(*captured), compare_floods);
        qsort(plain, RUNS, sizeof(*plain), compare_floods);
        getrusage(RUSAGE_SELF, &usage);
        fast = gb(c->bytes, c->ns);
        bare = gb(p->bytes, p->ns);
        rss = (double)usage.ru_maxrss / 1024;
        ok = rss <= goal_rss_mib && (fast >= goal_gb || fast >= goal_of_plain * bare);
        printf(json ? "{\"capture_gb_s\":%.2f,\"plain_gb_s\":%.2f,\"reader_gb_cpu_s\":%.2f,\"writer_gb_cpu_s\":%.2f,"
                      "\"rss_mib\":%.1f,\"ok\":"
                    : "capture: %.2f GB/s, a bare read() %.2f GB/s; in a second of processor: the reader %.2f GB, head %.2f "
                      "GB; "
                      "RSS %.1f MiB; ",
               fast, bare, gb(c->bytes, c->reader_ns), gb(c->bytes, c->writer_ns), rss);
        if (json)
                puts(ok ? "true}" : "false}");
        else
                printf("goal: >= %g GB/s or as fast as read(), <= %g MiB: %s\n", goal_gb, goal_rss_mib, ok ? "ok" : "SLOW");
        return 0;
}
