/*
 * Container engines: what is known of them on this host. Gathered by run/engines.c; the backends only read it.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_H
#define BAILEY_SANDBOX_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "policy/policy.h"

enum engine_kind { ENGINE_PODMAN, ENGINE_DOCKER, ENGINE_COUNT };

/* What an engine holds to when it is asked to; some take a limit and forget it. */
enum engine_limit { ENGINE_MEMORY = 1 << 0, ENGINE_PIDS = 1 << 1, ENGINE_CPUS = 1 << 2 };
enum { ENGINE_LIMITS = 3 };

struct engine {
        enum engine_kind kind;
        const char *path; /* of its program; NULL: not installed */
        bool answers;
        const char *version; /* NULL: it was not asked */
        const char *context; /* where docker's client looks for it, by name; NULL: it did not say */
        bool remote;         /* podman's client asks a service, instead of doing it itself */
        bool rootless;       /* made of one user's rights only */
        bool init;           /* it has a program that can be pid 1 */
        const char *gvisor;  /* what to say for --runtime to have gVisor; NULL: it cannot */
        bool gvisor_sockets; /* which was told to let programs connect to sockets of the host */
        bool seccomp;        /* it filters system calls */
        bool own_files;      /* a container can have the very files that its client writes to */
        uint32_t limits;     /* enum engine_limit */
        struct err why;      /* it does not answer */
};

struct engines {
        struct engine at[ENGINE_COUNT];
};

/* All that a plan needs to know. */
struct container_facts {
        struct engines engines;
        const char *const *envp;           /* of an engine's client: where its engine and its files are */
        const char *name;                  /* of the container to be; container_name.h */
        const char *session;               /* one that is to be entered instead; NULL: none */
        const char *const *session_create; /* it has to be made first, by this; NULL: it runs already */
        bool sweep;                        /* remove what earlier ones have left */
        gid_t gid;
        uint64_t nofile, nproc; /* this process may not set higher limits; 0: it may */
        bool systemd;           /* runs here */
};

extern const char *const engine_names[ENGINE_COUNT];
extern const char *const engine_limit_names[ENGINE_LIMITS]; /* in the order of the bits */

struct backend;

/* The engine of a backend; NULL: there is none, and `err` says why. */
const struct engine *engine_of_backend(const struct backend *backend, const struct engines *engines, struct err *err);

#endif
