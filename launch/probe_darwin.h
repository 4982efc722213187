/*
 * Checks whether sandbox-exec works at all.
 */
#ifndef BAILEY_LAUNCH_PROBE_DARWIN_H
#define BAILEY_LAUNCH_PROBE_DARWIN_H

#include <spawn.h>
#include <stdbool.h>

/* Runs it with a valid profile, for at most 5 s. Inside of another sandbox it does not work. The
 * attributes are those of a process that is born suspended. */
bool probe_sandbox_exec(const char *program, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes);

#endif
