/*
 * What asks this program to end, ends the command that it runs.
 */
#ifndef BAILEY_CLI_SIGNALS_H
#define BAILEY_CLI_SIGNALS_H

/* From now on; the fd is readable when a signal arrives. */
int signals_watch(void);

/* By which signal; SIGINT if that is not known. */
int signals_which(int fd);

#endif
