#include "run/terminal_link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/relay.h"
#include "run/user_terminal.h"

enum { ROWS = 24, COLUMNS = 80, END_OF_INPUT = 4, READ_SIZE = 4 << 10 };

struct terminal_link {
        struct terminal_setup setup;
        int master; /* -1: it has not come, or nothing more comes */
        struct relay typed;
        char last;  /* that was typed */
        bool ended; /* the input has, and that was typed */
        struct user_terminal user;
        size_t start, end; /* of what is to be shown */
        char shown[3 * READ_SIZE + TERMINAL_PASSED_MAX + TERMINAL_RESTORE_MAX];
};

/* ---- the size ---- */

static bool get_size(const struct terminal_setup *setup, struct winsize *ret) {
        return (setup->out > 0 && ioctl(setup->out, TIOCGWINSZ, ret) == 0) ||
               (setup->in > 0 && ioctl(setup->in, TIOCGWINSZ, ret) == 0);
}

void terminal_link_plan(const struct terminal_setup *setup, int err_fd, struct launch_terminal *ret) {
        struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };

        get_size(setup, &size);
        *ret = (struct launch_terminal){
                .wanted = true,
                .errors_apart = !isatty(err_fd) && !(setup->out > 0 && err_fd > 0 && relay_same(setup->out, err_fd)),
                .rows = size.ws_row,
                .columns = size.ws_col,
        };
}

/* The kernel sends a SIGWINCH inside if it has changed. */
static void pass_size(const struct terminal_link *link) {
        struct winsize size;

        if (link->master >= 0 && get_size(&link->setup, &size))
                ioctl(link->master, TIOCSWINSZ, &size);
}

/* ---- signals ---- */

/* As the terminal does it for others: it has its modes back while this process is stopped. */
static void stop(struct terminal_link *link) {
        user_terminal_restore(&link->user);
        raise(SIGSTOP);
}

static void take_signals(struct terminal_link *link) {
        struct signalfd_siginfo info;

        while (read(link->setup.signals, &info, sizeof(info)) == sizeof(info)) {
                if (info.ssi_signo == SIGTSTP)
                        stop(link);
                if (info.ssi_signo == SIGCONT && link->master >= 0)
                        user_terminal_raw(&link->user);
                pass_size(link);
        }
}

/* ---- what is typed ---- */

/* In a line that was not ended, the first Ctrl-D only passes it on. */
static void type_end(struct terminal_link *link) {
        const char keys[] = { END_OF_INPUT, END_OF_INPUT };
        size_t count = link->last == '\n' || link->last == '\r' || link->last == 0 ? 1 : 2;

        link->ended = true;
        if (write(link->master, keys, count) < 0 && errno == EAGAIN)
                link->ended = false; /* there is no room yet */
}

static int begin_typing(struct terminal_link *link, struct err *err) {
        FD_AUTO in = -1, to = -1;

        if (link->setup.in <= 0)
                return 0;
        if (fd_dup(link->setup.in, &in, err) < 0 || fd_dup(link->master, &to, err) < 0)
                return -1;
        link->typed = (struct relay){ .from = TAKE_FD(in), .to = TAKE_FD(to), .input = true, .unread = -1 };
        return 0;
}

static void step_typed(struct terminal_link *link, const struct pollfd *polled) {
        size_t had = link->typed.end;

        if (link->ended)
                return;
        if (link->typed.from >= 0 && link->typed.to >= 0)
                relay_step(&link->typed, polled);
        if (link->typed.end && link->typed.end != had)
                link->last = link->typed.data[link->typed.end - 1];
        if (link->typed.from < 0 || link->typed.to < 0)
                type_end(link);
}

/* ---- what is shown ---- */

static void keep_shown(void *context, struct str bytes) {
        struct terminal_link *link = context;

        memcpy(link->shown + link->end, bytes.ptr, bytes.len);
        link->end += bytes.len;
}

