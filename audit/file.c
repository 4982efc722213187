#include "audit/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/chain.h"
#include "audit/read.h"
#include "audit/record.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/time.h"
#include "policy/files.h"

enum {
        REPAIR_MAX = 1024,
        MARK_MAX = 128,
        OPEN_TRIES = 64, /* others may rotate between our opening the file and locking it, but not for ever */
};

#define STUCK_FOR (5 * TIME_SECOND) /* in which everyone tries the lock, but does not wait */

void audit_file_init(struct audit_file *file, const char *path, int64_t rotate_bytes, int64_t rotate_keep) {
        *file = (struct audit_file){
                .fd = -1, .rotate_bytes = rotate_bytes, .rotate_keep = rotate_keep, .patience = AUDIT_PATIENCE
        };
        snprintf(file->path, sizeof(file->path), "%s", path);
}

void audit_file_close(struct audit_file *file) {
        fd_close(file->fd);
        file->fd = -1;
}

struct rotated_path rotated_path(const char *path, int number) {
        struct rotated_path result;

        if (number)
                snprintf(result.text, sizeof(result.text), "%s.%d", path, number);
        else
                snprintf(result.text, sizeof(result.text), "%s", path);
        return result;
}

/* ---- the lock ---- */

int audit_lock(int fd, int how, const char *path, int64_t until, struct err *err) {
        if (lock_take(fd, how, until) == 0)
                return 0;
        if (errno != EWOULDBLOCK)
                return err_sys(err, "lock %s", path);
        err_set(err, ERR_SYSTEM, "%s: another process holds its lock and does not go on", path);
        if (err)
                err->sys = EWOULDBLOCK;
        return -1;
}

/* After one has waited without success, the next one does not wait. */
static int64_t wait_until(const struct audit_file *file) {
        int64_t now = time_monotonic(), until = now + file->patience;

        if (file->stuck && now - file->stuck < STUCK_FOR)
                return now;
        return file->until && file->until < until ? file->until : until;
}

static int lock(struct audit_file *file, int64_t until, struct err *err) {
        int64_t begun = time_monotonic();
        struct err why = {};

        if (audit_lock(file->fd, LOCK_EX, file->path, until, &why) == 0) {
                file->stuck = 0;
                return 0;
        }
        if (why.sys == EWOULDBLOCK && until > begun)
                file->stuck = time_monotonic();
        if (err)
                *err = why;
        return -1;
}

static void unlock(const struct audit_file *file) {
        flock(file->fd, LOCK_UN);
}

/* ---- opening ---- */

static int make_directory(const char *path, struct err *err) {
        const char *slash = strrchr(path, '/');
        char directory[PATH_MAX];
        FD_AUTO made = -1;

        if (!slash || slash == path)
                return 0;
        snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path), path);
        return directory_make(directory, &made, err);
}

/* Whoever else can write the file could take out what he does not like. */
static int check_file(const char *path, const struct stat *status, struct err *err) {
        if (!S_ISREG(status->st_mode))
                return err_set(err, ERR_REFUSED, "%s: not a regular file", path);
        if (status->st_uid != geteuid() && status->st_uid != 0)
                return err_set(err, ERR_REFUSED, "%s: it belongs to user %u", path, (unsigned)status->st_uid);
        if (status->st_mode & (S_IWGRP | S_IWOTH))
                return err_set(err, ERR_REFUSED, "%s: others can write it; mend it with chmod go-w", path);
        return 0;
}

int audit_file_open(struct audit_file *file, struct err *err) {
        const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        struct stat status;
        FD_AUTO fd = -1;

        if (file->fd >= 0 && file->pid == getpid())
                return 0;
        audit_file_close(file);
        fd = open(file->path, flags, 0600);
        if (fd < 0 && errno == ENOENT) {
                if (make_directory(file->path, err) < 0)
                        return -1;
                fd = open(file->path, flags, 0600);
        }
        if (fd < 0 || fstat(fd, &status) < 0)
                return err_sys(err, "%s", file->path);
        if (check_file(file->path, &status, err) < 0)
                return -1;
        file->device = status.st_dev;
        file->inode = status.st_ino;
        file->pid = getpid();
        file->fd = TAKE_FD(fd);
        return 0;
}

/* Opens, locks, and makes sure that the path still leads to what is locked. */
static int open_locked(struct audit_file *file, int64_t until, struct err *err) {
        for (int i = 0; i < OPEN_TRIES; i++) {
                struct stat status;

                if (audit_file_open(file, err) < 0 || lock(file, until, err) < 0)
                        return -1;
                if (lstat(file->path, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode)
                        return 0;
                audit_file_close(file);
        }
        return err_set(err, ERR_SYSTEM, "%s: it is replaced again and again", file->path);
}

/* ---- writing, under the lock ---- */

/* All or nothing: what the disk had no room for is taken back. Where that is not allowed, the next writer closes it. */
static int write_line(const struct audit_file *file, struct str line, uint64_t size, struct err *err) {
        ssize_t put;

        do
                put = write(file->fd, line.ptr, line.len);
        while (put < 0 && errno == EINTR);
        if (put == (ssize_t)line.len)
                return 0;
        if (put >= 0)
                errno = ENOSPC;
        err_sys(err, "%s", file->path);
        if (put > 0 && ftruncate(file->fd, (off_t)size) < 0)
                return -1;
        return -1;
}

/* What the first record of a file says of those before it. */
static void mark_beginning(const struct audit_file *file, const struct audit_beginning *before, struct buf *mark) {
        int ignored[AUDIT_ROTATED_MAX];
        size_t count = audit_rotated_list(file->path, ignored), keep = (size_t)file->rotate_keep;

        audit_beginning_mark(mark, count < keep ? count : keep, !before->genesis && !before->marked);
}

/* The hash that the next record stands behind, where the file itself holds none: that of the file before it. */
static int older_hash(const struct audit_file *file, struct chain_hash *ret, struct buf *mark, struct err *err) {
        struct rotated_path path = rotated_path(file->path, 1);
        struct audit_beginning before = {};
        FD_AUTO fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        struct audit_tail tail = {};
        struct stat status;

        if (fd < 0 && errno != ENOENT)
                return err_sys(err, "%s", path.text);
        if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)))
                return err_set(err, ERR_REFUSED, "%s: not a regular file", path.text);
        if (fd >= 0 && audit_tail_read(fd, (uint64_t)status.st_size, &tail, err) < 0)
                return err_context(err, "%s", path.text);
        *ret = tail.found ? tail.last : chain_genesis;
        if (!tail.found)
                return 0;
        if (audit_beginning_read(fd, (uint64_t)status.st_size, &before, err) < 0)
                return err_context(err, "%s", path.text);
        mark_beginning(file, &before, mark);
        return mark->failed ? err_memory(err) : 0;
}

