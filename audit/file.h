/*
 * The audit log on disk, for writers. Any number of processes append to it, each under a lock, each record in one
 * write(); what a killed one left unfinished is closed by the next. It is not forced to the disk: records survive the death
 * of any process, and the newest may be lost when the machine dies.
 */
#ifndef BAILEY_AUDIT_FILE_H
#define BAILEY_AUDIT_FILE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "audit/chain.h"
#include "base/err.h"
#include "base/time.h"

enum { AUDIT_ROTATED_MAX = 1000 }; /* files beside the newest: path.1, path.2, ... */

struct audit_file {
        char path[PATH_MAX];
        int64_t rotate_bytes, rotate_keep;
        int fd; /* -1: not open yet */
        dev_t device;
        ino_t inode;
        pid_t pid;        /* processes that share an fd share its lock, so a forked process opens its own */
        int64_t patience; /* how long a record waits for others */
        int64_t until;    /* and not past this moment, monotonic; 0: any */
        int64_t stuck;    /* when a wait timed out; 0: never */
};

/* Opens nothing yet. */
void audit_file_init(struct audit_file *file, const char *path, int64_t rotate_bytes, int64_t rotate_keep);
void audit_file_close(struct audit_file *file);

/* Creates the file and its directory, if they do not exist. */
int audit_file_open(struct audit_file *file, struct err *err);

/* Appends a record with the fields `body`, and hands its line out, without the newline. */
int audit_file_append(struct audit_file *file, struct str body, struct buf *ret_line, struct err *err);

/* ---- shared with the readers ---- */

struct rotated_path {
        char text[PATH_MAX + 16];
};

/* path.N; the path itself for 0. */
struct rotated_path rotated_path(const char *path, int number);

#define AUDIT_PATIENCE (10 * TIME_SECOND) /* for a process that runs one command */

/* Takes the lock, and gives up at that moment (monotonic), with EWOULDBLOCK as the error's errno: a stopped writer
 * must not block all others. */
int audit_lock(int fd, int how, const char *path, int64_t until, struct err *err);

#endif
