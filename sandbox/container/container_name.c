#include "sandbox/container/container_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/sha256.h"
#include "base/time.h"

enum { STAT_START = 22 };

/* ---- who ---- */

static ssize_t read_text(const char *path, char *ret, size_t size) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? -1 : read(fd, ret, size - 1);

        ret[len < 0 ? 0 : len] = 0;
        return len;
}

/* When a process was started, in ticks since the boot; -1: it cannot be told. */
static int64_t start_of(int64_t pid) {
        char path[64], text[1024], *at;

        snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
        if (read_text(path, text, sizeof(text)) <= 0)
                return -1;
        at = strrchr(text, ')'); /* a name may hold anything */
        for (int field = 2; at && field < STAT_START; field++)
                at = strchr(at + 1, ' ');
        return at ? strtoll(at, NULL, 10) : -1;
}

int container_owner_here(struct container_owner *ret, struct err *err) {
        struct container_owner owner = { .pid = getpid(), .start = start_of(getpid()), .time = time_realtime() / TIME_SECOND };
        char text[256], hex[SHA256_HEX_SIZE];
        ssize_t boot = read_text("/proc/sys/kernel/random/boot_id", text, 64), space;

        space = boot < 0 ? -1 : readlink("/proc/self/ns/pid", text + boot, sizeof(text) - 64);
        if (space < 0 || owner.start < 0)
                return err_sys(err, "/proc: who this process is");
        sha256_hex(str_from(text, (size_t)(boot + space)), hex);
        memcpy(owner.host, hex, sizeof(owner.host) - 1);
        *ret = owner;
        return 0;
}

/* ---- names ---- */

int container_name_new(const struct container_owner *owner, char ret[static CONTAINER_NAME_SIZE], struct err *err) {
        char id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        snprintf(ret, CONTAINER_NAME_SIZE, "bailey-%s-%" PRId64 "-%" PRId64 "-%" PRId64 "-%.8s%.4s%.4s%.4s%.12s", owner->host,
                 owner->pid, owner->start, owner->time, id, id + 9, id + 14, id + 19, id + 24);
        return 0;
}

/* Digits up to a dash. */
static bool take_number(struct str *rest, int64_t *ret) {
        size_t len = str_find(*rest, '-');
        char text[24];

        if (len == 0 || len == rest->len || len >= sizeof(text))
                return false;
        memcpy(text, rest->ptr, len);
        text[len] = 0;
        for (size_t i = 0; i < len; i++)
                if (!is_ascii_digit((unsigned char)text[i]))
                        return false;
        errno = 0;
        *ret = strtoll(text, NULL, 10);
        *rest = str_skip(*rest, len + 1);
        return errno == 0;
}

bool container_name_read(struct str name, struct container_owner *ret) {
        struct container_owner owner = {};
        struct str rest = str_skip(name, sizeof("bailey-") - 1);

        if (!str_starts(name, STR("bailey-")) || str_find(rest, '-') != CONTAINER_HOST_SIZE - 1)
                return false;
        memcpy(owner.host, rest.ptr, CONTAINER_HOST_SIZE - 1);
        rest = str_skip(rest, CONTAINER_HOST_SIZE);
        if (!take_number(&rest, &owner.pid) || !take_number(&rest, &owner.start) || !take_number(&rest, &owner.time) ||
            rest.len != 32)
                return false;
        *ret = owner;
        return true;
}

static bool is_dead(const struct container_owner *owner) {
        int64_t start;

        if (owner->pid <= 0 || owner->pid > INT32_MAX || (kill((pid_t)owner->pid, 0) < 0 && errno == ESRCH))
                return true;
        start = start_of(owner->pid);
        return start >= 0 && start != owner->start; /* another one has its number now */
}

bool container_abandoned(const struct container_owner *owner, bool runs, const struct container_owner *here) {
        if (strcmp(owner->host, here->host) == 0)
                return is_dead(owner);
        return here->time - owner->time > (runs ? CONTAINER_RUN_SECONDS : CONTAINER_REST_SECONDS);
}
