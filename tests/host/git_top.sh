#!/usr/bin/env bash
# git where the workspace itself is the repository, whose config is covered: commands can set keys that run nothing, and no others,
# whichever way they try, and the cover stays in place all the time.
# shellcheck disable=SC2016 # commands are given as text
# shellcheck source=tests/host/lib.sh
. "$(dirname "$0")/lib.sh"
flags+=(--read "$H/lib") # another repository of the user's, in a home that commands do not see

template '
        git config --global init.defaultBranch main
        git config --global user.name Ann
        git config --global user.email ann@example.com
        git config --global protocol.file.allow always
        git init -q "$H/lib"
        cd "$H/lib"
        echo lib >lib.txt
        git add .
        git commit -qm lib
        cd "$W"
        git init -q --bare bare.git
        git init -q .
        git remote add origin ./bare.git
        git config alias.mine "!touch /nowhere"
        echo one >file
        git add file
        git submodule add -q "$H/lib" sub
        git commit -qm one
        git submodule deinit -f sub
        rm -rf .git/modules
        git push -q origin main main:x
        git fetch -q'

config=.git/config

# same_file: the config is the file that it was, so its cover never went
same_file() {
        [ "$(stat -c %i "$W/$config")" = "$inode" ] || echo 'the config is another file'
}

# sets COMMAND CHECK: the command succeeds, so does the check on the host, and the next command
sets() {
        fresh
        local inode
        inode=$(stat -c %i "$W/$config")
        run "set -e; $1" || echo "the command ended with $?"
        user "test \"\$(git config alias.mine)\" = '!touch /nowhere'; git fsck --no-progress; $2" || echo 'not so on the host'
        same_file
        litter
        [ -z "$(aside)" ] || { echo 'set aside:' && aside; }
        run 'git config color.ui auto' || echo "the next command ended with $?"
        user "test ! -e $config.lock; test \"\$(git config color.ui)\" = auto; $2" || echo 'not so on the host, after the next command'
}

# refuses COMMAND [WORD]: the config stays as it was, byte for byte; the user is told the key
refuses() {
        fresh
        local inode
        inode=$(stat -c %i "$W/$config")
        cp -p "$W/$config" "$T/config"
        if run "$1"; then echo 'the command succeeded'; fi
        cmp "$T/config" "$W/$config"
        same_file
        if [ -n "${2-}" ]; then grep -qF "commands may not set $2" "$T/said" || echo "nobody was told of $2"; fi
        litter
}

# survives COMMAND: whatever it does, nothing but harmless keys is in the config afterwards, and the user's own are
survives() {
        fresh
        local inode
        inode=$(stat -c %i "$W/$config")
        run "$1" || :
        if grep -q -e fsmonitor -e hooksPath "$W/$config"; then echo 'the plant is there' && cat "$W/$config"; fi
        user 'test "$(git config alias.mine)" = "!touch /nowhere"; git status' || echo 'the config cannot be used'
        same_file
        litter
}

# In C, as the calls are the point: renames onto the config with another thread that changes the path or the file meanwhile.
user 'cat >race.c <<"END"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char to[64];
static const char *good = "[core]\n\trepositoryformatversion = 0\n[alias]\n\tmine = !touch /nowhere\n[remote \"origin\"]\n\turl = ./bare.git\n";
static const char *bad = "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = /evil\n[alias]\n\tmine = !touch /nowhere\n";

static void *change(void *none) {
        for (;;) {
                memcpy(to, ".git/config", 12);
                int fd = open("new", O_WRONLY);
                if (fd >= 0 && pwrite(fd, bad, strlen(bad), 0) >= 0) close(fd);
                memcpy(to, ".git/other!", 12);
        }
        return none;
}

int main(void) {
        pthread_t thread;
        pthread_create(&thread, NULL, change, NULL);
        for (int i = 0; i < 3000; i++) {
                FILE *file = fopen("new", "w");
                if (!file) continue;
                fputs(good, file);
                fclose(file);
                memcpy(to, ".git/config", 12);
                rename("new", to);
        }
        return 0;
}
END
cc -pthread -o race race.c && rm race.c && cp race "$H"' && cp -a "$H/race" /srv/template/project/race

