/*
 * Answers, to standard output.
 */
#include <stdio.h>

#include "cli/batch.h"

void batch_write(const char *text, size_t length) {
        fwrite(text, 1, length, stdout);
        if (length > 0 && text[length - 1] != '\n')
                fputc('\n', stdout);
}
