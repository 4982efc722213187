# shellcheck shell=bash
# For lib.sh: builds the clients and makes the contents of the internet, once, in build/net of the repository; leaves that in $prepared.
prepared=${here:?}/../../build/net

# stale FILE...: is one of them newer than what was made?
stale() {
        local file
        for file; do
                if [ ! "$prepared/done" -nt "$file" ]; then return 0; fi
        done
        return 1
}

# built_if_possible PROGRAM WORD...: what is not there is missed by the cases that need it
built_if_possible() {
        if command -v "$1" >/dev/null; then "$@" || return; fi
}

prepare() {
        local clients=$here/clients bin=$prepared/bin

        rm -rf "$prepared"
        mkdir -p "$bin" || return
        python3 -B "$here/internet/make.py" "$prepared" &&
                cc -std=gnu17 -D_GNU_SOURCE -O1 -o "$bin/refuse" "$clients/refuse.c" &&
                cc -std=gnu17 -D_GNU_SOURCE -O1 -o "$bin/plain" "$clients/plain.c" &&
                built_if_possible musl-gcc -std=gnu17 -D_GNU_SOURCE -O1 -static -o "$bin/musl" "$clients/plain.c" || return
        if [ -e /usr/include/ares.h ]; then cc -std=gnu17 -O1 -o "$bin/ares" "$clients/ares.c" -lcares || return; fi
        if command -v go >/dev/null; then
                (
                        cd "$clients" || exit
                        export GOCACHE=$prepared/cache GO111MODULE=off GOFLAGS=-mod=mod HOME=/nonexistent
                        CGO_ENABLED=0 go build -o "$bin/go-own" client.go && CGO_ENABLED=1 go build -o "$bin/go-cgo" client.go
                ) || return
                rm -rf "$prepared/cache"
        fi
        built_if_possible javac -d "$bin" "$clients/Client.java" || return
        cp "$clients"/*.py "$bin" && chmod -R a+rX "$prepared" && touch "$prepared/done"
}

mkdir -p "$here/../../build" || return
exec 9>"$here/../../build/net.lock" || return
flock 9
if stale "$here"/clients/* "$here"/internet/* "$here/prepare.sh" "$here/../work/home/registry.py"; then
        prepare >"$prepared.log" 2>&1 || {
                cat "$prepared.log" >&2
                return 1
        }
fi
exec 9>&-
