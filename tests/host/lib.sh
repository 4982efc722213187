# shellcheck shell=bash disable=SC2034 # suites use variables that look unused here
# For the suites of the living host: a user with a home and a workspace, who goes on working while commands run. Sourced first by
# each suite, which then runs once as root, where that can be had, and once as an ordinary user, in namespaces of its own with a tmpfs
# over the homes: so nothing of the real user's is in reach, and "all processes" means all of the test's.
# TEST_ONLY=REGEX tests/host/user.sh runs the cases whose name matches.
set -u

if [ -z "${HOST_WHO-}" ]; then
        here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
        # shellcheck source=tests/apart.sh
        . "$here/../apart.sh"
        BAILEY=${BAILEY:-$here/../../build/asan/bailey}
        # What is shipped, where many run at once: sanitizers take time and memory of their own.
        if [ -n "${host_release-}" ] && [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        T=$(mktemp -d /tmp/bailey-host.XXXXXX) || exit 1
        trap 'rm -rf "$T"' EXIT
        chmod 755 "$T"
        apart_need
        for who in root user; do
                if [ "$who" = root ] && [ "$(id -u)" != 0 ]; then continue; fi
                mkdir "$T/$who"
                cp "$BAILEY" "$T/$who/bailey" && cp "$here"/*.sh "$here"/*.py "$T/$who" || exit 1
                apart_start "$who" T="$T/$who" HOST_WHO="$who" ONLY="${TEST_ONLY-}" ROUNDS="${CRASH_ROUNDS-}" SEED="${CRASH_SEED-}" \
                        bash "$T/$who/${0##*/}"
        done
        apart_end
fi

# ---- the host ----

uid=$(id -u)
as=()
if [ "$uid" != 0 ]; then
        as=(setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all)
