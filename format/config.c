#include "base/str.h"
#include "format/format.h"
#include "format/json.h"

/* Lists of objects, one in a line, with blanks behind commas and colons: for people, too. */

static void member(struct buf *out, const char *before, const char *name, const char *text) {
        buf_format(out, "%s\"%s\": ", before, name);
        if (text)
                buf_json(out, str_z(text));
        else
                buf_append(out, STR("null"));
}

/* What could do something to a terminal is shown as ?. */
static void put_plain(struct buf *out, struct str text, bool ascii) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                buf_char(out, c < ' ' || c == 0x7f || (ascii && c > 0x7f) ? '?' : (char)c);
        }
}

/* ---- rules ---- */

static const char *severity(const struct bailey_rule *rule) {
        return rule->blocks ? "block" : "warn";
}

void format_rules_json(struct buf *out) {
        struct bailey_rule rule;

        buf_char(out, '[');
        for (size_t i = 0; bailey_rule(i, &rule); i++) {
                put_item(out);
                put_text(out, "id", rule.id);
                put_text(out, "severity", severity(&rule));
                put_text(out, "policies", rule.policies);
                put_text(out, "effect", rule.effect);
                put_text(out, "message", rule.message);
                put_text(out, "instead", rule.instead);
                put_text(out, "example", rule.example);
                put_end(out);
        }
        buf_append(out, STR("]\n"));
}

void format_rules_text(struct buf *out) {
        struct bailey_rule rule;

        for (size_t i = 0; bailey_rule(i, &rule); i++)
                buf_format(out, "%-22s %-5s  %-15s  %s\n", rule.id, severity(&rule), rule.policies, rule.example);
}

/* ---- policies ---- */

void format_policies_json(const struct bailey_policy_names *names, struct buf *out) {
        for (size_t i = 0; i < names->count; i++) {
                member(out, i ? ",\n {" : "[{", "name", names->items[i].name);
                member(out, ", ", "help", names->items[i].help);
                member(out, ", ", "file", names->items[i].file);
                buf_char(out, '}');
        }
        buf_append(out, STR("]\n"));
}

void format_policies_text(const struct bailey_policy_names *names, struct buf *out) {
        for (size_t i = 0; i < names->count; i++) {
                const struct bailey_policy_name *name = &names->items[i];

                buf_format(out, "%-16s ", name->name);
                if (name->help)
                        buf_append(out, str_z(name->help));
                if (name->file) {
                        buf_append(out, name->help ? STR(" Changed in ") : STR("Defined in "));
                        put_plain(out, str_z(name->file), false);
                }
                buf_char(out, '\n');
        }
}

/* ---- variables ---- */

static const char *const actions[] = {
        [BAILEY_VARIABLE_PASSED] = "pass",
        [BAILEY_VARIABLE_SET] = "set",
        [BAILEY_VARIABLE_DROPPED] = "drop",
};

void format_variables_json(const struct bailey_variables *variables, struct buf *out) {
        member(out, "{\"schemaVersion\": 1, ", "policy", variables->policy);
        buf_append(out, STR(", \"variables\": ["));
        for (size_t i = 0; i < variables->count; i++) {
                const struct bailey_variable *v = &variables->items[i];

                buf_format(out, "%s\n  {\"name\": ", i ? "," : "");
                buf_json(out, text_str(v->name));
                member(out, ", ", "action", actions[v->action]);
                member(out, ", ", "reason", v->reason);
                if (v->rule)
                        member(out, ", ", "rule", v->rule);
                buf_char(out, '}');
        }
        buf_append(out, STR("\n]}\n"));
}

void format_variables_text(const struct bailey_variables *variables, struct buf *out) {
        const size_t width = 32;

        for (size_t i = 0; i < variables->count; i++) {
                const struct bailey_variable *v = &variables->items[i];

                buf_format(out, "%-5s ", actions[v->action]);
                put_plain(out, text_str(v->name), true);
                buf_format(out, "%*s  %s\n", v->name.length < width ? (int)(width - v->name.length) : 0, "", v->reason);
        }
}

/* ---- trusted files ---- */

void format_trusted_json(const struct bailey_trusted_files *files, struct buf *out) {
        buf_char(out, '[');
        for (size_t i = 0; i < files->count; i++) {
                member(out, i ? ",\n {" : "{", "sha256", files->items[i].sha256);
                member(out, ", ", "path", files->items[i].path);
                buf_char(out, '}');
        }
        buf_append(out, STR("]\n"));
}

void format_trusted_text(const struct bailey_trusted_files *files, struct buf *out) {
        for (size_t i = 0; i < files->count; i++)
                buf_format(out, "%s  %s\n", files->items[i].sha256, files->items[i].path);
}

void format_changed_text(const struct bailey_changed *changed, struct buf *out) {
        buf_format(out, "session %s: %s\n", changed->session,
                   changed->count ? "in effect from the next command until the session ends" : "nothing to change");
        for (size_t i = 0; i < changed->count; i++) {
                buf_format(out, "    %s: %s ", changed->items[i].key, changed->items[i].removed ? "removed" : "added");
                buf_visible(out, str_z(changed->items[i].value));
                buf_char(out, '\n');
        }
        if (!changed->notice)
                return;
        buf_append(out, STR("    "));
        buf_visible(out, str_z(changed->notice));
        buf_char(out, '\n');
}
