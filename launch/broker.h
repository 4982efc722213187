/*
 * System calls that pid 1 inside carries out for the command (seccomp user notification), because a filter cannot see what
 * they reach: connect() takes a path from memory that other threads can change, on a descriptor that they can replace.
 *
 * The command's process installs a filter that reports these calls, and passes its listener to pid 1. For each call pid 1
 * copies the arguments once, makes a copy of the descriptor, and forks a worker that decides on exactly these, carries the
 * call out and answers. The call never continues in the command's process. pid 1 itself does nothing that could wait.
 * Allocates nothing.
 *
 * Another call is a row in the table of broker.c and a flag in enum broker_call.
 */
#ifndef BAILEY_LAUNCH_BROKER_H
#define BAILEY_LAUNCH_BROKER_H

#include <sys/types.h>

#include "sandbox/launch.h"

enum { BROKER_WORKERS_MAX = 128 }; /* calls under way at a time; more get EAGAIN */

/* What connect() was called with, copied. */
struct broker_connect {
        int socket;      /* a copy */
        int domain;      /* AF_* */
        uint64_t inode;  /* which socket it is */
        pid_t caller;    /* whose directory relative paths begin at */
        size_t len;      /* of the address */
        char bytes[128]; /* the address */
};

/* A call under way. A signal may interrupt its caller, who then makes the same call again: the worker goes on meanwhile, and
 * what came of it is for the new call. */
struct broker_worker {
        pid_t pid;     /* 0: it has ended, and `result` was not told to anybody */
        uint64_t call; /* the kernel's number of it */
        struct broker_connect request;
        int result;
};

struct broker {
        const struct broker_plan *plan;
        int listener; /* where calls come in; -1: not yet, or none */
        int pair[2];  /* by which the listener comes */
        struct broker_worker workers[BROKER_WORKERS_MAX];
        size_t worker_count;
};

/* In pid 1, before the command's process is made. Without brokered calls it does nothing. */
int broker_open(const struct broker_plan *plan, struct broker *ret, struct err *err);

/* In the command's process, after all other confinement: from here on its calls are brokered. */
int broker_enter(const struct broker *broker, struct err *err);

/* In pid 1, when that process executes something, or has failed to: takes the listener that came last. */
void broker_take(struct broker *broker);

/* In pid 1, when the listener can be read: starts what is asked for. */
void broker_serve(struct broker *broker);

/* In pid 1: a child has ended that may have been a worker. `status` is that of waitpid(). */
void broker_reaped(struct broker *broker, pid_t pid, int status);

/* ---- broker_connect.c: in a worker ---- */

/* Decides, and connects. Returns 0 or a negative errno. */
int broker_connect(const struct broker_plan *plan, const struct broker_connect *request);

#endif
