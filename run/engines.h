/*
 * Finds the container engines of this host and asks them what they can do. An engine that does not answer in time is one
 * that does not answer.
 */
#ifndef BAILEY_RUN_ENGINES_H
#define BAILEY_RUN_ENGINES_H

#include "base/arena.h"
#include "sandbox/container/container.h"

/* What of the user's environment an engine's client is to know, NULL-terminated: where its engine and its files are. */
int engine_environment(const char *const *environment, struct arena *arena, const char *const **ret, struct err *err);

/* How much has to be known. podman takes longer to describe itself than to run a command, and can be known without: it has no
 * daemon that could be gone. */
enum engine_care { ENGINE_BRIEFLY, ENGINE_FULLY };

/* Asks those in `kinds` (bits by enum engine_kind); the others do not answer. `envp`: as of engine_environment(). What keeps
 * an engine from answering stands in its `why`. */
void engines_ask(const char *const *envp, uint32_t kinds, enum engine_care care, struct arena *arena, struct engines *ret);

/* The rest of what a plan has to know, but for the names. */
void engines_look_around(struct container_facts *ret);

/* 1: it is in the engine's store, 0: it is not; -1: the engine did not say. */
int engine_has_image(const struct engine *engine, const char *image, const char *const *envp, struct err *err);

/* ---- its parts, for their test ---- */

/* One whose `kind` and `path` are known. Fails when it does not answer, or is elsewhere; its `why` says so. */
int engine_ask(struct engine *engine, const char *const *envp, struct arena *arena);

/* What a client has printed: a line per fact, NAME=VALUE. */
void engine_read(struct engine *engine, struct str text, struct arena *arena);

/* The limits that these controllers of cgroup v2, "cpu memory pids", can hold. */
uint32_t engine_controllers(struct str words);

#endif
