/*
 * Answers, to standard output.
 */
#include <stdio.h>

#include "base/log.h"
#include "cli/batch.h"

void batch_write(const char *text, size_t length) {
        fwrite(text, 1, length, stdout);
        if (length > 0 && text[length - 1] != '\n')
                fputc('\n', stdout);
}

enum exit_status batch_write_answer(const char *command, const struct buf *answer) {
        if (answer->failed) {
                log_line("%s: out of memory", command);
                return EXIT_PROBLEM;
        }
        batch_write(answer->ptr, answer->len);
        return EXIT_DONE;
}
