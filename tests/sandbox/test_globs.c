/*
 * Patterns in fs_read_deny and fs_write_deny, on files of a disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/host_parts.h"
#include "tests/test.h"

static char root[64];

static void shell(const char *command) {
        char line[1024];

        snprintf(line, sizeof(line), "cd '%s' && %s", root, command);
        assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): a fixed command of this test */
}

static int setup(void **state) {
        (void)state;
        snprintf(root, sizeof(root), "%s/bailey-globs-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state) {
        (void)state;
        shell("chmod -R u+rwx . && rm -rf -- \"$PWD\"");
        return 0;
}

static void names(void **state) {
        static const struct {
                const char *pattern, *name;
                bool matches;
        } rows[] = {
                { "*.pem", "a.pem", true },
                { "*.pem", ".pem", true },
                { "*.pem", "a.pemx", false },
                { "*.pem", "a.pem.pem", true },
                { "*a*b*", "xxaxxbxx", true },
                { "*a*b*", "xxbxxaxx", false },
                { "?", "a", true },
                { "?", "\xc3\xbc", true },
                { "?", "ab", false },
                { "?", "", false },
                { "*", "", true },
                { "*", ".hidden", true },
                { "a**b", "axb", true },
                { "[a]", "a", false },
                { "[a]", "[a]", true },
                { "id_*", "id_rsa", true },
                { "a", "A", false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (glob_matches_name(str_z(rows[i].pattern), str_z(rows[i].name)) != rows[i].matches)
                        fail_msg("%s and %s", rows[i].pattern, rows[i].name);
}

/* A name that would take a matcher that goes back to every star for ever. */
static void many_stars(void **state) {
        char name[256];

        (void)state;
        memset(name, 'a', sizeof(name));
        name[255] = 0;
        assert_false(glob_matches_name(STR("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"), str_z(name)));
}

/* The matches of one pattern, sorted, without the root; "-" in front of what is only not written. */
static int find(const char *pattern, bool write, struct arena *arena, char *ret, size_t size, struct err *err) {
        struct str text = str_z(pattern);
        struct str_list one = { .items = &text, .count = 1 }, none = { .count = 0 };
        struct sandbox_policy sandbox = { .fs_read_deny = write ? none : one, .fs_write_deny = write ? one : none };
        struct host host = { .uid = geteuid(), .workspace = root };
        struct host_match *match = NULL;
        const char *found[64];
        size_t count = 0;

        ret[0] = 0;
        if (host_globs_find(&host, &sandbox, arena, &match, err) < 0)
                return -1;
        for (; match && count < 64; match = match->next)
                found[count++] = match->path;
        for (size_t i = 0; i < count; i++)
                for (size_t j = i + 1; j < count; j++)
                        if (strcmp(found[i], found[j]) > 0) {
                                const char *other = found[i];

                                found[i] = found[j];
                                found[j] = other;
                        }
        for (size_t i = 0; i < count; i++)
                snprintf(ret + strlen(ret), size - strlen(ret), "%s%s", i ? " " : "", found[i] + strlen(root) + 1);
        return 0;
}

static void files(void **state) {
        static const struct {
                const char *pattern, *finds;
        } rows[] = {
                { "*.txt", "a.txt" },
                { "**/*.txt", "a.txt d/b.txt d/e/c.txt" },
                { "d/**/*.txt", "d/b.txt d/e/c.txt" },
                { "**/e/*.txt", "d/e/c.txt" },
                { "**/d/**", "d" },
                { "*/e", "d/e" },
                { "**/?.txt", "a.txt d/b.txt d/e/c.txt" },
                { "**/e/**/c.txt", "d/e/c.txt" },
                { "**/.env*", "d/.env d/e/.env.local" },
                { "none/**/*.txt", "" },
                { "**/nothing", "" },
                { "l*", "" }, /* links are none */
                { "**/out.txt", "" },
                { "./d//*.txt", "d/b.txt" },
        };

        (void)state;
        shell("mkdir -p d/e out && touch a.txt d/b.txt d/e/c.txt d/.env d/e/.env.local && ln -s d/b.txt l.txt && ln -s d ld && "
              "ln -s . d/e/loop");
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                for (int form = 0; form < 4; form++) {
                        char pattern[256], found[512];
                        struct err err = {};
                        ARENA_AUTO arena;

                        arena_init(&arena, 0);
                        snprintf(pattern, sizeof(pattern), "%s%s%s", form & 1 ? root : "", form & 1 ? "/" : "",
                                 rows[i].pattern);
                        if (find(pattern, form & 2, &arena, found, sizeof(found), &err) < 0)
                                fail_msg("%s: %s", pattern, err.msg);
                        assert_string_equal(found, rows[i].finds);
                }
}

static void refused(const char *pattern, const char *says) {
        struct err err = {};
        char found[64];
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        assert_int_equal(find(pattern, false, &arena, found, sizeof(found), &err), -1);
        if (!strstr(err.msg, says))
                fail_msg("%s: %s", pattern, err.msg);
}

static void fill_directory(int count) {
        for (int i = 0; i < count; i++) {
                char path[128];

                snprintf(path, sizeof(path), "%s/more/%d", root, i);
                assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
        }
}

static void what_is_too_much(void **state) {
        (void)state;
        shell("mkdir many && cd many && seq 1100 | xargs touch");
        refused("many/*", "fs_read_deny: many/*: it matches too many files");
        refused("**", "it matches everything");
        refused("**/**", "it matches everything");
        refused("a/../*", "..");
        shell("d=.; for i in $(seq 140); do d=$d/d; done; mkdir -p $d");
        refused("**/x", "directories nested too deeply");
        shell("rm -rf d many && mkdir more");
        fill_directory(GLOB_NAMES_MAX + 1);
        refused("**/x", "too many files");
}

/* What nobody can look into may hold something that matches; who owns it can open it again. */
static void closed_directories(void **state) {
        struct err err = {};
        char found[64];
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        shell("mkdir -p d/closed && touch d/closed/a.txt && chmod 0 d/closed");
        if (geteuid() == 0) {
                assert_int_equal(find("**/*.txt", false, &arena, found, sizeof(found), &err), 0);
                assert_string_equal(found, "d/closed/a.txt");
                return;
        }
        assert_int_equal(find("**/*.txt", false, &arena, found, sizeof(found), &err), 0);
        assert_string_equal(found, "d/closed");
        assert_int_equal(find("*.txt", false, &arena, found, sizeof(found), &err), 0);
        assert_string_equal(found, "");
}

static void the_guarantees(void **state) {
        struct str patterns[] = { STR("**/*.txt"), STR("*.key") };
        struct sandbox_policy sandbox = { .fs_read_deny = { .items = &patterns[0], .count = 1 },
                                          .fs_write_deny = { .items = &patterns[1], .count = 1 } };
        struct host host = { .uid = geteuid(), .workspace = root };
        struct host_match *match = NULL;
        struct err err = {};
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        shell("touch a.txt b.key");
        assert_int_equal(host_gather_globs(&host, &sandbox, &arena, &err), 0);
        assert_int_equal(host.masks.count, 1);
        assert_true(host.masks.items[0].secret && !host.masks.items[0].directory);
        assert_string_equal(host.masks.items[0].pattern, "**/*.txt");
        assert_int_equal(host.write_deny.count, 1);
        assert_string_equal(host.write_deny.items[0].pattern, "*.key");
        shell("touch new.txt");
        assert_int_equal(host_globs_find(&host, &sandbox, &arena, &match, &err), 0);
        for (; match; match = match->next)
                assert_int_equal(host_denies_match(&host, match), !strstr(match->path, "new.txt"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names), cmocka_unit_test(many_stars), CASE(files),
                CASE(what_is_too_much),  CASE(closed_directories),     CASE(the_guarantees),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
