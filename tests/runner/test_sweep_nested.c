#include "tests/runner/sweep_test.h"

#include "base/time.h"

static void gitlinks(void **state) {
        (void)state;
        /* made and added: `git status` of the whole goes into it */
        sweeps("repo .; echo 'touch \"$W/pwned\"' >payload; chmod +x payload",
               "repo a/b/c/d/nested; git -C a/b/c/d/nested config core.fsmonitor \"$W/payload\"; git add a; git commit -qm n",
               "removed W/a/b/c/d/nested/.git/config\nremoved W/a/b/c/d/nested/.git/hooks\n",
               "git status; test ! -e pwned; git -C a/b/c/d/nested log");
        /* a repository that was there becomes one */
        sweeps("repo .; repo a/b/c/d/nested; rm -r a/b/c/d/nested/.git/{config,hooks}",
               "git add a; git commit -qm n; git -C a/b/c/d/nested config core.fsmonitor evil",
               "removed W/a/b/c/d/nested/.git/config\n", "git status");
        /* in version 4 and in SHA-256; of a nested one, too */
        sweeps("repo .", "repo 1/2/3/4/n; git add 1; git update-index --index-version 4", /* its name is cut short */
               "removed W/1/2/3/4/n/.git/config\nremoved W/1/2/3/4/n/.git/hooks\n", "git status");
        sweeps("git init -q --object-format=sha256; git commit -q --allow-empty -m 1",
               "git init -q --object-format=sha256 1/2/3/4/n; git -C 1/2/3/4/n commit -q --allow-empty -m 1; git add 1",
               "removed W/1/2/3/4/n/.git/config\nremoved W/1/2/3/4/n/.git/hooks\n", ":");
        sweeps("repo .", "repo n; repo n/1/2/3/4/m; git -C n add 1; git add n",
               "removed W/n/.git/config\nremoved W/n/.git/hooks\nremoved W/n/1/2/3/4/m/.git/config\n"
               "removed W/n/1/2/3/4/m/.git/hooks\n",
               "git status");
        sweeps("repo .", "repo n; git add n; git commit -qm n; git rm -q --cached n; rm -rf n; ln -s /etc n", "", "test -L n");
}

/* Where the index says nothing, everything is looked at. */
static void other_indexes(void **state) {
        (void)state;
        sweeps("repo .", "repo 1/2/3/4/n; git add 1; git update-index --split-index",
               "removed W/1/2/3/4/n/.git/config\nremoved W/1/2/3/4/n/.git/hooks\n", "git status");
        sweeps("repo .",
               "repo 1/2/node_modules/3/4/n; git add 1; printf x | dd of=.git/index bs=1 seek=4 conv=notrunc status=none",
               "removed W/1/2/node_modules/3/4/n/.git/config\nremoved W/1/2/node_modules/3/4/n/.git/hooks\n", ":");
        /* and where that is too much, the index goes */
        sweeps("repo .; echo a >a; git add a; git commit -qm a",
               "mkdir -p j/k; cd j; touch f{1..66000}; cd ..; repo 1/2/3/4/n; git add 1; git update-index --split-index",
               "moved W/.git/index, which cannot be understood, aside to .bailey-aside-\n", "git reset -q; git diff --quiet");
        sweeps("repo .; echo a >a; git add a; git update-index --split-index; mkdir -p j/k; cd j; touch f{1..66000}",
               "git add a", "", "git status"); /* as it was before */
}

static void directory_of_repositories(void **state) {
        (void)state;
        sweeps("repo a; repo b; rm -r b/.git/hooks", "git -C a commit -q --allow-empty -m 2; repo c; mkdir b/.git/hooks",
               "removed W/b/.git/hooks\nremoved W/c/.git/config\nremoved W/c/.git/hooks\n",
               "git -C a status; git -C b status; git -C c log; test -e a/.git/hooks");
        sweeps("repo a; git -C a config a.b c", "git -C a config core.fsmonitor evil",
               "moved W/a/.git/config, which was replaced, aside to .bailey-aside-\nput W/a/.git/config back as it was\n",
               "test $(git -C a config a.b) = c");
        sweeps("repo a", "rm -rf a; repo a; git -C a config core.fsmonitor evil",
               "moved W/a/.git/config, which was replaced, aside to .bailey-aside-\nmoved W/a/.git/hooks, which was replaced, "
               "aside to .bailey-aside-\nput W/a/.git/config back as it was\n",
               "! git -C a config core.fsmonitor");
        sweeps("repo 1/2/a", "repo 1/2/3; git init -q 1/2/3/4", "removed W/1/2/3/.git/config\nremoved W/1/2/3/.git/hooks\n",
               ":");
        /* whoever moved what cannot be moved from inside owns it */
        sweeps("repo a", "mv a b", "", "test -e b/.git/config -a -e b/.git/hooks");
        /* a clone from an earlier command, which has neither config nor hooks */
        sweeps("repo a/x; rm -r a/x/.git/{hooks,config}", "mv a b; git -C b/x config core.fsmonitor evil",
               "removed W/b/x/.git/config\n", ":");
}

