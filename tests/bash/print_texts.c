/*
 * Helps oracle.sh: prints each of the texts on standard input (a NUL behind each) in the uniform style, as `bailey parse
 * --print` does for one: a line with what bailey_parse() returned and how many bytes follow, and these.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bailey.h"

static int print_text(const char *text, size_t length) {
        char *printed;
        size_t printed_length;
        int status = bailey_parse(text, length, BAILEY_PRINT, &printed, &printed_length);

        if (status < 0) {
                fprintf(stderr, "print_texts: out of memory, or the result is too large\n");
                return -1;
        }
        printf("%d %zu\n", status, printed_length);
        fwrite(printed, 1, printed_length, stdout);
        bailey_free(printed);
        return 0;
}

int main(void) {
        char *text = NULL;
        size_t capacity = 0;
        ssize_t n;
        int failed = 0;

        while (!failed && (n = getdelim(&text, &capacity, '\0', stdin)) > 0)
                failed = print_text(text, (size_t)n - (text[n - 1] == '\0'));
        free(text);
        return failed || fflush(stdout) != 0;
}
