#include "run/explain_command.h"

#include <stdlib.h>

#include "policy/hosts.h"
#include "bash/eval/walk.h"

enum {
        DEPTH_MAX = 4, /* bash -c "bash -c ..." */
        ARGS_MAX = 64,
};

/* ---- what is known about programs ---- */

/* Lists are words with a space between them. */
struct network_program {
        const char *name;
        const char *subcommands; /* NULL: whatever it does */
        const char *codes;       /* exit codes that say: no network; NULL: none is for that alone */
};

/* clang-format off */
static const struct network_program network_programs[] = {
        { "ansible-galaxy", NULL, NULL },
        { "apk", "add update upgrade fetch", NULL },
        { "apt", "update install upgrade full-upgrade dist-upgrade download source build-dep", NULL },
        { "apt-get", "update install upgrade full-upgrade dist-upgrade download source build-dep", NULL },
        { "aria2c", NULL, "6 19" },
        { "aws", NULL, NULL },
        { "az", NULL, NULL },
        { "brew", "install update upgrade fetch tap search", NULL },
        { "bun", "install i add update x create", NULL },
        { "bundle", "install update add", NULL },
        { "bunx", NULL, NULL },
        { "cargo", "install fetch build check test run update add search publish clippy doc bench", NULL },
        { "composer", "install update require create-project", NULL },
        { "conda", "install create update search", NULL },
        { "curl", NULL, "5 6 7 28 35 56" },
        { "deno", "install add cache run", NULL },
        { "dig", NULL, "9" },
        { "dnf", "install update upgrade makecache search", NULL },
        { "docker", "pull push login build run", NULL },
        { "dotnet", "restore build add", NULL },
        { "ftp", NULL, NULL },
        { "gcloud", NULL, NULL },
        { "gem", "install update fetch push", NULL },
        { "gh", NULL, NULL },
        { "git", "clone fetch pull push ls-remote submodule remote archive lfs", NULL },
        { "go", "get install mod build test run vet generate", NULL },
        { "gsutil", NULL, NULL },
        { "helm", "install upgrade pull repo", NULL },
        { "host", NULL, "1" },
        { "http", NULL, NULL },
        { "https", NULL, NULL },
        { "kubectl", NULL, NULL },
        { "mamba", "install create update search", NULL },
        { "nc", NULL, NULL },
        { "ncat", NULL, NULL },
        { "netcat", NULL, NULL },
        { "npm", "install i ci add update up view info search publish outdated audit exec x init create", NULL },
        { "npx", NULL, NULL },
        { "nslookup", NULL, "1" },
        { "pacman", NULL, NULL },
        { "pip", "install download wheel search index", NULL },
        { "pip3", "install download wheel search index", NULL },
        { "pipx", "install run upgrade inject", NULL },
        { "ping", NULL, "2" },
        { "ping6", NULL, "2" },
        { "pnpm", "install i add update up dlx create fetch publish audit outdated", NULL },
        { "podman", "pull push login build run", NULL },
        { "poetry", "install add update lock publish", NULL },
        { "rsync", NULL, "10 255" },
        { "rustup", NULL, NULL },
        { "scp", NULL, "255" },
        { "sftp", NULL, "255" },
        { "socat", NULL, NULL },
        { "ssh", NULL, "255" },
        { "svn", "checkout co update up commit", NULL },
        { "telnet", NULL, NULL },
        { "terraform", "init plan apply", NULL },
        { "traceroute", NULL, NULL },
        { "uv", NULL, NULL },
        { "uvx", NULL, NULL },
        { "wget", NULL, "4" },
        { "whois", NULL, NULL },
        { "yarn", NULL, NULL },
        { "yum", "install update upgrade makecache search", NULL },
        { "zypper", NULL, NULL },
};

/* Show what is in files or say what they are told. With one of these words they do something else too. */
static const struct printer {
        const char *name;
        const char *subcommands; /* NULL: whatever it does */
        const char *unless;
} printers[] = {
        { ":", NULL, NULL }, { "[", NULL, NULL }, { "ack", NULL, NULL }, { "ag", NULL, NULL },
        { "awk", NULL, NULL }, { "basename", NULL, NULL }, { "bat", NULL, NULL }, { "cat", NULL, NULL },
        { "cd", NULL, NULL }, { "cmp", NULL, NULL }, { "column", NULL, NULL }, { "comm", NULL, NULL },
        { "cut", NULL, NULL }, { "date", NULL, NULL }, { "diff", NULL, NULL }, { "dirname", NULL, NULL },
        { "echo", NULL, NULL }, { "egrep", NULL, NULL }, { "exit", NULL, NULL }, { "export", NULL, NULL },
        { "false", NULL, NULL }, { "fgrep", NULL, NULL }, { "file", NULL, NULL },
        { "find", NULL, "-delete -exec -execdir -ok -okdir -fprint" }, { "gawk", NULL, NULL },
        { "git", "log show diff grep blame status branch rev-parse", NULL }, { "grep", NULL, NULL }, { "head", NULL, NULL },
        { "hexdump", NULL, NULL }, { "jq", NULL, NULL }, { "journalctl", NULL, NULL }, { "less", NULL, NULL },
        { "ls", NULL, NULL }, { "mawk", NULL, NULL }, { "more", NULL, NULL }, { "nl", NULL, NULL }, { "od", NULL, NULL },
        { "printf", NULL, NULL }, { "pwd", NULL, NULL }, { "rg", NULL, NULL }, { "sed", NULL, "-i --in-place" },
        { "set", NULL, NULL }, { "sleep", NULL, NULL }, { "sort", NULL, "-o" }, { "stat", NULL, NULL },
        { "strings", NULL, NULL }, { "tac", NULL, NULL }, { "tail", NULL, NULL }, { "test", NULL, NULL }, { "tr", NULL, NULL },
        { "true", NULL, NULL }, { "uniq", NULL, NULL }, { "wc", NULL, NULL }, { "xxd", NULL, NULL }, { "yq", NULL, NULL },
        { "zcat", NULL, NULL }, { "zgrep", NULL, NULL },
};

