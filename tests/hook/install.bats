#!/usr/bin/env bats
# bailey hook install, uninstall, list: what becomes of the settings files of agents. Every third case is run under sanitizers, the
# others by the release build, as they start it hundreds of times; how files are edited is in test_settings.c, under sanitizers.
# shellcheck disable=SC2030,SC2031,SC2154 # what setup() sets is for all

bats_require_minimum_version 1.5.0

IFS='|' read -ra AGENTS <<<"$("$BAILEY" __tables | jq -r '.commands[] | select(.name == "hook").options[] | select(.name == "agent").argument')"

setup() {
        if [ $((${#BATS_TEST_NAME} % 3)) != 0 ] && [ -x "${BAILEY%/asan/bailey}/bailey" ]; then BAILEY=${BAILEY%/asan/bailey}/bailey; fi
        export HOME=$BATS_TEST_TMPDIR/home
        unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME
        umask 022
        mkdir -p "$HOME" "$BATS_TEST_TMPDIR/project"
        cd "$BATS_TEST_TMPDIR/project" || exit 1
}

hook() {
        "$BAILEY" hook "$@"
}

# file AGENT: where its user's settings are
file() {
        case $1 in
        claude) echo "$HOME/.claude/settings.json" ;;
        codex) echo "$HOME/.codex/hooks.json" ;;
        gemini) echo "$HOME/.gemini/settings.json" ;;
        cursor) echo "$HOME/.cursor/hooks.json" ;;
        copilot | vscode) echo "$HOME/.copilot/hooks/bailey.json" ;;
        *) echo "file() has no row for $1" >&2 && return 1 ;;
        esac
}

# event AGENT: under which name it asks
event() {
        case $1 in
        claude | codex) echo PreToolUse ;;
        gemini) echo BeforeTool ;;
        cursor) echo beforeShellExecution ;;
        copilot | vscode) echo preToolUse ;;
        *) echo "event() has no row for $1" >&2 && return 1 ;;
        esac
}

# command_of FILE EVENT: the hooks that call bailey there
command_of() {
        jq -r --arg event "$2" '.hooks[$event] // [] | .[] | (.hooks // [.])[] | .command // .bash | select(contains("bailey"))' "$1"
}

# rich AGENT: settings as somebody may have them, with other hooks
rich() {
        local event
        event=$(event "$1")
        cat <<END
{
    "\$schema": "https://example.org/schema.json",
    "version": 1,
    "permissions": { "allow": ["Bash(ls:*)"], "deny": [] },
    "env": {"A": "it's \"quoted\" \\\\ \u00fc ü", "N": 1.50, "BIG": 1e3},
    "hooks": {
        "SessionStart": [ {"hooks": [{"type": "command", "command": "date"}]} ],
        "$event": [
            {
                "matcher": "Edit|Write", "command": "x",
                "hooks": [
                    { "type": "command", "command": "prettier --write" }
                ]
            }
        ]
    },
    "last": [1,
             2,   3]
}
END
}

