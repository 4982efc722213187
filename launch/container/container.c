#include "launch/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/control.h"
#include "launch/mount.h"
#include "launch/report.h"

/* An engine that needs longer for these hangs. Making one may mean to copy an image. */
enum { CREATE_SECONDS = 120, INSPECT_SECONDS = 20, END_SECONDS = 30, PATIENCE_SECONDS = 5, AFTERWARDS_SECONDS = 10 };

/* One that has made nothing after the first of these is asked whether it still answers, and has as long for that. */
enum { SILENCE_SECONDS = 10 };

/* Before a signal that the engine refused is passed on again: the command is not up yet, or has just ended. */
static const int64_t pass_pause = TIME_SECOND / 5;

/* A child, and how it ended; 0: it has. */
struct waited {
        pid_t pid;
        int status;
};

struct runner {
        const struct launch_container *plan;
        struct control control;
        int report_fd;
        bool gone;             /* bailey is gone: the command has to end */
        bool lost;             /* a container that was to go on had to be removed */
        bool hangs;            /* the engine does not answer */
        bool may_come;         /* who was making the container had to be killed; the engine may go on with it */
        struct waited client;  /* that has the command's files */
        struct waited asked;   /* one that answers us */
        struct waited beside;  /* another one, while that takes its time */
        struct waited sweeper; /* container_sweep.c */
        uint64_t signals;      /* for the command, not passed on yet: bit 0 is signal 1 */
        struct waited passer;  /* one that passes a signal on */
        int passing;           /* which one that is; 0: none */
        int64_t pass_at;       /* not before this */
};

/* ---- waiting ---- */

static void note_end(struct waited *waited, pid_t pid, int status) {
        if (waited->pid == pid)
                *waited = (struct waited){ .status = status };
}

/* Those that have lost their parent become children of this process, and podman waits for them to be reaped. */
static void reap(struct runner *r) {
        pid_t pid;
        int status;

        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
                note_end(&r->client, pid, status);
                note_end(&r->asked, pid, status);
                note_end(&r->beside, pid, status);
                note_end(&r->sweeper, pid, status);
                note_end(&r->passer, pid, status);
        }
}

enum heed { HEED_NOTHING, HEED_END, HEED_SIGNALS };

/* One for a command in a container that goes on is for the client, which ends of it: then the command is ended. */
static void hear(struct runner *r) {
        unsigned char bytes[2] = {}, number;

        if (read(r->control.asked, bytes, sizeof(bytes)) < 1)
                r->gone = true;
        number = bytes[0] == CONTROL_FOREGROUND ? bytes[1] : bytes[0]; /* to an engine the command is one process */
        if (r->gone)
                return;
        if (!r->plan->signal && r->client.pid)
                kill(r->client.pid, number);
        else if (r->plan->signal && number > 0 && number <= 64)
                r->signals |= 1ULL << (number - 1);
}

enum { CALL_WORDS = 16 };

/* A call of the plan, and what it was made without. */
static void complete(const char *const *call, const char *first, const char *second, const char *ret[static CALL_WORDS]) {
        size_t count = 0;

        for (; count < CALL_WORDS - 3 && call[count]; count++)
                ret[count] = call[count];
        ret[count++] = first;
        ret[count++] = second;
        ret[count] = NULL;
}

/* By a call of its own: a client that attaches the command's files passes signals on, but podman's only does so some time after
 * the command has started, and ends of one that comes before. */
static void pass_signals(struct runner *r) {
        const char *argv[CALL_WORDS];
        char number[8];
        pid_t pid;

        if (r->passer.pid)
                return;
        if (r->passing && r->passer.status != 0) {
                r->signals |= 1ULL << (r->passing - 1);
                r->pass_at = time_monotonic() + pass_pause;
        }
        r->passing = 0;
        if (!r->signals || time_monotonic() < r->pass_at)
                return;
        r->passing = __builtin_ctzll(r->signals) + 1;
        r->signals &= r->signals - 1;
        snprintf(number, sizeof(number), "%d", r->passing);
        complete(r->plan->signal, number, r->plan->name, argv);
        pid = client_start(argv, r->plan->envp, -1, -1, -1);
        r->passer = (struct waited){ .pid = pid < 0 ? 0 : pid, .status = pid < 0 ? -1 : 0 };
}

