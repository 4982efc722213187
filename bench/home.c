/*
 * A home of the workspace: what it costs to start a command with one, beside the user's home, and what work in a large
 * repository takes in the sandbox.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/client.h"

enum { FILES = 50000, FILES_QUICK = 2000, EACH = 100, GIT_RUNS = 30 };

static const char *const with_own[] = { "sandbox.home=own", NULL }, *const with_hosts[] = { "sandbox.home=host", NULL };

/* For people, or for programs. */
static const char *who(bool name) {
        return geteuid() == 0 ? "root" : name ? "user" : "a user";
}

static void make_directory(const char *path) {
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
                bench_die("%s: %s", path, strerror(errno));
}

/* Eight directories of tools and caches, which are shown, and some more. */
static void fill_home(const struct bench *bench) {
        static const char *const shown[] = {
                ".cargo", ".cargo/bin", ".cargo/registry", ".local", ".local/bin", ".nvm", ".npm",    ".npm/_cacache",
                ".cache", ".cache/pip", ".cache/go-build", "go",     "go/pkg",     ".ssh", ".config", "Documents"
        };

        for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
                char path[PATH_MAX + 32];

                snprintf(path, sizeof(path), "%s/%s", bench->home, shown[i]);
                make_directory(path);
        }
}

static void measure_start_of(struct bench *bench) {
        const char *const own[] = { bench->bailey, "run", "--set", with_own[0], "true", NULL };
        const char *const host[] = { bench->bailey, "run", "--set", with_hosts[0], "true", NULL };
        const struct child programs[] = { { .argv = own }, { .argv = host } };
        struct taken taken[2] = { 0 };
        char name[48], what[128];
        struct row *row;

        snprintf(name, sizeof(name), "home-cold-%s", who(true));
        snprintf(what, sizeof(what), "bailey run true with a home of its own, cold, as %s", who(false));
        row = row_add(bench, name, what, "the same with sandbox.home=host");
        turns_take(bench, programs, 2, bench->n, taken);
        turns_compare(row, &taken[0], &taken[1], 1.1);
        turns_free(taken, 2);
}

static void wait_a_moment(const struct bench *bench) {
        struct timespec pause = { .tv_sec = bench->pause / TIME_SECOND, .tv_nsec = bench->pause % TIME_SECOND };

        nanosleep(&pause, NULL);
}

static void measure_calls(struct bench *bench) {
        struct samples own_calls = { 0 }, host_calls = { 0 };
        struct client own, host;
        char name[48], what[128];
        struct row *row;

        snprintf(name, sizeof(name), "home-warm-%s", who(true));
        snprintf(what, sizeof(what), "a call of a server with such a home, warm, as %s", who(false));
        row = row_add(bench, name, what, "the same with sandbox.home=host");
        client_start(&own, bench, with_own);
        client_warm_up(&own, bench);
        client_start(&host, bench, with_hosts);
        client_warm_up(&host, bench);
        for (size_t i = 0; i < bench->n; i++) {
                struct client *first = i % 2 ? &host : &own, *second = i % 2 ? &own : &host;

                wait_a_moment(bench);
                samples_add(first == &own ? &own_calls : &host_calls, client_time(first, "true"));
                wait_a_moment(bench);
                samples_add(second == &own ? &own_calls : &host_calls, client_time(second, "true"));
        }
        client_stop(&own);
        client_stop(&host);
        row_ratio(row, &own_calls, &host_calls, AT_MOST, 1.05);
        samples_free(&own_calls);
        samples_free(&host_calls);
}

/* A commit of all of them, in the workspace. */
static void make_repository(const struct bench *bench, int files) {
        static const char *const commands = "git init -q && git add . && git -c user.name=b -c user.email=b@b commit -q -m 1";
        const char *const argv[] = { bench->bash, "-c", commands, NULL };
        const struct child program = { .argv = argv };

        for (int i = 0; i < files; i++) {
                char path[PATH_MAX + 48];
                FILE *file;

                snprintf(path, sizeof(path), "%s/%d", bench->work, i / EACH);
                if (i % EACH == 0)
                        make_directory(path);
                snprintf(path, sizeof(path), "%s/%d/%d", bench->work, i / EACH, i);
                file = fopen(path, "we");
                if (!file || fprintf(file, "%d\n", i) < 0 || fclose(file) != 0)
                        bench_die("%s: %s", path, strerror(errno));
        }
        child_time(bench, &program, NULL);
}

static void measure_git(struct bench *bench) {
        int files = bench->quick ? FILES_QUICK : FILES;
        const char *const inside[] = { bench->bailey, "run", "git status --porcelain", NULL };
        const char *const plain[] = { bench->bash, "-c", "git status --porcelain", NULL };
        const struct child programs[] = { { .argv = inside }, { .argv = plain } };
        struct taken taken[2] = { 0 };
        char name[48], what[128], git[PATH_MAX];
        struct row *row;

        snprintf(name, sizeof(name), "home-git-%s", who(true));
        snprintf(what, sizeof(what), "git status of %d files, inside, as %s", files, who(false));
        row = row_add(bench, name, what, "without a sandbox");
        if (!child_find(bench, "git", git)) {
                row_skip(row, "git is not installed");
                return;
        }
        make_repository(bench, files);
        turns_take(bench, programs, 2, bench->n < GIT_RUNS ? bench->n : GIT_RUNS, taken);
        turns_compare(row, &taken[0], &taken[1], 1.15);
        turns_free(taken, 2);
}

static void measure_home_as(struct bench *bench) {
        fill_home(bench);
        measure_start_of(bench);
        measure_calls(bench);
        measure_git(bench);
}

/* The workspace of root becomes a repository: so this group is the last one. */
void measure_home(struct bench *bench) {
        if (geteuid() == 0)
                place_as_user(bench, measure_home_as);
        measure_home_as(bench);
}
