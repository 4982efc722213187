/*
 * `bailey container`: which container runtimes there are, and what is configured for them.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_RUNTIME, OPTION_TARBALL, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON", "detect status" },
        [OPTION_RUNTIME] = { "runtime", 'r', "podman|docker|gvisor",
                             "use this backend; default: the configured one, or the first available", "pull build" },
        [OPTION_TARBALL] = { "tarball", 't', "FILE", "build from this archive of a root file system", "build" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "use this policy instead of the default one", "status pull build" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file", "status pull build" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "use the config of this directory instead of the current one",
                               "status pull build" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status out_of_memory(void) {
        log_line("container: out of memory");
        return EXIT_USAGE;
}

/* `fine`: what the library has returned. */
static enum exit_status tell(const struct options *options, int fine, struct bailey_containers *found) {
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (fine < 0)
                return out_of_memory();
        (options->values[OPTION_JSON] ? format_containers_json : format_containers_text)(found, &answer);
        bailey_containers_free(found);
        if (answer.failed)
                return out_of_memory();
        output_write(answer.ptr, answer.len);
        return fine ? EXIT_DONE : EXIT_PROBLEM;
}

static enum exit_status container_detect(const struct options *options) {
        struct bailey_containers found;

        return tell(options, bailey_container_detect((const char *const *)environ, &found), &found);
}

static enum exit_status container_status(const struct options *options) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        struct bailey_containers found;

        if (!policy)
                return EXIT_USAGE;
        return tell(options, bailey_container_status(policy, (const char *const *)environ, &found), &found);
}

typedef int make_function(const struct bailey_policy *policy, const char *const *environment,
                          const struct bailey_container_order *order, struct bailey_image *ret, char *ret_error,
                          size_t error_size);

static enum exit_status make(const struct options *options, make_function *function, const char *verb) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        struct bailey_container_order order = {
                .runtime = given[OPTION_RUNTIME],
                .image = options->operand_count ? options->operands[0] : NULL,
                .tarball = given[OPTION_TARBALL],
                .progress_fd = STDERR_FILENO,
        };
        struct bailey_image image;
        char error[256];

        if (!policy)
                return EXIT_USAGE;
        if (function(policy, (const char *const *)environ, &order, &image, error, sizeof(error)) < 0) {
                log_line("%s", error);
                return EXIT_PROBLEM;
        }
        printf("%s %s: %s\n", image.engine, verb, image.name);
        bailey_free(image.name);
        return EXIT_DONE;
}

static enum exit_status container_pull(const struct options *options) {
        return make(options, bailey_container_pull, "has");
}

static enum exit_status container_build(const struct options *options) {
        return make(options, bailey_container_build, "has made");
}

static const struct help_row make_exits[] = {
        { "0", "the image is available" },
        { "1", "the image is not available; an error message says why" },
        { "2", "usage error" },
        {},
};

static const struct help_row exits[] = {
        { "0", "detect: a container engine is available; status: the configuration can be used" },
        { "1", "detect: no container engine is available; status: containers are configured but cannot be used" },
        { "2", "usage error" },
        {},
};

static const struct cli_subcommand subcommands[] = {
        { "detect", "", "list the available container engines", container_detect },
        { "status", "", "show the container configuration, and whether commands run in containers", container_status },
        { "pull", "[IMAGE]", "pull IMAGE, or the configured image", container_pull, .exits = make_exits },
        { "build", "[IMAGE]", "build an image from busybox and bash, or from an archive, without a registry", container_build,
          .exits = make_exits },
        {},
};

static const struct help_row examples[] = {
        { "bailey container detect", "list the available container engines: docker, podman, gVisor" },
        { "bailey container build --runtime docker && bailey run --backend docker --set "
          "container.image=localhost/bailey:latest 'uname -a'",
          "build the small image localhost/bailey:latest and run a command in it" },
        {},
};

const struct cli_command cli_container = {
        .name = "container",
        .summary = "manage container engines and images",
        .details = "Commands run in containers with [container] enabled = true, [sandbox] backend = \"docker\", or\n"
                   "BAILEY_SANDBOX=docker; podman and gvisor likewise.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .exits = exits,
        .examples = examples,
};
