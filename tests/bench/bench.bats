#!/usr/bin/env bats
# The bench itself: that it measures, and says what it has measured. How fast anything is, is no question here, but for the hook.

setup() {
        bench=$(dirname "$BAILEY")/bench/bench
        cd "$BATS_TEST_TMPDIR" || exit 1
}

# fake NAME: makes a program of what comes on stdin, and prints its path
fake() {
        mkdir -p bin
        { echo '#!/bin/sh' && cat; } >"bin/$1"
        chmod 755 "bin/$1"
        echo "$PWD/bin/$1"
}

# slow: a bailey that cannot be as fast as true
slow() {
        fake slow <<<'sleep 1'
}

@test "every row of bailey's own is measured, and is finite" {
        if ! "$BAILEY" run true >/dev/null 2>&1; then skip 'bailey run does not work here'; fi
        "$bench" --json --quick --runs 2 --pause 0 --rows mcp,cold,start,hook,guard,worst,capture,shells,age,memory,net >out.json
        jq -e '.machine | length > 0' out.json
        # The whole machine's memory may get less meanwhile; and the sandbox alone have no goal.
        jq -e '[.rows[] | select(.skipped | not)] |
                all((.value > 0 or .name == "memory-waiting") and .value < 1e9 and .n > 0)' out.json
        jq -e '[.rows[] | select((.skipped or (.name | contains("-sandbox"))) | not)] |
                all((.ok | type == "boolean") and .goal > 0 and (.goal_is == "at most" or .goal_is == "at least"))' out.json
        jq -e '.rows | map(select(.unit == "x")) | length >= 5 and all(.median_us > 0 and .against_us > 0 and .p95 > 0 and .against != "")' \
                out.json
        jq -e '.rows | map(select(.skipped)) | all(.note != "")' out.json
        for row in mcp-latency mcp-throughput cold-user start-version hook-answer guard-median guard-p99 guard-parse guard-worst \
                capture-flood shells-start shells-rss shells-kill age-calls memory-waiting net-cold; do
                jq -e --arg row "$row" '.rows | any(.name == $row)' out.json || { echo "no row $row"; false; }
        done
}

# The time of the processor, not of the clock: how much else the machine has to do matters little to that.
@test "a hook's answer takes the processor less than 10 ms" {
        release=$BATS_TEST_DIRNAME/../../build/bailey
        if [ ! -x "$release" ]; then skip "no release build"; fi
        HOME=$PWD python3 - "$release" <<'END'
import json, os, subprocess, sys
question = json.dumps({"cwd": os.getcwd(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
                       "tool_input": {"command": "cd src && make -j4 2>&1 | tail -n 20"}}).encode()
taken = []
for _ in range(50):
    hook = subprocess.Popen([sys.argv[1], "hook"], stdin=subprocess.PIPE)
    hook.stdin.write(question)
    hook.stdin.close()
    _, status, usage = os.wait4(hook.pid, 0)
    hook.returncode = status
    assert status == 0, status
    taken.append(usage.ru_utime + usage.ru_stime)
median = sorted(taken)[len(taken) // 2]
print("%.1f ms" % (median * 1e3))
assert median < 0.010, taken
END
}

@test "the texts of a file are judged" {
        printf '{"command": "%s"}\n' 'ls -l' 'rm -rf /' 'make -j4 && make test' >texts.jsonl
        "$bench" --json --quick --rows guard --texts texts.jsonl >out.json
        jq -e '.rows[] | select(.name == "guard-median") | .n == 3 and .unit == "us"' out.json
        echo '{"no": "command"}' >texts.jsonl
        run "$bench" --quick --rows guard --texts texts.jsonl
        [ "$status" = 1 ]
        [[ $output == *'no line has a "command"'* ]]
}

@test "a missed goal is told, and is an error only when asked" {
        run "$bench" --rows start --runs 1 --bailey "$(slow)"
        [ "$status" = 0 ]
        [[ $output == *'bailey --version'*'<= 1.5x FAIL'*true* ]]
        run "$bench" --rows start --runs 1 --check --json --bailey "$(slow)"
        [ "$status" = 3 ]
        jq -e '.rows[0] | .ok == false and .value > 1.5 and .n == 1' <<<"$output"
}

@test "the table goes into a document, and nothing else of it changes" {
        built=$(fake bailey <<<'exit 0')
        printf 'before\n<!-- the table begins -->\nold\n<!-- the table ends -->\nbehind\n' >doc.md
        "$bench" --rows start --runs 1 --bailey "$built" --doc doc.md
        [ "$(head -n 2 doc.md)" = $'before\n<!-- the table begins -->' ]
        [ "$(tail -n 2 doc.md)" = $'<!-- the table ends -->\nbehind' ]
        if grep -q old doc.md; then false; fi
        grep -q '^| bailey --version | true | \*\*' doc.md
        echo nothing >doc.md
        run "$bench" --rows start --runs 1 --bailey "$built" --doc doc.md
        [ "$status" = 1 ]
        [ "$(cat doc.md)" = nothing ]
}

@test "peers that are installed join; one that does not work says why" {
        for tool in bash true head; do ln -sf "$(command -v "$tool")" "$(dirname "$(fake nsjail <<<'echo hi')")/$tool"; done
        fake firejail <<<'echo "no luck" >&2; exit 1' >/dev/null
        PATH=$PWD/bin run "$bench" --json --quick --runs 2 --rows peers --bailey "$(fake bailey <<<'exit 0')"
        [ "$status" = 0 ]
        jq -e '[.rows[].name] == ["peers-firejail", "peers-nsjail"]' <<<"$output"
        jq -e '.rows[0] | .skipped and (.note | endswith("no luck"))' <<<"$output"
        jq -e '.rows[1] | .value > 0 and .ok == null and .goal == null and .n == 2' <<<"$output"
}

@test "what cannot be measured is an error" {
        run "$bench" --quick --rows start --bailey "$(fake broken <<<'exit 4')"
        [ "$status" = 1 ]
        [[ $output == *'broken failed while it was measured: status 4'* ]]
        run "$bench" --quick --rows mcp --bailey "$(fake mute <<<'exit 0')"
        [ "$status" = 1 ]
        [[ $output == *'the server does not'* ]]
}

@test "asked in the wrong way" {
        run "$bench" --rows start,nothing
        [ "$status" = 2 ]
        [[ $output == *'nothing is no group'* ]]
        run "$bench" --runs 0
        [ "$status" = 2 ]
        run "$bench" --runs 1x
        [ "$status" = 2 ]
        run "$bench" more
        [ "$status" = 2 ]
        run "$bench" --help
        [ "$status" = 0 ]
        [[ $output == usage:* ]]
}
