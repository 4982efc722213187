/*
 * Claude Code: settings.json. deny before ask before allow, whatever is more specific; bailey has the same order.
 */
#include "policy/import/take.h"

/* ---- rules: Tool, or Tool(what) ---- */

struct rule {
        struct str tool, what;
        bool all; /* of the tool */
};

static struct rule rule_read(struct str text) {
        struct rule rule = { .tool = str_take(text, str_find(text, '(')) };

        rule.all = rule.tool.len == text.len;
        if (!rule.all && str_ends(text, STR(")")))
                rule.what = str_take(str_skip(text, rule.tool.len + 1), text.len - rule.tool.len - 2);
        return rule;
}

typedef void take_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule);

static void bash_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule) {
        import_command(im, at, kind, COMMAND_GLOB, rule->all ? STR("*") : rule->what);
}

/* `deny` is the key for what must not be; what is asked about is not done without being asked, which is to deny it here. */
static void path_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule,
                      const char *allow, const char *deny) {
        if (kind == IMPORT_ASKS)
                import_leave(im, at, kind, "guard.ask applies to commands, not to files");
        else if (rule->all)
                import_leave(im, at, kind, "applies to a tool of Claude Code, which bailey does not run");
        else
                import_path(im, at, kind, PATH_RULE, kind == IMPORT_ALLOWS ? allow : deny, rule->what);
}

static void read_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule) {
        path_rule(im, at, kind, rule, "sandbox.fs_read_allow", "sandbox.fs_read_deny");
}

static void write_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule) {
        path_rule(im, at, kind, rule, "sandbox.fs_write_allow", "sandbox.fs_write_deny");
}

/* In its sandbox, commands can reach what this tool may fetch. */
static void fetch_rule(struct importer *im, struct setting_place at, enum import_kind kind, const struct rule *rule) {
        static const struct str domain = STR("domain:");

        if (rule->all || !str_starts(rule->what, domain))
                import_leave(im, at, kind, "only WebFetch(domain:NAME) can be converted");
        else if (kind == IMPORT_ASKS)
                import_leave(im, at, kind, "guard.ask applies to commands, not to hosts");
        else if (kind == IMPORT_ALLOWS && !import_says(im, "sandbox.enabled", NULL))
                import_leave(im, at, kind, "without sandbox.enabled, it applies only to a tool of Claude Code");
        else
                import_host(im, at, kind, str_skip(rule->what, domain.len));
}

static const struct {
        const char *name;
        take_rule *take;
} tools[] = {
        { "Bash", bash_rule },      { "Read", read_rule },       { "Grep", read_rule },
        { "Glob", read_rule },      { "LS", read_rule },         { "Edit", write_rule },
        { "Write", write_rule },    { "MultiEdit", write_rule }, { "NotebookEdit", write_rule },
        { "WebFetch", fetch_rule },
};

static void rule_take(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        struct rule rule = rule_read(text);

        if (!rule.all && !str_ends(text, STR(")"))) {
                import_leave(im, at, row->kind, "expected Tool or Tool(PATTERN)");
                return;
        }
        for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
                if (str_is(rule.tool, tools[i].name)) {
                        tools[i].take(im, at, row->kind, &rule);
                        return;
                }
        import_leave(im, at, row->kind, "applies to a tool of Claude Code, which bailey does not run");
}

static void take_rules(struct importer *im, const struct import_row *row, struct setting_place at) {
        im->only_listed = import_says(im, "permissions.defaultMode", "dontAsk");
        take_each(im, row, at, rule_take);
}

/* ---- other settings ---- */

static void take_mode(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, "dontAsk"))
                import_set(im, at, "guard.allow_only_listed", "true");
        else if (place_says(at, "default"))
                import_leave(im, at, IMPORT_ALLOWS, row->text);
        else if (!place_says(at, "bypassPermissions") && !place_says(at, "acceptEdits") && !place_says(at, "auto"))
                import_leave(im, at, row->kind, row->text);
}

static void path_take(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        import_path(im, at, row->kind, PATH_SETTINGS, row->text, text);
}

static void take_settings_paths(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_each(im, row, at, path_take);
}

static void take_directory(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        import_path(im, at, row->kind, PATH_PLAIN, row->text, text);
}

static void take_directories(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_each(im, row, at, take_directory);
}

static bool is_denied(const struct tree_node *item) {
        const struct tree_node *mode = tree_get(item, STR("mode"));

        return mode && mode->kind == TREE_STRING && str_is(mode->text, "deny");
}

