#include "tests/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "engine/why_table.h"
#include "run/explain.h"

#define MIB ((int64_t)1 << 20)

static const char *const masked[] = { "/home/u/.ssh", "/home/u/.aws", "/home/u/.netrc", "/etc/shadow", "/work/app/.env", NULL };
static const char *const read_only[] = { "/work/app/.git/hooks", "/work/app/.git/config", "/work/app/.envrc",
                                         "/work/app/build/bailey", NULL };
static const char *const programs[] = { "/work/app/build/bailey", NULL };
static const char *const writable[] = { "/work/app", "/srv/my data", NULL };
static const char *const only_data[] = { "/srv/my data", NULL };

/* Words for what a row expects; each is part of the one text that says it. */
#define NETWORK "The command tried to reach another host, but the sandbox allows only localhost"
#define NEEDS(program) program " needs the network, but the sandbox allows only localhost"
#define MASKED(path) path " is hidden in the sandbox"
#define PROTECTED(path) path " is read-only because programs"
#define PROGRAM(path) path " is the bailey program that runs this command"
#define OUTSIDE(path) path " is not writable in the sandbox. Write to /work/app or /tmp instead"
#define WORKSPACE "The workspace is read-only"
#define MEMORY "max_memory_bytes"
#define SYSCALL "a system call that the sandbox does not allow"

struct row {
        const char *command;
        int exit_code, signal;
        const char *output;
        const char *says; /* NULL: nothing */
};

static struct policy limited(void) {
        return (struct policy){
                .sandbox = { .network = NETWORK_DENY,
                             .workspace_write = true,
                             .max_memory_bytes = 512 * MIB,
                             .max_cpu_secs = 60,
                             .max_pids = 100,
                             .max_file_bytes = 3 * MIB / 2,
                             .max_open_files = 256,
                             .tmp_bytes = 1024 * MIB },
                .run = { .timeout = 120 * TIME_SECOND, .timeout_max = 600 * TIME_SECOND },
        };
}

static struct policy unlimited(void) {
        return (struct policy){ .sandbox = { .network = NETWORK_INHERIT, .workspace_write = true, .tmp_bytes = 0 },
                                .run = { .timeout_max = 600 * TIME_SECOND } };
}

/* What the guard reads out of commands; it is emptied after each test. */
static struct arena verdicts;

static int setup(void **state) {
        (void)state;
        arena_init(&verdicts, 0);
        return 0;
}

static int teardown(void **state) {
        (void)state;
        arena_free(&verdicts);
        return 0;
}

static const struct verdict *verdict_of(const struct policy *policy, const char *command) {
        struct verdict *verdict = arena_alloc(&verdicts, sizeof(*verdict));
        struct policy guarded = *policy;

        assert_non_null(verdict);
        guarded.guard.mode = GUARD_WARN;
        guarded.guard.max_command_length = 4096;
        guarded.guard.allow_any_domain = true;
        guarded.workspace = STR("/work/app");
        assert_int_equal(guard_check(str_z(command), &guarded, &verdicts, verdict), 0);
        return verdict;
}

static struct explain_input input_of(const struct policy *policy, const struct row *row) {
        return (struct explain_input){
                .policy = policy,
                .verdict = verdict_of(policy, row->command),
                .exit_code = row->exit_code,
                .signal = row->signal,
                .output_known = true,
                .timeout = 120 * TIME_SECOND,
                .output = str_z(row->output ? row->output : ""),
                .masked = masked,
                .read_only = read_only,
                .programs = programs,
                .writable = writable,
                .workspace = "/work/app",
                .home = "/home/u",
        };
}

/* All that the text is about is in a list, too, and `bailey why` knows what would allow it. */
static void check_findings(const struct explain_findings *findings, const struct explain_input *in, bool any) {
        if (any && !in->refused && !in->served)
                assert_int_not_equal(findings->count, 0);
        if (!any)
                assert_int_equal(findings->count, 0);
        for (size_t i = 0; i < findings->count; i++)
                assert_non_null(why_finding(findings->items[i].kind));
}

/* Exactly one finding, with these words in it; or none. */
static void check(const struct explain_input *given, const char *says) {
        struct explain_findings findings = { .count = 0 };
        struct explain_input copy = *given;
        const struct explain_input *in = &copy;
        struct str text = STR("untouched");
        struct err err;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        copy.ret_findings = &findings;
        assert_int_equal(explain(in, &arena, &text, &err), 0);
        check_findings(&findings, in, says != NULL);
        if (says ? !memmem(text.ptr, text.len, says, strlen(says)) || str_find(text, '\n') < text.len : text.len > 0)
                fail_msg("%.*s [%.*s] explained as: %.*s; expected: %s", (int)in->verdict->script.source.len,
                         in->verdict->script.source.ptr, (int)in->output.len, in->output.ptr, (int)text.len, text.ptr,
                         says ? says : "nothing");
}

