#include <stdlib.h>

#include "bailey.h"

void bailey_free(void *pointer) {
        free(pointer);
}

const char *bailey_version(void) {
        return BAILEY_VERSION;
}
