#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"

void paint_put(struct buf *out, bool colors, enum paint paint, const char *text) {
        static const char *const codes[] = {
                [PAINT_GOOD] = "\033[32m",
                [PAINT_DOUBTFUL] = "\033[33m",
                [PAINT_BAD] = "\033[31m",
        };

        if (colors && paint != PAINT_NONE)
                buf_format(out, "%s%s\033[0m", codes[paint], text);
        else
                buf_append(out, str_z(text));
}

bool paint_wanted(const char *when) {
        const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

        if (when && strcmp(when, "auto") != 0)
                return strcmp(when, "always") == 0;
        return !(none && *none) && terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}
