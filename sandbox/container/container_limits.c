#include "sandbox/container/container.h"

const char *const engine_limit_names[ENGINE_LIMITS] = { "memory", "pids", "cpus" };
