#include "home/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/time.h"
#include "home/home.h"
#include "home/walk.h"

#define SIZE_FILE "size"
#define SIZE_NEW "size.new"
#define SIZE_LOCK "size.lock"
#define WAIT TIME_SECOND

enum {
        BLOCK = 512,
        TEXT_SIZE = 160,
        MEASURE_EVERY = 120 /* seconds */,
        SHARE = 100 /* of the time, at most, is spent on it */
};

/* ---- holding ---- */

int home_hold(const char *layer, int *ret_fd, struct err *err) {
        FD_AUTO fd = open(layer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat held, there;

        if (fd < 0)
                return errno == ENOENT ? 1 : err_sys(err, "%s", layer);
        if (lock_take(fd, LOCK_SH, time_monotonic() + WAIT) < 0)
                return errno == EWOULDBLOCK
                               ? err_set(err, ERR_REFUSED, "the home of this workspace is being removed; try again")
                               : err_sys(err, "%s", layer);
        /* Whoever removes it moves it away first. */
        if (fstat(fd, &held) < 0 || stat(layer, &there) < 0)
                return errno == ENOENT ? 1 : err_sys(err, "%s", layer);
        if (held.st_dev != there.st_dev || held.st_ino != there.st_ino)
                return 1;
        *ret_fd = TAKE_FD(fd);
        return 0;
}

/* ---- what was measured ---- */

bool home_usage_read(const char *text, struct home_usage *ret) {
        unsigned long long bytes, entries;
        long long when, took;
        int complete, end = -1;

        if (sscanf(text, "%20llu %20llu %1d %19lld %19lld%n", &bytes, &entries, &complete, &when, &took, &end) != 5 ||
            end < 0 || strcmp(text + end, "\n") != 0 || when <= 0 || took < 0)
                return false;
        *ret = (struct home_usage){ bytes, entries, complete == 1, when, took };
        return true;
}

void home_usage_recall(int layer, struct home_usage *ret) {
        FD_AUTO fd = openat(layer, SIZE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        char text[TEXT_SIZE];
        ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

        *ret = (struct home_usage){};
        if (len <= 0)
                return;
        text[len] = 0;
        (void)home_usage_read(text, ret);
}

/* A clock that was set back makes it due, too. */
bool home_usage_is_due(int layer, const struct home_usage *last) {
        int64_t now = time_realtime() / TIME_SECOND, from = last->when, pause = last->took * SHARE / 1000;
        struct stat about;

        if (!from && fstatat(layer, "about", &about, AT_SYMLINK_NOFOLLOW) == 0)
                from = about.st_mtim.tv_sec;
        return now < from || now - from >= (pause > MEASURE_EVERY ? pause : MEASURE_EVERY);
}

/* ---- measuring ---- */

/* A file with several names: each has its part of it. Commands cannot link anything of the home to a place outside of it. */
static void add(void *context, const struct walk_entry *entry) {
        struct home_usage *usage = context;
        uint64_t links = S_ISDIR(entry->status.st_mode) || !entry->status.st_nlink ? 1 : entry->status.st_nlink;

        usage->entries++;
        usage->bytes += (uint64_t)entry->status.st_blocks * BLOCK / links;
}

/* BASE/NAME/runs/run-ID/work/work is the kernel's, empty, and readable to nobody. */
static bool is_not_work(const struct walk_entry *entry) {
        return !(entry->above && !entry->above->above && strcmp(entry->name, HOME_WORK) == 0);
}

static void measure(int layer, const char *name, bool (*enters)(const struct walk_entry *), int64_t deadline,
                    struct home_usage *usage) {
        FD_AUTO fd = openat(layer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct walk walk = { .deadline = deadline, .enters = enters, .visit = add, .context = usage };

        if (fd >= 0)
                walk_tree(&walk, fd);
        usage->complete = usage->complete && (fd >= 0 || errno == ENOENT) && !walk.unread && !walk.late;
}

void home_usage_measure(int layer, int64_t deadline, struct home_usage *ret) {
        struct home_usage usage = { .complete = true };
        int64_t began = time_monotonic();

        measure(layer, HOME_FILES, NULL, deadline, &usage);
        measure(layer, HOME_RUNS, is_not_work, deadline, &usage);
        usage.when = time_realtime() / TIME_SECOND;
        usage.took = (time_monotonic() - began) / (TIME_SECOND / 1000);
        *ret = usage;
}

static bool keep(int layer, const struct home_usage *usage) {
        FD_AUTO fd = openat(layer, SIZE_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        char text[TEXT_SIZE];
        int len = snprintf(text, sizeof(text), "%llu %llu %d %lld %lld\n", (unsigned long long)usage->bytes,
                           (unsigned long long)usage->entries, usage->complete, (long long)usage->when, (long long)usage->took);

        return fd >= 0 && write(fd, text, (size_t)len) == len && renameat(layer, SIZE_NEW, layer, SIZE_FILE) == 0;
}

/* The home is held only while the result is written: who wants to remove it does not wait for this. */
bool home_usage_measure_and_keep(int layer, int64_t deadline, struct home_usage *ret) {
        FD_AUTO own = openat(layer, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        FD_AUTO lock = openat(layer, SIZE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

        if (own < 0 || lock < 0 || lock_take(lock, LOCK_EX, 0) < 0)
                return false;
        home_usage_measure(own, deadline, ret);
        return lock_take(own, LOCK_SH, 0) == 0 && keep(own, ret);
}
