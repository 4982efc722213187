# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# What has to hold on every engine, or on those named. See lib.sh.

roots='docker podman gvisor' # an ordinary user's podman is asked what could differ there

# ---- how commands end ----

case_of 'output and exit status pass through' <<'END'
b 'echo out; echo err >&2; exit 7' >"$T/out" 2>"$T/err" &
ends 7 $!
test "$(cat "$T/out")" = out
test "$(cat "$T/err")" = err
nothing_left
END

case_of 'what a command says itself is not taken for a failure of the engine' <<'END'
for code in 125 126 127 137; do
        try b --json "exit $code"
        test $status = $code
        jq -e ".end == \"exited\" and .exit_code == $code and .message == null" <<<"${output##*$'\n'}"
done
END

case_of 'a program that is not there, or cannot be run' <<'END'
try b -- nosuchprogram
test $status = 127
says 'not found'
echo x >"$W/data"
try b -- ./data
test $status = 126
try b 'nosuchprogram; echo $?'
says 127
END

case_for "$roots" 'a program and its arguments, as they are' <<'END'
try b -- printf '<%s>' 'a b' '' '$HOME' "it's"
test "$output" = "<a b><><\$HOME><it's>"
END

case_of 'what it reads' <<'END'
seq 100000 >"$T/lines"
output=$(b 'cat >pipe; echo end' < <(cat "$T/lines"))
test "$output" = end
cmp pipe "$T/lines"
output=$(b 'cat >file; echo end' <"$T/lines")
test "$output" = end
cmp file "$T/lines"
output=$(b --no-stdin 'cat; echo end' <"$T/lines")
test "$output" = end
nothing_left
END

case_for "$roots" 'bash where the image has it' <<'END'
try b 'echo ${BASH_VERSION:+bash} $0; [[ ab == a* ]] && echo yes'
test "$output" = $'bash bash\nyes'
END

case_of 'sh where it has no bash; an image from an archive' <<'END'
mkdir -p "$T/r/bin" "$T/r/tmp" "$T/r/var/tmp"
cp /bin/busybox "$T/r/bin/"
for name in sh echo true; do ln -sf busybox "$T/r/bin/$name"; done
tar -C "$T/r" -czf "$T/r.tgz" .
bailey container build --runtime "$kind" --tarball "$T/r.tgz" localhost/plain:1
image=localhost/plain:1
config
try b 'echo "${BASH_VERSION-none}"'
test "$output" = none
END

case_for docker 'the steps of README.md' <<'END'
cd "$W"
steps=$(sed -n '/^## In containers/,/^## As/s/^    //p' "$here/../../README.md")
test "$(wc -l <<<"$steps")" = 3
try eval "set -e; $steps"
test $status = 0
says docker "$W" 'sbin -> bin'
nothing_left
END

case_of 'a missing image is named, with what to do; nothing is downloaded' <<'END'
image=docker.io/library/nowhere:1
config
try b true
test $status = 125
says nowhere:1 'bailey container pull'
nothing_left
END

# ---- walls ----

case_of 'who it runs as, and whose the files are' <<'END'
try b 'id -u; id -g; echo x >file'
test "$output" = "$uid"$'\n'"$uid"
test "$(stat -c %u:%g file)" = "$uid:$uid"
END

case_for 'docker gvisor' 'an ordinary user of the engine' <<'END'
chmod 666 "$T/e/docker.sock"
chown 64205:64205 "$W" "$H"
chmod 644 "$T/c.toml"
output=$(cd "$W" && setpriv --reuid 64205 --regid 64205 --clear-groups "${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" \
        --config "$T/c.toml" 'id -u; id -g; echo x >file; grep CapEff /proc/self/status')
chown 0:0 "$W" "$H"
says 64205 0000000000000000
test "$(stat -c %u:%g file)" = 64205:64205
END

case_of 'its root is read-only and its own, /tmp is private and limited' <<'END'
echo secret >"$T/host"
config '[sandbox]' 'tmp_bytes = "1 MiB"'
x=/tmp/${T##*/}.x # nobody else's
try b "touch /etc/x; test -e $T/host && echo seen; test -e $T/e && echo seen; echo x >$x && cat $x
        head -c 3000000 /dev/zero >/tmp/big || echo full; cp /bin/busybox /tmp/b 2>/dev/null; ls /home"
says full Read-only
case $output in *seen*) false ;; esac
test ! -e "$x"
END

case_of 'what is protected in the workspace, and what is masked' <<'END'
git init -q . && mkdir -p .git/hooks secrets
echo CANARY >secrets/key
echo CANARY >hidden
echo ok >open
config '[sandbox]' "fs_read_deny = [\"$W/secrets\", \"$W/hidden\"]" "fs_write_deny = [\"$W/open\"]"
try b 'cat hidden secrets/key; ls secrets; echo x >.git/hooks/post-checkout; echo x >>.git/config; mv .git g; echo x >open
        rm -rf .git secrets hidden; cat open; echo new >new; echo $?'
