/*
 * `state view` prints all that a process has of the world, a line per fact. `state dirty` changes as much of that as it may,
 * and leaves behind what it can: processes, files, sockets, shared memory, keys. For warm_state.mjs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PORT = 4999, KEY = 4999, KEYCTL_GET_KEYRING_ID = 0, KEYRING_SESSION = -3, KEYRING_USER = -4, IOPRIO_IDLE = 3 << 13 };

extern char **environ;

/* ---- view ---- */

static void say(const char *what, long long value) {
        printf("%s: %lld\n", what, value);
}

/* The value of a call, or why it failed. */
static void say_result(const char *what, long long value) {
        if (value < 0)
                printf("%s: %s\n", what, strerror(errno));
        else
                say(what, value);
}

static void say_file(const char *path) {
        FILE *file = fopen(path, "re");
        char line[4096];

        if (!file) {
                printf("%s: %s\n", path, strerror(errno));
                return;
        }
        while (fgets(line, sizeof(line), file))
                printf("%s: %s%s", path, line, strchr(line, '\n') ? "" : "\n");
        fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
        return strcmp((*a)->d_name, (*b)->d_name);
}

static void say_directory(const char *path) {
        struct dirent **names;
        int count = scandir(path, &names, NULL, by_name);

        if (count < 0)
                printf("%s: %s\n", path, strerror(errno));
        for (int i = 0; i < count; i++) {
                char full[512], target[256] = "";
                struct stat status = {};
                ssize_t len;

                snprintf(full, sizeof(full), "%s/%s", path, names[i]->d_name);
                len = readlink(full, target, sizeof(target) - 1);
                target[len < 0 ? 0 : len] = 0;
                if (lstat(full, &status) == 0)
                        printf("%s: %s %o %u:%u %s\n", path, names[i]->d_name, status.st_mode, status.st_uid, status.st_gid,
                               target);
                free(names[i]);
        }
        if (count >= 0)
                free(names);
}

static void say_files(void) {
        for (int fd = 0; fd < 1024; fd++) {
                int flags = fcntl(fd, F_GETFL);
                struct stat status;

                if (flags < 0 || fstat(fd, &status) < 0)
                        continue;
                printf("fd %d: type %o flags %o close %d pipe %d\n", fd, status.st_mode & S_IFMT, flags, fcntl(fd, F_GETFD),
                       fcntl(fd, F_GETPIPE_SZ));
        }
}

static void say_signals(void) {
        for (int number = 1; number < 65; number++) {
                struct sigaction action;

                if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
                        say("signal with a handler, or ignored", number);
        }
}

static void say_limits(void) {
        for (int i = 0; i < RLIMIT_NLIMITS; i++) {
                struct rlimit limit;

                if (getrlimit(i, &limit) == 0)
                        printf("limit %d: %lld %lld\n", i, (long long)limit.rlim_cur, (long long)limit.rlim_max);
        }
}

static void say_process(void) {
        struct itimerval timer = {};
        struct utsname name;
        cpu_set_t set;
        char cwd[4096];
        mode_t mask = umask(0);

        umask(mask);
        printf("cwd: %s\n", getcwd(cwd, sizeof(cwd)));
        say("umask", mask);
        say("pid", getpid());
        say("parent", getppid());
        say("group", getpgid(0));
        say("session", getsid(0));
        say("priority", getpriority(PRIO_PROCESS, 0));
        say_result("io priority", syscall(SYS_ioprio_get, 1, 0));
        say("scheduler", sched_getscheduler(0));
        say("processors", sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1);
        say_result("personality", personality(0xffffffff));
        say_result("slack", prctl(PR_GET_TIMERSLACK));
        say_result("dumpable", prctl(PR_GET_DUMPABLE));
        say_result("no new privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
        say_result("secure bits", prctl(PR_GET_SECUREBITS));
        say_result("keeps capabilities", prctl(PR_GET_KEEPCAPS));
        for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++)
                if (getitimer(which, &timer) == 0)
                        printf("timer %d: %ld %ld\n", which, (long)timer.it_value.tv_sec, (long)timer.it_value.tv_usec);
        if (uname(&name) == 0)
                printf("host: %s\n", name.nodename);
        say_result("terminal", open("/dev/tty", O_RDWR | O_CLOEXEC));
}

static void say_shared(void) {
        say_result("session keyring", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEYRING_SESSION, 0));
        say_result("user keyring", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEYRING_USER, 0));
        say_result("shared memory", shmget(KEY, 4096, 0600));
        say_result("semaphores", semget(KEY, 1, 0600));
        say_result("messages", msgget(KEY, 0600));
        say_result("memory with a name", shm_open("/state-left", O_RDONLY, 0600));
        say_result("queue with a name", mq_open("/state-left", O_RDONLY));
}

static void say_connections(void) {
        struct sockaddr_in port = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = { htonl(INADDR_LOOPBACK) } };
        struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0state-left" };

        say_result("port", connect(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&port, sizeof(port)));
        say_result("socket", connect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&name, sizeof(name)));
}

/* When pid 1 was started. */
static void say_start(void) {
        unsigned long long start = 0;
        FILE *file = fopen("/proc/1/stat", "re");

        if (file &&
            fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &start) == 1)
                printf("start: %llu\n", start);
        if (file)
                fclose(file);
}

