/*
 * A private directory in /tmp for a command that has no /tmp of its own. Locked while its bailey process lives, so that
 * one left by a killed process is recognised and removed by the next.
 */
#ifndef BAILEY_RUN_TMPDIR_H
#define BAILEY_RUN_TMPDIR_H

#include "base/arena.h"
#include "base/err.h"

struct tmpdir {
        int fd; /* -1: none */
        const char *path;
};

int tmpdir_make(struct tmpdir *tmpdir, struct arena *arena, const char **ret_path, struct err *err);
void tmpdir_remove(struct tmpdir *tmpdir);

#endif
