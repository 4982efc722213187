/*
 * Gemini CLI: settings.json, and policies in TOML. There, a rule of a higher priority wins; here, one that denies.
 */
#include "policy/import/take.h"

static const char shell_tool[] = "run_shell_command",
                  other_tool[] = "applies to a tool of Gemini CLI, which bailey does not run";

/* ---- lists of tools ---- */

/* "run_shell_command" or "ShellTool", alone or as run_shell_command(git push). */
static bool shell_rule(struct str text, struct str *ret_command) {
        struct str tool = str_take(text, str_find(text, '('));

        if (!str_is(tool, shell_tool) && !str_is(tool, "ShellTool"))
                return false;
        *ret_command = str_skip(text, tool.len + 1);
        if (ret_command->len)
                *ret_command = str_take(*ret_command, ret_command->len - 1);
        return true;
}

static void tool_take(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        struct str command;

        if (!shell_rule(text, &command))
                import_leave(im, at, row->kind, other_tool);
        else if (command.len)
                import_command(im, at, row->kind, COMMAND_PREFIX, command);
        else
                import_command(im, at, row->kind, COMMAND_GLOB, STR("*"));
}

static void take_tools(struct importer *im, const struct import_row *row, struct setting_place at) {
        im->only_listed = false;
        take_each(im, row, at, tool_take);
}

/* The only tools that there are: commands of the shell, too, unless it is among them without one. */
static void core_take(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        struct str command;

        if (shell_rule(text, &command) && command.len)
                import_command(im, at, row->kind, COMMAND_PREFIX, command);
}

static void take_core(struct importer *im, const struct import_row *row, struct setting_place at) {
        bool all = false;
        struct str command;

        if (at.node->kind == TREE_ARRAY)
                TREE_EACH(child, at.node)
        all |= child->kind == TREE_STRING && shell_rule(child->text, &command) && !command.len;
        if (all)
                return;
        import_set(im, at, "guard.allow_only_listed", "true");
        im->only_listed = true;
        take_each(im, row, at, core_take);
}

static void take_network(struct importer *im, const struct import_row *row, struct setting_place at) {
        (void)row;
        if (place_is(at, true))
                import_any_host(im, at);
        else
                import_no_host(im, at, true);
}

/* ---- policies ---- */

/* A regular expression that means the same to Perl as to JavaScript. */
static bool is_common(struct str regex) {
        static const char plain[] = " _-.,/:=@%\"'|()+*?";

        for (size_t i = 0; i < regex.len; i++) {
                char c = regex.ptr[i];

                if (c == '\\' && i + 1 < regex.len && strchr("sSwWdDb.*+?()|/-", regex.ptr[i + 1]))
                        i++;
                else if (!is_ascii_alnum((unsigned char)c) && (!c || !strchr(plain, c)))
                        return false;
                if (c == '(' && i + 1 < regex.len && regex.ptr[i + 1] == '?')
                        return false;
        }
        return true;
}

static void take_regex(struct importer *im, struct setting_place at, enum import_kind kind, const struct tree_node *regex) {
        if (regex->kind != TREE_STRING || !is_common(regex->text))
                import_leave(im, at, kind, "the expression may have another meaning in bailey");
        else
                import_pattern(im, at, kind, str_z(import_text(im, "(?s)%.*s", STR_ARG(regex->text))));
}

static void take_prefix(struct importer *im, struct setting_place at, enum import_kind kind, const struct tree_node *prefix) {
        if (prefix->kind == TREE_STRING) {
                import_command(im, at, kind, COMMAND_PREFIX, prefix->text);
        } else if (prefix->kind == TREE_ARRAY && prefix->count) {
                TREE_EACH(child, prefix) {
                        if (child->kind == TREE_STRING)
                                import_command(im, at, kind, COMMAND_PREFIX, child->text);
                        else
                                import_leave(im, at, kind, "expected strings as commandPrefix");
                }
        } else {
                import_leave(im, at, kind, "expected a string as commandPrefix");
        }
}

/* Is the shell's tool the one that is named, or among those? */
static bool names_shell(const struct tree_node *tools) {
        if (!tools || tools->kind != TREE_ARRAY)
                return tools && tools->kind == TREE_STRING && (str_is(tools->text, shell_tool) || str_is(tools->text, "*"));
        TREE_EACH(child, tools)
        if (child->kind == TREE_STRING && str_is(child->text, shell_tool))
                return true;
        return false;
}

static enum import_kind decision_of(const struct tree_node *rule) {
        const struct tree_node *decision = tree_get(rule, STR("decision"));

        if (decision && decision->kind == TREE_STRING && str_is(decision->text, "allow"))
                return IMPORT_ALLOWS;
        return decision && decision->kind == TREE_STRING && str_is(decision->text, "ask_user") ? IMPORT_ASKS : IMPORT_DENIES;
}

static void rule_take(struct importer *im, struct setting_place at) {
        const struct tree_node *prefix = tree_get(at.node, STR("commandPrefix")),
                               *regex = tree_get(at.node, STR("commandRegex"));
        enum import_kind kind = decision_of(at.node);

        if (!prefix && !regex && !names_shell(tree_get(at.node, STR("toolName"))))
                import_leave(im, at, kind, other_tool);
        else if (tree_get(at.node, STR("argsPattern")) || tree_get(at.node, STR("mcpName")))
                import_leave(im, at, kind, "only commandPrefix and commandRegex are supported");
        else if (prefix)
                take_prefix(im, at, kind, prefix);
        else if (regex)
                take_regex(im, at, kind, regex);
        else
                import_command(im, at, kind, COMMAND_GLOB, STR("*"));
}

static void take_rules(struct importer *im, const struct import_row *row, struct setting_place at) {
        size_t index = 0;

        im->only_listed = false;
        if (at.node->kind != TREE_ARRAY) {
                import_leave(im, at, row->kind, "expected [[rule]]");
                return;
        }
        TREE_EACH(child, at.node)
        rule_take(im, place_item(im, at, child, index++));
}

/* clang-format off */
const struct import_row gemini_rows[] = {
        { "tools.exclude", take_tools, IMPORT_DENIES, NULL },
        { "tools.core", take_core, IMPORT_ALLOWS, NULL },
        { "tools.allowed", take_tools, IMPORT_ALLOWS, NULL },
        { "tools.confirmationRequired", take_tools, IMPORT_ASKS, NULL },
        { "tools.sandbox", NULL, IMPORT_ALLOWS, NULL },
        { "tools.sandboxAllowedPaths", take_paths, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "tools.sandboxNetworkAccess", take_network, IMPORT_DENIES, NULL },
        { "tools.?", NULL, IMPORT_ALLOWS, NULL }, /* the shell's looks, how files are searched */
        { "excludeTools", take_tools, IMPORT_DENIES, NULL }, /* the older names */
        { "coreTools", take_core, IMPORT_ALLOWS, NULL },
        { "allowedTools", take_tools, IMPORT_ALLOWS, NULL },
        { "security.environmentVariableRedaction", take_left, IMPORT_DENIES,
          "bailey passes only known harmless variables, see bailey env" },
        { "security.?", NULL, IMPORT_ALLOWS, NULL },
        { "rule", take_rules, IMPORT_DENIES, NULL },
        { "safety_checker", take_left, IMPORT_DENIES, other_tool },
        { "?", NULL, IMPORT_ALLOWS, NULL }, /* models, servers, looks: nothing that commands may or may not do */
        {},
};
/* clang-format on */
