#include "engine/pipeline/named_tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/sha256.h"
#include "base/time.h"
#include "engine/control_place.h"
#include "launch/files.h"
#include "stage/store.h"

#define SUFFIX ".session"
#define STAGE_SUFFIX ".stage" /* shorter */

enum { DIGITS = 32, BACKLOG = 64, TRIES = 5, PATIENCE_MS = 10000 };

/* A session, where its socket is. */
struct target {
        struct control_place place;
        char file[DIGITS + sizeof(SUFFIX)];
};

/* Letters, digits, '.', '_' and '-', at most NAMED_TMP_NAME_MAX. */
static bool named_tmp_is_name(const char *name) {
        size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

        return len > 0 && len <= NAMED_TMP_NAME_MAX && !name[len];
}

/* Workspaces are long, and sockets have short names. */
static int find(const char *const *environment, const char *workspace, const char *name, const char *suffix, bool make,
                struct target *ret, struct err *err) {
        char text[PATH_MAX + NAMED_TMP_NAME_MAX + 2], hex[SHA256_HEX_SIZE];
        int len;

        if (!named_tmp_is_name(name))
                return err_set(err, ERR_INVALID,
                               "session: expected a name of at most %d letters, digits, '.', '_' and '-', found '%s'",
                               NAMED_TMP_NAME_MAX, name);
        len = snprintf(text, sizeof(text), "%s\n%s", name, workspace);
        if (len >= (int)sizeof(text))
                return err_set(err, ERR_TOO_COMPLEX, "%s: too long", workspace);
        if (control_open_place(environment, make, &ret->place, err) < 0)
                return -1;
        sha256_hex(str_from(text, (size_t)len), hex);
        snprintf(ret->file, sizeof(ret->file), "%.*s%s", DIGITS, hex, suffix);
        return 0;
}

/* ---- asking ---- */

