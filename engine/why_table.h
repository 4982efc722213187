/*
 * What is known of each reason for which a command is stopped: where, and what would allow it. A table.
 */
#ifndef BAILEY_ENGINE_WHY_TABLE_H
#define BAILEY_ENGINE_WHY_TABLE_H

struct why_row {
        const char *kind; /* of a finding, as run/explain.c names it; of a reason, the guard's rule */
        const char *layer;
        const char *text;    /* NULL: the record has one. In these four, %s is the subject */
        const char *setting; /* NULL: no setting allows it */
        const char *option;  /* of bailey run; NULL: none */
        const char *opens;
};

/* NULL: unknown. */
const struct why_row *why_finding(const char *kind);
const struct why_row *why_rule(const char *rule); /* never NULL */

#endif
