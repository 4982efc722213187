/*
 * The restricted token of a command: this user without privileges and without groups that grant access, at Low integrity.
 */
#ifndef BAILEY_LAUNCH_TOKEN_WINDOWS_H
#define BAILEY_LAUNCH_TOKEN_WINDOWS_H

#include <stdbool.h>

#include "sandbox/launch.h"

/* `ret_token` is a HANDLE of a primary token. */
int token_make(const struct appcontainer_plan *plan, void **ret_token, struct err *err);

/* Checks what a process actually got, because Windows may report success and do nothing. Fails, and says what it has, unless
 * its integrity is that of the plan and it is the AppContainer `sid`. */
int token_check(void *process, const struct appcontainer_plan *plan, void *sid, struct err *err);

/* The last number of the SID of a process's integrity level. */
int token_integrity(void *process, unsigned long *ret, struct err *err);

#endif
