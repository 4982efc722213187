/*
 * `bailey config`: what is in force and why, whether a file is right, what can be in one, a file to start with.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_FORCE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "show: answer in JSON" },
        [OPTION_POLICY] = { "policy", 'p', "NAME", "show: this policy instead of the default one" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "show: with one more config file" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "show: for this directory instead of the present one" },
        [OPTION_FORCE] = { "force", 'f', NULL, "init: replace a file that is there" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status config_usage(const char *message) {
        log_line("config: %s; see bailey config --help", message);
        return EXIT_USAGE;
}

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

static enum exit_status config_check(const struct options *options) {
        struct bailey_policy_options request = {
                .config = options->operands[1],
                .environment = (const char *const *)environ,
        };
        char error[256];

        if (bailey_config_check(&request, error, sizeof(error)) < 0) {
                log_line("%s", error);
                return EXIT_PROBLEM;
        }
        printf("%s: ok\n", options->operands[1]);
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

static enum exit_status config_run(const struct options *options) {
        static const struct {
                const char *name;
                int operands; /* itself counted */
                enum exit_status (*run)(const struct options *options);
        } actions[] = {
                { "show", 1, config_show },
                { "check", 2, config_check },
                { "schema", 1, config_schema },
                { "init", 1, config_init },
        };

        if (options->operand_count == 0)
                return config_usage("show, check FILE, schema or init?");
        for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
                if (strcmp(options->operands[0], actions[i].name) == 0)
                        return options->operand_count == actions[i].operands
                                       ? actions[i].run(options)
                                       : config_usage(actions[i].operands == 2 ? "check takes one file" : "too many operands");
        return config_usage("expected show, check FILE, schema or init");
}

const struct cli_command cli_config = {
        .name = "config",
        .operands = "show | check FILE | schema | init",
        .summary = "show and check what is configured",
        .details = "show    every value of the policy that is in force, with the place it came from\n"
                   "check   whether FILE would be accepted; exits 1 and says why when not\n"
                   "schema  a JSON Schema of config files, for editors\n"
                   "init    write a config file in which everything is explained and nothing changed\n"
                   "\n"
                   "Files, later ones win: /etc/bailey/config.toml, $XDG_CONFIG_HOME/bailey/config.toml,\n"
                   ".bailey.toml in the workspace if it is trusted, --config FILE. All can be .json5 or .json.\n",
        .options = option_rows,
        .run = config_run,
};