/* When wait_for() has to look again by itself; 0: never. */
static int64_t next_look(const struct runner *r, int64_t deadline, enum heed heed) {
        bool waits = heed == HEED_SIGNALS && r->signals && !r->passer.pid;

        return waits && (!deadline || r->pass_at < deadline) ? r->pass_at : deadline;
}

/* Until a child has ended, its time is over, or what is heeded asks for the end. True: it has ended. */
static bool wait_for(struct runner *r, const struct waited *waited, int64_t deadline, enum heed heed) {
        struct signalfd_siginfo ignored;

        for (;;) {
                bool listens = heed != HEED_NOTHING && !r->gone;
                struct pollfd fds[] = {
                        { .fd = r->control.signals, .events = POLLIN },
                        { .fd = listens ? r->control.asked : -1, .events = POLLIN },
                        { .fd = listens ? r->control.outside : -1, .events = POLLIN },
                };

                reap(r);
                if (!waited->pid)
                        return true;
                if ((deadline && time_monotonic() >= deadline) || (heed != HEED_NOTHING && r->gone))
                        return false;
                if (heed == HEED_SIGNALS)
                        pass_signals(r);
                if (poll(fds, 3, time_left_ms(next_look(r, deadline, heed))) < 0)
                        continue;
                while (fds[0].revents && read(r->control.signals, &ignored, sizeof(ignored)) > 0)
                        ;
                if (fds[2].revents)
                        r->gone = true;
                else if (fds[1].revents)
                        hear(r);
        }
}

static int64_t in_seconds(int64_t seconds) {
        return time_monotonic() + seconds * TIME_SECOND;
}

/* ---- clients that answer us ---- */

/* One line of what stands in a file: the first, or the first that is about an error. */
static void answer_read(int fd, char *ret, size_t size) {
        char text[4096], *line, *error;
        ssize_t len = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

        text[len < 0 ? 0 : len] = 0;
        error = strstr(text, "rror");
        line = error ? error : text;
        while (line > text && line[-1] != '\n')
                line--;
        line[strcspn(line, "\n")] = 0;
        len = (ssize_t)strnlen(line, size - 1);
        memcpy(ret, line, (size_t)len);
        ret[len] = 0;
}

/* Whatever it says of the container: it says something. */
static bool still_answers(struct runner *r) {
        pid_t pid = client_start(r->plan->inspect, r->plan->envp, -1, -1, -1);

        r->beside.pid = pid < 0 ? 0 : pid;
        if (wait_for(r, &r->beside, in_seconds(SILENCE_SECONDS), HEED_END))
                return true;
        kill(-pid, SIGKILL);
        return r->gone;
}

/* To make a container may take long, which is not to be taken for an engine that hangs. A client that is making something is
 * not left in the middle of it at once: what it makes would not be known yet. */
static bool wait_made(struct runner *r) {
        if (wait_for(r, &r->asked, in_seconds(SILENCE_SECONDS), HEED_END))
                return true;
        r->hangs = !r->gone && !still_answers(r) && r->asked.pid;
        if (r->hangs)
                return false;
        return wait_for(r, &r->asked, in_seconds(CREATE_SECONDS - SILENCE_SECONDS), HEED_END) ||
               (r->gone && wait_for(r, &r->asked, in_seconds(PATIENCE_SECONDS), HEED_NOTHING));
}

static bool wait_answer(struct runner *r, int seconds, enum heed heed) {
        return heed == HEED_NOTHING ? wait_for(r, &r->asked, in_seconds(seconds), heed) : wait_made(r);
}

static int say_silent(const struct runner *r, const char *engine, int seconds, struct err *err) {
        return r->hangs ? err_set(err, ERR_SYSTEM, "%s does not answer", engine)
                        : err_set(err, ERR_SYSTEM, "%s did not end within %d s", engine, seconds);
}

