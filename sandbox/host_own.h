/*
 * bailey's own files: program, config, state, audit log. No command may write them, wherever they are.
 */
#ifndef BAILEY_SANDBOX_HOST_OWN_H
#define BAILEY_SANDBOX_HOST_OWN_H

#include "sandbox/host.h"

/* Adds them to the masked and to the read-only paths. */
int host_keep_own(struct host *host, const struct policy *policy, const struct host_question *question, struct arena *arena,
                  struct err *err);

/* Adds a file of the bailey program to the read-only paths if commands could write it. A missing file is ignored. */
int host_keep_program(struct host *host, const struct sandbox_policy *sandbox, const char *path, struct arena *arena,
                      struct err *err);

/* ---- of host.c ---- */

/* `key` names what the path is for, in errors. */
int host_add_if_there(struct host *host, struct host_paths *paths, struct arena *arena, const char *key, const char *path,
                      struct err *err);

#endif
