#include "cli/batch.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/lines.h"

int batch_text(const struct batch_request *request, const char *name, struct str *ret) {
        const json_t *text = json_object_get((const json_t *)request, name);

        if (!text)
                return 0;
        if (!json_is_string(text))
                return -1;
        *ret = str_from(json_string_value(text), json_string_length(text));
        return 1;
}

static void answer_line(struct str line, size_t number, batch_answer *answer, void *context) {
        json_error_t error;
        json_t *request = json_loadb(line.ptr, line.len, JSON_ALLOW_NUL, &error);

        if (!request)
                answer(NULL, number, error.text, context);
        else if (!json_is_object(request))
                answer(NULL, number, "not a JSON object", context);
        else
                answer((const struct batch_request *)request, number, NULL, context);
        json_decref(request);
}

enum exit_status batch_run(const char *command, batch_answer *answer, void *context) {
        struct lines lines;
        struct str line;
        struct err err;
        enum line_kind kind = LINE_WHOLE;
        int status = 0;

        lines_init(&lines, STDIN_FILENO, INPUT_MAX, stdout);
        for (size_t number = 1; !ferror(stdout); number++) {
                status = lines_next(&lines, &kind, &line, &err);
                if (status < 0 || kind == LINE_END)
                        break;
                if (kind == LINE_TOO_LONG)
                        answer(NULL, number, "longer than 16 MiB", context);
                else
                        answer_line(line, number, answer, context);
        }
        lines_free(&lines);
        if (status < 0)
                log_line("%s: %s", command, err.msg);
        return status < 0 ? EXIT_PROBLEM : EXIT_DONE;
}
