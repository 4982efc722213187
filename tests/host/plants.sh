#!/usr/bin/env bash
# What a command must not leave where something on the host runs it unasked. After the end of the command it is not there, but aside,
# and the programs of the host do not run it.
# shellcheck disable=SC2016 # commands are given as text
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"

# The payload's only work is to make a file in the home, which no command can.
template '
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global init.defaultBranch main
        mkdir "$H/empty"
        git init -q .
        echo one >file
        git add file
        git commit -qm one
        echo two >>file
        git commit -qam two
        printf "#!/bin/sh\ntouch %s\n" "$pwned" >payload
        chmod 755 payload
        echo payload >.git/info/exclude
        echo sync >>.git/info/exclude'

# git_does DIRECTORY: what somebody does there with git
git_does() {
        user "cd '$1'; "'
                git status; echo more >>file; git add file; git commit -m more; git log -p -1; git diff HEAD~1; git checkout -b "b$RANDOM"
                git stash; git branch' || :
}

# harmless [DIRECTORY...]: git on the host does not run the payload
harmless() {
        local directory
        for directory; do git_does "$directory"; done
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
}

# gone PATH...: not there, but aside
gone() {
        local path list
        list=$(aside)
        for path; do
                if exists "$W/$path"; then echo "$path is still there"; fi
                is_aside "$W/$path" "$list" || echo "$path is not aside"
        done
        litter
}

# ---- files of the names that something runs ----

names=(.bashrc .zshrc .profile .envrc .mcp.json .gitconfig .claude/settings.json .codex/config.toml .cursor/mcp.json .vscode/tasks.json
        .idea/workspace.xml .husky/pre-commit .github/hooks/x.json .devcontainer/devcontainer.json .zed/settings.json
        .opencode/plugin/x.js .hg/hgrc .qwen/settings.json .kiro/settings/mcp.json .roo/mcp.json .kilocode/mcp.json .amazonq/mcp.json
        .jj/repo/config.toml)

new_names() {
        local name script=
        fresh
        for name in "${names[@]}"; do script+="mkdir -p \"$(dirname "$name")\"; cp payload $name; "; done
        run "$script"
        gone "${names[@]}"
}

# Files that are there: they are not changed, and what a command moves with an ordinary directory around them is not replaced.
old_names() {
        local name script=
        fresh
        for name in "${names[@]}"; do
                user "mkdir -p \"$(dirname "$name")\"; echo 'mine: $name' >$name"
                script+="cp payload $name; mv $name n; cp payload $name; mkdir -p d; mv \"$(dirname "$name")\" d/; "
                script+="mkdir -p \"$(dirname "$name")\"; cp payload $name; "
        done
        run "$script"
        for name in "${names[@]}"; do
                if cmp -s "$W/payload" "$W/$name"; then echo "$name is the payload"; fi
                [ "$(cat "$W/$name" 2>/dev/null)" = "mine: $name" ] || grep -rqFx "mine: $name" "$W/d" || echo "$name is lost"
        done
        litter
}

# The user's .github is there, its hooks are not.
names_below() {
        fresh
        user 'mkdir -p .github/workflows .hg .jj/repo; echo a >.github/workflows/ci.yml; echo b >.hg/store; echo c >.jj/repo/type'
        run 'mkdir .github/hooks; cp payload .github/hooks/x.json; cp payload .hg/hgrc; cp payload .jj/repo/config.toml; echo d >>.github/workflows/ci.yml'
        gone .github/hooks/x.json .hg/hgrc .jj/repo/config.toml
        [ "$(cat "$W/.github/workflows/ci.yml")" = $'a\nd' ] || echo 'ordinary work in .github was undone'
}

# Of every kind, and by every way.
new_kinds() {
        fresh
        run 'ln -s payload .envrc; mkdir .mcp.json; cp payload .mcp.json/x; mkfifo .bashrc; echo x >y; mv y .zshrc; ln payload .profile
                mkdir x; cp payload x/settings.json; mv x .claude'
        gone .envrc .mcp.json .bashrc .zshrc .profile .claude
        [ -x "$W/payload" ] || echo 'an ordinary file is gone'
}

# ---- the config is held while another command starts ----

lease='perl -e '\''$SIG{IO} = "IGNORE"; open(F, "<", $ARGV[0]) or die; fcntl(F, 1024, 1) or print "no lease: $!\n";
        open(N, ">", "sync/leased"); close(N); for (1 .. 6000) { last if -e "sync/a.go"; select(undef, undef, undef, 0.02) }'\'