/* Returns false if nothing is there now. */
static bool take_shown(struct terminal_link *link) {
        char bytes[READ_SIZE];
        ssize_t got = read(link->master, bytes, sizeof(bytes));

        if (got > 0) {
                link->start = link->end = 0;
                if (link->setup.seen)
                        stream_add(link->setup.seen, str_from(bytes, (size_t)got));
                terminal_filter_feed(user_terminal_filter(&link->user), str_from(bytes, (size_t)got), keep_shown, link);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                fd_close(TAKE_FD(link->master)); /* EIO: nobody inside has it any more */
        }
        return got > 0;
}

/* Is there something to show, and somebody to show it to? */
static bool is_pending(const struct terminal_link *link) {
        return link->start < link->end && link->setup.out > 0;
}

static void give_shown(struct terminal_link *link) {
        size_t left = link->end - link->start;
        struct fd_quiet quiet;
        ssize_t put;

        fd_quiet_begin(&quiet);
        put = write(link->setup.out, link->shown + link->start, left < RELAY_TERMINAL_CHUNK ? left : RELAY_TERMINAL_CHUNK);
        fd_quiet_end(&quiet);
        if (put >= 0)
                link->start += (size_t)put;
        else if (errno != EAGAIN && errno != EINTR)
                link->setup.out = -1; /* it is gone; the command goes on */
}

/* ---- the whole ---- */

int terminal_link_open(const struct terminal_setup *setup, struct terminal_link **ret, struct err *err) {
        struct terminal_link *link = malloc(sizeof(*link));

        if (!link)
                return err_memory(err);
        *link = (struct terminal_link){ .setup = *setup, .master = -1, .typed = { .from = -1, .to = -1, .unread = -1 } };
        if (user_terminal_begin(&link->user, setup->in > 0 ? setup->in : -1, setup->out, err) < 0) {
                free(link);
                return -1;
        }
        *ret = link;
        return 0;
}

int terminal_link_begin(struct terminal_link *link, int master, struct err *err) {
        link->master = master;
        if (master < 0)
                return err_set(err, ERR_SYSTEM, "the terminal of the command could not be passed on");
        if (begin_typing(link, err) < 0)
                return -1;
        user_terminal_raw(&link->user);
        pass_size(link);
        return 0;
}

void terminal_link_poll(const struct terminal_link *link, struct pollfd fds[static TERMINAL_LINK_POLLS]) {
        fds[0] = relay_poll(&link->typed);
        if (link->master >= 0 && fds[0].fd < 0 && !link->ended)
                fds[0] = (struct pollfd){ .fd = link->master, .events = POLLOUT };
        if (link->master < 0)
                fds[0].fd = -1;
        fds[1] = (struct pollfd){ .fd = link->master, .events = POLLIN };
        if (is_pending(link))
                fds[1] = (struct pollfd){ .fd = link->setup.out, .events = POLLOUT };
        fds[2] = (struct pollfd){ .fd = link->setup.signals > 0 ? link->setup.signals : -1, .events = POLLIN };
}

void terminal_link_step(struct terminal_link *link, const struct pollfd fds[static TERMINAL_LINK_POLLS]) {
        if (fds[2].revents)
                take_signals(link);
        if (link->master >= 0 && fds[0].revents)
                step_typed(link, &fds[0]);
        if (!fds[1].revents)
                return;
        if (is_pending(link))
                give_shown(link);
        else if (link->master >= 0)
                take_shown(link);
}

/* Returns false if the deadline has come first. */
static bool show_pending(struct terminal_link *link, int64_t deadline) {
        while (is_pending(link)) {
                struct pollfd out = { .fd = link->setup.out, .events = POLLOUT };
                int64_t left = deadline - time_monotonic();

                if (left <= 0 || poll(&out, 1, (int)(left / 1000000) + 1) == 0)
                        return false;
                give_shown(link);
        }
        return true;
}

void terminal_link_close(struct terminal_link *link, int64_t deadline) {
        if (!link)
                return;
        while (show_pending(link, deadline) && link->master >= 0 && take_shown(link))
                ;
        terminal_filter_end(user_terminal_filter(&link->user), keep_shown, link);
        show_pending(link, deadline);
        user_terminal_end(&link->user);
        relay_close(&link->typed);
        fd_close(TAKE_FD(link->typed.to));
        fd_close(TAKE_FD(link->master));
        free(link);
}
