/*
 * What was seen, and how the command ended, make findings.
 */
#include "run/explain.h"

#include <signal.h>

#include "base/buf.h"
#include "base/time.h"
#include "policy/hosts.h"
#include "run/explain_evidence.h"

enum {
        TEXT_MAX = 16 << 10,
        SHELL_SIGNAL = 128, /* how a shell says that a signal ended a command */
};

/* ---- telling ---- */

#define S(str) (int)(str).len, (str).ptr

static void new_line(struct buf *out) {
        if (out->len > 0)
                buf_char(out, '\n');
}

static void found(const struct evidence *evidence, const char *kind, struct str subject) {
        struct explain_findings *findings = evidence->in->ret_findings;
        const char *copy;

        if (!findings || findings->count == EXPLAIN_FINDINGS_MAX)
                return;
        copy = arena_dup(evidence->arena, subject);
        if (copy)
                findings->items[findings->count++] = (struct explain_finding){ kind, copy };
}

static bool ended_by(const struct evidence *evidence, int signal) {
        return evidence->in->signal == signal || evidence->in->exit_code == SHELL_SIGNAL + signal;
}

static void put_bytes(struct buf *out, int64_t bytes) {
        static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
        size_t unit = 0;

        for (; bytes % 1024 == 0 && bytes > 0 && unit + 1 < sizeof(units) / sizeof(*units); bytes /= 1024)
                unit++;
        buf_format(out, "%lld %s", (long long)bytes, units[unit]);
}

static void put_seconds(struct buf *out, int64_t ns) {
        if (ns % TIME_SECOND)
                buf_format(out, "%.1f s", (double)ns / (double)TIME_SECOND);
        else
                buf_format(out, "%lld s", (long long)(ns / TIME_SECOND));
}

static void found_limit(const struct evidence *evidence, const char *kind, int64_t limit,
                        void put(struct buf *out, int64_t limit)) {
        BUF_AUTO text;

        buf_init(&text, TEXT_MAX);
        if (limit)
                put(&text, limit);
        found(evidence, kind, text.failed ? STR("") : buf_str(&text));
}

static void put_count(struct buf *out, int64_t count) {
        buf_format(out, "%lld", (long long)count);
}

/* A background command has no timeout unless one is asked for; where there is no background, it is not offered. */
static void put_longer(const struct evidence *evidence, struct buf *out) {
        int64_t most = evidence->in->policy->run.timeout_max;

        if (evidence->in->place == EXPLAIN_BACKGROUND)
                buf_append(out, STR("Start it without a timeout"));
        if (most > evidence->in->timeout) {
                buf_append(out, evidence->in->place == EXPLAIN_BACKGROUND ? STR(", or with a longer one, up to ")
                                                                          : STR("Use a longer timeout, up to "));
                put_seconds(out, most);
        } else if (evidence->in->place != EXPLAIN_BACKGROUND) {
                buf_append(out, STR("This is the maximum: split the work into smaller steps"));
        }
        if (evidence->in->place == EXPLAIN_SESSION)
                buf_append(out, STR(", or run it in the background"));
}

static void tell_timeout(const struct evidence *evidence, struct buf *out) {
        if (!evidence->in->timed_out)
                return;
        found_limit(evidence, "timeout", evidence->in->timeout, put_seconds);
        new_line(out);
        buf_append(out, STR("The command timed out after "));
        put_seconds(out, evidence->in->timeout);
        buf_append(out, STR(" and was killed. "));
        put_longer(evidence, out);
        buf_append(out, STR("; the user can change `[run] timeout` and `timeout_max`."));
}

static void tell_memory(const struct evidence *evidence, struct buf *out) {
        int64_t most = evidence->in->policy->sandbox.max_memory_bytes;
        bool killed = evidence->in->memory_killed || (most && !evidence->in->timed_out && ended_by(evidence, SIGKILL));

        if (!killed && !(evidence->seen & SIGN_MEMORY))
                return;
        found_limit(evidence, "max_memory_bytes", most, put_bytes);
        new_line(out);
        buf_append(out, evidence->in->memory_killed ? STR("The command was killed for exceeding its memory limit")
                        : killed                    ? STR("The command was killed, probably for exceeding its memory limit")
                                                    : STR("The command ran out of memory, probably at its limit"));
        if (most) {
                buf_append(out, STR(" ("));
                put_bytes(out, most);
                buf_char(out, ')');
        }
        buf_append(out, STR(". Use less memory (fewer jobs, smaller pieces); the user can raise the limit with `--memory` or "
                            "`[sandbox] max_memory_bytes`."));
}

