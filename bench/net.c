/*
 * What the network of allowed hosts costs: a command that has it, beside one that has none; and connections through the
 * gateway, beside direct ones, in turns. All of it happens in a network namespace of its own, in which a public address is
 * local without being that of an interface, so that the gateway dials it as any other on the internet.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "bench/client.h"
#include "bench/net.h"

#define ADDRESS "93.184.216.34"
#define PORT "8080"
#define PLACE "93.184.216.34:8080" /* both */

enum { MANY = 9000, STACK = 256 << 10 };

/* ---- a network ---- */

static void write_file(const char *path, const char *text) {
        struct err err;
        FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);

        if (fd < 0 || fd_write_all(fd, str_from(text, strlen(text)), &err) < 0)
                bench_die("%s: %s", path, strerror(errno));
}

/* Returns false where there can be none. */
static bool enter_network(void) {
        uid_t uid = geteuid();
        gid_t gid = getegid();
        char map[64];

        if (uid == 0)
                return unshare(CLONE_NEWNET) == 0;
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
                return false;
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof(map), "%u %u 1", uid, uid);
        write_file("/proc/self/uid_map", map);
        snprintf(map, sizeof(map), "%u %u 1", gid, gid);
        write_file("/proc/self/gid_map", map);
        return true;
}

static void raise_loopback(void) {
        struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &up) < 0)
                bench_die("lo: %s", strerror(errno));
}

/* ip route add local ADDRESS dev lo */
static void make_local(void) {
        struct {
                struct nlmsghdr head;
                struct rtmsg route;
                struct rtattr to_head;
                struct in_addr to;
                struct rtattr by_head;
                uint32_t by;
        } message = {
                .head = { .nlmsg_len = sizeof(message),
                          .nlmsg_type = RTM_NEWROUTE,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
                .route = { .rtm_family = AF_INET,
                           .rtm_dst_len = 32,
                           .rtm_table = RT_TABLE_LOCAL,
                           .rtm_protocol = RTPROT_STATIC,
                           .rtm_scope = RT_SCOPE_HOST,
                           .rtm_type = RTN_LOCAL },
                .to_head = { .rta_len = RTA_LENGTH(sizeof(message.to)), .rta_type = RTA_DST },
                .by_head = { .rta_len = RTA_LENGTH(sizeof(message.by)), .rta_type = RTA_OIF },
                .by = if_nametoindex("lo"),
        };
        struct {
                struct nlmsghdr head;
                struct nlmsgerr error;
                char rest[256];
        } answer = { 0 };
        FD_AUTO fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

        inet_pton(AF_INET, ADDRESS, &message.to);
        if (fd < 0 || send(fd, &message, sizeof(message), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
                bench_die("a route cannot be made: %s", strerror(errno));
        if (answer.head.nlmsg_type != NLMSG_ERROR || answer.error.error)
                bench_die("a route cannot be made: %s", strerror(-answer.error.error));
}

/* ---- the server ---- */

static bool receive_whole(int fd, void *to, size_t size) {
        return recv(fd, to, size, MSG_WAITALL) == (ssize_t)size;
}

static void give(int fd, uint64_t bytes) {
        static const char chunk[1 << 18];
        ssize_t sent = 0;

        for (; bytes; bytes -= (uint64_t)sent) {
                sent = send(fd, chunk, bytes < sizeof(chunk) ? bytes : sizeof(chunk), MSG_NOSIGNAL);
                if (sent <= 0)
                        return;
        }
}

static void take(int fd, uint64_t bytes) {
        static _Thread_local char chunk[1 << 14];
        ssize_t got = 0;

        for (; bytes; bytes -= (uint64_t)got) {
                got = recv(fd, chunk, bytes < sizeof(chunk) ? bytes : sizeof(chunk), 0);
                if (got <= 0)
                        return;
        }
}

static void *answer(void *context) {
        int fd = *(const int *)context;
        struct net_request request;

        free(context);
        while (receive_whole(fd, &request, sizeof(request))) {
                if (request.kind == NET_GET)
                        give(fd, request.bytes);
                if (request.kind == NET_PUT)
                        take(fd, request.bytes);
                if (request.kind != NET_GET && send(fd, "x", 1, MSG_NOSIGNAL) != 1)
                        break;
        }
        close(fd);
        return NULL;
}

static _Noreturn void serve(int listener) {
        pthread_attr_t attributes;
        pthread_t thread;
        int *fd;

        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, STACK);
        while ((fd = malloc(sizeof(*fd))) && (*fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
                if (pthread_create(&thread, &attributes, answer, fd) != 0)
                        break;
        _exit(1);
}

static pid_t start_server(void) {
        struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(PORT, NULL, 10)) };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        pid_t pid;

        inet_pton(AF_INET, ADDRESS, &at.sin_addr);
        if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, SOMAXCONN) < 0)
                bench_die("%s:%s: %s", ADDRESS, PORT, strerror(errno));
        pid = fork();
        if (pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                serve(fd);
        }
        if (pid < 0)
                bench_die("fork: %s", strerror(errno));
        close(fd);
        return pid;
}

/* ---- clients ---- */

struct asker {
        pid_t pid;
        int in, out;
        struct samples taken;
};

static void asker_start(struct asker *asker, const struct bench *bench, const char *const *argv) {
        const struct child program = { .argv = argv };
        int in[2], out[2];
        struct err err;

        if (fd_pipe(in, &err) < 0 || fd_pipe(out, &err) < 0)
                bench_die("%s", err.msg);
        *asker = (struct asker){ .pid = child_start(bench, &program, in[0], out[1]), .in = in[1], .out = out[0] };
        close(in[0]);
        close(out[1]);
}

