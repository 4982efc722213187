/*
 * The homes of workspaces that are kept, for those who manage them.
 */
#ifndef BAILEY_HOME_KEPT_H
#define BAILEY_HOME_KEPT_H

#include "base/arena.h"
#include "base/err.h"
#include "home/usage.h"

enum { HOME_NAME_LENGTH = 32, HOME_KEPT_MAX = 65536 };

enum home_state {
        HOME_WORKSPACE_IS_THERE,
        HOME_WORKSPACE_IS_GONE, /* for sure: no error is taken for it */
        HOME_WORKSPACE_UNKNOWN, /* it cannot be told; or it is not known which workspace it was */
};

struct home_kept {
        char name[HOME_NAME_LENGTH + 1];
        const char *workspace, *home; /* NULL: not known */
        enum home_state state;
        bool in_use;       /* a command is running */
        int64_t last_used; /* realtime, in nanoseconds, to some minutes */
};

struct home_list {
        const struct home_kept *items; /* the last used first */
        size_t count;
};

/* The name of the directory of a home. False: too long. */
bool home_name(const char *workspace, const char *home, char ret[static HOME_NAME_LENGTH + 1]);

/* All that are kept in `base`, which need not be there. */
int home_list(const char *base, struct arena *arena, struct home_list *ret, struct err *err);

/* Opens one of them. -1 with errno. */
int home_open_kept(const char *base, const char *name);

/* Removes one, however long that takes, and says what it was. ERR_REFUSED: a command is running. ERR_NOT_FOUND. */
int home_clear(const char *base, const char *name, struct home_usage *ret, struct err *err);

/* Removes what is left of those whose removal was interrupted. */
int home_clear_rest(const char *base, struct err *err);

#endif
