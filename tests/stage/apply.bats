#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands are for the sandbox; what setup() sets is for all; bats sets $stderr
# `bailey apply` and `bailey undo`.
load ../cli/run_helper
load stage_helper

# All that matters of a tree, but for the times of directories.
tree() {
        (cd "$1" && find . -mindepth 1 -path ./.git -prune -o -type d -printf '%p %y %m\n' -o -printf '%p %y %m %n %l %T@ %s\n' | LC_ALL=C sort
                find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum)
}

@test 'what is staged is written, and the stage ends' {
        staging
        printf '1\n2\n' >changed
        echo x >gone
        mkdir -p dir/sub
        echo y >dir/sub/file
        native --stage 'echo 3 >>changed; rm gone; rm -r dir; mkdir -p new/deep; echo n >new/deep/file; ln -s nowhere link; chmod 751 changed'
        run bailey apply
        [ "$status" = 0 ]
        [[ $output == *'applied: 1 changed, 2 new, 2 deleted; to revert: bailey undo '* ]]
        [ "$(cat changed)" = $'1\n2\n3' ]
        [ "$(stat -c %a changed)" = 751 ]
        [ ! -e gone ]
        [ ! -e dir ]
        [ "$(cat new/deep/file)" = n ]
        [ "$(readlink link)" = nowhere ]
        [ "$(bailey stages)" = 'No stages.' ]
}

@test 'undo takes it back, once' {
        staging
        echo 1 >a
        mkdir -p d/e
        echo 2 >d/e/f
        chmod 700 d
        before=$(tree .)
        native --stage 'echo x >a; rm -r d; mkdir n; echo y >n/m; chmod 755 a'
        bailey apply
        after=$(tree .)
        [ "$before" != "$after" ]
        bailey undo
        [ "$(tree .)" = "$before" ]
        run bailey undo
        [ "$status" = 1 ]
        [[ $output == *'nothing to undo'* ]]
        bailey undo --list --json | jq -e '.applied[0].undone'
}

@test 'only some paths' {
        staging
        mkdir dir
        echo 1 >dir/a
        echo 1 >dir/b
        native --stage 'echo 2 >dir/a; rm dir/b; mkdir -p n/o; echo 1 >n/o/one; echo 2 >n/o/two; echo top >top'
        bailey apply default dir/a n/o/one
        [ "$(cat dir/a)" = 2 ]
        [ -e dir/b ]
        [ "$(cat n/o/one)" = 1 ]
        [ ! -e n/o/two ]
        [ ! -e top ]
        [ "$(native --stage 'cat n/o/one n/o/two top; ls dir')" = $'1\n2\ntop\na' ]
        [ "$(bailey diff --stat | tail -n 1)" = '0 changed, 2 new, 1 deleted' ]
        bailey apply default "$W/dir"
        [ ! -e dir/b ]
        bailey apply
        [ "$(cat n/o/two)" = 2 ]
        [ "$(bailey stages)" = 'No stages.' ]
        bailey undo
        bailey undo
        bailey undo
        [ "$(cat dir/a dir/b)" = $'1\n1' ]
        [ ! -e n ]
}

@test 'a conflict: nothing is applied, unless by force' {
        staging
        echo 1 >a
        echo 1 >b
        native --stage 'echo 2 >a; echo 2 >b; echo 2 >c'
        echo mine >a
        run bailey apply
        [ "$status" = 1 ]
        [[ $output == *'a  +0 -0'*'conflict'* || $output == *'a'*'conflict: it has changed in the workspace since it was staged'* ]]
        [[ $output == *'nothing was applied'* ]]
        [ "$(cat a b)" = $'mine\n1' ]
        [ ! -e c ]
        bailey apply --json | jq -e '.refused and .left[0].path == "a" and .id == null'
        bailey apply default b c
        [ "$(cat a b)" = $'mine\n2' ]
        bailey apply --force
        [ "$(cat a)" = 2 ]
        bailey undo
        [ "$(cat a)" = mine ]
}

@test 'protected files are left out, unless that is asked for' {
        staging
        git init -q .
        native --stage 'mkdir .vscode sub; echo x >.vscode/tasks.json; echo x >.ENVRC; echo x >plain; git init -q sub; echo x >sub/.git/hooks/post-checkout'
        run bailey apply
        [ "$status" = 1 ]
        [[ $output == *'protected files were skipped'* ]]
        [ "$(cat plain)" = x ]
        [ ! -e .vscode/tasks.json ]
        [ ! -e .ENVRC ]
        [ ! -e sub/.git/hooks/post-checkout ]
        [ -e sub/.git/HEAD ]
        bailey apply --protected default .vscode
        [ "$(cat .vscode/tasks.json)" = x ]
        [ ! -e .ENVRC ]
}

@test 'a bare repository, which only the tree tells, is set aside' {
        staging
        native --stage 'mkdir -p b/objects b/refs b/hooks; echo "ref: refs/heads/x" >b/HEAD; printf "[core]\n\tbare = true\n\tfsmonitor = evil\n" >b/config; echo evil >b/hooks/pre-push'
        run bailey apply
        [[ $output == *'set aside'* || $output == *'bailey aside'* ]]
        [ ! -e b/HEAD ]
}

