#!/usr/bin/env bash
# What the user replaces by a rename while a command runs stays protected from that command: the kernel takes the cover away, and it
# is put back while the command runs, not judged when it ends.
# shellcheck disable=SC2016 # commands are given as text
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"

template '
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global init.defaultBranch main
        printf "#!/bin/sh\ntouch %s\n" "$pwned" >payload
        chmod 755 payload
        git init -q .
        echo one >file
        git add file
        git commit -qm one
        echo "export A=1" >.envrc
        mkdir -p .git/hooks vendor/lib
        git init -q vendor/lib
        git -C vendor/lib config alias.mine status
        echo vendor >.git/info/exclude'

# Commands, in the workspace. `later FILE` waits until FILE is another one than it was, and cannot be written.
functions='later() { while [ "$(stat -c %i "$1")" = "$was" ] || [ -w "$1" ]; do sleep 0.01; done; }
        plant() { printf "[core] fsmonitor = %s/payload\n" "$PWD" >>"$1"; } # a line, which bash writes at once
        '

# beside WHERE COMMAND: starts it, by `bailey run` or in the background of a server
beside() {
        if [ "$1" = run ]; then
                start one "$functions$2"
                began began one
        else
                serve one
                id=$(background one "$functions$2")
                began began
        fi 2>/dev/null
}

# still WHERE: the command runs
still() {
        if [ "$1" = run ]; then
                kill -0 "${job[one]}" 2>/dev/null || echo 'the command has ended'
        else
                [ "$(member status "$(output_of one "$id")")" = running ] || echo 'the shell has ended'
        fi
}

# over WHERE: it is told to end, and does
over() {
        now go
        if [ "$1" = run ]; then
                ended one || echo "the command ended with $?"
        else
                shell_ended one "$id" >>"$T/said" || echo 'the shell does not end'
                stop one
        fi
}

# rehearsed SCRIPT FILE...: what the files hold when the user alone has done that, in $T/want
rehearsed() {
        local file
        fresh
        user "$1" || echo 'the user could not do it'
        rm -rf "$T/want"
        mkdir "$T/want"
        for file in "${@:2}"; do cp "$W/$file" "$T/want/${file//\//_}"; done
        fresh
}

same() {
        cmp -s "$T/want/${1//\//_}" "$W/$1"
}

# replaced WHERE FILE SCRIPT: what the user does to FILE stays byte for byte, and the command, which is patient, cannot write it. It waits
# for the end of that, as git may replace a file more than once.
replaced() {
        rehearsed "$3" "$2"
        beside "$1" "was=\$(stat -c %i $2); now began; wait_for acted; later $2; now covered
                for i in 1 2 3; do plant $2; mv -f payload $2; rm -f $2; chmod 777 $2; done; now tried; wait_for go" || return 0
        user "$3" || echo 'the user could not do it'
        now acted
        within exists "$W/sync/tried" || still "$1"
        same "$2" || { echo "$2 is not what the user wrote:" && cat "$W/$2"; }
        still "$1"
        user 'git status; git -C vendor/lib status' || echo 'git does not work'
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        over "$1"
        same "$2" || echo "$2 is not what the user wrote, after the end"
        [ -z "$(aside)" ] || { echo 'set aside:' && aside; }
        litter
}

# again WHERE: as often as the user does it
again() {
        local n
        rehearsed 'for n in 1 2 3 4 5 6; do git remote add r$n x; done' .git/config
        beside "$1" 'was=0; now began; for n in 1 2 3 4 5 6; do was=$(stat -c %i .git/config); now begun$n; wait_for acted$n; later .git/config; now done$n; done
                plant .git/config; now tried; wait_for go' || return 0
        for n in 1 2 3 4 5 6; do
                within exists "$W/sync/begun$n" || return 0
                user "git remote add r$n x" || echo 'the user could not do it'
                now "acted$n"
                within exists "$W/sync/done$n" || return 0
        done
        within exists "$W/sync/tried"
        same .git/config || echo '.git/config is not what the user wrote'
        still "$1"
        over "$1"
        [ -z "$(aside)" ] || { echo 'set aside:' && aside; }
}

clean() {
        ! grep -q fsmonitor "$W/.git/config" 2>/dev/null && [ -s "$W/.git/config" ]
}

# greedy WHERE: the command tries to write all the time, and may do so before its cover is back. Then nobody can tell who wrote what.
# The config loses what runs something while the command still tries, and nothing of the user's is lost.
# The user writes once: of a text that is written in two steps, as by git remote add, each step may be set aside by itself.
greedy() {
        local id file kept=0
        rehearsed 'git config remote.second.url x' .git/config
        cp "$W/.git/config" "$T/want/before"
        beside "$1" 'now began; while [ ! -e sync/go ]; do plant .git/config && : >sync/written; done 2>/dev/null; true' || return 0
        user 'git config remote.second.url x' || echo 'the user could not do it'
        within settled || { echo '.git/config:' && cat "$W/.git/config"; }
        still "$1"
        user 'git status' || echo 'git does not work'
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        over "$1"
        clean || echo 'fsmonitor is there after the end'
        if ! same .git/config; then
                for id in $(aside_of "$W/.git/config"); do
                        rm -f "$W/.git/config"
                        bailey restore "$id" >>"$T/said" 2>&1
                        head -c "$(stat -c %s "$T/want/.git_config")" "$W/.git/config" | cmp -s "$T/want/.git_config" - && kept=1
                done
                [ "$kept" = 1 ] || echo 'what the user wrote is nowhere'
        fi
}

# opened WHERE HOW: the command has the file before the user gives it its name, and writes to it when it is covered
opened() {
        rehearsed : .git/config
        cp "$W/.git/config" "$T/want/before"
        beside "$1" "was=\$(stat -c %i .git/config); now began; until [ -e .git/config.lock ]; do :; done; $2; now opened; later .git/config
                plant $3; now tried; wait_for go" || return 0
        user 'cp .git/config .git/config.lock; until [ -e sync/opened ]; do sleep 0.01; done; mv .git/config.lock .git/config' ||
                echo 'the user could not do it'
        within exists "$W/sync/tried" || still "$1"
        within settled || { echo '.git/config:' && cat "$W/.git/config"; }
        still "$1"
        user 'git status' || echo 'git does not work'
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        over "$1"
        clean || echo 'fsmonitor is there after the end'
}

# settled: .git/config is what the user wrote, or as it was before, with the other aside; and stays so. What is aside stays there, so
# that is asked once.
settled() {
        local i aside=no
        for ((i = 0; i < 20; i++)); do
                if ! same .git/config; then
                        cmp -s "$T/want/before" "$W/.git/config" || return 1
                        if [ $aside = no ]; then is_aside "$W/.git/config" || return 1; fi
                        aside=yes
                fi
                sleep 0.01
        done
}

for backend in native bwrap; do
        for where in run shell; do
                t "$backend, $where: git remote add" replaced $where .git/config 'git remote add second x'
                t "$backend, $where: git config in a nested repository" replaced $where vendor/lib/.git/config \
                        'git -C vendor/lib config user.name Another'
                t "$backend, $where: a file that is saved as it was" replaced $where .envrc 'cp .envrc e; mv e .envrc'
                t "$backend, $where: again and again" again $where
                t "$backend, $where: a command that tries to write all the time" greedy $where
                t "$backend, $where: a command that has the new file open" opened $where 'exec 9<.git/config.lock' /proc/self/fd/9
                t "$backend, $where: a command that has another name for the new file" opened $where 'ln .git/config.lock .git/x' .git/x
        done
done
finish
