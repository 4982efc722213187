/*
 * Environment variables that commands get.
 */
#include "policy/import/take.h"

#include "policy/env.h"

/* Of the agents themselves: they mean nothing to commands. */
static const char *const own_prefixes[] = { "ANTHROPIC_", "CLAUDE_", "CODEX_", "GEMINI_", "OPENAI_", NULL };

static bool is_own(struct str name) {
        for (size_t i = 0; own_prefixes[i]; i++)
                if (str_starts(name, str_z(own_prefixes[i])))
                        return true;
        return false;
}

/* NULL: nothing speaks against it. */
static const char *objection(struct str name, struct str value) {
        const struct env_rule *rule = env_rule_find(name);

        if (!env_name_valid(name) || memchr(value.ptr, '\0', value.len))
                return "not a valid variable";
        if (is_own(name))
                return "a setting of the agent itself";
        if (env_is_secret(name))
                return "looks like a secret; to pass it anyway, set it in your environment and add it to env.pass_secret";
        if (env_runs_code(name) || (rule && rule->code != ENV_CODE_NONE))
                return "makes programs load code; add it to env.set if you want that";
        return NULL;
}

void import_variable(struct importer *im, struct setting_place at, struct str name, struct str value) {
        const char *why = objection(name, value);
        struct import_value *added;
        char *copy;

        if (why) {
                struct setting_place hidden = { &(struct tree_node){ .kind = TREE_STRING, .at = at.node->at }, at.path };

                import_leave(im, hidden, IMPORT_ALLOWS, why); /* without its value, which may be a secret */
                return;
        }
        for (size_t i = 0; i < im->ret->value_count; i++)
                if (str_eq(im->ret->values[i].name, name))
                        return;
        copy = arena_dup(im->arena, name);
        added = import_add(im, at, "env.set", value);
        if (!copy || !added)
                im->failed = true;
        else
                added->name = str_from(copy, name.len);
}

void take_variables(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (at.node->kind != TREE_TABLE) {
                import_leave(im, at, row->kind, "expected a table of variables");
                return;
        }
        TREE_EACH(child, at.node) {
                struct setting_place place = place_member(im, at, child);

                if (child->kind == TREE_STRING)
                        import_variable(im, place, child->key, child->text);
                else
                        import_leave(im, place, row->kind, "expected a string as the value of a variable");
        }
}
