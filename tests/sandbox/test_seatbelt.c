/*
 * What sandbox-exec is given, read back: sbpl_test.h understands its profiles without sandbox-exec, which only macOS has.
 */
#include "tests/sandbox/seatbelt_test.h"

#include <fcntl.h>
#include <glob.h>

#include "base/fd.h"
#include "sandbox/backend.h"

/* ---- the reader itself ---- */

static void reader_refuses(void **state) {
        static const char *const bad[] = {
                "",
                "(version 1)\n",
                "(version 1)\n(allow default)\n",
                "(version 1)\n(deny default)\n(allow file-read*",
                "(version 1)\n(deny default)\n(allow file-read*))",
                "(version 1)\n(deny default)\n(allow file-raed*)",
                "(version 1)\n(deny default)\n(allow file-write-everything)",
                "(version 1)\n(deny default)\n(permit file-read*)",
                "(version 1)\n(deny default)\n(allow)",
                "(version 1)\n(deny default)\n()",
                "(version 1)\n(deny default)\nfile-read*",
                "(version 1)\n(deny default)\n(allow default)",
                "(version 1)\n(deny default)\n(allow file-read* (subpth \"/a\"))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath /a))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"/a\" \"/b\"))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"a\"))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"\"))",
                "(version 1)\n(deny default)\n(allow file-read* \"/a\")",
                "(version 1)\n(deny default)\n(allow file-read* (global-name \"/a\"))",
                "(version 1)\n(deny default)\n(allow file-read* signal)",
                "(version 1)\n(deny default)\n(allow signal (target others))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"/a\nb\"))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"/a\\n\"))",
                "(version 1)\n(deny default)\n(allow file-read* (subpath \"/a))",
                "(version 1)\n(deny default)\n(allow file-read* (regex #\"a\\b\"))",
                "(version 1)\n(deny default)\n(deny system-fcntl (fcntl-command 80 81))",
                "(version 1)\n(deny default)\n(allow network* (remote tcp))",
                "(version 1)\n(deny default)\n(allow network* (remote unix-socket))",
                "(version 1)\n(deny default)\n(allow network* (remote unix-socket (subpath \"/a\")))",
                "(version 1)\n(deny default)\n((((((((((a))))))))))",
        };
        struct sbpl *s = calloc(1, sizeof(*s));
        ARENA_AUTO arena;

        (void)state;
        assert_non_null(s);
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                if (sbpl_parse(s, bad[i], &arena) || !s->why[0])
                        fail_msg("taken for a profile: %s", bad[i]);
        free(s);
}

static void reader_decides(void **state) {
        static const char text[] =
                "(version 1)\n(deny default)\n(allow file-read* file-write-data (subpath \"/a\"))\n"
                "(deny file-read-data (literal \"/a/\\\"b\\\\\"))(allow signal)\n"
                "(deny file-write* (regex #\"^/a/[xX]($|/)\"))(allow sysctl-read (sysctl-name-prefix \"hw.\"))";
        struct sbpl *s = calloc(1, sizeof(*s));
        ARENA_AUTO arena;

        (void)state;
        assert_non_null(s);
        arena_init(&arena, 0);
        if (!sbpl_parse(s, text, &arena))
                fail_msg("%s", s->why);
        assert_true(sbpl_allows(s, "file-read-data", "/a"));
        assert_true(sbpl_allows(s, "file-read-xattr", "/a/b"));
        assert_false(sbpl_allows(s, "file-read-data", "/ab"));
        assert_false(sbpl_allows(s, "file-read-data", "/a/\"b\\"));
        assert_true(sbpl_allows(s, "file-read-metadata", "/a/\"b\\"));
        assert_true(sbpl_allows(s, "file-write-data", "/a/xy"));
        assert_false(sbpl_allows(s, "file-write-data", "/a/X/y"));
        assert_false(sbpl_allows(s, "file-write-create", "/a/b"));
        assert_true(sbpl_allows(s, "signal", "others"));
        assert_true(sbpl_allows(s, "sysctl-read", "hw.ncpu"));
        assert_false(sbpl_allows(s, "sysctl-write", "hw.ncpu"));
        assert_true(sbpl_allows(s, "process-info-pidinfo", "others")); /* no rule denies it, and the default may not */
        assert_true(sbpl_allows(s, "nvram-get", ""));
        assert_true(sbpl_allows(s, "mach-lookup", "xpc:a.b"));
        assert_false(sbpl_allows(s, "mach-lookup", "a.b"));
        free(s);
}

