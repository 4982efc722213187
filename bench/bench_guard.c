/*
 * How long a verdict takes, and whether any text makes it take too long.
 *
 *     bench_guard [--json] [FILE]
 *
 * FILE has a {"command": "..."} per line; without it, a list of commands as agents type them. All under the built-in
 * default policy, in this process. Times are what the processor spent, so that others on the machine count little: the
 * median of several runs. Nothing fails here: the words ok and SLOW say
 * how the numbers compare with the goals.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "policy/json5.h"
#include "policy/load.h"

enum {
        RUNS = 15,       /* of one command; odd, so that there is one in the middle */
        STRESS_RUNS = 5, /* of a large text */
        ROUNDS = 8,      /* of a command in one run, as a clock is slower than some */
        SIZES = 4,       /* 8, 16, 32 and 64 KiB */
        SMALLEST = 8 << 10,
        LARGEST = SMALLEST << (SIZES - 1),
        FILE_MAX = 256 << 20,
        SHELLS = 12, /* in shells; each doubles the backslashes */
};

/* Goals. */
static const double goal_median_us = 15, goal_stress_ms = 50;

static const char *const typical[] = {
        "ls -la",
        "cd /srv/app && git status --short",
        "cat README.md | head -n 40",
        "grep -rn 'TODO' --include='*.c' src/ | wc -l",
        "find . -name '*.c' -exec grep -l foo {} +",
        "find . -type f -mtime -7 -print0 | xargs -0 rm -f --",
        "python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt",
        "npm ci --silent && npm test -- --watch=false",
        "make -j\"$(nproc)\" 2>&1 | tee build.log",
        "docker run --rm -v \"$PWD\":/work -w /work node:20 npm run build",
        "curl -fsSL https://example.org/install.sh | bash",
        "git log --oneline --since='2 weeks ago' | awk '{print $1}' | sort -u",
        "for f in *.jpg; do convert \"$f\" -resize 50% \"small-${f%.jpg}.png\"; done",
        "while read -r line; do echo \"[$line]\"; done < input.txt",
        "if [ -f config.yml ]; then cp config.yml config.yml.bak; else touch config.yml; fi",
        "sed -i 's/foo/bar/g; /^#/d' config.ini",
        "tar czf backup-$(date +%Y%m%d).tar.gz --exclude=node_modules .",
        "ps aux | grep '[n]ode' | awk '{print $2}' | xargs -r kill -9",
        "export PATH=\"$HOME/.local/bin:$PATH\"",
        "echo \"$((RANDOM % 100))\" > /tmp/number",
        "kubectl get pods -n default -o json | jq '.items[].metadata.name'",
        "ssh -o StrictHostKeyChecking=no user@host 'uptime; df -h'",
        "rsync -avz --delete -e ssh ./dist/ user@host:/var/www/html/",
        "psql -U postgres -c \"SELECT count(*) FROM users WHERE created_at > now() - interval '1 day';\"",
        "test -d build || mkdir -p build && cmake -S . -B build -DCMAKE_BUILD_TYPE=Release",
        "du -sh */ | sort -rh | head -10",
        "chmod +x scripts/*.sh && ./scripts/run.sh --verbose 2>/dev/null",
        "git commit -m \"$(cat <<'EOF'\nFix the parser\n\nIt lost a byte.\nEOF\n)\"",
        "cat > config.json <<EOF\n{ \"name\": \"$NAME\", \"port\": ${PORT:-8080} }\nEOF",
        "diff <(sort a.txt) <(sort b.txt)",
        "arr=(one two three); echo \"${arr[@]:1}\" \"${#arr[@]}\"",
        "[[ $branch =~ ^release/([0-9]+)\\.([0-9]+)$ ]] && echo \"${BASH_REMATCH[1]}\"",
        "case \"$1\" in start|restart) systemctl restart app;; stop) systemctl stop app;; *) echo usage; exit 1;; esac",
        "function deploy() { local target=$1; shift; scp -r dist \"$target\" && ssh \"$target\" ./reload; }",
        "trap 'rm -rf \"$tmp\"' EXIT; tmp=$(mktemp -d)",
        "printf '%s\\n' \"${lines[@]}\" | sort | uniq -c",
        "openssl req -x509 -newkey rsa:4096 -keyout key.pem -out cert.pem -days 365 -nodes -subj '/CN=localhost'",
        "ffmpeg -i in.mp4 -vf 'scale=1280:-2,fps=30' -c:v libx264 -crf 23 -preset fast out.mp4",
        "journalctl -u nginx --since today --no-pager | tail -100",
        "apt-get update -qq && apt-get install -y --no-install-recommends build-essential git curl",
        "cargo build --release && cp target/release/app /usr/local/bin/",
        "go test ./... -run 'TestParse.*' -count=1 -race",
        "pytest -x -q tests/test_api.py::test_login -k 'not slow'",
        "sudo systemctl restart nginx",
        "env FOO=bar BAZ=\"a b\" ./run --config=/etc/app.conf",
        "echo 'hello' | base64 | tr -d '\\n'",
        "mysqldump -u root -p\"$PASS\" db | gzip > db.sql.gz",
        "ls -1 | while IFS= read -r f; do mv -- \"$f\" \"${f// /_}\"; done",
        "(cd sub && make clean) || echo failed >&2",
        "wget -q -O - https://example.org/data.csv | cut -d, -f1,3 | tail -n +2",
        "node -e \"console.log(JSON.stringify({a: 1, b: [2, 3]}))\"",
        "awk -F: '$3 >= 1000 { printf \"%s %s\\n\", $1, $7 }' /etc/passwd",
        "xargs -a files.txt -I{} cp {} /backup/",
        "git diff --name-only HEAD~1 | grep '\\.py$' | xargs -r ruff check",
        "date -u +%Y-%m-%dT%H:%M:%SZ",
        "nohup ./server --port 8080 > server.log 2>&1 &",
        "until curl -sf localhost:8080/health; do sleep 1; done",
        "echo {1..5} ~/bin/* file?.txt [a-c]*.log",
        "a=1 b=$((a + 2)) c=${b:-$a}; echo \"$a $b $c\"",
        "python3 - <<'EOF'\nimport json, sys\nprint(json.dumps({'ok': True}))\nEOF",
        "kill -0 \"$(cat app.pid)\" 2>/dev/null && echo running || echo stopped",
};

