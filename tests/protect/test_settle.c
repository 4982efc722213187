/*
 * A workspace, a command in it without any sandbox, and what is set aside afterwards. Covers are not tried here: what they keep
 * commands from, the host itself may do.
 */
#include "tests/protect/workspace_test.h"

#include <signal.h>

#include "base/fd.h"
#include "protect/protect.h"

struct stage {
        struct scene scene;
        char state_dir[PATH_MAX + 16];
        struct baseline *baselines, *baseline;
        struct protection before;
        char *said[256];
        size_t count;
};

/* "aside W/.envrc", "back W/.git/config" */
static void say(void *context, const char *sentence) {
        struct stage *stage = context;
        const char *end = strstr(sentence, " was set aside: "), *verb = "aside";
        BUF_AUTO line;

        if (!end) {
                end = strstr(sentence, " was restored");
                verb = "back";
        } else if (!strstr(sentence, "bailey restore ")) {
                fail_msg("does not tell how to get it back: %s", sentence);
        }
        assert_non_null(end);
        assert_true(stage->count < 256);
        buf_init(&line, PATH_MAX * 2);
        buf_format(&line, "%s ", verb);
        put_path(&line, &stage->scene, arena_dup(&stage->scene.arena, str_from(sentence, (size_t)(end - sentence))));
        stage->said[stage->count++] = arena_dup(&stage->scene.arena, buf_str(&line));
}

static struct protect_request request_of(struct stage *stage) {
        return (struct protect_request){
                .state_dir = stage->state_dir,
                .home = getenv("HOME"),
                .arena = &stage->scene.arena,
                .say = say,
                .context = stage,
        };
}

static void stage_open(struct stage *stage, const char *layout) {
        scene_begin(&stage->scene, layout);
        snprintf(stage->state_dir, sizeof(stage->state_dir), "%s/state", stage->scene.top);
        stage->baselines = NULL;
        stage->count = 0;
}

static void begin(struct stage *stage) {
        struct protect_request request = request_of(stage);
        struct err err = { 0 };
        char real[PATH_MAX];

        assert_non_null(realpath(stage->scene.workspace, real));
        stage->baseline = baseline_get(&stage->baselines, real);
        if (protect_begin(stage->baseline, &request, &stage->before, &err) < 0)
                fail_msg("begin: %s", err.msg);
}

static void end(struct stage *stage) {
        struct protect_request request = request_of(stage);
        struct err err = { 0 };

        if (protect_end(stage->baseline, &request, &err) < 0)
                fail_msg("end: %s", err.msg);
}

static void says(struct stage *stage, const char *expected, const char *of) {
        BUF_AUTO text;

        buf_init(&text, 1 << 20);
        if (stage->count)
                qsort(stage->said, stage->count, sizeof(*stage->said), compare_lines);
        for (size_t i = 0; i < stage->count; i++)
                buf_format(&text, "%s\n", stage->said[i]);
        buf_char(&text, 0);
        if (strcmp(text.ptr, expected) != 0)
                fail_msg("after: %s\ngot:\n%sexpected:\n%s", of, text.ptr, expected);
        stage->count = 0;
}

static void stage_close(struct stage *stage) {
        baseline_free(&stage->baselines, stage->state_dir);
        script(&stage->scene, "test -z \"$(ls -A \"$T/state/protect\" 2>/dev/null)\"");
        scene_end(&stage->scene);
}

/* A layout, a command, what is said of it, and what must be true afterwards. */
static void settles(const char *layout, const char *command, const char *expected, const char *check) {
        struct stage stage;

        stage_open(&stage, layout);
        begin(&stage);
        script(&stage.scene, command);
        end(&stage);
        says(&stage, expected, command);
        script(&stage.scene, "! find . -name '*bailey*' -o -name '*aside*' | grep .");
        script(&stage.scene, check);
        stage_close(&stage);
}

