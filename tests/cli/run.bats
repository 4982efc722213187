#!/usr/bin/env bats
# bailey run: how it ends, and what it says of it.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

@test "the command's own exit status" {
        for code in 0 1 2 42 124 125 126 255; do
                run bailey run "exit $code"
                [ "$status" = $code ]
        done
}

@test "output is passed on, each stream to its own" {
        bailey run 'echo out; echo err >&2' >out 2>err
        [ "$(cat out)" = out ]
        [ "$(cat err)" = err ]
}

@test "a program and its arguments" {
        run bailey run -- printf '%s|' a 'b c' '$HOME' ''
        [ "$status" = 0 ]
        [ "$output" = 'a|b c|$HOME||' ]
}

@test "what cannot be executed is not the fault of the sandbox" {
        run -125 bailey run -- /etc/group
        [ "$output" = "bailey: /etc/group: Permission denied" ]
}

@test "not found" {
        run -127 bailey run -- no-such-program-bailey
        [ "$output" = 'bailey: no-such-program-bailey: command not found' ]
        run -127 bailey run -- ./no-such-program
        [ "$output" = 'bailey: ./no-such-program: No such file or directory' ]
        run -127 bailey run no-such-program-bailey
        [[ $output == *no-such-program-bailey* ]]
}

@test "ended by a signal" {
        run bailey run 'kill -TERM $$'
        [ "$status" = 143 ]
        run bailey run 'kill -KILL $$'
        [ "$status" = 137 ]
        run bailey run 'kill -SEGV $$'
        [ "$status" = 139 ]
}

@test "refused by the guard" {
        run bailey run 'rm -rf /'
        [ "$status" = 126 ]
        [[ $output == *recursive* || $output == *delete* ]]
        run bailey run -- rm -rf /
        [ "$status" = 126 ]
}

@test "nothing of a refused command runs" {
        run bailey run 'touch marker; rm -rf /'
        [ "$status" = 126 ]
        [ ! -e marker ]
}

@test "timeout" {
        run bailey run --timeout 15 'echo before; sleep 4401.'"$U"'; echo after'
        echo "$output"
        [ "$status" = 124 ]
        [[ $output == *before* ]]
        [[ $output == *'timed out after 15 s and was killed'* ]]
        [ "$(grep -c 'timed out' <<<"$output")" = 1 ]
        [[ $output != *after$'\n'* ]]
        gone "sleep 4401.$U"
}

@test "timeout ends what hides in other sessions" {
        run bailey run --timeout 5 'setsid sleep 4402.'"$U"' & trap "" TERM HUP INT; sleep 4403.'"$U"' & wait'
        [ "$status" = 124 ]
        gone "sleep 4402.$U"
        gone "sleep 4403.$U"
}

@test "JSON" {
        run --separate-stderr bailey run --json 'echo out; echo err >&2; exit 3'
        echo "$output"
        [ "$(jq -r .exit_code <<<"$output")" = 3 ]
        [ "$(jq -r .timed_out <<<"$output")" = false ]
        [ "$(jq -r .truncated <<<"$output")" = false ]
        [[ $(jq -r .output <<<"$output") == *out* ]]
        [[ $(jq -r .output <<<"$output") == *err* ]]
        [ "$(jq -r .backend <<<"$output")" != null ]
        [ "$(jq -r '.enforced | length' <<<"$output")" -gt 0 ]
        [ "$(jq -r '.duration_ms | type' <<<"$output")" = number ]
        jq -e 'has("verdict")' <<<"$output"
        [ "$status" = 3 ]
}

@test "JSON of a signal and of a timeout" {
        run --separate-stderr bailey run --json 'kill -KILL $$'
        [ "$(jq -r .signal <<<"$output")" != null ]
        [ "$status" = 137 ]
        run --separate-stderr bailey run --json --timeout 1 'sleep 30'
        [ "$(jq -r .timed_out <<<"$output")" = true ]
        [ "$status" = 124 ]
}

@test "JSON of a long output keeps head and tail" {
        run --separate-stderr bailey run --json 'echo first; seq 100000; echo last'
        [ "$status" = 0 ]
        [ "$(jq -r .truncated <<<"$output")" = true ]
        [ "$(jq -r .elided_bytes <<<"$output")" -gt 400000 ]
        jq -r .output <<<"$output" >said
        [ "$(head -n 1 said)" = first ]
        [ "$(grep -v '^$' said | tail -n 1)" = last ]
        grep -q 'output truncated, [0-9]* bytes elided' said
        [ "$(stat -c %s said)" -lt 110000 ]
}

