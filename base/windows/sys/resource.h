/*
 * The names of limits, in plans of other systems. Windows holds to none of them.
 */
#ifndef BAILEY_BASE_WINDOWS_RESOURCE_H
#define BAILEY_BASE_WINDOWS_RESOURCE_H

enum { RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_AS };

#endif
