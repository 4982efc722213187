#include "engine/why_table.h"

#include <stddef.h>
#include <string.h>

static const char mounts[] = "mounts", hidden[] = "hidden path", network[] = "network", limit[] = "limit",
                  calls[] = "system calls", guard[] = "guard", sockets[] = "sockets";

/* clang-format off */
static const struct why_row findings[] = {
        { "outside", mounts, "%s is not writable in the sandbox", "sandbox.fs_write_allow = [\"%s\"]", "--write %s",
          "all commands can read and write %s and everything below it" },
        { "workspace-read-only", mounts, "the workspace %s is read-only under this policy", "sandbox.workspace_write = true",
          NULL,
          "all commands can write the workspace" },
        { "write-denied", mounts, "the policy denies writing %s",
          "remove the entry that matches %s from sandbox.fs_write_deny", NULL,
          "all commands can write it, if it is in the workspace or in sandbox.fs_write_allow" },
        { "protected", mounts, "%s is read-only because programs outside of the sandbox run or read it",
          "sandbox.protect_workspace = false", NULL,
          "commands can leave code in all such files of the workspace, which then runs outside of the sandbox" },
        { "bailey-program", mounts, "%s is the bailey program that runs this command", NULL, NULL, NULL },
        { "read-denied", hidden, "the policy denies reading %s",
          "remove the entry that matches %s from sandbox.fs_read_deny", NULL,
          "all commands can read it, and write it where they can write" },
        { "credentials", hidden, "%s is hidden because it can contain credentials", NULL, NULL, NULL },
        { "hidden", hidden, "%s is not visible in the home directory of commands", "sandbox.fs_read_allow = [\"%s\"]",
          "--read %s",
          "all commands can read %s and everything below it" },
        { "unseen", hidden, "%s of the host is not visible in the sandbox", "sandbox.fs_read_allow = [\"%s\"]", "--read %s",
          "all commands can read %s and everything below it" },
        { "host", network, "%s is not in sandbox.network.hosts", "sandbox.network.hosts = [\"%s\"]", "--allow-host %s",
          "all commands can exchange data with %s" },
        { "private-host", network, "%s has a private address", "sandbox.network.private_hosts = [\"%s\"]",
          "--set sandbox.network.private_hosts=%s",
          "all commands can exchange data with %s, which may be in your own network" },
        { "host-denied", network, "%s is in guard.domain_denylist",
          "remove the entry that matches %s from guard.domain_denylist", NULL,
          "all commands can exchange data with it, if it is allowed" },
        { "port", network, "%s is listed, but without this port", "sandbox.network.hosts = [\"%s\"]", "--allow-host %s",
          "all commands can exchange data with %s" },
        { "host-deny", network, "%s cannot be reached: sandbox.network.kind is \"deny\"",
          "sandbox.network = { kind = \"allow_hosts\", hosts = [\"%s\"] }", "--allow-host %s",
          "all commands can exchange data with %s" },
        { "host-port", network, "nothing in the sandbox listens at this port; on the host, a program listens at port %s",
          "sandbox.network.host_ports = [%s]", "--host-port %s",
          "all commands can use the service of the host at that port" },
        { "socket", sockets, "%s is a socket of the host", "sandbox.unix_sockets = [\"%s\"]",
          "--set sandbox.unix_sockets.paths=%s", "all commands can use the service behind it" },
        { "engine-socket", sockets, "%s is the socket of a container engine", "sandbox.unix_sockets = [\"%s\"]",
          "--set sandbox.unix_sockets.paths=%s", "all commands can have it start containers with any access to the host" },
        { "network", network, "the sandbox allows only localhost", "sandbox.network.kind = \"inherit\"", "--network inherit",
          "all commands can exchange data with every host, those of the local network, too; to allow only some, set "
          "sandbox.network.kind = \"allow_hosts\" and sandbox.network.hosts" },
        { "timeout", limit, "the command was killed after %s", "run.timeout = 600", "--timeout 600",
          "all commands may take ten minutes, up to run.timeout_max" },
        { "max_memory_bytes", limit, "the memory limit of the command was reached: %s", "sandbox.max_memory_bytes = 0",
          "--memory 0",
          "sandbox.user_memory_percent is the only memory limit" },
        { "user_memory_percent", limit, "all commands of this user together reached their memory limit: %s percent",
          "sandbox.user_memory_percent = 80", NULL, "less memory is left for programs outside of sandboxes" },
        { "max_cpu_secs", limit, "the limit of processor time in seconds was reached: %s", "sandbox.max_cpu_secs = 0",
          "--cpu-secs 0",
          "commands may compute until their timeout" },
        { "max_file_bytes", limit, "the size limit of a file was reached: %s", "sandbox.max_file_bytes = 0",
          "--set sandbox.max_file_bytes=0", "commands can fill the disk" },
        { "max_pids", limit, "the limit of processes and threads was reached: %s", "sandbox.max_pids = 0", "--pids 0",
          "sandbox.user_max_pids is the only limit" },
        { "user_max_pids", limit, "a limit of processes and threads was reached; that of all commands of this user is %s",
          "sandbox.user_max_pids = 32768", NULL, "more processes compete with programs outside of sandboxes" },
        { "tmp_bytes", limit, "the private /tmp is full; its size is %s", "sandbox.tmp_bytes = \"4 GiB\"",
          "--set sandbox.tmp_bytes=4GiB", "files in /tmp take memory" },
        { "max_open_files", limit, "the limit of open files was reached: %s", "sandbox.max_open_files = 0",
          "--set sandbox.max_open_files=0", "commands can open as many files as bailey itself" },
        { "syscall-strict", calls, "the command used a system call that is not on the strict list",
          "sandbox.syscall_policy = \"inherit\"", "--set sandbox.syscall_policy=inherit",
          "all commands can use all system calls that builds need" },
        { "syscall", calls, "the command used a system call that is never allowed", NULL, NULL, NULL },
};

