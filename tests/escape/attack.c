/*
 * Attacks that no ordinary program makes: attack NAME [ARGUMENT...] tries one and prints ESCAPED when it worked, or says
 * why it did not. Each row is one system call or two; what a row opens for writing it does not write.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The leak checker would ptrace itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
        return "detect_leaks=0";
}

static long number(const char *text) {
        return strtol(text, NULL, 0);
}

/* What can be read there, shown: the suite looks for what it planted. */
static int show(int fd) {
        char bytes[512];
        ssize_t n = read(fd, bytes, sizeof(bytes) - 1);

        if (n < 0)
                return -1;
        bytes[n] = '\0';
        printf("%s\n", bytes);
        return 0;
}

/* ---- files ---- */

static int open_write(char **arg) {
        return open(arg[0], O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static int open_read(char **arg) {
        return open(arg[0], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* Everything below a directory that is a plain file, but for processes in /proc. */
static int open_write_one(const char *path, const struct stat *st, int type, struct FTW *at) {
        bool process = strncmp(path, "/proc/", 6) == 0 && (strchr("0123456789", path[6]) || strncmp(path + 6, "self", 4) == 0 ||
                                                           strncmp(path + 6, "thread-self", 11) == 0);

        (void)at;
        if (process)
                return type == FTW_D ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
        if (type != FTW_F || !S_ISREG(st->st_mode))
                return FTW_CONTINUE;
        int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
        if (fd < 0)
                return FTW_CONTINUE;
        printf("%s can be written\n", path);
        close(fd);
        return FTW_STOP;
}

static int open_write_below(char **arg) {
        errno = ENOENT;
        return nftw(arg[0], open_write_one, 64, FTW_PHYS | FTW_ACTIONRETVAL) == FTW_STOP ? 0 : -1;
}

static int read_through_fd(char **arg) {
        char path[64];
        int fd = open(arg[0], O_PATH | O_CLOEXEC);

        if (fd < 0)
                return -1;
        snprintf(path, sizeof(path), "%s/%d", arg[1], fd);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -1 : show(fd);
}

static int read_openat2(char **arg) {
        struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = (unsigned long long)number(arg[1]) };
        int fd = (int)syscall(SYS_openat2, AT_FDCWD, arg[0], &how, sizeof(how));

        return fd < 0 ? -1 : show(fd);
}

static int read_by_handle(char **arg) {
        union {
                struct file_handle head;
                char bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
        } handle = { .head.handle_bytes = MAX_HANDLE_SZ };
        int id, fd, mount = open(arg[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (mount < 0 || name_to_handle_at(AT_FDCWD, arg[0], &handle.head, &id, 0) < 0)
                return -1;
        fd = open_by_handle_at(mount, &handle.head, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -1 : show(fd);
}

static int exchange(char **arg) {
        return (int)syscall(SYS_renameat2, AT_FDCWD, arg[0], AT_FDCWD, arg[1], 2U /* RENAME_EXCHANGE */);
}

/* For a tenth of a second, now the one, now the other: for whoever looks twice. */
static int flip(char **arg) {
        for (int i = 0; i < 60; i++) {
                if (exchange(arg) < 0)
                        return -1;
                usleep(1500);
        }
        errno = ETIMEDOUT;
        return -1;
}

/* Then whoever opens the file waits, or fails. */
static int lease(char **arg) {
        int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -1 : fcntl(fd, (int)number(arg[1]), number(arg[2]));
}

static int lock_file(char **arg) {
        int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB);
}

/* With any other limit than 1, a program outside may be started for a crash (kernel.core_pattern). */
static int core_limit(char **arg) {
        struct rlimit none = {}, now = {};

        (void)arg;
        setrlimit(RLIMIT_CORE, &none);
        syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
        syscall(SYS_prlimit64, getpid(), RLIMIT_CORE, &none, &now);
        syscall(SYS_setrlimit, RLIMIT_CORE, &none);
        if (getrlimit(RLIMIT_CORE, &now) < 0)
                return -1;
        errno = EPERM;
        return now.rlim_cur == 1 && now.rlim_max == 1 ? -1 : 0;
}

/* All at the same time, up to so many. */
static int fork_many(char **arg) {
        long wanted = number(arg[0]), count = 0;
        int hold[2];

        if (pipe(hold) < 0)
                return -1;
        while (count < wanted) {
                pid_t pid = fork();

                if (pid < 0)
                        break;
                if (pid == 0) {
                        char byte;

                        close(hold[1]);
                        (void)!read(hold[0], &byte, 1);
                        _exit(0);
                }
                count++;
        }
        printf("%ld processes\n", count);
        close(hold[1]);
        return count == wanted ? 0 : -1;
}

static int watch_many(char **arg) {
        for (long i = 0; i < number(arg[0]); i++)
                if (inotify_init1(IN_CLOEXEC) < 0)
                        return -1;
        return 0;
}

static int large_pipe(char **arg) {
        int ends[2];

        return pipe(ends) < 0 ? -1 : fcntl(ends[0], F_SETPIPE_SZ, (int)number(arg[0]));
}

static int make_device(char **arg) {
        mode_t type = arg[1][0] == 'b' ? S_IFBLK : S_IFCHR;

        if (mknod(arg[0], type | 0666, makedev((unsigned)number(arg[2]), (unsigned)number(arg[3]))) < 0)
                return -1;
        return open(arg[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Changes through an open descriptor what a path would refuse. */
static int chmod_fd(char **arg) {
        int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -1 : fchmod(fd, 0777);
}

/* ---- mounts and namespaces ---- */

static int mount_bind(char **arg) {
        return mount(arg[0], arg[1], NULL, MS_BIND | MS_REC, NULL);
}

static int mount_new(char **arg) {
        return mount("none", arg[1], arg[0], 0, NULL);
}

static int remount(char **arg) {
        return mount(NULL, arg[0], NULL, MS_REMOUNT | MS_BIND, NULL);
}

static int detach(char **arg) {
        return umount2(arg[0], MNT_DETACH);
}

static int clone_tree(char **arg) {
        return (int)syscall(SYS_open_tree, AT_FDCWD, arg[0], 1U /* OPEN_TREE_CLONE */);
}

static int open_filesystem(char **arg) {
        return (int)syscall(SYS_fsopen, arg[0], 0U);
}

static int clear_readonly(char **arg) {
        struct {
                uint64_t set, clear, propagation, userns;
        } attr = { .clear = 1 /* MOUNT_ATTR_RDONLY */ };

        return (int)syscall(SYS_mount_setattr, AT_FDCWD, arg[0], 0U, &attr, sizeof(attr));
}

static int pivot(char **arg) {
        return (int)syscall(SYS_pivot_root, arg[0], arg[1]);
}

static int change_root(char **arg) {
        return chroot(arg[0]);
}

static int leave(char **arg) {
        return unshare((int)number(arg[0]));
}

static int finish(long pid) {
        int status;

        if (pid < 0)
                return -1;
        if (pid == 0)
                _exit(0);
        return waitpid((pid_t)pid, &status, 0) < 0 ? -1 : 0;
}

static int old_clone(char **arg) {
        return finish(syscall(SYS_clone, (unsigned long)number(arg[0]) | SIGCHLD, 0UL, 0UL, 0UL, 0UL));
}

static int new_clone(char **arg) {
        uint64_t args[11] = { [0] = (uint64_t)number(arg[0]), [4] = SIGCHLD };

        return finish(syscall(SYS_clone3, args, sizeof(args)));
}

static int join(char **arg) {
        int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

        return fd < 0 ? -1 : setns(fd, 0);
}

static int join_process(char **arg) {
        int fd = (int)syscall(SYS_pidfd_open, (pid_t)number(arg[0]), 0U);

        return fd < 0 ? -1 : setns(fd, (int)number(arg[1]));
}

/* ---- other processes ---- */

static int trace(char **arg) {
        pid_t pid = (pid_t)number(arg[0]);

        if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
                return -1;
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
        return 0;
}

static int read_memory(char **arg) {
        char path[64], byte;
        int fd;

        snprintf(path, sizeof(path), "/proc/%ld/mem", number(arg[0]));
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd >= 0)
                return 0;
        struct iovec here = { &byte, 1 }, there = { (void *)0x1000, 1 };
        return process_vm_readv((pid_t)number(arg[0]), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT ? 0 : -1;
}

static int steal_descriptor(char **arg) {
        int fd = (int)syscall(SYS_pidfd_open, (pid_t)number(arg[0]), 0U);

        return fd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, fd, (int)number(arg[1]), 0U);
}

static int signal_process(char **arg) {
        return kill((pid_t)number(arg[0]), (int)number(arg[1]));
}

static int signal_by_fd(char **arg) {
        int fd = (int)syscall(SYS_pidfd_open, (pid_t)number(arg[0]), 0U);

        return fd < 0 ? -1 : (int)syscall(SYS_pidfd_send_signal, fd, (int)number(arg[1]), NULL, 0U);
}

static int tamper(char **arg) {
        struct {
                uint64_t soft, hard;
        } limit = { 1, 1 };

        return (int)syscall(SYS_prlimit64, (pid_t)number(arg[0]), 7 /* RLIMIT_NOFILE */, &limit, NULL);
}

/* Owned by root: the command's own processes must not be more than they should be, whoever they are. */
static int capabilities(char **arg) {
        char line[256];
        int found = 0;
        FILE *status = fopen("/proc/self/status", "re");

        (void)arg;
        while (status && fgets(line, sizeof(line), status)) {
                if (strncmp(line, "Cap", 3) == 0 && strtoull(line + 7, NULL, 16) != 0) {
                        found++;
                        printf("%s", line);
                }
        }
        if (status)
                fclose(status);
        errno = EPERM;
        return found ? 0 : -1;
}

static int new_privileges(char **arg) {
        (void)arg;
        errno = EPERM;
        return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0;
}

static int no_filter(char **arg) {
        (void)arg;
        errno = EPERM;
        return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2 ? -1 : 0;
}

/* Is this process more than the one that started it? */
static int raised(char **arg) {
        if (geteuid() != getuid() || getegid() != getgid())
                return 0;
        return capabilities(arg);
}

static int descriptors(char **arg) {
        DIR *dir = opendir("/proc/self/fd");
        int found = 0;

        (void)arg;
        for (struct dirent *entry = NULL; dir && (entry = readdir(dir));) {
                char target[256] = "";
                int fd = (int)strtol(entry->d_name, NULL, 10);

                if (fd > 2 && fd != dirfd(dir)) {
                        found++;
                        if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) > 0)
                                printf("%d: %s\n", fd, target);
                }
        }
        if (dir)
                closedir(dir);
        errno = EBADF;
        return found ? 0 : -1;
}

/* A process is as good as all: it takes as many as were asked for to succeed. */
static int forks(char **arg) {
        for (long left = number(arg[0]); left > 0; left--) {
                pid_t pid = fork();

                if (pid < 0)
                        return -1;
                if (pid == 0) {
                        prctl(PR_SET_PDEATHSIG, SIGKILL);
                        alarm(20);
                        pause();
                        _exit(0);
                }
        }
        return 0;
}

/* ---- network ---- */

static int open_socket(char **arg) {
        return (int)syscall(SYS_socket, number(arg[0]), number(arg[1]), number(arg[2]));
}

/* Says hello; the listener on the host counts. An answer proves it, too. */
static int hello(int fd, const struct sockaddr *to, socklen_t length) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };

        if (fd < 0 || connect(fd, to, length) < 0 || send(fd, "hello", 5, MSG_NOSIGNAL) < 0)
                return -1;
        errno = ETIMEDOUT;
        return poll(&ready, 1, 500) == 1 ? show(fd) : -1;
}

static int inet(char **arg) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)number(arg[2])) };
        struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = to.sin_port };
        int type = arg[0][0] == 't' ? SOCK_STREAM : SOCK_DGRAM;

        if (inet_pton(AF_INET, arg[1], &to.sin_addr) == 1)
                return hello(socket(AF_INET, type, 0), (struct sockaddr *)&to, sizeof(to));
        if (inet_pton(AF_INET6, arg[1], &to6.sin6_addr) == 1)
                return hello(socket(AF_INET6, type, 0), (struct sockaddr *)&to6, sizeof(to6));
        errno = EINVAL;
        return -1;
}

