#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/clone.h"
#include "launch/container/container.h"
#include "launch/files.h"
#include "sandbox/container/container_name.h"

enum { SWEEP_MS = 20000, LIST_BYTES = 64 << 10, REMOVE_MAX = 64 };

/* ---- starting ---- */

static void put(int from, int to, int null) {
        dup2(from < 0 ? null : from, to);
}

/* In a child that shares the memory of its parent until it executes. */
static _Noreturn void become_client(const char *const *argv, const char *const *envp, const int files[3], volatile int *why) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        sigset_t none;

        clone_reset_signals();
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        setsid();
        for (int i = 0; i < 3; i++)
                put(files[i], i, null);
        execve(argv[0], (char *const *)argv, (char *const *)envp);
        *why = errno;
        _exit(127);
}

pid_t client_start(const char *const *argv, const char *const *envp, int in, int out, int err) {
        const int files[] = { in, out, err };
        volatile int why = 0;
        pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): no other thread could wait for it */

        if (pid == 0)
                become_client(argv, envp, files, &why); /* NOLINT(clang-analyzer-unix.Vfork): it only executes */
        if (pid > 0 && why) {
                waitpid(pid, NULL, 0);
                errno = why;
                return -1;
        }
        return pid;
}

/* Waits for it, for a short time. Returns true if it exited with 0; false for a pid of -1. */
static bool client_wait(pid_t pid) {
        FD_AUTO fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
        struct pollfd end = { .fd = fd, .events = POLLIN };
        int status = -1;

        if (pid < 0)
                return false;
        if (fd < 0 || poll(&end, 1, SWEEP_MS) != 1)
                kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Closes the command's files in another process: their reader waits until the last copy is closed. */
static void client_let_go(void) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        for (int i = 0; i < 3; i++)
                put(-1, i, null);
        files_close_from(3);
}

/* ---- sweeping ---- */

/* "NAME STATE" */
static bool is_abandoned(struct str line, const struct container_owner *here) {
        size_t space = str_find(line, ' ');
        struct container_owner owner;
        bool runs = str_starts(str_skip(line, space + 1), STR("running"));

        return container_name_read(str_take(line, space), &owner) && container_abandoned(&owner, runs, here);
}

/* Ends the names in `text`, and puts those that are to go behind the command that removes. */
static size_t collect(char *text, size_t len, const char **argv, size_t room) {
        struct container_owner here;
        size_t count = 0;

        if (container_owner_here(&here, NULL) < 0)
                return 0;
        for (char *line = text, *next; line < text + len && count < room; line = next) {
                size_t size = str_find(str_from(line, len - (size_t)(line - text)), '\n');

                next = line + size + 1;
                if (!is_abandoned(str_from(line, size), &here))
                        continue;
                line[str_find(str_from(line, size), ' ')] = 0;
                argv[count++] = line;
        }
        return count;
}

static _Noreturn void sweep(const struct launch_container *c) {
        char *text = mmap(NULL, LIST_BYTES + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const char *argv[REMOVE_MAX + 16];
        size_t fixed = 0, found;
        ssize_t len;
        int list;

        client_let_go();
        list = memfd_create("bailey-containers", MFD_CLOEXEC);
        while (fixed < 15 && c->remove[fixed])
                fixed++;
        memcpy(argv, c->remove, fixed * sizeof(*argv));
        if (text == MAP_FAILED || list < 0 || !client_wait(client_start(c->list, c->envp, -1, list, -1)))
                _exit(1);
        len = pread(list, text, LIST_BYTES, 0);
        found = len <= 0 ? 0 : collect(text, (size_t)len, argv + fixed, REMOVE_MAX);
        argv[fixed + found] = NULL;
        _exit(found && !client_wait(client_start(argv, c->envp, -1, -1, -1)));
}

pid_t container_sweep(const struct launch_container *container) {
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

        if (pid == 0)
                sweep(container);
        return pid < 0 ? 0 : pid;
}

enum { LAST_PAUSE = 256 }; /* seconds; each is twice the one before, from 1 on */

bool container_is_missing(const char *said) {
        return strstr(said, "o such container") || strstr(said, "no container with");
}

/* False: it may be there still. */
static bool try(const char *const *argv, const char *const *envp) {
        FD_AUTO said = memfd_create("bailey-answer", MFD_CLOEXEC);
        bool removed = client_wait(client_start(argv, envp, -1, -1, said));
        char text[4096];
        ssize_t len = removed || said < 0 ? 0 : pread(said, text, sizeof(text) - 1, 0);

        text[len < 0 ? 0 : len] = 0;
        return removed || container_is_missing(text);
}

static _Noreturn void go_on_trying(const char *const *argv, const char *const *envp, bool may_come) {
        setsid();
        client_let_go();
        if (chdir("/") < 0)
                _exit(1);
        for (unsigned pause = 1; !(try(argv, envp) && !may_come) && pause <= LAST_PAUSE; pause *= 2)
                sleep(pause);
        _exit(0);
}

/* By a process in between: its own parent is then one that waits for everybody. */
void container_remove_later(const char *const *argv, const char *const *envp, bool may_come) {
        int pidfd = -1, ignored;
        pid_t pid = clone_process(0, -1, &pidfd);

        if (pid == 0) {
                if ((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) == 0)
                        go_on_trying(argv, envp, may_come);
                _exit(0);
        }
        if (pid > 0)
                clone_reap(pidfd, &ignored);
        fd_close(pidfd);
}
