#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables come from the helper
# Commands inside of programs that have threads, signals, children and a locale of their own; with each of the sandboxes. What is
# tried is the library as it is shipped, and, where that makes a difference, also the one under sanitizers.

bats_require_minimum_version 1.5.0
load library_helper

setup() {
        install_library
        make_workspace
        export BAILEY=$program
        host=$BATS_FILE_TMPDIR/host guest=$BATS_FILE_TMPDIR/guest
        for name in host guest; do
                [ -x "$BATS_FILE_TMPDIR/$name" ] || build_program $name
        done
}

build_program() {
        # shellcheck disable=SC2046 # flags are words
        gcc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread -I"$root" -o "$BATS_FILE_TMPDIR/$1" \
                "$BATS_TEST_DIRNAME/$1.c" $(pkg-config --cflags --libs bailey)
}

# with_each COMMAND...: in each of the sandboxes
with_each() {
        for backend in native bwrap landlock; do
                echo "with $backend: $*"
                BAILEY_SANDBOX=$backend timeout 300 "$@"
        done
}

@test "threads: a program that waits for its children finds all of them, and no others" {
        with_each "$host" threads default
}

@test "threads: a handler that reaps whatever it is told of gets what is its own" {
        with_each "$host" threads reap
}

@test "threads: a program that ignores SIGCHLD" {
        with_each "$host" threads ignore
}

@test "threads: a program without children hears of none" {
        with_each "$host" threads alone
}

@test "threads: the same under sanitizers" {
        checked=$build/asan/tests/host
        [ -x "$checked" ] || skip "no build under sanitizers: tools/build asan"
        # each way and each sandbox once: all of them together are tried with what is shipped
        for pair in default.native reap.bwrap ignore.landlock alone.native; do
                echo "$pair"
                BAILEY_SANDBOX=${pair#*.} timeout 300 "$checked" threads "${pair%.*}"
        done
}

@test "a thread starts commands and ends; another one takes them over" {
        with_each "$host" handover
}

# The other process has copies of all files, and lives on.
@test "a program that has forked is killed: its commands end" {
        for backend in native bwrap landlock; do
                rm -f beat other
                BAILEY_SANDBOX=$backend "$host" fork >other &
                pid=$!
                tries=0
                until [ -s other ] && [ -s beat ]; do
                        [ $((tries++)) -lt 600 ]
                        sleep 0.1
                done
                kill -0 "$(cat other)"
                kill -9 $pid
                wait $pid || true
                tries=0
                until before=$(cat beat) && sleep 1 && [ "$(cat beat)" = "$before" ]; do
                        [ $((tries++)) -lt 120 ]
                done
                kill -9 "$(cat other)"
        done
}

@test "what is in the program's buffers is written once, and its exit handlers run once" {
        for backend in native bwrap landlock; do
                [ "$(BAILEY_SANDBOX=$backend "$guest" buffers)" = $'buffered\ngoodbye' ]
        done
}

@test "numbers are written the same in every locale" {
        localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" || [ -d "$BATS_TEST_TMPDIR/de_DE.UTF-8" ]
        export LOCPATH=$BATS_TEST_TMPDIR
        "$guest" locale C >plain 2>number
        [ "$(cat number)" = 0.5 ]
        "$guest" locale de_DE.UTF-8 >german 2>number
        [ "$(cat number)" = 0,5 ]
        diff plain german
        [ -s german ]
}

# What bailey.h says is enough; a thread of musl's has less, one of glibc's 8 MiB.
@test "a thread with 1 MiB of stack is enough for whatever is nested however deep" {
        "$guest" stack $((1 << 20))
}

@test "a program can be what the wrapper starts inside, too" {
        # shellcheck disable=SC2046 # flags are words
        gcc -static -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread -I"$root" -o inside "$BATS_TEST_DIRNAME/guest.c" \
                $(pkg-config --static --cflags --libs bailey)
        run env BAILEY_SANDBOX=bwrap "$PWD/inside" inside
        echo "$output"
        [ "$status" = 0 ]
        [ "$output" = bwrap ]
}
