/*
 * The rows of the config keys. Knowledge only. A help text is one or two sentences without a line break.
 */
#include <assert.h>
#include <stddef.h>

#include "base/time.h"
#include "policy/keys.h"

#ifndef BAILEY_TIMEOUT
#define BAILEY_TIMEOUT 120 /* seconds */
#endif
#include "policy/value_types.h"

static_assert(offsetof(struct sandbox_policy, network_credential_count) ==
                      offsetof(struct sandbox_policy, network_credentials) + offsetof(struct key_items, count),
              "credentials and their count are stored as one list");
static_assert(offsetof(struct guard_policy, pattern_count) ==
                      offsetof(struct guard_policy, patterns) + offsetof(struct key_items, count),
              "patterns and their count are stored as one list");

/* ---- words, in the order of their enums ---- */

/* clang-format off */
static const char *const modes[] = { "enforce", "warn", "off", NULL };
static const char *const severities[] = { "warn", "block", NULL };
static const char *const backends[] = {
        "auto",
#define BACKEND(id, variable, name) name,
#include "policy/backends.def"
        NULL,
};
static const char *const roots[] = { "host", "minimal", NULL };
static const char *const homes[] = { "host", "own", "none", NULL };
static const char *const networks[] = { "inherit", "deny", "allow_hosts", "packages", NULL };
static const char *const allow_or_deny[] = { "allow", "deny", NULL };
static const char *const syscalls[] = { "inherit", "strict", NULL };
static const char *const runtimes[] = { "auto", "docker", "podman", "gvisor", NULL };
static const char *const mounts[] = { "workdir-only", "home", "custom", NULL };
static const char *const container_networks[] = { "none", "host", "bridge", NULL };
static const char *const scopes[] = { "session", "command", NULL };
static const char *const output_limits[] = { "captured", "always", NULL };
static const char *const warned[] = { "refuse", "run", NULL };
static const char *const ansi[] = { "strip", "keep", NULL };

/* ---- built-in lists ---- */

static const struct str domains[] = {
        STR("github.com"), STR("*.github.com"), STR("*.githubusercontent.com"), STR("npmjs.org"), STR("*.npmjs.org"),
        STR("registry.yarnpkg.com"), STR("pypi.org"), STR("crates.io"), STR("rubygems.org"), STR("hub.apilium.com"),
        STR("api.apilium.com"), STR("localhost"), STR("127.0.0.1"),
};
static const struct str blocked[] = {
        STR("mkfs"), STR("fdisk"), STR("dd"), STR("shutdown"), STR("reboot"), STR("halt"), STR("poweroff"),
        STR("iptables"), STR("useradd"), STR("userdel"), STR("visudo"), STR("mount"), STR("umount"), STR("chroot"),
        STR("insmod"), STR("rmmod"), STR("sysctl"),
};
static const struct str ports[] = { STR("22"), STR("80"), STR("443") };
static const struct str registries[] = { STR("docker.io"), STR("ghcr.io"), STR("gcr.io"), STR("quay.io") };
static const struct str all_capabilities[] = { STR("ALL") };

/* ---- rows ---- */

#define ROW(in, named, typed) .section = SECTION_##in, .name = (named), .type = KEY_##typed
#define FIELD(member) .offset = offsetof(struct policy, member), .size = sizeof(((struct policy *)0)->member)
#define OF_PATTERN(member) \
        .offset = offsetof(struct user_pattern, member), .size = sizeof(((struct user_pattern *)0)->member)
#define OF_CREDENTIAL(member) \
        .offset = offsetof(struct credential, member), .size = sizeof(((struct credential *)0)->member)
#define RANGE(least, most) .min = (least), .max = (most)
#define OR_NONE(most) .zero_is_none = true, .max = (most)
#define TIGHTEN(how) .tighten = TIGHTEN_##how
#define TIGHTEST(value) .tighten = TIGHTEN_WORD, .tightest = (value)
#define IS(member, value) .initial = { .member = (value) }
#define LISTED(array) .initial = { .list = { (array), sizeof(array) / sizeof(*(array)) } }
#define SECONDS(n) ((n) * TIME_SECOND)
#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)

#define DAY SECONDS(86400)
#define MANY INT64_C(1000000)
#define HUGE_BYTES (INT64_C(1) << 50)

