#!/usr/bin/env bats
# Suites that tests/run starts neither read nor change what is the user's: each has a home of its own. The user here has a home
# in which everything is wrong, so that whoever reads it fails.
# shellcheck disable=SC2016 # suites are given as text

bats_require_minimum_version 1.5.0

setup() {
        root=$BATS_TEST_DIRNAME/../..
        cd "$BATS_TEST_TMPDIR" || exit 1
        user=$PWD/user
        theirs=(env -u BAILEY_MUST_WORK -u BAILEY_TEST_AGAIN -u TEST_ONLY HOME="$user" XDG_CONFIG_HOME="$user/xdg/config"
                XDG_STATE_HOME="$user/xdg/state" XDG_CACHE_HOME="$user/xdg/cache" XDG_DATA_HOME="$user/xdg/data"
                XDG_RUNTIME_DIR="$user/xdg/run" BAILEY_SANDBOX=nonesuch BAILEY_GUARD_BYPASS=1 BAILEY_ALLOW_NO_SANDBOX=1
                GIT_CONFIG_GLOBAL="$user/.gitconfig" GIT_DIR="$user/nowhere.git" SSH_AUTH_SOCK="$user/agent"
                CLAUDE_CONFIG_DIR="$user/.claude" DOCKER_HOST="unix://$user/docker.sock" SOME_SECRET=geheimnis)
        poison
}

# poison: configs, lists of trusted files and git configs that nobody can read without an error, records, and sessions
poison() {
        local config state

        mkdir -p "$user"/xdg/{cache,data} "$user/.claude" "$user/xdg/run/bailey" "$user/.local/state/bailey/sessions"
        chmod 700 "$user/xdg/run" "$user/xdg/run/bailey"
        for config in "$user/.config" "$user/xdg/config"; do
                mkdir -p "$config/bailey" "$config/git"
                echo 'this is [ no TOML' >"$config/bailey/config.toml"
                echo '[broken' >"$config/git/config"
        done
        for state in "$user/.local/state" "$user/xdg/state"; do
                mkdir -p "$state/bailey/runs"
                echo 'no such trust' >"$state/bailey/trust"
                echo 'no record' >"$state/bailey/audit.jsonl"
        done
        echo '[broken' >"$user/.gitconfig"
        : >"$user/xdg/run/bailey/1.sock"
        : >"$user/.local/state/bailey/sessions/1.sock"
        # on file systems that keep the time of reading, one that is older than the last change is set anew by whoever reads
        find "$user" -type f -exec touch -a -d '3 days ago' {} +
}

# seen: all that can be told of the user's files without reading them, and when they were read
seen() {
        find "$user" \( -type f -printf '%P %m %i %s %T@ %A@\n' -o -printf '%P %y %m %i %T@\n' \) | sort
}

# suite NAME: makes a suite of what comes on stdin, and prints its path
suite() {
        { echo '#!/bin/bash' && cat; } >"$1.sh"
        chmod +x "$1.sh"
        echo "$PWD/$1.sh"
}

# passes SUITE...: started by that user, and nothing of theirs was touched
passes() {
        seen >before
        run "${theirs[@]}" "$root/tests/run" "$@"
        echo "$output"
        seen >after
        diff before after
        [ "$status" = 0 ]
}

@test "what is in that home makes bailey and git fail" {
        for variables in "HOME=$user" "HOME=$PWD XDG_CONFIG_HOME=$user/xdg/config"; do
                # shellcheck disable=SC2086 # words
                run env -i PATH="$PATH" ASAN_OPTIONS="${ASAN_OPTIONS-}" $variables "$BAILEY" test true
                [ "$status" != 0 ]
                [[ $output == *"$user"*config.toml* ]]
                # shellcheck disable=SC2086 # words
                run env -i PATH="$PATH" $variables git config --global --list
                [ "$status" != 0 ]
        done
        seen >before
        cat "$user/.gitconfig" "$user/xdg/state/bailey/trust" >/dev/null
        touch "$user/.local/state/bailey/new"
        run -1 diff before <(seen)
        [[ $output == *.local/state/bailey/new* ]]
}

@test "a suite has directories of its own, and they are gone afterwards" {
        a=$(suite a <<'END'
echo 1..2
for variable in HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR; do
        test -d "${!variable}" && test -O "${!variable}" && test -z "$(find "${!variable}" -type f)" || echo not ok
        echo "${!variable}" >>"$0.directories"
        mkdir "${!variable}/closed"
        touch "${!variable}/closed/file"
        chmod 000 "${!variable}/closed"
done
echo ok 1
test "$(stat -c %a "$XDG_RUNTIME_DIR")" = 700 || printf 'not '
echo ok 2
END
        )
        passes "$a"
        [ "$(wc -l <"$a.directories")" = 6 ]
        while read -r directory; do
                [[ $directory != "$user"* ]]
                [ ! -e "$directory" ]
        done <"$a.directories"
}

@test "no two suites have the same home" {
        a=$(suite a <<<'echo 1..1; echo "$HOME" >>"${0%/*}/homes"; touch "$HOME/file" && echo ok 1')
        b=$(suite b <<<'echo 1..1; echo "$HOME" >>"${0%/*}/homes"; touch "$HOME/file" && echo ok 1')
        passes "$a" "$b"
        [ "$(sort -u homes | wc -l)" = 2 ]
}

@test "of the environment, a suite gets what is for tests" {
        a=$(suite a <<<'echo 1..1; env >"$0.environment"; echo ok 1')
        theirs+=(TEST_ONLY=x CRASH_ROUNDS=3 BAILEY_UPDATE=0 LC_ALL=C.UTF-8)
        passes "$a"
        for line in TEST_ONLY=x CRASH_ROUNDS=3 BAILEY_UPDATE=0 LC_ALL=C.UTF-8 "BAILEY=$BAILEY"; do
                grep -qxF "$line" "$a.environment"
        done
        run -1 grep -F -e "$user" -e geheimnis -e BAILEY_SANDBOX -e BAILEY_GUARD_BYPASS -e BAILEY_ALLOW "$a.environment"
}

@test "bailey and git in a suite know nothing of that user" {
        a=$(suite a <<'END'
echo 1..4
mkdir "$HOME/work" && cd "$HOME/work" || exit
"$BAILEY" test true >/dev/null || printf 'not '
echo ok 1 - its config is not read
"$BAILEY" run --json 'echo ran' | grep -q '"output": *"ran' || printf 'not '
echo ok 2 - a command runs
test "$("$BAILEY" status --json | jq '.sessions | length')" = 0 || printf 'not '
echo ok 3 - its sessions are not seen
git init -q . && git config --global user.name x || printf 'not '
echo ok 4 - git has a config of its own
END
        )
        passes "$a"
}

@test "suites that the repository has, started by that user" {
        passes tests/cli/nested.bats tests/cli/trust.bats tests/cli/help.bats tests/protect/test_survey.c tests/hook/fails.bats
}
