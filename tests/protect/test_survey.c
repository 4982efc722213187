#include "tests/protect/workspace_test.h"

static const char *survey(struct scene *scene) {
        struct protection found;
        struct err err = { 0 };

        if (protect_survey(scene->workspace, getenv("HOME"), NULL, &scene->arena, &found, &err) < 0)
                fail_msg("%s", err.msg);
        for (size_t i = 0; i < found.anchors.count; i++)
                for (size_t j = i + 1; j < found.anchors.count; j++)
                        assert_int_not_equal(strncmp(found.anchors.items[i].path, found.anchors.items[j].path,
                                                     strlen(found.anchors.items[j].path)),
                                             0); /* outermost first */
        return describe(scene, &found);
}

/* What the survey says of what a script made. */
static void surveys(const char *layout, const char *expected) {
        struct scene scene;
        const char *got;

        scene_begin(&scene, layout);
        got = survey(&scene);
        if (strcmp(got, expected) != 0)
                fail_msg("of: %s\ngot:\n%sexpected:\n%s", layout, got, expected);
        scene_end(&scene);
}

static void refuses(const char *layout, enum err_code code, const char *part) {
        struct protection found = { 0 };
        struct err err = { 0 };
        struct scene scene;

        scene_begin(&scene, layout);
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err), -1);
        assert_int_equal(err.code, code);
        if (!strstr(err.msg, part))
                fail_msg("no '%s' in: %s", part, err.msg);
        assert_null(found.workspace);
        scene_end(&scene);
}

static void plain(void **state) {
        (void)state;
        surveys(":", "");
        surveys("mkdir -p src/.claude .claude .vscode; touch .envrc .bashrc x", /* only those at the top */
                "ro W/.bashrc\nro W/.claude\nro W/.envrc\nro W/.vscode\n");
        surveys("mkfifo .envrc; ln -s nowhere/at/all .profile; ln -s loop .zshrc; ln -s .zshrc loop",
                "ro W/.envrc\nro W/.profile -> nowhere/at/all\nro W/.zshrc -> loop\nro W/loop -> .zshrc\n"
                "absent W/nowhere/at/all\n");
}

/* Of several names: what is there is kept, and so is each link on the way. */
static void paths_of_several_names(void **state) {
        (void)state;
        surveys("mkdir -p .github/workflows .hg .jj/repo .config src/.github/hooks; touch .github/CODEOWNERS", "");
        surveys("mkdir -p .github/hooks .hg; touch .hg/hgrc",
                "ro W/.github/hooks\nro W/.hg/hgrc\nanchor W/.github\nanchor W/.hg\n");
        surveys("mkdir -p real/hooks \"$T/out\"; ln -s real .github; ln -s \"$T/out\" .hg; ln -s nowhere .jj",
                "ro W/.github -> real\nro W/.hg -> T/out\nro W/.jj -> nowhere\nro W/real/hooks\nanchor W/real\n");
}

static void links(void **state) {
        (void)state;
        surveys("mkdir -p cfg/deep; touch cfg/deep/env; ln -s cfg/deep/env .envrc",
                "ro W/.envrc -> cfg/deep/env\nro W/cfg/deep/env\nanchor W/cfg\nanchor W/cfg/deep\n");
        /* each link on the way can be replaced, so each is known; what lies outside cannot be written anyway */
        surveys("mkdir real \"$T/out\"; touch real/s; ln -s real hop; ln -s \"$W/hop/s\" two; ln -s two .profile\n"
                "ln -s ../out .claude; ln -s /etc/passwd .bashrc; ln -s .. .idea; ln -s . .vscode",
                "ro W/.bashrc -> /etc/passwd\nro W/.claude -> ../out\nro W/.idea -> ..\nro W/.profile -> two\n"
                "ro W/.vscode -> .\nro W/hop -> real\nro W/real/s\nro W/two -> W/hop/s\nanchor W/real\n");
}

