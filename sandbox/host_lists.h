/*
 * Paths that the policy lists, and the links on the way to what walls are made of. Who can write such a link chooses what the
 * next command may write, or what it may not read.
 */
#ifndef BAILEY_SANDBOX_HOST_LISTS_H
#define BAILEY_SANDBOX_HOST_LISTS_H

#include <limits.h>

#include "sandbox/host.h"

/* One list; `must_exist`: what is missing is an error. */
int host_add_list(struct host *host, struct host_paths *paths, struct arena *arena, const struct str_list *list,
                  const char *key, bool must_exist, struct err *err);

/* fs_read_allow, fs_write_allow, fs_write_deny. */
/* Fills `sockets`: those that are there have `socket` set. */
int host_gather_sockets(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                        struct arena *arena, struct err *err);

int host_gather_lists(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err);

/* For a path that cannot be looked at; `at` is how far it went. */
int host_mask_closed(struct host *host, struct arena *arena, const char *at, struct err *err);

/* Does this error say that there is nothing? Any other says that it cannot be known, and who takes it for nothing can be led.
 */
bool is_absence(int error);

bool has_control_character(const char *path);

/* Where a path leads to, as realpath() has it. Links on the way are noted, also of a path that leads nowhere. `key` is what it
 * was given for. 0; 1: there is no such thing, errno says why; with EACCES, `ret_real` is how far it went. host_follow.c */
int host_follow(struct host *host, struct arena *arena, const char *key, const char *path, char ret_real[static PATH_MAX],
                struct err *err);

/* For host_follow(). */
int host_note_link(struct host *host, struct arena *arena, struct host_link link, struct err *err);

/* Refuses when commands can write one that was noted. `protection` has to be known. */
int host_check_links(const struct host *host, const struct sandbox_policy *sandbox, struct err *err);

#endif
