#include "hook/install.h"

#include <stdlib.h>
#include <string.h>

#include "hook/entry.h"
#include "hook/json.h"
#include "hook/settings.h"

enum { TEXT_MAX = 2 * JSON_BYTES_MAX };

/* A file under change: each step reads what the one before wrote. */
struct change {
        const struct hook_agent *agent;
        struct settings settings;
        struct arena arena;
        struct json5_file file;
        struct buf text; /* of the file */
        struct buf next;
};

static int change_read(struct change *change, struct err *err) {
        arena_reset(&change->arena);
        if (change->text.failed)
                return err_memory(err);
        if (settings_parse(change->agent, buf_str(&change->text), &change->arena, &change->file, err) < 0)
                return err_context(err, "cannot read %s; it is unchanged", change->settings.path);
        if (entry_check(change->file.root, change->agent, err) < 0)
                return err_context(err, "%s is unchanged", change->settings.path);
        return 0;
}

/* What was just written, or could not be, is the text of the file. */
static int change_step(struct change *change, int status, struct err *err) {
        struct buf old = change->text;

        if (status < 0)
                return err_set(err, ERR_INVALID, "%s: cannot edit this file; it is unchanged", change->settings.path);
        change->text = change->next;
        change->next = old;
        return change_read(change, err);
}

static bool is_empty(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (!json5_is_blank(text.ptr[i]))
                        return false;
        return true;
}

/* What a new file holds, on lines. */
static int fresh_text(struct change *change, struct err *err) {
        struct json5_file fresh;

        if (settings_parse(change->agent, str_z(change->agent->fresh), &change->arena, &fresh, err) < 0)
                return -1;
        json5_write(fresh.root, &change->text);
        return 0;
}

static void change_init(struct change *change) {
        buf_init(&change->text, TEXT_MAX);
        buf_init(&change->next, TEXT_MAX);
        arena_init(&change->arena, 0);
}

static int work_open(struct change *change, const struct hook_install *install, bool make, struct err *err) {
        struct str text;

        change_init(change);
        change->agent = hook_agent_find(install->agent);
        change->settings.lock = -1;
        if (settings_open(change->agent, install->project, install->options.environment, &change->settings, err) < 0)
                return -1;
        if (!install->dry_run && (make || change->settings.real) && settings_lock(&change->settings, err) < 0)
                return -1;
        text = buf_str(&change->settings.text);
        if (!is_empty(text))
                buf_append(&change->text, text);
        else if (fresh_text(change, err) < 0)
                return -1;
        return change_read(change, err);
}

static void work_free(struct change *change) {
        arena_free(&change->arena);
        buf_free(&change->text);
        buf_free(&change->next);
        settings_free(&change->settings);
}

/* ---- taking out ---- */

static bool keeps_hooks(const struct hook_agent *agent) {
        return strstr(agent->fresh, "\"hooks\"") != NULL;
}

/* The handler, and with `whole` all that would be empty without it. */
static const struct tree_node *outermost(const struct change *change, const struct entry_found *found, bool whole) {
        const struct tree_node *event = found->entry->parent;

        if (found->handler && found->handler->parent->count > 1)
                return found->handler;
        if (!whole || event->count > 1)
                return found->entry;
        return event->parent->count > 1 || keeps_hooks(change->agent) ? event : event->parent;
}

static int take_out(struct change *change, const char *event, bool whole, bool *changed, struct err *err) {
        struct entry_found found;

        while (entry_find(change->file.root, event, NULL, &found)) {
                const struct tree_node *node = outermost(change, &found, whole);

                if (change_step(change, json5_remove(&change->file, node, &change->arena, &change->next), err) < 0)
                        return -1;
                *changed = true;
        }
        return 0;
}

/* ---- putting in ---- */

/* Our entry, with what is missing around it. */
static int put_in(struct change *change, const struct tree_node *ours, struct err *err) {
        const struct tree_node *root = change->file.root, *hooks = tree_get(root, STR("hooks")), *list = ours->first;
        const struct tree_node *entries = hooks ? tree_get(hooks, list->key) : NULL;
        struct buf *out = &change->next;
        int status;

        if (entries)
                status = json5_insert(&change->file, entries, NULL, list->first, &change->arena, out);
        else if (hooks)
                status = json5_insert(&change->file, hooks, list->key.ptr, list, &change->arena, out);
        else
                status = json5_insert(&change->file, root, "hooks", ours, &change->arena, out);
        return change_step(change, status, err);
}

/* Is ours there once, and is it what it should be? */
static bool is_there(const struct change *change, const struct tree_node *ours) {
        const struct tree_node *list = ours->first;
        struct entry_found found, other;

        return entry_find(change->file.root, list->key.ptr, NULL, &found) && tree_equal(list->first, found.entry, NULL) &&
               !entry_find(change->file.root, list->key.ptr, found.entry, &other);
}

