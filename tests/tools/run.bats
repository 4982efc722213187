#!/usr/bin/env bats
# The test runner itself: what must make it fail, does.
# shellcheck disable=SC2016,SC2030,SC2031 # suites are given as text, and every test runs in a shell of its own

setup() {
        root=$BATS_TEST_DIRNAME/../..
        cd "$BATS_TEST_TMPDIR" || exit 1
        unset BAILEY_MUST_WORK BAILEY_TEST_AGAIN TEST_ONLY
}

# suite NAME: makes a suite of what comes on stdin, and prints its path
suite() {
        { echo '#!/bin/sh' && cat; } >"$1.sh"
        chmod +x "$1.sh"
        echo "$PWD/$1.sh"
}

last_line() {
        printf '%s\n' "${lines[-1]}"
}

@test "all pass" {
        a=$(suite a <<<'printf "1..2\nok 1 - x\nok 2 - y\n"')
        b=$(suite b <<<'printf "ok 1\n1..1\n"')
        run "$root/tests/run" "$a" "$b"
        [ "$status" = 0 ]
        [ "$(last_line)" = "3 passed, 0 failed, 0 skipped" ]
}

@test "a failing case fails the run and is shown with what it says" {
        a=$(suite a <<<'printf "1..3\n# fine\nok 1 - x\nnot ok 2 - it broke\n# because\nok 3\n"; echo words >&2; exit 1')
        run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [ "$(last_line)" = "2 passed, 1 failed, 0 skipped" ]
        [[ $output == *"not ok 2 - it broke"*"because"*words* ]]
        [[ $output != *fine* ]]
}

