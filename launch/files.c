#include "launch/files.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

int files_arrange(int *from, int count, bool close_on_exec, struct err *err) {
        /* Out of the way first, as one may stand where another has to go. */
        for (int i = 0; i < count; i++)
                if ((from[i] = fcntl(from[i], F_DUPFD, count)) < 0)
                        return err_sys(err, "files of the command");
        for (int i = 0; i < count; i++)
                if (dup3(from[i], i, i > 2 && close_on_exec ? O_CLOEXEC : 0) < 0)
                        return err_sys(err, "files of the command");
        return close_range((unsigned int)count, ~0U, 0) < 0 ? err_sys(err, "closing files") : 0;
}
