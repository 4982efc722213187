/*
 * All backends. Those of other systems are among them, as their plans can be looked at on any.
 */
#include "sandbox/backend.h"

const struct backend *const backends[] = {
#define BACKEND(id, variable, name) &backend_##variable,
#include "policy/backends.def"
};
const size_t backend_count = sizeof(backends) / sizeof(*backends);
