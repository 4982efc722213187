#include "tests/test.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

#define LONG_50 "0123456789012345678901234567890123456789012345678-"
#define LONG_300 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50

static void set(void **state) {
        struct err err = { .sys = 7 };

        (void)state;
        errno = 3;
        assert_int_equal(err_set(&err, ERR_INVALID, "%s has %d legs", "cat", 5), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_int_equal(err.sys, 0);
        assert_string_equal(err.msg, "cat has 5 legs");
        assert_int_equal(errno, 3);
}

static void nobody_listens(void **state) {
        (void)state;
        assert_int_equal(err_set(NULL, ERR_INVALID, "x"), -1);
        assert_int_equal(err_sys(NULL, "x"), -1);
        assert_int_equal(err_context(NULL, "x"), -1);
}

static void system_errors_say_why(void **state) {
        struct err err = { 0 };

        (void)state;
        errno = ENOENT;
        assert_int_equal(err_sys(&err, "open %s", "/nowhere"), -1);
        assert_int_equal(err.code, ERR_SYSTEM);
        assert_int_equal(err.sys, ENOENT);
        assert_string_equal(err.msg, "open /nowhere: No such file or directory");
        assert_int_equal(errno, ENOENT);
}

static void a_long_name_does_not_hide_the_reason(void **state) {
        struct err err = { 0 };

        (void)state;
        errno = ENOENT;
        err_sys(&err, "open %s", LONG_300);
        assert_non_null(strstr(err.msg, "...: No such file or directory"));
}

static void context_goes_in_front(void **state) {
        struct err err = { 0 };

        (void)state;
        err_set(&err, ERR_NOT_FOUND, "no such key");
        errno = 3;
        assert_int_equal(err_context(&err, "%s:%d", "a.json", 4), -1);
        assert_string_equal(err.msg, "a.json:4: no such key");
        assert_int_equal(err.code, ERR_NOT_FOUND);
        assert_int_equal(errno, 3);
}

static void exactly_full(void **state) {
        struct err err = { 0 };

        (void)state;
        err_set(&err, ERR_INVALID, "%.247s", LONG_300);
        assert_int_equal(strlen(err.msg), 247);
        assert_memory_equal(err.msg, LONG_300, 247);
}

static void long_messages_are_cut(void **state) {
        struct err err = { 0 };

        (void)state;
        err_set(&err, ERR_INVALID, "%.248s", LONG_300);
        assert_int_equal(strlen(err.msg), 247);
        assert_memory_equal(err.msg, LONG_300, 244);
        assert_string_equal(err.msg + 244, "...");
}

static void a_long_context_leaves_the_message(void **state) {
        struct err err = { 0 };

        (void)state;
        err_set(&err, ERR_INVALID, "the reason");
        err_context(&err, "%s", LONG_300);
        assert_int_equal(strlen(err.msg), 123 + strlen(": the reason"));
        assert_non_null(strstr(err.msg, "...: the reason"));
        for (int i = 0; i < 20; i++)
                err_context(&err, "layer %d", i);
        assert_int_equal(strlen(err.msg), 247);
        assert_memory_equal(err.msg, "layer 19: layer 18: ", 20);
        assert_string_equal(err.msg + 244, "...");
}

static void characters_are_not_cut_in_half(void **state) {
        struct err err = { 0 };

        (void)state;
        for (size_t shift = 0; shift < 3; shift++) {
                char text[400];
                struct str rest;

                for (size_t i = 0; i < sizeof(text); i++)
                        text[i] = i < shift ? 'x' : "\xe2\x82\xac"[(i - shift) % 3];
                err_set(&err, ERR_INVALID, "%.*s", (int)sizeof(text), text);
                assert_true(str_ends(str_z(err.msg), STR("...")));
                for (rest = str_z(err.msg); rest.len; rest = str_skip(rest, str_utf8(rest)))
                        assert_int_not_equal(str_utf8(rest), 0);
        }
}

static void a_message_may_quote_itself(void **state) {
        struct err err = { 0 };

        (void)state;
        err_set(&err, ERR_INVALID, "inner");
        err_set(&err, ERR_REFUSED, "outer (%s)", err.msg);
        assert_string_equal(err.msg, "outer (inner)");
        err_context(&err, "%s", err.msg);
        assert_string_equal(err.msg, "outer (inner): outer (inner)");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(set),
                cmocka_unit_test(nobody_listens),
                cmocka_unit_test(system_errors_say_why),
                cmocka_unit_test(a_long_name_does_not_hide_the_reason),
                cmocka_unit_test(context_goes_in_front),
                cmocka_unit_test(exactly_full),
                cmocka_unit_test(long_messages_are_cut),
                cmocka_unit_test(a_long_context_leaves_the_message),
                cmocka_unit_test(characters_are_not_cut_in_half),
                cmocka_unit_test(a_message_may_quote_itself),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
