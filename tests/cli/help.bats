#!/usr/bin/env bats
# What --help says, and how a command line is read: subcommands, and which options and operands are for which.

setup() {
        BAILEY=${BAILEY:-$BATS_TEST_DIRNAME/../../build/bailey}
        cd "$BATS_TEST_TMPDIR" || return
        export HOME=$PWD XDG_CONFIG_HOME=$PWD/config XDG_STATE_HOME=$PWD/state
}

@test "a subcommand's help is the same wherever it is asked for" {
        [ "$("$BAILEY" help audit show)" = "$("$BAILEY" audit show --help)" ]
        [ "$("$BAILEY" audit --help show)" = "$("$BAILEY" audit show -h)" ]
        [[ $("$BAILEY" audit show --help) == 'usage: bailey audit show [OPTION...] ID'* ]]
}

@test "a command's help lists its subcommands, its exit statuses and examples" {
        run "$BAILEY" audit --help
        [ "$status" = 0 ]
        [[ $output == 'usage: bailey audit [SUBCOMMAND] [OPTION...]'* ]]
        [[ $output == *'
subcommands:
'* ]]
        [[ $output == *'  show ID   show all'* ]]
        [[ $output == *'(default)'* ]]
        [[ $output == *'--csv  '*'export: print CSV'* ]]
        [[ $output == *'
exit status:
  0   done'* ]]
        [[ $output == *'
examples:
  # '* ]]
}

@test "a subcommand's help has its own options only, and its own exit statuses" {
        run "$BAILEY" audit export --help
        [[ $output == *--csv* ]]
        [[ $output != *--follow* ]]
        run "$BAILEY" audit verify --help
        [[ $output == *'  0   the audit log is intact'* ]]
        [[ $output != *--csv* ]]
}

@test "an unknown subcommand names the nearest one" {
        run "$BAILEY" audit stat
        [ "$status" = 2 ]
        [ "$output" = "bailey: audit: unknown subcommand 'stat'; did you mean 'stats'?" ]
        run "$BAILEY" help audit zzzz
        [ "$status" = 2 ]
        run "$BAILEY" help run zzzz
        [ "$status" = 2 ]
        [ "$output" = "bailey: run: unknown subcommand 'zzzz'; see bailey run --help" ]
}

@test "an option of another subcommand is not overlooked" {
        run "$BAILEY" audit verify --csv
        [ "$status" = 2 ]
        [ "$output" = 'bailey: audit verify: option --csv is only valid for: export; see bailey audit verify --help' ]
        run "$BAILEY" audit --csv
        [ "$status" = 2 ]
}

@test "run says how a program gets its own options" {
        for words in 'ls -l' 'make -j4' 'git commit -am x'; do
                # shellcheck disable=SC2086 # words
                run "$BAILEY" run $words
                [ "$status" = 125 ]
                [[ $output == "bailey: run: unknown option -"?": quote the command, or put -- before a program and its arguments" ]]
        done
        run "$BAILEY" run --no-such-option true
        [ "$output" = 'bailey: run: unknown option --no-such-option; see bailey run --help' ]
        run "$BAILEY" run true --no-sdtin
        [ "$output" = 'bailey: run: unknown option --no-sdtin; did you mean --no-stdin?' ]
}

@test "test marks the place of a reason, also at the end" {
        run "$BAILEY" test 'if'
        [ "$status" = 2 ]
        [[ $output == *$'\n    if\n      ^\n'* ]]
        run "$BAILEY" test $'ls\nrm -rf / #'
        [[ $output == *$'\n    rm -rf / #\n           ^\n'* ]]
}

@test "operands are counted" {
        run "$BAILEY" audit show
        [ "$status" = 2 ]
        [ "$output" = 'bailey: audit show: expected ID; see bailey audit show --help' ]
        for words in 'audit show a b' 'audit tail x' 'trust a b' 'doctor x' 'rules x' 'env x' 'help a b c'; do
                # shellcheck disable=SC2086 # words
                run "$BAILEY" $words
                [ "$status" = 2 ]
                [[ $output == *'; see bailey '*' --help' ]]
        done
}

@test "test ends with 3 where 2 would mean blocked" {
        run "$BAILEY" test --no-such-option ls
        [ "$status" = 3 ]
}
