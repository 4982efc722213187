# shellcheck shell=bash disable=SC2034 # hooks use variables that look unused here
# Runs the cases of *.net in a made-up internet and speaks TAP. native.sh runs all of them in one combination, matrix.sh the short ones in all
# others: root or user, native or bwrap, connections caught by TPROXY or by ports, cold (bailey run) or warm (bailey mcp).
# Where net_shares is set, that many run at once, each with an internet of its own and its share of the cases, as most of them wait.
# TEST_ONLY=REGEX tests/net/native.sh runs the cases whose name matches. NET_PLAIN=1 runs them without bailey, which shows that the internet
# works, and that what is refused could be had. NET_KILLS=100 TEST_ONLY=random tests/net/native.sh kills the gateway that often.
#
# A file of cases:
#
#   === name
#   --- hosts HOST...      sandbox.network.hosts; without, there are none
#   --- environment N=V... of bailey, in addition
#   --- later HOST...      those that are allowed in its course
#   --- kind KIND          instead of allow_hosts
#   --- network            more lines of [sandbox.network]
#   --- config             more of the config
#   --- host               what is prepared on the host, in the workspace
#   --- command            what bailey runs
#   --- call               how, when not just by: inside "$command"
#   --- with FLAGS         more flags of `bailey run`
#   --- status N           its exit status, when not 0; "any"
#   --- says               what it prints, exactly
#   --- prints             lines that are in what it prints, or says on stderr; "! TEXT": that is not
#   --- then               a check on the host, afterwards
#   --- without            what it prints without bailey
#   --- sandbox only       not with NET_PLAIN=1
#   --- short case         in every combination
#   --- capture tproxy|ports
#                          only with this
#   --- how cold|warm      only so
#   --- as root|user       only as these
#   --- needs PROGRAM...   skipped without these
#   --- secret             it may reach what is else never reached
#
# @W@ (workspace), @N@ (the clients' directory) and @T@ stand for these; hooks have $W $N $T $H $uid, and the functions below.
#
# Of every case these hold, too: no SECRET in the output; the resolver was asked for no name that is not in `hosts`; no server was reached
# at an address of none of them.
set -u
part=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# ---- outside: programs and contents, once; then into namespaces ----

