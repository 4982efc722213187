/*
 * What asks this program to end, ends the command that it runs.
 */
#ifndef BAILEY_CLI_SIGNALS_H
#define BAILEY_CLI_SIGNALS_H

/* From now on; the fd is readable when a signal arrives. */
int signals_watch(void);

/* Readable when a terminal has another size, or this program is to stop, or goes on; see bailey_run_options. -1: cannot be
 * watched here. */
int signals_of_terminal(void);

/* By which signal; SIGINT if that is not known. */
int signals_which(int fd);

#endif
