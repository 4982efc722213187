/*
 * Secrets to remove from output: the values of secret variables, and the content of masked files.
 */
#ifndef BAILEY_ENGINE_SECRETS_H
#define BAILEY_ENGINE_SECRETS_H

#include "policy/policy.h"
#include "run/redact.h"
#include "sandbox/host.h"

struct secrets {
        const struct redactor *redactor; /* the newest; streams may still use older ones */
        bool told;                       /* the warning about secrets that are not covered was given */
        uint64_t print;                  /* of what it looks for */
        int64_t collected;               /* when, monotonic; 0: never */
};

void secrets_init(struct secrets *secrets);
void secrets_free(struct secrets *secrets);

/* Returns the redactor; rebuilds it after some time, because a file may have changed. NULL: there are no secrets. To use it
 * after the next call, call redactor_use(). */
int secrets_redactor(struct secrets *secrets, const struct policy *policy, const struct host *host,
                     const char *const *environment, const struct redactor **ret, struct err *err);

/* Returns the warning about output that went through `redactor`; NULL: none, or it was given before. */
const char *secrets_warning(struct secrets *secrets, const struct redactor *redactor);

#endif
