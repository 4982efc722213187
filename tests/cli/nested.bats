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

# An alias is what no command could have given it.
@test "a repository that was there, with settings that may run something" {
        git init -q one
        git -C one config alias.x log
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

@test "a repository that was there, with settings that any command could have made" {
        git init -q one
        git -C one commit -q --allow-empty -m x
        cp one/.git/config "$HOME/was"
        run inside 'git -C one config core.fsmonitor "$PWD/payload"'
        [ "$status" = 0 ]
        [[ $output == *"$W/one/.git/config was set aside"*"$W/one/.git/config was restored"* ]]
        cmp one/.git/config "$HOME/was"
        run inside 'cp payload one/.git/hooks/post-commit'
        [ "$status" = 0 ]
        [[ $output == *"$W/one/.git/hooks/post-commit was set aside"* ]]
        [ ! -e one/.git/hooks/post-commit ]
        run inside 'mv one two && git -C two config core.fsmonitor "$PWD/payload" && cp payload two/.git/hooks/post-commit'
        [ "$status" = 0 ]
        [ ! -e one ]
        [ ! -e two/.git/config ]
        [ ! -e two/.git/hooks/post-commit ]
        run inside 'mv two one && git -C one config user.name b && cd one && echo x >x && git add x && git commit -qm y'
        [ "$status" = 0 ]
        [ "$(git -C one config user.name)" = b ]
        git -C one status
        git -C one commit -q --allow-empty -m z
        [ ! -e "$HOME/pwned" ]
        [ "$(git -C one log --oneline | wc -l)" = 3 ]
}

@test "a clone stays with its config, and can be configured and removed" {
        git init -q one
        git -C one commit -q --allow-empty -m x
        run inside 'git clone -q one two && git -C two log'
        [ "$status" = 0 ]
        [ "$(git -C two config remote.origin.url)" = "$W/one" ]
        [ "$(git -C two config branch.main.remote)" = origin ]
        cp two/.git/config "$HOME/was"
        git -C two fetch -q
        run inside 'git -C two config alias.x "!touch $HOME/pwned"'
        [ "$status" = 0 ]
        [[ $output == *"$W/two/.git/config was set aside"* ]]
        cmp two/.git/config "$HOME/was"
        run inside 'git -C two remote add other "$PWD/one"'
        [ "$status" = 0 ]
        [ "$(git -C two config remote.other.url)" = "$W/one" ]
        run inside 'rm -rf two'
        [ "$status" = 0 ]
        [ ! -e two ]
}

@test "a clone that a command gives settings that may run something has no config" {
        git init -q one
        git -C one commit -q --allow-empty -m x
        run inside 'git clone -q one two && git -C two config core.fsmonitor "$PWD/payload" && cp payload two/.git/hooks/post-commit'
        [ "$status" = 0 ]
        [ ! -e two/.git/config ]
        [ ! -e two/.git/hooks/post-commit ]
        git -C two status
        git -C two commit -q --allow-empty -m y
        [ ! -e "$HOME/pwned" ]
}