static void links_with_text(void **state) {
        struct scene scene;
        struct protection found;

        (void)state;
        scene_begin(&scene, "ln -s 'a b\n\"c' .envrc");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, NULL), 0);
        assert_int_equal(found.read_only.count, 1);
        assert_string_equal(found.read_only.items[0].link, "a b\n\"c");
        assert_int_equal(found.absent.count, 1);
        scene_end(&scene);
}

static void git_directory(void **state) {
        (void)state;
        surveys("repo .", "ro W/.git/config\nro W/.git/hooks\nanchor W/.git\n");
        surveys("repo .; rm -rf .git/hooks; git config extensions.worktreeConfig true; git config --worktree a.b c",
                "ro W/.git/config\nro W/.git/config.worktree\nanchor W/.git\n");
        surveys("repo .; ln -s ../hook.sh .git/hooks/pre-commit; ln -s ../../s/x .git/hooks/pre-push; mkdir s; touch s/x",
                "ro W/.git/config\nro W/.git/hooks\nro W/.git/hooks/pre-commit -> ../hook.sh\n"
                "ro W/.git/hooks/pre-push -> ../../s/x\nro W/s/x\nabsent W/.git/hook.sh\nanchor W/.git\nanchor W/s\n");
        surveys("repo .; mv .git/config c; ln -s ../c .git/config; mkdir h; rm -rf .git/hooks; ln -s \"$W/h\" .git/hooks",
                "ro W/.git/config -> ../c\nro W/.git/hooks -> W/h\nro W/c\nro W/h\nanchor W/.git\n");
}

static void hooks_path(void **state) {
        (void)state;
        surveys("repo .; rm -rf .git/hooks; mkdir -p tools/hooks; git config core.hooksPath tools/hooks",
                "ro W/.git/config\nro W/tools/hooks\nanchor W/.git\nanchor W/tools\n");
        surveys("repo .; rm -rf .git/hooks; mkdir -p .husky/_; printf '[CORE]hooksPATH=\".husky\"/_ ; x\\r\\n' >>.git/config",
                "ro W/.git/config\nro W/.husky\nro W/.husky/_\nanchor W/.git\n");
        surveys("repo .; rm -rf .git/hooks; git config core.hooksPath not/there/../yet; mkdir not",
                "ro W/.git/config\nabsent W/not/yet\nanchor W/.git\nanchor W/not\n");
        surveys("repo .; rm -rf .git/hooks; git config core.hooksPath /etc/hooks; git config core.fsmonitor x",
                "ro W/.git/config\nanchor W/.git\n");
        surveys("repo .; rm -rf .git/hooks; mkdir h; ln -s h l; git config core.hooksPath l",
                "ro W/.git/config\nro W/h\nro W/l -> h\nanchor W/.git\n");
        /* a writable mount on an anchor would undo the read-only one above it */
        surveys("repo .; rm -rf .git/hooks; mkdir -p h/h; git config core.hooksPath h; git config include.path ../h/h/c; touch "
                "h/h/c",
                "ro W/.git/config\nro W/h\nro W/h/h/c\nanchor W/.git\n");
        refuses("repo .; git config core.hooksPath .", ERR_UNSUPPORTED, "core.hooksPath");
}

static void includes(void **state) {
        (void)state;
        surveys("repo .; rm -rf .git/hooks; git config include.path ../.gitconfig; git config includeIf.onbranch:x.path more\n"
                "mkdir .githooks; git config -f .gitconfig core.hooksPath .githooks; git config -f .gitconfig include.path "
                "cfg/c\n"
                "mkdir cfg; git config -f cfg/c include.path ./d; git config -f cfg/c core.hooksPath other",
                "ro W/.git/config\nro W/.gitconfig\nro W/.githooks\nro W/cfg/c\n"
                "absent W/.git/more\nabsent W/cfg/d\nabsent W/other\nanchor W/.git\nanchor W/cfg\n");
        refuses("repo .; git config include.path config", ERR_TOO_COMPLEX, "include");      /* itself */
        surveys("repo .; rm -rf .git/hooks; git config include.path '~/w \\$x/c'; touch c", /* $HOME is $T here */
                "ro W/.git/config\nro W/c\nanchor W/.git\n");
}

