#include "launch/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/evidence.h"
#include "launch/files.h"
#include "launch/kernel.h"

/* What a handler in pid 1 returns instead of a result: a worker answers, or the handler has done so. */
enum { ANSWERED_LATER = BROKER_WAITS + 1 };

/* Kernels may have longer ones than the header; the kernel writes as much as it knows. */
union notification {
        struct seccomp_notif call;
        char room[512];
};

/* ---- answers ---- */

/* False: the caller waits no more, as it was interrupted or killed. That is no error. */
static bool answer(int listener, uint64_t id, int result) {
        union {
                struct seccomp_notif_resp response;
                char room[512];
        } reply = { .response = { .id = id,
                                  .error = result < 0 ? result : 0,
                                  .flags = result == BROKER_CONTINUE ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0 } };

        while (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) < 0)
                if (errno != EINTR)
                        return false;
        return true;
}

/* ---- workers ---- */

/* The exit status of a worker is an errno, or this. pid 1 tells the caller when the worker is gone, and all its copies of the
 * caller's files with it: the other side of a socket has to notice when the caller closes it. */
enum { WORKER_SUCCESS = 255 };

static int result_of(int status) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
                return -EINTR; /* it was killed */
        return WEXITSTATUS(status) == WORKER_SUCCESS ? 0 : -WEXITSTATUS(status);
}

static void forget(struct broker *broker, struct broker_worker *worker) {
        *worker = broker->workers[--broker->worker_count];
}

static void keep_evidence(struct broker *broker, const struct broker_connect *request, int result) {
        if (broker->evidence && result < 0)
                evidence_connect(broker->evidence, request, result);
}

/* A caller that does not wait any more was interrupted, and may make the call again. */
void broker_reaped(struct broker *broker, pid_t pid, int status) {
        for (size_t i = 0; i < broker->worker_count; i++) {
                struct broker_worker *worker = &broker->workers[i];

                if (worker->pid != pid)
                        continue;
                worker->pid = 0;
                worker->result = result_of(status);
                keep_evidence(broker, &worker->request, worker->result);
                if (answer(broker->listener, worker->call, worker->result))
                        forget(broker, worker);
                return;
        }
}

/* A thread is in one call at a time. */
static struct broker_worker *find_worker(struct broker *broker, pid_t caller) {
        for (size_t i = 0; i < broker->worker_count; i++)
                if (broker->workers[i].request.caller == caller)
                        return &broker->workers[i];
        return NULL;
}

static void end_worker(struct broker *broker, struct broker_worker *worker) {
        if (worker->pid)
                kill(worker->pid, SIGKILL);
        while (worker->pid && waitpid(worker->pid, NULL, __WALL) < 0 && errno == EINTR)
                ;
        forget(broker, worker);
}

static bool has_room(struct broker *broker) {
        for (size_t i = 0; i < broker->worker_count && broker->worker_count == BROKER_WORKERS_MAX; i++)
                if (broker->workers[i].pid == 0)
                        forget(broker, &broker->workers[i]);
        return broker->worker_count < BROKER_WORKERS_MAX;
}

/* Not fork(): it would run handlers of the program that this process was cloned from, and take locks. */
static pid_t start_worker(struct broker *broker, uint64_t call, const struct broker_connect *request) {
        pid_t pid;

        if (!has_room(broker))
                return -EAGAIN;
        pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
        if (pid > 0)
                broker->workers[broker->worker_count++] =
                        (struct broker_worker){ .pid = pid, .call = call, .request = *request };
        return pid < 0 ? -errno : pid;
}

/* ---- what a call is about, looked at in pid 1: only a parent may where Yama restricts tracing ---- */

/* The number of the process that a thread belongs to, for kernels before 6.9; 0: it is gone. */
static pid_t process_of(pid_t thread) {
        char path[32], text[1024];
        const char *line;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (len <= 0)
                return 0;
        text[len] = 0;
        line = strstr(text, "\nTgid:"); /* a name has no line breaks there */
        return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

static int open_thread(pid_t thread) {
        int fd = (int)syscall(SYS_pidfd_open, thread, KERNEL_PIDFD_THREAD);
        pid_t process;

        if (fd >= 0 || errno != EINVAL)
                return fd;
        process = process_of(thread);
        return process > 0 ? kernel_pidfd_open(process) : -1;
}

/* Of what the caller has made untraceable nothing can be copied: then it is refused. */
static int copy_failed(void) {
        return errno == EPERM || errno == ESRCH ? -EACCES : -errno;
}

int broker_copy_memory(pid_t thread, uint64_t address, void *ret, size_t size) {
        struct iovec here = { ret, size }, there = { (void *)(uintptr_t)address, size }; /* NOLINT(performance-no-int-to-ptr) */
        ssize_t len = process_vm_readv(thread, &here, 1, &there, 1, 0);

        return len < 0 ? copy_failed() : (size_t)len == size ? 0 : -EFAULT;
}

static int copy_file(pid_t thread, int number) {
        FD_AUTO process = open_thread(thread);
        int fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, number, 0);

        return fd < 0 ? copy_failed() : fd;
}