@test "one failing suite among others" {
        a=$(suite a <<<'printf "1..1\nok 1\n"')
        b=$(suite b <<<'printf "1..1\nnot ok 1\n"')
        run "$root/tests/run" "$b" "$a"
        [ "$status" != 0 ]
        [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "a crash after all has passed is a failure" {
        a=$(suite a <<<'printf "1..1\nok 1\n"; exit 3')
        run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [[ $output == *"exit status 3"* ]]
        [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "a crash half-way is a failure and shows the last words" {
        a=$(suite a <<<'printf "1..2\nok 1\n# at the second\n"; kill -SEGV $$')
        run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [[ $output == *"at the second"*"2 tests planned, 1 ran, exit status 139"* ]]
        [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "fewer or more tests than planned is a failure" {
        a=$(suite a <<<'printf "1..2\nok 1\n"')
        b=$(suite b <<<'printf "1..1\nok 1\nok 2\n"')
        run "$root/tests/run" "$a" "$b"
        [ "$status" != 0 ]
        [ "$(last_line)" = "3 passed, 2 failed, 0 skipped" ]
}

@test "no TAP is a failure" {
        a=$(suite a <<<'echo all is well')
        run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "no plan is a failure" {
        a=$(suite a <<<'echo ok 1')
        run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "a suite that is not there is a failure" {
        run "$root/tests/run" "$PWD/none.sh" tests/none/test_none.c
        [ "$status" != 0 ]
        [ "$(last_line)" = "0 passed, 2 failed, 0 skipped" ]
}

@test "a suite that hangs is a failure" {
        a=$(suite a <<<'echo 1..1; sleep 60; echo ok 1')
        BAILEY_TEST_TIMEOUT=0.2 run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [[ $output == *"timed out"* ]]
        [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "skips are counted and say why" {
        a=$(suite a <<<'printf "1..3\nok 1 - x # SKIP no docker\nok 2\nnot ok 3 # SKIP as_cmocka\n"')
        b=$(suite b <<<'echo "1..0 # SKIP no kernel"')
        run "$root/tests/run" "$a" "$b"
        [ "$status" = 0 ]
        [ "$(last_line)" = "1 passed, 0 failed, 3 skipped" ]
        [[ $output == *"no docker"*as_cmocka*"no kernel"* ]]
}

@test "BAILEY_MUST_WORK makes skips failures" {
        a=$(suite a <<<'printf "1..2\nok 1 - x # SKIP no docker\nok 2\n"')
        BAILEY_MUST_WORK=1 run "$root/tests/run" "$a"
        [ "$status" != 0 ]
        [[ $output == *"no docker"* ]]
        [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "bats suites are run, and fail" {
        printf '@test "good" { true; }\n@test "bad" { false; }\n@test "none" { skip "no reason"; }\n' >x.bats
        run "$root/tests/run" "$PWD/x.bats"
        [ "$status" != 0 ]
        [[ $output == *"not ok 2 bad"*"no reason"* ]]
        [ "$(last_line)" = "1 passed, 1 failed, 1 skipped" ]
}

# What fails the first time only.
flaky() {
        suite a <<<"echo 1..1; [ -e $PWD/seen ] && echo ok 1 && exit; touch $PWD/seen; echo not ok 1 - at first; exit 1"
}

@test "what fails stays failed unless it may be run again" {
        run "$root/tests/run" "$(flaky)"
        [ "$status" != 0 ]
        [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "what passes when it is run again is named, with what failed at first" {
        a=$(flaky)
        BAILEY_TEST_AGAIN=1 run "$root/tests/run" "$a"
        [ "$status" = 0 ]
        [[ $output == *"not ok 1 - at first"*"flaky: $a "* ]]
        [ "$(last_line)" = "1 passed, 0 failed, 0 skipped" ]
}

@test "what fails again has failed, and no more are run again than may be" {
        a=$(suite b <<<'printf "1..1\nnot ok 1\n"')
        BAILEY_TEST_AGAIN=1 run "$root/tests/run" "$a" "$(flaky)"
        [ "$status" != 0 ]
        [[ $output != *flaky:* ]]
        [ "$(last_line)" = "0 passed, 2 failed, 0 skipped" ]
}

# ---- cases by name ----

# chosen: a suite of three cases that knows TEST_ONLY
chosen() {
        suite "$1" <<'END'
n=0
if [ -n "$TEST_ONLY" ]; then echo "# only $TEST_ONLY"; fi
for name in red green blue; do
        if echo "$name" | grep -qE "$TEST_ONLY"; then n=$((n + 1)) && echo "ok $n - $name"; fi
done
echo "1..$n"
END
}

# picks COUNT SUITE REGEX: of a suite of the repository only so many cases match, and more there are
picks() {
        run "$root/tests/run" "$2" -k "$3"
        echo "$output"
        [ "$status" = 0 ]
        [ "$(last_line)" = "$1 passed, 0 failed, 0 skipped" ]
        [[ $output != *"cannot choose"* ]]
}

@test "-k runs the cases whose names match" {
        a=$(chosen a)
        run "$root/tests/run" "$a"
        [ "$(last_line)" = "3 passed, 0 failed, 0 skipped" ]
        run "$root/tests/run" -k '^(red|blue)$' "$a"
        [ "$status" = 0 ]
        [ "$(last_line)" = "2 passed, 0 failed, 0 skipped" ]
        [[ $output != *"cannot choose"* ]]
}

@test "-k with cmocka" {
        picks 1 tests/guard/test_rules.c '^globs_know_components$'
        picks 2 tests/guard/test_rules.c 'globs_know|ids_are_unique'
}

@test "-k with bats" {
        picks 2 tests/tools/darwin.bats 'headers|nothing'
        picks 1 tests/tools/darwin.bats '^headers'
}

@test "-k with what a fuzzer found, by the name of the file" {
        file=$(find "$root/fuzz/corpus/parse" -type f -printf '%f\n' | sort | head -n 1)
        picks 1 fuzz/fuzz_parse.c "^$file\$"
}

@test "-k with suites in Python" {
        picks 1 tests/hook/golden.sh '^claude/allow.test$'
        picks 1 tests/bash/expand_oracle.sh '^line 2: '
        picks 1 tests/guard/guard.sh '^readonly.test: unlisted program$'
}

@test "a suite that cannot choose is run whole, and named" {
        a=$(suite a <<<'printf "1..2\nok 1 - red\nok 2 - blue\n"')
        run "$root/tests/run" "$a" -k red
        [ "$status" = 0 ]
        [[ $output == *"$a: cannot choose cases, all were run"* ]]
        [ "$(last_line)" = "2 passed, 0 failed, 0 skipped" ]
}

@test "a suite without such a case is not mentioned, unless none has one" {
        a=$(chosen a)
        printf '@test "yellow" { true; }\n' >x.bats
        run "$root/tests/run" -k '^yellow$' "$a" "$PWD/x.bats"
        [ "$status" = 0 ]
        [[ $output != *"$a"* ]]
        [ "$(last_line)" = "1 passed, 0 failed, 0 skipped" ]
        BAILEY_MUST_WORK=1 run "$root/tests/run" -k '^yellow$' "$a" "$PWD/x.bats"
        [ "$status" = 0 ]
        run "$root/tests/run" -k '^pink$' "$a" "$PWD/x.bats" tests/guard/test_rules.c fuzz/fuzz_parse.c
        [ "$status" != 0 ]
        [[ $output == *"no case has a name that matches '^pink$'"* ]]
        [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "a suite that is skipped for a reason stays skipped, and one that crashes fails" {
        a=$(suite a <<<'echo "1..0 # SKIP no kernel"')
        run "$root/tests/run" -k red "$a"
        [ "$(last_line)" = "0 passed, 0 failed, 1 skipped" ]
        a=$(suite a <<<'echo "# only $TEST_ONLY"; echo 1..0; exit 1')
        run "$root/tests/run" -k red "$a"
        [ "$status" != 0 ]
        [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
}

@test "asked in the wrong way" {
        for words in -k '-k ( tests/none.sh' --none; do
                # shellcheck disable=SC2086 # words
                run "$root/tests/run" $words
                [ "$status" = 2 ]
        done
        run "$root/tests/run" --help
        [ "$status" = 0 ]
        [[ $output == "tests/run "*-k\ REGEX*--times* ]]
}

# ---- how long it took ----

@test "--times lists all suites, and names those that took longest, ten at most" {
        for n in {1..12}; do suites+=("$(suite "s$n" <<<"printf '1..1\nok 1\n'; touch $PWD/done$n")"); done
        # it begins before all others and ends a second after them, however busy the machine is
        slow=$(suite slow <<<"until [ \$(ls $PWD | grep -c done) = 12 ]; do sleep 0.1; done; sleep 1.1; printf '1..1\nok 1\n'")
        BAILEY_TEST_JOBS=3 run "$root/tests/run" --times "$slow" "${suites[@]}"
        [ "$status" = 0 ]
        [ "$(grep -c '^slowest: ' <<<"$output")" = 10 ]
        [[ $(grep -m 1 '^slowest: ' <<<"$output") == "slowest: "[1-9]*" s, processor "[0-9]*" s, $slow" ]]
        [ "$(last_line)" = "13 passed, 0 failed, 0 skipped" ]
        [[ $output == *$'\nprocessor: '[0-9]*' s in 13 suites'* ]]
        grep '^processor [0-9.]* s, [0-9]* s, .' <<<"$output" >each
        [ "$(sed 's/.*, //' each | sort)" = "$(printf '%s\n' "$slow" "${suites[@]}" | sort)" ]
        cut -d ' ' -f 2 each | LC_ALL=C sort -cgr
        run "$root/tests/run" "${suites[0]}"
        [[ $output != *slowest:* ]]
}

@test "the processor time of a suite is that of all it started, and not what it waited" {
        busy=$(suite busy <<<'timeout 20 sh -c "n=0; while [ \$n -lt 300000 ]; do n=\$((n + 1)); done"; printf "1..1\nok 1\n"')
        idle=$(suite idle <<<'sleep 1.5; printf "1..1\nok 1\n"')
        run "$root/tests/run" "$busy" "$idle"
        [ "$status" = 0 ]
        [[ $output =~ busy.sh:[^$'\n']*processor\ ([0-9.]+)\ s ]]
        spent=${BASH_REMATCH[1]}
        [[ $output =~ idle.sh:[^$'\n']*processor\ ([0-9.]+)\ s ]]
        awk -v busy="$spent" -v idle="${BASH_REMATCH[1]}" 'BEGIN { exit !(busy > idle) }'
}

# ---- directories ----

@test "a directory stands for all suites under it" {
        "$root/tests/run" --list >all
        for directory in tests/tools tests/cli/ fuzz ./tests/bash "$root/tests/guard"; do
                name=${directory%/} name=${name#./} name=${name#"$root/"}
                run "$root/tests/run" --list "$directory"
                [ "$status" = 0 ]
                [ -n "$output" ]
                diff <(grep "^$name/" all) <(echo "$output")
        done
        diff <(grep ^tests/ all) <("$root/tests/run" --list tests)
        diff all <("$root/tests/run" --list .)
        [ "$("$root/tests/run" --list tests/audit tests/cli/help.bats | tail -n 2)" = $'tests/audit/test_writers.c\ntests/cli/help.bats' ]
        [ -z "$("$root/tests/run" --list --quick tests/host)" ]
}

@test "a directory without suites" {
        for directory in docs tests/bash/cases "$PWD"; do
                run "$root/tests/run" "$directory"
                [ "$status" = 2 ]
                [ "$output" = "tests/run: no suites under '$directory'" ]
        done
}

# ---- those that are quick ----

@test "--quick leaves out what tests/slow lists, and nothing else" {
        "$root/tests/run" --list | sort >all
        "$root/tests/run" --list --quick | sort >quick
        [ -z "$(comm -13 all quick)" ]
        comm -23 all quick >slow
        while read -r pattern why; do
                if [[ -z $pattern || $pattern == \#* ]]; then continue; fi
                [ -n "$why" ]
                # shellcheck disable=SC2053 # a pattern
                while read -r suite; do [[ $suite == $pattern ]] && echo "$suite"; done <all >found
                [ -s found ] || { echo "tests/slow lists $pattern, and there is no such suite"; false; }
                sort found >>expected
        done <"$root/tests/slow"
        diff <(sort -u expected) slow
        grep -q '^tests/guard/test_rules.c$' quick
        grep -q '^tests/guard/guard.sh$' quick
        grep -q '^tests/escape/native.sh$' slow
}

@test "those that tests/slow lists start first, in its order, and none is there twice" {
        "$root/tests/run" --list >all
        [ -z "$(sort all | uniq -d)" ]
        "$root/tests/run" --list --quick >quick
        tail -n "$(wc -l <quick)" all | diff - quick
        grep -v '^#' "$root/tests/slow" | while read -r pattern _; do
                # shellcheck disable=SC2053 # a pattern
                while read -r suite; do if [[ $suite == $pattern ]]; then echo "$suite"; fi; done <all
        done | diff - <(head -n -"$(wc -l <quick)" all)
        while read -r suite; do [[ $suite != *.sh || -x $root/$suite ]]; done <all
}

@test "--quick is for suites that are given, too" {
        run "$root/tests/run" --list --quick tests/cli/help.bats tests/escape/native.sh
        [ "$output" = tests/cli/help.bats ]
}