@test "a command cannot write the settings of any agent" {
        [ ${#AGENTS[@]} -ge 6 ]
        hook list --json | jq -r '.[].path' >paths
        [ "$(wc -l <paths)" = $((2 * ${#AGENTS[@]})) ]
        while read -r path; do
                run -2 "$BAILEY" test "echo '{}' > '$path'"
                [[ $output == *write-startup* ]]
        done <paths
}

@test "a file that is not there: made, found, and gone or empty again" {
        for agent in "${AGENTS[@]}"; do
                file=$(file "$agent")
                run -0 hook install "$agent"
                [[ $output == *"the hook is now in $file"* ]]
                [ "$(command_of "$file" "$(event "$agent")" | wc -l)" = 1 ]
                [[ $(command_of "$file" "$(event "$agent")") == "$(realpath "$BAILEY") hook"* ]]
                [ ! -e "$file.bailey-backup" ]
                [ "$(stat -c %a "$file")" = 644 ]
                cp "$file" was
                run -0 hook install "$agent"
                [[ $output == *"the hook is already in $file"* ]]
                cmp "$file" was
                run -0 hook uninstall "$agent"
                [[ $output == *"no longer in $file"* ]]
                case $agent in
                claude | gemini) [ "$(cat "$file")" = '{}' ] ;;
                *) [ ! -e "$file" ] ;;
                esac
                run -0 hook uninstall "$agent"
                [[ $output == *"is not in $file"* ]]
                rm -f "$file" "$file.bailey-backup"
        done
}

@test "an empty file is one without settings" {
        for agent in "${AGENTS[@]}"; do
                file=$(file "$agent")
                mkdir -p "${file%/*}"
                for content in '' $'\n \n'; do
                        printf %s "$content" >"$file"
                        run -0 hook install "$agent"
                        [ -n "$(command_of "$file" "$(event "$agent")")" ]
                        printf %s "$content" | cmp - "$file.bailey-backup"
                done
                rm "$file"
        done
}

@test "a rich file: nothing is lost, and uninstall brings back every byte" {
        for agent in "${AGENTS[@]}"; do
                file=$(file "$agent")
                mkdir -p "${file%/*}"
                rich "$agent" >"$file"
                cp "$file" was
                for mode in deny wrap; do
                        run -0 hook install "$agent" --mode $mode
                        [ "$(command_of "$file" "$(event "$agent")" | wc -l)" = 1 ]
                        # all that was there is there, in its place, and only lines came
                        diff was "$file" | grep '^<' | grep -v '^< *}$' && false
                        jq -e -s --arg event "$(event "$agent")" '(.[0] | del(.hooks)) == (.[1] | del(.hooks)) and
                                .[0].hooks.SessionStart == .[1].hooks.SessionStart and
                                .[0].hooks[$event][0] == .[1].hooks[$event][0]' "$file" was
                        cp "$file" once
                        run -0 hook install "$agent" --mode $mode
                        cmp "$file" once
                done
                run -0 hook uninstall "$agent"
                cmp "$file" was
                cmp "$file.bailey-backup" once
                rm "$file"
        done
}

@test "every style of writing is kept" {
        file=$(file claude)
        mkdir -p "${file%/*}"
        for text in '{"a":1}' '{ "a": 1, "hooks": {"Stop": []} }' $'{\n\t"a": 1\n}' $'{\r\n  "a": 1\r\n}\r\n' $'\xef\xbb\xbf{\n "a": 1\n}\n' \
                $'{\n  "hooks": {\n    "PreToolUse": [{"matcher": "X", "hooks": []}]\n  }\n}' '{"hooks":{"PreToolUse":[{"hooks":[]}]}}'; do
                printf %s "$text" >"$file"
                run -0 hook install claude
                [ "$(sed '1s/^\xef\xbb\xbf//' "$file" | jq '[.hooks.PreToolUse[] | select(.matcher == "Bash|Monitor|PowerShell")] | length')" = 1 ]
                run -0 hook uninstall claude
                printf %s "$text" | cmp - "$file"
        done
}

@test "a broken file is refused, and not touched" {
        for agent in "${AGENTS[@]}"; do
                file=$(file "$agent")
                mkdir -p "${file%/*}"
                for text in '{' '{"a":1,}' '[]' 'null' '{"a":1} {' '{"hooks":[]}' "{\"hooks\":{\"$(event "$agent")\":{}}}" '{"a":1,"a":2}' \
                        $'{"a":"\xff"}' '{"hooks":null}'; do
                        printf %s "$text" >"$file"
                        run -1 hook install "$agent"
                        [[ $output == "bailey: hook: "*"$file"*" is unchanged"* ]]
                        printf %s "$text" | cmp - "$file"
                        run -1 hook uninstall "$agent"
                        printf %s "$text" | cmp - "$file"
                        [ ! -e "$file.bailey-backup" ]
                done
                [ "$(find "${file%/*}" -type f | wc -l)" = 1 ]
                rm "$file"
        done
}

@test "comments stay where the agent allows them, and are refused elsewhere" {
        mkdir -p ~/.gemini ~/.claude
        cat >~/.gemini/settings.json <<'END'
// mine
{
  "a": 1, // about a
  /* about b */ "b": [
    1 // one
  ] // end of b
  // end
}
END
        cp ~/.gemini/settings.json was
        run -0 hook install gemini
        [ "$(diff was ~/.gemini/settings.json | grep -c '^<')" = 1 ] # the line that got a comma
        run -0 hook uninstall gemini
        cmp ~/.gemini/settings.json was
        cp was ~/.claude/settings.json
        run -1 hook install claude
        cmp ~/.claude/settings.json was
}

@test "a comment up to the end of a line swallows nothing" {
        mkdir -p ~/.gemini
        printf '{\n  "theme": "x",\n  // hooks of mine\n  "hooks": {"BeforeTool": []}}\n' >~/.gemini/settings.json
        run -0 hook install gemini
        run -0 hook uninstall gemini
        [ "$(<~/.gemini/settings.json)" = $'{\n  "theme": "x"\n  // hooks of mine\n}' ]
}

@test "--dry-run shows the change, and makes none" {
        run -0 hook install codex --dry-run
        [[ $output == "$HOME/.codex/hooks.json would be created:"*'+        "matcher": "Bash"'* ]]
        [ -z "$(ls -A ~)" ]
        mkdir ~/.codex
        rich codex >~/.codex/hooks.json
        cp ~/.codex/hooks.json was
        run -0 hook install codex --dry-run
        [[ $output == *"would change:"* ]]
        [[ $output == *$'\n+ '* ]]
        cmp ~/.codex/hooks.json was
        [ "$(ls ~/.codex)" = hooks.json ]
        hook install codex
        run -0 hook uninstall codex --dry-run
        [[ $output == *$'\n- '* ]]
        run -0 hook list --json
        [ "$(jq -r '.[] | select(.agent == "codex" and .scope == "user").state' <<<"$output")" = installed ]
}

@test "owner, mode, and links are kept" {
        mkdir -p ~/.claude dotfiles
        rich claude >dotfiles/claude.json
        chmod 600 dotfiles/claude.json
        if [ "$(id -u)" = 0 ]; then chown 1234:1234 dotfiles/claude.json; fi
        was=$(stat -c '%a %u %g' dotfiles/claude.json)
        ln -s "$PWD/dotfiles/claude.json" ~/.claude/settings.json
        run -0 hook install claude
        [ -L ~/.claude/settings.json ]
        [ "$(stat -c '%a %u %g' dotfiles/claude.json)" = "$was" ]
        [ "$(stat -c '%a %u %g' dotfiles/claude.json.bailey-backup)" = "$was" ]
        [ -n "$(command_of dotfiles/claude.json PreToolUse)" ]
        run -0 hook uninstall claude
        [ -L ~/.claude/settings.json ]
        cmp <(rich claude) dotfiles/claude.json
        mkdir ~/.codex
        echo '{}' >dotfiles/codex.json
        ln -s "$PWD/dotfiles/codex.json" ~/.codex/hooks.json
        hook install codex
        hook uninstall codex # a link does not lose its file
        [ "$(cat dotfiles/codex.json)" = '{}' ]
}

@test "what is no file of ours is refused" {
        mkdir -p ~/.claude ~/.gemini/settings.json
        ln -s nowhere ~/.claude/settings.json
        run -1 hook install claude
        [[ $output == *"dangling symbolic link"* ]]
        [ -L ~/.claude/settings.json ]
        run -1 hook install gemini
        [[ $output == *"not a regular file"* ]]
        rm ~/.claude/settings.json
        mkfifo ~/.claude/settings.json
        run -1 timeout 20 "$BAILEY" hook install claude
        [[ $output == *"not a regular file"* ]]
        echo x >~/.cursor
        run -1 hook install cursor
        [ "$(cat ~/.cursor)" = x ]
        HOME=relative run -1 hook install codex
        [[ $output == *"HOME is not an absolute path"* ]]
}

@test "a file that cannot be written is left alone" {
        plain=("$BAILEY")
        if [ "$(id -u)" = 0 ]; then plain=(setpriv --bounding-set=-all --inh-caps=-all "$BAILEY"); fi # root writes everywhere
        mkdir ~/.claude
        rich claude >~/.claude/settings.json
        chmod 400 ~/.claude/settings.json
        run -1 "${plain[@]}" hook install claude
        cmp <(rich claude) ~/.claude/settings.json
        chmod 600 ~/.claude/settings.json
        chmod 500 ~/.claude
        run -1 "${plain[@]}" hook install claude
        cmp <(rich claude) ~/.claude/settings.json
        chmod 700 ~/.claude
}

@test "who holds a lock on the directory keeps nobody from changing the file" {
        mkdir -p "$HOME/.claude"
        exec 7<"$HOME/.claude"
        flock -x 7
        run "$BAILEY" hook install claude 7<&-
        echo "$output"
        [ "$status" = 0 ]
        grep -q bailey "$HOME/.claude/settings.json"
        exec 7<&-
}

@test "what the hook is told is in its command" {
        cp "$BAILEY" "$HOME/bailey it's"
        echo 'guard.allow_sudo = true' >"it's.toml"
        run -0 "$HOME/bailey it's" hook install claude --mode wrap --warned deny --approve --policy build --config "it's.toml" \
                --network inherit --write /srv --set run.timeout=60
        command=$(command_of ~/.claude/settings.json PreToolUse)
        [ "$command" = "'$HOME/bailey it'\\''s' hook --mode wrap --warned deny --approve --policy build --config '$PWD/it'\\''s.toml'\
 --set 'sandbox.network=inherit' --set 'sandbox.fs_write_allow=/srv' --set 'run.timeout=60' || exit 2" ]
        # and what is there can be called
        question='{"cwd":"'$PWD'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'
        run -0 sh -c "$command" <<<"$question"
        [[ $(jq -r .hookSpecificOutput.updatedInput.command <<<"$output") == "'$HOME/bailey it'\\''s' run --policy build"*" 'ls'" ]]
        [ "$(jq -r .hookSpecificOutput.permissionDecision <<<"$output")" = allow ]
        rm "$HOME/bailey it's"
        run -2 sh -c "$command" <<<"$question" # gone, and still not a yes
        run -0 hook install claude
        [ "$(command_of ~/.claude/settings.json PreToolUse)" = "$(realpath "$BAILEY") hook || exit 2" ]
}

@test "a program on the PATH is called by that name, which outlives it" {
        mkdir bin
        ln -s "$(realpath "$BAILEY")" bin/bailey
        PATH=$PWD/bin:$PATH run -0 "$BAILEY" hook install claude
        [ "$(command_of ~/.claude/settings.json PreToolUse)" = "$PWD/bin/bailey hook || exit 2" ]
        PATH=$PWD/bin:$PATH run -0 "$BAILEY" hook install claude --project
        [ "$(command_of .claude/settings.json PreToolUse)" = "bailey hook || exit 2" ]
        PATH=$PWD/bin:$PATH run -0 "$BAILEY" hook list --json
        [ "$(jq -r '.[] | select(.agent == "claude").state' <<<"$output")" = $'installed\ninstalled' ]
}

@test "the project's settings" {
        for agent in "${AGENTS[@]}"; do
                run -0 hook install "$agent" --project
        done
        [ "$(find . -type f | sort | tr '\n' ' ')" = \
                './.claude/settings.json ./.codex/hooks.json ./.cursor/hooks.json ./.gemini/settings.json ./.github/hooks/bailey.json ' ]
        [ -z "$(ls -A ~)" ]
        for agent in "${AGENTS[@]}"; do
                run -0 hook uninstall "$agent" --project
        done
        [ "$(find . -name '*.json' -exec cat {} +)" = $'{}\n{}' ]
}

@test "where agents are told to keep their settings" {
        CLAUDE_CONFIG_DIR=$PWD/c CODEX_HOME=$PWD/x COPILOT_HOME=$PWD/p GEMINI_CLI_HOME=$PWD/g
        export CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME
        for agent in claude codex gemini copilot; do run -0 hook install $agent; done
        [ -e c/settings.json ]
        [ -e x/hooks.json ]
        [ -e g/.gemini/settings.json ]
        [ -e p/hooks/bailey.json ]
        [ -z "$(ls -A ~)" ]
}

@test "ours among others: only ours goes" {
        mkdir ~/.claude
        cat >~/.claude/settings.json <<'END'
{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [
    {"type": "command", "command": "/opt/bailey hook --mode wrap || exit 2"},
    {"type": "command", "command": "other"},
    {"type": "command", "command": "bailey hook"}
  ]},
  {"matcher": "*", "hooks": [{"type": "command", "command": "'/a b/bailey' hook"}]},
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "bailey test x"}, {"type": "command", "command": "echo bailey hook"}]}
]}}
END
        cp ~/.claude/settings.json was
        run -0 hook install claude
        [ "$(jq -c '[.hooks.PreToolUse[].hooks[].command]' ~/.claude/settings.json)" = \
                "[\"other\",\"bailey test x\",\"echo bailey hook\",\"$(realpath "$BAILEY") hook || exit 2\"]" ]
        cp was ~/.claude/settings.json
        run -0 hook uninstall claude
        [ "$(jq -c '[.hooks.PreToolUse[].hooks[].command]' ~/.claude/settings.json)" = '["other","bailey test x","echo bailey hook"]' ]
}

