#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154,SC2088 # the commands are for bailey; the helper sets variables
# bailey run --why, with failures of real programs: the layer that denied something, and the line that, tried, makes the program work. Programs
# are silenced, so that only the evidence can tell.

# shellcheck source=tests/cli/run_helper.bash
load run_helper.bash

setup_file() {
        export OUT=/srv/bailey-why-$$
        if ! mkdir -p "$OUT" 2>/dev/null; then skip 'needs a directory in /srv that can be written'; fi
}

teardown_file() {
        rm -rf "$OUT"
}

eval "$(declare -f setup | sed '1s/setup/helper_setup/')"
setup() {
        helper_setup
        D=$OUT/$BATS_TEST_NUMBER
        mkdir -p "$D" ~/data
        echo 1 >~/data/in
        echo '{"a": 1}' >~/data/in.json
}

teardown() {
        if [ -n "${server-}" ]; then kill "$server"; fi
        if [ -n "${database-}" ]; then kill -INT "$database"; fi
}

# real LAYER KIND COMMAND: it fails; the first finding of this kind is of the layer, and its line makes the command succeed
real() {
        local layer=$1 kind=$2 command="{ $3; } >/dev/null 2>&1" got=0
        local said=$BATS_TEST_TMPDIR/said.json line=$BATS_TEST_TMPDIR/line.toml
        command -v "${3%% *}" >/dev/null || [[ $3 == *=* ]] || { echo "# no ${3%% *}" >&3 && return 0; }
        n=$((${n-0} + 1)) # with a home of its own, in which nothing was mounted yet
        bailey run --backend native --set sandbox.home_dir="$BATS_TEST_TMPDIR/homes-$n" --why --json "$command" >"$said" || got=$?
        if [ "$got" = 0 ]; then echo "passes already: $3" && return 1; fi
        jq -e --arg kind "$kind" --arg layer "$layer" '[.findings[] | select(.kind == $kind)][0] | .layer == $layer and .setting != null' \
                "$said" >/dev/null || { echo "$3: $(jq -c '[.findings[] | [.kind, .subject]]' "$said")" && return 1; }
        jq -r --arg kind "$kind" '[.findings[] | select(.kind == $kind)][0].setting' "$said" >"$line"
        got=0
        bailey run --backend native --set sandbox.home_dir="$BATS_TEST_TMPDIR/homes-$n" --config "$line" "$3" >"$BATS_TEST_TMPDIR/out" 2>&1 || got=$?
        if [ "$got" != 0 ]; then echo "$3 with $(cat "$line"):" && cat "$BATS_TEST_TMPDIR/out" && return 1; fi
        echo "# $3" >>"$BATS_TEST_TMPDIR/proven"
}

# proven COUNT: so many of them were
proven() {
        [ "$(wc -l <"$BATS_TEST_TMPDIR/proven")" -ge "$1" ]
}

@test "writes outside of the workspace: system programs" {
        echo a >"$D/old"
        real mounts outside "touch $D/1"
        real mounts outside "mkdir $D/2"
        echo x >x
        real mounts outside "cp x $D/3"
        real mounts outside "mv x $D/4"
        real mounts outside "ln -s x $D/5"
        real mounts outside "sed -i s/a/b/ $D/old"
        real mounts outside "tee $D/6 </dev/null"
        real mounts outside "install -m 600 Makefile $D/7 || install -m 600 /etc/hostname $D/7"
        real mounts outside "truncate -s 5 $D/old"
        real mounts outside "rm $D/1"
        tar -cf x.tar -C /etc hostname
        real mounts outside "tar -xf x.tar -C $D"
        proven 11
}

@test "writes outside of the workspace: compilers and build systems" {
        printf 'int main(void) { return 0; }\n' >x.c
        printf 'all: ; @true\ninstall: ; install -m 644 x.c %s/installed.c\n' "$D" >Makefile
        real mounts outside "gcc -o $D/x x.c"
        real mounts outside "make install"
        real mounts outside "cmake -E copy x.c $D/y.c"
        printf 'module x\ngo 1.18\n' >go.mod
        printf 'package main\nfunc main() {}\n' >main.go
        real mounts outside "go build -o $D/go main.go"
        echo 'class A {}' >A.java
        real mounts outside "javac -d $D A.java"
        proven 4
}

