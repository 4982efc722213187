#ifndef BAILEY_BASE_WINDOWS_FNMATCH_H
#define BAILEY_BASE_WINDOWS_FNMATCH_H

/* Knows * and ?, no sets and no flags. */
int fnmatch(const char *pattern, const char *text, int flags);

#endif
