#!/usr/bin/env bats
# Who gets nowhere with a session: other users, commands in it, whatever is in another user namespace, and a directory that is
# not its user's alone.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # code for others; what setup() sets is for all

# shellcheck source=tests/cli/control_helper.bash
load control_helper

# Tries everything that leads to a socket, and tells of each connection that was made and answered.
# reach.pl DIRECTORY SOCKET PID...: of the sockets, and processes outside
write_reach() {
        cat >"$1" <<'END'
use Socket;
use strict;
my ($directory, $name, @pids) = @ARGV;
$SIG{PIPE} = "IGNORE";

sub try {
        my ($path, $how) = @_;
        socket(my $s, PF_UNIX, SOCK_STREAM, 0) or return print "$how: no socket: $!\n";
        length($path) < 108 && connect($s, sockaddr_un($path)) or return print "$how: $!\n";
        print "$how: CONNECTED\n";
        syswrite($s, "allow evil.example\n");
        my $answer = join "", <$s>;
        print "$how: ANSWERED $answer\n" if length $answer;
}

try("$directory/$name", "its path");
for my $pid ("self", 1, 2, getppid(), @pids) {
        try("/proc/$pid/root$directory/$name", "/proc/$pid/root");
        try("/proc/$pid/cwd/../run/bailey/$name", "/proc/$pid/cwd");
        for my $fd (3 .. 30) {
                next unless -e "/proc/$pid/fd/$fd";
                try("/proc/$pid/fd/$fd/$name", "/proc/$pid/fd/$fd");
        }
}
if (chdir $directory) {
        print "LISTED $_\n" for grep /sock/, glob "* .*";
        try($name, "from there");
}
if (opendir(my $d, $directory)) {
        print "LISTED $_\n" for grep /sock/, readdir $d;
}
END
}

# outlive.pl SOCKET SERVER: connects while the server is stopped, is gone, and only its child is there when the server looks
write_outlive() {
        cat >"$1" <<'END'
use Socket;
use strict;
my ($path, $server) = @ARGV;
my $maker = $$;
$SIG{PIPE} = "IGNORE";

sub pause { select(undef, undef, undef, 0.02) }

sub stopped {
        open(my $file, "<", "/proc/$server/status") or die;
        return grep /^State:\s+T/, <$file>;
}

kill STOP => $server;
pause() until stopped();
socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
connect($s, sockaddr_un($path)) or die "$path: $!";
exit if fork;
pause() while kill 0 => $maker;
my $sent = syswrite($s, "allow evil.example\n");
kill CONT => $server;
my $answer = join "", <$s>;
open(my $told, ">", "later") or die;
print $told "SENT $sent\n", length $answer ? "ANSWERED $answer" : "";
close($told);
rename("later", "late");
END
}

# attempt NAME: all ways from inside of that session, with the guard off
attempt() {
        local directory socket
        directory=$(env -i "${clean[@]:2}" sh -c 'echo "${XDG_RUNTIME_DIR:-$HOME/.local/state}/bailey"')
        socket=$(ls "$directory")
        write_reach reach.pl
        bash_in "$1" "perl reach.pl '$directory' '$socket' ${server_pid[$1]} $$; echo tried" >answer.json
        jq -r .output answer.json
        jq -e '.status == "completed" and (.output | endswith("tried\n"))' answer.json
        [ "$(jq -r .backend answer.json)" = "$backend" ]
}

# nothing_happened NAME: it did no good, and the session still hears its user
nothing_happened() {
        [ -z "$(changes_of "$(session_of "$1")")" ]
        [ -z "$(changed)" ]
        [ "$(verdict_in "$1" 'rm -rf /')" = allowed ] # off
        bailey allow fine.example
        [ "$(changes_of "$(session_of "$1")")" = "allow fine.example" ]
}

# walled BACKEND ARGUMENT...: a server whose commands run inside of these, or the test is skipped
walled() {
        backend=$1
        shift
        case $backend in
        landlock) set -- --set sandbox.protect_workspace=false "$@" ;;
        esac
        bailey run --backend "$backend" --set guard.mode=off "$@" true || skip "no $backend here"
        serve one --backend "$backend" --set guard.mode=off "$@"
}

