#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets $stderr
# bailey import: files of each format with what becomes of them (BAILEY_UPDATE=1 writes it), and that it denies what they denied.

bats_require_minimum_version 1.5.0

setup() {
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME
        umask 022
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
        cd "$BATS_TEST_TMPDIR/work" || exit 1
        config=$HOME/.config/bailey/config.toml
}

# golden NAME: the file import/NAME.json or .toml, whose format is the first word of its name.
golden() {
        local input expected=$BATS_TEST_DIRNAME/import/$1.expected
        input=$(echo "$BATS_TEST_DIRNAME/import/$1".[jt]*)
        cp "$input" .
        {
                "$BAILEY" import "${1%%_*}" "${input##*/}" 2>err && echo "# exit 0" || echo "# exit $?"
                sed 's/^bailey: import: //' err
        } | sed -e "s|$HOME|~|g" -e "s|$PWD/||g" >actual
        if [ -n "${BAILEY_UPDATE:-}" ]; then
                cp actual "$expected"
        fi
        diff "$expected" actual
        "$BAILEY" import "${1%%_*}" "${input##*/}" >"$1.config.toml" 2>/dev/null || [ $? = 1 ]
        "$BAILEY" config check "$1.config.toml"
        "$BAILEY" import --json "${1%%_*}" "${input##*/}" 2>/dev/null >json || [ $? = 1 ]
        [ "$(jq '.values | length' json)" = "$(sed '/^# exit/q' actual | grep -c ' # .*: ')" ]
}

# verdict NAME POLICY: what `bailey test` says of each line of standard input, which begins with what is expected.
verdict() {
        local wanted command failed=0
        "$BAILEY" import "${1%%_*}" "$(echo "$BATS_TEST_DIRNAME/import/$1".[jt]*)" >config.toml 2>/dev/null || [ $? = 1 ]
        while read -r wanted command; do
                run "$BAILEY" test --config config.toml "$command"
                [ "$wanted" = "${lines[0]%% *}" ] || { echo "$command: ${lines[0]}, not $wanted" && failed=1; }
        done
        return $failed
}

@test "claude: the settings of the documentation, and others" {
        golden claude
        verdict claude <<'EOF'
blocked curl https://github.com
blocked ls && curl -s https://github.com
blocked bash -c 'curl https://github.com'
blocked git checkout main
blocked git -C . merge --no-ff main
blocked time ls
blocked npm run test
blocked npm run test:unit
blocked rm x -rf y
blocked ./deploy.sh now
blocked FOO=1 make
blocked git commit -m "x"
blocked wget https://evil.example/
blocked wget https://npmjs.org/
warned git push origin topic
warned npm publish --dry-run
warned kubectl delete x --force
allowed npm run build
allowed git checkout topic
EOF
}

@test "claude: dontAsk allows what is listed, and nothing else" {
        golden claude_dont_ask
        verdict claude_dont_ask <<'EOF'
allowed ls -l
allowed npm run test x
blocked npm run test:e2e x
blocked git status
blocked make
EOF
}

@test "claude: without a file, those of the system, the user and the project" {
        mkdir -p ~/.claude .claude
        echo '{"permissions": {"deny": ["Bash(aa:*)", "Read(/x)"]}}' >~/.claude/settings.json
        echo '{"permissions": {"deny": ["Bash(bb:*)", "Read(/y)"]}}' >.claude/settings.json
        echo '{"permissions": {"deny": ["Bash(cc:*)"]}}' >.claude/settings.local.json
        run --separate-stderr "$BAILEY" import claude
        [ "$status" = 0 ]
        [ "${lines[0]}" = "# from $HOME/.claude/settings.json" ]
        [ "${lines[1]}" = "# from $PWD/.claude/settings.json" ]
        [ "${lines[2]}" = "# from $PWD/.claude/settings.local.json" ]
        [[ $output == *'"aa", # '*'"bb", # '*'"cc", # '* ]]
        [[ $output == *"\"$HOME/.claude/?\""* ]] # /x of the user's file
        [ "$(grep -c '"?"' <<<"$output")" = 1 ]  # /y, and the same for /x, of the workspace
}

@test "claude: what a project's author wrote is not applied unless it is named" {
        mkdir -p ~/.claude .claude
        echo '{"permissions": {"deny": ["Bash(aa:*)"]}}' >~/.claude/settings.json
        echo '{"sandbox": {"network": {"allowedDomains": ["evil.example"]}}}' >.claude/settings.json
        "$BAILEY" import claude --apply
        grep -q aa "$config"
        run ! grep -q evil "$config"
        "$BAILEY" import claude .claude/settings.json --apply
        grep -q evil "$config"
}

@test "srt: the complete example; a file that allows nothing" {
        golden srt
        golden srt_closed
        verdict srt <<'EOF'
blocked wget https://malicious.com/
allowed wget https://lfs.github.com/x
EOF
}

