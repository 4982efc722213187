#include "launch/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"
#include "launch/files.h"
#include "launch/terminal.h"

enum { STATE_MESSAGE = 'S', EVIDENCE_MESSAGE = 'V' }; /* neither EGRESS_MESSAGE nor TERMINAL_MESSAGE */

int control_open(int asked, int outside, struct control *ret, struct err *err) {
        sigset_t child;
        int fd;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        /* Who ignores the signal, which is inherited, is never told how a child ended. */
        if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || sigprocmask(SIG_BLOCK, &child, NULL) < 0)
                return err_sys(err, "waiting for processes");
        fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        if (fd < 0)
                return err_sys(err, "waiting for processes");
        *ret = (struct control){ asked, outside, fd, -1, -1 };
        return 0;
}

bool control_alone(const struct control *control) {
        struct pollfd fds[] = { { .fd = control->asked }, { .fd = control->outside, .events = POLLIN } };

        return poll(fds, 2, 0) > 0; /* without events, only the end of the first is told */
}

/* There is no response to wait for: while an earlier byte was not read, another one is not needed. Without
 * the namespace it is told, too: then nothing can be put back, and the command is killed. */
static void tell_mounts(const struct control *control) {
        FD_AUTO namespace = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
        char zero = 0;
        struct iovec byte = { &zero, 1 };

        fds_send(control->asked, &byte, 1, &namespace, namespace >= 0);
}

static int take_request(const struct control *control) {
        unsigned char bytes[3] = {};

        if (read(control->asked, bytes, sizeof(bytes)) < 1)
                return CONTROL_GONE;
        if (bytes[0] == CONTROL_WANTS_SOCKET)
                egress_send_outgoing(control->asked);
        else if (bytes[0] == CONTROL_WANTS_PORT)
                egress_send_shell_port(control->asked, (uint16_t)(bytes[1] << 8 | bytes[2]));
        else
                return bytes[0] == CONTROL_FOREGROUND ? CONTROL_GROUP | bytes[1] : bytes[0];
        return CONTROL_CHILD;
}

/* A group of another session is none of its: a number may have been used again since. */
void control_signal_group(pid_t command, int number) {
        pid_t group = process_foreground(command);

        if (group <= 1 || getsid(group) != command)
                group = command;
        kill(-group, number);
}

int control_wait(struct control *control) {
        struct pollfd fds[] = {
                { .fd = control->asked, .events = POLLIN },   { .fd = control->signals, .events = POLLIN },
                { .fd = control->outside, .events = POLLIN }, { .fd = control->calls, .events = POLLIN },
                { .fd = control->mounts, .events = POLLPRI },
        };
        struct signalfd_siginfo info;

        if (poll(fds, 5, -1) < 0)
                return CONTROL_CHILD;
        while (fds[1].revents && read(control->signals, &info, sizeof(info)) > 0)
                ;
        if (fds[2].revents)
                return CONTROL_GONE;
        if (fds[4].revents) /* the kernel says it once */
                tell_mounts(control);
        if (fds[0].revents)
                return take_request(control);
        if (fds[3].revents & POLLIN)
                return CONTROL_CALL;
        if (fds[3].revents) /* there is no caller left */
                control->calls = -1;
        return CONTROL_CHILD;
}

int control_watch_mounts(struct control *control, struct err *err) {
        control->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        return control->mounts < 0 ? err_sys(err, "/proc/self/mountinfo") : 0;
}

static void pass_file(int asked, unsigned char kind, int file) {
        struct iovec byte = { &kind, 1 };

        fds_send(asked, &byte, 1, &file, 1);
}

void control_pass_page(int asked, int page) {
        pass_file(asked, STATE_MESSAGE, page);
}

void control_pass_evidence(int asked, int notes) {
        pass_file(asked, EVIDENCE_MESSAGE, notes);
}

/* ---- outside ---- */

/* One was meant to come. */
static int keep_last(const int *files, size_t count) {
        for (size_t i = 0; i + 1 < count; i++)
                fd_close(files[i]);
        return count ? files[count - 1] : -1;
}

static enum control_kind kind_of(unsigned char first) {
        switch (first) {
        case EGRESS_MESSAGE:
                return CONTROL_EGRESS;
        case TERMINAL_MESSAGE:
                return CONTROL_TERMINAL;
        case STATE_MESSAGE:
                return CONTROL_STATE;
        case EVIDENCE_MESSAGE:
                return CONTROL_EVIDENCE;
        default:
                return CONTROL_MOUNTS;
        }
}

static void take_message(const unsigned char *bytes, size_t len, const int *files, size_t count, struct control_message *ret) {
        ret->egress.count = 0;
        ret->namespace = ret->terminal = ret->page = -1;
        ret->kind = kind_of(bytes[0]);
        switch (ret->kind) {
        case CONTROL_EGRESS:
                (void)egress_sockets_read(bytes, len, files, count, &ret->egress);
                break;
        case CONTROL_TERMINAL:
                ret->terminal = keep_last(files, count);
                break;
        case CONTROL_STATE:
        case CONTROL_EVIDENCE:
                ret->page = keep_last(files, count);
                break;
        case CONTROL_MOUNTS:
                ret->namespace = keep_last(files, count);
        }
}

int control_receive(int socket, struct control_message *ret) {
        unsigned char bytes[EGRESS_MESSAGE_MAX] = {};
        int files[FDS_MAX];
        size_t count;
        ssize_t len = fds_receive(socket, bytes, sizeof(bytes), files, &count, MSG_DONTWAIT);

        if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                return 0;
        if (len == 0 || (len < 0 && errno != EBADMSG))
                return -1;
        take_message(bytes, len < 0 ? 0 : (size_t)len, files, count, ret); /* its files may not fit in, but it has come */
        return 1;
}