static void submodules(void **state) {
        (void)state;
        surveys("repo \"$T/lib\"; repo \"$T/mid\"; git -C \"$T/mid\" submodule -q add \"$T/lib\" deep; git -C \"$T/mid\" "
                "commit -qm s\n"
                "repo .; git submodule -q add --name a/b \"$T/mid\" libs/mid; git submodule -q update --init --recursive\n"
                "find .git \"$T\" -name hooks -prune -exec rm -rf {} +",
                "ro W/.git/config\nro W/.git/modules/a/b/config\nro W/.git/modules/a/b/modules/deep/config\nro W/.gitmodules\n"
                "ro W/libs/mid/.git\nro W/libs/mid/deep/.git\n"
                "anchor W/.git\nanchor W/.git/modules\nanchor W/.git/modules/a\nanchor W/.git/modules/a/b\n"
                "anchor W/.git/modules/a/b/modules\nanchor W/.git/modules/a/b/modules/deep\n"
                "anchor W/libs\nanchor W/libs/mid\nanchor W/libs/mid/deep\n");
        surveys("repo .; rm -rf .git/hooks; mkdir -p \"$T/m/x\" x; touch \"$T/m/x/HEAD\" \"$T/m/x/config\"; ln -s \"$T/m\" "
                ".git/modules",
                "ro W/.git/config\nro W/.git/modules -> T/m\nanchor W/.git\n");
}

static void submodule_as_workspace(void **state) {
        static const char layout[] = "repo \"$T/lib\"; repo \"$T/super\"; rmdir \"$W\"; cd \"$T/super\"\n"
                                     "git submodule -q add \"$T/lib\" w; git -C w config core.hooksPath .hooks\n"
                                     "rm -rf .git/modules/w/hooks; ln -s \"$T/super/w\" \"$W\"; cd \"$W\"\n";
        struct scene scene;
        const char *got;

        (void)state;
        scene_begin(&scene, layout); /* and the workspace is given as a link */
        got = survey(&scene);
        assert_string_equal(got, "ro T/super/.git/modules/w/config\nro T/super/w/.git\nwrite T/super/.git/modules/w\n"
                                 "absent T/super/w/.hooks\n");
        script(&scene, "git config core.worktree ../../../..");
        assert_string_equal(survey(&scene), "ro T/super/w/.git\n");
        script(&scene, "printf '[core]\\n\\tworktree = \"../../..\\\\\\n/w\" # here\\n' >\"$T/super/.git/modules/w/config\"");
        assert_non_null(strstr(survey(&scene), "write T/super/.git/modules/w\n"));
        scene_end(&scene);
}

static void worktree_as_workspace(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, "repo \"$T/main\"; rm -rf \"$T/main/.git/hooks\"; rmdir \"$W\"; git -C \"$T/main\" worktree add -q "
                            "-b x \"$W\"");
        script(&scene, "git -C \"$T/main\" worktree add -q ../other");
        assert_string_equal(survey(&scene),
                            "ro T/main/.git/config\nro W/.git\nchecked T/main/.git/worktrees/other/commondir\n"
                            "checked T/main/.git/worktrees/other/gitdir\nchecked T/main/.git/worktrees/w--$x/commondir\n"
                            "checked T/main/.git/worktrees/w--$x/gitdir\nwrite T/main/.git\n");
        scene_end(&scene);
}

