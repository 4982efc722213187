#include "hook/install.h"

#include <stdlib.h>
#include <string.h>

#include "hook/edit.h"
#include "hook/entry.h"
#include "hook/settings.h"

enum { TEXT_MAX = 2 * JSON_BYTES_MAX };

/* A file under change: each step reads what the one before wrote. */
struct budget {
        const struct hook_agent *agent;
        struct settings settings;
        struct arena arena;
        struct tree tree;
        struct buf text; /* of the tree */
        struct buf next;
};

static int budget_read(struct budget *budget, struct err *err) {
        tree_free(&budget->tree);
        arena_reset(&budget->arena);
        if (budget->text.failed)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (tree_read(buf_str(&budget->text), budget->agent->comments, &budget->arena, &budget->tree, err) < 0)
                return err_context(err, "cannot read %s; it is unchanged", budget->settings.path);
        if (entry_check(budget->tree.json, budget->agent, err) < 0)
                return err_context(err, "%s is unchanged", budget->settings.path);
        return 0;
}

/* What was just written is the text of the tree. */
static int budget_step(struct budget *budget, struct err *err) {
        struct buf old = budget->text;

        budget->text = budget->next;
        budget->next = old;
        buf_clear(&budget->next);
        return budget_read(budget, err);
}

static bool is_empty(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (!json_blank(text.ptr[i]))
                        return false;
        return true;
}