case $output in *CANARY*) false ;; esac
says Read-only ok
test "$(cat secrets/key hidden open new)" = $'CANARY\nCANARY\nok\nnew'
test ! -e .git/hooks/post-checkout
test -d .git
END

case_of 'a workspace that may not be written' <<'END'
echo x >file
config '[sandbox]' 'workspace_write = false'
try b 'cat file; echo y >file; echo y >more'
says x Read-only
test "$(ls)" = file
END

case_for "$roots" 'lists are mounted where mount_policy says so' <<'END'
mkdir -p "$T/in" "$T/to" "$T/with, comma"
own "$T/to"
echo data >"$T/in/file"
echo comma >"$T/with, comma/file"
config 'mount_policy = "custom"' '[sandbox]' "fs_read_allow = [\"$T/in\", \"$T/with, comma\"]" "fs_write_allow = [\"$T/to\"]"
try b "cat $T/in/file '$T/with, comma/file'; echo x >$T/in/file; echo y >$T/to/file"
says data comma Read-only
test "$(cat "$T/in/file" "$T/to/file")" = $'data\ny'
config '[sandbox]' "fs_read_allow = [\"$T/in\"]"
try b "cat $T/in/file"
test $status != 0
says "fs_read_allow: $T/in: not mounted in containers"
END

case_of 'the home directory, read-only and without credentials' <<'END'
mkdir "$H/.ssh"
echo CANARY >"$H/.ssh/id"
echo hello >"$H/notes"
config 'mount_policy = "home"'
try b 'cat ~/notes ~/.ssh/id; echo x >~/notes; echo $HOME'
says hello "$H"
case $output in *CANARY*) false ;; esac
test "$(cat "$H/notes")" = hello
END

case_of 'no network' <<'END'
try b 'cat /proc/net/dev; wget -T 1 -q -O - http://127.0.0.1:1/; ping -c 1 -W 1 10.0.0.1 || echo none'
says none
case $output in *eth0*) false ;; esac
END

# The network of this suite's own namespace is the host's here.
case_for 'docker podman rootless' 'the host'"'"'s network where two settings allow it, and else not its localhost' <<'END'
python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 4714))
while True: c = s.accept()[0]; c.sendall(b"REACHED\n"); c.close()' &
server=$!
listens() { (exec 3<>/dev/tcp/127.0.0.1/4714); }
eventually listens
reach='if exec 3<>/dev/tcp/127.0.0.1/4714; then cat <&3; fi 2>/dev/null; cut -d: -f1 /proc/net/dev; echo tried'
try b "$reach"
says tried
case $output in *REACHED* | *eth0*) false ;; esac
open='[sandbox]@network = "inherit"@[container.security_flags]@block_host_network = false'
mapfile -t open <<<"${open//@/$'\n'}"
config 'network_mode = "host"' "${open[@]}"
try b --json "$reach"
jq -e '(.output | contains("REACHED")) and (.not_enforced | contains(["network"]))' <<<"${output##*$'\n'}"
config 'network_mode = "host"' '[container.security_flags]' 'block_host_network = false' # but no sandbox.network
try b "$reach"
test $status = 125
says sandbox.network
if [ $which != rootless ]; then # which needs a device that users have on some hosts only
        config 'network_mode = "bridge"' "${open[@]}"
        try b "$reach"
        says tried
        case $output in *REACHED*) false ;; esac
        if [ $which = podman ]; then says eth0; fi # the daemon of docker is started without a bridge
fi
kill $server
nothing_left
END

# knock SOCKET...: a client of sessions that needs nothing of the image
make_knock='
cat >knock.c <<"C"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv) {
        for (int i = 1; i < argc; i++) {
                struct sockaddr_un to = { .sun_family = AF_UNIX };
                char answer[256];
                int fd = socket(AF_UNIX, SOCK_STREAM, 0);

                strncpy(to.sun_path, argv[i], sizeof(to.sun_path) - 1);
                if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && send(fd, "text\n", 5, MSG_NOSIGNAL) == 5 &&
                    recv(fd, answer, sizeof(answer), 0) > 0)
                        printf("ANSWERED at %s\n", argv[i]);
        }
        puts("knocked");
        return 0;
}
C
gcc -static -o knock knock.c
'

