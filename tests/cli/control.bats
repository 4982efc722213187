#!/usr/bin/env bats
# bailey status, allow, deny and kill: a session is seen, and changed while it runs. Commands run without walls here where the
# walls do not matter, so that this suite runs anywhere.
# shellcheck disable=SC2030,SC2031,SC2154 # what setup() sets is for all

# shellcheck source=tests/cli/control_helper.bash
load control_helper

count_sockets() {
        find "$R/bailey" -mindepth 1 | wc -l
}

no_sandbox() {
        clean+=(BAILEY_SANDBOX=none BAILEY_ALLOW_NO_SANDBOX=1)
}

# ---- looking ----

@test "no session" {
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *"policy default for $W, guard: enforce"* ]]
        [[ $output == *"    backend auto, network deny, containers off; timeout 120 s, at most 600 s; output 100 KiB"* ]]
        [[ $output == *"items in lists: domain_allowlist 13, domain_denylist 0, command_blocklist 17, "* ]]
        [[ $output == *"no session is running"* ]]
        bailey status --json | jq -e '.backend == "auto" and .network == "deny" and .container == false and
                .lists.domain_allowlist == 13 and .timeout_ms == 120000 and .timeout_max_ms == 600000 and .output_bytes == 102400'
        bailey status --json | jq -e '.schemaVersion == 1 and .sessions == [] and .recent_blocks == [] and .policy == "default" and
                .guard == "enforce" and .bypassed == false and .files == []'
        [ ! -e "$R/bailey" ] # looking leaves nothing behind
}

@test "a session is shown, as text and as JSON" {
        serve one
        id=$(session_of one)
        [[ $id =~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]]
        bailey status --json | jq -e --arg ws "$W" '.sessions | length == 1 and (.[0] | .policy == "default" and
                .workspace == $ws and .foreground == 0 and .changes == [] and .shells == [] and
                .network == { kind: "deny", capture: null, hosts: [], open: 0, refused: [] } and
                (.started | test("^20[0-9-]+T[0-9:.]+Z$")))'
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *"session $id  pid ${server_pid[one]}  since 20"*"  policy default"* ]]
        [[ $output == *"workspace $W, 0 commands in the foreground"*"    network: deny"* ]]
        [[ $output != *"no session"* ]]
}

@test "config files and what was refused lately" {
        mkdir -p "$HOME/.config/bailey"
        echo '[run]' >"$HOME/.config/bailey/config.toml"
        echo 'run.max_shells = 3' >.bailey.toml
        for i in 1 2 3 4 5 6; do run bailey run "rm -rf / # $i"; done
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *"$HOME/.config/bailey/config.toml"* ]]
        [[ $output == *"$W/.bailey.toml (not trusted)"* ]]
        [[ $output == *"recently refused:"* ]]
        [ "$(grep -c 'blocked.*rm -rf /' <<<"$output")" = 5 ] # the newest
        [[ $output != *"# 1"* ]]
        bailey status --json | jq -e '(.recent_blocks | length == 5 and all(.action == "blocked") and .[4].command == "rm -rf / # 6")
                and .files[1].trusted == false'
}

@test "what was only tested was not refused; what a hook denied was" {
        bailey test 'rm -rf / # tested' || true
        bailey run --show-plan 'echo planned' >/dev/null
        bailey status --json | jq -e '.recent_blocks == []'
        run bailey status
        [[ $output != *"recently refused"* ]]

        for command in 'rm -rf / # asked' 'echo asked'; do
                jq -n --arg cwd "$PWD" --arg command "$command" \
                        '{hook_event_name: "PreToolUse", tool_name: "Bash", cwd: $cwd, tool_input: {command: $command}}' |
                        bailey hook --agent claude --workspace "$PWD"
        done
        bailey status --json | jq -e '.recent_blocks | map(.command) == ["rm -rf / # asked"]'
        [ "$(jq -rc .kind "$L" | paste -sd' ')" = "tested tested refused tested" ]
}

