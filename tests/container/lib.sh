# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # bodies of cases are evaluated later
# Runs the cases below against one real engine, and speaks TAP; sourced by docker.sh, podman.sh, gvisor.sh and rootless.sh.
# TEST_ONLY=REGEX tests/container/docker.sh runs those whose name matches.
#
# All of it happens in namespaces of its own, so that whatever a case leaves behind ends with it.
set -u
which=$1 # engine, and whose
kind=$1  # backend
if [ "$kind" = rootless ]; then kind=podman; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/container/engines.sh
. "$here/engines.sh"

if [ "${2-}" != inner ]; then
        missing=$(engines_missing)
        if [ -n "$missing" ]; then
                echo "1..0 # skip $missing"
                exit 0
        fi
        BAILEY=${BAILEY:-$here/../../build/asan/bailey}
        series=$(dirname "$BAILEY")/tests/series
        # What is shipped; other suites, and the sessions here, run the one with sanitizers.
        if [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        T=$(mktemp -d /tmp/bc.XXXXXX) || exit 1
        trap 'rm -rf "$T"' EXIT
        chmod 755 "$T"
        env -i T="$T" BAILEY="$BAILEY" series="$series" ONLY="${TEST_ONLY-}" ASAN_OPTIONS="${ASAN_OPTIONS-}" HOME=/nonexistent LC_ALL=C.UTF-8 \
                PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                unshare --mount --net --pid --fork --kill-child --mount-proc bash "$here/lib.sh" "$which" inner
        exit
fi

# ---- the scene ----

ip link set lo up
mount -t tmpfs -o mode=1777 bailey-container /dev/shm || exit 1 # where podman has its locks, one file for all of a user's
W=$T/w
H=$T/home
mkdir "$W" "$H" "$T/e"
mkdir -m 700 "$T/homes"
trap engine_down EXIT
engine_up "$which" "$T/e" || exit 1
uid=0
if [ "$which" = rootless ]; then uid=$rootless_user; fi

# own PATH...: make it the user's
own() {
        chown -R "$uid:$uid" "$@"
}
own "$W" "$H" "$T/homes"

# bailey ARGUMENT...: with a clean environment
clean=("${engine_as[@]}" env -i HOME="$H" BAILEY_HOME_DIR="$T/homes" PATH="$PATH" LC_ALL=C ASAN_OPTIONS="$ASAN_OPTIONS")
bailey() {
        "${clean[@]}" "${engine_env[@]}" "${extra[@]}" "$BAILEY" "$@"
}

# b ARGUMENT...: bailey run in this engine
b() {
        bailey run --backend "$kind" --config "$T/c.toml" --workspace "$W" "$@"
}

# config LINE...: besides the image, and a guard that leaves us alone
# shellcheck disable=SC2120 # cases have arguments
config() {
        printf '%s\n' '[guard]' 'mode = "off"' '[container]' "image = \"${image:-localhost/bailey:latest}\"" "$@" >"$T/c.toml"
}

left() {
        engine ps -a --format '{{.Names}}'
}

# nothing_left: also a moment later, for what is on its way
nothing_left() {
        local n
        for n in {1..3000}; do # what could not be removed is tried again after up to a few minutes
                if [ -z "$(left)" ]; then return 0; fi
                sleep 0.1
        done
        echo "left behind: $(left)"
        return 1
}

# eventually COMMAND...: until it succeeds
eventually() {
        local n
        for n in {1..1200}; do
                if "$@" >/dev/null 2>&1; then return 0; fi
                sleep 0.1
        done
        echo "in vain: $*"
        return 1
}

# until_file FILE
until_file() {
        eventually test -e "$1"
}

# says TEXT...: does $output have each of these?
says() {
        local text
        for text; do
                if [[ $output != *"$text"* ]]; then
                        echo "does not say: $text"
                        return 1
                fi
        done
}

# try COMMAND...: sets $status and $output
try() {
        output=$("$@" 2>&1 </dev/null) && status=0 || status=$?
        echo "status $status: $output"
}

# try_asking COMMAND...: the same, for what the engine has to answer; on a busy machine that may take longer than bailey waits
try_asking() {
        local n
        for n in {1..20}; do
                try "$@"
                if [[ $output != *'did not answer within'* ]]; then return; fi
        done
}

gone() {
        local n
        for n in {1..600}; do
                if ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; then return 0; fi
                sleep 0.1
        done
        return 1
}

# ends STATUS PID: waits for it
ends() {
        local code=0
        wait "$2" || code=$?
        if [ $code != "$1" ]; then echo "ended with $code"; fi
        test $code = "$1"
}

# fake LINE...: a script in place of the engine's client; $real is that. unfake: itself again
program=/usr/bin/docker
if [ "$kind" = podman ]; then program=/usr/bin/podman; fi
real=$T/real
fake() {
        printf '%s\n' '#!/bin/bash' "real=$real" "$@" 'exec "$real" "$@"' >"$T/fake"
        chmod 755 "$T/fake"
        : >"$real"
        mount --bind "$program" "$real"
        mount --bind "$T/fake" "$program"
        trap unfake EXIT
}
unfake() {
        trap - EXIT
        umount -l "$program"
        umount -l "$real" # a client that was killed may still be on its way out
}

names=() bodies=()

# case_for ENGINES NAME: its body is on standard input; every line of it has to succeed
case_for() {
        if [[ " $1 " == *" $which "* ]]; then
                names+=("$2")
                bodies+=("$(cat)")
        else
                cat >/dev/null
        fi
}
case_of() {
        case_for "$which" "$1"
}

# shellcheck source=tests/container/cases.sh
. "$here/cases.sh"

# ---- the course of things ----

# An engine that has just come up may take longer to answer than bailey waits.
bailey container build --runtime "$kind" >/dev/null || bailey container build --runtime "$kind" >/dev/null || exit 1
extra=() image=
chosen=()
for i in "${!names[@]}"; do
        if [ -z "$ONLY" ] || [[ ${names[i]} =~ $ONLY ]]; then chosen+=("$i"); fi
done
if [ -n "$ONLY" ]; then echo "# only $ONLY"; fi
echo "1..${#chosen[@]}"
count=0 bad=0
for i in "${chosen[@]}"; do
        count=$((count + 1))
        find "$W" "$H" -mindepth 1 -delete
        own "$W" "$H"
        # shellcheck disable=SC2119
        config
        (
                cd "$W" || exit
                set -e
                eval "${bodies[i]}"
        ) >"$T/said" 2>&1
        result=$?
        if [ $result != 0 ]; then
                bad=$((bad + 1))
                echo "not ok $count - $which: ${names[i]}"
                tail -n 20 "$T/said" | cut -c 1-400 | sed 's/^/#   /'
        else
                echo "ok $count - $which: ${names[i]}"
        fi
done
[ $bad = 0 ]