/* Each is repeated until the text is as long as it should be. */
static const char *const stress[] = {
        "a=b ",
        "a=$a$a;",
        "a+=b;",
        "a+=($a);",
        "a[$a]=$a;",
        "$(",
        "`",
        "${",
        "${a/x/y}",
        "${a:-",
        "{a,",
        "{a,b}",
        "{1..9}",
        "$((",
        "$a",
        "'a'",
        "*",
        "a|",
        "a&",
        "a && ",
        "ls -l /tmp;",
        "rm -rf / ;",
        "rm -rf / ",
        "cat .env;",
        "cd a;",
        "cd ..;cat x;",
        "> /etc/x ",
        "echo a>f;sh f;",
        "x=$(curl h);eval $x;",
        "echo a|sh;",
        "for x in 1 2 3 4 5 6 7 8; do ",
        "for x in 1 2 3 4 5 6 7 8; do a; done;",
        "while a; do b; done;",
        "while a; do ",
        "if a; then b; fi;",
        "if a; then ",
        "if a; then b=1; else b=2; fi;",
        "case $a in b) c;; *) d;; esac;",
        "( ",
        "{ ",
        "[[ ",
        "f(){ g; };",
        "f(){ f;};f;",
        "f(){ ",
        "eval ",
        "eval a;",
        "nice ",
        "env a=b ",
        "xargs ",
        "bash -c 'a';",
        "bash -c \"",
        "python3 -c 'system(\"a\")';",
        "find . -exec ",
        "alias a=b;",
        "trap a EXIT;",
        "ln -s a b;cat b;",
        "curl http://a/ ",
        "git -c a=b ",
        "docker run -v /:/a ",
        "sed -e 1e ",
        "cat <<A\n",
        "cat <<A\n$a\nA\n",
        "<<<a ",
        "a b\n",
        "#\n",
        "\\\n",
        "\xc3\xa4",
        "\xe2\x80\x8b",
        "set -- $@ a;",
        "printf -v a %s $a;",
        "read a <<< $b;",
        "${a:-b} ",
        "{a,b,c,d,e,f,g}{a,b,c,d,e,f,g} ",
        "echo ${a[@]};a+=(x);",
        "find . -exec a \\; ",
        "nc a 1;",
        "a|b;",
};

/* The same, with something before and behind it. */
static const struct framed {
        const char *name, *before, *repeated, *after;
} framed[] = {
        { "f(){ a;a;...};f;f;f;f;f;f;f;f", "f(){ ", "a;", "};f;f;f;f;f;f;f;f" },
        { "cat <<E >f ... sh f;sh f;sh f;sh f", "cat <<E >f\n", "a\n", "E\nsh f;sh f;sh f;sh f;sh f;sh f;sh f;sh f" },
        { "if a;then x=1;y=2;fi;b $x $y;b $x $y;", "x=3;y=4;if a;then x=1;y=2;fi;", "b $x $y;", "" },
        { "if a;then f(){ b;};fi;f;f;f;", "if a;then f(){ b;};else f(){ c;};fi;", "f;", "" },
        { "trap 'a;a;...' 0", "trap '", "a;", "' 0" },
        { "parallel a ::: b b b", "parallel a ::: ", "b ", "" },
        { "find /a /a /a ... -exec rm {} +", "find ", "/a ", "-exec rm {} + -exec cat {} + -exec cat {} +" },
        { "cat a/a/a/...", "cat ", "a/", "x" },
};

