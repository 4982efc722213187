/*
 * What /proc tells of a process.
 */
#ifndef BAILEY_BASE_PROCESS_H
#define BAILEY_BASE_PROCESS_H

#include <sys/types.h>

/* The number of its parent; -1 when that cannot be told. Allocates nothing. */
pid_t process_parent(pid_t pid);

#endif
