/*
 * rename() onto a git config that is covered. The kernel refuses it, as a mount is there; but that is how git changes its
 * configs, and most of what it sets runs nothing on the host. So the new text is read once, compared with the old one by the
 * table of harmless keys (protect/git.h), and written into the file that is there, through a directory that was opened
 * before anything was covered. The cover stays where it is all the time. Nothing here waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "launch/broker.h"
#include "launch/kernel.h"
#include "protect/git.h"

enum {
        CONFIG_MAX = 4096, /* git reads, and the kernel writes, this much at once: no reader sees a part of it */
        MEMORY = 1 << 20,  /* for comparing two of them */
};

struct config {
        char path[PATH_MAX];
        int file; /* of the host, writable */
        struct stat status;
};

static const char *name_of(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

bool broker_rename_concerns(const char *to) {
        return strcmp(name_of(to), "config") == 0 || strcmp(name_of(to), "config.worktree") == 0;
}

/* ---- which config ---- */

/* The covered config that a path leads to. */
static bool find_config(const struct broker_plan *plan, const struct broker_rename *request, struct config *ret) {
        FD_AUTO fd = kernel_openat2(request->to_dir, request->to, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_MAGICLINKS);

        if (fd < 0 || fstat(fd, &ret->status) < 0 || !S_ISREG(ret->status.st_mode) || !path_of_fd(fd, ret->path))
                return false;
        for (const char *const *config = plan->configs; *config; config++)
                if (strcmp(*config, ret->path) == 0)
                        return true;
        return false;
}

/* The same file, where it can be written. The host may have replaced it, and so have taken the cover away. */
static bool open_config(const struct broker *broker, struct config *config) {
        const char *const *roots = broker->plan->roots;
        struct stat status;

        config->file = -1;
        for (size_t i = 0; roots[i] && config->file < 0; i++)
                if (path_below(config->path, roots[i]))
                        config->file = kernel_openat2(broker->roots[i], config->path + strlen(roots[i]) + (roots[i][1] != 0),
                                                      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
        return config->file >= 0 && fstat(config->file, &status) == 0 && status.st_dev == config->status.st_dev &&
               status.st_ino == config->status.st_ino &&
               status.st_nlink == 1; /* another name may be a backup that shares the file */
}

/* One at a time, of all sandboxes: texts of two writers must not mix. git has a lock of its own, so there is no waiting for
 * this one. Commands cannot take it, but can keep it from being taken. */
static int lock_config(int file) {
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

        return fcntl(file, F_OFD_SETLK, &lock) < 0 ? -EBUSY : 0;
}

/* ---- what it holds ---- */

static int read_text(int file, char *bytes, struct str *ret) {
        size_t len = 0;
        ssize_t got;

        while ((got = pread(file, bytes + len, CONFIG_MAX - len, (off_t)len)) > 0)
                len += (size_t)got;
        if (got < 0)
                return -errno;
        *ret = str_from(bytes, len);
        return len < CONFIG_MAX ? 0 : -EFBIG; /* then git cannot change it here */
}

static int read_new(const struct broker_rename *request, char *bytes, struct str *ret) {
        FD_AUTO file = kernel_openat2(request->from_dir, request->from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                      RESOLVE_NO_MAGICLINKS);
        struct stat status;

        if (file < 0 || fstat(file, &status) < 0)
                return -errno;
        return S_ISREG(status.st_mode) ? read_text(file, bytes, ret) : -EACCES;
}

static int write_bytes(int file, const char *bytes, size_t from, size_t to) {
        while (from < to) {
                ssize_t got = pwrite(file, bytes + from, to - from, (off_t)from);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        return got < 0 ? -errno : -ENOSPC;
                from += (size_t)got;
        }
        return 0;
}

/* In place. A reader must never see a new beginning with an old end, and neither must remain if this process is killed:
 * only what is different is written, in one call, and what is too long is overwritten by empty lines before it is cut off.
 * Where the disk is full, the old text fits. `bytes` holds the new text. */
static int write_text(int file, struct str old, char *bytes, size_t len) {
        size_t size = len > old.len ? len : old.len, same = 0;
        struct rlimit limit;
        int result;

        /* Commands cannot change that of this process (SECCOMP_OWN_LIMITS). */
        if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur < size)
                return -EFBIG;

        while (same < len && same < old.len && bytes[same] == old.ptr[same])
                same++;
        memset(bytes + len, '\n', size - len);
        result = write_bytes(file, bytes, same, size);
        if (result == 0 && ftruncate(file, (off_t)len) < 0)
                result = -errno;
        if (result < 0 && (write_bytes(file, old.ptr, same, old.len) < 0 || ftruncate(file, (off_t)old.len) < 0))
                return -EIO;
        return result;
}

/* ---- the call ---- */

static int refuse(struct broker *broker, const char *path, const char *key) {
        snprintf(broker->refused, sizeof(broker->refused),
                 key[0] ? "%.90s: commands may not set %.60s: git could run a program because of it"
                        : "%.90s: commands may only set keys that do not make git run a program",
                 path, key);
        return -EPERM;
}

/* Not static: a program that has the library in it would have this memory, too. Not on the stack, which may be small. */
struct scratch {
        char old[CONFIG_MAX], new[CONFIG_MAX];
        _Alignas(max_align_t) char memory[MEMORY];
};

static int compare_and_write(struct broker *broker, const struct config *config, const struct broker_rename *request,
                             struct scratch *scratch) {
        struct arena arena;
        char git_dir[PATH_MAX], key[GIT_KEY_SIZE];
        const struct git_repository repository = { .git_dir = git_dir, .workspace = broker->plan->workspace, .covered = true };
        struct str old = STR(""), new = STR("");
        int result = read_text(config->file, scratch->old, &old);

        if (result == 0)
                result = read_new(request, scratch->new, &new);
        if (result < 0)
                return result;
        snprintf(git_dir, sizeof(git_dir), "%.*s", (int)(name_of(config->path) - config->path - 1), config->path);
        arena_init_fixed(&arena, scratch->memory, sizeof(scratch->memory));
        if (!git_config_is_harmless(old, new, &repository, &arena, key))
                return refuse(broker, config->path, key);
        result = write_text(config->file, old, scratch->new, new.len);
        if (result == 0 && unlinkat(request->from_dir, request->from, 0) < 0)
                result = -errno;
        return result;
}

static int replace(struct broker *broker, const struct config *config, const struct broker_rename *request) {
        struct scratch *scratch;
        int result = lock_config(config->file);

        if (result < 0)
                return result;
        scratch = mmap(NULL, sizeof(*scratch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (scratch == MAP_FAILED)
                return -errno;
        result = compare_and_write(broker, config, request, scratch);
        munmap(scratch, sizeof(*scratch));
        return result;
}

int broker_rename(struct broker *broker, const struct broker_rename *request) {
        struct config config;
        int result;

        if (!find_config(broker->plan, request, &config))
                return BROKER_CONTINUE;
        if (!open_config(broker, &config)) {
                fd_close(config.file);
                return BROKER_CONTINUE;
        }
        result = replace(broker, &config, request);
        fd_close(config.file); /* and the lock with it, before the caller goes on */
        return result;
}
