/*
 * connect() for a command. Whether it may is decided on the very file that a path leads to, and that file is what is connected
 * to then: its name may lead elsewhere at any time. It may be a socket on a file system of the sandbox's own, one that a
 * process inside has bound, or one that the policy lists. What cannot be determined is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "launch/broker.h"
#include "launch/kernel.h"

enum {
        SEARCH_MAX = 1 << 16, /* open files that are looked at */
        STATE_CLOSE = 7,      /* as TCP's: it is bound, */
        STATE_LISTEN = 10,    /* and listens */
};

/* ---- what the kernel calls a file ---- */

/* stat() tells something else on some file systems (btrfs, overlayfs). */
struct identity {
        uint32_t device; /* as the kernel has it: 12 bits and 20 */
        uint64_t inode;
};

static bool read_fdinfo(int fd, uint64_t *ret_mount, uint64_t *ret_inode) {
        char path[48], text[512];
        const char *mount, *inode;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
        FD_AUTO file = open(path, O_RDONLY | O_CLOEXEC);
        len = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
        if (len <= 0)
                return false;
        text[len] = 0;
        mount = strstr(text, "mnt_id:");
        inode = strstr(text, "ino:"); /* Linux 5.14 */
        if (!mount)
                return false;
        *ret_mount = strtoull(mount + 7, NULL, 10);
        if (inode)
                *ret_inode = strtoull(inode + 4, NULL, 10);
        return true;
}

/* Where a line of /proc/self/mountinfo has got to: "ID PARENT MAJOR:MINOR ...". */
struct mount_line {
        int field;
        uint64_t id, major, minor;
};

/* True: `line` is complete, as far as it is needed, and that of `mount`. */
static bool take_byte(struct mount_line *line, char byte, uint64_t mount) {
        uint64_t digit = (uint64_t)(byte - '0');

        if (byte == '\n') {
                *line = (struct mount_line){};
        } else if (byte == ' ' || (byte == ':' && line->field == 2)) {
                return line->field++ == 3 && line->id == mount;
        } else if (line->field < 4 && digit < 10) {
                uint64_t *number[] = { &line->id, &(uint64_t){ 0 }, &line->major, &line->minor };

                *number[line->field] = *number[line->field] * 10 + digit;
        }
        return false;
}

static bool find_device(uint64_t mount, uint32_t *ret) {
        FD_AUTO fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        struct mount_line line = {};
        char bytes[4096];
        ssize_t len;

        while (fd >= 0 && (len = read(fd, bytes, sizeof(bytes))) > 0)
                for (ssize_t i = 0; i < len; i++)
                        if (take_byte(&line, bytes[i], mount)) {
                                *ret = (uint32_t)(line.major << 20 | line.minor);
                                return true;
                        }
        return false;
}

static bool identify(int fd, const struct stat *st, struct identity *ret) {
        uint64_t mount;

        ret->inode = st->st_ino;
        return read_fdinfo(fd, &mount, &ret->inode) && find_device(mount, &ret->device);
}

/* ---- who has bound it ---- */

