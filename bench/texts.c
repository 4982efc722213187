/*
 * Commands as agents type them, and the reader of files with more.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "base/fd.h"
#include "bench/bench.h"
#include "bench/texts.h"
#include "base/json5.h"

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

static void texts_add(struct texts *texts, struct str text) {
        if (texts->count == texts->capacity) {
                texts->capacity = texts->capacity ? 2 * texts->capacity : 256;
                texts->list = reallocarray(texts->list, texts->capacity, sizeof(*texts->list));
                if (!texts->list)
                        bench_die("no memory for the texts");
        }
        texts->list[texts->count++] = text;
}

static void texts_read(struct texts *texts, const char *path, struct arena *arena) {
        struct err err;
        BUF_AUTO content;
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);

        buf_init(&content, TEXTS_MAX);
        if (fd < 0 || fd_read_all(fd, &content, &err) < 0)
                bench_die("%s: cannot be read", path);
        for (struct str rest = buf_str(&content), line; rest.len > 0; rest = str_skip(rest, line.len + 1)) {
                struct tree_node *row = NULL;
                const struct tree_node *command = NULL;

                line = str_take(rest, str_find(rest, '\n'));
                if (json5_read(line, &json5_plain, arena, &row, NULL) == 0)
                        command = tree_get(row, STR("command"));
                if (command && command->kind == TREE_STRING)
                        texts_add(texts, command->text);
        }
        if (texts->count == 0)
                bench_die("%s: no line has a \"command\"", path);
}

void texts_load(struct texts *texts, const char *file, struct arena *arena) {
        if (file) {
                texts_read(texts, file, arena);
                return;
        }
        for (size_t i = 0; i < sizeof(typical) / sizeof(typical[0]); i++)
                texts_add(texts, str_z(typical[i]));
}
