/*
 * All backends. Those of other systems are among them, as their plans can be looked at on any.
 */
#include "sandbox/backend.h"

/* clang-format off */
const struct backend *const backends[] = {
        &backend_native,
        &backend_bwrap,
        &backend_landlock,
        &backend_podman,
        &backend_docker,
        &backend_gvisor,
        &backend_sandbox_exec,
        &backend_appcontainer,
        &backend_none,
};
/* clang-format on */
const size_t backend_count = sizeof(backends) / sizeof(*backends);
