#include "cli/values.h"

#include <stdio.h>
#include <unistd.h>

#include <jansson.h>

#include "bailey.h"
#include "cli/command.h"

static void offer(struct buf *out, const char *value, const char *end, const char *meaning) {
        buf_format(out, "%s%s", value, end);
        if (meaning)
                buf_format(out, "\t%s", meaning);
        buf_char(out, '\n');
}

/* ---- from answers of the library ---- */

/* The answer is freed. NULL when there is none. */
static json_t *answer_read(int status, char *text, size_t length) {
        json_t *json = status < 0 ? NULL : json_loadb(text, length, 0, NULL);

        if (status >= 0)
                bailey_free(text);
        return json;
}

/* A line for each object of an array. */
static void offer_objects(json_t *array, const char *name, const char *meaning, struct buf *out) {
        json_t *object;
        size_t i;

        json_array_foreach(array, i, object) {
                offer(out, json_string_value(json_object_get(object, name)), "",
                      json_string_value(json_object_get(object, meaning)));
        }
        json_decref(array);
}

static void offer_policies(const struct value_request *request, struct buf *out) {
        const struct bailey_policy_options options = {
                .workspace = request->workspace ? request->workspace : ".",
                .config = request->config,
                .environment = (const char *const *)environ,
        };
        char error[256];
        char *text = NULL;
        size_t length = 0;
        int status = bailey_config_policies(&options, BAILEY_ANSWER_JSON, &text, &length, error, sizeof(error));

        offer_objects(answer_read(status, text, length), "name", "help", out);
}

static void offer_rules(const struct value_request *request, struct buf *out) {
        char *text = NULL;
        size_t length = 0;
        int status = bailey_rules(BAILEY_ANSWER_JSON, &text, &length);

        (void)request;
        offer_objects(answer_read(status, text, length), "id", "example", out);
}

static void offer_asides(const struct value_request *request, struct buf *out) {
        struct bailey_aside_items found;
        char error[256];

        (void)request;
        if (bailey_aside_list((const char *const *)environ, &found, error, sizeof(error)) < 0)
                return;
        for (size_t i = 0; i < found.count; i++) {
                buf_format(out, "%s\t", found.items[i].id);
                buf_visible(out, str_z(found.items[i].path));
                buf_char(out, '\n');
        }
        bailey_aside_items_free(&found);
}

/* ---- config keys ---- */

static json_t *schema_read(void) {
        char *text = NULL;
        size_t length = 0;
        int status = bailey_config_schema(&text, &length);

        return answer_read(status, text, length);
}

/* The words a key can be set to, if there are such. */
static void offer_words(const json_t *key, const char *before, struct buf *out) {
        const json_t *type = json_array_get(json_object_get(key, "allOf"), 0), *words = json_object_get(type, "enum");
        const char *kind = json_string_value(json_object_get(type, "type"));

        for (size_t i = 0; i < json_array_size(words); i++)
                offer(out, before, json_string_value(json_array_get(words, i)), NULL);
        if (kind && strcmp(kind, "boolean") == 0) {
                offer(out, before, "true", NULL);
                offer(out, before, "false", NULL);
        }
}

static void offer_backends(const struct value_request *request, struct buf *out) {
        json_t *schema = schema_read(), *section = json_object_get(json_object_get(schema, "$defs"), "sandbox");

        (void)request;
        offer_words(json_object_get(json_object_get(section, "properties"), "backend"), "", out);
        json_decref(schema);
}

/* Has a row of its own; others are second names, and refer to one that has. */
static bool is_key(const json_t *key) {
        return json_object_get(key, "allOf") != NULL;
}

/* `path` ends in "=". */
static void offer_key(const char *path, const json_t *key, const char *word, struct buf *out) {
        if (!strchr(word, '='))
                offer(out, path, "", json_string_value(json_object_get(key, "description")));
        else if (strncmp(word, path, strlen(path)) == 0)
                offer_words(key, path, out);
}

