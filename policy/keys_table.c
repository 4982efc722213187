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
#include "policy/texts.h"

static_assert(offsetof(struct guard_policy, pattern_count) ==
                      offsetof(struct guard_policy, patterns) + offsetof(struct key_items, count),
              "patterns and their count are stored as one list");

/* ---- words, in the order of their enums ---- */

/* clang-format off */
static const char *const modes[] = { "enforce", "warn", "off", NULL };
static const char *const severities[] = { "warn", "block", NULL };
static const char *const backends[] = { "auto", "native", "bwrap", "landlock", "docker", "podman", "gvisor",
                                        "sandbox-exec", "appcontainer", "none", NULL };
static const char *const roots[] = { "host", "minimal", NULL };
static const char *const networks[] = { "inherit", "deny", "allow_hosts", NULL };
static const char *const allow_or_deny[] = { "allow", "deny", NULL };
static const char *const syscalls[] = { "inherit", "strict", NULL };
static const char *const runtimes[] = { "auto", "docker", "podman", "gvisor", NULL };
static const char *const mounts[] = { "workdir-only", "home", "custom", NULL };
static const char *const container_networks[] = { "none", "host", "bridge", NULL };
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
static const struct str registries[] = { STR("docker.io"), STR("ghcr.io"), STR("gcr.io"), STR("quay.io") };
static const struct str all_capabilities[] = { STR("ALL") };

/* ---- rows ---- */

