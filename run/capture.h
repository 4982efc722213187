/*
 * Captures a stream of bytes in bounded memory: its head and its tail are kept, the bytes between are counted. Uses `limit`
 * bytes and a constant. What was kept depends on the bytes alone, not on the pieces they came in.
 */
#ifndef BAILEY_RUN_CAPTURE_H
#define BAILEY_RUN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
        CAPTURE_LIMIT_MIN = 1 << 10,
        CAPTURE_RING_MIN = 256 << 10, /* what one read can take, however small the limit is */
        CAPTURE_PIPE_SIZE = 256 << 10,
};

struct capture {
        char *head; /* the one allocation; the ring lies behind the head */
        size_t head_size, head_len;
        char *ring; /* the newest bytes after the head, `ring_at` is where the next one goes */
        size_t ring_size, ring_at;
        size_t tail_size; /* how much of the ring the limit lets us show */
        uint64_t total;
};

/* A limit below CAPTURE_LIMIT_MIN is ERR_INVALID. Memory is touched only as far as there is output. */
int capture_init(struct capture *capture, size_t limit, struct err *err);
void capture_free(struct capture *capture);

/* A large pipe, both ends close-on-exec; [0], the end to read from, does not block. */
int capture_pipe(int ret_fds[2], struct err *err);

/* One read() straight into place. Returns bytes read, 0 at the end, -1 with errno: EAGAIN, EINTR, ... */
ssize_t capture_read(struct capture *capture, int fd);
void capture_add(struct capture *capture, struct str bytes);

/* Returns true if there was more output than will be shown. */
bool capture_is_truncated(const struct capture *capture);

/* Bytes of memory that hold output. */
size_t capture_kept(const struct capture *capture);

struct captured {
        struct str text;        /* UTF-8, and a NUL behind it */
        uint64_t total, elided; /* bytes of the stream; those that were left out within the text */
        uint64_t next;          /* where what follows the text begins */
        bool truncated;
        bool invalid_utf8; /* each byte of the text that was not UTF-8 became U+FFFD */
};

/* Head, "... (output truncated, N bytes elided)" on a line of its own, tail; cut between lines where one ends within the
 * nearest quarter of a half, else between characters. May be called at any time, repeatedly. The text lives in the arena. */
int capture_finish(const struct capture *capture, struct arena *arena, struct captured *ret, struct err *err);

/* The same, of at most `limit` bytes. */
int capture_show(const struct capture *capture, size_t limit, struct arena *arena, struct captured *ret, struct err *err);

/* Returns what was kept from an offset on, at most `limit` bytes, with a mark for elided bytes. */
int capture_since(const struct capture *capture, uint64_t since, size_t limit, struct arena *arena, struct captured *ret,
                  struct err *err);

#endif
