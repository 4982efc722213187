#include "sandbox/host_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "policy/files.h"

enum { HOST_FILE_MAX = 16 << 20 /* /etc/passwd */, FIRST_PERSON = 1000, NOBODY = 65534 };

/* ---- places ---- */

static const char *const scratch_directories[] = { "/tmp", "/var/tmp", NULL };

/* What other users and services keep there is none of a command's business. */
static const char *const emptied_directories[] = { "/run", "/var/run", "/home", "/root", NULL };

/* What works only with these: the programs of NixOS, name resolution where the network is the host's. */
static const char *const kept_always[] = { "/run/current-system", "/run/opengl-driver", NULL };
static const char *const kept_with_network[] = { "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf",
                                                 NULL };

/* For uid 0, where they are mounted: what only the mode of a directory keeps from others. */
static const char *const masked_from_root[] = { "/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", NULL };

/* Names of the host's interfaces, which a command with a network of its own does not have. */
static const char *const emptied_without_network[] = { "/sys/class/net", "/sys/devices/virtual/net", NULL };

static const char *const system_directories[] = {
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", NULL
};

/* Not a place to work in: what is there belongs to the system. Their sub-directories may be, but for those of the kernel. */
static const char *const no_workspace[] = { "/bin", "/boot", "/etc", "/home", "/lib", "/lib64",
                                            "/run", "/sbin", "/usr", "/var",  NULL };
static const char *const kernel_directories[] = { "/dev", "/proc", "/sys", NULL };

static const char *const idle[] = { "true", NULL };
static const char *const shells[] = { "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", NULL };
static const char *const bwrap_places[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap" };

const struct host_places host_places = {
        .scratch = scratch_directories,
        .emptied = emptied_directories,
        .kept = kept_always,
        .kept_with_network = kept_with_network,
        .emptied_without_network = emptied_without_network,
        .masked_from_root = masked_from_root,
        .system = system_directories,
        .no_workspace = no_workspace,
        .kernel = kernel_directories,
        .shells = shells,
        .idle = idle,
};

/* ---- the user ---- */

/* A file of the system, with a NUL behind it; empty when it cannot be read. */
static void read_file(const char *path, struct buf *ret) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);

        buf_init(ret, HOST_FILE_MAX);
        if (fd < 0 || fd_read_all(fd, ret, NULL) < 0)
                buf_clear(ret);
        buf_char(ret, 0);
}

/* The next field of a line of /etc/passwd; NULL: there is none. */
static char *next_field(char *field) {
        char *colon = field ? strchr(field, ':') : NULL;

        return colon ? colon + 1 : NULL;
}

/* By the ranges that distributions and systemd use: below are the system's, whose homes are directories of services. */
static bool is_person(unsigned long uid) {
        return uid == 0 || (uid >= FIRST_PERSON && uid != NOBODY);
}

/* NAME:PASSWORD:UID:GID:COMMENT:HOME:SHELL */
static int take_user(struct host *host, char *line, struct arena *arena, struct err *err) {
        char *field = next_field(next_field(line)), *home;
        unsigned long uid;

        if (!field)
                return 0;
        uid = strtoul(field, NULL, 10);
        home = uid == host->uid || is_person(uid) ? next_field(next_field(next_field(field))) : NULL;
        if (!home)
                return 0;
        home[strcspn(home, ":")] = 0;
        if (uid != host->uid)
                return host_note_home(host, arena, home, err);
        return home[0] == '/' && home[1] ? host_add_if_there(host, &host->homes, arena, "home directory", home, err) : 0;
}

/* The home directories in /etc/passwd. By hand: what the C library asks for it costs more than starting a sandbox. */
int host_system_home(struct host *host, struct arena *arena, struct err *err) {
        BUF_AUTO text;
        char *line, *next;
        int result = 0;

        host_sees(host, "/etc/passwd", true);
        read_file("/etc/passwd", &text);
        for (line = text.ptr; line && *line && result == 0; line = next) {
                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = 0;
                result = take_user(host, line, arena, err);
        }
        return result;
}