static void offer_keys(const char *section, json_t *keys, const char *word, struct buf *out) {
        const char *name;
        json_t *key;

        json_object_foreach(keys, name, key) {
                char path[128];

                snprintf(path, sizeof(path), "%s.%s=", section, name);
                if (is_key(key))
                        offer_key(path, key, word, out);
        }
}

/* KEY=VALUE: first the key, then its value. The values of a policy or of a list's item cannot be set this way. */
static void offer_settings(const struct value_request *request, struct buf *out) {
        json_t *schema = schema_read(), *section;
        const char *name;

        json_object_foreach(json_object_get(schema, "$defs"), name, section) {
                if (strcmp(name, "policy") != 0 && strcmp(name, "guard.dangerous_patterns") != 0)
                        offer_keys(name, json_object_get(section, "properties"), request->word, out);
        }
        json_decref(schema);
}

/* ---- from here ---- */

static void offer_variables(const struct value_request *request, struct buf *out) {
        (void)request;
        for (char **entry = environ; entry && *entry; entry++) {
                struct str name = str_take(str_z(*entry), str_find(str_z(*entry), '='));
                size_t i = 0;

                while (i < name.len && (is_ascii_alnum((unsigned char)name.ptr[i]) || name.ptr[i] == '_'))
                        i++;
                if (i == name.len && i > 0)
                        buf_format(out, "%.*s\n", (int)name.len, name.ptr);
        }
}

static void offer_topics(const struct value_request *request, struct buf *out) {
        (void)request;
        for (size_t i = 0; cli_commands[i]; i++)
                offer(out, cli_commands[i]->name, "", cli_commands[i]->summary);
}

static void offer_subtopics(const struct value_request *request, struct buf *out) {
        for (size_t i = 0; cli_commands[i]; i++) {
                if (!request->before || strcmp(cli_commands[i]->name, request->before) != 0)
                        continue;
                for (const struct cli_subcommand *row = cli_commands[i]->subcommands; row && row->name; row++)
                        offer(out, row->name, "", row->summary);
        }
}

/* ---- the names ---- */

static const struct value_row {
        const char *name;
        const char *shell; /* what the shell is asked for */
        void (*offer)(const struct value_request *request, struct buf *out);
} rows[] = {
        { "ARGUMENT", .shell = ":files" },
        { "ASIDE_ID", .offer = offer_asides },
        { "BACKEND", .offer = offer_backends },
        { "BYTES" },
        { "COMMAND", .shell = ":programs" },
        { "DIR", .shell = ":directories" },
        { "DOMAIN" },
        { "FILE", .shell = ":files" },
        { "ID" },
        { "IMAGE" },
        { "KEY=VALUE", .offer = offer_settings },
        { "N" },
        { "NAME[=VALUE]", .offer = offer_variables },
        { "PATH", .shell = ":files" },
        { "POLICY", .offer = offer_policies },
        { "PORT" },
        { "PROGRAM", .shell = ":programs" },
        { "RULE", .offer = offer_rules },
        { "SECONDS" },
        { "SESSION" },
        { "SHELL_ID" },
        { "SUBTOPIC", .offer = offer_subtopics },
        { "TEXT" },
        { "TIME" },
        { "TOPIC", .offer = offer_topics },
};

static const struct value_row *row_find(struct str name) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (str_is(name, rows[i].name))
                        return &rows[i];
        return NULL;
}

bool values_known(struct str name) {
        return row_find(name) || choice_is(name);
}

static void choice_offer(struct str choice, struct buf *out) {
        while (choice.len > 0) {
                struct str word = str_take(choice, str_find(choice, '|'));

                buf_format(out, "%.*s\n", (int)word.len, word.ptr);
                choice = str_skip(choice, word.len + 1);
        }
}

void values_offer(struct str name, const struct value_request *request, struct buf *out) {
        const struct value_row *row = row_find(name);

        if (row && row->offer)
                row->offer(request, out);
        else if (row && row->shell)
                buf_format(out, "%s\n", row->shell);
        else if (choice_is(name))
                choice_offer(name, out);
}
