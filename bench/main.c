/*
 * What bailey costs, in one table: how much time as the same without it takes, or as another one takes. `make bench` runs it.
 *
 * Exit status: 0 measured, whatever came of it; 1 could not be measured; 2 asked in the wrong way; 3 with --check, when a goal
 * was missed.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/bench.h"

static const char usage[] =
        "usage: bench [OPTION...]\n\n"
        "  -j, --json         for programs\n"
        "  -r, --rows LIST    only these groups: start,hook,cold,mcp,age,memory,shells,capture,guard,worst,net,peers,home\n"
        "  -n, --runs N       of each in turns; default: 300\n"
        "  -q, --quick        a look: fewer of everything\n"
        "  -p, --pause MS     before a call that is measured alone; default: 10\n"
        "  -t, --texts FILE   to judge and parse, a {\"command\": \"...\"} per line, such as nl2bash\n"
        "  -b, --bailey PATH  the program to measure; default: the one that was built with this\n"
        "  -d, --doc FILE     put the table into it, between its markers, too\n"
        "  -c, --check        end with 3 when a goal is missed\n"
        "  -h, --help         say this\n";

static const struct group {
        const char *name;
        measure *measure;
} groups[] = {
        { "mcp", measure_mcp },     { "cold", measure_cold },     { "start", measure_start },     { "hook", measure_hook },
        { "guard", measure_guard }, { "worst", measure_worst },   { "capture", measure_capture }, { "shells", measure_shells },
        { "age", measure_age },     { "memory", measure_memory }, { "net", measure_net },         { "peers", measure_peers },
        { "home", measure_home },
};

enum { GROUPS = sizeof(groups) / sizeof(*groups) };

struct wishes {
        bool json, check;
        const char *document, *bailey;
        long runs, pause;
};

/* Is it in the list? */
static bool wanted(const char *list, const char *name) {
        for (const char *at = list; at && *at; at += strspn(at, ",")) {
                size_t length = strcspn(at, ",");

                if (length == strlen(name) && strncmp(at, name, length) == 0)
                        return true;
                at += length;
        }
        return !list;
}

static bool is_group(const char *word, size_t length) {
        for (size_t i = 0; i < GROUPS; i++)
                if (strlen(groups[i].name) == length && strncmp(word, groups[i].name, length) == 0)
                        return true;
        return false;
}

static bool all_groups(const char *list) {
        for (const char *at = list; at && *at; at += strspn(at, ",")) {
                size_t length = strcspn(at, ",");

                if (!is_group(at, length)) {
                        fprintf(stderr, "bench: --rows: %.*s is no group; see bench --help\n", (int)length, at);
                        return false;
                }
                at += length;
        }
        return true;
}

static bool read_number(const char *text, long least, long most, long *ret) {
        char *end;
        long value;

        errno = 0;
        value = strtol(text, &end, 10);
        if (errno || *end || end == text || value < least || value > most) {
                fprintf(stderr, "bench: %s is not a number from %ld to %ld\n", text, least, most);
                return false;
        }
        *ret = value;
        return true;
}

static bool take_option(int option, const char *value, struct bench *bench, struct wishes *wishes) {
        switch (option) {
        case 'j':
                wishes->json = true;
                return true;
        case 'r':
                bench->rows = value;
                return all_groups(value);
        case 'n':
                return read_number(value, 1, 1000000, &wishes->runs);
        case 'q':
                bench->quick = true;
                return true;
        case 'p':
                return read_number(value, 0, 10000, &wishes->pause);
        case 't':
                bench->texts = value;
                return true;
        case 'b':
                wishes->bailey = value;
                return true;
        case 'd':
                wishes->document = value;
                return true;
        case 'c':
                wishes->check = true;
                return true;
        default:
                return false;
        }
}