@test 'while a command runs in the stage nothing is applied' {
        staging
        begin 'echo x >a; touch ready; sleep 1000'
        until_staged ready
        run bailey apply
        [ "$status" = 1 ]
        [[ $output == *'in use'* ]]
        [ ! -e a ]
        kill "$begun"
        wait || true
        bailey apply
        [ "$(cat a)" = x ]
}

@test 'what is shown is what is applied' {
        staging
        native --stage 'echo 1 >a'
        digest=$(bailey diff --json | jq -r .digest)
        native --stage 'echo 2 >a'
        run bailey apply --digest "$digest"
        [ "$status" = 1 ]
        [[ $output == *'the staged changes have changed'* ]]
        [ ! -e a ]
        bailey apply --digest "$(bailey diff --json | jq -r .digest)"
        [ "$(cat a)" = 2 ]
}

@test 'links in the stage and in the workspace lead nowhere' {
        staging
        mkdir ../outside dir
        echo secret >../outside/file
        echo x >dir/file
        native --stage 'ln -s ../outside out; echo 2 >dir/file'
        rm -r dir
        ln -s ../outside dir
        run bailey apply
        [ "$status" = 1 ]
        [ "$(cat ../outside/file)" = secret ]
        [ "$(ls ../outside)" = file ]
        # as the upper directory may be after an error of the file system: a link in the place of a directory
        bailey discard
        rm dir
        native --stage 'mkdir new; echo x >new/file'
        upper=$(stage_upper)
        rm -r "$upper/new"
        ln -s "$BATS_TEST_TMPDIR/outside" "$upper/new"
        bailey apply
        [ -L new ]
        [ "$(cat ../outside/file)" = secret ]
}

@test 'a hard link to what stays in the stage becomes a file of its own' {
        staging
        native --stage 'echo 1 >a; mkdir .vscode; ln a .vscode/tasks.json; ln a b'
        bailey apply default a b || true
        [ "$(cat a b)" = $'1\n1' ]
        native --stage 'echo evil >.vscode/tasks.json'
        [ "$(cat a b)" = $'1\n1' ]
}

@test 'hard links that are applied together stay links' {
        staging
        native --stage 'mkdir d; echo 1 >d/a; ln d/a d/b; ln d/a c'
        bailey apply
        [ "$(stat -c %i d/a d/b c | uniq | wc -l)" = 1 ]
}

@test 'a file for a directory, a directory for a file, and a directory that was made again' {
        staging
        mkdir -p a c/sub
        echo 1 >a/x
        echo 2 >b
        echo 3 >c/gone
        echo 4 >c/sub/same
        before=$(tree .)
        native --stage 'rm -r a; echo a >a; rm b; mkdir b; echo b >b/y; cp -rp c/sub keep; rm -r c; mkdir c; mv keep c/sub; echo n >c/new'
        bailey apply
        [ "$(cat a b/y c/sub/same c/new)" = $'a\nb\n4\nn' ]
        [ ! -e c/gone ]
        bailey undo
        [ "$(tree .)" = "$before" ]
}

@test 'what has changed since is not undone, unless by force' {
        staging
        echo 1 >a
        native --stage 'echo 2 >a; echo 2 >b'
        bailey apply
        echo mine >a
        run bailey undo
        [ "$status" = 1 ]
        [[ $output == *'a: has changed since it was applied'* ]]
        [ "$(cat a b)" = $'mine\n2' ]
        bailey undo --force
        [ "$(cat a)" = 1 ]
        [ ! -e b ]
        grep -rqx mine "$BATS_TEST_TMPDIR/state/bailey/undo"
}

@test 'attributes of commands are kept, those of the overlay are not' {
        staging
        command -v setfattr >/dev/null || skip 'no setfattr here'
        echo 1 >a
        native --stage 'setfattr -n user.mine -v x a; mkdir d; setfattr -n user.other -v y d' || skip 'no extended attributes here'
        bailey apply
        [ "$(getfattr --only-values -n user.mine a)" = x ]
        [ "$(getfattr --only-values -n user.other d)" = y ]
        [ -z "$(getfattr -R -d -m user.overlay . 2>/dev/null)" ]
}

@test 'a large directory is one rename' {
        staging
        native --stage 'mkdir -p many; cd many; seq 3000 | xargs touch'
        bailey apply
        [ "$(find many -type f | wc -l)" = 3000 ]
        [ "$(find "$BATS_TEST_TMPDIR/state/bailey/undo" -name journal -size -2k | wc -l)" = 1 ]
}

@test 'a journal that was interrupted is completed by the next command' {
        staging
        echo 1 >a
        echo 1 >b
        native --stage 'echo 2 >a; rm b; echo 2 >c'
        bailey apply
        one=$(dirname "$(find "$BATS_TEST_TMPDIR/state/bailey/undo" -name "done")")
        # as if it had stopped before its end, when all but the mark was done
        mkdir -p "$(tr '\0' '\n' <"$one/journal" | sed -n 3p)/upper"
        rm "$one/done"
        run bailey undo --list
        [ "$status" = 0 ]
        [ -e "$one/done" ]
        [ "$(cat a c)" = $'2\n2' ]
        bailey undo
        [ "$(cat a b)" = $'1\n1' ]
}
