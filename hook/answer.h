/*
 * What an agent is told, in its own form.
 */
#ifndef BAILEY_HOOK_ANSWER_H
#define BAILEY_HOOK_ANSWER_H

#include "base/buf.h"
#include "hook/question.h"

enum decision {
        DECISION_NONE, /* the agent does as it would without us */
        DECISION_ALLOW,
        DECISION_DENY,
        DECISION_ASK,
};

struct answer {
        enum decision decision;
        struct str reason;  /* UTF-8; empty: none */
        struct str command; /* to run instead of the given one; its pointer is NULL: none */
};

/* The command instead is only for events whose form has a place for it. */
int answer_write(const struct question *question, const struct answer *answer, struct buf *out, struct err *err);

#endif
