#!/usr/bin/env bash
# git inside: repositories that commands make can be used on the host afterwards, with what is harmless in their configs, and without
# what runs something. In a repository that is there commands can set what is harmless.
# shellcheck disable=SC2016 # commands are given as text
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"
flags+=(--read "$H/lib") # another repository of the user's, in a home that commands do not see

template '
        git config --global init.defaultBranch main
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global protocol.file.allow always
        printf "#!/bin/sh\ntouch %s\n" "$pwned" >payload
        chmod 755 payload
        git init -q "$H/lib"
        cd "$H/lib"
        echo lib >lib.txt
        git add .
        git commit -qm lib
        git branch second
        mkdir "$W/bare" "$W/repo"
        git init -q --bare "$W/bare"
        cd "$W/repo"
        git init -q .
        git remote add origin "$W/bare"
        echo one >file
        git add .
        git commit -qm one
        git push -q origin main main:x'

# made COMMAND CHECK: the command succeeds, and so does the check of the user, on the host
made() {
        fresh
        run "set -e; $1" || echo "the command ended with $?"
        user "$2" || echo 'not so on the host'
        litter
        [ -z "$(aside)" ] || { echo 'set aside:' && aside; }
        run true || echo "the next command ended with $?"
        user "$2" || echo 'not so on the host, after the next command'
}

# The repository that commands make here, with what has to stay of it.
repository='git init -q new; cd new; git config user.email x@example.com; git config user.name X; git remote add origin ../bare
        git config branch.main.remote origin; git config branch.main.merge refs/heads/main; echo a >a; git add a; git commit -qm one'

# write_keys: a command makes a repository for each key, where key 1 is in new1, and sets it; another command does so again
write_keys() {
        local name value n=0 first='' second=''
        fresh
        while read -r name value; do
                n=$((n + 1))
                first+="(set -e; ${repository//new/new$n}; git config '$name' '$value')"$'\n'
                second+="(cd new$n 2>/dev/null && printf '[x]\n' >>.git/config && git config '$name' '$value')"$'\n'
        done <<<"$keys"
        run "$first" || :
        run "$second" || : # and not by another command
        run true || echo "the next command ended with $?"
        if exists "$pwned"; then echo 'the payload ran before git was used'; fi
        keys_of=$backend
}

# key NUMBER NAME: a new repository does not keep it, in whichever way it was written. One command makes the repositories of all keys.
key() {
        if [ "$keys_of" != "$backend" ]; then write_keys; fi
        exists "$W/new$1/.git/HEAD" || echo 'there is no such repository'
        if [ -n "$(user_says "cd new$1; git config -f .git/config --get '$2'" 2>/dev/null)" ]; then echo "$2 is still there"; fi
        rm -f "$pwned"
        user "cd new$1; "'git status; git log -p -1; echo b >>a; git commit -am two; git diff HEAD~1; git fetch; git branch' || :
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        litter
}

# old_key NAME VALUE: nor one that is there; its config is as it was
old_key() {
        fresh
        cp "$W/repo/.git/config" "$T/config"
        if run "cd repo; git config '$1' '$2'" && [ -z "$(aside)" ]; then echo 'nobody was told'; fi
        run "cd repo; cp .git/config c; git config -f c '$1' '$2'; cp c .git/config; mv c .git/config" || :
        cmp "$T/config" "$W/repo/.git/config"
        litter
}

hooks() {
        fresh
        run "set -e; $repository; mkdir -p .git/hooks; echo '#' >.git/hooks/pre-push.sample; cp ../payload .git/hooks/pre-commit
                cp ../payload .git/hooks/post-checkout" || echo "the command ended with $?"
        for hook in pre-commit post-checkout; do
                if exists "$W/new/.git/hooks/$hook"; then echo "$hook is still there"; fi
                is_aside "$W/new/.git/hooks/$hook" || echo "$hook is not aside"
        done
        user 'cd new; git log --oneline; test "$(git config user.email)" = x@example.com; test "$(git config remote.origin.url)" = ../bare
                echo b >>a; git commit -qam two; git checkout -q -b y' || echo 'the repository cannot be used'
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        litter
}

# Hooks of submodules, worktrees and clones.
more_hooks() {
        local hook
        fresh
        run 'git clone -q "$HOME/lib" clone; git -C repo -c protocol.file.allow=always submodule add -q "$HOME/lib" sub; git -C repo worktree add -q wt
                for d in clone/.git/hooks repo/.git/modules/sub/hooks repo/.git/worktrees/wt/hooks; do mkdir -p $d; cp payload $d/post-checkout; done' || :
        for hook in clone/.git repo/.git/modules/sub; do
                if exists "$W/$hook/hooks/post-checkout"; then echo "$hook/hooks/post-checkout is still there"; fi
        done
        user 'for d in clone repo/sub repo/wt; do git -C $d checkout -q -b z; done' || echo 'cannot be used'
        if exists "$pwned"; then echo 'the payload ran on the host'; fi
        litter
}