static int fast_open(char **arg) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)number(arg[1])) };
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        struct pollfd ready = { .fd = fd, .events = POLLIN };

        if (fd < 0 || inet_pton(AF_INET, arg[0], &to.sin_addr) != 1 ||
            sendto(fd, "hello", 5, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof(to)) < 0)
                return -1;
        errno = ETIMEDOUT;
        return poll(&ready, 1, 500) == 1 ? show(fd) : -1;
}

/* @name is an abstract one. */
static socklen_t unix_address(const char *name, struct sockaddr_un *ret) {
        size_t length = strlen(name);

        *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
        if (length >= sizeof(ret->sun_path))
                length = sizeof(ret->sun_path) - 1;
        memcpy(ret->sun_path, name, length);
        if (name[0] == '@')
                ret->sun_path[0] = '\0';
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static int unix_socket(char **arg) {
        struct sockaddr_un to;
        socklen_t length = unix_address(arg[1], &to);
        int type = arg[0][0] == 's' ? SOCK_STREAM : arg[0][0] == 'd' ? SOCK_DGRAM : SOCK_SEQPACKET;
        int fd = socket(AF_UNIX, type, 0);

        /* so that it can be answered */
        if (fd >= 0 && type == SOCK_DGRAM)
                (void)bind(fd, (struct sockaddr *)&(struct sockaddr_un){ .sun_family = AF_UNIX }, sizeof(sa_family_t));
        return hello(fd, (struct sockaddr *)&to, length);
}

/* Where only socketpair() is let through, one end can still be sent elsewhere. */
static int unix_pair(char **arg) {
        struct sockaddr_un to;
        socklen_t length = unix_address(arg[0], &to);
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
                return -1;
        return sendto(pair[0], "hello", 5, MSG_NOSIGNAL, (struct sockaddr *)&to, length) < 0 ? -1 : 0;
}

enum { RACES = 1500 };

struct race {
        struct sockaddr_un address, ways[2]; /* the first is what is passed to connect(), and changes */
        socklen_t length;                    /* of the second way; the path of the first is not longer */
        int fd, sockets[2];                  /* the same for the descriptor */
        atomic_bool over;
};

/* dup2() takes most of the time, so each address has to meet each descriptor there. */
static void *change(void *argument) {
        struct race *race = argument;

        for (unsigned i = 0; !atomic_load(&race->over); i++) {
                memcpy(race->address.sun_path, race->ways[i & 1].sun_path, sizeof(race->address.sun_path));
                if (i % 5 == 0)
                        dup2(race->sockets[i / 10 & 1], race->fd);
        }
        return NULL;
}

/* A peer tells the name that it was bound to. */
static bool is_elsewhere(const struct race *race, int fd) {
        struct sockaddr_un peer = { 0 };
        socklen_t length = sizeof(peer);

        return getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && peer.sun_family == AF_UNIX &&
               strncmp(peer.sun_path, race->ways[0].sun_path, sizeof(peer.sun_path)) != 0;
}

static bool connect_once(struct race *race, int own, int other_family) {
        bool elsewhere;
        int fd;

        race->sockets[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        race->sockets[1] = socket(other_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
        dup2(race->sockets[0], race->fd); /* the last one is connected already */
        (void)connect(race->fd, (struct sockaddr *)&race->address, race->length);
        elsewhere = is_elsewhere(race, race->sockets[0]) || is_elsewhere(race, race->sockets[1]);
        close(race->sockets[0]);
        close(race->sockets[1]);
        while ((fd = accept(own, NULL, NULL)) >= 0)
                close(fd);
        return elsewhere;
}

/*
 * connect() to a socket of one's own, while another thread changes the address to the second one, and the descriptor. The
 * first time that it arrives there is enough.
 */
static int change_while_connecting(char **arg) {
        static struct race race;
        int own = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        bool elsewhere = false;
        pthread_t thread;

        for (int i = 0; i < 2; i++)
                race.length = unix_address(arg[i], &race.ways[i]);
        race.address = race.ways[0];
        unlink(arg[0]);
        if (own < 0 || bind(own, (struct sockaddr *)&race.ways[0], sizeof(race.ways[0])) < 0 || listen(own, 4096) < 0)
                return -1;
        race.fd = fcntl(0, F_DUPFD, 100);
        if (pthread_create(&thread, NULL, change, &race) != 0)
                return -1;
        for (int i = 0; i < RACES && !elsewhere; i++)
                elsewhere = connect_once(&race, own, i & 1 ? AF_INET : AF_UNIX);
        atomic_store(&race.over, true);
        pthread_join(thread, NULL);
        errno = EACCES;
        return elsewhere ? 0 : -1;
}

/* ---- the rest of the kernel ---- */

static int ring(char **arg) {
        struct io_uring_params params = { 0 };

        (void)arg;
        return (int)syscall(SYS_io_uring_setup, 4U, &params);
}

static int map(char **arg) {
        union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };

        (void)arg;
        return (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static int perf(char **arg) {
        struct perf_event_attr attr = {
                .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1
        };

        (void)arg;
        return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

static int faults(char **arg) {
        (void)arg;
        return (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
}

static int add_key(char **arg) {
        (void)arg;
        return (int)syscall(SYS_add_key, "user", "bailey-escape", "x", (size_t)1, KEY_SPEC_PROCESS_KEYRING);
}

static int find_key(char **arg) {
        /* the session keyring itself, made if need be */
        (void)arg;
        return (int)syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1);
}

/* Any answer but EPERM and ENOSYS says that the filter let it through; the key does not exist. */
static int ask_key(char **arg) {
        (void)arg;
        if (syscall(SYS_request_key, "user", "bailey-no-such-key", NULL, 0) >= 0)
                return 0;
        return errno == EPERM || errno == ENOSYS ? -1 : 0;
}

static int push_terminal(char **arg) {
        return ioctl((int)number(arg[0]), TIOCSTI, "x");
}

static int console(char **arg) {
        char subcode = 6; /* TIOCL_GETSHIFTSTATE: asks, changes nothing */

        return ioctl((int)number(arg[0]), TIOCLINUX, &subcode);
}

/* The upper half of a request's number is not looked at by the kernel, but may be by a filter. */
static int push_terminal_wide(char **arg) {
        return (int)syscall(SYS_ioctl, (int)number(arg[0]), 0xdeadbeef00000000UL | TIOCSTI, "x");
}

/* x: a number of the x32 kind; i: by the door of 32-bit programs. Both ask for the process id only. */
static int other_entry(char **arg) {
        long result = -ENOSYS;

#ifdef __x86_64__
        if (arg[0][0] == 'x')
                return syscall(0x40000000 | SYS_getpid) > 0 ? 0 : -1;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
#else
        (void)arg;
#endif
        errno = ENOSYS;
        return result > 0 ? 0 : -1;
}

static int rename_host(char **arg) {
        return sethostname(arg[0], strlen(arg[0]));
}

static int become(char **arg) {
        return setresuid((uid_t)number(arg[0]), (uid_t)number(arg[0]), (uid_t)number(arg[0]));
}

static int raise_limit(char **arg) {
        struct rlimit limit, now;
        int resource = (int)number(arg[0]);

        if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
                return -1;
        errno = EPERM;
        if (limit.rlim_max == RLIM_INFINITY)
                return 0;
        limit.rlim_max++;
        if (setrlimit((__rlimit_resource_t)resource, &limit) < 0 || getrlimit((__rlimit_resource_t)resource, &now) < 0)
                return -1;
        errno = EPERM; /* it may be said to have worked */
        return now.rlim_max == limit.rlim_max ? 0 : -1;
}

static int load_module(char **arg) {
        /* an image that is none: the kernel says so (ENOEXEC) to those who may load one */
        (void)arg;
        if (syscall(SYS_init_module, "none", 4UL, "") == 0)
                return 0;
        return errno == ENOEXEC ? 0 : -1;
}

static const struct {
        const char *name;
        int arguments;
        int (*run)(char **);
} attacks[] = {
        { "openw", 1, open_write },
        { "openr", 1, open_read },
        { "openw-below", 1, open_write_below },
        { "hostname", 1, rename_host },
        { "setuid", 1, become },
        { "rlimit", 1, raise_limit },
        { "through-fd", 2, read_through_fd },
        { "openat2", 2, read_openat2 },
        { "handle", 2, read_by_handle },
        { "exchange", 2, exchange },
        { "flip", 2, flip },
        { "lease", 3, lease },
        { "lock", 1, lock_file },
        { "core-limit", 0, core_limit },
        { "fork-many", 1, fork_many },
        { "watch-many", 1, watch_many },
        { "large-pipe", 1, large_pipe },
        { "mknod", 4, make_device },
        { "fchmod", 1, chmod_fd },
        { "bind", 2, mount_bind },
        { "mount", 2, mount_new },
        { "remount", 1, remount },
        { "umount", 1, detach },
        { "open_tree", 1, clone_tree },
        { "fsopen", 1, open_filesystem },
        { "mount_setattr", 1, clear_readonly },
        { "pivot_root", 2, pivot },
        { "chroot", 1, change_root },
        { "unshare", 1, leave },
        { "clone", 1, old_clone },
        { "clone3", 1, new_clone },
        { "setns", 1, join },
        { "setns-pidfd", 2, join_process },
        { "ptrace", 1, trace },
        { "memory", 1, read_memory },
        { "getfd", 2, steal_descriptor },
        { "kill", 2, signal_process },
        { "pidfd-kill", 2, signal_by_fd },
        { "prlimit", 1, tamper },
        { "caps", 0, capabilities },
        { "privileges", 0, new_privileges },
        { "unfiltered", 0, no_filter },
        { "raised", 0, raised },
        { "fds", 0, descriptors },
        { "forks", 1, forks },
        { "socket", 3, open_socket },
        { "inet", 3, inet },
        { "fastopen", 2, fast_open },
        { "unix", 2, unix_socket },
        { "socketpair", 1, unix_pair },
        { "unix-race", 2, change_while_connecting },
        { "io_uring", 0, ring },
        { "bpf", 0, map },
        { "perf", 0, perf },
        { "userfaultfd", 0, faults },
        { "add_key", 0, add_key },
        { "keyctl", 0, find_key },
        { "request_key", 0, ask_key },
        { "tiocsti", 1, push_terminal },
        { "tiocsti-wide", 1, push_terminal_wide },
        { "tioclinux", 1, console },
        { "entry", 1, other_entry },
        { "init_module", 0, load_module },
};

int main(int argc, char **argv) {
        for (size_t i = 0; argc > 1 && i < sizeof(attacks) / sizeof(*attacks); i++) {
                if (strcmp(argv[1], attacks[i].name) != 0 || argc - 2 != attacks[i].arguments)
                        continue;
                if (attacks[i].run(argv + 2) < 0) {
                        fprintf(stderr, "attack %s: %s\n", argv[1], strerror(errno));
                        return 1;
                }
                printf("ESCAPED by %s\n", argv[1]);
                return 0;
        }
        fprintf(stderr, "attack: no such attack, or not with that many arguments\n");
        return 2;
}
