/*
 * What is different from one system to another in looking at a host: host_linux.c and host_darwin.c.
 */
#ifndef BAILEY_SANDBOX_HOST_SYSTEM_H
#define BAILEY_SANDBOX_HOST_SYSTEM_H

#include "sandbox/host.h"

/* NULL-terminated lists. */
struct host_places {
        const char *const *scratch;           /* replaced by private directories */
        const char *const *emptied;           /* what other users and services keep there is none of a command's business */
        const char *const *kept;              /* of these: what some programs do not work without */
        const char *const *kept_with_network; /* and what resolves names */
        const char *const *masked_from_root;  /* where they are mounted: only the mode of a directory keeps them from others */
        const char *const *system;            /* for root = "minimal" */
        const char *const *no_workspace;      /* belong to the system. Their sub-directories may be a place to work in */
        const char *const *kernel;            /* neither they nor what is below them */
        const char *const *shells;            /* where bash may be, the best place first */
        const char *const *idle;              /* argv of a program that does nothing */
};

extern const struct host_places host_places;

/* The home directory that the system knows for `host->uid`, when there is one. */
int host_system_home(struct host *host, struct arena *arena, struct err *err);

/* Bailey itself (""; this program), programs that make walls, and what the kernel has for them. */
int host_system_programs(struct host *host, const char *self, struct arena *arena, struct err *err);

/* The files that this program is made of: host_keep_program() for each. `self` as above. */
int host_system_own(struct host *host, const struct sandbox_policy *sandbox, const char *self, struct arena *arena,
                    struct err *err);

/* ---- of host.c ---- */

/* The answer depends on this path: `sees` of the question. */
void host_sees(const struct host *host, const char *path, bool content);

#endif
