/*
 * What the network of allowed hosts costs: a command that has it, beside one that has none; and connections through the
 * gateway, beside direct ones and those of other programs, in turns. All of it happens in a network of its own: net_place.c.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/client.h"
#include "bench/net_asker.h"
#include "bench/net_place.h"

enum { MANY = 9000 };
enum { INSIDE, DIRECT, ASKERS = 4 };

struct measured {
        const char *name, *what, *verb, *more;
        size_t count;
        enum sense sense;
        double goal;
};

/* ---- rows ---- */

#define ALLOWED "--allow-host", NET_PLACE

static void measure_commands(struct bench *bench) {
        const char *const allowed[] = { bench->bailey, "run", ALLOWED, "true", NULL };
        const char *const denied[] = { bench->bailey, "run", "true", NULL };
        const struct child programs[] = { { .argv = allowed }, { .argv = denied } };
        struct row *row = row_add(bench, "net-cold", "bailey run true with a list of allowed hosts",
                                  "bailey run true with network = deny");
        struct samples taken[2] = { 0 }, cpu[2] = { 0 };

        for (size_t run = 0; run < bench->n + 3; run++)
                for (size_t i = 0; i < 2; i++) {
                        size_t at = run % 2 ? 1 - i : i;
                        int64_t spent, ns = child_time(bench, &programs[at], &spent);

                        if (run >= 3) {
                                samples_add(&taken[at], ns);
                                samples_add(&cpu[at], spent);
                        }
                }
        row_ratio(row, &taken[0], &taken[1], AT_MOST, 1.15);
        row_cpu(row, &cpu[0], &cpu[1]);
        for (size_t i = 0; i < 2; i++) {
                samples_free(&taken[i]);
                samples_free(&cpu[i]);
        }
}

static void measure_calls(struct bench *bench) {
        const char *const allowed[] = { "sandbox.network.kind=allow_hosts", "sandbox.network.hosts=[\"93.184.216.34:8080\"]",
                                        NULL };
        const char *const denied[] = { NULL };
        const struct timespec pause = { .tv_sec = bench->pause / TIME_SECOND, .tv_nsec = bench->pause % TIME_SECOND };
        struct row *row =
                row_add(bench, "net-warm", "MCP Bash of true with a list of allowed hosts", "the same with network = deny");
        struct client clients[2];
        struct samples taken[2] = { 0 };

        place_home(bench, "allowed");
        client_start(&clients[0], bench, allowed);
        place_home(bench, "denied");
        client_start(&clients[1], bench, denied);
        client_warm_up(&clients[0], bench);
        client_warm_up(&clients[1], bench);
        for (size_t run = 0; run < bench->n; run++)
                for (size_t i = 0; i < 2; i++) {
                        size_t at = run % 2 ? 1 - i : i;

                        nanosleep(&pause, NULL);
                        samples_add(&taken[at], client_time(&clients[at], "true"));
                }
        client_stop(&clients[0]);
        client_stop(&clients[1]);
        place_home(bench, "home");
        row_ratio(row, &taken[0], &taken[1], AT_MOST, 1.02);
        samples_free(&taken[0]);
        samples_free(&taken[1]);
}

/* The gateway beside a direct connection, and beside programs that give a network by a stack of their own. */
static void add_connection_rows(struct bench *bench, const struct measured *measured, struct asker *askers, size_t count) {
        for (size_t i = 1; i < count; i++) {
                bool peer = i > DIRECT;
                char name[48], against[128];
                struct row *row;

                snprintf(name, sizeof(name), peer ? "%s-%s" : "%s", measured->name, askers[i].name);
                snprintf(against, sizeof(against), peer ? "the same by %s" : "the same by a %s connection over loopback",
                         askers[i].name);
                row = row_add(bench, name, measured->what, against);
                if (askers[i].ended && peer)
                        row_skip(row, "%s broke the connection", askers[i].name);
                else if (askers[i].ended || askers[INSIDE].ended)
                        bench_die("the client %s did not do: %s", askers[askers[i].ended ? i : INSIDE].name, measured->verb);
                else
                        row_ratio(row, &askers[INSIDE].taken, &askers[i].taken, measured->sense, peer ? 1 : measured->goal);
        }
}

static void measure_connections(struct bench *bench, struct asker *askers, size_t count) {
        unsigned long long bytes = (bench->quick ? 8ULL : 64ULL) << 20;
        size_t streams = bench->quick ? 3 : 31;
        const struct measured rows[] = {
                { "net-echo", "connect + 1 byte there and back, by the gateway", "echo", "", bench->n, AT_MOST, 3 },
                { "net-get", "one stream from an allowed host, throughput", "get", " 1", streams, AT_LEAST, 0.4 },
                { "net-get-4", "four streams at once, throughput", "get", " 4", streams, AT_LEAST, 0.5 },
                { "net-put", "one stream to an allowed host, throughput", "put", "", streams, AT_LEAST, 0.45 },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char line[64];

                snprintf(line, sizeof(line), "%s %llu%s\n", rows[i].verb, bytes, rows[i].more);
                ask_in_turns(askers, count, line, rows[i].count);
                add_connection_rows(bench, &rows[i], askers, count);
        }
}

/*
 * The others in a network namespace of their own, with connections that these programs make outside; $1 is bench_net. Of
 * slirp4netns, a device in a namespace that another process has made.
 */