/* ---- golden profiles ---- */

/* The lines of a plan that begin with "profile ". */
static const char *profile_in_plan(const char *path, struct arena *arena) {
        BUF_AUTO plan, profile;
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        struct str left;

        buf_init(&plan, 1 << 20);
        buf_init(&profile, 1 << 20);
        assert_int_equal(fd_read_all(fd, &plan, NULL), 0);
        for (left = buf_str(&plan); left.len; left = str_skip(left, str_find(left, '\n') + 1))
                if (str_starts(left, STR("profile ")))
                        buf_append(&profile, str_skip(str_take(left, str_find(left, '\n') + 1), strlen("profile ")));
        return arena_dup(arena, buf_str(&profile));
}

static void goldens_are_understood(void **state) {
        struct sbpl *s = calloc(1, sizeof(*s));
        glob_t found;
        ARENA_AUTO arena;

        (void)state;
        assert_non_null(s);
        arena_init(&arena, 0);
        assert_int_equal(glob("tests/sandbox/plans/sandbox-exec-*.txt", 0, NULL, &found), 0);
        assert_true(found.gl_pathc >= 4);
        for (size_t i = 0; i < found.gl_pathc; i++)
                if (!sbpl_parse(s, profile_in_plan(found.gl_pathv[i], &arena), &arena))
                        fail_msg("%s: %s", found.gl_pathv[i], s->why);
        globfree(&found);
        free(s);
}

/* ---- paths of all kinds ---- */

static uint32_t random_next(uint32_t *seed) {
        *seed = *seed * 1664525 + 1013904223;
        return *seed >> 8;
}

/* A name that a file can have, out of pieces that mean something somewhere. */
static void nasty_name(uint32_t *seed, const char *begin, char *ret, size_t size) {
        static const char *const pieces[] = {
                "\"",
                "\\",
                "(",
                ")",
                "))(allow default)",
                "\\\"",
                "\"))(allow file-write*)(deny file-read* (literal \"",
                ";",
                "#",
                "#\"",
                "'",
                "`",
                " ",
                ".",
                "..",
                "*",
                "[",
                "]",
                "^",
                "$",
                "|",
                "{1}",
                "+",
                "?",
                "a",
                "Z",
                "\\n",
                "%s",
                "é",
                "日本",
                "\xf0\x9f\x8f\xb0",
                "\xff",
                "é",
        };
        size_t used = (size_t)snprintf(ret, size, "%s", begin);

        for (uint32_t left = random_next(seed) % 6; left > 0; left--)
                used += (size_t)snprintf(ret + used, size - used, "%s",
                                         pieces[random_next(seed) % (sizeof(pieces) / sizeof(*pieces))]);
        assert_true(used < size);
}

struct nasty {
        char work[512], mask[1024], write[512], way[1024], deny[2048], tmp[512];
};

static struct nasty nasty_paths(uint32_t *seed) {
        struct nasty n;
        char name[256];

        nasty_name(seed, "/Users/w", n.work, sizeof(n.work));
        nasty_name(seed, "m", name, sizeof(name));
        snprintf(n.mask, sizeof(n.mask), "%s/%s", n.work, name);
        nasty_name(seed, "/Volumes/o", n.write, sizeof(n.write));
        nasty_name(seed, "v", name, sizeof(name));
        snprintf(n.way, sizeof(n.way), "%s/%s", n.write, name);
        nasty_name(seed, "d", name, sizeof(name));
        snprintf(n.deny, sizeof(n.deny), "%s/%s", n.way, name);
        nasty_name(seed, "/private/tmp/t", n.tmp, sizeof(n.tmp));
        return n;
}

