#include "sandbox/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "policy/credentials.h"
#include "policy/files.h"
#include "sandbox/host_own.h"

enum {
        HOST_PATHS_MAX = 4096,
        HOST_FILE_MAX = 16 << 20, /* /etc/passwd, /proc/net/unix */
};

/* ---- tables ---- */

static const char *const scratch_directories[] = { "/tmp", "/var/tmp" };

/* What other users and services keep there is none of a command's business. */
static const char *const emptied_directories[] = { "/run", "/var/run", "/home", "/root" };

/* What works only with these: the programs of NixOS, name resolution where the network is the host's. */
static const char *const kept_always[] = { "/run/current-system", "/run/opengl-driver" };
static const char *const kept_with_network[] = { "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf" };

/* For uid 0, where they are mounted: what only the mode of a directory keeps from others. */
static const char *const masked_from_root[] = { "/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security" };

static const char *const system_directories[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc" };

/* Not a place to work in: what is there belongs to the system. Their sub-directories may be, but for those of the kernel. */
static const char *const no_workspace[] = {
        "/bin", "/boot", "/etc", "/home", "/lib", "/lib64", "/run", "/sbin", "/usr", "/var"
};
static const char *const kernel_directories[] = { "/dev", "/proc", "/sys" };

static const char *const bwrap_places[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap" };

#define EACH(name, table) for (size_t name = 0; name < sizeof(table) / sizeof(*(table)); name++)

/* ---- paths ---- */

bool path_within(const char *path, const char *dir) {
        size_t len = strlen(dir);

        if (strcmp(dir, "/") == 0)
                return true;
        return strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == 0);
}

static bool has_control_character(const char *path) {
        for (; *path; path++)
                if ((unsigned char)*path < 0x20 || *path == 0x7f)
                        return true;
        return false;
}

static struct host_path *paths_add(struct host_paths *paths, struct arena *arena) {
        if (paths->count == paths->room) {
                size_t room = paths->room ? paths->room * 2 : 8;
                struct host_path *items = room <= HOST_PATHS_MAX ? arena_alloc(arena, room * sizeof(*items)) : NULL;

                if (!items)
                        return NULL;
                if (paths->count)
                        memcpy(items, paths->items, paths->count * sizeof(*items));
                paths->items = items;
                paths->room = room;
        }
        return &paths->items[paths->count++];
}

int host_paths_add(struct host_paths *paths, struct arena *arena, const char *path, bool directory, struct err *err) {
        struct host_path *added = paths_add(paths, arena);
        const char *copy = arena_dup(arena, str_z(path));

        if (!added || !copy)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d paths to arrange a sandbox with", HOST_PATHS_MAX);
        *added = (struct host_path){ .path = copy, .directory = directory };
        return 0;
}

/* 1: resolved and looked at, 0: there is no such thing, or it cannot be reached by us, and so not by a command. */
static int look(const char *path, char ret_real[static PATH_MAX], struct stat *ret_stat) {
        return stat(path, ret_stat) == 0 && realpath(path, ret_real); /* most are not there, and the first call is cheap */
}

int host_add_if_there(struct host_paths *paths, struct arena *arena, const char *path, struct err *err) {
        char real[PATH_MAX];
        struct stat st;

        return look(path, real, &st) ? host_paths_add(paths, arena, real, S_ISDIR(st.st_mode), err) : 0;
}

/* For directories that are replaced: where one is only a link to another, the other is. */
static int add_directory(struct host_paths *paths, struct arena *arena, const char *path, struct err *err) {
        struct stat st;

        return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) ? host_paths_add(paths, arena, path, true, err) : 0;
}

static int add_list(struct host_paths *paths, struct arena *arena, const struct str_list *list, const char *key,
                    bool must_exist, struct err *err) {
        for (size_t i = 0; i < list->count; i++) {
                const char *path = arena_dup(arena, list->items[i]);
                char real[PATH_MAX];
                struct stat st;

                if (!path)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (has_control_character(path))
                        return err_set(err, ERR_INVALID, "%s: %s: a path with control characters", key, path);
                if (look(path, real, &st)) {
                        if (host_paths_add(paths, arena, real, S_ISDIR(st.st_mode), err) < 0)
                                return -1;
                } else if (must_exist) {
                        return err_set(err, ERR_INVALID, "%s: %s: %s: make it, or take it off the list", key, path,
                                       strerror(errno));
                }
        }
        return 0;
}

