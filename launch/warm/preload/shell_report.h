/*
 * Reports where a shell is, and which exported variables it has changed, when it exits or executes another program.
 *
 * Nothing is added to the text of the command, and nothing is seen by it: no trap, no variable, no descriptor. What bash knows
 * of its variables is read from bash itself, which exports these symbols for the builtins that `enable -f` loads. A shell that
 * is killed reports nothing.
 */
#ifndef BAILEY_LAUNCH_SHELL_REPORT_H
#define BAILEY_LAUNCH_SHELL_REPORT_H

#include "launch/warm/state_page.h"

/* This process is the shell, and `envp` the environment that it begins with; both must live until its end. */
void shell_report_begin(struct state_page *page, const char *const *envp);

#endif
