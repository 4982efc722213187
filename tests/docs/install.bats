#!/usr/bin/env bats
# What make install puts where: the program, manual pages, completion.

setup() {
        root=$BATS_TEST_DIRNAME/../..
        BAILEY=${BAILEY:-$root/build/bailey}
        build=$(dirname "$BAILEY")
        [ -d "$build/meson-info" ] || skip "the program is not in a build directory"
        meson install -C "$build" --no-rebuild --quiet --destdir "$BATS_TEST_TMPDIR" >/dev/null
        prefix=$BATS_TEST_TMPDIR/usr/local
}

@test "every manual page is where man looks for it" {
        for template in "$root"/docs/man/*.scd; do
                page=$(basename "$template" .scd)
                [ -s "$prefix/share/man/man${page##*.}/$page" ]
        done
        [ "$(find "$prefix/share/man" -type f | wc -l)" = "$(find "$root/docs/man" -name '*.scd' | wc -l)" ]
        grep -q '^\.SH COMMANDS' "$prefix/share/man/man1/bailey.1"
}

@test "completion is where shells look for it, and is what the program prints" {
        "$prefix/bin/bailey" completion bash | diff - "$prefix/share/bash-completion/completions/bailey"
        "$prefix/bin/bailey" completion zsh | diff - "$prefix/share/zsh/site-functions/_bailey"
        "$prefix/bin/bailey" completion fish | diff - "$prefix/share/fish/vendor_completions.d/bailey.fish"
        run "$BAILEY" completion tcsh
        [ "$status" = 2 ]
        [ "$output" = 'bailey: completion: expected bash|zsh|fish, found "tcsh"; see bailey completion --help' ]
}

# The first step of README.md, on a machine that has nothing.
@test "make install sees to what it needs, and says nothing when that is there" {
        [ "$(make -sn -C "$root" install | head -n 1)" = 'tools/deps run' ]
        mkdir "$BATS_TEST_TMPDIR/bin"
        cd "$BATS_TEST_TMPDIR/bin"
        printf '#!/bin/sh\ntouch %s/asked\nexit 1\n' "$BATS_TEST_TMPDIR" | tee apt-get sudo >/dev/null
        printf '#!/bin/sh\necho installed\n' >dpkg-query
        chmod 755 apt-get sudo dpkg-query
        PATH=$PWD:$PATH run "$root/tools/deps" run
        [ "$status" = 0 ]
        [ -z "$output" ]
        [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}