static void pointers(void **state) {
        (void)state;
        sweeps("repo .", "git worktree add -q 1/new; git -C 1/new commit -q --allow-empty -m 2", "",
               "git -C 1/new status; git worktree list");
        sweeps("repo .; repo local; git -C local config --unset core.bare",
               "git submodule -q add ./local sub; git -C sub config core.fsmonitor evil",
               "moved W/.git/config, which was replaced, aside to .bailey-aside-\nput W/.git/config back as it was\n"
               "removed W/.git/modules/sub/config\nremoved W/.git/modules/sub/hooks\nremoved W/.gitmodules\n",
               "git status; git -C sub log; ! git -C sub config core.fsmonitor");
        /* one that takes its config from elsewhere, and is a gitlink */
        sweeps("repo .",
               "repo evil; git worktree add -q new; git add new; echo ../../../evil/.git >.git/worktrees/new/commondir",
               "removed W/.git/worktrees/new/commondir\nremoved W/evil/.git/config\nremoved W/evil/.git/hooks\nremoved "
               "W/new/.git\n",
               "git status || :");
        sweeps("repo .",
               "git worktree add -q new; touch .git/worktrees/new/{config,config.worktree}; mkdir .git/worktrees/new/hooks",
               "removed W/.git/worktrees/new/config\nremoved W/.git/worktrees/new/config.worktree\nremoved "
               "W/.git/worktrees/new/hooks\n",
               "git -C new status");
        sweeps(":", "mkdir -p n 1/2/3/4/5; git init -q --bare 1/2/3/4/5/g; echo 'gitdir: ../1/2/3/4/5/g' >n/.git",
               "removed W/1/2/3/4/5/g/config\nremoved W/1/2/3/4/5/g/hooks\n", "test -e n/.git");
        sweeps("repo \"$T/other\"",
               "mkdir n m o; echo \"gitdir: $T/other/.git\" >n/.git; ln -s \"$T/other/.git\" m/.git; echo x >o/.git",
               "removed W/m/.git\nremoved W/n/.git\nremoved W/o/.git\n", "test -e \"$T/other/.git/config\"");
        sweeps("repo \"$T/lib\"; mkdir s; git init -q --separate-git-dir g s",
               "rm s/.git; git init -q s; git -C s config core.fsmonitor e",
               "moved W/s/.git, which was replaced, aside to .bailey-aside-\n", "test ! -e s/.git");
}

static void bare(void **state) {
        (void)state;
        sweeps("mkdir -p src/lib", "git init -q --bare src/lib; git -C src/lib config core.fsmonitor evil",
               "removed W/src/lib/config\nremoved W/src/lib/hooks\n", "test -e src/lib/HEAD");
        sweeps("mkdir -p src/lib", "git init -q --bare 1/2/3; touch src/lib/HEAD; echo ../../e >src/lib/commondir",
               "removed W/1/2/3/config\nremoved W/1/2/3/hooks\nremoved W/src/lib/commondir\n", ":");
        sweeps("git init -q --bare r; repo a", "git -C a push -q ../r main; git -C r branch x main", "",
               "git -C r log main; test -e r/config");
}

static void recovered(void **state) {
        struct sweep_journal journal;
        struct protection before;
        struct str_list removed;
        struct err err = { 0 };
        char state_dir[PATH_MAX + 16];
        struct scene scene;

        (void)state;
        scene_begin(&scene, "repo .; repo a; repo b; git -C b config a.b c; git add b; mkdir -p j/k; cd j; touch f{1..4100}");
        snprintf(state_dir, sizeof(state_dir), "%s/state", scene.top);
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), &scene.arena, &before, &err), 0);
        assert_int_equal(before.unknown.count, 1);
        assert_string_equal(before.unknown.items[0].path, scene.workspace);
        assert_int_equal(sweep_journal_begin(state_dir, scene.workspace, &before, &journal, &err), 0);
        assert_int_equal(sweep_journal_until(&journal, time_realtime() + 3600 * TIME_SECOND, &err), 0);
        sweep_journal_leave(&journal);
        script(&scene, "git -C b config core.fsmonitor evil; repo 1/2/3/4/n; git add 1");
        assert_int_equal(sweep_recover(state_dir, &scene.arena, &removed, &err), 0);
        assert_string_equal(lines(&scene, &removed), "moved W/b/.git/config, which was replaced, aside to .bailey-aside-\n"
                                                     "put W/b/.git/config back as it was\nremoved W/1/2/3/4/n/.git/config\n"
                                                     "removed W/1/2/3/4/n/.git/hooks\n");
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(gitlinks), cmocka_unit_test(other_indexes), cmocka_unit_test(directory_of_repositories),
                cmocka_unit_test(pointers), cmocka_unit_test(bare),          cmocka_unit_test(recovered),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
