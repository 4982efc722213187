/*
 * Patterns in fs_read_deny and fs_write_deny: `*` and `?` stand for characters of one name, `**` for any number of directories.
 * Matches are searched when a command starts, and again when it ends. Symbolic links do not match, and are not followed:
 * their targets match by their own names.
 */
#ifndef BAILEY_SANDBOX_HOST_GLOBS_H
#define BAILEY_SANDBOX_HOST_GLOBS_H

#include "sandbox/host.h"

/* More than this is refused: otherwise a command could evade a pattern by creating many files. */
enum { GLOB_NAMES_MAX = 250000, GLOB_MATCHES_MAX = 1024, GLOB_DEPTH_MAX = 128, GLOBS_MAX = 64, GLOB_PARTS_MAX = 32 };

struct host_match {
        struct host_match *next;
        const char *path;
        const char *pattern; /* as written in the policy */
        bool directory;
        bool write; /* of fs_write_deny; else of fs_read_deny */
};

/* Returns true if it contains `*` or `?`. */
bool glob_is_pattern(struct str text);

/* `*` and `?` in one name; `?` is one character of UTF-8. */
bool glob_matches_name(struct str pattern, struct str name);

/* Finds what all patterns of the policy match now, in no order. NULL: nothing. */
int host_globs_find(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct host_match **ret,
                    struct err *err);

/* Adds the matches to the masked and to the read-only paths. */
int host_gather_globs(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err);

/* Returns true if the match is denied to the command that `host` was gathered for. */
bool host_denies_match(const struct host *host, const struct host_match *match);

#endif
