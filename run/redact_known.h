/*
 * Values that the format of a credential file says are secret: what stands behind "password" is one, random or not.
 */
#ifndef BAILEY_RUN_REDACT_KNOWN_H
#define BAILEY_RUN_REDACT_KNOWN_H

#include "base/str.h"

/* Negative: stop. The value is valid during the call only. */
typedef int redact_known_found(void *context, struct str value);

/*
 * Calls `found` with each secret value of a file, as it stands there and, where that is different, as it is meant (without
 * escapes). What a file is, is seen in its text: its name may be that of a link's target. A value of less than
 * REDACT_VALUE_MIN bytes, one that everybody knows, a URL, a path and a reference to a variable are none.
 */
int redact_known(struct str text, redact_known_found *found, void *context);

#endif
