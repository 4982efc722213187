#!/usr/bin/env bats
# sandbox.home_max_bytes: how large the home of a workspace may be.
# shellcheck disable=SC2016,SC2154,SC2088 # the commands are for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

own=(--set sandbox.home=own)

# in_home COMMAND: in the sandbox; must succeed
in_home() {
        run bailey run "${own[@]}" --config "$OFF" "$1"
        echo "$output"
        [ "$status" = 0 ]
}

# layer: the directory of the only home
layer() {
        echo "$BATS_TEST_TMPDIR"/homes/????????????????????????????????
}

# measured BYTES [AGO]: as if the home had been measured
measured() {
        echo "$1 5 1 $(($(date +%s) - ${2:-0})) 1" >"$(layer)/size"
}

@test "home_max_bytes: it is told before it is full" {
        in_home 'echo 1 >~/f'
        measured 8000000
        in_home true
        [[ $output != *home_max_bytes* ]]
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=8388608 true
        echo "$output"
        [ "$status" = 0 ]
        [[ $output == *"the home of this workspace uses 7.6 MiB of 8 MiB (sandbox.home_max_bytes): bailey home clear"* ]]
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=0 true
        [ -z "$output" ]
}

@test "home_max_bytes: nothing runs in one that is too large" {
        in_home 'head -c 2000000 /dev/urandom >~/f'
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=1048576 true
        [ "$status" = 0 ] # nobody has measured it yet
        measured 2000000
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=1048576 "touch $W/ran"
        echo "$output"
        [ "$status" = 125 ]
        [[ $output == *"the home of this workspace uses 1.9 MiB of 1 MiB (sandbox.home_max_bytes)"*'`bailey home clear`'* ]]
        [ ! -e ran ]
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=0 true
        [ "$status" = 0 ]
        rm -r "$(layer)"
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=1048576 true
        echo "$output"
        [ "$status" = 0 ]
        [ -z "$output" ]
}

@test "home_max_bytes: what has gone meanwhile does not count" {
        in_home 'echo 1 >~/f'
        measured 2000000
        run bailey run "${own[@]}" --set sandbox.home_max_bytes=1048576 true
        echo "$output"
        [ "$status" = 0 ]
        [ -z "$output" ]
}

@test "homes are measured now and then, by a process that nobody waits for" {
        in_home 'head -c 2000000 /dev/urandom >~/f'
        [ ! -e "$(layer)/size" ]
        touch -d '1 hour ago' "$(layer)/about"
        output=$(bailey run "${own[@]}" true) # does not hold the pipe open
        until_exists "$(layer)/size"
        read -r bytes entries complete _ <"$(layer)/size"
        ((bytes >= 2000000 && entries >= 1 && complete == 1))
        measured 1 10
        before=$(cat "$(layer)/size")
        in_home true
        [ "$(cat "$(layer)/size")" = "$before" ]
        measured 1 3600
        in_home true
        eventually grep -qv '^1 ' "$(layer)/size"
}
