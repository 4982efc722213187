#include "cli/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool paint_wanted(const char *when) {
        const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

        if (when && strcmp(when, "auto") != 0)
                return strcmp(when, "always") == 0;
        return !(none && *none) && terminal && *terminal && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}
