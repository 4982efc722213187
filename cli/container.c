/*
 * `bailey container`: which container runtimes there are, and what is configured for them.
 */
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/batch.h"
#include "cli/command.h"

enum { OPTION_JSON, OPTION_RUNTIME, OPTION_TARBALL, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "answer in JSON", "detect status" },
        [OPTION_RUNTIME] = { "runtime", 'r', "podman|docker|gvisor",
                             "for this one; default: the one that commands run in, or the first that answers", "pull build" },
        [OPTION_TARBALL] = { "tarball", 't', "FILE", "of this archive of a root file system", "build" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "this policy instead of the default one", "status pull build" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "with one more config file", "status pull build" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "for this directory instead of the present one", "status pull build" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status tell(int fine, char *text, size_t length) {
        if (fine < 0) {
                log_line("container: out of memory");
                return EXIT_USAGE;
        }
        batch_write(text, length);
        bailey_free(text);
        return fine ? EXIT_DONE : EXIT_PROBLEM;
}

static enum bailey_answer answer_of(const struct options *options) {
        return options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT;
}

static enum exit_status container_detect(const struct options *options) {
        char *text = NULL;
        size_t length = 0;
        int fine = bailey_container_detect((const char *const *)environ, answer_of(options), &text, &length);

        return tell(fine, text, length);
}

static enum exit_status container_status(const struct options *options) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        char *text = NULL;
        size_t length = 0;
        int fine;

        if (!policy)
                return EXIT_USAGE;
        fine = bailey_container_status(policy, (const char *const *)environ, answer_of(options), &text, &length);
        return tell(fine, text, length);
}

typedef int make_function(const struct bailey_policy *policy, const char *const *environment,
                          const struct bailey_container_order *order, char **ret_text, size_t *ret_length, char *ret_error,
                          size_t error_size);

static enum exit_status make(const struct options *options, make_function *function) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        struct bailey_container_order order = {
                .runtime = given[OPTION_RUNTIME],
                .image = options->operand_count ? options->operands[0] : NULL,
                .tarball = given[OPTION_TARBALL],
                .progress_fd = STDERR_FILENO,
        };
        char error[256], *text = NULL;
        size_t length = 0;

        if (!policy)
                return EXIT_USAGE;
        if (function(policy, (const char *const *)environ, &order, &text, &length, error, sizeof(error)) < 0) {
                log_line("%s", error);
                return EXIT_PROBLEM;
        }
        return tell(1, text, length);
}

static enum exit_status container_pull(const struct options *options) {
        return make(options, bailey_container_pull);
}

static enum exit_status container_build(const struct options *options) {
        return make(options, bailey_container_build);
}

static const struct help_row make_exits[] = {
        { "0", "the image is there" },
        { "1", "it is not, and a message says why" },
        { "2", "asked in the wrong way" },
        {},
};

static const struct help_row exits[] = {
        { "0", "there is a runtime; what is configured can be used" },
        { "1", "there is none; containers are wanted, and something is in the way" },
        { "2", "asked in the wrong way" },
        {},
};

static const struct cli_subcommand subcommands[] = {
        { "detect", "", "say which container runtimes there are", container_detect },
        { "status", "", "say what is configured, and what commands would run in", container_status },
        { "pull", "[IMAGE]", "get an image, or the one that is configured", container_pull, .exits = make_exits },
        { "build", "[IMAGE]", "make an image of busybox and bash, or of an archive, without a registry", container_build,
          .exits = make_exits },
        {},
};

static const struct help_row examples[] = {
        { "bailey container detect", "docker, podman, gVisor: whichever answers" },
        { "bailey container build && BAILEY_SANDBOX=docker bailey run --config my.toml 'uname -a'",
          "a small image, called localhost/bailey:latest, and a command in it" },
        {},
};

const struct cli_command cli_container = {
        .name = "container",
        .summary = "run commands in containers of docker, podman or gVisor",
        .details = "Commands run in containers with [container] enabled = true, [sandbox] backend = \"docker\", or\n"
                   "BAILEY_SANDBOX=docker; podman and gvisor likewise.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .exits = exits,
        .examples = examples,
};
