/*
 * Output on its way into memory, in any pieces and looked at between any two of them: no part of a secret is ever kept, and no
 * escape.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "run/stream.h"

enum { LIMIT = 64 << 10 };

static const struct redact_secret secrets[] = {
        { STR("TOKEN"), STR("hunter2hunter3") },
        { STR("LONGER"), STR("hunter2hunter2hunter3-and-more") },
        { STR("KEY"), STR("s\xc3\xa9same ouvre-toi") },
};
enum { SECRETS = sizeof(secrets) / sizeof(*secrets) };

struct scene {
        struct arena arena;
        const struct redactor *redactor;
        struct stream stream;
        int reads, writes; /* the ends of a pipe */
};

static void begin(struct scene *s, enum terminal_text_mode mode, bool has_secrets) {
        int ends[2];

        *s = (struct scene){};
        arena_init(&s->arena, 0);
        if (has_secrets)
                assert_int_equal(redactor_new(secrets, SECRETS, NULL, &s->redactor, NULL), 0);
        assert_int_equal(stream_init(&s->stream, LIMIT, mode, s->redactor, NULL), 0);
        assert_int_equal(capture_pipe(ends, NULL), 0);
        s->reads = ends[0];
        s->writes = ends[1];
}

static void clean(struct scene *s) {
        stream_free(&s->stream);
        redactor_leave(s->redactor);
        close(s->reads);
        if (s->writes >= 0)
                close(s->writes);
        arena_free(&s->arena);
}

static void feed(struct scene *s, struct str bytes) {
        assert_int_equal(write(s->writes, bytes.ptr, bytes.len), bytes.len);
        assert_int_equal(stream_read(&s->stream, s->reads), bytes.len);
}

static struct str text_of(struct scene *s) {
        struct captured captured;

        assert_int_equal(stream_finish(&s->stream, &s->arena, &captured, NULL), 0);
        return captured.text;
}

static bool contains(struct str text, struct str part) {
        return memmem(text.ptr, text.len, part.ptr, part.len) != NULL;
}

/* ---- secrets ---- */

/* Of a part of a secret at the end of the text, as many bytes. */
static size_t part_at_end(struct str text, struct str secret) {
        for (size_t len = secret.len; len > 0; len--)
                if (str_ends(text, str_take(secret, len)))
                        return len;
        return 0;
}

/* Each secret, cut at any two places, with somebody looking at each cut. */
static void a_secret_in_parts(void **state) {
        (void)state;
        for (size_t i = 0; i < SECRETS; i++)
                for (size_t first = 1; first < secrets[i].value.len - 1; first++)
                        for (size_t second = first + 1; second < secrets[i].value.len; second++) {
                                struct str value = secrets[i].value;
                                struct scene s;

                                begin(&s, TERMINAL_TEXT, true);
                                feed(&s, STR("token="));
                                feed(&s, str_take(value, first));
                                stream_flush(&s.stream);
                                assert_int_equal(part_at_end(text_of(&s), value), 0);
                                feed(&s, str_from(value.ptr + first, second - first));
                                stream_flush(&s.stream);
                                assert_int_equal(part_at_end(text_of(&s), value), 0);
                                feed(&s, str_skip(value, second));
                                feed(&s, STR("\nend"));
                                stream_flush(&s.stream);
                                stream_end(&s.stream);
                                assert_true(str_starts(text_of(&s), STR("token=[redacted ")));
                                assert_true(str_ends(text_of(&s), STR("]\nend")));
                                assert_false(contains(text_of(&s), value));
                                assert_int_equal(s.stream.redact.redactions, 1);
                                clean(&s);
                        }
}

/* What begins like one and is none is shown, later. */
static void no_secret_after_all(void **state) {
        struct scene s;

        (void)state;
        begin(&s, TERMINAL_TEXT, true);
        feed(&s, STR("a hunter2hunt"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("a "));
        feed(&s, STR("s")); /* another one may begin here */
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("a hunter2hunt"));
        feed(&s, STR(" hunter2"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("a hunter2hunts "));
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR("a hunter2hunts hunter2"));
        assert_int_equal(s.stream.redact.redactions, 0);
        clean(&s);
}