case_of 'nobody in a container speaks to the session, wherever its socket is' <<'END'
eval "$make_knock"
if [ $which = rootless ]; then R=$T/e/run; else R=$T/run; mkdir -p -m 700 "$R"; fi # podman of a user has its files there
for mounts in workdir-only home custom; do
        rm -rf "$T/in" "$T/mcp"
        mkfifo "$T/in"
        extra=(XDG_RUNTIME_DIR="$R") sockets=$R/bailey
        if [ $mounts = home ] && [ $which != rootless ]; then extra=() sockets=$H/.local/state/bailey/sessions; fi
        config "mount_policy = \"$mounts\"" '[sandbox]' "fs_read_allow = [\"$R\"]"
        bailey mcp --backend "$kind" --config "$T/c.toml" --workspace "$W" <"$T/in" >"$T/mcp" 2>&1 &
        exec 7>"$T/in"
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
                '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&7
        eventually grep -q '"id":1' "$T/mcp" || { cat "$T/mcp"; false; }
        socket=$(echo "$sockets"/*.sock)
        test -S "$socket"
        try "${engine_as[@]}" ./knock "$socket"
        says ANSWERED # as the user is
        jq -nc --arg c "./knock $socket" '{jsonrpc: "2.0", id: 2, method: "tools/call",
                params: {name: "Bash", arguments: {command: $c, description: "a test"}}}' >&7
        eventually grep -q '"id":2' "$T/mcp" || { cat "$T/mcp"; false; }
        exec 7>&-
        wait
        try tail -n 1 "$T/mcp"
        says knocked "\"backend\":\"$kind\""
        case $output in *ANSWERED*) false ;; esac
done
nothing_left
END

case_for "$roots" 'of the environment only what the policy lets through' <<'END'
extra=(FOO=foo LANG=C.UTF-8 GITHUB_TOKEN=geheimnis XDG_CACHE_HOME=/nowhere HTTP_PROXY=http://proxy:1)
printf '{"proxies":{"default":{"httpProxy":"http://proxy:2"}}}' >"$T/e/proxies.json"
mkdir -p "$T/e/client" && cp "$T/e/proxies.json" "$T/e/client/config.json"
config '[env]' 'set = { GREETING = "hi there" }'
try b 'env'
rm "$T/e/client/config.json"
says 'GREETING=hi there' LANG=C.UTF-8 HOME=/tmp
case $output in *FOO=* | *geheimnis* | *nowhere* | *proxy:*) false ;; esac
END

case_for "$roots" 'a secret that is passed on is on no command line' <<'END'
extra=(GITHUB_TOKEN=geheimnis)
config '[env]' 'pass_secret = ["GITHUB_TOKEN"]'
b 'echo "$GITHUB_TOKEN" >seen; until [ -e looked ]; do sleep 0.1; done' &
until_file seen
found=$(grep -al 'geheimni[s]' /proc/[0-9]*/cmdline) || true
touch looked
wait
test -z "$found"
test "$(cat seen)" = geheimnis
END

case_for 'docker podman rootless' 'no capabilities, no new privileges, a filter of system calls' <<'END'
try b 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; cat /proc/1/comm; mount -t tmpfs x /tmp; unshare -U true; dmesg | head -1'
test "$(grep -c '^Cap.*0000000000000000' <<<"$output")" = 5
says $'NoNewPrivs:\t1' $'Seccomp:\t2' init
END

case_for podman 'gVisor under podman: a kernel of its own, no network, and nothing is left' <<'END'
gv() { bailey run --backend gvisor --config "$T/c.toml" --workspace "$W" "$@"; }
try gv 'dmesg | head -3; cut -d: -f1 /proc/net/dev; id -u; echo x >file; exit 3'
test $status = 3
says gVisor "$uid"
case $output in *eth0*) false ;; esac
test "$(cat file)" = x
try gv --json 'touch /etc/x'
jq -e '.backend == "gvisor" and .not_enforced == ["identity"] and .limits.memory == "enforced"' <<<"${output##*$'\n'}"
gv 'echo x >began; sleep 1000' &
pid=$!
until_file began
kill -TERM $(pgrep -P $pid -x bailey || echo $pid)
ends 143 $pid
nothing_left
END

case_for gvisor 'a kernel of its own' <<'END'
try b 'cat /proc/version; dmesg | head -3; grep ^Cap /proc/self/status'
says gVisor
test "$(grep -c '^Cap.*0000000000000000' <<<"$output")" -ge 4
END

# ---- limits ----

case_for "$roots" 'too much memory is told' <<'END'
config '[sandbox]' 'max_memory_bytes = "300 MiB"'
try b --json --timeout 300 'x=a; while :; do x=$x$x; done'
test $status = 137
jq -e '.limits.memory == "enforced" and (.explanation | contains("memory"))' <<<"${output##*$'\n'}"
nothing_left
END