static int install_entry(struct change *change, const struct hook_entry *entry, const struct hook_options *options,
                         bool *changed, struct err *err) {
        const struct tree_node *ours;
        ARENA_AUTO arena; /* the change has its own for each step */
        BUF_AUTO command;

        arena_init(&arena, 0);
        buf_init(&command, TEXT_MAX);
        if (entry->wrap_only && options->mode != HOOK_WRAP)
                return take_out(change, entry->event, true, changed, err);
        entry_command(change->agent, options, &command);
        ours = command.failed ? NULL : entry_hooks(entry, buf_str(&command), &arena);
        if (!ours)
                return err_set(err, ERR_INVALID, "the command of the hook is not valid UTF-8, or out of memory");
        if (is_there(change, ours))
                return 0;
        *changed = true;
        return take_out(change, entry->event, false, changed, err) < 0 || put_in(change, ours, err) < 0 ? -1 : 0;
}

/* ---- all entries ---- */

static int entries_put(struct change *change, const struct hook_options *options, bool *changed, struct err *err) {
        for (const struct hook_entry *entry = change->agent->entries; entry->event; entry++)
                if (install_entry(change, entry, options, changed, err) < 0)
                        return -1;
        return 0;
}

static int entries_take(struct change *change, bool *changed, struct err *err) {
        for (const struct hook_entry *entry = change->agent->entries; entry->event; entry++)
                if (take_out(change, entry->event, true, changed, err) < 0)
                        return -1;
        return 0;
}

int hook_change_text(const struct hook_agent *agent, const struct hook_options *options, struct str text, struct buf *ret,
                     struct err *err) {
        struct change change = { .agent = agent, .settings = { .path = strdup("the text"), .lock = -1 } };
        bool changed = false;
        int status = -1;

        change_init(&change);
        buf_append(&change.text, text);
        if (!change.settings.path)
                err_memory(err);
        else if (change_read(&change, err) == 0)
                status = options ? entries_put(&change, options, &changed, err) : entries_take(&change, &changed, err);
        if (status == 0)
                buf_append(ret, buf_str(&change.text));
        work_free(&change);
        return status < 0 ? -1 : changed;
}

/* ---- the whole ---- */

static bool is_fresh(struct change *change) {
        struct json5_file fresh;
        struct err err;

        return settings_parse(change->agent, str_z(change->agent->fresh), &change->arena, &fresh, &err) == 0 &&
               tree_equal(fresh.root, change->file.root, NULL);
}

static int work_write(struct change *change, const struct hook_install *install, bool gone, struct buf *said, struct err *err) {
        struct settings *settings = &change->settings;
        int status;

        if (install->dry_run) {
                buf_format(said, "%s would %s:\n", settings->path,
                           gone             ? "be removed"
                           : settings->real ? "change"
                                            : "be created");
                diff_write(buf_str(&settings->text), gone ? STR("") : buf_str(&change->text), said);
                return 1;
        }
        status = gone ? settings_delete(settings, err) : settings_replace(settings, buf_str(&change->text), err);
        if (status < 0)
                return -1;
        if (settings->real)
                buf_format(said, "the old file is saved as %s%s\n", settings->real, settings_backup);
        return 1;
}

static void say_off(const struct change *change, struct buf *said) {
        const struct hook_agent *agent = change->agent;

        if (settings_hooks_off(change->file.root, agent))
                buf_format(said, "hooks are disabled: \"%s\" is %s in that file\n", agent->off_path,
                           agent->off_value ? "true" : "false");
}

static int work_install(struct change *change, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = change->agent;
        bool changed = !change->settings.real;
        int status;

        if (entries_put(change, &install->options, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is already in %s\n", agent->title, change->settings.path);
                say_off(change, said);
                return 0;
        }
        status = work_write(change, install, false, said, err);
        if (status < 0 || install->dry_run)
                return status;
        buf_format(said, "%s: the hook is now in %s\n", agent->title, change->settings.path);
        say_off(change, said);
        if (agent->advice)
                buf_format(said, "%s\n", agent->advice);
        if (install->options.mode == HOOK_WRAP)
                buf_format(said,
                           "the permission rules of %s now see \"bailey run ...\" instead of the command; put rules about "
                           "commands into bailey's config\n",
                           agent->title);
        return status;
}

static int work_uninstall(struct change *change, const struct hook_install *install, struct buf *said, struct err *err) {
        const struct hook_agent *agent = change->agent;
        bool changed = false;
        int status;

        if (change->settings.real && entries_take(change, &changed, err) < 0)
                return -1;
        if (!changed) {
                buf_format(said, "%s: the hook is not in %s\n", agent->title, change->settings.path);
                return 0;
        }
        status = work_write(change, install, agent->own_file && !change->settings.link && is_fresh(change), said, err);
        if (status > 0 && !install->dry_run)
                buf_format(said, "%s: the hook is no longer in %s\n", agent->title, change->settings.path);
        return status;
}

int hook_install(const struct hook_install *install, struct buf *said, struct err *err) {
        struct change change = {};
        int status = work_open(&change, install, true, err);

        if (status == 0)
                status = work_install(&change, install, said, err);
        work_free(&change);
        return status;
}

int hook_uninstall(const struct hook_install *install, struct buf *said, struct err *err) {
        struct change change = {};
        int status = work_open(&change, install, false, err);

        if (status == 0)
                status = work_uninstall(&change, install, said, err);
        work_free(&change);
        return status;
}
