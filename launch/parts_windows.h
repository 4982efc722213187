/*
 * The parts of a start on Windows, each in the file with its name, and a running command.
 */
#ifndef BAILEY_LAUNCH_PARTS_WINDOWS_H
#define BAILEY_LAUNCH_PARTS_WINDOWS_H

#include <stdbool.h>
#include <wchar.h>

#include "base/err.h"
#include "base/id.h"
#include "launch/start.h"
#include "sandbox/launch.h"

/*
 * A process that is created suspended: exactly two files, an environment and a directory of its own.
 */

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

/*
 * Converts errors of Windows: what failed, the number, and the message of Windows.
 */

void error_windows_message(struct err *err, const char *what, unsigned long number);

/* Both are -1, as err_set() is. */
#define error_windows(err, what, number) (error_windows_message((err), (what), (number)), err_failed())
#define error_last(err, what) error_windows((err), (what), GetLastError())

/*
 * The profile of an AppContainer: one for each command, made before and deleted after it. The functions for it are looked up at
 * run time, as not every Windows, and no wine, has them.
 */

enum { PROFILE_NAME_SIZE = 64 };

struct profile {
        wchar_t name[PROFILE_NAME_SIZE]; /* empty: none */
        void *sid;                       /* the SID of the AppContainer, derived from the name */
        wchar_t folder[260];             /* its own directory, where it may write; empty: unknown */
};

int profile_make(struct profile *ret, struct err *err);

/* With its directory. */
void profile_delete(struct profile *profile);

/*
 * Access of an AppContainer to the host's files: entries for it in their access control lists.
 */

struct grants {
        wchar_t **paths; /* that have such an entry now */
        size_t count;
};

/* Grants all of them or none. `sid`: the AppContainer. */
int grants_give(const struct appcontainer_plan *plan, void *sid, struct grants *ret, struct err *err);

/* Revokes and frees. An entry that cannot be revoked is for an AppContainer that no longer exists. */
void grants_take_back(struct grants *grants, void *sid);

/*
 * The job object of a command: the limits of all of its processes together. They end with it.
 */

/* `ret_job` is a HANDLE. When the last one is closed, all processes in it are killed. */
int job_object_make(const struct appcontainer_plan *plan, void **ret_job, struct err *err);

/* Call it before the first thread of the process runs; fails if the process is not in the job afterwards. */
int job_object_take(void *job, void *process, struct err *err);

/* Kills all processes in it. They may continue for a moment. */
void job_object_kill(void *job, unsigned code);

/* Waits until no process runs in it, at most so long. */
void job_object_drain(void *job, unsigned milliseconds);

/*
 * The restricted token of a command: this user without privileges and without groups that grant access, at Low integrity.
 */

/* `ret_token` is a HANDLE of a primary token. */
int token_make(const struct appcontainer_plan *plan, void **ret_token, struct err *err);

/* Checks what a process actually got, because Windows may report success and do nothing. Fails, and says what it has, unless
 * its integrity is that of the plan and it is the AppContainer `sid`. */
int token_check(void *process, const struct appcontainer_plan *plan, void *sid, struct err *err);

/* The last number of the SID of a process's integrity level. */
int token_integrity(void *process, unsigned long *ret, struct err *err);

/*
 * A running command on Windows.
 */

struct contained {
        void *process, *job; /* HANDLEs */
        struct profile profile;
        struct grants grants;
};

#endif
