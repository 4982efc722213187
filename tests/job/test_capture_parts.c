/*
 * Parts of what was captured: from a place on, or less than all of it; against a model that goes through it byte by byte.
 */
#include "tests/test.h"

#include "run/capture.h"
#include "tests/job/capture_model.h"

enum { STREAM_MAX = 1 << 20 };

static char bytes[STREAM_MAX];

/* A place in the stream that is kept. */
static bool is_kept(const struct capture *c, uint64_t at) {
        return at < c->head_size || at + c->tail_size >= c->total;
}

/* From a place on, byte by byte: what is not kept is skipped at once, and no more than the limit is shown. */
static void check_since(const struct capture *c, struct str stream, uint64_t since, size_t limit) {
        struct expected e = {};
        struct captured captured = {};
        uint64_t from = since < stream.len ? since : stream.len, at = from, gap;
        struct buf before, behind;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        buf_init(&before, SIZE_MAX);
        buf_init(&behind, SIZE_MAX);
        buf_init(&e.text, SIZE_MAX);
        assert_int_equal(capture_since(c, since, limit, &arena, &captured, NULL), 0);
        assert_true(captured.next >= from && captured.next <= stream.len);
        for (; at < captured.next && is_kept(c, at); at++)
                buf_char(&before, stream.ptr[at]);
        for (gap = at; at < captured.next && !is_kept(c, at); at++)
                ;
        e.elided = at - gap;
        for (; at < captured.next; at++)
                buf_char(&behind, stream.ptr[at]);
        assert_true(before.len + behind.len <= limit);
        if (captured.next < stream.len) /* it was full: but for a character that is not cut, and a gap at its very end */
                assert_true(before.len + behind.len + 3 >= limit);
        expect_bytes(&e, buf_str(&before));
        if (e.elided && before.len && before.ptr[before.len - 1] != '\n')
                buf_char(&e.text, '\n');
        if (e.elided)
                buf_format(&e.text, "... (output truncated, %" PRIu64 " bytes elided)\n", e.elided);
        expect_bytes(&e, buf_str(&behind));
        assert_int_equal(captured.total, stream.len);
        assert_int_equal(captured.elided, e.elided);
        assert_int_equal(captured.truncated, e.elided > 0);
        assert_int_equal(captured.invalid_utf8, e.invalid);
        assert_str_equal(captured.text, buf_str(&e.text));
        buf_free(&before);
        buf_free(&behind);
        buf_free(&e.text);
}

/* Somebody reads from one place to the next until there is no more: every byte is shown once, or told to be missing. */
static void check_reader(const struct capture *c, struct str stream, size_t limit) {
        uint64_t at = 0, missing = 0;
        struct captured captured;

        while (at < stream.len) {
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                check_since(c, stream, at, limit);
                assert_int_equal(capture_since(c, at, limit, &arena, &captured, NULL), 0);
                assert_true(captured.next > at);
                missing += captured.elided;
                at = captured.next;
        }
        assert_int_equal(missing, stream.len > c->head_size + c->tail_size ? stream.len - c->head_size - c->tail_size : 0);
}

static void check_show(const struct capture *c, struct str stream, size_t limit) {
        size_t most = c->head_size + c->tail_size;
        struct captured captured = { 0 };
        struct expected e;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (limit > most)
                limit = most;
        expect(&e, stream, limit);
        assert_int_equal(capture_show(c, limit, &arena, &captured, NULL), 0);
        assert_int_equal(captured.elided, e.elided);
        assert_int_equal(captured.next, stream.len);
        assert_str_equal(captured.text, buf_str(&e.text));
        buf_free(&e.text);
}

static void parts_of_any_stream(void **state) {
        (void)state;
        for (int i = 0; i < 300; i++) {
                struct str stream = make_stream(bytes, any(i % 20 ? 6000 : STREAM_MAX));
                size_t limit = 1024 + any(i % 3 ? 4000 : 700000);
                struct capture capture;

                assert_int_equal(capture_init(&capture, limit, NULL), 0);
                capture_add(&capture, stream);
                for (int k = 0; k < 20; k++) {
                        check_since(&capture, stream, any(stream.len + 2), k % 2 ? 4 + any(3000) : SIZE_MAX);
                        check_show(&capture, stream, 8 + any(2 * limit));
                }
                check_since(&capture, stream, UINT64_MAX, 4);
                check_reader(&capture, stream, 4 + any(i % 20 ? 500 : STREAM_MAX));
                capture_free(&capture);
        }
}

/* Less than a character, and nothing but the ends of characters: it stays inside of what there is, and goes on. */
static void hardly_any_room(void **state) {
        static const struct str units[] = { STR("\x80"), STR("\xf0\x9f\x98\x80"), STR("\xff"), STR("\n") };

        (void)state;
        for (size_t unit = 0; unit < 4; unit++)
                for (size_t len = 0; len < 20; len++)
                        for (size_t limit = 1; limit < 9; limit++) {
                                struct captured captured;
                                struct capture capture;
                                ARENA_AUTO arena;
                                uint64_t at = 0;

                                arena_init(&arena, 0);
                                assert_int_equal(capture_init(&capture, 1024, NULL), 0);
                                for (size_t i = 0; i < len; i++)
                                        capture_add(&capture, str_from(&units[unit].ptr[i % units[unit].len], 1));
                                assert_int_equal(capture_show(&capture, limit, &arena, &captured, NULL), 0);
                                assert_true(len - captured.elided <= limit);
                                while (at < len) {
                                        assert_int_equal(capture_since(&capture, at, limit, &arena, &captured, NULL), 0);
                                        assert_true(captured.next > at && captured.next - at <= limit);
                                        at = captured.next;
                                }
                                capture_free(&capture);
                        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(parts_of_any_stream),
                cmocka_unit_test(hardly_any_room),
        };

        return cmocka_run_group_tests_name("capture parts", tests, NULL, NULL);
}