static void check_rows(const struct row *rows, size_t count, struct policy policy) {
        for (size_t i = 0; i < count; i++) {
                struct explain_input in = input_of(&policy, &rows[i]);
                check(&in, rows[i].says);
        }
}

#define CHECK(rows, policy) check_rows((rows), sizeof(rows) / sizeof(*(rows)), (policy))

static const struct row network_rows[] = {
        /* by its exit code */
        { "curl -s https://example.org", 6, 0, "", NEEDS("curl") },
        { "curl -s https://example.org/x && tar xf x | cat", 7, 0, "", NEEDS("curl") },
        { "cd sub; timeout 5 curl -s example.org", 28, 0, "", NEEDS("curl") },
        { "sudo -n env A=1 /usr/bin/wget -q http://example.org", 4, 0, "", NEEDS("wget") },
        { "ssh -p 22 host.example uptime", 255, 0, "", NEEDS("ssh") },
        { "ping -c 1 example.org", 2, 0, "", NEEDS("ping") },
        { "bash -ec 'curl -s https://example.org'", 6, 0, "", NEEDS("curl") },
        { "url=https://example.org; curl -s \"$url\"", 6, 0, "", NEEDS("curl") },
        /* by what it prints */
        { "git clone https://github.com/a/b", 128, 0,
          "Cloning into 'b'...\nfatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com\n",
          NEEDS("git clone") },
        { "git -C sub fetch origin", 128, 0, "ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
          NEEDS("git fetch") },
        { "npm ci", 1, 0, "npm ERR! network request failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org\n",
          NEEDS("npm ci") },
        { "python3 -m pip install requests", 1, 0,
          "WARNING: Retrying: NewConnectionError('Failed to establish a new connection: [Errno -3]')\nERROR: No matching\n",
          NEEDS("pip install") },
        { "cargo build", 101, 0, "  Could not resolve host: index.crates.io\n", NEEDS("cargo build") },
        { "go mod download", 1, 0, "go: dial tcp: lookup proxy.golang.org: Temporary failure in name resolution",
          NEEDS("go mod") },
        { "sudo apt-get update", 100, 0, "Err:1 http://deb.debian.org\n  Temporary failure resolving 'deb.debian.org'\n",
          NEEDS("apt-get update") },
        { "nc -z 1.1.1.1 53", 1, 0, "nc: connect: Network is unreachable", NEEDS("nc") },
        /* though the shell swallowed it */
        { "curl https://example.org || true", 0, 0, "curl: (6) Could not resolve host: example.org\n", NEEDS("curl") },
        { "curl https://example.org | jq .", 0, 0, "curl: (6) Could not resolve host: example.org\n", NEEDS("curl") },
        { "x=$(curl https://example.org)", 6, 0, "curl: (6) Could not resolve host: example.org\n", NEEDS("curl") },
        /* by nothing but that it connects */
        { "git clone https://github.com/a/b 2>/dev/null", 128, 0, "", NEEDS("git clone") },
        { "git clone -q git@github.com:a/b 2>/dev/null", 128, 0, "", NEEDS("git clone") },
        { "x=$(curl -s https://example.com)", 6, 0, "", NEEDS("curl") },
        { "curl -sf https://example.org || exit 3", 3, 0, "", NEEDS("curl") },
        { "curl -sf https://example.org/x -o x || { echo giving up; exit 3; }", 3, 0, "giving up\n", NEEDS("curl") },
        { "curl -s https://example.org | grep -q name", 1, 0, "", NEEDS("curl") },
        { "curl -s https://example.org; ./check", 6, 0, "", NEEDS("curl") },
        { "if ! curl -s https://example.org -o x; then exit 1; fi; ./check x", 1, 0, "", NEEDS("curl") },
        { "f() { wget -q \"$1\"; }; f https://example.org || exit 1", 1, 0, "", NEEDS("wget") },
        { "cd sub && git clone https://github.com/a/b 2>/dev/null", 128, 0, "", NEEDS("git clone") },
        { "test -d b || git clone https://github.com/a/b 2>/dev/null", 128, 0, "", NEEDS("git clone") },
        { "test -d c && echo c; git clone https://github.com/a/b 2>/dev/null", 128, 0, "", NEEDS("git clone") },
        { "set -e; cd sub; x=$(curl -s https://example.org)", 6, 0, "", NEEDS("curl") },
        { "bash -c 'git clone https://github.com/a/b 2>/dev/null'", 128, 0, "", NEEDS("git clone") },
        { "bash -c 'curl -s https://example.org || exit 5'", 5, 0, "", NEEDS("curl") },
        { "dig +short example.org | grep -q .", 1, 0, "", NEEDS("dig") },
        { "rsync -a host.example:x . 2>/dev/null || exit 1", 1, 0, "", NEEDS("rsync") },
        { "pip download -q requests 2>/dev/null", 1, 0, "", NEEDS("pip download") },
        { "python3 -c 'import requests; requests.get(\"https://example.org\")' 2>/dev/null", 1, 0, "", NETWORK },
        /* by something it runs */
        { "make deps", 2, 0, "curl: (6) Could not resolve host: example.org\nmake: *** [deps] Error 6\n", NETWORK },
        { "./deploy.sh", 1, 0, "connect to 10.0.0.1: Network is unreachable\n", NETWORK },
        { "curl http://localhost:8080/ https://example.org/", 6, 0, "", NEEDS("curl") },
        /* look-alikes */
        { "curl -f https://example.org", 22, 0, "curl: (22) The requested URL returned error: 404\n", NULL },
        { "curl -s https://example.org", 0, 0, "", NULL },
        { "curl -s https://example.org; ./check", 6, 0, "check: bad: expected 3\n", NULL },
        { "curl -s https://example.org | ./check", 7, 0, "check: bad: expected 3\n", NULL },
        { "! curl -s https://example.org", 7, 0, "", NULL },
        { "curl -s https://example.org &", 7, 0, "", NULL },
        { "curl http://localhost:8080/", 7, 0, "curl: (7) Failed to connect to localhost port 8080: Connection refused\n",
          NULL },
        { "curl http://127.0.0.1:8080/", 7, 0, "", NULL },
        { "curl 'http://[::1]:8080/'", 7, 0, "", NULL },
        { "nc -z localhost 5432", 1, 0, "nc: connect: Network is unreachable", NULL },
        { "node server.js", 1, 0, "Error: connect ENETUNREACH ::1:8080\n", NULL },
        { "node server.js", 1, 0, "Error: connect ECONNREFUSED 10.1.1.1:8080\n", NULL },
        { "curlx https://example.org", 127, 0, "bash: line 1: curlx: command not found\n", NULL },
        { "./curl-test 6", 6, 0, "", NULL },
        { "echo curl https://example.org; exit 6", 6, 0, "curl https://example.org\n", NULL },
        { "false", 1, 0, "", NULL },
        { "test -f x", 1, 0, "", NULL },
        { "grep curl file", 1, 0, "", NULL },
        { "grep -q https://example.org file || exit 3", 3, 0, "", NULL },
        { "echo 'curl https://example.org' >x; test -f y", 1, 0, "", NULL },
        { "curl --version >/dev/null; false", 1, 0, "", NULL },
        { "export https_proxy=http://proxy.example:3128; false", 1, 0, "", NULL },
        { "curl -sf http://localhost:8080/ || exit 3", 3, 0, "", NULL },
        { "curl -sf \"$URL\" || exit 3", 3, 0, "", NULL },
        { "curl -sf https://example.org", 22, 0, "", NULL },
        { "curl -s https://example.org & false", 1, 0, "", NULL },
        { "curl -s https://example.org 2>/dev/null || exit", 127, 0, "", NULL },
        { "git clone ../other 2>/dev/null", 128, 0, "", NULL },
        { "git status 2>/dev/null", 128, 0, "", NULL },
        { "test -f x && git clone https://github.com/a/b 2>/dev/null", 1, 0, "", NULL },
        { "test -f x || exit 1; git clone https://github.com/a/b 2>/dev/null", 1, 0, "", NULL },
        { "f() { test -f x || return 1; git clone https://github.com/a/b 2>/dev/null; }; f", 1, 0, "", NULL },
        { "if test -f x; then x=$(curl -s https://example.org); fi; false", 1, 0, "", NULL },
        { "test -f x || x=$(curl -s https://example.org); false", 1, 0, "", NULL },
        { "while read -r x; do wget -q https://example.org/$x; done <list; false", 1, 0, "", NULL },
        { "set -e; ./check; x=$(curl -s https://example.org)", 1, 0, "", NULL },
        { "./check && bash -c 'git clone https://github.com/a/b 2>/dev/null'", 1, 0, "", NULL },
        { "go test ./... >/dev/null 2>&1", 1, 0, "", NULL },
        { "rsync -a x/ y/ 2>/dev/null", 23, 0, "", NULL },
        { "ping -c 1 localhost >/dev/null || exit 1", 1, 0, "", NULL },
        { "ssh root@localhost true 2>/dev/null", 255, 0, "", NULL },
        { "git commit -m 'fetch'", 128, 0, "fatal: not a git repository\n", NULL },
        { "git fetch", 128, 0, "fatal: not a git repository (or any of the parent directories): .git\n", NULL },
        { "npm install", 1, 0, "npm ERR! code ERESOLVE\n", NULL },
        { "grep -rn 'Could not resolve host' docs", 0, 0, "docs/x.md:1: Could not resolve host: github.com\n", NULL },
        { "cat log; false", 1, 0, "curl: (6) Could not resolve host: example.org\n", NULL },
        { "make test", 0, 0, "ok: prints Network is unreachable\n", NULL },
        { "ls x", 2, 0, "ls: cannot access 'x': No such file or directory\n", NULL },
};

