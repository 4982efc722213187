#!/usr/bin/env bats
# Repositories in the workspace: what a command does to their configs and hooks runs nowhere else.
# shellcheck disable=SC2016 # for the other shell

setup() {
        export HOME=$BATS_TEST_TMPDIR/home W=$BATS_TEST_TMPDIR/w GIT_CONFIG_NOSYSTEM=1
        mkdir -p "$HOME" "$W"
        git config --global user.name a
        git config --global user.email a@b
        git config --global init.defaultBranch main
        printf '#!/bin/sh\ntouch "%s/pwned"\n' "$HOME" >"$W/payload"
        chmod +x "$W/payload"
        cd "$W" || exit 1
        "$BAILEY" run --workspace "$W" true 2>"$HOME/why" || skip "no sandbox: $(head -n 1 "$HOME/why")"
}

inside() {
        BAILEY_GUARD_BYPASS=1 "$BAILEY" run --workspace "$W" "$1"
}

@test "a repository that a command makes and adds" {
        git init -q
        run inside 'git init -q a/b/c/n && cd a/b/c/n && git commit -q --allow-empty -m x &&
                git config core.fsmonitor "$OLDPWD/payload" && cd "$OLDPWD" && git add a && git commit -qm n'
        [ "$status" = 0 ]
        git status
        [ ! -e "$HOME/pwned" ]
        [ ! -e a/b/c/n/.git/config ]
        git -C a/b/c/n log
}

@test "repositories that were there" {
        git init -q one
        git -C one commit -q --allow-empty -m x
        cp one/.git/config "$HOME/was"
        run inside 'git -C one config core.fsmonitor "$PWD/payload"'
        [ "$status" != 0 ]
        run inside 'cp payload one/.git/hooks/post-commit'
        [ "$status" != 0 ]
        run inside 'mv one two'
        [ "$status" != 0 ]
        run inside 'mv one/.git one/git'
        [ "$status" != 0 ]
        run inside 'cd one && echo x >x && git add x && git commit -qm y'
        [ "$status" = 0 ]
        cmp one/.git/config "$HOME/was"
        git -C one status
        git -C one commit -q --allow-empty -m z
        [ ! -e "$HOME/pwned" ]
        [ "$(git -C one log --oneline | wc -l)" = 3 ]
}

@test "a clone stays, and can be removed" {
        git init -q one
        git -C one commit -q --allow-empty -m x
        run inside 'git clone -q one two && git -C two log'
        [ "$status" = 0 ]
        [ ! -e two/.git/config ]
        git -C two log
        run inside 'rm -rf two'
        [ "$status" = 0 ]
        [ ! -e two ]
}