@test "codex: sandbox modes, profiles, requirements" {
        golden codex
        golden codex_read_only
        golden codex_profile
        golden codex_requirements
        verdict codex_requirements <<'EOF'
blocked rm x
warned git push
warned git commit -m x
allowed git status
blocked wget https://evil.example/
EOF
}

@test "codex: rules that are programs are not lost in silence" {
        mkdir -p ~/.codex/rules
        echo 'sandbox_mode = "workspace-write"' >~/.codex/config.toml
        echo 'prefix_rule(pattern = ["rm"], decision = "forbidden")' >~/.codex/rules/default.rules
        run --separate-stderr "$BAILEY" import codex
        [ "$status" = 1 ]
        [[ $stderr == *"skipped, although it denies something: $HOME/.codex/rules/default.rules:"*Starlark* ]]
}

@test "gemini: settings and policies" {
        golden gemini
        golden gemini_core
        golden gemini_policy
        verdict gemini_policy <<'EOF'
warned git status
blocked rm -rf x
blocked curl -s http://bad.example/
EOF
        verdict gemini_core <<'EOF'
allowed ls -l x
allowed git status
blocked ls x
blocked make
EOF
}

@test "cursor: closed and open" {
        golden cursor
        golden cursor_open
        verdict cursor_open <<'EOF'
blocked wget https://evil.example/
allowed wget https://other.example/
EOF
}

@test "fence: the example of its documentation; an open one" {
        golden fence
        golden fence_open
        verdict fence <<'EOF'
blocked git push
blocked git push origin docs
blocked npm publish
blocked dd if=x of=y
blocked docker run -v /:/mnt x
blocked wget https://evil.com/
allowed git status
EOF
}

@test "what is imported denies in the sandbox, too, whether it exists or not" {
        mkdir -p secrets
        echo hidden >secrets/key
        echo '{"permissions": {"deny": ["Read(./secrets/**)", "Edit(/docs/**)", "Read(./absent)"]}}' >settings.json
        "$BAILEY" import claude settings.json >config.toml
        run "$BAILEY" run --config config.toml -- cat secrets/key
        [ "$status" = 1 ]
        [[ $output != *hidden* ]]
        mkdir docs
        run "$BAILEY" run --config config.toml -- touch docs/x
        [ "$status" = 1 ]
        [ ! -e docs/x ]
        "$BAILEY" run --config config.toml -- touch other
}

@test "apply: adds what is missing, keeps the rest, twice is once" {
        mkdir -p "${config%/*}"
        printf '# mine\n[guard]\nask = ["make"] # always\n\n[sandbox.network]\nkind = "packages"\n' >"$config"
        cp "$BATS_TEST_DIRNAME/import/claude.json" s.json
        run --separate-stderr "$BAILEY" import claude s.json --apply
        [ "$status" = 1 ]
        [ "${lines[0]}" = "$config changed; running sessions are not affected. It now has:" ]
        [[ $stderr == *'skipped, although it denies something: '*': sandbox.network.allowedDomains[0] = github.com: '*'has another value of sandbox.network.kind'* ]]
        grep -q '^# mine$' "$config"
        grep -q '^ask = \[.*"git push".*"make"\] # always$' "$config"
        grep -q 'severity = "warn"' "$config"
        grep -q '^GREETING = "say \\"hello\\""$' "$config"
        "$BAILEY" config check "$config"
        run "$BAILEY" test 'kubectl delete x --force'
        [ "${lines[0]}" = warned ]
        cp "$config" before.toml
        run --separate-stderr "$BAILEY" import claude s.json --apply
        [ "${lines[0]}" = "your config file was not changed. It already has:" ]
        cmp before.toml "$config"
}

@test "apply: a JSON config, and none yet" {
        mkdir -p "${config%/*}"
        echo '{"guard": {"commandBlocklist": ["x"]}}' >"${config%toml}json"
        "$BAILEY" import fence "$BATS_TEST_DIRNAME/import/fence.json" --apply || [ $? = 1 ]
        jq -e '.guard.commandBlocklist | index("git push")' "${config%toml}json"
        jq -e '.sandbox.network.kind == "allow_hosts"' "${config%toml}json"
        rm "${config%toml}json"
        "$BAILEY" import fence "$BATS_TEST_DIRNAME/import/fence.json" --apply || [ $? = 1 ]
        "$BAILEY" config check "$config"
}

@test "usage errors, files that are none" {
        run "$BAILEY" import
        [ "$status" = 2 ]
        run "$BAILEY" import vim
        [ "$status" = 2 ]
        run "$BAILEY" import srt
        [ "$status" = 2 ]
        [ "$output" = "bailey: import: found no settings of Sandbox Runtime; name the file" ]
        echo '{"a": }' >bad.json
        run "$BAILEY" import claude bad.json
        [ "$status" = 2 ]
        [[ $output == "bailey: import: $PWD/bad.json:1:7: "* ]]
        run "$BAILEY" import claude absent.json
        [ "$status" = 2 ]
        [ "$output" = "bailey: import: absent.json: No such file or directory" ]
        echo '[]' >bad.json
        run "$BAILEY" import claude bad.json
        [ "$status" = 2 ]
}
