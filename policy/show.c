#include "policy/show.h"

#include "policy/resolve.h"

enum { COMMENT_COLUMN = 60, SHORT_LIST = 4 };

static const char *const layer_names[] = {
        [LAYER_BUILTIN] = "built-in",  [LAYER_ENVIRONMENT] = "environment", [LAYER_SYSTEM] = "system",
        [LAYER_USER] = "user",         [LAYER_WORKSPACE] = "workspace",     [LAYER_FILE] = "file",
        [LAYER_OVERRIDE] = "override",
};

/* Whether a list is short, and all items come from one file. */
static bool fits_a_line(const struct value_origin *from, size_t count) {
        if (count > SHORT_LIST)
                return false;
        for (size_t i = 1; from->items && i < count; i++)
                if (from->items[0]->file != from->items[i]->file || !str_eq(from->items[0]->policy, from->items[i]->policy))
                        return false;
        return true;
}

/* ---- for people ---- */

/* The rest of a line: "# where it came from". `start` is where the line began. */
static void comment_write(struct buf *out, size_t start, const struct policy_origin *origin, const char *more) {
        size_t width = out->len - start;

        buf_format(out, "%*s # ", width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 0, "");
        policy_origin_text(origin, out);
        buf_format(out, "%s\n", more);
}

/* A line per item, each with its origin. */
static void list_lines(const struct key_row *key, const union key_value *value, const struct value_origin *from,
                       struct buf *out) {
        size_t size = key_item_size(key->type);

        buf_append(out, from->replaced ? STR("{ replace = true, items = [\n") : STR("[\n"));
        for (size_t i = 0; i < value->items.count; i++) {
                const void *item = (const char *)value->items.items + i * size;
                union key_value one = { .items = { item, 1 } };
                size_t start = out->len, bracket;

                buf_char(out, ' ');
                bracket = out->len;
                key_value_write(key, &one, SHOW_TOML, out);
                if (out->failed)
                        return;
                out->ptr[bracket] = ' '; /* of the list of one; its end becomes the comma */
                out->ptr[out->len - 1] = ',';
                comment_write(out, start, from->items ? from->items[i] : &from->origin, "");
        }
        buf_append(out, from->replaced ? STR("] }\n") : STR("]\n"));
}

static void line_write(const struct key_row *key, const struct policy *policy, struct buf *out) {
        const struct value_origin *from = &policy->origins[key_index(key)];
        union key_value value = key_load(key, policy);
        bool unset = key->type == KEY_STRING && value.text.len == 0 && from->origin.layer == LAYER_BUILTIN;
        size_t start = out->len;

        buf_format(out, unset ? "# %s = " : "%s = ", key->name); /* nothing is no path */
        if (key_is_list(key->type) && key->type != KEY_PAIRS && !fits_a_line(from, value.items.count)) {
                list_lines(key, &value, from, out);
                return;
        }
        if (from->replaced)
                buf_append(out, STR("{ replace = true, items = "));
        key_value_write(key, &value, SHOW_TOML, out);
        if (from->replaced)
                buf_append(out, STR(" }"));
        if (from->items && value.items.count)
                comment_write(out, start, from->items[0], from->replaced ? ", replaced" : "");
        else
                comment_write(out, start, &from->origin, from->replaced ? ", replaced" : "");
}

static void head_write(const struct policy *policy, struct buf *out) {
        buf_format(out, "# policy %.*s", (int)policy->name.len, policy->name.ptr);
        if (policy->workspace.len)
                buf_append(out, STR(", workspace "));
        policy_line_text(policy->workspace, out);
        buf_char(out, '\n');
        for (size_t i = 0; i < policy->file_count; i++) {
                bool named = policy->files[i].layer == LAYER_FILE;

                buf_format(out, "# %s file ", named ? "--config" : layer_names[policy->files[i].layer]);
                policy_line_text(str_z(policy->files[i].path), out);
                buf_append(out, policy->files[i].trusted ? STR("\n") : STR(" (not trusted)\n"));
        }
}

void policy_show_text(const struct policy *policy, struct buf *out) {
        enum key_section section = SECTION_TOP;

        head_write(policy, out);
        for (size_t i = 0; i < key_count; i++) {
                if (!key_is_single(&keys[i]))
                        continue;
                key_heading(&keys[i], &section, out);
                line_write(&keys[i], policy, out);
        }
}

/* ---- for programs ---- */

static void origin_json(struct buf *out, const struct policy_origin *origin) {
        BUF_AUTO text;

        buf_init(&text, 1 << 16);
        policy_origin_text(origin, &text);
        buf_json(out, buf_str(&text));
}

static void value_json(const struct key_row *key, const struct policy *policy, struct buf *out) {
        const struct value_origin *from = &policy->origins[key_index(key)];
        union key_value value = key_load(key, policy);

        buf_format(out, "\"%s\": {\"value\": ", key_path(key).text);
        key_value_write(key, &value, SHOW_JSON, out);
        buf_append(out, STR(", \"origin\": "));
        origin_json(out, &from->origin);
        if (from->items) {
                buf_append(out, STR(", \"items\": ["));
                for (size_t i = 0; i < value.items.count; i++) {
                        buf_append(out, i ? STR(", ") : STR(""));
                        origin_json(out, from->items[i]);
                }
                buf_char(out, ']');
        }
        buf_append(out, from->replaced ? STR(", \"replaced\": true}") : STR("}"));
}

static void files_json(const struct policy *policy, struct buf *out) {
        buf_append(out, STR("\"files\": ["));
        for (size_t i = 0; i < policy->file_count; i++) {
                buf_append(out, i ? STR(", {\"path\": ") : STR("{\"path\": "));
                buf_json(out, str_z(policy->files[i].path));
                buf_format(out, ", \"layer\": \"%s\", \"trusted\": %s}", layer_names[policy->files[i].layer],
                           policy->files[i].trusted ? "true" : "false");
        }
        buf_append(out, STR("], \"notices\": ["));
        for (size_t i = 0; i < policy->notices.count; i++) {
                buf_append(out, i ? STR(", ") : STR(""));
                buf_json(out, policy->notices.items[i]);
        }
        buf_char(out, ']');
}

void policy_show_json(const struct policy *policy, struct buf *out) {
        const char *comma = "";

        buf_append(out, STR("{\"schemaVersion\": 1, \"policy\": "));
        buf_json(out, policy->name);
        buf_append(out, STR(", \"workspace\": "));
        if (policy->workspace.len)
                buf_json(out, policy->workspace);
        else
                buf_append(out, STR("null"));
        buf_append(out, STR(",\n "));
        files_json(policy, out);
        buf_append(out, STR(",\n \"values\": {"));
        for (size_t i = 0; i < key_count; i++) {
                if (!key_is_single(&keys[i]))
                        continue;
                buf_format(out, "%s\n  ", comma);
                value_json(&keys[i], policy, out);
                comma = ",";
        }
        buf_append(out, STR("\n }\n}\n"));
}
