/*
 * What the user has to agree to before a command runs, and what becomes of the policy when that is so.
 */
#ifndef BAILEY_ENGINE_CONSENT_H
#define BAILEY_ENGINE_CONSENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"
#include "engine/policy.h"
#include "include/bailey.h"

enum { ASKED_MAX = 16, NEEDS_MAX = 8 };

struct consent {
        struct arena arena;
        struct bailey_asked items[ASKED_MAX];
        size_t count;
        const char *hosts[ASKED_MAX], *writes[NEEDS_MAX];
        size_t host_count, write_count;
        struct bailey_policy *policy; /* with these; NULL: there are none */
        const char *command, *cwd;
        bool session, always; /* possible answers */
        char digest[SHA256_HEX_SIZE];
};

/* Returns 1 when the user is to be asked; 0 when that makes no difference; -1: a need cannot be one. Then, too, it has to be
 * freed. */
int consent_find(struct bailey_session *session, const struct bailey_run_options *options, struct consent *ret,
                 struct err *err);
void consent_free(struct consent *consent);

/* For the next commands of the session, too. */
int consent_keep(struct bailey_session *session, struct consent *consent, struct err *err);

/* For all sessions to come. */
int consent_save(const struct bailey_session *session, const struct consent *consent, struct err *err);

#endif
