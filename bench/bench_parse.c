/*
 * How long the parser takes for a command, and whether any text makes it take more than in proportion to its length.
 *
 *     bench_parse [--json] [FILE]
 *
 * FILE has a {"command": "..."} per line; without it, a list of commands as agents type them. Times are the median of
 * several runs. Nothing fails here: the words ok and SLOW say how the numbers compare with the goals.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/time.h"
#include "policy/json5.h"
#include "shell/parse.h"

enum {
        RUNS = 15,   /* of one text; odd, so that there is one in the middle */
        ROUNDS = 16, /* of a short command in one run, as a clock is slower than some */
        SIZES = 4,   /* 8, 16, 32 and 64 KiB */
        SMALLEST = 8 << 10,
        LARGEST = SMALLEST << (SIZES - 1),
        FILE_MAX = 256 << 20,
};

/* Goals. */
static const double goal_median_us = 5, goal_stress_ms = 10;
static const size_t goal_arena_per_byte = 64, goal_arena_fixed = 64 << 10;

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

static const char *const stress[] = {
        "${", "$(", "<<A ",  "((",     "\"$(", "[",  "{a,",  "`",  "a=b ", "$((",           "a;",
        "a|", "(",  "((a) ", "$((a) ", "'",    "\"", "\\\n", "$a", "#",    "case x in x) ",
};

struct texts {
        struct str *list;
        size_t count, capacity;
};

struct timing {
        int64_t ns;   /* the median */
        size_t arena; /* bytes used */
};

struct stress_row {
        const char *pattern;
        double ns_per_byte[SIZES], milliseconds, arena_per_byte;
        bool fast, small;
};

static void die(const char *what) {
        fprintf(stderr, "bench_parse: %s\n", what);
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

static struct timing measure(struct str text, unsigned rounds, struct arena *arena) {
        int64_t times[RUNS];
        struct timing timing;
        struct script script;

        for (unsigned run = 0; run < RUNS; run++) {
                int64_t start = time_monotonic();
                for (unsigned i = 0; i < rounds; i++) {
                        arena_reset(arena);
                        shell_parse(text, arena, &script);
                }
                times[run] = (time_monotonic() - start) / rounds;
        }
        qsort(times, RUNS, sizeof(times[0]), compare_times);
        timing.ns = times[RUNS / 2];
        timing.arena = arena->used;
        return timing;
}

static void measure_commands(const struct texts *texts, struct arena *arena, double *ret_median, double *ret_p99) {
        int64_t *times = calloc(texts->count, sizeof(*times));

        if (!times)
                die("out of memory");
        for (size_t i = 0; i < texts->count; i++)
                times[i] = measure(texts->list[i], ROUNDS, arena).ns;
        qsort(times, texts->count, sizeof(*times), compare_times);
        *ret_median = microseconds(times[texts->count / 2]);
        *ret_p99 = microseconds(times[(texts->count - 1) * 99 / 100]);
        free(times);
}

static struct stress_row measure_stress(const char *pattern, struct arena *arena) {
        static char text[LARGEST];
        struct stress_row row = { .pattern = pattern };
        struct timing timing = { 0 };
        size_t length = strlen(pattern);

        for (size_t i = 0; i < LARGEST; i++)
                text[i] = pattern[i % length];
        for (unsigned i = 0; i < SIZES; i++) {
                size_t size = (size_t)SMALLEST << i;
                timing = measure(str_from(text, size), 1, arena);
                row.ns_per_byte[i] = (double)timing.ns / (double)size;
        }
        row.milliseconds = (double)timing.ns / 1e6;
        row.arena_per_byte = (double)timing.arena / LARGEST;
        row.fast = row.milliseconds <= goal_stress_ms;
        row.small = timing.arena <= goal_arena_per_byte * LARGEST + goal_arena_fixed;
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
        printf("parse: %zu commands, median %.2f us, p99 %.2f us; goal: median <= %g us: %s\n\n", texts->count, median, p99,
               goal_median_us, median <= goal_median_us ? "ok" : "SLOW");
        printf("%-15s %27s %20s %20s\n", "", "ns a byte, of a text of", "64 KiB in ms", "arena, bytes a byte");
        printf("%-15s %6s %6s %6s %6s %13s <= %g %13s <= %zu\n", "repeated", "8 KiB", "16", "32", "64", "", goal_stress_ms, "",
               goal_arena_per_byte);
}

static void tell_stress_json(const struct stress_row *row, bool first) {
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->pattern));
        printf("%s{\"pattern\":%.*s,\"ns_per_byte\":[%.2f,%.2f,%.2f,%.2f],\"ms\":%.3f,\"arena_per_byte\":%.2f,\"ok\":%"
               "s}",
               first ? "" : ",", (int)name.len, name.ptr, row->ns_per_byte[0], row->ns_per_byte[1], row->ns_per_byte[2],
               row->ns_per_byte[3], row->milliseconds, row->arena_per_byte, row->fast && row->small ? "true" : "false");
}

static void tell_stress(const struct stress_row *row) {
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->pattern));
        printf("%-15.*s %6.1f %6.1f %6.1f %6.1f %13.3f %6s %13.2f %6s\n", (int)name.len, name.ptr, row->ns_per_byte[0],
               row->ns_per_byte[1], row->ns_per_byte[2], row->ns_per_byte[3], row->milliseconds, row->fast ? "ok" : "SLOW",
               row->arena_per_byte, row->small ? "ok" : "LARGE");
}

int main(int argc, char **argv) {
        struct texts texts = { 0 };
        double median, p99;
        ARENA_AUTO arena, lines;
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
        const char *file = argv[1 + json];

        arena_init(&arena, 0);
        arena_init(&lines, FILE_MAX);
        if (file)
                texts_read(&texts, file, &lines);
        else
                for (size_t i = 0; i < sizeof(typical) / sizeof(typical[0]); i++)
                        texts_add(&texts, str_z(typical[i]));
        measure_commands(&texts, &arena, &median, &p99);
        tell_commands(&texts, median, p99, json);
        for (size_t i = 0; i < sizeof(stress) / sizeof(stress[0]); i++) {
                struct stress_row row = measure_stress(stress[i], &arena);
                if (json)
                        tell_stress_json(&row, i == 0);
                else
                        tell_stress(&row);
        }
        fputs(json ? "]}\n" : "", stdout);
        free(texts.list);
        return 0;
}