@test "refusals of a session that writes no audit log" {
        no_sandbox
        serve one --set audit.enabled=false
        serve two --set audit.enabled=false
        bash_in one 'rm -rf / # in one'
        bash_in one 'echo ran'
        for i in {1..6}; do bash_in two "rm -rf / # $i in two"; done
        [ ! -e "$L" ]
        bailey run 'rm -rf / # logged' || true
        bailey status --json >status.json
        jq -e '.recent_blocks | all(.kind == "refused")' status.json
        jq -r '.recent_blocks[].command' status.json | sort >refused
        printf 'rm -rf / # %s\n' '2 in two' '3 in two' '4 in two' '5 in two' '6 in two' 'in one' logged | cmp - refused
        run bailey status
        [ "$(grep -c 'blocked.*rm -rf /' <<<"$output")" = 7 ]
        [ "$(grep -c 'recently refused:' <<<"$output")" = 1 ]
}

@test "background commands are shown, with what hides in them made visible" {
        no_sandbox
        serve one --set guard.mode=off
        shell=$(background_in one "$(printf 'sleep 61.%s # \e[31m \xc2\x9b31m\nsecond line' "$U")")
        run bailey status
        [[ $output == *"    $shell  20"*"  running  "*"sleep 61.$U # \\x1b[31m \\u009b31m ..."* ]]
        [[ $output != *$'\e'* && $output != *$'\x9b'* && $output != *"second line"* ]]
        bailey status --json | jq -e --arg id "$shell" '.sessions[0].shells | length == 1 and (.[0] | .shell_id == $id and
                .status == "running" and .exit_code == null and (.command | endswith("\nsecond line")))'
}

@test "a long command is cut, between characters" {
        no_sandbox
        serve one
        background_in one "sleep 61.$U # $(printf 'ä%.0s' {1..200})"
        bailey status >text
        iconv -f UTF-8 -t UTF-8 text >/dev/null
        grep -q 'ä \.\.\.  # a test$' text
        run ! grep -q '\\x' text
        [ "$(grep -o ä text | wc -l)" -lt 80 ]
}

@test "a workspace with a terminal escape in its name" {
        mkdir "$(printf 'e\e[31m')"
        cd "$(printf 'e\e[31m')"
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *'/e\x1b[31m'* && $output != *$'\e'* ]]
        bailey status --json | jq -e --arg ws "$PWD" '.workspace == $ws'
}

# ---- changing ----

@test "allow acts at once, on that session alone, and ends with it" {
        serve one
        [ "$(verdict_in one 'curl https://new.example/')" = blocked ]
        run bailey allow new.example
        [ "$status" = 0 ]
        [ "$output" = "session $(session_of one): in effect from the next command until the session ends
    guard.domain_allowlist: added new.example
    sandbox.network is \"deny\": no command of this session can reach new.example; start it with --allow-host new.example" ]
        run bailey allow new.example
        [ "$status" = 0 ]
        [[ $output == "session $(session_of one): nothing to change"$'\n    sandbox.network is "deny": '* ]]
        [ "$(verdict_in one 'curl https://new.example/')" = allowed ]
        [ "$(verdict_in one 'curl https://other.example/')" = blocked ]
        run bailey test 'curl https://new.example/'
        [ "$status" = 2 ]
        bailey allow '*.Wild.example'
        [ "$(verdict_in one 'curl https://a.wild.example/')" = allowed ]
        [ "$(changes_of "$(session_of one)")" = "allow new.example, allow *.Wild.example" ]
        stop one
        serve two
        [ "$(verdict_in two 'curl https://new.example/')" = blocked ]
        [ -z "$(changes_of "$(session_of two)")" ]
}

@test "deny a program" {
        no_sandbox
        serve one
        bash_in one 'seq 1' | jq -e '.status == "completed" and .output == "1\n"'
        bailey deny seq
        bash_in one 'seq 1' | jq -e '.status == "refused" and .exit_code == 126'
        [ "$(verdict_in one 'true; /usr/bin/SEQ 2')" = blocked ]
        [ "$(verdict_in one 'echo seq')" = allowed ]
}

