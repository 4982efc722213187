#!/usr/bin/env bats
# Colours: on a terminal only, never where NO_COLOR says so, and only on the words that matter.

setup() {
        BAILEY=${BAILEY:-$BATS_TEST_DIRNAME/../../build/bailey}
        cd "$BATS_TEST_TMPDIR" || return
        export HOME=$PWD XDG_CONFIG_HOME=$PWD/config XDG_STATE_HOME=$PWD/state TERM=xterm
        unset NO_COLOR
        green=$'\e[32m' yellow=$'\e[33m' red=$'\e[31m' plain=$'\e[0m'
}

# at_terminal WORD...: what the program prints there
at_terminal() {
        script -qec "$(printf '%q ' "$BAILEY" "$@")" /dev/null </dev/null | tr -d '\r'
}

@test "the verdict is coloured on a terminal, and nothing else is" {
        [ "$(at_terminal test ls)" = "${green}allowed$plain"$'\n'"$("$BAILEY" test ls | tail -n +2)" ]
        [[ $(at_terminal test 'chmod 777 x') == "${yellow}warned$plain"$'\n'* ]]
        [[ $(at_terminal test 'rm -rf /') == "${red}blocked$plain"$'\n'* ]]
        [ "$(at_terminal test 'rm -rf /' | grep -c $'\e')" = 1 ]
}

@test "no colours elsewhere" {
        [ "$("$BAILEY" test ls | head -n 1)" = allowed ]
        [ "$(NO_COLOR=1 at_terminal test ls | head -n 1)" = allowed ]
        [ "$(TERM=dumb at_terminal test ls | head -n 1)" = allowed ]
        [ "$(at_terminal test --color never ls | head -n 1)" = allowed ]
        [ "$(at_terminal test --json --color always ls | grep -c $'\e')" = 0 ]
        [ "$(at_terminal rules | grep -c $'\e')" = 0 ]
        [ "$(at_terminal test --help | grep -c $'\e')" = 0 ]
}

@test "an empty NO_COLOR says nothing; --color always says more than any" {
        [ "$(NO_COLOR='' at_terminal test ls | head -n 1)" = "${green}allowed$plain" ]
        [ "$(NO_COLOR=1 "$BAILEY" test --color=always ls | head -n 1)" = "${green}allowed$plain" ]
        [ "$("$BAILEY" test --color auto ls | head -n 1)" = allowed ]
}

@test "doctor colours how each sandbox does" {
        "$BAILEY" doctor >without || [ $? = 1 ]
        "$BAILEY" doctor --color always >with || [ $? = 1 ]
        sed -E "s/^(\w\S* +)(enforces the policy)$/\1$green\2$plain/; s/^(\w\S* +)(works, but not for this policy)$/\1$yellow\2$plain/
                s/^(\w\S* +)(does not work|no sandbox)$/\1$red\2$plain/; s/^(no sandbox enforces the policy): /$red\1$plain: /" without |
                diff - with
        [ "$(grep -c $'\e' with)" -ge 2 ]
}

@test "a choice takes its own words only" {
        run "$BAILEY" test --color sometimes ls
        [ "$status" = 3 ]
        [ "$output" = 'bailey: test: option --color: expected auto|always|never, found "sometimes"; see bailey test --help' ]
        run "$BAILEY" audit --action=
        [ "$status" = 2 ]
        [ "$output" = 'bailey: audit: option --action: expected allowed|warned|blocked, found ""; see bailey audit --help' ]
}

@test "errors go to stderr and begin with the program's name" {
        for words in 'test --no-such' 'audit show' 'config check no-such.toml' 'nothing' '--nothing' 'trust no-such' \
                'run' 'parse' 'completion tcsh' 'doctor --policy no-such' 'help no-such'; do
                # shellcheck disable=SC2086 # words
                run bash -c '"$0" "$@" 2>/dev/null' "$BAILEY" $words
                [ "$status" != 0 ]
                [ -z "$output" ]
                # shellcheck disable=SC2086
                run "$BAILEY" $words
                [[ $output == 'bailey: '* ]]
        done
}

@test "what test says of a command holds nothing that a terminal would do" {
        local text=$'rm -rf / \x1b]0;owned\a "a\xe2\x80\xaeb" >\x1b[31mfile'
        run "$BAILEY" test "$text"
        [ "$status" != 0 ]
        [[ $output == *'\x1b]0'* && $output == *'owned\x07'* && $output == *'a\u202eb'* ]]
        [[ $output != *$'\x1b'* && $output != *$'\a'* && $output != *$'\xe2\x80\xae'* ]]
}
