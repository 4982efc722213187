/*
 * A launch plan: all data needed to start one command in a sandbox. Backends compile it from a policy, a request and facts
 * about the host, without accessing the host; launch/ executes it. All paths are absolute and contain no symbolic links.
 */
#ifndef BAILEY_SANDBOX_LAUNCH_H
#define BAILEY_SANDBOX_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct sock_filter; /* of Linux */

/* ---- what a backend enforces, and what a policy needs ---- */

enum guarantee {
        GUARANTEE_WRITES = 1 << 0,       /* nothing outside the workspace and fs_write_allow can be written */
        GUARANTEE_READS = 1 << 1,        /* credential stores, other homes and fs_read_deny cannot be read */
        GUARANTEE_PROTECT = 1 << 2,      /* a path inside a writable directory can be read-only or hidden */
        GUARANTEE_TMP = 1 << 3,          /* /tmp, /var/tmp and /dev/shm are private and limited */
        GUARANTEE_NETWORK = 1 << 4,      /* no network except localhost */
        GUARANTEE_LOCALHOST = 1 << 5,    /* a private localhost that works */
        GUARANTEE_SOCKETS = 1 << 6,      /* no access to unix sockets of the host */
        GUARANTEE_SYSCALLS = 1 << 7,     /* the system call filter */
        GUARANTEE_PROCESSES = 1 << 8,    /* no process outside can be signalled or traced, nor its environment read */
        GUARANTEE_PROCESS_LIST = 1 << 9, /* processes outside are hidden */
        GUARANTEE_KILL = 1 << 10,        /* no process outlives the command */
        GUARANTEE_ROOT = 1 << 11,        /* root = "minimal" */
        GUARANTEE_PRIVILEGES = 1 << 12,  /* no capability, no set-user-id, no writing of kernel settings */
        GUARANTEE_METADATA = 1 << 13,    /* modes, owners, times and attributes of files outside cannot be changed */
        GUARANTEE_HOSTS = 1 << 14,       /* instead of GUARANTEE_NETWORK: only listed hosts can be reached */
        GUARANTEE_IDENTITY = 1 << 15,    /* commands are not root outside, also if root runs them */
};

/*
 * ---- mounts, in order ----
 * Sources are paths of the host before the first mount. A missing target is created, which works only inside a MOUNT_TMPFS, a
 * MOUNT_SESSION_TMP or a MOUNT_ROOT_EMPTY, or where `point` is set.
 */

enum mount_kind {
        MOUNT_ROOT_HOST,   /* the host's root, read-only. First, or: */
        MOUNT_ROOT_EMPTY,  /* an empty root */
        MOUNT_READ,        /* source at target, with all that is mounted below, read-only */
        MOUNT_WRITE,       /* the same, writable; never set-user-id, never devices */
        MOUNT_STAGE,       /* what is staged over the workspace, or a directory of that: `stage` of struct launch */
        MOUNT_LAYERS,      /* `source` is a layer (home/home.h): overlays the home directory `target` with it, for these: */
        MOUNT_SHOWN,       /* the directory `source` of that home directory as the overlay has it, writable, if it is there */
        MOUNT_SOCKET,      /* a socket of the host, read-only, if it still exists */
        MOUNT_SESSION_TMP, /* the directory that commands of a session share: `tmp` of struct launch */
        MOUNT_TMPFS,       /* an empty directory that holds `size` bytes, together with the others no more than the largest */
        MOUNT_SYMLINK,     /* `source` is the text of the link */
        MOUNT_TEXT,        /* a file that holds `source`, read-only */
        MOUNT_PROC,        /* a fresh one, read-only */
        MOUNT_DEV,         /* a minimal one, read-only, with /dev/shm of `size` bytes */
        MOUNT_MASK_DIR,    /* replaced by a directory that cannot be opened */
        MOUNT_MASK_FILE,
        MOUNT_SEAL, /* what is mounted at target becomes read-only */
};

struct mount_step {
        enum mount_kind kind;
        bool mapped; /* owners of the source are those of the command, if it has ids of its own: `id_base` */
        const char *source, *target;
        uint64_t size;
        const char *point; /* the target as a path in the layer that it is in, where it is created; NULL: it is in none */
};

