#!/usr/bin/env bats
# bailey run: interrupted, killed, and many times: nothing stays behind.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

# start [FLAG...] COMMAND: runs it in the background until it has made the file `began`
start() {
        "${clean[@]}" "$BAILEY" run "$@" >out 2>&1 3>&- &
        pid=$!
        until_exists began
}

@test "SIGTERM ends it and all of its processes" {
        start 'trap "" TERM; setsid sleep 4411.'"$U"' & touch began; sleep 4412.'"$U"
        kill -TERM $pid
        until_gone $pid
        gone "sleep 4411.$U"
        gone "sleep 4412.$U"
}

@test "SIGHUP, too, and again" {
        for signal in HUP TERM; do
                rm -f began
                start 'touch began; sleep 4413.'"$U"
                kill -$signal $pid
                until_gone $pid
                gone "sleep 4413.$U"
        done
}

@test "its status says so" {
        start 'touch began; sleep 4414.'"$U"
        kill -TERM $pid
        status=0
        wait $pid || status=$?
        [ $status = 143 ]
}

@test "a terminal's Ctrl-C" {
        command -v script || skip 'no script'
        { until_exists began; printf '\003'; } |
                timeout 120 script -qec "$(printf '%q ' "${clean[@]}" "$BAILEY") run 'touch began; sleep 4415.$U'" /dev/null >out || status=$?
        [ -e began ]
        [ "${status-0}" = 130 ]
        gone "sleep 4415.$U"
}

@test "killed with SIGKILL it leaves no process" {
        start 'setsid sleep 4416.'"$U"' & touch began; sleep 4417.'"$U"
        kill -KILL $pid
        wait $pid || true
        eventually gone "sleep 4416.$U"
        eventually gone "sleep 4417.$U"
}

@test "a reader that goes away ends it" {
        run timeout 120 bash -c "$(printf '%q ' "${clean[@]}" "$BAILEY") run yes | head -n 1"
        [ "$status" = 0 ]
        [ "$output" = y ]
}

@test "a daemon that holds the output does not hold the call" {
        output=$(timeout 60 "${clean[@]}" "$BAILEY" run 'setsid sleep 500 & echo said')
        [ "$output" = said ]
}

# What could stay: processes that were started here, mounts, files. Other suites run beside this one and have theirs, so
# bailey is told to have its temporary files here. What was set aside has to stay: kept_aside().
things() {
        local process
        for process in /proc/[0-9]*; do
                if [ "$(readlink "$process/cwd")" = "$W" ]; then echo process; fi
        done
        grep -F "$BATS_TEST_TMPDIR" /proc/self/mountinfo || true
        find "$BATS_TEST_TMPDIR" -mindepth 2 -path "$HOME/.local/state/bailey/aside" -prune -o ! -name out -print | sort
}

# kept_aside COUNT: that many .claude, whole, and nothing else
kept_aside() {
        local aside=$HOME/.local/state/bailey/aside
        [ "$(find "$aside" -mindepth 1 -maxdepth 1 | wc -l)" = "$1" ]
        [ "$(cat "$aside"/*/item/x | grep -cx x)" = "$1" ]
        [ "$(find "$aside" -mindepth 2 | wc -l)" = $((3 * $1)) ] # about.json, item and item/x
}

# nothing_new: within a while; what was killed may take its time to go
nothing_new() {
        local n
        for n in {1..600}; do
                things >../after
                if diff ../before ../after >../difference; then return 0; fi
                sleep 0.1
        done
        cat ../difference
        return 1
}

# orphans: cgroups of a bailey of this pid namespace that is no more: bailey-PID-NAMESPACE-RANDOM. Those that other suites kill
# leave some, too, until the next one sweeps: ours are on record.
orphans() {
        local group pid
        jq .pid "$HOME/.local/state/bailey/audit.jsonl" | sort -u >../pids
        [ -s ../pids ]
        find /sys/fs/cgroup -type d -name "bailey-*-$(stat -Lc %i /proc/self/ns/pid)-*" 2>/dev/null | while read -r group; do
                pid=${group##*/bailey-}
                if [ ! -e "/proc/${pid%%-*}" ] && grep -qx "${pid%%-*}" ../pids; then echo "$group"; fi
        done
}

# Most of them are of the release build: sanitizers have nothing to do with what is left, and take ten times as long.
@test "many runs leave nothing behind" {
        local checked=$BAILEY shipped=${BAILEY%/asan/bailey}/bailey
        mkdir "$BATS_TEST_TMPDIR/tmp"
        clean+=(TMPDIR="$BATS_TEST_TMPDIR/tmp")
        bailey run true
        things >../before
        for n in $(seq "${BAILEY_LEAK_RUNS:-300}"); do
                if [ "$n" = 21 ] && [ -x "$shipped" ]; then BAILEY=$shipped; fi
                case $((n % 4)) in
                0) bailey run true ;;
                1) bailey run 'echo x >/tmp/x; setsid sleep 30 &' >/dev/null ;;
                2) bailey run --json 'mkdir -p .claude; echo x >.claude/x' >/dev/null ;;
                3) bailey run 'kill -9 $$' || true ;;
                esac
        done
        BAILEY=$checked
        nothing_new
        kept_aside $(((n + 2) / 4))
        orphans >../orphans
        diff /dev/null ../orphans
}

@test "runs that are killed leave nothing behind" {
        mkdir "$BATS_TEST_TMPDIR/tmp"
        clean+=(TMPDIR="$BATS_TEST_TMPDIR/tmp")
        bailey run true
        things >../before
        for n in {1..20}; do
                start 'mkdir -p .claude; echo x >.claude/x; touch began; sleep 4418.'"$U"
                rm began
                kill -KILL $pid
                wait $pid || true
        done
        eventually gone "sleep 4418.$U"
        bailey run true
        nothing_new
        kept_aside 20
}

@test "a cgroup of one that was killed goes with the next that has limits" {
        if ! bailey doctor | grep -q 'memory enforced, by a cgroup'; then skip "no cgroups can be made here"; fi
        start --memory 500M 'touch began; sleep 4419.'"$U"
        kill -KILL $pid
        wait $pid || true
        eventually gone "sleep 4419.$U"
        [ -n "$(orphans)" ]
        none() {
                bailey run --memory 500M true
                [ -z "$(orphans)" ]
        }
        eventually none # what was killed may take its time to go
}
