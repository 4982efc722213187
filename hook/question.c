#include "hook/question.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* ---- whose question it is ---- */

static bool has_mark(const struct hook_event *event, const json_t *json) {
        if (!event->marks[0])
                return true;
        for (size_t i = 0; i < 2 && event->marks[i]; i++)
                if (json_object_get(json, event->marks[i]))
                        return true;
        return false;
}

static bool has_name(const struct hook_event *event, const json_t *json) {
        const char *name;

        if (!event->name_field) /* then nothing should be called an event */
                return !json_object_get(json, "hook_event_name") && !json_object_get(json, "hookEventName");
        name = json_text(json_object_get(json, event->name_field));
        return name && strcmp(name, event->name) == 0;
}

static const struct hook_event *event_find(const json_t *json, const char *agent) {
        for (unsigned i = 0; i < hook_event_count; i++) {
                const struct hook_event *event = &hook_events[i];

                if (agent && strcmp(agent, event->agent) != 0)
                        continue;
                if (has_name(event, json) && (has_mark(event, json) || agent))
                        return event;
        }
        return NULL;
}

static int event_unknown(const json_t *json, const char *agent, struct err *err) {
        const char *name = json_text(json_object_get(json, "hook_event_name"));

        if (!name)
                name = json_text(json_object_get(json, "hookEventName"));
        if (name)
                return err_set(err, ERR_INVALID, "%s%sunsupported hook event '%.64s'", agent ? agent : "", agent ? ": " : "",
                               name);
        return err_set(err, ERR_INVALID, "unknown kind of hook request%s",
                       agent ? "; omit --agent, or name another agent" : "");
}

/* ---- what it is about ---- */

/* Some versions of the Copilot CLI send the input as text. */
static int input_find(struct question *q, struct err *err) {
        const char *field = q->event->input_field;
        json_t *input = field ? json_object_get(q->json, field) : q->json, *inner = NULL;

        if (json_is_string(input)) {
                if (json_read(str_from(json_string_value(input), json_string_length(input)), &inner, err) < 0)
                        return err_context(err, "%s", field);
                q->input = inner;
                return 0;
        }
        if (!json_is_object(input))
                return err_set(err, ERR_INVALID, "\"%s\" is missing or not an object", field ? field : "");
        q->input = json_incref(input);
        return 0;
}

static const struct hook_tool *tool_in(const struct hook_tool *tools, const char *name) {
        for (const struct hook_tool *tool = tools; tool->name; tool++)
                if (strcmp(tool->name, name) == 0)
                        return tool;
        return NULL;
}

/* An agent is recognised by fields that others may send some day, too: a shell of theirs is one whoever seems to ask. */
static const struct hook_tool *tool_elsewhere(const char *field, const char *name) {
        const struct hook_tool *found = NULL;

        for (unsigned i = 0; i < hook_event_count && !found; i++)
                if (hook_events[i].tool_field && strcmp(hook_events[i].tool_field, field) == 0)
                        found = tool_in(hook_events[i].tools, name);
        return found;
}

static int tool_find(struct question *q, struct err *err) {
        const struct hook_event *event = q->event;
        const char *field = event->tool_field;
        const json_t *name = field ? json_object_get(q->json, field) : NULL;

        if (!field) {
                q->tool = &event->tools[0];
                return 0;
        }
        if (!json_is_string(name))
                return err_set(err, ERR_INVALID, "\"%s\" is missing or not a string", field);
        q->tool = tool_in(event->tools, json_string_value(name));
        if (!q->tool)
                q->tool = tool_elsewhere(field, json_string_value(name));
        return 0;
}

static int command_find(struct question *q, struct err *err) {
        const json_t *command = json_object_get(q->input, q->tool->command);

        if (!command && q->tool->may_lack) {
                q->tool = NULL;
                return 0;
        }
        if (!json_is_string(command))
                return err_set(err, ERR_INVALID, "\"%s\" is missing or not a string in the input of %s", q->tool->command,
                               q->tool->name);
        q->command = str_from(json_string_value(command), json_string_length(command));
        return 0;
}

