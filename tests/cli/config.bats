#!/usr/bin/env bats
# bailey config: show, check, schema, init.

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME
        umask 022
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
        cd "$BATS_TEST_TMPDIR/work" || exit 1
}

@test "show: every value with its origin" {
        run "$BAILEY" config show
        [ "$status" = 0 ]
        [[ $output == *'# policy default, workspace '*'/work'* ]]
        [[ $output == *'mode = "enforce" '*'# built-in'* ]]
        [[ $output == *'[sandbox.network]'*'kind = "deny" '* ]]
}

@test "show: a policy, a file, JSON" {
        echo 'run.timeout = 7' >more.toml
        run "$BAILEY" config show --json --policy readonly --config more.toml
        [ "$status" = 0 ]
        [ "$(jq -r '.values["run.timeout"].value, .values["run.timeout"].origin' <<<"$output")" = \
                "10"$'\n'"built-in (policy readonly)" ]
        run "$BAILEY" config show --json --config more.toml
        [ "$(jq -r '.values["run.timeout"].value, .values["run.timeout"].origin' <<<"$output")" = \
                "7"$'\n'"more.toml:1:15" ]
        [ "$(jq -r '.files[0].layer' <<<"$output")" = file ]
        run "$BAILEY" config show --config more.toml
        [ "${lines[1]}" = '# --config file more.toml' ]
}

@test "show: what it prints is a config file that says the same" {
        mkdir -p ~/.config/bailey
        echo '{guard: {domainDenylist: ["x.com"], commandBlocklist: {replace: true, items: ["dd"]}}}' \
                >~/.config/bailey/config.json5
        "$BAILEY" config show >shown.toml
        grep -q 'command_blocklist = { replace = true, items = \["dd"\] } .*, replaced$' shown.toml
        "$BAILEY" config check shown.toml
        rm ~/.config/bailey/config.json5
        "$BAILEY" config show --config shown.toml | sed 's/ *#.*//' >again.toml
        sed 's/ *#.*//' shown.toml | diff - again.toml
}

@test "show: a workspace's file that is not trusted is announced, and tightens only" {
        printf '[guard]\nallow_sudo = true\ncommand_blocklist = ["terraform"]\n' >.bailey.toml
        "$BAILEY" config show >out 2>err
        grep -q '^bailey: .*/work/.bailey.toml is not trusted: 1 of its settings is ignored (guard.allow_sudo on line 2)' err
        grep -q '^allow_sudo = false ' out
        grep -q '"terraform"' out
}

@test "show: an unknown policy, a broken file, two files in one place" {
        run "$BAILEY" config show --policy nope
        [ "$status" = 1 ]
        [ "$output" = 'bailey: unknown policy "nope"; available: default, readonly, build, and those in [policy.NAME]' ]
        mkdir -p ~/.config/bailey
        echo 'guard.mod = 1' >~/.config/bailey/config.toml
        run "$BAILEY" config show
        [ "$status" = 1 ]
        [ "$output" = "bailey: $HOME/.config/bailey/config.toml:1:7: unknown key \"mod\" in [guard]; did you mean \"mode\"?" ]
        echo '{}' >~/.config/bailey/config.json
        run "$BAILEY" config show
        [ "$output" = "bailey: $HOME/.config/bailey has both config.toml and config.json; keep one of them" ]
}

@test "check: right and wrong" {
        echo 'guard.allow_sudo = true' >a.toml
        run "$BAILEY" config check a.toml
        [ "$status" = 0 ]
        [ "$output" = "a.toml: ok" ]
        printf '[sandbox]\nfs_read_allow = ["src"]\n' >a.toml
        run "$BAILEY" config check a.toml
        [ "$status" = 1 ]
        [ "$output" = 'bailey: a.toml:2:18: sandbox.fs_read_allow: expected an absolute path (patterns with * or ? are for deny lists), found "src"' ]
        printf '[policy.a]\nextends = "b"\n' >a.toml
        run "$BAILEY" config check a.toml
        [ "$status" = 1 ]
        [[ $output == 'bailey: a.toml:2:11: unknown policy "b"'* ]]
        run "$BAILEY" config check missing.toml
        [ "$status" = 1 ]
        [ "$output" = 'bailey: missing.toml: No such file or directory' ]
}

@test "schema: JSON, and every key that is shown is in it" {
        "$BAILEY" config schema >schema.json
        [ "$(jq -r '.["$schema"]' schema.json)" = https://json-schema.org/draft/2020-12/schema ]
        "$BAILEY" config show --json | jq -r '.values | keys[]' >keys
        [ "$(wc -l <keys)" -gt 50 ]
        while read -r key; do
                jq -e --arg section "${key%.*}" --arg name "${key##*.}" \
                        '.["$defs"][$section].properties[$name].description' schema.json >/dev/null
        done <keys
}

@test "init: writes a file that changes nothing, once" {
        "$BAILEY" config show --json | jq .values >before
        run "$BAILEY" config init
        [ "$status" = 0 ]
        [ "$output" = "wrote $HOME/.config/bailey/config.toml" ]
        "$BAILEY" config show --json | jq .values | diff before -
        run "$BAILEY" config init
        [ "$status" = 1 ]
        [ "$output" = "bailey: $HOME/.config/bailey/config.toml already exists; use --force to replace it" ]
        echo 'guard.mode = "off"' >~/.config/bailey/config.toml
        run "$BAILEY" config init --force
        [ "$status" = 0 ]
        "$BAILEY" config show --json | jq .values | diff before -
        mv ~/.config/bailey/config.toml ~/.config/bailey/config.json5
        run "$BAILEY" config init --force
        [ "$status" = 1 ]
        [[ $output == *"/config.json5 already exists; only one of them may exist" ]]
        XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/other run "$BAILEY" config init
        [ "$output" = "wrote $BATS_TEST_TMPDIR/other/bailey/config.toml" ]
}

@test "a config that others can write is refused" {
        "$BAILEY" config init
        chmod o+w ~/.config/bailey/config.toml
        run "$BAILEY" config show
        [ "$status" = 1 ]
        [[ $output == *"config.toml: refused because other users can write it; run chmod go-w on it" ]]
}

@test "usage error" {
        for words in "" "nope" "show x" "check" "check a b" "schema x" "init x"; do
                # shellcheck disable=SC2086 # words
                run "$BAILEY" config $words
                [ "$status" = 2 ]
                [[ $output == "bailey: config"*"; see bailey config"*" --help" ]]
        done
}

@test "policies: the built-in ones, and those of files that count" {
        mkdir -p ~/.config/bailey work
        printf '[policy.mine]\n[policy.readonly]\nextends = "default"\n' >~/.config/bailey/config.toml
        printf '[policy.theirs]\n' >work/.bailey.toml
        "$BAILEY" config policies --json --workspace work |
                jq -e --arg file "$HOME/.config/bailey/config.toml" 'map(.name) == ["default", "readonly", "build", "mine"] and
                        .[1].file == $file and .[1].help and .[3] == {name: "mine", help: null, file: $file}'
        "$BAILEY" trust work
        run "$BAILEY" config policies -w work
        [ "$status" = 0 ]
        [ "${#lines[@]}" = 5 ]
        [[ ${lines[0]} == default\ * ]]
        [[ ${lines[4]} == theirs*"Defined in "*/work/.bailey.toml ]]
        echo 'x =' >~/.config/bailey/config.toml
        run "$BAILEY" config policies
        [ "$status" = 1 ]
        [[ $output == "bailey: config: $HOME/.config/bailey/config.toml:1:"* ]]
}