static void nothing_happened(void **state) {
        (void)state;
        settles(":", ":", "", "test -z \"$(ls -A)\"");
        settles("repo .; mkdir .vscode; touch .envrc; ln -s x .profile; git config core.hooksPath h",
                "date >a; git add a; git commit -qm two; git branch b; git stash -q || :; echo in place >.envrc", "",
                "git status; test -e .git/hooks -a -L .profile; grep place .envrc");
        settles("git init -q --bare .", ":", "", "test -e config -a -e hooks");
}

static void new_names(void **state) {
        (void)state;
        settles(":",
                "mkdir -p .claude/a/b .git_ src/.vscode; echo x >.claude/a/b/c; echo e >.envrc; ln -s /etc/passwd .bashrc; "
                "mkfifo .idea",
                "aside W/.bashrc\naside W/.claude\naside W/.envrc\naside W/.idea\n",
                "test -s /etc/passwd; test \"$(ls -A | tr '\\n' ' ')\" = '.git_ src '; test -d src/.vscode\n"
                "grep -qx x \"$T\"/state/aside/*/item/a/b/c; find \"$T/state/aside\" -name item -type f -exec grep -qx e {} +");
        settles("echo keep >other", "ln other .envrc; ln -s . .claude; ln -s \"$T\" .vscode",
                "aside W/.claude\naside W/.envrc\naside W/.vscode\n", "test \"$(cat other)\" = keep; test -d \"$T/home\"");
        settles(":", "echo 'gitdir: /tmp/evil' >.git", "aside W/.git\n", "test ! -e .git");
        settles("mkdir evil", "ln -s evil .git; touch evil/config", "aside W/.git\n", "test -e evil/config -a ! -L .git");
}

static void git_init(void **state) {
        (void)state;
        settles("echo a >a", "git init -q; git config user.email x@y; git add a; git commit -qm two; git remote add o ../o", "",
                "test \"$(git config user.email)\" = x@y; test \"$(git config remote.o.url)\" = ../o; git log");
        settles("echo a >a",
                "repo .; git add a; git commit -qm two; git config core.fsmonitor 'touch pwned'; echo x >.git/hooks/x",
                "aside W/.git/config\naside W/.git/hooks/x\n",
                "test \"$(git log --oneline | wc -l)\" = 2; test -z \"$(git status --porcelain)\"; test ! -e pwned");
        settles("mkdir evil; git init -q evil",
                "git init -q; echo ../evil/.git >.git/commondir; ln -s ../evil .git/modules; mkdir .git/worktrees; ln -s /etc "
                ".git/worktrees/x; rm .git/config; ln -s ../evil/.git/config .git/config",
                "aside W/.git/commondir\naside W/.git/config\naside W/.git/modules\naside W/.git/worktrees/x\n",
                "test -e evil/.git/config; git status");
        settles(":", "git init -q --bare .", "", "test -e HEAD -a -e config");
        settles(":", "mkdir -p e/objects e/refs hooks; touch HEAD hooks/h e/config; echo e >commondir", "aside W/HEAD\n", ":");
}

