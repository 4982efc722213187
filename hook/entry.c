#include "hook/entry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json5.h"
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

const struct tree_node *entry_hooks(const struct hook_entry *entry, struct str command, struct arena *arena) {
        static const char hole[] = "\"$\"";
        const char *rest = entry->entry, *found;
        struct tree_node *hooks;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        for (size_t i = 0, len; i < command.len; i += len) {
                len = str_utf8(str_skip(command, i));
                if (!len)
                        return NULL;
        }
        buf_format(&text, "{\"%s\":[", entry->event);
        for (; (found = strstr(rest, hole)); rest = found + strlen(hole)) {
                buf_append(&text, str_from(rest, (size_t)(found - rest)));
                buf_json(&text, command);
        }
        buf_append(&text, str_z(rest));
        buf_append(&text, STR("]}"));
        return !text.failed && json5_read(buf_str(&text), &json5_plain, arena, &hooks, NULL) == 0 ? hooks : NULL;
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

static const char *handler_command(const struct tree_node *handler) {
        static const char *const keys[] = { "command", "bash", "linux", "osx" };

        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
                const struct tree_node *command = tree_get(handler, str_z(keys[i]));

                if (command && command->kind == TREE_STRING && !memchr(command->text.ptr, '\0', command->text.len) &&
                    is_ours(command->text.ptr))
                        return command->text.ptr;
        }
        return NULL;
}

static bool group_find(const struct tree_node *entry, struct entry_found *ret) {
        const struct tree_node *handlers = tree_get(entry, STR("hooks"));
        const char *command;

        if (!handlers || handlers->kind != TREE_ARRAY) {
                command = handler_command(entry);
                if (command)
                        *ret = (struct entry_found){ entry, NULL, command };
                return command != NULL;
        }
        TREE_EACH(handler, handlers) {
                command = handler_command(handler);
                if (command) {
                        *ret = (struct entry_found){ entry, handler, command };
                        return true;
                }
        }
        return false;
}

static const struct tree_node *event_entries(const struct tree_node *settings, const char *event) {
        const struct tree_node *hooks = tree_get(settings, STR("hooks"));

        return hooks ? tree_get(hooks, str_z(event)) : NULL;
}

bool entry_find(const struct tree_node *settings, const char *event, const struct tree_node *after, struct entry_found *ret) {
        const struct tree_node *entries = event_entries(settings, event);
        const struct tree_node *entry = entries && entries->kind == TREE_ARRAY ? entries->first : NULL;

        for (entry = after ? after->next : entry; entry; entry = entry->next)
                if (group_find(entry, ret))
                        return true;
        return false;
}

/* ---- what is there ---- */

int entry_check(const struct tree_node *settings, const struct hook_agent *agent, struct err *err) {
        const struct tree_node *hooks = tree_get(settings, STR("hooks"));

        if (hooks && hooks->kind != TREE_TABLE)
                return err_set(err, ERR_INVALID, "\"hooks\" is not an object");
        for (const struct hook_entry *entry = agent->entries; entry->event; entry++) {
                const struct tree_node *entries = event_entries(settings, entry->event);

                if (entries && entries->kind != TREE_ARRAY)
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
