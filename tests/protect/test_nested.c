#include "tests/protect/workspace_test.h"

#include "protect/git.h"

static void surveys(const char *layout, const char *expected) {
        struct protection found;
        struct err err = { 0 };
        struct scene scene;
        const char *got;

        scene_begin(&scene, layout);
        if (protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err) < 0)
                fail_msg("of: %s\n%s", layout, err.msg);
        got = describe(&scene, &found);
        if (strcmp(got, expected) != 0)
                fail_msg("of: %s\ngot:\n%sexpected:\n%s", layout, got, expected);
        scene_end(&scene);
}

static void directory_of_repositories(void **state) {
        (void)state;
        surveys("own a; own b; rm -r b/.git/hooks", "ro W/a/.git/config\nro W/a/.git/hooks\nro W/b/.git/config\n"
                                                    "anchor W/a\nanchor W/a/.git\nanchor W/b\nanchor W/b/.git\n");
        /* what a sweep left of a clone can be removed, and moved */
        surveys("own a/b; rm -r a/b/.git/{config,hooks}", "");
        surveys("mkdir -p x/y; own x/y/a; rm -rf x/y/a/.git/hooks; git -C x/y/a config core.hooksPath tools; mkdir "
                "x/y/a/tools",
                "ro W/x/y/a/.git/config\nro W/x/y/a/tools\nanchor W/x\nanchor W/x/y\nanchor W/x/y/a\nanchor W/x/y/a/.git\n");
        surveys("own .claude/x", "ro W/.claude\nro W/.claude/x/.git/config\nro W/.claude/x/.git/hooks\n");
}

/* What any command could have made is not covered, so that it can be removed, but is looked at afterwards. */
static void plain_repositories(void **state) {
        (void)state;
        surveys("repo a; git -C a config user.email a@b; git -C a remote add o ../x",
                "checked W/a/.git/config\nchecked W/a/.git/hooks\n");
        surveys("repo a; rm -r a/.git/hooks/*; touch a/.git/hooks/x",
                "ro W/a/.git/config\nro W/a/.git/hooks\nanchor W/a\nanchor W/a/.git\n");
        surveys("git init -q --bare r", "checked W/r/config\nchecked W/r/hooks\n");
        surveys("repo .; rm -r .git/hooks; mkdir .git/rebase-merge; touch .git/rebase-merge/git-rebase-todo",
                "ro W/.git/config\nchecked W/.git/rebase-merge/git-rebase-todo\nanchor W/.git\n");
}

static void depth(void **state) {
        (void)state;
        surveys("own 1/2/3; rm -r 1/2/3/.git/hooks; own 1/2/3/4; own node_modules/x; own 1/.venv/x; mkdir 1/x; ln -s / 1/y",
                "ro W/1/2/3/.git/config\nanchor W/1\nanchor W/1/2\nanchor W/1/2/3\nanchor W/1/2/3/.git\n");
        surveys("own build; rm -r build/.git/hooks; mkdir r; own \"$T/r\"; ln -s ../r l; ln -s ../../r r/l",
                "ro W/build/.git/config\nanchor W/build\nanchor W/build/.git\n");
}

static void gitlinks(void **state) {
        static const char *const indexes[] = {
                ":",
                "git update-index --index-version 4",
                "touch 1/f; git add -N 1/f", /* version 3 */
                "git update-index --split-index",
                "truncate -s -30 .git/index",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(indexes) / sizeof(*indexes); i++) {
                char *layout = NULL;

                assert_true(
                        asprintf(&layout,
                                 "own .; rm -rf .git/hooks; own 1/2/3/4/n; rm -r 1/2/3/4/n/.git/hooks; echo >1/2/3/4/a; git "
                                 "add .; git commit -qm n; %s",
                                 indexes[i]) > 0);
                surveys(layout,
                        "ro W/.git/config\nro W/1/2/3/4/n/.git/config\n"
                        "anchor W/.git\nanchor W/1\nanchor W/1/2\nanchor W/1/2/3\nanchor W/1/2/3/4\nanchor W/1/2/3/4/n\n"
                        "anchor W/1/2/3/4/n/.git\n");
                free(layout);
        }
}