elif [ "$HOST_WHO" = user ]; then
        # limits on a user's processes add up, so each suite has an account of its own
        declare -A accounts=([user.sh]=64221 [plants.sh]=64222 [git.sh]=64223 [crash.sh]=64224 [covers.sh]=64225
                [git_top.sh]=64226)
        uid=${accounts[${0##*/}]}
        as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all)
fi
for place in /root /home /srv /run /var/tmp /dev/shm; do
        mount -t tmpfs -o mode=755,size=1g bailey-host "$place" || exit 1
done
chmod 1777 /var/tmp /dev/shm
H=/home/agent account=agent
if [ "$uid" = 0 ]; then
        H=/root account=root
else
        # somebody with a name, so that ~agent/ means something
        grep -v -e "^[^:]*:[^:]*:$uid:" -e '^agent:' /etc/passwd >/run/passwd
        echo "agent:x:$uid:$uid::/home/agent:/bin/sh" >>/run/passwd
        mount --bind /run/passwd /etc/passwd || exit 1
fi
mkdir -p "$H" /srv/template "$T/homes"
W=$H/project
pwned=$H/pwned # the payload's only work is to make this file
chown "$uid:$uid" "$H" "$T/homes"

environment=(env -i HOME="$H" BAILEY_HOME_DIR="$T/homes" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 TERM=xterm GIT_CONFIG_NOSYSTEM=1
        npm_config_update_notifier=false ASAN_OPTIONS="${ASAN_OPTIONS-}")

# user SCRIPT: what the user does on the host, in the workspace
user() {
        (cd "$W" && "${as[@]}" "${environment[@]}" W="$W" H="$H" pwned="$pwned" bash -euc "$1") >>"$T/said" 2>&1 </dev/null
}

# user_says SCRIPT: the same, for what it prints
user_says() {
        (cd "$W" && "${as[@]}" "${environment[@]}" W="$W" H="$H" pwned="$pwned" bash -euc "$1") 2>>"$T/said" </dev/null
}

# template SCRIPT: how the home of every case begins; it is prepared once, in its place, as git notes paths
template() {
        mkdir -p "$W"
        chown "$uid:$uid" "$W"
        if ! user "$1"; then
                cat "$T/said" >&2
                echo 'the template failed' >&2
                exit 1
        fi
        cp -a "$H/." /srv/template/
}

# fresh: home and workspace as in the template
fresh() {
        chmod -R u+rwx "$H"
        find "$H" -mindepth 1 -delete
        cp -a /srv/template/. "$H/"
        W=$H/project
        : >"$T/said"
}

# ---- waiting ----

mkfifo "$T/never"

# nap SECONDS: as sleep, without a program: those who wait look often
nap() {
        read -rt "$1" <>"$T/never" || :
}

# within COMMAND...: until it succeeds; generous, as machines may be busy
within() {
        local end=$((SECONDS + 100))
        until "$@"; do
                if ((SECONDS > end)); then
                        echo "waited in vain: $*"
                        return 1
                fi
                nap 0.02
        done
}

exists() {
        [ -e "$1" ] || [ -L "$1" ]
}

# ---- commands ----

backend=native
flags=(--set guard.mode=off) # what is tried here is about the walls
declare -A job=()

bailey() {
        (cd "$W" && exec timeout -k 5 200 "${as[@]}" "${environment[@]}" "$T/bailey" "$@") </dev/null
}

# run COMMAND: by bailey; its status
run() {
        bailey run --backend "$backend" --workspace "$W" "${flags[@]}" "$1" >>"$T/said" 2>&1
}

# start NAME COMMAND: beside the test; what it says goes to $T/NAME.said. In commands, `now NAME` and `wait_for NAME` make and await
# files in a directory of the workspace.
start() {
        make_sync
        bailey run --backend "$backend" --workspace "$W" "${flags[@]}" "$(with_sync "$2")" >"$T/$1.said" 2>&1 &
        job[$1]=$!
}

# make_sync: the directory, with a pipe in which nobody writes, for those who wait
make_sync() {
        mkdir -p "$W/sync"
        if [ ! -p "$W/sync/never" ]; then mkfifo -m 666 "$W/sync/never"; fi
        chown "$uid:$uid" "$W/sync"
}

# shellcheck disable=SC2016 # a script
with_sync() {
        printf 'sync=%q\n%s\n%s\n' "$W/sync" 'now() { : >"$sync/$1"; }
                nap() { read -rt 0.02 <>"$sync/never" || [ $? -gt 128 ] || sleep 0.02; } 2>/dev/null
                wait_for() { for ((i = 0; i < 6000; i++)); do [ ! -e "$sync/$1" ] || return 0; nap; done; return 1; }' "$1"
}

# began NAME: somebody, or a command, has said `now NAME`; fails at once if the command of that name has ended without it
began() {
        local end=$((SECONDS + 100))
        until [ -e "$W/sync/$1" ]; do
                if ((SECONDS > end)) || { [ -n "${2-}" ] && ! kill -0 "${job[$2]}" 2>/dev/null && [ ! -e "$W/sync/$1" ]; }; then
                        echo "'$1' was never said"
                        if [ -n "${2-}" ]; then tail -n 5 "$T/$2.said"; fi
                        return 1
                fi
                nap 0.02
        done
}

# now NAME: the test says it
now() {
        mkdir -p "$W/sync"
        : >"$W/sync/$1"
}

# ended NAME: waits for the end of that command; its status
ended() {
        local status=0
        wait "${job[$1]}" || status=$?
        cat "$T/$1.said" >>"$T/said"
        return "$status"
}

# ---- servers ----

declare -A server=() server_in=() server_out=()
calls=0

# serve NAME: an MCP server beside the test
serve() {
        local in out fd
        rm -f "$T/$1.in" "$T/$1.out"
        mkfifo "$T/$1.in" "$T/$1.out"
        (
                for fd in "${server_in[@]}" "${server_out[@]}"; do exec {fd}>&-; done # or those never end
                cd "$W" && exec timeout -k 5 400 "${as[@]}" "${environment[@]}" "$T/bailey" mcp --backend "$backend" --workspace "$W" "${flags[@]}"
        ) <"$T/$1.in" >"$T/$1.out" 2>>"$T/said" &
        server[$1]=$!
        exec {in}>"$T/$1.in" {out}<"$T/$1.out"
        server_in[$1]=$in server_out[$1]=$out
        call "$1" initialize '{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}' \
                >/dev/null
        send "$1" '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
}

# stop NAME: as a client does that goes away
stop() {
        local in=${server_in[$1]} out=${server_out[$1]}
        exec {in}>&- {out}<&-
        wait "${server[$1]}"
        unset "server[$1]" "server_in[$1]" "server_out[$1]"
}

# send NAME MESSAGE: not by this shell, which would end with the server
send() {
        (printf '%s\n' "$2") >&"${server_in[$1]}"
}

# quoted TEXT: as a string of JSON. Here and below without jq, which takes longer to start than a server to answer.
quoted() {
        local text=$1
        text=${text//\\/\\\\}
        text=${text//\"/\\\"}
        text=${text//$'\n'/\\n}
        printf '"%s"' "${text//$'\t'/\\t}"
}

# member NAME ANSWER: the string of that name in an answer; within strings, quotes are escaped
member() {
        if [[ $2 =~ \"$1\":\ *\"([^\"\\]*)\" ]]; then printf '%s\n' "${BASH_REMATCH[1]}"; fi
}

# call NAME METHOD PARAMS: the answer
call() {
        local answer id=$((++calls))
        send "$1" "{\"jsonrpc\": \"2.0\", \"id\": $id, \"method\": \"$2\", \"params\": $3}"
        while read -r -t 100 -u "${server_out[$1]}" answer; do
                if [[ $answer =~ ^\{\"jsonrpc\":\ *\"2.0\",\ *\"id\":\ *$id, ]]; then
                        printf '%s\n' "$answer"
                        return 0
                fi
        done
        echo "no answer to $2"
        return 1
}

# background NAME COMMAND: the id of the shell
background() {
        local arguments
        make_sync
        arguments="{\"command\": $(quoted "$(with_sync "$2")"), \"description\": \"a test\", \"run_in_background\": true}"
        member shell_id "$(call "$1" tools/call "{\"name\": \"Bash\", \"arguments\": $arguments}")"
}

# output_of NAME ID [MILLISECONDS]: the answer of the server about a shell, at once, or when it has something to say
output_of() {
        call "$1" tools/call "{\"name\": \"BashOutput\", \"arguments\": {\"shell_id\": \"$2\"${3:+, \"wait_ms\": $3}}}"
}

# shell_ended NAME ID: what the server says of it in the end
shell_ended() {
        local answer end=$((SECONDS + 100))
        while ((SECONDS < end)); do
                answer=$(output_of "$1" "$2" 1000) || break
                if [ "$(member status "$answer")" != running ]; then
                        printf '%s\n' "$answer"
                        return
                fi
        done
        echo 'the shell does not end'
        return 1
}

# ---- what is set aside ----

# aside: what is there, a line of ID and absolute path for each
aside() {
        bailey aside list --json 2>>"$T/said" |
                jq -r --arg w "$W" '.. | objects | select(has("id") and has("path")) |
                        "\(.id) \(if .path | startswith("/") then .path else $w + "/" + .path end)"' 2>>"$T/said"
}

# aside_of PATH [LIST]: the ids under which it, or a directory that it is in, is aside; LIST is what aside() has printed before
aside_of() {
        local id path
        while read -r id path; do
                case $1/ in "$path"/*) echo "$id" ;; esac
        done <<<"${2-$(aside)}"
}

# is_aside PATH [LIST]
is_aside() {
        [ -n "$(aside_of "$@")" ]
}

# litter: what of bailey's is in the workspace, or beside it
litter() {
        find "$H" -path "$H/.local/state/bailey" -prune -o \( -iname '*bailey*' -o -iname '*aside*' \) -print
}

# ---- results ----

count=0 bad=0

# t NAME COMMAND...: a case; the command prints what is wrong, and nothing when all is well
t() {
        local name=$1
        shift
        if [ -n "$ONLY" ] && ! [[ "$HOST_WHO: $name" =~ $ONLY ]]; then return; fi
        count=$((count + 1))
        : >"$T/said"
        "$@" >"$T/doubt" 2>&1 || echo 'and it failed' >>"$T/doubt"
        if [ -s "$T/doubt" ]; then
                bad=$((bad + 1))
                echo "not ok $count - $HOST_WHO: $name"
                sed 's/^/# /' "$T/doubt"
                tail -n 15 "$T/said" | cut -c 1-300 | sed 's/^/#   /'
        else
                echo "ok $count - $HOST_WHO: $name"
        fi
        for name in "${!server[@]}"; do stop "$name"; done
}

# finish: the plan, and the status of the suite
finish() {
        if [ -n "$ONLY" ]; then echo "# only $ONLY"; fi
        echo "1..$count"
        [ "$bad" = 0 ]
}
