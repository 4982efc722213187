#include "run/capture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "base/pages.h"

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
                return err_set(err, ERR_INVALID, "capture limit of %zu bytes is too small: the minimum is %d", limit,
                               CAPTURE_LIMIT_MIN);
        c.ring_size = c.tail_size + RING_SPARE;
        if (c.ring_size < CAPTURE_RING_MIN)
                c.ring_size = CAPTURE_RING_MIN;
        if (c.ring_size > SIZE_MAX - c.head_size || !(c.head = pages_new(c.head_size + c.ring_size)))
                return err_set(err, ERR_MEMORY, "out of memory for %zu bytes of output", limit);
        c.ring = c.head + c.head_size;
        *capture = c;
        return 0;
}

void capture_free(struct capture *capture) {
        pages_free(capture->head, capture->head_size + capture->ring_size);
        *capture = (struct capture){ 0 };
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
         * bytes do. If another process waits for the processor, yield it: there will be more to read at once. */
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

bool capture_is_truncated(const struct capture *c) {
        return c->total > c->head_size + c->tail_size;
}

size_t capture_kept(const struct capture *c) {
        uint64_t after_head = c->total - c->head_len;

        return c->head_len + (size_t)(after_head < c->ring_size ? after_head : c->ring_size);
}

/* ---- what is shown ---- */

/* Positions are those of the stream. Kept are those before `head_len`, and the newest ones from here on: */
static uint64_t tail_from(const struct capture *c) {
        uint64_t after_head = c->total - c->head_len;

        return c->total - (after_head < c->tail_size ? after_head : c->tail_size);
}

static size_t ring_index(const struct capture *c, uint64_t at) {
        return (c->ring_at + c->ring_size - (size_t)(c->total - at)) % c->ring_size;
}

static unsigned char byte_at(const struct capture *c, uint64_t at) {
        return (unsigned char)(at < c->head_len ? c->head[at] : c->ring[ring_index(c, at)]);
}

static void copy(const struct capture *c, uint64_t from, uint64_t to, char *text) {
        size_t len = from < c->head_len ? (size_t)((to < c->head_len ? to : c->head_len) - from) : 0, index, first;

        if (len)
                memcpy(text, c->head + from, len);
        text += len;
        from += len;
        if (from == to)
                return;
        index = ring_index(c, from);
        len = (size_t)(to - from);
        first = c->ring_size - index < len ? c->ring_size - index : len;
        memcpy(text, c->ring + index, first);
        memcpy(text + first, c->ring, len - first);
}

static bool is_continuation(unsigned char byte) {
        return (byte & 0xc0) == 0x80;
}

/* `to`, or before a character that would not be complete there. */
static uint64_t whole_character(const struct capture *c, uint64_t from, uint64_t to) {
        for (uint64_t back = 1; back < UTF8_MAX && back <= to - from; back++) {
                unsigned char byte = byte_at(c, to - back);
                uint64_t wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;

                if (!is_continuation(byte))
                        return wanted > back ? to - back : to;
        }
        return to;
}

/* The end of a stretch of `room` bytes; where not even one character has room, it is cut, or reading would never go on. */
static uint64_t stretch_end(const struct capture *c, uint64_t from, uint64_t room) {
        uint64_t to = whole_character(c, from, from + room);

        return to > from ? to : from + room;
}

/* The end of a beginning of at most `most` bytes, behind which something is left out. */
static uint64_t head_end(const struct capture *c, uint64_t most) {
        for (uint64_t at = most; at > most - most / NEAR; at--)
                if (byte_at(c, at - 1) == '\n')
                        return at;
        return whole_character(c, 0, most);
}

/* The start of an end of at most `most` bytes, before which something is left out. */
static uint64_t tail_start(const struct capture *c, uint64_t most) {
        uint64_t from = c->total - most, at;

        for (at = from; at <= from + most / NEAR; at++)
                if (byte_at(c, at - 1) == '\n')
                        return at;
        for (at = from; at < c->total && at < from + UTF8_MAX - 1 && is_continuation(byte_at(c, at)); at++)
                ;
        return at;
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
        text = arena_bytes(arena, len + 1);
        if (!text)
                return err_set(err, ERR_MEMORY, "out of memory for %zu bytes of output", len);
        replace_invalid(captured->text, text);
        text[len] = 0;
        captured->text = str_from(text, len);
        captured->invalid_utf8 = true;
        return 0;
}

/* What is shown: two stretches, and between them what is left out. */
struct view {
        uint64_t from, to, again, end;
};

static int show(const struct capture *c, const struct view *view, struct arena *arena, struct captured *ret, struct err *err) {
        struct captured captured = { .total = c->total, .next = view->end, .elided = view->again - view->to };
        size_t first = (size_t)(view->to - view->from), second = (size_t)(view->end - view->again);
        char marker[MARKER_MAX] = "", *text;
        int marker_len = 0;

        captured.truncated = captured.elided > 0;
        if (captured.truncated)
                marker_len = snprintf(marker, sizeof(marker), "%s... (output truncated, %" PRIu64 " bytes elided)\n",
                                      first && byte_at(c, view->to - 1) != '\n' ? "\n" : "", captured.elided);
        captured.text.len = first + (size_t)marker_len + second;
        captured.text.ptr = text = arena_bytes(arena, captured.text.len + 1);
        if (!text)
                return err_set(err, ERR_MEMORY, "out of memory for %zu bytes of output", captured.text.len);
        copy(c, view->from, view->to, text);
        memcpy(text + first, marker, (size_t)marker_len);
        copy(c, view->again, view->end, text + first + marker_len);
        text[captured.text.len] = 0;
        if (make_valid(&captured, arena, err) < 0)
                return -1;
        *ret = captured;
        return 0;
}

int capture_show(const struct capture *c, size_t limit, struct arena *arena, struct captured *ret, struct err *err) {
        size_t most = c->head_size + c->tail_size;
        struct view view = { .to = c->total, .again = c->total, .end = c->total };

        if (limit > most)
                limit = most;
        if (c->total > limit) {
                view.to = head_end(c, limit / 2);
                view.again = tail_start(c, limit - limit / 2);
        }
        return show(c, &view, arena, ret, err);
}

int capture_finish(const struct capture *c, struct arena *arena, struct captured *ret, struct err *err) {
        return capture_show(c, SIZE_MAX, arena, ret, err);
}

int capture_since(const struct capture *c, uint64_t since, size_t limit, struct arena *arena, struct captured *ret,
                  struct err *err) {
        uint64_t from = since < c->total ? since : c->total, kept = tail_from(c), room = limit, stop;
        struct view view;

        /* Up to where it goes on without a gap. */
        stop = kept == c->head_len || from >= kept ? c->total : from < c->head_len ? c->head_len : from;
        view = (struct view){ .from = from, .to = stop - from > room ? stretch_end(c, from, room) : stop };
        view.again = view.end = view.to;
        room -= view.to - from;
        if (view.to == stop && stop < c->total && room) {
                view.again = kept;
                view.end = c->total - kept > room ? stretch_end(c, kept, room) : c->total;
        }
        return show(c, &view, arena, ret, err);
}
