/*
 * A command as it is handed over to a sandbox that waits: one record on a socket, with its files.
 */
#ifndef BAILEY_LAUNCH_HANDED_H
#define BAILEY_LAUNCH_HANDED_H

#include <stddef.h>
#include <sys/uio.h>

#include "base/err.h"

enum {
        HANDED_WORDS_MAX = 64,       /* of a command; with more, or more text, it is started in a new sandbox */
        HANDED_TEXT_MAX = 128 << 10, /* the kernel takes no longer word, and the socket hardly a longer record */
        HANDED_PARTS_MAX = HANDED_WORDS_MAX + 2,
};

/* What came, for as long as the process lives. The words stand one behind the other, up to `end`. */
struct handed {
        const char *program, *cwd;
        const char *argv[HANDED_WORDS_MAX + 1];
        const char *end;
        char text[HANDED_TEXT_MAX];
};

/* The record. Returns how many parts it has, 0: too much. */
size_t handed_gather(const char *program, const char *cwd, const char *const *argv, struct iovec ret[static HANDED_PARTS_MAX]);

/* Memory for one, of its own: a library has none, and a thread's stack may be small. NULL: there is none. */
struct handed *handed_new(struct err *err);

/* Waits for it, and makes its files 0, 1 and 2. Ends the process when nobody needs it. */
int handed_receive(int work, struct handed *ret, struct err *err);

#endif
