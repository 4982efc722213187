#include "run/stream.h"

#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 128 << 10 }; /* with 64 a flood is captured a tenth slower */

int stream_init(struct stream *stream, size_t limit, enum terminal_text_mode mode, const struct redactor *redactor,
                struct err *err) {
        struct stream s = { .redactor = redactor };

        if (capture_init(&s.capture, limit, err) < 0)
                return -1;
        if (mode != TERMINAL_KEEP) {
                s.plain = malloc(sizeof(*s.plain));
                if (!s.plain) {
                        capture_free(&s.capture);
                        return err_memory(err);
                }
                terminal_text_init(s.plain, mode);
        }
        redactor_use(redactor);
        *stream = s;
        return 0;
}

void stream_free(struct stream *stream) {
        redactor_leave(stream->redactor);
        capture_free(&stream->capture);
        free(stream->plain);
        *stream = (struct stream){};
}

void stream_drop(struct stream *stream) {
        struct stream counts = { .capture.total = stream->capture.total, .came = stream->came };

        counts.redact.redactions = stream->redact.redactions;
        stream_free(stream);
        *stream = counts;
}

/* ---- the stages ---- */

static void keep(void *context, struct str bytes) {
        struct stream *stream = context;

        capture_add(&stream->capture, bytes);
}

static void hide_secrets(void *context, struct str bytes) {
        struct stream *stream = context;

        if (stream->redactor)
                redact_feed(stream->redactor, &stream->redact, bytes, keep, stream);
        else
                keep(stream, bytes);
}

static void take(struct stream *stream, struct str bytes) {
        if (stream->screen)
                screen_feed(stream->screen, bytes);
        if (stream->plain)
                terminal_text_feed(stream->plain, bytes, hide_secrets, stream);
        else
                hide_secrets(stream, bytes);
}

ssize_t stream_read(struct stream *stream, int fd) {
        char chunk[CHUNK];
        ssize_t count;

        if (!stream->plain && !stream->redactor && !stream->screen) {
                count = capture_read(&stream->capture, fd);
        } else {
                count = read(fd, chunk, sizeof(chunk));
                if (count > 0)
                        take(stream, str_from(chunk, (size_t)count));
        }
        stream->came += count > 0 ? (size_t)count : 0;
        return count;
}

void stream_add(struct stream *stream, struct str bytes) {
        take(stream, bytes);
        stream->came += bytes.len;
}

void stream_flush(struct stream *stream) {
        if (stream->plain)
                terminal_text_flush(stream->plain, hide_secrets, stream);
}

void stream_end(struct stream *stream) {
        if (stream->plain)
                terminal_text_end(stream->plain, hide_secrets, stream);
        if (stream->redactor)
                redact_end(stream->redactor, &stream->redact, keep, stream);
}

void stream_settle(struct stream *stream) {
        redactor_leave(stream->redactor);
        stream->redactor = NULL;
        free(stream->plain);
        stream->plain = NULL;
}

int stream_finish(const struct stream *stream, struct arena *arena, struct captured *ret, struct err *err) {
        if (capture_finish(&stream->capture, arena, ret, err) < 0)
                return -1;
        ret->invalid_utf8 |= stream->plain && stream->plain->invalid_utf8;
        return 0;
}
