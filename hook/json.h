/*
 * Questions and answers of hooks as JSON, with bounds: jansson alone would read any size, and nesting up to its own idea of
 * deep. Settings files are read by base/json5.h, within the same bounds.
 */
#ifndef BAILEY_HOOK_JSON_H
#define BAILEY_HOOK_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "base/str.h"

enum { JSON_BYTES_MAX = 8 << 20, JSON_DEPTH_MAX = 64 };

static inline void json_release(json_t **json) {
        json_decref(*json);
}

/* A value that is let go when the variable goes out of scope: JSON_AUTO x = NULL; */
#define JSON_AUTO __attribute__((cleanup(json_release))) json_t *

/* Reads an object. Duplicate keys are refused: it is not defined which of them counts. Texts may hold NUL. */
int json_read(struct str text, json_t **ret, struct err *err);

/* Puts a value at a path like "a.b", and the objects on the way; takes the value over. */
int json_put(json_t *json, const char *path, json_t *value);

/* A text without NUL, or NULL. */
const char *json_text(const json_t *json);

#endif