@test "deny what looks like a value of another kind" {
        serve one
        for name in true null 7 '[seq]' '{replace:true,items:[]}' '"seq"'; do
                bailey deny "$name"
        done
        [ "$(verdict_in one 'true')" = blocked ]
        [ "$(verdict_in one 'seq 1')" = allowed ]
        [ "$(verdict_in one 'dd if=/dev/zero of=x')" = blocked ] # the list was not replaced
        for name in '["evil.example"]' '{replace:true,items:["evil.example"]}' '*' '*.*' 'a,evil.example'; do
                run bailey allow "$name"
                if [ "$name" = '*' ]; then continue; fi # that is a pattern
                [ "$status" = 1 ]
                [[ $output == "bailey: allow: guard.domain_allowlist: expected a host name"* ]]
        done
}

@test "deny the beginning of a command" {
        serve one
        bailey deny '  git   push '
        # shellcheck disable=SC2016 # the guard reads them
        for command in 'git push' 'git  push origin' 'cd x && git push' '/usr/bin/git push' 'bash -c "git push"' '(git push)' \
                'git -C . push' 'git --no-pager push' 'git -c a.b=c push -f' 'GIT Push' 'a=push; git $a' 'git "$(cat word)"'; do
                [ "$(verdict_in one "$command")" = blocked ]
        done
        # shellcheck disable=SC2016
        for command in 'git status' 'git pushup' 'legit push' 'git pull; echo push' 'git log push' 'git -C "$HOME" status'; do
                [ "$(verdict_in one "$command")" = allowed ]
        done
        bailey deny ' docker '
        [ "$(verdict_in one 'docker ps')" = blocked ]
        [ "$(verdict_in one 'git status')" = allowed ]
        # many words are not cut off on the way
        words=$(printf 'a %.0s' {1..300})
        bailey deny "$words"
        [ "$(verdict_in one "$words")" = blocked ]
        [ "$(verdict_in one "${words% a } b")" = allowed ]
}

@test "what another setting wins over is refused" {
        serve one --set guard.command_allow_overrides=dd --set guard.domain_denylist=bad.example --set 'guard.domain_denylist=*.worse.example'
        run bailey deny DD
        [ "$status" = 1 ]
        [[ $output == *"guard.command_allow_overrides"* ]]
        for host in bad.example BAD.example sub.worse.example '*.worse.example'; do
                run bailey allow "$host"
                [ "$status" = 1 ]
                [[ $output == *"$host is in guard.domain_denylist"* ]]
        done
        [ -z "$(changes_of "$(session_of one)")" ]
        [ -z "$(changed)" ]
}

@test "changes are on record" {
        serve one
        id=$(session_of one)
        bailey allow new.example
        bailey deny seq
        bailey allow new.example # nothing new
        [ "$(changed)" = "$(printf 'allow new.example\ndeny seq')" ]
        jq -se --arg id "$id" --argjson pid "${server_pid[one]}" 'map(select(.kind == "changed")) | length == 2 and
                all(.session == $id and .pid == $pid and .action == "none" and .policy == "default")' "$L"
        bailey audit | grep -q 'changed .* allow new.example$'
        bailey audit stats --json | jq -e '.commands == 0'
        bailey audit verify
        [ "$(changes_of "$id")" = "allow new.example, deny seq" ]
}

@test "what cannot be recorded is not changed" {
        serve one
        serve two --set audit.required=false
        one=$(session_of one) two=$(session_of two)
        mkdir -p "$L"
        run bailey allow --session "$one" new.example
        [ "$status" = 1 ]
        [[ $output == *"not changed: cannot write to the audit log"*"audit.jsonl"* ]]
        [ "$(verdict_in one 'curl https://new.example/')" = blocked ]
        bailey allow --session "$two" new.example
        [ "$(verdict_in two 'curl https://new.example/')" = allowed ]
        rmdir "$L"
}

@test "a session keeps the config that it began with" {
        mkdir -p "$HOME/.config/bailey"
        echo 'guard.mode = "enforce"' >"$HOME/.config/bailey/config.toml"
        serve one
        echo 'guard.mode = "off"' >"$HOME/.config/bailey/config.toml"
        bailey allow new.example
        [ "$(verdict_in one 'rm -rf /')" = blocked ]
        echo 'broken [' >"$HOME/.config/bailey/config.toml"
        bailey allow second.example
        [ "$(verdict_in one 'curl https://second.example/')" = allowed ]
}

