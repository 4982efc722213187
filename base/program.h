/*
 * What a program does first: on some systems its arguments and its environment have to be brought into shape.
 */
#ifndef BAILEY_BASE_PROGRAM_H
#define BAILEY_BASE_PROGRAM_H

/* Arguments and environment are UTF-8 then, and files are read and written as they are. -1: there is no memory. */
int program_begin(int *argc, char ***argv);

/* A path as a user writes it, as the rest of the program takes it; `path` itself where these are the same. It stays for as
 * long as the program runs. NULL: there is no memory. */
const char *program_path(const char *path);

#endif