/* ---- a home for the workspace ---- */

static void home_sees(void *context, const char *path, bool content) {
        host_sees(context, path, content);
}

static int find_base(const struct policy *policy, const char *const *environment, const char *home, struct arena *arena,
                     const char **ret, struct err *err) {
        const char *configured = policy->sandbox.home_dir.len ? arena_dup(arena, policy->sandbox.home_dir)
                                                              : environment_get(environment, "BAILEY_HOME_DIR");
        struct directory state;

        return home_base(configured, directory_state(environment, &state) ? state.path : NULL, home, arena, ret, err);
}

int host_system_kept_homes(const struct policy *policy, const char *const *environment, struct arena *arena,
                           const char **ret_home, const char **ret_base, struct err *err) {
        struct host host = { .uid = geteuid() };
        const char *base = NULL;

        if (host_gather_homes(&host, environment, arena, err) < 0 ||
            (host.homes.count && find_base(policy, environment, host.homes.items[0].path, arena, &base, err) < 0))
                return -1;
        *ret_home = host.homes.count ? host.homes.items[0].path : NULL;
        *ret_base = base;
        return 0;
}

/* git in a directory of a repository needs all of it. A repository that is the home itself, or holds it, is not looked for.
 * What cannot be searched here, git cannot search either. */
static int find_repository(struct host *host, const char *home, struct arena *arena, struct err *err) {
        char *top = arena_dup(arena, str_z(host->workspace));
        char path[PATH_MAX];
        struct stat st;

        if (!top)
                return err_memory(err);
        for (; (home && path_below(top, home)) || (host->id_base && *top && !(home && path_within(home, top)));
             *strrchr(top, '/') = 0) {
                if (snprintf(path, sizeof(path), "%s/.git", top) >= (int)sizeof(path))
                        return 0;
                host_sees(host, path, false);
                if (lstat(path, &st) < 0)
                        continue;
                host->repository = strcmp(top, host->workspace) == 0 ? NULL : top;
                return 0;
        }
        return 0;
}

/* Whether a backend that can give one may be chosen. landlock cannot, which is announced. */
static bool may_have_home(const struct policy *policy) {
        enum sandbox_backend backend = policy->sandbox.backend;

        return policy->sandbox.home == HOME_OWN && !policy->container.enabled &&
               (backend == BACKEND_AUTO || backend == BACKEND_NATIVE || backend == BACKEND_BWRAP ||
                backend == BACKEND_LANDLOCK);
}

int host_system_own_home(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                         struct err *err) {
        const char *home = host->homes.count ? host->homes.items[0].path : NULL;
        struct home_request request = { .home = home,
                                        .workspace = host->workspace,
                                        .names = host->names,
                                        .show = policy->sandbox.home_show,
                                        .sees = host->asker && host->asker->sees ? home_sees : NULL,
                                        .context = host };

        if (find_repository(host, home, arena, err) < 0)
                return -1;
        if (!home || !may_have_home(policy))
                return 0;
        /* The user has asked for it by name: such a workspace is refused without --force. */
        if (host_is_writable(host, &policy->sandbox, home))
                return host_notice(host, arena, err,
                                   "commands can write your home directory %s itself, which is in the workspace or in "
                                   "fs_write_allow: they have no home of their own",
                                   home);
        if (find_base(policy, environment, home, arena, &request.base, err) < 0)
                return -1;
        if (host_is_writable(host, &policy->sandbox, request.base) || path_within(host->workspace, request.base))
                return err_set(err, ERR_INVALID,
                               "homes of workspaces are kept in %s, which commands can write; set sandbox.home_dir to another "
                               "directory, or sandbox.home to \"host\"",
                               request.base);
        if (home_open(&request, arena, &host->home, err) < 0)
                return err_context(err, "home of the workspace (sandbox.home, sandbox.home_dir)");
        host_sees(host, host->home.layer, false); /* `bailey home clear` removes it */
        if (host->repository && path_below(host->repository, home) &&
            host_paths_add(&host->read, arena, host->repository, true, err) < 0)
                return -1;
        return host_masked_by(host, request.base)
                       ? 0
                       : host_add_if_there(host, &host->masks, arena, "bailey's own directory", request.base, err);
}

