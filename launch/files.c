#include "launch/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/kernel.h"

/* For containers that forbid close_range(), which is younger than they are. */
static int close_one_by_one(int first) {
        FD_AUTO list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _Alignas(struct kernel_dirent) char entries[KERNEL_DIRENTS_SIZE];
        long got = -1;

        while (list >= 0 && (got = kernel_getdents(list, entries)) > 0)
                for (long at = 0; at < got;) {
                        const struct kernel_dirent *entry = (const void *)(entries + at);
                        int fd = (int)strtol(entry->name, NULL, 10); /* 0: no number */

                        if (fd >= first && fd != list)
                                close(fd);
                        at += entry->size;
                }
        return got < 0 ? -1 : 0;
}

int files_close_from(int first) {
        if (close_range((unsigned int)first, ~0U, 0) == 0)
                return 0;
        return errno == ENOSYS || errno == EPERM ? close_one_by_one(first) : -1;
}

int files_arrange(int *from, int count, bool close_on_exec, struct err *err) {
        /* Out of the way first, as one may stand where another has to go. */
        for (int i = 0; i < count; i++)
                if ((from[i] = fcntl(from[i], F_DUPFD, count)) < 0)
                        return err_sys(err, "files of the command");
        for (int i = 0; i < count; i++)
                if (dup3(from[i], i, i > 2 && close_on_exec ? O_CLOEXEC : 0) < 0)
                        return err_sys(err, "files of the command");
        return files_close_from(count) < 0 ? err_sys(err, "closing files") : 0;
}
