/*
 * Creates a process in a program that may have threads, signal handlers and children of its own, without disturbing these. Code
 * in the new process may not allocate, lock, or flush anything: another thread may have been in the middle of that.
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
 * CLONE_NEW* flags; `cgroup` is a directory of cgroup v2 in which it starts, or -1. Without clone3(), that is not possible:
 * ENOSYS. If it fails, the pidfd is -1.
 */
pid_t clone_process(uint64_t namespaces, int cgroup, int *ret_pidfd);

/* Waits until the process exits; its pidfd is then readable. Returns 0, and its status as of waitpid(); -1: the program has
 * waited for it already, or ignores SIGCHLD, and the status is lost. */
int clone_reap(int pidfd, int *ret_status);

/* Resets every signal to its default action. Blocked signals stay blocked. */
void clone_reset_signals(void);

#endif
