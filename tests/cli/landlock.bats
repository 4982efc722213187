#!/usr/bin/env bats
# The landlock backend, where nothing can be mounted over and no pid namespace ends what is left.
# shellcheck disable=SC2016 # for the other shell

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME BAILEY_SANDBOX
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work" "$BATS_TEST_TMPDIR/other/deep"
        cd "$BATS_TEST_TMPDIR/work" || exit 1
        other=$BATS_TEST_TMPDIR/other
        reading true 2>/dev/null || skip "no Landlock with scopes here"
        # what a process of this test can be found by
        mark=$((BASHPID + 100000)).$RANDOM
        echo fine >fine
        echo hidden >secret
        echo fine >"$other/fine"
        echo fine >"$other/deep/fine"
        echo hidden >"$other/deep/secret"
}

writing() {
        "$BAILEY" run --backend landlock --set sandbox.protect_workspace=false "$@"
}

reading() {
        "$BAILEY" run --backend landlock --set sandbox.workspace_write=false "$@"
}

refused() {
        [ "$status" = 125 ]
        [[ $output == *"landlock: cannot enforce this policy: "* ]]
        [[ $output != *hidden* ]]
}

# gone PATTERN: waits until no process has it in its arguments
gone() {
        for _ in {1..1200}; do
                pgrep -f "$1" >/dev/null || return 0
                sleep 0.05
        done
        pgrep -af "$1"
        return 1
}

@test "what is not to be read below something writable is refused" {
        run writing --deny-read "$PWD/secret" 'cat secret'
        refused
        run writing --write "$other" --deny-read "$other/deep/secret" "cat $other/deep/secret"
        refused
        run reading --write "$other" --deny-read "$other/deep" "cat $other/deep/secret"
        refused
        # a credential store in the workspace, and what bailey keeps
        mkdir -p "$HOME/.config/gh" "$HOME/.local/state/bailey"
        run writing --workspace "$HOME/.config" 'ls gh'
        refused
        run writing --workspace "$HOME/.local" 'ls state/bailey'
        refused
}

@test "below something readable, all else can be read" {
        run reading --deny-read "$PWD/secret" 'cat fine; cat secret'
        [ "$status" = 1 ]
        [[ $output == fine*secret*"Permission denied"* ]]
        run reading --read "$other" --deny-read "$other/deep/secret" "cat $other/fine $other/deep/fine; cat $other/deep/secret"
        [ "$status" = 1 ]
        [[ $output == fine$'\n'fine*"Permission denied"* ]]
}

@test "deny wins over an allow inside it" {
        run writing --write "$other/deep" --deny-read "$other" "cat $other/deep/fine"
        [[ $output == *"Permission denied"* ]]
        run reading --read "$other/deep" --deny-read "$other" "cat $other/deep/fine"
        [[ $output == *"Permission denied"* ]]
        run reading --deny-read "$PWD" 'cat fine'
        [ "$status" = 125 ]
        [[ $output == *"which commands may not read"* ]]
}

@test "a socket in the workspace is no reason to refuse, nor to hide what is beside it" {
        python3 -c 'import socket, time; s = socket.socket(socket.AF_UNIX); s.bind("sock"); s.listen(); time.sleep(600)' 3>&- &
        local server=$!
        for _ in {1..1200}; do [ -S sock ] && break || sleep 0.05; done
        run writing 'ls fine'
        [ "$output" = fine ]
        run reading 'ls'
        [[ $output == fine* ]]
        kill $server
}

@test "of the devices only the harmless ones" {
        local harmless='^/dev/(null|zero|full|random|urandom)$'
        find /dev \( -type b -o -type c \) 2>/dev/null | grep -vE "$harmless" >devices
        cat >try.sh <<'END'
while read -r device; do
        (: <"$device") 2>/dev/null && echo "read $device"
        (: >>"$device") 2>/dev/null && echo "written $device"
done <devices
ls /dev/shm /dev/mqueue 2>/dev/null
(: >/dev/shm/x) 2>/dev/null && echo "written /dev/shm"
true
END
        run writing 'bash try.sh'
        [ "$status" = 0 ]
        [ -z "$output" ]
        run writing 'echo a >/dev/null; head -c 2 /dev/zero /dev/urandom >/dev/null && echo b; echo c >/dev/full'
        [[ $output == b*"No space left"* ]]
}

