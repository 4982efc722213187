/*
 * Options of commands that run something: rows that several tables share, and those of them that are config keys by another
 * name.
 */
#ifndef BAILEY_CLI_OVERRIDES_H
#define BAILEY_CLI_OVERRIDES_H

#include "cli/options.h"

#define ROW_POLICY \
        { "policy", 'p', "POLICY", "default, readonly, build, or one of a config file" }
#define ROW_BACKEND \
        { "backend", 'b', "BACKEND", "native, bwrap, landlock (default: the strongest that works), podman, docker, gvisor" }
#define ROW_WORKSPACE \
        { "workspace", 'w', "DIR", "what the command may write; default: here" }
#define ROW_READ \
        { "read", 0, "PATH", "more that it can read" }
#define ROW_WRITE \
        { "write", 0, "PATH", "more that it can write" }
#define ROW_DENY_READ \
        { "deny-read", 0, "PATH", "what it cannot read" }
#define ROW_DENY_WRITE \
        { "deny-write", 0, "PATH", "what it cannot write" }
#define ROW_NETWORK \
        { "network", 'n', "deny|inherit", "none but localhost, or the host's" }
#define ROW_ROOT \
        { "root", 0, "host|minimal", "the host's files read-only, or system directories only" }
#define ROW_MEMORY \
        { "memory", 0, "BYTES", "512M, 2GiB, ..." }
#define ROW_CPU_SECS \
        { "cpu-secs", 0, "N", "processor time" }
#define ROW_PIDS \
        { "pids", 0, "N", "processes and threads at a time" }
#define ROW_ENV \
        { "env", 'e', "NAME[=VALUE]", "a variable to pass, or to set" }
#define ROW_STRICT \
        { "strict", 0, NULL, "allow only a short list of system calls" }
#define ROW_SET \
        { "set", 's', "KEY=VALUE", "any config key, as in sandbox.tmp_bytes=64MiB" }
#define ROW_CONFIG \
        { "config", 'c', "FILE", "a config file that counts besides the usual ones" }
#define ROW_FORCE \
        { "force", 0, NULL, "also in a workspace like / or your home directory" }

enum { OVERRIDES_MAX = OPTIONS_GIVEN_MAX + 1 };

struct overrides {
        char *items[OVERRIDES_MAX]; /* "sandbox.network=deny", NULL-terminated */
        size_t count;
};

void overrides_read(const struct option_row *table, const struct options *options, struct overrides *ret);
void overrides_free(struct overrides *overrides);

#endif
