# shellcheck shell=bash disable=SC2154 # those who source it have set $T
# For suites of which parts run at once, each in namespaces of its own: escape/, host/, net/ and work/.

# apart_need: sets `new`, the words before a program that is to be in new namespaces; skips the suite where there are none
apart_need() {
        new=(unshare --mount --uts --ipc --net --pid --fork --kill-child --mount-proc)
        if [ "$(id -u)" != 0 ]; then new+=(--user --map-current-user --keep-caps); fi
        if ! "${new[@]}" true 2>/dev/null; then
                echo '1..0 # skip no namespaces for this: needs root or user namespaces'
                exit 0
        fi
}

# apart_start NAME [VARIABLE=VALUE...] COMMAND...: a part, with a clean environment
parts=()
apart_start() {
        local name=$1 variables=()

        shift
        while [[ $1 == *=* ]]; do
                variables+=("$1")
                shift
        done
        env -i "${variables[@]}" ASAN_OPTIONS="${ASAN_OPTIONS-}" HOME=/nonexistent LC_ALL=C.UTF-8 \
                PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${new[@]}" "$@" >"$T/$name.tap" 2>"$T/$name.err" &
        parts+=($!)
}

# apart_end: waits for them, and ends with what they said
apart_end() {
        local part status=0

        for part in "${parts[@]}"; do wait "$part" || status=$?; done
        cat "$T"/*.tap
        cat "$T"/*.err >&2
        exit $status
}
