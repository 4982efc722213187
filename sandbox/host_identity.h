/*
 * Ids for commands of root: a range that no account has, so that a command owns nothing outside but what is mounted for it.
 */
#ifndef BAILEY_SANDBOX_HOST_IDENTITY_H
#define BAILEY_SANDBOX_HOST_IDENTITY_H

#include "sandbox/host.h"

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

#endif
