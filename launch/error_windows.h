/*
 * Converts errors of Windows: what failed, the number, and the message of Windows.
 */
#ifndef BAILEY_LAUNCH_ERROR_WINDOWS_H
#define BAILEY_LAUNCH_ERROR_WINDOWS_H

#include "base/err.h"

void error_windows_message(struct err *err, const char *what, unsigned long number);

/* Both are -1, as err_set() is. */
#define error_windows(err, what, number) (error_windows_message((err), (what), (number)), err_failed())
#define error_last(err, what) error_windows((err), (what), GetLastError())

#endif