@test "writes outside of the workspace: git, databases, packages, languages" {
        git init -q "$D/repo"
        real mounts outside "git -c user.name=a -c user.email=a@b --git-dir=$D/repo/.git commit --allow-empty -qm x"
        git init -q src
        real mounts outside "git clone -q src $D/clone"
        real mounts outside "git config --file $D/config a.b c"
        real mounts outside "python3 -c 'open(\"$D/py\", \"w\")'"
        real mounts outside "node -e 'require(\"fs\").mkdirSync(\"$D/js\")'"
        real mounts outside "perl -e 'open(F, \">\", \"$D/pl\") or exit 1'"
        real mounts outside "ruby -e 'File.write(\"$D/rb\", \"\")'"
        echo '{"name": "x", "version": "1.0.0"}' >package.json
        real mounts outside "npm pack --pack-destination $D"
        proven 6
}

@test "files of the home that are not shown" {
        git init -q ~/data/repo
        echo 'SELECT 1;' >~/data/q.sql
        ssh-keygen -qN '' -t ed25519 -f ~/data/deploy
        printf 'all: ; @true\n' >~/data/rules.mk
        echo '#define X' >~/data/x.h
        sqlite3 ~/data/db 'create table t(a)'
        real 'hidden path' hidden 'cat ~/data/in'
        real 'hidden path' hidden 'ls ~/data'
        real 'hidden path' hidden 'jq . ~/data/in.json'
        real 'hidden path' hidden 'diff ~/data/in /dev/null; test $? = 1'
        real 'hidden path' hidden 'make -f ~/data/rules.mk'
        printf '#include "x.h"\n' >x.c
        real 'hidden path' hidden 'gcc -I ~/data -c x.c'
        real 'hidden path' hidden 'python3 -c "import json, os; json.load(open(os.path.expanduser(\"~/data/in.json\")))"'
        real 'hidden path' hidden 'node -e "require(process.env.HOME + \"/data/in.json\")"'
        real 'hidden path' hidden 'perl -e "open(F, \"<\", \"\$ENV{HOME}/data/in\") or exit 1"'
        real 'hidden path' hidden 'ruby -e "File.read(Dir.home + \"/data/in\")"'
        real 'hidden path' hidden 'git ls-remote ~/data/repo'
        real 'hidden path' hidden 'tar -cf x.tar -C ~ data/in'
        real 'hidden path' hidden 'ssh-keygen -l -f ~/data/deploy.pub'
        real 'hidden path' hidden 'sqlite3 -readonly ~/data/db .tables'
        real 'hidden path' hidden 'find ~/data -name in'
        proven 12
}

# A server at a port of the host's 127.0.0.1: $port
serve() {
        python3 -c '
import functools, http.server, sys
class H(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(H, directory=sys.argv[1]))
open(sys.argv[2], "w").write(str(s.server_port))
s.serve_forever()' "$1" "$BATS_TEST_TMPDIR/port" 3>&- &
        server=$!
        eventually test -s "$BATS_TEST_TMPDIR/port"
        port=$(cat "$BATS_TEST_TMPDIR/port")
}

