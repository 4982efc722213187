/*
 * flock(), for a file by a byte that no file reaches, for a directory by a file in it.
 */
#ifndef BAILEY_BASE_WINDOWS_FILE_H
#define BAILEY_BASE_WINDOWS_FILE_H

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };

int flock(int fd, int how);

#endif
