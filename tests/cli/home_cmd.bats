#!/usr/bin/env bats
# `bailey home`, and what doctor says of homes.
# shellcheck disable=SC2016,SC2154,SC2088 # the commands are for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

own=(--set sandbox.home=own)

# in_home COMMAND: in the sandbox; must succeed
in_home() {
        run bailey run "${own[@]}" --config "$OFF" "$1"
        echo "$output"
        [ "$status" = 0 ]
}

# query PYTHON: of the JSON in $output, which is j
query() {
        python3 -c "import json, sys; j = json.loads(sys.argv[1]); print(($1))" "$output"
}

# layer: the directory of the only home
layer() {
        echo "$BATS_TEST_TMPDIR"/homes/????????????????????????????????
}

@test "without homes" {
        run bailey home
        [ "$status" = 0 ]
        [ "$output" = "No homes are kept." ]
        run bailey home --json
        [ "$(query 'j["homes"]')" = "[]" ]
        run bailey home size
        [ "$status" = 0 ]
        [[ $output == "0 bytes"* ]]
        run bailey home diff
        [ "$status" = 0 ]
        [[ $output == *"no home is kept"* ]]
        run bailey home clear
        [ "$status" = 0 ]
        [[ $output == *"nothing was removed"* ]]
        [ ! -e "$BATS_TEST_TMPDIR/homes" ]
}

@test "list, size, diff and clear" {
        mkdir -p "$HOME/.npm/_cacache"
        echo user >"$HOME/.npm/_cacache/f"
        echo user >"$HOME/.npm/_cacache/g"
        echo '[user]' >"$HOME/.gitconfig"
        in_home 'echo 1 >>~/.npm/_cacache/f; rm ~/.npm/_cacache/g; echo evil >~/.gitconfig; head -c 100000 /dev/zero >~/big; ln -s / ~/root'
        run bailey home list
        echo "$output"
        [[ $output == "$W  "*KiB*Z*"not in use" ]]
        run bailey home --json
        [ "$(query 'len(j["homes"]), j["homes"][0]["workspace"], j["homes"][0]["workspace_state"], j["homes"][0]["in_use"]')" = \
                "(1, '$W', 'present', False)" ]
        run bailey home size
        [[ $output =~ ^1[0-9]{5}\ bytes\ \(.*\ of\ 10\ GiB\),\ [0-9]+\ files ]]
        run bailey home diff
        echo "$output"
        [ "${#lines[@]}" = 5 ]
        [[ ${lines[0]} == changed*".gitconfig (settings)" ]]
        [[ ${lines[1]} == changed*"7 bytes  .npm/_cacache/f" ]]
        [[ ${lines[2]} == deleted*".npm/_cacache/g" ]]
        [[ ${lines[3]} == added*"97.6 KiB  big" ]]
        [[ ${lines[4]} == added*"root (link)" ]]
        run bailey home diff -n 2
        [[ ${lines[2]} == "and 3 more, 97.6 KiB" ]]
        run bailey home diff --json
        [ "$(query 'j["changes"][0]["settings"], j["changes"][2]["kind"], j["left_out"], j["complete"]')" = "(True, 'deleted', 0, True)" ]
        run bailey home clear
        echo "$output"
        [ "$status" = 0 ]
        [[ $output == "removed the home of $W: "*KiB*"files and directories" ]]
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/homes")" ]
        [ "$(cat "$HOME/.npm/_cacache/f" "$HOME/.npm/_cacache/g" "$HOME/.gitconfig")" = $'user\nuser\n[user]' ]
        run bailey audit
        [[ $output == *"home clear"*"$W"* ]]
        in_home 'test ! -e ~/big && grep user ~/.gitconfig'
}

@test "a workspace that was used without homes gets one, and can go back" {
        local before=(--set sandbox.home=host --config "$OFF")

        echo person >"$HOME/file"
        run bailey run "${before[@]}" 'cat ~/file && echo 1 >kept && ! echo x >~/written'
        echo "$output"
        [ "$status" = 0 ]
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/homes" 2>/dev/null)" ]
        in_home '! test -e ~/file && echo 2 >>kept && echo own >~/written'
        run bailey run "${before[@]}" 'cat ~/file kept; test -e ~/written || echo none'
        [ "$output" = $'person\n1\n2\nnone' ]
        in_home 'cat ~/written'
        [[ $output == *own ]]
        [ ! -e "$HOME/written" ]
}

@test "names of hostile commands are harmless on a terminal" {
        in_home 'f=$(printf "%s" "$(printf "\033[2J\nX\tY\377")"); echo 1 >~/"$f"; mkdir -p ~/a/"$f"; echo 1 >~/a/"$f/$f"'
        run bailey home diff
        echo "$output"
        [ "$status" = 0 ]
        [ "${#lines[@]}" = 2 ]
        [[ $output != *$'\033'* && $output != *$'\t'* ]]
        run bailey home diff --json
        [[ $output != *$'\033'* ]]
        [ "$(query 'len(j["changes"])')" = 2 ]
}

