/*
 * Reading an argv as the program would: options clustered, attached, abbreviated, and operands. What an option means is
 * a letter in the program's row:
 *
 *   c  shell code to run          r  a file it reads          u  a URL or host it connects to
 *   x  a program to run           w  a file it writes         a  data to send, @FILE for a file's
 *   e  code in its own language   d  a directory it goes to   U  a file it sends
 *   s  its script or pattern, so that no operand is           R  works recursively
 *   S  a file with the script     X  runs something of its own choice
 *   L  waits without end          p  a proxy or another way to the host
 *   2  takes two arguments
 */
#ifndef BAILEY_GUARD_OPTIONS_H
#define BAILEY_GUARD_OPTIONS_H

#include "guard/judge.h"

enum scan {
        SCAN_END,
        SCAN_OPTION,
        SCAN_OPERAND,
};

struct option {
        struct str name; /* without dashes; one byte for a short one */
        char meaning;    /* 0: none */
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

void options_start(struct options *options, const struct call *call);
enum scan options_next(struct options *options, struct option *ret);

bool judge_option(struct call *call, const struct option *option); /* what it means; true: the rest of argv belongs to it */

#endif
