/*
 * A stream of requests, one JSON object a line, answered in order.
 */
#ifndef BAILEY_CLI_BATCH_H
#define BAILEY_CLI_BATCH_H

#include <jansson.h>

#include "cli/command.h"

enum { INPUT_MAX = 16 << 20 }; /* bytes of a text or a line */

/* `problem`: the line is no JSON object, and the request is NULL. Writes exactly one line. */
typedef void batch_answer(const json_t *request, size_t number, const char *problem, void *context);

enum exit_status batch_run(const char *command, batch_answer *answer, void *context);

/* To standard output, with a newline behind it. */
void batch_write(const char *text, size_t length);

#endif