static void tell_user_memory(const struct evidence *evidence, struct buf *out) {
        if (!evidence->in->user_memory_killed)
                return;
        found_limit(evidence, "user_memory_percent", evidence->in->policy->sandbox.user_memory_percent, put_count);
        new_line(out);
        buf_format(
                out,
                "A process was killed: all commands of this user together exceeded their memory limit (%lld %% of the memory). "
                "Use less memory (fewer jobs, smaller pieces); the user can raise `[sandbox] user_memory_percent`.",
                (long long)evidence->in->policy->sandbox.user_memory_percent);
}

static void tell_syscall(const struct evidence *evidence, struct buf *out) {
        bool strict = evidence->in->policy->sandbox.syscalls == SYSCALLS_STRICT;

        if (!ended_by(evidence, SIGSYS) && !(evidence->seen & SIGN_SYSCALL))
                return;
        found(evidence, strict ? "syscall-strict" : "syscall", STR(""));
        new_line(out);
        buf_append(out, STR("The command was killed for a system call that the sandbox does not allow. Use another approach"));
        buf_append(out, strict ? STR("; the user can allow more system calls with `[sandbox] syscall_policy = \"inherit\"`.")
                               : STR(": mounts, namespaces, kernel modules and 32-bit programs are never allowed."));
}

