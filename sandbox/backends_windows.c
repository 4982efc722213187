/*
 * The backends on Windows. Not `none`: nothing runs there without a sandbox.
 */
#include "sandbox/backend.h"

const struct backend *const backends[] = { &backend_appcontainer };
const size_t backend_count = sizeof(backends) / sizeof(*backends);
