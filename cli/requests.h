/*
 * A stream of requests, one JSON object a line, answered in order.
 */
#ifndef BAILEY_CLI_REQUESTS_H
#define BAILEY_CLI_REQUESTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "cli/command.h"

enum { INPUT_MAX = 16 << 20, ANSWER_MAX = 64 << 20 }; /* bytes of a text or a line; of an answer */

struct request;

/* `problem`: the line is no JSON object, and the request is NULL. Writes exactly one line. */
typedef void request_answer(const struct request *request, size_t number, const char *problem, void *context);

/* A text of the request, with a NUL behind it; it lives as long as the request. 1: found, 0: there is none, -1: it is no text.
 */
int request_text(const struct request *request, const char *name, struct str *ret);

/* Where nothing reads JSON, it says so. */
enum exit_status requests_answer(const char *command, request_answer *answer, void *context);

/* To standard output, with a newline behind it. */
void output_write(const char *text, size_t length);

/* An answer of a command; that it did not fit into memory has been said, then. */
enum exit_status output_write_buffer(const char *command, const struct buf *answer);

/*
 * A file that is there whole, or not at all.
 */

/* In place of what was there; readable by its owner only. What is no regular file, such as a pipe, is written to. */
int whole_file_write(const char *path, struct str text, struct err *err);

#endif
