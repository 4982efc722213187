#!/usr/bin/env bats
# bailey run: what the command reads.
# shellcheck disable=SC2016,SC2094,SC2154 # the command is for bailey, which only reads; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

@test "a pipe is read by the command" {
        [ "$(echo x | bailey run cat)" = x ]
        [ "$(echo x | bailey run -- cat)" = x ]
        [ "$(echo x | bailey run --json cat | jq -r .output)" = x ]
        # Whoever writes is told that nobody reads any more.
        [ "$(yes | bailey run 'head -1')" = y ]
}

@test "a file is read byte for byte" {
        head -c 3000000 /dev/urandom >bytes
        for backend in native bwrap landlock; do
                bailey run --backend $backend cat <bytes | cmp - bytes
                # shellcheck disable=SC2002 # a pipe
                cat bytes | bailey run --backend $backend cat | cmp - bytes
        done
}

@test "what the command does not read of a file is left for the next reader" {
        seq 5 >lines
        {
                [ "$(bailey run 'read -r x; echo $x')" = 1 ]
                [ "$(bailey run 'read -r x; echo $x')" = 2 ]
                bailey run true
                [ "$(cat)" = $'3\n4\n5' ]
        } <lines
        head -c 3000000 /dev/zero >zeros
        [ "$({ bailey run 'head -c 1000000 >/dev/null'; wc -c; } <zeros)" = 2000000 ]
        # Not read at all, and no reason to wait.
        run bailey run 'exec <&-; echo done' <zeros
        [ "$output" = "done" ]
        [ "$({ bailey run --timeout 0.5 'sleep 60' || [ $? = 124 ]; wc -c; } <zeros)" = 3000000 ]
}

@test "pipes with a name, and sockets" {
        mkfifo pipe
        seq 5 >pipe 3>&- &
        [ "$(bailey run cat <pipe)" = "$(seq 5)" ]
        "${clean[@]}" python3 - "$BAILEY" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
process = subprocess.Popen([sys.argv[1], "run", "cat"], stdin=theirs, stdout=subprocess.PIPE)
theirs.close()
ours.sendall(b"one\n")
assert process.stdout.readline() == b"one\n"  # while more can come
ours.sendall(b"two\n")
ours.shutdown(socket.SHUT_WR)
assert process.communicate()[0] == b"two\n"
assert process.returncode == 0
END
}

@test "nothing to read: --no-stdin, a stdin that is closed, a terminal" {
        [ "$(echo x | bailey run --no-stdin 'cat; echo end')" = end ]
        [ "$(bailey run 'cat; echo end' <&-)" = end ]
        run "${clean[@]}" script -qec "'$BAILEY' run --no-tty 'cat; echo end'" /dev/null
        [ "$output" = end$'\r' ]
}

@test "a file that is only read cannot be written through it" {
        echo kept >data
        for backend in native bwrap landlock; do
                run bailey run --backend $backend --deny-write data 'echo changed >/proc/self/fd/0; echo changed >/dev/stdin' <data
                [ "$(cat data)" = kept ]
        done
        # Nor can another reader of a pipe with a name be reached.
        mkfifo pipe
        sleep 60 >pipe &
        bailey run 'echo forged >/proc/self/fd/0' <pipe
        run -124 timeout 1 cat pipe
        [ "$output" = '' ]
        kill $!
}

@test "a command that floods its own input does not delay its timeout" {
        run -124 bailey run --timeout 1 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done >/proc/self/fd/0' </dev/zero
}
