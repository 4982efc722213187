/*
 * `bailey home`: the homes of workspaces, what is in them, and how to get rid of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "format/format.h"

enum { OPTION_WORKSPACE, OPTION_ALL, OPTION_STALE, OPTION_YES, OPTION_LINES, OPTION_CONFIG, OPTION_JSON };
enum { LINES = 200, LINES_MAX = 100000, LIST_MS = 5000 };

static const struct option_row option_rows[] = {
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "the workspace; default: the current directory", "size diff clear" },
        [OPTION_ALL] = { "all", 'a', NULL, "remove all homes", "clear" },
        [OPTION_STALE] = { "stale", 's', NULL, "remove the homes of workspaces that no longer exist", "clear" },
        [OPTION_YES] = { "yes", 'y', NULL, "do not ask before --all or --stale", "clear" },
        [OPTION_LINES] = { "lines", 'n', "N", "maximum number of paths; default: 200", "diff" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        OPTION_ROW_HELP,
        {},
};

static const char *const *here(void) {
        return (const char *const *)environ;
}

static enum exit_status failed(const char *error) {
        log_line("home: %s", error);
        return EXIT_PROBLEM;
}

/* That of the workspace, as `bailey run` has it; of one that is gone, that of the present directory. */
static struct bailey_policy *load_policy(const struct options *options) {
        const char *workspace = options->values[OPTION_WORKSPACE];
        struct stat status;
        bool gone = workspace && stat(workspace, &status) < 0 && (errno == ENOENT || errno == ENOTDIR);

        return policy_from_options(NULL, gone ? NULL : workspace, options->values[OPTION_CONFIG], NULL);
}

static enum exit_status write_text(const struct buf *out) {
        if (out->failed)
                return failed("out of memory");
        if (out->len)
                fwrite(out->ptr, 1, out->len, stdout);
        return EXIT_DONE;
}

/* ---- list, size ---- */

static void put_size(const struct bailey_homes *homes, struct buf *out) {
        const struct bailey_home *home = &homes->items[0];
        struct bailey_home used = { .bytes = homes->count ? home->bytes : 0, .complete = 1 };
        struct bailey_home most = { .bytes = homes->most_bytes, .complete = 1 };

        if (!homes->count) {
                buf_append(out, STR("0 bytes: no home is kept for this workspace\n"));
                return;
        }
        buf_format(out, "%s%llu bytes (", home->complete ? "" : "at least ", home->bytes);
        format_home_size(&used, out);
        if (homes->most_bytes) {
                buf_append(out, STR(" of "));
                format_home_size(&most, out);
        }
        buf_format(out, "), %llu files and directories\n", home->entries);
}

static enum exit_status show_homes(const struct options *options, enum bailey_home_choice choice, unsigned milliseconds,
                                   void (*put_text)(const struct bailey_homes *, struct buf *)) {
        POLICY_AUTO policy = load_policy(options);
        bool json = options->values[OPTION_JSON] != NULL;
        struct bailey_homes homes;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (!policy)
                return EXIT_USAGE;
        if (bailey_home_list(policy, here(), choice, options->values[OPTION_WORKSPACE], milliseconds, &homes, error,
                             sizeof(error)) < 0)
                return failed(error);
        (json ? format_homes_json : put_text)(&homes, &out);
        bailey_homes_free(&homes);
        return json ? output_write_buffer("home", &out) : write_text(&out);
}

static enum exit_status home_list(const struct options *options) {
        return show_homes(options, BAILEY_HOME_ALL, LIST_MS, format_homes_text);
}

static enum exit_status home_size(const struct options *options) {
        return show_homes(options, BAILEY_HOME_ONE, 0, put_size);
}

/* ---- diff ---- */

static bool read_lines(const char *text, size_t *ret) {
        char *end = NULL;
        long given = text ? strtol(text, &end, 10) : LINES;

        if (text && (end == text || *end || given < 1 || given > LINES_MAX)) {
                log_line("option --lines: '%s' is not a number from 1 to %d", text, LINES_MAX);
                return false;
        }
        *ret = (size_t)given;
        return true;
}

static void tell_about(const struct bailey_home_changes *changes) {
        if (!changes->kept)
                log_line("home: no home is kept for this workspace");
        else if (!changes->count)
                log_line("home: commands of this workspace have written nothing in their home");
        if (!changes->complete)
                log_line("home: not everything could be read; there may be more");
        if (changes->in_use)
                log_line("home: a command is running; what it writes in directories of your home is not listed before it has "
                         "ended");
}

static enum exit_status home_diff(const struct options *options) {
        bool json = options->values[OPTION_JSON] != NULL;
        struct bailey_home_changes changes;
        size_t lines;
        char error[512];
        BUF_AUTO out;
        POLICY_AUTO policy = NULL;

