/*
 * What must not be seen in output, as far as it is known: the values of secret variables, and what masked files hold.
 */
#ifndef BAILEY_ENGINE_SECRETS_H
#define BAILEY_ENGINE_SECRETS_H

#include "policy/policy.h"
#include "run/redact.h"
#include "sandbox/host.h"

struct secrets {
        const struct redactor *redactor; /* the newest; streams may still use older ones */
        bool told;                       /* what it does not know */
        uint64_t print;                  /* of what it looks for */
        int64_t collected;               /* when, monotonic; 0: never */
};

void secrets_init(struct secrets *secrets);
void secrets_free(struct secrets *secrets);

/* Looks again when some time has passed: a file may have changed. NULL when there is nothing to look for. Who uses it for
 * longer than until the next call says so: redactor_use(). */
int secrets_redactor(struct secrets *secrets, const struct policy *policy, const struct host *host,
                     const char *const *environment, const struct redactor **ret, struct err *err);

/* What somebody should be told who sees output that went through `redactor`; NULL: nothing, or it was said before. */
const char *secrets_warning(struct secrets *secrets, const struct redactor *redactor);

#endif
