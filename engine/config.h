/*
 * How the answers of config.c, config_trust.c and env.c leave the library.
 */
#ifndef BAILEY_ENGINE_CONFIG_H
#define BAILEY_ENGINE_CONFIG_H

#include "base/buf.h"
#include "base/err.h"

/* Copies the message, if anybody wants it; returns -1. */
int config_hand_error(const struct err *err, char *ret_error, size_t error_size);

/* Gives the buffer's memory to the caller, with a NUL behind the text; -1, and all is freed, when it did not fit. */
int config_hand_text(struct buf *text, char **ret_text, size_t *ret_length);

#endif
