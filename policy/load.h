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
        const char *name;               /* NULL: "default" */
        const char *workspace;          /* a directory; NULL: none */
        const char *config_file;        /* NULL: none */
        const char *const *overrides;   /* "guard.mode=warn"; NULL-terminated, or NULL */
        const char *const *environment; /* where HOME and XDG_* stand, NULL-terminated; NULL: no files of a user */
        const char *system_directory;   /* NULL: /etc/bailey */
        bool builtin_only;              /* look for no files */
};

/* The policy lives in the arena. All of `request` may go away afterwards. */
int policy_load(const struct policy_request *request, struct arena *arena, const struct policy **ret, struct err *err);

/* Does all that the request names make sense, also for each policy that config_file defines? */
int policy_check(const struct policy_request *request, struct arena *arena, struct err *err);

/* The config file of a workspace: its path, and its content in the arena. ERR_NOT_FOUND when there is none. */
struct config_text {
        const char *path;
        struct str content;
};
int workspace_config_read(const char *workspace, struct arena *arena, struct config_text *ret, struct err *err);

#endif
