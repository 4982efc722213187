/*
 * The job of a command: what all of its processes together may use, and what ends with it.
 */
#ifndef BAILEY_LAUNCH_LIMITS_WINDOWS_H
#define BAILEY_LAUNCH_LIMITS_WINDOWS_H

#include "sandbox/launch.h"

/* `ret_job` is a HANDLE. With its last one closed, all that runs in it is killed. */
int job_object_make(const struct appcontainer_plan *plan, void **ret_job, struct err *err);

/* Before its first thread runs; fails when it is not in it afterwards. */
int job_object_take(void *job, void *process, struct err *err);

/* Kills all that runs in it, which may go on for a moment. */
void job_object_kill(void *job, unsigned code);

/* Waits until nothing runs in it any more, at most so long. */
void job_object_drain(void *job, unsigned milliseconds);

#endif
