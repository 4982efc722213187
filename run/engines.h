/*
 * Finds the container engines of this host and queries their features, with a timeout.
 */
#ifndef BAILEY_RUN_ENGINES_H
#define BAILEY_RUN_ENGINES_H

#include "base/arena.h"
#include "sandbox/container/container.h"

/* The variables of the user's environment that an engine's client gets, NULL-terminated: where its engine and its files are. */
int engine_environment(const char *const *environment, struct arena *arena, const char *const **ret, struct err *err);

/* How much to query. podman takes longer to describe itself than to run a command, and need not be asked: it has no daemon that
 * could be down. */
enum engine_care { ENGINE_BRIEFLY, ENGINE_FULLY };

/* Queries those in `kinds` (bits by enum engine_kind). `envp`: as of engine_environment(). If an engine does not respond, its
 * `why` is set. */
void engines_ask(const char *const *envp, uint32_t kinds, enum engine_care care, struct arena *arena, struct engines *ret);

/* Gathers the other facts that a plan needs, except for the names. */
void engines_look_around(struct container_facts *ret);

/* Returns 1 if the image is in the engine's store, 0 if not; -1: the engine did not respond. */
int engine_has_image(const struct engine *engine, const char *image, const char *const *envp, struct err *err);

/* ---- its parts, for their test ---- */

/* One whose `kind` and `path` are known. Fails if it does not respond, or is on another machine; its `why` says so. */
int engine_ask(struct engine *engine, const char *const *envp, struct arena *arena);

/* What a client has printed: a line per fact, NAME=VALUE. */
void engine_read(struct engine *engine, struct str text, struct arena *arena);

/* Returns the limits that these controllers of cgroup v2, "cpu memory pids", can enforce. */
uint32_t engine_controllers(struct str words);

#endif
