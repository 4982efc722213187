/*
 * What a terminal shows after some bytes, however they were cut into pieces.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/screen.h"

#define CSI "\x1b["

/* On five rows of ten columns; rows are joined by '|', without those at the end that are blank. */
static const struct {
        const char *bytes, *shown;
        unsigned row, column;
} cases[] = {
        { "", "", 0, 0 },
        { "abc", "abc", 0, 3 },
        { "a\r\nb\r\n", "a|b", 2, 0 },
        { "a\nb", "a| b", 1, 2 },
        { "abc\rX", "Xbc", 0, 1 },
        { "abc\b\bX", "aXc", 0, 2 },
        { "\b\bX", "X", 0, 1 },
        { "a\tb", "a       b", 0, 9 },
        { "a\t\t\tb", "a        b", 0, 9 },
        /* wrapping */
        { "0123456789", "0123456789", 0, 9 },
        { "0123456789a", "0123456789|a", 1, 1 },
        { "0123456789\r\na", "0123456789|a", 1, 1 },
        { "0123456789\ba", "01234567a9", 0, 9 },
        { CSI "?7l"
              "0123456789ab",
          "012345678b", 0, 9 },
        { CSI "?7l" CSI "?7h"
              "0123456789ab",
          "0123456789|ab", 1, 2 },
        { "0123456789" CSI "K"
          "a",
          "012345678a", 0, 9 },
        { "1\r\n2\r\n3\r\n4\r\n5\r\n6", "2|3|4|5|6", 4, 1 },
        /* the cursor */
        { CSI "3;4Hx", "||   x", 2, 4 },
        { CSI "99;99Hx", "||||         x", 4, 9 },
        { CSI "Hx" CSI "2Bx" CSI "3Cx" CSI "Ax" CSI "3Dx", "x|    x x| x   x", 1, 5 },
        { "abc" CSI "2Ex" CSI "Fy", "abc|y|x", 1, 1 },
        { "abc" CSI "2Gx" CSI "4dy", "axc|||  y", 3, 3 },
        { CSI "5;5H" CSI "s" CSI "Ha" CSI "ub", "a||||    b", 4, 5 },
        { "ab\x1b"
          "7" CSI "Hx\x1b"
          "8c",
          "xbc", 0, 3 },
        { CSI "0;0Hx", "x", 0, 1 },
        /* erasing */
        { "abcdef" CSI "3G" CSI "K", "ab", 0, 2 },
        { "abcdef" CSI "3G" CSI "1K", "   def", 0, 2 },
        { "abcdef" CSI "3G" CSI "2K", "", 0, 2 },
        { "1\r\n2\r\n3" CSI "2;1H" CSI "J", "1", 1, 0 },
        { "1\r\n2\r\n3" CSI "2;1H" CSI "1J", "||3", 1, 0 },
        { "1\r\n2\r\n3" CSI "2J", "", 2, 1 },
        { "abcdef" CSI "2G" CSI "3X", "a   ef", 0, 1 },
        /* inserting and deleting */
        { "abcdef" CSI "2G" CSI "2@", "a  bcdef", 0, 1 },
        { "0123456789" CSI "2G" CSI "2@", "0  1234567", 0, 1 },
        { "abcdef" CSI "2G" CSI "2P", "adef", 0, 1 },
        { "abcdef" CSI "2G" CSI "99P", "a", 0, 1 },
        { "abc" CSI "2G" CSI "4h"
          "xy" CSI "4l"
          "z",
          "axyzc", 0, 4 },
        { "1\r\n2\r\n3" CSI "2;1H" CSI "L", "1||2|3", 1, 0 },
        { "1\r\n2\r\n3" CSI "1;1H" CSI "M", "2|3", 0, 0 },
        { "1\r\n2\r\n3" CSI "1;1H" CSI "99M", "", 0, 0 },
        { "ab" CSI "3b", "abbbb", 0, 5 },
        /* what scrolls */
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2;4r" CSI "4;1H\nx", "1|3|4|x|5", 3, 1 },
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2;4r" CSI "2;1H\x1bMx", "1|x|2|3|5", 1, 1 },
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2;4r" CSI "3;4H" CSI "Lx", "1|2|   x|3|5", 2, 4 },
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2;4r" CSI "5;1H\n\nx", "1|2|3|4|x", 4, 1 },
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2S", "3|4|5", 4, 1 },
        { "1\r\n2\r\n3\r\n4\r\n5" CSI "2T", "||1|2|3", 4, 1 },
        { CSI "2;4r" CSI "?6h" CSI "1;1Hx" CSI "9;1Hy", "|x||y", 3, 1 },
        { CSI "4;2r"
              "x",
          "x", 0, 1 },
        { "1\r\n\x1b"
          "D 2\x1b"
          "E3",
          "1|| 2|3", 3, 1 },
        /* the alternate screen */
        { "main" CSI "?1049hfull" CSI "?1049l!", "main!", 0, 5 },
        { "main" CSI "?1049h" CSI "Hfull", "full", 0, 4 },
        { "main" CSI "?47h" CSI "?47l", "main", 0, 4 },
        { CSI "?1049hx" CSI "?1049l" CSI "?1049h", "", 0, 0 },
        { CSI "?1049l" CSI "?1049lx", "x", 0, 1 },
        /* tabs */
        { CSI "3g\tx", "         x", 0, 9 },
        { CSI "4G\x1bH\r\tx", "   x", 0, 4 },
        { "\t\t" CSI "Zx", "        x", 0, 9 },
        /* characters */
        { "\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac", 0, 2 },
        { "\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd", 0, 4 },
        { "012345678\xe4\xbd\xa0", "012345678|\xe4\xbd\xa0", 1, 2 },
        { "\xe4\xbd\xa0\rx", "x", 0, 1 },
        { "\xe4\xbd\xa0\bx", " x", 0, 2 },
        { "\xe4\xbd\xa0" CSI "2G" CSI "K", "", 0, 1 },
        { "a\xcc\x81"
          "b",
          "a\xcc\x81"
          "b",
          0, 2 },
        { "012345678a\xcc\x81", "012345678a\xcc\x81", 0, 9 },
        { "\xff\xc3x\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbdx", 0, 3 },
        { "a\xe2\x80\xae"
          "b\xe2\x80\x8b"
          "c\xc2\x9b"
          "d",
          "abcd", 0, 4 },
        { "\x1b(0lqk\x1b(B-", "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x90-", 0, 4 },
        { "\x1b)0\x0eq\x0fq", "\xe2\x94\x80q", 0, 2 },
        { "a\x7f"
          "b\x01\x00",
          "ab", 0, 2 },
        /* what is skipped */
        { CSI "1;31;4:3mred" CSI "0m", "red", 0, 3 },
        { "\x1b]0;title\x07x\x1b]2;y\x1b\\z", "xz", 0, 2 },
        { "\x1bPq#0;2\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z", "xyz", 0, 3 },
        { "\x1b]0;open\x18x", "x", 0, 1 },
        { "\x1b]0;open" CSI "2;2Hx", "| x", 1, 2 },
        { CSI "6n" CSI "c" CSI ">c" CSI "5n\x1bZ" CSI "?1;2$p" CSI "18tx", "x", 0, 1 },
        { CSI "1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19Hx", "x", 0, 1 },
        { CSI "99999999999999999999Cx", "         x", 0, 9 },
        { CSI "\r\nx", "", 1, 0 },
        { CSI ">4;2mx" CSI "!px", "xx", 0, 2 },
        { "\x1b#8x\x1b%Gy", "xy", 0, 2 },
        { "abc\x1b"
          "cx",
          "x", 0, 1 },
};

