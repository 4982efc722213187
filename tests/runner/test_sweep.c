#include "tests/runner/sweep_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/time.h"
#include "protect/remove.h"

static void nothing_happened(void **state) {
        (void)state;
        sweeps(":", ":", "", "test -z \"$(ls -A)\"");
        sweeps("repo .; mkdir .vscode; touch .envrc; ln -s x .profile; git config core.hooksPath h",
               "date >a; git add a; git commit -qm two; git branch b; git stash -q || :; echo in place >.envrc", "",
               "git status; test -e .git/hooks -a -L .profile");
        sweeps("git init -q --bare .", ":", "", "git status || git log || :; test -e config -a -e hooks");
}

static void new_names(void **state) {
        (void)state;
        sweeps(":",
               "mkdir -p .claude/a/b .git_ src/.vscode; echo x >.claude/a/b/c; echo e >.envrc; ln -s /etc/passwd .bashrc; "
               "mkfifo .idea",
               "removed W/.bashrc\nremoved W/.claude\nremoved W/.envrc\nremoved W/.idea\n",
               "test -s /etc/passwd; test \"$(ls -A | tr '\\n' ' ')\" = '.git_ src '; test -d src/.vscode");
        sweeps("echo keep >other", "ln other .envrc; ln -s . .claude; ln -s \"$T\" .vscode",
               "removed W/.claude\nremoved W/.envrc\nremoved W/.vscode\n", "test \"$(cat other)\" = keep; test -d \"$T/home\"");
        sweeps(":", "echo 'gitdir: /tmp/evil' >.git", "removed W/.git\n", "test ! -e .git");
        sweeps("mkdir evil", "ln -s evil .git; touch evil/config", "removed W/.git\n", "test -e evil/config -a ! -L .git");
        /* removal stays below: links inside are removed, not followed */
        sweeps("mkdir keep; echo x >keep/f", "mkdir .husky; ln -s ../keep .husky/k; ln -s \"$W/keep/f\" .husky/f",
               "removed W/.husky\n", "test \"$(cat keep/f)\" = x");
}

static void git_init(void **state) {
        (void)state;
        sweeps("echo a >a",
               "repo .; git add a; git commit -qm two; git config core.fsmonitor 'touch pwned'; echo 'touch pwned' "
               ">.git/hooks/x",
               "removed W/.git/config\nremoved W/.git/hooks\n",
               "test \"$(git log --oneline | wc -l)\" = 2; test -z \"$(git status --porcelain)\"; test ! -e pwned; echo b >b; "
               "git "
               "add b; git commit -qm three");
        sweeps("mkdir evil; git init -q evil",
               "git init -q; echo ../evil/.git >.git/commondir; ln -s ../evil .git/modules; mkdir .git/worktrees; ln -s /etc "
               ".git/worktrees/x; rm .git/config; ln -s ../evil/.git/config .git/config",
               "removed W/.git/commondir\nremoved W/.git/config\nremoved W/.git/hooks\nremoved W/.git/modules\nremoved "
               "W/.git/worktrees/x\n",
               "test -e evil/.git/config; git status");
        sweeps(":", "git init -q --bare .", "removed W/config\nremoved W/hooks\n", "test -e HEAD -a -e objects");
        sweeps(":", "mkdir -p e/objects e/refs hooks; touch HEAD e/config; echo e >commondir",
               "removed W/commondir\nremoved W/hooks\n", ":");
        sweeps("mkdir config hooks", "touch HEAD; mkdir objects", "", "test -d config -a -d hooks");
}

