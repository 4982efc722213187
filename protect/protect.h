/*
 * What commands must not plant. The rule:
 *
 * The first command that starts in a workspace takes the baseline: what is at protected places (survey.h). What exists is
 * covered while commands run. At every end, whatever is at a protected place and was not in the baseline is set aside
 * (aside.h), no matter who made it, unless it is of a kind that runs nothing. What changed while nothing ran is the user's. A
 * file that is still the same one was covered all the time, so that what changed in it was changed on the host: it stays. One
 * that the host replaced stays if it differs only in what runs nothing. Nothing is deleted.
 *
 * The baseline is a file of bailey's state directory, which all that run commands in the workspace share. It is marked while
 * commands run: who finds the mark and nobody running finishes what a killed one has left undone.
 */
#ifndef BAILEY_PROTECT_PROTECT_H
#define BAILEY_PROTECT_PROTECT_H

#include "base/buf.h"
#include "protect/survey.h"

/* What a process knows of the baseline of one workspace, for all commands that it runs there. */
struct baseline {
        int fd; /* -1: not opened yet */
        unsigned running;
        char *workspace; /* its real path */
        struct baseline *next;
};

/* The one of this workspace, which lives as long as the list; NULL: out of memory. */
struct baseline *baseline_get(struct baseline **list, const char *workspace);
void baseline_free(struct baseline **list, const char *state_dir);

struct protect_request {
        const char *state_dir, *home;
        struct arena *arena;
        bool known_only;                                  /* what is new is left for the end */
        void (*say)(void *context, const char *sentence); /* what was set aside, and how to get it back */
        void *context;
};

/* Before a command starts, which has to end, too, whether or not it ran. */
int protect_begin(struct baseline *baseline, const struct protect_request *request, struct protection *ret, struct err *err);

/* While commands run, when something at protected places was replaced: as at the end of one, but only what was there before. 1:
 * somebody else is looking, and this does not wait. */
int protect_check(const struct baseline *baseline, const struct protect_request *request, struct err *err);

/* When nothing of the command is left. Where it fails, the next start tries again. */
int protect_end(struct baseline *baseline, const struct protect_request *request, struct err *err);

/* Finishes what killed processes have left undone in any workspace. */
int protect_recover(const struct protect_request *request, struct err *err);

/* Whether commands run in a workspace. */
bool protect_is_busy(const char *state_dir, const char *workspace);

/* The baseline as text and back. */
void baseline_write(const struct protection *protection, struct buf *ret);
int baseline_read(struct str text, struct arena *arena, struct protection *ret, struct err *err);

/* Compares what is there now with the baseline, sets aside what must not stay, and brings the baseline up to date. */
int protect_settle(const struct protect_request *request, struct protection *known, const struct protection *now,
                   bool *ret_changed, struct err *err);

#endif