static const struct row path_rows[] = {
        { "cat ~/.ssh/id_rsa", 1, 0, "cat: /home/u/.ssh/id_rsa: Permission denied\n", MASKED("/home/u/.ssh") },
        { "ls ~/.ssh || true", 0, 0, "ls: cannot open directory '/home/u/.ssh': Permission denied\n", MASKED("/home/u/.ssh") },
        { "find ~ -name x", 1, 0, "find: \xe2\x80\x98/home/u/.aws\xe2\x80\x99: Permission denied\n", MASKED("/home/u/.aws") },
        { "./x", 0, 0, "could not open ~/.netrc: permission denied\n", MASKED("/home/u/.netrc") },
        { "cat .env", 1, 0, "cat: .env: Permission denied\n", MASKED("/work/app/.env") },
        { "cat ./.env", 1, 0, "cat: ./.env: Permission denied\n", MASKED("/work/app/.env") },
        { "python3 x.py", 1, 0, "PermissionError: [Errno 13] Permission denied: '/etc/shadow'\n", MASKED("/etc/shadow") },
        { "node x.js", 1, 0, "Error: EACCES: permission denied, open '/home/u/.ssh/config'\n", MASKED("/home/u/.ssh") },
        /* read-only */
        { "touch /etc/x", 1, 0, "touch: cannot touch '/etc/x': Read-only file system\n", OUTSIDE("/etc/x") },
        { "touch /etc/x || true", 0, 0, "touch: cannot touch '/etc/x': Read-only file system\n", OUTSIDE("/etc/x") },
        { "npm i -g x", 1, 0, "Error: EROFS: read-only file system, mkdir '/usr/lib/node_modules/x'\n",
          OUTSIDE("/usr/lib/node_modules/x") },
        { "mkdir /opt/x", 1, 0, "mkdir: cannot create directory '/opt/x': Permission denied\n", OUTSIDE("/opt/x") },
        { "echo hi > /etc/motd", 1, 0, "bash: line 1: /etc/motd: Permission denied\n", OUTSIDE("/etc/motd") },
        { "echo hi | tee /etc/motd", 1, 0, "tee: /etc/motd: Permission denied\n", OUTSIDE("/etc/motd") },
        { "sed -i s/a/b/ /etc/hosts", 4, 0, "sed: couldn't open temporary file /etc/sedX: Read-only file system\n",
          OUTSIDE("/etc/sedX") },
        { "make install", 2, 0, "/usr/bin/install: cannot create regular file '/usr/local/bin/x': Read-only file system\n",
          OUTSIDE("/usr/local/bin/x") },
        /* bailey itself */
        { "make", 1, 0, "rm: cannot remove 'build/bailey': Device or resource busy\n", PROGRAM("/work/app/build/bailey") },
        { "make", 1, 0, "cp: cannot create regular file '/work/app/build/bailey': Read-only file system\n",
          PROGRAM("/work/app/build/bailey") },
        { "ls", 1, 0, "rm: cannot remove 'build/bailey2': Device or resource busy\n", NULL },

        /* protected */
        { "git config user.name x", 4, 0, "error: could not write config file .git/config: Device or resource busy\n",
          PROTECTED("/work/app/.git/config") },
        { "echo x > .git/hooks/pre-commit", 1, 0, "bash: line 1: .git/hooks/pre-commit: Read-only file system\n",
          PROTECTED("/work/app/.git/hooks") },
        { "rm -rf /work/app/.git", 1, 0, "rm: cannot remove '/work/app/.git/hooks/a.sample': Read-only file system\n",
          PROTECTED("/work/app/.git/hooks") },
        { "mv x .envrc", 1, 0, "mv: cannot move 'x' to './.envrc': Permission denied\n", PROTECTED("/work/app/.envrc") },
        /* look-alikes */
        { "grep -rn denied docs", 0, 0, "docs/x.md:3: it says Permission denied\n", NULL },
        { "grep -rn 'file system' /usr/share/doc", 0, 0, "/usr/share/doc/x:9: on /usr a Read-only file system\n", NULL },
        { "./x.sh", 126, 0, "bash: line 1: ./x.sh: Permission denied\n", NULL },
        { "/work/app/x.sh", 126, 0, "bash: line 1: /work/app/x.sh: Permission denied\n", NULL },
        { "cat /root/x", 1, 0, "cat: /root/x: Permission denied\n", NULL },
        { "cat /home/u/.sshx/a", 1, 0, "cat: /home/u/.sshx/a: Permission denied\n", NULL },
        { "cat /home/u/.ssh.old", 1, 0, "cat: /home/u/.ssh.old: Permission denied\n", NULL },
        { "cat /x/home/u/.ssh", 1, 0, "cat: /x/home/u/.ssh: Permission denied\n", NULL },
        { "cat sub/.env", 1, 0, "cat: sub/.env: Permission denied\n", NULL },
        { "cat /home/u/.ssh/id_rsa", 1, 0, "cat: /home/u/.ssh/id_rsa: No such file or directory\nx: Permission denied\n",
          NULL },
        { "rm '/srv/my data/x'", 1, 0, "rm: cannot remove '/srv/my data/x': Permission denied\n", NULL },
        { "rm /tmp/x", 1, 0, "rm: cannot remove '/tmp/x': Permission denied\n", NULL },
        { "mkdir build", 1, 0, "mkdir: cannot create directory 'build': Permission denied\n", NULL },
        { "umount x", 32, 0, "umount: /mnt: Device or resource busy\n", NULL },
        { "touch x", 1, 0, "touch: cannot touch 'x': Read-only file system\n", NULL },
};

