/*
 * What is known of each reason for which a command is stopped: where, and what would allow it. A table.
 */
#ifndef BAILEY_ENGINE_WHY_TABLE_H
#define BAILEY_ENGINE_WHY_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "include/bailey.h"
#include "policy/policy.h"

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

/* Appends a word as a shell reads it; plain ones without quotes. */
void why_quote(struct buf *out, struct str text);

/* Of what the gateway has refused: the kind of the finding, under this policy; NULL: no setting is about it. */
const char *why_host_kind(struct str verdict, const struct policy *policy);

/* The value for sandbox.network.hosts: with the port, if that is none of those that need not be named; "" without memory. */
const char *why_host_subject(struct str host, int64_t port, const struct policy *policy, struct arena *arena);

struct why_subject {
        struct str kind, subject;
        struct str text;    /* for a row that has none */
        struct str program; /* that asked; empty: not known */
};

/* Fills in the texts of a row (why_finding.c). -1: no memory. */
int why_finding_make(const struct why_row *row, const struct why_subject *about, struct arena *arena,
                     struct bailey_why_finding *ret);

#endif
