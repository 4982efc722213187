/*
 * Journals as files: for sweep_journal.c, sweep_shelf.c and sweep_gate.c only.
 */
#ifndef BAILEY_RUN_SWEEP_JOURNAL_H
#define BAILEY_RUN_SWEEP_JOURNAL_H

#include "run/sweep.h"

/* Initializes `ret`, also when it fails. */
int journal_text(const char *workspace, const struct protection *before, struct buf *ret, struct err *err);
int journal_make(const char *state_dir, struct str workspace, struct str text, struct sweep_journal *ret, struct err *err);

/* One that nobody needs any more, and that says so. */
void journal_remove(struct sweep_journal *journal);

/* state/runs; -1 where there is none. */
int journal_directory(const char *state_dir, bool make, int *ret_fd, struct err *err);

/* Its name begins with what tells workspaces apart: this many characters. */
enum { JOURNAL_MARK = 16 };

/* -1: it makes no sense. */
int journal_read(int fd, struct arena *arena, struct protection *ret, int64_t *ret_until);

/* Its command could have made something there. */
bool journal_reaches(const struct protection *before, const char *path);

/* Whoever begins a command shares the gate, whoever ends one has it for himself. -1: not within that time. */
int journal_gate(const char *state_dir, int how, int64_t patience, struct err *err);
int journal_gate_of(const struct sweep_journal *journal); /* to end it */

#endif