static void git_directory(void **state) {
        (void)state;
        sweeps("repo .; rm -rf .git/hooks", "mkdir .git/hooks; touch .git/hooks/pre-commit .git/config.worktree .git/commondir",
               "removed W/.git/commondir\nremoved W/.git/config.worktree\nremoved W/.git/hooks\n", "git log");
        /* not possible behind mounts, but where there are none, and when the host's git replaced it */
        sweeps("repo .; git config a.b c", "git config core.fsmonitor evil",
               "moved W/.git/config, which was replaced, aside to .bailey-aside-\nput W/.git/config back as it was\n",
               "test \"$(git config a.b)\" = c; ! git config core.fsmonitor; grep -q evil .git/.bailey-aside-*; git status");
        sweeps("repo .", "cp .git/config x; mv x .git/config", "", "git status"); /* replaced by the same */
        sweeps("repo .; mkdir .claude; echo mine >.claude/x", "mv .claude c; mkdir .claude; echo evil >.claude/x",
               "moved W/.claude, which was replaced, aside to .bailey-aside-\n", "test ! -e .claude; grep -q mine c/x");
        sweeps("repo .", "mv .git old; git init -q; git config core.fsmonitor evil",
               "moved W/.git/config, which was replaced, aside to .bailey-aside-\nmoved W/.git/hooks, which was replaced, "
               "aside to "
               ".bailey-aside-\nput W/.git/config back as it was\n",
               "! git config core.fsmonitor");
        sweeps("repo .", "mv .git old; echo 'gitdir: old' >.git", "removed W/.git\n", "test ! -e .git");
}

static void modules(void **state) {
        static const char layout[] = "repo \"$T/lib\"; repo .; git submodule -q add \"$T/lib\" libs/a; git commit -qm s\n"
                                     "rm -rf .git/modules/libs/a/hooks";

        (void)state;
        sweeps(layout,
               "mkdir .git/modules/libs/a/hooks; cp -r .git/modules/libs/a .git/modules/libs/b; git -C libs/a commit -q "
               "--allow-empty -m two",
               "removed W/.git/modules/libs/a/hooks\nremoved W/.git/modules/libs/b/config\nremoved "
               "W/.git/modules/libs/b/hooks\n",
               "git status; test -e .git/modules/libs/a/config; test \"$(git -C libs/a log --oneline | wc -l)\" = 2");
        sweeps(layout, "mkdir -p evil/objects; touch evil/HEAD evil/config; ln -s ../../evil .git/modules/c",
               "removed W/.git/modules/c\n", "test -e evil/config");
        sweeps(layout, "p=.git/modules/; for i in {1..30}; do p+=d/; done; mkdir -p $p/objects; touch $p/HEAD $p/config",
               "removed W/.git/modules/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d\n",
               "! find .git/modules/d -name config | grep .");
        /* the pointer of a submodule, which `git status` of the whole follows */
        sweeps(layout, "rm libs/a/.git; git init -q libs/a",
               "moved W/libs/a/.git, which was replaced, aside to .bailey-aside-\n", "test ! -e libs/a/.git");
        sweeps("repo \"$T/lib\"; repo .; git submodule -q add \"$T/lib\" a; git commit -qm s; rm a/.git",
               "echo 'gitdir: ../evil' >a/.git", "removed W/a/.git\n", ":");
}

static void worktrees(void **state) {
        (void)state;
        sweeps("repo .; git worktree add -q ../other", "touch .git/worktrees/other/config.worktree; git worktree add -q new",
               "removed W/.git/worktrees/other/config.worktree\n",
               "git -C new status; git -C ../other status; git worktree list");
        sweeps("repo \"$T/main\"; rm -rf \"$T/main/.git/hooks\"; rmdir \"$W\"; git -C \"$T/main\" worktree add -q -b x \"$W\"; "
               "cd \"$W\"",
               "mkdir \"$T/main/.git/hooks\" \"$T/main/hooks\"; git commit -q --allow-empty -m two; touch .envrc",
               "removed T/main/.git/hooks\nremoved W/.envrc\n", "git log; test -e \"$T/main/hooks\"");
}

