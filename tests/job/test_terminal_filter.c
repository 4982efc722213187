#include "tests/test.h"

#include <stdlib.h>

#include "run/terminal_filter.h"
#include "tests/job/pieces.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Pieces of up to `chunk` bytes; 0: in one. */
static void filter(struct str bytes, size_t chunk, bool end, struct buf *got) {
        static struct terminal_filter f;

        f = (struct terminal_filter){};
        for (struct str rest = bytes, piece; rest.len > 0; rest = str_skip(rest, piece.len)) {
                char *exact;

                piece = str_take(rest, chunk ? 1 + any(chunk) : rest.len);
                exact = malloc(piece.len);
                memcpy(exact, piece.ptr, piece.len);
                terminal_filter_feed(&f, str_from(exact, piece.len), take, got);
                free(exact);
        }
        if (end)
                terminal_filter_end(&f, take, got);
}

static void check(struct str bytes, bool end, struct str expected) {
        for (size_t chunk = 0; chunk < 4; chunk++) {
                BUF_AUTO got;

                buf_init(&got, SIZE_MAX);
                filter(bytes, chunk, end, &got);
                assert_str_equal(buf_str(&got), expected);
        }
}

/* ---- what passes as it is ---- */

static void test_passes(void **state) {
        static const char *const rows[] = {
                "plain text, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x80\x8d\r\n\tand \a\b\v\f",
                "\x1b[H\x1b[2J\x1b[3;4H\x1b[5A\x1b[K\x1b[1P\x1b[2@\x1b[3L\x1b[4M\x1b[2S\x1b[2T\x1b[3X\x1b[7b\x1b[5d\x1b[6G",
                "\x1b[Z\x1b[g\x1b[1;9r\x1b[s\x1b[u",
                "\x1b[0;1;38;5;196;48;2;1;2;3m\x1b[4:3m\x1b[38:2::1:2:3m\x1b[m",
                "\x1b[?1049h\x1b[?1h\x1b=\x1b[?25l\x1b[?2004h\x1b[?1000;1006h\x1b[?1049l\x1b>",
                "\x1b[4h\x1b[4l\x1b[34h\x1b[!p\x1b[2 q\x1b[ q",
                "\x1b[6n\x1b[5n\x1b[?6n\x1b[c\x1b[0c\x1b[>c\x1b[?2026$p\x1b[4$p\x1b[18t\x1b[22;0;0t\x1b[23t\x1b[?u\x1b[?4m",
                "\x1b[>1u\x1b[=1;1u\x1b[<u\x1b[>4;2m",
                "\x1b"
                "7\x1b"
                "8\x1b"
                "c\x1b"
                "D\x1b"
                "E\x1b"
                "H\x1b"
                "M\x1b(0\x1b(B\x1b)0\x0e\x0f\x1b#8",
                "\x1b]0;a title\x1b\\\x1b]2;\xc3\xa4\x1b\\",
                "\x1b]8;id=1;https://example.com/a?b=c;d\x1b\\text\x1b]8;;\x1b\\",
        };

        (void)state;
        for (size_t i = 0; i < COUNT(rows); i++)
                check(str_z(rows[i]), false, str_z(rows[i]));
}

/* ---- what does not ---- */

