/*
 * What asks this program to end, ends the command that it runs.
 */
#ifndef BAILEY_CLI_SIGNALS_H
#define BAILEY_CLI_SIGNALS_H

/* From now on; the fd is readable when somebody asks. */
int signals_watch(void);

/* By which signal; that of the keyboard when nobody knows. */
int signals_which(int fd);

#endif
