/*
 * A command line of Windows, where programs get one text and take it apart themselves.
 */
#ifndef BAILEY_LAUNCH_COMMAND_LINE_H
#define BAILEY_LAUNCH_COMMAND_LINE_H

#include "base/buf.h"
#include "base/err.h"

/* As the C libraries of Windows and CommandLineToArgvW() take it apart into exactly these. The first is the program, in which
 * no quote can stand; it is an error there. */
int command_line(const char *const *argv, struct buf *out, struct err *err);

#endif