static const struct row limit_rows[] = {
        { "./hungry", -1, SIGKILL, "", MEMORY },
        { "bash -c ./hungry", 137, 0, "Killed\n", MEMORY },
        { "python3 x.py", 1, 0, "MemoryError\n", "max_memory_bytes" },
        { "./x", 1, 0, "bash: fork: Cannot allocate memory\n", "(512 MiB)" },
        { "./x", -1, SIGSYS, "", SYSCALL },
        { "./x; exit", 159, 0, "Bad system call\n", SYSCALL },
        { "./x | cat; ./y", 1, 0, "bash: line 1: 12 Bad system call (core dumped) ./x\n", SYSCALL },
        { "./x", -1, SIGXCPU, "",
          "processor time in seconds (60). Do less work in one command; the user can raise `[sandbox] max_cpu_secs`" },
        { "./x", 152, 0, "CPU time limit exceeded\n", "max_cpu_secs" },
        { "./x", -1, SIGXFSZ, "", "(1536 KiB)" },
        { "./x", 153, 0, "", "max_file_bytes" },
        { "dd if=/dev/zero of=x", 1, 0, "dd: error writing 'x': File too large\n", "max_file_bytes" },
        { "make -j", 2, 0, "bash: fork: retry: Resource temporarily unavailable\n", "max_pids" },
        { "cp big /tmp/", 1, 0, "cp: error writing '/tmp/big': No space left on device\n", "tmp_bytes" },
        { "./x", 1, 0, "OSError: [Errno 24] Too many open files: 'x'\n", "(256)" },
        /* look-alikes */
        { "./x", -1, SIGSEGV, "", NULL },
        { "./x", -1, SIGTERM, "", NULL },
        { "./x", 139, 0, "Segmentation fault\n", NULL },
        { "grep -rn MemoryError .", 1, 0, "x.py:1: MemoryError\n", NULL },
        { "./test", 0, 0, "ok: handles Too many open files, out of memory, Bad system call\n", NULL },
        { "cp big /mnt/", 1, 0, "cp: error writing '/mnt/big': No space left on device\n", NULL },
        { "read x", 1, 0, "read: Resource temporarily unavailable\n", NULL },
        { "./x", 1, 0, "", NULL },
        { "", 0, 0, "", NULL },
};

