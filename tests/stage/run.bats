#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands are for the sandbox; what setup() sets is for all; bats sets $stderr
# `bailey run --stage`: what commands write in the workspace is kept apart.
load ../cli/run_helper
load stage_helper

@test 'a command sees what it wrote, and the workspace stays as it is' {
        staging
        echo one >file
        mkdir dir
        echo x >dir/gone
        run --separate-stderr native --stage 'echo two >>file; rm -r dir; echo n >new; cat file; ls'
        [ "$output" = $'one\ntwo\nfile\nnew' ]
        [[ $stderr == *'staged as default: 1 changed, 1 new, 1 deleted; see bailey diff default'* ]]
        [ "$(cat file)" = one ]
        [ -e dir/gone ]
        [ ! -e new ]
}

@test 'later commands of the name see it, and others do not' {
        staging
        native --stage=one 'echo 1 >a'
        [ "$(native --stage=one 'cat a; echo 2 >>a')" = 1 ]
        [ "$(native --stage=one 'cat a')" = $'1\n2' ]
        [ "$(native --stage=two 'ls')" = '' ]
        [ "$(native 'ls')" = '' ]
        mkdir ../other
        [ "$(native --workspace ../other --stage=one 'ls')" = '' ]
}

@test 'commands that run at once see the changes of each other' {
        staging
        native --stage 'echo >ready; until [ -e go ]; do sleep 0.05; done; cat go' >../said 2>&1 &
        eventually native --stage 'test -e ready'
        native --stage 'echo text >go'
        wait
        grep -qx text ../said
        [ ! -e go ]
}

@test 'several that begin at once are in one stage' {
        staging
        for n in 1 2 3 4 5 6; do native --stage "echo $n >file$n" & done
        wait
        [ "$(native --stage 'cat file*' | tr -d '\n')" = 123456 ]
        eventually no_keepers
}

@test 'the result as JSON has the counts' {
        staging
        echo x >gone
        native --stage --json 'rm gone; echo >a; echo >b' | jq -e '.staged == {name: "default", changed: 0, new: 2, deleted: 1}'
        native --json true | jq -e 'has("staged") | not'
}

@test 'what was opened and left as it was is no change' {
        staging
        echo x >file
        run native --stage ': >>file'
        [[ $output == *'staged as default: no changes'* ]]
}

@test 'protected files stay as they are in the stage' {
        staging
        git init -q .
        echo old >.envrc
        native --stage 'echo new >.envrc' || true
        native --stage 'echo new >.git/hooks/pre-commit' || true
        native --stage 'git config core.pager evil' || true
        [ "$(native --stage 'cat .envrc')" = old ]
        run git config core.pager
        [ "$status" = 1 ]
        [ ! -e .git/hooks/pre-commit ]
}

@test 'harmless settings of git, which are written by another process, are not written to the workspace' {
        staging
        git init -q .
        native --stage 'git config user.name somebody' || true
        run git config --local user.name
        [ "$status" = 1 ]
}

@test 'no command can see the stages' {
        staging
        native --stage 'echo x >a'
        run native "find / -name begun -path '*stages*' 2>/dev/null | grep ."
        [ "$status" = 1 ]
}

@test 'where no overlay can be had it is refused, with the reason' {
        staging
        for backend in landlock bwrap none; do
                run env BAILEY_ALLOW_NO_SANDBOX=1 "${clean[@]}" BAILEY_ALLOW_NO_SANDBOX=1 BAILEY_SANDBOX="$backend" \
                        "$BAILEY" run --config "$OFF" --stage 'touch marker'
                [ "$status" = 125 ]
                [[ $output == *'overlay of the workspace'* ]]
                [ ! -e marker ]
        done
        run native --set sandbox.workspace_write=false --stage 'touch marker'
        [ "$status" = 125 ]
        [[ $output == *'the workspace is read-only'* ]]
        run native --stage=../x 'touch marker'
        [ "$status" = 125 ]
        [[ $output == *"found '../x'"* ]]
        run native --write "$BATS_TEST_TMPDIR" --home none --stage 'touch marker'
        [ "$status" = 125 ]
        [ ! -e marker ]
}

@test 'a state directory on another file system, or in the workspace, is refused' {
        staging
        run env "${clean[@]}" XDG_STATE_HOME=/dev/shm/bailey-stage-$$ "$BAILEY" run --config "$OFF" --stage 'touch marker'
        rm -rf "/dev/shm/bailey-stage-$$"
        [ "$status" = 125 ]
        [[ $output == *'another file system'* ]]
        [ ! -e marker ]
}

@test 'a workspace in which something is mounted is refused' {
        [ "$(id -u)" = 0 ] || skip 'root only'
        staging
        mkdir mounted
        run unshare --mount sh -c 'mount -t tmpfs none mounted && exec "$@"' sh \
                "${clean[@]}" "$BAILEY" run --config "$OFF" --stage 'touch marker'
        [ "$status" = 125 ]
        [[ $output == *'is mounted in it'* ]]
        [ ! -e marker ]
}

@test 'the processes that keep a stage end with its last command' {
        staging
        native --stage 'echo x >a'
        eventually no_keepers
}

@test 'one that was killed does not stand in the way' {
        staging
        begin 'echo x >a; touch ready; sleep 1000'
        until_staged ready
        kill -9 "$begun"
        wait || true
        [ "$(native --stage 'cat a')" = x ]
}
