/*
 * Protection of files that programs on the host run automatically. The rule:
 *
 * The first command that starts in a workspace takes the baseline: what exists at protected paths (survey.h). Existing files
 * are covered while commands run. When a command ends, whatever is at a protected path and was not in the baseline is set aside
 * (aside.h), no matter who created it, unless it cannot cause code to run. Changes that were made while no command ran are the
 * user's. A file that is still the same one was covered all the time, so it was changed on the host: it is left in place. A
 * file that the host replaced is left in place if it differs only in settings that run no code. Nothing is deleted.
 *
 * The baseline is a file in bailey's state directory, shared by all processes that run commands in the workspace. It is marked
 * while commands run: a process that finds the mark but no running commands completes the clean-up of a killed process.
 */
#ifndef BAILEY_PROTECT_PROTECT_H
#define BAILEY_PROTECT_PROTECT_H

#include "base/buf.h"
#include "protect/survey.h"

/* The baseline of one workspace, for all commands that a process runs there. */
struct baseline {
        int fd; /* -1: not opened yet */
        unsigned running;
        char *workspace; /* its real path */
        struct baseline *next;
};

/* Returns the baseline of this workspace, which lives as long as the list; NULL: out of memory. */
struct baseline *baseline_get(struct baseline **list, const char *workspace);
void baseline_free(struct baseline **list, const char *state_dir);

struct protect_request {
        const char *state_dir, *home;
        struct arena *arena;
        bool known_only;                                  /* new files are left for the end */
        void (*say)(void *context, const char *sentence); /* what was set aside, and how to restore it */
        void *context;
};

/* Call it before a command starts; protect_end() has to follow, whether or not the command ran. */
int protect_begin(struct baseline *baseline, const struct protect_request *request, struct protection *ret, struct err *err);

/* While commands run, after something at protected paths was replaced: the same checks as at the end of a command, but only for
 * known paths. Returns 1 if another process holds the lock; it does not wait. */
int protect_check(const struct baseline *baseline, const struct protect_request *request, struct err *err);

/* Call it when all processes of the command have ended. If it fails, the next start tries again. */
int protect_end(struct baseline *baseline, const struct protect_request *request, struct err *err);

/* Completes the clean-up of killed processes in all workspaces. */
int protect_recover(const struct protect_request *request, struct err *err);

/* Returns true if commands run in a workspace. */
bool protect_is_busy(const char *state_dir, const char *workspace);

/* Writes the baseline as text, and reads it. */
void baseline_write(const struct protection *protection, struct buf *ret);
int baseline_read(struct str text, struct arena *arena, struct protection *ret, struct err *err);

/* Compares the survey `now` with the baseline, sets aside what must not remain, and updates the baseline. */
int protect_settle(const struct protect_request *request, struct protection *known, const struct protection *now,
                   bool *ret_changed, struct err *err);

#endif