static bool allows_below(const struct sbpl *s, const char *operation, const char *path, const char *rest) {
        char whole[4096];

        assert_true(snprintf(whole, sizeof(whole), "%s%s", path, rest) < (int)sizeof(whole));
        return sbpl_allows(s, operation, whole);
}

static void check_nasty(const struct sbpl *s, const struct nasty *n) {
        assert_true(allows_below(s, "file-read-data", n->work, "/x"));
        assert_true(allows_below(s, "file-write-create", n->work, "/x"));
        assert_false(allows_below(s, "file-write-create", n->work, "x"));
        assert_false(allows_below(s, "file-write-create", n->work, "/.ZshRc"));
        assert_false(allows_below(s, "file-write-create", n->work, "/.vscode/x"));
        assert_false(allows_below(s, "file-write-unlink", n->work, ""));
        assert_false(allows_below(s, "file-read-data", n->mask, ""));
        assert_false(allows_below(s, "file-read-data", n->mask, "/x"));
        assert_false(allows_below(s, "file-write-create", n->mask, "/x"));
        assert_true(allows_below(s, "file-read-data", n->mask, "x"));
        assert_true(allows_below(s, "file-write-data", n->way, "/x"));
        assert_false(allows_below(s, "file-write-unlink", n->way, ""));
        assert_false(allows_below(s, "file-write-data", n->deny, ""));
        assert_false(allows_below(s, "file-write-data", n->deny, "/x"));
        assert_true(allows_below(s, "file-write-data", n->deny, "x"));
        assert_true(allows_below(s, "file-write-data", n->tmp, "/x"));
        assert_false(sbpl_allows(s, "file-write-data", "/Users/bob/x"));
        assert_false(sbpl_allows(s, "file-read-data", "/Users/bob/x"));
}

static void nasty_paths_stay_paths(void **state) {
        static const char *const nothing[] = { NULL };
        struct sbpl *s = calloc(1, sizeof(*s));
        uint32_t seed = 7;
        size_t rules = 0;

        (void)state;
        assert_non_null(s);
        for (size_t i = 0; i < 60; i++) {
                struct nasty n = nasty_paths(&seed);
                struct host host = {
                        .workspace = n.work,
                        .masks = ONE(n.mask),
                        .write = ONE(n.write),
                        .write_deny = ONE(n.deny),
                        .tmpdir = n.tmp,
                };
                struct err err = {};
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                if (!profile_of(&host, nothing, &arena, s, &err))
                        fail_msg("%s: %s", n.work, err.msg);
                rules = rules ? rules : s->count;
                assert_int_equal(s->count, rules); /* none came out of a name */
                check_nasty(s, &n);
        }
        free(s);
}

/* Every place that a path can stand in. */
static const size_t lists[] = {
        offsetof(struct host, homes), offsetof(struct host, masks),      offsetof(struct host, read),
        offsetof(struct host, write), offsetof(struct host, write_deny),
};
static const size_t protected_lists[] = {
        offsetof(struct host, protection.read_only),
        offsetof(struct host, protection.anchors),
        offsetof(struct host, protection.absent),
        offsetof(struct host, protection.git_write),
};
static const size_t texts[] = { offsetof(struct host, workspace), offsetof(struct host, tmpdir) };

static void refuse_at(size_t offset, const void *value, size_t size) {
        static const char *const nothing[] = { NULL };
        static struct sbpl s;
        struct host host = mac;
        struct err err = {};
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        memcpy((char *)&host + offset, value, size);
        assert_false(profile_of(&host, nothing, &arena, &s, &err));
        assert_int_equal(err.code, ERR_INVALID);
        assert_string_equal(err.msg, "sandbox-exec: /a: a path with control characters");
}

