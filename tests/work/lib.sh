# shellcheck shell=bash disable=SC2034 # hooks use variables that look unused here
# Runs every piece of work of *.work with one backend and speaks TAP; sourced by native.sh and bwrap.sh, and by home_native.sh and
# home_bwrap.sh for those of home/*.work. TEST_ONLY=REGEX tests/work/native.sh runs those whose name matches. WORK_PLAIN=1 runs them
# without bailey, which shows that the work itself can be done.
#
#   === name
#   --- host               what is prepared on the host, in the workspace; a build/bailey there is called instead of $T/bailey
#   --- before             the same, as the person whose home it is: a command that fills caches there
#   --- work               the command given to `bailey run`, guard and all; it must exit with 0
#   --- again              a second command in the same workspace; it must exit with 0
#   --- elsewhere          a third one, in the workspace @HOME@/other; it must exit with 0
#   --- says               what these commands must print, exactly
#   --- then               a check on the host, afterwards
#   --- workspace DIR      instead of @HOME@/project
#   --- needs PROGRAM...   skipped without these
#   --- with FLAGS         more flags
#   --- as root|user       only as these
#   --- on native|bwrap    only with this backend
#   --- sandbox only       not with WORK_PLAIN=1
#   --- slow work          as it takes seconds: with native only as root, with bwrap only as the user
#
# @W@, @HOME@ and @T@ (in /tmp) stand for these; hooks have $W, $H, $T and $uid. It happens in a mount namespace with a tmpfs over the homes.
#
# For home/*.work there are also the package registries of home/registry.py in /srv/registry. `registry COMMAND...` serves them while a
# command runs; @REGISTRY@ is that, or nothing where commands find the caches of the home. After each piece of work the home must be as it
# was before, byte for byte.
set -u
backend=$1
folder=${2-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [ "${3-}" != inner ]; then
        # shellcheck source=tests/apart.sh
        . "$here/../apart.sh"
        BAILEY=${BAILEY:-$here/../../build/asan/bailey}
        T=$(mktemp -d /tmp/bailey-work.XXXXXX) || exit 1
        trap 'chmod -R u+rwx "$T"; rm -rf "$T"' EXIT
        chmod 755 "$T"
        apart_need
        if [ "$folder" = home ]; then
                # shellcheck source=tests/work/home/prepare.sh
                . "$here/home/prepare.sh" || exit 1
        fi
        for who in root user; do
                if [ "$who" = root ] && [ "$(id -u)" != 0 ]; then continue; fi
                mkdir "$T/$who"
                cp "$BAILEY" "$T/$who/bailey" && cp "$here"/lib.sh "$here"/home/*.sh "$here/${folder:-.}"/*.work "$T/$who" || exit 1
                apart_start "$who" T="$T/$who" WHO="$who" ONLY="${TEST_ONLY-}" PLAIN="${WORK_PLAIN-}" \
                        bash "$T/$who/lib.sh" "$backend" "$folder" inner
        done
        apart_end
fi

me=$(id -u)
uid=$me
if [ "$me" = 0 ] && [ "$WHO" = user ]; then
        declare -A accounts=([native]=64211 [bwrap]=64212 [homenative]=64213 [homebwrap]=64214)
        uid=${accounts[$folder$backend]}
fi
for place in /root /home /srv /run /var/tmp /dev/shm; do
        mount -t tmpfs -o mode=755,size=1g bailey-work "$place" || exit 1
done
chmod 1777 /var/tmp /dev/shm
mkdir /home/agent /srv/mine /run/mine
mount -t tmpfs -o mode=755,size=256m bailey-work /srv/mine || exit 1 # a file system of its own
H=/home/agent
homes=() # a user's are in /var/tmp, which is a file system of this test; so is /var/lib for home
if [ "$uid" = 0 ]; then H=/root; fi
if [ "$uid" = 0 ] && [ "$folder" != home ]; then homes=(BAILEY_HOME_DIR="$T/homes"); fi
as=()
if [ "$uid" != "$me" ]; then
        as=(setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all)
elif [ "$me" != 0 ]; then
        as=(setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all)
fi
without_caches=
if [ "$backend" = bwrap ]; then without_caches=yes; fi # it cannot mount overlays
names=() files=()
declare -A text=()

read_work() {
        local file line name key=

        for file in "$T"/*.work; do
                name=$(basename "$file" .work)
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
                                host | before | work | again | elsewhere | says | then) text[$key]= ;;
                                *) text[$key]=${line#* } key= ;;
                                esac
                                ;;
                        *) if [ -n "$key" ]; then text[$key]+=$line$'\n'; fi ;;
                        esac
                done <"$file"
        done
}

# The person's own git, on the host.
user_git() {
        "${as[@]}" env -i HOME="$H" PATH="$PATH" GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow \
                GIT_CONFIG_VALUE_0=always git "$@"
}

expand() {
        expanded=${1//@W@/$W}
        expanded=${expanded//@HOME@/$H}
        expanded=${expanded//@T@/$T}
        expanded=${expanded//@REGISTRY@/${without_caches:+registry}}
}

# person DIRECTORY COMMAND...: as the person whose home it is
person() {
        (cd "$1" && exec timeout -k 2 200 "${as[@]}" env -i HOME="$H" PATH="$PATH" LC_ALL=C.UTF-8 TERM=xterm \
                ASAN_OPTIONS="${ASAN_OPTIONS-}" "${homes[@]}" "${@:2}") </dev/null
}

# command_in DIRECTORY TEXT: an agent's, in this workspace
command_in() {
        local status=0 bailey=$T/bailey line=()

        if [ -x "$1/build/bailey" ]; then bailey=$1/build/bailey; fi
        expand "$2"
        line=("$bailey" run --backend "$backend" --workspace "$1" "${flags[@]}" "$expanded")
        if [ -n "$PLAIN" ]; then line=(bash -c "$expanded"); fi
        person "$1" "${line[@]}" >>"$T/stdout" 2>>"$T/said" || status=$?
        if [ $status != 0 ]; then echo "exit status $status"; fi
}

# work: one piece; prints what is wrong with it
work() {
        local flags=()

        # what was before must not matter
        find "$H" /srv/mine /run/mine -mindepth 1 -delete
        if [ "$folder" != home ]; then printf '[user]\n\tname = Agent\n\temail = agent@example.com\n' >"$H/.gitconfig"; fi
        W=$H/project
        if [ -n "${text[$i:workspace]-}" ]; then
                expand "${text[$i:workspace]}"
                W=$expanded
        fi
        mkdir -p "$W"
        if [ "$folder" = home ]; then home_fresh; fi
        chown -R "$uid:$uid" "$H" /srv/mine /run/mine "$W"
        if [ -n "${text[$i:host]-}" ]; then
                (cd "$W" && set -e && umask 022 && eval "${text[$i:host]}") >"$T/said" 2>&1 || {
                        echo 'the host hook failed'
                        return
                }
                # whoever prepared it
                find "$H" /srv/mine /run/mine "$W" -xdev -exec chown -h "$uid:$uid" {} +
        fi
        if [ -n "${text[$i:before]-}" ]; then
                expand "${text[$i:before]}"
                if ! person "$W" bash -euc "$expanded" >"$T/said" 2>&1; then
                        echo 'the hook before failed'
                        return
                fi
        fi
        read -ra flags <<<"${text[$i:with]-}"
        if [ "$folder" = home ]; then flags=(--set sandbox.home=own "${flags[@]}"); fi
        if [ "$folder" = home ]; then home_note before; fi
        : >"$T/stdout"
        command_in "$W" "${text[$i:work]}"
        if [ -n "${text[$i:again]-}" ]; then command_in "$W" "${text[$i:again]}"; fi
        if [ -n "${text[$i:elsewhere]-}" ]; then command_in "$H/other" "${text[$i:elsewhere]}"; fi
        if [ "$folder" = home ] && [ -z "$PLAIN" ]; then
                home_note after
                diff "$T/before" "$T/after" || echo 'the home has changed'
        fi
        expand "${text[$i:says]-}"
        if [ -n "$expanded" ] && [ "$(printf %s "$expanded")" != "$(tr -d '\0' <"$T/stdout")" ]; then echo 'said something else'; fi
        if [ -n "${text[$i:then]-}" ] && ! (cd "$W" && set -e && eval "${text[$i:then]}") >>"$T/said" 2>&1; then
                echo 'the check on the host failed'
        fi
        cat "$T/stdout" >>"$T/said"
}

if [ "$folder" = home ]; then
        # shellcheck source=tests/work/home/host.sh
        . "$T/host.sh"
fi
read_work
cases=()
for i in "${!names[@]}"; do
        if [ -n "$ONLY" ] && ! [[ "$WHO: ${files[i]}: ${names[i]}" =~ $ONLY ]]; then continue; fi
        if [ "${text[$i:on]-$backend}" != "$backend" ] || { [ -n "$PLAIN" ] && [ -n "${text[$i:sandbox]-}" ]; }; then continue; fi
        case ${text[$i:slow]+$WHO-$backend} in user-native | root-bwrap) if [ "$me" = 0 ]; then continue; fi ;; esac
        if [ "${text[$i:as]-$WHO}" = "$WHO" ]; then cases+=("$i"); fi
done
if [ -n "$ONLY" ]; then echo "# only $ONLY"; fi
echo "1..${#cases[@]}"
count=0 bad=0
for i in "${cases[@]}"; do
        count=$((count + 1))
        missing=
        for program in ${text[$i:needs]-}; do
                if ! command -v "$program" >/dev/null; then missing+=" $program"; fi
        done
        if [ -n "$missing" ]; then
                echo "ok $count - $WHO: ${names[i]} # skip no$missing here"
                continue
        fi
        : >"$T/said"
        work >"$T/doubt"
        if [ -s "$T/doubt" ]; then
                bad=$((bad + 1))
                echo "not ok $count - $WHO: ${names[i]}"
                sed 's/^/# /' "$T/doubt"
                tail -n 15 "$T/said" | cut -c 1-300 | sed 's/^/#   /'
        else
                echo "ok $count - $WHO: ${names[i]}"
        fi
done
[ $bad = 0 ]
