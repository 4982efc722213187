/*
 * What backends have to know of the host, gathered beforehand so that they stay pure. A path stands here once it was
 * found to exist, with its symbolic links resolved.
 */
#ifndef BAILEY_SANDBOX_HOST_H
#define BAILEY_SANDBOX_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "policy/policy.h"
#include "protect/survey.h"

struct host_path {
        const char *path;
        bool directory;
        bool socket;         /* a unix socket; looked for only in lists of the policy */
        bool device;         /* of the host; looked for only in lists of the policy */
        bool secret;         /* masked for what it holds */
        bool program;        /* a file of bailey's own program */
        const char *pattern; /* of fs_read_deny or fs_write_deny that it matches; NULL: it was denied by name */
        const char *link;    /* a symbolic link's text, where links are kept as they are */
};

struct host_paths {
        struct host_path *items;
        size_t count, room;
};

/* A symbolic link on the way to a path that walls depend on. */
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
        const struct host_question *asker; /* while it is gathered */
        const char *workspace;
        const char *cwd;  /* in the workspace */
        const char *self; /* bailey itself; NULL: it is not where it should be, which is: */
        const char *self_wanted;
        const char *bwrap;         /* NULL: there is none */
        const char *sandbox_exec;  /* NULL: this is not macOS */
        bool windows;              /* this is Windows: paths are /c/Users/me, which is C:\Users\me */
        int landlock;              /* its version; 0: none */
        const char *no_broker;     /* why system calls of commands cannot be brokered; NULL: they can */
        uint32_t groups;           /* GROUP_*: what a cgroup could limit; asked for only when there is a limit */
        struct host_paths homes;   /* of this user: the directories that credential stores are looked for in */
        struct host_paths system;  /* /usr, /bin, ... for root = "minimal" */
        struct host_paths scratch; /* /tmp, /var/tmp: replaced by private directories */
        struct host_paths emptied; /* /run, /home, ...: replaced by empty ones */
        struct host_paths kept;    /* what is needed of these all the same */
        struct host_paths masks;   /* credential stores, fs_read_deny */
        struct host_paths engines; /* sockets of container engines, as the environment names them */
        struct host_paths sockets; /* sandbox.unix_sockets: what may be reached */
        struct host_paths read, write, write_deny; /* fs_read_allow, fs_write_allow, fs_write_deny */
        struct host_links links;                   /* on the way to these, and to the workspace */
        struct protection protection;

        /* For a backend without mounts. */
        struct host_paths readable; /* everything but what is hidden or masked, and but /dev */
        const char *tmpdir;         /* a private one */

        const struct container_facts *containers; /* sandbox/container/container.h; NULL: engines were not looked for */
};

struct host_question {
        const char *workspace, *cwd; /* as asked for; NULL: the current directory, the workspace */
        const char *const *environment;
        const char *program; /* bailey itself; NULL or "": this program */
        const char *audit;   /* the record, which has to be there; NULL: none */
        bool force;          /* also a workspace of / or of the home directory */

        /* Is told of each path that the answer of host_gather_around() depends on, before that is looked at; NULL: nobody wants
         * to know. `content`: it was read. */
        void (*sees)(void *context, const char *path, bool content);
        void *sees_context;
};

/* Fails with what is wrong with a path, and what to do. Both of these: */
int host_gather(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                struct err *err);

/* All that is the same for the next command as long as nobody changes it. */
int host_gather_around(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                       struct err *err);

/* What is looked at for each command: where it begins, and, with what is protected, whether commands can change links that
 * walls depend on. `protection` has to be known. */
int host_gather_inside(const struct policy *policy, const struct host_question *question, struct arena *arena,
                       struct host *host, struct err *err);

int host_paths_add(struct host_paths *paths, struct arena *arena, const char *path, bool directory, struct err *err);

/* Fills `readable`, for a backend without mounts. */
int host_open_up(struct host *host, struct arena *arena, struct err *err);

/* Can commands write `path`, whatever is denied there? */
bool host_is_writable(const struct host *host, const struct sandbox_policy *sandbox, const char *path);

/* Is `path` masked, or part of something that is? What masks it; NULL: nothing. */
const char *host_masked_by(const struct host *host, const char *path);

/* Fails when commands may not read the workspace: deny wins. */
int host_check_workspace(const struct host *host, struct err *err);

#endif
