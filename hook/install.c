#include "hook/install.h"

#include <stdlib.h>
#include <string.h>

#include "hook/edit.h"
#include "hook/entry.h"
#include "hook/settings.h"

enum { TEXT_MAX = 2 * JSON_BYTES_MAX };

/* A file under change: each step reads what the one before wrote. */
struct work {
        const struct hook_agent *agent;
        struct settings settings;
        struct arena arena;
        struct tree tree;
        struct buf text; /* of the tree */
        struct buf next;
};

static int work_read(struct work *work, struct err *err) {
        tree_free(&work->tree);
        arena_reset(&work->arena);
        if (work->text.failed)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (tree_read(buf_str(&work->text), work->agent->comments, &work->arena, &work->tree, err) < 0)
                return err_context(err, "cannot read %s; it is unchanged", work->settings.path);
        if (entry_check(work->tree.json, work->agent, err) < 0)
                return err_context(err, "%s is unchanged", work->settings.path);
        return 0;
}

/* What was just written is the text of the tree. */
static int work_step(struct work *work, struct err *err) {
        struct buf old = work->text;

        work->text = work->next;
        work->next = old;
        buf_clear(&work->next);
        return work_read(work, err);
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

static void work_init(struct work *work) {
        buf_init(&work->text, TEXT_MAX);
        buf_init(&work->next, TEXT_MAX);
        arena_init(&work->arena, 0);
}

static int work_open(struct work *work, const struct hook_install *install, bool make, struct err *err) {
        struct str text;

        work_init(work);
        work->agent = hook_agent_find(install->agent);
        work->settings.lock = -1;
        if (settings_open(work->agent, install->project, install->options.environment, &work->settings, err) < 0)
                return -1;
        if (!install->dry_run && (make || work->settings.real) && settings_lock(&work->settings, err) < 0)
                return -1;
        text = buf_str(&work->settings.text);
        if (!is_empty(text))
                buf_append(&work->text, text);
        else if (fresh_text(work->agent, &work->text, err) < 0)
                return -1;
        return work_read(work, err);
}

static void work_free(struct work *work) {
        tree_free(&work->tree);
        arena_free(&work->arena);
        buf_free(&work->text);
        buf_free(&work->next);
        settings_free(&work->settings);
}

/* ---- taking out ---- */

static struct node *event_node(const struct work *work, const char *event) {
        return tree_member(&work->tree, tree_member(&work->tree, work->tree.root, "hooks"), event);
}

static bool keeps_hooks(const struct hook_agent *agent) {
        return strstr(agent->fresh, "\"hooks\"") != NULL;
}

/* The handler, and with `whole` all that would be empty without it. */
static struct node *outermost(const struct work *work, const struct entry_found *found, bool whole) {
        struct node *entry = tree_item(event_node(work, found->event), found->entry), *handlers = NULL, *node = entry;

        if (found->grouped)
                handlers = tree_member(&work->tree, entry, "hooks");
        if (handlers && handlers->count > 1)
                return tree_item(handlers, found->handler);
        if (!whole || !node || node->parent->count > 1)
                return node;
        node = node->parent; /* the event */
        return node->parent->count > 1 || keeps_hooks(work->agent) ? node : node->parent;
}

static int take_out(struct work *work, const char *event, bool whole, bool *changed, struct err *err) {
        struct entry_found found;

        while (entry_find(work->tree.json, event, &found)) {
                struct node *node = outermost(work, &found, whole);

                if (!node)
                        return err_set(err, ERR_INVALID, "%s: cannot edit this file; it is unchanged", work->settings.path);
                edit_remove(&work->tree, node, &work->next);
                if (work_step(work, err) < 0)
                        return -1;
                *changed = true;
        }
        return 0;
}

/* ---- putting in ---- */

static int put_in(struct work *work, const char *event, const json_t *value, struct err *err) {
        struct node *hooks = tree_member(&work->tree, work->tree.root, "hooks"), *entries = event_node(work, event);
        JSON_AUTO list = json_pack("[O]", value);
        JSON_AUTO object = list ? json_pack("{sO}", event, list) : NULL;

        if (!object)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (entries)
                edit_insert(&work->tree, entries, NULL, value, &work->next);
        else if (hooks)
                edit_insert(&work->tree, hooks, event, list, &work->next);
        else
                edit_insert(&work->tree, work->tree.root, "hooks", object, &work->next);
        return work_step(work, err);
}

/* Is ours there once, and is it what it should be? */
static bool is_there(struct work *work, const char *event, const json_t *value) {
        json_t *entries = json_at(work->tree.json, "hooks"), *copy;
        struct entry_found found;
        bool once;

        entries = json_object_get(entries, event);
        if (!entry_find(work->tree.json, event, &found) || !json_equal(json_array_get(entries, found.entry), value))
                return false;
        copy = json_deep_copy(work->tree.json);
        json_array_remove(json_object_get(json_object_get(copy, "hooks"), event), found.entry);
        once = copy && !entry_find(copy, event, &found);
        json_decref(copy);
        return once;
}

static int install_entry(struct work *work, const struct hook_entry *entry, const struct hook_options *options, bool *changed,
                         struct err *err) {
        BUF_AUTO command;
        JSON_AUTO value = NULL;

        buf_init(&command, TEXT_MAX);
        if (entry->wrap_only && options->mode != HOOK_WRAP)
                return take_out(work, entry->event, true, changed, err);
        entry_command(work->agent, options, &command);
        buf_char(&command, '\0');
        value = command.failed ? NULL : entry_value(entry, command.ptr);
        if (!value)
                return err_set(err, ERR_INVALID, "the command of the hook is not valid UTF-8, or out of memory");
        if (is_there(work, entry->event, value))
                return 0;
        *changed = true;
        return take_out(work, entry->event, false, changed, err) < 0 || put_in(work, entry->event, value, err) < 0 ? -1 : 0;
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
static int loss_check(struct work *work, const json_t *before, struct err *err) {
        JSON_AUTO old = others(work->agent, before);
        JSON_AUTO new = others(work->agent, work->tree.json);

        if (!old || !new)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (!json_equal(old, new))
                return err_set(err, ERR_INVALID, "%s: the change would lose other settings; the file is unchanged",
                               work->settings.path);
        return 0;
}

/* ---- all entries ---- */

static int entries_put(struct work *work, const struct hook_options *options, bool *changed, struct err *err) {
        JSON_AUTO before = json_incref(work->tree.json);

        for (const struct hook_entry *entry = work->agent->entries; entry->event; entry++)
                if (install_entry(work, entry, options, changed, err) < 0)
                        return -1;
        return loss_check(work, before, err);
}

static int entries_take(struct work *work, bool *changed, struct err *err) {
        JSON_AUTO before = json_incref(work->tree.json);

        for (const struct hook_entry *entry = work->agent->entries; entry->event; entry++)
                if (take_out(work, entry->event, true, changed, err) < 0)
                        return -1;
        return loss_check(work, before, err);
}

int hook_change_text(const struct hook_agent *agent, const struct hook_options *options, struct str text, struct buf *ret,
                     struct err *err) {
        struct work work = { .agent = agent, .settings = { .path = strdup("the text"), .lock = -1 } };
        bool changed = false;
        int status = -1;

        work_init(&work);
        buf_append(&work.text, text);
        if (!work.settings.path)
                err_set(err, ERR_MEMORY, "out of memory");
        else if (work_read(&work, err) == 0)
                status = options ? entries_put(&work, options, &changed, err) : entries_take(&work, &changed, err);
        if (status == 0)
                buf_append(ret, buf_str(&work.text));
        work_free(&work);
        return status < 0 ? -1 : changed;
}

/* ---- the whole ---- */

static bool is_fresh(const struct work *work) {
        JSON_AUTO fresh = json_loads(work->agent->fresh, 0, NULL);

        return json_equal(fresh, work->tree.json);
}

static int work_write(struct work *work, const struct hook_install *install, bool gone, struct buf *said, struct err *err) {
        struct settings *settings = &work->settings;
        int status;

        if (install->dry_run) {
                buf_format(said, "%s would %s:\n", settings->path,
                           gone             ? "be removed"
                           : settings->real ? "change"
                                            : "be created");
                edit_show(buf_str(&settings->text), gone ? STR("") : buf_str(&work->text), said);
                return 1;
        }
        status = gone ? settings_delete(settings, err) : settings_replace(settings, buf_str(&work->text), err);
        if (status < 0)
                return -1;
        if (settings->real)
                buf_format(said, "the old file is saved as %s%s\n", settings->real, settings_backup);
        return 1;
}

static void say_off(const struct work *work, struct buf *said) {
        const struct hook_agent *agent = work->agent;
        json_t *off = agent->off_path ? json_at(work->tree.json, agent->off_path) : NULL;

        if (agent->off_value ? json_is_true(off) : json_is_false(off))
                buf_format(said, "hooks are disabled: \"%s\" is %s in that file\n", agent->off_path,
                           agent->off_value ? "true" : "false");
}

static int work_install(struct work *work, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = work->agent;
        bool changed = !work->settings.real;
        int status;

        if (entries_put(work, &install->options, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is already in %s\n", agent->title, work->settings.path);
                say_off(work, said);
                return 0;
        }
        status = work_write(work, install, false, said, err);
        if (status < 0 || install->dry_run)
                return status;
        buf_format(said, "%s: the hook is now in %s\n", agent->title, work->settings.path);
        say_off(work, said);
        if (agent->advice)
                buf_format(said, "%s\n", agent->advice);
        if (install->options.mode == HOOK_WRAP)
                buf_format(said,
                           "the permission rules of %s now see \"bailey run ...\" instead of the command; put rules about "
                           "commands into bailey's config\n",
                           agent->title);
        return status;
}

static int work_uninstall(struct work *work, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = work->agent;
        bool changed = false;
        int status;

        if (work->settings.real && entries_take(work, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is not in %s\n", agent->title, work->settings.path);
                return 0;
        }
        status = work_write(work, install, agent->own_file && !work->settings.link && is_fresh(work), said, err);
        if (status > 0 && !install->dry_run)
                buf_format(said, "%s: the hook is no longer in %s\n", agent->title, work->settings.path);
        return status;
}

int hook_install(const struct hook_install *install, struct buf *said, struct err *err) {
        struct work work = {};
        int status = work_open(&work, install, true, err);

        if (status == 0)
                status = work_install(&work, install, said, err);
        work_free(&work);
        return status;
}

int hook_uninstall(const struct hook_install *install, struct buf *said, struct err *err) {
        struct work work = {};
        int status = work_open(&work, install, false, err);

        if (status == 0)
                status = work_uninstall(&work, install, said, err);
        work_free(&work);
        return status;
}
