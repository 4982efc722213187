#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands are for the sandbox; what setup() sets is for all; bats sets $stderr
# `bailey mcp --stage`, and what the audit log has of stages.
load ../cli/run_helper
load stage_helper

# serve ARGUMENT...: a server, which ends when its input does
serve() {
        coproc SERVER { "${clean[@]}" "$BAILEY" mcp --set sandbox.backend=native --config "$OFF" "$@" 2>../errors; }
        server=$SERVER_PID
        ask '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
}

# ask REQUEST: $answer is the line that comes
ask() {
        echo "$1" >&"${SERVER[1]}"
        read -r answer <&"${SERVER[0]}"
}

# tell COMMAND: $answer is its structured content
tell() {
        ask "$(jq -cn --arg command "$1" '{jsonrpc: "2.0", id: 2, method: "tools/call", params: {name: "Bash", arguments: {command: $command}}}')"
        answer=$(jq -c .result.structuredContent <<<"$answer")
}

finish() {
        local input=${SERVER[1]}
        exec {input}>&-
        wait "$server"
}

@test 'the commands of a server share a stage, and answers have its counts' {
        staging
        echo x >gone
        serve --stage=agent
        tell 'echo 1 >a; rm gone'
        jq -e '.staged == {name: "agent", changed: 0, new: 1, deleted: 1}' <<<"$answer"
        tell 'cat a; echo 2 >b'
        jq -e '.output == "1\n" and .staged.new == 2' <<<"$answer"
        finish
        [ ! -e a ]
        [ -e gone ]
        bailey apply agent
        [ "$(cat a b)" = $'1\n2' ]
        [ ! -e gone ]
}

@test 'a directory that is only in the stage does not keep later commands from running' {
        staging
        serve --stage
        tell 'mkdir sub && cd sub && pwd'
        tell 'echo here'
        jq -e '.output == "here\n"' <<<"$answer"
        finish
}

@test 'without a stage there are no counts' {
        staging
        serve
        tell 'echo 1 >a'
        jq -e 'has("staged") | not' <<<"$answer"
        finish
        [ -e a ]
}

@test 'what is done with stages is in the audit log' {
        staging
        native --stage 'echo 1 >a'
        digest=$(bailey diff --json | jq -r .digest)
        bailey apply
        bailey undo
        native --stage 'echo 1 >a'
        bailey discard
        bailey discard --take-back
        log=$BATS_TEST_TMPDIR/state/bailey/audit.jsonl
        jq -r 'select(.command // "" | test("^(apply|undo|discard|take back) ")).command' "$log" >../said
        [ "$(wc -l <../said)" = 4 ]
        grep -qE "^apply stage default: 0 changed, 1 new, 0 deleted, digest $digest, undo [0-9a-f]{8}$" ../said
        grep -qE '^undo [0-9a-f]{8}$' ../said
        grep -qx 'discard stage default' ../said
        grep -qx 'take back stage default' ../said
        bailey audit verify
}