/* Returns the exit status, or -1 to go on. */
static int read_options(int argc, char **argv, struct bench *bench, struct wishes *wishes) {
        static const struct option options[] = {
                { "json", no_argument, NULL, 'j' },
                { "rows", required_argument, NULL, 'r' },
                { "runs", required_argument, NULL, 'n' },
                { "quick", no_argument, NULL, 'q' },
                { "pause", required_argument, NULL, 'p' },
                { "texts", required_argument, NULL, 't' },
                { "bailey", required_argument, NULL, 'b' },
                { "doc", required_argument, NULL, 'd' },
                { "check", no_argument, NULL, 'c' },
                { "help", no_argument, NULL, 'h' },
                { 0 },
        };

        for (int option; (option = getopt_long(argc, argv, "jr:n:qp:t:b:d:ch", options, NULL)) != -1;) {
                if (option == 'h') {
                        fputs(usage, stdout);
                        return 0;
                }
                if (!take_option(option, optarg, bench, wishes))
                        return 2;
        }
        if (optind < argc) {
                fprintf(stderr, "bench: %s: there are no operands; see bench --help\n", argv[optind]);
                return 2;
        }
        return -1;
}

static void decide_sizes(struct bench *bench, const struct wishes *wishes) {
        bench->n = wishes->runs ? (size_t)wishes->runs : bench->quick ? 20 : 300;
        bench->pause = wishes->pause * (TIME_SECOND / 1000);
        bench->shells = bench->quick ? 16 : 1000;
        bench->calls = bench->quick ? 100 : 20000;
        bench->flood = (size_t)(bench->quick ? 16 : 1024) << 20;
        bench->warm = bench->quick ? 4 : 32;
}

static void find_programs(struct bench *bench, const struct wishes *wishes) {
        char here[PATH_MAX - 16], *slash;
        ssize_t length = readlink("/proc/self/exe", here, sizeof(here) - 1);

        if (length < 0)
                bench_die("/proc/self/exe: %s", strerror(errno));
        here[length] = '\0';
        slash = strrchr(here, '/');
        if (slash)
                snprintf(slash, sizeof(here) - (size_t)(slash - here), "/bench_sandbox");
        snprintf(bench->sandbox, sizeof(bench->sandbox), "%s", here);
        if (slash)
                snprintf(slash, sizeof(here) - (size_t)(slash - here), "/bench_net");
        snprintf(bench->net, sizeof(bench->net), "%s", here);
        if (slash)
                snprintf(slash, sizeof(here) - (size_t)(slash - here), "/../bailey");
        if (!realpath(wishes->bailey ? wishes->bailey : here, bench->bailey))
                bench_die("%s: %s", wishes->bailey ? wishes->bailey : here, strerror(errno));
        if (!child_find(bench, "bash", bench->bash))
                bench_die("there is no bash in $PATH");
}

int main(int argc, char **argv) {
        static struct bench bench;
        struct wishes wishes = { .pause = 10 };
        int status = read_options(argc, argv, &bench, &wishes);
        char document[PATH_MAX], texts[PATH_MAX];

        if (status >= 0)
                return status;
        if (wishes.document && !realpath(wishes.document, document))
                bench_die("%s: %s", wishes.document, strerror(errno));
        if (bench.texts && !realpath(bench.texts, texts))
                bench_die("%s: %s", bench.texts, strerror(errno));
        bench.texts = bench.texts ? texts : NULL;
        signal(SIGPIPE, SIG_IGN); /* a server that has ended is told of */
        decide_sizes(&bench, &wishes);
        find_programs(&bench, &wishes);
        place_make(&bench);
        for (size_t i = 0; i < GROUPS; i++)
                if (wanted(bench.rows, groups[i].name)) {
                        if (isatty(STDERR_FILENO))
                                fprintf(stderr, "bench: %s ...\n", groups[i].name);
                        groups[i].measure(&bench);
                }
        if (wishes.json)
                table_json(&bench);
        else
                table_print(&bench);
        status = wishes.document && table_document(&bench, document) < 0 ? 1 : 0;
        for (size_t i = 0; i < bench.count && wishes.check && status == 0; i++)
                if (!bench.list[i].skipped && bench.list[i].sense != NO_GOAL && !row_passes(&bench.list[i]))
                        status = 3;
        place_remove(&bench);
        return status;
}