/* The same ends where there are no walls to run into. */
static const struct row unlimited_rows[] = {
        { "curl -s https://example.org", 6, 0, "curl: (6) Could not resolve host: example.org\n", NULL },
        { "x=$(curl -s https://example.com)", 6, 0, "", NULL },
        { "./hungry", 137, 0, "Killed\nCannot allocate memory\n", NULL },
        { "./x", -1, SIGKILL, "", NULL },
        { "./x", -1, SIGXCPU, "", NULL },
        { "./x", 153, 0, "File size limit exceeded\n", NULL },
        { "make -j", 2, 0, "bash: fork: retry: Resource temporarily unavailable\n", NULL },
        { "cp big /tmp/", 1, 0, "cp: error writing '/tmp/big': No space left on device\n", NULL },
        { "./x", 1, 0, "Too many open files\n", NULL },
};

static void network(void **state) {
        (void)state;
        CHECK(network_rows, limited());
}

#define TOOLS "Do not retry with curl or wget: use your own fetch or search tool"
#define UNLISTED(host) host " is not in sandbox.network.hosts, so the sandbox does not let commands reach it. " TOOLS
#define FLAG(host) ", or ask the user, who can allow it with `--allow-host " host "`."

static const struct row host_rows[] = {
        { "curl -s https://evil.example", 6, 0, "", UNLISTED("evil.example") FLAG("evil.example") },
        { "curl -s https://user:hunter2@evil.example:8443/x", 6, 0, "", UNLISTED("evil.example") FLAG("evil.example") },
        { "git clone https://evil.example/a/b", 128, 0, "fatal: Could not resolve host: evil.example\n",
          UNLISTED("evil.example") FLAG("evil.example") },
        { "curl -s https://api.example.org https://evil.example", 6, 0, "", UNLISTED("evil.example") FLAG("evil.example") },
        { "curl -s https://denied.example.org", 6, 0, "",
          "denied.example.org is in guard.domain_denylist. Do not contact this host." },
        /* not for want of being listed */
        { "curl -s https://api.example.org", 6, 0, "", NULL },
        { "curl -s https://api.example.org", 6, 0, "curl: (6) Could not resolve host: api.example.org\n", NULL },
        { "curl -s http://localhost:1/", 7, 0, "", NULL },
        { "./deploy.sh", 1, 0, "connect to 10.0.0.1: Network is unreachable\n", NULL },
};