/* What a new file holds, on lines. */
static int fresh_text(const struct hook_agent *agent, struct buf *out, struct err *err) {
        JSON_AUTO json = json_loads(agent->fresh, 0, NULL);
        char *text = json_dumps(json, JSON_INDENT(2));

        if (text)
                buf_format(out, "%s\n", text);
        free(text);
        return text && !out->failed ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static void budget_init(struct budget *budget) {
        buf_init(&budget->text, TEXT_MAX);
        buf_init(&budget->next, TEXT_MAX);
        arena_init(&budget->arena, 0);
}

static int work_open(struct budget *budget, const struct hook_install *install, bool make, struct err *err) {
        struct str text;

        budget_init(budget);
        budget->agent = hook_agent_find(install->agent);
        budget->settings.lock = -1;
        if (settings_open(budget->agent, install->project, install->options.environment, &budget->settings, err) < 0)
                return -1;
        if (!install->dry_run && (make || budget->settings.real) && settings_lock(&budget->settings, err) < 0)
                return -1;
        text = buf_str(&budget->settings.text);
        if (!is_empty(text))
                buf_append(&budget->text, text);
        else if (fresh_text(budget->agent, &budget->text, err) < 0)
                return -1;
        return budget_read(budget, err);
}

static void work_free(struct budget *budget) {
        tree_free(&budget->tree);
        arena_free(&budget->arena);
        buf_free(&budget->text);
        buf_free(&budget->next);
        settings_free(&budget->settings);
}

/* ---- taking out ---- */

static struct node *event_node(const struct budget *budget, const char *event) {
        return tree_member(&budget->tree, tree_member(&budget->tree, budget->tree.root, "hooks"), event);
}

static bool keeps_hooks(const struct hook_agent *agent) {
        return strstr(agent->fresh, "\"hooks\"") != NULL;
}

/* The handler, and with `whole` all that would be empty without it. */
static struct node *outermost(const struct budget *budget, const struct entry_found *found, bool whole) {
        struct node *entry = tree_item(event_node(budget, found->event), found->entry), *handlers = NULL, *node = entry;

        if (found->grouped)
                handlers = tree_member(&budget->tree, entry, "hooks");
        if (handlers && handlers->count > 1)
                return tree_item(handlers, found->handler);
        if (!whole || !node || node->parent->count > 1)
                return node;
        node = node->parent; /* the event */
        return node->parent->count > 1 || keeps_hooks(budget->agent) ? node : node->parent;
}

static int take_out(struct budget *budget, const char *event, bool whole, bool *changed, struct err *err) {
        struct entry_found found;

        while (entry_find(budget->tree.json, event, &found)) {
                struct node *node = outermost(budget, &found, whole);

                if (!node)
                        return err_set(err, ERR_INVALID, "%s: cannot edit this file; it is unchanged", budget->settings.path);
                edit_remove(&budget->tree, node, &budget->next);
                if (budget_step(budget, err) < 0)
                        return -1;
                *changed = true;
        }
        return 0;
}

/* ---- putting in ---- */

static int put_in(struct budget *budget, const char *event, const json_t *value, struct err *err) {
        struct node *hooks = tree_member(&budget->tree, budget->tree.root, "hooks"), *entries = event_node(budget, event);
        JSON_AUTO list = json_pack("[O]", value);
        JSON_AUTO object = list ? json_pack("{sO}", event, list) : NULL;

        if (!object)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (entries)
                edit_insert(&budget->tree, entries, NULL, value, &budget->next);
        else if (hooks)
                edit_insert(&budget->tree, hooks, event, list, &budget->next);
        else
                edit_insert(&budget->tree, budget->tree.root, "hooks", object, &budget->next);
        return budget_step(budget, err);
}

/* Is ours there once, and is it what it should be? */
static bool is_there(struct budget *budget, const char *event, const json_t *value) {
        json_t *entries = json_at(budget->tree.json, "hooks"), *copy;
        struct entry_found found;
        bool once;

        entries = json_object_get(entries, event);
        if (!entry_find(budget->tree.json, event, &found) || !json_equal(json_array_get(entries, found.entry), value))
                return false;
        copy = json_deep_copy(budget->tree.json);
        json_array_remove(json_object_get(json_object_get(copy, "hooks"), event), found.entry);
        once = copy && !entry_find(copy, event, &found);
        json_decref(copy);
        return once;
}

static int install_entry(struct budget *budget, const struct hook_entry *entry, const struct hook_options *options,
                         bool *changed, struct err *err) {
        BUF_AUTO command;
        JSON_AUTO value = NULL;

        buf_init(&command, TEXT_MAX);
        if (entry->wrap_only && options->mode != HOOK_WRAP)
                return take_out(budget, entry->event, true, changed, err);
        entry_command(budget->agent, options, &command);
        buf_char(&command, '\0');
        value = command.failed ? NULL : entry_value(entry, command.ptr);
        if (!value)
                return err_set(err, ERR_INVALID, "the command of the hook is not valid UTF-8, or out of memory");
        if (is_there(budget, entry->event, value))
                return 0;
        *changed = true;
        return take_out(budget, entry->event, false, changed, err) < 0 || put_in(budget, entry->event, value, err) < 0 ? -1 : 0;
}

/* ---- nothing is lost ---- */

/* All but our entries and what was made for them. */
static json_t *others(const struct hook_agent *agent, const json_t *settings) {
        json_t *copy = json_deep_copy(settings), *hooks = json_object_get(copy, "hooks");
        struct entry_found found;

        for (const struct hook_entry *entry = agent->entries; copy && entry->event; entry++) {
                json_t *entries = json_object_get(hooks, entry->event);

                while (entry_find(copy, entry->event, &found)) {
                        json_t *handlers = json_object_get(json_array_get(entries, found.entry), "hooks");

                        if (json_array_size(handlers) > 1)
                                json_array_remove(handlers, found.handler);
                        else
                                json_array_remove(entries, found.entry);
                }
                if (entries && json_array_size(entries) == 0)
                        json_object_del(hooks, entry->event);
        }
        if (hooks && json_object_size(hooks) == 0)
                json_object_del(copy, "hooks");
        return copy;
}

/* Whatever the change was, the rest of the settings has to say the same as before. */
static int loss_check(struct budget *budget, const json_t *before, struct err *err) {
        JSON_AUTO old = others(budget->agent, before);
        JSON_AUTO new = others(budget->agent, budget->tree.json);

        if (!old || !new)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (!json_equal(old, new))
                return err_set(err, ERR_INVALID, "%s: the change would lose other settings; the file is unchanged",
                               budget->settings.path);
        return 0;
}

/* ---- all entries ---- */

static int entries_put(struct budget *budget, const struct hook_options *options, bool *changed, struct err *err) {
        JSON_AUTO before = json_incref(budget->tree.json);

        for (const struct hook_entry *entry = budget->agent->entries; entry->event; entry++)
                if (install_entry(budget, entry, options, changed, err) < 0)
                        return -1;
        return loss_check(budget, before, err);
}

static int entries_take(struct budget *budget, bool *changed, struct err *err) {
        JSON_AUTO before = json_incref(budget->tree.json);

        for (const struct hook_entry *entry = budget->agent->entries; entry->event; entry++)
                if (take_out(budget, entry->event, true, changed, err) < 0)
                        return -1;
        return loss_check(budget, before, err);
}

int hook_change_text(const struct hook_agent *agent, const struct hook_options *options, struct str text, struct buf *ret,
                     struct err *err) {
        struct budget budget = { .agent = agent, .settings = { .path = strdup("the text"), .lock = -1 } };
        bool changed = false;
        int status = -1;

        budget_init(&budget);
        buf_append(&budget.text, text);
        if (!budget.settings.path)
                err_set(err, ERR_MEMORY, "out of memory");
        else if (budget_read(&budget, err) == 0)
                status = options ? entries_put(&budget, options, &changed, err) : entries_take(&budget, &changed, err);
        if (status == 0)
                buf_append(ret, buf_str(&budget.text));
        work_free(&budget);
        return status < 0 ? -1 : changed;
}

/* ---- the whole ---- */

static bool is_fresh(const struct budget *budget) {
        JSON_AUTO fresh = json_loads(budget->agent->fresh, 0, NULL);

        return json_equal(fresh, budget->tree.json);
}

static int work_write(struct budget *budget, const struct hook_install *install, bool gone, struct buf *said, struct err *err) {
        struct settings *settings = &budget->settings;
        int status;

        if (install->dry_run) {
                buf_format(said, "%s would %s:\n", settings->path,
                           gone             ? "be removed"
                           : settings->real ? "change"
                                            : "be created");
                edit_show(buf_str(&settings->text), gone ? STR("") : buf_str(&budget->text), said);
                return 1;
        }
        status = gone ? settings_delete(settings, err) : settings_replace(settings, buf_str(&budget->text), err);
        if (status < 0)
                return -1;
        if (settings->real)
                buf_format(said, "the old file is saved as %s%s\n", settings->real, settings_backup);
        return 1;
}

static void say_off(const struct budget *budget, struct buf *said) {
        const struct hook_agent *agent = budget->agent;
        json_t *off = agent->off_path ? json_at(budget->tree.json, agent->off_path) : NULL;

        if (agent->off_value ? json_is_true(off) : json_is_false(off))
                buf_format(said, "hooks are disabled: \"%s\" is %s in that file\n", agent->off_path,
                           agent->off_value ? "true" : "false");
}

static int work_install(struct budget *budget, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = budget->agent;
        bool changed = !budget->settings.real;
        int status;

        if (entries_put(budget, &install->options, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is already in %s\n", agent->title, budget->settings.path);
                say_off(budget, said);
                return 0;
        }
        status = work_write(budget, install, false, said, err);
        if (status < 0 || install->dry_run)
                return status;
        buf_format(said, "%s: the hook is now in %s\n", agent->title, budget->settings.path);
        say_off(budget, said);
        if (agent->advice)
                buf_format(said, "%s\n", agent->advice);
        if (install->options.mode == HOOK_WRAP)
                buf_format(said,
                           "the permission rules of %s now see \"bailey run ...\" instead of the command; put rules about "
                           "commands into bailey's config\n",
                           agent->title);
        return status;
}

static int work_uninstall(struct budget *budget, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = budget->agent;
        bool changed = false;
        int status;

        if (budget->settings.real && entries_take(budget, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is not in %s\n", agent->title, budget->settings.path);
                return 0;
        }
        status = work_write(budget, install, agent->own_file && !budget->settings.link && is_fresh(budget), said, err);
        if (status > 0 && !install->dry_run)
                buf_format(said, "%s: the hook is no longer in %s\n", agent->title, budget->settings.path);
        return status;
}

int hook_install(const struct hook_install *install, struct buf *said, struct err *err) {
        struct budget budget = {};
        int status = work_open(&budget, install, true, err);

        if (status == 0)
                status = work_install(&budget, install, said, err);
        work_free(&budget);
        return status;
}

int hook_uninstall(const struct hook_install *install, struct buf *said, struct err *err) {
        struct budget budget = {};
        int status = work_open(&budget, install, false, err);

        if (status == 0)
                status = work_uninstall(&budget, install, said, err);
        work_free(&budget);
        return status;
}