# Keys that run something, or lead to what does, and a value for each
keys="core.hooksPath $W
core.fsmonitor $W/payload
core.sshCommand $W/payload
core.editor $W/payload
core.pager $W/payload
core.gitProxy $W/payload
core.askPass $W/payload
core.alternateRefsCommand $W/payload
CORE.FSMonitor $W/payload
sequence.editor $W/payload
alias.st !$W/payload
pager.log $W/payload
filter.x.clean $W/payload
filter.x.process $W/payload
diff.external $W/payload
diff.x.command $W/payload
diff.x.textconv $W/payload
difftool.x.cmd $W/payload
merge.x.driver $W/payload
mergetool.x.cmd $W/payload
interactive.diffFilter $W/payload
credential.helper !$W/payload
credential.https://example.com.helper !$W/payload
gpg.program $W/payload
gpg.ssh.program $W/payload
include.path ../../payload
includeIf.gitdir:/.path ../../payload
remote.origin.uploadpack $W/payload
remote.origin.receivepack $W/payload
remote.origin.vcs payload
submodule.x.update !$W/payload
trailer.x.command $W/payload
uploadpack.packObjectsHook $W/payload
protocol.ext.allow always
web.browser $W/payload
sendemail.smtpServer $W/payload"

sane() {
        echo "cd $1; git fsck --no-progress; git status --porcelain; git log --oneline"
}

for backend in native bwrap; do
        t "$backend: git init, config, add, commit, remote add" made "$repository" "$(sane new); "'
                test "$(git config -f .git/config user.email)" = x@example.com; test "$(git config -f .git/config user.name)" = X
                test "$(git config -f .git/config remote.origin.url)" = ../bare; test "$(git config -f .git/config core.bare)" = false
                test "$(git config -f .git/config branch.main.merge)" = refs/heads/main'
        t "$backend: git clone" made 'git clone -q "$HOME/lib" clone' "$(sane clone); "'
                test "$(git config -f .git/config remote.origin.url)" = "$H/lib"; git pull -q; git checkout -q second'
        t "$backend: git clone --bare" made 'git clone -q --bare "$HOME/lib" clone.git' \
                'cd clone.git; git fetch -q; test "$(git config -f config remote.origin.url)" = "$H/lib"'
        t "$backend: git init, and more by other commands" made 'git init -q new; git -C new config core.autocrlf false' \
                'test "$(git -C new config -f .git/config core.autocrlf)" = false'
        t "$backend: git worktree add" made 'cd repo; git worktree add -q -b topic wt; cd wt; echo b >b; git add b; git commit -qm two' \
                "$(sane repo/wt); test \"\$(git log --oneline | wc -l)\" = 2; git worktree list"
        t "$backend: git submodule add" made 'cd repo; git -c protocol.file.allow=always submodule add -q "$HOME/lib" sub; git commit -qm sub' \
                "$(sane repo)"'; test -e sub/lib.txt; git submodule status; git submodule update --init; test "$(git config -f .gitmodules submodule.sub.url)" = "$H/lib"'
        t "$backend: git submodule update --init" made \
                'git clone -q --no-local repo copy; cd repo; git -c protocol.file.allow=always submodule add -q "$HOME/lib" sub; git commit -qm sub
                cd ../copy; git pull -q; git -c protocol.file.allow=always submodule update -q --init' \
                "$(sane copy); test -e sub/lib.txt; git -C sub log --oneline; test -n \"\$(git config submodule.sub.url)\""
        t "$backend: git remote add where a repository is" made 'cd repo; git remote add second ../bare; git fetch -q second' \
                'cd repo; test "$(git config remote.second.url)" = ../bare; git remote remove second; git remote add second ../bare'
        t "$backend: git checkout -b where a repository is" made 'cd repo; git fetch -q; git checkout -q -b x origin/x' \
                'cd repo; test "$(git config branch.x.merge)" = refs/heads/x; test "$(git branch --show-current)" = x'
        t "$backend: git push -u where a repository is" made 'cd repo; git checkout -q -b y; git push -q -u origin y' \
                'cd repo; test "$(git config branch.y.remote)" = origin; git -C ../bare rev-parse --verify y'
        t "$backend: git config user.email where a repository is" made 'cd repo; git config user.email y@example.com' \
                'cd repo; test "$(git config user.email)" = y@example.com'
        t "$backend: hooks of a new repository" hooks
        t "$backend: hooks of clones, submodules and worktrees" more_hooks
        number=0 keys_of=
        while read -r name value; do
                number=$((number + 1))
                t "$backend: $name in a new repository" key $number "$name"
        done <<<"$keys"
        for name in core.hooksPath core.fsmonitor alias.st filter.lfs.clean include.path remote.origin.uploadpack credential.helper; do
                t "$backend: $name where a repository is" old_key "$name" "!$W/payload"
        done
done
finish