/* Runs one to its end. On failure, `err` is what it had to say. */
static int ask(struct runner *r, const char *const *argv, const char *const *envp, int seconds, enum heed heed, char *ret,
               size_t size, struct err *err) {
        FD_AUTO out = memfd_create("bailey-answer", MFD_CLOEXEC);
        FD_AUTO said = memfd_create("bailey-answer", MFD_CLOEXEC);
        pid_t pid = client_start(argv, envp, -1, out, said);
        char text[200];

        if (pid < 0)
                return err_sys(err, "%s", argv[0]);
        r->asked.pid = pid;
        if (!wait_answer(r, seconds, heed)) {
                kill(-pid, SIGKILL);
                wait_for(r, &r->asked, in_seconds(1), HEED_NOTHING);
                r->may_come = r->may_come || heed != HEED_NOTHING;
                return say_silent(r, argv[0], seconds, err);
        }
        answer_read(out, ret, size);
        if (WIFEXITED(r->asked.status) && WEXITSTATUS(r->asked.status) == 0)
                return 0;
        answer_read(said, text, sizeof(text));
        return text[0] ? err_set(err, ERR_SYSTEM, "%s", text)
                       : err_set(err, ERR_SYSTEM, "%s %s ended with status %d", argv[0], argv[1], r->asked.status);
}

/* ---- how it ended ---- */

struct state {
        char name[16]; /* "exited", "running", ... */
        int exit_code;
        bool out_of_memory;
        const char *error; /* in `text` */
        char text[512];
};

/* "exited 7 false " */
static int state_read(struct state *state, struct err *err) {
        char *at = state->text, *end;
        size_t len = strcspn(at, " ");

        if (len == 0 || len >= sizeof(state->name) || at[len] != ' ')
                return err_set(err, ERR_SYSTEM, "unexpected container state: '%.100s'", state->text);
        memcpy(state->name, at, len);
        state->name[len] = 0;
        state->exit_code = (int)strtol(at + len, &end, 10);
        while (*end == ' ')
                end++;
        state->out_of_memory = strncmp(end, "true", 4) == 0;
        end += strcspn(end, " ");
        state->error = end + strspn(end, " ");
        return 0;
}

static bool is_one_of(const char *word, const char *const *words) {
        for (; *words; words++)
                if (strcmp(word, *words) == 0)
                        return true;
        return false;
}

static const char *const never_started[] = { "created", "configured", "initialized", NULL };
static const char *const still_there[] = { "running", "paused", "restarting", "stopping", NULL };

/* An engine says 126 or 127 of what could not be executed, and so does a shell of its commands; only the state tells. */
static int state_check(const struct state *state, struct err *err) {
        if (is_one_of(state->name, never_started))
                return err_set(err, ERR_SYSTEM, "the container was not started: %s",
                               state->error[0] ? state->error : "the engine does not say why");
        if (is_one_of(state->name, still_there))
                return err_set(err, ERR_INVALID, "the engine's client ended before the command did");
        return 0;
}

/* ---- the course of things ---- */

/* Where a command has left no room for another process, the whole container goes. */
static int remove_entered(struct runner *r, struct err *err) {
        const char *argv[CALL_WORDS];
        char ignored[8];

        complete(r->plan->remove, r->plan->name, NULL, argv);
        r->lost = true;
        return ask(r, argv, r->plan->envp, END_SECONDS, HEED_NOTHING, ignored, sizeof(ignored), err);
}

static int end_container(struct runner *r, struct err *err) {
        char ignored[8];

        if (ask(r, r->plan->end, r->plan->envp, END_SECONDS, HEED_NOTHING, ignored, sizeof(ignored), err) == 0 ||
            container_is_missing(err->msg) || (r->plan->entered && remove_entered(r, err) == 0))
                return 0;
        err_context(err, "the container %s could not be ended", r->plan->name);
        err->code = ERR_INVALID; /* the command ran: no other sandbox may run it again */
        return -1;
}

/* Everything that is left of it goes, and then this process. */
static _Noreturn void leave(struct runner *r, const struct err *failure, int status, bool out_of_memory) {
        struct err err = {};
        int ended = r->hangs ? 0 : end_container(r, &err);
        const char *argv[CALL_WORDS];

        if (ended < 0 || r->may_come) {
                complete(r->plan->remove, r->plan->name, NULL, argv);
                container_remove_later(argv, r->plan->envp, r->may_come);
        }
        /* What it still had to say comes through now. */
        if (!wait_for(r, &r->client, in_seconds(1), HEED_NOTHING))
                kill(-r->client.pid, SIGKILL);
        if (r->passer.pid)
                kill(-r->passer.pid, SIGKILL);
        if (!r->gone)
                wait_for(r, &r->sweeper, in_seconds(AFTERWARDS_SECONDS), HEED_END);
        if (failure)
                report_failure(r->report_fd, failure);
        if (ended < 0)
                report_failure(r->report_fd, &err);
        report_end(r->report_fd, status, (out_of_memory ? REPORT_OUT_OF_MEMORY : 0) | (r->lost ? REPORT_LOST : 0), "");
        _exit(0);
}

