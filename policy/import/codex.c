/*
 * Codex: config.toml and requirements.toml.
 */
#include "policy/import/take.h"

static const char unknown[] = "unknown setting, which may deny something";

/* ---- the older settings ---- */

static void take_mode(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, "read-only")) {
                import_set(im, at, "sandbox.workspace_write", "false");
                import_no_host(im, at, true);
        } else if (place_says(at, "workspace-write")) {
                import_no_host(im, at, false);
        } else if (place_says(at, "danger-full-access")) {
                import_leave(im, at, IMPORT_ALLOWS, "bailey runs no commands without a sandbox");
        } else {
                import_leave(im, at, row->kind, unknown);
        }
}

static bool counts(struct importer *im, struct setting_place at) {
        if (import_says(im, "sandbox_mode", "workspace-write"))
                return true;
        import_leave(im, at, IMPORT_ALLOWS, "applies only with sandbox_mode = \"workspace-write\"");
        return false;
}

static void take_roots(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (counts(im, at))
                take_paths(im, row, at);
}

static void take_network(struct importer *im, const struct import_row *row, struct setting_place at) {
        (void)row;
        if (!place_is(at, true))
                import_no_host(im, at, true);
        else if (counts(im, at))
                import_any_host(im, at);
}

static void take_approval(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (!place_says(at, "never") && !place_says(at, "on-failure") && !place_says(at, "on-request"))
                import_leave(im, at, row->kind, row->text);
}

static void take_inherit(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (!place_says(at, "all"))
                import_leave(im, at, row->kind, row->text);
}

/* ---- profiles: default_permissions names the one that counts ---- */

static void take_default(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, ":read-only")) {
                import_set(im, at, "sandbox.workspace_write", "false");
                import_no_host(im, at, true);
        } else if (place_says(at, ":workspace")) {
                import_no_host(im, at, true);
        } else if (place_says(at, ":danger-full-access")) {
                import_leave(im, at, IMPORT_ALLOWS, "bailey runs no commands without a sandbox");
        } else if (at.node->kind != TREE_STRING || at.node->text.ptr[0] == ':') {
                import_leave(im, at, row->kind, unknown);
        }
}

static bool node_says(const struct tree_node *node, const char *text) {
        return node && node->kind == TREE_STRING && str_is(node->text, text);
}

/* A path below a root of the workspace; "." is the root. */
static void access_of_workspace(struct importer *im, struct setting_place at) {
        struct str path = at.node->key;

        if (place_says(at, "none") || place_says(at, "deny"))
                import_path(im, at, IMPORT_DENIES, PATH_PLAIN, "sandbox.fs_read_deny", path);
        else if (place_says(at, "read"))
                import_path(im, at, IMPORT_DENIES, PATH_PLAIN, "sandbox.fs_write_deny", path);
        else if (!place_says(at, "write"))
                import_leave(im, at, IMPORT_DENIES, unknown);
}

static void take_workspace(struct importer *im, struct setting_place at) {
        const struct tree_node *root = at.node->kind == TREE_TABLE ? tree_get(at.node, STR(".")) : at.node;

        if (!node_says(root, "write"))
                import_set(im, at, "sandbox.workspace_write", "false");
        if (at.node->kind != TREE_TABLE) {
                if (!place_says(at, "write") && !place_says(at, "read"))
                        import_leave(im, at, IMPORT_DENIES, unknown);
                return;
        }
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (child->kind == TREE_STRING && !str_is(child->key, "."))
                        access_of_workspace(im, place);
                else if (child != root || node_says(root, "none") || node_says(root, "deny"))
                        import_leave(im, place, IMPORT_DENIES, unknown);
        }
}

