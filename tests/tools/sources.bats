#!/usr/bin/env bats
# tools/list-sources: what the build is made of, in subfolders too.

setup() {
        cd "$BATS_TEST_TMPDIR" || exit 1
        mkdir tools
        cp "$BATS_TEST_DIRNAME/../../tools/list-sources" tools/
        for file in engine/run.c engine/pipeline/begin.c engine/pipeline/deep/a.c engine/a.h cli/main.c cli/glibc/services.c tests/engine/test_a.c \
                tests/library/hosts/a.c build/installed.c build/asan/page.c .git/a.c; do
                mkdir -p "${file%/*}"
                touch "$file"
        done
}

@test "a folder's sources are those of its subfolders too" {
        [ "$(tools/list-sources --of engine | tr '\n' ' ')" = "engine/pipeline/begin.c engine/pipeline/deep/a.c engine/run.c " ]
}

@test "what is built in a way of its own is no part of its folder" {
        [ "$(tools/list-sources --of cli)" = cli/main.c ]
}

@test "a glob names only what it matches" {
        [ "$(tools/list-sources 'engine/*.c' 'engine/none*.c')" = engine/run.c ]
}

@test "all sources, and nothing that was built" {
        [ "$(tools/list-sources --all | tr '\n' ' ')" = "cli/glibc/services.c cli/main.c engine/pipeline/begin.c engine/pipeline/deep/a.c engine/run.c tests/engine/test_a.c tests/library/hosts/a.c " ]
}
