/*
 * What there is on Windows. Not `none`: nothing runs there without walls.
 */
#include "sandbox/backend.h"

const struct backend *const backends[] = { &backend_appcontainer };
const size_t backend_count = sizeof(backends) / sizeof(*backends);