/* Each of these runs something, or leads to what does. */
static void settings(void **state) {
        static const char *const harmful[] = {
                "core.hooksPath x",       "core.fsmonitor x",  "core.sshCommand x",         "core.editor x",
                "core.pager x",           "alias.x '!y'",      "filter.x.clean y",          "diff.x.command y",
                "diff.external x",        "include.path x",    "includeIf.gitdir:x.path y", "remote.o.uploadpack x",
                "remote.o.url ext::sh",   "remote.o.vcs x",    "submodule.x.update '!y'",   "credential.helper '!x'",
                "gpg.program x",          "url.x.insteadOf y", "protocol.ext.allow always", "core.worktree /",
                "core.worktree ../../..", "merge.x.driver y",  "gc.recentObjectsHook x",    "http.proxy x",
        };
        static const char *const harmless[] = {
                "user.email x",        "remote.o.url git@host:a/b", "branch.x.merge refs/heads/x",
                "core.autocrlf false", "submodule.x.update merge",  "pull.rebase true",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(harmful) / sizeof(*harmful); i++) {
                char command[128];

                snprintf(command, sizeof(command), "git init -q n; git -C n config %s", harmful[i]);
                settles(":", command, "aside W/n/.git/config\n", "test -e n/.git/HEAD");
        }
        /* to git the name of a key ends at a NUL */
        settles(":", "git init -q n; printf '[remote \"o.uploadpack\\0\"]\\n\\tfetch = evil\\n' >>n/.git/config",
                "aside W/n/.git/config\n", ":");
        /* a repository where nobody looks, with hooks that run when somebody pushes to it */
        settles(":",
                "git init -q n; git init -q --bare node_modules/x/y/e.git; touch node_modules/x/y/e.git/hooks/pre-receive; git "
                "-C n "
                "config remote.o.url ../node_modules/x/y/e.git",
                "aside W/n/.git/config\n", ":");
        settles(":", "git init -q n; git init -q --bare b; git -C n remote add o ../b", "", "git -C n config remote.o.url");
        settles(":", "git init -q n; ln -s \"$T\" lnk; git -C n config core.worktree ../../lnk", "aside W/n/.git/config\n",
                ":");
        for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
                char command[128];

                snprintf(command, sizeof(command), "git init -q n; git -C n config %s", harmless[i]);
                settles(":", command, "", "test -e n/.git/config");
        }
}

/* Not possible behind covers; the host's own git does it. */
static void replaced(void **state) {
        (void)state;
        settles("repo .; rm -rf .git/hooks",
                "mkdir .git/hooks; touch .git/hooks/pre-commit .git/commondir; echo '[alias] a=b' "
                ">.git/config.worktree",
                "aside W/.git/commondir\naside W/.git/config.worktree\naside W/.git/hooks/pre-commit\n", "git log");
        settles("repo .; git config a.b c", "git config core.fsmonitor evil", "aside W/.git/config\nback W/.git/config\n",
                "test \"$(git config a.b)\" = c; ! git config core.fsmonitor; grep -q evil \"$T\"/state/aside/*/item; git "
                "status");
        settles("repo .; git config a.b c; repo \"$T/o\"",
                "git remote add origin ../o; git fetch -q origin; git checkout -q -b x --track origin/main; git config "
                "user.name me",
                "", "git config remote.origin.url; git config branch.x.merge; test \"$(git config a.b)\" = c");
        settles("repo .; git config a.b c", "rm .git/config", "back W/.git/config\n", "test \"$(git config a.b)\" = c");
        settles("repo .; repo lib", "rm lib/.git/config", "back W/lib/.git/config\n", "git -C lib status");
        settles("repo .; repo lib", "rm -r lib/.git", "", "test ! -e lib/.git");
        settles("repo .; git config a.b c", "rm -r .git/config .git/HEAD", "", "test ! -e .git/config");
        settles("repo .; chmod 600 .git/config", "git config alias.a b", "aside W/.git/config\nback W/.git/config\n",
                "test $(stat -c %a .git/config) = 600");
        settles("repo .", "cp .git/config x; mv x .git/config", "", "git status"); /* by the same */
        settles("echo a >.envrc", "cp .envrc x; mv x .envrc", "", "grep a .envrc");
        settles("echo a >.envrc", "echo b >x; mv x .envrc", "aside W/.envrc\n", "grep -q b \"$T\"/state/aside/*/item");
        settles("mkdir .vscode; echo a >.vscode/s", "echo b >.vscode/t; mv .vscode/t .vscode/s", "", "grep b .vscode/s");
        settles("repo .; mkdir .claude; echo mine >.claude/x", "mv .claude c; mkdir .claude; echo evil >.claude/x",
                "aside W/.claude\n", "test ! -e .claude; grep -q mine c/x");
        settles("repo .", "mv .git old; git init -q; git config core.fsmonitor evil",
                "aside W/.git/config\nback W/.git/config\n", "! git config core.fsmonitor");
        settles("repo .", "mv .git old; echo 'gitdir: old' >.git", "aside W/.git\n", "test ! -e .git");
}

