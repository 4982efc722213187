# shellcheck shell=bash
# For the suites of sessions: servers that run beside a test and are asked to do something, and ways to their sockets.
# shellcheck disable=SC2034 # what is set here is for the tests

# shellcheck source=tests/cli/run_helper.bash
source "${BASH_SOURCE[0]%/*}/run_helper.bash"

eval "run_helper_$(declare -f setup)"

setup() {
        run_helper_setup
        R=$BATS_TEST_TMPDIR/run
        L=$HOME/.local/state/bailey/audit.jsonl
        mkdir "$R"
        clean+=(XDG_RUNTIME_DIR="$R")
        declare -gA server_pid=() server_in=() server_out=()
        calls=0
}

teardown() {
        local name
        for name in "${!server_pid[@]}"; do stop "$name"; done
}

# serve NAME ARGUMENT...: a server that goes on until the test ends, in the current directory
serve() {
        local name=$1 in out
        shift
        rm -f "$BATS_TEST_TMPDIR/$name".{in,out}
        mkfifo "$BATS_TEST_TMPDIR/$name".{in,out}
        (
                for fd in "${server_in[@]}" "${server_out[@]}"; do exec {fd}>&-; done # or those never end
                exec "${wrapper[@]}" "${clean[@]}" "$BAILEY" mcp "$@"
        ) <"$BATS_TEST_TMPDIR/$name.in" >"$BATS_TEST_TMPDIR/$name.out" 2>"$BATS_TEST_TMPDIR/$name.err" 3>&- &
        server_pid[$name]=$!
        exec {in}>"$BATS_TEST_TMPDIR/$name.in" {out}<"$BATS_TEST_TMPDIR/$name.out"
        server_in[$name]=$in server_out[$name]=$out
        call "$name" initialize '{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}' \
                >/dev/null
        printf '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n' >&"$in"
}

# stop NAME: as a client does that goes away
stop() {
        local in=${server_in[$1]} out=${server_out[$1]}
        exec {in}>&- {out}<&-
        if grep -q '^State:.T' "/proc/${server_pid[$1]}/status" 2>/dev/null; then kill -CONT "${server_pid[$1]}"; fi
        wait "${server_pid[$1]}" || true
        unset "server_pid[$1]" "server_in[$1]" "server_out[$1]"
}

# kill_hard NAME
kill_hard() {
        kill -KILL "${server_pid[$1]}"
        stop "$1"
}

# call NAME METHOD PARAMS [FILTER]: the result, or what jq makes of it; a string as it is. Every jq takes as long as many answers.
call() {
        local answer id=$((++calls)) shown
        printf '{"jsonrpc": "2.0", "id": %d, "method": "%s", "params": %s}\n' "$id" "$2" "$3" >&"${server_in[$1]}"
        while read -r -t 60 -u "${server_out[$1]}" answer; do
                shown=$(jq -rc --argjson id "$id" "select(.id == \$id) | .result | ${4-.}" <<<"$answer") || return
                if [ -n "$shown" ]; then
                        printf '%s\n' "$shown"
                        return 0
                fi
        done
        echo "no answer to $2"
        return 1
}

# quoted TEXT: as a string of JSON; by jq only where it has to be
quoted() {
        local text=$1
        if [[ $text == *[[:cntrl:]]* ]]; then
                jq -nc --arg text "$text" '$text'
        else
                text=${text//\\/\\\\}
                printf '"%s"' "${text//\"/\\\"}"
        fi
}

# bash_in NAME COMMAND: runs it there; the answer as JSON
bash_in() {
        call "$1" tools/call "{\"name\": \"Bash\", \"arguments\": {\"command\": $(quoted "$2"), \"description\": \"a test\"}}" .structuredContent
}

# background_in NAME COMMAND: its id
background_in() {
        local arguments
        arguments="{\"command\": $(quoted "$2"), \"description\": \"a test\", \"run_in_background\": true}"
        call "$1" tools/call "{\"name\": \"Bash\", \"arguments\": $arguments}" .structuredContent.shell_id
}

# verdict_in NAME COMMAND: allowed, warned or blocked
verdict_in() {
        call "$1" tools/call "{\"name\": \"bash_sandbox_test\", \"arguments\": {\"command\": $(quoted "$2")}}" .structuredContent.action
}

# session_of NAME: its id
session_of() {
        bailey status --json | jq -r --argjson pid "${server_pid[$1]}" '.sessions[] | select(.pid == $pid).session'
}

# changes_of ID: on a line
changes_of() {
        bailey status --json | jq -r --arg id "$1" '.sessions[] | select(.session == $id).changes | join(", ")'
}

# changed: what is on record of that
changed() {
        jq -r 'select(.kind == "changed").command' "$L" 2>/dev/null
}

# speak SOCKET TEXT: says it, shows what comes back
speak() {
        perl -MSocket -e '
                socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\n";
                connect($s, sockaddr_un($ARGV[0])) or die "connect: $!\n";
                $SIG{PIPE} = "IGNORE";
                syswrite($s, $ARGV[1]);
                shutdown($s, 1);
                print while <$s>;' "$@" 2>&1
}