/* One of a nested repository, and names that git never writes. */
static void odd_gitlinks(void **state) {
        (void)state;
        surveys("git init -q --object-format=sha256; git commit -q --allow-empty -m 1; git init -q --object-format=sha256 "
                "1/2/3/4/n\n"
                "git -C 1/2/3/4/n commit -q --allow-empty -m 1; git add 1; rm -rf .git/hooks 1/2/3/4/n/.git/hooks",
                "ro W/.git/config\nchecked W/1/2/3/4/n/.git/config\nanchor W/.git\n");
        surveys("own n; rm -r n/.git/hooks; own n/1/2/3/4/m; rm -r n/1/2/3/4/m/.git/{hooks,config}; mkdir "
                "n/1/2/3/4/m/.git/hooks\n"
                "git -C n add 1",
                "ro W/n/.git/config\nchecked W/n/1/2/3/4/m/.git/hooks\nanchor W/n\nanchor W/n/.git\n");
        /* gone, and a link in its place */
        surveys("own .; rm -r .git/hooks; own n; git add n; mv n \"$T/n\"; ln -s ../n n", "ro W/.git/config\nanchor W/.git\n");
}

static void pointers(void **state) {
        (void)state;
        surveys("own .; rm -r .git/hooks; git worktree add -q 1/new",
                "ro W/.git/config\nchecked W/.git/worktrees/new/commondir\nchecked W/.git/worktrees/new/gitdir\nchecked "
                "W/1/new/.git\n"
                "anchor W/.git\n");
        /* a git directory outside opens only if it points back */
        surveys("own \"$T/main\"; rm -r \"$T/main/.git/hooks\"; mkdir n; echo \"gitdir: $T/main/.git\" >n/.git",
                "ro W/n/.git\nanchor W/n\n");
        surveys("own \"$T/main\"; rm -r \"$T/main/.git/hooks\"; git -C \"$T/main\" worktree add -q \"$W/n\"",
                "ro T/main/.git/config\nro W/n/.git\nchecked T/main/.git/worktrees/n/commondir\n"
                "checked T/main/.git/worktrees/n/gitdir\nwrite T/main/.git\nanchor W/n\n");
        surveys("mkdir n; git init -q --separate-git-dir g n; rm -r g/hooks; mkdir m; ln -s ../g m/.git",
                "ro W/m/.git -> ../g\nchecked W/g/config\nchecked W/n/.git\nanchor W/m\n");
        surveys("git init -q --bare r; rm -r r/hooks; git -C r config alias.a b", "ro W/r/config\nanchor W/r\n");
}

static void limits(void **state) {
        struct protection found;
        struct err err = { 0 };
        struct scene scene;

        (void)state;
        scene_begin(&scene, "for i in {1..257}; do mkdir -p $i/.git; done");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err), 0);
        assert_false(found.unseen); /* nothing in them to cover */
        assert_int_equal(found.read_only.count, 0);
        script(&scene, "for i in {1..257}; do echo '[alias] a = b' >$i/.git/config; done");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err), 0);
        assert_int_equal(found.read_only.count, 257);
        assert_int_equal(found.notice_count, 1);
        assert_non_null(strstr(found.notices[0], "too many git directories"));
        assert_false(found.sealed);
        script(&scene, "rm -rf *; mkdir -p j/k; cd j; touch {1..5000}");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err), 0);
        assert_true(found.unseen);
        scene_end(&scene);
}

/* ---- the index ---- */

struct seen {
        char text[256];
};

static int see(void *context, struct str path, struct err *err) {
        struct seen *seen = context;
        size_t len = strlen(seen->text);

        (void)err;
        snprintf(seen->text + len, sizeof(seen->text) - len, "%.*s ", (int)path.len, path.ptr);
        return 0;
}

static void put32(struct buf *buf, unsigned value) {
        for (int shift = 24; shift >= 0; shift -= 8)
                buf_char(buf, (char)(value >> shift));
}

static void entry(struct buf *buf, unsigned mode, const char *name, unsigned length) {
        size_t start = buf->len;

        for (int i = 0; i < 6; i++)
                put32(buf, 0);
        put32(buf, mode);
        for (int i = 0; i < 8; i++) /* owner, size, id */
                put32(buf, 0);
        buf_char(buf, (char)(length >> 8));
        buf_char(buf, (char)length);
        buf_append(buf, str_z(name));
        do
                buf_char(buf, 0);
        while ((buf->len - start) % 8);
}

enum { LINK = 0160000, PLAIN = 0100644, FOLDER = 0040000 };

