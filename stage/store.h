/*
 * Stages: changes of a workspace by commands go to an overlay, until a person applies (apply.h) or discards them.
 *
 *     STATE/stages/ID/about     two lines: the name, and the workspace
 *     STATE/stages/ID/begun     its time is the stage's: newer files of the workspace are in conflict
 *     STATE/stages/ID/upper     content of the overlay, as overlayfs writes it with `userxattr`
 *     STATE/stages/ID/work      of overlayfs
 *     STATE/stages/discarded/   stages that were discarded, for a while
 *
 * It is on the file system of the workspace, because changes are applied by renaming; and in bailey's directory, which no
 * command can see. Processes that mount the overlay hold a shared lock on the directory of the stage, including all sandboxes
 * that can write there. Changing the stage from outside requires an exclusive lock.
 */
#ifndef BAILEY_STAGE_STORE_H
#define BAILEY_STAGE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"

#define STAGE_UPPER "upper" /* as in home/home.h */
#define STAGE_WORK "work"
#define STAGE_DEFAULT_NAME "default"

enum { STAGE_ID_LENGTH = 32, STAGE_NAME_LONGEST = 64, STAGE_KEPT_DAYS = 7 };

struct stage {
        int fd;
        char id[STAGE_ID_LENGTH + 1];
        char path[PATH_MAX];
        const char *name, *workspace;
        struct timespec begun; /* by the clock of its file system */
        int64_t discarded;     /* seconds since the epoch; 0: it is not */
        const char *problem;   /* of a list: why it cannot be read; then its name is its id, and no workspace is known */
};

/* Letters, digits, '.', '_' and '-', and does not begin with '-'. */
bool stage_is_name(const char *name);

/* Opens the stage of this name. `workspace` is a real path. With `make`, it is begun unless it is there: then it is an error
 * if the workspace is on another file system, or has others mounted in it. Without, ERR_NOT_FOUND. */
struct stage_request {
        const char *state, *workspace, *name;
        bool make;
};
int stage_open(const struct stage_request *request, struct arena *arena, struct stage *ret, struct err *err);
void stage_close(struct stage *stage);

/* For the first mount of the overlay: waits until the sandboxes of an earlier one have ended, and creates an empty working
 * directory. Returns the lock, shared. */
int stage_lock_first(const char *path, int *ret_lock, struct err *err);

/* Exclusive: no process has the overlay mounted. Waits briefly for sandboxes that are ending. */
int stage_lock_alone(const struct stage *stage, struct err *err);

/* All that are kept, also those that cannot be read; those that were discarded last. Only the texts are of the arena: each has
 * to be closed. */
struct stage_list {
        struct stage *items;
        size_t count, room;
};
int stage_list(const char *state, struct arena *arena, struct stage_list *ret, struct err *err);
void stage_list_close(struct stage_list *list);

/* With the lock. Keeps it for STAGE_KEPT_DAYS, and removes those that were kept for longer. */
int stage_discard(const char *state, const struct stage *stage, struct err *err);

/* The one of this name that was discarded last. ERR_INVALID: there is another one of this name. */
int stage_take_back(const struct stage_request *request, struct err *err);

/* With the lock: removes all changes. */
int stage_remove(const char *state, const struct stage *stage, struct err *err);

/* Is a process using it? */
bool stage_is_busy(const struct stage *stage);

#endif