/* ---- the user ---- */

/* A file of the system, with a NUL behind it; empty when it cannot be read. */
static void read_file(const char *path, struct buf *ret) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);

        buf_init(ret, HOST_FILE_MAX);
        if (fd < 0 || fd_read_all(fd, ret, NULL) < 0)
                buf_clear(ret);
        buf_char(ret, 0);
}

/* The home directory in /etc/passwd. By hand: what the C library asks for it costs more than starting a sandbox. */
static int add_passwd_home(struct host *host, struct arena *arena, struct err *err) {
        BUF_AUTO text;
        char *line, *next;
        int result = 0;

        read_file("/etc/passwd", &text);
        for (line = text.ptr; line && *line && result == 0; line = next) {
                char *field = line, *home;

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = 0;
                for (int i = 0; i < 2 && field; i++)
                        field = strchr(field, ':') ? strchr(field, ':') + 1 : NULL;
                if (!field || strtoul(field, NULL, 10) != host->uid)
                        continue;
                for (int i = 0; i < 3 && field; i++)
                        field = strchr(field, ':') ? strchr(field, ':') + 1 : NULL;
                if (!field)
                        continue;
                home = field;
                home[strcspn(home, ":")] = 0;
                if (home[0] == '/' && home[1])
                        result = host_add_if_there(&host->homes, arena, home, err);
        }
        return result;
}

static int gather_homes(struct host *host, const char *const *environment, struct arena *arena, struct err *err) {
        const char *home = environment_get(environment, "HOME");

        if (home && home[0] == '/' && home[1] && host_add_if_there(&host->homes, arena, home, err) < 0)
                return -1;
        if (add_passwd_home(host, arena, err) < 0)
                return -1;
        if (host->homes.count == 2 && strcmp(host->homes.items[0].path, host->homes.items[1].path) == 0)
                host->homes.count = 1;
        return 0;
}

/* ---- the workspace ---- */

static int refuse_workspace(const char *path, const char *why, struct err *err) {
        return err_set(err, ERR_INVALID, "workspace %s: %s; name a project's directory with --workspace, or use --force", path,
                       why);
}

static int check_workspace(const struct host *host, const char *path, struct err *err) {
        if (strcmp(path, "/") == 0)
                return refuse_workspace(path, "everything would be writable", err);
        for (size_t i = 0; i < host->homes.count; i++)
                if (path_within(host->homes.items[i].path, path))
                        return refuse_workspace(path, "your whole home directory would be writable", err);
        EACH (i, no_workspace)
                if (strcmp(path, no_workspace[i]) == 0)
                        return refuse_workspace(path, "it belongs to the system", err);
        return 0;
}