static void modules(void **state) {
        static const char layout[] = "repo \"$T/lib\"; repo .; git submodule -q add \"$T/lib\" libs/a; git commit -qm s\n"
                                     "rm -rf .git/modules/libs/a/hooks";

        (void)state;
        settles(layout,
                "mkdir .git/modules/libs/a/hooks; touch .git/modules/libs/a/hooks/h; cp -r .git/modules/libs/a "
                ".git/modules/libs/b; git -C libs/a commit -q --allow-empty -m two",
                "aside W/.git/modules/libs/a/hooks/h\naside W/.git/modules/libs/b/hooks/h\n",
                "git status; test -e .git/modules/libs/a/config; test \"$(git -C libs/a log --oneline | wc -l)\" = 2");
        settles(layout, "mkdir -p evil/objects; touch evil/HEAD evil/config; ln -s ../../evil .git/modules/c",
                "aside W/.git/modules/c\n", "test -e evil/config");
        settles(layout, "p=.git/modules/; for i in {1..30}; do p+=d/; done; mkdir -p $p/objects; touch $p/HEAD $p/config",
                "aside W/.git/modules/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d\n", "! find .git/modules/d -name config | grep .");
        /* the pointer of a submodule, which `git status` of the whole follows */
        settles(layout, "rm libs/a/.git; git init -q libs/a; git -C libs/a config alias.a b",
                "aside W/libs/a/.git\naside W/libs/a/.git/config\n", ":");
        settles("repo \"$T/lib\"; repo .; git submodule -q add \"$T/lib\" a; git commit -qm s; rm a/.git",
                "echo 'gitdir: ../evil' >a/.git", "aside W/a/.git\n", ":");
        settles("repo .; repo local", "git submodule -q add ./local sub 2>/dev/null; git -C sub config core.fsmonitor evil",
                "aside W/.git/modules/sub/config\naside W/.gitmodules\n", "! git -C sub config core.fsmonitor");
        settles("repo \"$T/lib\"; repo .; git submodule -q add \"$T/lib\" a; git commit -qm s; rm -rf a .git/modules; mkdir a",
                "git submodule -q update --init", "", "git -C a log; git submodule status");
}

static void worktrees(void **state) {
        (void)state;
        settles("repo .; git worktree add -q ../other",
                "echo '[alias] a = b' >.git/worktrees/other/config.worktree; git worktree add -q new",
                "aside W/.git/worktrees/other/config.worktree\n",
                "git -C new status; git -C ../other status; git worktree list");
        settles("repo \"$T/main\"; rm -rf \"$T/main/.git/hooks\"; rmdir \"$W\"; git -C \"$T/main\" worktree add -q -b x "
                "\"$W\"; "
                "cd \"$W\"",
                "mkdir \"$T/main/.git/hooks\" \"$T/main/hooks\"; touch \"$T/main/.git/hooks/h\"; git commit -q --allow-empty "
                "-m two; "
                "touch .envrc",
                "aside T/main/.git/hooks/h\naside W/.envrc\n", "git log; test -e \"$T/main/hooks\"");
        /* one that takes its config from elsewhere, and is a gitlink */
        settles("repo .",
                "own evil; git worktree add -q new; git add new; echo ../../../evil/.git >.git/worktrees/new/commondir",
                "aside W/.git/worktrees/new/commondir\naside W/evil/.git/config\n", "git status || :");
        settles("repo .",
                "git worktree add -q new; echo '[alias] a = b' | tee .git/worktrees/new/config "
                ">.git/worktrees/new/config.worktree; "
                "mkdir .git/worktrees/new/hooks; touch .git/worktrees/new/hooks/h",
                "aside W/.git/worktrees/new/config\naside W/.git/worktrees/new/config.worktree\n"
                "aside W/.git/worktrees/new/hooks/h\n",
                "git -C new status");
}

