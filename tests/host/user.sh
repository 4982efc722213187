#!/usr/bin/env bash
# What a user does on the host while commands run stays: byte for byte in its place, or, where it cannot be told who made it, aside,
# from where one command brings it back.
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"

# A repository with a remote, and a branch that has what the others have not.
# shellcheck disable=SC2016 # these are scripts
template '
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global init.defaultBranch main
        git init -q --bare "$H/origin.git"
        git init -q .
        git remote add origin "$H/origin.git"
        echo one >file
        git add file
        git commit -qm one
        git push -q -u origin main
        git checkout -q -b editor
        mkdir .vscode
        echo "{}" >.vscode/settings.json
        git add .vscode
        git commit -qm editor
        git checkout -q -b topic main
        mkdir -p .git/hooks
        echo "#!/bin/sh" >.git/hooks/pre-push.sample
        mkdir -p vendor/lib
        git init -q vendor/lib
        git -C vendor/lib remote add origin "$H/origin.git"
        printf "#!/bin/sh\nexit 0\n" >vendor/lib/.git/hooks/pre-commit
        chmod 755 vendor/lib/.git/hooks/pre-commit
        echo vendor >.git/info/exclude'

# ACTION: what is there before, what the user does, and what must come of it: "there" means in its place, "either" there or aside,
# "replaced" the same for what may be set aside while the command still runs.
actions=()
declare -A before=() does=() result=()

action() {
        actions+=("$1")
        result[$1]=$2
        before[$1]=$3
        does[$1]=$4
}

# shellcheck disable=SC2016 # these are scripts
{
        action 'a new .envrc' either '' 'echo "export A=1" >.envrc'
        action 'a new .vscode/settings.json' either '' 'mkdir .vscode; echo "{ \"a\": 1 }" >.vscode/settings.json'
        action 'a new hook' either '' 'printf "#!/bin/sh\nexit 0\n" >.git/hooks/pre-push; chmod 755 .git/hooks/pre-push'
        action 'an .envrc saved by rename' replaced 'echo "export A=1" >.envrc' 'echo "export A=2" >.envrc~; mv .envrc~ .envrc'
        action 'a branch that adds .vscode' either '' 'git checkout -q editor'
        action 'a branch that removes .vscode' there 'git checkout -q editor' 'git checkout -q topic'
        action 'git remote add' there '' 'git remote add second "$H/origin.git"'
        action 'git remote add, renamed and removed' there '' 'git remote add second x; git remote rename second third; git remote remove origin'
        action 'git config user.name' there '' 'git config user.name Another'
        action 'git push -u' there '' 'git push -q -u origin topic'
        action 'git checkout -b --track' there '' 'git checkout -q -b x --track origin/main'
        action 'git commit' there '' 'echo two >>file; git commit -qam two; git branch other; git tag v1'
        action 'git stash and pop' there '' 'echo two >>file; git stash -q; git stash pop -q'
        action '.git/config edited in place' there '' 'printf "[alias]\n\tst = status\n" >>.git/config'
        action 'a hook edited in place' there 'cp .git/hooks/pre-push.sample .git/hooks/pre-push' 'echo "exit 0" >>.git/hooks/pre-push'
        action 'an .envrc edited in place' there 'echo "export A=1" >.envrc' 'echo "export B=2" >>.envrc'
        action 'a file of .vscode saved by rename' there 'git checkout -q editor' \
                'echo "{ \"b\": 2 }" >.vscode/new; mv .vscode/new .vscode/settings.json'
        action 'a new file in a .vscode that was there' there 'git checkout -q editor' 'echo "{}" >.vscode/launch.json'
        action 'a new directory in a .vscode that was there' there 'git checkout -q editor' 'mkdir .vscode/a; echo "{}" >.vscode/a/b.json'
        action 'an .envrc removed' there 'echo "export A=1" >.envrc' 'rm .envrc'
        action 'npm init' there '' 'npm init -y >/dev/null'
        action 'ordinary files' there '' 'mkdir -p src/deep; echo x >src/deep/file; mv file file2; echo y >README; ln -s README link'
        action 'the config of a nested repository' there '' 'git -C vendor/lib remote add second x'
        action 'a hook of a nested repository, edited in place' there '' 'echo "# more" >>vendor/lib/.git/hooks/pre-commit'
}

# tree DIRECTORY: all that is in it, with what files hold, but for what commands and tests tell each other
tree() {
        (
                cd "$1" || exit
                find . -path ./sync -prune -o -printf '%P %y %m %l\n' | LC_ALL=C sort
                find . -path ./sync -prune -o -type f -exec sha256sum {} + | LC_ALL=C sort -k 2
        )
}

