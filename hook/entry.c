#include "hook/entry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/wrap.h"

/* ---- what they should be ---- */

void entry_command(const struct hook_agent *agent, const struct hook_options *options, struct buf *out) {
        wrap_word(out, str_z(options->program));
        buf_append(out, STR(" hook"));
        if (options->mode == HOOK_WRAP)
                buf_append(out, STR(" --mode wrap"));
        if (options->warned != HOOK_WARNED_DEFAULT)
                buf_format(out, " --warned %s", hook_warned_names[options->warned]);
        if (options->approve)
                buf_append(out, STR(" --approve"));
        wrap_options(out, options->policy, options->config, options->overrides);
        if (options->workspace) {
                buf_append(out, STR(" --workspace "));
                wrap_word(out, str_z(options->workspace));
        }
        if (agent->or_fail) /* also when bailey is not there any more */
                buf_append(out, STR(" || exit 2"));
}

/* As deep as the rows of a table. */
static int command_put(json_t *json, const char *command) {
        const char *key, *text;
        json_t *value;
        size_t i;

        json_array_foreach(json, i, value) {
                if (command_put(value, command) < 0)
                        return -1;
        }
        json_object_foreach(json, key, value) {
                text = json_string_value(value);
                if (text && strcmp(text, "$") == 0)
                        return json_object_set_new(json, key, json_string(command));
                if (command_put(value, command) < 0)
                        return -1;
        }
        return 0;
}

json_t *entry_value(const struct hook_entry *entry, const char *command) {
        json_t *value = json_loads(entry->entry, 0, NULL);

        if (value && command_put(value, command) == 0)
                return value;
        json_decref(value);
        return NULL;
}

/* ---- which are ours ---- */

/* The next word of a command line, as a shell would read it, but for what it would expand. */
static const char *word_next(const char *text, char *word, size_t size) {
        size_t len = 0;
        char quote = 0;

        while (*text == ' ')
                text++;
        for (; *text && (quote || *text != ' '); text++) {
                if (quote ? *text == quote : *text == '\'' || *text == '"') {
                        quote = quote ? 0 : *text;
                        continue;
                }
                if (*text == '\\' && quote != '\'' && text[1])
                        text++;
                if (len + 1 < size)
                        word[len++] = *text;
        }
        word[len] = '\0';
        return text;
}

static bool is_ours(const char *command) {
        char word[PATH_MAX];
        const char *rest = word_next(command, word, sizeof(word)), *slash = strrchr(word, '/');

        if (strncmp(slash ? slash + 1 : word, "bailey", strlen("bailey")) != 0)
                return false;
        word_next(rest, word, sizeof(word));
        return strcmp(word, "hook") == 0;
}

static const char *handler_command(const json_t *handler) {
        static const char *const keys[] = { "command", "bash", "linux", "osx" };

        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
                const char *command = json_text(json_object_get(handler, keys[i]));

                if (command && is_ours(command))
                        return command;
        }
        return NULL;
}

static bool group_find(const json_t *entry, struct entry_found *found) {
        const json_t *handlers = json_object_get(entry, "hooks");

        found->grouped = json_is_array(handlers);
        if (!found->grouped)
                return (found->command = handler_command(entry)) != NULL;
        for (size_t i = 0; i < json_array_size(handlers); i++) {
                found->handler = i;
                found->command = handler_command(json_array_get(handlers, i));
                if (found->command)
                        return true;
        }
        return false;
}

bool entry_find(json_t *settings, const char *event, struct entry_found *ret) {
        const json_t *entries = json_object_get(json_object_get(settings, "hooks"), event);
        struct entry_found found = { .event = event };

        for (size_t i = 0; i < json_array_size(entries); i++) {
                found.entry = i;
                if (group_find(json_array_get(entries, i), &found)) {
                        *ret = found;
                        return true;
                }
        }
        return false;
}

/* ---- what is there ---- */

int entry_check(json_t *settings, const struct hook_agent *agent, struct err *err) {
        json_t *hooks = json_object_get(settings, "hooks");

        if (hooks && !json_is_object(hooks))
                return err_set(err, ERR_INVALID, "\"hooks\" is not an object");
        for (const struct hook_entry *entry = agent->entries; entry->event; entry++) {
                json_t *entries = json_object_get(hooks, entry->event);

                if (entries && !json_is_array(entries))
                        return err_set(err, ERR_INVALID, "\"hooks.%s\" is not an array", entry->event);
        }
        return 0;
}

/* A program on the PATH is looked for as the agent's shell would. */
bool entry_works(const char *command, const char *const *environment) {
        char word[PATH_MAX], path[2 * PATH_MAX];
        const char *places = NULL;

        word_next(command, word, sizeof(word));
        if (strchr(word, '/'))
                return access(word, X_OK) == 0;
        for (size_t i = 0; environment && environment[i]; i++)
                if (strncmp(environment[i], "PATH=", 5) == 0)
                        places = environment[i] + 5;
        for (struct str rest = str_z(places ? places : ""); rest.len; rest = str_skip(rest, str_find(rest, ':') + 1)) {
                struct str place = str_take(rest, str_find(rest, ':'));

                snprintf(path, sizeof(path), "%.*s/%s", (int)place.len, place.ptr, word);
                if (place.len && place.len < PATH_MAX && access(path, X_OK) == 0)
                        return true;
        }
        return false;
}
