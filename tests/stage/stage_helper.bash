# shellcheck shell=bash disable=SC2034,SC2154 # suites use what is set here, and the other way round
# For the suites of stages, besides run_helper.

# Nothing of the user's: its sockets are in a directory of the test.
staging() {
        mkdir -p "$BATS_TEST_TMPDIR/run"
        clean+=(XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR/run" XDG_STATE_HOME="$BATS_TEST_TMPDIR/state")
        native --stage=probe true || skip 'no overlay of a workspace works here'
        eventually no_keepers
        rm -rf "$BATS_TEST_TMPDIR/state/bailey/stages"
}

native() {
        bailey run --set sandbox.backend=native --config "$OFF" "$@"
}

# Processes that keep stages of this test have its directory of sockets open.
no_keepers() {
        local pid
        for pid in $(pgrep -x bailey-session); do
                if [ "$(readlink "/proc/$pid/fd/4")" = "$BATS_TEST_TMPDIR/run/bailey" ]; then return 1; fi
        done
}

# until_staged FILE: it is in the only stage
until_staged() {
        eventually staged_is_there "$1"
}

staged_is_there() {
        compgen -G "$BATS_TEST_TMPDIR/state/bailey/stages/*/upper/$1" >/dev/null
}

stage_upper() {
        compgen -G "$BATS_TEST_TMPDIR/state/bailey/stages/[0-9a-f]*/upper"
}

# begin COMMAND: in the background, staged; $begun is bailey itself
begin() {
        "${clean[@]}" "$BAILEY" run --set sandbox.backend=native --config "$OFF" --stage "$1" &
        begun=$!
}
