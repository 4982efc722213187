#include "launch/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_parts.h"
#include "launch/kernel.h"

enum {
        SWEEP_READS = 256, /* of about a hundred names each */
        KEPT_SECONDS = 3600,
};

static const char prefix[] = "bailey-", kept_prefix[] = "bailey-user-";

/* It is in the name because a pid means nothing to a bailey in another pid namespace. */
static unsigned long pid_namespace(void) {
        struct stat st;

        return stat("/proc/self/ns/pid", &st) < 0 ? 0 : (unsigned long)st.st_ino;
}

void cgroup_name_new(char ret[static CGROUP_NAME_SIZE]) {
        uint32_t random = 0;

        (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK); /* without it, a name that is taken is an error */
        snprintf(ret, CGROUP_NAME_SIZE, "%s%d-%lu-%08" PRIx32, prefix, (int)getpid(), pid_namespace(), random);
}

void cgroup_name_kept(int64_t memory_percent, int64_t pids, char ret[static CGROUP_NAME_SIZE]) {
        snprintf(ret, CGROUP_NAME_SIZE, "%s%u-%" PRId64 "-%" PRId64, kept_prefix, geteuid(), memory_percent, pids);
}

/* Whoever wants it makes it again; but not for every command, where two policies take turns. */
static bool is_old(int dir, const char *name) {
        struct stat st;

        return strncmp(name, kept_prefix, strlen(kept_prefix)) == 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
               time(NULL) - st.st_mtime > KEPT_SECONDS;
}

/* Made by a bailey of this pid namespace that no longer lives. */
static bool is_abandoned(const char *name, unsigned long namespace) {
        char *end;
        long pid;

        if (strncmp(name, prefix, strlen(prefix)) != 0)
                return false;
        pid = strtol(name + strlen(prefix), &end, 10);
        if (pid <= 0 || pid > INT32_MAX || *end != '-' || strtoul(end + 1, &end, 10) != namespace || *end != '-')
                return false;
        return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void sweep_dir(const char *dir, unsigned long namespace) {
        FD_AUTO fd = access(dir, W_OK) < 0 ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _Alignas(struct kernel_dirent) char entries[KERNEL_DIRENTS_SIZE];
        long got;

        for (int reads = 0; fd >= 0 && reads < SWEEP_READS; reads++) {
                got = kernel_getdents(fd, entries);
                if (got <= 0)
                        return;
                for (long at = 0; at < got;) {
                        const struct kernel_dirent *entry = (const void *)(entries + at);

                        if (is_abandoned(entry->name, namespace) || is_old(fd, entry->name))
                                unlinkat(fd, entry->name, AT_REMOVEDIR); /* EBUSY unless it is empty */
                        at += entry->size;
                }
        }
}

void cgroup_sweep(void) {
        unsigned long namespace = pid_namespace();
        char dir[CGROUP_PATH_SIZE];
        struct cgroup_places places;

        if (cgroup_places_find(&places, NULL) < 0)
                return;
        for (int i = 0; i < CGROUP_HIERARCHIES; i++)
                for (size_t n = 0; cgroup_place_parent(&places.at[i], i == CGROUP_AT_UNIFIED, n, dir); n++)
                        sweep_dir(dir, namespace);
}
