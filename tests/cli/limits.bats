#!/usr/bin/env bats
# bailey run: limits of memory and processes that hold although nobody has set them.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

needs_a_cgroup() {
        if ! bailey doctor | grep -q 'memory enforced, by a cgroup'; then skip "no cgroups can be made here"; fi
}

# group_of PID CONTROLLER FILE: what the file of that controller's cgroup says
group_of() {
        local path mount
        path=$(grep -E "^[0-9]+:([a-z_,]+,)?$2(,[a-z_,]+)?:" "/proc/$1/cgroup" || grep '^0::' "/proc/$1/cgroup")
        path=${path#*:*:}
        for mount in "/sys/fs/cgroup/$2" /sys/fs/cgroup; do
                if [ -e "$mount$path/$3" ]; then
                        cat "$mount$path/$3"
                        return
                fi
        done
}

# until_runs TEXT: sets `found` to the process with this text in its arguments
until_runs() {
        runs() {
                found=$(pgrep -xf "$1")
        }
        eventually runs "$1"
}

@test "without any config, half of the memory and 16384 processes" {
        needs_a_cgroup
        bailey run --show-plan true >plan
        grep -x 'user memory 50 percent' plan
        grep -x 'user pids 16384' plan
        bailey run --json true | jq -e '.limits.user_memory == "enforced" and .limits.user_pids == "enforced"'

        bailey run "exec sleep 4431.$U" &
        until_runs "sleep 4431.$U"
        [ "$(group_of "$found" pids pids.max)" = 16384 ]
        limit=$(group_of "$found" memory memory.max)
        [ -n "$limit" ] || limit=$(group_of "$found" memory memory.limit_in_bytes)
        kill "$found"
        wait $! || true
        total=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) * 1024))
        [ "$limit" -gt 0 ]
        [ "$limit" -le $((total / 2)) ]
}

@test "0 is no limit" {
        bailey run --set sandbox.user_memory_percent=0 --set sandbox.user_max_pids=0 --json true |
                jq -e '.limits.user_memory == "none" and .limits.user_pids == "none"'
}

@test "where no cgroup can be had, commands run, and nothing is said" {
        if [ "$(id -u)" != 0 ] || ! unshare --mount true; then skip "needs a mount namespace"; fi
        run unshare --mount sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && exec "$@"' sh "${clean[@]}" "$BAILEY" run 'echo ran'
        [ "$status" = 0 ]
        [ "$output" = ran ]
        unshare --mount sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup && exec "$@"' sh "${clean[@]}" "$BAILEY" run --json true |
                jq -e '.limits.user_memory == "not enforced" and .limits.user_pids == "not enforced"'
}

@test "too much memory: killed, and told why" {
        needs_a_cgroup
        take=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) * 1024 / 50)) # twice of what it may
        run bailey run --set sandbox.user_memory_percent=1 "perl -e '\$x = \"x\" x $take; print 1'"
        echo "$output"
        [ "$status" = 137 ]
        [[ $output == *"exceeded their memory limit (1 % of the memory)"* ]]
        [[ $output == *user_memory_percent* ]]
        run bailey run --set sandbox.user_memory_percent=1 'kill -KILL $$' # that was another one
        [ "$status" = 137 ]
        [ -z "$output" ]
}

@test "a fork bomb ends at the limit of all commands, and says so" {
        needs_a_cgroup
        # One number for each run of this test: what others do must not count.
        limit=$((200 + U % 100))
        run bailey run --json --set sandbox.user_max_pids=$limit \
                'perl -e '\''while (defined($p = fork)) { if (!$p) { sleep 600; exit } $n++ } print "fork: $!: $n\n"; exit 1'\'
        echo "$output"
        jq -r .output <<<"$output" >said
        count=$(sed -n 's/^fork: Resource temporarily unavailable: //p' said)
        [ "$count" -gt 50 ]
        [ "$count" -lt "$limit" ]
        jq -e '.explanation | contains("user_max_pids")' <<<"$output"
        /bin/true # the host goes on
}

