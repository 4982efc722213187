#include "run/capture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "base/fd.h"

enum {
        RING_SPARE = 1,                    /* the byte before the tail: does a line end there? */
        FLOOD_READ = CAPTURE_RING_MIN / 4, /* a read that is not worth being woken for */
        NEAR = 4,                          /* a line's end is near within this part of a half */
        UTF8_MAX = 4,
        MARKER_MAX = 80,
};

/* ---- taking bytes in ---- */

int capture_init(struct capture *capture, size_t limit, struct err *err) {
        struct capture c = { .head_size = limit / 2, .tail_size = limit - limit / 2 };

        if (limit < CAPTURE_LIMIT_MIN)
                return err_set(err, ERR_INVALID, "a capture of %zu bytes is too small: at least %d", limit, CAPTURE_LIMIT_MIN);
        c.ring_size = c.tail_size + RING_SPARE;
        if (c.ring_size < CAPTURE_RING_MIN)
                c.ring_size = CAPTURE_RING_MIN;
        if (c.ring_size > SIZE_MAX - c.head_size || !(c.head = malloc(c.head_size + c.ring_size)))
                return err_set(err, ERR_MEMORY, "no memory to capture %zu bytes of output", limit);
        c.ring = c.head + c.head_size;
        *capture = c;
        return 0;
}

void capture_free(struct capture *capture) {
        free(capture->head);
        *capture = (struct capture){ 0 };
}

int capture_pipe(int ret_fds[2], struct err *err) {
        int fds[2], flags;

        if (fd_pipe(fds, err) < 0)
                return -1;
        /* An ordinary user may have only so many pages in pipes; with the usual 64 KiB it works as well, only slower. */
        (void)fcntl(fds[0], F_SETPIPE_SZ, CAPTURE_PIPE_SIZE);
        flags = fcntl(fds[0], F_GETFL);
        if (flags < 0 || fcntl(fds[0], F_SETFL, flags | O_NONBLOCK) < 0) {
                err_sys(err, "cannot make a pipe non-blocking");
                fd_close(fds[0]);
                fd_close(fds[1]);
                return -1;
        }
        ret_fds[0] = fds[0];
        ret_fds[1] = fds[1];
        return 0;
}

/* The next bytes are where they belong. */
static void advance(struct capture *c, size_t count) {
        size_t head = c->head_size - c->head_len;

        c->total += count;
        if (head > count)
                head = count;
        c->head_len += head;
        c->ring_at = (c->ring_at + (count - head)) % c->ring_size;
}

ssize_t capture_read(struct capture *c, int fd) {
        /* Where bytes go, in order. An empty one does no harm. A read writes no more than it returns, so that it may be
         * offered the whole ring: what it overwrites is older than all that it brings. */
        struct iovec places[] = {
                { c->head + c->head_len, c->head_size - c->head_len },
                { c->ring + c->ring_at, c->ring_size - c->ring_at },
                { c->ring, c->ring_at },
        };
        ssize_t count = readv(fd, places, sizeof(places) / sizeof(*places));

        if (count <= 0)
                return count;
        advance(c, (size_t)count);
        /* A reader that keeps up with a flood is woken for each little write of it, which costs both sides more than the
         * bytes do. If somebody waits for the processor, let them have it: there will be more to read at once. */
        if (count < FLOOD_READ && c->total > CAPTURE_RING_MIN + c->head_size + c->tail_size)
                sched_yield();
        return count;
}

void capture_add(struct capture *c, struct str bytes) {
        while (bytes.len > 0) {
                bool in_head = c->head_len < c->head_size;
                char *place = in_head ? c->head + c->head_len : c->ring + c->ring_at;
                size_t room = in_head ? c->head_size - c->head_len : c->ring_size - c->ring_at;
                struct str piece = str_take(bytes, room);

                memcpy(place, piece.ptr, piece.len);
                advance(c, piece.len);
                bytes = str_skip(bytes, piece.len);
        }
}

/* ---- what is shown ---- */

/* A run of the ring: its newest bytes. */
struct tail {
        const struct capture *capture;
        size_t start, len;
};

static struct tail tail_of(const struct capture *c, size_t len) {
        return (struct tail){ c, (c->ring_at + c->ring_size - len) % c->ring_size, len };
}

static unsigned char tail_byte(const struct tail *tail, size_t i) {
        size_t at = tail->start + i;

        return (unsigned char)tail->capture->ring[at < tail->capture->ring_size ? at : at - tail->capture->ring_size];
}

