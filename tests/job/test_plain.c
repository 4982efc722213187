#include "tests/test.h"

#include <stdlib.h>

#include "run/terminal_text.h"
#include "tests/job/pieces.h"

/* Pieces of up to `chunk` bytes; 0: in one. */
static bool make_plain(struct str bytes, size_t chunk, struct buf *got) {
        static struct terminal_text plain;

        terminal_text_init(&plain, TERMINAL_TEXT);
        for (struct str rest = bytes, piece; rest.len > 0; rest = str_skip(rest, piece.len)) {
                char *exact;

                piece = str_take(rest, chunk ? 1 + any(chunk) : rest.len);
                exact = malloc(piece.len);
                memcpy(exact, piece.ptr, piece.len);
                terminal_text_feed(&plain, str_from(exact, piece.len), take, got);
                free(exact);
        }
        terminal_text_end(&plain, take, got);
        return plain.invalid_utf8;
}

static void check(struct str bytes, struct str expected) {
        for (size_t chunk = 0; chunk < 4; chunk++) {
                BUF_AUTO got;

                buf_init(&got, SIZE_MAX);
                make_plain(bytes, chunk, &got);
                assert_str_equal(buf_str(&got), expected);
        }
}

struct row {
        struct str bytes, expected;
};

static void check_rows(const struct row *rows, size_t count) {
        for (size_t i = 0; i < count; i++)
                check(rows[i].bytes, rows[i].expected);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)))

static void text_stays(void **state) {
        static const struct row rows[] = {
                { STR(""), STR("") },
                { STR("one\ntwo\n"), STR("one\ntwo\n") },
                { STR("\tno newline"), STR("\tno newline") },
                { STR("\n\n"), STR("\n\n") },
                { STR("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n"), STR("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n") },
        };

        (void)state;
        CHECK_ROWS(rows);
}

static void sequences(void **state) {
        static const struct row rows[] = {
                { STR("\033[31mred\033[0m"), STR("red") },
                { STR("\033[38;5;1;48:2::1:2:3mx"), STR("x") },
                { STR("\033[?25lx\033[?25h"), STR("x") },
                { STR("\033[>0;1 qx"), STR("x") },
                { STR("\033[2J\033[Hx"), STR("x") },
                { STR("\033[\nx"), STR("\nx") },            /* a control character ends it */
                { STR("\033[3\xc3\xa9"), STR("\xc3\xa9") }, /* and so does what is not ASCII */
                { STR("\033]0;title\ax"), STR("x") },
                { STR("\033]0;title\033\\x"), STR("x") },
                { STR("\033]0;\xe2\x9c\x9c title\xc2\x9cx"), STR("x") }, /* ST as U+009C, and not as a part of another */
                { STR("\033]8;;http://a/\033\\link\033]8;;\033\\"), STR("link") },
                { STR("\033]0;open\nx"), STR("\nx") },
                { STR("\033]52;c;cm0gLXJmIC8=\030x"), STR("x") },
                { STR("\033P1$r0m\033\\x"), STR("x") },
                { STR("\033Xsos\033\\\033^pm\033\\\033_apc\033\\x"), STR("x") },
                { STR("\033Pq#0\033[31mx"), STR("x") },
                { STR("\033(B\033)0\0337\0338\033c\033=x"), STR("x") },
                { STR("\033 Fx\033#8y\033%Gz"), STR("xyz") },
                { STR("\033\033[1mx"), STR("x") },
                { STR("x\033"), STR("x") },
                { STR("x\033["), STR("x") },
                { STR("x\033]0;"), STR("x") },
                { STR("\033\nx"), STR("\nx") },
        };

        (void)state;
        CHECK_ROWS(rows);
}