/* A host path that the wrapper (bwrap) must mount; verified inside the sandbox. */
struct wrapped_mount {
        const char *source, *target;
        bool write;
        const char *point;      /* as in struct mount_step */
        bool optional;          /* not mounted if it no longer exists */
        uint64_t device, inode; /* not part of the plan: recorded when it is executed */
};

/* ---- Landlock ---- */

enum landlock_grant {
        GRANT_READ = 1 << 0,     /* read, list, execute */
        GRANT_WRITE = 1 << 1,    /* and everything else that the kernel's Landlock knows */
        GRANT_USE = 1 << 2,      /* of a device: read and write it, nothing else */
        GRANT_LOOK = 1 << 3,     /* read and list, not execute */
        GRANT_TERMINAL = 1 << 4, /* GRANT_USE, and set its modes */
};

struct landlock_rule {
        const char *path;
        uint32_t grant; /* enum landlock_grant */
};

struct landlock_plan {
        bool wanted;
        bool required;                     /* Landlock is the only protection, not an additional one */
        bool deny_tcp;                     /* connect and bind */
        const struct landlock_rule *rules; /* a path that is missing is skipped */
        size_t rule_count;
};

/* ---- system calls that are carried out for the command: launch/broker.h ---- */

enum broker_call {
        BROKER_CONNECT = 1 << 0,  /* checks which unix sockets can be connected to */
        BROKER_RENAME = 1 << 1,   /* git configs that are covered can be replaced by ones that differ in harmless keys */
        BROKER_EVIDENCE = 1 << 2, /* notes calls that are denied, and lets them continue: launch/evidence.h */
};

enum { BROKER_ROOTS_MAX = 4 };

struct broker_plan {
        uint32_t calls;                   /* enum broker_call; 0: none, and nothing else counts */
        const struct sock_filter *filter; /* reports them */
        size_t filter_count;

        /* connect */
        bool own_network;                  /* a unix socket of the network namespace is the command's */
        bool abstract;                     /* abstract sockets of the host are inaccessible by other means */
        const char *const *private_places; /* directories on file systems that only the sandbox has; NULL-terminated */
        const char *const *sockets;        /* of the host, allowed; NULL-terminated */

        /* rename */
        const char *workspace;
        const char *const *configs; /* that are covered; NULL-terminated */
        const char *const *roots;   /* directories that they are in, opened before anything is covered; NULL-terminated */
};

/* ---- the network: how connections of the command reach the gateway ---- */

enum { LAUNCH_PORTS_MAX = 128, LAUNCH_HOST_PORTS_MAX = 32, LAUNCH_SHELL_PORTS_MAX = 32 };

struct launch_egress {
        bool wanted;
        bool needs_transparent; /* a rule names all ports of a host: a listener for each port is not enough */
        const uint16_t *ports;  /* for listeners, if the kernel lacks nf_tables or its tproxy */
        size_t port_count;
        const uint16_t *host_ports; /* listeners at the command's 127.0.0.1 and ::1; also without `wanted` */
        size_t host_port_count;
        size_t publish_count; /* > 0: sockets are requested later */

        /* Not part of the plan: what other commands of the session listen at. */
        bool session;                /* sockets may be requested later for these, too */
        bool serves;                 /* and this command is one of them: passes a socket that lists its listeners */
        const uint16_t *shell_ports; /* as host_ports; one that cannot be listened at is left out */
        size_t shell_port_count;
};

/* ---- a terminal of the command's own: launch/terminal.h ---- */

struct launch_terminal {
        bool wanted;
        bool errors_apart; /* stderr goes on as without it */
        uint16_t rows, columns;
};

/* ---- limits ---- */

struct launch_limit {
        int resource; /* RLIMIT_* */
        uint64_t value;
};

enum { LAUNCH_LIMITS_MAX = 8, LAUNCH_NOTICES_MAX = 5 };

/* Limits of the policy that a launch does not enforce. */
enum launch_ignored {
        IGNORED_MEMORY = 1 << 0,
        IGNORED_CPU = 1 << 1,
        IGNORED_FILES = 1 << 2, /* their size, and how many are open */
        IGNORED_PIDS = 1 << 3,
};

