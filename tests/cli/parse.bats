#!/usr/bin/env bats
# The program and its `parse` command, from outside.
# shellcheck disable=SC2016 # the dollars are for bailey

setup() {
        bailey=${BAILEY:-$BATS_TEST_DIRNAME/../../build/bailey}
        [ -x "$bailey" ] || skip "no program at $bailey"
        cd "$BATS_TEST_TMPDIR" || exit 1
}

# quiet COMMAND...: only what it says on stdout
quiet() {
        "$@" 2>/dev/null
}

# batch LINE...: the answers to these lines
batch() {
        printf '%s\n' "$@" | "$bailey" parse --batch
}

# ---- the program ----

@test "--version says the version, and nothing else" {
        run "$bailey" --version
        [ "$status" = 0 ]
        [[ $output =~ ^bailey\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "help is the same wherever it is asked for" {
        [ "$("$bailey" help parse)" = "$("$bailey" parse --help)" ]
        [ "$("$bailey" help)" = "$("$bailey" --help)" ]
        [ "$("$bailey" -h)" = "$("$bailey" --help)" ]
}

@test "help names every option of the table" {
        run "$bailey" parse --help
        [ "$status" = 0 ]
        for option in --json --print --batch '--file FILE' --help; do
                [[ $output == *"$option "* ]]
        done
}

@test "without a command: help on stderr, exit 2" {
        run quiet "$bailey"
        [ "$status" = 2 ]
        [ -z "$output" ]
        run "$bailey"
        [[ $output == usage:* ]]
}

@test "an unknown command with no near name suggests nothing" {
        for name in foo x list tree; do
                run "$bailey" "$name"
                [ "$status" = 2 ]
                [ "$output" = "bailey: unknown command '$name'; see bailey --help" ]
        done
        run "$bailey" parse --foo x
        [ "$output" = 'bailey: parse: unknown option --foo; see bailey parse --help' ]
}

@test "an unknown command or option names the nearest one" {
        run "$bailey" prase x
        [ "$status" = 2 ]
        [ "$output" = "bailey: unknown command 'prase'; did you mean 'parse'?" ]
        run "$bailey" parse --jsno x
        [ "$status" = 2 ]
        [[ $output == 'bailey: parse: unknown option --jsno; did you mean --json?' ]]
        run "$bailey" parse -x
        [ "$status" = 2 ]
        [[ $output == 'bailey: parse: unknown option -x; see bailey parse --help' ]]
}

@test "options: a value is needed, unwanted, joined or apart; -- ends them" {
        run "$bailey" parse --file
        [ "$status" = 2 ]
        [[ $output == *'--file requires an argument: FILE'* ]]
        run "$bailey" parse --json=x y
        [ "$status" = 2 ]
        [[ $output == *'--json takes no value'* ]]
        echo 'a  b' >file
        for arguments in '-pffile' '-p -f file' '--print --file=file' '--file file --print'; do
                # shellcheck disable=SC2086 # these are words
                [ "$("$bailey" parse $arguments)" = 'a b' ]
        done
        [ "$("$bailey" parse -p -- -a)" = -a ]
        [ "$("$bailey" parse a -p)" = a ]
}

@test "wrong uses of parse exit with 2 and say nothing on stdout" {
        for arguments in '' 'a b' '--json --print a' '--batch a' '--batch --json' '-f file a' '-f /nowhere/at/all'; do
                # shellcheck disable=SC2086 # these are words
                run quiet "$bailey" parse $arguments
                [ "$status" = 2 ]
                [ -z "$output" ]
        done
}

@test "an answer that cannot be written is an error" {
        [ -w /dev/full ] || skip 'no /dev/full'
        run sh -c '"$1" parse a >/dev/full' sh "$bailey"
        [ "$status" = 1 ]
        [[ $output == 'bailey: cannot write to standard output: '* ]]
        run sh -c 'echo "{\"command\": \"a\"}" | "$1" parse --batch >/dev/full' sh "$bailey"
        [ "$status" = 1 ]
}

# ---- one text ----

@test "the tree" {
        run "$bailey" parse 'ls -l | wc'
        [ "$status" = 0 ]
        [ "${lines[0]}" = 'simple, then |  0-5' ]
        [ "${lines[1]}" = '  word "ls"  0-2' ]
        [ "${#lines[@]}" = 5 ]
}

@test "text from an argument, a file and standard input" {
        echo 'a;b' >file
        [ "$("$bailey" parse -p 'a;b')" = 'a; b' ]
        [ "$("$bailey" parse -p -f file)" = 'a; b' ]
        [ "$("$bailey" parse -p - <file)" = 'a; b' ]
        [ "$("$bailey" parse -p -f - <file)" = 'a; b' ]
        [ -z "$("$bailey" parse -p '')" ]
}

@test "--json is JSON" {
        run "$bailey" parse --json 'a "$b"'
        [ "$status" = 0 ]
        [[ $output == '{"ok":true,"commands":[{"kind":"simple","range":[0,6],'*'}]}' ]]
}

@test "a syntax error: what was read, then the place, exit 1" {
        run quiet "$bailey" parse -p $'first\nsecond )'
        [ "$status" = 1 ]
        [ "$output" = first ]
        run "$bailey" parse -p $'first\nsecond )'
        [[ ${lines[1]} == 'bailey: 2:8: unexpected '* ]]
        [ "${lines[2]}" = '  second )' ]
        [ "${lines[3]}" = '         ^' ]
}

@test "the caret stands under the place after tabs and letters of several bytes, in a long line" {
        run "$bailey" parse -p $'\tä )'
        [ "${lines[1]}" = $'  \tä )' ]
        [ "${lines[2]}" = $'  \t  ^' ]
        run "$bailey" parse -p "$(printf 'x%.0s' {1..500}) ) $(printf 'y%.0s' {1..500})"
        [ "${#lines[1]}" -lt 110 ]
        [ "${lines[1]:$((${#lines[2]} - 1)):1}" = ')' ]
}

@test "a NUL byte is refused" {
        run sh -c 'printf "a\0b" | "$1" parse -' sh "$bailey"
        [ "$status" = 1 ]
        [[ $output == *bailey:\ 1:2:* ]]
}

# ---- a stream of texts ----

@test "batch: one answer a line, in order" {
        run batch '{"command": "a $(b c)"}' '{"command": ""}' '{"x": 1, "command": "d"}'
        [ "$status" = 0 ]
        [ "${lines[0]}" = '{"ok":true,"commands":[["a","$(b c)"],["b","c"]]}' ]
        [ "${lines[1]}" = '{"ok":true,"commands":[]}' ]
        [ "${lines[2]}" = '{"ok":true,"commands":[["d"]]}' ]
        [ "${#lines[@]}" = 3 ]
}

@test "batch: a syntax error is an answer like any other" {
        run batch '{"command": "a\nb ("}' '{"command": "c\u0000"}' '{"command": "d"}'
        [ "$status" = 0 ]
        [[ ${lines[0]} == '{"ok":false,"error":{"kind":"syntax","line":2,'*'"commands":[["a"]]}' ]]
        [[ ${lines[1]} == '{"ok":false,"error":'* ]]
        [ "${lines[2]}" = '{"ok":true,"commands":[["d"]]}' ]
}

@test "batch: a line that is no request gets an answer too" {
        run batch '{"command": "a"}' '{' '' '[]' '{}' '{"command": 1}' '{"command": "b"} x' $'{"command": "\xff"}' \
                '{"command": "c"}'
        [ "$status" = 0 ]
        [ "${#lines[@]}" = 9 ]
        for i in 1 2 3 4 5 6 7; do
                [[ ${lines[i]} == '{"ok":false,"error":{"kind":"input","message":"line '$((i + 1))': '*'},"commands":[]}' ]]
        done
        [ "${lines[8]}" = '{"ok":true,"commands":[["c"]]}' ]
}

@test "batch: no input, no answer; a last line without newline counts" {
        run "$bailey" parse --batch </dev/null
        [ "$status" = 0 ]
        [ -z "$output" ]
        run sh -c 'printf "{\"command\": \"a\"}" | "$1" parse --batch' sh "$bailey"
        [ "$output" = '{"ok":true,"commands":[["a"]]}' ]
}

@test "batch: a line of more than 16 MiB is refused and the next one answered" {
        run sh -c '{ head -c 16777217 /dev/zero | tr "\0" x; echo; echo "{\"command\": \"a\"}"; } |
                "$1" parse --batch' sh "$bailey"
        [ "$status" = 0 ]
        [[ ${lines[0]} == '{"ok":false,"error":{"kind":"input","message":"line 1: longer than 16 MiB"},"commands":[]}' ]]
        [ "${lines[1]}" = '{"ok":true,"commands":[["a"]]}' ]
}

@test "batch: an answer comes before the next question is asked" {
        coproc "$bailey" parse --batch
        for word in a b; do
                echo "{\"command\": \"$word\"}" >&"${COPROC[1]}"
                read -r -t 10 answer <&"${COPROC[0]}"
                [ "$answer" = "{\"ok\":true,\"commands\":[[\"$word\"]]}" ]
        done
}
