#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

pid_t process_parent(pid_t pid) {
        char path[64], text[512], *end;
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (len <= 0)
                return -1;
        text[len] = 0;
        end = strrchr(text, ')'); /* a name may hold anything */
        return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : -1;
}
