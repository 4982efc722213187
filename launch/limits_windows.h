/*
 * The job object of a command: the limits of all of its processes together. They end with it.
 */
#ifndef BAILEY_LAUNCH_LIMITS_WINDOWS_H
#define BAILEY_LAUNCH_LIMITS_WINDOWS_H

#include "sandbox/launch.h"

/* `ret_job` is a HANDLE. When the last one is closed, all processes in it are killed. */
int job_object_make(const struct appcontainer_plan *plan, void **ret_job, struct err *err);

/* Call it before the first thread of the process runs; fails if the process is not in the job afterwards. */
int job_object_take(void *job, void *process, struct err *err);

/* Kills all processes in it. They may continue for a moment. */
void job_object_kill(void *job, unsigned code);

/* Waits until no process runs in it, at most so long. */
void job_object_drain(void *job, unsigned milliseconds);

#endif