/* An engine must not pull an image by itself: that would be a download without a request. */
static void explain_image(struct err *err) {
        static const char *const words[] = { "o such image", "image not known", "nable to find image", "not found locally" };
        struct err said = *err;

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (strstr(said.msg, words[i]))
                        err_set(err, ERR_SYSTEM, "%.120s: run `bailey container pull` or `bailey container build`", said.msg);
}

/* Engines follow links. All paths were resolved, so a link was created since, by a command that still runs in the workspace. A
 * link that is created later is not noticed. */
static int check_sources(const struct launch_container *plan, struct err *err) {
        for (const char *const *source = plan->sources; *source; source++) {
                FD_AUTO fd = open(*source, O_PATH | O_CLOEXEC);
                char name[64], path[PATH_MAX];
                ssize_t len;

                if (fd < 0)
                        return mount_failed(*source, err);
                snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
                len = readlink(name, path, sizeof(path));
                if (len < 0)
                        return err_sys(err, "%s", name);
                if ((size_t)len != strlen(*source) || memcmp(path, *source, (size_t)len) != 0)
                        return err_set(err, ERR_CHANGED,
                                       "%.150s no longer refers to the same file; a command may have moved it", *source);
        }
        return 0;
}

static void create(struct runner *r) {
        struct err err = {};
        char id[128];

        if (ask(r, r->plan->create, r->plan->passing_envp, CREATE_SECONDS, HEED_END, id, sizeof(id), &err) < 0) {
                explain_image(&err);
                leave(r, &err, 0, false);
        }
        if (r->gone)
                leave(r, NULL, SIGKILL, false);
        if (check_sources(r->plan, &err) < 0)
                leave(r, &err, 0, false);
}

static int inspect(struct runner *r, struct state *ret, struct err *err) {
        if (ask(r, r->plan->inspect, r->plan->envp, INSPECT_SECONDS, HEED_NOTHING, ret->text, sizeof(ret->text), err) < 0 ||
            state_read(ret, err) < 0) {
                err_context(err, "the engine was lost while the command ran");
                err->code = ERR_INVALID;
                return -1;
        }
        return 0;
}

static _Noreturn void finish_own(struct runner *r) {
        struct state state = {};
        struct err err = {};

        if (inspect(r, &state, &err) < 0 || state_check(&state, &err) < 0)
                leave(r, &err, 0, false);
        leave(r, NULL, state.out_of_memory && state.exit_code == 128 + SIGKILL ? SIGKILL : (state.exit_code & 0xff) << 8,
              state.out_of_memory);
}

/* One that was entered goes on; its client tells how the command ended, if it is really that. */
static _Noreturn void finish_entered(struct runner *r) {
        struct state state = {};
        struct err err = {};

        if (WIFEXITED(r->client.status) && WEXITSTATUS(r->client.status) == 0)
                leave(r, NULL, 0, false);
        if (inspect(r, &state, &err) < 0)
                leave(r, &err, 0, false);
        if (strcmp(state.name, "running") != 0) {
                err_set(&err, ERR_INVALID, "the session's container has ended%s",
                        state.out_of_memory ? ": it had used up its memory" : "");
                leave(r, &err, 0, false);
        }
        leave(r, NULL, r->client.status, false);
}

_Noreturn void container_run(const struct launch_container *container, bool announce, int report_fd, int asked_fd,
                             int outside_fd) {
        struct runner r = { .plan = container, .report_fd = report_fd };
        struct err err = {};

        if (control_open(asked_fd, outside_fd, &r.control, &err) < 0)
                report_failure(report_fd, &err);
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        if (container->create)
                create(&r);
        r.client.pid = client_start(container->start, container->passing_envp, 0, 1, 2);
        if (r.client.pid < 0) {
                err_sys(&err, "%s", container->start[0]);
                r.client.pid = 0;
                leave(&r, &err, 0, false);
        }
        if (announce)
                report_send(report_fd, REPORT_STARTED, 0);
        if (container->list)
                r.sweeper.pid = container_sweep(container);
        if (!wait_for(&r, &r.client, 0, HEED_SIGNALS))
                leave(&r, NULL, SIGKILL, false);
        if (container->entered)
                finish_entered(&r);
        finish_own(&r);
}
