#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables come from the helper
# What can be seen of the library from outside, and what it cannot do, as the object files say.

load library_helper

setup() {
        install_library
        (cd "$BATS_TEST_TMPDIR" && ar x "$library/libbailey.a")
        object=$BATS_TEST_TMPDIR/bailey.o
}

public_functions() {
        PYTHONPATH=$root/docs/make python3 -B -c 'import header; print(*header.functions(open(0).read()), sep="\n")' \
                <"$stage$prefix/include/bailey.h" | LC_ALL=C sort
}

@test "the shared library shows the functions of bailey.h, and nothing else" {
        public_functions >"$BATS_TEST_TMPDIR/public"
        [ "$(wc -l <"$BATS_TEST_TMPDIR/public")" -gt 40 ]
        nm -D --defined-only "$library/libbailey.so" | awk '{ print $3 }' | LC_ALL=C sort | diff "$BATS_TEST_TMPDIR/public" -
}

@test "so does the static one" {
        public_functions >"$BATS_TEST_TMPDIR/public"
        nm -g --defined-only "$object" | awk '{ print $3 }' | LC_ALL=C sort | diff "$BATS_TEST_TMPDIR/public" -
}

@test "the shared library has a name with a version" {
        version=$(pkg-config --modversion bailey)
        [ "$("$build/bailey" --version)" = "bailey $version" ]
        readelf -d "$library/libbailey.so" | grep -q "SONAME.*\[libbailey.so.${version%%.*}\]"
        [ "$(readlink "$library/libbailey.so")" = "libbailey.so.${version%%.*}" ]
        [ "$(readlink "$library/libbailey.so.${version%%.*}")" = "libbailey.so.$version" ]
}

# What is only written while it is loaded (.data.rel.ro) stays as it is.
@test "it keeps nothing in memory of its own" {
        readelf -SW "$object" | sed 's/^ *\[ *[0-9]*\] *//' |
                awk '$1 ~ /^\.(t?data|t?bss|init_array|fini_array)/ && $1 !~ /^\.data\.rel\.ro/ && $5 !~ /^0+$/' \
                        >"$BATS_TEST_TMPDIR/kept"
        cat "$BATS_TEST_TMPDIR/kept"
        [ ! -s "$BATS_TEST_TMPDIR/kept" ]
        [ "$(nm "$object" | grep -c ' [BbC] ')" = 0 ]
}

@test "it cannot print, exit, or touch what belongs to the program" {
        nm -u "$object" | awk '{ print $2 }' >"$BATS_TEST_TMPDIR/used"
        grep -qx snprintf "$BATS_TEST_TMPDIR/used" || grep -qx __snprintf_chk "$BATS_TEST_TMPDIR/used"
        sed '/^#/d; s/.*/^(&)$/' "$BATS_TEST_DIRNAME/not-ours.txt" >"$BATS_TEST_TMPDIR/patterns"
        run grep -E -f "$BATS_TEST_TMPDIR/patterns" "$BATS_TEST_TMPDIR/used"
        echo "$output"
        [ "$status" = 1 ]
}

@test "the program is made of nothing else: its own files, base, and what can be seen of the library" {
        # shellcheck disable=SC2046 # flags are words
        cc -O2 -flto=auto -o "$BATS_TEST_TMPDIR/bailey" "$build"/bailey.p/*.o "$build"/lib{mcp,hook,batch,format,base}.a \
                $(pkg-config --libs bailey) -ljansson -lm
        [ "$("$BATS_TEST_TMPDIR/bailey" --version)" = "bailey $(pkg-config --modversion bailey)" ]
        [ "$(readelf -d "$BATS_TEST_TMPDIR/bailey" | grep -c 'NEEDED.*libbailey')" = 1 ]
        "$BATS_TEST_TMPDIR/bailey" parse --print 'echo   hi' | grep -qx 'echo hi'
}

@test "the front ends include nothing else, either" {
        "$root/tools/check-layers"
        run grep -nE '#include "' "$root"/cli/*.[ch] "$root"/mcp/*.[ch] "$root"/batch/*.[ch] "$root"/format/*.[ch]
        [ "$status" = 0 ]
        run grep -nvE '#include "(bailey\.h|base/|batch/|format/|cli/|mcp/|hook/)' <<<"$output"
        echo "$output"
        [ "$status" = 1 ]
}
