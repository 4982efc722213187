#!/usr/bin/env bats
# tools/darwin without the headers of macOS: that is told, and where everything has to be there it is a failure.

setup() {
        cd "$BATS_TEST_TMPDIR" || exit 1
        mkdir tools bin
        cp "$BATS_TEST_DIRNAME/../../tools/darwin" tools/
        printf '#!/bin/sh\ntouch asked\nexit 1\n' >bin/npm # in build/darwin
        chmod 755 bin/npm
        export PATH=$PWD/bin:$PATH
        unset BAILEY_MUST_WORK
}

@test "headers that cannot be had" {
        run tools/darwin get
        [ "$status" = 0 ]
        [[ $output == *"cannot be had"* ]]
        [ -e build/darwin/asked ]
        [ ! -e build/darwin/include ]
        BAILEY_MUST_WORK=1 run tools/darwin get
        [ "$status" = 1 ]
        [[ $output == *"cannot be had"* ]]
}

@test "nothing to check with" {
        for command in tools/darwin 'tools/darwin check'; do
                run $command
                [ "$status" = 0 ]
                [[ $output == *"not compiled"* ]]
                BAILEY_MUST_WORK=1 run $command
                [ "$status" = 1 ]
                [[ $output == *"not compiled"* ]]
        done
}
