/*
 * The /tmp that the commands of a session share, and that ends with it: a tmpfs of limited size. It belongs to a process with
 * a user and a mount namespace of its own, of which it is the root and the only mount. Each sandbox asks the process for a
 * mount of it, which the sandbox then attaches: mounts that are nowhere yet can be passed on to other namespaces, while those
 * of another namespace cannot be cloned.
 *
 * No path of the host leads there. The process ends with the one that started it, and the kernel then frees what nobody else
 * has mounted.
 */
#ifndef BAILEY_LAUNCH_TMP_HOLDER_H
#define BAILEY_LAUNCH_TMP_HOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct tmp_holder {
        int pidfd;   /* -1: none */
        int socket;  /* where sandboxes ask */
        uint64_t id; /* of its content: no other one has the same */
};

/* What it holds: an empty directory of that size, or the overlay of a workspace, with what keeps others from it. */
struct tmp_content {
        uint64_t size;
        const char *workspace, *stage; /* NULL: it is the directory */
        int lock;                      /* each sandbox gets it, too */
};

/* Starts it, for commands with these ids (struct launch, id_base). That it works is known when the first sandbox has asked. */
int tmp_holder_start(const struct tmp_content *content, uint32_t id_base, struct tmp_holder *ret, struct err *err);

/* Returns false if it has ended: then its content is lost. */
bool tmp_holder_alive(const struct tmp_holder *holder);

/* Returns a mount of the directory, to be attached once. In any process that has the socket. `ret_lock` is that of the content;
 * NULL: it has none. */
int tmp_holder_mount(const struct tmp_holder *holder, int *ret_lock, struct err *err);

/* Ends it. Sandboxes that still run keep the directory. */
void tmp_holder_end(struct tmp_holder *holder);

#endif
