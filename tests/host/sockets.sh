#!/usr/bin/env bash
# The living host: runs beside unix sockets that are bound and removed every millisecond. No run may fail for it, on any backend.
# HOST_RUNS=N: how many runs on each. It happens in a mount namespace of its own, with a home of its own.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [ "${1-}" != inner ]; then
        BAILEY=${BAILEY:-$here/../../build/bailey}
        # What is shipped, as hundreds of runs take long with sanitizers.
        if [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        T=$(mktemp -d /tmp/bailey-host.XXXXXX) || exit 1
        trap 'rm -rf "$T"' EXIT
        new=(unshare --mount --ipc --pid --fork --kill-child --mount-proc)
        if [ "$(id -u)" != 0 ]; then new+=(--user --map-current-user --keep-caps); fi
        if ! "${new[@]}" true 2>/dev/null; then
                echo '1..0 # skip no namespaces to run in: needs root or user namespaces'
                exit
        fi
        cp "$BAILEY" "$T/bailey" || exit 1
        env -i T="$T" RUNS="${HOST_RUNS:-300}" HOME="$T/home" BAILEY_HOME_DIR="$T/homes" XDG_RUNTIME_DIR="$T/run" LC_ALL=C.UTF-8 PATH="$PATH" \
                "${new[@]}" bash "$here/sockets.sh" inner
        exit
fi

W=$HOME/project
mkdir -p "$W/d" "$HOME/d" "$T/run" && cd "$W" || exit 1
printf '[sandbox]\nprotect_workspace = false\n' >"$T/landlock.toml"
: >"$T/plain.toml"

works=
for backend in native bwrap landlock; do
        if "$T/bailey" run --backend "$backend" --config "$T/landlock.toml" --workspace "$W" true >/dev/null 2>&1; then works+=" $backend"; fi
done

# In the home, the workspace, and at a place that is listed: bound, and gone again a millisecond later.
cat >"$T/flicker.py" <<'END'
import os, socket, sys, time
while True:
    for path in sys.argv[1:]:
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        time.sleep(0.001)
        server.close()
        os.unlink(path)
END
listed=$T/run/listed
for place in "$HOME/d" "$W/d" "$W"; do python3 "$T/flicker.py" "$place/s" & done
printf '[sandbox]\nunix_sockets = ["%s", "%s"]\n' "$listed" "$HOME/d/s" >"$T/listed.toml"
python3 "$T/flicker.py" "$listed" &

echo 1..5
count=0 bad=0
check() {
        local backend=$1 config=$2 n failed=0

        count=$((count + 1))
        if [[ " $works " != *" $backend "* ]]; then
                echo "ok $count - $backend # skip it does not work here"
                return
        fi
        for ((n = 0; n < RUNS; n++)); do
                if ! "$T/bailey" run --backend "$backend" --config "$T/$config.toml" --workspace "$W" 'echo fine' >"$T/out" 2>"$T/err" </dev/null ||
                        [ "$(cat "$T/out")" != fine ]; then
                        failed=$((failed + 1))
                        sed 's/^/#   /' "$T/err"
                fi
        done
        if [ $failed = 0 ]; then
                echo "ok $count - $RUNS runs by $backend beside sockets that come and go ($config)"
        else
                bad=$((bad + 1))
                echo "not ok $count - $RUNS runs by $backend beside sockets that come and go ($config): $failed failed"
        fi
}
check native plain
check bwrap plain
check landlock landlock
check native listed
check bwrap listed
[ $bad = 0 ]