case_for "$roots" 'too many processes are stopped' <<'END'
config '[container.resource_limits]' 'pids_limit = 256'
try b --timeout 300 -- sh -c 'for i in $(seq 400); do sleep 1000 & done 2>err' # bash would try again for a quarter of a minute
test $status != 124
test $status != 0 || test -s err # gVisor as a whole ends of it
nothing_left
END

case_of 'files, open files' <<'END'
config '[sandbox]' 'max_file_bytes = "1 MiB"' 'max_open_files = 64'
try b 'ulimit -n; head -c 3000000 /dev/zero >big; wc -c <big'
says 64
test "$(stat -c %s big)" -le 1048576
END

case_for 'docker podman rootless' 'processor time' <<'END'
config '[sandbox]' 'max_cpu_secs = 1'
try b --timeout 300 '(while :; do :; done); echo "ended by $?"'
test $status = 0
case $output in *'ended by 137'* | *'ended by 152'*) ;; *) false ;; esac
END

# quota CONTAINER: how many processors its group may use
quota() {
        local pid group
        pid=$(engine inspect --format '{{.State.Pid}}' "$1")
        if group=$(grep -E '^[0-9]+:([^:]*,)?cpu(,[^:]*)?:' "/proc/$pid/cgroup"); then
                group=/sys/fs/cgroup/cpu${group#*:*:}
                echo "$(cat "$group/cpu.cfs_quota_us") $(cat "$group/cpu.cfs_period_us")"
        else
                group=$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
                cat "/sys/fs/cgroup$group/cpu.max"
        fi | awk '{ print $1 / $2 }'
}

case_of 'processors are shared out as the config says' <<'END'
config '[container.resource_limits]' 'cpus = 0.25'
try b --json true
if [ "$(jq -r .limits.cpus <<<"${output##*$'\n'}")" = 'not enforced' ]; then
        test $which = rootless
        echo 'this engine does not limit processors here, and says so'
        exit 0
fi
nothing_left
b 'touch began; until [ -e looked ]; do sleep 0.1; done' &
pid=$!
until_file began
try quota "$(left)"
touch looked
ends 0 $pid
test "$output" = 0.25
nothing_left
END

case_for gvisor 'processor time, which it does not limit, is reported, and refused where it is required' <<'END'
config '[sandbox]' 'max_cpu_secs = 1'
try b --json true
jq -e '.limits.cpu == "not enforced"' <<<"${output##*$'\n'}"
config '[sandbox]' 'max_cpu_secs = 1' 'require_limits = true'
try b 'echo x >ran'
test $status = 125
says 'max_cpu_secs cannot be enforced'
test ! -e ran
END

case_for "$roots" 'limits are reported' <<'END'
try b --json true
jq -e '.limits == {"memory":"enforced","pids":"enforced","cpus":"enforced","cpu":"none","file":"none","open_files":"none"}' \
        <<<"${output##*$'\n'}"
jq -e '.backend == "'"$kind"'" and .not_enforced == (if .backend == "gvisor" then ["identity"] else ["sockets", "identity"] end)' <<<"${output##*$'\n'}"
END

# With cgroup v1, or without a systemd that shares controllers out, podman takes limits from users and forgets them.
case_for rootless 'limits that the engine would forget are reported, and refused where they are required' <<'END'
config '[sandbox]' 'max_memory_bytes = "300 MiB"'
try b --json true
jq -e '.limits.memory == "not enforced" and .limits.pids == "not enforced" and .limits.cpus == "not enforced"' <<<"${output##*$'\n'}"
try b --show-plan true
says 'not limited: memory' 'not limited: pids' 'not limited: cpus'
try bailey container detect
says 'rootless; does not limit memory, pids, cpus'
config '[sandbox]' 'require_limits = true'
try b 'echo x >ran'
test $status = 125
says 'cannot be enforced: rootless podman does not support it here'
test ! -e ran
config '[container.resource_limits]' 'memory_mb = 0' 'cpus = 0' 'pids_limit = 0' '[sandbox]' 'require_limits = true' 'max_pids = 0'
try b 'echo ran'
test "$output" = ran
nothing_left
END

# ---- the end ----

# On a busy machine a container may need longer than that to begin.
case_of 'a timeout ends the container' <<'END'
for seconds in 5 20 60; do
        try b --timeout $seconds 'echo begun >began; (trap "" TERM INT HUP; setsid sleep 1000) & sleep 1000'
        test $status = 124
        if [ -e began ]; then break; fi
        nothing_left # one that was being made may come later
done
test -z "$(left)"
test -e began
END

case_of 'a signal to bailey ends the container' <<'END'
b 'echo x >began; sleep 1000' &
pid=$!
until_file began
kill -TERM $(pgrep -P $pid -x bailey || echo $pid)
ends 143 $pid
nothing_left
END

case_of 'the death of bailey ends the container' <<'END'
"${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" --config "$T/c.toml" 'echo x >began; sleep 1000' &
pid=$!
until_file began
kill -9 $pid
nothing_left
END

case_of 'what is left when all of bailey is killed is swept by the next run' <<'END'
"${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" --config "$T/c.toml" 'echo x >began; sleep 1000' &
pid=$!
until_file began
runner=$(pgrep -P $pid)
# It sweeps; that would find this container, too. And all of them end at once, or one would clean up after another.
swept() {
        kill -STOP $pid "$runner"
        pgrep -P "$runner" -x bailey || return 0
        kill -CONT $pid "$runner"
        return 1
}
eventually swept
client=$(pgrep -o -P "$runner")
kill -STOP "$client"
kill -9 $pid "$runner" "$client"
gone $pid
test -n "$(left)"
engine run -d --name another --network none $(test $kind = podman && echo --ulimit nofile=1024:1024 --ulimit nproc=1024:1024) \
        localhost/bailey:latest sleep 1000
try b 'echo next'
test "$output" = next
only_another() { test "$(left)" = another; }
eventually only_another # it has not waited for more than a few seconds
engine rm -f -t 0 another 2>/dev/null || engine rm -f another
END

case_of 'the death of the client is no success' <<'END'
"${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" --config "$T/c.toml" 'echo x >began; sleep 1000' >"$T/out" 2>&1 &
pid=$!
until_file began
client=$(pgrep -o -f -- '(start|exec) .*bailey-')
kill -9 "$client"
code=0
wait $pid || code=$?
echo "ended with $code"
case $which in # the client of a user is two processes, of which the other one passes on that it is to end
rootless) test $code = 125 || test $code = 143 ;;
*) test $code = 125 && grep -q 'client ended' "$T/out" ;;
esac
nothing_left
END

case_for 'docker gvisor' 'the death of the engine is a clear error' <<'END'
for signal in TERM KILL; do
        rm -f began
        "${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" --config "$T/c.toml" 'echo x >began; sleep 1000' >"$T/out" 2>&1 &
        pid=$!
        until_file began
        daemon=$(cat "$T/e/pid")
        kill -$signal "$daemon"
        ends 125 $pid || wrong=yes
        cat "$T/out"
        gone "$daemon" || kill -9 "$daemon"
        rm -f "$T/e/pid" # which it leaves when it is killed
        docker_start
        test -z "${wrong-}"
        grep -q 'engine was lost\|client ended' "$T/out"
        nothing_left # when it is there again
        try b 'echo again'
        test "$output" = again
        nothing_left
done
END

# podman has no daemon; each container has a process that looks after it.
case_for 'podman rootless' 'the death of what looks after the container is a clear error' <<'END'
"${clean[@]}" "${engine_env[@]}" "$BAILEY" run --backend "$kind" --config "$T/c.toml" 'echo x >began; sleep 1000' >"$T/out" 2>&1 &
pid=$!
until_file began
kill -9 $(pgrep -x conmon)
ends 125 $pid || wrong=yes
cat "$T/out"
test -z "${wrong-}"
grep -q 'engine was lost\|client ended' "$T/out"
try b 'echo again'
test "$output" = again
nothing_left
END

case_for "$roots" 'the death of what runs a container, while its server lives' <<'END'
for session in false true; do
        rm -f up
        config "session = $session"
        try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'background:echo x >up; sleep 1000' 'wait:up' \
                'host:kill -9 $(pgrep -P $PPID -x series)' 'kill' 'ps | grep -c "[s]leep 1000"; echo after'
        says 'ended with 137' $'0\nafter'
        nothing_left
done
END

case_for 'docker podman' 'a container that the engine makes after its client was killed' <<'END'
fake 'if [[ " $* " == *" create "* ]]; then' \
        "        setsid -f bash -c 'sleep 9; \"\$@\"; touch $T/made' - \"\$real\" \"\$@\" >/dev/null 2>&1 </dev/null" \
        '        exec sleep 1000' 'fi'
try b --timeout 1 'echo x >ran'
test $status = 124
until_file "$T/made"
nothing_left
test ! -e ran
END

case_for "$roots" 'many at once' <<'END'
for n in 1 2 3 4; do b "sleep 0.5; echo $n >done.$n" & done
wait
test "$(cat done.*)" = $'1\n2\n3\n4'
nothing_left
END

# ---- refusals ----

# refused TEXT...: nothing runs, 125, and the texts are said
case_of 'what is refused, and by which rule' <<'END'
refused() {
        try b 'echo x >ran'
        test $status = 125
        says "$@"
        test ! -e ran
}
image=evil.example.com/a:1
config
refused evil.example.com trusted_registries
image=localhost/bailey:latest
config 'run_args = ["--privileged"]'
refused -- --privileged block_privileged
config 'run_args = ["--pid=host"]'
refused -- --pid=host block_host_network
config 'run_args = ["--cap-add=SYS_ADMIN"]'
refused SYS_ADMIN block_privileged
config 'run_args = ["--security-opt=seccomp=unconfined"]'
refused seccomp=unconfined block_privileged
config 'network_mode = "host"' '[sandbox.network]' 'kind = "inherit"'
refused 'network_mode = host' block_host_network
config 'network_mode = "bridge"'
refused bridge sandbox.network
for path in / /etc /proc /sys "$T/docker.sock"; do
        touch "$T/docker.sock"
        config 'mount_policy = "custom"' '[sandbox]' "fs_read_allow = [\"$path\"]"
        refused "$path" block_root_volume
done
# a socket goes by any name, whoever listens
rm -f "$T/api"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/api"
config 'mount_policy = "custom"' '[sandbox]' "fs_read_allow = [\"$T/api\"]"
refused "$T/api" block_root_volume
config '[sandbox]' 'syscall_policy = "strict"'
refused 'syscall_policy = "strict"'
nothing_left
END

case_for "$roots" 'devices are warned of' <<'END'
config 'run_args = ["--device=/dev/null:/dev/zilch"]'
try b 'echo ran'
says --device ran
config 'mount_policy = "custom"' '[sandbox]' 'fs_read_allow = ["/dev/null"]'
try b 'echo ran'
says '/dev/null: a device' ran
END

case_for "$roots" 'what is mounted all the same is told, and no guarantee that it undoes is claimed' <<'END'
config 'mount_policy = "custom"' '[container.security_flags]' 'block_root_volume = false' '[sandbox]' 'fs_read_allow = ["/etc"]'
try b --json 'echo ran'
says ran '/etc is mounted'
jq -e '(.enforced | contains(["writes"])) and (.enforced | contains(["reads"]) | not)' <<<"${output##*$'\n'}"
END

case_for docker 'an engine that cannot be reached, or does not answer' <<'END'
engine_env=("DOCKER_HOST=unix://$T/nowhere.sock")
try b 'echo x >ran'
test $status = 125
says 'daemon'
config 'enabled = true' 'runtime = "docker"'
try bailey run --config "$T/c.toml" 'echo x >ran'
test $status = 125
says 'daemon'
python3 -c 'import os, socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1] + "~"); s.listen(9)
os.rename(sys.argv[1] + "~", sys.argv[1]); time.sleep(1000)' "$T/hang.sock" & # it is seen when it listens
until_file "$T/hang.sock"
engine_env=("DOCKER_HOST=unix://$T/hang.sock")
try b 'echo x >ran'
kill $!
test $status = 125
says 'did not answer'
test ! -e ran
END

case_for docker 'an engine on another machine is refused, however it is named' <<'END'
engine_env=("DOCKER_HOST=tcp://127.0.0.1:4")
try b 'echo x >ran'
test $status = 125
says 'DOCKER_HOST is tcp:' 'another machine'
engine_env=("DOCKER_CONFIG=$T/e/contexts")
env "DOCKER_CONFIG=$T/e/contexts" /usr/bin/docker context create near --docker "host=unix://$T/e/docker.sock"
env "DOCKER_CONFIG=$T/e/contexts" /usr/bin/docker context create far --docker host=tcp://127.0.0.1:4
extra=(DOCKER_CONTEXT=far)
try b 'echo x >ran'
test $status = 125
says "docker's context far is tcp:" 'another machine'
extra=(DOCKER_CONTEXT=near)
try b 'echo near'
test "$output" = near
test ! -e ran
nothing_left
END

case_for 'podman rootless' 'a service that podman would ask is refused, however it is named' <<'END'
for entry in CONTAINER_HOST=ssh://far/podman.sock CONTAINER_HOST=unix:///nonexistent.sock CONTAINER_CONNECTION=far; do
        extra=($entry)
        try b 'echo x >ran'
        test $status = 125
        says "${entry%%=*} is set" 'another machine'
done
sed '/\[engine\]/a remote = true' "$T/e/containers.conf" >"$T/e/remote.conf"
chmod 644 "$T/e/remote.conf"
extra=(CONTAINERS_CONF="$T/e/remote.conf")
try b 'echo x >ran'
test $status = 125
test ! -e ran
END

# What it may say for all its containers does not widen ours.
case_for podman 'settings of podman do not open namespaces or pass the environment on' <<'END'
sed 's/\[network\]/[containers]\npidns = "host"\nutsns = "host"\nipcns = "host"\ncgroupns = "host"\nenv_host = true\n&/' \
        "$T/e/containers.conf" >"$T/e/wide.conf"
extra=(CONTAINERS_CONF="$T/e/wide.conf" DOCKER_API_VERSION=canary)
try b 'for name in pid uts ipc; do readlink /proc/self/ns/$name; done; echo "version ${DOCKER_API_VERSION-none}"'
test $status = 0
for name in pid uts ipc; do
        case $output in *"$(readlink /proc/self/ns/$name)"*) false ;; esac
