/*
 * What /proc tells of a process.
 */
#ifndef BAILEY_BASE_PROCESS_H
#define BAILEY_BASE_PROCESS_H

#include <sys/types.h>

/* The number of its parent; -1 when that cannot be told. Allocates nothing. */
pid_t process_parent(pid_t pid);

/* The process group in the foreground of its controlling terminal; -1: it has none, or it cannot be told. */
pid_t process_foreground(pid_t pid);

#endif