for backend in native bwrap; do
        t "$backend: git config user.email" sets 'git config user.email y@example.com; test "$(git config user.email)" = y@example.com' \
                'test "$(git config user.email)" = y@example.com'
        t "$backend: git config --unset, --add, --rename-section" sets \
                'git config --add remote.origin.fetch +refs/tags/*:refs/tags/*; git config user.name Z; git config --unset user.name; git config branch.a.description d; git config --rename-section branch.a branch.b' \
                'test "$(git config branch.b.description)" = d; test "$(git config --get-all remote.origin.fetch | wc -l)" = 2'
        t "$backend: git remote add, rename, remove" sets 'git remote add second https://example.com/a.git; git remote rename second third; git remote add no git@example.com:x/y.git; git remote remove no' \
                'test "$(git config remote.third.url)" = https://example.com/a.git; test -z "$(git config remote.no.url)"'
        t "$backend: git checkout -b --track" sets 'git checkout -q -b x origin/x' 'test "$(git config branch.x.merge)" = refs/heads/x'
        t "$backend: git push -u" sets 'git checkout -q -b y; git push -q -u origin y' \
                'test "$(git config branch.y.remote)" = origin; git -C bare.git rev-parse --verify y'
        t "$backend: git branch -d" sets 'git checkout -q -b x origin/x; git checkout -q main; git branch -qD x' 'test -z "$(git config branch.x.merge)"'
        t "$backend: git submodule update --init" sets 'git submodule update -q --init' \
                'test -e sub/lib.txt; test -n "$(git config submodule.sub.url)"; git submodule status'
        t "$backend: git worktree add" sets 'git worktree add -q -b topic wt; cd wt; git config user.email w@example.com' \
                'test "$(git config user.email)" = w@example.com; git -C wt log --oneline'
        t "$backend: many settings, and removed again" sets \
                'for i in $(seq 40); do git config branch.b$i.description "some description of branch $i"; done; for i in $(seq 39); do git config --remove-section branch.b$i; done' \
                'test "$(git config branch.b40.description)" = "some description of branch 40"; test -z "$(git config branch.b1.description)"'
        t "$backend: git lfs keys" refuses 'git config filter.lfs.clean "git-lfs clean -- %f"' 'filter.*.clean'
        for key in core.fsmonitor core.hooksPath alias.st include.path credential.helper remote.origin.uploadpack core.sshCommand gpg.program; do
                shown=${key,,}
                shown=${shown/.origin./.*.}
                t "$backend: $key" refuses "git config $key /tmp/evil" "$shown"
        done
        t "$backend: an alias of the user's is not changed" refuses 'git config alias.mine "!sh"' alias.mine
        t "$backend: nor removed" refuses 'git config --unset alias.mine' alias.mine
        t "$backend: by mv" refuses 'printf "[core]\n\tfsmonitor = /evil\n" >c; mv c .git/config' core.fsmonitor
        t "$backend: by a link" refuses 'printf "[core]\n\tfsmonitor = /evil\n" >c; ln -s c d; mv d .git/config'
        t "$backend: by a pipe" refuses 'mkfifo p; timeout 5 mv p .git/config'
        t "$backend: by a directory" refuses 'mkdir d; mv -T d .git/config'
        t "$backend: by something long" refuses '{ printf "[user]\n\tname = "; head -c 200000 /dev/zero | tr "\0" a; } >c; mv c .git/config'
        t "$backend: with a NUL in it" refuses 'printf "[user]\n\tname = x\0\n[core]\n\tfsmonitor = /evil\n" >c; mv c .git/config'
        t "$backend: by RENAME_EXCHANGE" refuses 'printf "[core]\n\tfsmonitor = /evil\n" >c; mv --exchange c .git/config 2>/dev/null || perl -e '\''exit syscall(316, -100, "c", -100, ".git/config", 2) == 0 ? 0 : 1'\'''
        t "$backend: by a remote in the workspace, where nobody looks" refuses \
                'mkdir -p a/b/c/d; git init -q --bare a/b/c/d/e.git; git config remote.origin.url ./a/b/c/d/e.git' 'remote.*.url'
        t "$backend: by a remote that runs a helper" refuses 'git config remote.origin.url "ext::sh -c evil"' 'remote.*.url'
        t "$backend: by a remote in the file system" refuses 'git init -q --bare other.git; git config remote.origin.url "$PWD/other.git"' 'remote.*.url'
        t "$backend: by the name of a remote" refuses 'git config "remote.--upload-pack=evil.promisor" true' 'remote.*.promisor'
        t "$backend: by a remote without an address" refuses 'git config branch.main.remote nobody' 'branch.*.remote'
        t "$backend: by another work tree" refuses 'mkdir sub2; git config core.worktree ../sub2' core.worktree
        t "$backend: by a bare one" refuses 'git config core.bare true' core.bare
        t "$backend: while pid 1 may write only so much" refuses 'for ((i = 0; i < 50; i++)); do prlimit --fsize=20:20 --pid 1; printf "[core]\n\tbare = false\n" >c; mv c .git/config; done; false'
        t "$backend: by a remote behind a link to nothing" refuses 'ln -s a/b/c/d/e.git l; git config remote.origin.url ./l' 'remote.*.url'
        t "$backend: while paths and files change" survives './race'
        t "$backend: while it is locked" survives 'python3 -c "
import fcntl, os, subprocess, time
fd = os.open(\".git/config\", os.O_RDONLY)
try: fcntl.lockf(fd, fcntl.LOCK_SH)
except OSError: pass
subprocess.run([\"git\", \"config\", \"core.fsmonitor\", \"/evil\"])
subprocess.run([\"git\", \"config\", \"user.name\", \"Z\"])"'
        t "$backend: two at once, 100 times" survives 'for i in 1 2; do (for j in $(seq 50); do git config branch.b$i.description "$j"; git config core.fsmonitor /evil; done) & done 2>/dev/null; wait'
done

# A linked worktree as the workspace: its config is in the repository, elsewhere.
linked() {
        fresh
        user 'git worktree add -q -b linked "$H/linked"'
        W=$H/linked
        run 'git config user.email l@example.com && git push -q -u ../project/bare.git linked || git config user.email l@example.com' ||
                echo "the command ended with $?"
        user 'test "$(git config user.email)" = l@example.com' || echo 'not so on the host'
        if run 'git config core.fsmonitor /evil'; then echo 'the command succeeded'; fi
        if grep -q fsmonitor "$H/project/.git/config"; then echo 'the plant is there'; fi
}

for backend in native bwrap; do t "$backend: in a linked worktree" linked; done
finish
