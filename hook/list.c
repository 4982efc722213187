/*
 * Where bailey is in the settings of agents.
 */
#include <stdlib.h>
#include <string.h>

#include "hook/entry.h"
#include "hook/install.h"
#include "hook/settings.h"

struct row {
        const struct hook_agent *agent;
        bool project;
        const char *path;
        const char *state; /* NULL: no file there */
        const char *command;
};

/* In the words of `bailey hook list`. */
static const char *state_of(const struct tree_node *settings, const struct hook_agent *agent, const char *const *environment,
                            const char **ret_command) {
        struct entry_found found;

        for (const struct hook_entry *entry = agent->entries; entry->event; entry++) {
                if (!entry_find(settings, entry->event, NULL, &found))
                        continue;
                *ret_command = found.command;
                if (settings_hooks_off(settings, agent))
                        return "disabled";
                return entry_works(found.command, environment) ? "installed" : "broken: the program does not exist";
        }
        return "not installed";
}

static void row_text(const struct row *row, struct buf *out) {
        buf_format(out, "%-8s %-8s %-14s %s\n", row->agent->name, row->project ? "project" : "user",
                   row->state ? row->state : "-", row->path);
        if (row->command)
                buf_format(out, "%18s%s\n", "", row->command);
}

static void row_json(const struct row *row, struct buf *out) {
        buf_format(out, "%s{\"agent\":\"%s\",\"scope\":\"%s\",\"path\":", out->len > 1 ? ",\n " : "", row->agent->name,
                   row->project ? "project" : "user");
        buf_json(out, str_z(row->path));
        buf_append(out, STR(",\"state\":"));
        buf_json(out, row->state ? str_z(row->state) : STR("no file"));
        buf_append(out, STR(",\"command\":"));
        if (row->command)
                buf_json(out, str_z(row->command));
        else
                buf_append(out, STR("null"));
        buf_char(out, '}');
}

static void list_file(const struct hook_agent *agent, bool project, const char *const *environment, bool json,
                      struct buf *out) {
        struct row row = { .agent = agent, .project = project };
        struct settings settings;
        struct json5_file file;
        struct err err = {};
        ARENA_AUTO arena;
        bool opened = settings_open(agent, project, environment, &settings, &err) == 0;

        arena_init(&arena, 0);
        row.path = opened ? settings.path : project ? agent->project_file : agent->file;
        if (!opened)
                row.state = err.msg;
        else if (settings.real && settings_parse(agent, buf_str(&settings.text), &arena, &file, &err) < 0)
                row.state = "unreadable";
        else if (settings.real)
                row.state = state_of(file.root, agent, environment, &row.command);
        if (json)
                row_json(&row, out);
        else
                row_text(&row, out);
        if (opened)
                settings_free(&settings);
}

int hook_list(const char *const *environment, bool json, struct buf *out, struct err *err) {
        if (json)
                buf_char(out, '[');
        for (int project = 0; project < 2; project++)
                for (const struct hook_agent *agent = hook_agents; agent->name; agent++)
                        list_file(agent, project, environment, json, out);
        if (json)
                buf_append(out, STR("]\n"));
        return out->failed ? err_memory(err) : 0;
}