@test "JSON of output that is no UTF-8" {
        run --separate-stderr bailey run --json 'printf "a\377\300b\n"'
        [ "$status" = 0 ]
        jq -e .output <<<"$output"
}

@test "JSON of a refusal" {
        run --separate-stderr bailey run --json 'rm -rf /'
        echo "$output"
        [ "$status" = 126 ]
        jq -e .verdict <<<"$output"
}

@test "status lines" {
        bailey run --status-fd 3 'exit 5' 3>lines || [ $? = 5 ]
        cat lines
        jq -e . lines >/dev/null
        [ "$(grep -c . lines)" -ge 2 ]
        head -n 1 lines | grep -q started
        tail -n 1 lines | grep -q exited
        tail -n 1 lines | grep -q 5
}

@test "started is said before the end" {
        mkfifo status
        bailey run --status-fd 3 'echo go >began; sleep 30' 3>status >/dev/null 2>&1 &
        pid=$!
        read -r line <status
        [[ $line == *started* ]]
        kill -TERM $pid
        wait $pid || true
}

@test "only the named environment" {
        run "${clean[@]}" FOO=bar API_KEY=hunter2 "$BAILEY" run --config "$OFF" env
        [ "$status" = 0 ]
        [[ $output != *hunter2* ]]
        [[ $output != *FOO=* ]]
        run "${clean[@]}" "$BAILEY" run --env FOO=given 'echo $FOO'
        [ "$output" = given ]
}

@test "a directory in the workspace" {
        mkdir -p sub/dir
        run bailey run --workspace "$W" --cwd sub/dir pwd
        [ "$output" = "$W/sub/dir" ]
        run bailey run --workspace "$W" --cwd "$W/sub" pwd
        [ "$output" = "$W/sub" ]
}

