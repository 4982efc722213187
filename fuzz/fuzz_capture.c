/*
 * Any bytes in any pieces: what is shown is UTF-8, the counts add up, and the pieces make no difference.
 */
#include <stdint.h>
#include <stdlib.h>

#include "run/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REPEAT = 40 }; /* of an input, so that a short one passes the limit too */

static void require(bool truth) {
        if (!truth)
                abort();
}

static struct captured capture_of(struct str bytes, size_t limit, size_t chunk, struct arena *arena) {
        struct capture capture;
        struct captured captured;

        require(capture_init(&capture, limit, NULL) == 0);
        for (int i = 0; i < REPEAT; i++)
                for (struct str rest = bytes; rest.len > 0; rest = str_skip(rest, chunk))
                        capture_add(&capture, str_take(rest, chunk));
        require(capture_finish(&capture, arena, &captured, NULL) == 0);
        capture_free(&capture);
        return captured;
}

static void check(const struct captured *captured, size_t limit, uint64_t total) {
        size_t replaced = 0, step;

        for (struct str rest = captured->text; rest.len > 0; rest = str_skip(rest, step)) {
                step = str_utf8(rest);
                require(step > 0);
                replaced += str_starts(rest, STR("\xef\xbf\xbd"));
        }
        require(captured->total == total && captured->truncated == (total > limit));
        require(captured->truncated == (captured->elided > 0));
        require(total - captured->elided <= limit && (!captured->truncated || total - captured->elided >= limit - limit / 4));
        require(captured->invalid_utf8 ? replaced > 0 : captured->truncated || captured->text.len == total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes;
        struct captured whole, pieces;
        size_t limit;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (size < 2)
                return 0;
        bytes = str_from((const char *)data + 2, size - 2);
        limit = CAPTURE_LIMIT_MIN + data[0];
        whole = capture_of(bytes, limit, SIZE_MAX / 2, &arena);
        pieces = capture_of(bytes, limit, (size_t)data[1] + 1, &arena);
        check(&whole, limit, (uint64_t)bytes.len * REPEAT);
        require(str_eq(whole.text, pieces.text) && whole.elided == pieces.elided);
        return 0;
}
