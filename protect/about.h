/*
 * One item that is set aside (aside.h), and its about.json, which is named moving.json while the item is being moved. Paths may
 * contain any byte, and JSON may not, so they are written twice: as text and in hexadecimal. For aside.c only.
 */
#ifndef BAILEY_PROTECT_ABOUT_H
#define BAILEY_PROTECT_ABOUT_H

#include <limits.h>

#include "protect/aside.h"

/* Only the process that holds the lock of its directory moves it. */
struct entry {
        int store, fd; /* the store, and the directory in it */
        char id[ASIDE_ID_SIZE];
        char left[NAME_MAX + 1]; /* its name next to the original path, while it is neither there nor in the store */
        struct aside aside;      /* all but `id` and `where` are in the file */
        unsigned mode;           /* its original mode */
        bool moving;             /* or being restored */
};

/* Writes moving.json. */
int about_write(const struct entry *entry, struct err *err);

/* Renames the one to the other. */
int about_mark(struct entry *entry, bool moving, struct err *err);

/* Reads either file. ERR_NOT_FOUND: neither exists. */
int about_read(struct entry *entry, struct arena *arena, struct err *err);

/* What is known of it. */
void about_set(struct entry *entry, struct aside aside, unsigned mode, bool moving);

/* The name in its directory, which is at the end of the path; and that directory, opened through no symbolic link. With `make`,
 * missing directories are created. `err->sys` says why it failed. */
const char *about_name(const struct entry *entry);
int about_open_parent(const struct entry *entry, bool make, int *ret_fd, struct err *err);

#endif