@test "ports of the host" {
        mkdir -p "$D/x"
        echo '{"name": "x", "versions": {"1.0.0": {"name": "x", "version": "1.0.0"}}, "dist-tags": {"latest": "1.0.0"}, "_id": "x"}' >"$D/x/index.html"
        git init -q --bare "$D/repo.git"
        (cd "$D/repo.git" && git update-server-info)
        echo 'not a wheel' >"$D/file"
        serve "$D"
        real network host-port "curl -sSf http://127.0.0.1:$port/file"
        real network host-port "curl -sSf http://localhost:$port/file"
        real network host-port "wget -qO /dev/null http://127.0.0.1:$port/file"
        real network host-port "git ls-remote http://127.0.0.1:$port/repo.git"
        real network host-port "python3 -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:$port/file\")'"
        real network host-port "node -e 'fetch(\"http://127.0.0.1:$port/file\").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))'"
        real network host-port "npm view x --registry http://127.0.0.1:$port/ --fetch-retries 0 name"
        real network host-port "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:$port\") or exit 1'"
        real network host-port "ruby -rsocket -e 'TCPSocket.new(\"127.0.0.1\", $port)'"
        real network host-port "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$port'"
        proven 7
}

@test "psql, over a unix socket and over a port of the host" {
        local bin
        bin=$(compgen -G '/usr/lib/postgresql/*/bin' | tail -n 1) && command -v psql >/dev/null || skip 'no PostgreSQL'
        local as=()
        if [ "$(id -u)" = 0 ]; then
                as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
                chown 65534:65534 "$D"
        fi
        chmod 755 "$OUT" "$D"
        "${as[@]}" env LC_ALL=C "$bin/initdb" -D "$D/db" -A trust -U me --no-sync >/dev/null
        port=$((20000 + RANDOM % 10000))
        (cd "$D" && exec "${as[@]}" env LC_ALL=C "$bin/postgres" -D "$D/db" -k "$D" -p "$port" -F -h 127.0.0.1 >"$BATS_TEST_TMPDIR/log" 2>&1 3>&-) &
        database=$!
        eventually psql -qh "$D" -p "$port" -U me -c 'select 1' postgres
        real sockets socket "psql -h $D -p $port -U me -c 'select 1' postgres"
        real network host-port "psql -h 127.0.0.1 -p $port -U me -c 'select 1' postgres"
        proven 2
}

@test "sockets of services" {
        python3 -c '
import http.server, socketserver, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.send_response(200); self.end_headers()
    def address_string(self): return ""
    def log_message(self, *a): pass
socketserver.ThreadingUnixStreamServer(sys.argv[1], H).serve_forever()' "$D/s" 3>&- &
        server=$!
        until_exists "$D/s"
        real sockets socket "curl -sSf --unix-socket $D/s http://x/"
        real sockets socket "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$D/s\")'"
        real sockets socket "node -e 'require(\"net\").connect(\"$D/s\", () => process.exit(0)).on(\"error\", () => process.exit(1))'"
        real sockets socket "ruby -rsocket -e 'UNIXSocket.new(\"$D/s\")'"
        proven 2
}

# limited KEY=VALUE: a limit that the user has set
limited() {
        mkdir -p ~/.config/bailey
        printf '%s\n' "$1" >~/.config/bailey/config.toml
}

@test "limits, and the list of system calls" {
        limited 'sandbox.max_memory_bytes = "96 MiB"'
        real limit max_memory_bytes 'python3 -c "x = bytearray(200 << 20)"'
        limited 'sandbox.max_file_bytes = "1 MiB"'
        real limit max_file_bytes 'head -c 1500000 /dev/zero >x'
        limited 'run.timeout = 1'
        real limit timeout 'sleep 2'
        limited 'sandbox.max_cpu_secs = 1'
        real limit max_cpu_secs 'python3 -c "
import time
while time.process_time() < 1.5: pass"'
        limited 'sandbox.syscall_policy = "strict"'
        real 'system calls' syscall-strict "python3 -c 'import ctypes; ctypes.CDLL(None).syscall(303, -1, 0, 0, 0, 0)'"
        proven 4
}

@test "denied by the policy, a read-only workspace: where the line is to be changed" {
        mkdir secret
        echo x >secret/file
        run bailey run --backend native --set sandbox.fs_read_deny="$W/secret" --why 'cat secret/file >/dev/null 2>&1'
        [[ $output == *"remove the entry that matches $W/secret/file from sandbox.fs_read_deny"* ]]
        run bailey run --backend native --set sandbox.fs_write_deny="$W/secret" --why 'touch secret/new 2>/dev/null'
        [[ $output == *"remove the entry that matches $W/secret/new from sandbox.fs_write_deny"* ]]
        limited 'sandbox.workspace_write = false'
        real mounts workspace-read-only 'touch new'
}

