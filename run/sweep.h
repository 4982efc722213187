/*
 * After a command: what came into being at a protected path (protect/survey.h) goes away again. A journal that was written
 * before the command started lets the next start of bailey do it when this process was killed.
 *
 * What a command made is removed. What stands in the place of something that was there before is only moved aside, to
 * `.bailey-aside-<id>` beside it: the host's own git or editor may have replaced it meanwhile, and under that name it is as
 * harmless as any other file of the workspace. A git config is put back as it was.
 */
#ifndef BAILEY_RUN_SWEEP_H
#define BAILEY_RUN_SWEEP_H

#include <limits.h>

#include "base/buf.h"
#include "policy/policy.h"
#include "protect/survey.h"

/*
 * Goes on where something fails, and tells the first failure in the end. `ret_removed`, which is set in any case, has a
 * sentence for each thing done: "removed /w/.envrc".
 *
 * A new git directory stays, without its hooks and configs: git works without them. The same goes for those of repositories
 * below the top (protect/nested.h). New linked worktrees stay, without a config of their own.
 *
 * With `keep`, what is new is moved aside, too: a command that runs for hours is not the only one who may have made it.
 */
int sweep_workspace(const char *workspace, const struct protection *before, bool keep, struct arena *arena,
                    struct str_list *ret_removed, struct err *err);

/* The same, but leaves alone what was born after `until` (nanoseconds since 1970): the command was gone by then. */
int sweep_workspace_until(const char *workspace, const struct protection *before, int64_t until, bool keep, struct arena *arena,
                          struct str_list *ret_removed, struct err *err);

struct sweep_shelf;

/*
 * Commands of one workspace may overlap, and what a survey finds may have been made by one that is still under way. Its own
 * sweep will take that away, and ours must not bring it back: such things are `pending`. They are read-only as all others,
 * and stay as they are.
 *
 * The gate is open from before the survey until the journal is there. Meanwhile no command of the user's ends unseen, so that
 * all that can have made something are known.
 */
int sweep_gate_open(const char *state_dir, int *ret_fd, struct err *err); /* closed with the fd */
int sweep_gate_mark(const char *state_dir, const struct sweep_shelf *shelf, struct protection *before, struct arena *arena,
                    struct err *err);

struct sweep_journal {
        int fd;
        unsigned shelf; /* of which state of a shelf it is; 0: of none */
        char path[PATH_MAX];
};

/* Before the command starts. Held with a lock for as long as this process lives. */
int sweep_journal_begin(const char *state_dir, const char *workspace, const struct protection *before,
                        struct sweep_journal *ret, struct err *err);

/* The command will not outlive this moment (nanoseconds since 1970), whatever happens to us. What a user makes after it, and
 * before bailey starts again, is then safe from being swept. May be called again to put it off. */
int sweep_journal_until(const struct sweep_journal *journal, int64_t until, struct err *err);

#define SWEEP_UNTIL_ANY INT64_MAX
#define SWEEP_UNTIL_NEVER 0 /* nothing is under way: there is nothing to sweep */

/* After the sweep: nothing is left to be done. */
void sweep_journal_end(struct sweep_journal *journal);

/* Lets go of it and leaves it for the next start: the sweep failed. */
void sweep_journal_leave(struct sweep_journal *journal);

/*
 * Sweeps for every journal whose writer is gone, and tells what it did. A journal that makes no sense is renamed to *.bad, and
 * told about; one whose sweep failed is told about and stays for the next time. Fails only when it cannot look.
 */
int sweep_recover(const char *state_dir, struct arena *arena, struct str_list *ret_removed, struct err *err);

/*
 * Journals of commands that have ended, for those that find the same to be protected: making a file, locking it, naming it and
 * removing it again costs more than most commands. All have one text. All zero: empty.
 */
enum { SWEEP_SHELF_MAX = 16 };

struct sweep_shelf {
        struct buf text;
        unsigned state; /* counts its texts */
        size_t count;
        struct sweep_journal items[SWEEP_SHELF_MAX];
};

/* As sweep_journal_begin() and sweep_journal_end(). `shelf` may be NULL. `until` as above. */
int sweep_shelf_begin(struct sweep_shelf *shelf, const char *state_dir, const char *workspace, const struct protection *before,
                      int64_t until, struct sweep_journal *ret, struct err *err);
void sweep_shelf_end(struct sweep_shelf *shelf, struct sweep_journal *journal);
void sweep_shelf_clear(struct sweep_shelf *shelf);

#endif
