#include "run/user_terminal.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/clone.h"
#include "launch/files.h"

/* Memory of both processes. */
struct user_terminal_shared {
        bool raw;
        struct termios modes; /* of then, as the terminal has them */
        struct terminal_filter filter;
};

/* ---- modes ---- */

/* A process in the background that sets modes is stopped, unless it blocks the signal. Who ends has to. */
static void set_modes(int fd, const struct termios *modes) {
        sigset_t ttou, before;

        sigemptyset(&ttou);
        sigaddset(&ttou, SIGTTOU);
        pthread_sigmask(SIG_BLOCK, &ttou, &before);
        while (tcsetattr(fd, TCSANOW, modes) < 0 && errno == EINTR)
                ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_foreground(int fd) {
        return tcgetpgrp(fd) == getpgrp();
}

void user_terminal_raw(struct user_terminal *terminal) {
        struct user_terminal_shared *shared = terminal->shared;
        struct termios raw = terminal->saved;

        if (terminal->in < 0 || !is_foreground(terminal->in))
                return;
        cfmakeraw(&raw);
        set_modes(terminal->in, &raw);
        if (tcgetattr(terminal->in, &shared->modes) == 0)
                shared->raw = true;
}

void user_terminal_restore(struct user_terminal *terminal) {
        if (terminal->in >= 0 && terminal->shared->raw)
                set_modes(terminal->in, &terminal->saved);
        if (terminal->shared)
                terminal->shared->raw = false;
}

/* ---- the keeper ---- */

/* Somebody else has set modes since then, as a shell does when its command has ended. */
static bool is_as_left(int fd, const struct termios *left) {
        struct termios now;

        return tcgetattr(fd, &now) == 0 && now.c_iflag == left->c_iflag && now.c_oflag == left->c_oflag &&
               now.c_lflag == left->c_lflag;
}

static void restore_for_dead(const struct user_terminal *terminal, int in, int out) {
        char text[1 + TERMINAL_RESTORE_MAX] = "\x18"; /* ends a sequence that was written in part */
        size_t len = terminal_restore(terminal->shared->filter.changed, text + 1);
        struct err ignored;

        if (!terminal->shared->raw || !is_as_left(in, &terminal->shared->modes))
                return;
        set_modes(in, &terminal->saved);
        fd_write_all(out, str_from(text, 1 + len), &ignored);
}

/* In a session of its own, which no terminal sends signals to. All it has is the terminal, and the pipe. */
static _Noreturn void keep(const struct user_terminal *terminal, int alive) {
        int files[] = { terminal->in, terminal->out, alive };
        struct err err = {};
        char byte;

        setsid();
        if (files_arrange(files, sizeof(files) / sizeof(*files), false, &err) < 0)
                _exit(1);
        while (read(2, &byte, 1) < 0 && errno == EINTR)
                ;
        restore_for_dead(terminal, 0, 1);
        _exit(0);
}

static int start_keeper(struct user_terminal *terminal, struct err *err) {
        FD_AUTO mine = -1, its = -1;
        int ends[2];
        pid_t pid;

        if (fd_pipe(ends, err) < 0)
                return -1;
        its = ends[0];
        mine = ends[1];
        pid = clone_process(0, -1, &terminal->keeper);
        if (pid == 0)
                keep(terminal, its);
        if (pid < 0)
                return err_sys(err, "a process that restores the terminal");
        terminal->alive = TAKE_FD(mine);
        return 0;
}

/* ---- the whole ---- */

int user_terminal_begin(struct user_terminal *terminal, int in, int out, struct err *err) {
        struct user_terminal_shared *shared =
                mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        *terminal = (struct user_terminal){ .in = -1, .out = out > 0 ? out : in, .keeper = -1, .alive = -1 };
        if (shared == MAP_FAILED)
                return err_memory(err);
        terminal->shared = shared;
        if (in < 0 || tcgetattr(in, &terminal->saved) < 0)
                return 0;
        terminal->in = in;
        if (start_keeper(terminal, err) == 0)
                return 0;
        user_terminal_end(terminal);
        return -1;
}

struct terminal_filter *user_terminal_filter(struct user_terminal *terminal) {
        return &terminal->shared->filter;
}

void user_terminal_end(struct user_terminal *terminal) {
        int status;

        user_terminal_restore(terminal);
        fd_close(TAKE_FD(terminal->alive));
        if (terminal->keeper >= 0)
                clone_reap(terminal->keeper, &status);
        fd_close(TAKE_FD(terminal->keeper));
        if (terminal->shared)
                munmap(terminal->shared, sizeof(*terminal->shared));
        terminal->shared = NULL;
        terminal->in = -1;
}
