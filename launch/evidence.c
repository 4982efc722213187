#include "launch/evidence.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "launch/kernel.h"
#include "sandbox/seccomp.h"
#include "sandbox/watched.h"

enum {
        NOTES_MAX = 8 << 20, /* bytes */
        SEEN_COUNT = 1 << 16 /* of notes that are remembered, to make each once; a power of two */
};

/* The file. */
struct notes {
        uint32_t used; /* of the bytes */
        uint32_t lost; /* not 0: there were more */
        char bytes[NOTES_MAX];
};

/* In the bytes, one behind the other; then the path with its NUL. */
struct note_head {
        uint16_t length; /* of the path, and its NUL */
        uint8_t want, why;
        char program[EVIDENCE_PROGRAM_SIZE];
};

struct evidence {
        struct notes *notes;
        int number[WATCHED_MAX]; /* of each row of watched_calls; -1: this machine has no such call */
        char text[PATH_MAX];     /* as the caller wrote it */
        char link[PATH_MAX];
        struct route route;
        uint64_t seen[SEEN_COUNT];
};

/* ---- the file ---- */

static int make_file(void) {
        FD_AUTO fd = memfd_create("bailey-evidence", MFD_CLOEXEC | MFD_ALLOW_SEALING);

        if (fd < 0 || ftruncate(fd, sizeof(struct notes)) < 0 ||
            fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
                return -1;
        return TAKE_FD(fd);
}

int evidence_open(struct evidence **ret) {
        FD_AUTO fd = make_file();
        struct evidence *evidence;
        struct notes *notes;

        if (fd < 0)
                return -1;
        notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        evidence = mmap(NULL, sizeof(*evidence), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (notes == MAP_FAILED || evidence == MAP_FAILED)
                return -1; /* this process ends with its command, and the other one with it */
        evidence->notes = notes;
        for (size_t i = 0; i < watched_count; i++)
                evidence->number[i] = seccomp_number(watched_calls[i].name, SECCOMP_ARCH_HERE);
        *ret = evidence;
        return TAKE_FD(fd);
}

/* ---- a note ---- */

static uint64_t hash_of(enum evidence_want want, const char *path) {
        uint64_t hash = 14695981039346656037u ^ want;

        for (; *path; path++)
                hash = (hash ^ (unsigned char)*path) * 1099511628211u;
        return hash ? hash : 1;
}

/* Another one with the same place in the table makes it forget: then a note is made twice, and the supervisor reads both. */
static bool is_new(struct evidence *evidence, enum evidence_want want, const char *path) {
        uint64_t hash = hash_of(want, path), *place = &evidence->seen[hash & (SEEN_COUNT - 1)];

        if (*place == hash)
                return false;
        *place = hash;
        return true;
}

static void read_program(pid_t thread, char ret[static EVIDENCE_PROGRAM_SIZE]) {
        char path[32];
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread);
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, ret, EVIDENCE_PROGRAM_SIZE - 1);
        ret[len < 0 ? 0 : len] = '\0';
        ret[strcspn(ret, "\n")] = '\0';
}

static void note(struct evidence *evidence, pid_t caller, enum evidence_want want, enum evidence_why why, const char *path) {
        struct notes *notes = evidence->notes;
        struct note_head head = { .length = (uint16_t)(strlen(path) + 1), .want = (uint8_t)want, .why = (uint8_t)why };

        if (strncmp(path, "/proc/", 6) == 0 || !is_new(evidence, want, path))
                return;
        if (NOTES_MAX - notes->used < sizeof(head) + head.length) {
                notes->lost = 1;
                return;
        }
        read_program(caller, head.program);
        memcpy(notes->bytes + notes->used, &head, sizeof(head));
        memcpy(notes->bytes + notes->used + sizeof(head), path, head.length);
        notes->used += (uint32_t)sizeof(head) + head.length;
}

/* ---- where a path that cannot be opened leads ---- */

struct stop {
        int error;     /* why it goes no further */
        size_t parent; /* how much of the route is the directory in which it stops */
        bool more;     /* names follow the one that is not there */
};

/* In the sandbox as pid 1 has it: all inside have the same root, and what a path of /proc/self leads to is not looked at. */
static bool follow_link(struct evidence *evidence, size_t parent) {
        struct route *route = &evidence->route;
        ssize_t len = readlink(route->done, evidence->link, sizeof(evidence->link) - 1);

        if (len <= 0 || ++route->links > ROUTE_LINKS_MAX)
                return false;
        evidence->link[len] = '\0';
        route->len = parent;
        route->done[parent] = '\0';
        return route_push(route, evidence->link);
}