@test "no terminal, neither an own one nor another of the user" {
        run writing ': <>/dev/ptmx'
        [[ $output == *"/dev/ptmx: Permission denied"* ]]
        exec 7<>/dev/ptmx # now there is at least one
        run writing 'for t in 0 1 2 3 4 5 6 7 8 9; do (: </dev/pts/$t) 2>/dev/null && echo opened; done; true'
        exec 7>&-
        [ "$output" = "" ]
}

@test "limits of a process outside stay as they are" {
        sleep 600 3>&- &
        run writing "prlimit --pid $! --nofile=1:1"
        [ "$status" != 0 ]
        [[ $output == *"not permitted"* ]]
        [[ $(prlimit --pid $! --nofile --noheadings -o SOFT) != *" 1" ]]
        kill $!
        run writing 'ulimit -n 50; ulimit -n'
        [ "$output" = 50 ]
}

@test "what it does not enforce is told" {
        run "$BAILEY" run --backend landlock --set sandbox.workspace_write=false --json true
        [ "$(jq -c '.not_enforced | contains(["metadata", "protect", "tmp", "process-list"])' <<<"$output")" = true ]
        run "$BAILEY" doctor
        [[ $output == *"not enforced: metadata (no changes to modes, owners and times"* ]]
}

# A daemon in its own session, and a process that adopts orphans: one of them dies before the others are found.
daemons() {
        cat >daemon.py <<'END'
import ctypes, os, sys, time

def detached(then):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            then()
        os._exit(0)

def adopter():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER
    for _ in range(3):
        detached(sleep)
    sleep()

def sleep():
    os.execvp("sleep", ["sleep", sys.argv[1]])

def sleepers():
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                count += file.read() == f"sleep\0{sys.argv[1]}\0".encode()
        except OSError:
            pass
    return count

detached(sleep)
detached(adopter)
while sleepers() < 5:
    time.sleep(0.02)
open("ready", "w")
time.sleep(float(sys.argv[2]))
END
}

@test "daemons and adopters of processes are gone when the command ends" {
        daemons
        run writing "python3 daemon.py $mark 0; pgrep -fc '[s]leep $mark'; exit 7"
        [ "$status" = 7 ]
        [ "$output" = 5 ]
        run pgrep -f "[s]leep $mark"
        [ "$status" = 1 ]
}

@test "daemons and adopters of processes are gone after bailey was killed" {
        daemons
        "$BAILEY" run --backend landlock --set sandbox.protect_workspace=false "python3 daemon.py $mark 60" 3>&- &
        local runner=$!
        for _ in {1..1200}; do [ -e ready ] && break || sleep 0.05; done
        [ -e ready ]
        [ "$(pgrep -fc "[s]leep $mark")" = 5 ]
        kill -9 $runner
        gone "[s]leep $mark"
        gone "[d]aemon.py $mark" # killed as well, but perhaps not with the others
}

@test "a process that forks and ends in turn is caught" {
        cat >hop.py <<'END'
import os, sys

if os.fork() == 0:
    while True:
        os.setsid()
        if os.fork():
            os._exit(0)
END
        run timeout 120 "$BAILEY" run --backend landlock --set sandbox.protect_workspace=false "python3 hop.py $mark; sleep 0.2"
        [ "$status" = 0 ]
        run pgrep -f "[h]op.py $mark"
        [ "$status" = 1 ]
}

@test "many processes in many sessions are gone at the timeout" {
        cat >storm.sh <<'END'
sleep $2 &
if [ $1 -gt 0 ]; then
        setsid bash storm.sh $(($1 - 1)) $2 &
        bash storm.sh $(($1 - 1)) $2 &
fi
wait
END
        run writing --timeout 2 "bash storm.sh 6 $mark"
        [ "$status" = 124 ]
        run pgrep -f "$mark"
        [ "$status" = 1 ]
}

@test "what waits for the command can be neither killed nor stopped" {
        run writing 'for s in KILL STOP TERM; do kill -$s $PPID 2>/dev/null && echo sent; done; echo alive'
        [ "$output" = alive ]
}

@test "many at the same time do not take each other's temporary directory" {
        local pids=()
        for i in {1..20}; do
                writing 'echo a >"$TMPDIR/a" && cat "$TMPDIR/a"' >"$BATS_TEST_TMPDIR/out.$i" 2>&1 &
                pids+=($!)
        done
        wait "${pids[@]}"
        [ "$(cat "$BATS_TEST_TMPDIR"/out.* | sort | uniq -c | tr -s ' ')" = " 20 a" ]
}
