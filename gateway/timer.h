/*
 * Something that happens after a fixed time: a queue has one duration, so it is sorted.
 */
#ifndef BAILEY_GATEWAY_TIMER_H
#define BAILEY_GATEWAY_TIMER_H

#include <stdint.h>

struct gateway;

struct timer {
        struct timer *previous, *next;
        struct timer_queue *queue; /* NULL: it is not running */
        int64_t deadline;
};

struct timer_queue {
        struct timer *first, *last;
        int64_t duration;
        void (*expired)(struct gateway *gateway, struct timer *timer);
};

void timer_start(struct timer_queue *queue, struct timer *timer);
void timer_stop(struct timer *timer);

#endif
