/*
 * The index of a git repository, read only to find gitlinks: repositories in the repository, which git enters by
 * itself.
 */
#ifndef BAILEY_PROTECT_GIT_INDEX_H
#define BAILEY_PROTECT_GIT_INDEX_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum { GIT_INDEX_SHA1 = 20, GIT_INDEX_SHA256 = 32 }; /* bytes of an object's id */

typedef int git_link_fn(void *context, struct str path, struct err *err);

/*
 * Calls `show` with the path of each gitlink, which has no empty, `.` or `..` names, in the order of the index. `ret_known`:
 * there are no others. It is false if the file is not an index, is split or sparse (entries are elsewhere), has an unknown
 * version, or could be parsed differently by git. Fails only if `show` does.
 */
int git_index_read(struct str bytes, unsigned id_size, git_link_fn *show, void *context, bool *ret_known, struct err *err);

#endif
