/*
 * The tools that only tell: the verdict on a command, and which container runtimes there are. Asking these takes seconds when
 * one hangs, so a process of its own does it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "format/format.h"
#include "mcp/call.h"

enum { ANSWER_MAX = 64 << 20, CHUNK = 16 << 10, END_SECONDS = 1 };

/* ---- bash_sandbox_test ---- */

static void verdict_text(const struct bailey_verdict *verdict, struct buf *out) {
        buf_append(out, str_z(format_action(verdict->action)));
        for (size_t i = 0; i < verdict->reason_count; i++) {
                buf_char(out, '\n');
                buf_append(out, text_str(verdict->reasons[i].rule));
                buf_append(out, STR(": "));
                buf_append(out, text_str(verdict->reasons[i].message));
        }
        buf_char(out, '\n');
        format_commands_text(verdict, out);
        out->len -= out->len && out->ptr[out->len - 1] == '\n';
}

void sandbox_test_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        json_t *command = json_object_get(arguments, "command");
        struct bailey_verdict verdict;
        BUF_AUTO text, json;

        buf_init(&text, ANSWER_MAX);
        buf_init(&json, ANSWER_MAX);
        if (bailey_check(bailey_session_policy(server->session), json_string_value(command), json_string_length(command),
                         &verdict) < 0) {
                call_refuse(server, call, "bash_sandbox_test: out of memory");
                return;
        }
        verdict_text(&verdict, &text);
        format_verdict_json(&verdict, &json);
        bailey_verdict_free(&verdict);
        if (text.failed || json.failed)
                call_refuse(server, call, "bash_sandbox_test: out of memory");
        else
                call_answer(server, call, false, buf_str(&text), buf_str(&json));
}

/* ---- bash_container_status ---- */

static void kill_children(void) {
        FD_AUTO fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
        char pids[CHUNK];
        ssize_t got = read(fd, pids, sizeof(pids)); /* "12 34 " */
        pid_t pid = 0;

        for (ssize_t i = 0; i < got; i++) {
                if (pids[i] != ' ') {
                        pid = pid * 10 + (pids[i] - '0');
                        continue;
                }
                if (pid > 1)
                        kill(pid, SIGKILL);
                pid = 0;
        }
}

/* Until the one that asks has ended, or the server wants its end, or is gone itself. Clients of engines have sessions of their
 * own, and one that hangs would do so for ever: a subreaper inherits what is left behind, and ends it. */
static _Noreturn void look_after(pid_t asking, const sigset_t *signals) {
        int signal;

        do
                signal = sigwaitinfo(signals, NULL);
        while (signal < 0 || (signal == SIGCHLD && waitpid(asking, NULL, WNOHANG) == 0));
        alarm(END_SECONDS); /* one that cannot be killed is not waited for */
        do
                kill_children();
        while (waitpid(-1, NULL, 0) > 0);
        _exit(0);
}

/* Two texts, a NUL between them. */
static _Noreturn void tell_status(const struct mcp_server *server, int fd) {
        struct bailey_containers found;
        struct err ignored;
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (bailey_container_status(bailey_session_policy(server->session), server->options->environment, &found) < 0)
                _exit(1);
        format_containers_text(&found, &answer);
        buf_char(&answer, '\0');
        format_containers_json(&found, &answer);
        _exit(answer.failed || fd_write_all(fd, buf_str(&answer), &ignored) < 0);
}

static _Noreturn void ask_status(const struct mcp_server *server, int fd, pid_t server_pid) {
        sigset_t signals;
        pid_t asking;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGCHLD);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0); /* nor may it hold the controls of sandboxes open */
        close_range((unsigned)fd + 1, ~0U, 0);
        if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != server_pid)
                _exit(1);
        asking = fork();
        if (asking == 0)
                tell_status(server, fd);
        fd_close(fd);
        if (asking < 0)
                _exit(1);
        look_after(asking, &signals);
}

void container_status_call(struct mcp_server *server, struct call *call, json_t *arguments) {
        struct err err = {};
        pid_t server_pid;
        int ends[2];

        (void)arguments;
        if (fd_pipe(ends, &err) < 0) {
                call_refuse(server, call, "bash_container_status: %s", err.msg);
                return;
        }
        server_pid = getpid();
        call->child_pid = fork();
        if (call->child_pid == 0)
                ask_status(server, ends[1], server_pid);
        fd_close(ends[1]);
        if (call->child_pid < 0) {
                fd_close(ends[0]);
                call_refuse(server, call, "bash_container_status: cannot start a process: %s", strerror(errno));
                return;
        }
        call->child_fd = ends[0];
        buf_init(&call->child_answer, ANSWER_MAX);
        call->waits = WAITS_CHILD;
}

static void answer_status(struct mcp_server *server, struct call *call) {
        struct str all = buf_str(&call->child_answer), text = str_take(all, str_find(all, '\0'));
        struct str json = str_skip(all, text.len + 1);

        while (text.len && text.ptr[text.len - 1] == '\n')
                text.len--;
        if (call->child_answer.failed || !json.len)
                call_refuse(server, call, "bash_container_status: cannot get the status");
        else
                call_answer(server, call, false, text, json);
}

void container_status_read(struct mcp_server *server, struct call *call) {
        char chunk[CHUNK];
        ssize_t got = read(call->child_fd, chunk, sizeof(chunk));

        if (got > 0)
                buf_append(&call->child_answer, str_from(chunk, (size_t)got));
        if (got > 0 || (got < 0 && errno == EINTR))
                return;
        answer_status(server, call);
        waitpid(call->child_pid, NULL, 0);
        fd_close(TAKE_FD(call->child_fd));
}