unseen() {
        attempt one
        run ! grep -E 'CONNECTED|ANSWERED|LISTED' <(jq -r .output answer.json)
        nothing_happened one
}

# ---- commands, inside of walls ----

@test "native: a command does not find the socket" {
        walled native
        unseen
}

@test "bwrap: a command does not find the socket" {
        walled bwrap
        unseen
}

@test "landlock: a command does not find the socket" {
        walled landlock
        unseen
}

@test "nor when the directory of sockets is in one that commands may read" {
        for backend in native bwrap; do
                mkdir -p "$HOME/shared/$backend"
                clean+=(XDG_RUNTIME_DIR="$HOME/shared/$backend")
                walled "$backend" --read "$HOME/shared"
                unseen
                stop one
                rm "$L"
        done
}

@test "nor in one that they may write, or in the workspace itself" {
        for backend in native bwrap; do
                mkdir -p "$HOME/shared/$backend" "$W/run-$backend"
                clean+=(XDG_RUNTIME_DIR="$HOME/shared/$backend")
                walled "$backend" --write "$HOME/shared"
                unseen
                stop one
                rm "$L"
                clean+=(XDG_RUNTIME_DIR="$W/run-$backend")
                walled "$backend"
                unseen
                stop one
                rm "$L"
        done
}

@test "nor outside of /tmp, in the home directory" {
        home=$(mktemp -d "/var/tmp/bailey-control.XXXXXX")
        mkdir "$home/ws" "$home/run"
        cd "$home/ws"
        for backend in native bwrap; do
                clean+=(HOME="$home" XDG_RUNTIME_DIR="$home/run")
                L=$home/.local/state/bailey/audit.jsonl
                walled "$backend"
                unseen
                stop one
                rm "$L"
                clean=("${clean[@]/XDG_RUNTIME_DIR=*/NOTHING=}") # now it is in ~/.local/state
                walled "$backend"
                unseen
                stop one
                rm "$L"
        done
        rm -rf "$home"
}

@test "nor the socket of another session, whose directory is elsewhere" {
        mkdir "$HOME/elsewhere"
        for backend in native bwrap; do
                walled "$backend" --read "$HOME"
                first=("${clean[@]}")
                clean+=(XDG_RUNTIME_DIR="$HOME/elsewhere")
                serve two
                socket=$(ls "$HOME/elsewhere/bailey")
                write_reach reach.pl
                bash_in one "perl reach.pl '$HOME/elsewhere/bailey' '$socket' ${server_pid[two]}; echo tried" >answer.json
                jq -e '.output | endswith("tried\n")' answer.json
                run ! grep -E 'CONNECTED|ANSWERED' <(jq -r .output answer.json)
                [ -z "$(changes_of "$(session_of two)")" ]
                stop two
                clean=("${first[@]}")
                stop one
        done
}

@test "a directory that is moved away from under its mask" {
        mkdir "$W/run"
        clean+=(XDG_RUNTIME_DIR="$W/run")
        walled native
        write_reach reach.pl
        socket=$(ls run/bailey)
        bash_in one 'mv run moved' >answer.json
        if [ ! -e moved ]; then # it could not be
                [ -e "run/bailey/$socket" ]
                nothing_happened one
                return
        fi
        bash_in one "perl reach.pl '$W/moved/bailey' '$socket'; echo tried" >answer.json
        jq -r .output answer.json
        jq -e '.output | endswith("tried\n")' answer.json
        run ! grep -E 'ANSWERED' <(jq -r .output answer.json)
        [ -z "$(changed)" ]
        mv moved run
        nothing_happened one
}

# ---- the second lock alone: who speaks ----

@test "a command without walls finds the socket, and gets no answer" {
        clean+=(BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1)
        serve one --set guard.mode=off
        backend=none attempt one
        grep 'its path: CONNECTED' <(jq -r .output answer.json) # the test means something
        run ! grep ANSWERED <(jq -r .output answer.json)
        nothing_happened one
}