/* The text of a reason is on record. */
static const struct why_row rules[] = {
        { "blocked-command", guard, NULL, "guard.command_allow_overrides = [\"%s\"]", NULL,
          "all commands can run %s, with any arguments" },
        { "domain-not-allowed", guard, NULL, "guard.domain_allowlist = [\"%s\"]", NULL,
          "all commands can name %s; the sandbox has its own list, sandbox.network.hosts" },
        { "domain-denied", guard, NULL,
          "remove the entry that matches %s from guard.domain_denylist", NULL,
          "all commands can name it, if it is in guard.domain_allowlist" },
        { "upload", guard, NULL, "guard.domain_allowlist = [\"%s\"]", NULL, "all commands can send data to %s" },
        { "privilege-escalation", guard, NULL, "guard.allow_sudo = true", NULL,
          "commands can ask for other privileges; in the sandbox they get none" },
        { "not-listed", guard, NULL, "guard.allowed_commands = [\"%s\"]", NULL, "%s can be run with any arguments" },
        { "no-injection", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-option-code", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-opaque", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-writes", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-deletes", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-endless", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "no-network", guard, NULL, "guard.allow_only_listed = false", NULL, "all commands that are not blocked can run" },
        { "user-pattern", guard, NULL, "remove the pattern from guard.dangerous_patterns", NULL,
          "commands that it matches can run" },
};

/* No setting allows what these rules find and nothing else. */
static const struct why_row other_rule = {
        "", guard, NULL, "guard.mode = \"warn\"", "--set guard.mode=warn",
        "rules only warn, and block nothing; the sandbox does not change",
};
/* clang-format on */

static const struct why_row *find(const struct why_row *rows, size_t count, const char *kind) {
        for (size_t i = 0; i < count; i++)
                if (strcmp(rows[i].kind, kind) == 0)
                        return &rows[i];
        return NULL;
}

const struct why_row *why_finding(const char *kind) {
        return find(findings, sizeof(findings) / sizeof(*findings), kind);
}

const struct why_row *why_rule(const char *rule) {
        const struct why_row *row = find(rules, sizeof(rules) / sizeof(*rules), rule);

        return row ? row : &other_rule;
}
