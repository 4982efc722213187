/*
 * Secrets that bailey adds to requests of commands (sandbox.network.credential): read from its own environment or from files,
 * checked, and given to bailey-tls when the gateway asks for it. And what commands are told of their endpoints.
 */
#ifndef BAILEY_ENGINE_CREDENTIALS_H
#define BAILEY_ENGINE_CREDENTIALS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "policy/policy.h"

/* Those of a session, whose commands all have the same. */
struct credentials {
        struct buf set;     /* what the policy says of them; empty: there are none yet */
        struct buf secrets; /* for bailey-tls */
        char program[4096]; /* it */
        const char *environment[2];
        bool prepared;
        int alive; /* held open: bailey-tls ends when this is closed; -1: none was started */
};

/* Before a command starts that has endpoints. Fails if bailey-tls is missing or others can write it, and if another command of
 * the session has other credentials. `self`: bailey. */
int credentials_prepare(struct credentials *credentials, const struct policy *policy, const char *const *environment,
                        const char *self, struct err *err);

/* Is there a bailey-tls that may get secrets? */
int credentials_check(const char *self, struct err *err);

/* Starts bailey-tls; its end of `socket` is copied. One that was started before is ended. */
int credentials_start(struct credentials *credentials, int socket, struct err *err);
void credentials_free(struct credentials *credentials);

/* The environment with the variables of the endpoints, and without those that have secrets. */
int credentials_environment(const struct policy *policy, const char *const *own, const char *const *envp, struct arena *arena,
                            const char *const **ret, struct err *err);

#endif