static int view(void) {
        static const char *const files[] = {
                "/proc/self/status",
                "/proc/self/mountinfo",
                "/proc/self/cgroup",
                "/proc/self/oom_score_adj",
                "/proc/self/uid_map",
                "/proc/self/gid_map",
                "/proc/self/setgroups",
                "/proc/self/coredump_filter",
                "/proc/self/loginuid",
                "/proc/self/attr/current",
                "/proc/keys",
                "/proc/sysvipc/shm",
                "/proc/sysvipc/sem",
                "/proc/sysvipc/msg",
                "/proc/net/unix",
                "/proc/net/tcp",
                "/proc/net/tcp6",
                "/proc/net/udp",
                "/proc/net/dev",
                "/proc/net/route",
                "/proc/1/comm",
                "/proc/1/cmdline",
                "/proc/1/status",
                "/proc/1/oom_score_adj",
                "/proc/1/environ",
                "/proc/sys/kernel/hostname",
                "/proc/self/timens_offsets",
        };
        static const char *const directories[] = { "/tmp",     "/var/tmp",    "/dev", "/dev/shm",
                                                   "/dev/pts", "/dev/mqueue", "/run", "/proc/self/task" };

        say_files(); /* before any other is open */
        for (char **variable = environ; *variable; variable++)
                printf("environment: %s\n", *variable);
        say_process();
        say_signals();
        say_limits();
        for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
                say_file(files[i]);
        for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
                say_directory(directories[i]);
        say_shared();
        say_connections();
        say_start();
        return 0;
}

/* ---- dirty ---- */

/* Its failures do not matter: whatever works must be gone afterwards. */
static void leave_file(const char *path) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

        if (fd >= 0 && write(fd, "left\n", 5) == 5)
                flock(fd, LOCK_EX | LOCK_NB);
}

static void leave_shared(void) {
        (void)shmget(KEY, 4096, IPC_CREAT | 0666);
        (void)semget(KEY, 1, IPC_CREAT | 0666);
        (void)msgget(KEY, IPC_CREAT | 0666);
        (void)shm_open("/state-left", O_RDWR | O_CREAT, 0666);
        (void)mq_open("/state-left", O_RDWR | O_CREAT, 0666, NULL);
        syscall(SYS_add_key, "user", "state-left", "x", 1, KEYRING_SESSION);
        syscall(SYS_add_key, "user", "state-left", "x", 1, KEYRING_USER);
}

static void leave_sockets(void) {
        struct sockaddr_in port = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = { htonl(INADDR_LOOPBACK) } };
        struct sockaddr_un hidden = { .sun_family = AF_UNIX, .sun_path = "\0state-left" };
        struct sockaddr_un named = { .sun_family = AF_UNIX, .sun_path = "/tmp/state-left-socket" };
        int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);

        if (bind(a, (struct sockaddr *)&port, sizeof(port)) == 0)
                listen(a, 1);
        if (bind(b, (struct sockaddr *)&hidden, sizeof(hidden)) == 0)
                listen(b, 1);
        if (bind(c, (struct sockaddr *)&named, sizeof(named)) == 0)
                listen(c, 1);
}

static void change_process(void) {
        struct itimerval timer = { .it_value = { .tv_sec = 3600 } };
        struct rlimit none = {}, few = { 32, 32 };
        sigset_t all;
        int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

        if (fd >= 0 && write(fd, "1000", 4) < 0)
                close(fd);
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        for (int number = 1; number < 65; number++)
                signal(number, SIG_IGN);
        umask(0777);
        (void)!nice(19);
        syscall(SYS_ioprio_set, 1, 0, IOPRIO_IDLE);
        personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC);
        prctl(PR_SET_TIMERSLACK, 999999);
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_NAME, "state-left");
        setitimer(ITIMER_REAL, &timer, NULL);
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_NPROC, &few);
        setrlimit(RLIMIT_MEMLOCK, &none);
        (void)!sethostname("left", 4);
        setenv("STATE_LEFT", "1", 1);
        kill(1, SIGUSR1);
        kill(1, SIGSTOP);
        kill(-1, SIGUSR1);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* A daemon, as they are: nobody's child, in a session of its own, deaf. */
static void stay(void) {
        if (fork() != 0)
                return;
        setsid();
        if (fork() != 0)
                _exit(0);
        leave_sockets();
        change_process();
        for (;;)
                sleep(1000);
}

static int dirty(void) {
        static const char *const files[] = { "/tmp/state-left", "/var/tmp/state-left", "/dev/shm/state-left2",
                                             "/dev/state-left", "/run/state-left",     "/tmp/.hidden" };

        for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
                leave_file(files[i]);
        leave_shared();
        for (int i = 0; i < 3; i++)
                stay();
        leave_sockets();
        change_process();
        if (chdir("/tmp") == 0)
                puts("dirty");
        return 0;
}

int main(int argc, char **argv) {
        if (argc == 2 && strcmp(argv[1], "view") == 0)
                return view();
        return argc == 2 && strcmp(argv[1], "dirty") == 0 ? dirty() : 2;
}
