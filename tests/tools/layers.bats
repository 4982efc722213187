#!/usr/bin/env bats
# tools/check-layers against small trees, right and wrong.

setup() {
        check=$BATS_TEST_DIRNAME/../../tools/check-layers
        cd "$BATS_TEST_TMPDIR" || exit 1
}

# file PATH INCLUDE...: a file with these #include lines
file() {
        mkdir -p "${1%/*}"
        printf '#include %s\n' "${@:2}" >"$1"
}

refused() {
        run "$check" .
        [ "$status" = 1 ]
        [[ $output == *"$1"* ]]
}

@test "what lies below may be included" {
        file base/a.c '"base/a.h"' '<stdio.h>'
        file bash/syntax/a.c '"base/a.h"' '"bash/syntax/a.h"'
        file policy/a.c '"bash/syntax/a.h"' '"base/a.h"'
        file sandbox/a.c '"policy/a.h"' '"guard/a.h"'
        file run/a.c '"launch/a.h"' '"sandbox/a.h"'
        file engine/a.c '"bailey.h"' '"run/a.h"' '"audit/a.h"'
        file cli/main.c '"bailey.h"' '<bailey.h>' '"include/bailey.h"' '"base/log.h"' '"cli/a.h"'
        file include/bailey.h '<stddef.h>'
        file tests/a.c '"engine/a.h"' '"cli/a.h"'
        run "$check" .
        [ "$status" = 0 ]
        [ -z "$output" ]
}

@test "an empty tree is fine" {
        run "$check" .
        [ "$status" = 0 ]
}

@test "upward is refused, with the place" {
        file base/a.c '"base/a.h"' '"bash/syntax/a.h"'
        refused 'base/a.c:2: #include "bash/syntax/a.h": bash/syntax/ is above base/'
}

@test "a header may not look upward either" {
        file bash/syntax/a.h '  "policy/a.h"'
        refused 'policy/ is above bash/syntax/'
}

@test "sideways is refused" {
        file run/a.c '"audit/a.h"'
        refused 'audit/ is beside run/'
}

@test "a front end knows only bailey.h and base" {
        file cli/main.c '"engine/engine.h"'
        refused 'a front end knows only bailey.h and base/'
        file cli/main.c '"bash/syntax/parse.h"'
        refused 'a front end knows only bailey.h and base/'
        file mcp/server.c '"run/job.h"'
        refused 'a front end knows only bailey.h and base/'
}

@test "the program starts the other front ends, and they do not know it" {
        file cli/main.c '"mcp/server.h"'
        run "$check" .
        [ "$status" = 0 ]
        file mcp/server.c '"cli/command.h"'
        refused 'cli/ is above mcp/'
}

@test "formats are below the front ends, and know no more than they do" {
        file mcp/server.c '"format/json.h"'
        file format/verdict.c '"bailey.h"' '"base/buf.h"' '"format/json.h"'
        run "$check" .
        [ "$status" = 0 ]
        file format/verdict.c '"guard/guard.h"'
        refused 'a front end knows only bailey.h and base/'
        file format/verdict.c '"mcp/server.h"'
        refused 'mcp/ is above format/'
}

@test "lower layers do not know the public header" {
        file run/a.c '<bailey.h>'
        refused 'only the engine and the front ends'
        file run/a.c '"include/bailey.h"'
        refused 'only the engine and the front ends'
}

@test "the public header stands alone" {
        file include/bailey.h '"base/str.h"'
        refused 'stands alone'
}

@test "paths start at the root" {
        file bash/syntax/a.c '"ast.h"'
        refused 'from the root'
        file bash/syntax/a.c '"../engine/a.h"'
        refused 'from the root'
        file bash/syntax/a.c '"base/../engine/a.h"'
        refused 'from the root'
}

@test "a folder without a layer is refused" {
        file util/a.c '"base/a.h"'
        refused 'no layer is called util'
        rm -r util
        file base/a.c '"util/a.h"'
        refused 'no layer is called util'
}

@test "a subfolder, however deep, belongs to the layer of its top folder" {
        file base/sub/a.c '"engine/a.h"'
        refused 'base/sub/a.c:1: #include "engine/a.h": engine/ is above base/'
        rm -r base
        file engine/pipeline/deep/a.h '"cli/a.h"'
        refused 'engine/pipeline/deep/a.h:1: #include "cli/a.h": cli/ is above engine/pipeline/'
        rm -r engine
        file run/sub/a.c '"audit/sub/a.h"'
        refused 'audit/ is beside run/'
        file run/sub/a.c '"a.h"'
        refused 'from the root'
        file run/sub/a.c '<bailey.h>'
        refused 'only the engine and the front ends'
        rm -r run
        file util/sub/a.c '"base/a.h"'
        refused 'no layer is called util'
        rm -r util
        file engine/session/a.c '"bailey.h"' '"engine/pipeline/a.h"' '"engine/a.h"' '"sandbox/container/a.h"' '"base/sub/a.h"'
        file mcp/sub/a.c '"bailey.h"' '"base/sub/a.h"' '"mcp/a.h"'
        file tests/engine/hosts/a.c '"cli/a.h"'
        run "$check" .
        [ "$status" = 0 ]
        [ -z "$output" ]
}

@test "a subfolder may have a layer of its own" {
        file launch/warm/preload/preload.c '"launch/execute.h"' '"base/a.h"'
        run "$check" .
        [ "$status" = 0 ]
        file launch/warm/warm.c '"launch/warm/preload.h"' '"launch/warm/preload/preload.h"'
        refused 'launch/warm/warm.c:2: #include "launch/warm/preload/preload.h": launch/warm/preload/ is above launch/'
}

@test "spaces do not hide an include" {
        mkdir base
        printf '  #  include   "bash/syntax/a.h"\n' >base/a.c
        refused 'bash/syntax/ is above base/'
}
