#include "launch/parts_darwin.h"

#include <dlfcn.h>
#include <libproc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/proc_info.h>
#include <time.h>
#include <unistd.h>

enum {
        PIDS_MAX = 32768,
        FILTER_PATH = 1,           /* SANDBOX_FILTER_PATH, of a header that macOS does not ship */
        CHECK_QUIET = 1 << 30,     /* what SANDBOX_CHECK_NO_REPORT has always been */
        ROUNDS_WITHOUT_END = 5000, /* of a millisecond */
};

int members_open(const char *profile, struct members *ret, struct err *err) {
        const int *quiet = dlsym(RTLD_DEFAULT, "SANDBOX_CHECK_NO_REPORT");
        const char *slash = strrchr(profile, '/');
        struct members members = { .quiet = quiet ? *quiet : CHECK_QUIET };
        void *check = dlsym(RTLD_DEFAULT, "sandbox_check");

        if (!check)
                return err_set(err, ERR_UNSUPPORTED, "sandbox-exec: this macOS does not tell which processes are in a sandbox");
        if (!slash || snprintf(members.file, sizeof(members.file), "%s", profile) >= (int)sizeof(members.file))
                return err_set(err, ERR_INVALID, "%s: no path for a profile", profile);
        snprintf(members.folder, sizeof(members.folder), "%.*s", (int)(slash - profile), profile);
        memcpy(&members.check, &check, sizeof(check)); /* ISO C knows no way from an object to a function */
        *ret = members;
        return 0;
}

/* Another profile allows both, or neither. */
static bool is_member(const struct members *members, pid_t pid) {
        int type = FILTER_PATH | members->quiet;

        return members->check(pid, NULL, 0) == 1 && members->check(pid, "file-read-data", type, members->file) == 0 &&
               members->check(pid, "file-read-data", type, members->folder) == 1;
}

size_t members_signal(const struct members *members, int number) {
        static pid_t pids[PIDS_MAX];
        int bytes = proc_listpids(PROC_UID_ONLY, (uint32_t)geteuid(), pids, (int)sizeof(pids));
        size_t count = bytes > 0 ? (size_t)bytes / sizeof(*pids) : 0, found = 0;

        for (size_t i = 0; i < count; i++)
                if (pids[i] > 1 && pids[i] != getpid() && is_member(members, pids[i])) {
                        found++;
                        kill(pids[i], number);
                }
        return found;
}

/* They are stopped first: those that do not run cannot fork while the others are looked for. */
void members_kill(const struct members *members) {
        const struct timespec pause = { .tv_nsec = 1000000 };
        size_t before = 0;

        for (int round = 0; round < ROUNDS_WITHOUT_END; round++) {
                size_t found = members_signal(members, SIGSTOP);

                if (found == 0)
                        return;
                members_signal(members, SIGKILL);
                if (found < before)
                        round = 0;
                before = found;
                nanosleep(&pause, NULL);
        }
}