# ---- the mode itself ----

@test "what fails on the host, too, is no finding; nor is what programs look for in vain" {
        run bailey run --backend native --why 'cat /nonexistent /srv/none; no-such-program; ls /proc/1/root; python3 -c "import no_such_module"'
        [[ $output == *'Nothing was denied.'* ]]
        jq -e '.findings == []' <<<"$(bailey run --backend native --why --json 'git --version; gcc --version; python3 -c 1')"
}

@test "the program that asked, links and relative paths, the record; without the option nothing is noted" {
        ln -s "$HOME/data" link
        mkdir -p sub
        bailey run --backend native --why --json 'cd sub && cat ../link/in 2>/dev/null' >"$BATS_TEST_TMPDIR/said" || true
        jq -e --arg path "$HOME/data/in" '.findings[0] | .subject == $path and .program == "cat" and .kind == "hidden"' "$BATS_TEST_TMPDIR/said"
        jq -e '.findings[0].program == "cat"' <<<"$(bailey why --json)"
        [[ $(bailey why) == *'asked by    cat'* ]]
        bailey run --backend native 'cat ~/data/in 2>/dev/null' || true
        jq -e '.findings == []' <<<"$(bailey why --json)"
}

@test "statically linked programs, threads, descriptors of directories, a signal in the middle" {
        cat >x.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static int dir;
static void nothing(int n) { (void)n; }
static void *look(void *x) {
        for (int i = 0; i < 3000; i++) openat(dir, "data/in", O_RDONLY);
        return x;
}
int main(int argc, char **argv) {
        struct itimerval soon = { { 0, 100 }, { 0, 100 } };
        pthread_t t[8];
        (void)argc;
        dir = open(argv[1], O_PATH);
        signal(SIGALRM, nothing);
        setitimer(ITIMER_REAL, &soon, NULL);
        for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, look, NULL);
        for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
        return 7;
}
END
        gcc -static -pthread -o x x.c
        got=0
        bailey run --backend native --why --json "./x $HOME" >"$BATS_TEST_TMPDIR/said" || got=$?
        [ "$got" = 7 ]
        jq -e --arg path "$HOME/data/in" '[.findings[].subject] == [$path] and .findings[0].program == "x"' "$BATS_TEST_TMPDIR/said"
}

@test "bwrap keeps evidence, too; a sandbox that cannot says so" {
        command -v bwrap >/dev/null || skip 'no bwrap'
        bailey run --backend bwrap --why --json "touch $D/x 2>/dev/null" >"$BATS_TEST_TMPDIR/said" || true
        jq -e --arg path "$D" '.findings[0].subject == $path' "$BATS_TEST_TMPDIR/said"
        run bailey run --backend landlock --why true
        [[ $output == *'what the command was denied could not be seen'* ]]
}

@test "what is noted is bounded, whatever a command asks for; it sees and changes nothing of it" {
        run bailey run --backend native --why 'python3 -c "
import os
for i in range(3000):
    try: open(\"$HOME/data/\" + \"x\" * 200 + str(i), \"w\")
    except OSError: pass
for i in range(200):
    try: open(os.path.expanduser(\"~/data/in\"))
    except OSError: pass
print(os.listdir(\"/proc/self/fd\"))"; ls -l /proc/1/fd'
        [[ $output != *bailey-evidence* ]]
        for i in $(seq 200); do mkdir ~/many"$i"; done
        bailey run --backend native --why --json 'for i in $(seq 200); do ls ~/many$i; done' >"$BATS_TEST_TMPDIR/said" 2>/dev/null || true
        jq -e '(.findings | length) <= 144 and .findings_lost' "$BATS_TEST_TMPDIR/said"
}
