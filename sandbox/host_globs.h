/*
 * Patterns in fs_read_deny and fs_write_deny: `*` and `?` stand for characters of one name, `**` for any number of directories.
 * What they match is looked for when a command starts, and again when it ends. Symbolic links do not match, and are not
 * followed: what they lead to has a name of its own.
 */
#ifndef BAILEY_SANDBOX_HOST_GLOBS_H
#define BAILEY_SANDBOX_HOST_GLOBS_H

#include "sandbox/host.h"

/* More than this is refused: whoever makes more files must not get one past the pattern. */
enum { GLOB_NAMES_MAX = 250000, GLOB_MATCHES_MAX = 1024, GLOB_DEPTH_MAX = 128, GLOBS_MAX = 64, GLOB_PARTS_MAX = 32 };

struct host_match {
        struct host_match *next;
        const char *path;
        const char *pattern; /* as the policy has it */
        bool directory;
        bool write; /* of fs_write_deny; else of fs_read_deny */
};

/* Is it more than the path of one file? */
bool glob_is_pattern(struct str text);

/* `*` and `?` in one name; `?` is one character of UTF-8. */
bool glob_matches_name(struct str pattern, struct str name);

/* What all patterns of the policy match now, in no order. NULL: nothing. */
int host_globs_find(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct host_match **ret,
                    struct err *err);

/* Adds them to what is masked, and to what is not written. */
int host_gather_globs(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err);

/* Is it denied to the command that this was gathered for? */
bool host_denies_match(const struct host *host, const struct host_match *match);

#endif
