#!/usr/bin/env bats
# bailey hook that cannot answer: exit 2, which agents take for a no, with the reason, and nothing that looks like an answer.
# What agents ask wrongly is in golden/*/malformed.test and its kin.
# shellcheck disable=SC2016,SC2154 # dollars are for another shell; bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_PROJECT_DIR
        mkdir -p "$HOME/project"
        cd "$HOME/project" || exit 1
        question='{"cwd":"'$PWD'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}'
        printf %s "$question" >"$BATS_TEST_TMPDIR/question"
}

# fails WORDS SHELL-TEXT: what bailey is called with and how; nothing comes out of it but the reason
fails() {
        run -2 --separate-stderr timeout 120 bash -c "$2" "$BAILEY" <"$BATS_TEST_TMPDIR/question"
        echo "$stderr"
        [ -z "$output" ]
        [[ ${stderr_lines[-1]} == "bailey: hook: "*"$1"* ]]
}

@test "the test means something" {
        run -0 --separate-stderr bash -c '"$0" hook' "$BAILEY" <"$BATS_TEST_TMPDIR/question"
        [[ $output == *'"permissionDecision":"deny"'* ]]
}

@test "there is no question" {
        fails 'no hook request on standard input' '"$0" hook </dev/null'
        fails 'cannot read the request' '"$0" hook <&-'
        fails 'cannot read the request' '"$0" hook <.'
}

@test "the question ends too early, wherever" {
        for bytes in $(seq 1 9 $((${#question} - 1))); do
                head -c "$bytes" <<<"$question" >"$BATS_TEST_TMPDIR/part"
                fails 'invalid hook request: ' "\"\$0\" hook <'$BATS_TEST_TMPDIR/part'"
        done
}

@test "the question never ends" {
        fails 'more than 8388608 bytes' 'yes | "$0" hook'
}

@test "the question does not come, but somebody holds its place" {
        mkfifo "$BATS_TEST_TMPDIR/never"
        exec 8<>"$BATS_TEST_TMPDIR/never"
        fails 'no answer after 20 seconds' '"$0" hook <&8'
        exec 8>&-
}

@test "nobody can hear the answer" {
        if [ ! -c /dev/full ]; then skip "no /dev/full here"; fi
        fails 'cannot write the answer' '"$0" hook >/dev/full'
        fails 'cannot write the answer' '"$0" hook >&-'
}

@test "where it is asked about is not there" {
        sed -i 's,/project,/nowhere,' "$BATS_TEST_TMPDIR/question"
        fails 'the workspace ' '"$0" hook'
        mkdir "$HOME/nowhere"
        fails "$HOME/other" "\"\$0\" hook --workspace '$HOME/other'"
}

@test "the config cannot be understood" {
        mkdir -p "$HOME/.config/bailey"
        echo 'guard.mode = "no such mode"' >"$HOME/.config/bailey/config.toml"
        fails "config.toml:1:" '"$0" hook'
        fails "config.toml:1:" '"$0" hook --mode wrap'
}

@test "it is called with what it does not know" {
        fails '' '"$0" hook --nothing'
        fails '' '"$0" hook --agent nobody'
        fails '' '"$0" hook --mode open'
        fails '' '"$0" hook more'
        fails 'unknown policy' '"$0" hook --policy nothing'
}

# What cannot be recorded is judged all the same: the command itself is run by the agent, or by bailey run, which then refuses.
@test "without a record or a home, there is still an answer" {
        mkdir -p "$HOME/.local/state/bailey/audit.jsonl"
        for how in '"$0" hook' 'env -u HOME "$0" hook' 'HOME=/proc/nowhere "$0" hook' '"$0" hook 2>&-'; do
                run -0 --separate-stderr bash -c "$how" "$BAILEY" <"$BATS_TEST_TMPDIR/question"
                echo "$how: $output"
                [[ $output == *'"permissionDecision":"deny"'* ]]
        done
}