static void refuse_everywhere(const char *path) {
        struct host_paths list = ONE(path);
        struct protected_paths protected = PROTECT(path);

        SBPL_EACH(i, lists)
        refuse_at(lists[i], &list, sizeof(list));
        SBPL_EACH(i, protected_lists)
        refuse_at(protected_lists[i], &protected, sizeof(protected));
        SBPL_EACH(i, texts)
        refuse_at(texts[i], &path, sizeof(path));
}

static void control_characters_are_refused(void **state) {
        BUF_AUTO out;

        (void)state;
        buf_init(&out, 1000);
        for (int c = 0; c <= 0x7f; c++) {
                char path[] = { '/', 'a', (char)c, 'b', 0 };
                struct err err = {};
                bool fine = c >= 0x20 && c != 0x7f;

                buf_clear(&out);
                assert_int_equal(seatbelt_quote(&out, str_from(path, 4), &err), fine ? 0 : -1);
                assert_true(fine ? out.len >= 6 : out.len == 0);
                assert_int_equal(err.code, fine ? ERR_NONE : ERR_INVALID);
                if (c != 0 && !fine)
                        refuse_everywhere(path);
        }
}

/* ---- the plan around it ---- */

static int plan(const struct host *host, const char *const *overrides, struct arena *arena, struct launch *ret,
                struct err *err) {
        static const char *const argv[] = { "-dash", "--", "b c", NULL }, *const envp[] = { NULL };
        struct policy_request wanted = { .overrides = overrides, .builtin_only = true };
        struct sandbox_request request = { .program = "-dash", .argv = argv, .envp = envp };
        const struct policy *policy;

        assert_int_equal(policy_load(&wanted, arena, &policy, err), 0);
        return backend_sandbox_exec.plan(&backend_sandbox_exec, policy, host, &request, arena, ret, err);
}

static void plan_wraps(void **state) {
        static const char *const limits[] = { "sandbox.max_memory_bytes=1GiB", "sandbox.max_cpu_secs=1", NULL };
        static const char *const hosts[] = { "sandbox.network=allow_hosts", "sandbox.network.hosts=a.b", NULL };
        static const char file[] = TMP SEATBELT_FILE;
        static const char *const should[] = { "/s", "-f", file, "--", "-dash", "--", "b c", NULL };
        struct host host = mac;
        struct launch launch = {};
        struct err err = {};
        ARENA_AUTO arena;
        size_t i = 0;

        (void)state;
        arena_init(&arena, 0);
        host.sandbox_exec = "/s";
        assert_int_equal(plan(&host, limits, &arena, &launch, &err), 0);
        for (; should[i]; i++)
                assert_string_equal(launch.wrapper[i], should[i]);
        assert_null(launch.wrapper[i]);
        assert_string_equal(launch.profile_path, file);
        assert_int_equal(launch.limits_ignored, IGNORED_MEMORY | IGNORED_CPU);
        assert_int_equal(plan(&host, hosts, &arena, &launch, &err), -1);
        assert_non_null(strstr(err.msg, "policy not supported: sandbox-exec has no rules for names of hosts"));
        host.workspace = "/Users/ann/.ssh/x";
        assert_int_equal(plan(&host, NULL, &arena, &launch, &err), -1);
        assert_int_equal(err.code, ERR_REFUSED);
        host.tmpdir = NULL;
        assert_int_equal(plan(&host, NULL, &arena, &launch, &err), -1);
        assert_string_equal(err.msg, "sandbox-exec: there is no private directory for its profile");
        assert_false(backend_sandbox_exec.automatic);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(reader_refuses),
                cmocka_unit_test(reader_decides),
                cmocka_unit_test(goldens_are_understood),
                cmocka_unit_test(nasty_paths_stay_paths),
                cmocka_unit_test(control_characters_are_refused),
                cmocka_unit_test(plan_wraps),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