#define ROW(in, named, typed) .section = SECTION_##in, .name = (named), .type = KEY_##typed
#define FIELD(member) .offset = offsetof(struct policy, member), .size = sizeof(((struct policy *)0)->member)
#define OF_PATTERN(member) \
        .offset = offsetof(struct user_pattern, member), .size = sizeof(((struct user_pattern *)0)->member)
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
          .help = "enforce: what is blocked does not run. warn: it is reported, and runs. off: nothing is checked." },
        { ROW(GUARD, "max_command_length_bytes", INTEGER), FIELD(guard.max_command_length), RANGE(64, 65536),
          TIGHTEN(LESS), IS(integer, 8192), .help = "A longer command is blocked." },
        { ROW(GUARD, "allow_sudo", BOOLEAN), FIELD(guard.allow_sudo), TIGHTEN(FALSE),
          .help = "Let commands use sudo, su and doas; what these run is judged all the same." },
        { ROW(GUARD, "allow_curl_to_arbitrary_domains", BOOLEAN), FIELD(guard.allow_any_domain), TIGHTEN(FALSE),
          .help = "Let network commands name hosts that are not in domain_allowlist. domain_denylist still holds." },
        { ROW(GUARD, "bypass_env_var", STRING), FIELD(guard.bypass_env_var), .text = &text_bypass,
          IS(text, STR("BAILEY_GUARD_BYPASS")),
          .help = "A variable of bailey's own environment that switches the guard off, on record. Empty: none." },
        { ROW(GUARD, "domain_allowlist", LIST), FIELD(guard.domain_allowlist), .text = &text_host, LISTED(domains),
          .help = "Hosts that network commands may name. *.x.com is x.com, too." },
        { ROW(GUARD, "domain_denylist", LIST), FIELD(guard.domain_denylist), .text = &text_host, TIGHTEN(ADD),
          .help = "Hosts that they may not, whatever domain_allowlist says." },
        { ROW(GUARD, "command_blocklist", LIST), FIELD(guard.command_blocklist), .text = &text_program, TIGHTEN(ADD),
          LISTED(blocked),
          .help = "Programs that are blocked wherever they stand in a command, in any case. \"git push\" is git whenever its "
                  "first word is push, whatever options stand before it." },
        { ROW(GUARD, "command_allow_overrides", LIST), FIELD(guard.command_allow_overrides), .text = &text_program,
          .help = "What is taken off the command_blocklist." },
        { ROW(GUARD, "allow_only_listed", BOOLEAN), FIELD(guard.allow_only_listed), TIGHTEN(TRUE),
          .help = "Only allowed_commands may run, and nothing that cannot be known. True where a file gives "
                  "allowed_commands and does not say otherwise." },
        { ROW(GUARD, "allowed_commands", LIST), FIELD(guard.allowed_commands), .text = &text_command,
          .help = "What may run when nothing else may: \"ls\", \"npm run\", \"python -m pytest\"." },
        { ROW(GUARD, "dangerous_patterns", PATTERNS), .offset = offsetof(struct policy, guard.patterns),
          .size = sizeof(struct key_items), TIGHTEN(ADD),
          .help = "Regular expressions of your own, as tables or as plain strings." },

        { ROW(PATTERN, "name", STRING), OF_PATTERN(name), .text = &text_pattern_name, IS(text, STR("user-pattern")),
          .help = "How verdicts call it." },
        { ROW(PATTERN, "regex", STRING), OF_PATTERN(regex),
          .help = "A PCRE2 expression, matched against the command as it was given and in one style." },
        { ROW(PATTERN, "severity", WORD), OF_PATTERN(severity), .words = severities, IS(word, SEVERITY_BLOCK),
          .help = "Whether a match blocks the command, or only warns." },
        { ROW(PATTERN, "message", STRING), OF_PATTERN(message), .text = &text_line,
          .help = "What to tell whoever gave the command." },

        { ROW(SANDBOX, "backend", WORD), FIELD(sandbox.backend), .words = backends,
          .help = "auto: the strongest that enforces what is needed. One that is named and missing refuses." },
        { ROW(SANDBOX, "root", WORD), FIELD(sandbox.root), .words = roots, TIGHTEST(ROOT_MINIMAL),
          .help = "host: the host's files, read-only. minimal: system directories and fs_read_allow, nothing else." },
        { ROW(SANDBOX, "workspace_write", BOOLEAN), FIELD(sandbox.workspace_write), TIGHTEN(FALSE), IS(boolean, true),
          .help = "Commands may write in the workspace." },
        { ROW(SANDBOX, "protect_workspace", BOOLEAN), FIELD(sandbox.protect_workspace), TIGHTEN(TRUE), IS(boolean, true),
          .help = "Keep what runs later outside of a sandbox read-only in the workspace: .git/hooks, .vscode, ..." },
        { ROW(SANDBOX, "fs_read_allow", LIST), FIELD(sandbox.fs_read_allow), .text = &text_allowed_path,
          .help = "More that can be read. No link that commands can change may lead there." },
        { ROW(SANDBOX, "fs_write_allow", LIST), FIELD(sandbox.fs_write_allow), .text = &text_allowed_path,
          .help = "More that can be read and written. No link that commands can change may lead there." },
        { ROW(SANDBOX, "fs_read_deny", LIST), FIELD(sandbox.fs_read_deny), .text = &text_denied_path, TIGHTEN(ADD),
          .help = "What can be neither read nor written, whatever is allowed, beside credential stores. No link that "
                  "commands can change may lead there. In patterns * and ? stand for characters of a name, ** for any "
                  "directories: **/*.pem. They are looked for when a command starts, from / or from the workspace on, in at "
                  "most 250,000 files; what comes later is told at its end." },
        { ROW(SANDBOX, "fs_write_deny", LIST), FIELD(sandbox.fs_write_deny), .text = &text_denied_path, TIGHTEN(ADD),
          .help = "What cannot be written, whatever is allowed. No link that commands can change may lead there. Patterns as "
                  "in fs_read_deny." },
        { ROW(SANDBOX, "syscall_policy", WORD), FIELD(sandbox.syscalls), .words = syscalls, TIGHTEST(SYSCALLS_STRICT),
          .help = "inherit: all system calls but those no build needs. strict: a short list; any other one kills." },
        { ROW(SANDBOX, "max_memory_bytes", BYTES), FIELD(sandbox.max_memory_bytes), OR_NONE(HUGE_BYTES), TIGHTEN(LESS),
          .help = "Memory of a command, or of each of its processes where no cgroup can be had. 0: no limit." },
        { ROW(SANDBOX, "max_cpu_secs", INTEGER), FIELD(sandbox.max_cpu_secs), OR_NONE(MANY), TIGHTEN(LESS),
          .help = "Seconds of processor time. 0: no limit." },
        { ROW(SANDBOX, "max_pids", INTEGER), FIELD(sandbox.max_pids), OR_NONE(4194304), TIGHTEN(LESS),
          .help = "Processes and threads at a time. 0: no limit." },
        { ROW(SANDBOX, "user_memory_percent", INTEGER), FIELD(sandbox.user_memory_percent), OR_NONE(100), TIGHTEN(LESS),
          IS(integer, 50),
          .help = "Memory of all commands of a user together, in percent of what the machine, or the cgroup around bailey, has. "
                  "It holds where a cgroup can be had, for commands with the same values of these two keys, and without limits "
                  "of their own (max_memory_bytes, max_pids). 0: no limit." },
        { ROW(SANDBOX, "user_max_pids", INTEGER), FIELD(sandbox.user_max_pids), OR_NONE(4194304), TIGHTEN(LESS),
          IS(integer, 16384), .help = "Processes and threads of all commands of a user together; as user_memory_percent." },
        { ROW(SANDBOX, "max_file_bytes", BYTES), FIELD(sandbox.max_file_bytes), OR_NONE(HUGE_BYTES), TIGHTEN(LESS),
          .help = "Size of a file that is written. 0: no limit." },
        { ROW(SANDBOX, "max_open_files", INTEGER), FIELD(sandbox.max_open_files), OR_NONE(MANY), TIGHTEN(LESS),
          .help = "Open files of a process. 0: as bailey's own." },
        { ROW(SANDBOX, "tmp_bytes", BYTES), FIELD(sandbox.tmp_bytes), RANGE(KIB(64), HUGE_BYTES), TIGHTEN(LESS),
          IS(integer, MIB(1024)), .help = "Size of the private /tmp, and of /var/tmp and /dev/shm." },
        { ROW(SANDBOX, "require_limits", BOOLEAN), FIELD(sandbox.require_limits), TIGHTEN(TRUE),
          .help = "Refuse to run where a limit cannot be enforced." },
        { ROW(NETWORK, "kind", WORD), FIELD(sandbox.network), .words = networks, TIGHTEST(NETWORK_DENY),
          IS(word, NETWORK_DENY), .help = "deny: none but localhost. inherit: the host's. allow_hosts: only `hosts`." },
        { ROW(NETWORK, "hosts", LIST), FIELD(sandbox.network_hosts), .text = &text_host,
          .help = "With allow_hosts, what can be reached." },

        { ROW(SOCKETS, "kind", WORD), FIELD(sandbox.unix_sockets), .words = allow_or_deny, TIGHTEST(UNIX_SOCKETS_DENY),
          .help = "allow: those that commands make themselves, and `paths`. deny: none." },
        { ROW(SOCKETS, "paths", LIST), FIELD(sandbox.unix_socket_paths), .text = &text_socket,
          .help = "Sockets of the host that commands may connect to: an absolute path, ~/..., or $NAME for the path in a "
                  "variable of bailey's own environment. One that is not there is no error." },

        { ROW(CONTAINER, "enabled", BOOLEAN), FIELD(container.enabled), .help = "Run commands in containers." },
        { ROW(CONTAINER, "runtime", WORD), FIELD(container.runtime), .words = runtimes,
          .help = "auto: podman without root's rights, then docker, podman of root, gVisor: the first that works." },
        { ROW(CONTAINER, "image", STRING), FIELD(container.image), .text = &text_image, IS(text, STR("ubuntu:22.04")),
          .help = "What containers are made of." },
        { ROW(CONTAINER, "mount_policy", WORD), FIELD(container.mount_policy), .words = mounts,
          TIGHTEST(MOUNT_WORKDIR_ONLY),
          .help = "What a container sees: the workspace, the home directory too, or the manifest's paths." },
        { ROW(CONTAINER, "network_mode", WORD), FIELD(container.network_mode), .words = container_networks,
          TIGHTEST(CONTAINER_NETWORK_NONE), .help = "The container's network." },
        { ROW(CONTAINER, "trusted_registries", LIST), FIELD(container.trusted_registries), .text = &text_registry,
          LISTED(registries), .help = "An image from elsewhere is refused." },
        { ROW(CONTAINER, "session", BOOLEAN), FIELD(container.session),
          .help = "Keep one container for the whole session, instead of a new one for each command." },
        { ROW(CONTAINER, "run_args", LIST), FIELD(container.run_args), .text = &text_option,
          .help = "More options of `docker run` or `podman run`, each with its value behind a =. Dangerous ones are "
                  "refused, see security_flags." },
        { ROW(LIMITS, "cpus", NUMBER), FIELD(container.cpus), RANGE(0, 1024), TIGHTEN(LESS), IS(number, 2),
          .zero_is_none = true, .help = "Processors, fractions too. 0: no limit." },
        { ROW(LIMITS, "memory_mb", INTEGER), FIELD(container.memory_mb), OR_NONE(MANY * 1024), TIGHTEN(LESS),
          IS(integer, 512), .help = "Memory in MiB. 0: no limit." },
        { ROW(LIMITS, "pids_limit", INTEGER), FIELD(container.pids_limit), OR_NONE(4194304), TIGHTEN(LESS),
          IS(integer, 256), .help = "Processes and threads at a time. 0: no limit." },
        { ROW(FLAGS, "block_privileged", BOOLEAN), FIELD(container.block_privileged), TIGHTEN(TRUE), IS(boolean, true),
          .help = "Refuse privileged containers and added capabilities." },
        { ROW(FLAGS, "block_host_network", BOOLEAN), FIELD(container.block_host_network), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Refuse the host's network and process namespaces." },
        { ROW(FLAGS, "block_root_volume", BOOLEAN), FIELD(container.block_root_volume), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Refuse to mount /, system directories and engine sockets." },
        { ROW(FLAGS, "no_new_privileges", BOOLEAN), FIELD(container.no_new_privileges), TIGHTEN(TRUE),
          IS(boolean, true), .help = "Set-user-id programs gain nothing." },
        { ROW(FLAGS, "drop_capabilities", LIST), FIELD(container.drop_capabilities), .text = &text_capability,
          TIGHTEN(ADD), LISTED(all_capabilities), .help = "Capabilities that are taken away." },

        { ROW(RUN, "timeout", DURATION), FIELD(run.timeout), RANGE(TIME_SECOND / 1000, DAY), TIGHTEN(LESS),
          IS(integer, SECONDS(BAILEY_TIMEOUT)), .help = "For a command that does not ask for another one." },
        { ROW(RUN, "timeout_max", DURATION), FIELD(run.timeout_max), RANGE(TIME_SECOND / 1000, DAY), TIGHTEN(LESS),
          IS(integer, SECONDS(600)), .help = "The most a command can ask for." },
        { ROW(RUN, "kill_grace", DURATION), FIELD(run.kill_grace), RANGE(0, SECONDS(60)), IS(integer, SECONDS(2)),
          .help = "How long a background command that was asked to end may take." },
        { ROW(RUN, "drain", DURATION), FIELD(run.drain), RANGE(0, SECONDS(60)), IS(integer, SECONDS(2)),
          .help = "How long output is still read after a command has ended." },
        { ROW(RUN, "output_bytes", BYTES), FIELD(run.output_bytes), RANGE(KIB(1), MIB(64)), TIGHTEN(LESS),
          IS(integer, KIB(100)), .help = "Output of a command, stdout and stderr together. Head and tail are kept." },
        { ROW(RUN, "background_output_bytes", BYTES), FIELD(run.background_output_bytes), RANGE(KIB(1), MIB(64)),
          TIGHTEN(LESS), IS(integer, MIB(1)), .help = "The same for each stream of a background command." },
        { ROW(RUN, "max_shells", INTEGER), FIELD(run.max_shells), RANGE(0, 4096), TIGHTEN(LESS), IS(integer, 64),
          .help = "Background commands alive at a time." },
        { ROW(RUN, "kept_shells", INTEGER), FIELD(run.kept_shells), RANGE(0, 65536), IS(integer, 256),
          .help = "Ended background commands that are remembered, the newest ones; their output up to 32 MiB in all." },
        { ROW(RUN, "keep_shells_for", DURATION), FIELD(run.keep_shells_for), RANGE(0, 7 * DAY),
          IS(integer, SECONDS(3600)), .help = "And for how long." },
        { ROW(RUN, "warm", INTEGER), FIELD(run.warm), RANGE(0, 64), IS(integer, 2),
          .help = "Sandboxes that a server keeps ready, each for one command. 0: none." },

        { ROW(OUTPUT, "ansi", WORD), FIELD(run.ansi), .words = ansi,
          .help = "strip: an agent sees no terminal escapes and other control characters. keep: it sees all of them." },

        { ROW(ENV, "pass", LIST), FIELD(env.pass), .text = &text_variables,
          .help = "Variables that reach commands, beside the built-in ones; see `bailey env`. Not those that look like "
                  "secrets or make programs run code." },
        { ROW(ENV, "pass_secret", LIST), FIELD(env.pass_secret), .text = &text_variable,
          .help = "Even those, when they are named exactly here." },
        { ROW(ENV, "set", PAIRS), FIELD(env.set), .help = "Variables with a value of your own." },

        { ROW(AUDIT, "enabled", BOOLEAN), FIELD(audit.enabled), IS(boolean, true), .help = "Keep a record on disk." },
        { ROW(AUDIT, "required", BOOLEAN), FIELD(audit.required), IS(boolean, true),
          .help = "What cannot be recorded does not run." },
        { ROW(AUDIT, "path", STRING), FIELD(audit.path), .text = &text_path,
          .help = "The record. Without it, audit.jsonl in $XDG_STATE_HOME/bailey or ~/.local/state/bailey." },
        { ROW(AUDIT, "ring_size", INTEGER), FIELD(audit.ring_size), RANGE(1, MANY), IS(integer, 1000),
          .help = "Records kept in memory." },
        { ROW(AUDIT, "rotate_bytes", BYTES), FIELD(audit.rotate_bytes), RANGE(KIB(64), HUGE_BYTES),
          IS(integer, MIB(64)), .help = "A new file is begun at this size." },
        { ROW(AUDIT, "rotate_keep", INTEGER), FIELD(audit.rotate_keep), RANGE(0, 1000), IS(integer, 4),
          .help = "Older files that are kept." },

        { ROW(POLICY, "extends", STRING), .text = &text_policy, IS(text, STR("default")),
          .help = "The policy that this one starts from." },
};
/* clang-format on */

const size_t key_count = sizeof(keys) / sizeof(*keys);