keep() {
        rm -rf "$T/kept"
        cp -a "$W" "$T/kept"
}

# restore_all: all that is aside of the workspace goes back; each has to have been named in what the run said, with how to restore it
restore_all() {
        local id path
        while read -r id path; do
                case $path in "$W"/*) ;; *) continue ;; esac
                grep -qF "bailey restore $id" "$T/said" || echo "was not told: bailey restore $id"
                grep -qF "${path#"$W"/}" "$T/said" || echo "was not told what was set aside: ${path#"$W"/}"
                bailey restore "$id" >>"$T/said" 2>&1 || echo "bailey restore $id failed"
        done < <(aside)
}

# all_there RESULT: the workspace is as it was kept
all_there() {
        if [ "$1" != there ]; then restore_all; fi
        diff <(tree "$T/kept") <(tree "$W") | head -n 20
        litter
}

# begin ACTION: before the command starts. What may go aside at once is kept in a rehearsal.
begin() {
        fresh
        user "${before[$1]:-:}" || echo 'could not be prepared'
        if [ "${result[$1]}" = replaced ]; then
                user "${does[$1]}" || echo 'the user could not do it'
                keep
                fresh
                user "${before[$1]:-:}" || echo 'could not be prepared'
        fi
}

# foreground ACTION
foreground() {
        begin "$1"
        start one 'now began; wait_for go'
        began began one || return 0
        user "${does[$1]}" || echo 'the user could not do it'
        [ "${result[$1]}" = replaced ] || keep
        now go
        ended one || echo "the command ended with $?"
        all_there "${result[$1]}"
        # what is there while nothing runs is the user's
        keep
        run true || echo "the next command ended with $?"
        all_there there
}

# in_background ACTION: by a server that goes on, and is asked to do something else in between
in_background() {
        local id
        begin "$1"
        serve one
        id=$(background one 'now began; wait_for go')
        began began || return 0
        user "${does[$1]}" || echo 'the user could not do it'
        [ "${result[$1]}" = replaced ] || keep
        call one tools/call '{"name": "Bash", "arguments": {"command": "echo beside", "description": "a test"}}' >>"$T/said"
        now go
        shell_ended one "$id" >>"$T/said" || echo 'the shell does not end'
        all_there "${result[$1]}"
        keep
        stop one
        all_there there
}

for backend in native bwrap; do
        for action in "${actions[@]}"; do
                t "$backend: $action, beside a command" foreground "$action"
                t "$backend: $action, beside a background shell" in_background "$action"
        done
done

# closed_and_opened HOW: a command closes a directory with a nested repository in it, another one opens it again
closed_and_opened() {
        fresh
        keep
        if [ "$1" = overlapping ]; then
                start one 'chmod 000 vendor/lib; now began; wait_for go'
                began began one || return 0
                run 'chmod 755 vendor/lib'
                now go
                ended one
        else
                run 'chmod 000 vendor/lib'
                run 'chmod 755 vendor/lib'
        fi
        user 'chmod 755 vendor/lib'
        all_there there
        run true || echo "the next command ended with $?"
        all_there there
}

# between: what the user makes while nothing runs
between() {
        fresh
        run true || echo "ended with $?"
        user 'echo "export A=1" >.envrc; mkdir .vscode .claude; echo "{}" >.vscode/settings.json; echo "{}" >.claude/settings.json
                git config alias.st status; printf "#!/bin/sh\n" >.git/hooks/pre-push; chmod 755 .git/hooks/pre-push'
        keep
        run true || echo "ended with $?"
        all_there there
        [ -z "$(aside)" ] || aside
}

# by_two: the user's files are new to one command, and older than another
by_two() {
        fresh
        start one 'now one; wait_for one.done'
        began one one || return 0
        user 'echo "export A=1" >.envrc; git remote add second x'
        start two 'now two; wait_for two.done'
        began two two || return 0
        user 'echo "export B=2" >>.envrc; git remote add third x'
        keep
        now one.done
        ended one || echo "the first ended with $?"
        now two.done
        ended two || echo "the second ended with $?"
        all_there either
}

for backend in native bwrap; do
        t "$backend: a directory that a command closes and another opens, one after the other" closed_and_opened after
        t "$backend: a directory that a command closes and another opens, at once" closed_and_opened overlapping
        t "$backend: what the user makes between commands is not touched" between
        t "$backend: what the user makes beside two commands" by_two
done
finish
