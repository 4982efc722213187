#!/usr/bin/env bash
# Many commands and two servers in one workspace, killed at random moments, beside a user who goes on working; see crash.py. Small
# enough for every day; CRASH_ROUNDS=200 is the full run, and CRASH_SEED=N begins with another sequence of accidents.
# shellcheck disable=SC2016 # commands are given as text
export host_release=1
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"

template '
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global init.defaultBranch main
        mkdir work user nested .vscode
        echo "{}" >.vscode/settings.json
        for d in . nested; do
                git init -q $d
                echo one >$d/file
                git -C $d add file
                git -C $d commit -qm one
                git -C $d config alias.mine status
                mkdir -p $d/.git/hooks
        done'
fresh
cd "$W" || exit 1
# not in the place of this shell, which is the one to reap what others leave behind
"${as[@]}" "${environment[@]}" /usr/bin/python3 -B "$T/crash.py" "$T/bailey" "$HOST_WHO" "${ROUNDS:-8}" "${SEED:-1}"
