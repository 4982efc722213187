#!/usr/bin/env bats
# shellcheck disable=SC2154 # $stderr is bats'
# bailey aside, bailey restore: what was found at protected places, and what becomes of it.

bats_require_minimum_version 1.5.0

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
        state=$HOME/.local/state/bailey
        work=$BATS_TEST_TMPDIR/work
        mkdir -p "$HOME" "$work"
        cd "$work" || exit 1
}

# put NAME: sets it aside; its ID
put() {
        "$(dirname "$BAILEY")/tests/put_aside" "$state" "$work" "$1"
}

@test "nothing is set aside" {
        run --separate-stderr "$BAILEY" aside
        [ "$status" = 0 ]
        [ "$output" = 'Nothing is set aside.' ]
        [ "$("$BAILEY" aside list --json)" = '[]' ]
        [ ! -e "$state/aside" ]
}

@test "the list has the newest first" {
        echo one >.envrc
        first=$(put .envrc)
        mkdir .vscode
        second=$(put .vscode)
        ln -s /etc/passwd .claude
        third=$(put .claude)
        run --separate-stderr "$BAILEY" aside
        [ "$status" = 0 ]
        [ "${#lines[@]}" = 3 ]
        [[ ${lines[0]} =~ ^$third\ \ 20[0-9T:.-]+Z\ +link\ +"$work/.claude "\ +"new at a protected place while a command ran"$ ]]
        [[ ${lines[1]} =~ ^$second\ .*\ directory\ +"$work/.vscode " ]]
        [[ ${lines[2]} =~ ^$first\ .*\ file\ +"$work/.envrc " ]]
        [ "$("$BAILEY" aside list)" = "$output" ]
        "$BAILEY" aside --json | jq -e --arg work "$work" --arg first "$first" '
                length == 3 and .[2].id == $first and .[2].path == $work + "/.envrc" and .[2].workspace == $work and
                .[2].kind == "file" and .[1].kind == "directory" and .[0].kind == "link" and (.[2].where | endswith("/item"))'
}

@test "show tells what it is, and what is in it" {
        printf 'export A=1\n\e]0;title\a\e[31mred\n' >.envrc
        id=$(put .envrc)
        run --separate-stderr "$BAILEY" aside show "${id:0:5}"
        [ "$status" = 0 ]
        [ "${lines[0]}" = "id         $id" ]
        [ "${lines[1]}" = "path       $work/.envrc" ]
        [[ $output == *"stored at  $state/aside/$id/item"* ]]
        [[ $output == *'    export A=1'* ]]
        [[ $output == *'    \x1b]0;title\x07\x1b[31mred'* ]]
        [[ $output != *$'\e'* ]]
        "$BAILEY" aside show --json "$id" | jq -e --arg id "$id" '.id == $id'

        mkdir -p .vscode/sub && touch .vscode/tasks.json .vscode/$'new\nline'
        run --separate-stderr "$BAILEY" aside show "$(put .vscode)"
        [[ $output == *'entries    3'* ]]
        [[ $output == *'    new\nline'* ]]
        [[ $output == *'    sub/'* ]]
        [[ $output == *'    tasks.json'* ]]

        ln -s /etc/passwd .claude
        run --separate-stderr "$BAILEY" aside show "$(put .claude)"
        [[ $output == *'target     /etc/passwd'* ]]
        [[ $output != *root:* ]]

        head -c 1000 /dev/zero >.mcp.json
        run --separate-stderr "$BAILEY" aside show "$(put .mcp.json)"
        [[ $output == *'bytes      1000'*'not text'* ]]
}

@test "restore puts it back, byte for byte" {
        head -c 5000 /dev/urandom >.envrc
        chmod 640 .envrc
        cp -p .envrc "$BATS_TEST_TMPDIR/copy"
        for command in restore 'aside restore'; do
                id=$(put .envrc)
                [ ! -e .envrc ]
                # shellcheck disable=SC2086 # words
                run --separate-stderr "$BAILEY" $command "$id"
                [ "$status" = 0 ]
                [ "$output" = "restored $work/.envrc" ]
                cmp .envrc "$BATS_TEST_TMPDIR/copy"
                [ "$(stat -c '%a %Y' .envrc)" = "$(stat -c '%a %Y' "$BATS_TEST_TMPDIR/copy")" ]
        done
        [ "$("$BAILEY" aside)" = 'Nothing is set aside.' ]
        [ -z "$(ls -A "$state/aside")" ]
}

