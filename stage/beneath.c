#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "stage/changes.h"

int stage_open_beneath(int root, const char *path, int flags) {
        struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC),
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };

        return (int)syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof(how));
}

int stage_open_above(int root, const char *path, const char **ret_name) {
        const char *slash = strrchr(path, '/');
        char above[PATH_MAX];

        *ret_name = slash ? slash + 1 : path;
        if (slash && (size_t)(slash - path) >= sizeof(above)) {
                errno = ENAMETOOLONG;
                return -1;
        }
        memcpy(above, path, slash ? (size_t)(slash - path) : 0);
        above[slash ? slash - path : 0] = 0;
        return stage_open_beneath(root, above, O_RDONLY | O_DIRECTORY);
}

int stage_open_roots(const struct stage *stage, struct stage_roots *ret, struct err *err) {
        FD_AUTO upper = openat(stage->fd, STAGE_UPPER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO base = open(stage->workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (upper < 0)
                return err_sys(err, "%s/" STAGE_UPPER, stage->path);
        if (base < 0)
                return err_sys(err, "workspace %s", stage->workspace);
        *ret = (struct stage_roots){ .upper = TAKE_FD(upper), .base = TAKE_FD(base) };
        return 0;
}

void stage_close_roots(struct stage_roots *roots) {
        fd_close(TAKE_FD(roots->upper));
        fd_close(TAKE_FD(roots->base));
}
