/*
 * Which config files of workspaces their user has looked at. A file is trusted as long as it has the same path and, by
 * its SHA-256, the same content. Kept in bailey's state directory, as lines like those of sha256sum.
 */
#ifndef BAILEY_POLICY_TRUST_H
#define BAILEY_POLICY_TRUST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"

struct trust_entry {
        char hash[SHA256_HEX_SIZE];
        struct str path; /* of the file, absolute; NUL-terminated */
};

struct trust_list {
        const struct trust_entry *items;
        size_t count;
};

/* `environment` says where the state directory is; without one nothing is trusted. */
int trust_read(const char *const *environment, struct arena *arena, struct trust_list *ret, struct err *err);

bool trust_has(const struct trust_list *list, const char *path, struct str content);

/* Sees to it that `path` is trusted with this content (NULL: not at all). `ret_changed` may be NULL. */
int trust_set(const char *const *environment, const char *path, const struct str *content, bool *ret_changed, struct err *err);

#endif