@test "Cursor is asked twice when commands are wrapped" {
        hook install cursor --mode wrap
        [ "$(jq -c '.hooks | map_values(length)' ~/.cursor/hooks.json)" = '{"beforeShellExecution":1,"preToolUse":1}' ]
        jq -e '.version == 1 and (.hooks[][].failClosed)' ~/.cursor/hooks.json
        hook install cursor
        [ "$(jq -c '.hooks | map_values(length)' ~/.cursor/hooks.json)" = '{"beforeShellExecution":1}' ]
}

@test "hooks that are switched off are told of" {
        mkdir ~/.claude ~/.gemini
        echo '{"disableAllHooks": true}' >~/.claude/settings.json
        echo '{"hooksConfig": {"enabled": false}}' >~/.gemini/settings.json
        for agent in claude gemini; do
                run -0 hook install $agent
                [[ $output == *"hooks are disabled"* ]]
                run -0 hook install $agent
                [[ $output == *"hooks are disabled"* ]]
        done
        run -0 hook list --json
        [ "$(jq -r '[.[] | select(.state == "disabled").agent] | join(" ")' <<<"$output")" = 'claude gemini' ]
}

@test "list" {
        run -0 hook list
        [ "${#lines[@]}" = 12 ]
        [[ ${lines[0]} == "claude "*"user "*" - "*"$HOME/.claude/settings.json" ]]
        hook install claude
        mkdir ~/.codex ~/.gemini
        echo '{' >~/.codex/hooks.json
        echo '{"hooks":{"BeforeTool":[{"hooks":[{"command":"/gone/bailey hook"}]}]}}' >~/.gemini/settings.json
        echo '{"hooks":{"BeforeTool":[]}}' >x
        run -0 hook list --json
        [ "$(jq -r '.[:4][].state' <<<"$output")" = $'installed\nunreadable\nbroken: the program does not exist\nno file' ]
        [ "$(jq -r '.[2].command' <<<"$output")" = '/gone/bailey hook' ]
        run -0 hook list
        [[ $output == *"$(realpath "$BAILEY") hook || exit 2"* ]]
}

@test "Codex wants its hooks trusted, and that is said" {
        run -0 hook install codex
        [[ $output == *"/hooks"* ]]
        run -0 hook install claude --mode wrap
        [[ $output == *'see "bailey run ..."'* ]]
}

@test "many at once lose nothing" {
        mkdir ~/.claude
        rich claude >~/.claude/settings.json
        for i in 1 2 3 4 5 6; do
                hook install claude --set run.timeout="$i" >"$i.out" &
                hook uninstall claude >"$i.out" &
        done
        wait
        hook uninstall claude
        cmp <(rich claude) ~/.claude/settings.json
        [ "$(find ~/.claude -type f | wc -l)" = 2 ]
}

@test "usage error" {
        run -2 hook install
        run -2 hook install claude codex
        run -2 hook install clade
        [[ $output == *"expected claude|codex|"* ]]
        run -2 hook install --agent claude claude
        run -2 hook uninstall claude --mode wrap
        run -2 hook install claude --mode warp
        run -2 hook install claude --approve
        [[ $output == *"--approve requires --mode wrap"* ]]
        run -2 hook install claude --config none.toml
        run -2 hook list --project
        [ -z "$(ls -A ~)" ]
}
