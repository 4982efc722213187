#!/usr/bin/env bash
# Older and crowded kernels: the wall around unix sockets stands there, too, and what is missing is said. See older.c.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BAILEY=${BAILEY:-$here/../../build/asan/bailey}
T=$(mktemp -d /tmp/bailey-older.XXXXXX) || exit 1
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$T"' EXIT
export HOME=$T/home XDG_STATE_HOME=$T/state XDG_CONFIG_HOME=$T/config XDG_RUNTIME_DIR=$T/run
W=$HOME/project
mkdir -p "$W" "$T/run" && cd "$W" || exit 1
cc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -o "$T/older" "$here/older.c" || exit 1
if ! "$BAILEY" run --backend native true >/dev/null 2>&1; then
        echo '1..0 # skip native does not work here'
        exit
fi

# Of the host: in the workspace, and abstract.
name=bailey-older-$$
cat >"$T/serve.py" <<'END'
import select, socket, sys
servers = []
for address in "host.sock", "\0" + sys.argv[1]:
    server = socket.socket(socket.AF_UNIX); server.bind(address); server.listen(); servers.append(server)
while True:
    for server in select.select(servers, [], [])[0]:
        server.accept()[0].send(b"host")
END
python3 "$T/serve.py" "$name" &
pids+=($!)
until [ -S host.sock ]; do sleep 0.02; done
cat >try.py <<'END'
import socket, sys, threading
def own(address):
    server = socket.socket(socket.AF_UNIX); server.bind(address); server.listen()
    socket.socket(socket.AF_UNIX).connect(address)
def host(address): print(socket.socket(socket.AF_UNIX).connect(address))
def say(what, how, *arguments):
    try: how(*arguments); print(what, "yes")
    except OSError as error: print(what, error.strerror)
def all():
    say("tmp", own, "/tmp/s"); say("workspace", own, "own.sock"); say("abstract", own, "\0own-" + sys.argv[1])
    say("host", host, "host.sock"); say("host abstract", host, "\0" + sys.argv[1])
thread = threading.Thread(target=all); thread.start(); thread.join() # a thread has a number of its own
END

count=0 bad=0
# check NAME WANTED NOTICE WHAT FLAGS...: what it prints, and that a notice holds these words, or that there is none
check() {
        local name_of=$1 wanted=$2 notice=$3 what=$4 said
        shift 4
        count=$((count + 1))
        rm -f own.sock
        said=$("$T/older" "$what" "$BAILEY" run --backend native "$@" "python3 try.py $name" 2>"$T/err" </dev/null)
        # an empty notice is in no line: then there must be none
        if [ "$said" = "$wanted" ] && [ "$(grep -c . "$T/err")" = "$(grep -c -- "${notice:-^$}" "$T/err")" ] && { [ -z "$notice" ] || [ -s "$T/err" ]; }; then
                echo "ok $count - $name_of"
        else
                bad=$((bad + 1))
                echo "not ok $count - $name_of"
                printf '%s\n' "$said" | sed 's/^/#   /'
                sed 's/^/#   /' "$T/err"
        fi
}
own=$'tmp yes\nworkspace yes\nabstract yes\nhost Permission denied\n'
none=$'tmp Permission denied\nworkspace Permission denied\nabstract Permission denied\nhost Permission denied\nhost abstract Permission denied'
echo 1..5
check 'no Landlock' "$own"'host abstract Connection refused' 'no Landlock: commands can write to pipes' landlock
check "no Landlock, with the host's network" \
        $'tmp yes\nworkspace yes\nabstract Permission denied\nhost Permission denied\nhost abstract Permission denied' \
        'cannot connect to abstract unix sockets\|can write to pipes' landlock --network inherit
check 'another listener' "$none" 'another seccomp listener is already installed' listener
check 'no numbers of threads' "$own"'host abstract Connection refused' '' threads
check "no numbers of threads, with the host's network" "$own"'host abstract Operation not permitted' '' threads --network inherit
[ $bad = 0 ]
