#include "tests/test.h"

#include <string.h>

#include "base/arena.h"

static void nothing_is_allocated_before_use(void **state) {
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(arena.reserved, 0);
        assert_int_equal(arena.limit, ARENA_LIMIT_DEFAULT);
        arena_reset(&arena);
        arena_rewind(&arena, arena_mark(&arena));
        assert_int_equal(arena.reserved, 0);
}

static void alloc_is_zeroed_and_aligned(void **state) {
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t size = 0; size < 100; size++) {
                char *dirt = arena_bytes(&arena, size % 7), *p = arena_alloc(&arena, size);

                assert_non_null(dirt);
                memset(dirt, 0xff, size % 7);
                assert_non_null(p);
                assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
                for (size_t i = 0; i < size; i++)
                        assert_int_equal(p[i], 0);
                memset(p, 0xff, size);
        }
}

static void bytes_are_packed(void **state) {
        ARENA_AUTO arena;
        char *a, *b;

        (void)state;
        arena_init(&arena, 0);
        a = arena_bytes(&arena, 3);
        b = arena_bytes(&arena, 5);
        assert_ptr_equal(a + 3, b);
        assert_int_equal(arena.used, 8);
}

static void nothing_has_an_address(void **state) {
        ARENA_AUTO bytes, zeroed;

        (void)state;
        arena_init(&bytes, 0);
        arena_init(&zeroed, 0);
        assert_non_null(arena_bytes(&bytes, 0));
        assert_non_null(arena_alloc(&zeroed, 0));
}

static void large_blocks_get_their_own_chunk(void **state) {
        ARENA_AUTO arena;
        char *small, *large;

        (void)state;
        arena_init(&arena, 0);
        small = arena_alloc(&arena, 16);
        large = arena_alloc(&arena, 1 << 20);
        assert_non_null(large);
        memset(large, 1, 1 << 20);
        assert_int_equal(small[0], 0);
        assert_true(arena.reserved < (1 << 20) + (64 << 10));
}

static void limit_holds_and_can_be_used_up(void **state) {
        ARENA_AUTO arena;
        size_t got = 0;

        (void)state;
        arena_init(&arena, 20000);
        while (arena_alloc(&arena, 64)) {
                got += 64;
                assert_true(arena.reserved <= 20000);
        }
        assert_true(got > 19000);
        assert_null(arena_alloc(&arena, 64));
}

static void small_limits_work(void **state) {
        ARENA_AUTO arena, tiny;

        (void)state;
        arena_init(&arena, 1000);
        assert_non_null(arena_alloc(&arena, 500));
        assert_null(arena_alloc(&arena, 1000));
        arena_init(&tiny, 1);
        assert_null(arena_alloc(&tiny, 1));
        assert_null(arena_bytes(&tiny, 0));
        assert_int_equal(tiny.reserved, 0);
}

/* Chunks and memory of any size: what is left at their end may be no multiple of the alignment. */
static void odd_ends_are_aligned(void **state) {
        _Alignas(ARENA_ALIGN) char memory[64];

        (void)state;
        for (size_t size = 1; size <= sizeof(memory); size++) {
                struct arena arena;

                arena_init_fixed(&arena, memory, size);
                arena_bytes(&arena, 1);
                for (const void *p; (p = arena_alloc(&arena, ARENA_ALIGN));)
                        assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
                assert_true(arena.failed);
                arena_init(&arena, 200 + size);
                arena_bytes(&arena, 1);
                for (const void *p; (p = arena_alloc(&arena, ARENA_ALIGN));)
                        assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
                assert_true(arena.failed);
                arena_reset(&arena);
                assert_false(arena.failed);
                arena_free(&arena);
        }
}

static void absurd_sizes_are_refused(void **state) {
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_null(arena_alloc(&arena, SIZE_MAX));
        assert_null(arena_alloc(&arena, SIZE_MAX - 20));
        assert_null(arena_bytes(&arena, SIZE_MAX));
        assert_null(arena_dup(&arena, str_from("x", SIZE_MAX)));
        assert_non_null(arena_alloc(&arena, 1));
}

static void dup_copies_and_terminates(void **state) {
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_string_equal(arena_dup(&arena, str_from("hello", 4)), "hell");
        assert_string_equal(arena_dup(&arena, str_from(NULL, 0)), "");
        assert_memory_equal(arena_dup(&arena, STR("a\0b")), "a\0b", 4);
}