        buf_init(&out, ANSWER_MAX);
        if (!read_lines(options->values[OPTION_LINES], &lines) || !(policy = load_policy(options)))
                return EXIT_USAGE;
        if (bailey_home_diff(policy, here(), options->values[OPTION_WORKSPACE], lines, &changes, error, sizeof(error)) < 0)
                return failed(error);
        (json ? format_home_changes_json : format_home_changes_text)(&changes, &out);
        if (!json)
                tell_about(&changes);
        bailey_home_changes_free(&changes);
        return json ? output_write_buffer("home", &out) : write_text(&out);
}

/* ---- clear ---- */

static enum bailey_home_choice choice_of(const struct options *options) {
        return options->values[OPTION_ALL]     ? BAILEY_HOME_ALL
               : options->values[OPTION_STALE] ? BAILEY_HOME_STALE
                                               : BAILEY_HOME_ONE;
}

static bool read_yes(void) {
        char line[8] = "";

        return fgets(line, sizeof(line), stdin) && (strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0);
}

/* Asks before it removes many at once. 1: yes, 0: no, -1: cannot ask. */
static int ask(const struct bailey_homes *homes) {
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
                return -1;
        format_homes_text(homes, &out);
        buf_format(&out, "Remove %zu home%s, ", homes->count, homes->count == 1 ? "" : "s");
        format_homes_size(homes, &out);
        buf_append(&out, STR("? [y/N] "));
        if (!out.failed)
                fwrite(out.ptr, 1, out.len, stderr);
        return read_yes();
}

static enum exit_status confirm(const struct bailey_policy *policy, const struct options *options) {
        enum bailey_home_choice choice = choice_of(options);
        struct bailey_homes homes;
        char error[512];
        int answer;

        if (choice == BAILEY_HOME_ONE || options->values[OPTION_YES])
                return EXIT_DONE;
        if (bailey_home_list(policy, here(), choice, NULL, LIST_MS, &homes, error, sizeof(error)) < 0)
                return failed(error);
        answer = homes.count ? ask(&homes) : 1;
        bailey_homes_free(&homes);
        if (answer < 0)
                log_line("home: this removes several homes; confirm with --yes");
        return answer > 0 ? EXIT_DONE : answer < 0 ? EXIT_USAGE : EXIT_PROBLEM;
}

static enum exit_status tell_cleared(const struct bailey_homes *homes, bool json) {
        enum exit_status status = EXIT_DONE;
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        (json ? format_cleared_json : format_cleared_text)(homes, &out);
        if (!homes->count && !json)
                log_line("home: no home is kept, so nothing was removed");
        if (!homes->recorded)
                log_line("home: cannot write this to the audit log");
        if (homes->problem)
                log_line("home: what is left of an earlier removal: %s", homes->problem);
        status = json ? output_write_buffer("home", &out) : write_text(&out);
        for (size_t i = 0; i < homes->count; i++)
                if (homes->items[i].problem)
                        status = EXIT_PROBLEM;
        return status;
}

static enum exit_status home_clear(const struct options *options) {
        const char *workspace = options->values[OPTION_WORKSPACE];
        POLICY_AUTO policy = NULL;
        struct bailey_homes homes;
        enum exit_status status;
        char error[512];

        if ((options->values[OPTION_ALL] != NULL) + (options->values[OPTION_STALE] != NULL) + (workspace != NULL) > 1) {
                log_line("home: --workspace, --all and --stale exclude each other");
                return EXIT_USAGE;
        }
        policy = load_policy(options);
        if (!policy)
                return EXIT_USAGE;
        status = confirm(policy, options);
        if (status != EXIT_DONE)
                return status;
        if (bailey_home_clear(policy, here(), choice_of(options), workspace, &homes, error, sizeof(error)) < 0)
                return failed(error);
        status = tell_cleared(&homes, options->values[OPTION_JSON] != NULL);
        bailey_homes_free(&homes);
        return status;
}

/* ---- the rows ---- */

static const struct cli_subcommand subcommands[] = {
        { "list", "", "list all homes, most recently used first", home_list },
        { "size", "", "measure the home of a workspace", home_size },
        { "diff", "", "show what commands wrote in the home of a workspace", home_diff,
          "Settings that differ from those that bailey copied, files that hide one of yours, and deletions are marked. Empty\n"
          "directories are not shown. With more paths than --lines, the smallest files are left out.\n" },
        { "clear", "", "remove the home of a workspace", home_clear,
          "The next command gets a new one. Refuses while a command of the workspace is running. Before it removes several "
          "homes,\n"
          "it asks, or requires --yes.\n" },
        {},
};

static const struct help_row examples[] = {
        { "bailey home", "list all homes and their sizes" },
        { "bailey home diff", "show what commands wrote in the home of this workspace" },
        { "bailey home clear --stale", "remove the homes of workspaces that no longer exist" },
        {},
};

const struct cli_command cli_home = {
        .name = "home",
        .summary = "list, examine or remove the home directories of workspaces",
        .details = "With sandbox.home = \"own\", each workspace has a home directory for its commands, which bailey keeps. It\n"
                   "contains only files that commands wrote, and copies of some of your settings.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .by_default = "list",
        .examples = examples,
};
