/* A library that has ours in it. */
#include <bailey.h>

const char *other_version(void);

const char *other_version(void) {
        return bailey_version();
}
