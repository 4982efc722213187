#!/usr/bin/env bats
# Homes of workspaces and sessions, which keep sandboxes ready and facts in memory.
# shellcheck disable=SC2016,SC2154 # the commands are for bailey; what setup() sets is for all

# shellcheck source=tests/cli/control_helper.bash
load control_helper

layer() {
        echo "$BATS_TEST_TMPDIR"/homes/????????????????????????????????
}

# text_in NAME COMMAND: what the agent reads
text_in() {
        call "$1" tools/call "{\"name\": \"Bash\", \"arguments\": {\"command\": $(quoted "$2"), \"description\": \"a test\"}}" \
                '.content | map(.text) | join("\n")'
}

ready() {
        compgen -G "$(layer)/runs/run-*" >/dev/null
}

@test "a home is removed beside sandboxes that are ready, and the next command has a new one" {
        mkdir -p "$HOME/.npm/_cacache"
        echo '[user]' >"$HOME/.gitconfig"
        serve one --set sandbox.home=own --config "$OFF"
        [ "$(text_in one 'echo 1 >~/f; echo 1 >~/.npm/_cacache/f; ls ~')" = f ]
        eventually ready # a sandbox that is ready has one
        run bailey home clear
        echo "$output"
        [ "$status" = 0 ]
        [[ $output == "removed the home of $W: "* ]]
        run text_in one 'ls ~ ~/.npm/_cacache; cat ~/.gitconfig; echo 2 >~/g; echo 2 >~/.npm/_cacache/g'
        echo "$output"
        [[ $'\n'$output$'\n' != *$'\nf\n'* && $output == *'[user]'* ]] # paths may have an f, too
        [ "$(text_in one 'ls ~; ls ~/.npm/_cacache')" = $'g\ng' ]
        run bailey home diff
        echo "$output"
        [ "${#lines[@]}" = 2 ]
        [ "$(ls -A "$BATS_TEST_TMPDIR/homes")" = "$(basename "$(layer)")" ]
}

@test "not beside a background command" {
        serve one --set sandbox.home=own --config "$OFF"
        background_in one 'touch started; until test -e stop; do sleep 0.05; done'
        until_exists started
        run bailey home clear
        echo "$output"
        [ "$status" = 1 ]
        [[ $output == *running* ]]
        touch stop
        eventually bailey home clear
}

@test "a session tells and refuses, too, and goes on when the home is gone" {
        serve one --set sandbox.home=own --set sandbox.home_max_bytes=1048576 --config "$OFF"
        text_in one 'head -c 1000000 /dev/urandom >~/f'
        echo "1000000 5 1 $(date +%s) 1" >"$(layer)/size"
        run text_in one 'echo ran'
        echo "$output"
        [[ $output == *ran*"976.5 KiB of 1 MiB (sandbox.home_max_bytes): bailey home clear"* ]]
        text_in one 'cat ~/f >~/g'
        echo "2000000 5 1 $(date +%s) 1" >"$(layer)/size"
        run text_in one 'echo r""an'
        echo "$output"
        [[ $output != *ran && $output == *"1.9 MiB of 1 MiB (sandbox.home_max_bytes)"* ]]
        bailey home clear
        [ "$(text_in one 'echo ran')" = ran ]
}
