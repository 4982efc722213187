/*
 * Command lines read by table: a row holds all that is known of an option, and --help is made from the rows.
 */
#ifndef BAILEY_CLI_OPTIONS_H
#define BAILEY_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum { OPTIONS_MAX = 40, OPTIONS_GIVEN_MAX = 256 };

struct option_row {
        const char *name;     /* without dashes; NULL ends the table */
        char letter;          /* or 0 */
        const char *argument; /* what it takes: "FILE", or the choice itself, "deny|inherit"; "[NAME]": it may be left out, and
                                 is given as --name=value only; NULL for a switch */
        const char *help;
        const char *of; /* the subcommands that it is for, "tail show"; the command's name is itself without one. NULL: all */
};

struct option_given {
        int row;
        const char *value;
};

struct options {
        const char *values[OPTIONS_MAX]; /* by row: its argument, "" for a switch; NULL when not given. The last one
                                            counts */
        struct option_given given[OPTIONS_GIVEN_MAX]; /* all of them, in order */
        size_t given_count;
        char **operands; /* the rest, in order, NULL-terminated */
        int operand_count;
        bool after_dashes; /* the first of them stood after -- */
};

/* --name, --name=value, --name value, -x, -xvalue, -x value, -xy; a lone - is an operand, and after -- all are.
 * Reorders argv, which starts with the first argument. An argument that
 * is none of a choice is an error. On failure `err` says what to tell the user. */
int options_read(const struct option_row *table, int argc, char **argv, struct options *ret, struct err *err);

/* May the argument of this option be left out? */
bool option_is_optional(const struct option_row *row);

/* Is it a choice, "deny|inherit", and not the name of what is asked for? */
bool choice_is(struct str argument);

/* Is the row for this subcommand, or for the command itself when that is its name? */
bool option_is_of(const struct option_row *row, const char *subcommand);

/* Are these the operands that this way of writing them asks for: as many, and of a choice? Several forms ("A | B") are for the
 * command to check. */
int operands_check(const char *syntax, const struct options *options, struct err *err);

/* The one of `count` names (`stride` bytes apart, the first at `names`) that `given` most likely means, or NULL. */
const char *name_nearest(const char *given, const void *names, size_t count, size_t stride);

#endif
