/*
 * Nothing is kept from one command to the next here.
 */
#include "engine/pipeline/watch.h"

void watch_begin(struct watch *watch) {
        *watch = (struct watch){ .fd = -1, .mounts = -1, .changed = true };
        arena_init(&watch->arena, 0);
}

void watch_path(struct watch *watch, const char *path, bool content) {
        (void)watch;
        (void)path;
        (void)content;
}

bool watch_quiet(struct watch *watch) {
        (void)watch;
        return false;
}

void watch_end(struct watch *watch) {
        arena_free(&watch->arena);
}
