/*
 * Removes secrets from a stream of bytes: each range that contains a secret becomes "[redacted NAME]", however the stream is
 * cut into chunks. A filter that changes the text (run/terminal_text.h) has to come before this one.
 *
 * Every occurrence of every secret is covered. Where occurrences overlap, one mark stands for all of them, with the name
 * of the longest, so that no part of any stays. Where they do not, this is leftmost-longest.
 *
 * Linear in the length of the stream, and without copies of it: a partial match is a prefix of a known secret, so it need not
 * be stored.
 */
#ifndef BAILEY_RUN_REDACT_H
#define BAILEY_RUN_REDACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/policy.h"

enum {
        REDACT_BYTES_MAX = 1 << 20, /* of all secrets together */
        REDACT_SPANS = 32,
};

/* ---- a stream ---- */

struct redact_secret {
        struct str name, value;
};

struct redactor; /* immutable but for the number of its users, who are of one thread */

/* An empty value is left out, and of equal values all but the first. More than REDACT_BYTES_MAX is ERR_TOO_COMPLEX. In a
 * mark, bytes of a name that are not printable ASCII are shown as "?". `missing` says which secrets were left out; NULL:
 * none. The caller is its first user. */
int redactor_new(const struct redact_secret *secrets, size_t count, const char *missing, const struct redactor **ret,
                 struct err *err);

/* One more user, and one less: it is gone with the last one. NULL is fine. Returns it. */
const struct redactor *redactor_use(const struct redactor *redactor);
void redactor_leave(const struct redactor *redactor);

/* As it was given; of NULL, NULL. */
const char *redactor_missing(const struct redactor *redactor);

/* A range that is to be replaced, once its end is known. */
struct redact_span {
        uint64_t start, end; /* in bytes of the stream */
        uint32_t needle;
};

/* Of one stream; begins zeroed. */
struct redact_state {
        uint64_t at;     /* bytes that came */
        uint64_t passed; /* bytes that were passed on or replaced */
        uint64_t redactions;
        uint32_t node;
        uint32_t span_count;
        struct redact_span spans[REDACT_SPANS]; /* in order, apart; were there more, the last ones become one */
};

typedef void redact_out(void *context, struct str bytes);

/* Calls `out` with what may be passed on; at most the length of the longest secret is kept back. The slices given to `out` are
 * the caller's own bytes or the redactor's. */
void redact_feed(const struct redactor *redactor, struct redact_state *state, struct str bytes, redact_out *out, void *context);
/* The stream is over: passes on the rest. */
void redact_end(const struct redactor *redactor, struct redact_state *state, redact_out *out, void *context);

/* ---- what is secret ---- */

enum {
        REDACT_VALUE_MIN = 8,  /* bytes of a variable or a password: a shorter one would be found everywhere */
        REDACT_TOKEN_MIN = 16, /* bytes of what only looks like a secret */
        REDACT_STORE_TOKENS = 256,
        REDACT_STORE_FILES = 256,
        REDACT_STORE_PLACES = 1024, /* files and directories that are read */
        REDACT_STORE_DEPTH = 4,
        REDACT_FILE_MAX = 64 << 10,
        REDACT_FILES_BYTES = REDACT_BYTES_MAX / 2, /* of all tokens: the environment comes first */
};

struct redact_secret_list {
        struct redact_secret *items;
        size_t count, room;
        size_t cut;        /* at so many places a bound was met: there is more than is in the list */
        struct str cut_at; /* the first of these */
};

/* Every variable that env_judge() drops as a secret, or that the config sets to something else: its value, and that as it
 * stands in a URL and in JSON. Values are in the arena, names in `environment`. */
int redact_collect_env(const struct env_policy *policy, const char *const *environment, struct arena *arena,
                       struct redact_secret_list *list, struct err *err);

/* The value of one that is secret for another reason, if it is not there already. */
int redact_collect_variable(const struct env_policy *policy, struct str name, struct str value, struct arena *arena,
                            struct redact_secret_list *list, struct err *err);

/* What the regular files that `paths` (ends with NULL) are or hold keep secret: the values that their format says are
 * (redact_known.c), and every distinctive token: a key, a line of one. Of a file that is too long, its beginning. A path may be
 * a symbolic link, links below it are not followed. What cannot be read holds nothing that a command could print. The name is
 * the file's path, with ~ for `home` (may be NULL). */
int redact_collect_files(const char *const *paths, const char *home, struct arena *arena, struct redact_secret_list *list,
                         struct err *err);

/*
 * Values that the format of a credential file says are secret: what stands behind "password" is one, random or not.
 */

/* Negative: stop. The value is valid during the call only. */
typedef int redact_known_found(void *context, struct str value);

/*
 * Calls `found` with each secret value of a file, as it stands there and, where that is different, as it is meant (without
 * escapes). What a file is, is seen in its text: its name may be that of a link's target. A value of less than
 * REDACT_VALUE_MIN bytes, one that everybody knows, a URL, a path and a reference to a variable are none.
 */
int redact_known(struct str text, redact_known_found *found, void *context);

#endif
