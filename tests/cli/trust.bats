#!/usr/bin/env bats
# bailey trust: a workspace's config counts once its user has looked at it.

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME
        umask 022
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
        cd "$BATS_TEST_TMPDIR/work" || exit 1
        echo 'guard.allow_sudo = true' >.bailey.toml
}

allow_sudo() {
        "$BAILEY" config show --json 2>/dev/null | jq '.values["guard.allow_sudo"].value'
}

@test "trusted, changed, trusted again, removed" {
        [ "$(allow_sudo)" = false ]
        run "$BAILEY" trust
        [ "$status" = 0 ]
        [ "$output" = "$PWD/.bailey.toml is now trusted" ]
        [ "$(allow_sudo)" = true ]
        run "$BAILEY" config show
        [[ $output != *"not trusted"* ]]
        run "$BAILEY" trust .
        [ "$output" = "$PWD/.bailey.toml is already trusted" ]
        echo '# a comment' >>.bailey.toml
        [ "$(allow_sudo)" = false ]
        "$BAILEY" trust "$PWD"
        [ "$(allow_sudo)" = true ]
        run "$BAILEY" trust --remove
        [ "$output" = "$PWD/.bailey.toml is no longer trusted" ]
        [ "$(allow_sudo)" = false ]
        run "$BAILEY" trust --remove
        [ "$status" = 0 ]
        [ "$output" = "$PWD/.bailey.toml was not trusted" ]
}

@test "a copy elsewhere is not trusted" {
        "$BAILEY" trust
        mkdir ../other && cp .bailey.toml ../other/ && cd ../other
        [ "$(allow_sudo)" = false ]
}

@test "the list" {
        "$BAILEY" trust
        run "$BAILEY" trust --list
        [ "$output" = "$(sha256sum .bailey.toml | cut -d' ' -f1)  $PWD/.bailey.toml" ]
        run "$BAILEY" trust --list --json
        [ "$(jq -r '.[0].path' <<<"$output")" = "$PWD/.bailey.toml" ]
        [ "$(stat -c %a ~/.local/state/bailey/trust)" = 600 ]
        [ "$(stat -c %a ~/.local/state/bailey)" = 700 ]
}

@test "many at once lose nothing" {
        for i in 1 2 3 4 5 6 7 8; do
                mkdir "../w$i" && cp .bailey.toml "../w$i/"
                "$BAILEY" trust "../w$i" &
        done
        wait
        [ "$("$BAILEY" trust --list | wc -l)" = 8 ]
}

@test "what cannot be trusted" {
        run "$BAILEY" trust ..
        [ "$status" = 1 ]
        [ "$output" = "bailey: trust: no .bailey.toml, .bailey.json5 or .bailey.json in $BATS_TEST_TMPDIR" ]
        run "$BAILEY" trust missing
        [ "$status" = 1 ]
        [ "$output" = "bailey: trust: missing: No such file or directory" ]
        echo 'guard.mode = "no"' >.bailey.toml
        run "$BAILEY" trust
        [ "$status" = 1 ]
        [[ $output == "bailey: trust: $PWD/.bailey.toml:1:14: guard.mode: expected one of"* ]]
        rm .bailey.toml && ln -s /etc/hostname .bailey.toml
        run "$BAILEY" trust
        [ "$status" = 1 ]
        [[ $output == *"refused because it is a symbolic link" ]]
}

@test "a damaged list trusts nothing, and says so" {
        "$BAILEY" trust
        echo nonsense >>~/.local/state/bailey/trust
        run "$BAILEY" config show
        [ "$status" = 1 ]
        [ "$output" = "bailey: $HOME/.local/state/bailey/trust:2:1: expected a SHA-256 and the path of a file" ]
}

@test "usage error" {
        for words in "--list x" "--list --remove" "a b" "--json"; do
                # shellcheck disable=SC2086 # words
                run "$BAILEY" trust $words
                [ "$status" = 2 ]
        done
}

@test "a file that is not trusted is announced by test, once" {
        printf '[guard]\nallow_sudo = true\n' >.bailey.toml
        "$BAILEY" test ls >out 2>err
        grep -q '^bailey: .*/.bailey.toml is not trusted: 1 of its settings is ignored (guard.allow_sudo on line 2)' err
        printf '{"command":"ls"}\n{"command":"ls","policy":"readonly"}\n' | "$BAILEY" test --batch >out 2>err
        [ "$(wc -l <err)" = 1 ]
        run "$BAILEY" test 'sudo ls'
        [ "$status" = 2 ]
}