done
says 'version none'
nothing_left
END

case_for docker 'an engine that does not answer is not asked by every command of a session' <<'END'
cat >"$T/silent.py" <<'PYTHON'
import os, socket, sys
s, kept = socket.socket(socket.AF_UNIX), []
s.bind(sys.argv[1] + "~")
s.listen(99)
os.rename(sys.argv[1] + "~", sys.argv[1])
while kept.append(s.accept()) is None:
    pass
PYTHON
python3 "$T/silent.py" "$T/silent.sock" &
silent=$!
# How often a client tries to connect depends on when it is killed; others may still be at work on what earlier cases left.
fake "if [[ \${DOCKER_HOST-} == *silent.sock ]]; then echo x >>$T/asked; fi"
until_file "$T/silent.sock"
engine_env=("DOCKER_HOST=unix://$T/silent.sock")
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'echo x >ran'
says 'did not answer'
once=$(wc -l <"$T/asked")
test "$once" -gt 0
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'echo x >ran' 'echo x >ran' 'echo x >ran'
kill $silent
unfake
test "$(grep -c 'did not answer' <<<"$output")" = 3
test $(($(wc -l <"$T/asked") - once)) -lt $((3 * once)) # three commands, not three times as often
test ! -e ran
END

case_for 'docker podman' 'a client that hangs is no command that takes long' <<'END'
fake 'exec sleep 1000'
try b --timeout 300 'echo x >ran'
unfake
test $status = 125
says answer
test ! -e ran
END