static struct policy listing(void) {
        static const struct str hosts[] = { STR("*.example.org") }, denied[] = { STR("denied.example.org") };

        return (struct policy){ .sandbox = { .network = NETWORK_ALLOW_HOSTS, .network_hosts = { hosts, 1 } },
                                .guard = { .domain_denylist = { denied, 1 } } };
}

/* Each refusal names the host in what is to be typed. */
static void hosts(void **state) {
        static const char *const refused[] = { "evil.example:443 is not in sandbox.network.hosts; to allow it: bailey allow "
                                               "evil.example (bailey run: --allow-host evil.example)",
                                               NULL };
        const struct row row = { "curl -s https://evil.example", 6, 0, "", NULL }, plain = { "./deploy.sh", 1, 0, "x", NULL };
        struct policy policy = listing(), off = limited();
        struct explain_input in = input_of(&policy, &row);

        (void)state;
        CHECK(host_rows, listing());
        in.place = EXPLAIN_SESSION;
        check(&in,
              UNLISTED("evil.example") ", or ask the user, who can allow it in this session with `bailey allow evil.example`.");
        in = input_of(&policy, &plain);
        in.refused = refused;
        check(&in, "evil.example:443 is not in sandbox.network.hosts; to allow it: bailey allow evil.example (bailey run: "
                   "--allow-host evil.example). " TOOLS ".");
        in = input_of(&off, &row);
        check(&in, TOOLS ", or local files (the workspace, installed packages, caches), or ask the user, who can allow it with "
                         "`--allow-host evil.example`, `--network inherit` or BAILEY_BASH_ALLOW_NETWORK=1.");
}

static void paths(void **state) {
        (void)state;
        CHECK(path_rows, limited());
}

static void limits(void **state) {
        (void)state;
        CHECK(limit_rows, limited());
}

static void no_guarantees(void **state) {
        (void)state;
        CHECK(unlimited_rows, unlimited());
}

/* One that waits for a host is killed in the end, and so are others. */
static void waits_for_the_network(void **state) {
        static const struct row rows[] = {
                { "curl -s --retry 99 https://example.org", -1, SIGKILL, "", NEEDS("curl") },
                { "until ping -c 1 example.org >/dev/null 2>&1; do sleep 1; done", -1, SIGKILL, "", NEEDS("ping") },
                { "echo waiting; while ! curl -sf https://example.org; do sleep 1; done", -1, SIGKILL, "waiting\n",
                  NEEDS("curl") },
                { "npx --yes create-app x >log 2>&1", -1, SIGKILL, "",
                  "npx may need the network, and the sandbox allows only" },
                { "npm install --silent", -1, SIGKILL, "", "npm install may need the network" },
                { "cargo build", -1, SIGKILL, "   Compiling x v0.1.0\n", NULL },
                { "while ! curl -sf http://localhost:8080/; do sleep 1; done", -1, SIGKILL, "", NULL },
                { "sleep 1000", -1, SIGKILL, "", NULL },
        };
        struct policy policy = limited(), free_policy = unlimited();

        (void)state;
        policy.sandbox.max_memory_bytes = 0;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct explain_input in = input_of(&policy, &rows[i]), allowed = input_of(&free_policy, &rows[i]);
                struct str text;
                struct err err;
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                in.timed_out = allowed.timed_out = true;
                assert_int_equal(explain(&in, &arena, &text, &err), 0);
                assert_true(str_starts(text, STR("The command timed out after 120 s")));
                text = str_skip(text, str_find(text, '\n'));
                if (rows[i].says ? !memmem(text.ptr, text.len, rows[i].says, strlen(rows[i].says)) : text.len > 0)
                        fail_msg("%s: %.*s; expected: %s", rows[i].command, (int)text.len, text.ptr,
                                 rows[i].says ? rows[i].says : "nothing");
                check(&allowed, "The command timed out");
        }
}