static void take_access(struct importer *im, struct setting_place at) {
        struct str path = at.node->key;

        if (place_says(at, "none") || place_says(at, "deny")) {
                import_path(im, at, IMPORT_DENIES, PATH_PLAIN, "sandbox.fs_read_deny", path);
        } else if (place_says(at, "read")) {
                import_path(im, at, IMPORT_ALLOWS, PATH_PLAIN, "sandbox.fs_read_allow", path);
                import_path(im, at, IMPORT_DENIES, PATH_PLAIN, "sandbox.fs_write_deny", path);
        } else if (place_says(at, "write")) {
                import_path(im, at, IMPORT_ALLOWS, PATH_PLAIN, "sandbox.fs_write_allow", path);
        } else {
                import_leave(im, at, IMPORT_DENIES, unknown);
        }
}

/* Names of places that every machine has. */
static void take_special(struct importer *im, struct setting_place at) {
        struct str name = at.node->key;

        if (str_is(name, ":workspace_roots") || str_is(name, ":project_roots"))
                take_workspace(im, at);
        else if (str_is(name, ":root") && place_says(at, "read"))
                return; /* as here */
        else if (str_is(name, ":root") && place_says(at, "write"))
                import_leave(im, at, IMPORT_ALLOWS, "covers the whole file system");
        else if (str_is(name, ":tmpdir") || str_is(name, ":slash_tmp") || str_is(name, ":minimal"))
                import_leave(im, at, IMPORT_ALLOWS, "not needed: commands have their own /tmp, and can read the system");
        else
                import_leave(im, at, IMPORT_DENIES, unknown);
}

static const struct tree_node *file_table(struct setting_place profile) {
        return tree_get(profile.node, STR("filesystem"));
}

static void take_files(struct importer *im, struct setting_place at) {
        const struct tree_node *root = tree_get(at.node, STR(":root"));

        if (!node_says(root, "read") && !node_says(root, "write"))
                import_set(im, at, "sandbox.root", "\"minimal\"");
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (str_is(child->key, "glob_scan_max_depth"))
                        continue;
                if (str_starts(child->key, STR(":")))
                        take_special(im, place);
                else
                        take_access(im, place);
        }
        if (!tree_get(at.node, STR(":workspace_roots")) && !tree_get(at.node, STR(":project_roots")))
                import_set(im, at, "sandbox.workspace_write", "false");
}

static void take_domains(struct importer *im, const struct import_row *row, struct setting_place at) {
        (void)row;
        import_no_host(im, at, false);
        if (at.node->kind != TREE_TABLE) {
                import_leave(im, at, IMPORT_DENIES, "expected a table of hosts");
                return;
        }
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (place_says(place, "allow"))
                        import_host(im, place, IMPORT_ALLOWS, child->key);
                else if (place_says(place, "deny") || place_says(place, "none"))
                        import_host(im, place, IMPORT_DENIES, child->key);
                else
                        import_leave(im, place, IMPORT_DENIES, unknown);
        }
}

/* A profile that says nothing of the network has none. */
static void take_profile_network(struct importer *im, struct setting_place at) {
        const struct tree_node *enabled = tree_get(at.node, STR("enabled")), *domains = tree_get(at.node, STR("domains"));

        if (!enabled || enabled->kind != TREE_BOOLEAN || !enabled->boolean)
                import_no_host(im, at, true);
        else if (!domains)
                import_any_host(im, at);
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (child == domains)
                        take_domains(im, NULL, place);
                else if (str_is(child->key, "mode") && !place_says(place, "full"))
                        import_leave(im, place, IMPORT_DENIES, "bailey does not inspect the methods of requests");
                else if (child != enabled && !str_is(child->key, "mode"))
                        import_leave(im, place, IMPORT_DENIES, unknown);
        }
}

static void take_extends(struct importer *im, struct setting_place at) {
        if (place_says(at, ":read-only"))
                import_set(im, at, "sandbox.workspace_write", "false");
        else if (!place_says(at, ":workspace"))
                import_leave(im, at, IMPORT_DENIES, "only :read-only and :workspace can be extended");
}