static void limits_find(struct question *q) {
        const struct hook_event *event = q->event;

        q->background = event->background_field && json_is_true(json_object_get(q->input, event->background_field));
        if (event->timeout_field)
                q->timeout = json_number_value(json_object_get(q->input, event->timeout_field)) / 1000;
        if (!(q->timeout > 0 && q->timeout < 1e6))
                q->timeout = 0;
}

/* ---- where ---- */

static char *joined(const char *base, const char *path) {
        char *out = NULL;

        if (path[0] == '/' || !base)
                return path[0] == '/' ? strdup(path) : NULL;
        return asprintf(&out, "%s/%s", base, path) < 0 ? NULL : out;
}

static int cwd_find(struct question *q, struct err *err) {
        const char *cwd = json_text(json_object_get(q->json, q->event->cwd_field)), *inner = NULL;
        char *found;

        if (cwd && cwd[0] != '/')
                cwd = NULL;
        if (q->event->input_cwd_field)
                inner = json_text(json_object_get(q->input, q->event->input_cwd_field));
        if (inner && !inner[0])
                inner = NULL;
        if (!cwd && !(inner && inner[0] == '/'))
                return 0;
        found = inner ? joined(cwd, inner) : strdup(cwd);
        if (!found)
                return err_memory(err);
        q->cwd = realpath(found, NULL);
        if (q->cwd)
                free(found);
        else
                q->cwd = found; /* what is not there is judged as it is written */
        return 0;
}

/* Of several projects that in which the command starts, or else the first. */
static const char *field_project(const struct question *q) {
        const json_t *roots = q->agent->project_field ? json_object_get(q->json, q->agent->project_field) : NULL;
        const char *found = NULL;

        for (size_t i = 0; i < json_array_size(roots); i++) {
                const char *root = json_text(json_array_get(roots, i));

                if (root && root[0] == '/' && (!found || (q->cwd && path_within(q->cwd, root) && !path_within(q->cwd, found))))
                        found = root;
        }
        return found;
}

static const char *variable_project(const struct hook_agent *agent, const char *const *environment) {
        size_t len = agent->project_variable ? strlen(agent->project_variable) : 0;

        for (size_t i = 0; len && environment && environment[i]; i++)
                if (strncmp(environment[i], agent->project_variable, len) == 0 && environment[i][len] == '=')
                        return environment[i][len + 1] == '/' ? environment[i] + len + 1 : NULL;
        return NULL;
}

/* An agent's model may choose where a command starts. That must not change the sandbox, so it counts only where nothing else
 * tells which project this is. */
static int workspace_find(struct question *q, const struct question_options *options, struct err *err) {
        const char *found = options->workspace;

        if (!found)
                found = field_project(q);
        if (!found)
                found = variable_project(q->agent, options->environment);
        if (!found && !q->agent->project_here)
                found = q->cwd;
        q->workspace = realpath(found ? found : ".", NULL);
        return q->workspace ? 0 : err_sys(err, "the workspace %s", found ? found : ".");
}

/* ---- the whole ---- */

static int question_fill(struct question *q, const struct question_options *options, struct err *err) {
        if (tool_find(q, err) < 0)
                return -1;
        if (!q->tool || !q->tool->command)
                return 0;
        if (input_find(q, err) < 0 || command_find(q, err) < 0)
                return -1;
        if (!q->tool)
                return 0;
        limits_find(q);
        return cwd_find(q, err) < 0 || workspace_find(q, options, err) < 0 ? -1 : 0;
}

int question_read(struct str text, const struct question_options *options, struct question *ret, struct err *err) {
        struct question q = {};

        if (text.len == 0)
                return err_set(err, ERR_INVALID,
                               "no hook request on standard input, where an agent writes it; see bailey hook install --help");
        if (json_read(text, &q.json, err) < 0)
                return err_context(err, "invalid hook request");
        q.event = event_find(q.json, options->agent);
        if (!q.event) {
                event_unknown(q.json, options->agent, err);
                question_free(&q);
                return -1;
        }
        q.agent = hook_agent_find(q.event->agent);
        if (question_fill(&q, options, err) < 0) {
                question_free(&q);
                return err_context(err, "%s", q.agent->title);
        }
        *ret = q;
        return 0;
}

void question_free(struct question *question) {
        json_decref(question->input);
        json_decref(question->json);
        free(question->cwd);
        free(question->workspace);
}
