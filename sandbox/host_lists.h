/*
 * Paths that the policy lists, and the symbolic links in paths that the sandbox depends on. A command that can change such a
 * link could choose what the next command may write, or what it may not read.
 */
#ifndef BAILEY_SANDBOX_HOST_LISTS_H
#define BAILEY_SANDBOX_HOST_LISTS_H

#include <limits.h>

#include "sandbox/host.h"

/* Adds one list; `must_exist`: a missing path is an error. */
int host_add_list(struct host *host, struct host_paths *paths, struct arena *arena, const struct str_list *list,
                  const char *key, bool must_exist, struct err *err);

/* fs_read_allow, fs_write_allow, fs_write_deny. */
/* Fills `sockets`: those that exist have `socket` set. */
int host_gather_sockets(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                        struct arena *arena, struct err *err);

int host_gather_lists(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err);

/* Masks the directory of a path that cannot be examined; `at` is the part that could be resolved. */
int host_mask_closed(struct host *host, struct arena *arena, const char *at, struct err *err);

/* Returns true if the error means that the path does not exist. Any other error means "unknown"; treating it as "does not
 * exist" could be exploited. */
bool is_absence(int error);

bool has_control_character(const char *path);

/* Resolves a path like realpath(). Links in the path are recorded, even if it leads nowhere. `key` names what the path was
 * given for. Returns 0; 1 if it does not exist, errno says why; with EACCES, `ret_real` is the part that could be resolved.
 * host_follow.c */
int host_follow(struct host *host, struct arena *arena, const char *key, const char *path, char ret_real[static PATH_MAX],
                struct err *err);

/* For host_follow(). */
int host_note_link(struct host *host, struct arena *arena, struct host_link link, struct err *err);

/* Fails if commands can change a recorded link. `protection` has to be known. */
int host_check_links(const struct host *host, const struct sandbox_policy *sandbox, struct err *err);

#endif