@test "a fork bomb ends at the limit of a command, as root, too" {
        IFS=. read -r major minor _ <<<"$(uname -r)"
        if [ "$(id -u)" = 0 ] && ((major < 6 || (major == 6 && minor < 14))); then skip "no such limit for root here"; fi
        before=$(cat /proc/sys/kernel/pid_max)
        run bailey run --set sandbox.max_pids=0 --set sandbox.user_max_pids=0 --set sandbox.user_memory_percent=0 --backend native \
                'perl -e '\''while ($n < 5000 && defined($p = fork)) { if (!$p) { sleep 600; exit } $n++ } print "$n\n"'\'
        echo "$output"
        [ "${lines[0]}" -gt 3000 ]
        [ "${lines[0]}" -le 4096 ]
        [ "$(cat /proc/sys/kernel/pid_max)" = "$before" ] # of the host
}

@test "a command that uses up its processor time is told so" {
        run bailey run --set sandbox.max_cpu_secs=1 'while :; do :; done'
        [ "$status" = 152 ] # 128 + SIGXCPU
        [[ $output == *"exceeded its limit of processor time in seconds (1)"* ]]
        run bailey run --set sandbox.max_cpu_secs=1 'bash -c "trap : XCPU; while :; do :; done"; echo $?'
        [ "$status" = 0 ]
        [[ $output == *137* ]] # one that goes on is killed
}

# limited ARGUMENT...: writes 3000 bytes to stdout, then 3000 to stderr, and ends with 3
limited() {
        bailey run "$@" 'head -c 3000 /dev/zero; head -c 3000 /dev/zero >&2; exit 3'
}

@test "output above the limit is dropped, whatever takes it, and the command goes on" {
        notice='bailey: 1904 bytes of output were dropped: the limit is 4 KiB; --output-limit sets another one, and 0 none'
        status=0
        limited --output-limit 4KiB >out 2>err || status=$?
        [ "$status" = 3 ]
        [ "$(tr -d '\0' <err)" = "$notice" ]
        [ "$(stat -c %s out)" = 3000 ]
        [ "$(stat -c %s err)" = $((1096 + ${#notice} + 1)) ]

        limited --output-limit 4KiB 2>&1 | cat >both
        [ "$(stat -c %s both)" = $((4096 + ${#notice} + 1)) ]
        bailey run --output-limit 4KiB 'seq 100000; touch went-on' | head -n 1
        [ -e went-on ]
        tail -n 1 "$HOME/.local/state/bailey/audit.jsonl" | jq -e '.notices | length == 1'
}

@test "what goes nowhere does not count, nor what is below the limit" {
        bailey run --output-limit 1KiB 'seq 10000' >/dev/null 2>err
        [ ! -s err ]
        bailey run --output-limit 1KiB 'head -c 1024 /dev/zero' >out 2>err
        [ "$(stat -c %s out)" = 1024 ]
        [ ! -s err ]
}

@test "readonly and build have a limit of 10 KiB, others none" {
        seq 10000 >numbers
        for policy in readonly build; do
                bailey run --policy $policy 'cat numbers' >out 2>err
                [ "$(stat -c %s out)" = 10240 ]
                grep 'bytes of output were dropped: the limit is 10 KiB' err
        done
        bailey run --policy readonly --output-limit 0 'cat numbers' | cmp - numbers
        bailey run --policy readonly --set run.output_bytes=1MiB 'cat numbers' | cmp - numbers
        bailey run 'cat numbers numbers numbers numbers' >out
        [ "$(stat -c %s out)" = $((4 * $(stat -c %s numbers))) ]
        refused 'option --output-limit: expected 1 KiB to 64 MiB, found 12' --output-limit 12
}

@test "the limit of a hook is that of the commands that it wraps" {
        printf '{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"%s","tool_input":{"command":"seq 10000"}}' "$PWD" |
                CLAUDE_PROJECT_DIR=$PWD bailey hook --agent claude --mode wrap --workspace "$PWD" --output-limit 2KiB |
                jq -er .hookSpecificOutput.updatedInput.command >wrapped.sh
        cat wrapped.sh
        "${clean[@]}" sh ./wrapped.sh >out 2>err
        [ "$(stat -c %s out)" = 2048 ]
        grep 'the limit is 2 KiB' err
}