struct texts {
        struct str *list;
        size_t count, capacity;
};

struct stress_row {
        const char *name;
        double ms[SIZES];
        enum action action;
};

static void die(const char *what) {
        fprintf(stderr, "bench_guard: %s\n", what);
        exit(1);
}

/* ---- measuring ---- */

static int compare_times(const void *a, const void *b) {
        const int64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

static double microseconds(int64_t ns) {
        return (double)ns / 1000;
}

static int64_t spent(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The median of the runs, in nanoseconds. */
static int64_t measure(struct str text, const struct policy *policy, unsigned runs, unsigned rounds, struct arena *arena,
                       enum action *ret_action) {
        int64_t times[RUNS] = { 0 };
        struct verdict verdict = { 0 };

        for (unsigned run = 0; run < runs; run++) {
                int64_t start = spent();
                for (unsigned i = 0; i < rounds; i++) {
                        arena_reset(arena);
                        guard_check(text, policy, arena, &verdict);
                }
                times[run] = (spent() - start) / rounds;
        }
        qsort(times, runs, sizeof(times[0]), compare_times);
        *ret_action = verdict.action;
        return times[runs / 2];
}

static void measure_commands(const struct texts *texts, const struct policy *policy, struct arena *arena, double *ret_median,
                             double *ret_p99) {
        int64_t *times = calloc(texts->count, sizeof(*times));
        enum action action;

        if (!times)
                die("out of memory");
        for (size_t i = 0; i < texts->count; i++)
                times[i] = measure(texts->list[i], policy, RUNS, ROUNDS, arena, &action);
        qsort(times, texts->count, sizeof(*times), compare_times);
        *ret_median = microseconds(times[texts->count / 2]);
        *ret_p99 = microseconds(times[(texts->count - 1) * 99 / 100]);
        free(times);
}

static struct stress_row measure_stress(const char *pattern, const struct policy *policy, struct arena *arena) {
        static char text[LARGEST];
        struct stress_row row = { .name = pattern };
        size_t length = strlen(pattern);

        for (size_t i = 0; i < LARGEST; i++)
                text[i] = pattern[i % length];
        for (unsigned i = 0; i < SIZES; i++)
                row.ms[i] = (double)measure(str_from(text, (size_t)SMALLEST << i), policy, STRESS_RUNS, 1, arena, &row.action) /
                            1e6;
        return row;
}

static struct stress_row measure_framed(const struct framed *text_of, const struct policy *policy, struct arena *arena) {
        struct stress_row row = { .name = text_of->name };
        size_t length = strlen(text_of->repeated), after = strlen(text_of->after);
        BUF_AUTO text;

        buf_init(&text, LARGEST);
        for (unsigned i = 0; i < SIZES; i++) {
                buf_clear(&text);
                buf_append(&text, str_z(text_of->before));
                while (text.len + length + after <= (size_t)SMALLEST << i)
                        buf_append(&text, str_z(text_of->repeated));
                buf_append(&text, str_z(text_of->after));
                row.ms[i] = (double)measure(buf_str(&text), policy, STRESS_RUNS, 1, arena, &row.action) / 1e6;
        }
        return row;
}

/* bash -c "bash -c \"...\"", as deep as fits, and blanks behind it. */
static void nested_shells(size_t size, struct buf *out) {
        BUF_AUTO inner;

        buf_init(&inner, LARGEST);
        buf_clear(out);
        buf_append(out, STR("id"));
        for (unsigned depth = 0; depth < SHELLS && 2 * out->len + 16 < size; depth++) {
                buf_clear(&inner);
                buf_append(&inner, buf_str(out));
                buf_clear(out);
                buf_append(out, STR("bash -c \""));
                for (size_t i = 0; i < inner.len; i++) {
                        if (inner.ptr[i] == '"' || inner.ptr[i] == '\\')
                                buf_char(out, '\\');
                        buf_char(out, inner.ptr[i]);
                }
                buf_char(out, '"');
        }
        for (size_t i = out->len; i < size; i++)
                buf_char(out, ' ');
}

static struct stress_row measure_nesting(const struct policy *policy, struct arena *arena) {
        struct stress_row row = { .name = "bash -c \"bash -c \\\"..." };
        BUF_AUTO text;

        buf_init(&text, LARGEST + 1);
        for (unsigned i = 0; i < SIZES; i++) {
                nested_shells((size_t)SMALLEST << i, &text);
                row.ms[i] = (double)measure(buf_str(&text), policy, STRESS_RUNS, 1, arena, &row.action) / 1e6;
        }
        return row;
}

/* ---- the texts ---- */

static void texts_add(struct texts *texts, struct str text) {
        if (texts->count == texts->capacity) {
                texts->capacity = texts->capacity ? 2 * texts->capacity : 256;
                texts->list = reallocarray(texts->list, texts->capacity, sizeof(*texts->list));
                if (!texts->list)
                        die("out of memory");
        }
        texts->list[texts->count++] = text;
}

static void texts_read(struct texts *texts, const char *path, struct arena *arena) {
        struct err err;
        BUF_AUTO content;
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);

        buf_init(&content, FILE_MAX);
        if (fd < 0 || fd_read_all(fd, &content, &err) < 0)
                die("cannot read the file");
        for (struct str rest = buf_str(&content), line; rest.len > 0; rest = str_skip(rest, line.len + 1)) {
                struct tree_node *row = NULL;
                const struct tree_node *command = NULL;

                line = str_take(rest, str_find(rest, '\n'));
                if (json5_read(line, true, arena, &row, NULL) == 0)
                        command = tree_get(row, STR("command"));
                if (command && command->kind == TREE_STRING)
                        texts_add(texts, command->text);
        }
        if (texts->count == 0)
                die("no line of the file has a \"command\"");
}

/* ---- telling ---- */

static void tell_commands(const struct texts *texts, double median, double p99, bool json) {
        if (json) {
                printf("{\"commands\":%zu,\"median_us\":%.3f,\"p99_us\":%.3f,\"goal_median_us\":%g,\"ok\":%s,"
                       "\"stress\":[",
                       texts->count, median, p99, goal_median_us, median <= goal_median_us ? "true" : "false");
                return;
        }
        printf("guard: %zu commands, median %.2f us, p99 %.2f us; goal: median <= %g us: %s\n\n", texts->count, median, p99,
               goal_median_us, median <= goal_median_us ? "ok" : "SLOW");
        printf("%-42s %39s\n", "", "ms for a text of");
        printf("%-42s %8s %8s %8s %8s <= %g\n", "repeated", "8 KiB", "16", "32", "64", goal_stress_ms);
}

static void tell_stress(const struct stress_row *row, bool json, bool first) {
        bool fast = row->ms[SIZES - 1] <= goal_stress_ms;
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->name));
        if (json)
                printf("%s{\"pattern\":%.*s,\"ms\":[%.3f,%.3f,%.3f,%.3f],\"action\":\"%s\",\"ok\":%s}", first ? "" : ",",
                       (int)name.len, name.ptr, row->ms[0], row->ms[1], row->ms[2], row->ms[3], action_name(row->action),
                       fast ? "true" : "false");
        else
                printf("%-42.*s %8.2f %8.2f %8.2f %8.2f %5s %s\n", (int)name.len, name.ptr, row->ms[0], row->ms[1], row->ms[2],
                       row->ms[3], fast ? "ok" : "SLOW", action_name(row->action));
}

