# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # variables are shared with lib.sh, which sources this
# Attacks on containers: an engine of their own, an image with what attacks call, and containers that several of them share.
# shellcheck source=tests/container/engines.sh
. "$T/engines.sh"

# Many attacks in one container take their time together.
backend_head=$'[run]\ntimeout = 450\n[container]\nimage = "localhost/attacks:1"\nmount_policy = "home"'
# gVisor's own threads count, and it ends of too few.
if [ "$backend" = gvisor ]; then backend_head+=$'\n[container.resource_limits]\npids_limit = 4096'; fi
image_programs='bash perl'

# What an engine is asked: not what is about the kernel or the workspace's own files.
engine_asks() {
        if listed except; then return 1; fi
        case ${files[i]} in
        files | network | processes) ;;
        environment) [ "$backend" != rootless ] ;; # what that limits depends on the host; tests/container asks it
        *) false ;;
        esac
}

# ---- the engine ----

# add_program ROOT PATH: with the libraries that it needs
add_program() {
        cp -L --parents "$2" "$1"
        # shellcheck disable=SC2046
        cp -L --parents $(ldd "$2" 2>/dev/null | grep -o '/[^ ]*') "$1" 2>/dev/null
        return 0
}

# A Debian root, in small; /template has the workspace's files that an attack may have changed.
make_image() {
        local root=$T/image program name
        mkdir -p "$root"/usr/{bin,lib,lib64,sbin} "$root"/{dev,etc,home,proc,root,run,srv,sys,tmp,var/tmp,template}
        for name in bin lib lib64 sbin; do ln -s "usr/$name" "$root/$name"; done
        for program in $image_programs; do add_program "$root" "$(readlink -f "$(command -v "$program")")"; done
        cp -a --parents /usr/lib/*/perl-base "$root" 2>/dev/null
        rm -rf "$root"/usr/lib/*/perl-base/unicore # engines copy all of it for each container
        cp /bin/busybox "$root/bin"
        for name in $(busybox --list); do
                if [ ! -e "$root/bin/$name" ]; then ln -s busybox "$root/bin/$name"; fi
        done
        cp -a "$template/project/"{attack,payload,file,sub} "$root/template"
        tar -C "$root" -cf "$T/image.tar" .
        rm -rf "$root"
}

# engine_idle: nothing is left of any container; also a moment later, for what is on its way
engine_idle() {
        local n
        for n in {1..3000}; do
                if [ -z "$(engine ps -aq 2>/dev/null)" ]; then return 0; fi
                sleep 0.1
        done
        return 1
}

build_image() {
        "${as[@]}" env -i HOME="$H" PATH="$PATH" "${engine_env[@]}" "$T/bailey" container build --runtime "$runs" \
                --tarball "$T/image.tar" localhost/attacks:1 >&2 </dev/null
}

engine_begin() {
        mkdir "$T/e"
        trap engine_down EXIT
        engine_up "$engine" "$T/e" || exit 1
        if [ "$engine" = rootless ]; then as=("${engine_as[@]}"); fi
        make_image
        build_image || build_image || exit 1 # one that has just come up may take longer to answer than bailey waits
}

# ---- containers that are shared ----

declare -A members=() done_of=()

# Attacks of a file with the same flags and config, and nothing to be done on the host.
gather() {
        local key field
        engine_begin
        for i in "${cases[@]}"; do
                for field in host call workspace alone; do
                        if [ -n "${has[$i:$field]-}" ]; then continue 2; fi
                done
                if [ -n "${has[$i:refused]-}" ] && { [ "${text[$i:refused]}" = refused ] || listed refused; }; then continue; fi
                key=${files[i]}:${text[$i:with]-}:${text[$i:config]-}:${text[$i:environment]-}
                group_of["$i"]=$key
                members[$key]+="$i "
        done
}

# For each member: the files of the workspace as they were, and then the attack.
script_of() {
        local member
        echo 'restore() {'
        echo '        find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .vscode ! -name .envrc -exec rm -rf {} + 2>/dev/null'
        echo '        cp -a /template/. . 2>/dev/null'
        echo '}'
        for member in $1; do
                i=$member field attack
                # in a variable, as bash tells the words of what is killed
                printf 'attack=%q\ncd %q; restore; printf "\\n=== %s\\n"; timeout 60 bash -c "$attack" 2>&1 </dev/null\n' \
                        $'echo BEGAN\n'"$expanded" "$W" "$member"
        done
        echo 'exit 0'
}

# Runs all members of attack i's group; what each says is in $T/said.N
run_together() {
        local key=${group_of[$i]} script status
        walls=yes
        prepare
        script=$(script_of "${members[$key]}")
        (
                limit=500 inside "$script"
                status=$?
                printf '\n=== end\nstatus %s\n' $status
        ) >"$T/all" 2>&1 </dev/null
        awk -v to="$T/said." '/^=== [0-9]+$|^=== end$/ { part = $2; next } part != "" { print >(to part) }' "$T/all"
        done_of[$key]=1
}

# judge_together: as judge(), of an attack that shares its container
judge_together() {
        if [ -z "${done_of[${group_of[$i]}]-}" ]; then run_together; fi
        cp "$T/said.$i" "$T/out" 2>/dev/null || tail -n 5 "$T/all" >"$T/out"
        if listed open; then
                if ! escaped; then echo 'is documented to work here, but did not'; fi
        elif escaped; then
                echo 'IT WORKED'
        fi
        if ! says BEGAN; then echo 'did not run'; fi
}
