#!/usr/bin/env bats
# bailey run and bailey doctor: which backend, and what when there is none.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

setup_file() {
        export FORBID=${BAILEY%/*}/tests/no_userns
}

@test "none takes two variables" {
        clean+=(BAILEY_SANDBOX=none)
        refused BAILEY_ALLOW_NO_SANDBOX
        clean+=(BAILEY_ALLOW_NO_SANDBOX=0)
        refused BAILEY_ALLOW_NO_SANDBOX
}

@test "none by its flag alone is refused, too" {
        refused BAILEY_ALLOW_NO_SANDBOX --backend none
}

@test "none with both runs and warns" {
        for yes in 1 true TRUE; do
                rm -f marker
                run --separate-stderr "${clean[@]}" BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=$yes "$BAILEY" run 'touch marker; echo ran'
                [ "$status" = 0 ]
                [ "$output" = ran ]
                [ -e marker ]
                if [ $yes = 1 ]; then [ "$stderr" = 'bailey: NO SANDBOX: this command ran with all your permissions' ]; fi
        done
        warned=$HOME/.local/state/bailey/no-sandbox
        touch -d '1 hour ago' "$warned"
        run --separate-stderr "${clean[@]}" BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run --strict true
        [[ $stderr == *'all your permissions, and without the system call filter of syscall_policy = "strict"' ]]
        touch "$warned" # at most once a minute
        run --separate-stderr "${clean[@]}" BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run true
        [ -z "$stderr" ]
}

@test "a kernel without system call filters: nothing runs, and the reason is said" {
        for policy in inherit strict; do
                run "${clean[@]}" "${BAILEY%/*}/tests/no_seccomp" "$BAILEY" run --set sandbox.syscall_policy=$policy 'touch marker'
                echo "$output"
                [ "$status" = 125 ]
                [[ $output == *'native: the kernel has no system call filters (CONFIG_SECCOMP_FILTER)'* ]]
                [ ! -e marker ]
        done
}

# request ID METHOD PARAMS
request() {
        printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$1" "$2" "$3"
}

@test "without a sandbox, each session is warned, and not with every command" {
        both_ended() {
                [ "$(grep -c '"result"' answers)" = 3 ]
        }
        call='{"name":"Bash","arguments":{"command":"echo ran"}}'
        for _ in 1 2; do
                mkfifo questions
                "${clean[@]}" BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" mcp <questions >answers &
                {
                        request 1 initialize \
                                '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}'
                        echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
                        request 2 tools/call "$call"
                        request 3 tools/call "$call"
                        eventually both_ended
                } >questions
                wait $!
                rm questions
                cat answers
                [ "$(grep -c 'NO SANDBOX: this command ran with all your permissions' answers)" = 1 ]
        done
}

@test "allowing none does not choose it" {
        run --separate-stderr "${clean[@]}" BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run --json true
        [ "$(jq -r .backend <<<"$output")" != none ]
}

@test "what is chosen is said" {
        run --separate-stderr bailey run --json true
        [ "$status" = 0 ]
        [ "$(jq -r .backend <<<"$output")" = native ]
}

@test "without user namespaces another one is chosen and announced, or none" {
        run --separate-stderr "${clean[@]}" "$FORBID" "$BAILEY" run 'touch marker'
        echo "$output$stderr"
        if [ "$status" = 0 ]; then
                [[ $stderr == *landlock* ]]
                run --separate-stderr "${clean[@]}" "$FORBID" "$BAILEY" run --json true
                [ "$(jq -r .backend <<<"$output")" = landlock ]
        else
                [ "$status" = 125 ]
                [[ $stderr == *namespace* ]]
                [ ! -e marker ]
        fi
}

@test "a backend that is named and cannot work refuses" {
        for name in native bwrap; do
                run "${clean[@]}" "$FORBID" "$BAILEY" run --backend $name 'touch marker'
                echo "$output"
                [ "$status" = 125 ]
                [[ $output == *$name* ]]
                [ ! -e marker ]
        done
}

@test "a backend is not asked for what it cannot do" {
        echo 'export A=1' >.envrc # which it could not keep as it is
        run bailey run --backend landlock 'touch marker'
        echo "$output"
        [ "$status" = 125 ]
        [[ $output == *'the requested backend cannot be used: landlock: cannot enforce this policy: no changes to files'* ]]
        [[ $output == *'set sandbox.protect_workspace = false'*'bailey doctor'* ]]
        [[ $output != *'Install bubblewrap'* ]] # which would not help
        [ ! -e marker ]
        run bailey run --backend landlock --set sandbox.protect_workspace=false 'touch marker' # as it says
        [ "$status" = 0 ]
        [ -e marker ]
}

@test "sandbox-exec is for macOS, and says so" {
        for by in '--backend sandbox-exec' '--set sandbox.backend=sandbox-exec'; do
                # shellcheck disable=SC2086 # words
                run bailey run $by 'touch marker'
                echo "$output"
                [ "$status" = 125 ]
                [[ $output == *'sandbox-exec: needs macOS'* ]]
                [ ! -e marker ]
        done
        run bailey doctor
        [[ $output == *'reason: sandbox-exec: needs macOS'$'\n''    to enable it: run bailey on macOS; there is no macOS binary yet'* ]]
        [[ $output == *"only compared with golden files; never run, in CI or elsewhere"* ]]
        run bailey doctor --json
        [ "$(jq -r '.backends[] | select(.name == "sandbox-exec") | .works, .verified' <<<"$output")" = \
                $'false\n'"only compared with golden files; never run, in CI or elsewhere" ]
        [ "$(jq -r '.backends[] | select(.name == "native").verified' <<<"$output")" = "run in this project's CI" ]
}

@test "doctor says what is not enforced, and what of that the policy requires" {
        echo 'export A=1' >.envrc
        bailey doctor >said # of this directory
        sed -n '/^landlock /,/^[^ ]/p' said >one
        cat one
        grep -qx 'landlock     works, but not for this policy' one
        grep -qx '    Landlock and seccomp, without namespaces' one
        grep -q '^    not enforced, but required: protect (no changes to files ' one
        grep -qx '    not enforced: process-list (processes outside are hidden)' one
        run ! grep 'hosts (no network except for listed hosts)' one # there is none at all
}

@test "doctor" {
        run bailey doctor
        [ "$status" = 0 ]
        for name in native bwrap landlock; do [[ $output == *$name* ]]; done
        run bailey doctor --json
        [ "$status" = 0 ]
        jq -e . <<<"$output"
}

# told NAME KEY: what the text of doctor says of it
told() {
        sed -n "/^$1 /,/^[^ ]/{s/^    $2: //p}" said
}

@test "doctor tells of each sandbox how it holds to limits, and how it was tried" {
        bailey doctor >said
        bailey doctor --json >json
        [ "$(jq '.backends | length' json)" -ge 9 ]
        for name in $(jq -r '.backends[].name' json); do
                jq -c --arg name "$name" '.backends[] | select(.name == $name)' json >one
                [ -n "$(jq -r .limits_text one)" ]
                [ "$(told "$name" limits)" = "$(jq -r .limits_text one)" ]
                [ "$(told "$name" verified)" = "$(jq -r .verified one)" ]
                if [ "$(jq .works one)" = true ]; then
                        [[ $(jq -r .limits_text one) == "memory $(jq -r .limits.memory one), "*"; processes $(jq -r .limits.pids one), "* ]]
                else
                        jq -e '.limits == null' one
                fi
        done
        jq -e '. as $all | .limits == (.backends[] | select(.name == $all.chosen).limits)' json
        # and a command has just that
        bailey run --json --memory 1GiB --pids 1000 true | jq -c '.limits | {memory, pids}' | diff - <(jq -c .limits json)
}

@test "doctor where little can be had" {
        echo 'export A=1' >.envrc # which landlock could not keep as it is
        run "${clean[@]}" "$FORBID" "$BAILEY" doctor
        echo "$output"
        [ "$status" != 0 ]
        [[ $output == *native* ]]
        run "${clean[@]}" "$FORBID" "$BAILEY" doctor --json
        jq -e . <<<"$output"
}