static void asker_stop(struct asker *asker) {
        int status;

        close(asker->in);
        close(asker->out);
        waitpid(asker->pid, &status, 0);
}

/* Returns -1 when it has ended. */
static int64_t ask(const struct asker *asker, const char *line) {
        char said[64];
        size_t have = 0;
        struct err err;

        if (fd_write_all(asker->in, str_from(line, strlen(line)), &err) < 0)
                return -1;
        while (have + 1 < sizeof(said)) {
                ssize_t got = read(asker->out, said + have, sizeof(said) - 1 - have);

                if (got <= 0)
                        return -1;
                have += (size_t)got;
                said[have] = '\0';
                if (strchr(said, '\n'))
                        return strtoll(said, NULL, 10);
        }
        return -1;
}

static void ask_in_turns(struct asker *inside, struct asker *direct, const char *line, size_t count) {
        struct asker *both[] = { inside, direct };

        inside->taken.count = direct->taken.count = 0;
        for (size_t run = 0; run < count + 1; run++)
                for (size_t i = 0; i < 2; i++) {
                        struct asker *asker = both[run % 2 ? 1 - i : i];
                        int64_t taken = ask(asker, line);

                        if (taken < 0)
                                bench_die("the client %s did not do: %s",
                                          asker == inside ? "in the sandbox" : "without a sandbox", line);
                        if (run > 0) /* the first is for the caches */
                                samples_add(&asker->taken, taken);
                }
}

/* ---- rows ---- */

#define ALLOWED "--allow-host", PLACE

static void measure_commands(struct bench *bench) {
        const char *const allowed[] = { bench->bailey, "run", ALLOWED, "true", NULL };
        const char *const denied[] = { bench->bailey, "run", "true", NULL };
        const struct child programs[] = { { .argv = allowed }, { .argv = denied } };
        struct row *row = row_add(bench, "net-cold", "bailey run true with a list of allowed hosts",
                                  "bailey run true with network = deny");
        struct samples taken[2] = { 0 };

        for (size_t run = 0; run < bench->n + 3; run++)
                for (size_t i = 0; i < 2; i++) {
                        size_t at = run % 2 ? 1 - i : i;
                        int64_t ns = child_time(bench, &programs[at], NULL);

                        if (run >= 3)
                                samples_add(&taken[at], ns);
                }
        row_ratio(row, &taken[0], &taken[1], AT_MOST, 1.15);
        samples_free(&taken[0]);
        samples_free(&taken[1]);
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

static void measure_connections(struct bench *bench, struct asker *inside, struct asker *direct) {
        unsigned long long bytes = (bench->quick ? 8ULL : 256ULL) << 20;
        size_t streams = bench->quick ? 3 : 15;
        const struct {
                const char *name, *what, *verb, *more;
                size_t count;
                enum sense sense;
                double goal;
        } rows[] = {
                { "net-echo", "connect + 1 byte there and back, by the gateway", "echo", "", bench->n, AT_MOST, 3 },
                { "net-get", "one stream from an allowed host, throughput", "get", " 1", streams, AT_LEAST, 0.4 },
                { "net-get-4", "four streams at once, throughput", "get", " 4", streams, AT_LEAST, 0.5 },
                { "net-put", "one stream to an allowed host, throughput", "put", "", streams, AT_LEAST, 0.45 },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct row *row = row_add(bench, rows[i].name, rows[i].what, "the same by a direct connection over loopback");
                char line[64];

                snprintf(line, sizeof(line), "%s %llu%s\n", rows[i].verb, bytes, rows[i].more);
                ask_in_turns(inside, direct, line, rows[i].count);
                row_ratio(row, &inside->taken, &direct->taken, rows[i].sense, rows[i].goal);
        }
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

static void raise_limit(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_NOFILE, &limit);
        }
}

static void measure_there(struct bench *bench) {
        const char *const direct_argv[] = { bench->net, ADDRESS, PORT, NULL };
        const char *const inside_argv[] = { bench->bailey, "run",       "-s", "sandbox.network.max_connections=10000",
                                            ALLOWED,       "--timeout", "0",  "--",
                                            bench->net,    ADDRESS,     PORT, NULL };
        struct asker inside, direct;
        pid_t server;

        if (!can_allow_hosts(bench)) {
                row_skip(row_add(bench, "net-cold", "bailey run true with a list of allowed hosts", ""),
                         "hosts cannot be allowed here");
                return;
        }
        raise_limit();
        server = start_server();
        measure_commands(bench);
        measure_calls(bench);
        asker_start(&direct, bench, direct_argv);
        asker_start(&inside, bench, inside_argv);
        measure_gateway(bench, &inside);
        asker_stop(&inside);
        asker_start(&inside, bench, inside_argv);
        measure_connections(bench, &inside, &direct);
        asker_stop(&inside);
        asker_stop(&direct);
        samples_free(&inside.taken);
        samples_free(&direct.taken);
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
}

static bool enter(void) {
        if (!enter_network())
                return false;
        raise_loopback();
        make_local();
        return true;
}

void measure_net(struct bench *bench) {
        if (access(bench->net, X_OK) < 0 || !place_apart(bench, enter, measure_there))
                row_skip(row_add(bench, "net-cold", "bailey run true with a list of allowed hosts", ""),
                         "no network namespace can be made here, or bench_net was not built");
}