static void ends(void **state) {
        struct policy policy = limited(), free_policy = unlimited();
        const struct row row = { "sleep 1000", -1, SIGKILL, "", NULL };
        struct explain_input in = input_of(&policy, &row);

        (void)state;
        in.timed_out = true;
        check(&in, "The command timed out after 120 s and was killed. Use a longer timeout, up to 600 s; the user");
        in.place = EXPLAIN_SESSION;
        check(&in, "Use a longer timeout, up to 600 s, or run it in the background; the user");
        in.place = EXPLAIN_BACKGROUND;
        check(&in, "Start it without a timeout, or with a longer one, up to 600 s; the user");
        in.timeout = TIME_SECOND / 2;
        check(&in, "after 0.5 s");
        in.timeout = 600 * TIME_SECOND;
        check(&in, "600 s and was killed. Start it without a timeout; the user");
        in.place = EXPLAIN_SESSION;
        check(&in, "This is the maximum: split the work into smaller steps, or run it in the background; the user");
        in.cancelled = true;
        check(&in, NULL);
        in = input_of(&free_policy, &row);
        in.memory_killed = true;
        check(&in, "The command was killed for exceeding its memory limit. Use less");
        in.memory_killed = false;
        in.user_memory_killed = true;
        free_policy.sandbox.user_memory_percent = 50;
        check(&in, "all commands of this user together exceeded their memory limit (50 % of the memory)");
        check(&in, "`[sandbox] user_memory_percent`");
        in.memory_killed = true;
        in.user_memory_killed = false;
        in.policy = &policy;
        check(&in, "The command was killed for exceeding its memory limit (512 MiB)");
}

static void limits_of_the_user(void **state) {
        struct policy policy = unlimited();
        const struct row row = { "make -j", 2, 0, "bash: fork: retry: Resource temporarily unavailable\n", NULL };
        struct explain_input in = input_of(&policy, &row);

        (void)state;
        check(&in, NULL);
        policy.sandbox.user_max_pids = 16384;
        check(&in, "that of all commands of this user together (16384)");
        check(&in, "raise `user_max_pids`");
}

static void a_workspace_that_cannot_be_written(void **state) {
        struct policy policy = limited();
        const struct row relative = { "touch x", 1, 0, "touch: cannot touch 'x': Read-only file system\n", NULL };
        const struct row absolute = { "touch /work/app/x", 1, 0, "touch: cannot touch '/work/app/x': Read-only file system\n",
                                      NULL };
        struct explain_input in = input_of(&policy, &relative);

        (void)state;
        in.writable = only_data;
        check(&in, WORKSPACE);
        in.output = STR("");
        check(&in, NULL);
        in = input_of(&policy, &absolute);
        in.writable = only_data;
        check(&in, "/work/app/x is not writable in the sandbox. Write to /tmp instead");
}

static void denied_by_the_policy(void **state) {
        static const struct str read_deny[] = { STR("/work/app/.env") }, write_deny[] = { STR("/work/app/.envrc") },
                                relative[] = { STR(".env") };
        struct policy policy = limited();
        const struct row read = { "cat .env", 1, 0, "cat: .env: Permission denied\n", NULL };
        const struct row write = { "touch .envrc", 1, 0, "touch: cannot touch '.envrc': Read-only file system\n", NULL };
        struct explain_input in;

        (void)state;
        policy.sandbox.fs_read_deny = (struct str_list){ read_deny, 1 };
        policy.sandbox.fs_write_deny = (struct str_list){ write_deny, 1 };
        in = input_of(&policy, &read);
        check(&in, "fs_read_deny");
        in = input_of(&policy, &write);
        check(&in, "fs_write_deny");
        policy.sandbox.fs_read_deny = (struct str_list){ relative, 1 };
        in = input_of(&policy, &read);
        check(&in, "fs_read_deny");
}

/* It is not in the private /tmp that commands can write. */
static void workspace_below_tmp(void **state) {
        static const char *const temporary[] = { "/tmp", "/dev", NULL }, *const and_workspace[] = { "/tmp", "/tmp/app", NULL };
        const struct row row = { "touch x", 1, 0, "touch: cannot touch 'x': Read-only file system\n", NULL };
        struct policy policy = limited();
        struct explain_input in = input_of(&policy, &row);

        (void)state;
        policy.sandbox.workspace_write = false;
        in.workspace = "/tmp/app";
        in.writable = temporary;
        check(&in, WORKSPACE);
        in.writable = and_workspace;
        check(&in, NULL);
}

static void several_findings(void **state) {
        struct policy policy = limited();
        const struct row row = { "cat ~/.ssh/a ~/.ssh/b ~/.aws/c; curl https://example.org", 6, 0,
                                 "cat: /home/u/.ssh/a: Permission denied\ncat: /home/u/.ssh/b: Permission denied\n"
                                 "cat: /home/u/.aws/c: Permission denied\n",
                                 NULL };
        struct explain_input in = input_of(&policy, &row);
        struct str text;
        size_t lines = 0;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(explain(&in, &arena, &text, NULL), 0);
        for (size_t i = 0; i < text.len; i++)
                lines += text.ptr[i] == '\n';
        assert_int_equal(lines, 2);
}

