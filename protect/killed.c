#include "protect/killed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

enum {
        STATUS_SIZE = 4096,
        STARTS_TO_END = 0x400, /* PF_SIGNALED: a signal has ended it */
        ENDS = 0x4,            /* PF_EXITING */
        GENERATIONS = 4,       /* a supervisor, the maker of its sandboxes, pid 1 of one; and then there are none */
};
#define PATIENCE (60 * TIME_SECOND)         /* with a process in a pid namespace, which can be a command's */
#define PATIENCE_OUTSIDE (20 * TIME_SECOND) /* with any other: it is waited for because it can be a supervisor */

/* /proc/PID/NAME; false when there is no such process any more. */
static bool read_file(const char *pid, const char *name, char ret[static STATUS_SIZE]) {
        char path[64];
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, ret, STATUS_SIZE - 1);
        ret[len > 0 ? len : 0] = '\0';
        return len > 0;
}

static unsigned long long field(const char *status, const char *name, int base) {
        const char *at = strstr(status, name);

        return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

/* The signal is pending until the process looks; the flags are set from then on. A zombie has ended: the kernel makes pid 1 of
 * a namespace one when all others in it are gone. */
static bool is_dying(const char *pid) {
        const unsigned long long killed = 1ULL << (SIGKILL - 1);
        char stat[STATUS_SIZE], status[STATUS_SIZE];
        const char *after = read_file(pid, "stat", stat) ? strrchr(stat, ')') : NULL; /* a name may hold anything */
        unsigned flags = 0;
        char state = 'X';

        if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2 || strchr("ZXx", state) ||
            !read_file(pid, "status", status) || (getuid() != 0 && field(status, "\nUid:", 10) != getuid()))
                return false;
        return flags & (ENDS | STARTS_TO_END) || field(status, "\nShdPnd:", 16) & killed ||
               field(status, "\nSigPnd:", 16) & killed;
}

/* How many pid namespaces the process is in; 0: it has ended. */
static size_t depth(const char *pid) {
        char status[STATUS_SIZE];
        const char *at = read_file(pid, "status", status) ? strstr(status, "\nNSpid:") : NULL;
        size_t count = 0;

        for (at = at ? at + strlen("\nNSpid:") : ""; *at && *at != '\n'; at++)
                count += *at == '\t';
        return count;
}

/* One that is stuck outside of all sandboxes is no reason to run nothing any more. */
static int wait_for(const char *pid, int64_t began, struct err *err) {
        bool inside = depth(pid) > depth("self");
        int64_t deadline = began + (inside ? PATIENCE : PATIENCE_OUTSIDE), pause = TIME_SECOND / 1000;

        while (is_dying(pid)) {
                if (time_monotonic() > deadline && !inside)
                        return 0;
                if (time_monotonic() > deadline)
                        return err_set(err, ERR_SYSTEM,
                                       "process %.20s was killed, but has not ended in a minute: it may belong to a command "
                                       "that still writes",
                                       pid);
                nanosleep(&(struct timespec){ .tv_nsec = (long)pause }, NULL);
                pause = pause < TIME_SECOND / 50 ? pause * 2 : pause;
        }
        return 0;
}

/* Waits for those that are dying now. Returns 1 if there were any. */
static int wait_for_all(int64_t began, struct err *err) {
        DIR *proc = opendir("/proc");
        const struct dirent *entry;
        int result = 0;

        if (!proc) /* without it a system has no pid namespaces, and processes are killed one by one */
                return errno == ENOENT ? 0 : err_sys(err, "/proc");
        while (result >= 0 && (entry = readdir(proc))) {
                if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !is_dying(entry->d_name))
                        continue;
                result = wait_for(entry->d_name, began, err) < 0 ? -1 : 1;
        }
        closedir(proc);
        return result;
}

/* Not until there are none, as others may be killed all the time. */
int killed_wait(struct err *err) {
        int64_t began = time_monotonic();
        int found = 1;

        for (int i = 0; i < GENERATIONS && found > 0; i++)
                found = wait_for_all(began, err);
        return found < 0 ? -1 : 0;
}