# leased WHERE: A takes a lease on the config, which names a directory of hooks; B starts, and fills it when A has ended
leased() {
        fresh
        user 'git config core.hooksPath "hooks of mine"; git config include.path ../included'
        start a "$lease $1"
        began leased a || return 0
        start b 'now b; wait_for b.go; mkdir -p "hooks of mine"; cp payload "hooks of mine/pre-commit"
                cp payload "hooks of mine/post-checkout"; printf "[core]\n\tfsmonitor = ./payload\n" >included'
        began b b >>"$T/said" || : # it may be refused
        now a.go
        ended a || :
        now b.go
        ended b || :
        run true || echo "the next command ended with $?"
        if exists "$W/hooks of mine/pre-commit"; then echo 'the hook is still there'; fi
        if exists "$W/included"; then echo 'the included config is still there'; fi
        harmless "$W"
        litter
}

# ---- a link, kept elsewhere, is moved back by a command that overlaps ----

# linked PATH MAKE [PREPARE]: A makes it and a link to it, B starts, A removes it and ends, B puts the link in its place
linked() {
        fresh
        user "${3:-rm -rf .git}"
        start a "$2; ln -P '$1' keep; now a; wait_for a.go; rm '$1'"
        began a a || return 0
        start b "now b; wait_for b.go; mkdir -p \"\$(dirname '$1')\"; mv keep '$1'"
        if began b b; then
                now a.go
                ended a || :
                now b.go
        fi
        now a.go
        ended b || :
        run true || echo "the next command ended with $?"
        if exists "$W/$1"; then
                case $1 in
                .git/config) if grep -q payload "$W/$1"; then echo "$1 is still there"; fi ;;
                *) echo "$1 is still there" ;;
                esac
        fi
        if [ "$1" != .git/config ] && ! is_aside "$W/$1" && ! exists "$W/keep"; then echo "$1 is not aside"; fi
        if exists "$W/.git/HEAD"; then harmless "$W"; fi
        litter
}

# ---- a directory on the way is closed ----

# closed HOW DIRECTORY PARENT [PREPARE]: the parent of the directory that the config names is closed when another command starts
closed() {
        local hooks="mkdir -p '$2'; cp payload '$2/pre-commit'; cp payload '$2/post-checkout'"
        fresh
        user "mkdir -p '$3'; git config core.hooksPath '$2'; ${4-}"
        rm -rf "$T/hooks"
        if [ -n "${4-}" ]; then cp -a "$W/$2" "$T/hooks"; else mkdir "$T/hooks"; fi
        if [ "$1" = overlapping ]; then
                start a "chmod 000 '$3'; now a; wait_for a.go"
                began a a || return 0
                start b "now b; wait_for b.go; chmod 755 '$3'; $hooks"
                began b b >>"$T/said" || : # it may be refused
                now a.go
                ended a || :
                now b.go
                ended b || :
        else
                run "chmod 000 '$3'" || :
                run "chmod 755 '$3'; $hooks; chmod 000 '$3'" || :
                run "chmod 755 '$3'; $hooks" || :
        fi
        user "chmod 755 '$3'"
        run true || echo "the next command ended with $?"
        mkdir -p "$W/$2"
        diff -r "$T/hooks" "$W/$2"
        harmless "$W"
        litter
}

# ---- configs that are not in the repository ----

# named PREPARE COMMAND PATH [DIRECTORY]: after PREPARE on the host, the command makes PATH; git is used in the directory
named() {
        fresh
        user "$1" || echo 'could not be prepared'
        if [ -n "${5-}" ]; then W=$5; fi
        run "$2"
        gone "$3"
        harmless "${4:-$W}"
}

hooks_at() {
        echo "mkdir -p $1; for h in pre-commit post-commit post-checkout post-index-change; do cp payload $1/\$h; done"
}

config_at() {
        echo "mkdir -p \$(dirname $1); git config -f $1 core.fsmonitor '$W/payload'; git config -f $1 core.pager '$W/payload'"
}

# What a config outside includes is there already: it stays as it is.
included_before() {
        fresh
        user 'printf "[user]\n\tname = Included\n" >included; git config --global include.path "$W/included"'
        run "$(config_at included); mv included x; $(config_at included)"
        [ "$(cat "$W/included")" = $'[user]\n\tname = Included' ] || echo 'the included config is not as it was'
        harmless "$W"
        litter
}

above() {
        fresh
        user 'mkdir "$H/up"; cd "$H/up"; git init -q .; echo one >file; git add file; git commit -qm one; mkdir sub
                cp "$W/payload" sub; git config core.hooksPath sub/hooks; git config include.path ../sub/included'
        W=$H/up/sub
        run "$(hooks_at hooks); $(config_at included)"
        gone hooks/pre-commit included
        harmless "$H/up"
}

# ---- a rebase that goes on ----

# rebase COMMAND: the user is in the middle of one, the command adds what is to be run
rebase() {
        fresh
        user 'GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -i HEAD~1' || echo 'no rebase was begun'
        [ -e "$W/.git/rebase-merge/git-rebase-todo" ] || echo 'no rebase was begun'
        run "$1"
        user 'git rebase --continue' || :
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        litter
}

