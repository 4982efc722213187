/*
 * Facts about the container engines of this host. Gathered by run/engines.c; the backends only read them.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_H
#define BAILEY_SANDBOX_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "policy/policy.h"

enum engine_kind { ENGINE_PODMAN, ENGINE_DOCKER, ENGINE_COUNT };

/* Limits that an engine enforces; some engines accept a limit but ignore it. */
enum engine_limit { ENGINE_MEMORY = 1 << 0, ENGINE_PIDS = 1 << 1, ENGINE_CPUS = 1 << 2 };
enum { ENGINE_LIMITS = 3 };

struct engine {
        enum engine_kind kind;
        const char *path; /* of its program; NULL: not installed */
        bool answers;
        const char *version; /* NULL: not queried */
        const char *context; /* name of the context of docker's client; NULL: not reported */
        bool remote;         /* podman's client uses a service instead of doing the work itself */
        bool rootless;       /* has the privileges of one ordinary user only */
        bool init;           /* it has a program that can be pid 1 */
        const char *gvisor;  /* value of --runtime for gVisor; NULL: not available */
        bool gvisor_sockets; /* which is configured to let programs connect to sockets of the host */
        bool seccomp;        /* it filters system calls */
        bool own_files;      /* a container can use the same files that its client writes to */
        uint32_t limits;     /* enum engine_limit */
        struct err why;      /* why it does not respond */
};

struct engines {
        struct engine at[ENGINE_COUNT];
};

/* All facts that a plan needs. */
struct container_facts {
        struct engines engines;
        const char *const *envp;           /* of an engine's client: where its engine and its files are */
        const char *name;                  /* of the container to be; container_name.h */
        const char *session;               /* a container to enter instead; NULL: none */
        const char *const *session_create; /* command that creates it first; NULL: it runs already */
        bool sweep;                        /* remove containers that earlier runs have left */
        gid_t gid;
        uint64_t nofile, nproc; /* hard limits of this process; 0: it may exceed them */
        bool systemd;           /* runs here */
};

extern const char *const engine_names[ENGINE_COUNT];
extern const char *const engine_limit_names[ENGINE_LIMITS]; /* in the order of the bits */

struct backend;

/* Returns the engine of a backend; NULL: none is available, and `err` says why. */
const struct engine *engine_of_backend(const struct backend *backend, const struct engines *engines, struct err *err);

#endif