static int copy_connect(const struct seccomp_notif *call, struct broker_connect *ret) {
        socklen_t size = sizeof(ret->domain);
        int result, len = (int)call->data.args[2];
        struct stat st = {};

        if (len < 0 || (size_t)len > sizeof(ret->bytes))
                return -EINVAL;
        ret->caller = (pid_t)call->pid;
        ret->len = (size_t)len;
        ret->socket = copy_file(ret->caller, (int)call->data.args[0]);
        if (ret->socket < 0)
                return ret->socket;
        result = ret->len ? broker_copy_memory(ret->caller, call->data.args[1], ret->bytes, ret->len) : 0;
        if (result == 0 &&
            (getsockopt(ret->socket, SOL_SOCKET, SO_DOMAIN, &ret->domain, &size) < 0 || fstat(ret->socket, &st) < 0))
                result = -errno;
        if (result == 0)
                ret->inode = st.st_ino;
        return result;
}

/* The number of a thread may be another's by now; then its call is gone, too. */
bool broker_still_waits(int listener, uint64_t id) {
        return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* ---- the calls ---- */

static bool is_same(const struct broker_connect *a, const struct broker_connect *b) {
        return a->inode == b->inode && a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* The same call again, after a signal. */
static int go_on(struct broker *broker, struct broker_worker *worker, uint64_t call) {
        int result = worker->result;

        worker->call = call;
        if (worker->pid)
                return ANSWERED_LATER;
        forget(broker, worker);
        return result;
}

/* Where the caller waits no more, the result is for the same call again, as that of a worker is. */
static int connect_now(struct broker *broker, uint64_t call, struct broker_connect *request) {
        int result = broker_connect_now(broker->plan, request);

        if (result == BROKER_WAITS)
                return result;
        if (broker->evidence)
                keep_evidence(broker, request, evidence_of_socket(request->socket, result));
        fd_close(TAKE_FD(request->socket)); /* before the caller could close it */
        if (!answer(broker->listener, call, result) && has_room(broker))
                broker->workers[broker->worker_count++] =
                        (struct broker_worker){ .call = call, .request = *request, .result = result };
        return ANSWERED_LATER;
}

static int start_connect(struct broker *broker, uint64_t call, struct broker_connect *request) {
        struct broker_worker *worker = find_worker(broker, request->caller);
        pid_t pid;

        if (!broker_still_waits(broker->listener, call))
                return -EINTR;
        if (worker && is_same(&worker->request, request))
                return go_on(broker, worker, call);
        if (worker)
                end_worker(broker, worker);
        if (connect_now(broker, call, request) == ANSWERED_LATER)
                return ANSWERED_LATER;
        pid = start_worker(broker, call, request);
        if (pid == 0) {
                int result = broker_connect(broker->plan, request);

                _exit(result == 0 ? WORKER_SUCCESS : -result);
        }
        return pid < 0 ? pid : ANSWERED_LATER;
}

static int serve_connect(struct broker *broker, const struct seccomp_notif *call) {
        struct broker_connect request = { .socket = -1 };
        int result = copy_connect(call, &request);

        if (result == 0)
                result = start_connect(broker, call->id, &request);
        fd_close(request.socket);
        return result;
}

/* A string of the caller's, a page at a time, as the next page may not be there. */
int broker_copy_text(pid_t thread, uint64_t address, char ret[static PATH_MAX]) {
        enum { PAGE = 4096 };

        for (size_t len = 0; len < PATH_MAX;) {
                size_t size = PAGE - (address + len) % PAGE;
                int result;

                if (size > PATH_MAX - len)
                        size = PATH_MAX - len;
                result = broker_copy_memory(thread, address + len, ret + len, size);
                if (result < 0)
                        return result;
                if (memchr(ret + len, 0, size))
                        return 0;
                len += size;
        }
        return -ENAMETOOLONG;
}

/* Where a path of the caller's begins. */
int broker_copy_directory(pid_t thread, int number, const char *path) {
        char cwd[32];
        int fd;

        if (path[0] != '/' && number != AT_FDCWD)
                return copy_file(thread, number);
        snprintf(cwd, sizeof(cwd), path[0] == '/' ? "/" : "/proc/%d/cwd", (int)thread);
        fd = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

/* The arguments of the three calls. */
struct rename_call {
        int from_dir, to_dir;
        uint64_t from, to;
        bool plain; /* no flags */
};

static struct rename_call rename_arguments(const struct seccomp_data *data) {
#ifdef SYS_rename
        if (data->nr == SYS_rename)
                return (struct rename_call){ AT_FDCWD, AT_FDCWD, data->args[0], data->args[1], true };
#endif
        return (struct rename_call){ (int)data->args[0], (int)data->args[2], data->args[1], data->args[3],
                                     data->nr == SYS_renameat || (uint32_t)data->args[4] == 0 };
}

/* Without a worker, which the command could kill in the middle of writing. What cannot be copied is no reason to refuse: the
 * kernel decides, and the covers hold. */
static int serve_rename(struct broker *broker, const struct seccomp_notif *call) {
        struct rename_call arguments = rename_arguments(&call->data);
        pid_t caller = (pid_t)call->pid;
        struct broker_rename request = { .from_dir = -1, .to_dir = -1 };
        int result = BROKER_CONTINUE;

        if (!arguments.plain || broker_copy_text(caller, arguments.to, request.to) < 0 || !broker_rename_concerns(request.to) ||
            broker_copy_text(caller, arguments.from, request.from) < 0)
                return BROKER_CONTINUE;
        request.from_dir = broker_copy_directory(caller, arguments.from_dir, request.from);
        request.to_dir = broker_copy_directory(caller, arguments.to_dir, request.to);
        if (request.from_dir >= 0 && request.to_dir >= 0 && broker_still_waits(broker->listener, call->id))
                result = broker_rename(broker, &request);
        fd_close(request.from_dir);
        fd_close(request.to_dir);
        return result;
}

static const struct {
        int number;
        int (*serve)(struct broker *broker, const struct seccomp_notif *call);
} calls[] = {
        { SYS_connect, serve_connect },
#ifdef SYS_rename
        { SYS_rename, serve_rename },
#endif
        { SYS_renameat, serve_rename },
        { SYS_renameat2, serve_rename },
};

void broker_serve(struct broker *broker) {
        union notification n = {};
        int result = broker->evidence ? BROKER_CONTINUE : -ENOSYS;

        if (ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
                return;
        if (broker->evidence)
                evidence_call(broker->evidence, broker->listener, &n.call);
        for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
                if (calls[i].number == n.call.data.nr)
                        result = calls[i].serve(broker, &n.call);
        if (result != ANSWERED_LATER)
                answer(broker->listener, n.call.id, result);
}

/* ---- how it comes about ---- */

int broker_open(const struct broker_plan *plan, int first_root, struct broker *ret, struct err *err) {
        ret->plan = plan;
        ret->evidence = NULL;
        ret->listener = ret->pair[0] = ret->pair[1] = -1;
        ret->worker_count = 0;
        ret->refused[0] = '\0';
        for (int i = 0; plan->calls && plan->roots[i]; i++)
                ret->roots[i] = first_root + i;
        if (plan->calls && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret->pair) < 0)
                return err_sys(err, "cannot create the socket for brokered system calls");
        return 0;
}

int broker_enter(const struct broker *broker, struct err *err) {
        struct sock_fprog program = {
                .len = (unsigned short)broker->plan->filter_count,
                .filter = (struct sock_filter *)broker->plan->filter,
        };
        struct iovec byte = { (char[]){ 0 }, 1 };
        int listener, sent;

        if (!broker->plan->calls)
                return 0;
        listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
        if (listener < 0)
                return err_sys(err, "system calls to broker");
        sent = fds_send(broker->pair[1], &byte, 1, &listener, 1);
        if (sent < 0)
                err_sys(err, "passing system calls on");
        fd_close(listener);
        return sent;
}

void broker_take(struct broker *broker) {
        int files[FDS_MAX];
        size_t count;
        char byte;

        if (broker->pair[0] < 0)
                return;
        fd_close(TAKE_FD(broker->pair[1]));
        while (fds_receive(broker->pair[0], &byte, 1, files, &count, broker->evidence ? 0 : MSG_DONTWAIT) == 1 && count == 1) {
                fd_close(broker->listener); /* of a shell that did not come up */
                broker->listener = files[0];
                if (broker->evidence)
                        break;
        }
        fd_close(TAKE_FD(broker->pair[0]));
        /* Caller and pid 1 take turns: on one processor that is half the time. Kernels before 6.6 do without. */
        if (broker->listener >= 0)
                (void)ioctl(broker->listener, KERNEL_NOTIF_SET_FLAGS, KERNEL_NOTIF_SYNC_WAKE_UP);
}