/* Limits for all commands of a user together, if a cgroup is available; 0: no limit. */
struct launch_share {
        int64_t memory_percent, pids;
        struct cgroup_shared *group; /* launch/cgroup_shared.h, of the supervisor; not part of the plan. NULL: none */
};

/* Limits that only a cgroup can enforce; 0: no limit. */
struct launch_group {
        int64_t memory_bytes, pids;
};

/* ---- containers ---- */

/*
 * The calls of an engine's client, in this order; each is an argv that begins with a path. The engine sets up the sandbox.
 * Only `start` is visible to the user: it has the command's 0, 1 and 2, and ends when the command does.
 */
struct launch_container {
        const char *name;          /* of the container: unguessable, and identifies its owner; see container_name.h */
        const char *const *create; /* NULL: it exists already */
        const char *const *start;
        const char *const *signal;  /* sends the command a signal: its number and `name` are appended; NULL: cannot be sent */
        const char *const *inspect; /* prints STATE EXIT-CODE OUT-OF-MEMORY ERROR */
        const char *const *end;     /* ends the command in any state; also after bailey itself was killed */
        const char *const *list;    /* prints NAME STATE of every container created by bailey; NULL: not now */
        const char *const *remove;  /* the names of containers without an owner are appended */
        const char *const *sources; /* what is mounted of the host: paths without links in them */
        bool entered;               /* it continues to run after the command has ended */
        const char *const *envp;    /* of all these */
        const char *const *passing_envp; /* of those that pass variables on by name: `create` and `start` */
        uint32_t limits_wanted, limits;  /* enum engine_limit: requested, and enforced */
        const char *const *warnings;     /* sentences, NULL-terminated */
};

/* ---- AppContainers, of Windows ---- */

/* The numbers of both are those of Windows. */
enum appcontainer_limit {
        APPCONTAINER_PROCESS_TIME = 0x2,
        APPCONTAINER_ACTIVE_PROCESSES = 0x8,
        APPCONTAINER_PRIORITY = 0x20,
        APPCONTAINER_PROCESS_MEMORY = 0x100,
        APPCONTAINER_JOB_MEMORY = 0x200,
        APPCONTAINER_DIE_ON_EXCEPTION = 0x400,
        APPCONTAINER_KILL_ON_CLOSE = 0x2000,
};

enum appcontainer_screen {
        APPCONTAINER_HANDLES = 0x1,
        APPCONTAINER_READ_CLIPBOARD = 0x2,
        APPCONTAINER_WRITE_CLIPBOARD = 0x4,
        APPCONTAINER_SYSTEM_PARAMETERS = 0x8,
        APPCONTAINER_DISPLAY_SETTINGS = 0x10,
        APPCONTAINER_GLOBAL_ATOMS = 0x20,
        APPCONTAINER_DESKTOP = 0x40,
        APPCONTAINER_EXIT_WINDOWS = 0x80,
};

struct appcontainer_grant {
        const char *path;
        bool directory, write;
};

struct appcontainer_plan {
        const char *const *capabilities;         /* SIDs of what it may do, NULL-terminated */
        const char *const *disabled_groups;      /* SIDs that no longer grant it access, NULL-terminated */
        const char *integrity;                   /* the SID of its integrity level */
        const struct appcontainer_grant *grants; /* access besides the system; revoked afterwards */
        size_t grant_count;

        /* its job */
        uint32_t limits, screen; /* enum appcontainer_limit, enum appcontainer_screen: what it may not do to screens */
        uint32_t active_processes;
        uint64_t memory_bytes;
        uint64_t process_seconds; /* of a processor, for each process */
};

/* ---- the whole ---- */

enum { LAUNCH_ID_COUNT = 65536 }; /* user ids of a command, and as many group ids */

enum launch_namespaces {
        LAUNCH_NO_NAMESPACES,
        LAUNCH_NAMESPACES,         /* user, mount, pid, ipc, uts, cgroup */
        LAUNCH_NAMESPACES_AND_NET, /* and a network with nothing but localhost */
};

