/*
 * Has anything changed at these paths since they were looked at? The kernel tells of every change of a name, or of what it
 * leads to: asking costs one system call, however many they are. Where it would not tell of all, the answer is always yes.
 */
#ifndef BAILEY_ENGINE_WATCH_H
#define BAILEY_ENGINE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { WATCH_NAMES = 2048 };

struct watch {
        int fd;     /* -1: nothing is watched */
        int mounts; /* /proc/self/mountinfo: tells when something was mounted or unmounted */
        bool changed;
        struct arena arena;
        const char *seen[WATCH_NAMES]; /* paths, a hash table */
        uint64_t names[WATCH_NAMES];   /* what matters: hashes of a directory and a name in it, another one */
        size_t count;
};

void watch_begin(struct watch *watch);

/* Before `path` is looked at; `content`: before it is read. Every name on the way to it matters, also those in links. */
void watch_path(struct watch *watch, const char *path, bool content);

/* Nothing has changed, as of now. Once something has, this stays so. */
bool watch_quiet(struct watch *watch);

void watch_end(struct watch *watch);

#endif