static void links(void **state) {
        (void)state;
        sweeps("ln -s a .envrc; ln -s b .profile; ln -s c .bashrc; ln -s d .zshrc; mkdir e; ln -s e .claude",
               "rm .envrc; echo evil >.envrc; ln -sf evil .profile; rm .bashrc; rm .zshrc; mkdir .zshrc; ln -sfn ../ .claude; "
               "touch a",
               "moved W/.envrc, which was replaced, aside to .bailey-aside-\nmoved W/.zshrc, which was replaced, aside to "
               ".bailey-aside-\nput W/.bashrc back as it was\nput W/.claude back as it was\nput W/.envrc back as it was\nput "
               "W/.profile back as it was\nput W/.zshrc back as it was\nremoved W/.claude\nremoved W/.profile\nremoved W/a\n",
               "test $(readlink .envrc).$(readlink .profile).$(readlink .bashrc).$(readlink .zshrc).$(readlink .claude) = "
               "a.b.c.d.e");
        sweeps("repo .; mv .git g; ln -s g .git",
               "rm .git; mv g h; mkdir g; cp -r h/* g; ln -s h .git; touch h/config.worktree",
               "moved W/g/hooks, which was replaced, aside to .bailey-aside-\nput W/.git back as it was\nremoved "
               "W/.git\nremoved "
               "W/h/config.worktree\n",
               "test $(readlink .git) = g; git log");
}

static void absent(void **state) {
        (void)state;
        sweeps("repo .; git config core.hooksPath build/hooks", "mkdir -p build/hooks; touch build/hooks/pre-commit build/out",
               "removed W/build/hooks\n", "test -e build/out");
        sweeps("repo .; git config core.hooksPath build/hooks", "mkdir -p evil/hooks; ln -s evil build", "removed W/build\n",
               "test -e evil/hooks");
        sweeps("repo .; git config include.path ../mine.conf", "git config -f mine.conf core.fsmonitor evil",
               "removed W/mine.conf\n", ":");
        sweeps("ln -s deep/er/env .envrc", "mkdir -p deep/er; touch deep/er/env deep/x", "removed W/deep/er/env\n",
               "test -e deep/x");
}

/* ---- trees that resist ---- */

static void hostile_trees(void **state) {
        static const char deep[] =
                "mkdir .claude; cd .claude; exec python3 -c 'import os\n" /* past PATH_MAX */
                "for i in range(300): os.mkdir(\"d\" * 20); os.chdir(\"d\" * 20); open(\"f\", \"w\").close()'";

        (void)state;
        sweeps(":", deep, "removed W/.claude\n", "test -z \"$(ls -A)\"");
        sweeps(":", "mkdir -p .vscode/{a,b,c}/{d,e,f}; touch .vscode/{a,b,c}/{d,e,f}/{1..50} .vscode/$'new\\nline' .vscode/-rf",
               "removed W/.vscode\n", "test -z \"$(ls -A)\"");
        sweeps(":", "mkdir -p .idea/.bailey-aside-{0..5}/{a,b}/c", "removed W/.idea\n", "test -z \"$(ls -A)\"");
}

