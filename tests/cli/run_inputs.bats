#!/usr/bin/env bats
# bailey run with what it cannot take: 125, the value named, nothing run.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

@test "a relative workspace" {
        refused sub/dir --workspace sub/dir
}

@test "a workspace that is not there" {
        refused "$W/none" --workspace "$W/none"
}

@test "a workspace that is a file" {
        touch "$HOME/file"
        refused "$HOME/file" --workspace "$HOME/file"
}

@test "a workspace that cannot be entered" {
        place=$(mktemp -d) # not below bats' own directory, which is for its user only
        chmod 755 "$place"
        mkdir -m 000 "$place/closed"
        mkdir "$place/home"
        if [ "$(id -u)" = 0 ]; then # who may enter anything
                chown 65534 "$place/home"
                cp "$BAILEY" "$place/bailey"
                clean=(setpriv --reuid 65534 --regid 65534 --clear-groups "${clean[@]}" HOME="$place/home")
                BAILEY=$place/bailey
        fi
        run bailey run --workspace "$place/closed" "touch $place/home/marker"
        echo "$output"
        ls "$place/home" >../made
        rm -rf "$place"
        [ "$status" = 125 ]
        [[ $output == *"$place/closed"* ]]
        run ! grep marker ../made
}

@test "a workspace with a newline" {
        mkdir "$HOME/a"$'\n'b
        refused 'control characters' --workspace "$HOME/a"$'\n'b
}

@test "the root as workspace" {
        refused / --workspace /
        refused / --workspace //
        refused / --workspace /usr/..
}

@test "the home directory as workspace" {
        refused "$HOME" --workspace "$HOME"
        ln -s "$HOME" ../link
        refused "$HOME" --workspace "$BATS_TEST_TMPDIR/link"
        cd "$HOME"
        refused "$HOME"
}

@test "a directory of everybody's temporary files as workspace" {
        place=$(mktemp -d /tmp/bailey-workspace-XXXXXX)
        run bailey run --workspace "$place" 'touch made'
        [ -e "$place/made" ]
        rm -r "$place"
        [ "$status" = 0 ]
        clean+=(XDG_STATE_HOME="$HOME/state" HOME=/usr/no/home) # the home of tests is in /tmp, too
        for place in /tmp /var/tmp /tmp/../tmp; do
                refused 'temporary files of all programs and users would be writable' --workspace "$place"
        done
        ln -s /tmp ../link
        refused 'workspace /tmp: ' --workspace "$BATS_TEST_TMPDIR/link"
        refused /dev/shm --workspace /dev/shm
        cd /tmp
        refused 'use --force'
}

@test "a working directory outside" {
        refused "$HOME" --workspace "$W" --cwd "$HOME"
        refused .. --workspace "$W" --cwd ..
        ln -s / "$W/link"
        refused link --workspace "$W" --cwd link
        refused none --workspace "$W" --cwd none
}

@test "a backend that does not exist" {
        refused nonesuch --backend nonesuch
        clean+=(BAILEY_SANDBOX=nonesuch)
        refused nonesuch
}

@test "a backend that is not available" {
        clean+=(BAILEY_SANDBOX=sandbox-exec)
        refused sandbox-exec
}

@test "a command over the limit" {
        run bailey run "touch marker; : $(head -c 70000 /dev/zero | tr '\0' x)"
        [ "$status" = 125 ] || [ "$status" = 126 ]
        [ ! -e marker ]
}

@test "an empty command, or none" {
        run bailey run
        [ "$status" = 125 ]
        [[ $output == *COMMAND* || $output == *command* ]]
}

@test "flags that make no sense" {
        refused xyz --timeout xyz
        refused -5 --timeout=-5
        refused lots --memory lots
        refused none --network none
        refused sideways --root sideways
        refused 99 --status-fd 99
        refused --no-such-flag --no-such-flag
        refused 1X --env 1X
        refused relative --write relative
}

