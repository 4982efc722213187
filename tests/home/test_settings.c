/*
 * Which lines of settings are copied into homes of workspaces.
 */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "home/home.h"

static void filters(const char *text, const char *expected) {
        BUF_AUTO out;

        buf_init(&out, 4096);
        home_settings_without_secrets(str_z(text), &out);
        buf_char(&out, 0);
        assert_string_equal(out.ptr, expected);
}

static void credentials(void **state) {
        static const char *const lines[] = {
                "//registry.npmjs.org/:_authToken=npm_x\n",
                "_auth = abc\n",
                "_password=abc\n",
                "npmAuthIdent: \"me:secret\"\n",
                "npmAuthToken: x\n",
                "index-url = https://me:secret@host/simple\n",
                "index-url = https://token@host/simple\n",
                "  - https://conda.host/t/TOKEN/channel\n",
                "\textraHeader = Authorization: x\n",
                "\tsmtpPass = x\n",
                "token = \"x\"\n",
                "BUNDLE_GEMS__HOST__PASSWORD: x\n",
                "BUNDLE_GEMS__EXAMPLE__ORG: \"user:secret\"\n",
                "ftp://a:b@host\n",
                "password   =  x\n",
                "\"password\"\t: x\n",
                "insteadOf = gh://a,https://token@host/\n",
                "channel = https://a,ssh://b/t/TOKEN/c\n",
                "https://host://t/TOKEN\n",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
                filters(lines[i], "");
        filters("a = 1\n_auth = x\nb = 2", "a = 1\nb = 2");
}

static void settings(void **state) {
        static const char *const texts[] = {
                "",
                "registry=https://registry.npmjs.org/\n",
                "[user]\n\tname = Ann\n\temail = ann@example.com\n",
                "[url \"ssh://git@github.com/\"]\n\tinsteadOf = https://github.com/\n",
                "[url \"git@github.com:\"]\n\tinsteadOf = gh:\n",
                "[core]\n\teditor = vim\n\tautocrlf = input\n",
                "nodejs 20.1.0\n",
                "[net]\noffline = true\n",
                "cafile=/etc/ssl/certs/ca.pem\n",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                filters(texts[i], texts[i]);
}

/* A line as long as the file: it takes as long as many short ones. With a square of the length this would take minutes. */
static void long_lines(void **state) {
        static const char *const parts[] = { " ", "a ", "://", "https://", "a\t\t", "a-" };
        enum { LENGTH = 1 << 20 };
        char *text = malloc(LENGTH);
        BUF_AUTO out;

        (void)state;
        assert_non_null(text);
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
                for (size_t j = 0; j < LENGTH; j++)
                        text[j] = parts[i][j % strlen(parts[i])];
                buf_init(&out, LENGTH);
                home_settings_without_secrets(str_from(text, LENGTH), &out);
                assert_int_equal(buf_str(&out).len, LENGTH);
                buf_free(&out);
        }
        free(text);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(credentials), cmocka_unit_test(settings),
                                            cmocka_unit_test(long_lines) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