static void reads(const char *expected, bool known, unsigned count, const struct buf *entries, struct str extensions) {
        struct seen seen = { "" };
        bool got;
        BUF_AUTO buf;

        buf_init(&buf, 1 << 16);
        buf_append(&buf, STR("DIRC"));
        put32(&buf, 2);
        put32(&buf, count);
        buf_append(&buf, buf_str(entries));
        buf_append(&buf, extensions);
        buf_append(&buf, STR("12345678901234567890"));
        assert_int_equal(git_index_read(buf_str(&buf), GIT_INDEX_SHA1, see, &seen, &got, NULL), 0);
        assert_string_equal(seen.text, expected);
        assert_int_equal(got, known);
        for (size_t len = 0; len < buf.len; len++) { /* cut off anywhere */
                char *exact = malloc(len ? len : 1);

                memcpy(exact, buf.ptr, len);
                assert_int_equal(git_index_read(str_from(exact, len), GIT_INDEX_SHA1, see, &seen, &got, NULL), 0);
                free(exact);
        }
}

static void index_bytes(void **state) {
        static const struct {
                unsigned mode[2];
                const char *name[2];
                const char *seen;
                int wrong; /* in the length of the second */
                bool known;
        } rows[] = {
                { { PLAIN, LINK }, { "a", "b/c" }, "b/c ", 0, true }, { { LINK, LINK }, { "a", "a" }, "a ", 0, false },
                { { LINK, LINK }, { "b", "a" }, "b ", 0, false }, /* git does not mind the order */
                { { LINK, PLAIN }, { "a", "abc" }, "a ", -1, false }, { { LINK, PLAIN }, { "a", "abc" }, "a ", 1, false },
                { { FOLDER, LINK }, { "a/", "b" }, "b ", 0, false },  { { LINK, LINK }, { "../a", "b/../c" }, "", 0, false },
                { { LINK, LINK }, { "/a", "b//c" }, "", 0, false },   { { LINK, LINK }, { "a/", "b/." }, "", 0, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                BUF_AUTO entries;

                buf_init(&entries, 1 << 16);
                entry(&entries, rows[i].mode[0], rows[i].name[0], (unsigned)strlen(rows[i].name[0]));
                entry(&entries, rows[i].mode[1], rows[i].name[1], (unsigned)((int)strlen(rows[i].name[1]) + rows[i].wrong));
                reads(rows[i].seen, rows[i].known, 2, &entries, STR(""));
                reads(rows[i].seen, rows[i].known, 2, &entries, STR("TREE\0\0\0\1x"));
                reads(rows[i].seen, false, 2, &entries, STR("link\0\0\0\0"));
                reads(rows[i].seen, false, 2, &entries, STR("sdir\0\0\0\0"));
                reads(rows[i].seen, false, 2, &entries, STR("TREE\0\0\1\0"));
                reads(rows[i].seen, false, 3, &entries, STR(""));
        }
}

/* Where threads would begin is where entries begin. */
static void index_blocks(void **state) {
        static const struct {
                unsigned end, table[4];
                bool known;
        } rows[] = {
                { 140, { 12, 1, 76, 1 }, true },   { 140, { 12, 2, 0, 0 }, false },  { 132, { 12, 1, 76, 1 }, false },
                { 140, { 12, 1, 84, 1 }, false },  { 140, { 76, 1, 12, 1 }, false }, { 140, { 12, 1, 76, 2 }, false },
                { 9999, { 12, 1, 76, 1 }, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                BUF_AUTO entries, extensions;

                buf_init(&entries, 1 << 16);
                buf_init(&extensions, 1 << 16);
                entry(&entries, LINK, "a", 1);
                entry(&entries, LINK, "b", 1);
                assert_int_equal(entries.len, 128);
                buf_append(&extensions, STR("IEOT\0\0\0\x14\0\0\0\1"));
                for (size_t j = 0; j < 4; j++)
                        put32(&extensions, rows[i].table[j]);
                buf_append(&extensions, STR("EOIE\0\0\0\x18"));
                put32(&extensions, rows[i].end);
                buf_append(&extensions, STR("12345678901234567890"));
                reads(rows[i].table[0] != 12   ? ""
                      : rows[i].table[2] == 84 ? "a "
                                               : "a b ",
                      rows[i].known, 2, &entries, buf_str(&extensions));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(directory_of_repositories),
                cmocka_unit_test(plain_repositories),
                cmocka_unit_test(depth),
                cmocka_unit_test(gitlinks),
                cmocka_unit_test(odd_gitlinks),
                cmocka_unit_test(pointers),
                cmocka_unit_test(limits),
                cmocka_unit_test(index_bytes),
                cmocka_unit_test(index_blocks),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