static void links(void **state) {
        (void)state;
        settles("ln -s a .envrc; ln -s b .profile; ln -s c .bashrc; ln -s d .zshrc; mkdir e; ln -s e .claude",
                "rm .envrc; echo evil >.envrc; ln -sf evil .profile; rm .bashrc; rm .zshrc; mkdir .zshrc; ln -sfn ../ .claude; "
                "touch a",
                "aside W/.claude\naside W/.envrc\naside W/.profile\naside W/.zshrc\naside W/a\nback W/.bashrc\nback W/.claude\n"
                "back W/.envrc\nback W/.profile\nback W/.zshrc\n",
                "test $(readlink .envrc).$(readlink .profile).$(readlink .bashrc).$(readlink .zshrc).$(readlink .claude) = "
                "a.b.c.d.e");
        settles("repo .; mv .git g; ln -s g .git", "rm .git; cp -r g h; ln -s h .git; echo '[alias] a = b' >g/config.worktree",
                "aside W/.git\naside W/g/config.worktree\nback W/.git\n", "test $(readlink .git) = g; git log");
}

static void absent(void **state) {
        (void)state;
        settles("repo .; git config core.hooksPath build/hooks", "mkdir -p build/hooks; touch build/hooks/pre-commit build/out",
                "aside W/build/hooks/pre-commit\n", "test -e build/out");
        settles("repo .; git config core.hooksPath build/hooks", "mkdir -p evil/hooks; ln -s evil build", "aside W/build\n",
                "test -e evil/hooks");
        settles("repo .; git config include.path ../mine.conf", "git config -f mine.conf core.fsmonitor evil",
                "aside W/mine.conf\n", ":");
        settles("ln -s deep/er/env .envrc", "mkdir -p deep/er; touch deep/er/env deep/x", "aside W/deep/er/env\n",
                "test -e deep/x");
}

