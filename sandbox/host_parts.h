/*
 * Declarations that the files which gather facts about the host, host*.c, share.
 */
#ifndef BAILEY_SANDBOX_HOST_PARTS_H
#define BAILEY_SANDBOX_HOST_PARTS_H

#include <limits.h>

#include "sandbox/host.h"

/*
 * Paths that the policy lists, and the symbolic links in paths that the sandbox depends on. A command that can change such a
 * link could choose what the next command may write, or what it may not read.
 */

/* Adds one list; `must_exist`: a missing path is an error. */
int host_add_list(struct host *host, struct host_paths *paths, struct arena *arena, const struct str_list *list,
                  const char *key, bool must_exist, struct err *err);

/* Fills `sockets`: those that exist have `socket` set. */
int host_gather_sockets(struct host *host, const struct sandbox_policy *sandbox, const char *const *environment,
                        struct arena *arena, struct err *err);

/* fs_read_allow, fs_write_allow, fs_write_deny. */
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

/*
 * bailey's own files: program, config, state, audit log. No command may write them, wherever they are.
 */

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

/*
 * What commands may not see of the host: credential stores, other private data, homes of other users.
 */

/* Adds the places of policy/credentials.c to the masks: where they usually are, and where the environment moves them. Only the
 * content of those with credentials is `secret`. host_stores.c */
int host_gather_stores(struct host *host, const char *const *environment, struct arena *arena, struct err *err);

/* Notes a home of another user, as the user database has it. host_homes.c */
int host_note_home(struct host *host, struct arena *arena, const char *home, struct err *err);

/* Adds the noted homes to the directories that are emptied, wherever they are; not those of this user, nor directories of the
 * system. Where one directory has many of them, it is emptied as a whole. Fails if they cannot be hidden. host_homes.c */
int host_gather_other_homes(struct host *host, struct arena *arena, struct err *err);

/* ---- of host.c ---- */

/* Returns true if a mask over `path` would cover the workspace, a home of this user, or all of a directory of the system. */
bool host_is_needed(const struct host *host, const char *path);

/* A sentence for the user. */
int host_notice(struct host *host, struct arena *arena, struct err *err, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/*
 * Ids for commands of root: a range that no account has, so that a command owns nothing outside but what is mounted for it.
 */

/* If this is root: sets `id_base`, or `no_identity`. Linux only. */
int host_gather_ids(struct host *host, struct err *err);

/* Chooses from the texts of files in the formats of these, which may be empty. Returns 0 if all are in use; -1 if this user
 * namespace has none of them. */
struct id_files {
        const char *accounts[2];   /* /etc/passwd, /etc/group: NAME:PASSWORD:ID... */
        const char *delegated[2];  /* /etc/subuid, /etc/subgid: NAME:FIRST:COUNT */
        const char *namespaces[2]; /* /proc/self/uid_map, gid_map: INSIDE OUTSIDE COUNT */
};
int64_t host_choose_ids(const struct id_files *files);

/* Fills `closed`. The protected paths have to be known. */
int host_gather_closed(struct host *host, struct arena *arena, struct err *err);

/*
 * Patterns in fs_read_deny and fs_write_deny: `*` and `?` stand for characters of one name, `**` for any number of directories.
 * Matches are searched when a command starts, and again when it ends. Symbolic links do not match, and are not followed:
 * their targets match by their own names.
 */

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

/*
 * The system-specific part of gathering facts about the host: host_linux.c and host_darwin.c.
 */

/* NULL-terminated lists. */
struct host_places {
        const char *const *scratch;                 /* replaced by private directories */
        const char *const *emptied;                 /* data of other users and services; replaced by empty directories */
        const char *const *kept;                    /* paths in these that some programs require */
        const char *const *kept_with_network;       /* and those that name resolution requires */
        const char *const *emptied_without_network; /* names of the host's interfaces */
        const char *const *masked_from_root;        /* if mounted: only the mode of a directory protects them from others */
        const char *const *system;                  /* for root = "minimal" */
        const char *const *no_workspace;            /* belong to the system. Their subdirectories may be workspaces */
        const char *const *kernel;                  /* neither these nor anything below them can be a workspace */
        const char *const *shells;                  /* possible paths of bash, in order of preference */
        const char *const *idle;                    /* argv of a program that does nothing */
};

extern const struct host_places host_places;

/* Adds the home directory of `host->uid` in the user database, if it has one, and notes those of others (host_note_home()). */
int host_system_home(struct host *host, struct arena *arena, struct err *err);

/* Opens the home of the workspace, if the policy wants one and it can be had. */
int host_system_own_home(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                         struct err *err);

/* Where homes of workspaces are kept, and for which home directory; NULL and NULL: there is no home directory. */
int host_system_kept_homes(const struct policy *policy, const char *const *environment, struct arena *arena,
                           const char **ret_home, const char **ret_base, struct err *err);

/* Finds the bailey program (""; this program), programs that set up sandboxes, and the features of the kernel. */
int host_system_programs(struct host *host, const char *self, struct arena *arena, struct err *err);

/* Calls host_keep_program() for each file of this program. `self` as above. */
int host_system_own(struct host *host, const struct sandbox_policy *sandbox, const char *self, struct arena *arena,
                    struct err *err);

/* ---- of host.c ---- */

/* The result depends on this path: calls `sees` of the question. */
void host_sees(const struct host *host, const char *path, bool content);

/* Fills in `homes`: $HOME, and the home directory of the user database. */
int host_gather_homes(struct host *host, const char *const *environment, struct arena *arena, struct err *err);

#endif
