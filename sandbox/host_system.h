/*
 * The system-specific part of gathering facts about the host: host_linux.c and host_darwin.c.
 */
#ifndef BAILEY_SANDBOX_HOST_SYSTEM_H
#define BAILEY_SANDBOX_HOST_SYSTEM_H

#include "sandbox/host.h"

/* NULL-terminated lists. */
struct host_places {
        const char *const *scratch;                /* replaced by private directories */
        const char *const *emptied;                /* data of other users and services; replaced by empty directories */
        const char *const *kept;                   /* paths in these that some programs require */
        const char *const *kept_with_network;      /* and those that name resolution requires */
        const char *const *masked_without_network; /* names of the host's interfaces */
        const char *const *masked_from_root;       /* if mounted: only the mode of a directory protects them from others */
        const char *const *system;                 /* for root = "minimal" */
        const char *const *no_workspace;           /* belong to the system. Their subdirectories may be workspaces */
        const char *const *kernel;                 /* neither these nor anything below them can be a workspace */
        const char *const *shells;                 /* possible paths of bash, in order of preference */
        const char *const *idle;                   /* argv of a program that does nothing */
};

extern const struct host_places host_places;

/* Adds the home directory of `host->uid` in the user database, if it has one, and notes those of others (host_hide.h). */
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
