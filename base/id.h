/*
 * Names for requests, shells and records that nobody can guess.
 */
#ifndef BAILEY_BASE_ID_H
#define BAILEY_BASE_ID_H

#include "base/err.h"
#include "base/str.h"

enum { ID_SIZE = sizeof("00000000-0000-4000-8000-000000000000") };

/* A random UUID (version 4), in lower case. */
int id_new(char ret_id[static ID_SIZE], struct err *err);

/* Two lower-case digits a byte and a NUL: ret_hex has room for 2 * bytes.len + 1. */
void id_hex(struct str bytes, char *ret_hex);

#endif
