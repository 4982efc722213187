#include "launch/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/mapped.h"
#include "sandbox/launch.h"

enum { MAP_MAX = 4096, PIDS_LEAST = 301 };

static int write_file(pid_t pid, const char *name, const char *text, int len) {
        char path[64];
        FD_AUTO fd = -1;

        snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 || write(fd, text, (size_t)len) != len ? -1 : 0;
}

/* Each range of our own map, onto itself: "0 100000 65536" outside becomes "0 0 65536". Returns the length, 0 at failure. */
static int own_map(const char *name, char ret_text[static MAP_MAX]) {
        char path[64], text[MAP_MAX];
        unsigned int first, outside, count;
        int used = 0, here = 0, step;
        FD_AUTO fd = -1;
        ssize_t len;

        snprintf(path, sizeof(path), "/proc/self/%s", name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (len <= 0)
                return 0;
        text[len] = 0;
        for (; sscanf(text + here, " %u %u %u%n", &first, &outside, &count, &step) == 3; here += step)
                used += snprintf(ret_text + used, (size_t)(MAP_MAX - used), "%u %u %u\n", first, first, count);
        return used;
}

static int map_all(pid_t pid) {
        char text[MAP_MAX];
        int len = own_map("uid_map", text);

        if (len == 0 || write_file(pid, "uid_map", text, len) < 0)
                return -1;
        len = own_map("gid_map", text);
        return len ? write_file(pid, "gid_map", text, len) : -1;
}

static int map_one(pid_t pid, struct err *err) {
        char text[64];
        int len = snprintf(text, sizeof(text), "%u %u 1\n", geteuid(), geteuid());

        if (write_file(pid, "uid_map", text, len) < 0 || write_file(pid, "setgroups", "deny", 4) < 0)
                return err_sys(err, "user namespace");
        len = snprintf(text, sizeof(text), "%u %u 1\n", getegid(), getegid());
        return write_file(pid, "gid_map", text, len) < 0 ? err_sys(err, "user namespace") : 0;
}

static int map_range(pid_t pid, uint32_t base, struct err *err) {
        char text[64];
        int len = snprintf(text, sizeof(text), "0 %u %d\n", base, LAUNCH_ID_COUNT);

        if (write_file(pid, "uid_map", text, len) < 0 || write_file(pid, "gid_map", text, len) < 0)
                return mapped_failed("the ids of the command cannot be mapped", err);
        return 0;
}

int identity_map(pid_t pid, uint32_t base, struct err *err) {
        if (base)
                return map_range(pid, base, err);
        if (geteuid() == 0 && map_all(pid) == 0)
                return 0;
        return map_one(pid, err);
}

/* Not by the C library, which would have all threads do it that it believes to be here. */
int identity_enter(struct err *err) {
        if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 || syscall(SYS_setresuid, 0, 0, 0) < 0)
                return err_sys(err, "user of the sandbox");
        /* The kernel takes it away with the change. inside.c does so again, when all is set up. */
        return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ? err_sys(err, "PR_SET_DUMPABLE") : 0;
}

void identity_give_pipe(int fd, uint32_t base) {
        struct statfs fs;
        struct stat st;

        if (base && fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC && fstat(fd, &st) == 0 && st.st_uid == geteuid())
                (void)!fchown(fd, base, base); /* then it cannot be opened again, which few need */
}

bool identity_limits_pids(void) {
        struct utsname system;
        int major, minor;

        return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
               (major > 6 || (major == 6 && minor >= 14));
}

static void set_limit(const char *file, const char *value) {
        FD_AUTO fd = open(file, O_WRONLY | O_CLOEXEC);

        if (fd >= 0)
                (void)!write(fd, value, strlen(value));
}

void identity_limit(int64_t pids) {
        char text[24];

        set_limit("/proc/sys/user/max_inotify_instances", "32");
        set_limit("/proc/sys/user/max_inotify_watches", "65536");
        if (pids == 0)
                return;
        snprintf(text, sizeof(text), "%" PRId64, pids < PIDS_LEAST ? PIDS_LEAST : pids);
        set_limit("/proc/sys/kernel/pid_max", text);
}
