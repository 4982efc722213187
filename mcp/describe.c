#include "mcp/call.h"

/* ---- parts ---- */

static void put_time(struct buf *out, long long ms) {
        if (ms % 1000)
                buf_format(out, "%.1f s", (double)ms / 1000);
        else
                buf_format(out, "%lld s", ms / 1000);
}

/* What is within reach: files, the network, programs. */
static void put_reach(const struct bailey_abilities *a, struct buf *out) {
        static const struct str networks[] = {
                [BAILEY_NETWORK_NONE] = STR(" It has no network access except to localhost."),
                [BAILEY_NETWORK_HOSTS] = STR(" It can reach only the hosts that the policy allows."),
                [BAILEY_NETWORK_ALL] = STR(" It has network access"),
        };

        if (!a->sandboxed)
                buf_append(out, STR(" It can read and write everything that the user can, including credentials."));
        else
                buf_format(out, "%s, which is %s; credentials are hidden.",
                           a->writes_workspace ? " It can write the workspace and /tmp"
                                               : " The workspace is read-only. It can write only /tmp",
                           a->keeps_tmp ? "private and kept for the session" : "empty for each command");
        if (a->sandboxed && a->own_home)
                buf_append(out, STR(" The home directory belongs to the workspace: it is writable, and contains only tools, "
                                    "package caches and settings of the user."));
        buf_append(out, networks[a->network]);
        if (a->network == BAILEY_NETWORK_ALL)
                buf_append(out,
                           a->guarded && !a->any_host ? STR(", but may name only hosts that the policy allows.") : STR("."));
        if (a->guarded && a->commands)
                buf_format(out, " Only these commands are allowed: %s.", a->commands);
}

static void put_guard(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, a->guarded
                                ? STR(" A blocked command does not run; the result names the rule, the reason and what to do "
                                      "instead.")
                                : STR(" Commands are not blocked: the guard only warns, or is off."));
}

static struct str place(const struct bailey_abilities *a) {
        return a->sandboxed ? STR("in a sandbox") : STR("WITHOUT a sandbox");
}

/* ---- texts ---- */

void describe_server(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("bailey runs bash commands "));
        buf_append(out, place(a));
        buf_append(out, a->keeps_state ? STR(". Every command starts in a new shell, in the directory and with the exported "
                                             "variables of the previous one.")
                                       : STR(". Every command starts in a new shell: only files are kept."));
        put_reach(a, out);
        put_guard(a, out);
        buf_append(out, STR(" Use run_in_background for servers and long builds, then BashOutput, BashInput and KillShell. "
                            "bash_sandbox_test checks a command without running it."));
}

void describe_bash(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Runs a bash command "));
        buf_append(out, place(a));
        buf_append(out, STR(" and returns its output: stdout and stderr in the order they were written, and `exit: N` if N is "
                            "not 0. Each command starts in a new shell without stdin, "));
        buf_append(out, a->keeps_state ? STR("in the directory and with the exported variables of the previous one; functions, "
                                             "aliases and options are not kept.")
                                       : STR("in the workspace: variables and the current directory are not kept."));
        put_reach(a, out);
        put_guard(a, out);
        buf_append(out, STR(" It is killed after "));
        put_time(out, a->timeout_ms);
        buf_append(out, STR(" unless another timeout is given; use run_in_background for commands that run longer than "));
        put_time(out, a->timeout_max_ms);
        buf_append(out, STR(" or do not end."));
}

void describe_kill(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Kills a background command and its child processes: sends a signal, and SIGKILL after "));
        put_time(out, a->kill_grace_ms);
        buf_append(out, STR(". Has no effect on a command that has ended. BashOutput can still read its output."));
}

void describe_test(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out,
                   STR("Checks a command without running it, and returns the verdict (allowed, warned or blocked) with its "
                       "reasons, and the commands that it found."));
        if (!a->guarded)
                buf_append(out, STR(" Under this policy, blocked commands still run."));
}

void describe_timeout(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Timeout in seconds; default: "));
        put_time(out, a->timeout_ms);
        buf_append(out, STR(", maximum: "));
        put_time(out, a->timeout_max_ms);
        buf_char(out, '.');
}

void describe_background(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Return a shell_id at once and let the command run: for servers, watchers and long builds. It is "
                            "killed after "));
        put_time(out, a->background_max_ms);
        buf_append(out, STR(" unless a timeout is given (maximum: "));
        put_time(out, a->timeout_max_ms);
        buf_format(out, "). At most %lld can run at a time.", a->shells_max);
}

void describe_cwd(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Directory to run in, inside the workspace; default: "));
        buf_append(out, a->keeps_state ? STR("the last directory of the previous command.") : STR("the workspace."));
}

void describe_fresh(const struct bailey_abilities *a, struct buf *out) {
        buf_append(out, STR("Start in the workspace, and discard the variables that earlier commands exported."));
        if (!a->keeps_state)
                buf_append(out, STR(" Has no effect here: nothing is kept."));
}
