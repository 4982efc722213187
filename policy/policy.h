/*
 * A policy: everything that is allowed, needed and limited, resolved from the built-in one and the config files.
 * Immutable after it is loaded (policy/load.h), and lives as long as the engine. What each field means to a user, its
 * range and its default stand in the table of policy/keys_table.c.
 */
#ifndef BAILEY_POLICY_POLICY_H
#define BAILEY_POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct str_list {
        const struct str *items;
        size_t count;
};

/* ---- the guard ---- */

enum guard_mode {
        GUARD_ENFORCE, /* what is blocked does not run */
        GUARD_WARN,    /* it is reported, and runs */
        GUARD_OFF,
};

enum severity {
        SEVERITY_WARN,
        SEVERITY_BLOCK,
};

/* A regular expression that a user wrote: [[guard.dangerous_patterns]]. */
struct user_pattern {
        struct str name, regex, message;
        enum severity severity;
        void *code; /* pcre2_code; see policy/pattern.h */
};

struct guard_policy {
        enum guard_mode mode;
        uint32_t max_command_length;
        bool allow_sudo;
        bool allow_any_domain;        /* allow_curl_to_arbitrary_domains */
        bool block_unreachable_hosts; /* hosts that are not listed, where the sandbox's network keeps commands from them, too */
        bool allow_only_listed;       /* nothing runs but `allowed_commands`, and nothing that cannot be known */
        struct str bypass_env_var;
        struct str_list domain_allowlist, domain_denylist;
        struct str_list command_blocklist;
        struct str_list command_allow_overrides; /* names taken off the blocklist */
        struct str_list allowed_commands;        /* words: "ls", "npm run", "python -m pytest" */
        struct str_list ask;                     /* words, as of the blocklist: the user is to be asked first */
        const struct user_pattern *patterns;
        size_t pattern_count;
};

/* ---- the sandbox: the manifest ---- */

enum sandbox_backend {
        BACKEND_AUTO, /* the strongest that enforces what is needed */
#define BACKEND(id, variable, name) BACKEND_##id,
#include "policy/backends.def"
};

enum sandbox_root {
        ROOT_HOST,    /* the host's root, read-only */
        ROOT_MINIMAL, /* system directories and what is allowed, nothing else */
};

enum sandbox_home {
        HOME_HOST, /* the user's, read-only, without credential stores */
        HOME_OWN,  /* that of the workspace: home/home.h */
        HOME_NONE, /* an empty directory, for each command */
};

enum network_kind {
        NETWORK_INHERIT,
        NETWORK_DENY,
        NETWORK_ALLOW_HOSTS,
        NETWORK_PACKAGES, /* NETWORK_ALLOW_HOSTS with the preset "@packages", too */
};

/* Only some hosts can be reached: policy/egress.h. */
static inline bool network_is_filtered(enum network_kind kind) {
        return kind == NETWORK_ALLOW_HOSTS || kind == NETWORK_PACKAGES;
}

enum unix_sockets {
        UNIX_SOCKETS_ALLOW, /* those made inside */
        UNIX_SOCKETS_DENY,
};

enum syscall_policy {
        SYSCALLS_INHERIT, /* all but those that no build needs */
        SYSCALLS_STRICT,
};

/* A secret that bailey adds to requests for one host, and that no command gets: [[sandbox.network.credential]]. */
struct credential {
        struct str host;      /* NAME or NAME:PORT; see credential_place() */
        struct str header;    /* NAME, or NAME: SCHEME */
        struct str user;      /* of the scheme Basic; empty: none */
        struct str env, file; /* where the secret is; one of them is empty */
};

/* Of every limit, 0 means none. */
struct sandbox_policy {
        enum sandbox_backend backend;
        enum sandbox_root root;
        enum sandbox_home home;
        enum network_kind network;
        enum unix_sockets unix_sockets;
        enum syscall_policy syscalls;
        bool workspace_write;
        bool protect_workspace;           /* .git/hooks and its like stay read-only */
        bool network_allow_any;           /* "*" may stand in network_hosts */
        bool require_limits;              /* a limit that cannot be enforced refuses the run */
        bool require_identity;            /* so does a command that would be root outside */
        uint32_t network_max_connections; /* of a command */
        struct str_list home_show;        /* in addition to home/shown.c */
        struct str home_dir;              /* where homes of workspaces are kept; empty: in the usual place */
        int64_t home_max_bytes;           /* how large one may be; 0: no limit */
        struct str_list fs_read_allow, fs_write_allow, fs_read_deny, fs_write_deny; /* deny wins; see value_types.h */
        struct str_list network_hosts;                                              /* see egress_rule_read(); presets, too */
        struct str_list network_ports;                /* of hosts without one; see port_list_read() */
        struct str_list network_private_hosts;        /* patterns; see host_matches() */
        struct str_list network_host_ports;           /* ports of the host's 127.0.0.1 that commands find at theirs */
        struct str_list network_publish;              /* the other way round; see published_port_read() */
        struct str network_proxy;                     /* auto, none or a URL; see upstream_choose() */
        const struct credential *network_credentials; /* at most EGRESS_CREDENTIALS_MAX, each of another host */
        size_t network_credential_count;
        struct str_list unix_socket_paths; /* of the host, which may be reached: absolute, ~/... or $VARIABLE */
        int64_t max_memory_bytes, max_cpu_secs, max_pids, max_file_bytes, max_open_files, tmp_bytes;
        int64_t user_memory_percent, user_max_pids; /* of all commands of the user together; if a cgroup is available */
};