struct launch {
        const char *backend;
        uint32_t guarantees; /* enum guarantee: guarantees that this launch enforces */
        uint32_t waived;     /* guarantees not enforced because the policy explicitly waives them, or because the platform lacks
                                them and the policy does not explicitly request them */

        /* outside */
        enum launch_namespaces namespaces;
        uint32_t id_base; /* ids 0 to 65535 inside are these outside, which nobody else has; 0: ids are the same */
        const struct mount_step *mounts;
        size_t mount_count;
        struct launch_group group;
        const struct tmp_holder *tmp;   /* launch/tmp_holder.h, of the supervisor; not part of the plan. NULL: none */
        const struct tmp_holder *stage; /* of the overlay of the workspace, likewise; NULL: it is not staged */
        struct launch_share share;      /* without a group of its own */
        const char *const *wrapper;     /* argv of a program that sets up the sandbox and starts this one again inside; or the
                                           command, if `profile` describes the whole sandbox */
        size_t wrapper_masks;           /* how many empty files it is given */
        const char *wrapper_text;       /* what the first of these holds instead; NULL: nothing */
        bool wrapper_network;           /* it makes a network, which is set up from outside: launch/network_helper.c */
        const struct wrapped_mount *wrapped; /* what it mounts, verified inside: it uses names, which may change */
        size_t wrapped_count;
        const char *profile; /* a text that it reads from the file `profile_path`, which is written before, in a directory
                                created for it, and removed when no process of the command is left */
        const char *profile_path;
        const struct launch_container
                *container; /* or an engine does everything; `cwd` and all below then refer to the inside */

        const struct appcontainer_plan *appcontainer;

        /* inside */
        bool announce;        /* report when the command has started; else only if it did not, which saves a context switch */
        bool own_pids;        /* the process that waits for the command is pid 1 of a namespace */
        const char *hostname; /* NULL: as it is */
        struct landlock_plan landlock;
        const struct sock_filter *seccomp;
        size_t seccomp_count;
        const char *seccomp_name; /* for people */
        struct broker_plan broker;
        struct launch_egress egress;
        struct launch_terminal terminal;
        struct launch_limit limits[LAUNCH_LIMITS_MAX];
        size_t limit_count;
        uint32_t limits_ignored;                     /* enum launch_ignored */
        const char *notices[LAUNCH_NOTICES_MAX + 1]; /* what cannot be enforced or offered on this kernel; NULL-terminated */
        const char *program;                         /* looked up in the PATH of envp when it has no slash */
        const char *const *argv;                     /* NULL-terminated */
        const char *const *envp;
        const char *cwd;
        bool leaves_state;  /* its shell reports where it ends, and with which variables: launch/warm/state_page.h. Not part of
                               the plan */
        const char *tmpdir; /* a private directory to be created in /tmp and removed afterwards, if /tmp is the host's */
};

/* Descriptors of a wrapper, besides 0 and 1 of the command, and its own 2 for its error messages. */
enum launch_fd {
        LAUNCH_REPORT_FD = 3,  /* where errors and the end are reported */
        LAUNCH_PLAN_FD = 4,    /* the inside of the plan */
        LAUNCH_ERROR_FD = 5,   /* the command's 2 */
        LAUNCH_CONTROL_FD = 6, /* requests; launch/control.h */
        LAUNCH_OUTSIDE_FD = 7, /* a pidfd of the supervisor */
        LAUNCH_NETWORK_FD = 8, /* launch/network_helper.c */
        LAUNCH_EMPTY_FD = 9,   /* an empty file, for masks; the first of as many as there are masked files. The directories
                                  that brokered calls work in follow */
};

/* The hidden command by which a wrapper starts this program again. */
#define LAUNCH_INSIDE_COMMAND "__inside"

/* The name of the host in a sandbox that has its own. */
#define LAUNCH_HOSTNAME "bailey"

/* Prints the whole plan, a line per fact, for --show-plan and golden tests. */
void launch_print(const struct launch *launch, struct buf *out);

/* What is not noticed where the listeners of the policy's ports are all there is: a sentence. */
void launch_print_unseen(const struct launch_egress *egress, struct buf *out);

#endif