# The engine would follow the link; a command of the workspace may have made it.
case_for 'docker podman' 'a path that became a link while the container was made' <<'END'
mkdir -p sub && git -C sub init -q && git -C sub config alias.a b && mkdir -p sub/.git/hooks "$T/elsewhere/hooks"
cp sub/.git/config "$T/elsewhere"
try b 'echo fine'
says fine
fake 'if [[ " $* " == *" create "* ]]; then' '        "$real" "$@" || exit' \
        "        mv $W/sub/.git $W/sub/old; ln -s $T/elsewhere $W/sub/.git; exit" 'fi'
try b 'echo x >ran'
test $status = 125
says 'no longer refers to the same file'
nothing_left
test ! -e ran
END

# ---- choice ----

case_of 'enabled in the config, and by the environment' <<'END'
config 'enabled = true' "runtime = \"$kind\""
try bailey run --config "$T/c.toml" --json true
jq -e ".backend == \"$kind\"" <<<"${output##*$'\n'}"
config 'enabled = true' # rootless podman, then docker, then podman, then gVisor: the first that works
try bailey run --config "$T/c.toml" --json true
case $which in podman | rootless) first=podman ;; *) first=docker ;; esac
jq -e ".backend == \"$first\"" <<<"${output##*$'\n'}"
config
extra=(BAILEY_SANDBOX=$kind)
try bailey run --config "$T/c.toml" --json true
jq -e ".backend == \"$kind\"" <<<"${output##*$'\n'}"
extra=()
try bailey run --config "$T/c.toml" --json true
jq -e '.backend == "native"' <<<"${output##*$'\n'}"
END

