/*
 * Where sections stand, second names of keys, and the policies that are there without a file. Knowledge only.
 */
#include "base/time.h"
#include "policy/keys.h"

/* clang-format off */
const struct section_row sections[] = {
        { SECTION_TOP, SECTION_GUARD, "guard", NULL, NULL, "Checks of commands before they run." },
        { SECTION_TOP, SECTION_SANDBOX, "sandbox", NULL, NULL, "What a command can access." },
        { SECTION_TOP, SECTION_CONTAINER, "container", NULL, NULL, "Containers, used instead of bailey's own sandbox." },
        { SECTION_TOP, SECTION_RUN, "run", NULL, NULL, "Timeouts, output and background commands." },
        { SECTION_TOP, SECTION_OUTPUT, "output", NULL, NULL, "Processing of command output." },
        { SECTION_TOP, SECTION_ENV, "env", NULL, NULL, "Environment variables passed to commands." },
        { SECTION_TOP, SECTION_AUDIT, "audit", NULL, NULL, "The audit log." },
        { SECTION_TOP, SECTION_MCP, "mcp", NULL, NULL, "The MCP server." },
        { SECTION_SANDBOX, SECTION_NETWORK, "network", "kind", NULL, "Network access of commands." },
        { SECTION_SANDBOX, SECTION_SOCKETS, "unix_sockets", "kind", "paths",
          "Unix sockets that a command can connect to. An array sets `paths`." },
        { SECTION_CONTAINER, SECTION_LIMITS, "resource_limits", NULL, NULL, "Resource limits of containers." },
        { SECTION_CONTAINER, SECTION_FLAGS, "security_flags", NULL, NULL, "Security options of containers." },
        { SECTION_GUARD, SECTION_PATTERN, "dangerous_patterns", NULL, NULL, "A regular expression and the effect of a match." },
        { SECTION_NETWORK, SECTION_CREDENTIAL, "credential", NULL, NULL,
          "A host, and where the secret is that bailey adds to requests for it." },
        { SECTION_TOP, SECTION_GUARD, "bash_sandbox", NULL, NULL, "Alias of [guard]." },
        { SECTION_GUARD, SECTION_CONTAINER, "container", NULL, NULL, "Alias of [container]." },
};

const struct key_alias key_aliases[] = {
        { SECTION_SANDBOX, "timeout", "run.timeout" },
        { SECTION_SANDBOX, "env", "env.set" },
        { SECTION_SANDBOX, "image", "container.image" },
        { SECTION_POLICY, "allowed_commands", "guard.allowed_commands" },
        { SECTION_PATTERN, "pattern", "guard.dangerous_patterns.regex" },
};

static const struct str read_commands[] = {
        STR("grep"), STR("cat"), STR("ls"), STR("find"), STR("wc"), STR("head"), STR("tail"), STR("tree"), STR("file"),
        STR("stat"), STR("pwd"), STR("echo"), STR("which"), STR("type"),
};
static const struct str build_commands[] = {
        STR("make"), STR("npm run"), STR("npm test"), STR("pip list"), STR("pip show"), STR("python -m pytest"),
        STR("python3 -m pytest"),
        STR("cargo check"), STR("cargo test"), STR("cargo build"), STR("go build"), STR("go test"), STR("go vet"),
};
/* Not even when a policy that extends these lists them. */
static const struct str never_commands[] = {
        STR("curl"), STR("wget"), STR("chmod"), STR("chown"), STR("sudo"), STR("su"), STR("apt"), STR("apt-get"),
};

#define LISTED(array) { .list = { (array), sizeof(array) / sizeof(*(array)) } }

static const struct builtin_value readonly_values[] = {
        { "guard.allow_only_listed", { .boolean = true } },
        { "guard.allowed_commands", LISTED(read_commands) },
        { "guard.command_blocklist", LISTED(never_commands) },
        { "guard.allow_sudo", { .boolean = false } },
        { "sandbox.network.kind", { .word = NETWORK_DENY } },
        { "sandbox.workspace_write", { .boolean = false } },
        { "run.timeout", { .integer = 10 * TIME_SECOND } },
        { "run.timeout_max", { .integer = 60 * TIME_SECOND } },
        { "run.output_bytes", { .integer = 10 << 10 } },
        { "run.output_limit", { .word = OUTPUT_LIMIT_ALWAYS } },
};
static const struct builtin_value build_values[] = {
        { "guard.allowed_commands", LISTED(build_commands) },
        { "sandbox.workspace_write", { .boolean = true } },
};

const struct builtin_policy builtin_policies[] = {
        { "default", NULL, "Guard and sandbox for general work.", NULL, 0 },
        { "readonly", "default", "Only a few commands that read and search files.", readonly_values,
          sizeof(readonly_values) / sizeof(*readonly_values) },
        { "build", "readonly", "The commands of readonly, plus builds and tests.", build_values,
          sizeof(build_values) / sizeof(*build_values) },
};
/* clang-format on */

const size_t section_row_count = sizeof(sections) / sizeof(*sections);
const size_t key_alias_count = sizeof(key_aliases) / sizeof(*key_aliases);
const size_t builtin_policy_count = sizeof(builtin_policies) / sizeof(*builtin_policies);
