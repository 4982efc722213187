/*
 * A new process, made inside of a program that may have threads, handlers and children of its own: nothing of these is
 * disturbed. What runs in the new one may not allocate, lock, or flush anything: another thread may have been in the middle of
 * that.
 */
#ifndef BAILEY_LAUNCH_CLONE_H
#define BAILEY_LAUNCH_CLONE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Returns twice, as fork() does. In the new process no signal has a handler or is ignored, and all of them are blocked, so
 * that none can run the program's code there.
 *
 * The program's own wait() does not see it, and it sends no SIGCHLD, as long as it executes nothing else. `namespaces` are
 * CLONE_NEW* flags; `cgroup` is a directory of cgroup v2 that it is born in, or -1. Where there is no clone3(), that cannot be
 * had: ENOSYS.
 */
pid_t clone_process(uint64_t namespaces, int cgroup, int *ret_pidfd);

/* Waits for the end of one, of which its pidfd tells by being readable. 0, and its status as of waitpid(); -1: the program has
 * waited for it already, or ignores SIGCHLD, and nobody knows its status. */
int clone_reap(int pidfd, int *ret_status);

/* Every signal as it is by default. Those that are blocked stay so. */
void clone_reset_signals(void);

#endif
