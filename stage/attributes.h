/*
 * How overlayfs writes its upper layer with `userxattr`: whiteouts, opaque directories, and its own extended attributes.
 */
#ifndef BAILEY_STAGE_ATTRIBUTES_H
#define BAILEY_STAGE_ATTRIBUTES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"
#include "stage/content.h"

/* Marks a deleted file: a character device 0:0, or an empty file with an attribute. */
bool stage_is_whiteout(int directory, const char *name, const struct stat *status);

/* The directory hides that of the workspace. */
bool stage_is_opaque(int directory);

bool stage_has_attribute(int fd, const char *name);

/* An attribute of overlayfs. Attributes that a command sets under such a name are kept under another one. */
bool stage_is_overlay_attribute(const char *name);

/* When overlayfs copied a file from the workspace; false: it did not, or the file system does not say. */
bool stage_copied_at(int directory, const char *name, struct timespec *ret);

/* Compares the other attributes of what is at one path. */
int stage_same_attributes(const struct stage_sides *sides, const struct stat *after, bool *ret, struct err *err);

/* Removes the attributes of overlayfs from a file or directory. */
int stage_strip(int directory, const char *name, struct err *err);

#endif