/* What a profile does not list, it denies, unless it extends another one. */
static void take_profile_files(struct importer *im, struct setting_place at) {
        const struct tree_node *files = file_table(at), *extends = tree_get(at.node, STR("extends"));

        if (files && files->kind == TREE_TABLE && !extends) {
                take_files(im, place_member(im, at, files));
        } else if (files && files->kind == TREE_TABLE) {
                TREE_EACH(child, files) {
                        struct setting_place place = place_member(im, place_member(im, at, files), child);

                        if (str_is(child->key, "glob_scan_max_depth"))
                                continue;
                        if (str_starts(child->key, STR(":")))
                                take_special(im, place);
                        else
                                take_access(im, place);
                }
        } else if (!extends) {
                import_set(im, at, "sandbox.workspace_write", "false");
                import_set(im, at, "sandbox.root", "\"minimal\"");
        }
}

static void take_profile(struct importer *im, const struct import_row *row, struct setting_place at) {
        const struct tree_node *network = tree_get(at.node, STR("network"));
        char *name = arena_dup(im->arena, at.node->key);

        if (!name || at.node->kind != TREE_TABLE || !import_says(im, "default_permissions", name)) {
                import_leave(im, (struct setting_place){ at.node, at.path }, IMPORT_ALLOWS, row->text);
                return;
        }
        take_profile_files(im, at);
        if (network && network->kind == TREE_TABLE)
                take_profile_network(im, place_member(im, at, network));
        else
                import_no_host(im, at, true);
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (str_is(child->key, "extends"))
                        take_extends(im, place);
                else if (child != network && child != file_table(at) && !str_is(child->key, "description"))
                        import_leave(im, place, IMPORT_DENIES, unknown);
        }
}

/* ---- requirements.toml ---- */

enum { RULES_MAX = 4096 };

static void put_words(struct importer *im, struct setting_place at, enum import_kind kind, const struct tree_node *part,
                      const char *before);

/* One more word, and then the rest. */
static void put_word(struct importer *im, struct setting_place at, enum import_kind kind, const struct tree_node *part,
                     const struct tree_node *word, const char *before) {
        if (word->kind == TREE_STRING)
                put_words(im, at, kind, part->next,
                          import_text(im, "%s%s%.*s", before, *before ? " " : "", STR_ARG(word->text)));
        else
                import_leave(im, at, kind, "expected strings as words");
}

/* pattern = [{ token = "git" }, { any_of = ["push", "fetch"] }]: alternatives multiply out. */
static void put_words(struct importer *im, struct setting_place at, enum import_kind kind, const struct tree_node *part,
                      const char *before) {
        const struct tree_node *token = part ? tree_get(part, STR("token")) : NULL,
                               *any = part ? tree_get(part, STR("any_of")) : NULL;

        if (im->ret->value_count + im->ret->left_count > RULES_MAX) {
                im->failed = true;
        } else if (!part) {
                import_command(im, at, kind, COMMAND_PREFIX, str_z(before));
        } else if (token) {
                put_word(im, at, kind, part, token, before);
        } else if (any && any->kind == TREE_ARRAY && any->count) {
                TREE_EACH(word, any)
                put_word(im, at, kind, part, word, before);
        } else {
                import_leave(im, at, kind, "expected { token = \"...\" } or { any_of = [...] }");
        }
}

static void take_prefix_rule(struct importer *im, const struct import_row *row, struct setting_place item) {
        const struct tree_node *pattern = tree_get(item.node, STR("pattern")), *decision = tree_get(item.node, STR("decision"));

        if (pattern && pattern->kind == TREE_ARRAY && pattern->count && pattern->count <= 8)
                put_words(im, item,
                          node_says(decision, "prompt")  ? IMPORT_ASKS
                          : node_says(decision, "allow") ? IMPORT_ALLOWS
                                                         : IMPORT_DENIES,
                          pattern->first, "");
        else
                import_leave(im, item, row->kind, "expected a pattern of one to eight words");
}

static void take_prefix_rules(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_items(im, row, at, "expected an array of rules", take_prefix_rule);
}

