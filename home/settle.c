#include "home/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/time.h"
#include "base/tree.h"

/*
 * Everything here was made by commands, and others may run: all of it is done by descriptors, and follows no link. Files are
 * moved, never copied, so that it takes as long as there are entries that a sandbox has changed; a new directory is one.
 */

enum {
        DEPTH_MAX = 64,
        LEFT_MAX = 16, /* directories that ended sandboxes have left, before all are removed: it is cheaper in one go */
};

#define WAIT TIME_SECOND           /* for another process that settles */
#define REMOVAL (10 * TIME_SECOND) /* of what was replaced; the rest is removed next time */

struct settling {
        int runs;              /* what is replaced is moved here first */
        struct timespec began; /* of the sandbox */
        unsigned replaced;
        bool keep_empty; /* directories of sandboxes that have written nothing */
        struct err *err;
};

static bool is_whiteout(const struct stat *st) {
        return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

static bool is_opaque(int directory) {
        char value = 0;

        return fgetxattr(directory, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

/* Made by another sandbox while this one ran, which has therefore not seen it. */
static bool is_newer(const struct settling *s, int directory, const char *name) {
        struct statx st;

        return statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) == 0 && st.stx_mask & STATX_BTIME &&
               (st.stx_btime.tv_sec > s->began.tv_sec ||
                (st.stx_btime.tv_sec == s->began.tv_sec && st.stx_btime.tv_nsec > s->began.tv_nsec));
}

struct old_name {
        char text[64];
};

static struct old_name old_name(unsigned number) {
        struct old_name name;

        snprintf(name.text, sizeof(name.text), "old-%d-%u", (int)getpid(), number);
        return name;
}

/* Frees the name. What was there is removed when all the rest is done. */
static int move_away(struct settling *s, int directory, const char *name) {
        for (;;) {
                struct old_name old = old_name(s->replaced++);

                if (move_new(directory, name, s->runs, old.text) == 0 || errno == ENOENT)
                        return 0;
                if (errno != EEXIST)
                        return err_sys(s->err, "%s", name);
        }
}

static int settle_directory(struct settling *s, int from, int to, int depth);

static int merge_directory(struct settling *s, int from, int to, const char *name, int depth) {
        FD_AUTO below = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO into = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat st;

        /* What cannot be opened, or is no directory there, is replaced as a whole. */
        if (below < 0 || into < 0 || depth == DEPTH_MAX || (is_opaque(below) && !is_newer(s, to, name))) {
                if (move_away(s, to, name) < 0)
                        return -1;
                return move_new(from, name, to, name) < 0 ? err_sys(s->err, "%s", name) : 0;
        }
        if (settle_directory(s, below, into, depth + 1) < 0)
                return -1;
        if (fstat(below, &st) == 0)
                (void)fchmod(into, st.st_mode & 07777);
        return unlinkat(from, name, AT_REMOVEDIR) < 0 ? err_sys(s->err, "%s", name) : 0;
}

static int settle_entry(struct settling *s, int from, int to, const char *name, int depth) {
        struct stat st, there;

        if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(s->err, "%s", name);
        if (move_new(from, name, to, name) == 0)
                return 0;
        if (errno != EEXIST)
                return err_sys(s->err, "%s", name);
        if (S_ISDIR(st.st_mode))
                return merge_directory(s, from, to, name, depth);
        if (is_whiteout(&st) && is_newer(s, to, name))
                return unlinkat(from, name, 0) < 0 ? err_sys(s->err, "%s", name) : 0;
        if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(there.st_mode) && move_away(s, to, name) < 0)
                return -1;
        return renameat(from, name, to, name) < 0 ? err_sys(s->err, "%s", name) : 0;
}

static int settle_directory(struct settling *s, int from, int to, int depth) {
        DIR *stream = tree_list(from, ".");
        const struct dirent *entry;
        int result = stream ? 0 : err_sys(s->err, "home of the workspace");

        while (result == 0 && (entry = tree_next(stream)))
                result = settle_entry(s, from, to, entry->d_name, depth);
        if (stream)
                closedir(stream);
        return result;
}

/* A working directory of an overlay that has ended, which no command can reach. Nearly always it has this alone, and to remove
 * any tree takes thirty times as many system calls. */
static int remove_rest(const struct settling *s, const char *name) {
        static const char *const made[] = { "/incompat/volatile/dirty", "/incompat/volatile", "/incompat", "" };
        bool removed = true;

        for (size_t i = 0; removed && i < sizeof(made) / sizeof(*made); i++) {
                char path[NAME_MAX + 32];

                snprintf(path, sizeof(path), "%s%s", name, made[i]);
                removed = unlinkat(s->runs, path, i ? AT_REMOVEDIR : 0) == 0;
        }
        return removed ? 0 : remove_tree(s->runs, name, time_monotonic() + REMOVAL, s->err);
}

static int settle_run(struct settling *s, int files, const char *name) {
        FD_AUTO run = -1, upper = -1;
        struct stat st;

        if (!home_is_run(name))
                return s->keep_empty ? 0 : remove_rest(s, name);
        run = openat(s->runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (run < 0 || lock_take(run, LOCK_EX, 0) < 0)
                return 0; /* another process has removed it; or the sandbox exists */
        if (s->keep_empty && home_is_unused(run, HOME_UPPER))
                return 0;
        if (fstat(run, &st) < 0)
                return err_sys(s->err, "home of the workspace");
        s->began = st.st_mtim;
        upper = openat(run, HOME_UPPER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (upper >= 0 && settle_directory(s, upper, files, 0) < 0)
                return -1;
        return remove_tree(s->runs, name, time_monotonic() + REMOVAL, s->err);
}

/* Whether there is enough to do: to settle, or to remove. */
static bool is_worthwhile(int runs, bool keep_empty) {
        struct home_listing listing;
        const char *name;
        bool found = false;
        int left = 0;

        home_listing_begin(runs, &listing);
        while (!found && (name = home_listing_next(&listing)))
                found = keep_empty ? home_has_written(runs, name) : ++left >= LEFT_MAX;
        return found || listing.failed;
}

/* One that fails keeps the others from nothing. */
static int settle_all(struct settling *s, int files, const char *layer) {
        DIR *stream = tree_list(s->runs, ".");
        const struct dirent *entry;
        int result = 0;

        if (!stream)
                return err_sys(s->err, "%s", layer);
        while ((entry = tree_next(stream)))
                if (settle_run(s, files, entry->d_name) < 0)
                        result = -1;
        closedir(stream);
        for (unsigned i = 0; i < s->replaced; i++)
                if (remove_tree(s->runs, old_name(i).text, time_monotonic() + REMOVAL, s->err) < 0)
                        result = -1;
        return result < 0 ? err_context(s->err, "%s", layer) : 0;
}

static int settle(const char *layer, bool keep_empty, struct err *err) {
        FD_AUTO directory = open(layer, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO runs = openat(directory, HOME_RUNS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO files = -1;
        struct settling s = { .runs = runs, .keep_empty = keep_empty, .err = err };

        if (directory < 0 || runs < 0)
                return errno == ENOENT ? 0 : err_sys(err, "%s", layer);
        if (!is_worthwhile(runs, keep_empty))
                return 0;
        files = openat(directory, HOME_FILES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (files < 0)
                return errno == ENOENT ? 0 : err_sys(err, "%s", layer);
        if (lock_take(runs, LOCK_EX, keep_empty ? time_monotonic() + WAIT : 0) < 0)
                return 0; /* whoever has it does this */
        return settle_all(&s, files, layer);
}

int home_settle(const char *layer, struct err *err) {
        return settle(layer, true, err);
}

/* By the number of links, which is less than two where it is not that of directories. */
static bool has_few(const char *layer) {
        FD_AUTO directory = open(layer, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat st;

        return directory >= 0 && fstatat(directory, HOME_RUNS, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_nlink >= 2 &&
               st.st_nlink < 2 + LEFT_MAX;
}

int home_tidy(const char *layer, struct err *err) {
        return has_few(layer) ? 0 : settle(layer, false, err);
}