static void test_drops(void **state) {
        static const struct str rows[] = {
                STR("\x05"),
                STR("\x00"),
                STR("\x11\x13\x7f\x18\x1a"),
                /* answers that hold text */
                STR("\x1bZ"),
                STR("\x1b[20t"),
                STR("\x1b[21t"),
                STR("\x1b[021t"),
                STR("\x1b[=c"),
                STR("\x1b[>q"),
                STR("\x1b[x"),
                STR("\x1b[1;1;1;1;9;9*y"),
                STR("\x1bP$qm\x1b\\"),
                STR("\x1bP+q544e\x1b\\"),
                STR("\x1bP\x05\x1b\\"),
                STR("\x1b]4;0;?\a"),
                STR("\x1b]10;?\x1b\\"),
                STR("\x1b]11;?\a"),
                STR("\x1b]50;?\a"),
                STR("\x1b]l;x\x1b\\"),
                /* windows */
                STR("\x1b[2t"),
                STR("\x1b[3;0;0t"),
                STR("\x1b[8;5;5t"),
                STR("\x1b[t"),
                STR("\x1b[24t"),
                STR("\x1b[?3h"),
                STR("\x1b[?40h"),
                /* the clipboard, files, notifications, marks */
                STR("\x1b]52;c;cm0gLXJmIH4K\a"),
                STR("\x1b]52;c;?\x1b\\"),
                STR("\x1b]0052;c;?\x1b\\"),
                STR("\x1b]5522;type=read\x1b\\"),
                STR("\x1b]1337;File=name=eA==:AAAA\a"),
                STR("\x1b]7;file:///\a"),
                STR("\x1b]9;text\a"),
                STR("\x1b]133;A\a"),
                STR("\x1b]777;notify;a;b\a"),
                STR("\x1b]3;x=y\a"),
                STR("\x1b]\a"),
                STR("\x1b]0\a"),
                STR("\x1b]8;;file:///etc/passwd\a"),
                STR("\x1b]8;;javascript:x\a"),
                STR("\x1b]8;;https://a b\a"),
                STR("\x1b]8\a"),
                /* printing, keys, other encodings and forms of answers */
                STR("\x1b[i"),
                STR("\x1b[5i"),
                STR("\x1b[?4i"),
                STR("\x1b[?18h"),
                STR("\x1bP1;1|17/6c730a\x1b\\"),
                STR("\x1b%@"),
                STR("\x1b%G"),
                STR("\x1b F"),
                STR("\x1b G"),
                STR("\x1b[61\"p"),
                STR("\x1b[2h"),
                STR("\x1b[12h"),
                STR("\x1b[4;2h"),
                STR("\x1b[1;1;1;1;1T"),
                STR("\x1b[?1001h"),
                STR("\x1bn\x1bo\x1b|\x1b}\x1b~\x1bl\x1bm\x1bN\x1bO\x1b\\"),
                /* strings */
                STR("\x1bPq#0;2;0;0;0~\x1b\\"),
                STR("\x1b_Ga=t;AAAA\x1b\\"),
                STR("\x1b^pm\x1b\\"),
                STR("\x1bXsos\x1b\\"),
                STR("\x1bkname\x1b\\"),
                STR("\x1bPtmux;\x1b\x1b]52;c;eA==\a\x1b\\"),
                /* not well-formed */
                STR("\x1b[1?h"),
                STR("\x1b[??1h"),
                STR("\x1b[99999999999999999999A"),
                STR("\x1b[ !p"),
                STR("\x1b[1\x18"),
                STR("\x1b]0;x\x18"),
        };

        (void)state;
        for (size_t i = 0; i < COUNT(rows); i++)
                check(rows[i], true, STR(""));
}

/* ---- what changes ---- */

struct row {
        struct str bytes, expected;
};

static void check_rows(const struct row *rows, size_t count, bool end) {
        for (size_t i = 0; i < count; i++)
                check(rows[i].bytes, end, rows[i].expected);
}

