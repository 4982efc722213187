/*
 * The proxy of this machine: from the config and the environment, and for which hosts.
 */
#include "policy/hosts.h"
#include "policy/show.h"
#include "policy/upstream.h"
#include "tests/policy/config_test.h"

/* ---- URLs ---- */

static void urls(void **state) {
        static const struct {
                const char *url, *host, *login;
                uint16_t port;
        } rows[] = {
                { "http://proxy.example:3128", "proxy.example", "", 3128 },
                { "HTTP://Proxy.Example:3128/", "Proxy.Example", "", 3128 },
                { "proxy.example:3128", "proxy.example", "", 3128 },
                { "http://proxy.example", "proxy.example", "", 80 },
                { "http://10.0.0.1:8080", "10.0.0.1", "", 8080 },
                { "http://[2001:db8::1]:8080", "2001:db8::1", "", 8080 },
                { "http://me:secret@proxy.example:1", "proxy.example", "me:secret", 1 },
                { "http://me@proxy.example:1", "proxy.example", "me:", 1 },
                { "http://me:a%40b%3a%2F%25c@proxy.example:1", "proxy.example", "me:a@b:/%c", 1 },
                { "http://me:a@b@proxy.example:1", "proxy.example", "me:a@b", 1 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct upstream_place place;

                if (upstream_read(str_z(rows[i].url), &place) < 0)
                        fail_msg("%s", rows[i].url);
                assert_true(str_is(place.host, rows[i].host));
                assert_int_equal(place.port, rows[i].port);
                assert_true(str_is(str_from(place.login, place.login_len), rows[i].login));
        }
}

static void no_urls(void **state) {
        static const char *const rows[] = {
                "",
                "http://",
                "http://:3128",
                "http://proxy.example:",
                "http://proxy.example:0",
                "http://proxy.example:65536",
                "http://proxy.example:80x",
                "http://proxy.example/path",
                "http://proxy.example/@other",
                "http://pro xy.example",
                "http://proxy.example\r\nX: y",
                "http://b\xc3\xbc.example",
                "https://proxy.example:3128",
                "https://me:secret@proxy.example:3128",
                "socks5://proxy.example:1080",
                "socks5h://me:secret@proxy.example:1080",
                "http://me:%0d%0aX:%20y@proxy.example",
                "http://me:%00@proxy.example",
                "http://me:%4@proxy.example",
                "http://me:%zz@proxy.example",
                "http://m%3ae:secret@proxy.example",
                "http://[::1",
                "http://[::1]x:80",
        };
        struct upstream_place place;
        char text[UPSTREAM_URL_MAX + 64];

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (upstream_read(str_z(rows[i]), &place) == 0)
                        fail_msg("%s", rows[i]);
        snprintf(text, sizeof(text), "http://me:%0*d@proxy.example", UPSTREAM_LOGIN_MAX - 3, 7);
        assert_int_equal(upstream_read(str_z(text), &place), 0);
        assert_int_equal(place.login_len, UPSTREAM_LOGIN_MAX);
        snprintf(text, sizeof(text), "http://me:%0*d@proxy.example", UPSTREAM_LOGIN_MAX - 2, 7);
        assert_int_equal(upstream_read(str_z(text), &place), -1);
        snprintf(text, sizeof(text), "http://%0*d.example", UPSTREAM_URL_MAX, 7);
        assert_int_equal(upstream_read(str_z(text), &place), -1);
}

/* ---- exceptions ---- */

static void exceptions(void **state) {
        static const struct {
                const char *except, *host;
                uint16_t port;
                bool is;
        } rows[] = {
                { "", "a.example", 443, false },
                { "*", "a.example", 443, true },
                { "a.example", "a.example", 443, true },
                { "A.EXAMPLE.", "a.example", 443, true },
                { "a.example", "b.a.example", 443, true },
                { ".a.example", "b.a.example", 443, true },
                { ".a.example", "a.example", 443, true },
                { "*.a.example", "b.a.example", 443, true },
                { "a.example", "ba.example", 443, false },
                { "b.a.example", "a.example", 443, false },
                { "x.example, \t.corp\n,a.example", "git.corp", 22, true },
                { "x.example a.example", "a.example", 22, true },
                { "a.example:8443", "a.example", 8443, true },
                { "a.example:8443", "a.example", 443, false },
                { "a.example:8443", "a.example", 0, false },
                { "a.example:x", "a.example", 443, false },
                { "10.0.0.0/8,::1,127.0.0.1,,.,*.", "a.example", 443, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct host host;

                assert_int_equal(host_from_url(str_z(rows[i].host), &host), 0);
                if (upstream_excepts(str_z(rows[i].except), &host, rows[i].port) != rows[i].is)
                        fail_msg("%s: %s:%u", rows[i].except, rows[i].host, rows[i].port);
        }
}

/* ---- the choice ---- */

#define ENVIRONMENT(...)               \
        (const char *const[]) {        \
                __VA_ARGS__ "A=", NULL \
        }

static void choices(void **state) {
        const struct {
                const char *setting;
                const char *const *environment;
                const char *url, *except, *unusable;
        } rows[] = {
                { "auto", ENVIRONMENT(), "", "", NULL },
                { "auto", ENVIRONMENT("https_proxy=http://a:1", "no_proxy=x", ), "http://a:1", "x", NULL },
                { "auto", ENVIRONMENT("HTTPS_PROXY=a:1", "NO_PROXY=x", ), "a:1", "x", NULL },
                { "auto", ENVIRONMENT("http_proxy=http://b:1", "HTTPS_PROXY=http://a:1", ), "http://a:1", "", NULL },
                { "auto", ENVIRONMENT("http_proxy=http://b:1", "ALL_PROXY=http://a:1", ), "http://a:1", "", NULL },
                { "auto", ENVIRONMENT("http_proxy=http://b:1", ), "http://b:1", "", NULL },
                { "auto", ENVIRONMENT("HTTP_PROXY=http://b:1", ), "", "", NULL },
                { "auto", ENVIRONMENT("https_proxy=", "all_proxy=", ), "", "", NULL },
                { "auto", ENVIRONMENT("all_proxy=socks5://a:1", "http_proxy=http://b:1", ), "http://b:1", "", NULL },
                { "auto", ENVIRONMENT("all_proxy=socks5://a:1", ), "", "", "all_proxy" },
                { "none", ENVIRONMENT("https_proxy=http://a:1", "no_proxy=x", ), "", "", NULL },
                { "http://c:1", ENVIRONMENT("https_proxy=http://a:1", "no_proxy=x", ), "http://c:1", "x", NULL },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct upstream upstream;

                upstream_choose(str_z(rows[i].setting), rows[i].environment, &upstream);
                if (!str_is(upstream.url, rows[i].url) || !str_is(upstream.except, rows[i].except))
                        fail_msg("row %zu", i);
                assert_int_equal(!upstream.unusable, !rows[i].unusable);
                if (upstream.unusable)
                        assert_string_equal(upstream.unusable, rows[i].unusable);
        }
}

/* ---- the key ---- */

static void password_is_not_shown(void **state) {
        const struct key_row *key = key_find(SECTION_NETWORK, STR("proxy"));
        const union key_value value = { .text = STR("http://me:SECRET@proxy.example:3128") };
        BUF_AUTO out;

        (void)state;
        buf_init(&out, 1024);
        key_value_write(key, &value, SHOW_TOML, &out);
        assert_true(str_is(buf_str(&out), "\"http://(hidden)@proxy.example:3128\""));
        assert_true(upstream_setting_valid(value.text));
        assert_false(upstream_setting_valid(STR("proxy.example:3128")));
        config_wrong(NULL, "[sandbox.network]\nproxy = \"http://me:SECRET@proxy.example:x\"\n",
                     "FILE.toml:2:9: sandbox.network.proxy: expected auto, none or the URL of a proxy: "
                     "http://user:password@host:port");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(urls),
                cmocka_unit_test(no_urls),
                cmocka_unit_test(exceptions),
                cmocka_unit_test(choices),
                cmocka_unit_test(password_is_not_shown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
