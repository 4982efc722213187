/*
 * Pipes for splice(), which moves large streams for less processor time than copies. A user's pipes are limited by the kernel,
 * so a few are shared: a direction borrows one while there is much to move.
 */
#ifndef BAILEY_GATEWAY_RELAY_H
#define BAILEY_GATEWAY_RELAY_H

#include <stdbool.h>
#include <stddef.h>

enum {
        RELAY_PIPES = 16,
        RELAY_SPLICE_FROM = 1 << 20, /* bytes of a direction */
};

struct relay_pipe {
        int ends[2];
        size_t held;
        bool used, opened;
};

struct relay_pipes {
        struct relay_pipe items[RELAY_PIPES];
};

#endif
