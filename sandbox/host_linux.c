#include "sandbox/host_system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "sandbox/host_own.h"

enum { HOST_FILE_MAX = 16 << 20 }; /* /etc/passwd */

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

/* The home directory in /etc/passwd. By hand: what the C library asks for it costs more than starting a sandbox. */
int host_system_home(struct host *host, struct arena *arena, struct err *err) {
        BUF_AUTO text;
        char *line, *next;
        int result = 0;

        host_sees(host, "/etc/passwd", true);
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
                        result = host_add_if_there(host, &host->homes, arena, "home directory", home, err);
        }
        return result;
}

/* ---- sockets ---- */

/* The file has a line for every socket of the machine. It is read in parts: as a whole, in between of what stays in memory as
 * long as a command runs, it would leave holes there. */
struct sockets {
        int fd;
        int error;      /* an errno: there may be more than was shown */
        size_t at, end; /* what was read, and is still to be shown */
        char bytes[8192];
};

static char *next_line(struct sockets *s) {
        for (;;) {
                char *line = s->bytes + s->at, *newline = memchr(line, '\n', s->end - s->at);
                ssize_t got;

                if (newline) {
                        *newline = 0;
                        s->at += (size_t)(newline + 1 - line);
                        return line;
                }
                s->end -= s->at;
                memmove(s->bytes, line, s->end);
                s->at = 0;
                do
                        got = read(s->fd, s->bytes + s->end, sizeof(s->bytes) - s->end);
                while (got < 0 && errno == EINTR);
                if (got < 0)
                        s->error = errno;
                else if (got == 0 && s->end)
                        s->error = EPROTO; /* no line of this file is that long, or has no end */
                if (got <= 0)
                        return NULL;
                s->end += (size_t)got;
        }
}

/* It has a first line that names its columns, also where there is no socket. */
static void sockets_open(struct sockets *sockets) {
        const char *line;

        sockets->at = sockets->end = 0;
        sockets->fd = open("/proc/net/unix", O_RDONLY | O_CLOEXEC);
        sockets->error = sockets->fd < 0 ? errno : 0;
        if (sockets->error)
                return;
        line = next_line(sockets);
        if (!sockets->error && (!line || strncmp(line, "Num", 3) != 0))
                sockets->error = EPROTO;
}

/* The paths, one after the other; NULL at the end. */
static char *next_socket(struct sockets *sockets) {
        char *line;

        while (!sockets->error && (line = next_line(sockets))) {
                char *path = strchr(line, '/');

                if (path && path != line && path[-1] == ' ')
                        return path;
        }
        return NULL;
}

static int compare(const void *a, const void *b) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_bound(struct host *host, size_t *room, const char *path, struct arena *arena, struct err *err) {
        const char *copy = arena_dup(arena, str_z(path));

        if (host->bound.count == *room) {
                size_t more = *room ? *room * 2 : 64;
                const char **items = arena_alloc(arena, more * sizeof(*items));

                if (!items)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (*room)
                        memcpy(items, host->bound.items, *room * sizeof(*items));
                host->bound.items = items;
                *room = more;
        }
        if (!copy)
                return err_set(err, ERR_MEMORY, "out of memory");
        host->bound.items[host->bound.count++] = copy;
        return 0;
}

/* False: it cannot be reached by us, and so not by a command; or there is something else by now. */
static bool find_socket(const struct host *host, const char *path, char ret_real[static PATH_MAX]) {
        struct stat st;

        host_sees(host, path, false);
        return stat(path, &st) == 0 && S_ISSOCK(st.st_mode) && realpath(path, ret_real);
}

static int add_sockets(struct host *host, struct sockets *sockets, struct arena *arena, struct err *err) {
        size_t room = 0;

        for (char *path; (path = next_socket(sockets));) {
                char real[PATH_MAX];

                if (add_bound(host, &room, path, arena, err) < 0)
                        return -1;
                if (!find_socket(host, path, real))
                        continue;
                if (host_paths_add(&host->masks, arena, real, false, err) < 0)
                        return -1;
                host->masks.items[host->masks.count - 1].socket = true;
        }
        if (room)
                qsort(host->bound.items, host->bound.count, sizeof(*host->bound.items), compare);
        return 0;
}

/* What this process or the machine has run out of: it says nothing of the host. */
static bool is_shortage(int error) {
        return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Every bound path. Connecting to a socket needs no writable mount, so none of the host's may be seen. */
int host_system_sockets(struct host *host, struct arena *arena, struct err *err) {
        struct sockets sockets;
        int result;

        sockets_open(&sockets);
        result = add_sockets(host, &sockets, arena, err);
        fd_close(sockets.fd);
        if (result == 0 && is_shortage(sockets.error)) {
                errno = sockets.error;
                return err_sys(err, "/proc/net/unix");
        }
        host->sockets_unknown = sockets.error != 0;
        return result;
}

bool host_knows_sockets(const struct host *host) {
        struct sockets sockets;
        bool known = true;
        char *path;

        sockets_open(&sockets);
        while (known && (path = next_socket(&sockets)))
                known = host->bound.count &&
                        bsearch(&path, host->bound.items, host->bound.count, sizeof(*host->bound.items), compare);
        fd_close(sockets.fd);
        return known && !sockets.error && !host->sockets_unknown;
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
        host->self_wanted = path;
        host->self = found ? arena_dup(arena, str_z(real)) : NULL;
        for (size_t i = 0; i < sizeof(bwrap_places) / sizeof(*bwrap_places) && !host->bwrap; i++) {
                host_sees(host, bwrap_places[i], false);
                if (access(bwrap_places[i], X_OK) == 0)
                        host->bwrap = bwrap_places[i];
        }
        return host->self || !found ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}
