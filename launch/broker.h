/*
 * System calls that pid 1 inside carries out for the command (seccomp user notification), because a filter cannot see what
 * they reach: connect() takes a path from memory that other threads can change, on a descriptor that they can replace.
 *
 * The command's process installs a filter that reports these calls, and passes its listener to pid 1, which copies the
 * arguments once and makes copies of the descriptors. Allocates nothing.
 *
 * connect() may take long: a worker is forked, which decides on the copies, carries the call out and ends with the result.
 * pid 1 never blocks; what is over at once, it does itself (broker_now.c). The call never continues in the command's process.
 *
 * rename() continues there, unless it is onto a covered git config, which the kernel refuses: there pid 1 only permits more,
 * and never less.
 *
 * To add a call, add a row to the table in broker.c and a flag to enum broker_call.
 */
#ifndef BAILEY_LAUNCH_BROKER_H
#define BAILEY_LAUNCH_BROKER_H

#include <limits.h>
#include <sys/types.h>

#include "sandbox/launch.h"

enum {
        BROKER_WORKERS_MAX = 128, /* concurrent calls; more get EAGAIN */
        BROKER_CONTINUE = 1,      /* in place of a negative errno: the kernel carries the call out as it was made */
        BROKER_WAITS = 2,         /* a worker has to do it */
};

/* What connect() was called with, copied. */
struct broker_connect {
        int socket;      /* a copy */
        int domain;      /* AF_* */
        uint64_t inode;  /* which socket it is */
        pid_t caller;    /* relative paths begin in its directory */
        size_t len;      /* of the address */
        char bytes[128]; /* the address */
};

/* What rename() was called with, copied. */
struct broker_rename {
        int from_dir, to_dir; /* where the paths begin */
        char from[PATH_MAX], to[PATH_MAX];
};

/* A pending call. A signal may interrupt its caller, which then makes the same call again: the worker continues meanwhile, and
 * its result is for the new call. */
struct broker_worker {
        pid_t pid;     /* 0: it has ended, and `result` was not delivered yet */
        uint64_t call; /* the kernel's number of it */
        struct broker_connect request;
        int result;
};

struct evidence; /* launch/evidence.h */

struct broker {
        const struct broker_plan *plan;
        struct evidence *evidence; /* NULL: none is kept */
        int listener;              /* receives the calls; -1: not yet, or none */
        int pair[2];               /* passes the listener */
        int roots[BROKER_ROOTS_MAX];
        char refused[200]; /* a sentence for the user, of the last call that was refused; empty: none was */
        struct broker_worker workers[BROKER_WORKERS_MAX];
        size_t worker_count;
};

/* In pid 1, before the command's process is created. Without brokered calls it does nothing. The directories of the plan's
 * roots are open from `first_root` on. */
int broker_open(const struct broker_plan *plan, int first_root, struct broker *ret, struct err *err);

/* In the command's process, after all other confinement: from here on its calls are brokered. */
int broker_enter(const struct broker *broker, struct err *err);

/* In pid 1, when that process executes something, or has failed to: takes the listener that came last. Where evidence is kept,
 * that process waits for pid 1 when it executes, and this function waits for the listener. */
void broker_take(struct broker *broker);

/* In pid 1, when the listener is readable: starts a worker for each call. */
void broker_serve(struct broker *broker);

/* In pid 1: a child has ended that may have been a worker. `status` is that of waitpid(). */
void broker_reaped(struct broker *broker, pid_t pid, int status);

/* ---- of broker.c: what a caller's arguments are about. 0 or more, or a negative errno ---- */

int broker_copy_memory(pid_t thread, uint64_t address, void *ret, size_t size);
int broker_copy_text(pid_t thread, uint64_t address, char ret[static PATH_MAX]);

/* Opens the directory in which a path of the caller's begins; `number` is a descriptor of the caller's, or AT_FDCWD. */
int broker_copy_directory(pid_t thread, int number, const char *path);

/* Returns false if the call is gone: then what was copied may be another process's. */
bool broker_still_waits(int listener, uint64_t id);

/* ---- broker_connect.c: in a worker ---- */

/* Decides, and connects. Returns 0 or a negative errno. */
int broker_connect(const struct broker_plan *plan, const struct broker_connect *request);

/* ---- broker_now.c: in pid 1 ---- */

/* Connects a socket of IPv4 or IPv6. Returns 0, a negative errno, or BROKER_WAITS: it is none of these, or would wait. */
int broker_connect_now(const struct broker_plan *plan, const struct broker_connect *request);

/* ---- broker_rename.c ---- */

/* Returns true if the path may be that of a git config. */
bool broker_rename_concerns(const char *to);

/* In pid 1: replaces the content of a covered config. Returns 0, a negative errno or BROKER_CONTINUE. */
int broker_rename(struct broker *broker, const struct broker_rename *request);

#endif