@test "a timeout beyond the most" {
        run bailey run --timeout 601 true
        [ "$status" = 0 ]
        [[ $output == *timeout_max* ]]
}

@test "a config that cannot be read" {
        refused none.toml --config none.toml
        printf '[sandbox]\nnonsense = 1\n' >../bad.toml
        refused nonsense --config ../bad.toml
}

@test "an error in the value of an option names the option" {
        refused 'option --memory: expected ' --memory much
        refused 'option --env: ' --env 1=2
        refused 'fs_read_allow (--read): /nonexistent: No such file or directory' --read /nonexistent
        refused 'sandbox.max_memory_bytes: expected ' --set sandbox.max_memory_bytes=much
}

@test "single hosts are refused by a backend that cannot enforce them" {
        printf '[sandbox.network]\nkind = "allow_hosts"\nhosts = ["example.com"]\n' >../c.toml
        run bailey run --config ../c.toml --backend landlock 'touch marker'
        echo "$output"
        [ "$status" = 125 ]
        [[ $output == *'landlock: cannot enforce this policy: no network except for listed hosts. If none is requested, '* ]]
        for backend in docker podman gvisor; do
                run bailey run --config ../c.toml --backend $backend 'touch marker'
                echo "$output"
                [ "$status" = 125 ]
                [[ $output == *"$backend: "*' If no container is requested, bailey chooses a sandbox that can enforce the policy'* ]]
        done
        [ ! -e marker ]
}

@test "what a message quotes stays on its line, and does nothing to a terminal" {
        run bailey run --cwd $'a\nbailey: all is well\e[8m' true
        [ "$status" = 125 ]
        [ "$output" = 'bailey: cwd a\nbailey: all is well\x1b[8m: No such file or directory' ]
        run bailey run -- $'no\nsuch\tprogram'
        [ "$status" = 127 ]
        [[ ${lines[0]} == 'bailey: no\nsuch\tprogram: '* ]]
        [ "$(bailey run --json --cwd $'a\nb' true | jq -r .message)" = 'cwd a\nb: No such file or directory' ]
        mkdir $'x\ny'
        run bailey run --workspace "$PWD/x"$'\n'y true
        [ "${#lines[@]}" = 1 ]
}

@test "each reason of a warning is a notice of its own" {
        touch x
        bailey run --json 'chmod 777 x; git clean -n; git clean -fdx' |
                jq -e '.notices | length >= 2 and all(contains("\n") | not)'
}

@test "patterns: what matches is denied, and what comes to match is told" {
        mkdir -p d
        echo secret-of-a >d/a.pem
        run bailey run --deny-read '**/*.pem' 'cat d/a.pem; echo x >b.pem'
        echo "$output"
        [[ $output != *secret-of-a* ]]
        [[ $output == *"$W/b.pem matches **/*.pem in fs_read_deny, but was created after the command started: it could read it"* ]]
        [[ $output != *"$W/d/a.pem matches"* ]]
        run -0 bailey run --deny-read '**/*.pem' 'true'
        [ "$output" = "" ]
        run bailey run --json --deny-read '**/*.pem' 'cat d/a.pem'
        [[ $output == *"The policy denies reading $W/d/a.pem, which matches a pattern"* ]]
        run bailey run --deny-read d/a.pem 'cat d/a.pem'
        [[ $output != *secret-of-a* ]]
        run bailey run --json --deny-write '**/*.pem' 'echo x >d/a.pem'
        [[ $output == *"The policy denies writing $W/d/a.pem, which matches a pattern"* ]]
}

@test "patterns: what is refused" {
        refused 'patterns with * or ? are for deny lists' --write "$W/*"
        refused 'patterns with * or ? are for deny lists' --read "$W/?"
        refused 'it matches everything: use the directory itself' --deny-read '**'
        mkdir many
        (cd many && seq 1100 | xargs touch)
        refused 'many/*: it matches too many files' --deny-read 'many/*'
}