static bool step(struct evidence *evidence, const char *name, struct stop *stop) {
        struct route *route = &evidence->route;
        size_t parent = route->len;
        struct stat st;

        if (strcmp(name, ".") == 0)
                return true;
        if (strcmp(name, "..") == 0) {
                route_up(route);
                return true;
        }
        route_down(route, name);
        if (stop->error) {
                stop->more = true;
                return true;
        }
        if (lstat(route->done, &st) < 0) {
                stop->error = errno;
                stop->parent = parent;
                return true;
        }
        return !S_ISLNK(st.st_mode) || follow_link(evidence, parent);
}

/* True: the route has the whole path, and `ret` says where it stops. */
static bool find_stop(struct evidence *evidence, int dir, struct stop *ret) {
        struct route *route = &evidence->route;
        char name[NAME_MAX + 1];
        bool too_long = false;

        *ret = (struct stop){};
        *route = (struct route){};
        if (evidence->text[0] != '/' && path_of_fd(dir, route->done))
                route->len = strcmp(route->done, "/") == 0 ? 0 : strlen(route->done);
        route->done[route->len] = '\0';
        if (!route_push(route, evidence->text))
                return false;
        while (route_next(route, name, &too_long))
                if (too_long || !step(evidence, name, ret))
                        return false;
        return ret->error != 0 && route->done[0] == '/';
}

/* ---- what a call would be denied ---- */

static bool is_read_only(int fd) {
        struct statvfs fs;

        return fstatvfs(fd, &fs) == 0 && fs.f_flag & ST_RDONLY;
}

static bool may(int fd, int mode) {
        return syscall(SYS_faccessat2, fd, "", mode, AT_EACCESS | AT_EMPTY_PATH) == 0 || errno != EACCES;
}

/* Devices and sockets can be used on a file system that is read-only. */
static bool has_content(int fd) {
        struct stat st;

        return fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static void look_at_file(struct evidence *evidence, pid_t caller, int fd, uint32_t want) {
        bool read_only = want & (WATCHED_WRITE | WATCHED_ENTRY) && has_content(fd) && is_read_only(fd);
        char path[PATH_MAX];

        if (!path_of_fd(fd, path) || path[0] != '/')
                return;
        if (read_only)
                note(evidence, caller, want & WATCHED_ENTRY ? EVIDENCE_ENTRY : EVIDENCE_WRITE, EVIDENCE_READ_ONLY, path);
        else if (want & WATCHED_READ && !may(fd, R_OK))
                note(evidence, caller, EVIDENCE_READ, EVIDENCE_DENIED, path);
        else if (want & WATCHED_WRITE && !may(fd, W_OK))
                note(evidence, caller, EVIDENCE_WRITE, EVIDENCE_DENIED, path);
}

/* Where the directory is there, the entry can be made, unless that is read-only. */
static bool can_make(const struct evidence *evidence, const struct stop *stop, uint32_t want, bool *ret_read_only) {
        char parent[PATH_MAX];

        if (!(want & (WATCHED_CREATE | WATCHED_ENTRY)) || stop->error != ENOENT || stop->more)
                return false;
        snprintf(parent, sizeof(parent), "%.*s/", (int)stop->parent, evidence->route.done);
        FD_AUTO fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
        *ret_read_only = fd >= 0 && is_read_only(fd);
        return true;
}

static void look_at_missing(struct evidence *evidence, pid_t caller, int dir, uint32_t want) {
        const char *path = evidence->route.done;
        bool read_only = false;
        struct stop stop;

        if (!find_stop(evidence, dir, &stop))
                return;
        if (can_make(evidence, &stop, want, &read_only)) {
                if (read_only)
                        note(evidence, caller, EVIDENCE_ENTRY, EVIDENCE_READ_ONLY, path);
                else if (want & WATCHED_CREATE)
                        return;
        }
        note(evidence, caller,
             want & (WATCHED_CREATE | WATCHED_ENTRY) ? EVIDENCE_ENTRY
             : want & WATCHED_WRITE                  ? EVIDENCE_WRITE
                                                     : EVIDENCE_READ,
             stop.error == EACCES ? EVIDENCE_DENIED : EVIDENCE_MISSING, path);
}

static void look_at(struct evidence *evidence, pid_t caller, int dir, uint32_t want) {
        uint64_t flags = O_PATH | O_CLOEXEC | (want & WATCHED_LINK ? O_NOFOLLOW : 0);
        FD_AUTO fd = kernel_openat2(dir, evidence->text, flags, RESOLVE_NO_MAGICLINKS);

        if (fd >= 0)
                look_at_file(evidence, caller, fd, want);
        else if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
                look_at_missing(evidence, caller, dir, want);
}

/* ---- the arguments ---- */

static uint32_t want_of_flags(uint64_t flags) {
        uint32_t want = 0;

        if (flags & O_PATH)
                return flags & O_NOFOLLOW ? WATCHED_LINK : 0;
        if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)
                want |= WATCHED_WRITE;
        if ((flags & O_ACCMODE) != O_WRONLY)
                want |= WATCHED_READ;
        if (flags & O_CREAT)
                want |= WATCHED_CREATE;
        return want | (flags & O_NOFOLLOW ? WATCHED_LINK : 0);
}

