/*
 * Reading an argv as the program would: options clustered, attached, abbreviated, and operands.
 */
#ifndef BAILEY_GUARD_OPTIONS_H
#define BAILEY_GUARD_OPTIONS_H

#include "guard/judge.h"
#include "guard/tables/options.h"

enum scan {
        SCAN_END,
        SCAN_OPTION,
        SCAN_OPERAND,
};

struct option {
        enum scan scan;
        struct str name; /* without dashes; one byte for a short one */
        enum meaning meaning;
        bool has_value;
        struct arg value; /* of the option; or the operand */
        size_t index;     /* in argv */
};

struct options {
        const struct call *call;
        size_t next;    /* in argv */
        size_t cluster; /* byte inside a cluster of short options, 0 when not in one */
        bool only_operands;
};

struct options options_of(const struct call *call);
static inline void options_start(struct options *options, const struct call *call) {
        *options = options_of(call);
}
enum scan options_next(struct options *options, struct option *ret);

/* Goes through all of argv; option.scan says what each is. */
#define EACH_OPTION(call, option) \
        for (struct options options_ = options_of(call); options_next(&options_, &(option)) != SCAN_END;)

bool judge_option(struct call *call, const struct option *option); /* what it means; true: the rest of argv belongs to it */

#endif