/* 0, or -1 and errno. Does not wait for ever: the process may be stopped. */
static int reach(const struct target *target, int *ret_fd) {
        FD_AUTO fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
        struct sockaddr_un address;

        control_address(&target->place, target->file, &address);
        if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
            connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
                return -1;
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* Returns 0 and the reply; 1: the session has ended meanwhile; -1. `ret_file` is the descriptor that came with it, or -1. */
static int ask(int fd, enum named_tmp_request request, struct named_tmp_reply *ret, int *ret_file, struct err *err) {
        struct pollfd answer = { .fd = fd, .events = POLLIN };
        int files[FDS_MAX], ready;
        size_t count = 0;
        char byte = (char)request;
        ssize_t len;

        *ret_file = -1;
        if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
                return errno == EPIPE || errno == ECONNRESET ? 1 : err_sys(err, "session");
        while ((ready = poll(&answer, 1, PATIENCE_MS)) < 0 && errno == EINTR)
                ;
        if (ready <= 0)
                return err_set(err, ERR_CHANGED, "session: the process that keeps it does not answer");
        len = fds_receive(fd, ret, sizeof(*ret), files, &count, MSG_DONTWAIT);
        if (len == 0 || (len < 0 && errno == ECONNRESET))
                return 1;
        if (len == sizeof(*ret) && count == 1)
                *ret_file = files[0];
        for (size_t i = 0; *ret_file < 0 && i < count; i++)
                fd_close(files[i]);
        if (len != sizeof(*ret))
                return err_set(err, ERR_SYSTEM, "session: invalid answer");
        if (ret->err.code)
                *err = ret->err;
        return ret->err.code ? -1 : 0;
}

/* ---- starting ---- */

static int listen_there(const struct target *target, int *ret_fd, struct err *err) {
        FD_AUTO fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        struct sockaddr_un address;

        control_address(&target->place, target->file, &address);
        if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
            fchmodat(target->place.fd, target->file, 0600, 0) < 0 || listen(fd, BACKLOG) < 0)
                return err_sys(err, "%s/%s", target->place.directory.path, target->file);
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* Only one process may have it, and it is the one that takes what an ended one has left. Its sandboxes may still be ending. */
static int lock_stage(struct named_tmp_keeper *keeper, int *ret_lock, struct err *err) {
        keeper->lock = -1;
        return keeper->stage[0] ? stage_lock_first(keeper->stage, ret_lock, err) : 0;
}

/* Connects first: the process finds a user when it begins, and is not idle. */
static int start(const struct target *target, struct named_tmp_keeper *keeper, int *ret_fd, struct err *err) {
        FD_AUTO listener = -1, place = -1, fd = -1, lock = -1;

        if (lock_stage(keeper, &lock, err) < 0 || listen_there(target, &listener, err) < 0)
                return -1;
        keeper->lock = lock;
        if (reach(target, &fd) < 0)
                return err_sys(err, "%s/%s", target->place.directory.path, target->file);
        place = openat(target->place.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* without the lock of this one */
        if (place < 0)
                return err_sys(err, "%s", target->place.directory.path);
        keeper->listener = listener;
        keeper->place = place;
        snprintf(keeper->file, sizeof(keeper->file), "%s", target->file);
        if (named_tmp_keep(keeper, err) < 0)
                return -1;
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* With the lock. A socket without a listener was left by a killed process. */
static int reach_or_start(const struct target *target, struct named_tmp_keeper *keeper, bool *lost, int *ret_fd,
                          struct err *err) {
        if (reach(target, ret_fd) == 0)
                return 0;
        if (errno == ECONNREFUSED) {
                *lost = true;
                if (unlinkat(target->place.fd, target->file, 0) < 0)
                        return err_sys(err, "%s/%s", target->place.directory.path, target->file);
        } else if (errno != ENOENT) {
                return err_sys(err, "%s/%s", target->place.directory.path, target->file);
        }
        return start(target, keeper, ret_fd, err);
}

static int join(const struct target *target, struct named_tmp_keeper *keeper, bool *lost, int *ret_connection, int *ret_socket,
                struct err *err) {
        for (int i = 0; i < TRIES; i++) {
                struct named_tmp_reply reply;
                FD_AUTO fd = -1;
                int result;

                if (lock_take(target->place.fd, LOCK_EX, time_monotonic() + 5 * TIME_SECOND) < 0)
                        return err_sys(err, "%s: lock", target->place.directory.path);
                result = reach_or_start(target, keeper, lost, &fd, err);
                flock(target->place.fd, LOCK_UN);
                if (result == 0)
                        result = ask(fd, NAMED_TMP_JOIN, &reply, ret_socket, err);
                if (result < 0)
                        return -1;
                if (result == 0 && *ret_socket < 0)
                        return err_set(err, ERR_SYSTEM, "session: invalid answer");
                if (result == 0) {
                        *ret_connection = TAKE_FD(fd);
                        return 0;
                }
        }
        return err_set(err, ERR_CHANGED, "session: the process that keeps it ends at once");
}

int named_tmp_join(struct named_tmp *named, const struct named_tmp_content *content, uint32_t id_base, bool *lost,
                   int *ret_socket, struct err *err) {
        const char *suffix = content->stage ? STAGE_SUFFIX : SUFFIX, *workspace = content->workspace;
        struct named_tmp_keeper keeper = { .idle = named->idle, .size = content->size, .id_base = id_base, .lock = -1 };
        struct target target;
        int result;

        if (find(named->environment, workspace, named->name, suffix, true, &target, err) < 0) {
                err->code = ERR_INVALID; /* no other sandbox would help */
                return -1;
        }
        snprintf(keeper.stage, sizeof(keeper.stage), "%s", content->stage ? content->stage : "");
        snprintf(keeper.state.name, sizeof(keeper.state.name), "%s", named->name);
        snprintf(keeper.state.workspace, sizeof(keeper.state.workspace), "%s", workspace);
        result = join(&target, &keeper, lost, &named->connection, ret_socket, err);
        fd_close(target.place.fd);
        return result;
}

void named_tmp_leave(struct named_tmp *named) {
        fd_close(TAKE_FD(named->connection));
}

/* ---- from outside ---- */

static bool is_session(const char *file) {
        return strlen(file) == DIGITS + strlen(SUFFIX) && strcmp(file + DIGITS, SUFFIX) == 0;
}

/* Of one that has ended meanwhile, false. */
static bool tell(struct target *target, const char *file, struct named_tmp_state *ret) {
        struct named_tmp_reply reply;
        struct err ignored;
        FD_AUTO fd = -1, unused = -1;

        snprintf(target->file, sizeof(target->file), "%.*s", (int)sizeof(target->file) - 1, file);
        if (reach(target, &fd) < 0 || ask(fd, NAMED_TMP_TELL, &reply, &unused, &ignored) != 0)
                return false;
        *ret = reply.state;
        return true;
}

int named_tmp_list(const char *const *environment, struct named_tmp_state *ret, size_t most, struct err *err) {
        struct target target;
        struct dirent *entry;
        size_t count = 0;
        DIR *directory;
        int copy;

        if (control_open_place(environment, false, &target.place, err) < 0)
                return err->code == ERR_NOT_FOUND ? 0 : -1;
        copy = fcntl(target.place.fd, F_DUPFD_CLOEXEC, 0);
        directory = copy < 0 ? NULL : fdopendir(copy);
        if (!directory) {
                err_sys(err, "%s", target.place.directory.path);
                fd_close(copy);
                fd_close(target.place.fd);
                return -1;
        }
        while (count < most && (entry = readdir(directory)))
                if (is_session(entry->d_name) && tell(&target, entry->d_name, &ret[count]))
                        count++;
        closedir(directory);
        fd_close(target.place.fd);
        return (int)count;
}

int named_tmp_end(const char *const *environment, const char *workspace, const char *name, struct err *err) {
        struct named_tmp_reply reply;
        struct target target;
        FD_AUTO fd = -1, unused = -1;
        int result;

        if (find(environment, workspace, name, SUFFIX, false, &target, err) < 0)
                return -1;
        result = reach(&target, &fd);
        fd_close(target.place.fd);
        if (result < 0 && errno != ENOENT && errno != ECONNREFUSED)
                return err_sys(err, "session");
        if (result == 0)
                result = ask(fd, NAMED_TMP_END, &reply, &unused, err) == -1 ? -2 : 0;
        return result == -1 ? err_set(err, ERR_NOT_FOUND, "no session '%s' of %s is running", name, workspace)
               : result < 0 ? -1
                            : 0;
}