/* ---- containers ---- */

enum container_runtime {
        RUNTIME_AUTO,
        RUNTIME_DOCKER,
        RUNTIME_PODMAN,
        RUNTIME_GVISOR,
};

enum mount_policy {
        MOUNT_WORKDIR_ONLY,
        MOUNT_HOME,
        MOUNT_CUSTOM, /* the workspace and the manifest's paths */
};

enum container_network {
        CONTAINER_NETWORK_NONE,
        CONTAINER_NETWORK_HOST,
        CONTAINER_NETWORK_BRIDGE,
};

struct container_policy {
        bool enabled;
        bool session; /* one container for the whole session */
        enum container_runtime runtime;
        struct str image;
        enum mount_policy mount_policy;
        enum container_network network_mode;
        struct str_list trusted_registries;
        double cpus;
        int64_t memory_mb, pids_limit;
        bool block_privileged, block_host_network, block_root_volume, no_new_privileges;
        struct str_list drop_capabilities;
        struct str_list run_args; /* more of `docker run`: "--option=value" */
};

/* ---- running; times are nanoseconds ---- */

enum ansi {
        ANSI_STRIP,
        ANSI_KEEP,
};

/* How long a private /tmp lives. */
enum tmp_scope {
        TMP_SESSION, /* as long as the session that a command belongs to */
        TMP_COMMAND,
};

/* How long the directory and the variables that a command leaves behind count. */
enum state_scope {
        STATE_SESSION, /* for the next commands of the session */
        STATE_COMMAND,
};

/* Which output output_bytes holds for. */
enum output_limit {
        OUTPUT_LIMIT_CAPTURED,
        OUTPUT_LIMIT_ALWAYS, /* also what is passed on to a file or another program */
};

struct run_policy {
        struct str policy; /* that is used when none is named */
        int64_t timeout, timeout_max;
        int64_t background_max; /* of commands in the background */
        int64_t kill_grace;     /* between SIGTERM and SIGKILL */
        int64_t drain;          /* how long pipes may still speak after the end */
        int64_t output_bytes;   /* stdout and stderr of a foreground command, merged */
        enum output_limit output_limit;
        int64_t background_output_bytes; /* each stream of a background command */
        int64_t max_shells, kept_shells, keep_shells_for;
        int64_t warm; /* sandboxes kept ready */
        enum tmp_scope tmp;
        enum state_scope state;
        int64_t session_idle; /* how long the /tmp of `bailey run --session` is kept without a command */
        enum ansi ansi;
};

/* ---- the environment of a command; see policy/env.h ---- */

struct env_pair {
        struct str name, value;
};

struct env_pairs {
        const struct env_pair *items;
        size_t count;
};

struct env_policy {
        struct str_list pass;        /* beside the built-in table: NAME or PREFIX* */
        struct str_list pass_secret; /* exact names that the table would drop */
        struct env_pairs set;
        bool no_proxies; /* made from sandbox.network: connections go to the gateway, whatever the host's proxy is */
};

/* ---- the audit log ---- */

struct audit_policy {
        bool enabled;    /* the file; the ring is always there */
        bool required;   /* what cannot be recorded does not run */
        struct str path; /* absolute; empty: audit.jsonl in bailey's state directory */
        int64_t ring_size;
        int64_t rotate_bytes, rotate_keep;
};

/* ---- the server for agents ---- */

/* What becomes of a command that the user would have to be asked about, where nobody can be asked. */
enum warned {
        WARNED_REFUSE,
        WARNED_RUN,
};

struct mcp_policy {
        enum warned warned;
        int64_t ask_timeout; /* after it, no answer is a no */
};

/* ---- where values came from ---- */

/* In the order in which they are applied. */
enum policy_layer {
        LAYER_BUILTIN,
        LAYER_ENVIRONMENT, /* BAILEY_BASH_ALLOW_NETWORK: another default */
        LAYER_SYSTEM,      /* /etc/bailey/ */
        LAYER_USER,        /* ~/.config/bailey/ */
        LAYER_WORKSPACE,   /* .bailey.toml; if it is not trusted, it can only tighten */
        LAYER_FILE,        /* --config FILE */
        LAYER_OVERRIDE,    /* flags */
};

struct policy_origin {
        enum policy_layer layer;
        const char *file;      /* or the override's text; NULL: built-in */
        uint32_t line, column; /* 0: none */
        struct str policy;     /* the [policy.NAME] or built-in policy that says so; empty: the general sections */
};

struct value_origin {
        struct policy_origin origin;              /* of the value; of a list, the last that changed it */
        const struct policy_origin *const *items; /* of a list: one for each; NULL: all are built-in */
        bool replaced;                            /* a list whose earlier items were thrown away on purpose */
};

/* A config file that was found. */
struct policy_file {
        enum policy_layer layer;
        const char *path;
        bool trusted;
};

struct policy {
        struct str name;      /* default, readonly, build, or a [policy.NAME] */
        struct str workspace; /* absolute, or empty */
        struct guard_policy guard;
        struct sandbox_policy sandbox;
        struct container_policy container;
        struct run_policy run;
        struct env_policy env;
        struct audit_policy audit;
        struct mcp_policy mcp;

        const struct config *configs; /* that it was resolved from, overrides too; see policy/config.h */
        size_t config_count;
        const struct value_origin *origins; /* by index into `keys` */
        const struct policy_file *files;
        size_t file_count;
        struct str_list notices; /* what the user has to be told, a sentence each: a file that is not trusted */
};

#endif