@test "bailey as a command without walls gets nowhere" {
        clean+=(BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1)
        serve one --set guard.mode=off --set "env.set.XDG_RUNTIME_DIR=$R"
        for command in 'allow evil.example' 'deny ls' 'kill x'; do
                bash_in one "ASAN_OPTIONS=detect_leaks=0 '$BAILEY' $command" >answer.json
                jq -e '.exit_code == 1' answer.json
                jq -r .output answer.json
        done
        bash_in one "ASAN_OPTIONS=detect_leaks=0 '$BAILEY' allow evil.example" |
                jq -e '.output | test("session [0-9a-f-]{36}: it closed the connection")'
        bash_in one "ASAN_OPTIONS=detect_leaks=0 '$BAILEY' status" |
                jq -e '.output | test("session [0-9a-f-]{36}: it closed the connection") and (test("foreground") | not)'
        nothing_happened one
}

@test "nor does one that tries to have another parent" {
        clean+=(BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1)
        serve one --set guard.mode=off
        socket=$(echo "$R"/bailey/*.sock)
        write_reach reach.pl
        # an orphan, in a session of its own
        bash_in one "(setsid sh -c 'while [ ! -e orphaned ]; do sleep 0.05; done
                        perl reach.pl ${socket%/*} ${socket##*/} >orphan; mv orphan told' &)
                touch orphaned; while [ ! -e told ]; do sleep 0.05; done; cat told" >answer.json
        jq -r .output answer.json
        grep 'its path: CONNECTED' told
        run ! grep ANSWERED told
        # a connection that outlives the process that made it
        write_outlive outlive.pl
        bash_in one "perl outlive.pl $socket ${server_pid[one]} & wait; while [ ! -e late ]; do sleep 0.05; done; cat late" >answer.json
        jq -r .output answer.json
        [ "$(cat late)" = "SENT 19" ] # all of it, and nothing came back
        nothing_happened one
}

@test "nor what is in another user namespace" {
        unshare -Ur true || skip "no user namespaces here"
        serve one --set guard.mode=off
        socket=$(echo "$R"/bailey/*.sock)
        write_reach reach.pl
        unshare -Ur perl reach.pl "${socket%/*}" "${socket##*/}" >told
        grep 'its path: CONNECTED' told
        run ! grep ANSWERED told
        nothing_happened one
}

@test "nor what is in another pid namespace, as a container of a daemon is" {
        unshare -pf true || skip "only root makes them"
        serve one --set guard.mode=off
        socket=$(echo "$R"/bailey/*.sock)
        write_reach reach.pl
        unshare -pfm --mount-proc perl reach.pl "${socket%/*}" "${socket##*/}" >told
        grep 'its path: CONNECTED' told
        run ! grep ANSWERED told
        nothing_happened one
}

@test "a server that is process number 1" {
        wrapper=(unshare -Urpf --mount-proc)
        "${wrapper[@]}" true || skip "no user and pid namespaces here"
        clean+=(BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1)
        serve one --set guard.mode=off --set "env.set.XDG_RUNTIME_DIR=$R"
        socket=$(echo "$R"/bailey/*.sock)
        write_reach reach.pl
        [ "$(bash_in one 'cat /proc/1/comm' | jq -r .output)" = "$(basename "$BAILEY")" ]
        for parent in '' setsid 'nohup setsid'; do
                bash_in one "$parent perl reach.pl ${socket%/*} ${socket##*/} >told; cat told" | jq -r .output
                grep 'its path: CONNECTED' told
                run ! grep ANSWERED told
        done
        bash_in one "ASAN_OPTIONS=detect_leaks=0 '$BAILEY' allow evil.example" | jq -e '.exit_code == 1'
        [ -z "$(changed)" ]
        # one that comes from outside, as docker exec does
        inner=$(pgrep -P "${server_pid[one]}")
        nsenter -t "$inner" -U --preserve-credentials -p -m "${clean[@]}" "$BAILEY" allow fine.example
        [ "$(changed)" = "allow fine.example" ]
}

