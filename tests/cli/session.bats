#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands are for the sandbox; what setup() sets is for all; bats sets $stderr
# Sessions of `bailey run --session`: commands of several processes that share a /tmp.
load run_helper

look='cat /tmp/file 2>/dev/null || echo none' # the workspace of a test is in /tmp, too

# Nothing of the user's: sessions are kept in a directory of the test, and ended with it.
sessions() {
        mkdir -p "$BATS_TEST_TMPDIR/run"
        clean+=(XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR/run")
        native true || skip 'no native sandbox works here'
}

native() {
        bailey run --set sandbox.backend=native --config "$OFF" "$@"
}

# keepers: processes that keep sessions of this test
keepers() {
        local found='' pid
        for pid in $(pgrep -x bailey-session); do
                if [ "$(readlink "/proc/$pid/fd/4")" = "$BATS_TEST_TMPDIR/run/bailey" ]; then found+="$pid "; fi
        done
        echo "$found"
}

no_keepers() {
        [ -z "$(keepers)" ]
}

teardown() {
        local pid
        for pid in $(keepers); do kill "$pid"; done
        eventually no_keepers
}

@test 'commands of a name share a /tmp, and others do not' {
        sessions
        native --session one 'echo text >/tmp/file; echo x >/var/tmp/x; echo x >/dev/shm/x'
        [ "$(native --session one 'cat /tmp/file; ls /var/tmp/x /dev/shm/x 2>/dev/null || echo none')" = $'text\nnone' ]
        [ "$(native --session two "$look")" = none ]
        [ "$(native "$look")" = none ]
        mkdir ../other
        [ "$(native --workspace ../other --session one "$look")" = none ]
        [ "$(native --session one 'stat -c %u:%a /tmp')" = "$(id -u):1777" ]
        [ "$(keepers | wc -w)" = 3 ]
}

@test 'one that several commands begin at once is one' {
        sessions
        for n in 1 2 3 4 5 6; do native --session one "echo $n >>/tmp/all" & done
        wait
        [ "$(native --session one 'sort /tmp/all | tr -d "\n"')" = 123456 ]
        [ "$(keepers | wc -w)" = 1 ]
}

@test 'it holds nothing of who started it' {
        sessions
        # the end of the pipe is seen, though the session goes on
        [ "$(echo input | native --session one 'cat; cd /; echo output')" = $'input\noutput' ]
        pid=$(keepers)
        [ "$(readlink /proc/"${pid% }"/cwd)" = / ]
        run ls /proc/"${pid% }"/fd
        [ "$(for fd in /proc/"${pid% }"/fd/[012]; do readlink "$fd"; done | sort -u)" = /dev/null ]
        for fd in /proc/"${pid% }"/fd/*; do
                [[ $(readlink "$fd") == @(/dev/null|socket:*|anon_inode:*|"$BATS_TEST_TMPDIR/run/bailey") ]]
        done
}

@test 'its size is limited' {
        sessions
        run native --set sandbox.tmp_bytes=1MiB --session one 'head -c 800K /dev/zero >/tmp/a && echo fits'
        [ "$output" = fits ]
        run native --set sandbox.tmp_bytes=1GiB --session one 'head -c 800K /dev/zero >/tmp/b'
        [[ $output == *'No space left'* ]]
}

@test 'it ends when nobody has used it for a while' {
        sessions
        native --set run.session_idle=1ms --session one 'echo text >/tmp/file'
        eventually no_keepers
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/run/bailey")" ]
        run --separate-stderr native --session one "$look"
        [ "$output$stderr" = none ]
}

@test 'a command that runs keeps it' {
        sessions
        mkfifo go
        native --set run.session_idle=1ms --session one 'echo text >/tmp/file; echo >started; read -r x <go; cat /tmp/file' >out &
        until_exists started
        [ "$(native --session one 'cat /tmp/file')" = text ]
        [ "$(bailey tmp list --json | jq -c '.sessions | map([.name, .workspace, .commands])')" = "[[\"one\",\"$W\",1]]" ]
        echo >go
        wait $!
        [ "$(cat out)" = text ]
        eventually no_keepers
}

@test 'bailey tmp lists and ends sessions' {
        sessions
        [ "$(bailey tmp)" = 'No sessions.' ]
        native --session one 'echo text >/tmp/file'
        [ "$(bailey tmp)" = "one  $W  0 commands running" ]
        run bailey tmp end two
        [ "$status" = 1 ]
        [[ $output == *"no session 'two' of $W is running"* ]]
        bailey tmp end one
        eventually no_keepers
        [ "$(native --session one "$look")" = none ]
        cd ..
        bailey tmp end --workspace "$W" one
        eventually no_keepers
        [ -z "$(bailey tmp list --json | jq -r '.sessions[]')" ]
}

@test 'who loses its files is told' {
        sessions
        native --session one 'echo text >/tmp/file'
        kill -9 "$(keepers | tr -d ' ')"
        eventually no_keepers
        run native --session one "$look"
        [[ $output == *none* && $output == *'the files in the /tmp of this session were lost'* ]]
        run native --session one true
        [ -z "$output" ]
}

@test 'names that are none' {
        sessions
        for name in '' a/b 'a b' "$(printf '%065d' 0)"; do
                refused 'session: expected a name' --session "$name"
        done
        no_keepers
}

@test 'other sandboxes say that they cannot share it' {
        sessions
        for backend in bwrap landlock; do
                run bailey run --set sandbox.backend="$backend" --session one true
                [ "$status" = 0 ]
                [[ $output == *"/tmp is new for each command: $backend cannot keep it for the session"* ]]
        done
        run native --set run.tmp=command --session one true
        [[ $output == *'/tmp is new for each command: run.tmp is "command"'* ]]
        no_keepers
}

@test 'commands cannot reach what keeps sessions, nor another session' {
        sessions
        place=$(mktemp -d /opt/bailey-test.XXXXXX 2>/dev/null) || place=$BATS_TEST_TMPDIR # /tmp is hidden anyway
        clean+=(XDG_RUNTIME_DIR="$place")
        native --session two 'echo CANARY >/tmp/file'
        socket=$(ls "$place"/bailey/*.session)
        run native --session one 'cat /tmp/file; ls '"$place"'/bailey; pgrep bailey-session; cat /proc/[0-9]*/root/tmp/file; python3 -c "
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(\"'"$socket"'\")
print(\"REACHED\")"'
        bailey tmp end one
        bailey tmp end two
        if [ "$place" != "$BATS_TEST_TMPDIR" ]; then rm -rf "$place"; fi
        echo "$output"
        [[ $output != *CANARY* && $output != *REACHED* && $output != *.session* && $output == *denied* ]]
}

@test 'a directory of others is refused, and nothing runs' {
        sessions
        mkdir -p "$BATS_TEST_TMPDIR/run/bailey"
        chmod 755 "$BATS_TEST_TMPDIR/run/bailey"
        refused 'is accessible to others' --set sandbox.backend=native --session one
}
