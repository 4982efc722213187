#include "policy/hosts.h"
#include "tests/test.h"

/* ---- which host ---- */

static const struct {
        struct str url;
        const char *host; /* NULL: not certain */
        enum host_kind kind;
        unsigned port;
} urls[] = {
        { STR("https://github.com/a/b"), "github.com", HOST_NAME, 0 },
        { STR("github.com"), "github.com", HOST_NAME, 0 },
        { STR("github.com/a?b#c"), "github.com", HOST_NAME, 0 },
        { STR("HTTPS://GitHub.COM/"), "github.com", HOST_NAME, 0 },
        { STR("//github.com/x"), "github.com", HOST_NAME, 0 },
        { STR("localhost"), "localhost", HOST_NAME, 0 },
        { STR("git+ssh://git@github.com/x"), "github.com", HOST_NAME, 0 },
        { STR("https://a_b.example.com"), "a_b.example.com", HOST_NAME, 0 },
        /* trailing dots */
        { STR("https://github.com./x"), "github.com", HOST_NAME, 0 },
        { STR("https://github.com../x"), NULL, 0, 0 },
        { STR("https://./x"), NULL, 0, 0 },
        { STR("https://.github.com"), NULL, 0, 0 },
        { STR("https://a..b"), NULL, 0, 0 },
        /* ports */
        { STR("https://github.com:443/x"), "github.com", HOST_NAME, 443 },
        { STR("github.com:443"), "github.com", HOST_NAME, 443 },
        { STR("https://github.com:/x"), "github.com", HOST_NAME, 0 },
        { STR("github.com:/x"), NULL, 0, 0 },
        { STR("https://github.com:65536"), NULL, 0, 0 },
        { STR("https://github.com:000443"), NULL, 0, 0 },
        { STR("https://github.com:x"), NULL, 0, 0 },
        { STR("https://github.com:80:80"), NULL, 0, 0 },
        /* who is before the @ */
        { STR("https://github.com@evil.com/"), "evil.com", HOST_NAME, 0 },
        { STR("https://user:pass@evil.com:8/"), "evil.com", HOST_NAME, 8 },
        { STR("https://github.com:80@evil.com/"), "evil.com", HOST_NAME, 0 },
        { STR("https://a@b@c/"), NULL, 0, 0 },
        { STR("https://@evil.com/"), "evil.com", HOST_NAME, 0 },
        { STR("https://github.com/@evil.com"), "github.com", HOST_NAME, 0 },
        { STR("https://github.com/?a=b@c"), "github.com", HOST_NAME, 0 },
        { STR("https://evil.com?@github.com"), NULL, 0, 0 },
        { STR("https://evil.com#@github.com/"), NULL, 0, 0 },
        { STR("https://evil.com?x/@github.com"), "evil.com", HOST_NAME, 0 },
        /* not quite a URL */
        { STR("http:/evil.com"), NULL, 0, 0 },
        { STR("http:evil.com"), NULL, 0, 0 },
        { STR("http:///evil.com"), NULL, 0, 0 },
        { STR("http://"), NULL, 0, 0 },
        { STR("file:///etc/passwd"), NULL, 0, 0 },
        { STR("://x"), NULL, 0, 0 },
        { STR("1http://x"), NULL, 0, 0 },
        { STR(""), NULL, 0, 0 },
        { STR("/etc/passwd"), NULL, 0, 0 },
        { STR("-x"), NULL, 0, 0 },
        { STR("https://-x.com"), NULL, 0, 0 },
        { STR("https://x-.com"), NULL, 0, 0 },
        { STR("git@github.com:a/b.git"), NULL, 0, 0 },
        /* what programs read differently */
        { STR("https://github.com\\@evil.com"), NULL, 0, 0 },
        { STR("https://github.com\\.evil.com"), NULL, 0, 0 },
        { STR("https:\\\\evil.com"), NULL, 0, 0 },
        { STR("https://git\thub.com"), NULL, 0, 0 },
        { STR("https://evil.com\n.github.com"), NULL, 0, 0 },
        { STR("https://evil.com .github.com"), NULL, 0, 0 },
        { STR("https://evil.com\0.github.com"), NULL, 0, 0 },
        { STR("https://evil.com\0/.github.com"), NULL, 0, 0 },
        { STR(" https://github.com"), NULL, 0, 0 },
        { STR("https://github.com%2eevil.com"), NULL, 0, 0 },
        { STR("https://github.com%00.evil.com"), NULL, 0, 0 },
        { STR("https://{github.com,evil.com}/"), NULL, 0, 0 },
        { STR("https://h[1-3].com"), NULL, 0, 0 },
        { STR("https://*.github.com"), NULL, 0, 0 },
        { STR("https://github.com;evil.com"), NULL, 0, 0 },
        { STR("https://github.com,evil.com"), NULL, 0, 0 },
        { STR("https://github.com/a b\tc\1"), "github.com", HOST_NAME, 0 }, /* behind it, all is fine */
        { STR("https://github.com\1/"), NULL, 0, 0 },
        /* not ASCII: as it is */
        { STR("https://b\xc3\xbc"
              "cher.example"),
          "b\xc3\xbc"
          "cher.example",
          HOST_NAME, 0 },
        { STR("https://xn--bcher-kva.example"), "xn--bcher-kva.example", HOST_NAME, 0 },
        /* IPv4, as inet_aton() has it */
        { STR("http://127.0.0.1:8080/"), "127.0.0.1", HOST_IPV4, 8080 },
        { STR("http://127.1"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://127.0.1"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://2130706433"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://0x7f000001"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://0X7F.1"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://0177.0.0.01"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://017700000001"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://127.0.0.1."), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://0"), "0.0.0.0", HOST_IPV4, 0 },
        { STR("http://1.2.65535"), "1.2.255.255", HOST_IPV4, 0 },
        { STR("http://1.16777215"), "1.255.255.255", HOST_IPV4, 0 },
        { STR("http://4294967295"), "255.255.255.255", HOST_IPV4, 0 },
        { STR("http://4294967296"), NULL, 0, 0 },
        { STR("http://99999999999999999999999"), NULL, 0, 0 },
        { STR("http://1.2.65536"), NULL, 0, 0 },
        { STR("http://256.1.1.1"), NULL, 0, 0 },
        { STR("http://1.2.3.4.5"), NULL, 0, 0 },
        { STR("http://1.2.3.08"), NULL, 0, 0 },
        { STR("http://0x.1"), NULL, 0, 0 },
        { STR("http://x.1"), NULL, 0, 0 },
        { STR("http://1..1"), NULL, 0, 0 },
        { STR("http://1.x"), "1.x", HOST_NAME, 0 },
        { STR("http://0xg"), "0xg", HOST_NAME, 0 },
        /* IPv6 */
        { STR("http://[::1]:80/"), "::1", HOST_IPV6, 80 },
        { STR("http://[0:0:0:0:0:0:0:1]"), "::1", HOST_IPV6, 0 },
        { STR("[FE80::1]"), "fe80::1", HOST_IPV6, 0 },
        { STR("::1"), "::1", HOST_IPV6, 0 },
        { STR("http://[::ffff:127.0.0.1]"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://[::ffff:7f00:1]"), "127.0.0.1", HOST_IPV4, 0 },
        { STR("http://[::1%25lo]"), NULL, 0, 0 },
        { STR("http://[::1"), NULL, 0, 0 },
        { STR("http://::1/"), NULL, 0, 0 },
        { STR("http://[]"), NULL, 0, 0 },
        { STR("http://[github.com]"), NULL, 0, 0 },
        { STR("http://[::1]x"), NULL, 0, 0 },
        { STR("http://[127.0.0.1]"), NULL, 0, 0 },
};

static void hosts_of_urls(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
                struct host host = { .len = 9999 };
                int status = host_from_url(urls[i].url, &host);

                if ((status == 0) != (urls[i].host != NULL))
                        fail_msg("%s: %s", urls[i].url.ptr, status == 0 ? host.text : "not certain");
                if (!urls[i].host) {
                        assert_int_equal(host.len, 9999);
                        continue;
                }
                assert_string_equal(host.text, urls[i].host);
                assert_int_equal(host.len, strlen(urls[i].host));
                assert_int_equal(host.kind, urls[i].kind);
                assert_int_equal(host.port, urls[i].port);
        }
}

static void long_names(void **state) {
        char name[300];
        struct host host;

        (void)state;
        memset(name, 'a', sizeof(name));
        assert_int_equal(host_from_url(str_from(name, 63), &host), 0);
        assert_int_equal(host_from_url(str_from(name, 64), &host), -1);
        for (size_t i = 50; i < sizeof(name); i += 51)
                name[i] = '.';
        assert_int_equal(host_from_url(str_from(name, 253), &host), 0);
        assert_int_equal(host.len, 253);
        assert_int_equal(host_from_url(str_from(name, 254), &host), -1);
        assert_int_equal(host_from_url(str_from(name, sizeof(name)), &host), -1);
}

static void schemes(void **state) {
        (void)state;
        assert_str_equal(url_scheme(STR("https://x")), STR("https"));
        assert_str_equal(url_scheme(STR("git+ssh://x")), STR("git+ssh"));
        assert_str_equal(url_scheme(STR("x")), STR(""));
        assert_str_equal(url_scheme(STR("a b://x")), STR(""));
        assert_str_equal(url_scheme(STR("host:path")), STR(""));
        assert_str_equal(url_scheme(STR("")), STR(""));
}

/* ---- lists ---- */

static const struct {
        const char *pattern, *url;
        bool matches;
} matches[] = {
        { "github.com", "https://github.com", true },
        { "GitHub.com", "https://GITHUB.COM.", true },
        { "github.com.", "https://github.com", true },
        { "github.com", "https://api.github.com", false },
        { "github.com", "https://github.com.evil.com", false },
        { "github.com", "https://evilgithub.com", false },
        { "*.github.com", "https://api.github.com", true },
        { "*.github.com", "https://a.b.github.com", true },
        { "*.github.com", "https://github.com", true },
        { "*.GitHub.com", "https://API.github.com", true },
        { "*.github.com", "https://evilgithub.com", false },
        { "*.github.com", "https://github.com.evil.com", false },
        { "*.github.com", "https://github.com@evil.com", false },
        /* names in other scripts, as people write them and as DNS has them */
        { "bücher.example", "https://xn--bcher-kva.example", true },
        { "bücher.example.", "https://XN--BCHER-KVA.example", true },
        { "xn--bcher-kva.example", "https://bücher.example", true },
        { "*.bücher.example", "https://www.xn--bcher-kva.example", true },
        { "*.bücher.example", "https://xn--bcher-kva.example", true },
        { "例え.jp", "https://xn--r8jz45g.jp", true },
        { "他们为什么不说中文.com", "https://xn--ihqwcrb4cv8a8dqg056pqjye.com", true },
        { "bücher.example", "https://xn--bcher-kvb.example", false },
        { "bücher.example", "https://bcher.example", false },
        { "bücher.example", "https://xn--a.example", false },
        { "ü.example", "https://xn--99999999999999999.example", false },
        { "*.bücher.example", "https://evilxn--bcher-kva.example", false },
        { "*.com", "https://x.com", true },
        { "*", "https://x.com", true },
        { "*", "https://[::1]", true },
        { "127.0.0.1", "http://127.1", true },
        { "127.0.0.1", "http://0x7f000001", true },
        { "127.0.0.1", "http://[::ffff:127.0.0.1]", true },
        { "127.0.0.1", "http://127.0.0.1.evil.com", false },
        { "127.0.0.1", "http://127.0.0.2", false },
        { "*.0.0.1", "http://127.0.0.1", false },
        { "*.1", "http://127.0.0.1", false },
        { "::1", "http://[::1]", true },
        { "[::1]", "http://[0::1]", true },
        { "::1", "http://[::2]", false },
        { "localhost", "http://127.0.0.1", false },
        { "b\xc3\xbc"
          "cher.example",
          "https://b\xc3\xbc"
          "cher.example",
          true },
        { "bucher.example",
          "https://b\xc3\xbc"
          "cher.example",
          false },
        { "*.x.com", "https://evil.com\xef\xbc\x8f.x.com", false }, /* a full-width slash */
        { "", "https://x.com", false },
        { "*.", "https://x.com", false },
        { "http://x.com", "https://x.com", false },
        { "x.com:80", "http://x.com:80", false },
};

static void patterns_match(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(matches) / sizeof(*matches); i++) {
                struct host host;

                assert_int_equal(host_from_url(str_z(matches[i].url), &host), 0);
                if (host_matches(str_z(matches[i].pattern), &host) != matches[i].matches)
                        fail_msg("%s and %s", matches[i].pattern, matches[i].url);
        }
}

static void patterns_are_valid(void **state) {
        static const struct str good[] = { STR("x.com"),
                                           STR("*.x.com"),
                                           STR("*"),
                                           STR("127.0.0.1"),
                                           STR("::1"),
                                           STR("[::1]"),
                                           STR("localhost"),
                                           STR("b\xc3\xbc"
                                               "cher.example"),
                                           STR("x.com.") };
        static const struct str bad[] = { STR(""),         STR("*."),  STR("*x.com"),      STR("a.*.com"),   STR("x.com:80"),
                                          STR("http://x"), STR("x/y"), STR("*.127.0.0.1"), STR("1.2.3.4.5"), STR("10.0.0.0/8"),
                                          STR("x.com\0y"), STR("a b"), STR(".x.com"),      STR("*.*.com") };

        (void)state;
        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
                assert_true(host_pattern_valid(good[i]));
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                if (host_pattern_valid(bad[i]))
                        fail_msg("%s", bad[i].ptr);
}

static void lists_allow(void **state) {
        static const struct str allow_items[] = { STR("*.x.com"),
                                                  STR("b\xc3\xbc"
                                                      "cher.example"),
                                                  STR("127.0.0.1") };
        static const struct str deny_items[] = { STR("bad.x.com") }, all_items[] = { STR("*") };
        const struct str_list allow = { allow_items, 3 }, deny = { deny_items, 1 }, all = { all_items, 1 }, none = { 0 };
        struct host host;

        (void)state;
        assert_int_equal(host_from_url(STR("https://good.x.com"), &host), 0);
        assert_true(host_list_allows(allow, deny, &host));
        assert_false(host_list_allows(none, none, &host));
        assert_false(host_list_allows(all, all, &host)); /* the denylist wins */
        assert_int_equal(host_from_url(STR("https://BAD.x.com."), &host), 0);
        assert_false(host_list_allows(allow, deny, &host));
        assert_true(host_list_allows(allow, none, &host));
        /* bad.x.com in full-width letters */
        assert_int_equal(host_from_url(STR("https://\xef\xbd\x82"
                                           "ad.x.com"),
                                       &host),
                         0);
        assert_false(host.ascii);
        assert_false(host_list_allows(all, deny, &host));
        assert_true(host_list_allows(all, none, &host));
        assert_int_equal(host_from_url(STR("https://b\xc3\xbc"
                                           "cher.example"),
                                       &host),
                         0);
        assert_true(host_list_allows(allow, deny, &host));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hosts_of_urls),  cmocka_unit_test(long_names),         cmocka_unit_test(schemes),
                cmocka_unit_test(patterns_match), cmocka_unit_test(patterns_are_valid), cmocka_unit_test(lists_allow),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
