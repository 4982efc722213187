/*
 * Becoming the command: the last thing that a process of ours does.
 */
#ifndef BAILEY_LAUNCH_EXECUTE_H
#define BAILEY_LAUNCH_EXECUTE_H

/* A program without a slash is looked up in the PATH of `envp`. What keeps it from being executed is reported. */
_Noreturn void execute_or_report(const char *program, const char *const *argv, const char *const *envp, int report_fd);

#endif
