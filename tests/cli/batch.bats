#!/usr/bin/env bats
# bailey batch: each job has exactly one result, whatever happens meanwhile.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # commands are for bailey; what setup() sets is for all

# shellcheck source=tests/cli/run_helper.bash
load run_helper

# results EXPRESSION [FILE]: a Python expression of `r`, the results by line, and `every`, the results in their order
results() {
        python3 -c '
import json, sys
every = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
r = {one["line"]: one for one in every}
assert len(r) == len(every), "two results of one job"
print(eval(sys.argv[1]))' "$1" "${2-r.jsonl}"
}

# results_there: how many lines there are yet
results_there() {
        if [ -e r.jsonl ]; then wc -l <r.jsonl; else echo 0; fi
}

@test "a result for each job, and what it holds" {
        cat >j.jsonl <<'END'
{"id":"a","command":"echo out; echo err >&2; exit 3","group":"g","description":"why"}
{"id":7,"argv":["printf","%s|","$HOME","b c"]}

{"command":"echo $NAME; pwd","env":{"NAME":"a \"value\"\n"},"cwd":"sub"}
{"command":"rm -rf /"}
{"command":"sleep 60","timeout":0.2}
{"argv":["no-such-program"]}
END
        mkdir sub
        run bailey batch j.jsonl -o r.jsonl
        echo "$output"
        [ "$status" = 0 ]
        [ -z "$output" ]
        [ "$(results 'sorted(r)')" = '[1, 2, 4, 5, 6, 7]' ]
        [ "$(results '[r[1][key] for key in ("id", "group", "attempt", "infra", "end", "exit_code", "output")]')" = \
                "['a', 'g', 1, False, 'exited', 3, 'out\\nerr\\n']" ]
        [ "$(results 'r[1]["node"]')" = "$(uname -n)" ]
        [ "$(results 'r[2]["id"], r[2]["output"]')" = "('7', '\$HOME|b c|')" ]
        [ "$(results 'r[4]["output"]')" = 'a "value"
'"$W/sub" ]
        [ "$(results 'r[5]["end"], r[5]["exit_code"], r[5]["verdict"]["action"]')" = "('refused', 126, 'blocked')" ]
        [ "$(results 'r[6]["end"], r[6]["timed_out"], r[6]["infra"]')" = "('timed_out', True, False)" ]
        [ "$(results 'r[7]["end"], r[7]["exit_code"]')" = "('not_found', 127)" ]
}

@test "a line that is no job has a result that says why" {
        cat >j.jsonl <<'END'
{"command":1}
{"comand":"true"}
{"command":"true","argv":["true"]}
{"id":"nothing"}
[]
{"command":"true","workspace":"/no/such"}
{"command":"true","workspace":"/etc/passwd"}
{"command":"true","cwd":"nowhere"}
{"command":"true","cwd":"/usr"}
{"command":"true","env":{"A=B":"c"}}
{"command":"true","timeout":-1}
{"command":"true","retry":"often"}
{"command":"true","policy":"none-such"}
{"command":"a\u0000b"}
not JSON
{"command":"echo fine"}
END
        run bailey batch j.jsonl -o r.jsonl
        echo "$output"
        [ "$status" = 2 ]
        [[ $output == *"15 lines of j.jsonl are wrong, and did not run; their results say why"* ]]
        [ "$(results '{one["end"] for one in every if one["line"] < 16}')" = "{'invalid'}" ]
        [ "$(results 'any(one["infra"] for one in every), r[16]["output"]')" = "(False, 'fine\\n')" ]
        [ "$(results 'r[1]["message"]')" = 'command: expected a string, found an integer' ]
        [[ $(results 'r[2]["message"]') == 'unknown key "comand"; valid keys: id, command, argv, '* ]]
        [ "$(results 'r[3]["message"]')" = 'expected either command or argv, found both' ]
        [ "$(results 'r[6]["message"]')" = 'workspace: /no/such: No such file or directory' ]
        [ "$(results 'r[9]["message"]')" = "cwd: /usr is not in the workspace $W" ]
        [[ $(results 'r[13]["message"]') == *none-such* ]]
}

@test "started again, it runs what has no result yet, and nothing twice" {
        for i in 1 2 3 4 5 6; do echo "{\"command\":\"echo $i >>ran\"}"; done >j.jsonl
        head -n 3 j.jsonl >some.jsonl
        bailey batch some.jsonl -o r.jsonl
        head -c 40 r.jsonl >torn # as a killed writer leaves it
        cat torn >>r.jsonl
        run bailey batch j.jsonl -o r.jsonl
        echo "$output"
        [ "$status" = 0 ]
        [ "$(sort ran | tr '\n' ' ')" = '1 2 3 4 5 6 ' ]
        [ "$(results 'sorted(r)')" = '[1, 2, 3, 4, 5, 6]' ]
        run bailey batch j.jsonl -o r.jsonl
        [ "$status" = 0 ]
        [ "$(wc -l <ran)" = 6 ]
}

@test "a file of something else is left as it is" {
        echo '{"command":"touch one"}' >j.jsonl
        for text in precious '{"lines":1}' $'first\nsecond' '{'$'\n'; do
                printf %s "$text" >r.jsonl
                cp r.jsonl before
                run bailey batch j.jsonl -o r.jsonl
                echo "$output"
                [ "$status" = 1 ]
                [[ $output == *"a result of bailey batch"* ]]
                cmp r.jsonl before
        done
        [ ! -e one ]
}

@test "another file of jobs, or of results, is refused before anything runs" {
        printf '{"command":"touch one"}\n{"command":"touch two"}\n' >j.jsonl
        bailey batch j.jsonl -o r.jsonl
        cp r.jsonl before
        printf '{"command":"touch one"}\n{"command":"touch three"}\n{"command":"touch four"}\n' >j.jsonl
        run bailey batch j.jsonl -o r.jsonl
        [ "$status" = 1 ]
        [[ $output == "bailey: batch: j.jsonl: line 2 has changed since its result was written to r.jsonl; to run this batch, write to another file" ]]
        [ ! -e four ]
        cmp r.jsonl before
        echo '{"command":"touch one"}' >j.jsonl
        run bailey batch j.jsonl -o r.jsonl
        [ "$status" = 1 ]
        [[ $output == *"j.jsonl has 1 jobs, but r.jsonl has 2 results"* ]]
        printf 'my own notes\n' >notes
        run bailey batch j.jsonl -o notes
        [ "$status" = 1 ]
        [[ $output == *"notes:1: not a result of bailey batch"* ]]
        [ "$(cat notes)" = 'my own notes' ]
        cat before before >twice
        run bailey batch j.jsonl -o twice
        [ "$status" = 1 ]
        [[ $output == *"twice:3: a second result of line "* ]]
}

@test "killed at any moment, it goes on, and each job has one result" {
        for ((i = 0; i < 60; i++)); do echo "{\"id\":$i,\"command\":\"echo $i\"}"; done >j.jsonl
        for round in 0 1 2 3 4 5 6 7; do
                count=$(($(results_there) + 5))
                "${clean[@]}" "$BAILEY" batch j.jsonl -o r.jsonl &
                pid=$!
                for ((try = 0; try < 2000; try++)); do
                        [ "$(results_there)" -lt "$count" ] || break
                        kill -0 "$pid" 2>/dev/null || break
                        sleep 0.01
                done
                kill -9 "$pid" 2>/dev/null || true
                wait "$pid" || true
        done
        run bailey batch j.jsonl -o r.jsonl
        echo "$output"
        [ "$status" = 0 ]
        [ "$(results 'len(every), all(r[n]["output"] == f"{n - 1}\n" for n in range(1, 61))')" = '(60, True)' ]
}

@test "two batches do not write to one file" {
        mkfifo jobs
        exec 5<>./jobs # which does not wait for a reader
        bailey batch jobs -o r.jsonl 5>&- &
        echo '{"command":"true"}' >&5
        eventually test -s r.jsonl
        echo '{"command":"true"}' >j.jsonl
        run bailey batch j.jsonl -o r.jsonl
        exec 5>&-
        wait $!
        [ "$status" = 1 ]
        [[ $output == *"r.jsonl: in use by another bailey batch"* ]]
}

@test "jobs come and results go while it runs" {
        mkfifo jobs
        exec 5<>./jobs
        bailey batch jobs >r.jsonl 5>&- &
        for i in 1 2 3; do
                printf '{"command":"ec' >&5
                printf 'ho %s"}\n' "$i" >&5
                eventually grep -q "\"output\":\"$i.n\"" r.jsonl
        done
        printf '{"command":"echo last"}' >&5 # without a newline
        exec 5>&-
        wait $!
        [ "$(results '[one["output"] for one in every]')" = "['1\\n', '2\\n', '3\\n', 'last\\n']" ]
}

@test "the order of jobs, if that is wanted" {
        {
                echo '{"command":"until [ -e go ]; do sleep 0.05; done; echo 1"}'
                echo
                for i in 2 3 4 5; do echo "{\"command\":\"echo $i; [ $i != 5 ] || touch go\"}"; done
        } >j.jsonl
        bailey batch --keep-order --jobs 2 j.jsonl >r.jsonl
        [ "$(results '[one["output"] for one in every]')" = "['1\\n', '2\\n', '3\\n', '4\\n', '5\\n']" ]
        rm go
        bailey batch --jobs 2 j.jsonl >r.jsonl
        [ "$(results 'every[-1]["line"]')" = 1 ]
}

@test "a workspace is for one job at a time, unless its jobs share it" {
        mkdir "$PWD/../a" "$PWD/../b"
        alone='mkdir busy || exit 9; sleep 0.1; rmdir busy'
        for dir in a b a a b b/../a; do echo "{\"command\":\"$alone\",\"workspace\":\"$PWD/../$dir\"}"; done >j.jsonl
        bailey batch --jobs 6 j.jsonl >r.jsonl
        [ "$(results '{one["exit_code"] for one in every}')" = '{0}' ]
        meet='touch $ID; until [ -e one ] && [ -e two ]; do sleep 0.05; done'
        for id in one two; do echo "{\"command\":\"$meet\",\"workspace\":\"$PWD/../a\",\"shared\":true,\"env\":{\"ID\":\"$id\"},\"timeout\":120}"; done >j.jsonl
        bailey batch --jobs 2 j.jsonl >r.jsonl
        [ "$(results '{one["exit_code"] for one in every}')" = '{0}' ]
}

@test "jobs know nothing of each other" {
        printf '%s\n' '{"command":"echo x >/tmp/x; export X=1; cd sub"}' '{"command":"[ ! -e /tmp/x ] || echo there; echo $X; pwd"}' >j.jsonl
        mkdir sub
        bailey batch --jobs 1 j.jsonl >r.jsonl
        [ "$(results 'r[2]["output"]')" = "
$W" ]
}

@test "more places than are kept" {
        for ((i = 0; i < 40; i++)); do
                mkdir "d$i"
                echo "{\"command\":\"pwd >here\",\"workspace\":\"d$i\"}"
        done >j.jsonl
        bailey batch --jobs 3 j.jsonl >r.jsonl
        for ((i = 0; i < 40; i++)); do [ "$(cat "d$i/here")" = "$W/d$i" ]; done
}

@test "a group does not keep others waiting" {
        for ((i = 0; i < 8; i++)); do echo '{"command":"until [ -e go ]; do sleep 0.05; done","group":"slow","timeout":120}'; done >j.jsonl
        echo '{"command":"touch go","group":"other"}' >>j.jsonl
        bailey batch --jobs 2 j.jsonl >r.jsonl
        [ "$(results '{one["exit_code"] for one in every}')" = '{0}' ]
}

@test "a fault of the machine is tried again, and said to be one" {
        echo '{"command":"true","retry":1}' >j.jsonl
        run bailey batch --backend podman --set container.image=localhost/none:none j.jsonl -o r.jsonl
        echo "$output"
        [ "$status" = 1 ]
        [[ $output == *"1 jobs did not run through a fault of this machine"* ]]
        [ "$(results 'r[1]["infra"], r[1]["end"], r[1]["attempt"]')" = "(True, 'failed', 2)" ]
}

@test "a job that asks for what cannot be is at fault itself" {
        printf '%s\n' '{"command":"true","workspace":"/"}' '{"command":"true","workspace":"/tmp"}' >j.jsonl
        run bailey batch j.jsonl -o r.jsonl
        [ "$status" = 2 ]
        [[ $output == *"2 lines of j.jsonl are wrong"* ]]
        [ "$(results '[(one["end"], one["infra"], one["attempt"]) for one in every]')" = "[('failed', False, 1), ('failed', False, 1)]" ]
        [[ $(results 'r[1]["message"]') == 'workspace /: everything would be writable'* ]]
}

@test "it stops when enough have failed" {
        for ((i = 0; i < 20; i++)); do echo '{"command":"false"}'; done >j.jsonl
        run bailey batch --jobs 1 --stop-after 3 j.jsonl -o r.jsonl
        [ "$status" = 1 ]
        [[ $output == *"stopped with 3 of 20 jobs done; the same command goes on"* ]]
        [ "$(wc -l <r.jsonl)" = 3 ]
        run bailey batch --jobs 1 --stop-after 50% j.jsonl -o half.jsonl
        [ "$(wc -l <half.jsonl)" = 10 ]
        run bailey batch --stop-after 50% - < <(echo)
        [ "$status" = 1 ]
        [[ $output == *"a percentage requires a regular file of jobs"* ]]
        for wrong in 0 -1 x 1.5 5%%; do
                run bailey batch --stop-after "$wrong" j.jsonl
                [ "$status" = 2 ]
                [[ $output == *"--stop-after: expected a number or a percentage from 1 "*", found '$wrong'"* ]]
        done
}

@test "a signal lets running jobs finish, and a second one ends them" {
        echo '{"command":"touch a; until [ -e go ]; do sleep 0.05; done; echo done","timeout":0}' >j.jsonl
        echo '{"command":"touch never"}' >>j.jsonl
        "${clean[@]}" "$BAILEY" batch --jobs 1 j.jsonl -o r.jsonl 2>err &
        until_exists a
        kill -INT $!
        touch go
        status=0
        wait $! || status=$?
        [ "$status" = 1 ]
        [ "$(results 'r[1]["output"]')" = 'done' ]
        [ "$(cat err)" = 'bailey: batch: stopped with 1 of 2 jobs done; the same command goes on' ]
        [ ! -e never ]

        rm a go r.jsonl
        "${clean[@]}" "$BAILEY" batch --jobs 1 j.jsonl -o r.jsonl 2>err &
        until_exists a
        kill -INT $!
        sleep 0.2 # two signals that come at once are one
        kill -INT $!
        status=0
        wait $! || status=$?
        [ "$status" = 1 ]
        [ ! -s r.jsonl ]
        [ "$(cat err)" = 'bailey: batch: stopped with 0 of 2 jobs done; the same command goes on' ]
}

@test "memory stays bounded" {
        python3 -c '
for i in range(20000): print("{\"command\":\"rm -rf /\",\"description\":\"%s\"}" % ("x" * 2000))' >j.jsonl
        run /usr/bin/env -i HOME="$HOME" PATH="$PATH" python3 -c '
import os, resource, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], ["bailey", "batch", "j.jsonl", "-o", "r.jsonl"])
usage = os.wait4(pid, 0)
print(usage[1], usage[2].ru_maxrss // 1024)' "$BAILEY"
        echo "$output"
        [ "${output% *}" = 0 ]
        [ "${output#* }" -lt "${MOST_MIB:-64}" ] || [[ ${ASAN_OPTIONS-} ]]
        [ "$(wc -l <r.jsonl)" = 20000 ]
}

@test "wrong usage" {
        run bailey batch
        [ "$status" = 2 ]
        run bailey batch no-such-file
        [ "$status" = 2 ]
        [[ $output == "bailey: batch: no-such-file: No such file or directory" ]]
        run bailey batch .
        [ "$status" = 1 ]
        [ "$output" = 'bailey: batch: .: cannot read: Is a directory' ]
        echo '{"command":"true"}' >j.jsonl
        run bailey batch --jobs 0 j.jsonl
        [ "$status" = 2 ]
        [[ $output == *"--jobs: expected a number from 1 to 128, found '0'"* ]]
        run bailey batch j.jsonl -o /no/such/file
        [ "$status" = 2 ]
        run bailey batch --policy none-such j.jsonl
        [ "$status" = 2 ]
}