/* A pointer alone opens nothing. */
static void unproven_pointers(void **state) {
        static const char *const layouts[] = {
                "repo \"$T/main\"; echo \"gitdir: $T/main/.git\" >.git",
                "repo \"$T/main\"; git -C \"$T/main\" worktree add -q ../other; cp ../other/.git .git",
                "repo \"$T/main\"; git -C \"$T/main\" worktree add -q ../other; mv ../other/.git .; echo \"$T/other/.git\" "
                ">\"$T/main/.git/worktrees/other/gitdir\"",
                "git init -q --separate-git-dir \"$T/real\" .",
                "echo 'gitdir: /' >.git",
                "echo 'gitdir: ..' >.git",
                "echo 'gitdir: ' >.git",
                "echo 'gitdir:..' >.git",
                "printf 'gitdir: /etc\\0x\\n' >.git",
                ": >.git",
                "head -c 8000 /dev/zero >.git",
                /* points back, but is among nobody's worktrees */
                "mkdir -p \"$T/e/x\"; cd \"$T/e/x\"; touch HEAD; echo .. >commondir; echo \"$W/.git\" >gitdir; mkdir "
                "../objects\n"
                "touch ../HEAD ../config; echo \"gitdir: $T/e/x\" >\"$W/.git\"",
                /* a git directory that holds the workspace */
                "mkdir -p \"$T/worktrees/x\" \"$T/objects\"; cd \"$T\"; touch HEAD worktrees/x/HEAD; echo ../.. "
                ">worktrees/x/commondir; echo \"$W/.git\" >worktrees/x/gitdir; echo \"gitdir: $T/worktrees/x\" >\"$W/.git\"",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
                surveys(layouts[i], "ro W/.git\n");
        surveys("repo \"$T/main\"; ln -s ../main/.git .git", "ro W/.git -> ../main/.git\n");
}

static void git_inside(void **state) {
        (void)state;
        surveys("mkdir real; git init -q --separate-git-dir real/git .; rm -rf real/git/hooks",
                "ro W/.git\nro W/real/git/config\nanchor W/real\n"
                "anchor W/real/git\n");
        surveys("repo .; rm -rf .git/hooks; mv .git g; ln -s g .git", "ro W/.git -> g\nro W/g/config\nanchor W/g\n");
        surveys("ln -s later .git", "ro W/.git -> later\nabsent W/later\n");
        surveys("echo 'gitdir: later' >.git", "ro W/.git\nabsent W/later\n");
        surveys("git init -q --bare .; rm -rf hooks/*", "ro W/config\nro W/hooks\n");
        surveys("mkdir hooks objects config; touch HEAD", ""); /* only looks a little like it */
        surveys("touch HEAD; mkdir hooks; echo evil >commondir", "ro W/commondir\nro W/hooks\n");
}

/* What is too much is covered as a whole, and the user is told. */
static void covers_whole(const char *layout, const char *path, const char *notice) {
        struct protection found = { 0 };
        struct err err = { 0 };
        struct scene scene;
        char full[PATH_MAX + 256];
        int failed;

        scene_begin(&scene, layout);
        /* to root nothing is closed */
        if (geteuid() == 0) {
                script(&scene, "chown -R 65534 \"$T\"");
                assert_int_equal(setresuid(65534, 65534, 0), 0);
        }
        failed = protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, &err);
        if (getuid() == 65534)
                assert_int_equal(setresuid(0, 0, 0), 0);
        if (failed)
                fail_msg("of: %s\n%s", layout, err.msg);
        snprintf(full, sizeof(full), "%s/%s", scene.workspace, path);
        if (!protect_find(&found.read_only, full))
                fail_msg("of: %s\n%s is not covered in\n%s", layout, path, describe(&scene, &found));
        assert_true(found.notice_count > 0);
        assert_non_null(strstr(found.notices[0], notice));
        scene_end(&scene);
}

