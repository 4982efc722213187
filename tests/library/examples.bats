#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # dollars are for the commands; variables come from the helper
# The examples, compiled by several compilers with nothing but what pkg-config says, and run; and the header alone.

bats_require_minimum_version 1.5.0
load library_helper

setup() {
        install_library
        make_workspace
        examples=$root/examples hosts=$BATS_TEST_DIRNAME/hosts
}

@test "the examples compile without a warning, by gcc and clang, as C99 and C17" {
        for compiler in gcc clang; do
                for standard in c99 c17 gnu17; do
                        for example in "$examples"/*.c; do
                                compile $compiler $standard "$example" "$BATS_TEST_TMPDIR/example"
                        done
                done
        done
        [ "$(find "$examples" -name '*.c' | wc -l)" -ge 2 ]
}

@test "the examples are C++, too, and do the same then" {
        for compiler in g++ clang++; do
                for example in "$examples"/*.c; do
                        # shellcheck disable=SC2046 # flags are words
                        $compiler -x c++ -std=c++20 -pedantic -Wall -Werror -o "$BATS_TEST_TMPDIR/${example##*/}.$compiler" "$example" \
                                -x none $(pkg-config --cflags --libs bailey)
                done
        done
        for compiler in g++ clang++; do
                run "$BATS_TEST_TMPDIR/run.c.$compiler" 'echo "in $PWD"; exit 3'
                echo "$output"
                [ "$status" = 3 ]
                [ "${lines[0]}" = "in $workspace" ]
        done
}

@test "the header is one for C++, too" {
        for standard in c++11 c++17 c++20; do
                compile g++ $standard "$hosts/checks.cc" "$BATS_TEST_TMPDIR/host"
                "$BATS_TEST_TMPDIR/host"
        done
}

@test "the header needs nothing before it" {
        echo '#include <bailey.h>' >"$BATS_TEST_TMPDIR/alone.c"
        # shellcheck disable=SC2046 # flags are words
        gcc -std=c99 -pedantic -Wall -Wextra -Wundef -Wstrict-prototypes -Werror -c -o "$BATS_TEST_TMPDIR/alone.o" \
                $(pkg-config --cflags bailey) "$BATS_TEST_TMPDIR/alone.c"
}

@test "run: the output, the verdict, the exit code" {
        [ "$(wc -l <"$examples/run.c")" -le 40 ]
        compile gcc c99 "$examples/run.c" "$BATS_TEST_TMPDIR/run"
        run "$BATS_TEST_TMPDIR/run" 'echo "in $PWD"; exit 3'
        echo "$output"
        [ "$status" = 3 ]
        [ "${lines[0]}" = "in $workspace" ]
        [[ ${lines[1]} =~ ^'exit code 3, sandbox: '(native|bwrap|landlock)$ ]]
        run "$BATS_TEST_TMPDIR/run" 'rm -rf /'
        [ "$status" = 126 ]
        [[ ${lines[0]} = recursive-delete-root:* ]]
        run -127 "$BATS_TEST_TMPDIR/run" 'no-such-program'
        run "$BATS_TEST_TMPDIR/run"
        [ "$status" = 2 ]
}

@test "check: the verdict and its reasons, and nothing runs" {
        compile gcc c99 "$examples/check.c" "$BATS_TEST_TMPDIR/check"
        run "$BATS_TEST_TMPDIR/check" 'touch made'
        [ "$status:$output" = 0:allowed ]
        [ ! -e made ]
        run "$BATS_TEST_TMPDIR/check" 'a=rm; $a -rf /'
        [ "$status" = 2 ]
        [ "${lines[0]}" = blocked ]
        [[ ${lines[1]} = recursive-delete-root:* ]]
        run "$BATS_TEST_TMPDIR/check"
        [ "$status" = 3 ]
}

# until_said LINE...: in $BATS_TEST_TMPDIR/out
until_said() {
        local line tries
        for line; do
                tries=0
                until grep -qxF "$line" "$BATS_TEST_TMPDIR/out"; do
                        if [ $((tries++)) = 600 ]; then
                                echo "it does not say: $line"
                                cat "$BATS_TEST_TMPDIR/out"
                                return 1
                        fi
                        sleep 0.1
                done
        done
}