static const struct other {
        const char *name, *script;
} others[] = {
        { "pasta", "exec pasta -f -q -4 --config-net -t none -u none -T none -U none -- \"$1\" " NET_ADDRESS " " NET_PORT },
        { "slirp4netns",
          "exec 3<&0\n"
          "unshare --map-root-user --net sh -c 'for try in $(seq 200); do\n"
          "ip -4 address show tap0 2>/dev/null | grep -q inet && exec \"$1\" " NET_ADDRESS " " NET_PORT "\n"
          "sleep 0.05; done' - \"$1\" <&3 &\n"
          "client=$!\n"
          "while kill -0 $client && [ \"$(readlink /proc/$client/ns/net)\" = \"$(readlink /proc/$$/ns/net)\" ]; do "
          "sleep 0.05; done\n"
          "slirp4netns --configure --mtu=65520 --disable-host-loopback $client tap0 >/dev/null 2>&1 <&- &\n"
          "wait $client\nkill $!\n" },
};

/* Adds those that are installed and work here. */
static size_t start_others(struct bench *bench, struct asker *askers, size_t count) {
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
                const char *const argv[] = { bench->bash, "-c", others[i].script, "-", bench->net, NULL };
                char path[PATH_MAX], name[48];

                if (!child_find(bench, others[i].name, path))
                        continue;
                asker_start(&askers[count], bench, others[i].name, argv);
                if (ask(&askers[count], "echo\n") >= 0) {
                        count++;
                        continue;
                }
                asker_stop(&askers[count]);
                snprintf(name, sizeof(name), "net-%s", others[i].name);
                row_skip(row_add(bench, name, "connections through another program", ""), "%s does not work here",
                         others[i].name);
        }
        return count;
}

/* A number of /proc/PID/status. */
static long status_of(long pid, const char *name) {
        char path[64], line[256];
        long value = -1;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%ld/status", pid);
        file = fopen(path, "re");
        while (file && fgets(line, sizeof(line), file))
                if (strncmp(line, name, strlen(name)) == 0)
                        value = strtol(line + strlen(name), NULL, 10);
        if (file)
                fclose(file);
        return value;
}

/* When it was started, in ticks; -1: it is not a gateway. */
static long long start_of(const char *pid) {
        char path[64], line[512], *name;
        long long start = -1;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
        file = fopen(path, "re");
        if (file && fgets(line, sizeof(line), file) && (name = strstr(line, "(bailey-gateway) ")))
                sscanf(strchr(name, ' ') + 1,
                       "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld", &start);
        if (file)
                fclose(file);
        return start;
}

/* The youngest gateway of this machine: the last one that was started here. -1: none. */
static long find_gateway(void) {
        DIR *processes = opendir("/proc");
        struct dirent *entry;
        long long youngest = -1;
        long found = -1;

        while (processes && (entry = readdir(processes))) {
                long long start = start_of(entry->d_name);

                if (start > youngest) {
                        youngest = start;
                        found = strtol(entry->d_name, NULL, 10);
                }
        }
        if (processes)
                closedir(processes);
        return found;
}

static void measure_gateway(struct bench *bench, struct asker *inside) {
        size_t count = bench->quick ? 100 : MANY;
        char what[128], line[32];
        long gateway = ask(inside, "echo 1\n") < 0 ? -1 : find_gateway();
        struct row *idle = row_add(bench, "net-idle", "resident memory of a gateway without connections", "");
        struct row *many;

        snprintf(what, sizeof(what), "resident memory of a gateway with %zu connections", count);
        many = row_add(bench, "net-many", what, "");
        if (gateway < 0) {
                row_skip(idle, "no process of bailey looks like the gateway");
                row_skip(many, "no process of bailey looks like the gateway");
                return;
        }
        row_value(idle, "MB", (double)status_of(gateway, "VmRSS:") / 1000, 1, AT_MOST, 3);
        snprintf(line, sizeof(line), "hold %zu\n", count);
        if (ask(inside, line) < 0)
                row_skip(many, "not so many connections can be opened here");
        else
                row_value(many, "MB", (double)status_of(gateway, "VmRSS:") / 1000, 1, AT_MOST, 8);
}

static bool can_allow_hosts(const struct bench *bench) {
        const char *const argv[] = { bench->bailey, "run", ALLOWED, "true", NULL };
        const struct child program = { .argv = argv };
        BUF_AUTO said;

        buf_init(&said, OUTPUT_MAX);
        return child_output(bench, &program, &said);
}

static void measure_there(struct bench *bench) {
        const char *const direct_argv[] = { bench->net, NET_ADDRESS, NET_PORT, NULL };
        const char *const inside_argv[] = { bench->bailey, "run",       "-s",     "sandbox.network.max_connections=10000",
                                            ALLOWED,       "--timeout", "0",      "--",
                                            bench->net,    NET_ADDRESS, NET_PORT, NULL };
        struct asker askers[ASKERS];
        size_t count;
        pid_t server;

        if (!can_allow_hosts(bench)) {
                row_skip(row_add(bench, "net-cold", "bailey run true with a list of allowed hosts", ""),
                         "hosts cannot be allowed here");
                return;
        }
        server = net_start_server();
        measure_commands(bench);
        measure_calls(bench);
        asker_start(&askers[INSIDE], bench, "in the sandbox", inside_argv);
        measure_gateway(bench, &askers[INSIDE]);
        asker_stop(&askers[INSIDE]);
        asker_start(&askers[INSIDE], bench, "in the sandbox", inside_argv);
        asker_start(&askers[DIRECT], bench, "direct", direct_argv);
        count = start_others(bench, askers, DIRECT + 1);
        measure_connections(bench, askers, count);
        while (count)
                asker_stop(&askers[--count]);
        measure_net_slow(bench);
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
}

void measure_net(struct bench *bench) {
        if (access(bench->net, X_OK) < 0 || !place_apart(bench, net_enter, measure_there))
                row_skip(row_add(bench, "net-cold", "bailey run true with a list of allowed hosts", ""),
                         "no network namespace can be made here, or bench_net was not built");
}
