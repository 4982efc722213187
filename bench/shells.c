/*
 * What the server holds: a thousand background shells, and sandboxes that wait for a command.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/client.h"

enum { AT_ONCE = 64, ID_SIZE = 37, SETTLE_S = 20, MEMORY_ROUNDS = 5, SANDBOX_KIB = 2048 };

/* ---- /proc ---- */

/* "Name:  123" of a file of /proc; -1 without it. */
static long long proc_number(const char *path, const char *name) {
        FILE *file = fopen(path, "re");
        long long number = -1;
        char line[512];

        while (file && number < 0 && fgets(line, sizeof(line), file))
                if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
                        number = strtoll(line + strlen(name) + 1, NULL, 10);
        if (file)
                fclose(file);
        return number;
}

static long long memory(const char *name) {
        long long number = proc_number("/proc/meminfo", name);

        if (number < 0)
                bench_die("/proc/meminfo has no %s", name);
        return number;
}

/* KiB that nobody else could have: what the kernel keeps for a sandbox is in no process's figures and only partly in those of a
 * cgroup, but it is not free any more. Caches of files do not count; but tmpfs does. */
static long long memory_taken(void) {
        return memory("MemTotal") - memory("MemFree") - memory("Buffers") - memory("Cached") + memory("Shmem") -
               memory("SReclaimable");
}

/* Is it the first process of a pid namespace below ours? */
static bool is_first(pid_t pid) {
        char path[64], line[512], *last = NULL;
        unsigned numbers = 0;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
        file = fopen(path, "re");
        while (file && fgets(line, sizeof(line), file))
                if (strncmp(line, "NSpid:", strlen("NSpid:")) == 0) {
                        char *rest = line + strlen("NSpid:");

                        for (char *word; (word = strsep(&rest, " \t\n"));)
                                if (*word) {
                                        last = word;
                                        numbers++;
                                }
                        break;
                }
        numbers = last && strcmp(last, "1") == 0 ? numbers : 0;
        if (file)
                fclose(file);
        return numbers > 1;
}

static pid_t parent_of(pid_t pid) {
        char path[64];

        snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
        return (pid_t)proc_number(path, "PPid");
}

static bool descends(pid_t pid, pid_t from) {
        for (int depth = 0; depth < 8 && pid > 1; depth++) {
                if (pid == from)
                        return true;
                pid = parent_of(pid);
        }
        return false;
}

/* That the server has made. */
static size_t count_sandboxes(pid_t server) {
        DIR *processes = opendir("/proc");
        size_t count = 0;

        if (!processes)
                bench_die("cannot read /proc");
        for (struct dirent *entry; (entry = readdir(processes));) {
                pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

                if (isdigit((unsigned char)entry->d_name[0]) && is_first(pid) && descends(pid, server))
                        count++;
        }
        closedir(processes);
        return count;
}

/* ---- shells ---- */

static void keep_shell_id(struct str answer, char ret_id[static ID_SIZE]) {
        static const char before[] = "\"shell_id\":\"";
        const char *at = memmem(answer.ptr, answer.len, before, strlen(before));

        if (!at || (size_t)(answer.ptr + answer.len - at) < strlen(before) + ID_SIZE)
                bench_die("no shell was started: %.*s", (int)answer.len, answer.ptr);
        memcpy(ret_id, at + strlen(before), ID_SIZE - 1);
        ret_id[ID_SIZE - 1] = '\0';
}

static int64_t start_shells(struct client *client, size_t count, char (*ret_ids)[ID_SIZE]) {
        size_t sent = 0;
        int64_t begun = time_monotonic();

        for (size_t started = 0; started < count; started++) {
                for (; sent < count && sent - started < AT_ONCE; sent++)
                        client_bash(client, "sleep 3600", true);
                keep_shell_id(client_answer(client), ret_ids[started]);
        }
        return time_monotonic() - begun;
}

