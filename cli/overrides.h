/*
 * Options of commands that run something: rows that several tables share, and those of them that are config keys by another
 * name.
 */
#ifndef BAILEY_CLI_OVERRIDES_H
#define BAILEY_CLI_OVERRIDES_H

#include "cli/options.h"

#define ROW_POLICY \
        { "policy", 'p', "POLICY", "policy to use: default, readonly, build, or one from a config file" }
#define ROW_BACKEND                                                                                                         \
        {                                                                                                                   \
                "backend", 'b', "BACKEND",                                                                                  \
                        "native, bwrap, landlock, podman, docker or gvisor; default: the first of native, bwrap, landlock " \
                        "that works"                                                                                        \
        }
#define ROW_WORKSPACE \
        { "workspace", 'w', "DIR", "directory that the command may write; default: the current directory" }
#define ROW_READ \
        { "read", 0, "PATH", "also allow reading PATH" }
#define ROW_WRITE \
        { "write", 0, "PATH", "also allow writing PATH" }
#define ROW_DENY_READ \
        { "deny-read", 0, "PATH", "deny reading PATH" }
#define ROW_DENY_WRITE \
        { "deny-write", 0, "PATH", "deny writing PATH" }
#define NETWORKS "deny|allow_hosts|packages|inherit"
#define NETWORKS_HELP                                                                                                    \
        "deny: only a private localhost (default); allow_hosts: the hosts in the config and of --allow-host; packages: " \
        "package "                                                                                                       \
        "registries, too; inherit: the network of the host"
#define ALLOW_HOST_HELP "also allow connections to HOST, *.HOST, HOST:PORT, HOST:* or a preset such as @github"
#define PUBLISH_HELP "open a port of the command on the host's 127.0.0.1: 3000, or 8080:3000 for port 8080 of the host"
#define HOST_PORT_HELP "let the command connect to this port of the host's 127.0.0.1"
#define ROW_NETWORK \
        { "network", 'n', NETWORKS, NETWORKS_HELP }
#define ROW_ALLOW_HOST \
        { "allow-host", 0, "HOST", ALLOW_HOST_HELP }
#define ROW_PUBLISH \
        { "publish", 0, "PORT", PUBLISH_HELP }
#define ROW_HOST_PORT \
        { "host-port", 0, "PORT", HOST_PORT_HELP }
#define ROW_ROOT \
        { "root", 0, "host|minimal", "visible files: the host's, read-only, or system directories only" }
#define ROW_TIMEOUT \
        { "timeout", 't', "SECONDS", "kill the command after this time; 0: never" }
#define ROW_MEMORY \
        { "memory", 0, "BYTES", "limit memory: 512M, 2GiB, ..." }
#define ROW_CPU_SECS \
        { "cpu-secs", 0, "N", "limit processor time to N seconds" }
#define ROW_PIDS \
        { "pids", 0, "N", "limit the number of processes and threads" }
#define ROW_ENV \
        { "env", 'e', "NAME[=VALUE]", "pass a variable, or set it" }
#define OUTPUT_LIMIT_HELP \
        "drop output above this size; default: 10 KiB with the policies readonly and build, otherwise 0: no limit"
#define ROW_STRICT \
        { "strict", 0, NULL, "allow only a short list of system calls" }
#define ROW_SET \
        { "set", 's', "KEY=VALUE", "set any config key, such as sandbox.tmp_bytes=64MiB" }
#define ROW_CONFIG \
        { "config", 'c', "FILE", "read an additional config file" }
#define ROW_FORCE \
        { "force", 0, NULL, "accept a workspace such as /, /tmp or your home directory" }

enum { OVERRIDES_MAX = 2 * OPTIONS_GIVEN_MAX + 1 }; /* --output-limit makes two */

struct overrides {
        char *items[OVERRIDES_MAX];         /* "sandbox.network=deny", NULL-terminated */
        const char *options[OVERRIDES_MAX]; /* the option that sets it, "network"; NULL: --set */
        size_t count;
        bool failed; /* not all of them are here: policy_from_options() refuses that */
};

void overrides_read(const struct option_row *table, const struct options *options, struct overrides *ret);
void overrides_free(struct overrides *overrides);

/* What --timeout says, as bailey_run_options have it; `text` NULL: nothing. -1: it is no time, which has been said. */
int timeout_read(const char *command, const char *text, long long *ret_ms);

/* Returns the option, such as "memory", that was given for the config key at the start of `message`; NULL: none was. */
const char *overrides_option(const struct overrides *overrides, const char *message);

#endif
