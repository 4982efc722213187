/*
 * Requests to the endpoint of a credential: what its host gets, byte for byte, in whichever pieces they come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gateway/forwarded.h"

static const struct forwarded_secret secret = { .host = STR("a.example:8443"),
                                                .name = STR("Private-Token"),
                                                .value = STR("S") };

#define HEAD(fields) "Host: a.example:8443\r\n" fields "Private-Token: S\r\nConnection: close\r\n\r\n"

/* `wanted`: NULL: it is refused. */
static void check(const char *in, const char *wanted, bool over) {
        for (size_t step = strlen(in); step; step = step > 1 ? 1 : 0) {
                struct forwarded *forwarded = calloc(1, sizeof(*forwarded));
                int result = 0;
                BUF_AUTO out;

                buf_init(&out, 1 << 20);
                assert_non_null(forwarded);
                forwarded->secret = &secret;
                for (size_t i = 0; i < strlen(in) && result == 0; i += step)
                        result = forwarded_feed(forwarded, str_from(in + i, step), &out);
                if (!wanted) {
                        if (result == 0 || !forwarded->why)
                                fail_msg("%s\nis passed on", in);
                } else {
                        buf_char(&out, '\0');
                        assert_string_equal(out.ptr, wanted);
                        assert_int_equal(result, 0);
                        assert_int_equal(forwarded->state == FORWARDED_OVER, over);
                }
                free(forwarded);
        }
}

static void the_secret_is_added(void **state) {
        (void)state;
        check("GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:61000\r\nAccept: */*\r\n\r\n",
              "GET /a?b HTTP/1.1\r\n" HEAD("Accept: */*\r\n"), true);
        check("GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n", "GET / HTTP/1.0\r\n" HEAD(""), true);
        check("GET / HTTP/1.1\r\nHost: a\r\n", "", false);
        check("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabc",
              "PUT / HTTP/1.1\r\n" HEAD("Content-Length: 4\r\n") "abc", false);
}

static void headers_of_the_command_do_not_count(void **state) {
        static const char *const dropped[] = {
                "Private-Token: mine\r\n",
                "private-token: mine\r\nPRIVATE-TOKEN: mine\r\n",
                "Private_Token: mine\r\n",
                "Private-Token:\r\n",
                "Connection: keep-alive\r\nKeep-Alive: 5\r\n",
                "Connection: x-a , X-B\r\nX-A: 1\r\nConnection: x-c\r\nx-b: 1\r\nX-C: 1\r\n",
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n",
                "Upgrade: websocket\r\n",
                "TE: trailers\r\nTrailer: X\r\n",
                "Proxy-Authorization: x\r\nProxy-Connection: x\r\n",
        };
        char text[512];

        (void)state;
        for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++) {
                snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", dropped[i]);
                check(text, "GET / HTTP/1.1\r\n" HEAD(""), true);
        }
        /* but not what says where the request ends */
        check("PUT / HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: 1\r\n\r\na",
              "PUT / HTTP/1.1\r\n" HEAD("Content-Length: 1\r\n") "a", true);
        check("GET / HTTP/1.1\r\nHost: a\r\nPrivate-Tokens: 1\r\n\r\n", "GET / HTTP/1.1\r\n" HEAD("Private-Tokens: 1\r\n"),
              true);
}

#define SECOND "GET /second HTTP/1.1\r\nHost: a\r\n\r\n"

static void one_request_is_passed_on(void **state) {
        (void)state;
        check("GET / HTTP/1.1\r\nHost: a\r\n\r\n" SECOND, "GET / HTTP/1.1\r\n" HEAD(""), true);
        check("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" SECOND,
              "PUT / HTTP/1.1\r\n" HEAD("Content-Length: 3\r\n") "abc", true);
        check("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" SECOND,
              "PUT / HTTP/1.1\r\n" HEAD("Content-Length: 0\r\n"), true);
        check("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n" SECOND,
              "PUT / HTTP/1.1\r\n" HEAD("Transfer-Encoding: chunked\r\n") "2\r\nab\r\n0\r\n\r\n", true);
}

static void what_can_be_read_in_two_ways_is_refused(void **state) {
        static const char *const bad[] = {
                "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\nHost: a\n\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n",
                "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "PUT / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: trailer\r\n\r\n",
                ("GET / HTTP/1.1\r\nHost: a\r\nConnection: a\r\nConnection: b\r\nConnection: c\r\nConnection: d\r\nConnection: "
                 "e\r\n\r\n"),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                check(bad[i], NULL, false);
}

static void heads_end(void **state) {
        static char text[FORWARDED_HEAD_MAX + 64];
        int len = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\nX: ");

        (void)state;
        memset(text + len, 'a', FORWARDED_HEAD_MAX + 1 - (size_t)len);
        check(text, NULL, false);
        text[FORWARDED_HEAD_MAX] = '\0';
        check(text, "", false);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_secret_is_added),
                cmocka_unit_test(headers_of_the_command_do_not_count),
                cmocka_unit_test(one_request_is_passed_on),
                cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
                cmocka_unit_test(heads_end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