@test "trees that are hard to remove are removed" {
        in_home 'mkdir -p ~/a/b && touch ~/a/b/c && chmod 0 ~/a/b ~/a && mkdir ~/deep && cd ~/deep &&
                for i in {1..400}; do mkdir 0123456789012345678901234567890123456789 && cd 0*; done && mkfifo ~/p'
        run bailey home clear
        echo "$output"
        [ "$status" = 0 ]
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/homes")" ]
}

@test "a home that a command uses stays" {
        bailey run "${own[@]}" --config "$OFF" "echo 1 >~/f; touch started; until test -e $W/stop; do sleep 0.05; done" &
        local job=$!
        until_exists started
        run bailey home
        [[ $output == *" in use" ]]
        run bailey home clear
        echo "$output"
        [ "$status" = 1 ]
        [[ $output == "not removed"*"running"* ]]
        run bailey home clear --all --yes --json
        [ "$status" = 1 ]
        [ "$(query 'j["homes"][0]["removed"]')" = False ]
        touch stop
        wait $job
        in_home 'cat ~/f'
        run bailey home clear
        [ "$status" = 0 ]
}

@test "so does one that bwrap has mounted" {
        command -v bwrap >/dev/null || skip "no bwrap here"
        bailey run "${own[@]}" --backend bwrap --config "$OFF" "echo 1 >~/f; touch started; until test -e $W/stop; do sleep 0.05; done" &
        local job=$!
        until_exists started
        run bailey home clear
        echo "$output"
        touch stop
        wait $job
        [ "$status" = 1 ]
        [[ $output == *"running"* ]]
}

@test "stale homes, and all of them" {
        mkdir "$BATS_TEST_TMPDIR/other" "$BATS_TEST_TMPDIR/third"
        in_home 'echo 1 >~/f'
        for workspace in other third; do
                run bailey run "${own[@]}" --workspace "$BATS_TEST_TMPDIR/$workspace" 'echo 1 >~/f'
                [ "$status" = 0 ]
        done
        run bailey doctor
        [[ $output != *"bailey home clear"* ]]
        rmdir "$BATS_TEST_TMPDIR/other"
        run bailey home
        [ "${#lines[@]}" = 3 ]
        [[ $output == *"/other  "*"workspace is gone"* ]]
        run bailey doctor
        echo "$output"
        [[ $output == *"1 home of workspaces that are gone takes "*" KiB; to remove them: bailey home clear --stale, which asks first, or with --yes does not"* ]]
        run --separate-stderr bailey doctor --json
        [ "$(query 'j["stale_homes"]["count"], j["stale_homes"]["bytes"] > 0')" = "(1, True)" ]

        run bailey home clear --stale </dev/null
        echo "$output"
        [ "$status" = 2 ]
        [[ $output == *"--yes"* ]]
        run bailey home clear --all --stale --yes
        [ "$status" = 2 ]
        run bailey home size --workspace "$BATS_TEST_TMPDIR/other"
        [[ $output =~ ^[1-9] ]]
        run bailey home clear --stale --yes
        echo "$output"
        [ "$status" = 0 ]
        [[ $output == "removed the home of $BATS_TEST_TMPDIR/other: "* ]]
        run bailey home clear --workspace "$BATS_TEST_TMPDIR/third"
        [[ $output == "removed the home of $BATS_TEST_TMPDIR/third: "* ]]
        run bailey home clear --all --yes
        [[ $output == "removed the home of $W: "* ]]
        run bailey home
        [ "$output" = "No homes are kept." ]
}

@test "a terminal is asked" {
        in_home true
        export SCRIPT="env -i HOME='$HOME' BAILEY_HOME_DIR='$BATS_TEST_TMPDIR/homes' PATH=$PATH TERM=dumb '$BAILEY' home clear --all"
        printf 'n\n' | script -qec "$SCRIPT" /dev/null || :
        [ -d "$(layer)" ]
        printf 'y\n' | script -qec "$SCRIPT" /dev/null
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/homes")" ]
}

# has_upper TEXT: what a sandbox has written and nobody has settled
has_upper() {
        grep -qrs "$1" "$(layer)"/runs/run-*/upper
}

have_ended() {
        for run in "$(layer)"/runs/run-*; do
                flock -n "$run" true || return 1
        done
}

@test "what a command wrote whose bailey was killed is there for later ones" {
        mkdir -p "$HOME/.npm/_cacache"
        bailey run "${own[@]}" --config "$OFF" 'echo mine >~/.npm/_cacache/f; sleep 60' &
        killed=$!
        eventually has_upper mine
        kill -KILL "$killed"
        wait "$killed" || true
        eventually have_ended
        in_home true
        in_home 'cat ~/.npm/_cacache/f'
        [ "$output" = mine ]
        [ ! -e "$HOME/.npm/_cacache/f" ]
}
