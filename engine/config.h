/*
 * How api/ returns results to the caller of the library.
 */
#ifndef BAILEY_ENGINE_CONFIG_H
#define BAILEY_ENGINE_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Copies the message, if the caller has a buffer for it; returns -1. */
int config_hand_error(const struct err *err, char *ret_error, size_t error_size);

/* What an answer points to, for its `memory`. NULL, and an error, without memory. */
struct arena *config_memory_new(struct err *err);
void config_memory_free(void *memory);

/* Gives the buffer's memory to the caller, with a NUL behind the text; -1, and all is freed, when it did not fit. */
int config_hand_text(struct buf *text, char **ret_text, size_t *ret_length);

#endif
