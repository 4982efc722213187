/*
 * A process that has not begun yet: exactly two files, an environment and a directory of its own.
 */
#ifndef BAILEY_LAUNCH_SPAWN_WINDOWS_H
#define BAILEY_LAUNCH_SPAWN_WINDOWS_H

#include <wchar.h>

#include "base/err.h"

struct spawn_setup {
        void *token;                     /* NULL: this process's own */
        void *container;                 /* the SID of the AppContainer that it is to be; NULL: none */
        const char *const *capabilities; /* of that, as SIDs, NULL-terminated */
        const wchar_t *program;
        const char *const *argv, *const *envp;
        const wchar_t *temporary; /* where it keeps temporary files; NULL or empty: as envp says */
        const char *cwd;
        int out, err; /* its 1 and 2; it has no 0 */
};

struct spawned {
        void *process, *thread;
        unsigned long pid;
};

/* The path of a program: as it is when it has a slash, which counts from `cwd`; else in the directories of the PATH of envp,
 * and nowhere else. Only what Windows itself starts: .exe and .com. ERR_NOT_FOUND. */
int spawn_find(const char *name, const char *const *envp, const char *cwd, wchar_t *ret_path, size_t size, struct err *err);

int spawn_suspended(const struct spawn_setup *setup, struct spawned *ret, struct err *err);

#endif
