#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/home.h"

/* Nothing is allocated in here: a sandbox that is being made does this. */

enum { RUN_TRIES = 8 };

/* ---- lists ---- */

const char *home_listing_next(struct home_listing *listing) {
        for (;;) {
                const struct dirent64 *entry = (const struct dirent64 *)(const void *)(listing->entries + listing->at);

                if (listing->at >= listing->len) {
                        listing->at = 0;
                        listing->len = syscall(SYS_getdents64, listing->directory, listing->entries, sizeof(listing->entries));
                        listing->failed = listing->len < 0;
                        if (listing->len <= 0)
                                return NULL;
                        continue;
                }
                listing->at += entry->d_reclen;
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                        return entry->d_name;
        }
}

bool home_is_run(const char *name) {
        return strncmp(name, HOME_RUN_PREFIX, sizeof(HOME_RUN_PREFIX) - 1) == 0;
}

bool home_is_empty(int directory) {
        struct home_listing listing;

        home_listing_begin(directory, &listing);
        return lseek(directory, 0, SEEK_SET) == 0 && !home_listing_next(&listing) && !listing.failed;
}

bool home_is_unused(int directory, const char *upper) {
        FD_AUTO fd = home_open_beneath(directory, upper, O_RDONLY | O_DIRECTORY);

        return fd >= 0 && home_is_empty(fd);
}

/* ---- for a sandbox ---- */

struct run_name {
        char text[32];
};

static int new_name(const char *prefix, struct run_name *ret, struct err *err) {
        uint64_t id;

        if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
                return err_sys(err, "getrandom");
        snprintf(ret->text, sizeof(ret->text), "%s%016llx", prefix, (unsigned long long)id);
        return 0;
}

/* -1: a sandbox has it, or somebody settles it, or it is gone. */
static int lock_run(int runs, const char *name) {
        FD_AUTO run = openat(runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat st;

        return run < 0 || flock(run, LOCK_EX | LOCK_NB) < 0 || fstat(run, &st) < 0 || st.st_nlink == 0 ? -1 : TAKE_FD(run);
}

/* Nothing was written into it, and what the kernel left is out of the way: it takes no working directory of a volatile overlay
 * again. When the sandbox began is the time of the directory. */
static bool is_fresh(int runs, int run) {
        struct run_name ended;
        struct err ignored;

        return home_is_unused(run, HOME_UPPER) && new_name(HOME_ENDED_PREFIX, &ended, &ignored) == 0 &&
               (renameat(run, HOME_WORK "/" HOME_WORK, runs, ended.text) == 0 ||
                (errno == ENOENT && faccessat(run, HOME_WORK, F_OK, AT_SYMLINK_NOFOLLOW) == 0)) &&
               futimens(run, NULL) == 0;
}

bool home_has_written(int runs, const char *name) {
        char upper[NAME_MAX + sizeof("/" HOME_UPPER)];

        snprintf(upper, sizeof(upper), "%s/" HOME_UPPER, name);
        return home_is_run(name) && !home_is_unused(runs, upper);
}

/* One that an ended sandbox has left; -1: there is none. */
static int find_run(int runs, bool *ret_has_other) {
        struct home_listing listing;
        FD_AUTO found = -1;
        const char *name;

        home_listing_begin(runs, &listing);
        while ((name = home_listing_next(&listing))) {
                FD_AUTO run = found < 0 && home_is_run(name) ? lock_run(runs, name) : -1;

                if (run >= 0 && is_fresh(runs, run))
                        found = TAKE_FD(run);
                else
                        *ret_has_other = *ret_has_other || home_has_written(runs, name);
        }
        return TAKE_FD(found);
}

/* Whoever settles the layer may take one away that is not locked yet. */
static int make_run(int runs, struct err *err) {
        for (int i = 0; i < RUN_TRIES; i++) {
                struct run_name name;
                FD_AUTO run = -1;

                if (new_name(HOME_RUN_PREFIX, &name, err) < 0)
                        return -1;
                if (mkdirat(runs, name.text, 0700) < 0 && errno != EEXIST)
                        return err_sys(err, "home of the workspace");
                run = lock_run(runs, name.text);
                if (run < 0)
                        continue;
                if (mkdirat(run, HOME_UPPER, 0700) < 0 || mkdirat(run, HOME_WORK, 0700) < 0)
                        return err_sys(err, "home of the workspace");
                return TAKE_FD(run);
        }
        return err_set(err, ERR_SYSTEM, "home of the workspace: cannot lock a new directory");
}

int home_take_run(int runs, struct home_run *ret, struct err *err) {
        struct home_run run = { -1, false };

        run.fd = find_run(runs, &run.has_other);
        if (run.fd < 0)
                run.fd = make_run(runs, err);
        *ret = run;
        return run.fd < 0 ? -1 : 0;
}
