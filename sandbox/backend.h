/*
 * Backends: each a pure function from a policy, a request and what is known of the host to a launch.
 */
#ifndef BAILEY_SANDBOX_BACKEND_H
#define BAILEY_SANDBOX_BACKEND_H

#include "sandbox/host.h"
#include "sandbox/launch.h"

/* One command. */
struct sandbox_request {
        const char *program;
        const char *const *argv, *const *envp; /* envp: already filtered */
        const char *command;                   /* the text that argv runs by bash; NULL: it is a program with arguments */
};

struct backend {
        const char *name;
        enum sandbox_backend id;
        bool automatic;   /* may be chosen without being named */
        bool own_tmp;     /* /tmp is the host's: commands get a private TMPDIR instead */
        bool brokers;     /* single unix sockets of the host can be reached, or all of them */
        uint32_t engines; /* container engines, 1 << enum engine_kind, any of which can run it; 0: it uses no container */
        enum container_runtime runtime; /* its name in [container] runtime; RUNTIME_AUTO: it has none */
        bool own_kernel;                /* the engine runs it under gVisor */
        uint32_t walls;                 /* enum wall: what it can enforce at best */
        const char *summary;
        const char *remedy;   /* how to get it where it does not work */
        const char *verified; /* how far it was tried, where the tests do not run it */
        const char *limits;   /* how it holds to limits of memory and processes */
        int (*plan)(const struct backend *backend, const struct policy *policy, const struct host *host,
                    const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err);
};

/* In the order in which they are tried. */
extern const struct backend *const backends[];
extern const size_t backend_count;

const struct backend *backend_find(enum sandbox_backend id);
const struct backend *backend_named(const char *name);

/* How far what it promises was tried, for people. */
const char *backend_verified(const struct backend *backend);

/* The walls that this policy cannot do without. */
uint32_t sandbox_needs(const struct policy *policy, const struct host *host);

/* Plans, and refuses ("policy not supported: ...") when the backend does not enforce all that is needed. */
int backend_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                 const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err);

/* What a wall keeps off, for people; `wall` is one bit. */
const char *wall_name(enum wall wall);
const char *wall_text(enum wall wall);
enum { WALL_COUNT = 14 };

/* ---- for backends ---- */

/* Limits, system calls, program: what is the same in all of them. */
int plan_common(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                uint32_t seccomp_flags, struct arena *arena, struct launch *ret, struct err *err);

/* What namespaces enforce. */
uint32_t plan_walls(const struct backend *backend, const struct policy *policy);

/* Of unix sockets, where system calls can be brokered, and where they cannot: for plan_common(). */
uint32_t plan_socket_flags(const struct host *host);

/* Which unix sockets can be connected to, decided inside. */
struct mount_list;
int plan_broker(const struct policy *policy, const struct host *host, const struct mount_list *mounts, struct arena *arena,
                struct launch *launch, struct err *err);

void plan_notices(const struct policy *policy, const struct host *host, struct launch *launch);

extern const struct backend backend_native, backend_bwrap, backend_landlock, backend_podman, backend_docker, backend_gvisor,
        backend_sandbox_exec, backend_appcontainer, backend_none;

#endif