static uint32_t want_of(const struct watched_call *row, const struct seccomp_notif *call) {
        uint64_t argument = call->data.args[row->mode];
        struct open_how how;

        if (row->want & WATCHED_FLAGS)
                return want_of_flags(argument & UINT32_MAX);
        if (row->want & WATCHED_HOW)
                return broker_copy_memory((pid_t)call->pid, argument, &how, sizeof(how)) == 0 ? want_of_flags(how.flags) : 0;
        if (row->want & WATCHED_MODE)
                return (argument & W_OK ? WATCHED_WRITE : 0U) | (argument & R_OK ? WATCHED_READ : 0U);
        return row->want;
}

static void look_at_argument(struct evidence *evidence, int listener, const struct watched_call *row,
                             const struct seccomp_notif *call) {
        pid_t caller = (pid_t)call->pid;
        FD_AUTO dir = -1;
        uint32_t want;

        if (!call->data.args[row->path] || broker_copy_text(caller, call->data.args[row->path], evidence->text) < 0 ||
            !evidence->text[0])
                return;
        dir = broker_copy_directory(caller, row->dir < 0 ? AT_FDCWD : (int)call->data.args[row->dir], evidence->text);
        want = want_of(row, call);
        if (dir >= 0 && broker_still_waits(listener, call->id))
                look_at(evidence, caller, dir, want);
}

void evidence_call(struct evidence *evidence, int listener, const struct seccomp_notif *call) {
        for (size_t i = 0; i < watched_count; i++)
                if (evidence->number[i] == call->data.nr)
                        look_at_argument(evidence, listener, &watched_calls[i], call);
}

/* ---- connections ---- */

static void note_port(struct evidence *evidence, const struct broker_connect *request) {
        union {
                struct sockaddr any;
                struct sockaddr_in v4;
                struct sockaddr_in6 v6;
                char bytes[sizeof(request->bytes)];
        } address;
        static const uint8_t loopback[16] = { [15] = 1 }, mapped[13] = { [10] = 0xff, 0xff, 127 };
        bool local;
        char port[8];

        memcpy(&address, request->bytes, sizeof(address));
        if (address.any.sa_family == AF_INET)
                local = ntohl(address.v4.sin_addr.s_addr) >> 24 == 127;
        else
                local = address.any.sa_family == AF_INET6 && (memcmp(&address.v6.sin6_addr, loopback, 16) == 0 ||
                                                              memcmp(&address.v6.sin6_addr, mapped, sizeof(mapped)) == 0);
        /* Both have the port at the same place. */
        snprintf(port, sizeof(port), "/%u", (unsigned)ntohs(address.v4.sin_port));
        if (local && request->len >= sizeof(address.v4))
                note(evidence, request->caller, EVIDENCE_PORT, EVIDENCE_MISSING, port);
}

static void note_socket(struct evidence *evidence, const struct broker_connect *request, int result) {
        size_t before = offsetof(struct sockaddr_un, sun_path), len = request->len > before ? request->len - before : 0;
        FD_AUTO dir = -1, file = -1;
        struct stop stop;
        char path[PATH_MAX];

        if (len == 0 || len > sizeof(((struct sockaddr_un *)NULL)->sun_path) || !request->bytes[before])
                return;
        memcpy(evidence->text, request->bytes + before, len);
        evidence->text[len] = '\0';
        dir = broker_copy_directory(request->caller, AT_FDCWD, evidence->text);
        file = dir < 0 ? -1 : kernel_openat2(dir, evidence->text, O_PATH | O_CLOEXEC, RESOLVE_NO_MAGICLINKS);
        if (file >= 0 && path_of_fd(file, path))
                note(evidence, request->caller, EVIDENCE_SOCKET, EVIDENCE_DENIED, path);
        else if (dir >= 0 && find_stop(evidence, dir, &stop))
                note(evidence, request->caller, EVIDENCE_SOCKET, result == -EACCES ? EVIDENCE_DENIED : EVIDENCE_MISSING,
                     evidence->route.done);
}

