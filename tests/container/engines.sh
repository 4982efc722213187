# shellcheck shell=bash
# Container engines of a test's own: in a directory of their own, on a socket of their own, without touching the network or
# the settings of the host. For tests/container/*.sh and tests/escape/{docker,podman,gvisor}.sh.
#
#   engines_missing              what keeps this machine from running them; nothing: they are there
#   engine_up docker|podman|gvisor|rootless DIR
#                                starts it in DIR (a short path: sockets are there), and sets engine_env: NAME=VALUE for
#                                whoever calls its client, and engine_as: who calls it. DIR/engine.log tells what happened.
#                                rootless is podman of an ordinary user, who is made up in a mount namespace of the caller's;
#                                in it DIR becomes memory, as ext4 takes its time to find inodes for images that come and go
#   engine ARGUMENT...           its client
#   engine_down                  stops what was started, by its pid

engines_missing() {
        local program
        if [ "$(id -u)" != 0 ]; then
                echo 'engines are started as root'
                return
        fi
        for program in dockerd docker containerd podman runc runsc newuidmap slirp4netns busybox; do
                if [ ! -x "/usr/bin/$program" ] && [ ! -x "/usr/sbin/$program" ] && [ ! -x "/bin/$program" ]; then
                        echo "$program is not installed: tools/deps engines"
                        return
                fi
        done
}

engine_up() {
        engine_kind=$1
        engine_dir=$2
        engine_env=() engine_as=()
        engine_pid=
        mount -t tmpfs -o mode=755,size=4g bailey-engine "$engine_dir" || return 1
        case $engine_kind in
        podman) podman_up ;;
        rootless) rootless_up ;;
        *) docker_up ;;
        esac
}

# gVisor wants to be told that there is no network; the daemon is not to make any.
docker_up() {
        printf '{"runtimes":{"runsc":{"path":"/usr/bin/runsc","runtimeArgs":["--network=none"]}}}\n' >"$engine_dir/daemon.json"
        mkdir -p "$engine_dir/podman"
        podman_files "$engine_dir/podman"
        engine_env+=("DOCKER_HOST=unix://$engine_dir/docker.sock" "DOCKER_CONFIG=$engine_dir/client")
        docker_start
}

docker_start() {
        local n
        setsid dockerd --config-file "$engine_dir/daemon.json" --data-root "$engine_dir/data" --exec-root "$engine_dir/exec" \
                --pidfile "$engine_dir/pid" -H "unix://$engine_dir/docker.sock" --storage-driver vfs --iptables=false \
                --ip-forward=false --bridge none >>"$engine_dir/engine.log" 2>&1 </dev/null &
        engine_pid=$!
        disown "$engine_pid"
        for n in {1..4000}; do
                if engine version >/dev/null 2>&1; then return; fi
                if ! kill -0 "$engine_pid" 2>/dev/null; then break; fi
                sleep 0.05
        done
        tail -n 5 "$engine_dir/engine.log" >&2
        return $((n > 0))
}

# podman_files DIR: everything that podman keeps is put out of the way of its other users
podman_files() {
        cat >"$1/containers.conf" <<-END
                [engine]
                cgroup_manager = "cgroupfs"
                events_logger = "file"
                runtime = "runc"
                tmp_dir = "$1/tmp"
                volume_path = "$1/volumes"
                [network]
                network_config_dir = "$1/net"
END
        printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/data"\nrootless_storage_path = "%s/data"\nrunroot = "%s/run"\n' \
                "$1" "$1" "$1" >"$1/storage.conf"
        printf 'unqualified-search-registries = ["127.0.0.1:4713"]\n[[registry]]\nlocation = "127.0.0.1:4713"\ninsecure = true\n' \
                >"$1/registries.conf"
        engine_env=("CONTAINERS_CONF=$1/containers.conf" "CONTAINERS_STORAGE_CONF=$1/storage.conf"
                "CONTAINERS_REGISTRIES_CONF=$1/registries.conf")
}

# Somebody with a home and user ids to share out, known in this mount namespace only.
rootless_user=64206
rootless_up() {
        local file
        mkdir "$engine_dir/run" "$engine_dir/etc"
        cp /etc/passwd /etc/group "$engine_dir/etc"
        echo "bailey-test:x:$rootless_user:$rootless_user::/nonexistent:/bin/sh" >>"$engine_dir/etc/passwd"
        echo "bailey-test:x:$rootless_user:" >>"$engine_dir/etc/group"
        for file in subuid subgid; do
                echo "$rootless_user:700000:65536" >"$engine_dir/etc/$file"
                if [ ! -e "/etc/$file" ]; then : >"/etc/$file"; fi
        done
        for file in passwd group subuid subgid; do mount --bind "$engine_dir/etc/$file" "/etc/$file" || return 1; done
        chown -R "$rootless_user:$rootless_user" "$engine_dir"
        chmod 700 "$engine_dir/run"
        engine_as=(setpriv --reuid "$rootless_user" --regid "$rootless_user" --clear-groups)
        podman_up
}

# There is no daemon to start.
podman_up() {
        podman_files "$engine_dir"
        engine_env+=("DOCKER_HOST=unix://$engine_dir/no-docker.sock")
        if [ "$engine_kind" = rootless ]; then engine_env+=("XDG_RUNTIME_DIR=$engine_dir/run"); fi
        engine info >"$engine_dir/engine.log" 2>&1 || {
                tail -n 5 "$engine_dir/engine.log" >&2
                return 1
        }
}

engine() {
        local program=/usr/bin/docker
        case $engine_kind in podman | rootless) program=/usr/bin/podman ;; esac
        "${engine_as[@]}" env "HOME=$engine_dir" "${engine_env[@]}" "$program" "$@"
}

# What runs is removed first, as a daemon that is killed leaves its containers running.
engine_down() {
        local left n
        if [ -z "${engine_kind-}" ]; then return; fi
        left=$(engine ps -aq 2>/dev/null)
        # shellcheck disable=SC2086 # words
        if [ -n "$left" ]; then engine rm -f $left >/dev/null 2>&1; fi
        engine_pid=$(cat "$engine_dir/pid" 2>/dev/null) # another one, where a case has started it anew
        if [ -n "$engine_pid" ]; then
                kill "$engine_pid" 2>/dev/null
                n=100
                while [ $n -gt 0 ] && kill -0 "$engine_pid" 2>/dev/null; do
                        n=$((n - 1))
                        sleep 0.1
                done
                kill -9 "$engine_pid" 2>/dev/null
        fi
        # a file system that is left mounted would keep its directory
        while read -r _ _ _ _ at _; do
                case $at in "$engine_dir" | "$engine_dir"/*) umount -l "$at" 2>/dev/null ;; esac
        done </proc/self/mountinfo
        return 0
}