static int gather_workspace(struct host *host, const struct host_question *question, struct arena *arena, struct err *err) {
        const char *asked = question->workspace ? question->workspace : ".";
        char real[PATH_MAX];
        struct stat st;

        if (has_control_character(asked))
                return err_set(err, ERR_INVALID, "workspace %s: a path with control characters", asked);
        if (!realpath(asked, real) || stat(real, &st) < 0)
                return err_sys(err, "workspace %s", asked);
        if (!S_ISDIR(st.st_mode))
                return err_set(err, ERR_INVALID, "workspace %s: not a directory", asked);
        if (has_control_character(real))
                return err_set(err, ERR_INVALID, "workspace %s: a path with control characters", real);
        if (access(real, R_OK | X_OK) < 0)
                return err_sys(err, "workspace %s", real);
        EACH (i, kernel_directories)
                if (path_within(real, kernel_directories[i]))
                        return err_set(err, ERR_INVALID, "workspace %s: it belongs to the kernel", real);
        if (!question->force && check_workspace(host, real, err) < 0)
                return -1;
        host->workspace = arena_dup(arena, str_z(real));
        return host->workspace ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* What an agent asks for never widens anything: links are resolved before the look. */
static int gather_cwd(struct host *host, const char *asked, struct arena *arena, struct err *err) {
        char real[PATH_MAX];
        struct stat st;

        host->cwd = host->workspace;
        if (!asked)
                return 0;
        if (asked[0] != '/') {
                char joined[PATH_MAX];

                if (snprintf(joined, sizeof(joined), "%s/%s", host->workspace, asked) >= (int)sizeof(joined))
                        return err_set(err, ERR_INVALID, "cwd %s: too long", asked);
                if (!realpath(joined, real))
                        return err_sys(err, "cwd %s", asked);
        } else if (!realpath(asked, real)) {
                return err_sys(err, "cwd %s", asked);
        }
        if (!path_within(real, host->workspace))
                return err_set(err, ERR_REFUSED, "cwd %s: it is not in the workspace %s", asked, host->workspace);
        if (stat(real, &st) < 0)
                return err_sys(err, "cwd %s", asked);
        if (!S_ISDIR(st.st_mode))
                return err_set(err, ERR_INVALID, "cwd %s: not a directory", asked);
        host->cwd = arena_dup(arena, str_z(real));
        return host->cwd ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* ---- what is hidden ---- */

static bool is_home(const struct host *host, const char *path) {
        for (size_t i = 0; i < host->homes.count; i++)
                if (path_within(host->homes.items[i].path, path) && strcmp(path, "/home") != 0)
                        return true;
        return false;
}

static int gather_directories(struct host *host, const struct policy *policy, struct arena *arena, struct err *err) {
        EACH (i, scratch_directories)
                if (add_directory(&host->scratch, arena, scratch_directories[i], err) < 0)
                        return -1;
        EACH (i, emptied_directories)
                if (!is_home(host, emptied_directories[i]) &&
                    add_directory(&host->emptied, arena, emptied_directories[i], err) < 0)
                        return -1;
        EACH (i, kept_always)
                if (host_add_if_there(&host->kept, arena, kept_always[i], err) < 0)
                        return -1;
        EACH (i, kept_with_network)
                if (policy->sandbox.network == NETWORK_INHERIT &&
                    host_add_if_there(&host->kept, arena, kept_with_network[i], err) < 0)
                        return -1;
        return 0;
}

/* For root = "minimal": /bin is a link to usr/bin on most systems, and stays one. */
static int gather_system(struct host *host, struct arena *arena, struct err *err) {
        EACH (i, system_directories) {
                char text[PATH_MAX];
                struct stat st;
                ssize_t len;

                if (lstat(system_directories[i], &st) < 0)
                        continue;
                if (host_paths_add(&host->system, arena, system_directories[i], true, err) < 0)
                        return -1;
                if (!S_ISLNK(st.st_mode))
                        continue;
                len = readlink(system_directories[i], text, sizeof(text));
                if (len < 0 || len == sizeof(text))
                        return err_sys(err, "%s", system_directories[i]);
                host->system.items[host->system.count - 1].link = arena_dup(arena, str_from(text, (size_t)len));
        }
        return 0;
}

/* ---- what is masked ---- */

static bool is_mounted(const char *path) {
        struct stat st, sys;

        return stat(path, &st) == 0 && stat("/sys", &sys) == 0 && st.st_dev != sys.st_dev;
}

/* Every mask costs, and what this user may not read needs none: a command has the same user, and less rights. For uid 0 it
 * cannot be asked, as it has the rights now. */
static bool is_closed(const struct host *host, const char *path) {
        return host->uid != 0 && access(path, R_OK) < 0 && access(path, X_OK) < 0;
}

static int add_store(struct host *host, struct arena *arena, const char *mask, struct err *err) {
        char path[PATH_MAX];

        if (mask[0] != '~' && is_closed(host, mask))
                return 0;
        if (mask[0] != '~')
                return host_add_if_there(&host->masks, arena, mask, err);
        for (size_t i = 0; i < host->homes.count; i++)
                if (snprintf(path, sizeof(path), "%s%s", host->homes.items[i].path, mask + 1) < (int)sizeof(path) &&
                    host_add_if_there(&host->masks, arena, path, err) < 0)
                        return -1;
        return 0;
}

/* Every bound path. Connecting to a socket needs no writable mount, so none of the host's may be seen. */
static int add_sockets(struct host *host, struct arena *arena, struct err *err) {
        BUF_AUTO text;
        int result = 0;

        read_file("/proc/net/unix", &text);
        for (char *line = text.ptr, *next; line && *line && result == 0; line = next) {
                char *path, real[PATH_MAX];
                struct stat st;

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = 0;
                path = strchr(line, '/');
                if (!path || path == line || path[-1] != ' ' || !look(path, real, &st) || !S_ISSOCK(st.st_mode))
                        continue;
                result = host_paths_add(&host->masks, arena, real, false, err);
                if (result == 0)
                        host->masks.items[host->masks.count - 1].socket = true;
        }
        return result;
}

static int gather_masks(struct host *host, const struct policy *policy, const char *const *environment, struct arena *arena,
                        struct err *err) {
        struct directory state;

        for (size_t i = 0; i < credential_count; i++)
                if (credentials[i].mask && add_store(host, arena, credentials[i].mask, err) < 0)
                        return -1;
        EACH (i, masked_from_root)
                if (host->uid == 0 && is_mounted(masked_from_root[i]) &&
                    host_add_if_there(&host->masks, arena, masked_from_root[i], err) < 0)
                        return -1;
        if (add_list(&host->masks, arena, &policy->sandbox.fs_read_deny, "fs_read_deny", false, err) < 0)
                return -1;
        /* What bailey itself keeps, wherever that is. */
        if (directory_state(environment, &state) && host_add_if_there(&host->masks, arena, state.path, err) < 0)
                return -1;
        return add_sockets(host, arena, err);
}

const char *host_masked_by(const struct host *host, const char *path) {
        for (size_t i = 0; i < host->masks.count; i++)
                if (path_within(path, host->masks.items[i].path))
                        return host->masks.items[i].path;
        return NULL;
}

int host_check_workspace(const struct host *host, struct err *err) {
        const char *mask = host_masked_by(host, host->workspace);

        return mask ? err_set(err, ERR_REFUSED, "workspace %s: it is part of %s, which commands may not read", host->workspace,
                              mask)
                    : 0;
}

/* ---- all ---- */

static int landlock_version(void) {
        long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

        return version < 0 ? 0 : (int)version;
}

static int gather_programs(struct host *host, struct arena *arena, struct err *err) {
        char self[PATH_MAX];
        ssize_t len = readlink("/proc/self/exe", self, sizeof(self));

        if (len < 0 || len == sizeof(self))
                return err_sys(err, "/proc/self/exe");
        host->self = arena_dup(arena, str_from(self, (size_t)len));
        EACH (i, bwrap_places)
                if (!host->bwrap && access(bwrap_places[i], X_OK) == 0)
                        host->bwrap = bwrap_places[i];
        return host->self ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

static int gather_lists(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err) {
        if (add_list(&host->read, arena, &sandbox->fs_read_allow, "fs_read_allow", true, err) < 0 ||
            add_list(&host->write, arena, &sandbox->fs_write_allow, "fs_write_allow", true, err) < 0)
                return -1;
        for (size_t i = 0; i < host->write.count; i++)
                if (strcmp(host->write.items[i].path, "/") == 0)
                        return err_set(err, ERR_INVALID,
                                       "fs_write_allow: /: everything would be writable; name what has to be");
        /* One that is missing could be made by the command: it has to be there to be kept. */
        return add_list(&host->write_deny, arena, &sandbox->fs_write_deny, "fs_write_deny", true, err);
}

int host_gather(const struct policy *policy, const struct host_question *question, struct arena *arena, struct host *ret,
                struct err *err) {
        struct host host = { .uid = geteuid(), .landlock = landlock_version() };

        if (gather_homes(&host, question->environment, arena, err) < 0 || gather_workspace(&host, question, arena, err) < 0 ||
            gather_cwd(&host, question->cwd, arena, err) < 0 || gather_programs(&host, arena, err) < 0 ||
            gather_lists(&host, &policy->sandbox, arena, err) < 0 || gather_directories(&host, policy, arena, err) < 0 ||
            gather_masks(&host, policy, question->environment, arena, err) < 0)
                return -1;
        if (host_keep_own(&host, policy, question, arena, err) < 0)
                return -1;
        if (policy->sandbox.root == ROOT_MINIMAL && gather_system(&host, arena, err) < 0)
                return -1;
        if (protect_survey(host.workspace, arena, &host.protection, err) < 0)
                return err_context(err, "workspace %s", host.workspace);
        *ret = host;
        return 0;
}