case_of 'status and doctor know of it' <<'END'
config 'enabled = true' "runtime = \"$kind\""
try_asking bailey container status --config "$T/c.toml" --json
test $status = 0
jq -e ".used == \"$kind\" and (.runtimes[] | select(.name == \"$kind\") | .has_image)" <<<"$output"
image=localhost/nowhere:1
config 'enabled = true' "runtime = \"$kind\""
try_asking bailey container status --config "$T/c.toml"
test $status = 1
says 'commands cannot run' "$kind does not have the image" 'bailey container pull'
try_asking bailey container status --config "$T/c.toml" --json
test $status = 1
jq -e ".wanted == \"$kind\" and .used == null and (.image_problem | contains(\"$kind does not have the image\"))" <<<"$output"
image=localhost/bailey:latest
config 'enabled = true' "runtime = \"$kind\""
try_asking bailey doctor --config "$T/c.toml" --json
test $status = 0
jq -e ".chosen == \"$kind\" and (.backends[] | select(.name == \"$kind\") | .works and .enforces_policy)" <<<"$output"
jq -c .limits <<<"$output" >"$T/limits" # which are those that its commands have
jq -e '. == {"memory":"enforced","pids":"enforced","cpus":"enforced"} or "'$which'" == "rootless"' "$T/limits"
try_asking b --json true
jq -c '.limits | {memory, pids, cpus}' <<<"${output##*$'\n'}" | diff - "$T/limits"
try_asking bailey doctor --config "$T/c.toml"
says 'by the engine' "verified: run in this project's CI" || test $which = rootless
nothing_left
END

