#!/usr/bin/env bats
# bailey run while somebody changes the paths that it was planned for: nothing runs, and no other backend is tried.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # some is for other shells; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

# What the walls keep a command from: a file it must not read, a repository it must not write. That one has an alias, which no
# command could have given it: so it is covered.
prepare() {
        mkdir -p "$HOME/.ssh" "$HOME/other/.git" sub
        echo SECRET >"$HOME/.ssh/id_rsa"
        echo 'export A=1' >.envrc
        echo mine >beside
        git init -q sub
        git -C sub config alias.x log
}

# while_waiting CHANGE ARGUMENT...: runs bailey, and CHANGE when all is planned and only the record is waited for
while_waiting() {
        local change=$1 record=$HOME/.local/state/bailey/audit.jsonl
        shift
        bailey run true
        exec 9<"$record"
        flock 9
        "${clean[@]}" "$BAILEY" run --config "$OFF" "$@" >said 2>&1 9<&- &
        eventually planned $!
        eval "$change"
        flock -u 9
        status=0
        wait $! || status=$?
        cat said
}

# planned PID: what is protected was looked at, as the mark of the baseline says; then comes the record, whose lock is held
planned() {
        local state=$HOME/.local/state/bailey/protect
        find "/proc/$1/fd" -lname "$state/*" 2>/dev/null | grep -q . && grep -q '^+ ' "$state"/*
}

# says_changed PATH: of which it was said, and nothing ran
says_changed() {
        [ "$status" = 125 ]
        grep -F "$1: the path changed while the sandbox was being set up and " said
        grep -F 'Try again' said
        if grep -E 'SECRET|bwrap|landlock|ran$' said; then return 1; fi
        [ ! -e "$HOME/other/marker" ]
        [ ! -e marker ]
}

@test "a file becomes a link while walls are made: no other backend is tried" {
        prepare
        while_waiting 'ln -sf "$HOME/.ssh/id_rsa" .envrc' 'cat .envrc; touch marker; echo ran'
        says_changed "$W/.envrc"
}

@test "a directory becomes a link while walls are made: no other backend is tried" {
        prepare
        while_waiting 'mv sub was; ln -s "$HOME/other" sub' 'touch sub/marker; echo ran'
        says_changed "$W/sub"
}

@test "a file is gone, or a directory, when walls are made: no other backend is tried" {
        prepare
        while_waiting 'rm .envrc' 'touch marker; echo ran'
        says_changed "$W/.envrc"
        while_waiting 'rm -rf sub' 'touch marker; echo ran'
        says_changed "$W/sub"
}

@test "bwrap is not asked for what has changed already" {
        prepare
        while_waiting 'ln -sf "$HOME/.ssh/id_rsa" .envrc' --backend bwrap 'cat .envrc; touch marker; echo ran'
        says_changed "$W/.envrc"
}

# instead WHERE FROM TO COMMAND: by a bwrap that mounts FROM at TO, and not what it was told to at WHERE: so does the real one when
# links come and go while it looks at names.
instead() {
        local place=(unshare --mount)
        if [ "$(id -u)" != 0 ]; then place+=(--user --map-current-user --keep-caps); fi
        "${place[@]}" true || skip 'no mount namespace to put another bwrap in'
        command -v bwrap >/dev/null || skip 'no bwrap'
        cp "$(command -v bwrap)" ../bwrap
        cat >../wrapper <<EOF
#!/bin/bash
made=()
while [ \$# -gt 0 ]; do
        if [[ \$1 == --*bind && \$3 == '$1' ]]; then
                made+=("\$1" '$2' '$3')
                shift 3
        else
                made+=("\$1")
                shift
        fi
done
exec '$PWD/../bwrap' "\${made[@]}"
EOF
        chmod 755 ../wrapper
        # Those that it takes to mount are not for bwrap, which does not run with them.
        run "${clean[@]}" "${place[@]}" bash -c 'mount --bind ../wrapper "$1" && shift &&
                exec setpriv --inh-caps=-all --ambient-caps=-all "$@"' - "$(command -v bwrap)" \
                "$BAILEY" run --config "$OFF" --backend bwrap "$4"
        echo "$output"
        echo "$output" >said
}

@test "what bwrap has mounted is looked at: what it should" {
        prepare
        instead "$W/.envrc" "$W/.envrc" "$W/.envrc" 'cat .envrc; touch sub/marker; echo ran'
        [ "$status" = 0 ]
        [[ $output == $'export A=1\nran' ]]
        [ -e sub/marker ]
}

@test "what bwrap has mounted is looked at: another file" {
        prepare
        instead "$W/.envrc" "$HOME/.ssh/id_rsa" "$W/.envrc" 'cat .envrc; touch marker; echo ran'
        says_changed "$W/.envrc"
}

@test "what bwrap has mounted is looked at: another directory, writable" {
        prepare
        instead "$W/sub" "$HOME/other" "$W/sub" 'touch sub/marker; echo ran'
        says_changed "$W/sub"
}

@test "what bwrap has mounted is looked at: another file at another place" {
        prepare
        instead "$W/.envrc" "$HOME/.ssh/id_rsa" "$W/beside" 'cat beside; touch marker; echo ran'
        says_changed "$W/.envrc"
}

@test "what bwrap has mounted is looked at: another directory at another place" {
        prepare
        mkdir beside.d
        instead "$W/sub" "$HOME/other" "$W/beside.d" 'touch beside.d/marker; echo ran'
        says_changed "$W/sub"
}

@test "what bwrap has mounted is looked at: nothing" {
        prepare
        instead "$W/.envrc" "$W/beside" "$W/beside" 'echo evil >.envrc; touch marker; echo ran'
        says_changed "$W/.envrc"
}
