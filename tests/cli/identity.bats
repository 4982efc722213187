#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2088,SC2154 # commands are for the sandbox; tests are subshells; bats sets $stderr
# Who commands of root are outside the sandbox, and to whom their files belong.
load run_helper

base=1999962112

needs_root() {
        if [ "$(id -u)" != 0 ]; then skip 'only for root'; fi
}

native() {
        bailey run --set sandbox.backend=native --config "$OFF" "$@"
}

# enforces GUARANTEE ARGUMENT...
enforces() {
        local guarantee=$1
        shift
        [ "$(native --json "$@" | jq --arg g "$guarantee" '.enforced | index($g) != null')" = true ]
}

@test 'commands of root are user 0 inside, and nobody outside' {
        needs_root
        run native 'id -u; id -g; id -G; cat /proc/self/uid_map /proc/self/gid_map'
        [ "$status" = 0 ]
        [ "$(tr -s ' \n' ' ' <<<"$output")" = "0 0 0 0 $base 65536 0 $base 65536 " ]
        enforces identity true
}

@test 'an ordinary user is not root in any sandbox' {
        if [ "$(id -u)" = 0 ]; then
                place=$(mktemp -d) # not below bats' own directory, which is for its user only
                chmod 755 "$place"
                mkdir "$place"/{home,homes,ws}
                chown 65534:65534 "$place"/*
                cp "$BAILEY" "$OFF" "$place"
                clean=(setpriv --reuid 65534 --regid 65534 --clear-groups "${clean[@]}" HOME="$place/home" BAILEY_HOME_DIR="$place/homes")
                BAILEY=$place/bailey OFF=$place/off.toml
                cd "$place/ws"
        fi
        run native --json 'awk "{ print \$1, \$2, \$3 }" /proc/self/uid_map; stat -c %u:%g .'
        rm -rf "${place-}"
        echo "$output"
        [ "$(jq '.enforced | index("identity") != null' <<<"$output")" = true ]
        [[ $(jq -r .output <<<"$output") =~ ^([0-9]+)\ ([0-9]+)\ 1$'\n'([0-9]+): ]]
        [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
        [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[3]}" ]
        [ "${BASH_REMATCH[1]}" != 0 ]
}

@test 'files keep their owners' {
        needs_root
        echo secret >mine && chmod 600 mine
        echo text >theirs && chown 1234:2345 theirs && chmod 644 theirs
        run native 'cat mine theirs; stat -c %u:%g mine theirs; echo more >>mine; mkdir d; echo new >d/new; ln -s x d/link; chmod 2700 d'
        [ "$output" = $'secret\ntext\n0:0\n1234:2345' ]
        [ "$(stat -c %u:%g mine theirs d d/new d/link | sort | uniq -c | tr -s ' \n' ' ')" = ' 4 0:0 1 1234:2345 ' ]
        [ "$(cat mine)" = $'secret\nmore' ]
}

@test 'what a command has as its input can be opened again' {
        [ "$(echo text | native 'cat /dev/stdin')" = text ]
        echo text >"$BATS_TEST_TMPDIR/input" && chmod 600 "$BATS_TEST_TMPDIR/input"
        [ "$(native 'cat /dev/stdin' <"$BATS_TEST_TMPDIR/input")" = text ]
}

@test 'a pipe of another user stays theirs' {
        needs_root
        export -f native bailey
        declare -p clean OFF >"$BATS_TEST_TMPDIR/vars"
        run python3 - "$BATS_TEST_TMPDIR/vars" <<'P'
import os, subprocess, sys
os.seteuid(1234)
ends = os.pipe() + os.pipe()
os.seteuid(0)
os.write(ends[1], b'text')
os.close(ends[1])
subprocess.run(['bash', '-c', '. "$1"; native cat', 'bash', sys.argv[1]], stdin=ends[0], stdout=ends[3], check=True)
print(os.read(ends[2], 100).decode(), os.fstat(ends[0]).st_uid, os.fstat(ends[2]).st_uid)
P
        echo "$output"
        [ "$output" = 'text 1234 1234' ]
}

# in_repository DIRECTORY: git in a directory of a repository, which the workspace is only a part of
in_repository() {
        mkdir -p "$1/repo/sub" && cd "$1/repo" && git init -q . && echo x >sub/file && git add . && cd sub &&
                native 'git status --short; stat -c %u:%g .. ../.git; touch ../x 2>/dev/null || echo read-only; touch new'
}

@test 'git works in a directory of a repository, which cannot be written' {
        needs_root
        run in_repository "$HOME"
        [ "$output" = $'A  file\n0:0\n0:0\nread-only' ]
        export -f native bailey in_repository
        declare -p clean OFF >"$BATS_TEST_TMPDIR/vars"
        run unshare --mount bash -c '. "$1"; mount -t tmpfs t /srv && in_repository /srv' bash "$BATS_TEST_TMPDIR/vars"
        echo "$output"
        [ "$output" = $'A  file\n0:0\n0:0\nread-only' ]
}

@test 'access control lists name accounts of the host' {
        needs_root
        touch file
        python3 -c "import os, struct; os.setxattr('$W/file', 'user.a', b'')" 2>/dev/null || skip 'no extended attributes here'
        run native 'python3 -c "
import os, struct
acl = struct.pack(\"<I\", 2)
for tag, perm, who in ((1, 6, -1), (2, 7, 1234), (4, 0, -1), (16, 7, -1), (32, 0, -1)): acl += struct.pack(\"<HHi\", tag, perm, who)
os.setxattr(\"file\", \"system.posix_acl_access\", acl)
print(struct.unpack(\"<HHi\", os.getxattr(\"file\", \"system.posix_acl_access\")[12:20]))"'
        echo "$output"
        [ "$output" = '(2, 7, 1234)' ]
        [ "$(python3 -c 'import os, struct; print(struct.unpack("<HHi", os.getxattr("file", "system.posix_acl_access")[12:20]))')" = '(2, 7, 1234)' ]
}

@test 'root can make no program that is root for everybody' {
        needs_root
        run native 'cp /bin/true t; chmod 4755 t || echo refused; chmod 755 t && ./t && echo runs'
        [[ $output == *refused*runs ]]
        [ "$(stat -c %a t)" = 755 ]
}

@test 'a command can open its output again' {
        run --separate-stderr native 'echo one >/dev/stdout; echo two >/dev/stderr; echo three | tee /proc/self/fd/2 >/dev/null'
        [ "$status" = 0 ]
        [ "$output" = one ]
        [[ $stderr == *two*three* ]]
}

@test 'a workspace below a directory that only root can search' {
        needs_root
        mkdir -p "$BATS_TEST_TMPDIR/closed/beside" "$BATS_TEST_TMPDIR/closed/ws"
        echo CANARY >"$BATS_TEST_TMPDIR/closed/beside/file"
        chmod 700 "$BATS_TEST_TMPDIR/closed"
        cd "$BATS_TEST_TMPDIR/closed/ws"
        run native 'pwd; echo new >file; ls ..; cat ../beside/file'
        echo "$output"
        [[ $output == "$PWD"$'\nws\n'* && $output != *CANARY* ]]
        [ "$(cat file)" = new ]
}

@test 'what --read names is readable as by its owner' {
        needs_root
        D=$(mktemp -d /opt/bailey-test.XXXXXX)
        echo text >"$D/file"
        chmod 600 "$D/file"
        run native "cat $D/file"
        [ "$status" != 0 ]
        run native --read "$D" "cat $D/file; stat -c %u $D/file; touch $D/new"
        rm -rf "$D"
        [[ $output == $'text\n0\n'*'Read-only file system'* ]]
}

@test 'git refuses repositories of root elsewhere, unless they are given' {
        needs_root
        D=$(mktemp -d /opt/bailey-test.XXXXXX)
        chmod 755 "$D" && git init -q "$D" && touch "$D/file"
        run native "git -C $D status --short"
        shown=$(native --read "$D" "git -C $D status --short")
        rm -rf "$D"
        [[ $output == *'dubious ownership'* ]]
        [ "$shown" = '?? file' ]
}

@test 'other places that can be written: files belong to root there, too' {
        needs_root
        mkdir "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
        touch "$BATS_TEST_TMPDIR/one/theirs"
        chown 1234:2345 "$BATS_TEST_TMPDIR/one/theirs"
        native --write "$BATS_TEST_TMPDIR/one" --set "sandbox.fs_write_allow=[\"$BATS_TEST_TMPDIR/two\"]" \
                "cd $BATS_TEST_TMPDIR; mv one/theirs one/moved; echo x >one/new; mkdir two/d; echo x >two/d/new"
        cd "$BATS_TEST_TMPDIR"
        [ "$(stat -c '%n %u:%g' one/* two/* two/d/* | tr '\n' ' ')" = 'one/moved 1234:2345 one/new 0:0 two/d 0:0 two/d/new 0:0 ' ]
}

@test 'what was set aside is restored as the file of root that it was' {
        needs_root
        git init -q .
        run --separate-stderr native 'mkdir .vscode && echo x >.vscode/tasks.json && chmod 700 .vscode'
        [[ $stderr =~ 'bailey restore '([0-9a-f]+) ]]
        [ ! -e .vscode ]
        bailey restore "${BASH_REMATCH[1]}"
        [ "$(stat -c '%u:%g %a' .vscode .vscode/tasks.json | tr '\n' ' ')" = '0:0 700 0:0 644 ' ]
}

@test 'a service of the host sees a user that nobody is' {
        needs_root
        cat >"$BATS_TEST_TMPDIR/service.py" <<'P'
import os, socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o600)
s.listen()
open(sys.argv[2], 'w').close()
c = s.accept()[0]
c.sendall(b'%d' % struct.unpack('3i', c.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
P
        python3 "$BATS_TEST_TMPDIR/service.py" "$BATS_TEST_TMPDIR/sock" "$BATS_TEST_TMPDIR/ready" 3>&- &
        until_exists "$BATS_TEST_TMPDIR/ready"
        run native --set "sandbox.unix_sockets.paths=[\"$BATS_TEST_TMPDIR/sock\"]" "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"$BATS_TEST_TMPDIR/sock\"); print(s.recv(99).decode())'"
        kill $! 2>/dev/null || :
        echo "$output"
        [ "$output" = "$base" ]
}

@test 'the home directory of the host can be read by root, and tools in its own one run' {
        needs_root
        mkdir -p "$HOME/.local/bin" "$HOME/.npm/_cacache"
        printf '#!/bin/sh\necho tool\n' >"$HOME/.local/bin/tool"
        echo cached >"$HOME/.npm/_cacache/one"
        chmod -R go= "$HOME"
        chmod 700 "$HOME/.local/bin/tool"
        [ "$(native --set sandbox.home=host '~/.local/bin/tool; cat ~/.npm/_cacache/one')" = $'tool\ncached' ]
        [ "$(native --set sandbox.home=own '~/.local/bin/tool; echo more >>~/.npm/_cacache/one; echo two >~/.npm/_cacache/two')" = tool ]
        [ "$(native --set sandbox.home=own 'cat ~/.npm/_cacache/*; stat -c %u ~/.npm/_cacache/two')" = $'cached\nmore\ntwo\n0' ]
        [ "$(cat "$HOME/.npm/_cacache/"*)" = cached ]
        [ -z "$(find "$BATS_TEST_TMPDIR/homes" ! -user 0)" ]
}

@test 'git works, and its config can be set' {
        git init -q .
        run native 'git config user.name a && git config user.email a@example.com && touch f && git add f && git commit -qm one && git status --short && git log --oneline | wc -l'
        echo "$output"
        [ "$status" = 0 ]
        [ "$output" = 1 ]
        [ "$(git config user.name)" = a ]
        [ -z "$(find . ! -user "$(id -u)")" ]
}

# on_overlay COMMAND...: in a workspace on a file system whose owners cannot be mapped
on_overlay() {
        local all=("$@")
        export -f native bailey
        declare -p clean OFF all >"$BATS_TEST_TMPDIR/vars"
        mkdir -p lower upper work merged
        unshare --mount bash -c '. "$1"; mount -t tmpfs t upper && mkdir upper/u upper/w && mount -t overlay -o lowerdir=lower,upperdir=upper/u,workdir=upper/w o merged || exit 77
                cd merged && "${all[@]}"' bash "$BATS_TEST_TMPDIR/vars"
}

@test 'a file system that cannot map owners: root is root, and bailey says so' {
        needs_root
        on_overlay true || skip 'no overlay file systems here'
        run on_overlay native --json 'awk "{ print \$2 }" /proc/self/uid_map; echo x >file; stat -c %u file'
        echo "$output"
        [ "$(jq -r '.backend, (.not_enforced - ["hosts"])[]' <<<"$output")" = $'native\nidentity' ]
        [[ $(jq -r '.notices[]' <<<"$output") == *'commands are root outside the sandbox: the owners of files in '*'/merged cannot be mapped'* ]]
        run on_overlay native --set sandbox.require_identity=true 'touch ran'
        [ "$status" = 125 ]
        [[ $output == *'commands of root are not root outside the sandbox'* ]]
}

@test 'other sandboxes say that root is root there' {
        needs_root
        for backend in bwrap landlock; do
                run bailey run --set sandbox.backend="$backend" --json 'awk "{ print \$2 }" /proc/self/uid_map'
                echo "$output"
                [ "$(jq -c '.backend, .output, (.not_enforced | index("identity") != null)' <<<"$output" | tr '\n' ' ')" = "\"$backend\" \"0\\n\" true " ]
                refused 'cannot enforce this policy' --set sandbox.backend="$backend" --set sandbox.require_identity=true
        done
}
