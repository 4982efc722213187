/*
 * `bailey parse`: what bash would read, shown.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"

enum { OPTION_JSON, OPTION_PRINT, OPTION_EXPAND, OPTION_BATCH, OPTION_FILE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print the tree as JSON" },
        [OPTION_PRINT] = { "print", 'p', NULL, "print the text in a uniform style" },
        [OPTION_EXPAND] = { "expand", 'e', NULL, "print the expanded words of each command as JSON" },
        [OPTION_BATCH] = { "batch", 'b', NULL, "read one {\"command\": ...} per line, print its commands per line" },
        [OPTION_FILE] = { "file", 'f', "FILE", "read the text from FILE" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- one text ---- */

static void explain_error(const char *text, size_t length) {
        char *said;
        size_t said_length;
        BUF_AUTO out;

        buf_init(&out, INPUT_MAX);
        if (bailey_parse(text, length, BAILEY_ERROR, &said, &said_length) < 0)
                return;
        fflush(stdout); /* first what was read, then what was not */
        buf_append(&out, STR("bailey: "));
        buf_append(&out, str_from(said, said_length));
        fd_write_all(STDERR_FILENO, buf_str(&out), NULL);
        bailey_free(said);
}

static enum exit_status parse_text(struct str text, enum bailey_format format) {
        char *answer;
        size_t answer_length;
        int status = bailey_parse(text.ptr, text.len, format, &answer, &answer_length);

        if (status < 0) {
                log_line("parse: out of memory, or the result is too large");
                return EXIT_PROBLEM;
        }
        output_write(answer, answer_length);
        bailey_free(answer);
        if (status == 0)
                return EXIT_DONE;
        explain_error(text.ptr, text.len);
        return EXIT_PROBLEM;
}

static enum exit_status parse_file(const char *path, enum bailey_format format) {
        struct err err;
        BUF_AUTO text;
        FD_AUTO opened = -1;
        int fd = STDIN_FILENO;

        buf_init(&text, INPUT_MAX);
        if (strcmp(path, "-") != 0) {
                fd = opened = open(path, O_RDONLY | O_CLOEXEC);
                if (fd < 0) {
                        log_line("parse: %s: %s", path, strerror(errno));
                        return EXIT_USAGE;
                }
        }
        if (fd_read_all(fd, &text, &err) < 0) {
                log_line("parse: %s: %s", path, err.msg);
                return EXIT_USAGE;
        }
        return parse_text(buf_str(&text), format);
}

/* ---- a stream of texts ---- */

static void answer_error(const char *kind, size_t number, const char *message) {
        BUF_AUTO out, text;

        buf_init(&out, INPUT_MAX);
        buf_init(&text, INPUT_MAX);
        buf_format(&text, "line %zu: %s", number, message);
        buf_format(&out, "{\"ok\":false,\"error\":{\"kind\":\"%s\",\"message\":", kind);
        buf_json(&out, buf_str(&text));
        buf_append(&out, STR("},\"commands\":[]}"));
        output_write(out.ptr, out.len);
}

static void answer_command(const struct request *request, size_t number) {
        struct str command;
        char *answer;
        size_t length;

        if (request_text(request, "command", &command) != 1) {
                answer_error("input", number, "\"command\" is missing or not a string");
                return;
        }
        if (bailey_parse(command.ptr, command.len, BAILEY_COMMANDS, &answer, &length) < 0) {
                answer_error("internal", number, "out of memory, or the result is too large");
                return;
        }
        output_write(answer, length);
        bailey_free(answer);
}

static void answer_request(const struct request *request, size_t number, const char *problem, void *context) {
        (void)context;
        if (problem)
                answer_error("input", number, problem);
        else
                answer_command(request, number);
}

/* ---- the command ---- */

static enum exit_status parse_usage(const char *message) {
        log_line("parse: %s; see bailey parse --help", message);
        return EXIT_USAGE;
}

static enum exit_status parse_run(const struct options *options) {
        const char *const *given = options->values;
        int forms = !!given[OPTION_JSON] + !!given[OPTION_PRINT] + !!given[OPTION_EXPAND];
        enum bailey_format format = given[OPTION_JSON]     ? BAILEY_JSON
                                    : given[OPTION_PRINT]  ? BAILEY_PRINT
                                    : given[OPTION_EXPAND] ? BAILEY_EXPANDED
                                                           : BAILEY_TREE;

        if (forms > 1)
                return parse_usage("--json, --print and --expand exclude each other");
        if (given[OPTION_BATCH])
                return forms || given[OPTION_FILE] || options->operand_count > 0
                               ? parse_usage(
                                         "--batch reads standard input and cannot be combined with other options or operands")
                               : requests_answer("parse", answer_request, NULL);
        if (options->operand_count + (given[OPTION_FILE] ? 1 : 0) == 0)
                return parse_usage("no text given");
        if (options->operand_count + (given[OPTION_FILE] ? 1 : 0) > 1)
                return parse_usage("more than one text given: quote the text");
        if (given[OPTION_FILE])
                return parse_file(given[OPTION_FILE], format);
        if (strcmp(options->operands[0], "-") == 0)
                return parse_file("-", format);
        return parse_text(str_z(options->operands[0]), format);
}

static const struct help_row exits[] = {
        { "0", "bash accepts the text" },
        { "1", "bash rejects the text, or the result could not be printed" },
        { "2", "usage error" },
        {},
};

static const struct help_row examples[] = {
        { "bailey parse 'echo \"$(id)\" | cat > x'", "print the syntax tree" },
        { "bailey parse --print --file build.sh", "print a script in a uniform style" },
        {},
};

const struct cli_command cli_parse = {
        .name = "parse",
        .operands = "TEXT | - | --file FILE | --batch",
        .summary = "print the syntax tree of bash code without running it",
        .details = "Prints the syntax tree of TEXT (- for standard input), one node per line with its byte range.\n"
                   "With --batch, prints {\"ok\": ..., \"error\": ..., \"commands\": [[word, ...], ...]} for each line, in "
                   "order, and exits 0.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .run = parse_run,
};