static void tail_copy(const struct tail *tail, size_t skip, char *to) {
        struct tail rest = tail_of(tail->capture, tail->len - skip);
        size_t first = rest.capture->ring_size - rest.start;

        if (first > rest.len)
                first = rest.len;
        memcpy(to, rest.capture->ring + rest.start, first);
        memcpy(to + first, rest.capture->ring, rest.len - first);
}

/* Bytes at the end of a text that begin a character and do not finish it. */
static size_t cut_character(struct str s) {
        for (size_t back = 1; back < UTF8_MAX && back <= s.len; back++) {
                unsigned char c = (unsigned char)s.ptr[s.len - back];
                size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

                if (c < 0x80 || c >= 0xc0)
                        return wanted > back ? back : 0;
        }
        return 0;
}

/* How much of the head is kept when something is elided behind it. */
static size_t head_end(const struct capture *c) {
        struct str head = str_from(c->head, c->head_len);
        size_t near = c->head_size / NEAR;
        const char *newline = memrchr(head.ptr + head.len - near, '\n', near);

        return newline ? (size_t)(newline + 1 - head.ptr) : head.len - cut_character(head);
}

/* How much of the tail is left out when something is elided before it. */
static size_t tail_start(const struct tail *tail) {
        struct tail before = tail_of(tail->capture, tail->len + 1);
        size_t near = tail->len / NEAR, i = 0;

        if (tail_byte(&before, 0) == '\n')
                return 0;
        for (i = 0; i < near; i++)
                if (tail_byte(tail, i) == '\n')
                        return i + 1;
        for (i = 0; i < UTF8_MAX - 1 && (tail_byte(tail, i) & 0xc0) == 0x80; i++)
                ;
        return i;
}

/* Bytes until the first that is not UTF-8. */
static size_t valid_run(struct str s) {
        size_t at = 0, step;
        uint64_t word;

        for (;;) {
                for (; at + sizeof(word) <= s.len; at += sizeof(word)) {
                        memcpy(&word, s.ptr + at, sizeof(word));
                        if (word & UINT64_C(0x8080808080808080))
                                break;
                }
                step = str_utf8(str_skip(s, at));
                if (step == 0)
                        return at;
                at += step;
        }
}

static size_t count_invalid(struct str s) {
        size_t count = 0;

        for (s = str_skip(s, valid_run(s)); s.len > 0; s = str_skip(s, valid_run(s))) {
                count++;
                s = str_skip(s, 1);
        }
        return count;
}

static void replace_invalid(struct str s, char *to) {
        static const struct str replacement = STR("\xef\xbf\xbd");

        for (;;) {
                size_t run = valid_run(s);

                if (run)
                        memcpy(to, s.ptr, run);
                if (run == s.len)
                        return;
                memcpy(to + run, replacement.ptr, replacement.len);
                to += run + replacement.len;
                s = str_skip(s, run + 1);
        }
}

static int make_valid(struct captured *captured, struct arena *arena, struct err *err) {
        size_t invalid = count_invalid(captured->text), len = captured->text.len + 2 * invalid;
        char *text;

        if (!invalid)
                return 0;
        text = arena_bytes(arena, len);
        if (!text)
                return err_set(err, ERR_MEMORY, "no memory for %zu bytes of output", len);
        replace_invalid(captured->text, text);
        captured->text = str_from(text, len);
        captured->invalid_utf8 = true;
        return 0;
}

int capture_finish(const struct capture *c, struct arena *arena, struct captured *ret, struct err *err) {
        uint64_t after_head = c->total - c->head_len;
        struct tail tail = tail_of(c, after_head < c->tail_size ? (size_t)after_head : c->tail_size);
        struct captured captured = { .total = c->total, .truncated = after_head > c->tail_size };
        size_t head = captured.truncated ? head_end(c) : c->head_len;
        size_t skip = captured.truncated ? tail_start(&tail) : 0;
        char marker[MARKER_MAX] = "";
        int marker_len = 0;
        char *text;

        captured.elided = c->total - head - (tail.len - skip);
        if (captured.truncated)
                marker_len = snprintf(marker, sizeof(marker), "%s... (output truncated, %" PRIu64 " bytes elided)\n",
                                      c->head[head - 1] == '\n' ? "" : "\n", captured.elided);
        captured.text.len = head + (size_t)marker_len + (tail.len - skip);
        captured.text.ptr = text = arena_bytes(arena, captured.text.len);
        if (!text)
                return err_set(err, ERR_MEMORY, "no memory for %zu bytes of output", captured.text.len);
        if (head)
                memcpy(text, c->head, head);
        memcpy(text + head, marker, (size_t)marker_len);
        tail_copy(&tail, skip, text + head + marker_len);
        if (make_valid(&captured, arena, err) < 0)
                return -1;
        *ret = captured;
        return 0;
}
