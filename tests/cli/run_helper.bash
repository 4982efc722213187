# shellcheck shell=bash
# For the suites of `bailey run`: a home, a workspace, and bailey with a clean environment.

bats_require_minimum_version 1.5.0

setup() {
        U=$$ # a process of this run is known by it
        cd "$BATS_TEST_TMPDIR" || exit 1
        umask 022
        mkdir home ws
        OFF=$PWD/off.toml # for what the guard would refuse, but is about the walls
        printf '[guard]\nmode = "off"\n' >"$OFF"
        export HOME=$PWD/home
        W=$PWD/ws
        clean=(env -i HOME="$HOME" BAILEY_HOME_DIR="$BATS_TEST_TMPDIR/homes" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 ASAN_OPTIONS="${ASAN_OPTIONS-}")
        cd ws || exit 1
}

# bailey ARGUMENT...: with that environment
bailey() {
        "${clean[@]}" "$BAILEY" "$@"
}

# refused VALUE ARGUMENT...: must end with 125, name the value, and run nothing
refused() {
        local value=$1
        shift
        run bailey run "$@" "touch $W/marker $HOME/marker"
        echo "$output"
        [ "$status" = 125 ]
        [[ $output == *"$value"* ]]
        [ ! -e "$W/marker" ]
        [ ! -e "$HOME/marker" ]
}

# eventually COMMAND...: until it succeeds. A generous bound, as machines may be busy; what counts is that it does.
eventually() {
        local end=$((SECONDS + 60))
        until "$@"; do
                if ((SECONDS > end)); then
                        echo "in vain: $*"
                        return 1
                fi
                sleep 0.05
        done
}

# until_exists FILE
until_exists() {
        eventually test -e "$1"
}

ended() {
        ! kill -0 "$1" 2>/dev/null
}

# until_gone PID
until_gone() {
        eventually ended "$1"
}

# alive ARGS: is there a process with this command line?
alive() {
        pgrep -fx -- "$1" >/dev/null
}

gone() {
        ! alive "$1"
}
