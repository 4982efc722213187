/*
 * screen_show ROWS COLUMNS [PIECE]: what a terminal of this size shows of standard input, for other tests; read in pieces of so
 * many bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/screen.h"

int main(int argc, char **argv) {
        unsigned rows = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
        unsigned columns = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
        size_t piece = argc > 3 ? strtoul(argv[3], NULL, 10) : 4096;
        struct screen *screen;
        char bytes[4096];
        ssize_t got;

        if (!rows || !columns || rows > SCREEN_ROWS_MAX || columns > SCREEN_COLUMNS_MAX || !piece || piece > sizeof(bytes) ||
            screen_new(rows, columns, &screen, NULL) < 0)
                return 2;
        while ((got = read(STDIN_FILENO, bytes, piece)) > 0)
                screen_feed(screen, str_from(bytes, (size_t)got));
        for (unsigned row = 0; row < rows; row++) {
                BUF_AUTO line;

                buf_init(&line, 1 << 20);
                screen_row(screen, row, &line);
                printf("%.*s\n", (int)line.len, line.len ? line.ptr : "");
        }
        screen_free(screen);
        return 0;
}