/* Their hooks run when somebody pushes to them. */
static void remotes(void **state) {
        static const char deep[] =
                "repo .; mkdir -p a/b/c/d; git init -q --bare a/b/c/d/e.git; git remote add o ./a/b/c/d/e.git";

        (void)state;
        settles(deep, "touch a/b/c/d/e.git/hooks/post-receive", "aside W/a/b/c/d/e.git/hooks/post-receive\n", "git fetch o");
        settles(deep, "git -C a/b/c/d/e.git config core.fsmonitor evil",
                "aside W/a/b/c/d/e.git/config\nback W/a/b/c/d/e.git/config\n", "git fetch o");
        settles("repo .; mkdir -p a/b/c/d; git init -q --bare a/b/c/d/e.git; ln -s a/b/c/d/e.git l; git remote add o ./l",
                "mkdir -p a/b/c/x; git init -q --bare a/b/c/x/e.git; ln -sfn a/b/c/x/e.git l", "aside W/l\nback W/l\n",
                "git fetch o");
        /* in place: that is the user's own work */
        settles("repo .", "cp .git/config c; git config -f c alias.x y; cat c >.git/config", "", "git config alias.x");
        /* what git would read otherwise than it looks, or run */
        settles("", "git init -q n; git -C n config remote.o.url 'ext::sh -c evil'", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config remote.o.url evil://x", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config remote.o.url file:///tmp/%2e", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config 'remote.--upload-pack=evil.promisor' true", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config branch.main.remote nobody", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config core.worktree ..", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; git -C n config core.bare true", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; printf '[user.x \"y\"]\\n\\tname = z\\n' >>n/.git/config", "aside W/n/.git/config\n", ":");
        settles("", "git init -q n; printf '[user]\\n\\tname = z\\v\\n' >>n/.git/config", "aside W/n/.git/config\n", ":");
        settles("",
                "git init -q n; git -C n config remote.o.url https://u%40@example.com/x; git -C n config branch.main.remote o",
                "", "git -C n config remote.o.url");
}

static void rebase(void **state) {
        (void)state;
        settles("repo .", "mkdir .git/rebase-merge; printf 'pick 1\\nexec evil\\n' >.git/rebase-merge/git-rebase-todo",
                "aside W/.git/rebase-merge/git-rebase-todo\n", ":");
        settles("repo .", "mkdir .git/rebase-merge; printf 'pick 1\\n# x\\nlabel a\\n' >.git/rebase-merge/git-rebase-todo", "",
                "test -e .git/rebase-merge/git-rebase-todo");
        settles("repo .; mkdir .git/rebase-merge; printf 'exec mine\\npick 1\\n' >.git/rebase-merge/git-rebase-todo",
                "printf 'exec mine\\n' >.git/rebase-merge/git-rebase-todo", "", "grep mine .git/rebase-merge/git-rebase-todo");
        /* what cannot be looked at keeps nothing else from being set aside */
        settles("repo .", "ln -s rebase-merge .git/rebase-merge; touch .envrc", "aside W/.envrc\naside W/.git/rebase-merge\n",
                ":");
        settles("repo .", "mkdir x; echo exec evil >x/git-rebase-todo; ln -s ../x .git/rebase-merge",
                "aside W/.git/rebase-merge\n", "test -e x/git-rebase-todo");
        settles("repo .; mkdir .git/rebase-merge; printf 'exec mine\\npick 1\\n' >.git/rebase-merge/git-rebase-todo",
                "printf 'x evil\\n' >.git/rebase-merge/git-rebase-todo", "aside W/.git/rebase-merge/git-rebase-todo\n", ":");
}

/* Nothing that is the user's is moved because a command makes it look like something else. */
static void tricks(void **state) {
        (void)state;
        settles("mkdir src; echo a >src/a", "ln -s src .envrc; ln -s src .claude; mkdir .git; ln -s ../src .git/hooks",
                "aside W/.claude\naside W/.envrc\naside W/.git/hooks\n", "grep a src/a");
        settles("mkdir src; echo a >src/a",
                "git init -q n; git -C n config core.hooksPath ../src; git -C n config include.path ../../src/a",
                "aside W/n/.git/config\n", "grep a src/a");
        settles("mkdir -p src/hooks src/config; echo a >src/hooks/a; echo b >src/config/b",
                "cd src; touch HEAD; mkdir objects refs", "aside W/src/HEAD\n", "grep a src/hooks/a; grep b src/config/b");
        settles("mkdir rel; ln -s rel current", "mkdir sub; echo 'gitdir: ../current/x' >sub/.git", "aside W/sub/.git\n",
                "test -L current");
        settles("mkdir -p hooks config; echo a >hooks/a; echo b >config/b", "touch HEAD; mkdir objects refs", "aside W/HEAD\n",
                "grep a hooks/a; grep b config/b");
}

/* ---- repositories in it ---- */

static void nested(void **state) {
        (void)state;
        /* made and added: `git status` of the whole goes into it */
        settles("repo .; echo 'touch \"$W/pwned\"' >payload; chmod +x payload",
                "repo a/b/c/d/nested; git -C a/b/c/d/nested config core.fsmonitor \"$W/payload\"; git add a; git commit -qm n",
                "aside W/a/b/c/d/nested/.git/config\n", "git status; test ! -e pwned; git -C a/b/c/d/nested log");
        settles("repo .", "own 1/2/3/4/n; git add 1; git update-index --index-version 4", "aside W/1/2/3/4/n/.git/config\n",
                "git status");
        settles("repo .", "own n; own n/1/2/3/4/m; git -C n add 1; git add n",
                "aside W/n/.git/config\naside W/n/1/2/3/4/m/.git/config\n", "git status");
        settles("repo a; own b; rm -r b/.git/hooks",
                "git -C a commit -q --allow-empty -m 2; git -C a config user.name x; own c; mkdir b/.git/hooks; touch "
                "b/.git/hooks/h "
                "a/.git/hooks/h",
                "aside W/a/.git/hooks/h\naside W/b/.git/hooks/h\naside W/c/.git/config\n",
                "test \"$(git -C a config user.name)\" = x; git -C b config alias.a; git -C c log");
        settles("repo a", "rm -rf a", "", "test ! -e a");
        settles("repo a; git -C a config user.name x", "git -C a config core.fsmonitor evil",
                "aside W/a/.git/config\nback W/a/.git/config\n", "test $(git -C a config user.name) = x");
        /* whoever moved what cannot be moved from inside owns it */
        settles("own a", "mv a b", "", "git -C b config alias.a");
        settles("mkdir -p src/lib", "git init -q --bare src/lib; git -C src/lib config core.fsmonitor evil",
                "aside W/src/lib/HEAD\n", "test -e src/lib/config");
        settles("repo \"$T/other\"",
                "mkdir n m o; echo \"gitdir: $T/other/.git\" >n/.git; ln -s \"$T/other/.git\" m/.git; echo x >o/.git",
                "aside W/m/.git\naside W/n/.git\naside W/o/.git\n", "test -e \"$T/other/.git/config\"");
}

/* More names in a directory than are looked at: of one file, as far as it can have them, as new files take their time. */
#define MANY                                                                                                                   \
        "mkdir -p j/k; perl -e 'open(F, \">\", \"j/f0\"); link(\"j/f0\", \"j/f$_\") || symlink(\"f0\", \"j/f$_\") || die for " \
        "1 .. 66000'"

/* Where the index says nothing, everything is looked at; where that is too much, the index goes. */
static void other_indexes(void **state) {
        (void)state;
        settles("repo .", "own 1/2/3/4/n; git add 1; git update-index --split-index", "aside W/1/2/3/4/n/.git/config\n",
                "git status");
        settles("repo .; echo a >a; git add a; git commit -qm a",
                MANY "; own 1/2/3/4/n; git add 1; git update-index --split-index", "aside W/.git/index\n",
                "git reset -q; git diff --quiet");
        settles("repo .; echo a >a; git add a; git update-index --split-index; " MANY, "git add a", "",
                "git status"); /* as it was before */
}

/* ---- commands that overlap, and that are killed ---- */

/* Another process, as bailey itself may be. */
static void second_begin(struct stage *first, struct stage *second) {
        *second = *first;
        arena_init(&second->scene.arena, 0);
        second->baselines = NULL;
        second->count = 0;
        begin(second);
}

static void second_close(struct stage *second) {
        baseline_free(&second->baselines, second->state_dir);
        arena_free(&second->scene.arena);
}

static void overlapping(void **state) {
        struct stage a, b;

        (void)state;
        stage_open(&a, "repo .; echo mine >.mcp.json");
        begin(&a);
        script(&a.scene, "echo evil >.envrc; ln .envrc kept");
        second_begin(&a, &b); /* covers it, but does not know it */
        script(&a.scene, "rm .envrc");
        end(&a);
        says(&a, "", "the end of the first");
        script(&a.scene, "mv kept .envrc; git config user.name me"); /* the same inode */
        end(&b);
        says(&b, "aside W/.envrc\n", "the end of the second");
        script(&a.scene, "test ! -e .envrc; grep mine .mcp.json; echo user >.envrc");
        begin(&a);
        end(&a);
        says(&a, "", "a command after the user made a file");
        script(&a.scene, "grep user .envrc");
        second_close(&b);
        stage_close(&a);
}

/* What a command has hidden from the next one's survey is covered all the same. */
static void hidden(void **state) {
        struct stage a, b;
        char path[PATH_MAX + 64];

        (void)state;
        stage_open(&a, "own zz");
        begin(&a);
        script(&a.scene, "mkdir -p aa/b; cd aa; touch {1..5000}");
        second_begin(&a, &b);
        snprintf(path, sizeof(path), "%s/zz/.git/config", a.scene.workspace);
        assert_non_null(protect_find(&b.before.read_only, path));
        end(&b);
        second_close(&b);
        end(&a);
        stage_close(&a);
}

static void long_run(void **state) {
        struct stage a, b;

        (void)state;
        stage_open(&a, "repo .");
        begin(&a); /* for hours */
        for (int i = 0; i < 3; i++) {
                script(&a.scene, "git config user.name me; git remote add x y || git remote remove x; echo a >b");
                second_begin(&a, &b);
                end(&b);
                says(&b, "", "a command beside it");
                second_close(&b);
        }
        script(&a.scene, "git config core.fsmonitor evil");
        second_begin(&a, &b);
        end(&b);
        says(&b, "aside W/.git/config\nback W/.git/config\n", "a plant beside it");
        second_close(&b);
        end(&a);
        says(&a, "", "its end");
        script(&a.scene, "test \"$(git config user.name)\" = me");
        stage_close(&a);
}

static void killed(bool elsewhere) {
        struct stage stage;
        struct protect_request request;
        struct err err = { 0 };
        int ready[2], status;
        char byte;
        pid_t child;

        stage_open(&stage, "repo .; ln -s $'a\\nb' .profile; git config core.hooksPath 'h h'");
        assert_int_equal(fd_pipe(ready, NULL), 0);
        child = fork();
        if (child == 0) {
                begin(&stage);
                (void)!write(ready[1], "x", 1);
                pause();
                _exit(0);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        script(&stage.scene, "mkdir .claude; echo x >.claude/settings.json; ln -sf evil .profile; git config alias.a b");
        request = request_of(&stage);
        assert_int_equal(protect_recover(&request, &err), 0); /* it lives */
        says(&stage, "", "while it runs");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (elsewhere)
                assert_int_equal(protect_recover(&request, &err), 0);
        else
                begin(&stage);
        says(&stage, "aside W/.claude\naside W/.git/config\naside W/.profile\nback W/.git/config\nback W/.profile\n", "a kill");
        if (!elsewhere)
                end(&stage);
        script(&stage.scene, "touch .envrc; test ! -e .claude");
        assert_int_equal(protect_recover(&request, &err), 0); /* once is enough */
        begin(&stage);
        end(&stage);
        says(&stage, "", "what the user made since");
        fd_close(ready[0]);
        fd_close(ready[1]);
        stage_close(&stage);
}

static void killed_then_begun(void **state) {
        (void)state;
        killed(false);
}

/* By a command in another workspace. */
static void killed_then_recovered(void **state) {
        (void)state;
        killed(true);
}

/* A baseline that makes no sense refuses, and says which file it is about; nothing is touched. */
static void bad_baselines(void **state) {
        static const char *const edits[] = {
                "truncate -s -3 $f",
                "sed -i '3s/1/9/' $f",
                "sed -i 's/^r /r x/' $f",
                "sed -i 's/^\\([rc]\\) 0 /\\1 99 /' $f",
        };

        (void)state;
        for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
                struct stage stage;
                struct protect_request request;
                struct err err = { 0 };
                char command[256];

                stage_open(&stage, "touch .envrc");
                begin(&stage);
                stage.baseline->running = 0; /* as if it had been killed */
                fd_close(stage.baseline->fd);
                stage.baseline->fd = -1;
                snprintf(command, sizeof(command),
                         "touch .profile; f=$(echo \"$T\"/state/protect/*); cp \"$f\" ../was; f=${f@Q}; eval "
                         "\"%s\"; ! cmp -s \"$T\"/state/protect/* ../was",
                         edits[i]);
                script(&stage.scene, command);
                request = request_of(&stage);
                assert_int_equal(protect_begin(stage.baseline, &request, &stage.before, &err), -1);
                assert_non_null(strstr(err.msg, "baseline"));
                script(&stage.scene, "test -e .profile -a -e .envrc; rm \"$T\"/state/protect/*");
                stage_close(&stage);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_happened),
                cmocka_unit_test(new_names),
                cmocka_unit_test(git_init),
                cmocka_unit_test(settings),
                cmocka_unit_test(replaced),
                cmocka_unit_test(modules),
                cmocka_unit_test(worktrees),
                cmocka_unit_test(links),
                cmocka_unit_test(absent),
                cmocka_unit_test(remotes),
                cmocka_unit_test(rebase),
                cmocka_unit_test(tricks),
                cmocka_unit_test(nested),
                cmocka_unit_test(other_indexes),
                cmocka_unit_test(overlapping),
                cmocka_unit_test(hidden),
                cmocka_unit_test(long_run),
                cmocka_unit_test(killed_then_begun),
                cmocka_unit_test(killed_then_recovered),
                cmocka_unit_test(bad_baselines),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