@test "relative paths are judged from where it starts" {
        local up=${W//[^\/]/} # a slash for each level
        up=${up//\//..\/}
        mkdir sub
        run bailey run --workspace "$W" "rm -rf ${up}etc"
        [ "$status" = 126 ]
        for cwd in sub "$W/sub"; do
                run bailey run --workspace "$W" --cwd "$cwd" "rm -rf ${up}etc"
                [ "$status" != 126 ]
                run bailey run --workspace "$W" --cwd "$cwd" "rm -rf ../${up}etc"
                [ "$status" = 126 ]
        done
}

@test "the workspace is where one is, unless told" {
        run bailey run 'echo x >made; pwd'
        [ "$output" = "$W" ]
        [ -s made ]
}

@test "the plan is shown, nothing runs" {
        run bailey run --show-plan 'touch marker'
        [ "$status" = 0 ]
        [ -n "$output" ]
        [ ! -e marker ]
}

@test "a failure is explained if its output is passed on" {
        mkdir "$HOME/hidden"
        echo text >"$HOME/hidden/file"
        for backend in native bwrap; do
                bailey run --backend "$backend" 'cat ~/hidden/file' >out 2>errors && return 1
                grep -q "$HOME/hidden/file exists, but is not shown" errors
                bailey run --backend "$backend" 'cat ~/hidden/file; true' 2>errors
                ! grep -q 'is not shown' errors || return 1
        done
        bailey run 'cat ~/hidden/file' 2> >(cat >errors) && return 1 # a pipe of its own
        eventually grep -q 'is not shown' errors
        [ "$(bailey run 'head -c 3000000 /dev/zero >&2' 2> >(wc -c) | cat)" = 3000000 ]
}

@test "--read and --deny-read take a ~ that the shell has left" {
        mkdir -p "$HOME/shared/closed"
        echo found >"$HOME/shared/file"
        echo hidden >"$HOME/shared/closed/file"
        # shellcheck disable=SC2088 # bailey expands it
        run bailey run --read='~/shared' --deny-read '~/shared/closed' 'cat ~/shared/file ~/shared/closed/file'
        echo "$output"
        [ "$status" != 0 ]
        [[ $output == *found* ]]
        [[ $output != *hidden* ]]
}

@test "more can be read and written" {
        mkdir "$BATS_TEST_TMPDIR/other"
        echo text >"$BATS_TEST_TMPDIR/other/file"
        run bailey run --read "$BATS_TEST_TMPDIR/other" "cat $BATS_TEST_TMPDIR/other/file"
        [ "$output" = text ]
        run bailey run --read "$BATS_TEST_TMPDIR/other" "echo x >$BATS_TEST_TMPDIR/other/new"
        [ "$status" != 0 ]
        run bailey run --write "$BATS_TEST_TMPDIR/other" "echo x >$BATS_TEST_TMPDIR/other/new"
        [ "$status" = 0 ]
        [ -s "$BATS_TEST_TMPDIR/other/new" ]
}

@test "the network is denied, or the host's" {
        command -v python3 || skip 'no python3'
        /usr/bin/python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
while True: s.accept()[0].close()' >port 3>&- &
        server=$!
        eventually test -s port
        run bailey run --config "$OFF" "exec 3<>/dev/tcp/127.0.0.1/$(cat port)"
        denied=$status
        run bailey run --config "$OFF" --network inherit "exec 3<>/dev/tcp/127.0.0.1/$(cat port)"
        kill $server
        echo "$output"
        [ "$denied" != 0 ]
        [ "$status" = 0 ]
}

@test "why it failed, where there is evidence" {
        mkdir -p "$HOME/.ssh"
        echo secret >"$HOME/.ssh/id_ed25519"
        run --separate-stderr bailey run --set sandbox.home=host --config "$OFF" --json "cat $HOME/.ssh/id_ed25519"
        echo "$output"
        [ "$status" != 0 ]
        [[ $(jq -r .output <<<"$output") == *'Permission denied'* ]]
        [[ $(jq -r .explanation <<<"$output") == *.ssh* ]]
        run --separate-stderr bailey run --json false
        [ "$(jq -r '.explanation // ""' <<<"$output")" = '' ]
}

@test "why it failed, where something of the home is not shown" {
        mkdir -p "$HOME/.ssh"
        echo secret >"$HOME/.ssh/id_ed25519"
        echo data >"$HOME/set.csv"
        run --separate-stderr bailey run --config "$OFF" --json "cat $HOME/.ssh/id_ed25519"
        echo "$output"
        [[ $(jq -r .output <<<"$output") == *'No such file or directory'* ]]
        [[ $(jq -r .explanation <<<"$output") == *.ssh*'can contain credentials'* ]]
        for command in 'cat ~/set.csv' "cat $HOME/set.csv" "python3 -c 'open(\"$HOME/set.csv\")'"; do
                run --separate-stderr bailey run --json "$command"
                echo "$command: $output"
                [[ $(jq -r .explanation <<<"$output") == "$HOME/set.csv exists, but is not shown"*"--read $HOME/set.csv"* ]]
        done
        run --separate-stderr bailey run --json 'cat ~/no-such-file'
        [ "$(jq -r '.explanation // ""' <<<"$output")" = '' ]
        run --separate-stderr bailey run --read "$HOME/set.csv" 'cat ~/set.csv'
        [ "$output" = data ]
}

@test "why it failed, where it connects and says nothing" {
        for guard in "" "--config $OFF"; do
                for command in 'git clone https://github.com/a/b 2>/dev/null' 'git ls-remote -q https://github.com/a/b >x 2>&1 || exit 3' \
                        'x=$(git ls-remote https://github.com/a/b 2>/dev/null)'; do
                        # shellcheck disable=SC2086 # an option and its argument
                        run --separate-stderr bailey run $guard --json "$command"
                        echo "$command: $output"
                        [ "$(jq -r .exit_code <<<"$output")" != 0 ]
                        [[ $(jq -r .explanation <<<"$output") == git\ *' needs the network, but the sandbox allows only localhost.'* ]]
                done
                for command in 'test -f missing' 'grep -q curl /dev/null' 'git rev-parse missing 2>/dev/null' \
                        'echo "git clone https://github.com/a/b" >x; grep -q y x'; do
                        # shellcheck disable=SC2086
                        run --separate-stderr bailey run $guard --json "$command"
                        echo "$command: $output"
                        [ "$(jq -r .exit_code <<<"$output")" != 0 ]
                        [ "$(jq -r '.explanation // ""' <<<"$output")" = '' ]
                done
        done
}

@test "the guard lets commands write startup files of a home of their own, and no others" {
        mkdir -p "$HOME/code" "$HOME/kept"
        cd "$HOME/code"
        for file in .bashrc .config/autostart/x.desktop .ssh/authorized_keys; do
                run --separate-stderr bailey run "mkdir -p ~/.config/autostart ~/.ssh && echo x >>~/$file && cat ~/$file"
                echo "$file: $output $stderr"
                [ "$status" = 0 ]
                [[ $output == *x ]]
                [ ! -e "$HOME/$file" ]
                run bailey run --set sandbox.home=host "echo x >>~/$file"
                [ "$status" = 126 ]
                run bailey run --write "$HOME/kept" "echo x >>~/$file"
                [ "$status" = 126 ]
                run "${clean[@]}" BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run "echo x >>~/$file"
                [ "$status" = 126 ]
        done
        run bailey run 'echo x >~/code/.envrc'
        echo "$output"
        [ "$status" = 126 ]
        [ ! -e .envrc ]
        run bailey run --set "sandbox.home_dir=$HOME/code/homes" true
        echo "$output"
        [ "$status" = 125 ]
}

@test "who lets commands write the home itself has no other one, and is told" {
        mkdir -p "$HOME/code"
        cd "$HOME/code"
        run --separate-stderr bailey run --force --workspace "$HOME" 'echo 1 >~/new'
        echo "$output $stderr"
        [ "$status" = 0 ]
        [ "$(cat "$HOME/new")" = 1 ]
        [[ $stderr == *"commands can write your home directory $HOME itself"*'no home of their own'* ]]
        run --separate-stderr bailey run --write "$HOME" 'echo 2 >~/new'
        [ "$status" = 0 ]
        [ "$(cat "$HOME/new")" = 2 ]
        [[ $stderr == *'no home of their own'* ]]
        run bailey run --force --workspace "$HOME" 'echo x >>~/.bashrc'
        echo "$output"
        [ "$status" = 126 ]
        [ ! -e "$HOME/.bashrc" ]
}

@test "a directory of the home that cannot be opened is not shown, and the user is told" {
        if [ "$(id -u)" = 0 ]; then return; fi # who can open every directory
        mkdir -p "$HOME/.cargo/bin" "$HOME/.npm/_cacache"
        chmod 0 "$HOME/.cargo"
        run --separate-stderr bailey run 'ls -A ~; ls ~/.npm'
        chmod 755 "$HOME/.cargo"
        echo "$output $stderr"
        [ "$status" = 0 ]
        [[ $output == *_cacache ]]
        [[ $stderr == *"$HOME/.cargo/bin, which commands would find in their home, cannot be opened"* ]]
}

@test "directories of overlays are used again, and do not become many" {
        local base=$BATS_TEST_TMPDIR/homes most=0 left

        mkdir -p "$HOME/.npm/_cacache"
        bailey run 'echo 1 >~/.npm/_cacache/kept' || skip 'no sandbox'
        for ((i = 0; i < 20; i++)); do
                run bailey run 'cat ~/.npm/_cacache/kept'
                [ "$output" = 1 ]
                left=$(find "$base"/*/runs -mindepth 1 -maxdepth 1 | wc -l)
                if ((left > most)); then most=$left; fi
                [ "$(find "$base"/*/runs -mindepth 1 -maxdepth 1 -name 'run-*' | wc -l)" -le 1 ]
        done
        echo "$most"
        [ "$most" -le 17 ]
        rm -r "$base" # the kernel makes directories that an ordinary user could not remove
        [ ! -e "$HOME/.npm/_cacache/kept" ]
}

@test "the host's network interfaces are listed only with its network" {
        [ -n "$(ls /sys/class/net)" ] # or this test is wrong
        for backend in native bwrap; do
                run bailey run --backend "$backend" 'ls -A /sys/class/net'
                [ "$status" = 0 ]
                [ "$output" = "" ]
        done
        run bailey run --network inherit 'ls /sys/class/net'
        [ "$output" = "$(ls /sys/class/net)" ]
}

@test "a config file chooses the policy" {
        echo 'policy = "readonly"' >config.toml
        run bailey run --config config.toml 'touch x'
        [ "$status" = 126 ]
        run bailey run --config config.toml --policy default 'touch x'
        [ "$status" = 0 ]
}
