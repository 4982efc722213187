/*
 * The profile that macOS's sandbox-exec reads: a policy as rules of SBPL, everything denied that is not allowed. If two rules
 * match, the later one applies.
 */
#ifndef BAILEY_SANDBOX_SEATBELT_H
#define BAILEY_SANDBOX_SEATBELT_H

#include "base/buf.h"
#include "sandbox/host.h"

/*
 * Below the private TMPDIR: a directory that commands can neither read nor write, and in it the profile, which only processes
 * under this very profile may read. This distinguishes them from all other processes, even after a double fork.
 */
#define SEATBELT_FOLDER "/.profile"
#define SEATBELT_FILE SEATBELT_FOLDER "/profile.sb"

/* Needs `host->tmpdir`. */
int seatbelt_profile(const struct policy *policy, const struct host *host, struct arena *arena, const char **ret,
                     struct err *err);

/* Appends a string of SBPL. Fails for NUL, newlines and other control characters. */
int seatbelt_quote(struct buf *out, struct str text, struct err *err);

#endif
