#include "sandbox/host_parts.h"

/* Nothing is mounted on Windows: commands reach only what is granted to them. */
int host_note_home(struct host *host, struct arena *arena, const char *home, struct err *err) {
        (void)host;
        (void)arena;
        (void)home;
        (void)err;
        return 0;
}

int host_gather_other_homes(struct host *host, struct arena *arena, struct err *err) {
        (void)host;
        (void)arena;
        (void)err;
        return 0;
}
