#!/usr/bin/env bash
# Tests pass beside four busy sessions of the same user: servers that run one command after the other, some of which bind sockets,
# make files at protected places and end in all ways there are.
# shellcheck disable=SC2016 # commands are given as text
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BAILEY=${BAILEY:-$here/../../build/asan/bailey}
export BAILEY
T=$(mktemp -d /tmp/bailey-busy.XXXXXX) || exit 1
trap 'rm -rf "$T"' EXIT
mkdir "$T/home"
sessions=4

commands=(
        'echo $RANDOM; ls /proc | wc -l'
        'perl -MSocket -e '\''for my $n (1 .. 20) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un("s$n")); listen($s, 1); unlink("s$n") }'\'
        'echo x >.envrc; mkdir -p .vscode; echo x >.vscode/settings.json; exit 3'
        'git init -q r; echo x >r/.git/hooks/pre-commit; rm -rf r'
        'for i in 1 2 3 4 5; do (echo $i >f$i) & done; wait; kill -9 $$'
)

# session NUMBER: calls one after the other until there is $T/stop; a line of what went wrong for each call that was not answered as it
# should be, and how many there were, in $T/NUMBER.calls
session() {
        local id=0 answer command in out fail=0
        mkdir "$T/w$1"
        cd "$T/w$1" || exit 1
        mkfifo "$T/$1.in" "$T/$1.out"
        env -i HOME="$T/home" BAILEY_HOME_DIR="$T/homes" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 ASAN_OPTIONS="${ASAN_OPTIONS-}" timeout -k 5 800 \
                "$BAILEY" mcp --set guard.mode=off <"$T/$1.in" >"$T/$1.out" 2>"$T/$1.err" &
        exec {in}>"$T/$1.in" {out}<"$T/$1.out"
        jq -nc '{jsonrpc: "2.0", id: 0, method: "initialize",
                params: {protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {name: "t", version: "1"}}},
                {jsonrpc: "2.0", method: "notifications/initialized"}' >&"$in"
        while [ ! -e "$T/stop" ]; do
                command=${commands[id++ % ${#commands[@]}]}
                jq -nc --argjson id "$id" --arg c "$command" '{jsonrpc: "2.0", $id, method: "tools/call",
                        params: {name: "Bash", arguments: {command: $c, description: "a test"}}}' >&"$in"
                while answer= && read -r -t 200 -u "$out" answer && [[ $answer != *"\"id\":$id,"* ]]; do :; done
                if ! jq -e '.result.structuredContent | .exit_code != null or .signal != null' <<<"$answer" >/dev/null 2>&1; then
                        echo "session $1, call $id: ${answer:-no answer}" >>"$T/wrong"
                        if ((++fail > 3)); then break; fi
                fi
                echo "$id" >"$T/$1.new" && mv "$T/$1.new" "$T/$1.calls"
        done
        exec {in}>&- {out}<&-
        wait
}

# calls: of all sessions; 0 while one has none
calls() {
        local n sum=0
        for ((n = 1; n <= sessions; n++)); do
                if [ ! -e "$T/$n.calls" ]; then
                        echo 0
                        return
                fi
                sum=$((sum + $(<"$T/$n.calls")))
        done
        echo "$sum"
}

: >"$T/wrong"
for ((n = 1; n <= sessions; n++)); do session "$n" & done
for ((n = 0; n < 4000 && $(calls) == 0; n++)); do sleep 0.05; done
before=$(calls)
status=0
bats --tap -f 'exit status|output is passed|its arguments|not found|signal|nothing of a refused|JSON$|standard input|a directory in|more can be' \
        "$here/../cli/run.bats" >"$T/tap" 2>&1 </dev/null || status=$?
after=$(calls)
: >"$T/stop"
wait

bad=0
# result NUMBER NAME FILE COMMAND...: whether it succeeds; the file tells more
result() {
        if "${@:4}"; then
                echo "ok $1 - $2"
                return
        fi
        bad=1
        echo "not ok $1 - $2"
        head -n 40 "$3" | cut -c 1-400 | sed 's/^/# /'
}

echo "calls before: $before, after: $after" | cat - "$T"/*.err >"$T/calls"
echo 1..3
result 1 "tests of 'bailey run' beside $sessions busy sessions" "$T/tap" [ "$status" = 0 ]
result 2 'the sessions were busy all the while' "$T/calls" [ "$((0 < before && before < after))" = 1 ]
result 3 'all commands of the sessions ran' "$T/wrong" [ ! -s "$T/wrong" ]
exit $bad