static int ask_for_bound(int fd) {
        struct {
                struct nlmsghdr head;
                struct unix_diag_req request;
        } question = {
                .head = { .nlmsg_len = sizeof(question),
                          .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
                .request = { .sdiag_family = AF_UNIX,
                             .udiag_states = 1U << STATE_CLOSE | 1U << STATE_LISTEN,
                             .udiag_show = UDIAG_SHOW_VFS },
        };
        struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

        return sendto(fd, &question, sizeof(question), 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0 ? -1 : 0;
}

static bool is_of(const struct nlmsghdr *message, const struct identity *file) {
        const struct unix_diag_msg *socket = (const struct unix_diag_msg *)NLMSG_DATA(message);
        size_t left = message->nlmsg_len - NLMSG_LENGTH(sizeof(*socket));
        const char *at = (const char *)(socket + 1);

        while (left >= sizeof(struct nlattr)) {
                const struct nlattr *attribute = (const struct nlattr *)(const void *)at;
                const struct unix_diag_vfs *vfs = (const struct unix_diag_vfs *)(const void *)(attribute + 1);
                size_t size = NLMSG_ALIGN(attribute->nla_len);

                if (attribute->nla_len < sizeof(*attribute) || size > left)
                        return false;
                if (attribute->nla_type == UNIX_DIAG_VFS && attribute->nla_len >= sizeof(*attribute) + sizeof(*vfs))
                        return vfs->udiag_vfs_dev == file->device && vfs->udiag_vfs_ino == (uint32_t)file->inode;
                at += size;
                left -= size;
        }
        return false;
}

/* 1: `ret_socket` is bound to it; 0: none of these; -1: there are no more, or an error. */
static int find_among(const char *bytes, size_t len, const struct identity *file, uint32_t *ret_socket) {
        for (const struct nlmsghdr *m = (const struct nlmsghdr *)(const void *)bytes; NLMSG_OK(m, len);
             m = NLMSG_NEXT(m, len)) {
                if (m->nlmsg_type != SOCK_DIAG_BY_FAMILY || m->nlmsg_len < NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
                        return -1;
                if (is_of(m, file)) {
                        *ret_socket = ((const struct unix_diag_msg *)NLMSG_DATA(m))->udiag_ino;
                        return 1;
                }
        }
        return 0;
}

/* The socket of this network namespace that is bound to the file. */
static bool find_bound(const struct identity *file, uint32_t *ret_socket) {
        FD_AUTO fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
        _Alignas(struct nlmsghdr) char bytes[16384];
        int found = 0;

        if (fd < 0 || ask_for_bound(fd) < 0)
                return false;
        while (found == 0) {
                ssize_t len = recv(fd, bytes, sizeof(bytes), 0);

                if (len <= 0)
                        return false;
                found = find_among(bytes, (size_t)len, file, ret_socket);
        }
        return found > 0;
}

/* Does a process have it open? `budget` counts what may still be looked at. */
static bool has_open(const char *process, const char *wanted, int *budget) {
        char path[48], entries[KERNEL_DIRENTS_SIZE], text[64];
        long size;

        snprintf(path, sizeof(path), "/proc/%.16s/fd", process);
        FD_AUTO dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        while (dir >= 0 && (size = kernel_getdents(dir, entries)) > 0)
                for (long at = 0; at < size;) {
                        const struct kernel_dirent *entry = (const struct kernel_dirent *)(const void *)(entries + at);
                        ssize_t len = readlinkat(dir, entry->name, text, sizeof(text) - 1);

                        if ((*budget)-- <= 0)
                                return false;
                        text[len < 0 ? 0 : len] = 0;
                        if (strcmp(text, wanted) == 0)
                                return true;
                        at += entry->size;
                }
        return false;
}

/* Does any process inside? Where the network is the host's, its sockets are listed, too. */
static bool is_held_inside(uint32_t socket) {
        FD_AUTO proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        char entries[KERNEL_DIRENTS_SIZE], wanted[32];
        int budget = SEARCH_MAX;
        long size;

        snprintf(wanted, sizeof(wanted), "socket:[%u]", socket);
        while (proc >= 0 && (size = kernel_getdents(proc, entries)) > 0)
                for (long at = 0; at < size;) {
                        const struct kernel_dirent *entry = (const struct kernel_dirent *)(const void *)(entries + at);

                        if (entry->name[0] >= '1' && entry->name[0] <= '9' && has_open(entry->name, wanted, &budget))
                                return true;
                        at += entry->size;
                }
        return false;
}

/* A command can bind nothing where it cannot write. */
static bool is_bound_inside(const struct broker_plan *plan, int file, const struct stat *st) {
        struct identity identity;
        struct statvfs fs;
        uint32_t socket;

        return fstatvfs(file, &fs) == 0 && !(fs.f_flag & ST_RDONLY) && identify(file, st, &identity) &&
               find_bound(&identity, &socket) && (plan->own_network || is_held_inside(socket));
}

/* ---- where it is ---- */

static bool is_private(const struct broker_plan *plan, const struct stat *st) {
        struct stat place;

        for (const char *const *path = plan->private_places; *path; path++)
                if (stat(*path, &place) == 0 && place.st_dev == st->st_dev)
                        return true;
        return false;
}

/* Where commands can write, they could put another one in its place; what is mounted there they cannot. */
static bool is_listed(const struct broker_plan *plan, int file) {
        char path[PATH_MAX];
        struct statvfs fs;
        ssize_t len = readlink(path_to_fd(file).text, path, sizeof(path) - 1);

        if (len <= 0 || fstatvfs(file, &fs) < 0 || !(fs.f_flag & ST_RDONLY))
                return false;
        path[len] = 0;
        for (const char *const *listed = plan->sockets; *listed; listed++)
                if (strcmp(*listed, path) == 0)
                        return true;
        return false;
}

/* "/proc/self/fd/N/..." is how long paths are made short. Here it would lead to a file of this process; returns what follows
 * N, and where that begins. */
static const char *take_own_fd(pid_t caller, const char *path, int *ret_dir) {
        static const char before[] = "/proc/self/fd/";
        const char *number = path + sizeof(before) - 1;
        size_t digits;
        char place[64];

        if (strncmp(path, before, sizeof(before) - 1) != 0)
                return path;
        digits = strspn(number, "0123456789");
        if (digits == 0 || digits > 9 || number[digits] != '/')
                return path;
        snprintf(place, sizeof(place), "/proc/%d/fd/%.*s", (int)caller, (int)digits, number);
        *ret_dir = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return *ret_dir < 0 ? path : number + digits + strspn(number + digits, "/");
}

/* All inside have the same root. */
static int open_file(pid_t caller, const char *path) {
        FD_AUTO dir = -1;
        char cwd[64];
        int fd;

        path = take_own_fd(caller, path, &dir);
        if (path[0] != '/' && dir < 0) {
                snprintf(cwd, sizeof(cwd), "/proc/%d/cwd", (int)caller);
                dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
                if (dir < 0)
                        return -EACCES;
        }
        fd = kernel_openat2(dir >= 0 ? dir : AT_FDCWD, path, O_PATH | O_CLOEXEC, RESOLVE_NO_MAGICLINKS);
        return fd < 0 ? -errno : fd;
}

/* ---- connecting ---- */

static int connect_as_is(const struct broker_connect *r) {
        union {
                struct sockaddr any;
                char bytes[sizeof(r->bytes)];
        } address;

        memcpy(&address, r->bytes, sizeof(address));
        return connect(r->socket, &address.any, (socklen_t)r->len) < 0 ? -errno : 0;
}

static int connect_file(int socket, int file) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        snprintf(address.sun_path, sizeof(address.sun_path), "%s", path_to_fd(file).text);
        return connect(socket, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

/* A file that no socket is bound to any more is refused as the kernel would: programs remove it then. That there is one shows
 * without connecting to it: a stream is no peer for a datagram socket, and to be the peer of one tells another nothing. */
static int refuse(int file) {
        FD_AUTO probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

        return probe >= 0 && connect_file(probe, file) == -ECONNREFUSED ? -ECONNREFUSED : -EACCES;
}

/* The kernel tells 32 bits of an inode's number. Who listens is known for certain when it is too late to ask: processes
 * outside have no number here. */
static int check_peer(int socket) {
        struct ucred peer = {};
        socklen_t size = sizeof(peer);

        if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
                return 0;
        shutdown(socket, SHUT_RDWR);
        return -EACCES;
}

static int connect_path(const struct broker_plan *plan, const struct broker_connect *r, const char *path) {
        FD_AUTO file = open_file(r->caller, path);
        struct stat st;
        int result;

        if (file < 0)
                return file;
        if (fstat(file, &st) < 0)
                return -errno;
        if (!S_ISSOCK(st.st_mode))
                return -ECONNREFUSED;
        if (is_private(plan, &st) || is_listed(plan, file))
                return connect_file(r->socket, file);
        if (!is_bound_inside(plan, file, &st))
                return refuse(file);
        result = connect_file(r->socket, file);
        return result == 0 ? check_peer(r->socket) : result;
}

int broker_connect(const struct broker_plan *plan, const struct broker_connect *r) {
        struct sockaddr_un address = {};
        char path[sizeof(address.sun_path) + 1] = "";
        size_t before = offsetof(struct sockaddr_un, sun_path);

        if (r->domain != AF_UNIX)
                return connect_as_is(r);
        if (r->len > sizeof(address))
                return -EINVAL;
        memcpy(&address, r->bytes, r->len);
        if (r->len <= before || address.sun_family != AF_UNIX)
                return connect_as_is(r); /* nothing that could be reached */
        memcpy(path, address.sun_path, r->len - before);
        if (path[0])
                return connect_path(plan, r, path);
        return plan->abstract ? connect_as_is(r) : -EACCES;
}