static void lines(void **state) {
        static const struct row rows[] = {
                { STR("a\r\nb\r\r\n"), STR("a\nb\n") },
                { STR(" 10%\r 50%\r100%\n"), STR("100%\n") },
                { STR("Downloading\rdone\n"), STR("doneloading\n") },
                { STR("Downloading\r\033[Kdone\n"), STR("done\n") },
                { STR("Downloading\033[2K\rdone\n"), STR("done\n") },
                { STR("Downloading\033[1G\033[0Jdone"), STR("done") },
                { STR("abc\r"), STR("abc") },
                { STR("abc\033[2D\033[Kx"), STR("ax") },
                { STR("abc\033[1Kx"), STR("   x") },
                { STR("a\033[3Cb\033[3C\n"), STR("a   b\n") },
                { STR("abc\033[2Gx\033[99999999999Dy"), STR("yxc") },
                { STR("abc\033[1;2Gx"), STR("abcx") },
                { STR("N\bNA\bAM\bME\bE _\bx"), STR("NAME x") },
                { STR("\b\b\bx"), STR("x") },
                { STR("-\b\\\b|\b/\bdone"), STR("done") },
                { STR("\xe2\x82\xac\xe2\x82\xac\rab"), STR("ab") },
                { STR("ab\r\xe2\x82\xac"), STR("\xe2\x82\xac"
                                               "b") },
                { STR("one\nt\rtwo\nthree"), STR("one\ntwo\nthree") },
        };

        (void)state;
        CHECK_ROWS(rows);
}

static void controls_are_shown(void **state) {
        static const struct row rows[] = {
                { STR("a\0b\a\f\v\x7f"), STR("a^@b^G^L^K^?") },
                { STR("\xc2\x80\xc2\x9b"
                      "31m\xc2\x9f\xc2\xa0"),
                  STR("<U+0080><U+009B>31m<U+009F>\xc2\xa0") },
                { STR("\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9\xef\xbb\xbf"),
                  STR("<U+200B><U+200F><U+202A><U+202E><U+2066><U+2069><U+FEFF>") },
                { STR("\xe2\x80\x8a\xe2\x80\x90\xef\xb8\x8f"), STR("\xe2\x80\x8a\xe2\x80\x90\xef\xb8\x8f") },
                { STR("\xf3\xa0\x80\x80\xf3\xa0\x81\x81\xf3\xa0\x81\xbf"), STR("<U+E0000><U+E0041><U+E007F>") },
        };

        (void)state;
        CHECK_ROWS(rows);
}

/* Of one kind, of several, and from one to another in the midst of what is shown at once. */
static void many_controls(void **state) {
        static const size_t counts[][3] = { { 9, 1, 7 }, { 70000, 3, 16384 }, { 16384, 16384, 1 }, { 3, 50000, 2 } };

        (void)state;
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
                BUF_AUTO bytes, expected;

                buf_init(&bytes, SIZE_MAX);
                buf_init(&expected, SIZE_MAX);
                for (size_t kind = 0; kind < 3; kind++)
                        for (size_t j = 0; j < counts[i][kind]; j++) {
                                buf_char(&bytes, "\0\a\1"[kind]);
                                buf_char(&expected, '^');
                                buf_char(&expected, "@GA"[kind]);
                        }
                check(buf_str(&bytes), buf_str(&expected));
        }
}

