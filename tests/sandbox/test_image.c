/*
 * Names of images: which registry one comes from decides whether it may be used, so nothing may be read differently than
 * engines read it.
 */
#include "sandbox/container/image.h"
#include "tests/test.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
        const char *name, *registry, *path, *tag, *digest;
} right[] = {
        { "ubuntu", "docker.io", "ubuntu", "", "" },
        { "ubuntu:22.04", "docker.io", "ubuntu", "22.04", "" },
        { "library/ubuntu", "docker.io", "library/ubuntu", "", "" },
        { "docker.io/library/ubuntu:latest", "docker.io", "library/ubuntu", "latest", "" },
        { "ghcr.io/owner/tool:v1.2_3-x", "ghcr.io", "owner/tool", "v1.2_3-x", "" },
        { "localhost:5000/a", "localhost:5000", "a", "", "" },
        { "localhost/a:1", "localhost", "a", "1", "" },
        { "registry.example.com:443/a/b/c", "registry.example.com:443", "a/b/c", "", "" },
        { "host:5000/a", "host:5000", "a", "", "" },
        { "10.0.0.1/a", "10.0.0.1", "a", "", "" },
        { "REGISTRY.Example.com/a", "REGISTRY.Example.com", "a", "", "" },
        { "a@sha256:" HEX64, "docker.io", "a", "", "sha256:" HEX64 },
        { "quay.io/a/b:1@sha256:" HEX64, "quay.io", "a/b", "1", "sha256:" HEX64 },
        { "a/b.c-d__e--f", "docker.io", "a/b.c-d__e--f", "", "" },
        /* Looks like a registry, but no slash follows: an image and its tag. */
        { "docker.io", "docker.io", "docker.io", "", "" },
        { "evil:5000", "docker.io", "evil", "5000", "" },
};

static const char *const wrong[] = {
        "",
        "/a",
        "a/",
        "a//b",
        "Ubuntu",
        "ghcr.io/Owner/tool",
        "a:",
        "a:-x",
        "a:b:c",
        "a:tag/b",
        "a@",
        "a@sha256:12",
        "a@md5:" HEX64, /* NOLINT(bugprone-suspicious-missing-comma): one text */
        "a@sha256:" HEX64 "0",
        "a@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "a@sha256:" HEX64 "@sha256:" HEX64,
        "-a",
        "a-",
        ".a",
        "a._b",
        "a..b/c",
        "a.b__c/d", /* an underscore is not for hosts */
        "Evil/x",   /* newer engines take it for a host */
        "a/___b",
        "-x.com/a",
        "x.com-/a",
        "x.com:/a",
        "x.com:port/a",
        "x.com:123456/a",
        "x.com:80:80/a",
        "user@x.com/a",
        "http://x.com/a",
        "a b",
        "a\nb",
        "docker.io/../x",
        "ü",
};

static void test_right_names(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
                struct image image;
                struct err err = {};

                if (image_read(str_z(right[i].name), &image, &err) < 0)
                        fail_msg("%s", err.msg);
                assert_str_equal(image.registry, str_z(right[i].registry));
                assert_str_equal(image.path, str_z(right[i].path));
                assert_str_equal(image.tag, str_z(right[i].tag));
                assert_str_equal(image.digest, str_z(right[i].digest));
        }
}

static void test_wrong_names(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                struct image image = { .tag = STR("untouched") };
                struct err err = {};

                if (image_read(str_z(wrong[i]), &image, &err) == 0)
                        fail_msg("'%s' was taken", wrong[i]);
                assert_int_equal(err.code, ERR_INVALID);
                assert_str_equal(image.tag, STR("untouched"));
        }
}

static void test_long_names(void **state) {
        static char name[4096];
        struct image image;
        struct err err = {};

        (void)state;
        memset(name, 'a', sizeof(name));
        assert_int_equal(image_read(str_from(name, 255), &image, &err), 0);
        assert_int_equal(image_read(str_from(name, 256), &image, &err), -1);
        assert_int_equal(image_read(str_from(name, sizeof(name)), &image, &err), -1);
        name[1] = ':';
        assert_int_equal(image_read(str_from(name, 2 + 128), &image, &err), 0);
        assert_int_equal(image_read(str_from(name, 2 + 129), &image, &err), -1);
}

static void test_full_names(void **state) {
        static const char *const names[][2] = {
                { "ubuntu", "docker.io/library/ubuntu" },
                { "ubuntu:22.04", "docker.io/library/ubuntu:22.04" },
                { "a/b", "docker.io/a/b" },
                { "index.docker.io/a", "docker.io/library/a" },
                { "localhost/a:1", "localhost/a:1" },
                { "ghcr.io/a/b:1@sha256:" HEX64, "ghcr.io/a/b:1@sha256:" HEX64 },
        };
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                struct image image;

                assert_int_equal(image_read(str_z(names[i][0]), &image, NULL), 0);
                assert_string_equal(image_full_name(&image, &arena), names[i][1]);
        }
}

static bool trusted(const char *name) {
        static const struct str registries[] = { STR("docker.io"), STR("Registry.example.com:5000") };
        struct str_list list = { registries, 2 };
        struct image image;

        assert_int_equal(image_read(str_z(name), &image, NULL), 0);
        return image_trusted(&image, &list);
}

static void test_trust(void **state) {
        (void)state;
        assert_true(trusted("ubuntu"));
        assert_true(trusted("docker.io/a/b"));
        assert_true(trusted("index.docker.io/a/b"));
        assert_true(trusted("DOCKER.io/a"));
        assert_true(trusted("registry.example.com:5000/a"));
        assert_true(trusted("localhost/made-here:1"));
        assert_false(trusted("registry.example.com/a"));
        assert_false(trusted("registry.example.com:5001/a"));
        assert_false(trusted("docker.io.evil.com/a"));
        assert_false(trusted("evil-docker.io/a"));
        assert_false(trusted("docker.io:443/a"));
        assert_false(trusted("localhost:5000/a"));
        assert_false(trusted("ghcr.io/a/b"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_right_names), cmocka_unit_test(test_wrong_names), cmocka_unit_test(test_long_names),
                cmocka_unit_test(test_full_names),  cmocka_unit_test(test_trust),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
