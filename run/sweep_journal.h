/*
 * The two halves of sweep_journal_begin().
 */
#ifndef BAILEY_RUN_SWEEP_JOURNAL_H
#define BAILEY_RUN_SWEEP_JOURNAL_H

#include "run/sweep.h"

/* Initializes `ret`, also when it fails. */
int journal_text(const char *workspace, const struct protection *before, struct buf *ret, struct err *err);
int journal_make(const char *state_dir, struct str text, struct sweep_journal *ret, struct err *err);

#endif
