/*
 * Facts about the host, gathered in advance so that backends have no side effects. All paths exist, unless stated
 * otherwise, and contain no symbolic links.
 */
#ifndef BAILEY_SANDBOX_HOST_H
#define BAILEY_SANDBOX_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "home/home.h"
#include "policy/policy.h"
#include "protect/survey.h"

struct host_path {
        const char *path;
        bool directory;
        bool socket;         /* a unix socket; set only for lists of the policy */
        bool device;         /* of the host; set only for lists of the policy */
        bool secret;         /* masked because of its content */
        bool program;        /* a file of bailey's own program */
        const char *pattern; /* of fs_read_deny or fs_write_deny that it matches; NULL: it was denied by name */
        const char *link;    /* the target of a symbolic link, if links are kept */
        const char *copy;    /* of a list of the policy: what commands get in its place; NULL: itself */
};

struct host_paths {
        struct host_path *items;
        size_t count, room;
};

/* The first of these that `path` is, or is in; NULL: none. */
const struct host_path *host_paths_find(const struct host_paths *paths, const char *path);

/* A symbolic link in a path that the sandbox depends on. */
struct host_link {
        const char *key;  /* what the path was given for */
        const char *path; /* as given */
        const char *at;   /* where the link is */
};

struct host_links {
        struct host_link *items;
        size_t count, room;
};

enum { GROUP_MEMORY = 1 << 0, GROUP_PIDS = 1 << 1 };

struct host {
        uid_t uid;
        uint32_t id_base;        /* if uid is 0: the first of LAUNCH_ID_COUNT ids that nobody has; 0: there are none */
        const char *no_identity; /* why commands of root are root outside; NULL: they need not be */
        const struct host_question *asker; /* while it is gathered */
        const char *workspace;
        const char *repository; /* of git, that the workspace is a directory of; NULL: none */
        const char *cwd;        /* in the workspace */
        const char *self;       /* path of the bailey program; NULL: not found at `self_wanted` */
        const char *self_wanted;
        const char *bwrap;          /* NULL: not installed */
        const char *sandbox_exec;   /* NULL: this is not macOS */
        bool windows;               /* this is Windows: paths are /c/Users/me, which is C:\Users\me */
        int landlock;               /* its version; 0: none */
        const char *no_broker;      /* why system calls of commands cannot be brokered; NULL: they can */
        uint32_t groups;            /* GROUP_*: limits that a cgroup could enforce; probed only if the policy has a limit */
        struct home home;           /* for sandbox.home = "own" */
        struct host_paths homes;    /* of this user: the directories in which credential stores are searched */
        struct home_names *names;   /* of the first of them, while they are gathered */
        struct other_homes *others; /* of other users, while they are gathered: host_homes.c */
        struct host_paths system;   /* /usr, /bin, ... for root = "minimal" */
        struct host_paths scratch;  /* /tmp, /var/tmp: replaced by private directories */
        bool staged;                /* the workspace is an overlay, `stage` of struct launch */
        bool evidence;              /* system calls that are denied are noted */
        bool session_tmp;           /* but /tmp is that of the session; only for a backend that shares it */
        struct host_paths emptied;  /* /run, /home, ...: replaced by empty ones */
        struct host_paths kept;     /* paths in these that commands need */
        struct host_paths resolver; /* the file that /etc/resolv.conf is, if only some hosts can be reached */
        struct host_paths masks;    /* credential stores, fs_read_deny */
        struct host_paths engines;  /* sockets of container engines, as the environment names them */
        struct host_paths sockets;  /* sandbox.unix_sockets: allowed; need not exist */
        struct host_paths read, write, write_deny; /* fs_read_allow, fs_write_allow, fs_write_deny */
        struct host_paths closed; /* with `id_base`: directories above these, and above masks, that others cannot search */
        struct host_links links;  /* in these paths, and in that of the workspace */
        struct protection protection;
        const char *notices[8]; /* sentences for the user */
        size_t notice_count;

        /* For a backend without mounts. */
        struct host_paths readable; /* everything except hidden or masked paths, and except /dev */
        const char *tmpdir;         /* a private one */

        const struct container_facts *containers; /* sandbox/container/container.h; NULL: engines were not probed */
};

struct host_question {
        const char *workspace, *cwd; /* as requested; NULL: the current directory, the workspace */
        const char *const *environment;
        const char *program; /* path of the bailey program; NULL or "": this program */
        const char *audit;   /* path of the audit log; it must exist; NULL: none */
        bool force;          /* accept /, the home directory or /tmp as workspace */

        /* Callback for each path that the result of host_gather_around() depends on, called before the path is examined; may be
         * NULL. `content`: the file is read. */
        void (*sees)(void *context, const char *path, bool content);
        void *sees_context;
};

/* Gathers all facts. Errors say what is wrong with a path, and what to do. It calls both of these: */
int host_gather(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                struct err *err);

/* Gathers the facts that stay valid for the next command until something changes. */
int host_gather_around(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                       struct err *err);

/* Gathers the facts of each command: its working directory, matches of patterns, and whether commands can change links that the
 * sandbox depends on. `protection` has to be known. */
int host_gather_inside(const struct policy *policy, const struct host_question *question, struct arena *arena,
                       struct host *host, struct err *err);

int host_paths_add(struct host_paths *paths, struct arena *arena, const char *path, bool directory, struct err *err);

/* Fills `readable`, for a backend without mounts. */
int host_open_up(struct host *host, struct arena *arena, struct err *err);

/* Returns true if `path` is in a writable directory, whether or not it is denied there. */
bool host_is_writable(const struct host *host, const struct sandbox_policy *sandbox, const char *path);

/* Returns the mask that covers `path`; NULL: it is not masked. */
const char *host_masked_by(const struct host *host, const char *path);

/* Fails if commands may not read the workspace: denials take precedence. */
int host_check_workspace(const struct host *host, struct err *err);

#endif
