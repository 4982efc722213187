#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

/* A number in /proc/PID/stat, by its place behind the name, which is followed by the state; -1: not known. */
static pid_t stat_number(pid_t pid, int place) {
        char path[64], text[512], *at;
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (len <= 0)
                return -1;
        text[len] = 0;
        at = strrchr(text, ')'); /* a name may hold anything */
        while (at && place-- >= 0)
                at = strchr(at + 1, ' ');
        return at ? (pid_t)strtol(at + 1, NULL, 10) : -1;
}

enum { STAT_PARENT = 1, STAT_FOREGROUND = 5 };

pid_t process_parent(pid_t pid) {
        return stat_number(pid, STAT_PARENT);
}

pid_t process_foreground(pid_t pid) {
        return stat_number(pid, STAT_FOREGROUND);
}
