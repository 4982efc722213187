/*
 * What is bailey's own on a host: its program, its config, its state, its record. No command may write them, wherever they are.
 */
#ifndef BAILEY_SANDBOX_HOST_OWN_H
#define BAILEY_SANDBOX_HOST_OWN_H

#include "sandbox/host.h"

/* Adds to what is masked and what is not written. */
int host_keep_own(struct host *host, const struct policy *policy, const struct host_question *question, struct arena *arena,
                  struct err *err);

/* Adds a file of bailey's own program to what is not written, where commands could write it. One that is not there is none. */
int host_keep_program(struct host *host, const struct sandbox_policy *sandbox, const char *path, struct arena *arena,
                      struct err *err);

/* ---- of host.c ---- */

/* `key` says what the path is for, should there be something wrong with it. */
int host_add_if_there(struct host *host, struct host_paths *paths, struct arena *arena, const char *key, const char *path,
                      struct err *err);

#endif