/* Limits that need no more than a number, a name and what to do. */
static void tell_limits(const struct evidence *evidence, struct buf *out) {
        const struct sandbox_policy *sandbox = &evidence->in->policy->sandbox;
        const struct {
                bool reached, bytes;
                int64_t limit;
                const char *text, *instead, *key;
        } rows[] = {
                { ended_by(evidence, SIGXCPU), false, sandbox->max_cpu_secs,
                  "The command exceeded its limit of processor time in seconds", "Do less work in one command",
                  "max_cpu_secs" },
                { ended_by(evidence, SIGXFSZ) || evidence->seen & SIGN_FILE_SIZE, true, sandbox->max_file_bytes,
                  "The command exceeded the size limit of a file", "Write smaller files", "max_file_bytes" },
                { evidence->seen & SIGN_PIDS, false, sandbox->max_pids,
                  "The command reached the limit of processes and threads", "Use fewer jobs at a time", "max_pids" },
                { evidence->seen & SIGN_SPACE, true, sandbox->tmp_bytes,
                  "The private /tmp, /var/tmp or /dev/shm is full; this is its size", "Write large files to the workspace",
                  "tmp_bytes" },
                { evidence->seen & SIGN_OPEN_FILES, false, sandbox->max_open_files,
                  "The command reached the limit of open files", "Open fewer files at a time", "max_open_files" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                if (!rows[i].reached || !rows[i].limit)
                        continue;
                found_limit(evidence, rows[i].key, rows[i].limit, rows[i].bytes ? put_bytes : put_count);
                new_line(out);
                buf_format(out, "%s (", rows[i].text);
                if (rows[i].bytes)
                        put_bytes(out, rows[i].limit);
                else
                        buf_format(out, "%lld", (long long)rows[i].limit);
                buf_format(out, "). %s; the user can raise `[sandbox] %s`.", rows[i].instead, rows[i].key);
        }
}

/* Where no limit of its own was set, there is one all the same, and that of all commands together. */
static void tell_user_pids(const struct evidence *evidence, struct buf *out) {
        const struct sandbox_policy *sandbox = &evidence->in->policy->sandbox;

        if (!(evidence->seen & SIGN_PIDS) || sandbox->max_pids || !sandbox->user_max_pids)
                return;
        found_limit(evidence, "user_max_pids", sandbox->user_max_pids, put_count);
        new_line(out);
        buf_format(out,
                   "The command reached a limit on processes and threads, its own or that of all commands of this user "
                   "together (%lld). Use fewer jobs at a time; the user can set `[sandbox] max_pids` or raise `user_max_pids`.",
                   (long long)sandbox->user_max_pids);
}

#define OWN_TOOLS "Do not retry with curl or wget: use your own fetch or search tool"

/* What the gateway saw comes before what the command looks like. */
static void tell_refused(const struct evidence *evidence, struct buf *out) {
        for (size_t i = 0; evidence->in->refused[i]; i++) {
                new_line(out);
                buf_format(out, "%s.", evidence->in->refused[i]);
        }
        buf_append(out, STR(" " OWN_TOOLS "."));
}

/* Some hosts can be reached: which could not, and what makes each of them reachable. */
static void tell_hosts(const struct evidence *evidence, struct buf *out) {
        const struct str_list denied = evidence->in->policy->guard.domain_denylist;

        for (size_t i = 0; i < evidence->hosts.count; i++) {
                struct str name = evidence->hosts.items[i];
                struct host host;

                new_line(out);
                if (host_from_url(name, &host) == 0 && host_list_has(denied, &host)) {
                        found(evidence, "host-denied", name);
                        buf_format(out, "%.*s is in guard.domain_denylist. Do not contact this host.", S(name));
                        continue;
                }
                found(evidence, "host", name);
                buf_format(out,
                           "%.*s is not in sandbox.network.hosts, so the sandbox does not let commands reach it. " OWN_TOOLS,
                           S(name));
                if (evidence->in->place == EXPLAIN_ALONE)
                        buf_format(out, ", or ask the user, who can allow it with `--allow-host %.*s`.", S(name));
                else
                        buf_format(out, ", or ask the user, who can allow it in this session with `bailey allow %.*s`.",
                                   S(name));
        }
}

static void tell_network(const struct evidence *evidence, struct buf *out) {
        const struct network_need *need = evidence->need;

        if (evidence->in->refused && *evidence->in->refused)
                return tell_refused(evidence, out);
        if (!(evidence->seen & SIGN_NETWORK))
                return;
        if (network_is_filtered(evidence->in->policy->sandbox.network))
                return tell_hosts(evidence, out);
        for (size_t i = 0; i < evidence->hosts.count; i++)
                found(evidence, "network", evidence->hosts.items[i]);
        if (!evidence->hosts.count)
                found(evidence, "network", STR(""));
        new_line(out);
        if (need && need->program.len && evidence->in->timed_out && !need->reaches)
                buf_format(out, "%.*s may need the network, and the sandbox allows only localhost. ", S(need->program));
        else if (need && need->program.len)
                buf_format(out, "%.*s needs the network, but the sandbox allows only localhost. ", S(need->program));
        else
                buf_append(out, STR("The command tried to reach another host, but the sandbox allows only localhost. "));
        buf_append(out, STR(OWN_TOOLS ", or local files (the workspace, installed packages, caches), or ask the user, who can "
                                      "allow it with "));
        for (size_t i = 0; i < evidence->hosts.count; i++)
                buf_format(out, "%s--allow-host %.*s%s", i ? "" : "`", S(evidence->hosts.items[i]),
                           i + 1 < evidence->hosts.count ? " " : "`, ");
        buf_append(out, STR("`--network inherit` or BAILEY_BASH_ALLOW_NETWORK=1."));
}

static bool is_listed(const char *const *list, struct str path) {
        for (; list && *list; list++)
                if (str_is(path, *list))
                        return true;
        return false;
}

/* Is the path in a list of the policy, in which it may be relative to the workspace? */
static bool denies(const struct evidence *evidence, struct str_list list, struct str path) {
        struct str workspace = evidence->in->workspace ? str_z(evidence->in->workspace) : STR("");
        struct str inside = str_skip(path, workspace.len + 1);

        for (size_t i = 0; i < list.count; i++)
                if (str_eq(list.items[i], path) || (inside.len && str_starts(path, workspace) &&
                                                    path.ptr[workspace.len] == '/' && str_eq(list.items[i], inside)))
                        return true;
        return false;
}

/* Each command has its own localhost, with the ports of background commands in it. */
static void tell_localhost(const struct evidence *evidence, struct buf *out) {
        if (!(evidence->seen & SIGN_LOCALHOST) || !evidence->in->served)
                return;
        new_line(out);
        buf_append(out, STR("Nothing listens at that port of localhost. "));
        if (*evidence->in->served)
                buf_format(out, "Background commands of this session listen at: %s.", evidence->in->served);
        else
                buf_append(out, STR("Background commands of this session do not listen at any port: read their output, and try "
                                    "again when the server has started."));
}

static const char *masked_kind(const struct evidence *evidence, struct str path) {
        bool denied =
                denies(evidence, evidence->in->policy->sandbox.fs_read_deny, path) || is_listed(evidence->in->matched, path);

        return denied ? "read-denied" : "credentials";
}

static const char *protected_kind(const struct evidence *evidence, struct str path) {
        if (denies(evidence, evidence->in->policy->sandbox.fs_write_deny, path) || is_listed(evidence->in->matched, path))
                return "write-denied";
        return is_listed(evidence->in->programs, path) ? "bailey-program" : "protected";
}

static void tell_masked(const struct evidence *evidence, struct buf *out) {
        for (size_t i = 0; i < evidence->masked.count; i++) {
                struct str path = evidence->masked.items[i];

                found(evidence, masked_kind(evidence, path), path);
                new_line(out);
                if (denies(evidence, evidence->in->policy->sandbox.fs_read_deny, path))
                        buf_format(out,
                                   "The policy denies reading %.*s. Continue without it, or ask the user, who can remove it "
                                   "from `[sandbox] fs_read_deny`.",
                                   S(path));
                else if (is_listed(evidence->in->matched, path))
                        buf_format(out,
                                   "The policy denies reading %.*s, which matches a pattern. Continue without it, or ask the "
                                   "user, who can change `[sandbox] fs_read_deny`.",
                                   S(path));
                else
                        buf_format(out,
                                   "%.*s is hidden in the sandbox because it can contain credentials. Continue without it, or "
                                   "ask the user to run the command outside the sandbox.",
                                   S(path));
        }
}

static void tell_hidden(const struct evidence *evidence, struct buf *out) {
        for (size_t i = 0; i < evidence->hidden.count; i++) {
                struct str path = evidence->hidden.items[i];

                found(evidence, "hidden", path);
                new_line(out);
                buf_format(
                        out,
                        "%.*s exists, but is not shown in the home directory that commands have. Continue without it, or ask "
                        "the user, who can show it with `--read %.*s`, `[sandbox] fs_read_allow` or `home_show`.",
                        S(path), S(path));
        }
}

static void tell_protected(const struct evidence *evidence, struct buf *out) {
        for (size_t i = 0; i < evidence->protected.count; i++) {
                struct str path = evidence->protected.items[i];

                found(evidence, protected_kind(evidence, path), path);
                new_line(out);
                if (denies(evidence, evidence->in->policy->sandbox.fs_write_deny, path))
                        buf_format(out,
                                   "The policy denies writing %.*s. Leave it unchanged, or ask the user, who can remove it "
                                   "from `[sandbox] fs_write_deny`.",
                                   S(path));
                else if (is_listed(evidence->in->matched, path))
                        buf_format(out,
                                   "The policy denies writing %.*s, which matches a pattern. Leave it unchanged, or ask the "
                                   "user, who can change `[sandbox] fs_write_deny`.",
                                   S(path));
                else if (is_listed(evidence->in->programs, path))
                        buf_format(out,
                                   "%.*s is the bailey program that runs this command. It is read-only because replacing it "
                                   "would change what later commands may do. Build into another directory, or ask the user, "
                                   "who can use a bailey that is installed elsewhere.",
                                   S(path));
                else
                        buf_format(out,
                                   "%.*s is read-only because programs outside the sandbox run or read it. Leave it unchanged, "
                                   "or ask the user to change it.",
                                   S(path));
        }
}

static void tell_outside(const struct evidence *evidence, struct buf *out) {
        bool workspace = explain_workspace_writable(evidence->in);

        for (size_t i = 0; i < evidence->outside.count; i++) {
                struct str path = evidence->outside.items[i];

                found(evidence, "outside", path);
                new_line(out);
                buf_format(out,
                           "%.*s is not writable in the sandbox. Write to %s%s/tmp instead; the user can allow it with "
                           "`--write %.*s` or `[sandbox] fs_write_allow`.",
                           S(path), workspace ? evidence->in->workspace : "", workspace ? " or " : "", S(path));
        }
        if (!evidence->workspace_read_only)
                return;
        found(evidence, "workspace-read-only", evidence->in->workspace ? str_z(evidence->in->workspace) : STR(""));
        new_line(out);
        buf_append(out, STR("The workspace is read-only under this policy. Write to /tmp instead; the user can select another "
                            "policy or set `[sandbox] workspace_write = true`."));
}

/* A command that was content and said nothing. */
static bool is_fine(const struct explain_input *in) {
        return in->exit_code == 0 && !in->signal && !in->timed_out && !in->memory_killed && in->output_known &&
               in->output.len == 0;
}

int explain(const struct explain_input *in, struct arena *arena, struct str *ret_text, struct err *err) {
        static void (*const tell[])(const struct evidence *evidence, struct buf *out) = {
                tell_timeout, tell_memory,    tell_user_memory, tell_syscall, tell_limits,    tell_user_pids,
                tell_network, tell_localhost, tell_masked,      tell_hidden,  tell_protected, tell_outside,
        };
        BUF_AUTO out;
        struct evidence evidence = { .in = in, .arena = arena };
        char *text;

        buf_init(&out, TEXT_MAX);
        if (!in->cancelled && !is_fine(in)) { /* whoever did that knows why */
                if (explain_gather(&evidence) < 0)
                        return err_memory(err);
                for (size_t i = 0; i < sizeof(tell) / sizeof(*tell); i++)
                        tell[i](&evidence, &out);
        }
        text = out.failed ? NULL : arena_dup(arena, buf_str(&out));
        if (!text)
                return err_memory(err);
        *ret_text = str_from(text, out.len);
        return 0;
}
