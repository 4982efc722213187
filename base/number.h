/*
 * Numbers with a point, whatever the program's locale has in its place.
 */
#ifndef BAILEY_BASE_NUMBER_H
#define BAILEY_BASE_NUMBER_H

#include <stdint.h>

#include "base/str.h"

enum { NUMBER_SIZE = 32 };

/* As "%.*g" writes it in C; at most 17 digits. */
void number_format(double value, int digits, char ret_text[static NUMBER_SIZE]);

enum { SIZE_TEXT_SIZE = 24 };

/* A number of bytes for people: "0 bytes", "9.3 GiB". */
void size_format(uint64_t bytes, char ret_text[static SIZE_TEXT_SIZE]);

/* What such a text means to programs: 64k, 1G, 2TiB, by 1024; as much as fits, and 0 if it does not begin with a number. */
uint64_t size_parse(struct str text);

#endif