# ---- other users ----

# other_user COMMAND...: as nobody
other_user() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# For tests that need two users: all in a place that both can get at.
two_users() {
        if [ "$(id -u)" != 0 ]; then skip "needs root, to be two users"; fi
        place=$(mktemp -d /tmp/bailey-control.XXXXXX)
        chmod 755 "$place"
        cp "$BAILEY" "$place/bailey"
        chmod 755 "$place/bailey"
        mkdir "$place/run"
        R=$place/run
        clean+=(XDG_RUNTIME_DIR="$R")
        cd "$place" || exit 1
        write_reach "$place/reach.pl"
        other_user "${clean[@]}" HOME=/usr/no/home "$place/bailey" --version >/dev/null || skip "nobody cannot run bailey here"
}

@test "another user is kept out by the directory" {
        two_users
        serve one
        [ "$(stat -c '%a %u' "$R/bailey")" = "700 0" ]
        [ "$(stat -c '%a %u %F' "$R"/bailey/*.sock)" = "600 0 socket" ]
        socket=$(ls "$R/bailey")
        for command in status 'allow evil.example' 'deny ls' 'kill x'; do
                # shellcheck disable=SC2086 # words
                run other_user "${clean[@]}" HOME=/usr/no/home "$place/bailey" $command
                echo "$output"
                [ "$status" != 0 ]
                [[ $output == *"$R/bailey"* ]]
        done
        run other_user perl reach.pl "$R/bailey" "$socket" "${server_pid[one]}"
        [[ $output != *CONNECTED* && $output != *LISTED* ]]
        [ -z "$(changed)" ]
        rm -rf "$place"
}

@test "and by the server, should the directory be open" {
        two_users
        serve one
        socket=$(ls "$R/bailey")
        chmod 777 "$R/bailey" "$R/bailey/$socket"
        run other_user perl reach.pl "$R/bailey" "$socket"
        [[ $output == *"its path: CONNECTED"* ]]
        [[ $output != *ANSWERED* ]]
        run other_user "${clean[@]}" HOME=/usr/no/home "$place/bailey" allow evil.example
        [ "$status" != 0 ]
        [[ $output == *"belongs to user 0, not to you (user 65534)"* ]]
        chmod 700 "$R/bailey"
        [ -z "$(changed)" ]
        bailey allow fine.example
        [ "$(changed)" = "allow fine.example" ]
        rm -rf "$place"
}

@test "root does not use what belongs to another user" {
        two_users
        mkdir "$R/bailey"
        chmod 700 "$R/bailey"
        chown 65534:65534 "$R/bailey"
        serve one
        grep "$R/bailey belongs to user 65534, not to you (user 0)" "$BATS_TEST_TMPDIR/one.err"
        run bailey status
        [ "$status" = 1 ]
        [[ $output == *"$R/bailey belongs to user 65534, not to you (user 0)"* ]]
        [ -z "$(ls -A "$R/bailey")" ]
        rm -rf "$place"
}

# ---- the directory ----

@test "a directory that is open to others is not used" {
        mkdir -m 755 "$R/bailey"
        serve one # it works, but nobody can reach it
        grep "cannot reach this session: $R/bailey is accessible to others (mode 755): run chmod 700 on it" "$BATS_TEST_TMPDIR/one.err"
        [ "$(verdict_in one true)" = allowed ]
        [ -z "$(ls -A "$R/bailey")" ]
        for command in status 'allow new.example' 'kill x' 'allow --list'; do
                # shellcheck disable=SC2086 # words
                run bailey $command
                [ "$status" = 1 ]
                [[ $output == *"$R/bailey is accessible to others (mode 755): run chmod 700 on it"* ]]
        done
        chmod 700 "$R/bailey"
        serve two
        bailey allow new.example
        [ "$(verdict_in two 'curl https://new.example/')" = allowed ]
}

@test "a file where the directory should be" {
        touch "$R/bailey"
        serve one
        grep "cannot reach this session: $R/bailey" "$BATS_TEST_TMPDIR/one.err"
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *"no session is running"* ]]
}
