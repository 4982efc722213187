# shellcheck shell=bash disable=SC2034 # hooks use variables that look unused here
# Runs every attack of *.attacks against one backend and speaks TAP; sourced by native.sh, bwrap.sh, ..., by warm.sh, which has them
# run by an MCP server (warm.py), and by no_sandbox.sh, which proves that they would work. TEST_ONLY=REGEX tests/escape/native.sh runs those whose name matches.
#
# A file of attacks:
#
#   === name
#   --- attack                the command that bailey is to run; prints ESCAPED or CANARY when it worked, unless there is
#   --- escaped               a check on the host, afterwards: true when the attack worked
#   --- host                  what to prepare on the host
#   --- call                  how to call it, when not just by: inside "$attack"
#   --- with FLAGS            more flags of `bailey run`
#   --- config                lines for its config file; [sandbox] is open
#   --- environment           lines NAME=VALUE for bailey's own environment
#   --- workspace DIR         instead of @W@
#   --- as root|user          only as these
#   --- refused [BACKEND...]  bailey must refuse with 125 and run nothing, where given only with these backends; "engines" stands
#                             for all container engines
#   --- open BACKEND...: why  there it is known to work, and must be documented
#   --- except BACKEND...: why
#                             there it would show nothing
#   --- alone                 it would end others that run in the same container
#   --- proof root|suite|maybe|none
#                             by no_sandbox.sh it is run without a sandbox, and must then work: only as root; only when the suite
#                             runs as root, which goes for `open`, too; where the host has what it needs; not at all
#
# @W@ (workspace), @HOME@, @OUT@ (the user's own directory elsewhere), @TMP@ (a directory in the host's /tmp), @SLEEPER@
# (process id on the host), @UID@ stand for these; hooks have them as $W $H $OUT $TMP $SLEEPER $uid. @NUMBER@ is another digit in each
# suite, for limits that all commands of a user have together: with another limit they have another cgroup. With `call`, @W@ ...
# in $attack are replaced, too. A hook may set $bailey, to be called instead of $T/bailey.
#
# All of it, runs without a sandbox too, happens in namespaces of its own with a tmpfs over the homes, so that a guarantee that
# fails hurts nobody: there "host" means these.
#
# Of container engines (tests/container/engines.sh; rootless is podman of an ordinary user) those attacks are asked that are about
# files, the network, processes and limits. As containers are slow to make, attacks that need nothing of their own share one.
set -u
backend=$1
runs=$backend # by `bailey run`
engine=
case $backend in
docker | podman | gvisor) engine=$backend ;;
rootless) engine=rootless runs=podman ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

bail() {
        echo "1..0 # skip $*"
        exit 0
}

# ---- outside: into the throwaway namespaces ----