static void limits(void **state) {
        (void)state;
        covers_whole("repo .; mkdir -p .git/modules/1/2/3/4/5/6/7/8/9/a/b/c/d/e/f/10/11/12",
                     ".git/modules/1/2/3/4/5/6/7/8/9/a/b/c/d/e/f/10/11", "too much in it");
        refuses("repo .; head -c 2000000 /dev/zero >.git/config", ERR_TOO_COMPLEX, "config");
}

static void too_many_folders(void **state) {
        struct protection found;
        struct scene scene;

        (void)state;
        scene_begin(&scene, "repo .; mkdir .git/modules; cd .git/modules; mkdir {1..3200}");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), NULL, &scene.arena, &found, NULL), 0);
        assert_int_equal(found.read_only.count, 3); /* config, hooks and all modules at once */
        assert_int_equal(found.notice_count, 1);
        assert_non_null(strstr(found.notices[0], ".git/modules: too much in it"));
        assert_false(found.sealed);
        scene_end(&scene);
}

/* ---- configs outside ---- */

static void user_configs(void **state) {
        (void)state;
        surveys("repo .; rm -rf .git/hooks; mkdir h; printf '[core]\\nhooksPath = h\\n' >\"$T/.gitconfig\"",
                "ro W/.git/config\nro W/h\nanchor W/.git\n");
        surveys("repo .; rm -rf .git/hooks; mkdir -p \"$T/.config/git\"; touch c\n"
                "git config -f \"$T/.config/git/config\" include.path \"$W/c\"",
                "ro W/.git/config\nro W/c\nanchor W/.git\n");
        /* a repository above */
        surveys("repo \"$T\"; git -C \"$T\" config core.hooksPath \"$W/h\"; mkdir h", "ro W/h\n");
        surveys("repo .; rm -rf .git/hooks; mkdir h; home=$(getent passwd \"$(id -u)\" | cut -d: -f6)\n"
                "git config core.hooksPath \"~$(id -un)$(printf %s \"$home\" | sed 's|/[^/]*|/..|g')$W/h\"",
                "ro W/.git/config\nro W/h\nanchor W/.git\n");
}

/* What is closed is covered as a whole; nothing is taken for absent because it cannot be looked at. */
static void closed_directories(void **state) {
        (void)state;
        covers_whole("repo .; rm -rf .git/hooks; mkdir -p tools/hooks; git config core.hooksPath tools/hooks; chmod 000 tools",
                     "tools", "cannot be searched");
        covers_whole("repo .; own vendor/lib; chmod 000 vendor/lib", "vendor/lib", "cannot be searched");
}

static void bad_workspaces(void **state) {
        struct protection found;
        struct err err = { 0 };
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(protect_survey("tmp", getenv("HOME"), NULL, &arena, &found, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_int_equal(protect_survey("/nowhere at all", getenv("HOME"), NULL, &arena, &found, &err), -1);
        assert_int_equal(err.sys, ENOENT);
        assert_int_equal(protect_survey("/etc/passwd", getenv("HOME"), NULL, &arena, &found, &err), -1);
        assert_int_equal(err.sys, ENOTDIR);
        arena_free(&arena);
        arena_init(&arena, 1);
        assert_int_equal(protect_survey("/tmp", getenv("HOME"), NULL, &arena, &found, &err), -1);
        assert_int_equal(err.code, ERR_MEMORY);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(plain),
                cmocka_unit_test(paths_of_several_names),
                cmocka_unit_test(links),
                cmocka_unit_test(links_with_text),
                cmocka_unit_test(git_directory),
                cmocka_unit_test(hooks_path),
                cmocka_unit_test(includes),
                cmocka_unit_test(submodules),
                cmocka_unit_test(submodule_as_workspace),
                cmocka_unit_test(worktree_as_workspace),
                cmocka_unit_test(unproven_pointers),
                cmocka_unit_test(git_inside),
                cmocka_unit_test(limits),
                cmocka_unit_test(too_many_folders),
                cmocka_unit_test(user_configs),
                cmocka_unit_test(closed_directories),
                cmocka_unit_test(bad_workspaces),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
