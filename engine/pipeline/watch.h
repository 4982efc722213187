/*
 * Detects whether anything has changed at a set of paths. The kernel reports every change of a name, or of its target: a check
 * costs one system call, for any number of paths. If the kernel would not report all changes, the result is always "changed".
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
        int mounts; /* /proc/self/mountinfo: reports mounts and unmounts */
        bool changed;
        struct arena arena;
        const char *seen[WATCH_NAMES]; /* paths, a hash table */
        uint64_t names[WATCH_NAMES];   /* what matters: hashes of a directory and a name in it, another one */
        size_t count;
};

void watch_begin(struct watch *watch);

/* Call it before `path` is examined; `content`: before it is read. Every name in the path is watched, also those in links. */
void watch_path(struct watch *watch, const char *path, bool content);

/* Returns true if nothing has changed so far; false from the first change on. */
bool watch_quiet(struct watch *watch);

void watch_end(struct watch *watch);

#endif