static void show(const struct screen *screen, struct buf *out) {
        struct screen_state state;
        size_t end = 0;

        screen_state(screen, &state);
        for (unsigned row = 0; row < state.rows; row++) {
                size_t before;

                if (row)
                        buf_char(out, '|');
                before = out->len;
                screen_row(screen, row, out);
                if (out->len > before)
                        end = out->len;
        }
        out->len = end;
}

/* All that are wrong are told. */
static bool check(size_t i, size_t piece) {
        struct str bytes = str_z(cases[i].bytes);
        struct screen_state state;
        struct screen *screen;
        BUF_AUTO shown;

        assert_int_equal(screen_new(5, 10, &screen, NULL), 0);
        for (; bytes.len; bytes = str_skip(bytes, piece))
                screen_feed(screen, str_take(bytes, piece));
        buf_init(&shown, 4096);
        show(screen, &shown);
        buf_char(&shown, 0);
        screen_state(screen, &state);
        screen_free(screen);
        if (strcmp(shown.ptr, cases[i].shown) == 0 && state.row == cases[i].row && state.column == cases[i].column)
                return true;
        print_message("# case %zu: '%s' at %u,%u, not '%s' at %u,%u\n", i, shown.ptr, state.row, state.column, cases[i].shown,
                      cases[i].row, cases[i].column);
        return false;
}