@test "an existing file is kept, or set aside with --force" {
        echo one >.envrc
        id=$(put .envrc)
        echo two >.envrc
        run --separate-stderr "$BAILEY" restore "$id"
        [ "$status" = 1 ]
        [[ $stderr == *"$work/.envrc exists; use --force to replace it"* ]]
        [ "$(cat .envrc)" = two ]
        run --separate-stderr "$BAILEY" restore --force "$id"
        [ "$status" = 0 ]
        [ "$(cat .envrc)" = one ]
        [ "${lines[0]}" = "restored $work/.envrc" ]
        other=$("$BAILEY" aside list --json | jq -r '.[0].id')
        [ "${lines[1]}" = "the file that was there is set aside as $other" ]
        "$BAILEY" restore -f "$other"
        [ "$(cat .envrc)" = two ]
}

@test "drop removes it for good, and nothing else does" {
        mkdir -p .vscode/a && chmod 500 .vscode/a
        id=$(put .vscode)
        run --separate-stderr "$BAILEY" aside drop "$id"
        [ "$status" = 0 ]
        [ "$output" = "dropped $work/.vscode" ]
        [ "$("$BAILEY" aside)" = 'Nothing is set aside.' ]
        run --separate-stderr "$BAILEY" aside drop "$id"
        [ "$status" = 1 ]
}

@test "an ID that is none says where to look" {
        for words in 'restore 12' 'aside restore 12' 'aside drop 12' 'aside show 12' 'restore ../../x'; do
                # shellcheck disable=SC2086 # words
                run --separate-stderr "$BAILEY" $words
                [ "$status" = 1 ]
                [[ $stderr == *"nothing is set aside with the ID '${words##* }'"*"bailey aside list"* ]]
        done
        for words in 'restore' 'aside drop' 'aside show' 'aside list x' 'aside drop --force x'; do
                # shellcheck disable=SC2086 # words
                run --separate-stderr "$BAILEY" $words
                [ "$status" = 2 ]
        done
}

@test "the way back leads through no link" {
        mkdir sub out
        echo x >sub/config
        id=$("$(dirname "$BAILEY")/tests/put_aside" "$state" "$work/sub" config)
        rmdir sub
        ln -s out sub
        run --separate-stderr "$BAILEY" restore --force "$id"
        [ "$status" = 1 ]
        [[ $stderr == *"$work/sub is no directory; symbolic links are not followed"* ]]
        [ -z "$(ls -A out)" ]
        rm sub
        "$BAILEY" restore "$id"
        [ "$(cat sub/config)" = x ]
}

@test "restoring and dropping go on record" {
        echo x >.envrc
        id=$(put .envrc)
        "$BAILEY" restore "$id"
        other=$(put .envrc)
        "$BAILEY" aside drop "$other"
        "$BAILEY" audit export --json >"$BATS_TEST_TMPDIR/records"
        jq -se --arg one "restore $id $work/.envrc" --arg two "drop $other $work/.envrc" \
                'map(select(.kind == "changed") | .command) == [$one, $two]' "$BATS_TEST_TMPDIR/records"
        "$BAILEY" audit verify
}

@test "a broken config file does not keep anybody from restoring" {
        echo x >.envrc
        id=$(put .envrc)
        mkdir -p "$HOME/.config/bailey"
        echo 'nonsense' >"$HOME/.config/bailey/config.toml"
        run --separate-stderr "$BAILEY" restore "$id"
        [ "$status" = 0 ]
        [ "$(cat .envrc)" = x ]
}

@test "what was restored is the user's, and stays after the next command" {
        echo x >.envrc
        "$BAILEY" restore "$(put .envrc)"
        run "$BAILEY" run 'echo done; cat .envrc'
        [[ $output == *done*x* ]] || skip 'no sandbox works here'
        [ "$(cat .envrc)" = x ]
        [ "$("$BAILEY" aside)" = 'Nothing is set aside.' ]
}

@test "a command that runs meanwhile is told about" {
        echo x >.envrc
        id=$(put .envrc)
        "$BAILEY" run 'touch started; while [ ! -e go ]; do sleep 0.05; done' &
        for _ in $(seq 400); do
                [ ! -e started ] || break
                sleep 0.05
        done
        [ -e started ] || skip 'no sandbox works here'
        run --separate-stderr "$BAILEY" restore "$id"
        touch go
        wait
        [ "$status" = 0 ]
        [[ $output == *'a command is still running in this workspace'* ]]
        other=$HOME/other
        mkdir "$other" && cd "$other" && echo y >.envrc
        run --separate-stderr "$BAILEY" restore "$("$(dirname "$BAILEY")/tests/put_aside" "$state" "$other" .envrc)"
        [ "${#lines[@]}" = 1 ]
}