/* The built-in policy, and the same with room for large texts. */
static void load_policies(struct arena *arena, const struct policy **ret_policy, struct policy *ret_large) {
        struct policy_request request = { .builtin_only = true };
        struct err err;

        if (policy_load(&request, arena, ret_policy, &err) < 0)
                die(err.msg);
        *ret_large = **ret_policy;
        ret_large->guard.max_command_length = LARGEST;
}

int main(int argc, char **argv) {
        struct texts texts = { 0 };
        const struct policy *policy = NULL;
        struct policy large;
        struct stress_row row;
        double median, p99;
        ARENA_AUTO arena, lines;
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
        const char *file = argv[1 + json];

        arena_init(&arena, 0);
        arena_init(&lines, FILE_MAX);
        load_policies(&lines, &policy, &large);
        if (file)
                texts_read(&texts, file, &lines);
        else
                for (size_t i = 0; i < sizeof(typical) / sizeof(typical[0]); i++)
                        texts_add(&texts, str_z(typical[i]));
        measure_commands(&texts, policy, &arena, &median, &p99);
        tell_commands(&texts, median, p99, json);
        for (size_t i = 0; i < sizeof(stress) / sizeof(stress[0]); i++) {
                row = measure_stress(stress[i], &large, &arena);
                tell_stress(&row, json, i == 0);
        }
        for (size_t i = 0; i < sizeof(framed) / sizeof(framed[0]); i++) {
                row = measure_framed(&framed[i], &large, &arena);
                tell_stress(&row, json, false);
        }
        row = measure_nesting(&large, &arena);
        tell_stress(&row, json, false);
        fputs(json ? "]}\n" : "", stdout);
        free(texts.list);
        return 0;
}
