# shellcheck shell=bash
# For *.bats here: the library as `make install` puts it somewhere, and pkg-config that finds it there and nowhere else. What is
# tried is what is shipped, not the build under sanitizers.

install_library() {
        root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
        build=${BAILEY:-$root/build/bailey}
        build=${build%/bailey} build=${build%/asan}
        if [ ! -e "$build/libbailey.so" ]; then
                echo "$build/libbailey.so is missing: make" >&2
                return 1
        fi
        stage=$BATS_FILE_TMPDIR/stage
        if [ ! -d "$stage" ]; then
                meson install -C "$build" --no-rebuild --quiet --destdir "$stage" >/dev/null || return
        fi
        pc=$(find "$stage" -name bailey.pc)
        library=${pc%/pkgconfig/bailey.pc}
        prefix=$(sed -n 's/^prefix=//p' "$pc")
        program=$stage$prefix/bin/bailey
        export PKG_CONFIG_PATH=${pc%/bailey.pc} PKG_CONFIG_SYSROOT_DIR=$stage LD_LIBRARY_PATH=$library
}

# A home and a workspace of its own; the program for a wrapper is where it was really put.
make_workspace() {
        home=$BATS_TEST_TMPDIR/home workspace=$BATS_TEST_TMPDIR/workspace
        mkdir -p "$home" "$workspace"
        export HOME=$home XDG_STATE_HOME=$home/state BAILEY_HOME_DIR=$BATS_TEST_TMPDIR/homes XDG_CONFIG_HOME=$home/config
        cd "$workspace" || return
}

# compile COMPILER STANDARD SOURCE PROGRAM: with what pkg-config says, and nothing else
compile() {
        # shellcheck disable=SC2046 # flags are words
        "$1" -std="$2" -pedantic -Wall -Wextra -Werror -o "$4" "$3" $(pkg-config --cflags --libs bailey)
}