/* No profile, but what all of them deny. */
static void take_required_files(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (at.node->kind != TREE_TABLE) {
                import_leave(im, at, row->kind, unknown);
                return;
        }
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (str_is(child->key, "deny_read"))
                        take_paths(im, row, place);
                else
                        import_leave(im, place, row->kind, unknown);
        }
}

/* Modes that are not among them are not allowed: without workspace-write, nothing is written. */
static void take_modes(struct importer *im, const struct import_row *row, struct setting_place at) {
        bool writes = false;

        if (at.node->kind != TREE_ARRAY) {
                import_leave(im, at, row->kind, "expected an array of modes");
                return;
        }
        TREE_EACH(child, at.node)
        writes |= node_says(child, "workspace-write") || node_says(child, "danger-full-access");
        if (!writes)
                import_set(im, at, "sandbox.workspace_write", "false");
}

static void take_required_network(struct importer *im, const struct import_row *row, struct setting_place at) {
        (void)row;
        if (!place_is(at, true))
                import_no_host(im, at, true);
}

/* clang-format off */
const struct import_row codex_rows[] = {
        { "sandbox_mode", take_mode, IMPORT_DENIES, NULL },
        { "sandbox_workspace_write.writable_roots", take_roots, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "sandbox_workspace_write.network_access", take_network, IMPORT_DENIES, NULL },
        { "sandbox_workspace_write.exclude_slash_tmp", NULL, IMPORT_ALLOWS, NULL }, /* the /tmp of this machine */
        { "sandbox_workspace_write.exclude_tmpdir_env_var", NULL, IMPORT_ALLOWS, NULL },
        { "sandbox_workspace_write.?", take_left, IMPORT_DENIES, unknown },
        { "approval_policy", take_approval, IMPORT_ASKS,
          "bailey allows commands by default; guard.ask lists commands to ask about" },
        { "shell_environment_policy.set", take_variables, IMPORT_ALLOWS, NULL },
        { "shell_environment_policy.inherit", take_inherit, IMPORT_DENIES,
          "bailey passes known harmless variables, see bailey env; there is no shorter list" },
        { "shell_environment_policy.include_only", take_left, IMPORT_DENIES,
          "bailey passes known harmless variables, see bailey env; there is no shorter list" },
        { "shell_environment_policy.exclude", take_left, IMPORT_DENIES,
          "bailey passes only known harmless variables, see bailey env; there is no denylist" },
        { "shell_environment_policy.ignore_default_excludes", NULL, IMPORT_ALLOWS, NULL },
        { "shell_environment_policy.experimental_use_profile", NULL, IMPORT_ALLOWS, NULL },
        { "shell_environment_policy.?", take_left, IMPORT_DENIES, unknown },
        { "default_permissions", take_default, IMPORT_DENIES, NULL },
        { "permissions.filesystem", take_required_files, IMPORT_DENIES, "sandbox.fs_read_deny" },
        { "permissions.*", take_profile, IMPORT_DENIES, "not the profile in default_permissions" },
        { "allowed_sandbox_modes", take_modes, IMPORT_DENIES, NULL },
        { "allowed_approval_policies", take_left, IMPORT_ASKS, "guard.ask lists commands to ask about" },
        { "rules.prefix_rules", take_prefix_rules, IMPORT_DENIES, NULL },
        { "rules.?", take_left, IMPORT_DENIES, unknown },
        { "experimental_network.enabled", take_required_network, IMPORT_DENIES, NULL },
        { "experimental_network.domains", take_domains, IMPORT_DENIES, NULL },
        { "experimental_network.?", take_left, IMPORT_DENIES, unknown },
        { "profiles", take_left, IMPORT_ALLOWS,
          "profiles of the command line; import their settings from a file of their own" },
        { "?", NULL, IMPORT_ALLOWS, NULL }, /* models, servers, looks: nothing that commands may or may not do */
        {},
};
/* clang-format on */
