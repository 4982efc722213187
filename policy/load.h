/*
 * The policy of a call: finds and reads the config files, and resolves them. The one part of policy/ that looks at the
 * file system, with files.c and trust.c.
 *
 * Files, later ones win: /etc/bailey/config.*, $XDG_CONFIG_HOME/bailey/config.*, the workspace's .bailey.*, the named
 * one; * is toml, json5 or json, and two of them in one place are an error.
 */
#ifndef BAILEY_POLICY_LOAD_H
#define BAILEY_POLICY_LOAD_H

#include "policy/config.h"

struct policy_request {
        const char *name;               /* NULL: run.policy of the files */
        const char *workspace;          /* a directory; NULL: none */
        const char *config_file;        /* NULL: none */
        const char *const *overrides;   /* "guard.mode=warn"; NULL-terminated, or NULL */
        const char *const *environment; /* where HOME and XDG_* stand, NULL-terminated; NULL: no files of a user */
        const char *system_directory;   /* NULL: /etc/bailey */
        bool builtin_only;              /* look for no files */
};

/* The policy lives in the arena. All of `request` may go away afterwards. */
int policy_load(const struct policy_request *request, struct arena *arena, const struct policy **ret, struct err *err);

/* The same with more overrides (NULL-terminated), which come last. Looks at no file again: one that has changed since does not
 * count. `base` has to outlive it. */
int policy_override(const struct policy *base, const char *const *overrides, struct arena *arena, const struct policy **ret,
                    struct err *err);

/* Validates everything that the request names, also for each policy that config_file defines. */
int policy_check(const struct policy_request *request, struct arena *arena, struct err *err);

/* The policies that can be asked for: the built-in ones, then those that files define which are trusted. */
struct policy_listed {
        struct str name;
        const char *help; /* of a built-in one, else NULL */
        const char *file; /* the first that defines it, or NULL */
};
int policy_list(const struct policy_request *request, struct arena *arena, const struct policy_listed **ret, size_t *ret_count,
                struct err *err);

/* The config file of a workspace: its path, and its content in the arena. ERR_NOT_FOUND when there is none. */
struct config_text {
        const char *path;
        struct str content;
};
int workspace_config_read(const char *workspace, struct arena *arena, struct config_text *ret, struct err *err);

/* The same for the user's config file: if it does not exist, the path of the file to create, and no content. */
int user_config_read(const char *const *environment, struct arena *arena, struct config_text *ret, struct err *err);

#endif