/* ---- brokers ---- */

/* The number behind `key` in a small file of /proc; -1: there is none. */
static int read_number(const char *path, const char *key, long *ret, struct err *err) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        char text[4096];
        const char *found;
        ssize_t len;

        *ret = -1;
        if (fd < 0)
                return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "%s", path);
        len = read(fd, text, sizeof(text) - 1);
        if (len < 0)
                return err_sys(err, "%s", path);
        text[len] = 0;
        found = strstr(text, key);
        if (found && len > 0)
                *ret = strtol(found + strlen(key), NULL, 10);
        return 0;
}

/* In a process of its own, as it cannot be undone. */
static _Noreturn void try_listener(void) {
        struct sock_filter allow = { .code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW };
        struct sock_fprog program = { .len = 1, .filter = &allow };
        bool made = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0;

        _exit(made ? 0 : errno);
}

/* A lack of files or memory says nothing of listeners, and a session keeps the answer. */
static int listened(const siginfo_t *info, bool *ret, struct err *err) {
        errno = info->si_status;
        if (info->si_code != CLD_EXITED)
                return err_set(err, ERR_SYSTEM, "looking for a listener for system calls: ended by signal %d", info->si_status);
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
                return err_sys(err, "looking for a listener for system calls");
        *ret = errno == 0;
        return 0;
}

/* A process has one listener at most: another program may have installed one already, if there are filters. */
static int can_listen(bool *ret, struct err *err) {
        siginfo_t info = {};
        long filters;
        pid_t pid;

        if (read_number("/proc/self/status", "\nSeccomp:", &filters, err) < 0)
                return -1;
        *ret = filters == 0;
        if (*ret)
                return 0;
        pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0); /* without a signal, and fork()'s handlers */
        if (pid == 0)
                try_listener();
        if (pid < 0)
                return err_sys(err, "clone");
        while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) < 0)
                if (errno != EINTR)
                        return err_sys(err, "waitid");
        return listened(&info, ret, err);
}

/* NULL: calls can be brokered. */
static int why_no_broker(const char **ret, struct err *err) {
        uint32_t report = SECCOMP_RET_USER_NOTIF;
        bool listens;
        long scope;

        *ret = NULL;
        if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &report) < 0 ||
            (syscall(SYS_pidfd_getfd, -1, -1, 0) < 0 && errno != EBADF)) {
                *ret = "unix sockets are disabled: access control for them requires Linux 5.6";
                return 0;
        }
        if (read_number("/proc/sys/kernel/yama/ptrace_scope", "", &scope, err) < 0 || can_listen(&listens, err) < 0)
                return -1;
        if (scope > 1)
                *ret = "unix sockets are disabled: access control for them requires kernel.yama.ptrace_scope = 0 or 1";
        else if (!listens)
                *ret = "unix sockets are disabled: another seccomp listener is already installed (outer sandbox or "
                       "container)";
        return 0;
}

/* ---- programs ---- */

static int landlock_version(void) {
        long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

        return version < 0 ? 0 : (int)version;
}

int host_system_programs(struct host *host, const char *self, struct arena *arena, struct err *err) {
        const char *path = *self ? self : "/proc/self/exe";
        char real[PATH_MAX];
        bool found;

        host_sees(host, path, false);
        found = access(path, X_OK) == 0 && realpath(path, real);

        host->landlock = landlock_version();
        if (why_no_broker(&host->no_broker, err) < 0 || host_gather_ids(host, err) < 0)
                return -1;
        host->self_wanted = path;
        host->self = found ? arena_dup(arena, str_z(real)) : NULL;
        for (size_t i = 0; i < sizeof(bwrap_places) / sizeof(*bwrap_places) && !host->bwrap; i++) {
                host_sees(host, bwrap_places[i], false);
                if (access(bwrap_places[i], X_OK) == 0)
                        host->bwrap = bwrap_places[i];
        }
        return host->self || !found ? 0 : err_memory(err);
}
