/*
 * What can stand where an option or a command asks for something. The name that it is asked for by ("FILE", "POLICY")
 * says what it is; a choice ("deny|inherit") says so itself.
 */
#ifndef BAILEY_CLI_VALUES_H
#define BAILEY_CLI_VALUES_H

#include "base/buf.h"

/* What there is of it, and what else stands on the line. */
struct value_request {
        const char *word;
        const char *workspace, *config; /* NULL: the usual ones */
        const char *before;             /* the operand before it, or NULL */
};

/*
 * Writes a line for each value: it, a tab, what it means. Or one line for the shell, which knows better: ":files",
 * ":directories", ":programs". Nothing for a name that has nothing to offer, or that nothing is known of.
 */
void values_offer(struct str name, const struct value_request *request, struct buf *out);

bool values_known(struct str name);

#endif