static void what_is_shown(void **state) {
        int wrong = 0;

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                for (size_t piece = 1; piece < 8; piece += 3)
                        wrong += !check(i, piece);
        assert_int_equal(wrong, 0);
}

static struct screen *screen_with(unsigned rows, unsigned columns, const char *bytes) {
        struct screen *screen;

        assert_int_equal(screen_new(rows, columns, &screen, NULL), 0);
        screen_feed(screen, str_z(bytes));
        return screen;
}

static void assert_shown(const struct screen *screen, const char *text) {
        BUF_AUTO shown;

        buf_init(&shown, 1 << 20);
        show(screen, &shown);
        assert_str_equal(buf_str(&shown), str_z(text));
}

static void a_size_changes(void **state) {
        struct screen *screen = screen_with(4, 6, "1\r\n2\r\n3\r\n4abcd");
        struct screen_state now;

        (void)state;
        assert_int_equal(screen_resize(screen, 2, 3, NULL), 0);
        assert_shown(screen, "3|4ab");
        screen_state(screen, &now);
        assert_int_equal(now.row, 1);
        assert_int_equal(now.column, 2);
        assert_int_equal(screen_resize(screen, 3, 8, NULL), 0);
        screen_feed(screen, STR("X\r\nY"));
        assert_shown(screen, "3|4aX|Y");
        screen_free(screen);
        screen = screen_with(2, 4, "\xe4\xbd\xa0\xe5\xa5\xbd");
        assert_int_equal(screen_resize(screen, 1, 3, NULL), 0);
        assert_shown(screen, "\xe4\xbd\xa0");
        screen_free(screen);
}

static void modes_are_known(void **state) {
        struct screen *screen = screen_with(5, 10, CSI "?1h" CSI "?25l" CSI "?1049h");
        struct screen_state now;

        (void)state;
        screen_state(screen, &now);
        assert_true(now.application_cursor && !now.cursor_shown && now.alternate);
        screen_feed(screen, STR(CSI "?1;25;1049l" CSI "?25h"));
        screen_state(screen, &now);
        assert_true(!now.application_cursor && now.cursor_shown && !now.alternate);
        screen_free(screen);
}

/* On the smallest and the largest there is. */
static void any_size(void **state) {
        static const unsigned sizes[][2] = { { 1, 1 }, { 1, 80 }, { 50, 1 }, { SCREEN_ROWS_MAX, SCREEN_COLUMNS_MAX } };

        (void)state;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                struct screen *screen;

                assert_int_equal(screen_new(sizes[i][0], sizes[i][1], &screen, NULL), 0);
                for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
                        screen_feed(screen, str_z(cases[c].bytes));
                screen_free(screen);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_shown),
                cmocka_unit_test(a_size_changes),
                cmocka_unit_test(modes_are_known),
                cmocka_unit_test(any_size),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
