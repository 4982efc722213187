#include "cli/values.h"

#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "cli/command.h"

static void offer(struct buf *out, const char *value, const char *end, const char *meaning) {
        buf_format(out, "%s%s", value, end);
        if (meaning)
                buf_format(out, "\t%s", meaning);
        buf_char(out, '\n');
}

/* ---- from the library ---- */

static void offer_policies(const struct value_request *request, struct buf *out) {
        const struct bailey_policy_options options = {
                .workspace = request->workspace ? request->workspace : ".",
                .config = request->config,
                .environment = (const char *const *)environ,
        };
        struct bailey_policy_names names;
        char error[256];

        if (bailey_config_policies(&options, &names, error, sizeof(error)) < 0)
                return;
        for (size_t i = 0; i < names.count; i++)
                offer(out, names.items[i].name, "", names.items[i].help);
        bailey_policy_names_free(&names);
}

static void offer_rules(const struct value_request *request, struct buf *out) {
        struct bailey_rule rule;

        (void)request;
        for (size_t i = 0; bailey_rule(i, &rule); i++)
                offer(out, rule.id, "", rule.example);
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

static void offer_sessions(const struct value_request *request, struct buf *out) {
        struct bailey_tmps found;
        char error[256];

        (void)request;
        if (bailey_tmp_list((const char *const *)environ, &found, error, sizeof(error)) < 0)
                return;
        for (size_t i = 0; i < found.count; i++)
                offer(out, found.items[i].name, "", found.items[i].workspace);
        bailey_tmps_free(&found);
}

static void offer_stages(const struct value_request *request, struct buf *out) {
        struct bailey_stages found;
        char error[256];

        (void)request;
        if (bailey_stage_list((const char *const *)environ, &found, error, sizeof(error)) < 0)
                return;
        for (size_t i = 0; i < found.count; i++)
                if (found.items[i].workspace && !found.items[i].discarded)
                        offer(out, found.items[i].name, "", found.items[i].workspace);
        bailey_stages_free(&found);
}

static void offer_hosts(const struct value_request *request, struct buf *out) {
        struct bailey_preset preset;

        (void)request;
        for (size_t i = 0; bailey_preset(i, &preset); i++)
                offer(out, preset.name, "", preset.help);
}

/* ---- config keys ---- */

/* The words a key can be set to, if there are such. */
static void offer_words(const struct bailey_config_key *key, const char *before, struct buf *out) {
        for (const char *const *word = key->words; word && *word; word++)
                offer(out, before, *word, NULL);
}

static void offer_backends(const struct value_request *request, struct buf *out) {
        struct bailey_config_keys keys;

        (void)request;
        if (bailey_config_keys(&keys) < 0)
                return;
        for (size_t i = 0; i < keys.count; i++)
                if (strcmp(keys.items[i].section, "sandbox") == 0 && strcmp(keys.items[i].name, "backend") == 0)
                        offer_words(&keys.items[i], "", out);
        bailey_config_keys_free(&keys);
}

/* `path` ends in "=". */
static void offer_key(const char *path, const struct bailey_config_key *key, const char *word, struct buf *out) {
        if (!strchr(word, '='))
                offer(out, path, "", key->help);
        else if (strncmp(word, path, strlen(path)) == 0)
                offer_words(key, path, out);
}

/* KEY=VALUE: first the key, then its value. */
static void offer_settings(const struct value_request *request, struct buf *out) {
        struct bailey_config_keys keys;

        if (bailey_config_keys(&keys) < 0)
                return;
        for (size_t i = 0; i < keys.count; i++) {
                char path[128];

                snprintf(path, sizeof(path), "%s.%s=", keys.items[i].section, keys.items[i].name);
                offer_key(path, &keys.items[i], request->word, out);
        }
        bailey_config_keys_free(&keys);
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
        { "HOST", .offer = offer_hosts },
        { "ID" },
        { "IMAGE" },
        { "KEY=VALUE", .offer = offer_settings },
        { "N" },
        { "NAME", .offer = offer_sessions },
        { "NAME[=VALUE]", .offer = offer_variables },
        { "PATH", .shell = ":files" },
        { "POLICY", .offer = offer_policies },
        { "PORT" },
        { "PROGRAM", .shell = ":programs" },
        { "RULE", .offer = offer_rules },
        { "SECONDS" },
        { "SESSION" },
        { "SHELL_ID" },
        { "STAGE", .offer = offer_stages },
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
