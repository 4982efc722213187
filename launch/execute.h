/*
 * Executes the command in the calling process. Does not return.
 */
#ifndef BAILEY_LAUNCH_EXECUTE_H
#define BAILEY_LAUNCH_EXECUTE_H

/* A program without a slash is looked up in the PATH of `envp`. A failure is reported. */
_Noreturn void execute_or_report(const char *program, const char *const *argv, const char *const *envp, int report_fd);

#endif
