#!/usr/bin/env bats
# bailey run: limits of memory and processes that hold although nobody has set them.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # the command is for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

@test "a fork bomb ends at the limit of a command, as root, too" {
        IFS=. read -r major minor _ <<<"$(uname -r)"
        if [ "$(id -u)" = 0 ] && ((major < 6 || (major == 6 && minor < 14))); then skip "no such limit for root here"; fi
        before=$(cat /proc/sys/kernel/pid_max)
        run bailey run --set sandbox.max_pids=0 --backend native \
                'perl -e '\''while ($n < 5000 && defined($p = fork)) { if (!$p) { sleep 600; exit } $n++ } print "$n\n"'\'
        echo "$output"
        [ "${lines[0]}" -gt 3000 ]
        [ "${lines[0]}" -le 4096 ]
        [ "$(cat /proc/sys/kernel/pid_max)" = "$before" ] # of the host
}