static void reset_keeps_the_largest_chunk(void **state) {
        ARENA_AUTO arena;
        size_t reserved;

        (void)state;
        arena_init(&arena, 0);
        arena_alloc(&arena, 100);
        arena_alloc(&arena, 300000);
        arena_alloc(&arena, 100000);
        arena_reset(&arena);
        reserved = arena.reserved;
        assert_int_equal(arena.used, 0);
        assert_in_range(reserved, 300000, 301000);
        assert_non_null(arena_alloc(&arena, 300000)); /* no new chunk */
        assert_int_equal(arena.reserved, reserved);
}

static void rewind_gives_back_what_came_later(void **state) {
        ARENA_AUTO arena;
        struct arena_mark mark;
        size_t reserved;
        char *kept, *later;

        (void)state;
        arena_init(&arena, 0);
        kept = arena_dup(&arena, STR("kept"));
        mark = arena_mark(&arena);
        reserved = arena.reserved;
        later = arena_bytes(&arena, 10);
        arena_alloc(&arena, 1 << 20);
        arena_rewind(&arena, mark);
        assert_int_equal(arena.reserved, reserved);
        assert_int_equal(arena.used, 5);
        assert_string_equal(kept, "kept");
        assert_ptr_equal(arena_bytes(&arena, 10), later);
}

static void rewind_to_the_very_start(void **state) {
        ARENA_AUTO arena;
        struct arena_mark mark;

        (void)state;
        arena_init(&arena, 0);
        mark = arena_mark(&arena);
        arena_alloc(&arena, 10);
        arena_rewind(&arena, mark);
        assert_int_equal(arena.reserved, 0);
        assert_non_null(arena_alloc(&arena, 10));
}

static void free_leaves_a_usable_arena(void **state) {
        ARENA_AUTO arena;
        struct arena_mark *zeroed;

        (void)state;
        arena_init(&arena, 1 << 20);
        arena_alloc(&arena, 10);
        arena_free(&arena);
        assert_int_equal(arena.reserved, 0);
        assert_int_equal(arena.limit, 1 << 20);
        zeroed = ARENA_NEW(&arena, struct arena_mark);
        assert_non_null(zeroed);
        assert_int_equal(zeroed->used, 0);
}

static void room_grows_and_keeps_what_is_there(void **state) {
        ARENA_AUTO arena;
        uint64_t *items = NULL, *before;
        size_t count = 0, room = 0;

        (void)state;
        arena_init(&arena, 0);
        for (; count < 1000; count++) {
                before = items;
                assert_true(arena_room(&arena, &items, count, &room, sizeof(*items)));
                assert_true(room > count);
                assert_true(before == items || (count & (count - 1)) == 0);
                items[count] = count;
        }
        for (size_t i = 0; i < count; i++)
                assert_int_equal(items[i], i);
}

static void room_past_the_limit_changes_nothing(void **state) {
        ARENA_AUTO arena;
        char *items = NULL, *before;
        size_t count = 0, room = 0, last;

        (void)state;
        arena_init(&arena, 64 << 10);
        while (arena_room(&arena, &items, count, &room, 1000)) {
                items[1000 * count] = (char)('a' + count % 26);
                count++;
        }
        before = items;
        last = room;
        assert_int_equal(count, room);
        assert_false(arena_room(&arena, &items, count, &room, 1000));
        assert_ptr_equal(items, before);
        assert_int_equal(room, last);
        for (size_t i = 0; i < count; i++)
                assert_int_equal(items[1000 * i], 'a' + i % 26);
        assert_false(arena_room(&arena, &items, count, &room, SIZE_MAX / 4));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_is_allocated_before_use),
                cmocka_unit_test(alloc_is_zeroed_and_aligned),
                cmocka_unit_test(bytes_are_packed),
                cmocka_unit_test(nothing_has_an_address),
                cmocka_unit_test(large_blocks_get_their_own_chunk),
                cmocka_unit_test(limit_holds_and_can_be_used_up),
                cmocka_unit_test(small_limits_work),
                cmocka_unit_test(odd_ends_are_aligned),
                cmocka_unit_test(absurd_sizes_are_refused),
                cmocka_unit_test(room_grows_and_keeps_what_is_there),
                cmocka_unit_test(room_past_the_limit_changes_nothing),
                cmocka_unit_test(dup_copies_and_terminates),
                cmocka_unit_test(reset_keeps_the_largest_chunk),
                cmocka_unit_test(rewind_gives_back_what_came_later),
                cmocka_unit_test(rewind_to_the_very_start),
                cmocka_unit_test(free_leaves_a_usable_arena),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