static void test_bytes(void **state) {
        static const struct row rows[] = {
                /* sequences of one byte, and of one character: in UTF-8, only the latter are */
                { STR("a\xc2\x9b"
                      "1mb"),
                  STR("a\x1b[1mb") },
                { STR("a\xc2\x9b"
                      "5ib"),
                  STR("ab") },
                { STR("a\xc2\x9d"
                      "52;c;eA==\xc2\x9c"
                      "b"),
                  STR("ab") },
                { STR("\xc2\x9d"
                      "0;t\xc2\x9c"
                      "b"),
                  STR("\x1b]0;t\x1b\\b") },
                { STR("\xc2\x90$qm\xc2\x9c"
                      "b"),
                  STR("b") },
                { STR("a\x9b"
                      "5ib"),
                  STR("a\xef\xbf\xbd"
                      "5ib") },
                { STR("a\x9d"
                      "b\x90\x9f\x98\x9e"),
                  STR("a\xef\xbf\xbd"
                      "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
                { STR("\xe2\x82z\xff\xc0\x9b\xed\xa0\x80"),
                  STR("\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
                /* what cuts a sequence short */
                { STR("\x1b[3\nA"), STR("\n\x1b[3A") },
                { STR("\x1b[3\x05"
                      "A"),
                  STR("\x1b[3A") },
                { STR("\x1b[3\x1b[4A"), STR("\x1b[4A") },
                { STR("\x1b[3\x18"
                      "A"),
                  STR("A") },
                { STR("\x1b[3\xc3\xa4"
                      "A"),
                  STR("\xc3\xa4"
                      "A") },
                { STR("\x1b]52;c;\x1b[1mA"), STR("\x1b[1mA") },
                { STR("\x1b]0;t\x1b]2;u\aA"), STR("\x1b]2;u\x1b\\A") },
                { STR("\x1bP\x1b]0;t\a"), STR("\x1b]0;t\x1b\\") },
                { STR("\x1b\x1b[1mA"), STR("\x1b[1mA") },
                /* modes that are known stay, others go */
                { STR("\x1b[?3;1049;18;25h"), STR("\x1b[?1049;25h") },
                /* titles are text */
                { STR("\x1b]0;a\nb\xe2\x80\xae"
                      "c\xff\xc2\x85"
                      "d\a"),
                  STR("\x1b]0;abcd\x1b\\") },
                { STR("\x1b]8;;file:///x\atext\x1b]8;;\a"), STR("text\x1b]8;;\x1b\\") },
                /* the Linux console's, without an end */
                { STR("\x1b]Rtext"), STR("text") },
                { STR("\x1b]P0123456text"), STR("text") },
        };

        (void)state;
        check_rows(rows, COUNT(rows), false);
}

static void test_incomplete_never_comes_out(void **state) {
        static const char *const rows[] = { "\x1b",   "\x1b[", "\x1b[1;2", "\x1b]", "\x1b]0;title", "\x1b]0;title\x1b",
                                            "\x1bP1", "\x1b(" };

        (void)state;
        for (size_t i = 0; i < COUNT(rows); i++)
                check(str_z(rows[i]), false, STR(""));
        check(STR("\xe2\x82"), true, STR("\xef\xbf\xbd\xef\xbf\xbd"));
}

static void test_restores_what_is_left_changed(void **state) {
        static const struct row rows[] = {
                { STR("\x1b[31mred\x1b[0m"), STR("\x1b[31mred\x1b[0m") },
                { STR("\x1b[31mred"), STR("\x1b[31mred\x1b[0m") },
                { STR("\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[?25l"),
                  STR("\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[?25l\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?2004l") },
                { STR("\x1b[?1049h\x1b[?1049l"), STR("\x1b[?1049h\x1b[?1049l") },
                { STR("\x1b[?7l\x1b[4h\x0e\x1b(0\x1b=\x1b[5 q"),
                  STR("\x1b[?7l\x1b[4h\x0e\x1b(0\x1b=\x1b[5 q\x1b[?7h\x1b[4l\x0f\x1b(B\x1b>\x1b[0 q") },
                { STR("\x1b[2;5r"), STR("\x1b[2;5r\x1b"
                                        "7\x1b[r\x1b"
                                        "8") },
                { STR("\x1b[>1u\x1b[>4;2m"), STR("\x1b[>1u\x1b[>4;2m\x1b[<9u\x1b[=0u\x1b[>4m") },
                { STR("\x1b[?1000h\x1b"
                      "c"),
                  STR("\x1b[?1000h\x1b"
                      "c") },
        };

        (void)state;
        check_rows(rows, COUNT(rows), true);
}

/* ---- bounds ---- */

static void test_too_long(void **state) {
        BUF_AUTO bytes, got;

        (void)state;
        buf_init(&bytes, SIZE_MAX);
        buf_init(&got, SIZE_MAX);
        buf_append(&bytes, STR("\x1b]0;"));
        for (size_t i = 0; i < 100000; i++)
                buf_char(&bytes, 'x');
        buf_append(&bytes, STR("\aA\x1b["));
        for (size_t i = 0; i < 100000; i++)
                buf_char(&bytes, '1');
        buf_append(&bytes, STR("mB\x1b]0;"));
        for (size_t i = 0; i < 1000; i++)
                buf_char(&bytes, 'y');
        buf_append(&bytes, STR("\a"));
        filter(buf_str(&bytes), 0, true, &got);
        assert_int_equal(got.len, 2 + 4 + TERMINAL_TITLE_MAX + 2);
        assert_memory_equal(got.ptr, "AB\x1b]0;yyy", 9);
}

/* A string that never ends shows nothing, and takes no memory; what is fed does not matter, so a piece of it stands for all. */
static void test_without_end(void **state) {
        static char piece[1 << 20];
        static struct terminal_filter f;
        BUF_AUTO got;

        (void)state;
        buf_init(&got, SIZE_MAX);
        memset(piece, 'x', sizeof(piece));
        terminal_filter_feed(&f, STR("a\x1b]52;c;"), take, &got);
        for (size_t i = 0; i < 1024; i++)
                terminal_filter_feed(&f, str_from(piece, sizeof(piece)), take, &got);
        terminal_filter_feed(&f, STR("\ab"), take, &got);
        assert_str_equal(buf_str(&got), STR("ab"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_passes),
                cmocka_unit_test(test_drops),
                cmocka_unit_test(test_bytes),
                cmocka_unit_test(test_incomplete_never_comes_out),
                cmocka_unit_test(test_restores_what_is_left_changed),
                cmocka_unit_test(test_too_long),
                cmocka_unit_test(test_without_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
