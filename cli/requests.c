#include "cli/requests.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/log.h"

int request_text(const struct request *request, const char *name, struct str *ret) {
        const json_t *text = json_object_get((const json_t *)request, name);

        if (!text)
                return 0;
        if (!json_is_string(text))
                return -1;
        *ret = str_from(json_string_value(text), json_string_length(text));
        return 1;
}

static void answer_line(struct str line, size_t number, request_answer *answer, void *context) {
        json_error_t error;
        json_t *request = json_loadb(line.ptr, line.len, JSON_ALLOW_NUL, &error);

        if (!request)
                answer(NULL, number, error.text, context);
        else if (!json_is_object(request))
                answer(NULL, number, "not a JSON object", context);
        else
                answer((const struct request *)request, number, NULL, context);
        json_decref(request);
}

enum exit_status requests_answer(const char *command, request_answer *answer, void *context) {
        struct lines lines = {
                .fd = STDIN_FILENO,
                .memory = malloc(INPUT_MAX + 1),
                .size = INPUT_MAX + 1,
                .limit = UINT64_MAX,
                .stream = true,
                .open_end = true,
                .answers = stdout,
        };
        struct str line;
        struct err err;
        int kind = LINE_WHOLE;

        if (!lines.memory)
                kind = err_memory(&err);
        while (kind > LINE_END && !ferror(stdout)) {
                kind = lines_next(&lines, &line, &err);
                if (kind == LINE_TOO_LONG)
                        answer(NULL, lines.number, "longer than 16 MiB", context);
                else if (kind == LINE_WHOLE)
                        answer_line(line, lines.number, answer, context);
        }
        free(lines.memory);
        if (kind < 0)
                log_line("%s: %s", command, err.msg);
        return kind < 0 ? EXIT_PROBLEM : EXIT_DONE;
}