case_for "$roots" 'a plan is shown, and nothing made' <<'END'
try b --show-plan 'echo x'
says "backend $kind" '"create"' '"--read-only"'
test -z "$(left)"
END

# ---- images ----

case_for 'docker podman' 'an image is got from a trusted registry, and progress is shown' <<'END'
python3 "$here/registry.py" 4713 /bin/busybox &
registry=$!
eventually curl -s http://127.0.0.1:4713/v2/
image=127.0.0.1:4713/tiny:1
config
try bailey container pull --runtime "$kind" --config "$T/c.toml"
test $status = 1
says trusted_registries
try bailey container pull --runtime "$kind" --config "$T/c.toml" tiny:1 # podman would look for that name in this registry
test $status = 1
says docker.io/library/tiny:1
test -z "$(engine images -q --filter reference='*tiny*')"
config 'trusted_registries = ["127.0.0.1:4713"]'
try bailey container pull --runtime "$kind" --config "$T/c.toml"
kill $registry
test $status = 0
says 127.0.0.1:4713/tiny:1
test "$(wc -l <<<"$output")" -ge 3
try b 'echo pulled'
test "$output" = pulled
try bailey container pull --runtime "$kind" --config "$T/c.toml" localhost/bailey:latest
test $status = 1
says 'local image'
END

# ---- sessions ----

case_of 'a session: one container, entered by each command' <<'END'
config 'session = true'
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" \
        'echo one >/tmp/kept; hostname; sleep 1000 & exit 3' 'cat /tmp/kept; ps | grep -c "[s]leep 1000"; echo $PWD' \
        'timeout:sleep 1000' 'echo ${SECRET-none}; cat /tmp/kept' 'exit 125'
says 'exit 3' $'one\n0' 'timed out' $'none\none' 'exit 125'
nothing_left
END

# Whoever replaces a file takes away what was mounted over it, everywhere.
case_of 'a session whose masks were taken away is made anew' <<'END'
git init -q .
echo CANARY >hidden
echo CANARY >linked
own "$W"
config 'session = true' '[sandbox]' "fs_read_deny = [\"$W/hidden\", \"$W/linked\"]"
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" \
        'cat hidden; echo one >/tmp/kept' 'cat /tmp/kept' \
        "host:echo CANARY >$W/new && mv $W/new $W/hidden" 'cat hidden; cat /tmp/kept || echo two' \
        "host:cd $W && ln linked other && rm linked && mv other linked" 'cat linked; echo three' \
        "host:cp $W/.git/config $W/new && mv $W/new $W/.git/config" 'echo PWNED >>.git/config; echo four'
case $output in *CANARY*) false ;; esac
says $'\none\n' two three four
if grep -q PWNED .git/config; then false; fi
nothing_left
END

case_for "$roots" 'a session goes on after a command that leaves no room' <<'END'
config 'session = true'
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'echo first' \
        'timeout:for i in $(seq 300); do sleep 1000 & done; sleep 1000' 'echo second'
says first second
nothing_left
END

case_for "$roots" 'a session serves others by containers of their own' <<'END'
config 'session = true'
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'background:trap "echo TERM >caught; exit 4" TERM; echo x >up; while :; do sleep 0.1; done' \
        'wait:up' 'echo beside' 'kill'
says beside
nothing_left
END

case_of 'a signal reaches the command' <<'END'
config '[run]' 'kill_grace = 60'
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'background:trap "echo TERM >caught; exit 4" TERM; echo x >up; while :; do sleep 0.1; done' \
        'wait:up' 'kill'
test "$(cat caught)" = TERM
nothing_left
END

# As podman's does in the moment after the command has started.
case_for 'docker podman' 'a signal reaches the command, also while the client does not pass it on' <<'END'
config '[run]' 'kill_grace = 60'
fake 'if [[ " $* " == *" start "* ]]; then' '        "$real" "$@" &' '        wait $!; exit' 'fi'
try "${clean[@]}" "${engine_env[@]}" "$series" "$kind" "$T/c.toml" "$W" 'background:trap "echo TERM >caught; exit 4" TERM; echo x >up; while :; do sleep 0.1; done' \
        'wait:up' 'kill'
unfake
test "$(cat caught)" = TERM
says 'ended with 4'
nothing_left
END
