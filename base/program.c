#include "base/program.h"

int program_begin(int *argc, char ***argv) {
        (void)argc;
        (void)argv;
        return 0;
}

const char *program_path(const char *path) {
        return path;
}
