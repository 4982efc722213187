/*
 * `bailey config`: what is in force and why, whether a file is right, what can be in one, a file to start with.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_FORCE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON", "show policies" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "show this policy instead of the default one", "show" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file", "show policies" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "use the config of this directory instead of the current one",
                               "show policies" },
        [OPTION_FORCE] = { "force", 'f', NULL, "overwrite an existing file", "init" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status text_print(int status, char *text, size_t length) {
        if (status < 0) {
                log_line("config: out of memory");
                return EXIT_PROBLEM;
        }
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return EXIT_DONE;
}

static enum exit_status config_show(const struct options *options) {
        enum bailey_answer answer = options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT;
        struct bailey_policy *policy = policy_from_options(options->values[OPTION_POLICY], options->values[OPTION_WORKSPACE],
                                                           options->values[OPTION_CONFIG], NULL);
        enum exit_status status;
        char *text = NULL;
        size_t length = 0;
        int shown;

        if (!policy)
                return EXIT_PROBLEM;
        shown = bailey_config_show(policy, answer, &text, &length);
        status = text_print(shown, text, length);
        bailey_policy_free(policy);
        return status;
}

static enum exit_status config_policies(const struct options *options) {
        const char *const *given = options->values;
        const struct bailey_policy_options request = {
                .workspace = given[OPTION_WORKSPACE] ? given[OPTION_WORKSPACE] : ".",
                .config = given[OPTION_CONFIG],
                .environment = (const char *const *)environ,
        };
        struct bailey_policy_names names;
        BUF_AUTO answer;
        char error[256];

        buf_init(&answer, ANSWER_MAX);
        if (bailey_config_policies(&request, &names, error, sizeof(error)) < 0) {
                log_line("config: %s", error);
                return EXIT_PROBLEM;
        }
        (given[OPTION_JSON] ? format_policies_json : format_policies_text)(&names, &answer);
        bailey_policy_names_free(&names);
        return output_write_buffer("config", &answer);
}

static enum exit_status config_check(const struct options *options) {
        struct bailey_policy_options request = {
                .config = options->operands[0],
                .environment = (const char *const *)environ,
        };
        char error[256];

        if (bailey_config_check(&request, error, sizeof(error)) < 0) {
                log_line("%s", error);
                return EXIT_PROBLEM;
        }
        printf("%s: ok\n", options->operands[0]);
        return EXIT_DONE;
}

static enum exit_status config_schema(const struct options *options) {
        char *text = NULL;
        size_t length = 0;
        int status = bailey_config_schema(&text, &length);

        (void)options;
        return text_print(status, text, length);
}

static enum exit_status config_init(const struct options *options) {
        char error[256];
        char *path;

        if (bailey_config_init((const char *const *)environ, options->values[OPTION_FORCE] != NULL, &path, error,
                               sizeof(error)) < 0) {
                log_line("%s", error);
                return EXIT_PROBLEM;
        }
        printf("wrote %s\n", path);
        bailey_free(path);
        return EXIT_DONE;
}

static const struct help_row check_exits[] = {
        { "0", "FILE is valid" },
        { "1", "FILE is not valid; FILE:LINE:COLUMN and the error are printed" },
        { "2", "usage error" },
        {},
};

static const struct cli_subcommand subcommands[] = {
        { "show", "", "show every value of the policy in force, and where it is set", config_show },
        { "policies", "", "list the available policies", config_policies },
        { "check", "FILE", "check a config file for errors", config_check, .exits = check_exits },
        { "schema", "", "print the JSON Schema of config files, for editors", config_schema },
        { "init", "", "write a config file with all keys, explained and commented out", config_init },
        {},
};

static const struct help_row examples[] = {
        { "bailey config show --policy readonly", "show every value of a policy" },
        { "bailey config init && bailey config check ~/.config/bailey/config.toml", "create a config file and check it" },
        {},
};

const struct cli_command cli_config = {
        .name = "config",
        .summary = "show and check the configuration",
        .details = "Files, in increasing precedence: /etc/bailey/config.toml, $XDG_CONFIG_HOME/bailey/config.toml,\n"
                   ".bailey.toml in the workspace, --config FILE. Each can be .toml, .json5 or .json. Until .bailey.toml is\n"
                   "trusted, only its settings that make the policy stricter apply.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .examples = examples,
};