if [ "${2-}" != inner ]; then
        # shellcheck source=tests/apart.sh
        . "$here/../apart.sh"
        BAILEY=${BAILEY:-$here/../../build/bailey}
        # What is shipped: what is relayed, and how fast, is for the other suites of the gateway.
        if [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        if [ ! -x "$BAILEY" ] && [ -z "${NET_PLAIN-}" ]; then
                echo "$BAILEY is missing: make" >&2
                exit 1
        fi
        apart_need
        # shellcheck source=tests/net/prepare.sh
        . "$here/prepare.sh" || exit 1
        T=$(mktemp -d /tmp/bailey-net.XXXXXX) || exit 1
        trap 'rm -rf "$T"' EXIT
        chmod 755 "$T"
        for ((share = 0; share < ${net_shares:-1}; share++)); do
                own=$T/$share
                mkdir "$own"
                if [ -x "$BAILEY" ]; then cp "$BAILEY" "$own/bailey" || exit 1; fi
                if [ -x "${BAILEY%/*}/bailey-tls" ]; then cp "${BAILEY%/*}/bailey-tls" "$own" || exit 1; fi
                cp -R "$here"/*.{sh,awk,py,net} "$here/clients" "$here/internet" "$here/../escape/warm.py" "$own" &&
                        cp -R "$prepared" "$own/made" || exit 1
                apart_start "$share" T="$own" SHARE="$share" SHARES="${net_shares:-1}" ONLY="${TEST_ONLY-}" KILLS="${NET_KILLS-}" \
                        PLAIN="${NET_PLAIN-}" bash "$own/lib.sh" "$part" inner
        done
        apart_end
fi

# ---- inside: a host on the internet ----

cd / || exit # where we are may soon be covered
me=$(id -u)
declare -A accounts=([all]=64241 [short]=64251)
user=$me server=$me
# shellcheck disable=SC2153 # apart_start has set it
if [ "$me" = 0 ]; then user=$((${accounts[$part]} + SHARE)) server=64220; fi # limits on a user's processes add up
N=/srv/net
# shellcheck source=tests/net/internet.sh
. "$T/internet.sh"
internet_start "$part" || {
        cat "$T"/*.err >&2
        echo 'Bail out! The internet did not start.'
        exit 1
}

# ---- for hooks ----

# asked NAME: was the resolver of the internet?
asked() {
        grep -q "^$1 " "$T/questions"
}

# reached ADDRESS PORT: was a server?
reached() {
        grep -qx "tcp $1 $2" "$T/visits"
}

# visited TEXT: is it in a line of the servers' log?
visited() {
        grep -qF -- "$1" "$T/visits"
}

# in_time COMMAND...: does it succeed, before long?
in_time() {
        local n
        for n in {1..400}; do
                if "$@"; then return 0; fi
                read -rt 0.05 <>"$T/never"
        done
        return 1
}

# printed TEXT: has the command, which still runs?
printed() {
        grep -qF -- "$1" "$T/stdout"
}

# user_bailey WORD...: as the person, on the host
user_bailey() {
        (cd "$W" && exec "${as[@]}" "${environment[@]}" "$bailey" "$@") </dev/null
}

# inside COMMAND: by bailey, or without it where the internet is to be shown
inside() {
        local line=("$bailey" run)

        if [ -n "$PLAIN" ]; then
                line=(bash -c "$1")
        else
                if [ "$warmth" = warm ]; then line=(python3 -BIS "$T/warm.py" "$bailey"); fi
                line+=(--backend "$backend" --config "$T/config.toml" --workspace "$W" "${flags[@]}" "$1")
                if [ -n "$refuse" ]; then line=("$N/refuse" "$refuse" "${line[@]}"); fi
        fi
        (cd "$W" && exec timeout -k 2 100 "${as[@]}" "${environment[@]}" "${line[@]}") >>"$T/stdout" 2>>"$T/stderr" <"${stdin:-/dev/null}"
}

# inside_background COMMAND: the same, while other things happen; sets $running, and `stdin` of it is open until end_inside
inside_background() {
        rm -f "$T/stdin"
        mkfifo "$T/stdin"
        stdin=$T/stdin inside "$1" &
        running=$!
        exec 8>"$T/stdin"
}

# end_inside: its end of input, and its exit status
end_inside() {
        exec 8>&-
        wait "$running"
}

# gateways: the processes that stand between commands and the internet: bailey's, confined, in the network of the host
gateways() {
        local pid
        for pid in /proc/[0-9]*; do
                if [ "$(readlink "$pid/exe")" = "$(readlink -f "$bailey")" ] && [ "$(readlink "$pid/ns/net")" = "$host_network" ] &&
                        grep -q '^Seccomp:.*2$' "$pid/status"; then echo "${pid#/proc/}"; fi
        done 2>/dev/null
}

# no_gateways: none is left
no_gateways() {
        [ -z "$(gateways)" ]
}

# memory PID: its resident KiB
memory() {
        awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}

# record: the last that the audit log has about a command, as JSON
record() {
        jq -c 'select(.network)' "$H/.local/state/bailey/audit.jsonl" | tail -n 1
}

# session: `bailey mcp` by the lines of its standard input; see session.py
session() {
        (cd "$W" && exec timeout -k 2 "${patience:-100}" "${as[@]}" "${environment[@]}" XDG_RUNTIME_DIR="$H/run" T="$T" N="$N" KILLS="$KILLS" python3 -BIS "$T/session.py" "$bailey" \
                --backend "$backend" --config "$T/config.toml" --workspace "$W") >>"$T/stdout" 2>>"$T/stderr"
}

# ---- cases ----

names=() files=()
declare -A text=()

read_cases() {
        local file line name key=

        for file in "$T"/*.net; do
                name=$(basename "$file" .net)
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
                                case ${line%% *} in
                                network | config | host | command | call | says | prints | then | without) text[$key]= ;;
                                *) text[$key]=${line#* } key= ;;
                                esac
                                ;;
                        *) if [ -n "$key" ]; then text[$key]+=$line$'\n'; fi ;;
                        esac
                done <"$file"
        done
}

expand() {
        expanded=${1//@W@/$W}
        expanded=${expanded//@N@/$N}
        expanded=${expanded//@T@/$T}
}

# write_config: for case i
write_config() {
        local word list=

        for word in ${text[$i:hosts]-}; do list+="\"$word\", "; done
        printf '[guard]\nmode = "off"\n[sandbox.network]\nkind = "%s"\nhosts = [%s]\n%s\n%s\n' "${text[$i:kind]-allow_hosts}" "$list" \
                "${text[$i:network]-}" "${text[$i:config]-}" >"$T/config.toml"
}

# strangers: who was asked for, or reached, and should not have been
strangers() {
        local hosts="${text[$i:hosts]-} ${text[$i:later]-}" word

        if [ -n "$PLAIN" ] || [ "${text[$i:kind]-}" = inherit ] || [ -n "${text[$i:secret]-}" ]; then return; fi
        for word in "${flags[@]}"; do hosts+=" $word"; done
        awk -v hosts="$hosts" -v packages="${text[$i:kind]-} ${text[$i:with]-}" -f "$T/strangers.awk" "$T/made/names.txt" "$T/questions" \
                "$T/visits" || echo 'cannot tell who was asked for'
}

# compare: what is wrong with what case i printed
compare() {
        local line wanted

        wanted=${text[$i:says]-}
        if [ -n "$PLAIN" ] && [ -n "${text[$i:without]-}" ]; then wanted=${text[$i:without]}; fi
        expand "$wanted"
        if [ -n "$expanded" ] && [ "$(printf %s "$expanded")" != "$(tr -d '\0' <"$T/stdout")" ]; then echo 'said something else'; fi
        if [ -z "$PLAIN" ]; then
                expand "${text[$i:prints]-}"
                while IFS= read -r line; do
                        case $line in
                        '') ;;
                        '! '*) if grep -qF -- "${line#! }" "$T/stdout" "$T/stderr"; then echo "said: ${line#! }"; fi ;;
                        *) grep -qF -- "$line" "$T/stdout" "$T/stderr" || echo "did not say: $line" ;;
                        esac
                done <<<"$expanded"
                if [ -z "${text[$i:secret]-}" ] && grep -q SECRET "$T/stdout" "$T/stderr"; then echo 'REACHED A SECRET'; fi
        fi
}

# check: runs case i, and prints what is wrong with it
check() {
        local flags=() words=() status=0

        find "$H" -mindepth 1 -delete
        mkdir -p "$W"
        mkdir -m 700 "$H/run"
        cp "$N/user_key" "$W/key"
        chown -R "$uid:$uid" "$H"
        resolv_conf 'nameserver 9.9.9.9'
        if [ -n "${text[$i:host]-}" ]; then
                (cd "$W" && set -e && eval "${text[$i:host]}") >"$T/stderr" 2>&1 || {
                        echo 'the host hook failed'
                        return
                }
                chown -R "$uid:$uid" "$H"
        fi
        read -ra flags <<<"${text[$i:with]-}"
        read -ra words <<<"${text[$i:environment]-}"
        environment+=("${words[@]}")
        write_config
        empty stdout stderr questions visits
        rm -f "$T/answers" "$T/with" # what a case before it made, in another combination
        expand "${text[$i:command]-}"
        command=$expanded
        expand "${text[$i:call]-inside \"\$command\"}"
        eval "$expanded" 2>>"$T/stderr" || status=$?
        if [ -n "$PLAIN" ] && [ -n "${text[$i:without]-}" ]; then
                : # whatever it is
        elif [ "${text[$i:status]-0}" != any ] && [ "$status" != "${text[$i:status]-0}" ]; then
                echo "exit status $status"
        fi
        compare
        if [ -z "$PLAIN" ] && [ -n "${text[$i:then]-}" ]; then
                (cd "$W" && set -e && eval "${text[$i:then]}") >>"$T/stderr" 2>&1 || echo 'the check on the host failed'
        fi
        strangers
}

# wanted: is case i one of this combination?
wanted() {
        local key value

        for value in as:$who capture:$capture how:$warmth; do
                key=${value%%:*}
                if [ "${text[$i:$key]-${value#*:}}" != "${value#*:}" ]; then return 1; fi
        done
        if [ -n "$PLAIN" ]; then [ -z "${text[$i:sandbox]-}" ] && return; fi
        if [ -n "$PLAIN" ]; then return 1; fi
        if [ "$warmth" = warm ] && { [ -n "${text[$i:with]-}" ] || [ -n "${text[$i:call]-}" ]; }; then return 1; fi
        [ "$part" = all ] || [ -n "${text[$i:short]-}" ]
}

# combine WHO BACKEND CAPTURE COLD|WARM: everything for cases in this combination
combine() {
        who=$1 backend=$2 capture=$3 warmth=$4
        uid=$user H=/home/agent refuse='' bailey=$T/bailey
        if [ "$who" = root ]; then uid=0 H=/root; fi
        if [ "$capture" = ports ]; then refuse=netfilter; fi
        W=$H/project
        as=()
        if [ "$uid" != "$me" ]; then
                as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all)
        elif [ "$me" != 0 ]; then
                as=(setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all)
        fi
        environment=(env -i HOME="$H" PATH="$PATH" LC_ALL=C.UTF-8 TERM=xterm ASAN_OPTIONS="${ASAN_OPTIONS-}"
                BAILEY_HOME_DIR="/var/tmp/homes-$uid" NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt)
}

# combinations: those of this suite
combinations() {
        local who backend capture warmth

        if [ "$part" = all ] || [ -n "$PLAIN" ]; then
                echo user native tproxy cold
                return
        fi
        for who in root user; do
                if [ "$who" = root ] && [ "$me" != 0 ]; then continue; fi
                for backend in native bwrap; do
                        for capture in tproxy ports; do
                                for warmth in cold warm; do
                                        if [ "$who $backend $capture $warmth" != 'user native tproxy cold' ]; then
                                                echo "$who $backend $capture $warmth"
                                        fi
                                done
                        done
                done
        done
}

# report NUMBER: of case i, in TAP
report() {
        local name="$who $backend $capture $warmth: ${files[i]}: ${names[i]}" missing='' program

        for program in ${text[$i:needs]-}; do
                if ! command -v "$program" >/dev/null; then missing+=" $program"; fi
        done
        if [ -n "$missing" ]; then
                echo "ok $1 - $name # skip no$missing here"
                return
        fi
        check >"$T/doubt" 2>>"$T/stderr"
        if [ ! -s "$T/doubt" ]; then
                echo "ok $1 - $name"
                return
        fi
        bad=$((bad + 1))
        echo "not ok $1 - $name"
        sed 's/^/# /' "$T/doubt"
        tail -n 12 "$T/stdout" | tr -d '\0' | cut -c 1-400 | sed 's/^/#   /'
        tail -n 12 "$T/stderr" | tr -d '\0' | cut -c 1-400 | sed 's/^/#   2 /'
        sed 's/^/#   resolver: /' "$T/questions" | head -n 8
        sed 's/^/#   visit: /' "$T/visits" | head -n 8
}

read_cases
host_network=$(readlink /proc/self/ns/net)
mkfifo "$T/never"
all=() todo=()
while read -r combination; do
        # shellcheck disable=SC2086 # words
        combine $combination
        for i in "${!names[@]}"; do
                if [ -n "$ONLY" ] && ! [[ "$combination: ${files[i]}: ${names[i]}" =~ $ONLY ]]; then continue; fi
                if wanted; then all+=("$i $combination"); fi
        done
done < <(combinations)
for n in "${!all[@]}"; do
        if [ $((n % SHARES)) = "$SHARE" ]; then todo+=("${all[n]}"); fi
done
if [ -n "$ONLY" ]; then echo "# only $ONLY"; fi
echo "1..${#todo[@]}"
count=0 bad=0
for one in "${todo[@]}"; do
        read -r i combination <<<"$one"
        # shellcheck disable=SC2086
        combine $combination
        count=$((count + 1))
        report $count
done
[ $bad = 0 ]