/*
 * What a writer that was killed, or a machine that stopped, left behind the last whole record stays, on lines of its own,
 * and the record behind it says so: how many bytes they are, and their hash.
 */
static int repair(const struct audit_file *file, struct audit_tail *tail, struct buf *mark, uint64_t *size, struct err *err) {
        char body[REPAIR_MAX], time[TIME_TEXT_SIZE], id[ID_SIZE];
        struct chain_hash hash;
        BUF_AUTO line;

        buf_init(&line, CHAIN_LINE_MAX);
        if (id_new(id, err) < 0)
                return -1;
        time_format(time_realtime(), time);
        snprintf(body, sizeof(body),
                 "\"v\":1,\"kind\":\"%s\",\"time\":\"%s\",\"id\":\"%s\",\"pid\":%d,\"torn_bytes\":%llu,\"torn_sha256\":\"%s\"",
                 audit_kind_name(AUDIT_REPAIR), time, id, (int)getpid(), (unsigned long long)tail->torn_bytes,
                 tail->torn_sha256);
        if (tail->newline)
                buf_char(&line, '\n');
        chain_seal(&tail->last, str_z(body), buf_str(mark), &line, &hash);
        if (line.failed)
                return err_memory(err);
        if (write_line(file, buf_str(&line), *size, err) < 0)
                return -1;
        *size += line.len;
        tail->last = hash;
        buf_clear(mark); /* that was the first one */
        return 0;
}

/* Where the chain goes on, with all that was torn closed. `mark`: what the next record has to say besides. */
static int find_last(const struct audit_file *file, uint64_t *size, bool *ret_older, struct chain_hash *ret, struct buf *mark,
                     struct err *err) {
        struct audit_tail tail;

        if (audit_tail_read(file->fd, *size, &tail, err) < 0)
                return err_context(err, "%s", file->path);
        if (!tail.found && older_hash(file, &tail.last, mark, err) < 0)
                return -1;
        *ret_older = !tail.found;
        if (tail.torn && repair(file, &tail, mark, size, err) < 0)
                return -1;
        *ret = tail.last;
        return 0;
}

/* ---- rotation, under the lock ---- */

/*
 * From the oldest down, so that a kill in between leaves a gap and loses nothing; the next rotation fills it. The new file
 * is made by whoever comes next. Where files cannot be renamed (chattr +a), the file just grows.
 */
static bool rotate(const struct audit_file *file) {
        int keep = file->rotate_keep > 0 ? (int)file->rotate_keep : 1, last = 1;
        struct stat status;

        while (last < keep && lstat(rotated_path(file->path, last).text, &status) == 0)
                last++;
        for (int i = last; i > 0; i--)
                if (rename(rotated_path(file->path, i - 1).text, rotated_path(file->path, i).text) < 0)
                        return false;
        for (int i = keep + 1; i <= AUDIT_ROTATED_MAX && unlink(rotated_path(file->path, i).text) == 0;)
                i++;
        return true;
}

/* 1: the file was rotated, begin again. */
static int append_locked(struct audit_file *file, struct str body, bool may_rotate, struct buf *line, struct err *err) {
        struct chain_hash last, hash;
        struct stat status;
        BUF_AUTO mark;
        uint64_t size;
        bool older;

        buf_init(&mark, MARK_MAX);
        if (fstat(file->fd, &status) < 0)
                return err_sys(err, "%s", file->path);
        size = (uint64_t)status.st_size;
        if (find_last(file, &size, &older, &last, &mark, err) < 0)
                return -1;
        buf_clear(line);
        chain_seal(&last, body, buf_str(&mark), line, &hash);
        if (line->failed)
                return err_set(err, ERR_TOO_COMPLEX, "a record of more than %d bytes", CHAIN_LINE_MAX);
        if (may_rotate && size > 0 && size + line->len > (uint64_t)file->rotate_bytes && rotate(file))
                return 1;
        if (write_line(file, buf_str(line), size, err) < 0)
                return -1;
        if (older && file->rotate_keep == 0) /* it was only kept for its last hash */
                unlink(rotated_path(file->path, 1).text);
        return 0;
}

int audit_file_append(struct audit_file *file, struct str body, struct buf *ret_line, struct err *err) {
        int64_t until = wait_until(file);
        int result = 1;

        for (int i = 0; result > 0; i++) {
                if (open_locked(file, until, err) < 0)
                        return -1;
                result = append_locked(file, body, i < OPEN_TRIES, ret_line, err);
                unlock(file);
        }
        if (result == 0)
                ret_line->len--;
        return result;
}