static int64_t kill_shells(struct client *client, size_t count, char (*ids)[ID_SIZE]) {
        size_t sent = 0;
        int64_t begun = time_monotonic();

        for (size_t ended = 0; ended < count; ended++) {
                for (; sent < count && sent - ended < AT_ONCE; sent++)
                        client_kill_shell(client, ids[sent]);
                client_answer(client);
        }
        return time_monotonic() - begun;
}

static void allow_many_files(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_NOFILE, &limit);
        }
}

void measure_shells(struct bench *bench) {
        const char *const many[] = { "run.max_shells=4096", NULL };
        char what[96], path[64], (*ids)[ID_SIZE] = calloc(bench->shells, sizeof(*ids));
        int64_t started, killed;
        struct client client;
        struct row *row;
        double rss;

        if (!ids)
                bench_die("no memory");
        if (memory("MemAvailable") < (long long)bench->shells * SANDBOX_KIB) {
                row_skip(row_add(bench, "shells-start", "background shells", ""), "not enough memory for %zu of them",
                         bench->shells);
                free(ids);
                return;
        }
        allow_many_files();
        client_start(&client, bench, many);
        client_warm_up(&client, bench);
        started = start_shells(&client, bench->shells, ids);
        snprintf(path, sizeof(path), "/proc/%d/status", (int)client.pid);
        rss = (double)proc_number(path, "VmRSS") / 1024;
        killed = kill_shells(&client, bench->shells, ids);
        client_stop(&client);
        free(ids);

        snprintf(what, sizeof(what), "%zu background shells: start all", bench->shells);
        row = row_add(bench, "shells-start", what, "");
        row_value(row, "s", (double)started / (double)TIME_SECOND, bench->shells, AT_MOST, 10);
        row = row_add(bench, "shells-rss", "the same: memory of the server", "");
        row_value(row, "MiB", rss, bench->shells, AT_MOST, 64);
        row = row_add(bench, "shells-kill", "the same: kill all", "");
        row_value(row, "s", (double)killed / (double)TIME_SECOND, bench->shells, AT_MOST, 2);
}

/* ---- waiting ---- */

/* Until as many wait as will: the number has not changed for a second. */
static size_t settle(const struct client *client) {
        size_t count = 0, same = 0;

        for (int i = 0; i < SETTLE_S * 10 && same < 10; i++) {
                size_t now = count_sandboxes(client->pid);

                same = now == count ? same + 1 : 0;
                count = now;
                usleep(100000);
        }
        return count;
}

/* What a server takes that keeps up to `warm` sandboxes ready. A busy moment makes it keep all of them. */
static long long measure_server(struct bench *bench, size_t warm, size_t *ret_waiting) {
        char setting[32];
        const char *const settings[] = { setting, NULL };
        struct client client;
        long long taken;

        snprintf(setting, sizeof(setting), "run.warm=%zu", warm);
        client_start(&client, bench, settings);
        client_pump(&client, "true", 2 * bench->warm, bench->warm);
        *ret_waiting = settle(&client);
        taken = memory_taken();
        client_stop(&client);
        sleep(bench->quick ? 0 : 1); /* the kernel takes network namespaces apart later */
        return taken;
}

void measure_memory(struct bench *bench) {
        struct row *row =
                row_add(bench, "memory-waiting", "memory of a waiting sandbox, the kernel's included", "a server without any");
        size_t rounds = bench->quick ? 1 : MEMORY_ROUNDS, least = SIZE_MAX, waiting, none;
        struct samples samples = { 0 };

        for (size_t i = 0; i < rounds; i++) {
                long long without = measure_server(bench, 0, &none), with = measure_server(bench, bench->warm, &waiting);

                if (waiting <= none) {
                        row_skip(row, "no sandbox waits with run.warm=%zu", bench->warm);
                        samples_free(&samples);
                        return;
                }
                least = waiting < least ? waiting : least;
                samples_add(&samples, (with - without) * 1024 / (long long)(waiting - none));
        }
        row_value(row, "KiB", samples_quantile(&samples, 50) / 1024, rounds, AT_MOST, 600);
        snprintf(row->note, sizeof(row->note), "%zu waited", least);
        samples_free(&samples);
}
