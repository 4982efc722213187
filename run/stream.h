/*
 * Captures the output of a command: removes terminal escapes, then secrets, and keeps the rest in bounded memory.
 */
#ifndef BAILEY_RUN_STREAM_H
#define BAILEY_RUN_STREAM_H

#include "run/capture.h"
#include "run/screen.h"
#include "run/terminal_text.h"
#include "run/redact.h"

struct stream {
        struct capture capture;
        struct terminal_text *plain;     /* NULL: bytes are not changed */
        const struct redactor *redactor; /* NULL: no secrets */
        struct redact_state redact;
        struct screen *screen; /* that shows it as well, as it came; NULL: none */
        uint64_t came;         /* bytes, as the command wrote them */
};

/* Uses `redactor` until it is settled or freed. */
int stream_init(struct stream *stream, size_t limit, enum terminal_text_mode mode, const struct redactor *redactor,
                struct err *err);
void stream_free(struct stream *stream);

/* One read(). Returns bytes read, 0 at the end, -1 with errno: EAGAIN, EINTR, ... */
ssize_t stream_read(struct stream *stream, int fd);

/* The same for bytes that somebody else has read. */
void stream_add(struct stream *stream, struct str bytes);

/* Keeps the incomplete last line as it is now, for progress reports; without anything that may become a secret. */
void stream_flush(struct stream *stream);

/* The output of this command is complete; if it could not be started, another launch may still write. */
void stream_end(struct stream *stream);

/* No more output will follow: frees everything except the captured output. */
void stream_settle(struct stream *stream);

/* Drops the captured output, but not the byte counts. */
void stream_drop(struct stream *stream);

int stream_finish(const struct stream *stream, struct arena *arena, struct captured *ret, struct err *err);

#endif