/* Escapes in between do not hide one: what is looked at is what is shown. */
static void a_secret_in_disguise(void **state) {
        static const struct str rows[] = {
                STR("hunter2\x1b[31mhunter3"),        STR("hunter2\x1b]0;title\x07hunter3"), STR("hunter2x\bhunter3"),
                STR("XXXXXX2hunter3\rhunter"),        STR("hunter2hunter\x1b[0;1m3"),        STR("\x1b[1Ghunter2hunter3"),
                STR("hunter2hunterX\x1b[1D\x1b[0m3"),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                for (size_t piece = 1; piece <= rows[i].len; piece++) {
                        struct scene s;

                        begin(&s, TERMINAL_TEXT, true);
                        for (struct str rest = rows[i]; rest.len; rest = str_skip(rest, piece))
                                feed(&s, str_take(rest, piece));
                        feed(&s, STR("\n"));
                        stream_end(&s.stream);
                        assert_str_equal(text_of(&s), STR("[redacted TOKEN]\n"));
                        clean(&s);
                }
}

/* ---- escapes ---- */

static void an_escape_in_parts(void **state) {
        static const struct str sequences[] = {
                STR("\x1b[31m"),
                STR("\x1b[38;2;1;2;3m"),
                STR("\x1b]0;a title\x07"),
                STR("\x1b]8;;http://x/\x1b\\"),
                STR("\x1b(B"),
                STR("\x1bPq#0;2\x1b\\"),
                STR("\x1b[?25l"),
                STR("\x1b"
                    "c"),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
                for (size_t cut = 0; cut <= sequences[i].len; cut++) {
                        struct scene s;

                        begin(&s, TERMINAL_TEXT, false);
                        feed(&s, STR("before "));
                        if (cut)
                                feed(&s, str_take(sequences[i], cut));
                        stream_flush(&s.stream);
                        assert_str_equal(text_of(&s), STR("before "));
                        if (cut < sequences[i].len)
                                feed(&s, str_skip(sequences[i], cut));
                        feed(&s, STR("after\n"));
                        stream_end(&s.stream);
                        assert_str_equal(text_of(&s), STR("before after\n"));
                        clean(&s);
                }
}

static void a_character_in_parts(void **state) {
        struct scene s;

        (void)state;
        begin(&s, TERMINAL_TEXT, false);
        feed(&s, STR("\xe2"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR(""));
        feed(&s, STR("\x82"));
        stream_flush(&s.stream);
        feed(&s, STR("\xac\xe2"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("\xe2\x82\xac"));
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR("\xe2\x82\xac\xef\xbf\xbd"));
        clean(&s);
}

/* What was shown stays; what goes back later goes back behind it. */
static void a_line_that_is_looked_at(void **state) {
        struct scene s;

        (void)state;
        begin(&s, TERMINAL_TEXT, false);
        feed(&s, STR("10 %\r20 %"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("20 %"));
        stream_flush(&s.stream);
        feed(&s, STR("\r30 %\n"));
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR("20 %30 %\n"));
        clean(&s);
}

static void everything_is_kept(void **state) {
        struct scene s;

        (void)state;
        begin(&s, TERMINAL_KEEP, true);
        assert_null(s.stream.plain);
        feed(&s, STR("\x1b[31mhunter2"));
        stream_flush(&s.stream);
        assert_str_equal(text_of(&s), STR("\x1b[31m"));
        feed(&s, STR("hunter3\x1b[0m"));
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR("\x1b[31m[redacted TOKEN]\x1b[0m"));
        clean(&s);
        begin(&s, TERMINAL_KEEP, false);
        feed(&s, STR("\x1b[31m\0"));
        stream_flush(&s.stream);
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR("\x1b[31m\0"));
        clean(&s);
}

/* ---- any of it ---- */

static uint64_t seed = 88172645463325252;

static size_t any(size_t below) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return seed % below;
}

static const struct str words[] = {
        STR("hunter2"),   STR("hunter3"), STR("hunter2hunter3"), STR("s\xc3\xa9same ouvre-toi"), STR("\n"), STR("h"),
        STR("-and-more"), STR("s\xc3"),   STR("text "),          STR("hunter2hunter2hunter3"),
};

/* Looking does not change what is there, as long as no line goes back over itself. */
static void looking_changes_nothing(void **state) {
        (void)state;
        for (int i = 0; i < 300; i++) {
                struct scene s, other;
                BUF_AUTO all;

                buf_init(&all, LIMIT);
                begin(&s, TERMINAL_TEXT, true);
                begin(&other, TERMINAL_TEXT, true);
                for (size_t count = any(30); count > 0; count--)
                        buf_append(&all, words[any(sizeof(words) / sizeof(*words))]);
                if (all.len)
                        feed(&other, buf_str(&all));
                for (struct str rest = buf_str(&all), piece; rest.len; rest = str_skip(rest, piece.len)) {
                        piece = str_take(rest, 1 + any(20));
                        feed(&s, piece);
                        if (any(2))
                                stream_flush(&s.stream);
                        for (size_t k = 0; k < SECRETS; k++)
                                assert_false(contains(text_of(&s), secrets[k].value));
                }
                stream_end(&s.stream);
                stream_end(&other.stream);
                assert_str_equal(text_of(&s), text_of(&other));
                assert_int_equal(s.stream.came, all.len);
                assert_int_equal(s.stream.redact.redactions, other.stream.redact.redactions);
                clean(&s);
                clean(&other);
        }
}

static void the_end_of_the_pipe(void **state) {
        struct scene s;
        struct err err = {};

        (void)state;
        begin(&s, TERMINAL_TEXT, true);
        assert_int_equal(stream_read(&s.stream, s.reads), -1);
        assert_int_equal(errno, EAGAIN);
        fd_close(TAKE_FD(s.writes));
        assert_int_equal(stream_read(&s.stream, s.reads), 0);
        assert_int_equal(s.stream.came, 0);
        stream_end(&s.stream);
        stream_end(&s.stream);
        assert_str_equal(text_of(&s), STR(""));
        clean(&s);
        assert_int_equal(stream_init(&s.stream, 1, TERMINAL_TEXT, NULL, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_secret_in_parts),    cmocka_unit_test(no_secret_after_all),
                cmocka_unit_test(a_secret_in_disguise), cmocka_unit_test(an_escape_in_parts),
                cmocka_unit_test(a_character_in_parts), cmocka_unit_test(a_line_that_is_looked_at),
                cmocka_unit_test(everything_is_kept),   cmocka_unit_test(looking_changes_nothing),
                cmocka_unit_test(the_end_of_the_pipe),
        };

        return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