static void output_that_is_not_known(void **state) {
        struct policy policy = limited();
        const struct row row = { "curl https://example.org", 6, 0, "cat: /etc/shadow: Permission denied\n", NULL };
        struct explain_input in = input_of(&policy, &row);

        (void)state;
        in.output_known = false;
        in.output = STR("");
        check(&in, NEEDS("curl"));
        in.output = str_z(row.output);
        in.masked = in.read_only = in.writable = NULL;
        in.workspace = in.home = NULL;
        in.output_known = true;
        check(&in, NEEDS("curl"));
}

/* What comes early is not looked at, and no text takes long. */
static void long_outputs(void **state) {
        enum { SIZE = 1 << 20 };
        static const char *const units[] = { "permission denied /", "enetunreach ", "/home/u/.ssh ", "~/\n", "\n", "/a" };
        struct policy policy = limited();
        const struct row row = { "./x", 1, 0, "", NULL };
        struct explain_input in = input_of(&policy, &row);
        char *bytes = malloc(SIZE);
        struct str text;

        (void)state;
        for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++) {
                clock_t start = clock(); /* processor time: others may be at work, too */
                ARENA_AUTO arena;

                arena_init(&arena, 0);
                for (size_t i = 0; i < SIZE; i++)
                        bytes[i] = units[u][i % strlen(units[u])];
                in.output = str_from(bytes, SIZE);
                assert_int_equal(explain(&in, &arena, &text, NULL), 0);
                assert_true(clock() - start < 5 * CLOCKS_PER_SEC); /* milliseconds, but for sanitizers */
        }
        memset(bytes, 'x', SIZE);
        memcpy(bytes, "\n/etc/shadow: Permission denied\n", 32);
        check(&in, NULL);
        memcpy(bytes + SIZE - 100, "\ncat: /etc/shadow: Permission denied\n", 37);
        check(&in, MASKED("/etc/shadow"));
        free(bytes);
}

static void ports_of_background_commands(void **state) {
        struct policy policy = limited();
        static const struct {
                struct row row;
                const char *served;
        } rows[] = {
                { { "curl http://localhost:3000/", 7, 0,
                    "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server\n",
                    "Nothing listens at that port of localhost. Background commands of this session listen at: 5173, 8080." },
                  "5173, 8080" },
                { { "curl -s http://127.0.0.1:3000/", 7, 0, "", "do not listen at any port: read their output" }, "" },
                { { "node client.js", 1, 0, "Error: connect ECONNREFUSED 127.0.0.1:3000\n", "listen at: 5173." }, "5173" },
                { { "curl -s http://127.0.0.1:3000/", 7, 0, "", NULL }, NULL },
                { { "node client.js", 1, 0, "Error: connect ECONNREFUSED 192.0.2.1:3000\n", NULL }, "5173" },
                { { "node client.js", 0, 0, "Error: connect ECONNREFUSED 127.0.0.1:3000\n", NULL }, "5173" },
                { { "curl -s http://localhost:3000/", 22, 0, "", NULL }, "3000" },
                { { "cat log; false", 1, 0, "tests passed\n", NULL }, "3000" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct explain_input in = input_of(&policy, &rows[i].row);

                in.served = rows[i].served;
                check(&in, rows[i].row.says);
        }
}

static void no_memory(void **state) {
        struct policy policy = limited();
        const struct row row = { "curl https://example.org", 6, 0, "", NULL };
        struct explain_input in = input_of(&policy, &row);
        struct str text = STR("untouched");
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 16);
        assert_int_equal(explain(&in, &arena, &text, &err), -1);
        assert_int_equal(err.code, ERR_MEMORY);
        assert_str_equal(text, STR("untouched"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(network, setup, teardown),
                cmocka_unit_test_setup_teardown(hosts, setup, teardown),
                cmocka_unit_test_setup_teardown(paths, setup, teardown),
                cmocka_unit_test_setup_teardown(limits, setup, teardown),
                cmocka_unit_test_setup_teardown(no_guarantees, setup, teardown),
                cmocka_unit_test_setup_teardown(waits_for_the_network, setup, teardown),
                cmocka_unit_test_setup_teardown(ends, setup, teardown),
                cmocka_unit_test_setup_teardown(limits_of_the_user, setup, teardown),
                cmocka_unit_test_setup_teardown(a_workspace_that_cannot_be_written, setup, teardown),
                cmocka_unit_test_setup_teardown(denied_by_the_policy, setup, teardown),
                cmocka_unit_test_setup_teardown(workspace_below_tmp, setup, teardown),
                cmocka_unit_test_setup_teardown(several_findings, setup, teardown),
                cmocka_unit_test_setup_teardown(output_that_is_not_known, setup, teardown),
                cmocka_unit_test_setup_teardown(long_outputs, setup, teardown),
                cmocka_unit_test_setup_teardown(ports_of_background_commands, setup, teardown),
                cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