@test "a session takes many changes, but not any number" {
        serve one
        socket=$(echo "$R"/bailey/*.sock)
        [ "$(perl -MSocket -e 'for (1..256) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die;
                syswrite($s, "allow h$_.example\n"); print while <$s> }' "$socket" | grep -cx ok)" = 256 ]
        run bailey allow h257.example
        [ "$status" = 1 ]
        [[ $output == *"256 changes"* ]]
        [ "$(verdict_in one 'curl https://h256.example/')" = allowed ]
        bailey status --json | jq -e '.sessions[0].changes | length == 256 and .[0] == "allow h1.example"'
        [ "$(bailey status | grep -c '    allow h')" = 256 ]
}

@test "--save changes the config file, and no session" {
        serve one
        run bailey allow --save new.example
        [ "$status" = 0 ]
        [[ $output == "$HOME/.config/bailey/config.toml changed;"* ]]
        [ "$(stat -c %a "$HOME/.config/bailey/config.toml")" = 644 ]
        run bailey allow --save new.example
        [ "$status" = 0 ]
        [[ $output == *"already contains it" ]]
        bailey deny --save 'git push'
        bailey deny --save seq
        bailey deny --save '{replace:true,items:[]}'
        run bailey test 'curl https://new.example/'
        [ "$status" = 0 ]
        for command in 'git push' 'seq 1' 'dd if=a of=/dev/sdb'; do
                run bailey test "$command"
                [ "$status" = 2 ]
        done
        [ "$(verdict_in one 'curl https://new.example/')" = blocked ]
        [ -z "$(changes_of "$(session_of one)")" ]
        bailey config check "$HOME/.config/bailey/config.toml"
}

@test "--save keeps comments, links and modes, and refuses what is broken" {
        mkdir -p "$HOME/.config/bailey" "$HOME/dotfiles"
        printf '# mine\n[guard]\n# hosts\n' >"$HOME/dotfiles/bailey.toml"
        chmod 600 "$HOME/dotfiles/bailey.toml"
        ln -s ../../dotfiles/bailey.toml "$HOME/.config/bailey/config.toml"
        bailey allow --save new.example
        [ -L "$HOME/.config/bailey/config.toml" ]
        [ "$(stat -c %a "$HOME/dotfiles/bailey.toml")" = 600 ]
        grep -qx '# mine' "$HOME/dotfiles/bailey.toml"
        grep -qx '# hosts' "$HOME/dotfiles/bailey.toml"
        grep -q new.example "$HOME/dotfiles/bailey.toml"
        [ "$(find "$HOME" -name '.new-*')" = '' ]
        echo 'guard = [' >"$HOME/dotfiles/bailey.toml"
        run bailey allow --save newer.example
        [ "$status" = 1 ]
        [[ $output == *"config.toml:"* ]]
        [ "$(cat "$HOME/dotfiles/bailey.toml")" = 'guard = [' ]
        echo 'guard.command_allow_overrides = ["dd"]' >"$HOME/dotfiles/bailey.toml"
        run bailey deny --save dd
        [ "$status" = 1 ]
        [[ $output == *"guard.command_allow_overrides"* ]]
}

@test "--save adds to a list however it is written" {
        mkdir -p "$HOME/.config/bailey"
        config=$HOME/.config/bailey/config.toml
        for text in '[guard]\ndomainAllowlist = ["a.example"]' 'guard = { mode = "enforce" }' \
                'guard.domain_allowlist = { replace = true, items = ["a.example"] }' '# \r\n[run]\r\n'; do
                printf %b "$text" >"$config"
                bailey allow --save new.example
                run bailey test 'curl https://new.example/'
                [ "$status" = 0 ]
        done
        printf '[[guard.dangerous_patterns]]\nregex = "x.*y"\n' >"$config"
        bailey deny --save 'git push'
        for command in 'git push' 'echo x-y'; do
                run bailey test "$command"
                [ "$status" = 2 ]
        done
        printf '[guard]\ndomain_allowlist = 5\n' >"$config"
        run bailey allow --save new.example
        [ "$status" = 1 ]
        [ "$(cat "$config")" = "$(printf '[guard]\ndomain_allowlist = 5\n')" ]
}

@test "allow --list" {
        run bailey allow --list
        [ "$status" = 0 ]
        [[ ${lines[0]} == github.com ]]
        [[ $output == *"no session is running"* ]]
        serve one
        bailey allow new.example
        run bailey allow --list
        [[ $output == *"    allow new.example"* ]]
        bailey allow --list --json | jq -e '(.domain_allowlist | index("github.com") == 0 and index("new.example") == null) and
                .sessions[0].changes == ["allow new.example"]'
}

# ---- ending ----

@test "kill ends a background command of a session, and nothing else" {
        no_sandbox
        serve one
        serve two
        a=$(background_in one "sleep 62.$U")
        b=$(background_in one "sleep 63.$U")
        c=$(background_in two "sleep 64.$U")
        run bailey kill "$b"
        [ "$status" = 0 ]
        [ -z "$output" ]
        eventually gone "sleep 63.$U"
        eventually alive "sleep 62.$U" # bash becomes it, when it gets to that
        eventually alive "sleep 64.$U"
        only_b() { bailey status --json | jq -e --arg a "$a" --arg b "$b" --arg c "$c" '[.sessions[].shells[]] |
                length == 3 and all(.status == if .shell_id == $b then "killed" else "running" end)'; }
        eventually only_b # its process is gone before the session knows
        bailey kill "$c"
        run bailey kill "$b" # it has ended, and that is what was wanted
        [ "$status" = 0 ]
        stop one
        gone "sleep 62.$U"
}

@test "kill takes by force what does not want to end" {
        no_sandbox
        serve one --set run.kill_grace=200ms
        shell=$(background_in one "trap '' TERM; echo up; while :; do sleep 0.0$U; done")
        bailey kill "$shell"
        is_killed() { bailey status --json | jq -e '.sessions[0].shells[0].status == "killed"'; }
        eventually is_killed
}

# ---- several ----

@test "two sessions are told apart" {
        mkdir "$HOME/other"
        serve one
        cd "$HOME/other"
        serve two
        one=$(session_of one) two=$(session_of two)
        [ "$one" != "$two" ]
        bailey status --json | jq -e --arg a "$W" --arg b "$HOME/other" '[.sessions[].workspace] | sort == ([$a, $b] | sort)'
        run bailey allow new.example
        [ "$status" = 1 ]
        [[ $output == *"2 sessions are running"*"--session"* ]]
        [[ $output == *"$one"* && $output == *"$two"* ]]
        bailey allow --session "$one" new.example
        [ "$(verdict_in one 'curl https://new.example/')" = allowed ]
        [ "$(verdict_in two 'curl https://new.example/')" = blocked ]
        # the first characters of the other
        n=1
        while [ "${two:0:n}" = "${one:0:n}" ]; do n=$((n + 1)); done
        bailey deny --session "${two:0:n}" seq
        [ "$(changes_of "$two")" = "deny seq" ]
        [ "$(changes_of "$one")" = "allow new.example" ]
        run bailey deny --session '' seq
        [ "$status" = 1 ]
        [[ $output == *"2 sessions"* ]]
        run bailey deny --session zzz seq
        [ "$status" = 1 ]
        [[ $output == *"zzz"*"bailey status"* ]]
        run bailey deny --session "${one}0" seq
        [ "$status" = 1 ]
        stop one
        bailey allow only.example # one is left
        [ "$(changes_of "$two")" = "deny seq, allow only.example" ]
}

# ---- mistakes ----

@test "nobody to change" {
        for command in 'allow new.example' 'deny seq'; do
                # shellcheck disable=SC2086 # two words
                run bailey $command
                [ "$status" = 1 ]
                [[ $output == *"no session is running; use --save to change your config file" ]]
        done
        run bailey kill 00000000-0000-4000-8000-000000000000
        [ "$status" = 1 ]
        [[ $output == *"no shell with the ID '00000000-0000-4000-8000-000000000000' in any running session; bailey status"* ]]
}

@test "what cannot be changed is refused, and nothing happens" {
        serve one
        long=$(printf 'a%.0s' {1..1025})
        longer=$(printf 'a%.0s' {1..5000})
        for host in '' ' ' 'a b' 'https://new.example' 'new.example:80' 'new.example/x' $'new\n.example' $'new\e.example' \
                $'new\xff.example' $'\xc2\x9bnew.example' '-' "$long" "$longer"; do
                run bailey allow -- "$host"
                echo "$host: $status $output"
                [ "$status" = 1 ]
                [[ $output == "bailey: allow: "* && $output != *$'\e'* ]]
                [ "${#lines[@]}" = 1 ]
                run bailey allow --save -- "$host"
                [ "$status" = 1 ]
        done
        for name in '' '   ' 'a/b' $'git\npush' $'git\tpush' $'a\xff' '/bin/git push' "$long" "$longer"; do
                run bailey deny -- "$name"
                echo "$name: $status $output"
                [ "$status" = 1 ]
                [[ $output == "bailey: deny: "* ]]
                run bailey deny --save -- "$name"
                [ "$status" = 1 ]
        done
        for id in '' x $'x\n' $'\e[31m' "$longer"; do
                run bailey kill -- "$id"
                [ "$status" = 1 ]
                [[ $output == "bailey: kill: "* && $output != *$'\e'* ]]
        done
        [ ! -e "$HOME/.config/bailey/config.toml" ]
        [ -z "$(changes_of "$(session_of one)")" ]
        [ -z "$(changed)" ]
}

@test "usage error" {
        for arguments in allow deny kill 'allow a b' 'deny a b' 'kill a b' 'status x' 'allow --list x' 'allow --list --save' \
                'allow --json x' 'allow --save --session a x' 'deny --list' 'kill --session a b'; do
                # shellcheck disable=SC2086 # words
                run bailey $arguments
                echo "$arguments: $status $output"
                [ "$status" = 2 ]
                [[ $output == "bailey: "* ]]
        done
}

@test "an empty domain or command is named once" {
        run bailey deny --save ''
        [ "$status" = 1 ]
        [[ $output == 'bailey: deny: the command is empty, or longer than '*' bytes' ]]
        run bailey allow --save ''
        [ "$status" = 1 ]
        [[ $output == 'bailey: allow: the domain is empty, or longer than '*' bytes' ]]
        run bailey deny --save '  '
        [ "$status" = 1 ]
        [ "$output" = 'bailey: deny: the command consists of spaces only' ]
}

# ---- the socket ----

@test "lines that nobody would send" {
        serve one
        socket=$(echo "$R"/bailey/*.sock)
        [[ $(speak "$socket" $'json\n') == ok*'{"session":'* ]]
        [[ $(speak "$socket" $'text more\n') == ok*"session "* ]]
        [[ $(speak "$socket" $'\n') == "error "* ]]
        [[ $(speak "$socket" $'nonsense x\n') == "error unknown request 'nonsense'" ]]
        [[ $(speak "$socket" $'allow\n') == "error the domain is empty"* ]]
        [[ $(speak "$socket" $'allow a\e.example\n') == "error "* ]]
        [[ $(speak "$socket" $'ALLOW new.example\n') == "error "* ]]
        [[ $(speak "$socket" "allow $(printf 'a%.0s' {1..10000})"$'\n') == "error "* ]]
        [ -z "$(speak "$socket" 'allow new.example')" ] # no line
        [[ "$(speak "$socket" $'allow new.example\nallow second.example\n')" == $'ok\n+guard.domain_allowlist new.example\n! sandbox.network is "deny": '*'--allow-host new.example' ]] # one is enough
        perl -e 'print "allow a\0b\n"' >nul
        [[ $(perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])); open(my $f, "<", "nul");
                syswrite($s, join("", <$f>)); print while <$s>' "$socket") == "error "* ]]
        [ "$(changes_of "$(session_of one)")" = "allow new.example" ]
}

# turned_away: leaves what bailey says while clients that say nothing have every place in said and said.json. They are sent away
# after some seconds, which a busy machine may need for less than this, so there are new ones until it has met them.
turned_away() {
        local idle shown
        rm -f up
        perl -MSocket -e 'for (1..20) { socket($s[$_], PF_UNIX, SOCK_STREAM, 0); connect($s[$_], sockaddr_un($ARGV[0])) or die }
                open(F, ">", "up"); close(F); $SIG{ALRM} = sub { exit 1 }; alarm 120; for (1..20) { sysread($s[$_], $x, 1) }' \
                "$(echo "$R"/bailey/*.sock)" 3>&- &
        idle=$!
        until_exists up
        [ "$(verdict_in one true)" = allowed ] || return 1
        bailey status --json >said.json &
        shown=$!
        bailey status >said || return 1
        wait "$shown" || return 1
        wait "$idle" || return 1 # all were closed
        grep -q 'it closed the connection' said && grep -q 'it closed the connection' said.json
}

@test "clients that say nothing are sent away, and meanwhile the session works" {
        serve one
        eventually turned_away
        grep -q 'session ' said
        jq -e '.sessions[0].error | length > 0' said.json
        bailey allow new.example
        [ "$(changes_of "$(session_of one)")" = "allow new.example" ]
}

@test "a session that hangs keeps nobody waiting" {
        serve one
        kill -STOP "${server_pid[one]}"
        SECONDS=0
        # at once, as each waits for some seconds
        bailey allow new.example >allow.said 2>&1 3>&- &
        allow=$!
        bailey kill 00000000-0000-4000-8000-000000000000 >kill.said 2>&1 3>&- &
        kill=$!
        run bailey status
        [ "$status" = 0 ]
        [[ $output == *"session "*": it does not respond"* ]]
        status=0
        wait "$allow" || status=$?
        [ "$status" = 1 ]
        grep -q 'it does not respond' allow.said
        status=0
        wait "$kill" || status=$?
        [ "$status" = 1 ]
        [[ $(cat kill.said) == *"no shell with the ID '00000000-"*"; session "*": it does not respond" ]]
        ((SECONDS < 120))
        kill -CONT "${server_pid[one]}"
        # what was asked meanwhile came from processes that are gone
        [ "$(verdict_in one 'curl https://new.example/')" = blocked ]
        bailey allow new.example
        [ "$(verdict_in one 'curl https://new.example/')" = allowed ]
}

@test "a path that is too long for a socket" {
        long=$BATS_TEST_TMPDIR/$(printf 'd%.0s' {1..150})
        mkdir "$long"
        clean+=(XDG_RUNTIME_DIR="$long")
        serve one
        bailey allow new.example
        [ "$(verdict_in one 'curl https://new.example/')" = allowed ]
        [ "$(stat -c '%F %a' "$long"/bailey/*.sock)" = "socket 600" ]
        stop one
        [ -z "$(ls -A "$long/bailey")" ]
}

@test "without XDG_RUNTIME_DIR" {
        clean=(env -i HOME="$HOME" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 ASAN_OPTIONS="${ASAN_OPTIONS-}")
        serve one
        [ "$(stat -c %a "$HOME/.local/state/bailey/sessions")" = 700 ]
        bailey allow new.example
        [ "$(verdict_in one 'curl https://new.example/')" = allowed ]
        stop one
        clean=(env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=relative ASAN_OPTIONS="${ASAN_OPTIONS-}")
        run bailey status
        [ "$status" = 1 ]
        [[ $output == *"neither XDG_RUNTIME_DIR nor HOME is an absolute path"* ]]
}

@test "sockets go with their sessions, also with those that were killed" {
        serve one
        serve two
        serve three
        [ "$(count_sockets)" = 3 ]
        stop one
        [ "$(count_sockets)" = 2 ]
        bash_in two true >/dev/null # where sandboxes are made beforehand, their maker is no session, either
        kill_hard two
        [ "$(count_sockets)" = 2 ]
        bailey allow new.example # there is only one that lives
        [ "$(verdict_in three 'curl https://new.example/')" = allowed ]
        [ "$(count_sockets)" = 1 ]
        kill -TERM "${server_pid[three]}"
        until_gone "${server_pid[three]}"
        [ -z "$(ls -A "$R/bailey")" ]
        stop three
        # many that are stale, and what is no socket of ours
        perl -MSocket -e 'for (100..400) { socket(my $s, PF_UNIX, SOCK_STREAM, 0);
                bind($s, sockaddr_un("$ARGV[0]/00000000-0000-4000-8000-000000000$_.sock")) or die }' "$R/bailey"
        touch "$R/bailey/note" "$R/bailey/00000000-0000-4000-8000-000000000000.sock"
        serve four
        bailey allow new.example
        [ "$(verdict_in four 'curl https://new.example/')" = allowed ]
        [ "$(count_sockets)" -le 3 ]
}

@test "a socket that is about to be listened at is not taken for a stale one" {
        serve one
        stale=$R/bailey/00000000-0000-4000-8000-000000000001.sock
        perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un($ARGV[0])) or die' "$stale"
        exec {lock}<"$R/bailey"
        flock "$lock"
        bailey allow new.example
        [ -e "$stale" ]
        exec {lock}<&-
        bailey status
        [ ! -e "$stale" ]
}

# ---- hosts ----

@test "deny closes a host, allow opens it again, and both know lists of hosts" {
        serve one --allow-host listed.example
        [ "$(verdict_in one 'curl https://listed.example/')" = allowed ]
        [ "$(verdict_in one 'curl https://new.example/')" = blocked ]
        bailey allow new.example:8443
        [ "$(verdict_in one 'curl https://new.example:8443/')" = allowed ]
        bailey deny listed.example
        [ "$(verdict_in one 'curl https://listed.example/')" = blocked ]
        bailey allow listed.example
        [ "$(verdict_in one 'curl https://listed.example/')" = allowed ]
        bailey deny listed.example
        [ "$(verdict_in one 'curl https://listed.example/')" = blocked ]
        run bailey allow '*'
        [ "$status" = 1 ]
        [[ $output == *'needs allow_any = true'* ]]
        stop one
        serve two --allow-host listed.example --set guard.domain_denylist=listed.example
        run bailey allow listed.example
        [ "$status" = 1 ]
        [[ $output == *'listed.example is in guard.domain_denylist'* ]]
}

@test "allow and deny of hosts, saved" {
        mkdir -p "$HOME/.config/bailey"
        printf '[sandbox.network]\nkind = "packages"\n' >"$HOME/.config/bailey/config.toml"
        bailey allow --save new.example
        bailey deny --save evil.example
        bailey config show --json | jq -e '[.. | strings] | index("new.example")'
        grep -qx 'hosts = \["new.example"\]' "$HOME/.config/bailey/config.toml"
        grep -qx 'domain_allowlist = \["new.example"\]' "$HOME/.config/bailey/config.toml"
        grep -qx 'domain_denylist = \["evil.example"\]' "$HOME/.config/bailey/config.toml"
}

@test "allow and deny say what has changed, and what stands in their way" {
        serve one --allow-host listed.example --allow-host listed.example:8443
        run bailey deny listed.example:443
        [ "$status" = 1 ]
        [[ $output == *"listed.example:443 is not in sandbox.network.hosts; to deny the host with all its ports: bailey deny 'listed.example'"* ]]
        run bailey allow listed.example:9000
        [ "$status" = 0 ]
        [[ $output == *$'\n    guard.domain_allowlist: added listed.example\n    sandbox.network.hosts: added listed.example:9000' ]] # no notice
        run bailey deny listed.example:9000
        [ "$status" = 0 ]
        [[ $output == *$'ends\n    sandbox.network.hosts: removed listed.example:9000' ]]
        run bailey allow listed.example:80
        run bailey deny listed.example:80
        [ "$status" = 1 ]
        [[ $output == *"also allowed by another entry of sandbox.network.hosts"*"bailey deny 'listed.example'"* ]]
        run bailey deny listed.example
        [ "$status" = 0 ]
        [[ $output == *$'\n    guard.domain_denylist: added listed.example\n    guard.command_blocklist: added listed.example' ]]
        run bailey allow listed.example:8443
        [ "$status" = 1 ]
        [[ $output == *"listed.example:8443 is denied in this session by: bailey deny 'listed.example'. To take that back: bailey allow 'listed.example'"* ]]
        run bailey allow listed.example
        [ "$status" = 0 ]
        [[ $output == *"guard.domain_denylist: removed listed.example"*"guard.command_blocklist: removed listed.example"* ]]
        [ "$(verdict_in one 'curl https://listed.example/')" = allowed ]
        bailey deny '*.wild.example'
        run bailey allow a.wild.example
        [ "$status" = 1 ]
        [[ $output == *"bailey allow '*.wild.example'"* ]]
        [ "$(verdict_in one 'curl https://a.wild.example/')" = blocked ]
        run bailey deny --save saved.example:443
        [ "$status" = 1 ]
}
