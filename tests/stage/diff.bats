#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands are for the sandbox; what setup() sets is for all; bats sets $stderr
# `bailey stages`, `bailey diff` and `bailey discard`.
load ../cli/run_helper
load stage_helper

@test 'deletions come first, then the lines that differ' {
        staging
        printf '1\n2\n3\n' >changed
        echo x >zz
        mkdir -p dir/sub
        echo y >dir/sub/file
        native --stage 'sed -i s/2/two/ changed; rm zz; rm -r dir; echo new >new'
        [ "$(bailey diff)" = 'deleted  dir/sub/file  2 bytes
deleted  zz  2 bytes
changed  changed  +1 -1
--- a/changed
+++ b/changed
@@ -1,3 +1,3 @@
 1
-2
+two
 3
new      new  +1 -0
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+new
1 changed, 1 new, 2 deleted' ]
        bailey diff default changed | patch -p1 --dry-run >/dev/null
        [ "$(bailey diff --stat default new)" = $'new      new  +1 -0\n0 changed, 1 new, 0 deleted' ]
        [ "$(bailey diff --stat default "$W/dir/")" = $'deleted  dir/sub/file  2 bytes\n0 changed, 0 new, 1 deleted' ]
}

@test 'a thousand deletions are all listed' {
        staging
        mkdir many
        (cd many && seq 1000 | xargs touch)
        native --stage 'rm -r many'
        [ "$(bailey diff | grep -c '^deleted')" = 1000 ]
        bailey diff --json | jq -e '.deleted == 1000 and (.changes | length) == 1000'
}

@test 'names and lines that a terminal would act on are escaped' {
        staging
        native --stage $'echo x >"$(printf \'a\\033[2Jb\\nc\')"'
        [[ $(bailey diff --stat) == *'a\x1b[2Jb\nc'* ]]
        [[ $(bailey diff --stat) != *$'\033'* ]]
        bailey diff --json | jq -e '.changes[0].path == "a\u001b[2Jb\nc"'
}

@test 'binary files are shown by their size, links by where they lead, others by their mode' {
        staging
        printf 'a\0b' >binary
        echo x >mode
        ln -s one link
        native --stage 'printf "a\0bcd" >binary; chmod 755 mode; ln -sfn two link'
        run bailey diff
        [[ $output == *'changed  binary  5 bytes, before 3 bytes'* ]]
        [[ $output == *'changed  mode, mode 0755, before 0644'* ]]
        [[ $output == *$'-link to one\n+link to two'* ]]
        [[ $output == *'3 changed, 0 new, 0 deleted'* ]]
}

@test 'a directory that was deleted and made again shows what differs' {
        staging
        mkdir dir
        echo 1 >dir/same
        echo 2 >dir/gone
        native --stage 'cp -p dir/same saved; rm -r dir; mkdir dir; mv saved dir/same; echo 3 >dir/new'
        [ "$(bailey diff --stat | sort)" = "$(printf '%s\n' '0 changed, 1 new, 1 deleted' 'deleted  dir/gone  2 bytes' 'new      dir/new  +1 -0' | sort)" ]
}

@test 'what has changed in the workspace meanwhile is a conflict' {
        staging
        echo 1 >file
        echo 1 >other
        native --stage 'echo 2 >file; echo 2 >other'
        [[ $(bailey diff) != *conflict* ]]
        echo 3 >file
        run bailey diff --stat
        [[ $output == *'file  +1 -1, conflict: it has changed in the workspace since it was staged'* ]]
        [ "$(grep -c conflict <<<"$output")" = 1 ]
        bailey diff --json | jq -e '[.changes[] | select(.conflict).path] == ["file"]'
}

@test 'what was read before it was written again is no conflict' {
        staging
        native --stage true
        echo 1 >file
        native --stage 'echo 2 >>file'
        [[ $(bailey diff) != *conflict* ]]
}

@test 'protected files are marked, in any case, and in git directories' {
        staging
        native --stage 'mkdir -p .VSCode sub/.git/hooks; echo x >.VSCode/tasks.json; echo x >.envrc; echo x >sub/.git/hooks/pre-commit; echo x >plain'
        run bailey diff --json
        jq -e '[.changes[] | select(.protected).path] | sort == [".VSCode/tasks.json", ".envrc", "sub/.git/hooks/pre-commit"]' <<<"$output"
}

@test 'stages are listed with their counts, and colours are only for a terminal' {
        staging
        [ "$(bailey stages)" = 'No stages.' ]
        native --stage=one 'echo 12345 >a'
        native --stage=two 'echo 12345 >a'
        bailey stages --json | jq -e '[.stages[].name] | sort == ["one", "two"]'
        bailey stages --json | jq -e '.stages[0] | .new == 1 and .bytes == 6 and (.busy | not) and .discarded == null'
        [[ $(bailey diff --color always one) == *$'\033[32mnew'* ]]
        [[ $(bailey diff one) != *$'\033'* ]]
}

@test 'a stage that cannot be read is listed, and one that is being removed is not' {
        staging
        local stages=$BATS_TEST_TMPDIR/state/bailey/stages broken
        native --stage=broken 'echo 1 >a'
        broken=$(compgen -G "$stages/[0-9a-f]*")
        native --stage=whole 'echo 1 >a'
        echo nonsense >"$broken/about"
        mkdir "$stages/00000000000000000000000000000000"
        run bailey stages
        echo "$output"
        [ "$status" = 0 ]
        [ ${#lines[@]} = 2 ]
        [[ $output == *"${broken##*/}  unknown workspace  cannot be examined: $broken/about does not describe a stage"* ]]
        [[ $output == *"whole  $W  0 changed, 1 new"* ]]
        bailey stages --json | jq -e '[.stages[] | select(.workspace == null and .begun == null and .problem != null)] | length == 1'
}

@test 'a stage in which commands run is in use, and cannot be discarded' {
        staging
        begin 'touch ready; sleep 1000'
        until_staged ready
        bailey stages --json | jq -e '.stages[0].busy'
        run bailey discard
        [ "$status" = 1 ]
        [[ $output == *'in use'* ]]
        kill "$begun"
        wait || true
        bailey discard
}

@test 'one that was discarded can be taken back' {
        staging
        native --stage 'echo 1 >a'
        bailey discard
        run bailey diff
        [ "$status" = 1 ]
        [[ $output == *"no stage 'default'"* ]]
        bailey stages --json | jq -e '.stages[0].discarded != null'
        native --stage 'test ! -e a; echo 2 >b'
        run bailey discard --take-back
        [ "$status" = 1 ]
        [[ $output == *'discard it first'* ]]
        bailey discard
        bailey discard --take-back
        [ "$(native --stage 'ls')" = b ]
}

@test 'what is wrong is said' {
        staging
        run bailey diff
        [ "$status" = 1 ]
        run bailey discard --take-back
        [ "$status" = 1 ]
        [[ $output == *'was discarded in the last 7 days'* ]]
        native --stage 'echo 1 >a'
        run bailey diff default b
        [ "$status" = 1 ]
        [[ $output == *'b: no staged changes'* ]]
        run bailey diff ../x
        [ "$status" = 1 ]
}
