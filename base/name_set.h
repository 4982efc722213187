/*
 * The names in a directory, to ask for many of them: most name nothing that exists, and listing a directory once is faster than
 * asking the kernel for each.
 */
#ifndef BAILEY_BASE_NAME_SET_H
#define BAILEY_BASE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_SET_BITS = 8192 };

struct name_set {
        uint64_t bits[NAME_SET_BITS / 64];
};

/* A directory that is not there has no names. One that cannot be listed, or is too large, may have all. */
void name_set_read(const char *directory, struct name_set *ret);

/* False: it was not there, in no case of its ASCII letters, as some file systems ignore it. True says nothing. */
bool name_set_may_have(const struct name_set *set, const char *name, size_t len);

/* What a home directory has, and those directories in it that many rows of tables are in. Each is listed when it is needed
 * first. */
enum { HOME_LISTED = 4 };

struct home_names {
        const char *home;
        bool listed[HOME_LISTED];
        struct name_set names[HOME_LISTED];
};

/* False: there is no such path in the home. True says nothing. */
bool home_names_may_have(struct home_names *names, const char *path);

#endif