static void not_utf8(void **state) {
        static const struct row rows[] = {
                { STR("\xff"), STR("\xef\xbf\xbd") },
                { STR("\xe2\x82"), STR("\xef\xbf\xbd\xef\xbf\xbd") },
                { STR("\xe2\x82x"), STR("\xef\xbf\xbd\xef\xbf\xbdx") },
                { STR("\xe2\x82\xc3\xa9"), STR("\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9") },
                { STR("\xed\xa0\x80"), STR("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
                { STR("\x9b"
                      "31m"),
                  STR("\xef\xbf\xbd"
                      "31m") },
                { STR("\xc2\033[m\x9b"), STR("\xef\xbf\xbd\xef\xbf\xbd") }, /* makes no U+009B */
                { STR("\xf4\x90\xf5"), STR("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
        };
        BUF_AUTO got;

        (void)state;
        CHECK_ROWS(rows);
        buf_init(&got, SIZE_MAX);
        assert_true(make_plain(STR("a\xff"), 1, &got));
        assert_false(make_plain(STR("a\xc3\xa9\xef\xbf\xbd"), 1, &got));
}

static void long_lines(void **state) {
        BUF_AUTO bytes, expected;

        (void)state;
        buf_init(&bytes, SIZE_MAX);
        buf_init(&expected, SIZE_MAX);
        for (int i = 0; i < TERMINAL_LINE_MAX + 2; i++)
                buf_append(&bytes, STR("\xc3\xa9"));
        buf_append(&expected, str_take(buf_str(&bytes), (size_t)TERMINAL_LINE_MAX * 2));
        buf_append(&bytes, STR("\rx\n")); /* goes back to where the part begins */
        buf_append(&expected, STR("x\xc3\xa9\n"));
        check(buf_str(&bytes), buf_str(&expected));

        buf_clear(&expected);
        for (int i = 0; i < TERMINAL_LINE_MAX - 1; i++)
                buf_char(&expected, ' ');
        buf_append(&expected, STR("xy"));
        check(STR("\033[9999Cxy"), buf_str(&expected));
}

/* What is passed on in large parts is the same as byte by byte: where parts end, and what can be gone back to. */
static void long_runs(void **state) {
        static const size_t counts[] = { 1, 2047, 2048, 2049, 4095, 4096, 4097, 16384, 40001 };
        static const char bytes[] = { 'a', '\0', 1, 0x7f };

        (void)state;
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) * sizeof(bytes) * 3; i++) {
                BUF_AUTO text, whole, single;

                buf_init(&text, SIZE_MAX);
                buf_init(&whole, SIZE_MAX);
                buf_init(&single, SIZE_MAX);
                for (size_t before = i % 3; before; before--)
                        buf_char(&text, 'x');
                for (size_t count = counts[i / 3 / sizeof(bytes)]; count; count--)
                        buf_char(&text, bytes[i / 3 % sizeof(bytes)]);
                buf_append(&text, STR("\b\bY\rZ\n"));
                make_plain(buf_str(&text), 0, &whole);
                make_plain(buf_str(&text), 1, &single);
                assert_str_equal(buf_str(&whole), buf_str(&single));
        }
}

static void keep(void **state) {
        static struct terminal_text plain;
        struct str bytes = STR("\033[1m\r\xff");
        BUF_AUTO got;

        (void)state;
        buf_init(&got, SIZE_MAX);
        terminal_text_init(&plain, TERMINAL_KEEP);
        terminal_text_feed(&plain, bytes, take, &got);
        terminal_text_feed(&plain, STR(""), take, &got);
        terminal_text_end(&plain, take, &got);
        assert_str_equal(buf_str(&got), bytes);
}

/* ---- any bytes ---- */

static const struct str letters[] = {
        STR("a"),    STR("word "), STR("\n"),   STR("\r"),       STR("\b"),       STR("\033"),         STR("["),
        STR("]"),    STR("K"),     STR("3"),    STR(";"),        STR("m"),        STR("\a"),           STR("\033\\"),
        STR("\0"),   STR("\xc2"),  STR("\x9b"), STR("\x9c"),     STR("\xe2\x80"), STR("\xae"),         STR("\xf3\xa0\x81"),
        STR("\xff"), STR("G"),     STR("9999"), STR("\xc3\xa9"), STR("P"),        STR("\xe2\x82\xac"), STR("C"),
};

static void assert_plain(struct str text) {
        for (size_t step; text.len; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];

                step = str_utf8(text);
                assert_true(step > 0);
                assert_true(c == '\n' || c == '\t' || (c >= ' ' && c != 0x7f));
                assert_false(c == 0xc2 && (unsigned char)text.ptr[1] < 0xa0);
                assert_false(str_starts(text, STR("\xe2\x80\xae")));
        }
}

static void random_streams(void **state) {
        (void)state;
        for (int i = 0; i < 3000; i++) {
                size_t len = any(i % 20 ? 200 : 20000);
                BUF_AUTO bytes, whole, pieces, again;

                buf_init(&bytes, SIZE_MAX);
                buf_init(&whole, SIZE_MAX);
                buf_init(&pieces, SIZE_MAX);
                buf_init(&again, SIZE_MAX);
                while (bytes.len < len)
                        buf_append(&bytes, letters[any(3) ? any(sizeof(letters) / sizeof(*letters)) : 0]);
                assert_int_equal(make_plain(buf_str(&bytes), 0, &whole), make_plain(buf_str(&bytes), 1 + any(30), &pieces));
                assert_str_equal(buf_str(&whole), buf_str(&pieces));
                assert_plain(buf_str(&whole));
                assert_false(make_plain(buf_str(&whole), 1 + any(30), &again)); /* what is plain stays so */
                assert_str_equal(buf_str(&whole), buf_str(&again));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(text_stays),         cmocka_unit_test(sequences),     cmocka_unit_test(lines),
                cmocka_unit_test(controls_are_shown), cmocka_unit_test(many_controls), cmocka_unit_test(not_utf8),
                cmocka_unit_test(long_lines),         cmocka_unit_test(long_runs),     cmocka_unit_test(keep),
                cmocka_unit_test(random_streams),
        };

        return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