if [ "${2-}" != inner ]; then
        # shellcheck source=tests/apart.sh
        . "$here/../apart.sh"
        BAILEY=${BAILEY:-$here/../../build/bailey}
        # What is shipped: sanitizers need memory that attacks are not to have. Other suites run the other one.
        if [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        if [ ! -x "$BAILEY" ]; then
                echo "$BAILEY is missing: make" >&2
                exit 1
        fi
        if [ -n "$engine" ]; then
                # shellcheck source=tests/container/engines.sh
                . "$here/../container/engines.sh"
                missing=$(engines_missing)
                if [ -n "$missing" ]; then bail "$missing"; fi
        fi
        T=$(mktemp -d /tmp/bailey-escape.XXXXXX) || exit 1
        trap 'rm -rf "$T"' EXIT
        chmod 755 "$T"
        # without the sanitizers of build/asan, which take time and memory of their own
        for program in attack canary; do
                cc -std=gnu17 -D_GNU_SOURCE -O1 -static -o "$T/$program" "$here/$program.c" || exit 1
        done
        apart_need
        case $engine in
        '') whos='root user' ;;
        rootless) whos=user ;;
        *) whos=root ;;
        esac
        for place in {root,user}.{1,2}; do
                who=${place%.*} nth=${place#*.}
                if [[ " $whos " != *" $who "* ]]; then continue; fi
                if [ "$who" = root ] && [ "$(id -u)" != 0 ]; then continue; fi
                if [ "$nth" -gt "${escape_shares:-1}" ]; then continue; fi
                mkdir "$T/$place"
                cp "$BAILEY" "$T/$place/bailey" && cp "$T/attack" "$T/canary" "$here"/{lib.sh,warm.py,together.sh} "$here"/*.attacks \
                        "$here/../container/engines.sh" "$T/$place" || exit 1
                apart_start "$place" T="$T/$place" WHO="$who" SHARE="$nth" SHARES="${escape_shares:-1}" backend_config="${backend_config-}" \
                        ONLY="${TEST_ONLY-}" PLAIN="${escape_plain-}" WARM="${escape_warm-}" bash "$T/$place/lib.sh" "$backend" inner
        done
        apart_end
fi

# ---- inside: the host that attacks are to reach ----

cd / || exit # where we are may soon be covered
me=$(id -u)
uid=$me
if [ "$me" = 0 ] && [ "$WHO" = user ]; then
        # limits on a user's processes add up
        declare -A accounts=([native]=64201 [bwrap]=64202 [landlock]=64203 [none]=64204 [rootless]=64206)
        uid=${accounts[$backend]}
        if [ -n "$WARM" ]; then uid=$((64210 + SHARE)); fi
fi
for place in /root /home /srv /run /var/tmp /dev/shm /usr/local/games /var/opt /etc/opt; do
        if [ -d "$place" ]; then mount -t tmpfs -o mode=755,size=256m bailey-escape "$place" || exit 1; fi
done
chmod 1777 /var/tmp /dev/shm /var/opt /etc/opt /usr/local/games 2>/dev/null
hostname host.example
"$T/canary" up
ip address add 10.77.0.1/32 dev lo 2>/dev/null

TMP=$T/tmp
mkdir -m 777 "$TMP"
echo CANARY >"$TMP/secret"
mkdir -p /home/other /home/agent /run/user
echo CANARY >/home/other/notes
chmod -R a+rX /home/other

# What the attacker may use: an account, a repository, credentials.
plant() {
        local store

        mkdir -p "$1/project/sub" "$1/sockets"
        for store in .ssh/id_ed25519 .aws/credentials .gnupg/private-keys-v1.d/key .netrc .kube/config .docker/config.json \
                .config/gh/hosts.yml .config/gcloud/credentials.db .azure/accessTokens.json .npmrc .pypirc .git-credentials \
                .mozilla/firefox/x.default/logins.json .config/google-chrome/Default/Cookies notes; do
                mkdir -p "$1/$(dirname "$store")"
                echo "CANARY of $store" >"$1/$store"
                chmod 600 "$1/$store"
        done
        echo '//registry.npmjs.org/:_authToken=CANARY' >"$1/.npmrc" # of which all other lines are copied
        echo 'CANARY fd' >"$1/secret"
        echo '# rc' >"$1/.bashrc"
        (
                cd "$1/project" || exit
                export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
                export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
                cp "$T/attack" .
                printf '#!/bin/sh\ntouch %s/pwned\n' "$OUT" >payload
                chmod 755 payload
                mkdir .vscode
                echo '{}' >.vscode/settings.json
                echo 'export A=1' >.envrc
                echo text >file
                echo attack >.gitignore
                git init -q -b main --template= . && mkdir .git/hooks .git/info && echo '#' >.git/hooks/pre-commit.sample && git add -A && git commit -qm first
        )
}

# reset: the attacker's files as they were. Each program that is started here is started for every attack.
reset() {
        local n old

        shopt -s dotglob nullglob
        old=("$OUT" "$H"/*)
        shopt -u dotglob nullglob
        for n in "${!old[@]}"; do
                if [ "${old[n]}" = "$H/sockets" ]; then unset "old[n]"; fi
        done
        rm -rf "${old[@]}"
        cp -a "$template/." "$H/"
        cp -a "$template.outside" "$OUT"
        : >"$T/log"
}

# reached LINE...: is one of them in the log of the canaries?
reached() {
        local wanted line
        while IFS= read -r line; do
                for wanted; do if [ "$line" = "$wanted" ]; then return 0; fi; done
        done <"$T/log"
        return 1
}

# nap SECONDS: as sleep, without a program
nap() {
        read -rt "$1" <>"$T/never" || :
}

# listening PID SPEC: waits until this canary is ready
listening() {
        until reached "ready $2"; do
                kill -0 "$1" || return
                nap 0.02
        done
}

# settle: everything for attacks as this user
settle() {
        H=/home/agent
        if [ "$uid" = 0 ]; then H=/root; fi
        OUT=/srv/outside
        HOMES=/srv/homes # of workspaces
        mkdir -m 700 "$HOMES"
        chown "$uid:$uid" "$HOMES"
        template=/srv/template
        mkdir "$template" "$template.outside"
        plant "$template"
        echo CANARY >"$template.outside/secret"
        chown -R "$uid:$uid" "$template" "$template.outside" "$H"
        as=()
        if [ "$uid" != "$me" ]; then
                as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all)
        elif [ "$me" != 0 ]; then
                as=(setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all)
        fi
        mkdir -p "$H/sockets"
        mkfifo "$T/never"
        : >"$T/log"
        : >"$T/warm.log"
        chmod 666 "$T/log" "$T/warm.log"
        "$T/canary" "$T/log" {tcp,udp}:{127.0.0.1,::1,10.77.0.1}:4711 udp:127.0.0.53:53 {stream,dgram,packet}:@bailey-canary \
                stream:{"$T",/run,/srv}/canary-stream dgram:{"$T",/run,/srv}/canary-dgram stream:"$H/sockets/canary" \
                2>"$T/canary.err" &
        server=$!
        listening $! tcp:127.0.0.1:4711 || {
                cat "$T/canary.err" >&2
                exit 1
        }
        chown -R "$uid:$uid" "$H"
}

patience=200 # seconds; on a busy machine much is slow to make, and containers most of all
engine_env=()
backend_head=
if [ -n "$engine" ]; then
        # shellcheck source=tests/escape/together.sh
        . "$T/together.sh"
fi

# ---- for hooks ----

# expected: the attack has to work, without walls and where that is documented
expected() {
        [ "$walls" = no ] || listed open
}

# in_time COMMAND...: does it succeed? Where it has to, a busy machine may take its time; elsewhere a few looks show what is on
# its way.
in_time() {
        local n tries=5
        if expected; then tries=1200; fi
        for ((n = 0; n < tries; n++)); do
                if "$@"; then return 0; fi
                nap 0.05
        done
        return 1
}

# hit SPEC...: did somebody reach one of these?
hit() {
        in_time reached "$@"
}

# listen SPEC: one more thing to reach
listen() {
        "${as[@]}" "$T/canary" "$T/log" "$1" &
        listening $! "$1"
}

# listen_apart NAMESPACE SPEC [COMMAND]: the same, bound in another namespace, where COMMAND was run before
listen_apart() {
        unshare "--$1" bash -c "${3:-:}"'; shift; exec "$@"' bash "" "${as[@]}" "$T/canary" "$T/log" "$2" &
        listening $! "$2"
}

dead() {
        ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}

# ended PID: is it dead, or about to be?
ended() {
        in_time dead "$1"
}

running() {
        pgrep -fx -- "$1" >/dev/null
}

# end_all ARGS: no such process is left
end_all() {
        while running "$1"; do
                pkill -9 -fx -- "$1"
                sleep 0.05
        done
}

# survivor ARGS: is there such a process, and not just on its way out? It is ended.
survivor() {
        local n
        if [ -n "$engine" ] && ! engine_idle; then return 0; fi
        if expected; then
                in_time running "$1" || return
        else
                for n in {1..1200}; do
                        if ! running "$1"; then return 1; fi
                        sleep 0.05
                done
        fi
        end_all "$1"
}

# until_began: the attack has made this file in its workspace
until_began() {
        local n
        for n in {1..4000}; do
                if [ -e "$W/began" ]; then
                        echo BEGAN
                        return
                fi
                sleep 0.05
        done
}

user_git() {
        "${as[@]}" env -i HOME="$H" PATH="$PATH" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a \
                GIT_COMMITTER_EMAIL=a@example.com GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow \
                GIT_CONFIG_VALUE_0=always git "$@"
}

# git_runs_payload DIR...: does what somebody on the host does there with git run the attacker's program?
git_runs_payload() {
        local dir
        rm -f "$OUT/pwned"
        for dir; do
                (
                        cd "$dir" || exit
                        user_git status
                        echo more >>file
                        user_git add file
                        user_git commit -m more
                        user_git diff HEAD~1
                        user_git checkout -b "b$RANDOM"
                ) >/dev/null 2>&1 </dev/null
        done
        test -e "$OUT/pwned"
}

# inside COMMAND: runs it by bailey, or without it where the attack is to be proved
inside() {
        local -a line=()

        command_line "$1"
        (cd "$W" && exec timeout -k 2 "${limit:-$patience}" "${as[@]}" "${line[@]}") <"${stdin:-/dev/null}"
}

# session COMMAND...: the same for several commands, one after the other, of one session of a server. Not where an attack is to be
# proved: /tmp is then that of the machine
session() {
        local -a line=() before=()
        local WARM=yes

        while [ $# -gt 1 ]; do
                before+=(--before "$1")
                shift
        done
        local -a flags=("${flags[@]}" "${before[@]}")
        inside "$1"
}

# The same with a terminal.
inside_pty() {
        local -a line=()

        command_line "$1"
        (cd "$W" && exec timeout -k 2 $patience "${as[@]}" env SHELL=/bin/bash script -qec "$(printf '%q ' "${line[@]}")" /dev/null </dev/null)
}

# holds_output COMMAND: is its output open long after it has ended? Without walls a moment is enough to see that.
holds_output() {
        local seconds=2
        if [ "$walls" = yes ]; then seconds=100; fi # less than bailey gives a command
        inside "$1" | timeout $seconds cat
        if [ "${PIPESTATUS[1]}" = 124 ]; then echo ESCAPED; fi
}

command_line() {
        line=(env -i PATH="$PATH" LC_ALL=C.UTF-8 ASAN_OPTIONS="${ASAN_OPTIONS-}" BAILEY_HOME_DIR="$HOMES" "${environment[@]}")
        if [ -z "${nohome-}" ]; then line+=("HOME=$H"); fi
        if [ "$walls" = yes ]; then
                line+=("${engine_env[@]}")
                if [ -n "$WARM" ]; then line+=(WARM_LOG="$T/warm.log" python3 -BIS "$T/warm.py" "${bailey-$T/bailey}"); else line+=("${bailey-$T/bailey}" run --no-tty); fi # to a terminal of its own a command may do what it likes
                line+=(--backend "$runs" --config "$T/config.toml" --workspace "$W" "${flags[@]}" "$1")
        elif [ "$uid" = 0 ]; then
                line+=(unshare --mount --uts --ipc bash -c "$1")
        else
                line+=(bash -c "$1")
        fi
}

# ---- attacks ----

names=() files=() SLEEPER=0
declare -A text=() has=()

read_attacks() {
        local file line name key=

        for file in "$T"/*.attacks; do
                name=$(basename "$file" .attacks)
                key=
                while IFS= read -r line || [ -n "$line" ]; do
                        case $line in
                        '=== '*)
                                names+=("${line#=== }")
                                files+=("$name")
                                key=
                                ;;
                        '--- '*)
                                line=${line#--- }
                                key=$((${#names[@]} - 1)):${line%% *}
                                has[$key]=1
                                case ${line%% *} in
                                attack | host | call | escaped | config | environment) text[$key]= ;;
                                *) text[$key]=${text[$key]-}${text[$key]:+$'\n'}${line#* } key= ;;
                                esac
                                ;;
                        *) if [ -n "$key" ]; then text[$key]+=$line$'\n'; fi ;;
                        esac
                done <"$file"
        done
}

case $backend${WARM:+-warm} in
native) number=1 ;;
native-warm) number=2 ;;
bwrap) number=3 ;;
landlock) number=4 ;;
*) number=5 ;;
esac

expand() {
        local value=$1
        value=${value//@W@/$W}
        value=${value//@HOME@/$H}
        value=${value//@OUT@/$OUT}
        value=${value//@TMP@/$TMP}
        value=${value//@T@/$T}
        value=${value//@UID@/$uid}
        value=${value//@NUMBER@/$number}
        expanded=${value//@SLEEPER@/$SLEEPER}
}

field() {
        expand "${text[$i:$1]-}"
}

# start_sleeper: a process of the host, for attacks on processes
start_sleeper() {
        env -i CANARY_SECRET=CANARY-environ "${as[@]}" bash -c 'exec -a bailey-sleeper sleep 10000' 2>/dev/null &
        SLEEPER=$!
        disown "$SLEEPER" # bash would report its end
        until is_asleep; do nap 0.01; done
}

# is_asleep: is it there, and no zombie?
is_asleep() {
        local name=''
        { read -r -d '' name <"/proc/$SLEEPER/cmdline"; } 2>/dev/null
        [ "$name" = bailey-sleeper ]
}

# wake: end the sleeper, where attack i could have done something to it other than to end it
wake() {
        local key
        for key in attack host call escaped; do
                if [[ ${text[$i:$key]-} =~ SLEEPER|sleeper|kill|ptrace|prlimit|nice|/proc ]]; then
                        kill -9 "$SLEEPER" 2>/dev/null
                        SLEEPER=0
                        return
                fi
        done
}

# prepare: the host, a workspace, a config and flags for attack i
prepare() {
        reset
        W=$H/project
        if ! is_asleep; then start_sleeper; fi
        field workspace
        if [ -n "$expanded" ]; then W=$expanded; fi
        field with
        read -ra flags <<<"$expanded"
        field environment
        environment=()
        if [ -n "$expanded" ]; then mapfile -t environment <<<"${expanded%$'\n'}"; fi
        field config
        printf '[guard]\nmode = "off"\n%s\n[sandbox]\n%s\n%s\n' "$backend_head" "${backend_config-}" "$expanded" >"$T/config.toml"
}

# escaped: did attack i work, which said what is in $T/out?
escaped() {
        if [ -n "${has[$i:escaped]-}" ]; then
                (eval "${text[$i:escaped]}") >"$T/check" 2>&1
        else
                says ESCAPED || says CANARY
        fi
}

# says TEXT: is it in what the attack said? By the shell, as this is asked of every attack; what is not text, it skips.
says() {
        local part LC_ALL=C
        while IFS= read -r -d '' part || [ -n "$part" ]; do
                if [[ $part == *"$1"* ]]; then return 0; fi
        done <"$T/out"
        return 1
}

# attempt yes|no: one attack with walls or without. True when it worked.
attempt() {
        walls=$1
        local status=0

        prepare
        field attack
        attack=$'echo BEGAN\n'$expanded
        (
                if [ -n "${has[$i:host]-}" ]; then
                        eval "${text[$i:host]}" || echo 'the host hook failed'
                fi
                eval "${text[$i:call]-inside \"\$attack\"}"
                status=$?
                echo
                echo "status $status"
        ) >"$T/out" 2>&1 </dev/null
        escaped
        status=$?
        wake
        return $status
}

# listed FIELD: does it name the backend? What is behind a colon does not count.
listed() {
        local line word
        while IFS= read -r line; do
                for word in ${line%%:*}; do
                        if [ "$word" = "$backend" ] || [ "$word" = "${engine:+engines}" ]; then return 0; fi
                done
        done <<<"${text[$i:$1]-}"
        return 1
}

# judge: how one attack went; prints what is wrong with that
judge() {
        if [ -n "${group_of[$i]-}" ]; then
                judge_together
                return
        fi
        local proof=${text[$i:proof]-} open=no refused=no

        if listed open; then open=yes; fi
        if [ $open = yes ] && [ "$proof" = suite ] && [ "$me" != 0 ]; then open=maybe; fi # only root can prepare it
        if [ -n "${has[$i:refused]-}" ] && { [ "${text[$i:refused]}" = refused ] || listed refused; }; then refused=yes; fi
        if [ -z "$PLAIN" ]; then proof=none; fi
        case ${proof%% *} in
        none | none:) ;;
        suite) if [ "$me" = 0 ]; then attempt no || echo 'does not work without walls either'; fi ;;
        root) if [ "$uid" = 0 ]; then attempt no || echo 'does not work without walls either'; fi ;;
        maybe) attempt no ;;
        *) attempt no || echo 'does not work without walls either' ;;
        esac
        if [ -n "$PLAIN" ]; then return; fi
        if attempt yes; then
                if [ $open = no ]; then echo 'IT WORKED'; fi
        elif [ $open = yes ]; then
                echo 'is documented to work here, but did not'
        fi
        if [ $refused = yes ]; then
                if ! says $'\nstatus 125\n' || says BEGAN; then echo 'was not refused'; fi
        elif ! says BEGAN; then
                echo 'did not run'
        fi
        if says 'SERVER DIED'; then echo 'the server died'; fi
}

read_attacks
declare -A group_of=()
cases=()
for i in "${!names[@]}"; do
        if [ -n "$ONLY" ] && ! [[ "$WHO: ${files[i]}: ${names[i]}" =~ $ONLY ]]; then continue; fi
        if [ -n "$PLAIN" ] && [[ ${text[$i:proof]-} == none* ]]; then continue; fi
        if [ -n "$engine" ] && ! engine_asks; then continue; fi
        if [ $((i % SHARES + 1)) != "$SHARE" ]; then continue; fi
        if [ "${text[$i:as]-$WHO}" = "$WHO" ]; then cases+=("$i"); fi
done

planned=${#cases[@]}
if [ -n "$ONLY" ]; then WARM_SHARE=; else WARM_SHARE=$WARM; fi # few cases say nothing about how many were ready
if [ -n "$WARM_SHARE" ]; then planned=$((planned + 1)); fi
settle
if [ -n "$engine" ]; then gather; fi
if [ -n "$ONLY" ]; then echo "# only $ONLY"; fi
echo "1..$planned"
count=0 bad=0
for i in "${cases[@]}"; do
        count=$((count + 1))
        : >"$T/out"
        judge >"$T/doubt"
        if [ -s "$T/doubt" ]; then
                bad=$((bad + 1))
                echo "not ok $count - $WHO: ${files[i]}: ${names[i]}"
                sed 's/^/# /' "$T/doubt"
                tail -n 12 "$T/out" | cut -c 1-600 | sed 's/^/#   /'
        else
                echo "ok $count - $WHO: ${files[i]}: ${names[i]}"
        fi
done
if [ -n "$WARM_SHARE" ]; then # not for all that can be limited: a group cannot be made beforehand
        ready=$(grep -c warm "$T/warm.log") others=$(grep -c cold "$T/warm.log")
        if [ "$others" -gt $((${#cases[@]} / 10 + 1)) ] || [ "$ready" -lt $((${#cases[@]} / 2)) ]; then
                bad=$((bad + 1))
                printf 'not '
        fi
        echo "ok $((count + 1)) - $WHO: in sandboxes that were ready: $ready, in others: $others"
fi
kill "$server"
[ $bad = 0 ]