int evidence_of_socket(int socket, int result) {
        struct tcp_info info = {};
        socklen_t size = sizeof(info);

        if (result == -EINPROGRESS && getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
            info.tcpi_state == TCP_CLOSE)
                return -ECONNREFUSED;
        return result;
}

void evidence_connect(struct evidence *evidence, const struct broker_connect *request, int result) {
        if (request->domain == AF_UNIX && (result == -ENOENT || result == -EACCES || result == -ECONNREFUSED))
                note_socket(evidence, request, result);
        else if ((request->domain == AF_INET || request->domain == AF_INET6) && result == -ECONNREFUSED)
                note_port(evidence, request);
}

/* ---- in the supervisor ---- */

static bool is_plain(const struct evidence_note *note) {
        const char *path = note->path;

        if (note->want == EVIDENCE_PORT)
                return path[1] >= '1' && path[1] <= '9' && strspn(path + 1, "0123456789") == strlen(path + 1) &&
                       strlen(path) <= 6;
        for (const char *at = path; at; at = strchr(at + 1, '/'))
                if (at[1] == '\0' || at[1] == '/' || strncmp(at, "/./", 3) == 0 || strncmp(at, "/../", 4) == 0 ||
                    strcmp(at, "/.") == 0 || strcmp(at, "/..") == 0)
                        return false;
        return true;
}

/* The length of what is in order at this place; 0: nothing is. */
static size_t take_note(char *bytes, size_t left, struct evidence_note *ret) {
        struct note_head head;

        if (left < sizeof(head))
                return 0;
        memcpy(&head, bytes, sizeof(head));
        if (head.length < 2 || head.length > PATH_MAX || head.length > left - sizeof(head) || head.want < EVIDENCE_READ ||
            head.want >= EVIDENCE_WANTS || head.why < EVIDENCE_MISSING || head.why >= EVIDENCE_WHYS)
                return 0;
        *ret = (struct evidence_note){ .want = head.want,
                                       .why = head.why,
                                       .program = bytes + offsetof(struct note_head, program),
                                       .path = bytes + sizeof(head) };
        if (strnlen(ret->program, EVIDENCE_PROGRAM_SIZE) == EVIDENCE_PROGRAM_SIZE ||
            strnlen(ret->path, head.length) != head.length - 1U || ret->path[0] != '/')
                return 0;
        return sizeof(head) + head.length;
}

static size_t take_notes(char *bytes, size_t len, struct evidence_note *ret) {
        struct evidence_note one;
        size_t count = 0, size;

        for (size_t at = 0; (size = take_note(bytes + at, len - at, &one)) > 0; at += size) {
                if (!is_plain(&one))
                        continue;
                if (ret)
                        ret[count] = one;
                count++;
        }
        return count;
}

int evidence_read(int fd, struct arena *arena, struct evidence_notes *ret, struct err *err) {
        uint32_t head[2] = {};
        struct stat st;
        size_t used, got = 0;
        char *bytes;

        if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != sizeof(struct notes) ||
            pread(fd, head, sizeof(head), 0) != sizeof(head))
                return err_set(err, ERR_SYSTEM, "the evidence of the command cannot be read");
        used = head[0] < NOTES_MAX ? head[0] : NOTES_MAX;
        bytes = arena_bytes(arena, used + 1);
        if (!bytes)
                return err_memory(err);
        while (got < used) {
                ssize_t len = pread(fd, bytes + got, used - got, (off_t)(offsetof(struct notes, bytes) + got));

                if (len <= 0)
                        break;
                got += (size_t)len;
        }
        *ret = (struct evidence_notes){ .count = take_notes(bytes, got, NULL), .lost = head[1] != 0 };
        ret->items = arena_alloc(arena, (ret->count + 1) * sizeof(*ret->items));
        if (!ret->items)
                return err_memory(err);
        take_notes(bytes, got, ret->items);
        return 0;
}
