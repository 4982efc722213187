/*
 * The index of a git repository, read for one thing: which of its paths are gitlinks, that is repositories in the
 * repository, into which git goes by itself.
 */
#ifndef BAILEY_PROTECT_GIT_INDEX_H
#define BAILEY_PROTECT_GIT_INDEX_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum { GIT_INDEX_SHA1 = 20, GIT_INDEX_SHA256 = 32 }; /* bytes of an object's id */

typedef int git_link_fn(void *context, struct str path, struct err *err);

/*
 * Shows the path of each gitlink, which has no empty, `.` or `..` names, in the order of the index. `ret_known`: there are no
 * others. False for what is no index, is split or sparse (entries are elsewhere), is of a version to come, or could be read
 * by git in another way than from its start to its end. Fails only where `show` does.
 */
int git_index_read(struct str bytes, unsigned id_size, git_link_fn *show, void *context, bool *ret_known, struct err *err);

#endif