const struct key_row keys[] = {
        { ROW(GUARD, "mode", WORD), FIELD(guard.mode), .words = modes, TIGHTEST(GUARD_ENFORCE), IS(word, GUARD_ENFORCE),
          .help = "enforce: blocked commands do not run. warn: they run, with a warning. off: commands are not checked." },
        { ROW(GUARD, "max_command_length_bytes", INTEGER), FIELD(guard.max_command_length), RANGE(64, 65536),
          TIGHTEN(LESS), IS(integer, 8192),
          .help = "Maximum length of the code of a command. Longer commands are blocked. Here-documents and long quoted "
                  "strings do not count, but the whole may not be longer than 64 KiB." },
        { ROW(GUARD, "allow_sudo", BOOLEAN), FIELD(guard.allow_sudo), TIGHTEN(FALSE),
          .help = "Allow sudo, su and doas. The commands they run are still checked." },
        { ROW(GUARD, "allow_curl_to_arbitrary_domains", BOOLEAN), FIELD(guard.allow_any_domain), TIGHTEN(FALSE),
          .help = "Allow network commands to use hosts that are not in domain_allowlist. domain_denylist still applies." },
        { ROW(GUARD, "block_unreachable_hosts", BOOLEAN), FIELD(guard.block_unreachable_hosts), TIGHTEN(TRUE),
          .help = "Block a command that names a host which is not in domain_allowlist even where sandbox.network keeps it from "
                  "that host. Otherwise such a command runs in the sandbox, and its failure is explained; where commands are "
                  "only checked (bailey test, hooks) it is blocked. domain_denylist and uploads are blocked anyway." },
        { ROW(GUARD, "bypass_env_var", STRING), FIELD(guard.bypass_env_var), .text = &text_bypass,
          IS(text, STR("BAILEY_GUARD_BYPASS")),
          .help = "Name of a variable in bailey's own environment that disables the guard; its use is written to the "
                  "audit log. Empty: none." },
        { ROW(GUARD, "domain_allowlist", LIST), FIELD(guard.domain_allowlist), .text = &text_host, LISTED(domains),
          .help = "Hosts that network commands may use. *.x.com includes x.com." },
        { ROW(GUARD, "domain_denylist", LIST), FIELD(guard.domain_denylist), .text = &text_host, TIGHTEN(ADD),
          .help = "Hosts that network commands may not use, even if domain_allowlist has them." },
        { ROW(GUARD, "command_blocklist", LIST), FIELD(guard.command_blocklist), .text = &text_program, TIGHTEN(ADD),
          LISTED(blocked),
          .help = "Programs that are blocked anywhere in a command; case is ignored. \"git push\" matches git with the "
                  "subcommand push, whatever options come before it." },
        { ROW(GUARD, "command_allow_overrides", LIST), FIELD(guard.command_allow_overrides), .text = &text_program,
          .help = "Commands to remove from command_blocklist." },
        { ROW(GUARD, "allow_only_listed", BOOLEAN), FIELD(guard.allow_only_listed), TIGHTEN(TRUE),
          .help = "Allow only allowed_commands, and nothing that cannot be analysed. Defaults to true if a file sets "
                  "allowed_commands." },
        { ROW(GUARD, "allowed_commands", LIST), FIELD(guard.allowed_commands), .text = &text_command,
          .help = "Commands to allow if allow_only_listed is true: \"ls\", \"npm run\", \"python -m pytest\"." },
        { ROW(GUARD, "ask", LIST), FIELD(guard.ask), .text = &text_program, TIGHTEN(ADD),
          .help = "Commands to warn of wherever they stand in a command, so that the user is asked first: \"git push\", "
                  "\"npm publish\". They match as those of command_blocklist do." },
        { ROW(GUARD, "dangerous_patterns", PATTERNS), .offset = offsetof(struct policy, guard.patterns),
          .size = sizeof(struct key_items), TIGHTEN(ADD),
          .help = "Your own regular expressions, as tables or as plain strings." },

        { ROW(PATTERN, "name", STRING), OF_PATTERN(name), .text = &text_pattern_name, IS(text, STR("user-pattern")),
          .help = "Name of the rule in verdicts." },
        { ROW(PATTERN, "regex", STRING), OF_PATTERN(regex),
          .help = "A PCRE2 expression, matched against the command as given and in normalised form." },
        { ROW(PATTERN, "severity", WORD), OF_PATTERN(severity), .words = severities, IS(word, SEVERITY_BLOCK),
          .help = "block: a match blocks the command. warn: a match adds a warning." },
        { ROW(PATTERN, "message", STRING), OF_PATTERN(message), .text = &text_line,
          .help = "Message to show with a match." },

        { ROW(SANDBOX, "backend", WORD), FIELD(sandbox.backend), .words = backends,
          .help = "auto: the strongest available sandbox that enforces the policy. If a named one is not available, "
                  "commands do not run." },
        { ROW(SANDBOX, "root", WORD), FIELD(sandbox.root), .words = roots, TIGHTEST(ROOT_MINIMAL),
          .help = "host: the host's files, read-only. minimal: only system directories and fs_read_allow." },
        { ROW(SANDBOX, "home", WORD), FIELD(sandbox.home), .words = homes, TIGHTEST(HOME_NONE), IS(word, HOME_OWN),
          .help = "own: a home directory of the workspace, which commands can write, and in which they find toolchains, "
                  "package caches and harmless settings of yours, and nothing else of your home directory. host: your home "
                  "directory, read-only, without credential stores. none: an empty directory for each command." },
        { ROW(SANDBOX, "home_show", LIST), FIELD(sandbox.home_show), .text = &text_home_path,
          .help = "Additional directories of your home directory that commands find in a home of their own. What they write "
                  "there does not reach yours." },
        { ROW(SANDBOX, "home_dir", STRING), FIELD(sandbox.home_dir), .text = &text_directory,
          .help = "Directory for homes of workspaces, outside of your home directory. Empty: /var/tmp/bailey-UID, or "
                  "/var/lib/bailey for root." },
        { ROW(SANDBOX, "home_max_bytes", BYTES), FIELD(sandbox.home_max_bytes), OR_NONE(HUGE_BYTES), TIGHTEN(LESS),
          IS(integer, MIB(10240)),
          .help = "Maximum size of the home of a workspace, which is measured every few minutes. Above 90 %, answers tell it; "
                  "above 100 %, commands do not run until you run bailey home clear. 0: no limit." },
        { ROW(SANDBOX, "workspace_write", BOOLEAN), FIELD(sandbox.workspace_write), TIGHTEN(FALSE), IS(boolean, true),
          .help = "Allow commands to write the workspace." },
        { ROW(SANDBOX, "protect_workspace", BOOLEAN), FIELD(sandbox.protect_workspace), TIGHTEN(TRUE), IS(boolean, true),
          .help = "Make files in the workspace read-only that programs outside the sandbox run later: .git/hooks, "
                  ".vscode, ..." },
        { ROW(SANDBOX, "fs_read_allow", LIST), FIELD(sandbox.fs_read_allow), .text = &text_allowed_path,
          .help = "Additional readable paths. No link in the path may be one that commands can change." },
        { ROW(SANDBOX, "fs_write_allow", LIST), FIELD(sandbox.fs_write_allow), .text = &text_allowed_path,
          .help = "Additional readable and writable paths. No link in the path may be one that commands can change." },
        { ROW(SANDBOX, "fs_read_deny", LIST), FIELD(sandbox.fs_read_deny), .text = &text_denied_path, TIGHTEN(ADD),
          .help = "Paths that can be neither read nor written, in addition to credential stores; overrides allowed paths. "
                  "No link in the path may be one that commands can change. In patterns, * and ? match characters of a "
                  "name, ** any directories: **/*.pem. Patterns are matched when a command starts, from / or the "
                  "workspace, against at most 250,000 files; later matches are reported at its end." },
        { ROW(SANDBOX, "fs_write_deny", LIST), FIELD(sandbox.fs_write_deny), .text = &text_denied_path, TIGHTEN(ADD),
          .help = "Paths that cannot be written; overrides allowed paths. No link in the path may be one that commands "
                  "can change. Patterns are the same as in fs_read_deny." },
        { ROW(SANDBOX, "syscall_policy", WORD), FIELD(sandbox.syscalls), .words = syscalls, TIGHTEST(SYSCALLS_STRICT),
          .help = "inherit: all system calls except those that no build needs. strict: a short list; any other call kills "
                  "the process." },
        { ROW(SANDBOX, "max_memory_bytes", BYTES), FIELD(sandbox.max_memory_bytes), OR_NONE(HUGE_BYTES), TIGHTEN(LESS),
          .help = "Memory limit of a command, or of each of its processes if no cgroup is available. 0: no limit." },
        { ROW(SANDBOX, "max_cpu_secs", INTEGER), FIELD(sandbox.max_cpu_secs), OR_NONE(MANY), TIGHTEN(LESS),
          .help = "Processor time limit in seconds. 0: no limit." },
        { ROW(SANDBOX, "max_pids", INTEGER), FIELD(sandbox.max_pids), OR_NONE(4194304), TIGHTEN(LESS),
          .help = "Limit of processes and threads. 0: no limit." },
        { ROW(SANDBOX, "user_memory_percent", INTEGER), FIELD(sandbox.user_memory_percent), OR_NONE(100), TIGHTEN(LESS),
          IS(integer, 50),
          .help = "Memory limit for all commands of a user together, in percent of the memory of the machine or of bailey's "
                  "cgroup. "
                  "Needs a cgroup; applies to commands with the same values of these two keys and without limits of their own "
                  "(max_memory_bytes, max_pids). 0: no limit." },
        { ROW(SANDBOX, "user_max_pids", INTEGER), FIELD(sandbox.user_max_pids), OR_NONE(4194304), TIGHTEN(LESS),
          IS(integer, 16384),
          .help = "Limit of processes and threads for all commands of a user together; see user_memory_percent." },
        { ROW(SANDBOX, "max_file_bytes", BYTES), FIELD(sandbox.max_file_bytes), OR_NONE(HUGE_BYTES), TIGHTEN(LESS),
          .help = "Size limit of written files. 0: no limit." },
        { ROW(SANDBOX, "max_open_files", INTEGER), FIELD(sandbox.max_open_files), OR_NONE(MANY), TIGHTEN(LESS),
          .help = "Limit of open files per process. 0: the same as for bailey itself." },
        { ROW(SANDBOX, "tmp_bytes", BYTES), FIELD(sandbox.tmp_bytes), RANGE(KIB(64), HUGE_BYTES), TIGHTEN(LESS),
          IS(integer, MIB(1024)), .help = "Size of the private /tmp, /var/tmp and /dev/shm of a command, and of the /tmp of a "
          "session." },
        { ROW(SANDBOX, "require_limits", BOOLEAN), FIELD(sandbox.require_limits), TIGHTEN(TRUE),
          .help = "Do not run commands if a limit cannot be enforced." },
        { ROW(SANDBOX, "require_identity", BOOLEAN), FIELD(sandbox.require_identity), TIGHTEN(TRUE),
          .help = "Do not run commands that would be root outside the sandbox: those of root, if a file system cannot map the "
                  "owners of files, or with another backend than native." },
        { ROW(NETWORK, "kind", WORD), FIELD(sandbox.network), .words = networks, TIGHTEN(KIND),
          IS(word, NETWORK_DENY),
          .help = "deny: localhost only. inherit: the host's network. allow_hosts: only `hosts`. packages: package registries "
                  "(the preset @packages), and `hosts`." },
        { ROW(NETWORK, "hosts", LIST), FIELD(sandbox.network_hosts), .text = &text_network_host,
          TIGHTEN(HOSTS),
          .help = "Hosts that can be reached with allow_hosts and packages: a name, *.name (name itself, too), an address; "
                  "with :PORT or :* for other ports than `ports`; or a preset: @packages, @github, ... `*` needs allow_any." },
        { ROW(NETWORK, "allow_any", BOOLEAN), FIELD(sandbox.network_allow_any), TIGHTEN(FALSE),
          .help = "Accept `*`, any host with a public address, in `hosts`." },
        { ROW(NETWORK, "ports", LIST), FIELD(sandbox.network_ports), .text = &text_port, TIGHTEN(FEWER), LISTED(ports),
          .help = "Ports of hosts that are listed without one." },
        { ROW(NETWORK, "private_hosts", LIST), FIELD(sandbox.network_private_hosts), .text = &text_host,
          .help = "Names whose addresses may be private (10.0.0.0/8, 192.168.0.0/16, fc00::/7, ...). They have to be in "
                  "`hosts`, too." },
        { ROW(NETWORK, "host_ports", LIST), FIELD(sandbox.network_host_ports), .text = &text_port,
          .help = "Ports of the host's 127.0.0.1 that commands can connect to at their own localhost, with any kind but "
                  "inherit." },
        { ROW(NETWORK, "publish", LIST), FIELD(sandbox.network_publish), .text = &text_publish,
          .help = "Ports of commands to open on the host's 127.0.0.1: \"3000\", or \"8080:3000\" for port 8080 of the host." },
        { ROW(NETWORK, "proxy", STRING), FIELD(sandbox.network_proxy), .text = &text_proxy, IS(text, STR("auto")),
          .help = "Proxy through which listed hosts are reached: auto (https_proxy, all_proxy or http_proxy of bailey's own "
                  "environment), none, or http://user:password@host:port. Hosts in no_proxy are reached without it." },
        { ROW(NETWORK, "credential", CREDENTIALS), .offset = offsetof(struct policy, sandbox.network_credentials),
          .size = sizeof(struct key_items),
          .help = "Secrets that bailey adds to requests for a host, as tables. Commands get an endpoint at their localhost "
                  "instead of the secret: http://127.0.0.1:61000/ for the first one, and so on. See docs/network.md." },
        { ROW(NETWORK, "max_connections", INTEGER), FIELD(sandbox.network_max_connections), RANGE(1, 65536), TIGHTEN(LESS),
          IS(integer, 512), .help = "Limit of open connections of a command to listed hosts; others wait." },

        { ROW(CREDENTIAL, "host", STRING), OF_CREDENTIAL(host), .text = &text_credential_host,
          .help = "The only host that gets the secret, by TLS: a name, with :PORT if that is not 443." },
        { ROW(CREDENTIAL, "header", STRING), OF_CREDENTIAL(header), .text = &text_credential_header,
          IS(text, STR("Authorization: Bearer")),
          .help = "The header that has the secret: its name, optionally with what stands before the secret. With "
                  "\"Authorization: Basic\", a secret USER:PASSWORD is encoded as the scheme requires." },
        { ROW(CREDENTIAL, "user", STRING), OF_CREDENTIAL(user), .text = &text_credential_user,
          .help = "With \"Authorization: Basic\": the user whose password the secret is." },
        { ROW(CREDENTIAL, "env", STRING), OF_CREDENTIAL(env), .text = &text_variable,
          .help = "Variable of bailey's own environment that has the secret. It is not passed to commands." },
        { ROW(CREDENTIAL, "file", STRING), OF_CREDENTIAL(file), .text = &text_home_path,
          .help = "Or the file that has it, in one line. It must belong to the user, and nobody else may read it." },

        { ROW(SOCKETS, "kind", WORD), FIELD(sandbox.unix_sockets), .words = allow_or_deny, TIGHTEST(UNIX_SOCKETS_DENY),
          .help = "allow: sockets created by commands, and `paths`. deny: none." },
        { ROW(SOCKETS, "paths", LIST), FIELD(sandbox.unix_socket_paths), .text = &text_socket,
          .help = "Sockets of the host that commands may connect to: an absolute path, ~/..., or $NAME for the path in a "
                  "variable of bailey's own environment. Missing sockets are ignored." },

        { ROW(CONTAINER, "enabled", BOOLEAN), FIELD(container.enabled), .help = "Run commands in containers." },
        { ROW(CONTAINER, "runtime", WORD), FIELD(container.runtime), .words = runtimes,
          .help = "auto: the first available of rootless podman, docker, rootful podman and gVisor." },
        { ROW(CONTAINER, "image", STRING), FIELD(container.image), .text = &text_image, IS(text, STR("ubuntu:22.04")),
          .help = "Image of the containers." },
        { ROW(CONTAINER, "mount_policy", WORD), FIELD(container.mount_policy), .words = mounts,
          TIGHTEST(MOUNT_WORKDIR_ONLY),
          .help = "Host paths mounted in a container: the workspace, also the home directory, or the paths in [sandbox]." },
        { ROW(CONTAINER, "network_mode", WORD), FIELD(container.network_mode), .words = container_networks,
          TIGHTEST(CONTAINER_NETWORK_NONE),
          .help = "Network mode of the container. host and bridge require sandbox.network = \"inherit\"; with none, there is "
                  "no network even so." },
        { ROW(CONTAINER, "trusted_registries", LIST), FIELD(container.trusted_registries), .text = &text_registry,
          LISTED(registries), .help = "Registries from which images are accepted." },
        { ROW(CONTAINER, "session", BOOLEAN), FIELD(container.session),
          .help = "Use one container for the whole session instead of a new one for each command." },
        { ROW(CONTAINER, "run_args", LIST), FIELD(container.run_args), .text = &text_option,
          .help = "Additional options of `docker run` or `podman run`, each with its value after =. Dangerous options are "
                  "refused; see security_flags." },
        { ROW(LIMITS, "cpus", NUMBER), FIELD(container.cpus), RANGE(0, 1024), TIGHTEN(LESS), IS(number, 2),
          .zero_is_none = true, .help = "Limit of processors; can be a fraction. 0: no limit." },
        { ROW(LIMITS, "memory_mb", INTEGER), FIELD(container.memory_mb), OR_NONE(MANY * 1024), TIGHTEN(LESS),
          IS(integer, 512), .help = "Memory limit in MiB. 0: no limit." },
        { ROW(LIMITS, "pids_limit", INTEGER), FIELD(container.pids_limit), OR_NONE(4194304), TIGHTEN(LESS),
          IS(integer, 256), .help = "Limit of processes and threads. 0: no limit." },
        { ROW(FLAGS, "block_privileged", BOOLEAN), FIELD(container.block_privileged), TIGHTEN(TRUE), IS(boolean, true),
          .help = "Refuse privileged containers and added capabilities." },
        { ROW(FLAGS, "block_host_network", BOOLEAN), FIELD(container.block_host_network), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Refuse the host's network and process namespaces." },
        { ROW(FLAGS, "block_root_volume", BOOLEAN), FIELD(container.block_root_volume), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Refuse to mount /, system directories and engine sockets." },
        { ROW(FLAGS, "no_new_privileges", BOOLEAN), FIELD(container.no_new_privileges), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Prevent set-user-id programs from gaining privileges." },
        { ROW(FLAGS, "drop_capabilities", LIST), FIELD(container.drop_capabilities), .text = &text_capability,
          TIGHTEN(ADD), LISTED(all_capabilities), .help = "Capabilities to drop." },

        { ROW(RUN, "policy", STRING), FIELD(run.policy), .text = &text_policy, IS(text, STR("default")),
          .help = "The policy of commands that are not given one by `--policy`. `policy = \"NAME\"` at the top of a file "
                  "sets it, too." },
        { ROW(RUN, "timeout", DURATION), FIELD(run.timeout), RANGE(TIME_SECOND / 1000, DAY), TIGHTEN(LESS),
          IS(integer, SECONDS(BAILEY_TIMEOUT)), .help = "Default timeout of a command." },
        { ROW(RUN, "timeout_max", DURATION), FIELD(run.timeout_max), RANGE(TIME_SECOND / 1000, DAY), TIGHTEN(LESS),
          IS(integer, SECONDS(600)), .help = "Maximum timeout that a command can request." },
        { ROW(RUN, "background_max", DURATION), FIELD(run.background_max), RANGE(TIME_SECOND / 1000, 365 * DAY),
          TIGHTEN(LESS), IS(integer, SECONDS(86400)),
          .help = "Maximum time that a background command runs, also without a timeout of its own." },
        { ROW(RUN, "kill_grace", DURATION), FIELD(run.kill_grace), RANGE(0, SECONDS(60)), IS(integer, SECONDS(2)),
          .help = "Time between SIGTERM and SIGKILL when a background command is killed." },
        { ROW(RUN, "drain", DURATION), FIELD(run.drain), RANGE(0, SECONDS(60)), IS(integer, SECONDS(2)),
          .help = "How long to read remaining output after a command has ended." },
        { ROW(RUN, "output_bytes", BYTES), FIELD(run.output_bytes), RANGE(KIB(1), MIB(64)), TIGHTEN(LESS),
          IS(integer, KIB(100)),
          .help = "Maximum output of a command, stdout and stderr together. The beginning and the end are kept." },
        { ROW(RUN, "output_limit", WORD), FIELD(run.output_limit), .words = output_limits, TIGHTEST(OUTPUT_LIMIT_ALWAYS),
          .help = "captured: output_bytes applies to servers and `bailey run --json`. always: also to what `bailey run` "
                  "passes on, unless to a terminal of the command: what is above the limit is dropped. The policies "
                  "`readonly` and `build` set always." },
        { ROW(RUN, "background_output_bytes", BYTES), FIELD(run.background_output_bytes), RANGE(KIB(1), MIB(64)),
          TIGHTEN(LESS), IS(integer, MIB(1)), .help = "Maximum output of each stream of a background command." },
        { ROW(RUN, "max_shells", INTEGER), FIELD(run.max_shells), RANGE(0, 4096), TIGHTEN(LESS), IS(integer, 64),
          .help = "Maximum number of running background commands." },
        { ROW(RUN, "kept_shells", INTEGER), FIELD(run.kept_shells), RANGE(0, 65536), IS(integer, 256),
          .help = "Number of ended background commands to keep, newest first; their output is limited to 32 MiB in total." },
        { ROW(RUN, "keep_shells_for", DURATION), FIELD(run.keep_shells_for), RANGE(0, 7 * DAY),
          IS(integer, SECONDS(3600)), .help = "How long ended background commands are kept." },
        { ROW(RUN, "warm", INTEGER), FIELD(run.warm), RANGE(0, 64), IS(integer, 2),
          .help = "Number of sandboxes that a server prepares in advance, each for one command. 0: none." },
        { ROW(RUN, "tmp", WORD), FIELD(run.tmp), .words = scopes, TIGHTEST(TMP_COMMAND),
          .help = "session: the commands of a server share a private /tmp, which is removed when the server ends. command: "
                  "each command has its own. `bailey run` gives a command its own, unless with --session. Only native, and "
                  "landlock with TMPDIR in a server, can share it." },
        { ROW(RUN, "state", WORD), FIELD(run.state), .words = scopes, TIGHTEST(STATE_COMMAND),
          .help = "session: a command of a server starts in the directory, and with the exported variables, that the "
                  "command before it has left. command: each starts anew. Only native can tell what a command leaves." },
        { ROW(RUN, "session_idle", DURATION), FIELD(run.session_idle), RANGE(TIME_SECOND / 1000, 7 * DAY),
          IS(integer, SECONDS(3600)), .help = "How long the /tmp of `bailey run --session` is kept when no command uses it." },

        { ROW(OUTPUT, "ansi", WORD), FIELD(run.ansi), .words = ansi,
          .help = "strip: remove terminal escapes and other control characters from the output. keep: keep them." },

        { ROW(ENV, "pass", LIST), FIELD(env.pass), .text = &text_variables,
          .help = "Variables to pass to commands, in addition to the built-in ones; see `bailey env`. Variables that look "
                  "like secrets or make programs run code are not passed." },
        { ROW(ENV, "pass_secret", LIST), FIELD(env.pass_secret), .text = &text_variable,
          .help = "Variables to pass even so; only exact names." },
        { ROW(ENV, "set", PAIRS), FIELD(env.set), .help = "Variables to set. They replace those that bailey sets if "
          "there is no network; see `bailey env`." },

        { ROW(AUDIT, "enabled", BOOLEAN), FIELD(audit.enabled), IS(boolean, true), .help = "Write the audit log to disk." },
        { ROW(AUDIT, "required", BOOLEAN), FIELD(audit.required), IS(boolean, true),
          .help = "Do not run a command if it cannot be written to the audit log." },
        { ROW(AUDIT, "path", STRING), FIELD(audit.path), .text = &text_path,
          .help = "File of the audit log. Default: audit.jsonl in $XDG_STATE_HOME/bailey or ~/.local/state/bailey." },
        { ROW(AUDIT, "ring_size", INTEGER), FIELD(audit.ring_size), RANGE(1, MANY), IS(integer, 1000),
          .help = "Number of records kept in memory." },
        { ROW(AUDIT, "rotate_bytes", BYTES), FIELD(audit.rotate_bytes), RANGE(KIB(64), HUGE_BYTES),
          IS(integer, MIB(64)), .help = "Size at which a new file is started." },
        { ROW(AUDIT, "rotate_keep", INTEGER), FIELD(audit.rotate_keep), RANGE(0, 1000), IS(integer, 4),
          .help = "Number of older files to keep." },

        { ROW(MCP, "warned", WORD), FIELD(mcp.warned), .words = warned, TIGHTEST(WARNED_REFUSE),
          .help = "What a server does with a command that the guard warns of, if its client cannot ask the user. refuse: the "
                  "command does not run. run: it runs, and the result has the warning." },
        { ROW(MCP, "ask_timeout", DURATION), FIELD(mcp.ask_timeout), RANGE(TIME_SECOND / 1000, DAY), IS(integer, SECONDS(300)),
          .help = "How long a server waits for the user's answer to a question. No answer is a no." },

        { ROW(POLICY, "extends", STRING), .text = &text_policy, IS(text, STR("default")),
          .help = "The policy that this one extends." },
};
/* clang-format on */

const size_t key_count = sizeof(keys) / sizeof(*keys);