/* Run the program that stands somewhere among their arguments. */
static const char wrappers[] = "sudo doas env timeout nice nohup time command exec xargs stdbuf setsid ionice builtin watch "
                               "unbuffer strace ltrace";
static const char shells[] = "bash sh dash zsh ksh";
static const char pythons[] = "python python2 python3 py";
static const char options_with_value[] = "-C -c --git-dir --work-tree --prefix --cwd --manifest-path --filter -F";
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- words ---- */

static bool words_have(const char *words, struct str word) {
        size_t len;

        for (; word.len > 0 && *words; words += len + (words[len] == ' ')) {
                len = strcspn(words, " ");
                if (str_eq(str_from(words, len), word))
                        return true;
        }
        return false;
}

static bool words_have_number(const char *words, int number) {
        for (char *end; *words; words = *end == ' ' ? end + 1 : end)
                if (strtol(words, &end, 10) == number)
                        return true;
        return false;
}

static struct str base_name(struct str path) {
        const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

        return slash ? str_skip(path, (size_t)(slash + 1 - path.ptr)) : path;
}

/* ---- one command ---- */

struct call {
        struct str *args; /* args[0] is the base name of the program */
        size_t count;
};

struct reader {
        struct explain_command *ret;
        struct arena *arena;
        struct script script;
        int exit_code;
        unsigned depth;
        bool status_counts; /* the status of this script is that of the whole */
        bool failed;        /* no memory */
        size_t calls, printing;
};

static void read_script(struct reader *reader, struct str text);

static struct str subcommand(const struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                if (call->args[i].len && call->args[i].ptr[0] != '-' && call->args[i].ptr[0] != '+')
                        return call->args[i];
                if (words_have(options_with_value, call->args[i]))
                        i++;
        }
        return STR("");
}

static bool subcommand_is(const struct call *call, const char *subcommands) {
        return !subcommands || words_have(subcommands, subcommand(call));
}

static const struct network_program *network_program(const struct call *call) {
        for (size_t i = 0; i < COUNT(network_programs); i++)
                if (str_is(call->args[0], network_programs[i].name))
                        return subcommand_is(call, network_programs[i].subcommands) ? &network_programs[i] : NULL;
        return NULL;
}

static bool is_printer(const struct call *call) {
        size_t i = 0;

        while (i < COUNT(printers) && !str_is(call->args[0], printers[i].name))
                i++;
        if (i == COUNT(printers) || !subcommand_is(call, printers[i].subcommands))
                return false;
        for (size_t a = 1; printers[i].unless && a < call->count; a++)
                if (words_have(printers[i].unless, call->args[a]))
                        return false;
        return true;
}

static bool is_number(struct str s) {
        size_t i = 0;

        while (i < s.len && is_ascii_digit((unsigned char)s.ptr[i]))
                i++;
        return i == s.len;
}

/* Does it name localhost, and no URL that leads elsewhere? */
static bool is_local(const struct call *call) {
        bool local = false;
        struct host host;

        for (size_t i = 1; i < call->count; i++) {
                if (is_number(call->args[i]) || call->args[i].ptr[0] == '-' || host_from_url(call->args[i], &host) < 0)
                        continue;
                if (host_is_loopback(&host))
                        local = true;
                else if (url_scheme(call->args[i]).len > 0)
                        return false;
        }
        return local;
}

static struct str program_title(struct reader *reader, const struct call *call, const struct network_program *program) {
        struct str name = call->args[0], sub = program->subcommands ? subcommand(call) : STR("");
        char *text = arena_bytes(reader->arena, name.len + 1 + sub.len);

        if (!text || !sub.len)
                return name;
        memcpy(text, name.ptr, name.len);
        text[name.len] = ' ';
        memcpy(text + name.len + 1, sub.ptr, sub.len);
        return str_from(text, name.len + 1 + sub.len);
}