static void few_descriptors(void **state) {
        struct rlimit limit = { 24, 24 }, old;

        (void)state;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
        limit.rlim_max = old.rlim_max;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        hostile_trees(NULL);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/* Runs a test as an ordinary user, for whom permissions count. */
static void as_user(void (*test)(void)) {
        int status = 0;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
                if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
                        _exit(1);
                test();
                _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
}

static void locked(void) {
        sweeps("repo .; rm -rf .git/hooks",
               "mkdir -p .claude/a/b .git/hooks .git/modules/m/objects; touch .claude/a/b/c .git/modules/m/{HEAD,config} "
               ".envrc\n"
               "chmod 0 .claude/a/b .claude/a .claude .git/hooks .git/modules/m/objects; chmod 400 .git/modules/m; chmod 0 "
               ".git/modules "
               ".git; chmod 500 .",
               "removed W/.claude\nremoved W/.envrc\nremoved W/.git/hooks\nremoved W/.git/modules/m/config\n",
               "test ! -e .claude -a ! -e .git/modules/m/config; git status");
        sweeps("ln -s a .envrc", "rm .envrc; touch .envrc; mkdir .vscode; touch .vscode/a; chmod 0 .vscode .",
               "moved W/.envrc, which was replaced, aside to .bailey-aside-\nput W/.envrc back as it was\nremoved W/.vscode\n",
               "test $(readlink .envrc) = a");
}

static void locked_trees(void **state) {
        (void)state;
        as_user(locked);
}

/* Too much for the time: the name is free all the same. */
static void out_of_time(void **state) {
        struct scene scene;
        struct err err = { 0 };
        FD_AUTO fd = -1;

        (void)state;
        scene_begin(&scene, "mkdir .claude; touch .claude/{1..10}");
        fd = open(scene.workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(remove_tree(fd, ".claude", 0, &err), -1);
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
        assert_non_null(strstr(err.msg, ".claude is now .bailey-aside-"));
        script(&scene, "test ! -e .claude; ls .bailey-aside-*/10");
        scene_end(&scene);
}

static void other_workspace(void **state) {
        struct scene scene;
        struct protection before;
        struct str_list removed;
        struct err err = { 0 };

        (void)state;
        scene_begin(&scene, ":");
        assert_int_equal(protect_survey(scene.workspace, getenv("HOME"), &scene.arena, &before, &err), 0);
        script(&scene, "mv \"$W\" \"$T/old\"; mkdir \"$W\"; touch \"$W/.envrc\"");
        assert_int_equal(sweep_workspace(scene.workspace, &before, false, &scene.arena, &removed, &err), -1);
        assert_int_equal(err.code, ERR_REFUSED);
        assert_int_equal(sweep_workspace("/etc", &before, false, &scene.arena, &removed, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        script(&scene, "test -e .envrc; rm -rf \"$W\"; ln -s old \"$W\"; touch \"$W/.envrc\"");
        assert_int_equal(sweep_workspace(scene.workspace, &before, false, &scene.arena, &removed, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
        script(&scene, "test -e .envrc");
        scene_end(&scene);
}

/* ---- journals ---- */

static void nothing_is_lost_after_a_long_run(void **state) {
        (void)state;
        sweeps_keeping(true, "mkdir .git", "echo a >.envrc; mkdir -p .vscode; echo b >.vscode/tasks.json",
                       "moved W/.envrc, which is new, aside to .bailey-aside-\n"
                       "moved W/.vscode, which is new, aside to .bailey-aside-\n",
                       "[ ! -e .envrc ] && [ ! -e .vscode ] && grep -rqx a .bailey-aside-* && grep -rqx b .bailey-aside-*");
}

struct recovered {
        struct scene scene;
        struct protection before;
        struct sweep_journal journal;
        char state_dir[PATH_MAX + 16];
        struct str_list removed;
};

static void journal_begin(struct recovered *r, const char *layout) {
        struct err err = { 0 };

        scene_begin(&r->scene, layout);
        snprintf(r->state_dir, sizeof(r->state_dir), "%s/state/bailey", r->scene.top);
        assert_int_equal(protect_survey(r->scene.workspace, getenv("HOME"), &r->scene.arena, &r->before, &err), 0);
        if (sweep_journal_begin(r->state_dir, r->scene.workspace, &r->before, &r->journal, &err) < 0 ||
            sweep_journal_until(&r->journal, time_realtime() + 3600 * TIME_SECOND, &err) < 0)
                fail_msg("%s", err.msg);
}

static const char *recover(struct recovered *r) {
        struct err err = { 0 };

        if (sweep_recover(r->state_dir, &r->scene.arena, &r->removed, &err) < 0)
                fail_msg("%s", err.msg);
        return lines(&r->scene, &r->removed);
}

static void journal_of_the_living(void **state) {
        struct recovered r;

        (void)state;
        journal_begin(&r, ":");
        script(&r.scene,
               "touch .envrc; test $(stat -c %a \"$T/state/bailey/runs\").$(stat -c %a \"$T\"/state/bailey/runs/*) = 700.600");
        assert_string_equal(recover(&r), "");
        sweep_journal_end(&r.journal);
        assert_int_equal(r.journal.fd, -1);
        sweep_journal_end(&r.journal); /* twice is nothing */
        assert_string_equal(recover(&r), "");
        script(&r.scene, "test -e .envrc; test -z \"$(ls -A \"$T/state/bailey/runs\")\"");
        scene_end(&r.scene);
}

static void journal_of_the_dead(void **state) {
        struct recovered r;

        (void)state;
        journal_begin(
                &r, "repo .; rm -rf .git/hooks; git config a.b c; ln -s $'a\\nb' .profile; git config core.hooksPath 'h\\ h'\n"
                    "mkdir $'x\\ny'; git config include.path $'../x\\ny/c'");
        sweep_journal_leave(&r.journal);
        script(&r.scene,
               "touch .envrc; ln -sf evil .profile; mkdir .git/hooks; git config core.fsmonitor evil; touch $'x\\ny/c'");
        assert_string_equal(recover(&r), "moved W/.git/config, which was replaced, aside to .bailey-aside-\n"
                                         "put W/.git/config back as it was\nput W/.profile back as it was\nremoved W/.envrc\n"
                                         "removed W/.git/hooks\nremoved W/.profile\nremoved W/x\ny/c\n");
        script(&r.scene, "test \"$(readlink .profile)\" = $'a\\nb'; test $(git config a.b) = c; test -z \"$(ls -A "
                         "\"$T/state/bailey/runs\")\"; touch .envrc");
        assert_string_equal(recover(&r), ""); /* once is enough */
        scene_end(&r.scene);
}

static void killed(void **state) {
        struct recovered r;
        int ready[2], status;
        char byte;
        pid_t child;

        (void)state;
        scene_begin(&r.scene, ":");
        snprintf(r.state_dir, sizeof(r.state_dir), "%s/state", r.scene.top);
        assert_int_equal(protect_survey(r.scene.workspace, getenv("HOME"), &r.scene.arena, &r.before, NULL), 0);
        assert_int_equal(fd_pipe(ready, NULL), 0);
        child = fork();
        if (child == 0) {
                if (sweep_journal_begin(r.state_dir, r.scene.workspace, &r.before, &r.journal, NULL) == 0)
                        (void)!write(ready[1], "x", 1);
                pause();
                _exit(0);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        script(&r.scene, "mkdir .claude; echo x >.claude/settings.json");
        assert_string_equal(recover(&r), "");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        assert_string_equal(recover(&r), "moved W/.claude, which is new, aside to .bailey-aside-\n");
        fd_close(ready[0]);
        fd_close(ready[1]);
        scene_end(&r.scene);
}

/* What a user made after the command must have ended is the user's. */
static void made_later(void **state) {
        struct recovered r;

        (void)state;
        journal_begin(&r, "repo .; ln -s a .profile");
        script(&r.scene, "touch .envrc; sleep 0.05");
        assert_int_equal(sweep_journal_until(&r.journal, time_realtime(), NULL), 0);
        sweep_journal_leave(&r.journal);
        script(&r.scene, "sleep 0.05; mkdir .vscode; git config user.name me; rm .profile; touch .profile");
        assert_string_equal(recover(&r), "removed W/.envrc\n");
        script(&r.scene, "test -d .vscode; test $(git config user.name) = me; test -f .profile");
        scene_end(&r.scene);
}

static void bad_journals(void **state) {
        static const char *const edits[] = {
                ": >$j",
                "echo >>$j",
                "truncate -s -3 $j",
                "sed -i '1s/1/2/' $j",
                "sed -i '1s/[0-9]\\{19\\}/99999999999999999999999/' $j",
                "sed -i 's/^r 0 /r 4 /' $j",
                "sed -i 's/^r /q /' $j",
                "sed -i 's/ [0-9]* - -$/ 999999 - -/' $j",
                "sed -i 's,/[.]envrc,/../../,' $j",
                "sed -i 's,/[.]envrc,/../..x,' $j",
                "sed -i 's,/[.]envrc,//envrc,' $j",
                "sed -i 's,/[.]envrc,/.\\x00nvrc,' $j",
                "sed -i '4,$s,^/tmp/b,/etc/b,' $j", /* outside of the workspace */
                "rm $j; mkdir $j",
                "rm $j; ln -s /etc/passwd $j",
                "rm $j; mkfifo $j",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
                struct recovered r;
                char command[512];

                journal_begin(&r, "touch .envrc");
                sweep_journal_leave(&r.journal);
                snprintf(command, sizeof(command),
                         "touch .profile; cd \"$T/state/bailey/runs\"; j=$(ls); cp $j ../was; %s; test ! -f $j || ! cmp -s $j "
                         "../was",
                         edits[i]);
                script(&r.scene, command);
                if (!strstr(recover(&r), ".bad of an earlier run cannot be read"))
                        fail_msg("taken for a journal after: %s", edits[i]);
                assert_int_equal(r.removed.count, 1);
                script(&r.scene, "test -e .profile -a -e .envrc; ls \"$T/state/bailey/runs\"/*.bad");
                assert_string_equal(recover(&r), "");
                scene_end(&r.scene);
        }
}

static void journal_without_workspace(void **state) {
        struct recovered r;
        char away[PATH_MAX + 16];

        (void)state;
        journal_begin(&r, ":");
        sweep_journal_leave(&r.journal);
        script(&r.scene, "mv \"$W\" \"$T/away\"");
        assert_string_equal(recover(&r), ""); /* its disk may come back */
        snprintf(away, sizeof(away), "%s/away", r.scene.top);
        assert_int_equal(rename(away, r.scene.workspace), 0);
        script(&r.scene, "touch .envrc");
        assert_string_equal(recover(&r), "removed W/.envrc\n");
        scene_end(&r.scene);
}

/* Runs that begin while others look for the dead, in another process. */
static void many_at_once(void **state) {
        struct recovered r;
        int status;
        pid_t pid;

        (void)state;
        journal_begin(&r, ":");
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                struct str_list removed;

                for (int i = 0; i < 2000; i++) {
                        ARENA_AUTO arena;

                        arena_init(&arena, 0);
                        if (sweep_recover(r.state_dir, &arena, &removed, NULL) < 0 || removed.count)
                                _exit(1);
                }
                _exit(0);
        }
        while (waitpid(pid, &status, WNOHANG) == 0) {
                struct sweep_journal journal;
                struct err err = {};

                if (sweep_journal_begin(r.state_dir, r.scene.workspace, &r.before, &journal, &err) < 0)
                        fail_msg("%s", err.msg);
                sweep_journal_end(&journal);
        }
        assert_int_equal(status, 0);
        sweep_journal_end(&r.journal);
        scene_end(&r.scene);
}

static void nothing_to_recover(void **state) {
        struct str_list removed = { NULL, 7 };
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(sweep_recover("/nowhere/at/all", &arena, &removed, NULL), 0);
        assert_int_equal(removed.count, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_happened),
                cmocka_unit_test(new_names),
                cmocka_unit_test(git_init),
                cmocka_unit_test(git_directory),
                cmocka_unit_test(modules),
                cmocka_unit_test(worktrees),
                cmocka_unit_test(links),
                cmocka_unit_test(absent),
                cmocka_unit_test(hostile_trees),
                cmocka_unit_test(few_descriptors),
                cmocka_unit_test(locked_trees),
                cmocka_unit_test(out_of_time),
                cmocka_unit_test(other_workspace),
                cmocka_unit_test(journal_of_the_living),
                cmocka_unit_test(journal_of_the_dead),
                cmocka_unit_test(killed),
                cmocka_unit_test(made_later),
                cmocka_unit_test(bad_journals),
                cmocka_unit_test(journal_without_workspace),
                cmocka_unit_test(many_at_once),
                cmocka_unit_test(nothing_is_lost_after_a_long_run),
                cmocka_unit_test(nothing_to_recover),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
