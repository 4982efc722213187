#include "cli/paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const codes[] = {
        [PAINT_GOOD] = "\033[32m",
        [PAINT_DOUBTFUL] = "\033[33m",
        [PAINT_BAD] = "\033[31m",
};

bool paint_wanted(const char *when) {
        const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

        if (when && strcmp(when, "auto") != 0)
                return strcmp(when, "always") == 0;
        return !(none && *none) && terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static void put(struct str text) {
        fwrite(text.ptr, 1, text.len, stdout);
}

/* Bytes before the second word. */
static size_t second_word(struct str line) {
        size_t at = str_find(line, ' ');

        while (at < line.len && line.ptr[at] == ' ')
                at++;
        return at;
}

static const struct paint_row *row_at(const struct paint_row *table, struct str line) {
        while (table->text && !str_starts(line, str_z(table->text)))
                table++;
        return table->text ? table : NULL;
}

static void write_line(const struct paint_row *table, struct str line) {
        const struct paint_row *row = row_at(table, line);
        size_t before = row ? 0 : second_word(line), word;

        if (!row)
                row = row_at(table, str_skip(line, before));
        if (!row || line.ptr[0] == ' ') {
                put(line);
                return;
        }
        word = strcspn(row->text, ":\n");
        put(str_take(line, before));
        fputs(codes[row->paint], stdout);
        put(str_take(str_skip(line, before), word));
        fputs("\033[0m", stdout);
        put(str_skip(line, before + word));
}

void paint_write(const char *when, const struct paint_row *table, size_t lines, struct str text) {
        bool wanted = paint_wanted(when);

        for (; wanted && lines > 0 && text.len > 0; lines--) {
                size_t length = str_find(text, '\n') + 1; /* the last one may have no newline */

                write_line(table, str_take(text, length));
                text = str_skip(text, length);
        }
        put(text);
}
