/*
 * A file that is there whole, or not at all.
 */
#ifndef BAILEY_CLI_WHOLE_FILE_H
#define BAILEY_CLI_WHOLE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* In place of what was there; readable by its owner only. What is no regular file, such as a pipe, is written to. */
int whole_file_write(const char *path, struct str text, struct err *err);

#endif