@test "event_loop: several at once, as it comes, and a kill" {
        compile gcc c99 "$examples/event_loop.c" "$BATS_TEST_TMPDIR/event_loop"
        mkfifo "$BATS_TEST_TMPDIR/keys"
        "$BATS_TEST_TMPDIR/event_loop" 'echo one; sleep 300' 'echo two; echo oops >&2; exit 4' \
                'until [ -e go ]; do sleep 0.05; done; echo three' <"$BATS_TEST_TMPDIR/keys" >"$BATS_TEST_TMPDIR/out" &
        loop=$!
        exec 5>"$BATS_TEST_TMPDIR/keys"
        until_said '[1] one' '[2] error: oops' '[2] ended, 4'
        run ! grep -q three "$BATS_TEST_TMPDIR/out"
        : >go
        until_said '[3] ended, 0'
        kill -0 $loop
        echo >&5
        wait $loop
        exec 5>&-
        cat "$BATS_TEST_TMPDIR/out"
        grep -qxF '[3] three' "$BATS_TEST_TMPDIR/out"
        [ "$(tail -n 1 "$BATS_TEST_TMPDIR/out")" = '[1] was killed, 143: cancelled' ]
}

@test "the static library does alone" {
        # shellcheck disable=SC2046 # flags are words
        gcc -static -std=c99 -Wall -Wextra -Werror -o run "$examples/run.c" $(pkg-config --static --cflags --libs bailey)
        [ "$(readelf -d run 2>/dev/null | grep -c NEEDED)" = 0 ]
        run env -u LD_LIBRARY_PATH ./run 'echo static; exit 5'
        echo "$output"
        [ "$status" = 5 ]
        [ "${lines[0]}" = static ]
}

@test "commands can replace neither a program in the workspace nor the library that it has loaded from there" {
        mkdir lib
        cp "$library"/libbailey.so.*.*.* lib/libbailey.so.0
        compile gcc c99 "$examples/run.c" run
        cp run run.before
        cp lib/libbailey.so.0 library.before
        LD_LIBRARY_PATH=$workspace/lib run ./run 'rm -f run; echo x >run; rm -f lib/libbailey.so.0; echo x >lib/libbailey.so.0; mv lib old; exit 7'
        echo "$output"
        [ "$status" = 7 ]
        cmp run run.before
        cmp lib/libbailey.so.0 library.before
        [[ $output == *"$workspace/lib/libbailey.so.0 is the bailey program"* ]]
        mv lib/libbailey.so.0 lib/real
        ln -s real lib/libbailey.so.0
        LD_LIBRARY_PATH=$workspace/lib run ./run 'echo began'
        [ "$status" = 125 ]
        [[ $output == *"commands can change the symbolic link $workspace/lib/libbailey.so.0"* && $output != *began* ]]
}

@test "its own names do not clash with those of a program" {
        # shellcheck disable=SC2046 # flags are words
        gcc -static -Wall -Wextra -Werror -o clash "$hosts/clash.c" $(pkg-config --static --cflags --libs bailey)
        run ./clash
        [ "$status" = 6 ]
}

@test "it can become a part of another library" {
        # shellcheck disable=SC2046
        gcc -shared -fPIC -o libother.so "$hosts/other.c" $(pkg-config --cflags bailey) "$library/libbailey.a" -lpcre2-8 -lcares -lm
}

# Memcheck 3.19 does not know the system calls that make walls, so the commands have none here.
@test "the examples are clean under valgrind" {
        export BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1
        for example in run event_loop check; do
                compile gcc c99 "$examples/$example.c" "$BATS_TEST_TMPDIR/$example"
        done
        check=(valgrind -q --leak-check=full --show-leak-kinds=all --track-fds=yes --error-exitcode=99
                --child-silent-after-fork=yes --log-file="$BATS_TEST_TMPDIR/valgrind.%p")
        run "${check[@]}" "$BATS_TEST_TMPDIR/run" 'echo out; echo err >&2; exit 3'
        echo "$output"
        [ "$status" = 3 ]
        run "${check[@]}" "$BATS_TEST_TMPDIR/run" 'rm -rf /'
        [ "$status" = 126 ]
        run "${check[@]}" "$BATS_TEST_TMPDIR/check" 'rm -rf /'
        [ "$status" = 2 ]
        run "${check[@]}" "$BATS_TEST_TMPDIR/event_loop" 'echo one; exit 1' 'seq 100000' 'rm -rf /' </dev/null
        [ "$status" = 0 ]
        [[ $output == *'[1] ended, 1'* ]]
        # An error, a leak or a file that was not closed comes with where it happened; files of bats itself do not.
        run grep -hE '^==.*( at | by )0x|lost:|reachable:' "$BATS_TEST_TMPDIR"/valgrind.*
        echo "$output"
        [ "$status" = 1 ]
}