# rebase_begun: the command begins one itself
rebase_begun() {
        fresh
        run 'printf "break\nexec %s/payload\n" "$PWD" >todo; GIT_SEQUENCE_EDITOR="cp todo" git rebase -i HEAD~1'
        user 'git rebase --continue' || :
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        litter
}

for backend in native bwrap; do
        t "$backend: new files of names that something runs" new_names
        t "$backend: files of such names that are there" old_names
        t "$backend: such names in directories that are there" names_below
        t "$backend: links, directories, pipes, renames" new_kinds
        t "$backend: a lease on .git/config" leased .git/config
        t "$backend: a lease on .git/HEAD" leased .git/HEAD
        t "$backend: a lease on ~/.gitconfig" leased '"$HOME/.gitconfig"'
        for name in .mcp.json .envrc .bashrc .github/hooks/x.json; do
                t "$backend: $name, moved back by another command" linked "$name" "mkdir -p \"\$(dirname $name)\"; cp payload $name"
        done
        t "$backend: a link .claude, moved back by another command" linked .claude 'mkdir evil; cp payload evil; ln -s evil .claude'
        t "$backend: .git/config, moved back by another command" linked .git/config \
                'git init -q .; git config core.fsmonitor "$PWD/payload"; git config core.pager "$PWD/payload"'
        t "$backend: .git/config, which was not there, moved back by another command" linked .git/config \
                'printf "[core]\n\tfsmonitor = %s/payload\n" "$PWD" >.git/config' 'rm .git/config'
        t "$backend: a hook, moved back by another command" linked .git/hooks/pre-commit \
                'git init -q .; mkdir -p .git/hooks; cp payload .git/hooks/pre-commit'
        for how in after overlapping; do
                t "$backend: the parent of core.hooksPath is closed, $how" closed "$how" a/hooks a
                t "$backend: the parent's parent of core.hooksPath is closed, $how" closed "$how" a/b/hooks a
                t "$backend: the parent of core.hooksPath is closed, which has hooks, $how" closed "$how" a/hooks a \
                        'mkdir a/hooks; echo "exit 0" >a/hooks/pre-commit'
                t "$backend: core.hooksPath is closed, $how" closed "$how" a a 'echo "exit 0" >a/pre-commit'
        done
        t "$backend: a relative core.hooksPath in ~/.gitconfig" named 'git config --global core.hooksPath own/hooks' \
                "$(hooks_at own/hooks)" own/hooks/pre-commit
        t "$backend: core.hooksPath in ~/.config/git/config" named 'mkdir -p ~/.config/git; git config -f ~/.config/git/config core.hooksPath own' \
                "$(hooks_at own)" own/pre-commit
        t "$backend: an absolute core.hooksPath in ~/.gitconfig" named 'git config --global core.hooksPath "$W/own"' \
                "$(hooks_at own)" own/pre-commit
        t "$backend: include.path in ~/.gitconfig" named 'git config --global include.path "$W/own/included"' \
                "$(config_at own/included)" own/included
        t "$backend: include.path in ~/.gitconfig, by ~" named 'git config --global include.path "~/project/included"' \
                "$(config_at included)" included
        t "$backend: includeIf in ~/.gitconfig" named 'git config --global includeIf.gitdir:~/.path "$W/included"' \
                "$(config_at included)" included
        t "$backend: a config that is included by one that ~/.gitconfig includes" named \
                'git config --global include.path more; git config -f ~/more include.path project/included' "$(config_at included)" included
        t "$backend: an included config that is there" included_before
        t "$backend: ~USER/ in core.hooksPath" named "git config core.hooksPath '~$account/project/own'" "$(hooks_at own)" own/pre-commit
        t "$backend: ~USER/ in include.path" named "git config include.path '~$account/project/included'" "$(config_at included)" included
        t "$backend: ~USER/ in ~/.gitconfig" named "git config --global core.hooksPath '~$account/project/own'" "$(hooks_at own)" own/pre-commit
        t "$backend: a repository above the workspace" above
        t "$backend: git-rebase-todo, appended to" rebase 'echo "exec $PWD/payload" >>.git/rebase-merge/git-rebase-todo'
        t "$backend: git-rebase-todo, replaced" rebase 'echo "exec $PWD/payload" >t; mv t .git/rebase-merge/git-rebase-todo'
        t "$backend: git-rebase-todo, in a directory that is replaced" rebase \
                'cp -r .git/rebase-merge r; echo "exec $PWD/payload" >>r/git-rebase-todo; mv .git/rebase-merge o; mv r .git/rebase-merge'
        t "$backend: a rebase that a command begins" rebase_begun
done
finish
