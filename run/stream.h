/*
 * The output of a command on its way into memory: terminal escapes are taken out, then secrets, and only what is left is kept,
 * bounded.
 */
#ifndef BAILEY_RUN_STREAM_H
#define BAILEY_RUN_STREAM_H

#include "run/capture.h"
#include "run/terminal_text.h"
#include "run/redact.h"

struct stream {
        struct capture capture;
        struct terminal_text *plain;     /* NULL: bytes stay as they are */
        const struct redactor *redactor; /* NULL: there are no secrets */
        struct redact_state redact;
        uint64_t came; /* bytes, as the command wrote them */
};

/* Uses `redactor` until it is settled or freed. */
int stream_init(struct stream *stream, size_t limit, enum terminal_text_mode mode, const struct redactor *redactor,
                struct err *err);
void stream_free(struct stream *stream);

/* One read(). Returns bytes read, 0 at the end, -1 with errno: EAGAIN, EINTR, ... */
ssize_t stream_read(struct stream *stream, int fd);

/* The line that is not complete yet is kept as it is now, for somebody who wants to see it; nothing of what may become a
 * secret. */
void stream_flush(struct stream *stream);

/* Nothing more will come of this command; where it could not be started, another one may yet write. */
void stream_end(struct stream *stream);

/* Nobody will: what is kept is all that is needed of it. */
void stream_settle(struct stream *stream);

/* Forgets what is kept, but not how much came. */
void stream_drop(struct stream *stream);

int stream_finish(const struct stream *stream, struct arena *arena, struct captured *ret, struct err *err);

#endif
