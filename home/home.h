/*
 * A home directory that belongs to a workspace, for its commands alone. It is a plain directory, the layer, which bailey keeps
 * outside of the user's home. What commands write there stays there. What tools need of the user's home (shown.h) is mounted in
 * it, copy-on-write: through an overlay of the layer and the user's home, whose upper directory is new for each sandbox, as the
 * kernel does not support two mounts with the same one. When a sandbox has ended, what it wrote in such places is moved into
 * the layer (settle.c).
 *
 *     BASE/NAME/about       two lines: the workspace, the home directory
 *     BASE/NAME/home/       what commands see as their home
 *     BASE/NAME/settings    which settings were copied, and what they were then
 *     BASE/NAME/size        how much it takes, measured now and then (usage.h)
 *     BASE/NAME/runs/run-ID/    upper/ and work/ of a sandbox, locked while it exists; then the next one can have it
 *     BASE/NAME/runs/...        what can be removed
 *
 * BASE/NAME is locked (shared) while a command runs; who removes it takes the lock for itself, and moves it away first
 * (kept.h).
 */
#ifndef BAILEY_HOME_HOME_H
#define BAILEY_HOME_HOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/name_set.h"
#include "home/shown.h"
#include "policy/policy.h"

#define HOME_FILES "home"
#define HOME_RUNS "runs"
#define HOME_RUN_PREFIX "run-"
#define HOME_ENDED_PREFIX "ended-"
#define HOME_UPPER "upper"
#define HOME_WORK "work"

struct home_item {
        const char *path;   /* where commands find it */
        const char *source; /* the directory itself, in the user's home, without links in the path */
        enum shown_kind kind;
};

struct home {
        const char *path;  /* the user's home directory, and that of commands; NULL: commands have no home of their own */
        const char *layer; /* BASE/NAME */
        const char *files; /* BASE/NAME/home */
        const struct home_item *items;
        size_t count;
        const char *no_overlay; /* why there can be none; NULL: not known yet, or there can */
        const char *left_out;   /* the first path that cannot be reached, and is not shown; NULL: none */
        size_t left_out_count;  /* of such paths */
};

struct home_request {
        const char *home, *workspace;                                /* real paths */
        const char *base;                                            /* where layers are kept */
        struct home_names *names;                                    /* of that home */
        struct str_list show;                                        /* in addition: absolute paths, or ~/... */
        void (*sees)(void *context, const char *path, bool content); /* each path that the result depends on; or NULL */
        void *context;
};

/* Finds the visible paths, and creates the layer with copies of the settings. */
int home_open(const struct home_request *request, struct arena *arena, struct home *ret, struct err *err);

/* Where layers are kept: `configured`, or below the state directory if that is not in the home, or in a system directory. */
int home_base(const char *configured, const char *state, const char *home, struct arena *arena, const char **ret,
              struct err *err);

/* Moves changes of ended sandboxes from overlays into the layer. Unchanged directories stay for the next
 * one: to make and remove them takes longer than all the rest. */
int home_settle(const char *layer, struct err *err);

/* If ended sandboxes have left many directories: the same, and removes all of them. Only where no command waits for it. */
int home_tidy(const char *layer, struct err *err);

/* The names in a directory, without . and .., and without memory of its own. */
struct home_listing {
        int directory;
        bool failed; /* it ended because of an error */
        long len, at;
        char entries[2048] __attribute__((aligned(8)));
};

/* From where the descriptor is. */
static inline void home_listing_begin(int directory, struct home_listing *ret) {
        ret->directory = directory;
        ret->failed = false;
        ret->len = ret->at = 0;
}

const char *home_listing_next(struct home_listing *listing); /* NULL: there is no other */

bool home_is_run(const char *name);

/* False also for one that cannot be listed. */
bool home_is_empty(int directory);

/* Whether nothing was written into an upper directory. What cannot be listed is dealt with as what was written. */
bool home_is_unused(int directory, const char *upper);

/* Whether that sandbox has written anything: most have not. Without locks, which others try to get. */
bool home_has_written(int runs, const char *name);

/* A directory with upper/ and work/ for a sandbox, locked: one that another has left, or a new one. */
struct home_run {
        int fd;         /* -1: the sandbox has none */
        bool has_other; /* another one has written something that is not settled */
};
int home_take_run(int runs, struct home_run *ret, struct err *err);

/* The text of a settings file without lines that hold credentials. */
void home_settings_without_secrets(struct str text, struct buf *ret);

/* Opens a path in a layer, in which commands may have created links. */
int home_open_beneath(int files, const char *path, int flags);

/* A directory in a layer, made if it is not there; -1: commands have something else there. */
int home_make_beneath(int files, const char *path);

/* Copies settings into the layer: new ones, and those that have changed in the user's home but not in the layer. `home` and
 * `files` are the user's home and that of the layer. */
int home_copy_settings(int layer, int home, int files, struct home_names *names, struct err *err);

/* A settings file that commands have changed, removed or made. */
struct home_setting {
        const char *path;   /* in the home directory */
        bool copied, there; /* it was a copy of the user's; there is one now */
        struct stat status; /* of that */
};

int home_settings_changes(int layer, void (*tell)(void *context, const struct home_setting *setting), void *context,
                          struct err *err);

#endif
