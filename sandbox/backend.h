/*
 * A backend is a pure function: policy, request and facts about the host -> launch plan.
 */
#ifndef BAILEY_SANDBOX_BACKEND_H
#define BAILEY_SANDBOX_BACKEND_H

#include "sandbox/host.h"
#include "sandbox/launch.h"

/* One command. */
struct sandbox_request {
        const char *program;
        const char *const *argv, *const *envp; /* envp: already filtered */
        const char *command;                   /* the text that argv runs with bash; NULL: a program with arguments */
        bool input;                            /* it has a stdin to read */
        struct launch_terminal terminal;       /* it gets one of its own */
};

struct backend {
        const char *name;
        enum sandbox_backend id;
        bool automatic;   /* may be chosen without being named */
        bool own_tmp;     /* /tmp is the host's: commands get a private TMPDIR instead */
        bool shares_tmp;  /* can give the commands of a session the same /tmp, or the same TMPDIR */
        bool stages;      /* can give commands an overlay of the workspace */
        bool own_home;    /* can give commands a home of the workspace: sandbox.home = "own" */
        bool terminal;    /* can give commands a terminal of their own */
        bool brokers;     /* can give access to listed unix sockets of the host, or to all */
        uint32_t engines; /* container engines, 1 << enum engine_kind, any of which can run it; 0: it uses no container */
        enum container_runtime runtime; /* its name in [container] runtime; RUNTIME_AUTO: it has none */
        bool own_kernel;                /* the engine runs it under gVisor */
        uint32_t guarantees;            /* enum guarantee: the guarantees that it can enforce at best */
        const char *summary;
        const char *remedy;   /* how to make it work, in the imperative */
        const char *verified; /* how it was verified, if the tests do not run it; NULL: in CI */
        const char *limits;   /* how it enforces limits of memory and processes */
        int (*plan)(const struct backend *backend, const struct policy *policy, const struct host *host,
                    const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err);
};

/* In the order in which they are tried. */
extern const struct backend *const backends[];
extern const size_t backend_count;

const struct backend *backend_find(enum sandbox_backend id);
const struct backend *backend_named(const char *name);

/* Returns how the backend was verified, for messages. */
const char *backend_verified(const struct backend *backend);

/* Returns true if the commands of a session share /tmp, or the TMPDIR that stands for it. */
bool backend_keeps_tmp(const struct backend *backend, const struct policy *policy);

/* Returns the guarantees that this policy requires. */
uint32_t sandbox_needs(const struct policy *policy, const struct host *host);

/* Plans, whatever the policy requires. */
int backend_compile(const struct backend *backend, const struct policy *policy, const struct host *host,
                    const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err);

/* Plans, and refuses ("... cannot enforce this policy: ...") if the backend does not enforce all that is required. */
int backend_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                 const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err);

/* Description of a guarantee, for messages; `guarantee` is one bit. */
const char *guarantee_name(enum guarantee guarantee);
const char *guarantee_text(enum guarantee guarantee);
enum { GUARANTEE_COUNT = 16 };

/* ---- for backends ---- */

/* Processes, where nobody set a limit: enough for any build, and an end for a fork bomb of an ordinary user. */
enum { PIDS_UNLESS_SET = 4096 };

/* Limits, system calls, program: the part of a plan that is the same in all backends. */
int plan_common(const struct policy *policy, const struct host *host, const struct sandbox_request *request,
                uint32_t seccomp_flags, struct arena *arena, struct launch *ret, struct err *err);

/* Returns the guarantees that namespaces enforce. */
uint32_t plan_guarantees(const struct backend *backend, const struct policy *policy);

/* Returns the flags for unix sockets, which depend on whether system calls can be brokered; for plan_common(). */
uint32_t plan_socket_flags(const struct host *host);

/* Plans which unix sockets can be connected to; pid 1 inside decides. */
struct mount_list;
int plan_broker(const struct policy *policy, const struct host *host, const struct mount_list *mounts, struct arena *arena,
                struct launch *launch, struct err *err);

/* Plans how connections reach the gateway. */
int plan_egress(const struct policy *policy, struct arena *arena, struct launch *launch, struct err *err);

/* Returns true if commands of this policy reach some hosts, through the gateway. */
bool plan_has_egress(const struct policy *policy);

void plan_notices(const struct policy *policy, const struct host *host, struct launch *launch);

#define BACKEND(id, variable, name) extern const struct backend backend_##variable;
#include "policy/backends.def"

#endif