/* { "name": "X", "mode": "deny" }: secrets do not pass here anyway, and what is not known does not. */
static void take_secret(struct importer *im, const struct import_row *row, struct setting_place item) {
        import_leave(im, item, is_denied(item.node) ? row->kind : IMPORT_ALLOWS, row->text);
}

static void take_secrets(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_items(im, row, at, "expected an array", take_secret);
}

/* { "path": "~/.aws", "mode": "deny" } */
static void take_secret_file(struct importer *im, const struct import_row *row, struct setting_place item) {
        const struct tree_node *path = tree_get(item.node, STR("path"));

        if (path && path->kind == TREE_STRING && is_denied(item.node))
                import_path(im, item, IMPORT_DENIES, PATH_SETTINGS, "sandbox.fs_read_deny", path->text);
        else
                import_leave(im, item, row->kind, row->text);
}

static void take_secret_files(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_items(im, row, at, "expected an array", take_secret_file);
}

/* clang-format off */
const struct import_row claude_rows[] = {
        { "permissions.deny", take_rules, IMPORT_DENIES, NULL },
        { "permissions.ask", take_rules, IMPORT_ASKS, NULL },
        { "permissions.allow", take_rules, IMPORT_ALLOWS, NULL },
        { "permissions.additionalDirectories", take_directories, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "permissions.defaultMode", take_mode, IMPORT_ASKS,
          "bailey allows commands by default; guard.ask lists commands to ask about" },
        { "permissions.disableBypassPermissionsMode", take_left, IMPORT_ALLOWS, "bailey has no such mode" },
        { "permissions.disableAutoMode", take_left, IMPORT_ALLOWS, "bailey has no such mode" },
        { "permissions.skipDangerousModePermissionPrompt", NULL, IMPORT_ALLOWS, NULL },

        { "sandbox.enabled", NULL, IMPORT_ALLOWS, NULL },
        { "sandbox.autoAllowBashIfSandboxed", NULL, IMPORT_ALLOWS, NULL },
        { "sandbox.failIfUnavailable", NULL, IMPORT_ALLOWS, NULL }, /* always so */
        { "sandbox.allowUnsandboxedCommands", take_left, IMPORT_ALLOWS, "bailey runs no commands without a sandbox" },
        { "sandbox.excludedCommands", take_left, IMPORT_ALLOWS, "bailey runs no commands without a sandbox" },
        { "sandbox.enableWeakerNestedSandbox", take_left, IMPORT_ALLOWS, "bailey chooses its sandbox: sandbox.backend" },
        { "sandbox.network.allowedDomains", take_hosts, IMPORT_ALLOWS, NULL },
        { "sandbox.network.deniedDomains", take_hosts, IMPORT_DENIES, NULL },
        { "sandbox.network.allowManagedDomainsOnly", take_left, IMPORT_DENIES, "bailey combines the lists of all files" },
        { "sandbox.network.allowUnixSockets", take_left, IMPORT_ALLOWS,
          "applies only on macOS; see sandbox.unix_sockets.paths" },
        { "sandbox.network.allowAllUnixSockets", take_left, IMPORT_ALLOWS, "see sandbox.unix_sockets.paths" },
        { "sandbox.network.allowLocalBinding", take_left, IMPORT_ALLOWS,
          "commands can always listen at their private localhost" },
        { "sandbox.network.httpProxyPort", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "sandbox.network.socksProxyPort", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "sandbox.filesystem.allowWrite", take_settings_paths, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "sandbox.filesystem.denyWrite", take_settings_paths, IMPORT_DENIES, "sandbox.fs_write_deny" },
        { "sandbox.filesystem.denyRead", take_settings_paths, IMPORT_DENIES, "sandbox.fs_read_deny" },
        { "sandbox.filesystem.allowRead", take_left, IMPORT_ALLOWS,
          "bailey has no exceptions from denials" },
        { "sandbox.filesystem.allowManagedReadPathsOnly", take_left, IMPORT_DENIES, "bailey combines the lists of all files" },
        { "sandbox.credentials.envVars", take_secrets, IMPORT_DENIES,
          "bailey passes only known harmless variables, see bailey env; there is no denylist" },
        { "sandbox.credentials.files", take_secret_files, IMPORT_DENIES, "only files with the mode deny are supported" },

        { "env", take_variables, IMPORT_ALLOWS, NULL },
        { "disableAllHooks", NULL, IMPORT_ALLOWS, NULL },
        { "permissions.?", take_left, IMPORT_DENIES, "unknown setting, which may deny something" },
        { "sandbox.?", take_left, IMPORT_DENIES, "unknown setting, which may deny something" },
        { "?", NULL, IMPORT_ALLOWS, NULL }, /* models, hooks, servers, looks: nothing that commands may or may not do */
        {},
};
/* clang-format on */