static void note_network(struct reader *reader, const struct call *call, const struct network_program *program, bool status) {
        struct explain_command *ret = reader->ret;
        bool code;

        if (is_local(call)) {
                ret->local = true;
                return;
        }
        code = status && program->codes && words_have_number(program->codes, reader->exit_code);
        if (!ret->network || (code && !ret->network_code))
                ret->program = program_title(reader, call, program);
        ret->network = true;
        ret->network_code |= code;
}

/* The first argument that is a program we know something about. */
static bool unwrap(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                struct call inner = { call->args + i, call->count - i };
                struct str as_given = inner.args[0];

                if (str_starts(as_given, STR("/")))
                        inner.args[0] = base_name(as_given);
                if (network_program(&inner) || is_printer(&inner) || words_have(wrappers, inner.args[0]) ||
                    words_have(shells, inner.args[0]) || words_have(pythons, inner.args[0])) {
                        *call = inner;
                        return true;
                }
                inner.args[0] = as_given;
        }
        return false;
}

/* bash -c TEXT, also -lc and the like. */
static bool shell_text(const struct call *call, struct str *ret_text) {
        for (size_t i = 1; words_have(shells, call->args[0]) && i + 1 < call->count; i++) {
                struct str arg = call->args[i];

                if (arg.len < 2 || arg.ptr[0] != '-')
                        return false;
                if (arg.ptr[1] != '-' && arg.ptr[arg.len - 1] == 'c') {
                        *ret_text = call->args[i + 1];
                        return true;
                }
        }
        return false;
}

static void read_call(struct reader *reader, struct call call, bool status) {
        const struct network_program *program;
        struct str text;

        for (int i = 0; i < DEPTH_MAX && words_have(wrappers, call.args[0]) && unwrap(&call); i++)
                ;
        if (words_have(pythons, call.args[0]) && call.count > 2 && str_is(call.args[1], "-m"))
                call = (struct call){ call.args + 2, call.count - 2 };
        if (shell_text(&call, &text)) {
                struct reader inner = *reader;

                inner.status_counts = status;
                read_script(&inner, text);
                reader->failed |= inner.failed;
                reader->calls = inner.calls;
                reader->printing = inner.printing;
                return;
        }
        reader->calls++;
        reader->printing += is_printer(&call);
        program = network_program(&call);
        if (program)
                note_network(reader, &call, program, status);
}

/* ---- the script ---- */

static bool is_pipe(const struct command *command) {
        return command->join == JOIN_PIPE || command->join == JOIN_PIPE_BOTH;
}

/* When this one fails, is its status the script's? So it is when all that follows is not run for that: a && b | c. */
static bool status_is_last(const struct script *script, const struct command *command) {
        const struct command *c = script->commands;

        while (c && c != command)
                c = c->next;
        if (!c || c->negated || is_pipe(c))
                return false;
        for (; c; c = c->next)
                if (c->next ? c->join != JOIN_AND && !is_pipe(c) : c->join == JOIN_BACKGROUND)
                        return false;
        return true;
}

static void note_targets(struct explain_command *ret, const struct walk_redirect *redirect) {
        for (; redirect; redirect = redirect->next) {
                const struct field *target = redirect->targets;

                if (redirect->redir->op != REDIR_INPUT && redirect->target_count == 1 && target->kind == FIELD_KNOWN &&
                    target->text.len > 1 && !str_is(target->text, "/dev/null") && ret->target_count < EXPLAIN_TARGETS_MAX)
                        ret->targets[ret->target_count++] = target->text;
        }
}

static bool read_visit(void *context, const struct walk_visit *visit) {
        struct reader *reader = context;
        struct str args[ARGS_MAX];
        size_t count = visit->argc < ARGS_MAX ? visit->argc : ARGS_MAX;

        note_targets(reader->ret, visit->redirects);
        for (size_t i = 0; i < count; i++)
                args[i] = visit->argv[i].kind == FIELD_KNOWN ? visit->argv[i].text : visit->argv[i].prefix;
        if (count == 0 || visit->callee)
                return true;
        args[0] = base_name(args[0]);
        read_call(reader, (struct call){ args, count },
                  reader->status_counts && visit->script == &reader->script && status_is_last(&reader->script, visit->command));
        return !reader->failed;
}

static void read_script(struct reader *reader, struct str text) {
        struct walk_visitor visitor = { .context = reader, .command = read_visit };
        enum walk_end end;

        if (reader->depth++ >= DEPTH_MAX)
                return;
        shell_parse(text, reader->arena, &reader->script);
        end = reader->script.error.kind == SYNTAX_NO_MEMORY ? WALK_NO_MEMORY
                                                            : shell_walk(&reader->script, NULL, &visitor, reader->arena);
        reader->failed |= end == WALK_NO_MEMORY;
}

int explain_command(struct str command, int exit_code, struct arena *arena, struct explain_command *ret) {
        struct reader reader = { .ret = ret, .arena = arena, .exit_code = exit_code, .status_counts = true };

        *ret = (struct explain_command){ 0 };
        read_script(&reader, command);
        ret->prints_only = reader.calls > 0 && reader.calls == reader.printing && ret->target_count == 0;
        return reader.failed ? -1 : 0;
}
