#include "launch/cgroup_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_place.h"

enum { FILE_PATH_SIZE = CGROUP_PATH_SIZE + 64 }; /* no file of a cgroup has so long a name */

static void join(const char *dir, const char *file, char ret[static FILE_PATH_SIZE]) {
        snprintf(ret, FILE_PATH_SIZE, "%s/%s", dir, file);
}

static int open_file(const char *dir, const char *file, int flags) {
        char path[FILE_PATH_SIZE];

        join(dir, file, path);
        return open(path, flags | O_CLOEXEC | O_NOCTTY);
}

int cgroup_file_write(const char *dir, const char *file, const char *value) {
        FD_AUTO fd = open_file(dir, file, O_WRONLY);

        return fd < 0 || write(fd, value, strlen(value)) < 0 ? -1 : 0;
}

int cgroup_file_writable(const char *dir, const char *file) {
        char path[FILE_PATH_SIZE];

        join(dir, file, path);
        return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

int cgroup_file_read(const char *dir, const char *file, char *ret, size_t size) {
        FD_AUTO fd = open_file(dir, file, O_RDONLY);
        ssize_t got = fd < 0 ? -1 : read(fd, ret, size - 1);

        if (got < 0)
                return -1;
        ret[got] = '\0';
        return 0;
}

bool cgroup_text_has_word(const char *text, const char *word) {
        size_t len = strlen(word);

        for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
                size_t this = strcspn(text, " \n");

                if (this == len && memcmp(text, word, len) == 0)
                        return true;
                text += this;
        }
        return false;
}

uint64_t cgroup_text_number(const char *text, const char *key) {
        size_t len = strlen(key);

        for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
                if (strncmp(text, key, len) == 0 && text[len] == ' ')
                        return strtoull(text + len, NULL, 10);
        return 0;
}

/* A process that cannot be named in our pid namespace is listed as 0, which kill() would take for our own group. */
static size_t kill_one(int64_t pid, bool only_count) {
        if (pid <= 1 || pid > INT32_MAX || pid == getpid())
                return 0;
        if (!only_count)
                kill((pid_t)pid, SIGKILL);
        return 1;
}

size_t cgroup_procs_kill(const char *dir, bool only_count) {
        FD_AUTO fd = open_file(dir, "cgroup.procs", O_RDONLY);
        char text[4096];
        size_t count = 0;
        int64_t pid = 0;
        ssize_t got;

        while (fd >= 0 && (got = read(fd, text, sizeof(text))) > 0)
                for (ssize_t i = 0; i < got; i++) { /* a number may continue in the next read */
                        if (text[i] >= '0' && text[i] <= '9') {
                                pid = pid > INT32_MAX ? pid : pid * 10 + (text[i] - '0');
                                continue;
                        }
                        count += kill_one(pid, only_count);
                        pid = 0;
                }
        return count;
}
